//! `loop`: one user on an absolute schedule, and its requests by two clocks.

use clap::builder::BoolishValueParser;

use super::flags::{DriverFlags, ResultFlags};
use super::outputs::{self, RunFiles};
use super::session::{Session, fresh_seed};
use super::{Exit, Refusal};
use crate::engine::claim::Stat;
use crate::engine::pace::Pace;
use crate::engine::quantity::Rate;
use crate::engine::record::RunRecord;
use crate::engine::rows::clocks;
use crate::engine::time::Ns;
use crate::render::pace;
use crate::scenario::{self, Mistakes, Overrides, Place, StageText};
use crate::sim::targets;

/// One loop that sends on a schedule, measured from sending and from the planned start.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lab-driver loop --rate 20 --total 600 --virtual --model freeze=2s/10s
  lab-driver loop --rate 20 --total 600 http://127.0.0.1:8080/api/products")]
pub(super) struct Args {
    /// Send GET requests to this URL
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Scenario whose requests are sent: a built-in name or a TOML file (products)
    #[arg(
        short = 'f',
        long,
        env = "LAB_SCENARIO",
        value_name = "NAME|FILE",
        help_heading = "Load"
    )]
    scenario: Option<String>,
    /// Planned starts per second: 20, 20/s, 90/m
    #[arg(
        short = 'R',
        long,
        env = "LAB_RATE",
        value_name = "RATE",
        default_value = "20",
        help_heading = "Load"
    )]
    rate: String,
    /// How many starts are planned; all are sent, however late
    #[arg(long, env = "LAB_TOTAL", value_name = "N", default_value = "600", help_heading = "Load")]
    total: String,
    /// Where requests go, instead of the scenario's host
    #[arg(short = 'H', long, env = "LAB_HOST", value_name = "URL", help_heading = "Load")]
    host: Option<String>,
    /// From which all random numbers follow; printed by every run
    #[arg(long, env = "LAB_SEED", value_name = "N", help_heading = "Load")]
    seed: Option<String>,
    /// Fail unless this holds: 'p(99)<300', 'rtt:p(99)<60'; may be repeated
    #[arg(long, env = "LAB_THRESHOLD", value_name = "THRESHOLD", help_heading = "Load")]
    threshold: Vec<String>,
    /// Run in virtual time, against a model of the target: no server, no waiting
    #[arg(long = "virtual", env = "LAB_VIRTUAL", value_parser = BoolishValueParser::new(), help_heading = "Load")]
    virtual_time: bool,
    /// A knob of the modelled target: freeze=2s/10s; may be repeated
    #[arg(long, env = "LAB_MODEL", value_name = "KNOB=VALUE", help_heading = "Load")]
    model: Vec<String>,
    /// Show the back-fill of HDR histograms for the naive clock as a third row: an estimate
    #[arg(long, env = "LAB_BACK_FILL", value_parser = BoolishValueParser::new(), help_heading = "Results")]
    back_fill: bool,
    #[command(flatten)]
    driver: DriverFlags,
    #[command(flatten)]
    results: ResultFlags,
}

/// How long what is owed at the planned end may take: the loop catches up, but not forever.
const CATCH_UP: &str = "60s:0";
const MOST: u64 = 1_000_000;

pub(super) fn run(args: &Args) -> Result<Exit, Refusal> {
    let mut mistakes = Mistakes::default();
    let statistics = args.results.statistics_or(usual(), &mut mistakes);
    let grid = grid(args, &mut mistakes);
    let loaded = scenario::load(&overrides(args, grid), fresh_seed(), &targets::check);
    let loaded = mistakes.beside(loaded)?;
    let session = Session::open(&loaded, args.virtual_time, &args.driver, args.results.quiet)?;
    let label = format!("loop{}", args.rate.trim().replace('/', "-"));
    let json = Vec::from_iter(args.results.json.clone());
    let files = RunFiles::with_folder(args.results.out.as_ref(), &label, Vec::new(), json)?;
    let record = session.run(&loaded.plan, &label)?;
    print(&record, &statistics, grid.0, args);
    Ok(outputs::conclude(record, files, None, &args.results))
}

fn usual() -> Vec<(String, Stat)> {
    let named = |(heading, name): (&str, &str)| {
        (heading.to_owned(), name.parse().expect("the name of a statistic"))
    };
    [("p50", "p(50)"), ("p90", "p(90)"), ("p99", "p(99)"), ("max", "max")].map(named).into()
}

/// From one planned start to the next, and the time of all of them.
fn grid(args: &Args, mistakes: &mut Mistakes) -> (Ns, Ns) {
    let mut refuse = |flag: &str, what: String, remedy: &str| {
        mistakes.add(&Place::named(flag), what, remedy);
    };
    let rate = match args.rate.parse::<Rate>() {
        Ok(rate) if rate.per_second() > 0.0 => rate.per_second(),
        Ok(_) => {
            refuse("--rate", "a rate of 0 starts nothing".to_owned(), "write 20/s or 90/m");
            1.0
        }
        Err(error) => {
            refuse("--rate", error.to_string(), "write 20/s or 90/m");
            1.0
        }
    };
    let total = match args.total.trim().parse() {
        Ok(total) if (1..=MOST).contains(&total) => total,
        _ => {
            let what = format!("{:?} is no number of starts", args.total);
            refuse("--total", what, "write a whole number from 1 to 1000000");
            1
        }
    };
    let period = Ns::from_secs_f64(1.0 / rate);
    (period, Ns(period.0.saturating_mul(total)))
}

/// The loop as a scenario: one user on a schedule, who is there for the planned time and then only catches up.
fn overrides(args: &Args, (period, planned): (Ns, Ns)) -> Overrides {
    let scenario = args.scenario.clone();
    Overrides {
        scenario: scenario.or_else(|| args.url.is_none().then(|| "products".to_owned())),
        url: args.url.clone(),
        host: args.host.clone(),
        users: Some("1".to_owned()),
        wait: Some(format!("schedule {period}")),
        stages: vec![StageText::Hold(format!("{planned}:1")), StageText::Hold(CATCH_UP.to_owned())],
        seed: args.seed.clone(),
        thresholds: args.threshold.clone(),
        model: args.model.clone(),
        ..Overrides::default()
    }
}

fn print(record: &RunRecord, statistics: &[(String, Stat)], period: Ns, args: &Args) {
    let headings: Vec<String> = statistics.iter().map(|(heading, _)| heading.clone()).collect();
    let back_fill = args.back_fill.then_some(period);
    let rows = clocks(record, statistics, back_fill);
    outputs::to_table(&args.results, |out| {
        pace::write_clocks(&headings, &rows, out)?;
        let time = if args.virtual_time { ", in virtual time" } else { "" };
        writeln!(
            out,
            "Times in ms{time}: the same requests by two clocks, one start every {period}."
        )?;
        if let Some(pace) = Pace::of(record) {
            pace::write_counts(&pace, out)?;
        }
        if let Some(interval) = back_fill {
            pace::write_back_fill(interval, out)?;
        }
        outputs::write_circumstances(record, out)
    });
}
