//! Concludes a run: from what a driver hands over to the record with its verdict.

use super::counters::TargetTruth;
use super::dispatch::StripeResult;
use super::distribution::Distribution;
use super::health::GeneratorHealth;
use super::judge;
use super::plan::{Load, Plan, Think};
use super::reading::View;
use super::record::{AGGREGATED, Machine, Mode, RunRecord, RunTotals, SCHEMA, Segment, Tool};
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

/// The record of a run of `plan`.
pub fn conclude(plan: Plan, ended: Ended, context: Context) -> RunRecord {
    let reached = ended.interrupted.unwrap_or(plan.duration);
    let segments: Vec<Segment> = ended
        .result
        .segments
        .into_iter()
        .map(|mut result| {
            // What an interrupted run did not reach was not measured.
            result.window.to = result.window.to.min(reached.max(result.window.from));
            Segment::new(String::new(), result, &plan)
        })
        .collect();
    let tally = ended.result.tally;
    let totals = RunTotals {
        planned: planned(&plan),
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
        interrupted: ended.interrupted.is_some(),
    };
    record.warnings = warnings(&record, silence, context.debug_build);
    record
        .warnings
        .extend(ended.interrupted.map(|at| Warning::Interrupted { at_s: at.as_secs_f64() }));
    judge::judge(&mut record);
    record
}

/// How many starts the plan asks for, where it asks for a number.
fn planned(plan: &Plan) -> Option<u64> {
    match &plan.load {
        // The first arrival comes at the very start, so an integral of 6000 brings the arrivals 0 to 5999.
        Load::Open { rate, .. } => Some(whole::up(rate.integral(plan.duration) - 1e-9)),
        Load::Closed { users, think: Think::Schedule { period } } => {
            let user_seconds = users.integral(plan.duration);
            Some(whole::nearest(user_seconds / period.as_secs_f64()))
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
        if load_1m > 1.5 * f64::from(cores) {
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
    let seconds = record.plan.duration.as_secs_f64();
    if let (Some(planned), false) = (totals.planned, record.interrupted) {
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

fn errors_are_fast(segment: &Segment) -> Option<Warning> {
    let view = View::of(segment, AGGREGATED)?;
    let share = view.endpoint().failed_share().filter(|share| *share > 0.0)?;
    let median = |times: &Distribution| times.percentile(50.0).map(|read| read.us);
    let failed_p50_us = median(&view.endpoint().unsuccessful);
    let successful_p50_us = median(&view.endpoint().successful);
    let all_failed = successful_p50_us.is_none();
    (all_failed || failed_p50_us < successful_p50_us && failed_p50_us.is_some())
        .then_some(Warning::ErrorsAreFast { failed_p50_us, successful_p50_us, share })
}

#[cfg(test)]
#[path = "conclude_tests.rs"]
mod tests;
