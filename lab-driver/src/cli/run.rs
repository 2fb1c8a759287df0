//! `run`: one run, its table, its verdict and its files.

use std::path::PathBuf;

use clap::ArgMatches;
use clap::builder::BoolishValueParser;

use super::flags::{DriverFlags, LoadFlags, ResultFlags};
use super::outputs::{self, RunFiles};
use super::session::{Besides, Session, fresh_seed};
use super::{Exit, Refusal};
use crate::engine::plan::{Load, Plan};
use crate::engine::rows::Show;
use crate::render::samples::SampleFile;
use crate::scenario::{self, Mistakes, Overrides, csv_stem};
use crate::sim::targets;

/// One run: a table, a verdict, and files if asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lab-driver run -f api -u 20 -t 30s --budget /report=150ms
  lab-driver run http://127.0.0.1:8000/items --rate 300/s -t 20s
  lab-driver run -f api-gate -u 60 -t 30s --virtual
  lab-driver run http://127.0.0.1:8000/report --rate 18/s -t 20s --server-timing --samples samples.csv
  lab-driver run -f api -u 80 -t 60s --abort-unless '/report:p(95)<500 over 5s after 10s'")]
pub(super) struct Args {
    /// Send GET requests to this URL; the row is named by its path
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Users who wait for each answer before they go on
    #[arg(short, long, env = "LAB_USERS", value_name = "N", help_heading = "Load")]
    users: Option<String>,
    /// Arrivals per second that wait for nobody: 300, 300/s, 12/m
    #[arg(short = 'R', long, env = "LAB_RATE", value_name = "RATE", help_heading = "Load")]
    rate: Option<String>,
    #[command(flatten)]
    load: LoadFlags,
    #[command(flatten)]
    driver: DriverFlags,
    #[command(flatten)]
    results: ResultFlags,
    /// Write Locust's four CSV files with this prefix
    #[arg(long, env = "LAB_CSV", value_name = "PREFIX", help_heading = "Results")]
    csv: Option<PathBuf>,
    /// Write a row per request into this CSV file, and name each in the header Lab-Request, so that `lab-driver truth` can join it with the target's own log
    #[arg(long, env = "LAB_SAMPLES", value_name = "FILE", help_heading = "Results")]
    samples: Option<PathBuf>,
    /// Split response times by the target's Server-Timing: frozen, in its queue, at work, and the rest
    #[arg(long, env = "LAB_SERVER_TIMING", value_parser = BoolishValueParser::new(), help_heading = "Results")]
    server_timing: bool,
}

pub(super) fn run(args: &Args, order: Option<&ArgMatches>) -> Result<Exit, Refusal> {
    let mut overrides = args.load.overrides(order);
    overrides.url.clone_from(&args.url);
    overrides.users.clone_from(&args.users);
    overrides.rate.clone_from(&args.rate);
    let mut mistakes = Mistakes::default();
    let statistics = args.results.statistics(&mut mistakes);
    let loaded = match scenario::load(&overrides, fresh_seed(), &targets::check) {
        Ok(loaded) => mistakes.or(loaded),
        Err(found) => Err(found.and(mistakes)),
    }?;
    let session = Session::open(&loaded, args.load.virtual_time, &args.driver, args.results.quiet)?;
    let name = overrides.scenario.as_deref().unwrap_or(&loaded.plan.name);
    let level = asked_level(&overrides, &loaded.plan);
    let stem = format!("{}-{level}", csv_stem(name));
    let files = open_files(args, &stem)?;
    let label = run_label(&overrides, &loaded.plan, level);
    let samples = args.samples.as_deref().map(SampleFile::create).transpose();
    let mut samples = samples.map_err(|error| outputs::unwritable(&error))?;
    let besides = Besides { samples: samples.as_mut(), server_timing: args.server_timing };
    let record = session.run_with(&loaded.plan, &label, besides)?;
    outputs::print_table(&[&record], Show::All, &statistics, &args.results);
    outputs::print_details(&record, &args.results);
    outputs::print_warnings(&record);
    let mut failed = files.fill(&record);
    failed.extend(samples.and_then(|file| file.finish().err()));
    outputs::complain_of(&failed);
    outputs::print_verdict(&record);
    let verdict = record.verdict.clone();
    let exit = Exit::of(&verdict, &[record], args.results.exit_code_on_threshold);
    // Results that could not be kept must not look like a success.
    Ok(if failed.is_empty() || exit != Exit::Pass { exit } else { Exit::Environment })
}

fn open_files(args: &Args, stem: &str) -> Result<RunFiles, Refusal> {
    let mut csv = Vec::from_iter(args.csv.clone());
    let mut json = Vec::from_iter(args.results.json.clone());
    if let Some(prefix) = args.results.out.as_ref().map(|folder| folder.join(stem)) {
        json.push(with_suffix(&prefix, ".json"));
        csv.push(prefix);
    }
    RunFiles::open(&csv, &json)
}

/// `u20`, or `nowait-u20` for a variant of the lesson's scenario: what `summary` reads from the file's name.
fn run_label(overrides: &Overrides, plan: &Plan, level: String) -> String {
    let variant = plan.name.strip_prefix("api-").filter(|_| overrides.url.is_none());
    match variant {
        Some(variant) => format!("{variant}-{level}"),
        None => level,
    }
}

/// The level that was asked for: a slow spawn rate may not reach it within the run.
fn asked_level(overrides: &Overrides, plan: &Plan) -> String {
    overrides.users.as_ref().map_or_else(|| level_label(plan), |users| format!("u{}", users.trim()))
}

/// The file name with `suffix` behind all of it: a stem may hold dots.
pub(super) fn with_suffix(prefix: &std::path::Path, suffix: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// What the level of a run is called: `u20` for users, `r300` for arrivals per second.
pub(super) fn level_label(plan: &Plan) -> String {
    match &plan.load {
        Load::Closed { users, .. } => format!("u{}", users.peak()),
        Load::Open { rate, .. } => format!("r{}", rate.peak()),
    }
}
