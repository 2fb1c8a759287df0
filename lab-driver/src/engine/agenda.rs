//! What is to come, soonest first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A queue that hands out its smallest entry first.
///
/// Entries that come in ascending order (whoever pauses for a fixed time comes back in the order of leaving) pass
/// through a list at constant cost; the others go through a heap. What is handed out is the same either way.
#[derive(Clone, Debug)]
pub struct Agenda<T> {
    ascending: VecDeque<T>,
    others: BinaryHeap<Reverse<T>>,
}

impl<T: Ord> Default for Agenda<T> {
    fn default() -> Self {
        Self { ascending: VecDeque::new(), others: BinaryHeap::new() }
    }
}

impl<T: Ord> Agenda<T> {
    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        match self.ascending.back() {
            Some(last) if entry < *last => self.others.push(Reverse(entry)),
            _ => self.ascending.push_back(entry),
        }
    }

    /// The smallest entry.
    pub fn first(&self) -> Option<&T> {
        match (self.ascending.front(), self.others.peek()) {
            (Some(a), Some(Reverse(b))) => Some(a.min(b)),
            (a, b) => a.or(b.map(|Reverse(b)| b)),
        }
    }

    /// Takes the smallest entry.
    pub fn pop(&mut self) -> Option<T> {
        match (self.ascending.front(), self.others.peek()) {
            (Some(a), Some(Reverse(b))) if b < a => self.others.pop().map(|Reverse(b)| b),
            (None, _) => self.others.pop().map(|Reverse(b)| b),
            _ => self.ascending.pop_front(),
        }
    }

    /// All entries, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.ascending.iter().chain(self.others.iter().map(|Reverse(entry)| entry))
    }

    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.ascending.clear();
        self.others.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against the obvious model: a sorted list. `None` takes one out.
        #[test]
        fn the_smallest_comes_first(moves in prop::collection::vec(prop::option::of(0u8..20), 0..200)) {
            let (mut agenda, mut model) = (Agenda::default(), Vec::new());
            for entry in moves {
                if let Some(entry) = entry {
                    agenda.push(entry);
                    model.push(entry);
                    model.sort_unstable_by(|a, b| b.cmp(a));
                } else {
                    prop_assert_eq!(agenda.pop(), model.pop());
                }
                prop_assert_eq!(agenda.first(), model.last());
                prop_assert_eq!(agenda.iter().count(), model.len());
            }
        }
    }
}
