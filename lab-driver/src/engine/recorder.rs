//! Records samples by DESIGN's definitions: each is attributed once by its intended start and once by its completion.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::{Distribution, Recording};
use super::outcome::{Failure, Reply};
use super::time::Ns;

/// One ended iteration with its four instants: intended ≤ ready ≤ sent ≤ done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Which of the plan's tasks.
    pub task: u16,
    /// The user who sent it, or the place in flight that it took: a number over all stripes.
    pub user: u32,
    /// Number of the user's iteration or of the arrival.
    pub index: u64,
    /// When it was planned to start.
    pub intended: Ns,
    /// When it could start: hold-back ends here, dispatch lag begins.
    pub ready: Ns,
    /// When the driver began to send it.
    pub sent: Ns,
    /// When the last byte of the response had arrived, or when it was given up.
    pub done: Ns,
    /// How the exchange ended.
    pub reply: Reply,
    /// Why it counts as failed, if it does.
    pub failure: Option<Failure>,
}

impl Sample {
    /// From sending to the last byte.
    pub fn round_trip(&self) -> Ns {
        self.done.saturating_sub(self.sent)
    }

    /// From the intended start when there is a schedule to be late on, else from sending.
    pub fn response(&self, scheduled: bool) -> Ns {
        if scheduled { self.done.saturating_sub(self.intended) } else { self.round_trip() }
    }

    /// The generator's own delay: sent − ready.
    pub fn dispatch_lag(&self) -> Ns {
        self.sent.saturating_sub(self.ready)
    }

    /// The target's or the in-flight limit's doing: ready − intended.
    pub fn hold_back(&self) -> Ns {
        self.ready.saturating_sub(self.intended)
    }
}

/// A measured window: [from, to).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First instant inside.
    pub from: Ns,
    /// First instant after it.
    pub to: Ns,
}

impl Window {
    /// How long it lasts.
    pub fn length(&self) -> Ns {
        self.to.saturating_sub(self.from)
    }
}

/// What one dispatcher records. Nothing in it is shared; recorders are merged when they have ended.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    scheduled: bool,
    windows: Vec<Window>,
    segments: Vec<SegmentRecording>,
}

#[derive(Clone, Debug, Default)]
struct SegmentRecording {
    endpoints: Vec<EndpointRecording>,
    dispatch_lag: Recording,
    hold_back: Recording,
}

#[derive(Clone, Debug, Default)]
struct EndpointRecording {
    counts: Counts,
    errors: BTreeMap<Failure, ErrorTally>,
    successful: Recording,
    unsuccessful: Recording,
    round_trip: Recording,
}

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

impl Recorder {
    /// For `tasks` tasks and ascending, disjoint `windows`.
    pub fn new(tasks: usize, windows: Vec<Window>, scheduled: bool) -> Self {
        let empty = SegmentRecording {
            endpoints: vec![EndpointRecording::default(); tasks],
            ..SegmentRecording::default()
        };
        Self { scheduled, segments: vec![empty; windows.len()], windows }
    }

    /// Records an ended iteration.
    pub fn record(&mut self, sample: &Sample) {
        if let Some(segment) = self.segment_at(sample.done) {
            segment.endpoints[usize::from(sample.task)].count_completion(sample);
        }
        let scheduled = self.scheduled;
        if let Some(segment) = self.segment_at(sample.intended) {
            segment.dispatch_lag.record(microseconds(sample.dispatch_lag()));
            segment.hold_back.record(microseconds(sample.hold_back()));
            segment.endpoints[usize::from(sample.task)].record_times(sample, scheduled);
        }
    }

    /// Counts a dropped arrival.
    pub fn record_drop(&mut self, task: u16, intended: Ns) {
        if let Some(segment) = self.segment_at(intended) {
            segment.endpoints[usize::from(task)].counts.dropped += 1;
        }
    }

    fn segment_at(&mut self, at: Ns) -> Option<&mut SegmentRecording> {
        let position = self.windows.partition_point(|window| window.to <= at);
        (self.windows.get(position)?.from <= at).then(|| &mut self.segments[position])
    }

    /// Ends the recording: one result per window.
    pub fn finish(self) -> Vec<SegmentResult> {
        let scheduled = self.scheduled;
        let ended = self.windows.into_iter().zip(self.segments);
        ended
            .map(|(window, segment)| SegmentResult {
                window,
                endpoints: segment.endpoints.into_iter().map(|one| one.finish(scheduled)).collect(),
                dispatch_lag: segment.dispatch_lag.finish(),
                hold_back: segment.hold_back.finish(),
            })
            .collect()
    }
}

impl EndpointRecording {
    fn count_completion(&mut self, sample: &Sample) {
        self.counts.completed += 1;
        self.counts.succeeded += u64::from(sample.failure.is_none());
        self.counts.served += u64::from(sample.failure.is_none_or(Failure::was_served));
        if let Reply::Answered { bytes, .. } = sample.reply {
            self.counts.bytes += bytes;
        }
    }

