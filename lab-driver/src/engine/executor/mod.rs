//! Executors decide *when* an iteration starts; they never learn *how* it is carried out.

mod closed;
mod draw;
mod open;

pub use closed::Closed;
pub use open::Open;

use draw::Draw;

use super::outcome::Reply;
use super::plan::{Load, Plan};
use super::time::Ns;

/// An iteration to start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The user or the place in flight that it occupies, below [`Executor::slots`].
    pub slot: u32,
    /// Which of the plan's tasks.
    pub task: u16,
    /// Closed: the number of the user's iteration. Open: the number of the arrival over all stripes.
    pub index: u64,
    /// When it was planned to start.
    pub intended: Ns,
    /// When it could start: the later of `intended` and the instant the slot became free.
    pub ready: Ns,
}

/// What an executor wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Start this iteration.
    Start(Start),
    /// This arrival found every place taken and is dropped.
    Drop {
        /// Which of the plan's tasks it would have been.
        task: u16,
        /// Number of the arrival.
        index: u64,
        /// When it was planned to start.
        intended: Ns,
    },
    /// Nothing until this instant or the next completion.
    WaitUntil(Ns),
    /// Nothing until the next completion.
    WaitForCompletion,
    /// Nothing more, ever, and nothing in flight.
    Finished,
}

/// Decides when iterations start, from nothing but the instants it is told.
///
/// Poll until the answer is neither `Start` nor `Drop`, and again after every completion.
/// Instants never go back from one call to the next.
pub trait Executor {
    /// How many users or places in flight this stripe owns.
    fn slots(&self) -> u32;
    /// The drawn parameter values (as positions among the values) of a started slot, until it completes.
    fn draws(&self, slot: u32) -> &[u32];
    /// What to do at `now`.
    fn poll(&mut self, now: Ns) -> Step;
    /// The iteration of `slot` ended at `now`.
    fn complete(&mut self, now: Ns, slot: u32, reply: &Reply);
    /// Starts nothing more. Answers how many starts were due by `now` and never made.
    fn stop(&mut self, now: Ns) -> u64;
}

/// The executor of stripe `stripe` of `stripes` for `plan`.
pub fn build(plan: &Plan, stripe: u32, stripes: u32) -> Box<dyn Executor + Send> {
    match &plan.load {
        Load::Closed { .. } => Box::new(Closed::new(plan, stripe, stripes)),
        Load::Open { .. } => Box::new(Open::new(plan, stripe, stripes)),
    }
}

/// Stripe `stripe`'s part of `total`, the remainder going to the first stripes.
pub fn share(total: u32, stripe: u32, stripes: u32) -> u32 {
    total / stripes + u32::from(stripe < total % stripes)
}

/// After a connection could not be made or broke, a user without think time waits this long:
/// a refused port answers in microseconds, and hammering it measures nothing.
const BACK_OFF: Ns = Ns::from_millis(100);
