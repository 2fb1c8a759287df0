//! The analysis of a ramp: the measured knee, beside what the laws and the simulator say of the same levels.

use super::predict::Theory;
use super::run::run;
use super::targets;
use crate::engine::conclude::{Context, conclude};
use crate::engine::knee::{knee, served_per_second};
use crate::engine::plan::{Arrivals, Load, Think};
use crate::engine::prediction::{LevelRow, Predicted, RampAnalysis};
use crate::engine::reading::View;
use crate::engine::record::{Machine, Mode, RunRecord, Tool};

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
    let twin = (run.mode == Mode::Live).then(|| simulate(run)).flatten();
    let resources = run.target.as_ref().map_or(&[][..], |target| &target.resources);
    let utilization: Vec<_> =
        resources.iter().map(|one| (one.name.clone(), one.utilization)).collect();
    names
        .iter()
        .map(|name| LevelRow {
            level: run.plan.load.peak(),
            run: run.label.clone(),
            endpoint: (*name).to_owned(),
            throughput: served_per_second(run, name),
            mean_ms: mean_ms(run, name),
            law: theory.as_ref().and_then(|theory| theory.predict(name)),
            simulated: twin.as_ref().and_then(|twin| {
                Some(Predicted {
                    throughput: served_per_second(twin, name),
                    mean_ms: mean_ms(twin, name)?,
                })
            }),
            utilization: utilization.clone(),
        })
        .collect()
}

fn mean_ms(run: &RunRecord, endpoint: &str) -> Option<f64> {
    View::of(run.segments.first()?, endpoint)?.response().mean_us().map(|us| us / 1e3)
}

/// The same plan with the same seed in virtual time.
fn simulate(run_record: &RunRecord) -> Option<RunRecord> {
    let plan = &run_record.plan;
    let model = targets::build(plan.model.as_ref()?, plan.slots()).ok()?;
    let ended = run(plan, model, &mut |_, _, _| true);
    let context = Context {
        tool: Tool { name: String::new(), version: String::new() },
        label: String::new(),
        mode: Mode::Virtual,
        started_at: String::new(),
        started_monotonic_ns: 0,
        machine: Machine::default(),
        debug_build: false,
    };
    Some(conclude(plan.clone(), ended, context))
}

fn notes(first: &RunRecord) -> Vec<String> {
    let mut notes = Vec::new();
    if first.plan.model.is_none() {
        notes.push("No model of this target is known, so nothing is predicted.".to_owned());
    }
    match &first.plan.load {
        Load::Closed { think: Think::Pacing { .. } | Think::Schedule { .. }, .. } => notes.push(
            "The laws' columns need a think time; paced and scheduled users have a fixed cycle instead."
                .to_owned(),
        ),
        Load::Open { arrivals: Arrivals::Uniform, .. } => notes.push(
            "Evenly spaced arrivals hardly wait below saturation; random ones do (--arrivals poisson)."
                .to_owned(),
        ),
        _ => {}
    }
    notes
}
