//! The alarm where there is no timerfd: one thread for the process, waiting on a condition.

use std::sync::{Condvar, Mutex, MutexGuard, OnceLock};
use std::task::Waker;
use std::thread::Builder;
use std::time::Duration;

use super::queue::{Key, Queue};
use crate::clock::monotonic_ns;

/// Enters a deadline in the one queue of the process.
pub(super) fn add(deadline: u64, waker: Waker) -> Entry {
    let alarm = alarm();
    let mut queue = alarm.lock();
    let sooner = queue.earliest().is_none_or(|earliest| deadline < earliest);
    let key = queue.insert(deadline, waker);
    drop(queue);
    if sooner {
        alarm.changed.notify_one();
    }
    Entry(key)
}

/// A deadline in the queue, taken out when dropped.
pub(super) struct Entry(Key);

impl Entry {
    /// Makes `waker` the one to wake; false if the entry is no longer waiting.
    pub(super) fn refresh(&self, waker: &Waker) -> bool {
        alarm().lock().refresh(self.0, waker)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        alarm().lock().remove(self.0);
    }
}

#[derive(Default)]
struct Alarm {
    queue: Mutex<Queue>,
    /// An earlier deadline than all others has come in.
    changed: Condvar,
}

impl Alarm {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nothing panics while it holds the queue")
    }
}

fn alarm() -> &'static Alarm {
    static ALARM: OnceLock<&'static Alarm> = OnceLock::new();
    ALARM.get_or_init(|| {
        let alarm: &'static Alarm = Box::leak(Box::default());
        let ring = move || ring_for_ever(alarm);
        Builder::new().name("lab-timer".into()).spawn(ring).expect("one thread can be started");
        alarm
    })
}

fn ring_for_ever(alarm: &Alarm) {
    const IDLE: Duration = Duration::from_hours(1);
    let mut queue = alarm.lock();
    loop {
        let due = queue.take_due(monotonic_ns());
        if due.is_empty() {
            let pause = queue.earliest().map_or(IDLE, |deadline| {
                Duration::from_nanos(deadline.saturating_sub(monotonic_ns()))
            });
            (queue, _) = alarm
                .changed
                .wait_timeout(queue, pause)
                .expect("nothing panics while it holds the queue");
        } else {
            // A waker may take locks of its own, so none is held here.
            drop(queue);
            due.into_iter().for_each(Waker::wake);
            queue = alarm.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::mpsc::{Sender, channel};
    use std::task::Wake;

    struct Note(u64, Sender<(u64, u64)>);

    impl Wake for Note {
        fn wake(self: Arc<Self>) {
            self.1.send((self.0, monotonic_ns())).unwrap();
        }
    }

    #[test]
    fn wakes_in_order_never_early_and_not_what_was_dropped() {
        let (send, receive) = channel();
        let start = monotonic_ns();
        let mut entries: Vec<_> = [30, 10, 20, 15]
            .map(|milliseconds| {
                let deadline = start + milliseconds * 1_000_000;
                add(deadline, Arc::new(Note(deadline, send.clone())).into())
            })
            .into();
        entries.remove(2);
        drop(send);
        let woken: Vec<_> = receive.iter().take(3).collect();
        assert!(woken.is_sorted_by_key(|(deadline, _)| *deadline), "{woken:?}");
        assert_eq!(woken[2].0 - start, 30_000_000);
        assert!(woken.iter().all(|(deadline, at)| at >= deadline), "{woken:?}");
    }
}
