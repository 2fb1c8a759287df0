//! A breakpoint: where a climbing arrival rate broke its rule, and apart from it where throughput stopped following.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counters::ResourceUse;
use super::plan::Load;
use super::profile::Profile;
use super::record::RunRecord;
use super::tick::Second;
use super::time::Ns;

/// What a climb says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Breakpoint {
    /// Where starts ended: the arrival rate that the rule let through; none when no rule was broken.
    pub stopped: Option<Height>,
    /// The end of the last second in which the target kept up, by [`KEPT_UP`]; none when it did until the end.
    pub knee: Option<Height>,
    /// What the target served per second from there on; none when less than a whole second of that was seen.
    pub ceiling: Option<f64>,
    /// The fullest resource of those that were full before the end, by the target's own counters.
    pub full: Option<ResourceUse>,
    /// The ceiling by law: the smallest number of servers over the service time of what each arrival asks of them.
    pub law_ceiling: Option<f64>,
    /// Where the simulator stops, per second (live runs only).
    pub simulated_stop: Option<f64>,
    /// Where the simulator has its knee, per second (live runs only).
    pub simulated_knee: Option<f64>,
}

/// A point of the climb.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Height {
    /// Seconds since the run's start.
    pub at_s: f64,
    /// Arrivals planned per second then.
    pub rate: f64,
}

/// A second keeps up when at least this share of what was due in it was served in it. Due is what was planned a usual
/// response time earlier: answers to a climbing rate are always that much behind it, at any load.
pub const KEPT_UP: f64 = 0.99;
/// A shorter piece of a second holds too few requests to say anything.
const SHORTEST_S: f64 = 0.5;

impl Breakpoint {
    /// Of a run with an open load, without predictions; none of any other.
    ///
    /// The knee is read from the seconds of the run: it lies at the end of the last one that kept up. Behind it every
    /// second until the stop fell short, which chance alone does not do.
    pub fn of(record: &RunRecord) -> Option<Self> {
        let Load::Open { rate, .. } = &record.plan.load else { return None };
        let end_s = record.segments.last()?.to_s;
        let height = |at_s: f64| Height { at_s, rate: rate.level(Ns::from_secs_f64(at_s)) };
        let seconds = seconds(record, rate, end_s);
        let kept = seconds.iter().rposition(|one| one.served >= KEPT_UP * one.due);
        let behind = &seconds[kept.map_or(0, |at| at + 1)..];
        let (first, last) = (behind.first(), behind.last());
        let length_s = first.zip(last).map_or(0.0, |(first, last)| last.to_s - first.from_s);
        let served: f64 = behind.iter().map(|one| one.served).sum();
        let closing = record.target.iter().flat_map(|target| &target.closing);
        Some(Self {
            stopped: record.aborted.as_ref().map(|_| height(end_s)),
            knee: first.map(|one| height(one.from_s)),
            ceiling: (length_s >= 1.0 - 1e-9).then(|| served / length_s),
            full: closing
                .filter(|one| one.full)
                .max_by(|a, b| a.utilization.total_cmp(&b.utilization))
                .cloned(),
            law_ceiling: None,
            simulated_stop: None,
            simulated_knee: None,
        })
    }
}

struct Piece {
    from_s: f64,
    to_s: f64,
    due: f64,
    served: f64,
}

/// The usual response time by Little's law, seconds: in flight over the arrival rate, at the median of the seconds in
/// the first half of the climb.
fn usual_response_s(record: &RunRecord, rate: &Profile, end_s: f64) -> f64 {
    let early = record.series.iter().filter(|second| second.t <= end_s / 2.0);
    let ratio = |second: &Second| {
        f64::from(second.in_flight) / rate.level(Ns::from_secs_f64(second.t)).max(1e-9)
    };
    let mut ratios: Vec<f64> = early.map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(0.0)
}

