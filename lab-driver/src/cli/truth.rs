//! `truth`: what a run reported beside what the target's own log says of the same requests.

use std::path::PathBuf;

use super::{Exit, Refusal, outputs};
use crate::engine::join::Joined;
use crate::engine::record::AGGREGATED;
use crate::render::truth;
use crate::results::samples::{read_departures, read_samples};

/// Response times as reported beside the true ones, by joining samples with the target's own log.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Both programs must have run on one host: its monotonic clock is what joins them.

Example:
  lab-server api --truth truth.csv
  lab-driver run http://127.0.0.1:8000/report --rate 30/s -t 20s --samples samples.csv
  lab-driver truth samples.csv truth.csv")]
pub(super) struct Args {
    /// What `lab-driver run --samples` wrote
    #[arg(value_name = "SAMPLES")]
    samples: PathBuf,
    /// What `lab-server --truth` wrote
    #[arg(value_name = "TRUTH")]
    truth: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<Exit, Refusal> {
    let usage = |error: crate::results::ResultError| Refusal::Usage(error.to_string());
    let samples = read_samples(&args.samples).map_err(usage)?;
    let departures = read_departures(&args.truth).map_err(usage)?;
    let mut names: Vec<&str> = Vec::new();
    for sample in &samples {
        if !names.contains(&sample.endpoint.as_str()) {
            names.push(&sample.endpoint);
        }
    }
    let mut all: Vec<(String, Joined)> = names
        .iter()
        .map(|name| ((*name).to_owned(), Joined::of(&samples, &departures, Some(name))))
        .collect();
    if names.len() != 1 {
        all.push((AGGREGATED.to_owned(), Joined::of(&samples, &departures, None)));
    }
    if all.iter().all(|(_, joined)| joined.reported.is_empty()) {
        return Err(Refusal::Usage(format!(
            "no request of {} is in {}: was the target started with --truth, and is this the log of that run?",
            args.samples.display(),
            args.truth.display()
        )));
    }
    outputs::to_stdout(|out| truth::write(&all, out));
    Ok(Exit::Pass)
}
