//! The dispatchers of a run on their threads: warmed, started together, joined.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::clock::Clock;
use super::control::{Control, Outbox};
use super::dispatcher::{Assignment, Done, dispatch};
use super::error::LiveError;
use super::transport::Fleet;
use crate::engine::outcome::TransportFailure;
use crate::engine::plan::Plan;
use crate::engine::tick::{Delta, TICK};

/// One thread per stripe.
#[derive(Debug)]
pub(super) struct Dispatchers {
    threads: Vec<JoinHandle<std::io::Result<Option<Done>>>>,
    clocks: Vec<Sender<Clock>>,
    warm: Receiver<Result<u64, TransportFailure>>,
    outboxes: Vec<Arc<Outbox>>,
}

impl Dispatchers {
    /// Starts the threads; each connects what it needs early and then waits for the clock.
    pub(super) fn spawn<F: Fleet, M: Fn() -> F + Clone + Send + 'static>(
        plan: &Arc<Plan>,
        stripes: u32,
        control: &Arc<Control>,
        fleet: M,
    ) -> Result<Self, LiveError> {
        let (warm_sender, warm) = channel();
        let mut all = Self { threads: Vec::new(), clocks: Vec::new(), warm, outboxes: Vec::new() };
        for stripe in 0..stripes {
            let (clock, go) = channel();
            let outbox = Arc::new(Outbox::default());
            let assignment = Assignment {
                plan: Arc::clone(plan),
                stripe,
                stripes,
                warm: warm_sender.clone(),
                go,
                control: Arc::clone(control),
                outbox: Arc::clone(&outbox),
            };
            let fleet = fleet.clone();
            let name = format!("dispatcher-{stripe}");
            let thread = std::thread::Builder::new()
                .name(name)
                .spawn(move || dispatch(assignment, fleet))?;
            all.threads.push(thread);
            all.clocks.push(clock);
            all.outboxes.push(outbox);
        }
        Ok(all)
    }

    /// Waits for the early connections of all; how many there are.
    pub(super) fn wait_until_warm(&self, host: &str, control: &Control) -> Result<u64, LiveError> {
        let (mut made, mut awaited) = (0, self.threads.len());
        while awaited > 0 {
            match self.warm.recv_timeout(Duration::from(TICK)) {
                Ok(Ok(connections)) => (made, awaited) = (made + connections, awaited - 1),
                Ok(Err(failure)) => {
                    return Err(LiveError::Unreachable { host: host.to_owned(), failure });
                }
                // A target that does not accept must not keep a user who wants to leave.
                Err(RecvTimeoutError::Timeout) if control.stops() => {
                    return Err(LiveError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(LiveError::Panicked),
            }
        }
        Ok(made)
    }

    /// Starts the clock of all dispatchers at once, a moment from now.
    pub(super) fn go(&self) -> Result<Clock, LiveError> {
        const MOMENT: u64 = 2_000_000;
        let clock = Clock::starting_at(Clock::start().t0() + MOMENT);
        for sender in &self.clocks {
            sender.send(clock).map_err(|_| LiveError::Panicked)?;
        }
        Ok(clock)
    }

    /// Whether any is at work.
    pub(super) fn are_running(&self) -> bool {
        self.threads.iter().any(|thread| !thread.is_finished())
    }

    /// What happened in each since the last call.
    pub(super) fn take_batch(&self) -> Vec<Delta> {
        self.outboxes.iter().flat_map(|outbox| outbox.take()).collect()
    }

    /// Waits for all.
    pub(super) fn join(self) -> Result<Vec<Done>, LiveError> {
        self.threads
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(Ok(Some(done))) => Ok(done),
                Ok(Ok(None)) | Err(_) => Err(LiveError::Panicked),
                Ok(Err(error)) => Err(LiveError::Setup(error)),
            })
            .collect()
    }
}