/// The seconds of the climb: what was due in each, and what was served.
fn seconds(record: &RunRecord, rate: &Profile, end_s: f64) -> Vec<Piece> {
    let usual_s = usual_response_s(record, rate, end_s);
    let due_by = |at_s: f64| rate.integral(Ns::from_secs_f64((at_s - usual_s).max(0.0)));
    let mut from_s = 0.0;
    let pieces = record.series.iter().map(|second| {
        let to_s = second.t;
        let served = second.completed.saturating_sub(second.failed) as f64;
        let due = due_by(to_s) - due_by(from_s);
        Piece { from_s: std::mem::replace(&mut from_s, to_s), to_s, due, served }
    });
    // A second that ends in the drain mixes both.
    let climbing = pieces.take_while(|piece| piece.to_s <= end_s + 1e-9);
    climbing.filter(|piece| piece.to_s - piece.from_s >= SHORTEST_S).collect()
}

#[cfg(test)]
mod tests {
    use super::super::abort::Abort;
    use super::super::dispatch::{StripeResult, Tally};
    use super::super::plan::Plan;
    use super::super::profile::Piece as Slope;
    use super::super::recorder::Recorder;
    use super::super::testing::{open, record};
    use super::*;

    /// A climb from 0 to 100/s in ten seconds, against a target that serves at most `ceiling`; aborted at `end_s`.
    fn climb(ceiling: f64, end_s: u64) -> RunRecord {
        let mut plan: Plan = open(1.0, 1_000, 10);
        let Load::Open { rate, .. } = &mut plan.load else { unreachable!() };
        *rate = Profile(vec![Slope { over: Ns::from_secs(10), from: 0.0, to: 100.0 }]);
        let mut recorder = Recorder::new(1, plan.windows(), true);
        recorder.end_by(Ns::from_secs(end_s));
        let segments = recorder.finish();
        let mut record = record(plan, StripeResult { segments, tally: Tally::default() });
        record.series = (1..=10)
            .map(|t| {
                let planned = f64::from(t) * 10.0 - 5.0;
                let completed = super::super::whole::nearest(planned.min(ceiling));
                Second { t: f64::from(t), completed, ..Second::default() }
            })
            .collect();
        record.aborted = Some(Abort {
            source: String::new(),
            endpoint: None,
            metric: String::new(),
            at_s: end_s as f64,
            observed: String::new(),
            limit: String::new(),
            over_s: None,
        });
        record
    }

    #[test]
    fn the_knee_is_apart_from_the_stop() {
        let found = Breakpoint::of(&climb(52.0, 8)).unwrap();
        // Planned in the sixth second: 55; in the fifth: 45.
        assert_eq!(found.knee, Some(Height { at_s: 5.0, rate: 50.0 }));
        assert_eq!(found.stopped, Some(Height { at_s: 8.0, rate: 80.0 }));
        assert_eq!(found.ceiling, Some(52.0));
    }

    #[test]
    fn one_bad_second_is_no_knee() {
        let mut record = climb(52.0, 8);
        record.series[2].completed = 3;
        assert_eq!(Breakpoint::of(&record).unwrap().knee, Some(Height { at_s: 5.0, rate: 50.0 }));
        // Failures are no throughput.
        record.series[4].failed = 20;
        assert_eq!(Breakpoint::of(&record).unwrap().knee, Some(Height { at_s: 4.0, rate: 40.0 }));
    }

    #[test]
    fn answers_that_are_behind_by_their_own_length_keep_up() {
        // Half a second each: 5 fewer in every second of this climb than were planned in it.
        let mut record = climb(200.0, 10);
        for (second, t) in record.series.iter_mut().zip(1..) {
            second.completed = (t * 10 - 10_u64).max(1);
            second.in_flight = u32::try_from(t * 5).unwrap();
        }
        assert_eq!(Breakpoint::of(&record).unwrap().knee, None);
    }

    #[test]
    fn a_target_that_kept_up_has_no_knee() {
        let mut record = climb(200.0, 10);
        record.aborted = None;
        let found = Breakpoint::of(&record).unwrap();
        assert_eq!((found.stopped, found.knee, found.ceiling), (None, None, None));
    }

    #[test]
    fn only_arrivals_climb() {
        assert_eq!(Breakpoint::of(&super::super::testing::served_at(5)), None);
    }
}
