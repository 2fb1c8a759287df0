//! The back-fill of HDR histograms: an estimate of what a loop that waited for its answers did not measure.
//!
//! A round trip longer than the expected interval kept its loop from sending; each request that was due meanwhile
//! is invented, with the rest of the time as its own: v − i, v − 2i, … down to i (Tene, `HdrHistogram`,
//! `recordValueWithExpectedInterval`). It guesses what the intended start measures, so it is applied to round-trip
//! times alone, when asked for, and never recorded.

use super::distribution::{Distribution, Totals, Values, new_histogram};
use super::time::Ns;

/// `times` with what a loop that sends once an `interval` (of 1 µs or more) would have measured besides. The result
/// is a histogram, whatever `times` is; values count as an hour at most.
pub fn back_filled(times: &Distribution, interval: Ns) -> Distribution {
    let interval = interval.as_micros().max(1);
    let mut filled = new_histogram();
    let mut fill = |us: u64, count: u64| {
        let us = us.min(filled.high());
        filled.record_n_correct(us, count, interval).expect("cut to what a histogram holds");
    };
    match &times.values {
        Values::Exact(runs) => runs.iter().for_each(|&(us, count)| fill(u64::from(us), count)),
        Values::Histogram(histogram) => histogram
            .iter_recorded()
            .for_each(|bucket| fill(bucket.value_iterated_to(), bucket.count_at_value())),
    }
    let n = filled.len();
    let totals = Totals {
        n,
        sum: super::whole::nearest(filled.mean() * n as f64),
        min: times.totals.min.min(filled.min()),
        max: times.totals.max,
        ..times.totals
    };
    Distribution { totals, values: Values::Histogram(Box::new(filled)) }
}

#[cfg(test)]
mod tests {
    use super::super::recording::Recording;
    use super::*;

    #[test]
    fn one_long_answer_stands_for_those_that_were_due_meanwhile() {
        let mut recording = Recording::default();
        (0..20).for_each(|_| recording.record(10_000));
        recording.record(1_000_000);
        let times = recording.finish();
        assert_eq!(times.percentile(90.0).unwrap().us, 10_000);
        let filled = back_filled(&times, Ns::from_millis(100));
        // 1000 and the invented 900, 800, … 100 ms.
        assert_eq!(filled.totals.n, 30);
        let ms = |percent| filled.percentile(percent).unwrap().us / 1_000;
        assert_eq!((ms(50.0), ms(100.0)), (10, 1_000));
        assert!((699..=701).contains(&ms(90.0)), "{}", ms(90.0));
        assert_eq!(times.totals.n, 21, "what was recorded stays as it is");
    }

    #[test]
    fn answers_within_the_interval_stay_as_they_are() {
        let mut recording = Recording::default();
        (1..=100).for_each(|ms| recording.record(ms * 100));
        let times = recording.finish();
        let filled = back_filled(&times, Ns::from_millis(10));
        assert_eq!((filled.totals.n, filled.totals.max), (100, 10_000));
        assert_eq!(back_filled(&Distribution::default(), Ns::from_millis(10)).totals.n, 0);
    }
}
