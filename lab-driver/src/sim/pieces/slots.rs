//! A number of slots, first come, first served: a connection pool, worker threads, the clerks behind a counter.

use std::collections::VecDeque;

use super::super::events::{Events, Job};
use super::{Piece, Service};
use crate::engine::counters::Resource;
use crate::engine::time::Ns;

/// Slots with a queue before them, and gauges that integrate exactly.
#[derive(Debug)]
pub struct Slots {
    name: String,
    capacity: u64,
    service: Service,
    /// Who waits, in order. Those who went away stay in it until their turn and are passed over.
    queue: VecDeque<Job>,
    /// Per driver slot: what its job is doing here.
    states: Vec<State>,
    in_use: u64,
    waiting: u64,
    served: u64,
    changed: Ns,
    /// Slot-nanoseconds held and job-nanoseconds waited up to `changed`.
    busy: u128,
    waited: u128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Elsewhere,
    Waiting(Job),
    Served(Job),
}

impl Slots {
    /// `capacity` slots that hold each job for a `service` time, for a driver with `jobs` slots.
    pub fn new(name: &str, capacity: u64, service: Service, jobs: u32) -> Self {
        Self {
            name: name.to_owned(),
            capacity,
            service,
            queue: VecDeque::new(),
            states: vec![State::Elsewhere; jobs as usize],
            in_use: 0,
            waiting: 0,
            served: 0,
            changed: Ns(0),
            busy: 0,
            waited: 0,
        }
    }

    fn integrate(&mut self, now: Ns) {
        let passed = u128::from(now.saturating_sub(self.changed).0);
        self.busy += passed * u128::from(self.in_use);
        self.waited += passed * u128::from(self.waiting);
        self.changed = now;
    }

    fn serve(&mut self, now: Ns, job: Job, events: &mut Events) {
        self.in_use += 1;
        self.states[job.slot as usize] = State::Served(job);
        events.schedule(now + self.service.draw(), job);
    }

    fn release(&mut self, now: Ns, events: &mut Events) {
        self.in_use -= 1;
        while let Some(next) = self.queue.pop_front() {
            if self.states[next.slot as usize] == State::Waiting(next) {
                self.waiting -= 1;
                self.serve(now, next, events);
                return;
            }
        }
    }
}

impl Piece for Slots {
    fn arrive(&mut self, now: Ns, job: Job, events: &mut Events) {
        self.integrate(now);
        if self.in_use < self.capacity {
            self.serve(now, job, events);
        } else {
            self.waiting += 1;
            self.states[job.slot as usize] = State::Waiting(job);
            self.queue.push_back(job);
        }
    }

    fn leave(&mut self, now: Ns, job: Job, events: &mut Events) {
        self.integrate(now);
        self.states[job.slot as usize] = State::Elsewhere;
        self.served += 1;
        self.release(now, events);
    }

    fn abandon(&mut self, now: Ns, job: Job, events: &mut Events) {
        self.integrate(now);
        let state = std::mem::replace(&mut self.states[job.slot as usize], State::Elsewhere);
        if state == State::Waiting(job) {
            self.waiting -= 1;
        } else if state == State::Served(job) {
            self.release(now, events);
        }
    }

    fn resource(&self, now: Ns) -> Option<Resource> {
        let since = u128::from(now.saturating_sub(self.changed).0);
        let seconds = |area: u128, level: u64| (area + since * u128::from(level)) as f64 / 1e9;
        Some(Resource {
            name: self.name.clone(),
            capacity: self.capacity,
            in_use: self.in_use,
            waiting: self.waiting,
            served: self.served,
            busy_s: seconds(self.busy, self.in_use),
            wait_s: seconds(self.waited, self.waiting),
        })
    }
}
