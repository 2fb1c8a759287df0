//! One stripe of a run: executor, deadlines and recorder in one pure machine that both drivers feed.
//!
//! Whoever owns the clock calls [`Dispatch::turn`] until it answers `Wait`, carries out what it asks for, and
//! reports every completion. The live driver and the virtual one differ in nothing else.

use super::abort::overdue_from;
use super::executor::{Executor, Start, Step, build};
use super::in_flight::{Flight, InFlight};
use super::outcome::{Reply, judge};
use super::plan::{Plan, Task};
use super::recorder::Recorder;
use super::sample::{Sample, TargetTimes};
use super::segment_result::SegmentResult;
use super::tick::{Delta, Waiting};
use super::time::Ns;

/// What the driver has to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Send this iteration; report it with [`Dispatch::sent`] and later [`Dispatch::done`].
    Start(Start),
    /// Give up the exchange on this slot and report it with [`Dispatch::done`] as this reply.
    GiveUp(u32, Reply),
    /// Nothing until this instant or the next completion.
    Wait(Ns),
    /// The run is over and nothing is in flight.
    Finished,
}

/// One stripe of a run. No clock, no transport: instants come in, decisions go out.
pub struct Dispatch {
    executor: Box<dyn Executor + Send>,
    tasks: Vec<Task>,
    stripe: u32,
    stripes: u32,
    scheduled: bool,
    in_flight: InFlight,
    recorder: Recorder,
    delta: Delta,
    /// The age from which what is in flight is reported one by one.
    overdue_from: Option<Ns>,
    end: Ns,
    drain: Ns,
    stopped_at: Option<Ns>,
    tally: Tally,
}

/// What one stripe hands over at its end.
#[derive(Clone, Debug)]
pub struct StripeResult {
    /// One entry per measured window.
    pub segments: Vec<SegmentResult>,
    /// Counts over the stripe's whole life.
    pub tally: Tally,
}

/// Counts over a whole run, warm-up and drain included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Iterations begun.
    pub started: u64,
    /// Requests that ended, of any outcome.
    pub completed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Arrivals dropped.
    pub dropped: u64,
    /// Starts that were due before the run's end and never made.
    pub never_sent: u64,
}

impl StripeResult {
    /// Adds another stripe of the same run.
    #[must_use]
    pub fn merged(mut self, other: &Self) -> Self {
        let pairs = self.segments.into_iter().zip(&other.segments);
        self.segments = pairs.map(|(mine, others)| mine.merged(others)).collect();
        self.tally.started += other.tally.started;
        self.tally.completed += other.tally.completed;
        self.tally.failed += other.tally.failed;
        self.tally.dropped += other.tally.dropped;
        self.tally.never_sent += other.tally.never_sent;
        self
    }
}

impl Dispatch {
    /// Stripe `stripe` of `stripes` of `plan`.
    pub fn new(plan: &Plan, stripe: u32, stripes: u32) -> Self {
        let executor = build(plan, stripe, stripes);
        Self {
            in_flight: InFlight::new(executor.slots(), plan.tasks.iter().map(|task| task.timeout)),
            executor,
            stripe,
            stripes,
            scheduled: plan.is_scheduled(),
            recorder: Recorder::new(plan.tasks.len(), plan.windows(), plan.is_scheduled()),
            tasks: plan.tasks.clone(),
            delta: Delta::default(),
            overdue_from: overdue_from(plan),
            end: plan.duration,
            drain: plan.drain,
            stopped_at: None,
            tally: Tally::default(),
        }
    }

    /// Slots of this stripe.
    pub fn slots(&self) -> u32 {
        self.executor.slots()
    }

    /// The drawn parameter values of a started slot, until it is done.
    pub fn draws(&self, slot: u32) -> &[u32] {
        self.executor.draws(slot)
    }

