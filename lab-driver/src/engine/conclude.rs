//! Concludes a run: from what a driver hands over to the record with its verdict.

use super::abort::Abort;
use super::counters::TargetTruth;
use super::dispatch::{StripeResult, Tally};
use super::distribution::Distribution;
use super::health::GeneratorHealth;
use super::judge;
use super::pace;
use super::plan::{Arrivals, Load, Plan, Think};
use super::reading::{FAILED_SHARE_WORTH_A_ROW, View};
use super::record::{
    AGGREGATED, ErrorEntry, Machine, Mode, RunRecord, RunTotals, SCHEMA, Segment, Tool,
};
use super::tick::Second;
use super::time::Ns;
use super::verdict::Verdict;
use super::warning::Warning;
use super::whole;

/// What a driver, live or virtual, hands over when its run has ended.
#[derive(Debug)]
pub struct Ended {
    /// What all stripes recorded, merged.
    pub result: StripeResult,
    /// Second by second.
    pub series: Vec<Second>,
    /// What the target said of itself, or why nothing is known.
    pub target: Result<TargetTruth, String>,
    /// When the last request ended.
    pub at: Ns,
    /// When starts were stopped from outside, if they were.
    pub interrupted: Option<Ns>,
    /// The rule that ended it, if one did.
    pub aborted: Option<Abort>,
    /// Connections made before the clock started, and how long that took.
    pub warm: (u64, Ns),
    /// Connections made later.
    pub later_connections: u64,
    /// Requests sent again because a kept connection had been closed while idle.
    pub stale_retries: u64,
    /// How many dispatchers shared the schedule.
    pub dispatchers: u32,
    /// Cores that they could use.
    pub cores: f64,
}

/// What a record says besides the numbers.
#[derive(Clone, Debug)]
pub struct Context {
    /// The program.
    pub tool: Tool,
    /// What the run is called in tables.
    pub label: String,
    /// Whether time was real.
    pub mode: Mode,
    /// When it started, RFC 3339.
    pub started_at: String,
    /// The same on the monotonic clock.
    pub started_monotonic_ns: u64,
    /// Where it ran.
    pub machine: Machine,
    /// Whether the program was built without optimisation.
    pub debug_build: bool,
}

impl Context {
    /// Of a run in virtual time, which is the same whenever and wherever it is made.
    pub fn simulated(label: &str) -> Self {
        Self {
            tool: Tool::this(),
            label: label.to_owned(),
            mode: Mode::Virtual,
            started_at: "1970-01-01T00:00:00Z".to_owned(),
            started_monotonic_ns: 0,
            machine: Machine::simulated(),
            debug_build: cfg!(debug_assertions),
        }
    }
}

/// The record of a run of `plan`.
pub fn conclude(plan: Plan, ended: Ended, context: Context) -> RunRecord {
    let segments: Vec<Segment> = ended
        .result
        .segments
        .into_iter()
        .map(|result| Segment::new(String::new(), result, &plan))
        .collect();
    let tally = ended.result.tally;
    let totals = RunTotals {
        planned: planned(&plan, &tally),
        started: tally.started,
        completed: tally.completed,
        failed: tally.failed,
        dropped: tally.dropped,
        never_sent: tally.never_sent,
        warm_connections: ended.warm.0,
        warm_up_us: ended.warm.1.as_micros(),
        later_connections: ended.later_connections,
        stale_retries: ended.stale_retries,
    };
    let (lag, response) = merged(&segments);
    let generator =
        GeneratorHealth::judge(&lag, &response, &ended.series, ended.cores, ended.dispatchers);
    let (target, silence) = match ended.target {
        Ok(truth) => (Some(truth), None),
        Err(reason) => (None, Some(reason)),
    };
    let mut record = RunRecord {
        schema: SCHEMA,
        tool: context.tool,
        label: context.label,
        mode: context.mode,
        started_at: context.started_at,
        started_monotonic_ns: context.started_monotonic_ns,
        machine: context.machine,
        plan,
        segments,
        series: ended.series,
        totals,
        generator,
        target,
        thresholds: Vec::new(),
        warnings: Vec::new(),
        verdict: Verdict::pass(),
        aborted: ended.aborted,
        breakpoint: None,
        interrupted: ended.interrupted.is_some(),
    };
    record.warnings = warnings(&record, silence, context.debug_build);
    record
        .warnings
        .extend(ended.interrupted.map(|at| Warning::Interrupted { at_s: at.as_secs_f64() }));
    judge::judge(&mut record);
    record
}

