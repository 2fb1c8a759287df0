//! The line in front of a frozen target: who is held, who may enter. Reads no clock.

use std::collections::BTreeMap;
use std::task::Waker;

use super::{Cycle, Freezing};
use crate::clock::seconds;

/// What one who stands in line sees.
#[derive(Debug, PartialEq)]
pub(super) enum Look {
    /// First in line, and the target is not frozen.
    Enter,
    /// First in line, and the target is frozen until then.
    Frozen { until: u64 },
    /// Others come before; the last of them wakes this one.
    NotFirst,
}

/// Every `now` is nanoseconds of one clock.
pub(super) struct Line {
    cycle: Cycle,
    /// When a period began.
    started: u64,
    /// By ticket, and so by arrival. One who enters leaves the line only once it is inside.
    waiting: BTreeMap<u64, Waker>,
    tickets: u64,
    held_total: u64,
}

impl Line {
    pub(super) fn new(cycle: Cycle, now: u64) -> Self {
        Self { cycle, started: now, waiting: BTreeMap::new(), tickets: 0, held_total: 0 }
    }

    /// A ticket for one who must stand in line, because of a freeze or of those before; else `None`.
    pub(super) fn arrive(&mut self, now: u64) -> Option<u64> {
        if self.waiting.is_empty() && self.cycle.frozen_until(self.started, now).is_none() {
            return None;
        }
        self.tickets += 1;
        self.held_total += 1;
        self.waiting.insert(self.tickets, Waker::noop().clone());
        Some(self.tickets)
    }

    /// Whether the turn of `ticket` has come; if not, `waker` is woken when it may have.
    pub(super) fn look(&mut self, ticket: u64, now: u64, waker: &Waker) -> Look {
        let mut first = self.waiting.first_entry().expect("who looks is in line");
        if *first.key() != ticket {
            let place = self.waiting.get_mut(&ticket).expect("who looks is in line");
            place.clone_from(waker);
            return Look::NotFirst;
        }
        first.get_mut().clone_from(waker);
        match self.cycle.frozen_until(self.started, now) {
            Some(until) => Look::Frozen { until },
            None => Look::Enter,
        }
    }

    /// Takes `ticket` out; whoever becomes the first by that is to be woken.
    pub(super) fn leave(&mut self, ticket: u64) -> Option<Waker> {
        let was_first = self.waiting.first_key_value().is_some_and(|(first, _)| *first == ticket);
        self.waiting.remove(&ticket);
        if was_first { self.first() } else { None }
    }

    /// Begins a period; the first in line is to be woken, for the freeze may be over.
    pub(super) fn reset(&mut self, now: u64) -> Option<Waker> {
        (self.started, self.held_total) = (now, 0);
        self.first()
    }

    pub(super) fn freezing(&self, now: u64) -> Freezing {
        Freezing {
            freeze_s: self.cycle.freeze.as_secs_f64(),
            period_s: self.cycle.period.as_secs_f64(),
            phase_s: seconds(self.cycle.phase(self.started, now)),
            frozen: self.cycle.frozen_until(self.started, now).is_some(),
            held: self.waiting.len() as u64,
            held_total: self.held_total,
        }
    }

    fn first(&self) -> Option<Waker> {
        self.waiting.first_key_value().map(|(_, waker)| waker.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;
    use std::time::Duration;

    #[derive(Default)]
    struct Woken(AtomicU32);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Frozen from 8 to 10 of each 10 ns, begun at zero.
    fn line() -> Line {
        let [freeze, period] = [2, 10].map(Duration::from_nanos);
        Line::new(Cycle::new(freeze, period).unwrap(), 0)
    }

    fn look(line: &mut Line, ticket: u64, now: u64) -> Look {
        line.look(ticket, now, Waker::noop())
    }

    #[test]
    fn nobody_is_held_between_freezes() {
        let mut line = line();
        assert!([0, 7, 10, 17].iter().all(|now| line.arrive(*now).is_none()));
        let seen = line.freezing(17);
        assert_eq!((seen.held, seen.held_total, seen.frozen), (0, 0, false));
    }

    #[test]
    fn the_held_enter_in_order_and_a_newcomer_after_them() {
        let mut line = line();
        let [first, second] = [8, 9].map(|now| line.arrive(now).unwrap());
        assert_eq!(look(&mut line, first, 9), Look::Frozen { until: 10 });
        assert_eq!(look(&mut line, second, 9), Look::NotFirst);
        // The freeze is over; whoever looks first, the order is that of arrival.
        assert_eq!(look(&mut line, second, 10), Look::NotFirst);
        let newcomer = line.arrive(10).expect("others still stand in line");
        assert_eq!(look(&mut line, first, 10), Look::Enter);
        assert_eq!(look(&mut line, second, 10), Look::NotFirst, "the first is not inside yet");
        line.leave(first);
        assert_eq!(look(&mut line, newcomer, 11), Look::NotFirst);
        assert_eq!(look(&mut line, second, 11), Look::Enter);
        line.leave(second);
        assert_eq!(look(&mut line, newcomer, 11), Look::Enter);
        line.leave(newcomer);
        assert_eq!(line.arrive(12), None);
        assert_eq!((line.freezing(12).held, line.freezing(12).held_total), (0, 3));
    }

    #[test]
    fn who_leaves_wakes_the_next_only_if_it_was_the_first() {
        let mut line = line();
        let tickets = [8, 8, 8].map(|now| line.arrive(now).unwrap());
        let woken: [Arc<Woken>; 3] = Default::default();
        for (ticket, woken) in tickets.iter().zip(&woken) {
            line.look(*ticket, 8, &Arc::clone(woken).into());
        }
        assert!(line.leave(tickets[1]).is_none());
        line.leave(tickets[0]).expect("the third is first now").wake();
        assert_eq!(woken.each_ref().map(|woken| woken.0.load(Ordering::Relaxed)), [0, 0, 1]);
        assert!(line.leave(tickets[2]).is_none());
        assert_eq!(line.freezing(9).held, 0);
    }

    #[test]
    fn a_line_that_a_freeze_cuts_in_two_goes_on_in_order() {
        let mut line = line();
        let [first, second] = [9, 9].map(|now| line.arrive(now).unwrap());
        assert_eq!(look(&mut line, first, 10), Look::Enter);
        line.leave(first);
        // The second was so slow to look that the next freeze has begun.
        assert_eq!(look(&mut line, second, 18), Look::Frozen { until: 20 });
        assert_eq!(look(&mut line, second, 20), Look::Enter);
    }

    #[test]
    fn a_reset_begins_a_period_and_wakes_the_first_in_line() {
        let mut line = line();
        let first = line.arrive(9).unwrap();
        let woken = Arc::new(Woken::default());
        line.look(first, 9, &Arc::clone(&woken).into());
        line.reset(9).expect("someone is held").wake();
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        assert_eq!(look(&mut line, first, 9), Look::Enter);
        let seen = line.freezing(12);
        assert!((seen.phase_s - 3e-9).abs() < 1e-15, "{seen:?}");
        assert_eq!((seen.held, seen.held_total, seen.frozen), (1, 0, false));
        line.leave(first);
        assert_eq!([16, 17, 18].map(|now| line.arrive(now).is_some()), [false, true, true]);
    }
}