    /// What to do at `now`. Instants never go back.
    pub fn turn(&mut self, now: Ns) -> Turn {
        if self.stopped_at.is_none() && now >= self.end {
            self.stop(self.end);
        }
        let phase_end = self.stopped_at.map_or(self.end, |at| at + self.drain);
        let deadline = self.in_flight.next_deadline();
        match deadline {
            Some((at, slot)) if at <= now => return Turn::GiveUp(slot, Reply::TimedOut),
            Some((_, slot)) if self.stopped_at.is_some() && phase_end <= now => {
                return Turn::GiveUp(slot, Reply::CutOff);
            }
            _ => {}
        }
        let next_start = loop {
            match self.executor.poll(now) {
                Step::Start(start) => return Turn::Start(start),
                Step::Drop { task, intended, .. } => {
                    self.recorder.record_drop(task, intended);
                    self.delta.dropped += 1;
                    self.tally.dropped += 1;
                }
                Step::WaitUntil(at) => break at,
                Step::WaitForCompletion => break Ns::MAX,
                Step::Finished => return Turn::Finished,
            }
        };
        let deadline = deadline.map_or(Ns::MAX, |(at, _)| at);
        Turn::Wait(next_start.min(deadline).min(phase_end))
    }

    /// The driver begins to send `start` at `at`.
    pub fn sent(&mut self, start: Start, at: Ns) {
        self.delta.started += 1;
        self.tally.started += 1;
        self.in_flight.add(start, at);
    }

    /// The exchange on `slot` ended at `at`. Reporting a slot that is not in flight is a no-op:
    /// a reply may cross its own time-out.
    pub fn done(&mut self, slot: u32, at: Ns, reply: Reply) {
        self.done_with(slot, at, reply, None);
    }

    /// The same with what the target said of its own part of the time, if it was asked.
    pub fn done_with(&mut self, slot: u32, at: Ns, reply: Reply, times: Option<TargetTimes>) {
        let Some(flight) = self.in_flight.remove(slot) else { return };
        let start = flight.start;
        let mut sample = Sample {
            task: start.task,
            user: self.stripe + start.slot * self.stripes,
            index: start.index,
            intended: start.intended,
            ready: start.ready,
            sent: flight.sent,
            done: at,
            reply,
            failure: None,
        };
        sample.failure =
            judge(&reply, &self.tasks[usize::from(start.task)], sample.response(self.scheduled));
        self.tally.completed += 1;
        self.tally.failed += u64::from(sample.failure.is_some());
        self.recorder.record(&sample);
        if let Some(times) = &times {
            self.recorder.record_split(&sample, times);
        }
        self.delta.samples.push(sample);
        self.executor.complete(at, slot, &reply);
    }

    /// Ends the run at `at` if that is before its planned end: windows end there too, so that what drains later
    /// counts in none. `at` has not passed yet. Answers whether it was before the end.
    pub fn end_by(&mut self, at: Ns) -> bool {
        let is_early = at < self.end && self.stopped_at.is_none();
        if is_early {
            self.end = at;
            self.recorder.end_by(at);
        }
        is_early
    }

    fn stop(&mut self, at: Ns) {
        self.stopped_at = Some(at);
        self.tally.never_sent = self.executor.stop(at);
    }

    /// Ends the drain at once: the next turns give up whatever is in flight.
    pub fn cut_drain(&mut self) {
        self.drain = Ns::ZERO;
    }

    /// Hands over what has happened since the last call, `now` being a tick.
    pub fn take_delta(&mut self, now: Ns) -> Delta {
        let mut delta = std::mem::take(&mut self.delta);
        delta.in_flight = self.in_flight.count();
        if let Some(by) = self.overdue_from.and_then(|age| now.0.checked_sub(age.0)) {
            let waiting = |flight: Flight| Waiting {
                task: flight.start.task,
                intended: flight.start.intended,
                sent: flight.sent,
            };
            delta.waiting = self.in_flight.since(Ns(by)).map(waiting).collect();
        }
        // The next batch is about as large; growing it anew each time would cost more than the samples.
        self.delta.samples.reserve(delta.samples.len());
        delta
    }

