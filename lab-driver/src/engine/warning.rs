//! Warnings: what the reader of the numbers must know, each with advice.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that changes what the numbers mean, but not the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Warning {
    /// Arrivals were dropped at the in-flight limit.
    Dropped {
        /// How many.
        count: u64,
        /// The in-flight limit.
        limit: u32,
    },
    /// Planned starts were never made.
    NeverSent {
        /// How many.
        count: u64,
    },
    /// The start rate stayed below the arrival rate.
    RateNotMet {
        /// Planned per second.
        asked: f64,
        /// Made per second.
        made: f64,
    },
    /// A percentile rests on too few samples.
    FewSamples {
        /// The endpoint.
        endpoint: String,
        /// How many it has.
        count: u64,
    },
    /// Failures came back faster than successes, or everything failed.
    ErrorsAreFast {
        /// Median of the failures, µs; none when they have no response time.
        failed_p50_us: Option<u64>,
        /// Median of the successes, µs; none when there are none.
        successful_p50_us: Option<u64>,
        /// Failed share.
        share: f64,
    },
    /// Built without optimisation.
    DebugBuild,
    /// The machine was busy with other things when the run began.
    BusyMachine {
        /// Load average over one minute.
        load_1m: f64,
        /// Its cores.
        cores: u32,
    },
    /// The target's counters could not be read.
    TargetSilent {
        /// Why.
        reason: String,
    },
    /// The run ended before its time.
    Interrupted {
        /// When, seconds since the run's start.
        at_s: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dropped { count, limit } => write!(
                f,
                "{count} arrivals were dropped because {limit} requests were already in flight: \
                 every percentile is a lower bound; raise --max-in-flight, or take it as the finding",
            ),
            Self::NeverSent { count } => write!(
                f,
                "{count} planned requests were never sent: they waited in the driver when the run ended, \
                 and no percentile knows how long they would have taken",
            ),
            Self::RateNotMet { asked, made } => write!(
                f,
                "asked for {asked:.1} starts per second, made {made:.1}: \
                 do not report this run as having handled {asked:.0}/s",
            ),
            Self::FewSamples { endpoint, count } => write!(
                f,
                "{endpoint} has {count} requests: below 100 its p99 is its maximum; run longer to say more",
            ),
            Self::ErrorsAreFast { failed_p50_us, successful_p50_us, share } => {
                errors_are_fast(f, *failed_p50_us, *successful_p50_us, *share)
            }
            Self::DebugBuild => write!(
                f,
                "this is a debug build: its own delays are in the numbers; build with --release to measure",
            ),
            Self::BusyMachine { load_1m, cores } => write!(
                f,
                "the load average was {load_1m:.1} on {cores} cores when the run began: \
                 close what else is running, or expect noise",
            ),
            Self::TargetSilent { reason } => write!(
                f,
                "the target's own counters are missing ({reason}): which resource was full is not known",
            ),
            Self::Interrupted { at_s } => {
                write!(f, "the run was ended at {at_s:.1} s: the numbers cover what ran until then")
            }
        }
    }
}

fn errors_are_fast(
    f: &mut fmt::Formatter<'_>,
    failed: Option<u64>,
    successful: Option<u64>,
    share: f64,
) -> fmt::Result {
    let ms = |us: u64| us as f64 / 1_000.0;
    write!(f, "errors are fast: ")?;
    match (failed, successful) {
        (Some(failed), Some(successful)) => write!(
            f,
            "failures took {:.1} ms at the median and successes {:.1} ms, so {:.1} % failures make \
             the latency look better; read the successful requests",
            ms(failed),
            ms(successful),
            share * 100.0,
        ),
        (Some(failed), None) => write!(
            f,
            "every request failed, in {:.1} ms at the median; that is the speed of refusing work, not of doing it",
            ms(failed),
        ),
        (None, _) => {
            write!(f, "every request failed without a response, so there is no latency to read")
        }
    }
}
