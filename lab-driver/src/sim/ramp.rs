//! The analysis of a ramp: the measured knee, beside what the laws and the simulator say of the same levels.

use super::predict::Theory;
use super::targets;
use super::twin::twin;
use crate::engine::claim::{Metric, Reading, Stat};
use crate::engine::knee::{backlog_growth, knee, served_per_second};
use crate::engine::plan::{Arrivals, Load, Think};
use crate::engine::prediction::{LevelRow, Predicted, RampAnalysis};
use crate::engine::reading::View;
use crate::engine::record::{Mode, RunRecord};

/// Analyses the runs of a ramp, in order of level.
pub fn analyse(runs: &[RunRecord]) -> RampAnalysis {
    let Some(first) = runs.first() else { return RampAnalysis::default() };
    let names: Vec<&str> = first.plan.tasks.iter().map(|task| task.name.as_str()).collect();
    let levels: Vec<f64> = runs.iter().map(|run| run.plan.load.peak()).collect();
    let all: Vec<&RunRecord> = runs.iter().collect();
    RampAnalysis {
        knees: names.iter().map(|name| knee(name, &levels, &all)).collect(),
        levels: runs.iter().flat_map(|run| level_rows(run, &names)).collect(),
        crossing_users: theory(first).and_then(|theory| theory.crossing_users()),
        notes: notes(first),
    }
}

fn theory(run: &RunRecord) -> Option<Theory> {
    Theory::new(&run.plan, run.plan.model.as_ref()?)
}

fn level_rows(run: &RunRecord, names: &[&str]) -> Vec<LevelRow> {
    let theory = theory(run);
    // In virtual time the measurement *is* the simulation; beside itself it would say nothing.
    let twin = (run.mode == Mode::Live).then(|| twin(&run.plan, "").ok()).flatten();
    let resources = run.target.as_ref().map_or(&[][..], |target| &target.resources);
    let utilization: Vec<_> =
        resources.iter().map(|one| (one.name.clone(), one.utilization)).collect();
    names
        .iter()
        .map(|name| {
            let (mean_ms, mean_at_least) = mean(run, name);
            LevelRow {
                level: run.plan.load.peak(),
                run: run.label.clone(),
                endpoint: (*name).to_owned(),
                throughput: served_per_second(run, name),
                mean_ms,
                mean_at_least,
                backlog_growth: backlog_growth(run, name),
                law: theory.as_ref().and_then(|theory| theory.predict(name)),
                simulated: twin.as_ref().and_then(|twin| measured(twin, name)),
                utilization: utilization.clone(),
            }
        })
        .collect()
}

/// The mean response time in ms, and whether it is only a lower bound.
fn mean(run: &RunRecord, endpoint: &str) -> (Option<f64>, bool) {
    let view = run.segments.first().and_then(|segment| View::of(segment, endpoint));
    match view.map(|view| view.read(Metric::Response(Stat::Average))) {
        Some(Reading::Value(ms)) => (Some(ms), false),
        Some(Reading::AtLeast(ms)) => (Some(ms), true),
        _ => (None, false),
    }
}

fn measured(run: &RunRecord, endpoint: &str) -> Option<Predicted> {
    let (mean_ms, at_least) = mean(run, endpoint);
    Some(Predicted { throughput: served_per_second(run, endpoint), mean_ms: mean_ms?, at_least })
}

fn notes(first: &RunRecord) -> Vec<String> {
    let mut notes = Vec::new();
    if first.plan.model.is_none() {
        notes.push("No model of this target is known, so nothing is predicted.".to_owned());
    }
    if first.plan.model.as_ref().and_then(targets::freeze).is_some() {
        notes.push(
            "The target freezes now and then, which the laws do not know: they say nothing here."
                .to_owned(),
        );
        return notes;
    }
    match &first.plan.load {
        Load::Closed { think: Think::Pacing { .. } | Think::Schedule { .. }, .. } => notes.push(
            "The laws' columns need a think time; paced and scheduled users have a fixed cycle instead."
                .to_owned(),
        ),
        Load::Open { arrivals: Arrivals::Uniform, .. } => notes.push(
            "Evenly spaced arrivals wait less than random ones (--arrivals poisson), and hardly at all where one \
             endpoint takes them all and its work varies little."
                .to_owned(),
        ),
        Load::Closed { .. } if first.plan.model.is_some() => notes.push(
            "The laws are bounds: near the knee they are optimistic, for they know no waiting below saturation."
                .to_owned(),
        ),
        _ => {}
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::dispatch::{StripeResult, Tally};
    use crate::engine::outcome::{Failure, Reply};
    use crate::engine::plan::{ModelSpec, Overflow, Plan};
    use crate::engine::recorder::Recorder;
    use crate::engine::sample::Sample;
    use crate::engine::testing;
    use crate::engine::time::Ns;

    /// A run of `plan` with one request that ended as `reply` after a second, and so many drops.
    fn ended(plan: Plan, reply: Reply, failure: Option<Failure>, drops: u64) -> RunRecord {
        let mut recorder = Recorder::new(1, plan.windows(), plan.is_scheduled());
        let at = Ns::from_secs(1);
        recorder.record(&Sample { reply, failure, ..testing::sample(at, at + at) });
        (0..drops).for_each(|_| recorder.record_drop(0, at));
        let result = StripeResult { segments: recorder.finish(), tally: Tally::default() };
        testing::record(plan, result)
    }

    #[test]
    fn a_measured_mean_is_a_lower_bound_after_time_outs_and_drops() {
        let answer = Reply::Answered { status: 200, bytes: 0, body_matches: true };
        let is_bound = |record: RunRecord| {
            let row = analyse(&[record]).levels.remove(0);
            assert_eq!(row.mean_ms, Some(1_000.0));
            row.mean_at_least
        };
        let open = || testing::open(10.0, 1, 10);
        assert!(!is_bound(ended(open(), answer, None, 0)));
        assert!(is_bound(ended(open(), answer, None, 1)), "nobody knows what was dropped");
        assert!(is_bound(ended(open(), Reply::TimedOut, Some(Failure::TimedOut), 0)));
    }

    #[test]
    fn a_simulated_mean_is_a_lower_bound_when_the_simulation_drops() {
        let answer = Reply::Answered { status: 200, bytes: 0, body_matches: true };
        let simulated = |limit| {
            let mut plan = testing::open(100.0, limit, 2);
            plan.tasks = vec![testing::task("/report", 1)];
            plan.model = Some(ModelSpec { target: "api".to_owned(), knobs: [].into() });
            if let Load::Open { overflow, .. } = &mut plan.load {
                *overflow = Overflow::Drop;
            }
            let mut record = ended(plan, answer, None, 0);
            record.mode = Mode::Live;
            analyse(&[record]).levels.remove(0).simulated.expect("a model of the target")
        };
        assert!(simulated(2).at_least, "two places for a hundred reports a second");
        assert!(!simulated(1_000).at_least);
    }
}
