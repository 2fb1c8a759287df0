//! Distributions of times in microseconds: every value while they are few, a histogram when they are many;
//! merged, never averaged.

use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution_json::DistributionJson;
use super::whole;

/// Most values kept one by one; above it only the histogram remains.
pub const EXACT_LIMIT: usize = 1_000_000;

/// Longest time a histogram tells apart: one hour. Longer ones count as one hour, with their true maximum kept.
const LONGEST_US: u64 = 3_600_000_000;

/// What is kept exactly whatever happens to the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many values.
    pub n: u64,
    /// Their sum, µs.
    pub sum: u64,
    /// The smallest, µs; 0 when there is none.
    pub min: u64,
    /// The largest, µs.
    pub max: u64,
    /// How many are lower bounds: requests that waited this long without an answer.
    pub censored: u64,
    /// The smallest lower bound, µs; meaningless when `censored` is 0.
    pub censored_from: u64,
}

impl Totals {
    /// Adds one value.
    pub(super) fn add(&mut self, us: u64, censored: bool) {
        if censored {
            let bound = Self { n: 1, sum: us, min: us, max: us, censored: 1, censored_from: us };
            return self.merge(&bound);
        }
        self.min = if self.n == 0 { us } else { self.min.min(us) };
        self.max = self.max.max(us);
        self.n += 1;
        self.sum += us;
    }

    fn merge(&mut self, other: &Self) {
        if other.n == 0 {
            return;
        }
        self.min = if self.n == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.n += other.n;
        self.sum += other.sum;
        if other.censored > 0 {
            self.censored_from = if self.censored == 0 {
                other.censored_from
            } else {
                self.censored_from.min(other.censored_from)
            };
            self.censored += other.censored;
        }
    }
}

pub(super) fn new_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST_US, 3).expect("1 µs to 1 h at 3 digits is a valid range")
}

/// A finished distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "DistributionJson", into = "DistributionJson")]
#[schemars(with = "DistributionJson")]
pub struct Distribution {
    /// Count, sum, extremes and lower bounds, exact.
    pub totals: Totals,
    /// The values.
    pub values: Values,
}

/// The values of a distribution.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Every value with how often it came, ascending, µs.
    Exact(Vec<(u32, u64)>),
    /// Counts in buckets at most 0.1 % wide.
    Histogram(Box<Histogram<u64>>),
}

/// A number read from a distribution, µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The number.
    pub us: u64,
    /// The true one is at least this: it is, or lies above, a request that never got its answer.
    pub at_least: bool,
}

impl Default for Distribution {
    fn default() -> Self {
        Self { totals: Totals::default(), values: Values::Exact(Vec::new()) }
    }
}

impl Distribution {
    /// The value that `percent` of all values do not exceed, by nearest rank: the ⌈n·percent/100⌉-th smallest.
    ///
    /// None when there are no values. `percent` lies in (0, 100].
    /// ```
    /// # use lab_driver::engine::recording::Recording;
    /// let mut times = Recording::default();
    /// (0..19).for_each(|_| times.record(100_000));
    /// times.record(5_000_000);
    /// let times = times.finish();
    /// assert_eq!(times.percentile(95.0).unwrap().us, 100_000);
    /// assert_eq!(times.percentile(99.0).unwrap().us, 5_000_000);
    /// ```
    pub fn percentile(&self, percent: f64) -> Option<Read> {
        let rank = nearest_rank(self.totals.n, percent)?;
        let us = match &self.values {
            Values::Exact(runs) => {
                let mut seen = 0;
                runs.iter()
                    .find(|(_, count)| {
                        seen += count;
                        seen >= rank
                    })
                    .map_or(self.totals.max, |(value, _)| u64::from(*value))
            }
            Values::Histogram(histogram) => value_at_rank(histogram, rank),
        };
        // Bucket edges can lie outside what was recorded; a percentile above the maximum would be a lie.
        Some(self.read(us.clamp(self.totals.min, self.totals.max)))
    }

    /// The arithmetic mean.
    pub fn mean_us(&self) -> Option<f64> {
        (self.totals.n > 0).then(|| self.totals.sum as f64 / self.totals.n as f64)
    }

    /// The smallest value.
    pub fn min(&self) -> Option<Read> {
        (self.totals.n > 0).then(|| self.read(self.totals.min))
    }

    /// The largest value.
    pub fn max(&self) -> Option<Read> {
        (self.totals.n > 0).then(|| self.read(self.totals.max))
    }

    /// Whether any value is only a lower bound.
    pub fn is_censored(&self) -> bool {
        self.totals.censored > 0
    }

    /// How many values lie strictly above `us` (to a bucket's width when there is only the histogram).
    pub fn count_above(&self, us: u64) -> u64 {
        match &self.values {
            Values::Exact(runs) => runs
                .iter()
                .filter(|(value, _)| u64::from(*value) > us)
                .map(|(_, count)| count)
                .sum(),
            Values::Histogram(histogram) => self.totals.n - histogram.count_between(0, us),
        }
    }

    /// Both together, as if all values had been recorded in one.
    #[must_use]
    pub fn merged(mut self, other: &Self) -> Self {
        self.totals.merge(&other.totals);
        self.values = match (self.values, &other.values) {
            (Values::Exact(a), Values::Exact(b)) if self.totals.n < EXACT_LIMIT as u64 => {
                Values::Exact(merge_runs(&a, b))
            }
            (a, b) => {
                let mut histogram = a.into_histogram();
                b.add_to(&mut histogram);
                Values::Histogram(Box::new(histogram))
            }
        };
        self
    }

