//! One threshold over the last so many seconds: what it needs of every tick, and whether it is broken now.

use std::collections::VecDeque;

use super::claim::{Comparison, Metric, Reading, Stat, Threshold};
use super::distribution::nearest_rank;
use super::outcome::Failure;
use super::sample::Sample;
use super::tick::{Delta, Waiting};
use super::time::Ns;

/// Most values on the wrong side of a limit that are kept to say which one the percentile is. Beyond it the counts
/// still decide, and the value is said as a bound.
const MOST_VALUES: usize = 1 << 20;

/// A sliding window that one threshold is judged over; without `over` it reaches back to the run's start.
///
/// A percentile needs two counts, how many there are and how many are on the wrong side of the limit: `p(95) < L`
/// holds when at least the 95th percentile's rank is below L. Only those on the wrong side are kept one by one.
#[derive(Clone, Debug)]
pub(super) struct Sliding {
    threshold: Threshold,
    /// Which task; none for all.
    task: Option<u16>,
    scheduled: bool,
    ticks: VecDeque<(Ns, Tally)>,
    total: Tally,
    /// Ages, in µs, of what is in flight now and longer than the limit.
    waiting: Vec<u32>,
}

/// What one tick, or all of the window, adds up to.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// Requests that the metric speaks of.
    n: u64,
    /// Those that count against a limit, or for a share or a rate.
    hits: u64,
    /// Their times, µs.
    sum_us: u64,
    /// The times among `hits`, as long as they are kept.
    values: Vec<u32>,
}

impl Sliding {
    /// Of `threshold` on the task at this position, or on all.
    pub(super) fn new(threshold: Threshold, task: Option<u16>, scheduled: bool) -> Self {
        Self {
            threshold,
            task,
            scheduled,
            ticks: VecDeque::new(),
            total: Tally::default(),
            waiting: Vec::new(),
        }
    }

    /// The threshold.
    pub(super) fn threshold(&self) -> &Threshold {
        &self.threshold
    }

    /// Takes in what ended until the tick `now`, and lets go of what is older than the window.
    pub(super) fn add(&mut self, now: Ns, deltas: &[Delta]) {
        let mut tally = Tally::default();
        for delta in deltas {
            if self.threshold.metric() == Metric::Dropped {
                tally.n += delta.dropped;
            }
            for sample in delta.samples.iter().filter(|sample| self.is_mine(sample.task)) {
                self.count(sample, &mut tally);
            }
        }
        let waiting = deltas.iter().flat_map(|delta| &delta.waiting);
        self.waiting = waiting.filter_map(|one| self.overdue(now, one)).collect();
        self.total.n += tally.n;
        self.total.hits += tally.hits;
        self.total.sum_us += tally.sum_us;
        let Some(over) = self.threshold.over() else {
            let room = MOST_VALUES.saturating_sub(self.total.values.len());
            self.total.values.extend(tally.values.into_iter().take(room));
            return;
        };
        let kept: usize = self.ticks.iter().map(|(_, tick)| tick.values.len()).sum();
        tally.values.truncate(MOST_VALUES.saturating_sub(kept));
        self.ticks.push_back((now, tally));
        while let Some((_, old)) = self.ticks.pop_front_if(|(at, _)| *at + over <= now) {
            self.total.n -= old.n;
            self.total.hits -= old.hits;
            self.total.sum_us -= old.sum_us;
        }
    }

    fn is_mine(&self, task: u16) -> bool {
        self.task.is_none_or(|mine| mine == task)
    }

    fn count(&self, sample: &Sample, tally: &mut Tally) {
        let has_time = !sample.reply.is_transport_failure();
        let mut time = |of: Ns| {
            if has_time {
                tally.time(microseconds(of), |us| self.is_wrong(us));
            }
        };
        match self.threshold.metric() {
            Metric::Response(_) => time(sample.response(self.scheduled)),
            Metric::RoundTrip(_) => time(sample.round_trip()),
            Metric::Lag(_) => time(sample.dispatch_lag()),
            Metric::Failed => tally.share(sample.failure.is_some()),
            Metric::Checks => tally.share(sample.failure.is_none_or(|one| one == Failure::Slow)),
            Metric::Throughput => tally.share(sample.failure.is_none()),
            Metric::Rate | Metric::Count => tally.n += 1,
            Metric::Dropped => {}
        }
    }

    /// The age of a request in flight, when that alone is on the wrong side of the limit: it can only grow.
    fn overdue(&self, now: Ns, one: &Waiting) -> Option<u32> {
        let since = match self.threshold.metric() {
            Metric::Response(_) if self.scheduled => one.intended,
            Metric::Response(_) | Metric::RoundTrip(_) => one.sent,
            _ => return None,
        };
        let age = microseconds(now.saturating_sub(since));
        (self.is_mine(one.task) && is_upper(&self.threshold) && self.is_wrong(age)).then_some(age)
    }

