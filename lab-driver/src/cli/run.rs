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
use crate::engine::time::Ns;
use crate::render::samples::SampleFile;
use crate::scenario::{self, Mistakes, Overrides, Place, csv_stem};
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
    /// Show the back-fill of HDR histograms for a loop that sends once in this time: an estimate, in rows of its own
    #[arg(long, env = "LAB_BACK_FILL", value_name = "TIME", help_heading = "Results")]
    back_fill: Option<String>,
}

pub(super) fn run(args: &Args, order: Option<&ArgMatches>) -> Result<Exit, Refusal> {
    let mut overrides = args.load.overrides(order);
    overrides.url.clone_from(&args.url);
    overrides.users.clone_from(&args.users);
    overrides.rate.clone_from(&args.rate);
    let mut mistakes = Mistakes::default();
    let statistics = args.results.statistics(&mut mistakes);
    let loaded = mistakes.beside(scenario::load(&overrides, fresh_seed(), &targets::check))?;
    let back_fill = back_fill(args, &loaded.plan)?;
    let session = Session::open(&loaded, args.load.virtual_time, &args.driver, args.results.quiet)?;
    outputs::print_users_needed("", &loaded.plan, &args.results);
    let name = overrides.scenario.as_deref().unwrap_or(&loaded.plan.name);
    let level = asked_level(&overrides, &loaded.plan);
    let stem = format!("{}-{level}", csv_stem(name));
    let (csv, json) = (args.csv.iter().cloned(), args.results.json.iter().cloned());
    let files =
        RunFiles::with_folder(args.results.out.as_ref(), &stem, csv.collect(), json.collect())?;
    let label = run_label(&overrides, &loaded.plan, level);
    let samples = args.samples.as_deref().map(SampleFile::create).transpose();
    let mut samples = samples.map_err(|error| outputs::unwritable(&error))?;
    let besides = Besides { samples: samples.as_mut(), server_timing: args.server_timing };
    let record = session.run_with(&loaded.plan, &label, besides)?;
    outputs::print_table(&[&record], Show::All, &statistics, &args.results);
    if let Some(interval) = back_fill {
        outputs::print_back_fill(&record, interval, &statistics, &args.results);
    }
    outputs::print_details(&record, &args.results);
    Ok(outputs::conclude(record, files, samples, &args.results))
}

/// The expected interval. Arrivals are timed from their plan already: a second correction would count twice.
fn back_fill(args: &Args, plan: &Plan) -> Result<Option<Ns>, Mistakes> {
    let Some(text) = &args.back_fill else { return Ok(None) };
    let mut mistakes = Mistakes::default();
    let place = Place::named("--back-fill");
    if matches!(plan.load, Load::Open { .. }) {
        let what = "arrivals wait for no answer, so nothing was omitted that could be filled in";
        mistakes.add(
            &place,
            what,
            "leave it out: the (response) row counts from the planned start",
        );
    }
    let interval = text.parse::<Ns>();
    match &interval {
        Ok(time) if *time >= Ns(1_000) => {}
        Ok(_) => mistakes.add(&place, "an interval below 1us is none", "write a time such as 50ms"),
        Err(error) => mistakes.add(&place, error.to_string(), "write a time such as 50ms"),
    }
    mistakes.or(interval.ok())
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

/// What the level of a run is called: `u20` for users, `r300` for arrivals per second.
pub(super) fn level_label(plan: &Plan) -> String {
    match &plan.load {
        Load::Closed { users, .. } => format!("u{}", users.peak()),
        Load::Open { rate, .. } => format!("r{}", rate.peak()),
    }
}