    /// Ends the stripe. What was recorded is handed over; nothing can be recorded after it.
    pub fn finish(&mut self) -> StripeResult {
        StripeResult { segments: std::mem::take(&mut self.recorder).finish(), tally: self.tally }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{closed, open};
    use super::*;
    use proptest::prelude::*;

    /// Runs a stripe against answers of the given lengths, dispatched up to `lag` late, and collects its samples.
    fn play(plan: &Plan, lengths: &[u64], lag: u64) -> (Vec<Sample>, StripeResult) {
        let mut dispatch = Dispatch::new(plan, 0, 1);
        let mut flying: std::collections::BTreeMap<u32, Ns> = std::collections::BTreeMap::new();
        let (mut now, mut started, mut samples) = (Ns(0), 0, Vec::new());
        loop {
            match dispatch.turn(now) {
                Turn::Start(start) => {
                    dispatch.sent(start, now);
                    flying.insert(start.slot, now + Ns(lengths[started % lengths.len()]));
                    started += 1;
                }
                Turn::GiveUp(slot, reply) => {
                    flying.remove(&slot);
                    dispatch.done(slot, now, reply);
                }
                Turn::Wait(until) => {
                    let first = flying.iter().map(|(slot, at)| (*at, *slot)).min();
                    now = match first {
                        Some((at, slot)) if at <= until => {
                            flying.remove(&slot);
                            let answer =
                                Reply::Answered { status: 200, bytes: 0, body_matches: true };
                            dispatch.done(slot, at.max(now), answer);
                            at.max(now)
                        }
                        _ => until + Ns(lag),
                    };
                }
                Turn::Finished => break,
            }
            samples.append(&mut dispatch.take_delta(now).samples);
        }
        (samples, dispatch.finish())
    }

    #[test]
    fn what_is_still_in_flight_after_the_drain_is_cut_off() {
        let mut plan = closed(1, 1);
        plan.drain = Ns::from_secs(2);
        let (samples, result) = play(&plan, &[10_000_000_000], 0);
        assert_eq!(samples.len(), 1);
        assert_eq!((samples[0].reply, samples[0].done), (Reply::CutOff, Ns::from_secs(3)));
        assert_eq!(result.segments[0].endpoints[0].counts.failed, 1);
    }

    #[test]
    fn a_time_out_enters_with_the_time_it_had_waited() {
        let mut plan = closed(1, 10);
        plan.tasks[0].timeout = Ns::from_millis(300);
        let (samples, _) = play(&plan, &[1_000_000_000], 0);
        assert!(
            samples
                .iter()
                .all(|s| s.reply == Reply::TimedOut && s.round_trip() == Ns::from_millis(300))
        );
        assert!(samples.len() > 10);
    }

    #[test]
    fn a_backlog_at_the_end_is_counted_and_not_worked_off() {
        let plan = open(100.0, 1, 1);
        let (samples, result) = play(&plan, &[100_000_000], 0);
        assert_eq!(samples.len(), 10, "one place, 100 ms each, one second");
        assert_eq!(result.tally.never_sent, 90);
        assert_eq!(samples[9].hold_back(), Ns::from_millis(900 - 90));
    }

    proptest! {
        #[test]
        fn instants_of_a_sample_are_in_order(
            is_open: bool, lengths in prop::collection::vec(1_000u64..400_000_000, 1..20), lag in 0u64..30_000_000,
        ) {
            let plan = if is_open { open(40.0, 2, 3) } else { closed(5, 3) };
            let (samples, _) = play(&plan, &lengths, lag);
            prop_assert!(!samples.is_empty());
            for s in samples {
                prop_assert!(s.intended <= s.ready && s.ready <= s.sent && s.sent <= s.done, "{s:?}");
            }
        }
    }
}
