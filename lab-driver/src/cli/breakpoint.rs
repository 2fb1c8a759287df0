//! `breakpoint`: arrivals that climb until a rule breaks, and what that says of the target.

use clap::ArgMatches;

use super::flags::{DriverFlags, LoadFlags, ResultFlags};
use super::outputs::{self, RunFiles};
use super::session::{Session, fresh_seed};
use super::{Exit, Refusal};
use crate::engine::judge;
use crate::engine::quantity::Rate;
use crate::engine::rows::Show;
use crate::engine::time::Ns;
use crate::render::breakpoint;
use crate::scenario::{self, Loaded, Mistakes, Overrides, Place, StageText, csv_stem};
use crate::sim::breakpoint::analyse;
use crate::sim::targets;

/// What breaks a climb unless the command says otherwise.
const RULE: &str = "p(95)<100 over 5s after 10s";

/// Arrivals that climb until a rule breaks: where they stopped, the knee apart from it, and what was full.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The rule is --abort-unless; without one it is 'p(95)<100 over 5s after 10s': a window of 5 s, because a
percentile of the whole run remembers its fast beginning and breaks too late. Climb slowly: within the
window the rate goes on rising. That the rule breaks is what was asked for, and fails nothing.

Examples:
  lab-driver breakpoint --from 50 --to 600 --over 2m http://127.0.0.1:8080/api/products
  lab-driver breakpoint --from 5 --to 40 --over 5m http://127.0.0.1:8000/report --abort-unless 'p(95)<300 over 5s'
  lab-driver breakpoint --from 5 --to 90 --over 5m -f reports.toml --virtual --model report_pool=4")]
pub(super) struct Args {
    /// Send GET requests to this URL; the row is named by its path
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Arrivals per second at the start: 50, 50/s, 30/m
    #[arg(long, env = "LAB_FROM", value_name = "RATE", help_heading = "Load")]
    from: String,
    /// Arrivals per second at the end, if nothing breaks before
    #[arg(long, env = "LAB_TO", value_name = "RATE", help_heading = "Load")]
    to: String,
    /// How long the climb takes
    #[arg(
        long,
        env = "LAB_OVER",
        value_name = "TIME",
        default_value = "2m",
        help_heading = "Load"
    )]
    over: String,
    #[command(flatten)]
    load: LoadFlags,
    #[command(flatten)]
    driver: DriverFlags,
    #[command(flatten)]
    results: ResultFlags,
}

pub(super) fn run(args: &Args, order: Option<&ArgMatches>) -> Result<Exit, Refusal> {
    let mut mistakes = Mistakes::default();
    let statistics = args.results.statistics(&mut mistakes);
    let loaded = plan(args, order, mistakes)?;
    let session = Session::open(&loaded, args.load.virtual_time, &args.driver, args.results.quiet)?;
    let files = open_files(args, &loaded)?;
    let mut record = session.run(&loaded.plan, "climb")?;
    judge::judge_climb(&mut record);
    record.breakpoint = analyse(&record);
    outputs::print_table(&[&record], Show::All, &statistics, &args.results);
    if let Some(found) = &record.breakpoint {
        outputs::to_table(&args.results, |out| {
            writeln!(out)?;
            breakpoint::write(&record, found, out)?;
            writeln!(out)
        });
    }
    outputs::print_details(&record, &args.results);
    Ok(outputs::conclude(record, files, None, &args.results))
}

/// The plan of the climb; all mistakes at once.
fn plan(
    args: &Args,
    order: Option<&ArgMatches>,
    mut mistakes: Mistakes,
) -> Result<Loaded, Mistakes> {
    let mut overrides = args.load.overrides(order);
    overrides.url.clone_from(&args.url);
    refuse_other_loads(&overrides, &mut mistakes);
    // What cannot be read is noted and stands in as something harmless, so that the rest is checked too.
    let from = rate("--from", &args.from, &mut mistakes).unwrap_or(1.0);
    let to = rate("--to", &args.to, &mut mistakes).unwrap_or(from + 1.0);
    let mut over = args.over.trim();
    if let Err(error) = over.parse::<Ns>() {
        mistakes.add(&Place::named("--over"), error.to_string(), "write a time such as 2m");
        over = "2m";
    }
    if from >= to {
        let what = format!("{to}/s is no climb from {from}/s");
        mistakes.add(&Place::named("--to"), what, "end above --from");
    }
    overrides.rate = Some(format!("{from}/s"));
    overrides.stages = vec![StageText::Ramp(format!("{over}:{to}/s"))];
    if overrides.aborts.is_empty() {
        overrides.aborts.push(RULE.to_owned());
    }
    mistakes.beside(scenario::load(&overrides, fresh_seed(), &targets::check))
}

/// A rate above zero, per second.
fn rate(flag: &str, text: &str, mistakes: &mut Mistakes) -> Option<f64> {
    let wrong = match text.trim().parse::<Rate>() {
        Ok(rate) if rate.per_second() > 0.0 => return Some(rate.per_second()),
        Ok(_) => "nothing arrives at a rate of 0".to_owned(),
        Err(error) => error.to_string(),
    };
    mistakes.add(&Place::named(flag), wrong, "write a rate such as 50, 50/s or 30/m");
    None
}

/// The climb is the load: whatever else would set one is refused.
fn refuse_other_loads(overrides: &Overrides, mistakes: &mut Mistakes) {
    let given = [
        ("--run-time", overrides.run_time.is_some()),
        ("--spawn-rate", overrides.spawn_rate.is_some()),
        ("--stage or --hold", !overrides.stages.is_empty()),
    ];
    for (flag, _) in given.iter().filter(|(_, is_given)| *is_given) {
        let remedy = "leave it out: --from, --to and --over say how the arrivals climb";
        mistakes.add(&Place::named(flag), "a breakpoint is a load of its own", remedy);
    }
}

fn open_files(args: &Args, loaded: &Loaded) -> Result<RunFiles, Refusal> {
    let name = args.load.scenario_name().unwrap_or(&loaded.plan.name);
    let stem = format!("{}-breakpoint", csv_stem(name));
    let json = Vec::from_iter(args.results.json.clone());
    RunFiles::with_folder(args.results.out.as_ref(), &stem, Vec::new(), json)
}
