//! One ended iteration with its instants, and the times that follow from them.

use super::outcome::{Failure, Reply};
use super::plan::{Load, Plan};
use super::time::Ns;

/// One ended iteration with its four instants: intended ≤ ready ≤ sent ≤ done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Which of the plan's tasks.
    pub task: u16,
    /// The user who sent it, or the place in flight that it took: a number over all stripes.
    pub user: u32,
    /// Number of the user's iteration or of the arrival.
    pub index: u64,
    /// When it was planned to start.
    pub intended: Ns,
    /// When it could start: hold-back ends here, dispatch lag begins.
    pub ready: Ns,
    /// When the driver began to send it.
    pub sent: Ns,
    /// When the last byte of the response had arrived, or when it was given up.
    pub done: Ns,
    /// How the exchange ended.
    pub reply: Reply,
    /// Why it counts as failed, if it does.
    pub failure: Option<Failure>,
}

impl Sample {
    /// From sending to the last byte.
    pub fn round_trip(&self) -> Ns {
        self.done.saturating_sub(self.sent)
    }

    /// From the intended start when there is a schedule to be late on, else from sending.
    pub fn response(&self, scheduled: bool) -> Ns {
        if scheduled { self.done.saturating_sub(self.intended) } else { self.round_trip() }
    }

    /// The generator's own delay: sent − ready.
    pub fn dispatch_lag(&self) -> Ns {
        self.sent.saturating_sub(self.ready)
    }

    /// The target's or the in-flight limit's doing: ready − intended.
    pub fn hold_back(&self) -> Ns {
        self.ready.saturating_sub(self.intended)
    }
}

/// How the requests of one run are named, for joining with the log of a target: `k3f9-17` is arrival 17 of the run
/// `k3f9`, `k3f9-4.17` the seventeenth iteration of its user 4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    run: String,
    by_user: bool,
}

impl Naming {
    /// Of a run of `plan`, which `run` tells from others.
    pub fn of(plan: &Plan, run: String) -> Self {
        Self { run, by_user: matches!(plan.load, Load::Closed { .. }) }
    }

    /// The name of one request.
    pub fn name(&self, user: u32, index: u64) -> String {
        if self.by_user {
            format!("{}-{user}.{index}", self.run)
        } else {
            format!("{}-{index}", self.run)
        }
    }
}

/// What a target says in `Server-Timing` of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetTimes {
    /// Waited for a slot.
    pub queue: Ns,
    /// Worked on.
    pub work: Ns,
    /// Held by a freeze.
    pub freeze: Ns,
}
