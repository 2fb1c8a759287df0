//! Times being recorded: raw while few, as a histogram when many.

use hdrhistogram::Histogram;

use super::distribution::{Distribution, EXACT_LIMIT, Totals, Values, new_histogram};

/// From here on every record also moves two raw values into the histogram, so that it is complete at the
/// limit without the stall that converting a million values at once would be.
const CONVERT_FROM: usize = EXACT_LIMIT / 2;

/// A distribution being recorded by one dispatcher: no lock, no allocation per value but the growing list.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Zeros are only counted: dispatch lag and hold-back are zero for most requests.
    zeros: u64,
    raw: Vec<u32>,
    histogram: Option<Histogram<u64>>,
    converted: usize,
    totals: Totals,
}

impl Recording {
    /// Records a time.
    pub fn record(&mut self, us: u64) {
        self.push(us, false);
    }

    /// Records a lower bound: the request waited this long and no answer came.
    pub fn record_censored(&mut self, us: u64) {
        self.push(us, true);
    }

    fn push(&mut self, us: u64, censored: bool) {
        self.totals.add(us, censored);
        if us == 0 {
            self.zeros += 1;
            return;
        }
        if self.raw.len() < EXACT_LIMIT && self.converted < EXACT_LIMIT {
            self.raw.push(u32::try_from(us).unwrap_or(u32::MAX));
            if self.raw.len() > CONVERT_FROM {
                self.convert();
            }
        } else {
            self.histogram.get_or_insert_with(new_histogram).saturating_record(us);
        }
    }

    fn convert(&mut self) {
        let histogram = self.histogram.get_or_insert_with(new_histogram);
        for _ in 0..2 {
            histogram.saturating_record(u64::from(self.raw[self.converted]));
            self.converted += 1;
        }
        if self.converted == EXACT_LIMIT {
            self.raw = Vec::new();
        }
    }

    /// Ends the recording.
    pub fn finish(self) -> Distribution {
        let values = if self.converted == EXACT_LIMIT {
            let mut histogram = self.histogram.expect("filled while converting");
            histogram.saturating_record_n(0, self.zeros);
            Values::Histogram(Box::new(histogram))
        } else {
            let mut raw = self.raw;
            raw.sort_unstable();
            Values::Exact(run_lengths(self.zeros, &raw))
        };
        Distribution { totals: self.totals, values }
    }
}

fn run_lengths(zeros: u64, sorted: &[u32]) -> Vec<(u32, u64)> {
    let zeros = (zeros > 0).then_some((0, zeros));
    let others = sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64));
    zeros.into_iter().chain(others).collect()
}
