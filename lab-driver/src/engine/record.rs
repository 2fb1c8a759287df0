//! The result of a run, and of several: what is written, read back, merged, compared and shown.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::abort::Abort;
use super::breakpoint::Breakpoint;
use super::counters::TargetTruth;
use super::distribution::Distribution;
use super::health::GeneratorHealth;
use super::outcome::Failure;
use super::plan::Plan;
use super::prediction::RampAnalysis;
use super::segment_result::{Counts, ErrorTally, SegmentResult, Split};
use super::tick::Second;
use super::verdict::{ThresholdResult, Verdict};
use super::warning::Warning;

/// The version of the files that this program writes, and the only one it reads.
pub const SCHEMA: u32 = 1;

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// Version of this format.
    pub schema: u32,
    /// The program that ran it.
    pub tool: Tool,
    /// What the run is called in tables: `u10`, `r300`.
    pub label: String,
    /// Whether time was real.
    pub mode: Mode,
    /// When it started, RFC 3339 in UTC; the epoch in virtual time.
    pub started_at: String,
    /// The same instant on the monotonic clock, for joining with a log of the target; 0 in virtual time.
    pub started_monotonic_ns: u64,
    /// Where it ran.
    pub machine: Machine,
    /// What was asked for, with every default filled in.
    pub plan: Plan,
    /// What was measured: one entry for a plain run, one per step for a step load.
    pub segments: Vec<Segment>,
    /// What happened second by second, warm-up and drain included.
    pub series: Vec<Second>,
    /// Over the whole run, warm-up and drain included.
    pub totals: RunTotals,
    /// How the driver itself fared.
    pub generator: GeneratorHealth,
    /// What the target says of itself, if it is a target of the lab.
    pub target: Option<TargetTruth>,
    /// The thresholds with the values they were held against.
    pub thresholds: Vec<ThresholdResult>,
    /// What the reader of the numbers must know.
    pub warnings: Vec<Warning>,
    /// Pass, fail or invalid, and why.
    pub verdict: Verdict,
    /// The abort rule that ended the run before its time; none if none was broken.
    #[serde(default)]
    pub aborted: Option<Abort>,
    /// What a climb says of its target; none of other runs.
    #[serde(default)]
    pub breakpoint: Option<Breakpoint>,
    /// The run was ended from outside before its time.
    pub interrupted: bool,
}

/// The program that ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// The one that this is.
    pub fn this() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Whether time was real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Real requests in real time.
    Live,
    /// A model of the target in virtual time.
    Virtual,
}

/// The machine line: where a number was measured belongs to the number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Processor.
    pub cpu: String,
    /// Logical cores that this process may use.
    pub cores: u32,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Operating system and kernel.
    pub os: String,
    /// Load average over one minute when the run began.
    pub load_1m: f64,
}

impl Machine {
    /// More load than this per core, and others take the driver's time.
    const MUCH_LOAD: f64 = 1.5;

    /// None: what virtual time runs on.
    pub fn simulated() -> Self {
        Self { cpu: "virtual".to_owned(), ..Self::default() }
    }

    /// Whether so much else was at work when the run began that it may have been disturbed.
    pub fn is_busy(&self) -> bool {
        self.load_1m > Self::MUCH_LOAD * f64::from(self.cores)
    }
}

/// Counts over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunTotals {
    /// Iterations that the plan asked for, where it asks for a number (open and scheduled runs).
    pub planned: Option<u64>,
    /// Iterations begun.
    pub started: u64,
    /// Requests that ended, of any outcome.
    pub completed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Arrivals dropped.
    pub dropped: u64,
    /// Starts that were due before the end and never made.
    pub never_sent: u64,
    /// Connections made before the clock started.
    pub warm_connections: u64,
    /// How long making them took, µs.
    pub warm_up_us: u64,
    /// Connections made during the run.
    pub later_connections: u64,
    /// Requests sent again because a kept connection had been closed while idle.
    pub stale_retries: u64,
}

/// One measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    /// Its name; empty when the run has just one.
    pub name: String,
    /// Its start, seconds since the run's start.
    pub from_s: f64,
    /// Its end, seconds since the run's start.
    pub to_s: f64,
    /// One entry per task, in the plan's order.
    pub endpoints: Vec<Endpoint>,
    /// Dispatch lag (sent − ready) of all requests.
    pub dispatch_lag: Distribution,
    /// Hold-back (ready − intended) of all requests.
    pub hold_back: Distribution,
}

