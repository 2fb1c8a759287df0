//! Flags that several commands share: who sends what and when, and where results go.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgMatches, Args, ValueEnum};

use crate::engine::claim::Stat;
use crate::engine::rows::usual_statistics;
use crate::scenario::{Mistakes, Overrides, Place, StageText};

/// What is sent, and when.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Load")]
pub(super) struct LoadFlags {
    /// Scenario: a built-in name (api, api-nowait, api-gate, api-slow, api-budgets, products, products-think), the lesson's file name, or a TOML file
    #[arg(short = 'f', long, env = "LAB_SCENARIO", value_name = "NAME|FILE")]
    scenario: Option<String>,
    /// Where requests go, instead of the scenario's host
    #[arg(short = 'H', long, env = "LAB_HOST", value_name = "URL")]
    host: Option<String>,
    /// Users started per second; without it all start at once
    #[arg(short = 'r', long, env = "LAB_SPAWN_RATE", value_name = "PER_SECOND")]
    spawn_rate: Option<String>,
    /// How long starts go on: 30s, 1m30s; a bare number is seconds
    #[arg(
        short = 't',
        long,
        visible_alias = "duration",
        env = "LAB_RUN_TIME",
        value_name = "TIME"
    )]
    run_time: Option<String>,
    /// How arrivals are spaced: uniform or poisson
    #[arg(long, env = "LAB_ARRIVALS", value_name = "KIND")]
    arrivals: Option<String>,
    /// Go to this level in a straight line: 30s:100; may be repeated, in order with --hold
    #[arg(long, env = "LAB_STAGE", value_name = "TIME:LEVEL")]
    stage: Vec<String>,
    /// Be at this level at once and stay: 60s:25; may be repeated, in order with --stage
    #[arg(long, env = "LAB_HOLD", value_name = "TIME:LEVEL")]
    hold: Vec<String>,
    /// Most requests in flight at once, in an open load
    #[arg(long, env = "LAB_MAX_IN_FLIGHT", value_name = "N")]
    max_in_flight: Option<String>,
    /// What becomes of an arrival beyond that: queue (waits in the driver) or drop (counted)
    #[arg(long, env = "LAB_OVERFLOW", value_name = "KIND")]
    overflow: Option<String>,
    /// Think time: 500ms, 1s..3s, 'exp 2s', 'pacing 2s', 'throughput 10/s', 'schedule 50ms'
    #[arg(long, env = "LAB_WAIT", value_name = "WAIT")]
    wait: Option<String>,
    /// Leave this much of the beginning out of the numbers
    #[arg(long, visible_alias = "skip", env = "LAB_WARM_UP", value_name = "TIME")]
    warm_up: Option<String>,
    /// A request without an answer after this long has failed (60s)
    #[arg(long, env = "LAB_TIMEOUT", value_name = "TIME")]
    timeout: Option<String>,
    /// How long requests in flight are waited for at the end (30s)
    #[arg(short = 's', long, env = "LAB_STOP_TIMEOUT", value_name = "TIME")]
    stop_timeout: Option<String>,
    /// From which all random numbers follow; printed by every run
    #[arg(long, env = "LAB_SEED", value_name = "N")]
    seed: Option<String>,
    /// Fail unless this holds: 'p(95)<300', '/items:p(99)<500ms', 'failed<1%'; may be repeated
    #[arg(long, env = "LAB_THRESHOLD", value_name = "THRESHOLD")]
    threshold: Vec<String>,
    /// End the run, and fail it, as soon as this does not hold: 'p(95)<100 over 5s after 10s', '/items:failed<5% over 10s'; `over` is a sliding window (all of the run without it), `after` leaves the beginning unjudged; may be repeated
    #[arg(long, env = "LAB_ABORT_UNLESS", value_name = "THRESHOLD")]
    pub(super) abort_unless: Vec<String>,
    /// Fail unless this endpoint's p95 is within: '/report=150ms', or '300ms' for all together; may be repeated
    #[arg(long, env = "LAB_BUDGET", value_name = "[ENDPOINT=]TIME")]
    budget: Vec<String>,
    /// Count slower answers as failed: '/report=1s'; may be repeated
    #[arg(long, env = "LAB_FAIL_SLOWER", value_name = "[ENDPOINT=]TIME")]
    fail_slower: Vec<String>,
    /// Run in virtual time, against a model of the target: no server, no waiting
    #[arg(long = "virtual", env = "LAB_VIRTUAL", value_parser = BoolishValueParser::new())]
    pub(super) virtual_time: bool,
    /// A knob of the modelled target: report-pool=4, freeze=2s/10s; may be repeated
    #[arg(long, env = "LAB_MODEL", value_name = "KNOB=VALUE")]
    model: Vec<String>,
}

/// How the driver itself works.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Driver")]
pub(super) struct DriverFlags {
    /// Dispatcher threads; by default all cores but one, which the target needs
    #[arg(long, env = "LAB_THREADS", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) threads: Option<u32>,
    /// The target's admin port, where it is not the data port plus 10000
    #[arg(long, env = "LAB_ADMIN", value_name = "ADDRESS")]
    pub(super) admin: Option<SocketAddr>,
    /// Leave the target's counters and caches as they are
    #[arg(long, env = "LAB_NO_RESET", value_parser = BoolishValueParser::new())]
    pub(super) no_reset: bool,
    /// Send to another host than this one: only with its owner's permission
    #[arg(long, env = "LAB_I_HAVE_PERMISSION", value_parser = BoolishValueParser::new())]
    pub(super) i_have_permission: bool,
}

