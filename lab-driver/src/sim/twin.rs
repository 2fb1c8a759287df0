//! The virtual twin of a run: the same plan with the same seed against the model of its target.

use super::run::run;
use super::targets;
use crate::engine::conclude::{Context, conclude};
use crate::engine::plan::Plan;
use crate::engine::record::RunRecord;

/// Runs `plan` in virtual time, called `label`.
///
/// # Errors
/// In words, why its target has no model.
pub fn twin(plan: &Plan, label: &str) -> Result<RunRecord, String> {
    let spec = plan.model.as_ref().ok_or("no model of this target is known")?;
    let model = targets::build(spec, plan.slots(), plan.seed)?;
    let ended = run(plan, model, &mut |_, _, _| true);
    Ok(conclude(plan.clone(), ended, Context::simulated(label)))
}
