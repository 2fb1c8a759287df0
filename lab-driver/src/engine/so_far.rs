//! What all responses since a run's start come to, kept up to date second by second.

use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::{nearest_rank, new_histogram};
use super::whole;

/// Response times and sizes of everything that has ended since the run's start, warm-up included. All 0 while
/// nothing has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SoFar {
    /// Median response time, µs, to a thousandth.
    pub median_us: u64,
    /// Mean response time, µs.
    pub mean_us: u64,
    /// Shortest response time, µs.
    pub min_us: u64,
    /// Longest response time, µs.
    pub max_us: u64,
    /// Bytes of the answers' bodies per request that ended, to a tenth.
    pub mean_bytes: f64,
}

/// Adds up what [`SoFar`] says.
#[derive(Clone, Debug)]
pub(super) struct Running {
    median: RunningMedian,
    sum_us: u64,
    min_us: u64,
    max_us: u64,
    ended: u64,
    bytes: u64,
}

impl Running {
    pub(super) fn new() -> Self {
        Self {
            median: RunningMedian::new(),
            sum_us: 0,
            min_us: u64::MAX,
            max_us: 0,
            ended: 0,
            bytes: 0,
        }
    }

    /// Adds `ended` requests with `bytes` of answers and the response times of those that have one, µs.
    pub(super) fn add(&mut self, ended: u64, bytes: u64, responses: &[u32]) {
        self.ended += ended;
        self.bytes += bytes;
        for &us in responses {
            let us = u64::from(us);
            self.sum_us += us;
            self.min_us = self.min_us.min(us);
            self.max_us = self.max_us.max(us);
            self.median.add(us);
        }
    }

    pub(super) fn read(&mut self) -> SoFar {
        let n = self.median.histogram.len();
        let mean = |sum: u64, of: u64| sum as f64 / of.max(1) as f64;
        let mut so_far = SoFar {
            mean_bytes: (mean(self.bytes, self.ended) * 10.0).round() / 10.0,
            ..SoFar::default()
        };
        if let Some(median) = self.median.read() {
            // A bucket reaches beyond what was recorded in it.
            so_far.median_us = median.clamp(self.min_us, self.max_us);
            so_far.mean_us = whole::nearest(mean(self.sum_us, n));
            so_far.min_us = self.min_us;
            so_far.max_us = self.max_us;
        }
        so_far
    }
}

/// A histogram with a finger on the bucket of its median. The median of a long run hardly moves within a second, so
/// that the finger has a short way where a search would pass thousands of buckets.
#[derive(Clone, Debug)]
struct RunningMedian {
    histogram: Histogram<u64>,
    /// Lowest value of the finger's bucket, µs.
    low: u64,
    /// How many values lie below it.
    below: u64,
}

impl RunningMedian {
    fn new() -> Self {
        Self { histogram: new_histogram(), low: 0, below: 0 }
    }

    fn add(&mut self, us: u64) {
        self.histogram.saturating_record(us);
        self.below += u64::from(us < self.low);
    }

    /// The median by nearest rank, as the highest value of its bucket; none of no values.
    fn read(&mut self) -> Option<u64> {
        let rank = nearest_rank(self.histogram.len(), 50.0)?;
        while self.below >= rank {
            self.low = self.histogram.lowest_equivalent(self.low - 1);
            self.below -= self.histogram.count_at(self.low);
        }
        loop {
            let reached = self.below + self.histogram.count_at(self.low);
            if reached >= rank {
                return Some(self.histogram.highest_equivalent(self.low));
            }
            self.below = reached;
            self.low = self.histogram.next_non_equivalent(self.low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::recording::Recording;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_yet_is_zero_even_when_something_ended_without_a_time() {
        let mut running = Running::new();
        assert_eq!(running.read(), SoFar::default());
        running.add(3, 0, &[]);
        assert_eq!(running.read(), SoFar::default());
    }

    #[test]
    fn sizes_count_for_all_that_ended_and_times_for_those_that_have_one() {
        let mut running = Running::new();
        running.add(3, 100, &[2_000, 5_000]);
        let expected = SoFar {
            median_us: 2_000,
            mean_us: 3_500,
            min_us: 2_000,
            max_us: 5_000,
            mean_bytes: 33.3,
        };
        assert_eq!(running.read(), expected);
    }

    proptest! {
        #[test]
        fn after_each_second_it_is_what_one_distribution_of_all_would_say(
            seconds in prop::collection::vec(prop::collection::vec(0u32..2_000_000_000, 0..20), 1..20),
        ) {
            let mut running = Running::new();
            let mut recording = Recording::default();
            for second in seconds {
                running.add(second.len() as u64, 0, &second);
                for us in &second {
                    recording.record(u64::from(*us));
                }
                let (so_far, all) = (running.read(), recording.clone().finish());
                prop_assert_eq!(so_far.min_us, all.totals.min);
                prop_assert_eq!(so_far.max_us, all.totals.max);
                prop_assert_eq!(so_far.mean_us, whole::nearest(all.mean_us().unwrap_or(0.0)));
                let exact = all.percentile(50.0).map_or(0, |read| read.us);
                prop_assert!((exact..=exact + exact / 1_000 + 1).contains(&so_far.median_us));
            }
        }
    }
}
