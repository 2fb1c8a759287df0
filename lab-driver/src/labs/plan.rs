//! From a lab to plans: each run in full or quick length, as it is or changed so that a claim has to fail.

use std::collections::BTreeMap;

use super::lab::{Change, Form, Lab, RunSpec};
use crate::engine::time::Ns;
use crate::scenario::{self, Loaded, Mistakes, Overrides};
use crate::sim::targets;

/// A run that is ready to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The run's name in claims.
    pub id: String,
    /// What to send, and when.
    pub loaded: Loaded,
    /// Which target it needs.
    pub target: String,
    /// That target's knobs.
    pub knobs: BTreeMap<String, String>,
}

impl Step {
    /// Whether one server will do for both.
    pub fn needs_the_server_of(&self, other: &Self) -> bool {
        self.target == other.target && self.knobs == other.knobs
    }
}

/// Fields of a run that are flags of a command line: the field, the flag, what may stand there.
pub(super) const LOAD: [(&str, &str, &str); 10] = [
    ("users", "--users", "a whole number, such as 20"),
    ("rate", "--rate", "a rate, such as \"300/s\""),
    ("duration", "--run-time", "a duration, such as \"30s\""),
    ("wait", "--wait", "a text, such as \"500ms\" or \"1s..3s\""),
    ("spawn_rate", "--spawn-rate", "a rate, such as \"10/s\""),
    ("arrivals", "--arrivals", "\"uniform\" or \"poisson\""),
    ("warm_up", "--warm-up", "a duration, such as \"5s\""),
    ("timeout", "--timeout", "a duration, such as \"60s\""),
    ("max_in_flight", "--max-in-flight", "a whole number, such as 1000"),
    ("overflow", "--overflow", "\"queue\" or \"drop\""),
];

/// Where the flag of a run's `field` is kept; none for a field that is not in [`LOAD`].
pub(super) fn slot<'a>(flags: &'a mut Overrides, field: &str) -> Option<&'a mut Option<String>> {
    Some(match field {
        "users" => &mut flags.users,
        "rate" => &mut flags.rate,
        "duration" => &mut flags.run_time,
        "wait" => &mut flags.wait,
        "spawn_rate" => &mut flags.spawn_rate,
        "arrivals" => &mut flags.arrivals,
        "warm_up" => &mut flags.warm_up,
        "timeout" => &mut flags.timeout,
        "max_in_flight" => &mut flags.max_in_flight,
        "overflow" => &mut flags.overflow,
        _ => return None,
    })
}

/// All runs of `lab`, in order, with `seed`. The lab has been validated, so every run can be planned.
pub fn steps(lab: &Lab, form: Form, seed: u64) -> Vec<Step> {
    let planned = |run: &RunSpec| step(run, form, None, seed).expect("the lab has been validated");
    lab.runs.iter().map(planned).collect()
}

/// One run, changed or not.
///
/// # Errors
/// Every mistake, at the flag that it would be on a command line.
pub fn step(
    run: &RunSpec,
    form: Form,
    change: Option<&Change>,
    seed: u64,
) -> Result<Step, Mistakes> {
    let mut flags = run.flags.clone();
    if let (Form::Quick, Some(quick)) = (form, &run.quick) {
        flags.run_time = Some(quick.clone());
    }
    let mut knobs = run.knobs.clone();
    if let Some(change) = change {
        knobs.extend(change.knobs.clone());
        apply(change, &mut flags);
    }
    flags.model = vec![format!("target={}", run.target)];
    flags.model.extend(knobs.iter().map(|(knob, value)| format!("{knob}={value}")));
    let loaded = scenario::load(&flags, seed, &targets::check)?;
    Ok(Step { id: run.id.clone(), loaded, target: run.target.clone(), knobs })
}

fn apply(change: &Change, flags: &mut Overrides) {
    for (field, value) in &change.load {
        // Users and a rate exclude each other.
        match field.as_str() {
            "users" => flags.rate = None,
            "rate" => flags.users = None,
            _ => {}
        }
        if let Some(slot) = slot(flags, field) {
            *slot = Some(value.clone());
        }
    }
    if let Some(thresholds) = &change.thresholds {
        flags.thresholds.clone_from(thresholds);
        flags.budgets.clear();
    }
}

/// What a run takes besides its duration: reset, connections, requests in flight at the end.
const AROUND_A_RUN: Ns = Ns::from_secs(2);

/// How long these runs take live, about.
pub fn takes<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Ns {
    let durations = steps.into_iter().map(|step| step.loaded.plan.duration);
    durations.fold(Ns::ZERO, |sum, duration| sum + duration + AROUND_A_RUN)
}

/// How long the runs of `lab` take live, about.
pub fn length(lab: &Lab, form: Form) -> Ns {
    takes(&steps(lab, form, 0))
}