    fn record_times(&mut self, sample: &Sample, scheduled: bool) {
        self.counts.ended += 1;
        let response = microseconds(sample.response(scheduled));
        let round_trip = microseconds(sample.round_trip());
        let Some(failure) = sample.failure else {
            self.successful.record(response);
            if scheduled {
                self.round_trip.record(round_trip);
            }
            return;
        };
        self.counts.failed += 1;
        self.counts.checks_failed += u64::from(failure != Failure::Slow);
        let seen = ErrorTally { count: 1, first: sample.done, last: sample.done };
        self.errors.entry(failure).and_modify(|tally| *tally = tally.merged(seen)).or_insert(seen);
        match failure {
            Failure::Transport(_) => self.counts.transport_failed += 1,
            Failure::TimedOut | Failure::CutOff => {
                self.unsuccessful.record_censored(response);
                if scheduled {
                    self.round_trip.record_censored(round_trip);
                }
            }
            Failure::Status(_) | Failure::Check | Failure::Slow => {
                self.unsuccessful.record(response);
                if scheduled {
                    self.round_trip.record(round_trip);
                }
            }
        }
    }

    fn finish(self, scheduled: bool) -> EndpointResult {
        EndpointResult {
            counts: self.counts,
            errors: self.errors,
            successful: self.successful.finish(),
            unsuccessful: self.unsuccessful.finish(),
            round_trip: scheduled.then(|| self.round_trip.finish()),
        }
    }
}

fn microseconds(time: Ns) -> u64 {
    (time.0 + 500) / 1_000
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

#[cfg(test)]
mod tests {
    use super::super::outcome::TransportFailure;
    use super::*;

    const S: u64 = 1_000;

    fn ms(millis: u64) -> Ns {
        Ns::from_millis(millis)
    }

    fn sample(intended: u64, sent: u64, done: u64, failure: Option<Failure>) -> Sample {
        Sample {
            task: 0,
            user: 0,
            index: 0,
            intended: ms(intended),
            ready: ms(intended),
            sent: ms(sent),
            done: ms(done),
            reply: Reply::Answered { status: 200, bytes: 10, body_matches: true },
            failure,
        }
    }

    fn recorded(scheduled: bool, samples: &[Sample]) -> EndpointResult {
        let window = Window { from: ms(10 * S), to: ms(20 * S) };
        let mut recorder = Recorder::new(1, vec![window], scheduled);
        for sample in samples {
            recorder.record(sample);
        }
        recorder.finish().remove(0).endpoints.remove(0)
    }

    #[test]
    fn a_sample_belongs_to_a_window_twice_by_start_and_by_completion() {
        let inside = sample(12 * S, 12 * S, 13 * S, None);
        let drained = sample(19 * S, 19 * S, 21 * S, None);
        let warm_up = sample(9 * S, 9 * S, 11 * S, None);
        let result = recorded(false, &[inside, drained, warm_up]);
        assert_eq!(result.counts.completed, 2, "inside, and the one begun in the warm-up");
        assert_eq!(result.counts.ended, 2, "inside, and the one that drained");
        assert_eq!(result.successful.max().unwrap().us, 2_000_000);
        assert_eq!(result.counts.bytes, 20);
    }

    #[test]
    fn the_ends_of_a_window_are_half_open() {
        let result = recorded(false, &[sample(10 * S, 10 * S, 20 * S, None)]);
        assert_eq!((result.counts.ended, result.counts.completed), (1, 0));
    }

    #[test]
    fn scheduled_runs_keep_both_clocks() {
        let result = recorded(true, &[sample(12 * S, 14 * S, 15 * S, None)]);
        assert_eq!(result.response().max().unwrap().us, 3_000_000);
        assert_eq!(result.round_trip.unwrap().max().unwrap().us, 1_000_000);
        assert_eq!(recorded(false, &[sample(12 * S, 14 * S, 15 * S, None)]).round_trip, None);
    }

    #[test]
    fn failures_with_a_response_stay_in_transport_failures_have_no_time() {
        let refused = Some(Failure::Transport(TransportFailure::Refused));
        let result = recorded(
            false,
            &[
                sample(12 * S, 12 * S, 13 * S, Some(Failure::Status(500))),
                sample(12 * S, 12 * S, 12 * S, refused),
                sample(12 * S, 12 * S, 14 * S, Some(Failure::TimedOut)),
                sample(12 * S, 12 * S, 13 * S, Some(Failure::Slow)),
            ],
        );
        assert_eq!(result.response().totals.n, 3);
        assert!(result.response().max().unwrap().at_least);
        assert_eq!(result.counts.transport_failed, 1);
        assert_eq!((result.counts.succeeded, result.counts.served), (0, 1));
        assert_eq!(result.errors[&Failure::Status(500)].count, 1);
    }

    #[test]
    fn stripes_merge_to_one() {
        let samples: Vec<_> =
            (0..50).map(|i| sample(10 * S + i, 10 * S + i, 11 * S + 3 * i, None)).collect();
        let (odd, even): (Vec<_>, Vec<_>) = samples.iter().partition(|s| s.done.0 % 2 == 1);
        let mut merged = recorded(false, &odd);
        merged.merge(&recorded(false, &even));
        assert_eq!(merged, recorded(false, &samples));
    }
}
