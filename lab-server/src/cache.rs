//! A small cache of ids that forgets what was used longest ago, and counts hits and misses.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;

use serde::Serialize;

/// A cache, as the counters show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CacheUse {
    /// What it is, in words.
    pub(crate) name: &'static str,
    /// How many entries it can hold.
    pub(crate) capacity: usize,
    /// How many it holds now.
    pub(crate) size: usize,
    /// Look-ups since the last reset that found their entry.
    pub(crate) hits: u64,
    /// Look-ups since the last reset that did not.
    pub(crate) misses: u64,
}

/// The entries in two orders: by id to find one, by last use to find the one to forget.
pub(crate) struct Cache {
    name: &'static str,
    capacity: NonZeroUsize,
    last_use: HashMap<u64, u64>,
    by_use: BTreeMap<u64, u64>,
    uses: u64,
    hits: u64,
    misses: u64,
}

impl Cache {
    pub(crate) fn new(name: &'static str, capacity: NonZeroUsize) -> Self {
        let (last_use, by_use) = (HashMap::new(), BTreeMap::new());
        Self { name, capacity, last_use, by_use, uses: 0, hits: 0, misses: 0 }
    }

    /// Looks `id` up, which is a use and counts as a hit or a miss.
    pub(crate) fn recall(&mut self, id: u64) -> bool {
        let hit = self.last_use.contains_key(&id);
        if hit {
            self.hits += 1;
            self.touch(id);
        } else {
            self.misses += 1;
        }
        hit
    }

    /// Keeps `id`, at the cost of the entry that was used longest ago if there is no room.
    pub(crate) fn keep(&mut self, id: u64) {
        self.touch(id);
        if self.last_use.len() > self.capacity.get() {
            let (_, oldest) = self.by_use.pop_first().expect("as many entries as `last_use`");
            self.last_use.remove(&oldest);
        }
    }

    pub(crate) fn usage(&self) -> CacheUse {
        let (name, capacity, size) = (self.name, self.capacity.get(), self.last_use.len());
        CacheUse { name, capacity, size, hits: self.hits, misses: self.misses }
    }

    /// Empty and with all counts at zero, as at the start.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.name, self.capacity);
    }

    fn touch(&mut self, id: u64) {
        self.uses += 1;
        if let Some(before) = self.last_use.insert(id, self.uses) {
            self.by_use.remove(&before);
        }
        self.by_use.insert(self.uses, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cache(capacity: usize) -> Cache {
        Cache::new("test cache", capacity.try_into().unwrap())
    }

    #[test]
    fn what_was_used_longest_ago_goes_first_and_a_hit_is_a_use() {
        let mut cache = cache(2);
        cache.keep(1);
        cache.keep(2);
        assert!(cache.recall(1));
        cache.keep(3);
        assert_eq!([1, 2, 3].map(|id| cache.recall(id)), [true, false, true]);
        let usage = cache.usage();
        assert_eq!((usage.capacity, usage.size, usage.hits, usage.misses), (2, 2, 3, 1));
    }

    #[test]
    fn a_reset_leaves_it_cold() {
        let mut cache = cache(2);
        cache.keep(1);
        cache.recall(1);
        cache.reset();
        assert_eq!((cache.usage().size, cache.usage().hits), (0, 0));
        assert!(!cache.recall(1));
    }

    proptest! {
        /// Against a list with the latest use in front.
        #[test]
        fn it_holds_what_a_plain_list_would(
            capacity in 1_usize..5,
            steps in proptest::collection::vec((any::<bool>(), 0_u64..8), 0..200),
        ) {
            let mut cache = cache(capacity);
            let mut list: Vec<u64> = Vec::new();
            for (keep, id) in steps {
                let at = list.iter().position(|known| *known == id);
                if keep {
                    cache.keep(id);
                } else {
                    prop_assert_eq!(cache.recall(id), at.is_some());
                }
                if keep || at.is_some() {
                    at.map(|at| list.remove(at));
                    list.insert(0, id);
                    list.truncate(capacity);
                }
                prop_assert_eq!(cache.usage().size, list.len());
                prop_assert_eq!(cache.by_use.values().rev().copied().collect::<Vec<_>>(), list.clone());
            }
        }
    }
}
