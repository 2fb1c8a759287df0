//! `summary`: the table of runs that have been written to files, ours or Locust's.

use std::path::{Path, PathBuf};

use super::{Exit, Refusal, outputs};
use crate::engine::rows::{Row, Show, rows, usual_statistics};
use crate::render::table;
use crate::results::{json, locust};

/// The table of runs that have been written to files, ours or Locust's.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lab-driver summary out/locustfile-u10_stats.csv out/locustfile-u20_stats.csv
  lab-driver summary out/locustfile-ramp.json")]
pub(super) struct Args {
    /// Our JSON records, and *_stats.csv files of this program or of Locust
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<Exit, Refusal> {
    let (mut all, mut mistakes) = (Vec::new(), Vec::new());
    for file in &args.files {
        match read(file) {
            Ok(rows) => all.extend(rows),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if !mistakes.is_empty() {
        return Err(Refusal::Usage(mistakes.join("\nlab-driver: ")));
    }
    let headings: Vec<String> =
        usual_statistics().into_iter().map(|(heading, _)| heading).collect();
    outputs::to_stdout(|out| table::write(&headings, &all, out));
    Ok(Exit::Pass)
}

fn read(file: &Path) -> Result<Vec<Row>, String> {
    let statistics = usual_statistics();
    if file.extension().is_some_and(|extension| extension == "json") {
        let results = json::read(file).map_err(|error| error.to_string())?;
        return Ok(results
            .runs()
            .iter()
            .flat_map(|run| rows(run, Show::All, &statistics))
            .collect());
    }
    locust::read(file, &statistics).map_err(|error| error.to_string())
}
