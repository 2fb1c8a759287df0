//! A cache before another piece: an id that was served lately is answered without it.

use std::collections::{BTreeMap, HashMap};

use super::super::events::{Events, Job};
use super::Piece;
use crate::engine::counters::Resource;
use crate::engine::time::Ns;

/// Remembers so many ids, and forgets the one that was used longest ago. An id is kept when its work is done, so
/// those who ask for a new one at once all miss; a request without an id always passes on.
#[derive(Debug)]
pub struct Cache {
    capacity: u64,
    hit: Ns,
    behind: Box<dyn Piece>,
    /// Per driver slot: the id it asks for, and whether its request is a hit under way.
    asked: Vec<(Option<u64>, bool)>,
    last_use: HashMap<u64, u64>,
    by_use: BTreeMap<u64, u64>,
    uses: u64,
}

impl Cache {
    /// `capacity` ids, each answered in `hit` while it is remembered, before `behind`; for a driver with `jobs`
    /// slots.
    pub fn new(capacity: u64, hit: Ns, behind: Box<dyn Piece>, jobs: u32) -> Self {
        Self {
            capacity,
            hit,
            behind,
            asked: vec![(None, false); jobs as usize],
            last_use: HashMap::new(),
            by_use: BTreeMap::new(),
            uses: 0,
        }
    }

    /// Marks `id` as the one used last; the one used longest ago goes if there is no room.
    fn touch(&mut self, id: u64) {
        self.uses += 1;
        if let Some(before) = self.last_use.insert(id, self.uses) {
            self.by_use.remove(&before);
        }
        self.by_use.insert(self.uses, id);
        if self.last_use.len() as u64 > self.capacity {
            let (_, oldest) = self.by_use.pop_first().expect("as many entries as `last_use`");
            self.last_use.remove(&oldest);
        }
    }
}

impl Piece for Cache {
    fn asks_for(&mut self, slot: u32, id: Option<u64>) {
        self.asked[slot as usize] = (id, false);
    }

    fn arrive(&mut self, now: Ns, job: Job, events: &mut Events) {
        let id = self.asked[job.slot as usize].0;
        let known = id.filter(|id| self.last_use.contains_key(id));
        self.asked[job.slot as usize].1 = known.is_some();
        match known {
            Some(id) => {
                self.touch(id);
                events.schedule(now + self.hit, job);
            }
            None => self.behind.arrive(now, job, events),
        }
    }

    fn leave(&mut self, now: Ns, job: Job, events: &mut Events) {
        let (id, hit) = self.asked[job.slot as usize];
        if !hit {
            if let Some(id) = id {
                self.touch(id);
            }
            self.behind.leave(now, job, events);
        }
    }

    fn abandon(&mut self, now: Ns, job: Job, events: &mut Events) {
        if !self.asked[job.slot as usize].1 {
            self.behind.abandon(now, job, events);
        }
    }

    fn resource(&self, now: Ns) -> Option<Resource> {
        self.behind.resource(now)
    }
}
