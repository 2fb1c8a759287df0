//! The windows that iterations are attributed to.

use super::time::Ns;

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