/// One endpoint in one window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Endpoint {
    /// The row's name.
    pub name: String,
    /// HTTP method.
    pub method: String,
    /// How many requests ended how.
    pub counts: Counts,
    /// The failures by kind.
    pub errors: Vec<ErrorEntry>,
    /// Response times of successes.
    pub successful: Distribution,
    /// Response times of failures that have one, and lower bounds of those that do not.
    pub unsuccessful: Distribution,
    /// Round-trip times, in runs where they differ from response times.
    pub round_trip: Option<Distribution>,
    /// Where response times went, by the target's `Server-Timing`; none in runs that did not ask for it.
    #[serde(default)]
    pub split: Option<Split>,
}

/// One kind of failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorEntry {
    /// What failed.
    pub failure: Failure,
    /// The same in words.
    pub message: String,
    /// How often.
    pub count: u64,
    /// First time it was seen, seconds since the run's start.
    pub first_s: f64,
    /// Last time it was seen, seconds since the run's start.
    pub last_s: f64,
}

/// The name of the row that holds all endpoints together.
pub const AGGREGATED: &str = "Aggregated";

impl Segment {
    /// From what the stripes recorded, already merged.
    pub fn new(name: String, result: SegmentResult, plan: &Plan) -> Self {
        let endpoints = plan.tasks.iter().zip(result.endpoints).map(|(task, recorded)| Endpoint {
            name: task.name.clone(),
            method: task.method.clone(),
            counts: recorded.counts,
            errors: recorded
                .errors
                .iter()
                .map(|(failure, tally)| ErrorEntry::new(*failure, *tally, failure.describe(task)))
                .collect(),
            successful: recorded.successful,
            unsuccessful: recorded.unsuccessful,
            round_trip: recorded.round_trip,
            split: (recorded.split.n > 0).then_some(recorded.split),
        });
        Self {
            name,
            from_s: result.window.from.as_secs_f64(),
            to_s: result.window.to.as_secs_f64(),
            endpoints: endpoints.collect(),
            dispatch_lag: result.dispatch_lag,
            hold_back: result.hold_back,
        }
    }

    /// How long the window lasted, seconds.
    pub fn length_s(&self) -> f64 {
        self.to_s - self.from_s
    }

    /// All endpoints merged to one.
    pub fn aggregated(&self) -> Endpoint {
        let mut all = Endpoint {
            name: AGGREGATED.to_owned(),
            method: String::new(),
            counts: Counts::default(),
            errors: Vec::new(),
            successful: Distribution::default(),
            unsuccessful: Distribution::default(),
            round_trip: None,
            split: None,
        };
        for endpoint in &self.endpoints {
            all.counts.merge(&endpoint.counts);
            if let Some(split) = &endpoint.split {
                all.split.get_or_insert_default().merge(split);
            }
            all.errors.extend(endpoint.errors.iter().cloned());
            all.successful = all.successful.merged(&endpoint.successful);
            all.unsuccessful = all.unsuccessful.merged(&endpoint.unsuccessful);
            if let Some(round_trip) = &endpoint.round_trip {
                all.round_trip = Some(all.round_trip.unwrap_or_default().merged(round_trip));
            }
        }
        all
    }

    /// The endpoint of this name, or all of them for [`AGGREGATED`].
    pub fn endpoint(&self, name: &str) -> Option<Endpoint> {
        if name == AGGREGATED {
            return Some(self.aggregated());
        }
        self.endpoints.iter().find(|endpoint| endpoint.name == name).cloned()
    }
}

impl Endpoint {
    /// Response times whatever the outcome.
    pub fn response(&self) -> Distribution {
        self.successful.clone().merged(&self.unsuccessful)
    }

    /// Failed share of the requests that ended; none when there were none.
    pub fn failed_share(&self) -> Option<f64> {
        (self.counts.ended > 0).then(|| self.counts.failed as f64 / self.counts.ended as f64)
    }
}

impl ErrorEntry {
    fn new(failure: Failure, tally: ErrorTally, message: String) -> Self {
        Self {
            failure,
            message,
            count: tally.count,
            first_s: tally.first.as_secs_f64(),
            last_s: tally.last.as_secs_f64(),
        }
    }
}

/// Several runs that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSet {
    /// Version of this format.
    pub schema: u32,
    /// What makes them a set.
    pub kind: SetKind,
    /// The runs, in order.
    pub runs: Vec<RunRecord>,
    /// What the runs of a ramp show together.
    pub analysis: Option<RampAnalysis>,
    /// The gravest verdict among the runs.
    pub verdict: Verdict,
    /// Free facts about the set, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
}

/// What makes runs a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetKind {
    /// One run per number of users.
    RampByUsers,
    /// One run per arrival rate.
    RampByRate,
    /// The same run several times.
    Passes,
}
