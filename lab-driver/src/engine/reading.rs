//! Reads a metric from what a run measured: the one place that says what each metric means.

use super::claim::{Facts, Metric, Reading, Stat};
use super::distribution::{Distribution, Read};
use super::record::{AGGREGATED, Endpoint, RunRecord, Segment};

/// Response times above this share of failures are shown a second time for the successful requests alone.
pub const FAILED_SHARE_WORTH_A_ROW: f64 = 0.01;

/// One endpoint of one segment with its distributions merged: read as often as needed, merged once.
#[derive(Clone, Debug)]
pub struct View<'a> {
    segment: &'a Segment,
    endpoint: Endpoint,
    response: Distribution,
}

impl<'a> View<'a> {
    /// Of the endpoint called `name`, or of all together ([`AGGREGATED`]); none if there is no such endpoint.
    pub fn of(segment: &'a Segment, name: &str) -> Option<Self> {
        let endpoint = segment.endpoint(name)?;
        Some(Self { segment, response: endpoint.response(), endpoint })
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Response times whatever the outcome.
    pub fn response(&self) -> &Distribution {
        &self.response
    }

    /// Per second of the window.
    pub fn per_second(&self, count: u64) -> f64 {
        let seconds = self.segment.length_s();
        if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
    }

    /// Completions per second that the target served: successes, and answers that were only too late.
    pub fn served_per_second(&self) -> f64 {
        self.per_second(self.endpoint.counts.served)
    }

    /// The value of `metric` in its canonical unit.
    pub fn read(&self, metric: Metric) -> Reading {
        let counts = &self.endpoint.counts;
        let share = |part: u64| match counts.ended {
            0 => Reading::NoData,
            ended => Reading::Value(part as f64 / ended as f64),
        };
        match metric {
            Metric::Response(stat) => self.time(&self.response, stat),
            Metric::RoundTrip(stat) => {
                self.time(self.endpoint.round_trip.as_ref().unwrap_or(&self.response), stat)
            }
            Metric::Lag(stat) => statistic(&self.segment.dispatch_lag, stat),
            Metric::Failed => share(counts.failed),
            Metric::Checks => share(counts.ended - counts.checks_failed),
            Metric::Throughput => Reading::Value(self.per_second(counts.succeeded)),
            Metric::Rate => Reading::Value(self.per_second(counts.completed)),
            Metric::Count => Reading::Value(counts.completed as f64),
            Metric::Dropped => Reading::Value(counts.dropped as f64),
        }
    }

    /// A statistic of the successful requests alone.
    pub fn read_successful(&self, stat: Stat) -> Reading {
        self.time(&self.endpoint.successful, stat)
    }

    /// A time of requests; a lower bound as soon as arrivals were dropped, for nobody knows theirs.
    fn time(&self, times: &Distribution, stat: Stat) -> Reading {
        match statistic(times, stat) {
            // What was dropped can only have lowered the minimum.
            Reading::Value(value) if self.endpoint.counts.dropped > 0 && stat != Stat::Minimum => {
                Reading::AtLeast(value)
            }
            reading => reading,
        }
    }
}

/// A statistic of `times`, ms.
pub fn statistic(times: &Distribution, stat: Stat) -> Reading {
    let ms = |read: Option<Read>| match read {
        None => Reading::NoData,
        Some(Read { us, at_least: true }) => Reading::AtLeast(us as f64 / 1e3),
        Some(Read { us, at_least: false }) => Reading::Value(us as f64 / 1e3),
    };
    match stat {
        Stat::Average => match times.mean_us() {
            None => Reading::NoData,
            Some(mean) if times.is_censored() => Reading::AtLeast(mean / 1e3),
            Some(mean) => Reading::Value(mean / 1e3),
        },
        Stat::Minimum => ms(times.min()),
        Stat::Maximum => ms(times.max()),
        Stat::Percentile(percentile) => ms(times.percentile(percentile.fraction() * 100.0)),
    }
}

/// The facts of a single run, for its thresholds.
impl Facts for RunRecord {
    fn metric(&self, _run: Option<&str>, endpoint: Option<&str>, metric: Metric) -> Reading {
        // A run of several segments has no percentile of its own: it belongs to no load level.
        let [segment] = &self.segments[..] else { return Reading::NoData };
        View::of(segment, endpoint.unwrap_or(AGGREGATED))
            .map_or(Reading::NoData, |view| view.read(metric))
    }

    fn exit(&self, _run: &str) -> Option<u8> {
        None
    }

    fn knee(&self, _set: &str, _endpoint: Option<&str>) -> Reading {
        Reading::NoData
    }
}
