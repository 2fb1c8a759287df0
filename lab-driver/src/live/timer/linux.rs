//! The timer on Linux: an absolute timerfd, awaited through tokio's reactor.

use std::cell::Cell;
use std::io;
use std::os::fd::OwnedFd;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::live::clock::Clock;

/// A one-shot timer. One task awaits [`fired`](Self::fired), others of the same thread may arm.
#[derive(Debug)]
pub struct Timer {
    fd: AsyncFd<OwnedFd>,
    clock: Clock,
    armed: Cell<Option<u64>>,
}

impl Timer {
    /// A disarmed timer on `clock`; must be made inside the dispatcher's runtime.
    ///
    /// # Errors
    /// When the process is out of file descriptors.
    pub fn new(clock: Clock) -> io::Result<Self> {
        let fd = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        // What is unsound about it is a descriptor that changes under the reactor; an `OwnedFd` is
        // one and the same for its life. The replacement is an unsafe function.
        #[expect(deprecated, reason = "unsafe code is forbidden here")]
        let fd = AsyncFd::with_interest(fd, Interest::READABLE)?;
        Ok(Self { fd, clock, armed: Cell::new(None) })
    }

    /// Fires at `deadline`, in nanoseconds since the run's start; at once when that has passed.
    /// Replaces the earlier deadline, and costs a system call only when the deadline changes.
    pub fn arm(&self, deadline: u64) {
        if self.armed.replace(Some(deadline)) != Some(deadline) {
            self.set(self.clock.t0().saturating_add(deadline).max(1));
        }
    }

    /// Forgets the deadline.
    pub fn disarm(&self) {
        if self.armed.take().is_some() {
            self.set(0);
        }
    }

    /// Waits until the armed deadline has passed and leaves the timer disarmed.
    ///
    /// # Errors
    /// When the runtime is shutting down.
    pub async fn fired(&self) -> io::Result<()> {
        loop {
            self.fd.readable().await?.clear_ready();
            // The clock says as much as reading the descriptor would, without a system call: setting the timer
            // again forgets its expirations. A deadline in the future was moved after the event was queued.
            if self.armed.get().is_some_and(|deadline| deadline <= self.clock.now()) {
                self.armed.set(None);
                return Ok(());
            }
        }
    }

    /// Sets the absolute expiry, in nanoseconds of `CLOCK_MONOTONIC`; 0 disarms.
    fn set(&self, at: u64) {
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let at = Timespec {
            tv_sec: i64::try_from(at / 1_000_000_000).expect("2^64 ns are 18e9 s"),
            tv_nsec: i64::try_from(at % 1_000_000_000).expect("less than a second"),
        };
        let once = Itimerspec { it_interval: zero, it_value: at };
        timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::ABSTIME, &once)
            .expect("the descriptor is a timerfd and the time is normalised");
    }
}
