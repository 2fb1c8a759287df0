//! What was recorded in one window, per task; merged over stripes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::Distribution;
use super::outcome::Failure;
use super::sample::TargetTimes;
use super::time::Ns;
use super::window::Window;

/// How many requests of an endpoint ended how, in one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Completions inside the segment, of any outcome.
    pub completed: u64,
    /// Those of `completed` that succeeded.
    pub succeeded: u64,
    /// Those of `completed` that the target served: successes, and answers that only came too late.
    pub served: u64,
    /// Body bytes of `completed`.
    pub bytes: u64,
    /// Ended requests whose intended start lies inside the segment.
    pub ended: u64,
    /// Those of `ended` that failed.
    pub failed: u64,
    /// Those of `ended` without a response time, because the connection failed.
    pub transport_failed: u64,
    /// Those of `ended` whose answer was not as the task expects, or never came.
    pub checks_failed: u64,
    /// Arrivals dropped whose intended start lies inside the segment.
    pub dropped: u64,
}

impl Counts {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.completed += other.completed;
        self.succeeded += other.succeeded;
        self.served += other.served;
        self.bytes += other.bytes;
        self.ended += other.ended;
        self.failed += other.failed;
        self.transport_failed += other.transport_failed;
        self.checks_failed += other.checks_failed;
        self.dropped += other.dropped;
    }
}

/// Where the response times of an endpoint went, summed over the requests of which the target told its part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Split {
    /// So many requests.
    pub n: u64,
    /// Their response times, ns.
    pub response_ns: u64,
    /// Of that, what they waited for a slot of the target, ns.
    pub queue_ns: u64,
    /// Of that, what they were worked on, ns.
    pub work_ns: u64,
    /// Of that, what a freeze held them, ns.
    pub freeze_ns: u64,
}

impl Split {
    /// Adds a request.
    pub fn add(&mut self, response: Ns, times: &TargetTimes) {
        self.n += 1;
        self.response_ns += response.0;
        self.queue_ns += times.queue.0;
        self.work_ns += times.work.0;
        self.freeze_ns += times.freeze.0;
    }

    /// Adds another's requests.
    pub fn merge(&mut self, other: &Self) {
        self.n += other.n;
        self.response_ns += other.response_ns;
        self.queue_ns += other.queue_ns;
        self.work_ns += other.work_ns;
        self.freeze_ns += other.freeze_ns;
    }

    /// Mean response time and its parts, ms: response, freeze, queue, work, and the rest, which is the network, the
    /// two programs, and in scheduled runs the wait before the sending. None without requests.
    pub fn means_ms(&self) -> Option<[f64; 5]> {
        let mean = |ns: u64| ns as f64 / self.n as f64 / 1e6;
        let told = self.freeze_ns + self.queue_ns + self.work_ns;
        let rest = mean(self.response_ns) - mean(told);
        let all = [self.response_ns, self.freeze_ns, self.queue_ns, self.work_ns].map(mean);
        (self.n > 0).then_some([all[0], all[1], all[2], all[3], rest])
    }
}

/// How often a failure came, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorTally {
    /// How often.
    pub count: u64,
    /// First time it was seen.
    pub first: Ns,
    /// Last time it was seen.
    pub last: Ns,
}

impl ErrorTally {
    /// Both together.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }
}

/// What was recorded in one window.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentResult {
    /// The window.
    pub window: Window,
    /// One entry per task, in the plan's order.
    pub endpoints: Vec<EndpointResult>,
    /// Dispatch lag of all tasks together.
    pub dispatch_lag: Distribution,
    /// Hold-back of all tasks together.
    pub hold_back: Distribution,
}

/// What was recorded of one task in one window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndpointResult {
    /// How many ended how.
    pub counts: Counts,
    /// The failures by kind.
    pub errors: BTreeMap<Failure, ErrorTally>,
    /// Response times of successes.
    pub successful: Distribution,
    /// Response times of failures that have one, and lower bounds of those that do not.
    pub unsuccessful: Distribution,
    /// Round-trip times of both, where they differ from response times: in scheduled runs.
    pub round_trip: Option<Distribution>,
    /// Where response times went, in runs that ask for it.
    pub split: Split,
}

impl SegmentResult {
    /// Adds what another stripe recorded in the same window.
    #[must_use]
    pub fn merged(mut self, other: &Self) -> Self {
        debug_assert_eq!(self.window, other.window, "stripes of one plan have the same windows");
        for (mine, others) in self.endpoints.iter_mut().zip(&other.endpoints) {
            mine.merge(others);
        }
        self.dispatch_lag = self.dispatch_lag.merged(&other.dispatch_lag);
        self.hold_back = self.hold_back.merged(&other.hold_back);
        self
    }
}

impl EndpointResult {
    /// Adds another's results.
    pub fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.split.merge(&other.split);
        for (failure, tally) in &other.errors {
            let sum = |mine: &mut ErrorTally| *mine = mine.merged(*tally);
            self.errors.entry(*failure).and_modify(sum).or_insert(*tally);
        }
        merge_into(&mut self.successful, &other.successful);
        merge_into(&mut self.unsuccessful, &other.unsuccessful);
        match (&mut self.round_trip, &other.round_trip) {
            (Some(mine), Some(others)) => merge_into(mine, others),
            (mine @ None, Some(others)) => *mine = Some(others.clone()),
            (_, None) => {}
        }
    }

    /// Response times whatever the outcome.
    pub fn response(&self) -> Distribution {
        self.successful.clone().merged(&self.unsuccessful)
    }
}

fn merge_into(mine: &mut Distribution, other: &Distribution) {
    *mine = std::mem::take(mine).merged(other);
}
