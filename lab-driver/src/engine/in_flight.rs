//! What is in flight, with its deadlines: one list per time-out, in order of sending, linked through the slots.

use super::executor::Start;
use super::time::Ns;

const NONE: u32 = u32::MAX;

/// The started and not yet ended iterations of one dispatcher.
///
/// All requests of one task have the same time-out, so their deadlines come in the order of sending: a list per
/// task answers the next deadline without a heap, and takes a slot out of its middle in constant time.
#[derive(Clone, Debug)]
pub struct InFlight {
    entries: Vec<Entry>,
    lists: Vec<List>,
    count: u32,
}

/// One started iteration.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// What the executor asked for.
    pub start: Start,
    /// When the driver began to send it.
    pub sent: Ns,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    flight: Option<Flight>,
    before: u32,
    after: u32,
}

#[derive(Clone, Copy, Debug)]
struct List {
    timeout: Ns,
    first: u32,
    last: u32,
}

impl InFlight {
    /// For `slots` slots and one time-out per task.
    pub fn new(slots: u32, timeouts: impl Iterator<Item = Ns>) -> Self {
        let entry = Entry { flight: None, before: NONE, after: NONE };
        Self {
            entries: vec![entry; slots as usize],
            lists: timeouts.map(|timeout| List { timeout, first: NONE, last: NONE }).collect(),
            count: 0,
        }
    }

    /// How many are in flight.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Adds an iteration that was sent at `sent`, no earlier than all others.
    pub fn add(&mut self, start: Start, sent: Ns) {
        let list = &mut self.lists[usize::from(start.task)];
        self.entries[start.slot as usize] =
            Entry { flight: Some(Flight { start, sent }), before: list.last, after: NONE };
        if list.last == NONE {
            list.first = start.slot;
        } else {
            self.entries[list.last as usize].after = start.slot;
        }
        list.last = start.slot;
        self.count += 1;
    }

    /// Takes the iteration of `slot` out; none if it has already ended.
    pub fn remove(&mut self, slot: u32) -> Option<Flight> {
        let entry = self.entries[slot as usize];
        let flight = entry.flight?;
        let list = &mut self.lists[usize::from(flight.start.task)];
        match entry.before {
            NONE => list.first = entry.after,
            before => self.entries[before as usize].after = entry.after,
        }
        match entry.after {
            NONE => list.last = entry.before,
            after => self.entries[after as usize].before = entry.before,
        }
        self.entries[slot as usize].flight = None;
        self.count -= 1;
        Some(flight)
    }

    /// The next deadline and the slot that it belongs to.
    pub fn next_deadline(&self) -> Option<(Ns, u32)> {
        let firsts = self.lists.iter().filter(|list| list.first != NONE);
        firsts
            .filter_map(|list| Some((self.flight(list.first)?.sent + list.timeout, list.first)))
            .min()
    }

    /// What has been in flight since an intended start at or before `by`, in no order.
    ///
    /// Within a task, sending order is intended order but for the width of one turn, so each list is left at the
    /// first that came later.
    pub fn since(&self, by: Ns) -> impl Iterator<Item = Flight> {
        self.lists.iter().flat_map(move |list| {
            let first = self.entries.get(list.first as usize).and_then(|entry| entry.flight);
            let next = |flight: &Flight| {
                let after = self.entries[flight.start.slot as usize].after;
                self.entries.get(after as usize)?.flight
            };
            std::iter::successors(first, next).take_while(move |one| one.start.intended <= by)
        })
    }

    fn flight(&self, slot: u32) -> Option<&Flight> {
        self.entries[slot as usize].flight.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn start(slot: u32, task: u16) -> Start {
        Start { slot, task, index: 0, intended: Ns(0), ready: Ns(0) }
    }

    proptest! {
        /// Against the obvious model: a map from slot to deadline.
        #[test]
        fn deadlines_are_those_of_a_plain_map(moves in prop::collection::vec((0u32..8, 0u16..2, 0u64..5), 0..200)) {
            let timeouts = [Ns(10), Ns(25)];
            let mut list = InFlight::new(8, timeouts.into_iter());
            let mut model = BTreeMap::new();
            let mut now = 0;
            for (slot, task, pass) in moves {
                now += pass;
                if model.remove(&slot).is_some() {
                    prop_assert!(list.remove(slot).is_some());
                } else {
                    list.add(start(slot, task), Ns(now));
                    model.insert(slot, Ns(now) + timeouts[usize::from(task)]);
                }
                prop_assert_eq!(list.count() as usize, model.len());
                // All are intended at zero here, so all of them have waited since then.
                let since: BTreeSet<u32> = list.since(Ns(0)).map(|one| one.start.slot).collect();
                prop_assert_eq!(since, model.keys().copied().collect());
                prop_assert_eq!(list.next_deadline().map(|(at, _)| at), model.values().min().copied());
            }
        }
    }
}