impl DriverFlags {
    /// Against a server of the command's own, which tells about itself at `admin`.
    pub(super) fn for_own_server(admin: SocketAddr, threads: Option<u32>) -> Self {
        Self { threads, admin: Some(admin), no_reset: false, i_have_permission: false }
    }
}

/// Where results go, and how.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Results")]
pub(super) struct ResultFlags {
    /// Write the result as JSON to this file
    #[arg(long, env = "LAB_JSON", value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write Locust's CSV files and a JSON record for each run into this folder, named as the lesson names them
    #[arg(long, env = "LAB_OUT", value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Where the table goes
    #[arg(long, env = "LAB_TABLE", value_enum, default_value = "stdout")]
    pub(super) table: TablePlace,
    /// The table's statistics: avg,min,med,max,p(90),p(99.9)
    #[arg(long, env = "LAB_SUMMARY_TREND_STATS", value_name = "LIST")]
    summary_trend_stats: Option<String>,
    /// Exit with this code instead of 1 when a threshold does not hold
    #[arg(
        long,
        env = "LAB_EXIT_CODE_ON_THRESHOLD",
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(1..)
    )]
    pub(super) exit_code_on_threshold: Option<u8>,
    /// No progress line
    #[arg(short, long, env = "LAB_QUIET", value_parser = BoolishValueParser::new())]
    pub(super) quiet: bool,
    /// Accepted for Locust's users: there is no other mode
    #[arg(long, hide = true)]
    headless: bool,
    /// Accepted for Locust's users: there is nothing else to print
    #[arg(long, hide = true)]
    only_summary: bool,
    /// Accepted for Locust's users
    #[arg(short = 'L', long, hide = true, value_name = "LEVEL")]
    loglevel: Option<String>,
}

/// Where the table goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TablePlace {
    /// Standard output, above the verdict
    Stdout,
    /// Standard error, so that 2>/dev/null leaves the verdict
    Stderr,
    /// Nowhere
    None,
}

impl LoadFlags {
    /// The scenario as the user named it.
    pub(super) fn scenario_name(&self) -> Option<&str> {
        self.scenario.as_deref()
    }

    /// The flags as the scenario reads them. `order` knows which of --stage and --hold came first.
    pub(super) fn overrides(&self, order: Option<&ArgMatches>) -> Overrides {
        Overrides {
            scenario: self.scenario.clone(),
            host: self.host.clone(),
            spawn_rate: self.spawn_rate.clone(),
            run_time: self.run_time.clone(),
            arrivals: self.arrivals.clone(),
            stages: self.stages(order),
            max_in_flight: self.max_in_flight.clone(),
            overflow: self.overflow.clone(),
            wait: self.wait.clone(),
            warm_up: self.warm_up.clone(),
            timeout: self.timeout.clone(),
            stop_timeout: self.stop_timeout.clone(),
            seed: self.seed.clone(),
            thresholds: self.threshold.clone(),
            aborts: self.abort_unless.clone(),
            budgets: self.budget.clone(),
            fail_slower: self.fail_slower.clone(),
            model: self.model.clone(),
            ..Overrides::default()
        }
    }

    fn stages(&self, order: Option<&ArgMatches>) -> Vec<StageText> {
        let indices = |flag: &str| -> Vec<usize> {
            order.and_then(|matches| matches.indices_of(flag)).map_or(Vec::new(), Iterator::collect)
        };
        let ramps =
            indices("stage").into_iter().zip(self.stage.iter().cloned().map(StageText::Ramp));
        let holds = indices("hold").into_iter().zip(self.hold.iter().cloned().map(StageText::Hold));
        let mut all: Vec<(usize, StageText)> = ramps.chain(holds).collect();
        all.sort_by_key(|(index, _)| *index);
        all.into_iter().map(|(_, stage)| stage).collect()
    }
}

impl ResultFlags {
    /// The table's statistics with their headings.
    pub(super) fn statistics(&self, mistakes: &mut Mistakes) -> Vec<(String, Stat)> {
        self.statistics_or(usual_statistics(), mistakes)
    }

    /// The same where a table has other statistics unless asked.
    pub(super) fn statistics_or(
        &self,
        usual: Vec<(String, Stat)>,
        mistakes: &mut Mistakes,
    ) -> Vec<(String, Stat)> {
        let Some(list) = &self.summary_trend_stats else { return usual };
        let read = |name: &str| match name.trim().parse::<Stat>() {
            Ok(stat) => Ok((heading(name.trim()), stat)),
            Err(_) => Err(name.trim().to_owned()),
        };
        let (good, bad): (Vec<_>, Vec<_>) = list.split(',').map(read).partition(Result::is_ok);
        for name in bad.into_iter().filter_map(Result::err) {
            mistakes.add(
                &Place::named("--summary-trend-stats"),
                format!("{name:?} is not a statistic"),
                "there are avg, min, med, max and p(N), such as p(99.9)",
            );
        }
        good.into_iter().flatten().collect()
    }
}

/// `p(95)` heads its column as `p95`.
fn heading(name: &str) -> String {
    name.replace(['(', ')'], "")
}
