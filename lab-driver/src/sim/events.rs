//! What is going to happen, in whole nanoseconds and in one order for one seed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::time::Ns;

/// A request under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// The driver's slot that sent it.
    pub slot: u32,
    /// Tells it apart from other requests of the same slot.
    pub epoch: u32,
}

/// Events in order of time, then of scheduling.
#[derive(Debug, Default)]
pub struct Events {
    heap: BinaryHeap<Reverse<Event>>,
    scheduled: u64,
}

/// The piece in which a job is will be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    /// When.
    pub(super) at: Ns,
    order: u64,
    /// The job.
    pub(super) job: Job,
}

impl Events {
    /// At `at`, the piece in which `job` is will be done with it.
    pub fn schedule(&mut self, at: Ns, job: Job) {
        self.scheduled += 1;
        self.heap.push(Reverse(Event { at, order: self.scheduled, job }));
    }

    /// When the next one comes.
    pub(super) fn next(&self) -> Option<Ns> {
        self.heap.peek().map(|Reverse(event)| event.at)
    }

    /// Takes the next one.
    pub(super) fn pop(&mut self) -> Option<Event> {
        self.heap.pop().map(|Reverse(event)| event)
    }
}
