//! Ticks: ten times a second each dispatcher hands over what happened, and one collector makes sense of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::abort::{Abort, Aborts};
use super::distribution::nearest_rank;
use super::outcome::Reply;
use super::plan::Plan;
use super::sample::Sample;
use super::so_far::{Running, SoFar};
use super::time::Ns;

/// From one tick to the next.
pub const TICK: Ns = Ns::from_millis(100);

/// What happened in one stripe since the last tick.
#[derive(Clone, Debug, Default)]
pub struct Delta {
    /// Iterations begun.
    pub started: u64,
    /// Arrivals dropped.
    pub dropped: u64,
    /// In flight at the tick.
    pub in_flight: u32,
    /// Those of them that have waited long enough to break a rule by themselves; none where no rule asks.
    pub waiting: Vec<Waiting>,
    /// What ended.
    pub samples: Vec<Sample>,
}

/// A request in flight that has waited long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Which of the plan's tasks.
    pub task: u16,
    /// When it was planned to start.
    pub intended: Ns,
    /// When the driver began to send it.
    pub sent: Ns,
}

/// One second of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Second {
    /// When it ended, seconds since the run's start.
    pub t: f64,
    /// Iterations begun in it.
    pub started: u64,
    /// Requests that ended in it, of any outcome.
    pub completed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Arrivals dropped in it.
    pub dropped: u64,
    /// In flight at its end.
    pub in_flight: u32,
    /// Median response time of those that ended in it, µs; none when none has a response time, as for all of these.
    pub p50_us: Option<u64>,
    /// 66th percentile of the same, µs; like the others with a default, none in records from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p66_us: Option<u64>,
    /// 75th percentile of the same, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p75_us: Option<u64>,
    /// 80th percentile of the same, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p80_us: Option<u64>,
    /// 90th percentile of the same, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90_us: Option<u64>,
    /// 95th percentile of the same, µs.
    pub p95_us: Option<u64>,
    /// 98th percentile of the same, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p98_us: Option<u64>,
    /// 99th percentile of the same, µs.
    pub p99_us: Option<u64>,
    /// 99.9th percentile of the same, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_9_us: Option<u64>,
    /// 99.99th percentile of the same, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_99_us: Option<u64>,
    /// The longest of the same, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_us: Option<u64>,
    /// What all since the run's start come to at its end; none in records from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub so_far: Option<SoFar>,
    /// CPU seconds the driver used in it.
    pub cpu_s: f64,
}

impl Second {
    /// The percentiles of its response times, ascending, each with its percentage.
    pub fn percentiles_us(mut self) -> [(f64, Option<u64>); 11] {
        self.percentile_fields().map(|(percent, field)| (percent, *field))
    }

    fn percentile_fields(&mut self) -> [(f64, &mut Option<u64>); 11] {
        [
            (50.0, &mut self.p50_us),
            (66.0, &mut self.p66_us),
            (75.0, &mut self.p75_us),
            (80.0, &mut self.p80_us),
            (90.0, &mut self.p90_us),
            (95.0, &mut self.p95_us),
            (98.0, &mut self.p98_us),
            (99.0, &mut self.p99_us),
            (99.9, &mut self.p99_9_us),
            (99.99, &mut self.p99_99_us),
            (100.0, &mut self.max_us),
        ]
    }
}

/// Looks on while a run goes on, once a tick: the instant, the seconds so far, and what has just happened.
/// Answers whether the run may go on.
pub type Watch<'a> = &'a mut dyn FnMut(Ns, &[Second], &[Delta]) -> bool;

/// Merges the deltas of all stripes into a series of seconds, and judges the rules that may end the run.
#[derive(Clone, Debug)]
pub struct Collector {
    scheduled: bool,
    series: Vec<Second>,
    current: Second,
    responses: Vec<u32>,
    bytes: u64,
    running: Running,
    cpu_before: f64,
    next_second: Ns,
    aborts: Aborts,
    broken: Option<Abort>,
}

impl Collector {
    /// For a run of `plan`.
    pub fn of(plan: &Plan) -> Self {
        Self { aborts: Aborts::of(plan), ..Self::new(plan.is_scheduled()) }
    }

    /// `scheduled`: response times count from the intended start.
    pub fn new(scheduled: bool) -> Self {
        Self {
            scheduled,
            series: Vec::new(),
            current: Second::default(),
            responses: Vec::new(),
            bytes: 0,
            running: Running::new(),
            cpu_before: 0.0,
            next_second: Ns::from_secs(1),
            aborts: Aborts::default(),
            broken: None,
        }
    }

    /// The rule that was broken first, if one was: the run is to end.
    pub fn broken(&self) -> Option<&Abort> {
        self.broken.as_ref()
    }

    /// Judges no rule any more: somebody else has ended the run.
    pub fn stop_judging(&mut self) {
        self.aborts = Aborts::default();
    }

    /// Takes in the deltas of all stripes at the tick `now`; `cpu_s` is what the driver has used so far.
    pub fn tick(&mut self, now: Ns, deltas: &[Delta], cpu_s: f64) {
        self.current.in_flight = 0;
        for delta in deltas {
            self.add(delta);
        }
        if self.broken.is_none() {
            self.broken = self.aborts.tick(now, deltas);
        }
        if now >= self.next_second {
            self.close_second(now, cpu_s);
            while self.next_second <= now {
                self.next_second += Ns::from_secs(1);
            }
        }
    }

