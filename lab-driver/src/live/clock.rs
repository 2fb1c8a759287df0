//! The run's clock: nanoseconds of `CLOCK_MONOTONIC` since the run's start.

use rustix::time::{ClockId, clock_gettime};

/// A copyable start instant on this host's monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    t0: u64,
}

impl Clock {
    /// A clock whose zero is this moment.
    pub fn start() -> Self {
        Self { t0: monotonic() }
    }

    /// A clock whose zero is `t0`, in nanoseconds of `CLOCK_MONOTONIC`: for a start agreed
    /// beforehand. Before `t0`, [`now`](Self::now) is 0.
    pub fn starting_at(t0: u64) -> Self {
        Self { t0 }
    }

    /// Nanoseconds since the start; never decreasing.
    pub fn now(self) -> u64 {
        monotonic().saturating_sub(self.t0)
    }

    /// The start in nanoseconds of `CLOCK_MONOTONIC`, the clock that a server's log on this host
    /// is written in.
    pub fn t0(self) -> u64 {
        self.t0
    }
}

/// `CLOCK_MONOTONIC` in nanoseconds: 64 bits last for 584 years of uptime.
fn monotonic() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).expect("the monotonic clock is not negative");
    let nanoseconds = u64::try_from(time.tv_nsec).expect("nanoseconds are not negative");
    seconds * 1_000_000_000 + nanoseconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_decreases_and_agrees_with_t0() {
        let clock = Clock::start();
        let first = clock.now();
        let second = clock.now();
        assert!(first <= second);
        let copy = Clock::starting_at(clock.t0());
        assert!(copy.now() >= second);
        assert_eq!(copy, clock);
    }

    #[test]
    fn is_zero_before_an_agreed_start() {
        let later = Clock::starting_at(Clock::start().t0() + 3_600_000_000_000);
        assert_eq!(later.now(), 0);
    }
}
