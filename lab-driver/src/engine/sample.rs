//! One ended iteration, and the windows that iterations are attributed to.

use super::outcome::{Failure, Reply};
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

/// A measured window: [from, to).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First instant inside.
    pub from: Ns,
    /// First instant after it.
    pub to: Ns,
}

impl Window {
    /// How long it lasts.
    pub fn length(&self) -> Ns {
        self.to.saturating_sub(self.from)
    }
}
