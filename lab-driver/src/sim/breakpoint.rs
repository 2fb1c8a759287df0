//! What the laws and the simulator say of a climb.

use super::predict::Theory;
use super::twin::twin;
use crate::engine::breakpoint::Breakpoint;
use crate::engine::record::{Mode, RunRecord};

/// What the climb of `record` says, with predictions where its target has a model; none of a closed load.
pub fn analyse(record: &RunRecord) -> Option<Breakpoint> {
    let mut found = Breakpoint::of(record)?;
    let theory = record.plan.model.as_ref().and_then(|spec| Theory::new(&record.plan, spec));
    found.law_ceiling = theory.and_then(|theory| theory.ceiling());
    // In virtual time the measurement is the simulation.
    let live = record.mode == Mode::Live;
    let simulated = live.then(|| twin(&record.plan, "").ok()).flatten();
    if let Some(simulated) = simulated.as_ref().and_then(Breakpoint::of) {
        found.simulated_stop = simulated.stopped.map(|height| height.rate);
        found.simulated_knee = simulated.knee.map(|height| height.rate);
    }
    Some(found)
}
