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
