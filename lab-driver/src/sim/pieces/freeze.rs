//! A stall that holds everyone at the entrance, again and again: a long garbage collection, a locked table.

use super::super::events::{Events, Job};
use super::Piece;
use crate::engine::counters::Resource;
use crate::engine::time::Ns;

/// Frozen for the last `freeze` of each `period`, counted from the run's start. Who comes meanwhile enters at its
/// end, in the order of coming; work under way behind the entrance goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freeze {
    freeze: Ns,
    period: Ns,
}

/// A longer period shows nothing in a run of minutes.
const LONGEST: Ns = Ns::from_secs(3_600);
const FORM: &str = "write FREEZE/PERIOD, such as 2s/10s: frozen for the last 2 s of each 10 s";

impl Freeze {
    /// Reads `2s/10s`.
    ///
    /// # Errors
    /// What is wrong with the text, and its form. The freeze is above zero and shorter than the period, the period
    /// one hour at most.
    pub fn read(text: &str) -> Result<Self, String> {
        let refused = |why: &str| Err(format!("= {text:?}{why}; {FORM}"));
        let times = text.split_once('/').map(|(f, p)| (f.trim().parse(), p.trim().parse()));
        let Some((Ok(freeze), Ok(period))) = times else { return refused(" is no freeze") };
        match (freeze, period) {
            (Ns(0), _) => refused(" freezes nothing"),
            _ if freeze >= period => refused(" never thaws"),
            _ if period > LONGEST => refused(" has a period above one hour"),
            _ => Ok(Self { freeze, period }),
        }
    }

    /// How long each freeze lasts.
    pub fn length(self) -> Ns {
        self.freeze
    }

    /// When a request that comes at `now` may enter: at once, or when the freeze under way ends.
    pub fn entry(self, now: Ns) -> Ns {
        let left = Ns(self.period.0 - now.0 % self.period.0);
        if left <= self.freeze { now + left } else { now }
    }
}

impl Piece for Freeze {
    fn arrive(&mut self, now: Ns, job: Job, events: &mut Events) {
        events.schedule(self.entry(now), job);
    }

    fn leave(&mut self, _now: Ns, _job: Job, _events: &mut Events) {}

    fn abandon(&mut self, _now: Ns, _job: Job, _events: &mut Events) {}

    fn resource(&self, _now: Ns) -> Option<Resource> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frozen_from_period_minus_freeze_up_to_the_period_and_then_again() {
        let freeze = Freeze { freeze: Ns(2), period: Ns(10) };
        let entries: Vec<u64> = (0..21).map(|now| freeze.entry(Ns(now)).0).collect();
        let expected: Vec<u64> =
            (0..21).map(|now| if now % 10 >= 8 { now - now % 10 + 10 } else { now }).collect();
        assert_eq!(entries, expected);
    }

    #[test]
    fn texts_are_read_as_the_servers_flag_reads_them() {
        let seconds = |freeze, period| Ok(Freeze { freeze, period });
        assert_eq!(Freeze::read("2s/10s"), seconds(Ns::from_secs(2), Ns::from_secs(10)));
        assert_eq!(Freeze::read("0.5 / 1m"), seconds(Ns::from_millis(500), Ns::from_secs(60)));
        for (text, why) in [
            ("2s", "is no freeze"),
            ("2s/10s/20s", "is no freeze"),
            ("soon/10s", "is no freeze"),
            ("0/10s", "freezes nothing"),
            ("10s/10s", "never thaws"),
            ("1s/2h", "above one hour"),
        ] {
            let told = Freeze::read(text).unwrap_err();
            assert!(told.contains(why) && told.contains("FREEZE/PERIOD"), "{text}: {told}");
        }
    }
}