    /// Whether a time by itself breaks the comparison.
    fn is_wrong(&self, us: u32) -> bool {
        !holds(f64::from(us) / 1e3, &self.threshold)
    }

    /// The metric's value if the threshold is broken at `now`, as far as it is known; none while it holds, and while
    /// nothing gives the metric a value.
    pub(super) fn broken(&self, now: Ns) -> Option<Reading> {
        let over = self.threshold.over().unwrap_or(now).min(now);
        let per_second = |count: u64| Reading::Value(count as f64 / over.as_secs_f64());
        let total = &self.total;
        let share = || Some(Reading::Value(total.hits as f64 / total.n as f64));
        let reading = match self.threshold.metric() {
            Metric::Response(stat) | Metric::RoundTrip(stat) | Metric::Lag(stat) => {
                return self.time_broken(stat);
            }
            Metric::Failed | Metric::Checks if total.n == 0 => None,
            Metric::Failed | Metric::Checks => share(),
            // A window that is not full yet has no rate.
            Metric::Throughput | Metric::Rate
                if over < self.threshold.over().unwrap_or(Ns::ZERO) =>
            {
                None
            }
            Metric::Throughput => Some(per_second(total.hits)),
            Metric::Rate => Some(per_second(total.n)),
            Metric::Count | Metric::Dropped => Some(Reading::Value(total.n as f64)),
        };
        reading.filter(|reading| match reading {
            Reading::Value(value) => !holds(*value, &self.threshold),
            _ => false,
        })
    }

    fn time_broken(&self, stat: Stat) -> Option<Reading> {
        let overdue = self.waiting.len() as u64;
        let (n, hits) = (self.total.n + overdue, self.total.hits + overdue);
        let percent = match stat {
            Stat::Average => return self.average_broken(n),
            Stat::Minimum => 0.0,
            Stat::Maximum => 100.0,
            Stat::Percentile(percentile) => percentile.fraction() * 100.0,
        };
        let rank = nearest_rank(n, percent)?.max(1);
        let (is_broken, place) = if is_upper(&self.threshold) {
            (n - hits < rank, rank.saturating_sub(n - hits + 1))
        } else {
            (hits >= rank, rank - 1)
        };
        is_broken.then(|| self.value_at(place, hits))
    }

    fn average_broken(&self, n: u64) -> Option<Reading> {
        let waited: u64 = self.waiting.iter().map(|us| u64::from(*us)).sum();
        let ms = (self.total.sum_us + waited) as f64 / n as f64 / 1e3;
        let reading =
            if self.waiting.is_empty() { Reading::Value(ms) } else { Reading::AtLeast(ms) };
        (n > 0 && !holds(ms, &self.threshold)).then_some(reading)
    }

    /// The value at this place among the `hits` times on the wrong side.
    fn value_at(&self, place: u64, hits: u64) -> Reading {
        let ticks = self.ticks.iter().flat_map(|(_, tick)| &tick.values);
        let kept = ticks.chain(&self.total.values).chain(&self.waiting);
        let mut values: Vec<u32> = kept.copied().collect();
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        if values.len() as u64 != hits || place >= values.len() {
            let limit = self.threshold.limit();
            return if is_upper(&self.threshold) {
                Reading::AtLeast(limit)
            } else {
                Reading::AtMost(limit)
            };
        }
        let ms = f64::from(*values.select_nth_unstable(place).1) / 1e3;
        // What is still in flight will have taken longer than it has waited so far.
        if self.waiting.is_empty() { Reading::Value(ms) } else { Reading::AtLeast(ms) }
    }
}

impl Tally {
    fn time(&mut self, us: u32, is_wrong: impl Fn(u32) -> bool) {
        self.n += 1;
        self.sum_us += u64::from(us);
        if is_wrong(us) {
            self.hits += 1;
            self.values.push(us);
        }
    }

    fn share(&mut self, is_hit: bool) {
        self.n += 1;
        self.hits += u64::from(is_hit);
    }
}

/// Whether large values break the threshold.
pub(super) fn is_upper(threshold: &Threshold) -> bool {
    matches!(threshold.comparison(), Comparison::Less | Comparison::LessOrEqual)
}

fn holds(value: f64, threshold: &Threshold) -> bool {
    let limit = threshold.limit();
    match threshold.comparison() {
        Comparison::Less => value < limit,
        Comparison::LessOrEqual => value <= limit,
        Comparison::Greater => value > limit,
        Comparison::GreaterOrEqual => value >= limit,
        Comparison::Equal | Comparison::NotEqual => true,
    }
}

/// As the recorder rounds, so that both speak of the same value.
fn microseconds(time: Ns) -> u32 {
    u32::try_from(time.as_micros()).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "sliding_tests.rs"]
mod tests;
