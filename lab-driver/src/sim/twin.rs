//! The virtual twin of a run: the same plan with the same seed against the model of its target.

use super::run::run;
use super::targets;
use crate::engine::conclude::{Context, conclude};
use crate::engine::plan::Plan;
use crate::engine::record::{Machine, Mode, RunRecord, Tool};

/// Runs `plan` in virtual time, called `label`.
///
/// # Errors
/// In words, why its target has no model.
pub fn twin(plan: &Plan, label: &str) -> Result<RunRecord, String> {
    let spec = plan.model.as_ref().ok_or("no model of this target is known")?;
    let model = targets::build(spec, plan.slots(), plan.seed)?;
    let ended = run(plan, model, &mut |_, _, _| true);
    Ok(conclude(plan.clone(), ended, context(label)))
}

fn context(label: &str) -> Context {
    Context {
        tool: Tool {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        label: label.to_owned(),
        mode: Mode::Virtual,
        started_at: "1970-01-01T00:00:00Z".to_owned(),
        started_monotonic_ns: 0,
        machine: Machine { cpu: "virtual".to_owned(), ..Machine::default() },
        debug_build: cfg!(debug_assertions),
    }
}
