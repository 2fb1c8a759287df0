//! The two clocks of the server: monotonic time, and the CPU time of the process.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds of `CLOCK_MONOTONIC`: the clock that every process of this host shares, so that a
/// driver beside the server can compare its own stamps with the server's.
pub(crate) fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// CPU time that the whole process has used, user and system, all threads.
/// From the process clock: counting ticks would be blind below 10 ms.
pub(crate) fn process_cpu() -> Duration {
    Duration::from_nanos(nanoseconds(clock_gettime(ClockId::ProcessCPUTime)))
}

/// Nanoseconds as seconds, for display and JSON.
pub(crate) fn seconds(nanoseconds: u64) -> f64 {
    Duration::from_nanos(nanoseconds).as_secs_f64()
}

fn nanoseconds(time: Timespec) -> u64 {
    let seconds = u64::try_from(time.tv_sec).expect("these clocks start at zero and never go back");
    let rest = u64::try_from(time.tv_nsec).expect("a timespec's nanoseconds are 0..1e9");
    seconds * 1_000_000_000 + rest
}