/// How many starts the plan asks for, where it asks for a number. Poisson arrivals have no planned number, only
/// the one that came.
fn planned(plan: &Plan, tally: &Tally) -> Option<u64> {
    // The first one comes at the very start, so an integral of 6000 brings the starts 0 to 5999.
    let on_a_grid = |integral: f64| Some(whole::up(integral - 1e-9));
    match &plan.load {
        Load::Open { arrivals: Arrivals::Poisson, .. } => {
            Some(tally.started + tally.dropped + tally.never_sent)
        }
        Load::Open { rate, .. } => on_a_grid(rate.integral(plan.duration)),
        Load::Closed { users, think: Think::Schedule { period } } => {
            on_a_grid(users.integral(plan.duration) / period.as_secs_f64())
        }
        Load::Closed { .. } => None,
    }
}

fn merged(segments: &[Segment]) -> (Distribution, Distribution) {
    segments.iter().fold(Default::default(), |(lag, response), segment| {
        (lag.merged(&segment.dispatch_lag), response.merged(&segment.aggregated().response()))
    })
}

fn warnings(record: &RunRecord, silence: Option<String>, debug_build: bool) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if record.mode == Mode::Live {
        if debug_build {
            warnings.push(Warning::DebugBuild);
        }
        let Machine { load_1m, cores, .. } = record.machine;
        if record.machine.is_busy() {
            warnings.push(Warning::BusyMachine { load_1m, cores });
        }
        // Only a target of the lab is expected to tell the truth about itself.
        let expected = silence.filter(|_| record.plan.model.is_some());
        warnings.extend(expected.map(|reason| Warning::TargetSilent { reason }));
    }
    warnings.extend(schedule_warnings(record));
    for segment in &record.segments {
        warnings.extend(few_samples(segment));
        warnings.extend(errors_are_fast(segment));
    }
    warnings
}

fn schedule_warnings(record: &RunRecord) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let totals = &record.totals;
    if let (true, Load::Open { max_in_flight, .. }) = (totals.dropped > 0, &record.plan.load) {
        warnings.push(Warning::Dropped { count: totals.dropped, limit: *max_in_flight });
    }
    let seconds = pace::planned_for(&record.plan, record.plan.duration).as_secs_f64();
    let is_whole = !record.interrupted && record.aborted.is_none();
    if let (Some(planned), true) = (totals.planned, is_whole) {
        if totals.never_sent > 0 {
            warnings.push(Warning::NeverSent { count: totals.never_sent });
        }
        if seconds > 0.0 && (totals.started as f64) < planned as f64 * 0.99 {
            let (asked, made) = (planned as f64 / seconds, totals.started as f64 / seconds);
            warnings.push(Warning::RateNotMet { asked, made });
        }
    }
    warnings
}

fn few_samples(segment: &Segment) -> Vec<Warning> {
    let few = segment.endpoints.iter().filter(|endpoint| (1..100).contains(&endpoint.counts.ended));
    few.map(|one| Warning::FewSamples { endpoint: one.name.clone(), count: one.counts.ended })
        .collect()
}

/// Refusals that come back faster than answers, or instead of all of them. Slow answers, time-outs and requests cut
/// off are failures too, but nobody takes them for speed.
fn errors_are_fast(segment: &Segment) -> Option<Warning> {
    let view = View::of(segment, AGGREGATED)?;
    let endpoint = view.endpoint();
    let is_refusal =
        |entry: &&ErrorEntry| !entry.failure.was_served() && !entry.failure.is_censored();
    let refusals: u64 = endpoint.errors.iter().filter(is_refusal).map(|entry| entry.count).sum();
    let share = refusals as f64 / endpoint.counts.ended.max(1) as f64;
    if share <= FAILED_SHARE_WORTH_A_ROW {
        return None;
    }
    let median = |times: &Distribution| times.percentile(50.0).map(|read| read.us);
    let failed_p50_us = median(&endpoint.unsuccessful);
    let successful_p50_us = median(&endpoint.successful);
    let all_failed = successful_p50_us.is_none();
    let faster =
        failed_p50_us.is_some_and(|failed| successful_p50_us.is_some_and(|good| failed < good));
    (all_failed || faster).then_some(Warning::ErrorsAreFast {
        failed_p50_us,
        successful_p50_us,
        share,
    })
}

#[cfg(test)]
#[path = "conclude_tests.rs"]
mod tests;