    fn read(&self, us: u64) -> Read {
        Read { us, at_least: self.is_censored() && us >= self.totals.censored_from }
    }
}

impl Values {
    fn into_histogram(self) -> Histogram<u64> {
        match self {
            Self::Histogram(histogram) => *histogram,
            exact @ Self::Exact(_) => {
                let mut histogram = new_histogram();
                exact.add_to(&mut histogram);
                histogram
            }
        }
    }

    fn add_to(&self, histogram: &mut Histogram<u64>) {
        match self {
            Self::Exact(runs) => {
                for &(value, count) in runs {
                    histogram.saturating_record_n(u64::from(value), count);
                }
            }
            Self::Histogram(other) => {
                histogram.add(&**other).expect("all histograms here have the same bounds");
            }
        }
    }
}

/// ⌈n·percent/100⌉, at least 1; none for no values. The small slack keeps 99.9 % of 1000 at rank 999,
/// where binary fractions would say 999.0000000001.
pub fn nearest_rank(n: u64, percent: f64) -> Option<u64> {
    (n > 0).then(|| whole::up(n as f64 * percent / 100.0 - 1e-9).clamp(1, n))
}

fn value_at_rank(histogram: &Histogram<u64>, rank: u64) -> u64 {
    let mut seen = 0;
    for bucket in histogram.iter_recorded() {
        seen += bucket.count_since_last_iteration();
        if seen >= rank {
            return histogram.highest_equivalent(bucket.value_iterated_to());
        }
    }
    histogram.max()
}

fn merge_runs(a: &[(u32, u64)], b: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let take_a = j == b.len() || (i < a.len() && a[i].0 <= b[j].0);
        let (value, count) = if take_a { a[i] } else { b[j] };
        i += usize::from(take_a);
        j += usize::from(!take_a);
        match all.last_mut() {
            Some((last, total)) if *last == value => *total += count,
            _ => all.push((value, count)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::recording::Recording;
    use super::*;
    use proptest::prelude::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Distribution {
        let mut recording = Recording::default();
        values.into_iter().for_each(|us| recording.record(us));
        recording.finish()
    }

    #[test]
    fn nineteen_fast_ones_and_a_slow_one() {
        let times = of((0..19).map(|_| 100_000).chain([5_000_000]));
        let at = |p| times.percentile(p).unwrap().us / 1_000;
        assert_eq!(times.mean_us(), Some(345_000.0));
        assert_eq!((at(50.0), at(95.0), at(99.0)), (100, 100, 5_000));
    }

    #[test]
    fn ninety_eight_fast_ones_and_two_slow() {
        let times = of((0..98).map(|_| 20_000).chain([2_000_000; 2]));
        let at = |p| times.percentile(p).unwrap().us / 1_000;
        assert_eq!(times.mean_us(), Some(59_600.0));
        assert_eq!((at(50.0), at(98.0), at(99.0)), (20, 20, 2_000));
    }

    #[test]
    fn one_to_a_hundred_has_its_own_ranks() {
        let times = of(1..=100);
        for p in 1..=100u32 {
            assert_eq!(times.percentile(f64::from(p)).unwrap().us, u64::from(p));
        }
        assert_eq!(times.percentile(95.05).unwrap().us, 96);
        assert_eq!(of(1..=1000).percentile(99.9).unwrap().us, 999);
        assert_eq!(of([]).percentile(50.0), None);
    }

    #[test]
    fn what_never_got_its_answer_marks_everything_at_or_above_it() {
        let mut recording = Recording::default();
        (1..=98).for_each(|ms| recording.record(ms * 1_000));
        recording.record_censored(60_000);
        recording.record_censored(70_000);
        let times = recording.finish();
        assert!(!times.percentile(50.0).unwrap().at_least);
        assert!(times.percentile(61.0).unwrap().at_least);
        assert!(
            times.max().unwrap().at_least,
            "the slowest known answer is faster than an unknown one may be"
        );
    }

    #[test]
    fn above_the_limit_a_histogram_within_a_thousandth() {
        let n = EXACT_LIMIT as u64 + 10;
        let times = of((0..n).map(|i| 1 + (i * 7_919) % 900_000));
        assert!(matches!(times.values, Values::Histogram(_)));
        assert_eq!(times.totals.n, n);
        let p90 = times.percentile(90.0).unwrap().us as f64;
        assert!((1.0..1.001).contains(&(p90 / 810_000.0)), "{p90}");
        assert_eq!(times.percentile(100.0).unwrap().us, times.totals.max);
    }

    #[test]
    fn just_below_the_limit_still_exact() {
        let times = of((0..EXACT_LIMIT as u64 - 1).map(|i| i % 1_000));
        assert!(matches!(times.values, Values::Exact(_)));
        assert_eq!(times.percentile(50.0).unwrap().us, 499);
    }

    proptest! {
        #[test]
        fn merging_is_recording_all(
            a in prop::collection::vec(0u64..5_000_000, 0..200),
            b in prop::collection::vec(0u64..5_000_000, 0..200),
        ) {
            let together = of(a.iter().chain(&b).copied());
            prop_assert_eq!(of(a.clone()).merged(&of(b.clone())), together);
        }

        #[test]
        fn percentiles_are_recorded_values_in_order(
            values in prop::collection::vec(0u64..5_000_000, 1..200), p in 0.1f64..100.0, q in 0.1f64..100.0,
        ) {
            let times = of(values.clone());
            let (low, high) = (times.percentile(p.min(q)).unwrap().us, times.percentile(p.max(q)).unwrap().us);
            prop_assert!(low <= high && values.contains(&low) && values.contains(&high));
        }
    }
}
