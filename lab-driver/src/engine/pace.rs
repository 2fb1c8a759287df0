//! The rate that was asked for beside the one that was made and the one that came back.

use super::plan::{Load, Plan, Think};
use super::record::RunRecord;
use super::time::Ns;

/// A start later than this waited for something.
pub const LATE: Ns = Ns::from_millis(5);

/// How a run with a schedule kept to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Starts per second that the plan asks for, on average.
    pub asked: f64,
    /// Starts per second made.
    pub started: f64,
    /// Completions per second of the measured window, of any outcome.
    pub completed: f64,
    /// Starts planned.
    pub planned: u64,
    /// Starts made.
    pub sent: u64,
    /// Those of the measured window that the target or the in-flight limit held back for more than [`LATE`].
    pub late: u64,
    /// Arrivals dropped.
    pub dropped: u64,
    /// Starts that were due and never made.
    pub never_sent: u64,
}

impl Pace {
    /// Of `record`; none where the plan asks for no number of starts.
    pub fn of(record: &RunRecord) -> Option<Self> {
        let totals = &record.totals;
        let planned = totals.planned?;
        // A run that was cut short has a window that ends with it.
        let end = record.segments.last().map_or(0.0, |segment| segment.to_s);
        let end = Ns::from_secs_f64(end).min(record.plan.duration);
        let seconds = planned_for(&record.plan, end).as_secs_f64();
        let per_second = |count: f64, length: f64| if length > 0.0 { count / length } else { 0.0 };
        let completed = record.segments.iter().flat_map(|segment| &segment.endpoints);
        let completed: u64 = completed.map(|endpoint| endpoint.counts.completed).sum();
        let measured = record.segments.iter().map(super::record::Segment::length_s).sum();
        let late =
            |hold_back: &super::distribution::Distribution| hold_back.count_above(LATE.as_micros());
        Some(Self {
            asked: per_second(asked(&record.plan, end), seconds),
            started: per_second(totals.started as f64, seconds),
            completed: per_second(completed as f64, measured),
            planned,
            sent: totals.started,
            late: record.segments.iter().map(|segment| late(&segment.hold_back)).sum(),
            dropped: totals.dropped,
            never_sent: totals.never_sent,
        })
    }
}

/// How many starts the plan asks for up to `end`.
fn asked(plan: &Plan, end: Ns) -> f64 {
    match &plan.load {
        Load::Open { rate, .. } => rate.integral(end),
        Load::Closed { users, think: Think::Schedule { period } } => {
            users.integral(end) / period.as_secs_f64()
        }
        Load::Closed { .. } => 0.0,
    }
}

/// The time up to `end` in which the plan has starts: a stage at 0 has none.
pub(super) fn planned_for(plan: &Plan, end: Ns) -> Ns {
    let level = match &plan.load {
        Load::Open { rate, .. } => rate,
        Load::Closed { users, .. } => users,
    };
    let inside = |(from, to): (Ns, Ns)| to.min(end).saturating_sub(from).0;
    Ns(level.above(0.0).into_iter().map(inside).sum())
}

#[cfg(test)]
mod tests {
    use super::super::arrivals::ArrivalTimes;
    use super::super::plan::Arrivals;
    use super::super::profile::{Piece, Profile};
    use super::super::testing::open;
    use super::*;

    #[test]
    fn a_stage_at_zero_asks_for_nothing() {
        let mut plan = open(100.0, 10, 30);
        let piece = |seconds, level| Piece { over: Ns::from_secs(seconds), from: level, to: level };
        let pieces = vec![piece(10, 100.0), piece(10, 0.0), piece(10, 50.0)];
        if let Load::Open { rate, .. } = &mut plan.load {
            *rate = Profile(pieces);
        }
        let end = Ns::from_secs(25);
        assert_eq!(planned_for(&plan, end), Ns::from_secs(15));
        assert!((asked(&plan, end) - 1_250.0).abs() < 1e-6);
        let Load::Open { rate, .. } = &plan.load else { unreachable!() };
        let times = ArrivalTimes::new(rate, Arrivals::Uniform, 1, 0, 1);
        assert_eq!(times.take_while(|(_, at)| *at < end).count(), 1_250);
    }
}
