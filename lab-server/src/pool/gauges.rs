//! The arithmetic of a pool: who holds, who waits, and both integrated over time. Reads no clock.

use serde::Serialize;

use crate::clock::seconds;

/// A resource of limited capacity, as the counters show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Resource {
    /// What it is, in words.
    pub(crate) name: &'static str,
    /// How many can be in use at once.
    pub(crate) capacity: u32,
    /// How many are in use now.
    pub(crate) in_use: u32,
    /// How many requests wait for one now.
    pub(crate) waiting: u64,
    /// Pieces of work finished since the last reset; abandoned ones do not count.
    pub(crate) served: u64,
    /// Integral of `in_use` over time since the last reset, in seconds, up to now.
    pub(crate) busy_s: f64,
    /// Integral of `waiting` over time since the last reset, in seconds, up to now.
    pub(crate) wait_s: f64,
}

/// The state behind a [`Resource`]. Every `now` is nanoseconds of one clock and never decreases.
pub(super) struct Gauges {
    capacity: u32,
    in_use: u32,
    waiting: u64,
    served: u64,
    /// Both integrals are exact up to `integrated_to`: in between, the gauges are constant.
    busy_ns: u64,
    wait_ns: u64,
    integrated_to: u64,
}

impl Gauges {
    pub(super) fn new(capacity: u32, now: u64) -> Self {
        Self {
            capacity,
            in_use: 0,
            waiting: 0,
            served: 0,
            busy_ns: 0,
            wait_ns: 0,
            integrated_to: now,
        }
    }

    /// True if the newcomer has a permit, false if it waits.
    pub(super) fn arrive(&mut self, now: u64) -> bool {
        self.integrate(now);
        let free = self.in_use < self.capacity;
        if free {
            self.in_use += 1;
        } else {
            self.waiting += 1;
        }
        free
    }

    /// One who waits goes away.
    pub(super) fn give_up(&mut self, now: u64) {
        self.integrate(now);
        self.waiting -= 1;
    }

    /// A permit comes back; true if it passes to the first who waits.
    pub(super) fn give_back(&mut self, now: u64, served: bool) -> bool {
        self.integrate(now);
        self.served += u64::from(served);
        let passes_on = self.waiting > 0;
        if passes_on {
            self.waiting -= 1;
        } else {
            self.in_use -= 1;
        }
        passes_on
    }

    /// Zeroes what is cumulative; permits held from before count from `now` on.
    pub(super) fn reset(&mut self, now: u64) {
        *self =
            Self { in_use: self.in_use, waiting: self.waiting, ..Self::new(self.capacity, now) };
    }

    pub(super) fn at(&mut self, name: &'static str, now: u64) -> Resource {
        self.integrate(now);
        Resource {
            name,
            capacity: self.capacity,
            in_use: self.in_use,
            waiting: self.waiting,
            served: self.served,
            busy_s: seconds(self.busy_ns),
            wait_s: seconds(self.wait_ns),
        }
    }

    fn integrate(&mut self, now: u64) {
        let passed = now - self.integrated_to;
        self.busy_ns += u64::from(self.in_use) * passed;
        self.wait_ns += self.waiting * passed;
        self.integrated_to = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integrals(gauges: &mut Gauges, now: u64) -> (u64, u64) {
        gauges.at("", now);
        (gauges.busy_ns, gauges.wait_ns)
    }

    #[test]
    fn both_integrals_are_exact_to_the_nanosecond() {
        let mut gauges = Gauges::new(2, 1_000);
        assert!(gauges.arrive(1_007));
        assert!(gauges.arrive(1_010));
        assert!(!gauges.arrive(1_011));
        assert!(!gauges.arrive(1_013));
        // Two in use since 1,010, one before; one waiting since 1,011, two since 1,013.
        assert_eq!(integrals(&mut gauges, 1_020), (3 + 2 * 10, 2 + 2 * 7));
        gauges.give_up(1_021);
        assert!(gauges.give_back(1_031, true));
        assert!(!gauges.give_back(1_041, false));
        assert_eq!(integrals(&mut gauges, 1_050), (23 + 2 * 21 + 9, 16 + 2 + 10));
        let seen = gauges.at("x", 1_050);
        assert_eq!((seen.in_use, seen.waiting, seen.served), (1, 0, 1));
    }

    #[test]
    fn permits_now_held_and_waits_now_under_way_are_in() {
        let mut gauges = Gauges::new(1, 0);
        gauges.arrive(0);
        gauges.arrive(0);
        let seen = gauges.at("x", 1_500_000_001);
        assert_eq!((seen.busy_s, seen.wait_s), (1.500_000_001, 1.500_000_001));
    }

    #[test]
    fn a_reset_zeroes_what_is_cumulative_and_keeps_the_gauges() {
        let mut gauges = Gauges::new(1, 0);
        gauges.arrive(5);
        gauges.arrive(5);
        gauges.give_back(9, true);
        gauges.arrive(9);
        gauges.reset(20);
        let seen = gauges.at("x", 20);
        assert_eq!((seen.in_use, seen.waiting, seen.served), (1, 1, 0));
        assert_eq!(integrals(&mut gauges, 27), (7, 7));
    }

    #[test]
    fn an_idle_pool_accumulates_nothing() {
        let mut gauges = Gauges::new(3, 0);
        assert_eq!(integrals(&mut gauges, 1 << 40), (0, 0));
    }
}
