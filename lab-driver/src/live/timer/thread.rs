//! The timer where there is no timerfd: a thread that waits on a condition variable.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::live::clock::Clock;

/// A one-shot timer. One task awaits [`fired`](Self::fired), others of the same thread may arm.
#[derive(Debug)]
pub struct Timer {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    clock: Clock,
    state: Mutex<State>,
    changed: Condvar,
    expired: Notify,
}

#[derive(Debug, Default)]
struct State {
    deadline: Option<u64>,
    due: bool,
    closed: bool,
}

impl Timer {
    /// A disarmed timer on `clock`.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn new(clock: Clock) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            clock,
            state: Mutex::default(),
            changed: Condvar::new(),
            expired: Notify::new(),
        });
        let watched = Arc::clone(&shared);
        std::thread::Builder::new().name("timer".into()).spawn(move || watched.watch())?;
        Ok(Self { shared })
    }

    /// Fires at `deadline`, in nanoseconds since the run's start; at once when that has passed.
    /// Replaces the earlier deadline.
    pub fn arm(&self, deadline: u64) {
        let mut state = self.shared.lock();
        if state.deadline != Some(deadline) {
            state.deadline = Some(deadline);
            state.due = false;
            self.shared.changed.notify_one();
        }
    }

    /// Forgets the deadline.
    pub fn disarm(&self) {
        let mut state = self.shared.lock();
        state.deadline = None;
        state.due = false;
    }

    /// Waits until the armed deadline has passed and leaves the timer disarmed.
    ///
    /// # Errors
    /// None; the signature is that of the timerfd.
    pub async fn fired(&self) -> io::Result<()> {
        while !self.take_due() {
            self.shared.expired.notified().await;
        }
        Ok(())
    }

    fn take_due(&self) -> bool {
        std::mem::take(&mut self.shared.lock().due)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
    }
}

impl Shared {
    /// Nothing under the lock can panic half-way, so a poisoned state is still whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self) {
        let mut state = self.lock();
        while !state.closed {
            let wait = state.deadline.map(|deadline| deadline.saturating_sub(self.clock.now()));
            state = match wait {
                Some(0) => {
                    state.deadline = None;
                    state.due = true;
                    self.expired.notify_one();
                    state
                }
                Some(wait) => {
                    self.changed
                        .wait_timeout(state, Duration::from_nanos(wait))
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
