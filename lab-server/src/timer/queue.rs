//! Deadlines in order, each with the waker of the sleep that waits for it.

use std::collections::BTreeMap;
use std::task::Waker;

/// A place in a [`Queue`]: earliest deadline first, equal deadlines in the order they came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key {
    deadline: u64,
    number: u64,
}

/// An ordered map rather than a heap, because a sleep that is dropped must leave without a trace:
/// abandoned requests would otherwise pile up until their deadlines.
#[derive(Default)]
pub(super) struct Queue {
    entries: BTreeMap<Key, Waker>,
    issued: u64,
}

impl Queue {
    pub(super) fn insert(&mut self, deadline: u64, waker: Waker) -> Key {
        let key = Key { deadline, number: self.issued };
        self.issued += 1;
        self.entries.insert(key, waker);
        key
    }

    /// Replaces the waker of a waiting entry; false if the entry has been taken as due.
    pub(super) fn refresh(&mut self, key: Key, waker: &Waker) -> bool {
        let Some(current) = self.entries.get_mut(&key) else { return false };
        current.clone_from(waker);
        true
    }

    pub(super) fn remove(&mut self, key: Key) {
        self.entries.remove(&key);
    }

    pub(super) fn earliest(&self) -> Option<u64> {
        self.entries.first_key_value().map(|(key, _)| key.deadline)
    }

    /// Takes out every entry whose deadline is `now` or earlier, in order.
    pub(super) fn take_due(&mut self, now: u64) -> Vec<Waker> {
        let mut due = Vec::new();
        while let Some(first) = self.entries.first_entry() {
            if first.key().deadline > now {
                break;
            }
            due.push(first.remove());
        }
        due
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::task::Wake;

    struct Note(u32, Arc<Mutex<Vec<u32>>>);

    impl Wake for Note {
        fn wake(self: Arc<Self>) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    #[test]
    fn due_entries_come_out_in_order_and_equal_deadlines_first_come_first() {
        let log = Arc::new(Mutex::new(Vec::new()));
        let mut queue = Queue::default();
        for (name, deadline) in [(1, 30), (2, 10), (3, 20), (4, 10), (5, 21)] {
            queue.insert(deadline, Arc::new(Note(name, Arc::clone(&log))).into());
        }
        assert_eq!(queue.earliest(), Some(10));
        queue.take_due(20).into_iter().for_each(Waker::wake);
        assert_eq!(*log.lock().unwrap(), [2, 4, 3]);
        assert_eq!(queue.earliest(), Some(21));
        assert!(queue.take_due(20).is_empty());
    }

    #[test]
    fn a_removed_entry_is_gone_and_a_taken_one_cannot_be_refreshed() {
        let mut queue = Queue::default();
        let gone = queue.insert(10, Waker::noop().clone());
        let stays = queue.insert(10, Waker::noop().clone());
        queue.remove(gone);
        queue.remove(gone);
        assert_eq!(queue.len(), 1);
        assert!(queue.refresh(stays, Waker::noop()));
        assert_eq!(queue.take_due(10).len(), 1);
        assert!(!queue.refresh(stays, Waker::noop()));
        assert_eq!(queue.earliest(), None);
    }

    #[test]
    fn refresh_wakes_the_new_task_only() {
        static WOKEN: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];
        struct Count(usize);
        impl Wake for Count {
            fn wake(self: Arc<Self>) {
                WOKEN[self.0].fetch_add(1, Ordering::Relaxed);
            }
        }
        let mut queue = Queue::default();
        let key = queue.insert(1, Arc::new(Count(0)).into());
        queue.refresh(key, &Arc::new(Count(1)).into());
        queue.take_due(1).into_iter().for_each(Waker::wake);
        assert_eq!(WOKEN.each_ref().map(|count| count.load(Ordering::Relaxed)), [0, 1]);
    }
}
