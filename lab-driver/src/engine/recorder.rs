//! Records samples by DESIGN's definitions: each is attributed once by its intended start and once by its completion.

use std::collections::BTreeMap;

use super::outcome::{Failure, Reply};
use super::recording::Recording;
use super::sample::{Sample, TargetTimes};
use super::segment_result::{Counts, EndpointResult, ErrorTally, SegmentResult, Split};
use super::time::Ns;
use super::window::Window;

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
    /// Successes whose response time is their round-trip time, as it is for most: recorded once for both.
    undelayed: Recording,
    successful: Recording,
    unsuccessful: Recording,
    round_trip: Recording,
    split: Split,
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

    /// Records what the target said of the time that `sample` took.
    pub fn record_split(&mut self, sample: &Sample, times: &TargetTimes) {
        let response = sample.response(self.scheduled);
        if let Some(segment) = self.segment_at(sample.intended) {
            segment.endpoints[usize::from(sample.task)].split.add(response, times);
        }
    }

    /// Cuts off all windows at `at`, which has not passed yet.
    pub fn end_by(&mut self, at: Ns) {
        for window in &mut self.windows {
            window.to = window.to.min(at.max(window.from));
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
            if response == round_trip {
                self.undelayed.record(response);
            } else {
                self.successful.record(response);
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
        let undelayed = self.undelayed.finish();
        EndpointResult {
            counts: self.counts,
            split: self.split,
            errors: self.errors,
            successful: self.successful.finish().merged(&undelayed),
            unsuccessful: self.unsuccessful.finish(),
            round_trip: scheduled.then(|| self.round_trip.finish().merged(&undelayed)),
        }
    }
}

fn microseconds(time: Ns) -> u64 {
    (time.0 + 500) / 1_000
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
