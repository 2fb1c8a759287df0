//! Stops everything for a while, again and again, as a garbage collector or a stalled disk would.
//!
//! Requests are held at the entrance, before they take a slot of the target; work under way goes on.
//! At the end of a freeze they enter in the order in which they came, and no newcomer overtakes.

mod line;

use std::fmt::{self, Display, Formatter};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use serde::Serialize;

use self::line::{Line, Look};
use crate::clock::monotonic_ns;
use crate::duration;
use crate::timer::{self, Sleep};

const LONGEST: Duration = Duration::from_hours(1);

/// When a target is frozen: for the last `freeze` of each `period`, counted from the start or the
/// last reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycle {
    freeze: Duration,
    period: Duration,
}

impl Cycle {
    /// Frozen for the last `freeze` of each `period`; `Err` says in words why that cannot be.
    pub fn new(freeze: Duration, period: Duration) -> Result<Self, String> {
        let wrong = if freeze.is_zero() {
            "a freeze of zero is none; leave the flag out"
        } else if freeze >= period {
            "the freeze must be shorter than the period, or nothing is ever served"
        } else if period > LONGEST {
            "a period is one hour at most"
        } else {
            return Ok(Self { freeze, period });
        };
        Err(format!("{wrong}; write FREEZE/PERIOD, as 2s/10s"))
    }

    /// Reads `2s/10s`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        const FORM: &str = "write FREEZE/PERIOD, as 2s/10s: frozen for the last 2 s of each 10 s";
        let (freeze, period) = text.split_once('/').ok_or(FORM)?;
        let [freeze, period] = [freeze, period].map(duration::parse);
        Self::new(freeze.map_err(|_| FORM)?, period.map_err(|_| FORM)?)
    }

    /// Nanoseconds into the period that began at `started` or a whole number of periods later.
    fn phase(self, started: u64, now: u64) -> u64 {
        now.saturating_sub(started) % nanoseconds(self.period)
    }

    /// The end of the freeze under way, if there is one.
    fn frozen_until(self, started: u64, now: u64) -> Option<u64> {
        let left = nanoseconds(self.period) - self.phase(started, now);
        (left <= nanoseconds(self.freeze)).then(|| now + left)
    }
}

impl Display for Cycle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", duration::show(self.freeze), duration::show(self.period))
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).expect("an hour at most")
}

/// The freeze, as the counters show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Freezing {
    /// How long each freeze lasts.
    pub(crate) freeze_s: f64,
    /// How long a period lasts; the freeze is its end.
    pub(crate) period_s: f64,
    /// How far into its period the target is now.
    pub(crate) phase_s: f64,
    /// Whether it is frozen now.
    pub(crate) frozen: bool,
    /// How many requests are held now.
    pub(crate) held: u64,
    /// How many have been held since the last reset, those included that went away meanwhile.
    pub(crate) held_total: u64,
}

/// The entrance of a target that freezes.
pub(crate) struct Gate {
    cycle: Cycle,
    /// A std lock, because it is held for a few instructions and never across an await.
    line: Mutex<Line>,
}

impl Gate {
    /// Open, at the beginning of a period.
    pub(crate) fn new(cycle: Cycle) -> Arc<Self> {
        Arc::new(Self { cycle, line: Mutex::new(Line::new(cycle, monotonic_ns())) })
    }

    pub(crate) fn cycle(&self) -> Cycle {
        self.cycle
    }

    /// Does what is `inside` once the target is not frozen and all who came before are inside.
    /// Also answers for how many nanoseconds that was held back. Dropping the future leaves the line.
    pub(crate) async fn pass<F: Future>(self: &Arc<Self>, inside: F) -> (u64, F::Output) {
        let arrived = monotonic_ns();
        let ticket = self.lock().arrive(arrived);
        let Some(ticket) = ticket else { return (0, inside.await) };
        let place = Place { gate: Arc::clone(self), ticket };
        Turn { place: &place, pause: None }.await;
        let held = monotonic_ns() - arrived;
        // Until its first pause, so that it takes its slot, or its place in the target's own line,
        // before the next one enters, even if that one runs on another thread.
        let mut inside = pin!(inside);
        let entered = poll_fn(|context| Poll::Ready(inside.as_mut().poll(context))).await;
        drop(place);
        match entered {
            Poll::Ready(output) => (held, output),
            Poll::Pending => (held, inside.await),
        }
    }

    pub(crate) fn freezing(&self) -> Freezing {
        self.lock().freezing(monotonic_ns())
    }

    /// Begins a period now and forgets how many were held; who is held now may enter.
    pub(crate) fn reset(&self) {
        let first = self.lock().reset(monotonic_ns());
        if let Some(waker) = first {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().expect("nothing panics while it holds the line")
    }
}

/// A place in the line, left when dropped.
struct Place {
    gate: Arc<Gate>,
    ticket: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let next = self.gate.lock().leave(self.ticket);
        if let Some(waker) = next {
            waker.wake();
        }
    }
}

/// Completes when whoever has the place is first in line and the target is not frozen.
struct Turn<'a> {
    place: &'a Place,
    /// Only the first in line has a timer; each wakes the next.
    pause: Option<(u64, Sleep)>,
}

impl Future for Turn<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let Place { gate, ticket } = self.place;
            let look = gate.lock().look(*ticket, monotonic_ns(), context.waker());
            match look {
                Look::Enter => return Poll::Ready(()),
                Look::NotFirst => return Poll::Pending,
                Look::Frozen { until } => {
                    let same = self.pause.take().filter(|(end, _)| *end == until);
                    let (_, sleep) = self
                        .pause
                        .insert(same.unwrap_or_else(|| (until, timer::sleep_until(until))));
                    ready!(Pin::new(sleep).poll(context));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(freeze: u64, period: u64) -> Cycle {
        Cycle::new(Duration::from_nanos(freeze), Duration::from_nanos(period)).unwrap()
    }

    #[test]
    fn frozen_from_period_minus_freeze_up_to_the_period_and_then_again() {
        let cycle = cycle(2, 10);
        let until: Vec<_> = (100..121).map(|now| cycle.frozen_until(100, now)).collect();
        let mut expected = [None; 21];
        expected[8..10].fill(Some(110));
        expected[18..20].fill(Some(120));
        assert_eq!(until, expected);
    }

    #[test]
    fn a_cycle_is_read_and_shown_alike() {
        for (text, shown) in [("2s/10s", "2s/10s"), ("2/10", "2s/10s"), ("0.5 / 1m", "500ms/60s")] {
            let cycle = Cycle::parse(text).unwrap();
            assert_eq!(cycle.to_string(), shown);
            assert_eq!(Cycle::parse(shown), Ok(cycle));
        }
    }

    #[test]
    fn what_is_no_cycle_is_refused_with_the_form() {
        for (text, reason) in [
            ("", "as 2s/10s"),
            ("2s", "for the last 2 s"),
            ("/", "for the last 2 s"),
            ("2s/", "for the last 2 s"),
            ("2s/10s/20s", "for the last 2 s"),
            ("-1s/10s", "for the last 2 s"),
            ("soon/later", "for the last 2 s"),
            ("10s/10s", "shorter than the period"),
            ("11s/10s", "shorter than the period"),
            ("0/10s", "zero"),
            ("0/0", "zero"),
            ("1s/2h", "one hour"),
        ] {
            let told = Cycle::parse(text).unwrap_err();
            assert!(told.contains(reason) && told.contains("FREEZE/PERIOD"), "{text}: {told}");
        }
    }
}