    fn add(&mut self, delta: &Delta) {
        self.current.started += delta.started;
        self.current.dropped += delta.dropped;
        self.current.in_flight += delta.in_flight;
        self.current.completed += delta.samples.len() as u64;
        for sample in &delta.samples {
            self.current.failed += u64::from(sample.failure.is_some());
            if let Reply::Answered { bytes, .. } = sample.reply {
                self.bytes += bytes;
            }
            if !sample.reply.is_transport_failure() {
                let response = sample.response(self.scheduled).as_micros();
                self.responses.push(u32::try_from(response).unwrap_or(u32::MAX));
            }
        }
    }

    fn close_second(&mut self, now: Ns, cpu_s: f64) {
        self.current.t = now.as_secs_f64();
        self.current.cpu_s = cpu_s - self.cpu_before;
        self.cpu_before = cpu_s;
        self.running.add(self.current.completed, self.bytes, &self.responses);
        self.current.so_far = Some(self.running.read());
        let n = self.responses.len() as u64;
        // From the bottom up, each among those above the last: the wide steps leave little for the many narrow ones.
        let mut from = 0;
        for (percent, field) in self.current.percentile_fields() {
            *field = nearest_rank(n, percent).map(|rank| {
                let place = usize::try_from(rank - 1).expect("below the length of a list");
                let (_, value, _) = self.responses[from..].select_nth_unstable(place - from);
                from = place;
                u64::from(*value)
            });
        }
        self.series.push(self.current);
        let in_flight = self.current.in_flight;
        self.current = Second { in_flight, ..Second::default() };
        self.responses.clear();
        self.bytes = 0;
    }

    /// The seconds so far.
    pub fn series(&self) -> &[Second] {
        &self.series
    }

    /// Ends the series at `now`, with the last piece of a second if anything happened in it.
    pub fn finish(mut self, now: Ns, cpu_s: f64) -> Vec<Second> {
        if self.current.started + self.current.completed + self.current.dropped > 0 {
            self.close_second(now, cpu_s);
        }
        self.series
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn batch(millis: impl Iterator<Item = u64>) -> Delta {
        let sample = |ms| Sample {
            reply: Reply::Answered { status: 200, bytes: ms, body_matches: true },
            ..testing::sample(Ns::ZERO, Ns::from_millis(ms))
        };
        Delta {
            started: 7,
            in_flight: 3,
            samples: millis.map(sample).collect(),
            ..Delta::default()
        }
    }

    #[test]
    fn a_second_has_the_percentiles_of_what_ended_in_it() {
        let mut collector = Collector::new(false);
        // 1 to 100 ms in no order, in two batches of one tick.
        let values = || (1..=100u64).map(|i| i * 37 % 101);
        let (odd, even) = (values().filter(|v| v % 2 == 1), values().filter(|v| v % 2 == 0));
        collector.tick(Ns::from_millis(1_000), &[batch(odd), batch(even)], 0.25);
        let second = collector.series()[0];
        let percentiles =
            second.percentiles_us().map(|(percent, us)| (percent, us.unwrap() / 1_000));
        let whole = [50u32, 66, 75, 80, 90, 95, 98, 99].map(|rank| (f64::from(rank), rank.into()));
        assert_eq!(percentiles[..8], whole);
        assert_eq!(percentiles[8..], [(99.9, 100), (99.99, 100), (100.0, 100)]);
        assert_eq!((second.started, second.completed, second.in_flight), (14, 100, 6));
        assert!((second.cpu_s - 0.25).abs() < 1e-12);
    }

    #[test]
    fn so_far_goes_on_from_second_to_second() {
        let mut collector = Collector::new(false);
        let so_far = |collector: &Collector| collector.series().last().unwrap().so_far.unwrap();
        collector.tick(Ns::from_secs(1), &[], 0.0);
        assert_eq!(so_far(&collector), SoFar::default(), "nothing has ended yet");
        collector.tick(Ns::from_secs(2), &[batch([10, 20, 90].into_iter())], 0.0);
        collector.tick(Ns::from_secs(3), &[batch([40].into_iter())], 0.0);
        let (third, all) = (collector.series()[2], so_far(&collector));
        assert_eq!((third.p50_us, third.max_us), (Some(40_000), Some(40_000)));
        assert_eq!((all.min_us, all.mean_us, all.max_us), (10_000, 40_000, 90_000));
        assert!((20_000..=20_020).contains(&all.median_us), "{all:?}");
        assert!((all.mean_bytes - 40.0).abs() < 1e-9);
        collector.tick(Ns::from_secs(4), &[], 0.0);
        assert_eq!(so_far(&collector), all, "a second in which nothing ended changes nothing");
    }

    #[test]
    fn a_second_of_an_older_record_reads_without_what_is_new() {
        let older = r#"{"t":1,"started":1,"completed":1,"failed":0,"dropped":0,"in_flight":0,
            "p50_us":9000,"p95_us":9000,"p99_us":9000,"cpu_s":0.01}"#;
        let second: Second = serde_json::from_str(older).unwrap();
        assert_eq!((second.p99_us, second.p98_us, second.so_far), (Some(9_000), None, None));
    }

    #[test]
    fn a_second_in_which_nothing_ended_has_no_percentile() {
        let mut collector = Collector::new(false);
        collector.tick(Ns::from_millis(1_000), &[], 0.0);
        assert_eq!(collector.series()[0].p99_us, None);
        let series = collector.finish(Ns::from_millis(1_400), 0.0);
        assert_eq!(series.len(), 1, "a piece in which nothing happened is not a second");
    }
}
