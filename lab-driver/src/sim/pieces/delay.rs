//! Work without a limit: every request takes its time, however many there are.

use super::super::events::{Events, Job};
use super::{Piece, Service};
use crate::engine::counters::Resource;
use crate::engine::time::Ns;

/// A delay.
#[derive(Debug)]
pub struct Delay {
    service: Service,
}

impl Delay {
    /// Of this length.
    pub fn new(service: Service) -> Self {
        Self { service }
    }
}

impl Piece for Delay {
    fn arrive(&mut self, now: Ns, job: Job, events: &mut Events) {
        events.schedule(now + self.service.draw(), job);
    }

    fn leave(&mut self, _now: Ns, _job: Job, _events: &mut Events) {}

    fn abandon(&mut self, _now: Ns, _job: Job, _events: &mut Events) {}

    fn resource(&self, _now: Ns) -> Option<Resource> {
        None
    }
}
