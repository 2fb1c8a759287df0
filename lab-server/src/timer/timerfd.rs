//! The alarm on Linux: one timerfd per thread, watched by the thread's own event loop.

use std::cell::RefCell;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::task::Waker;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::queue::{Key, Queue};
use crate::clock::monotonic_ns;

thread_local! {
    /// Weak, because the alarm belongs to the task that watches it and dies with its runtime.
    static HERE: RefCell<Weak<Alarm>> = const { RefCell::new(Weak::new()) };
}

/// Enters a deadline in the queue of this thread.
pub(super) fn add(deadline: u64, waker: Waker) -> Entry {
    let alarm = Alarm::here();
    let mut state = alarm.lock();
    let key = state.queue.insert(deadline, waker);
    alarm.set(&mut state);
    drop(state);
    Entry { alarm: Arc::downgrade(&alarm), key }
}

/// A deadline in a queue, taken out when dropped.
pub(super) struct Entry {
    alarm: Weak<Alarm>,
    key: Key,
}

impl Entry {
    /// Makes `waker` the one to wake; false if the entry is no longer waiting.
    pub(super) fn refresh(&self, waker: &Waker) -> bool {
        self.alarm.upgrade().is_some_and(|alarm| alarm.lock().queue.refresh(self.key, waker))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        // The alarm stays set: one idle wake-up costs less than setting it anew for every drop.
        if let Some(alarm) = self.alarm.upgrade() {
            alarm.lock().queue.remove(self.key);
        }
    }
}

struct Alarm {
    timer: AsyncFd<OwnedFd>,
    /// A lock only because a sleep must be `Send`; one thread uses it, so nobody ever waits.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queue: Queue,
    /// The deadline that the timerfd is set to.
    set_to: Option<u64>,
}

impl Alarm {
    fn here() -> Arc<Self> {
        HERE.with_borrow_mut(|here| {
            here.upgrade().unwrap_or_else(|| {
                let alarm =
                    Self::open().expect("a thread needs one timerfd, opened with its runtime");
                *here = Arc::downgrade(&alarm);
                alarm
            })
        })
    }

    fn open() -> io::Result<Arc<Self>> {
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        #[expect(
            deprecated,
            reason = "its successor is `unsafe`, which is forbidden here; the contract is that the \
                      descriptor stays open and the same, and an OwnedFd keeps it"
        )]
        let timer = AsyncFd::with_interest(timer, Interest::READABLE)?;
        let alarm = Arc::new(Self { timer, state: Mutex::default() });
        tokio::spawn(watch(Arc::clone(&alarm)));
        Ok(alarm)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the queue")
    }

    /// Sets the timerfd to the earliest deadline unless it already rings by then.
    fn set(&self, state: &mut State) {
        let Some(earliest) = state.queue.earliest() else { return };
        if state.set_to.is_some_and(|set_to| set_to <= earliest) {
            return;
        }
        let once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let value = Itimerspec { it_interval: once, it_value: timespec(earliest) };
        timerfd_settime(self.timer.get_ref(), TimerfdTimerFlags::ABSTIME, &value)
            .expect("the descriptor is a timerfd and the time is valid");
        state.set_to = Some(earliest);
    }

    fn ring(&self) {
        let mut state = self.lock();
        let due = state.queue.take_due(monotonic_ns());
        state.set_to = None;
        self.set(&mut state);
        drop(state);
        due.into_iter().for_each(Waker::wake);
    }
}

async fn watch(alarm: Arc<Alarm>) {
    while let Ok(mut ready) = alarm.timer.readable().await {
        // Not read: the event loop reports edges, and setting the timer anew clears its count.
        ready.clear_ready();
        alarm.ring();
    }
}

fn timespec(nanoseconds: u64) -> Timespec {
    const SECOND: u64 = 1_000_000_000;
    Timespec {
        tv_sec: i64::try_from(nanoseconds / SECOND).expect("2^64 ns are 585 years"),
        tv_nsec: i64::try_from(nanoseconds % SECOND).expect("below 1e9"),
    }
}

/// How many sleeps wait in this thread's queue.
#[cfg(test)]
pub(super) fn waiting_here() -> usize {
    HERE.with_borrow(|here| here.upgrade().map_or(0, |alarm| alarm.lock().queue.len()))
}
