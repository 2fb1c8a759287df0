//! The seam between the dispatcher and HTTP: whatever can carry out an iteration and say when it was done.

use super::clock::Clock;
use crate::engine::executor::Start;
use crate::engine::outcome::{Reply, TransportFailure};
use crate::engine::sample::TargetTimes;
use crate::engine::time::Ns;

/// One dispatcher's way to the target; makes a transport for each of its slots.
pub trait Fleet: 'static {
    /// What carries out one slot's iterations.
    type Transport: Transport + 'static;
    /// A transport for a slot, not yet connected; `user` is the slot's number over all dispatchers.
    fn transport(&self, user: u32) -> Self::Transport;
    /// The run's clock starts now; what happens on connections counts from here.
    fn start(&self, clock: Clock);
    /// What happened on connections since the start.
    fn connections(&self) -> Connections;
}

/// Carries out the iterations of one slot, one at a time.
pub trait Transport {
    /// Connects ahead of the first iteration.
    #[allow(
        async_fn_in_trait,
        reason = "dispatchers are single-threaded: no future crosses a thread"
    )]
    async fn connect(&mut self) -> Result<(), TransportFailure>;
    /// Makes ready what `start` sends; `draws` are its parameter values.
    fn prepare(&mut self, start: &Start, draws: &[u32]);
    /// Carries out the prepared iteration; when it was done and how it ended. To give up, drop the future
    /// and then call [`Transport::abandon`].
    #[allow(
        async_fn_in_trait,
        reason = "dispatchers are single-threaded: no future crosses a thread"
    )]
    async fn exchange(&mut self) -> (Ns, Reply);
    /// What the target said of its part of the time of the last exchange, if it was asked and did.
    fn target_times(&mut self) -> Option<TargetTimes> {
        None
    }
    /// Lets go of whatever an exchange left behind that was given up.
    fn abandon(&mut self);
}

/// What happened on connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Connections made while the run's clock was running.
    pub later: u64,
    /// Requests sent again because a kept connection had been closed while idle.
    pub stale_retries: u64,
}
