//! How long a piece of work lasts: one time, or anything within a range.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use crate::duration;
use crate::mistakes;

/// A range of durations, both ends included, all equally likely; above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    shortest: Duration,
    longest: Duration,
}

impl Work {
    /// Work from `shortest` to `longest`.
    ///
    /// # Panics
    /// If `shortest` is zero, or the longer of the two.
    pub const fn between(shortest: Duration, longest: Duration) -> Self {
        assert!(!shortest.is_zero() && shortest.as_nanos() <= longest.as_nanos());
        Self { shortest, longest }
    }

    /// The shortest it can last.
    pub fn shortest(self) -> Duration {
        self.shortest
    }

    /// The longest it can last.
    pub fn longest(self) -> Duration {
        self.longest
    }

    /// Reads `20ms` or `15ms..25ms`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (shortest, longest) = text.split_once("..").unwrap_or((text, text));
        let [shortest, longest] = [shortest, longest].map(mistakes::work);
        let (shortest, longest) = (shortest.map_err(with_form)?, longest.map_err(with_form)?);
        if shortest > longest {
            return Err("the shorter time comes first, as in 15ms..25ms".to_owned());
        }
        Ok(Self::between(shortest, longest))
    }

    /// The duration that a random word stands for.
    pub(crate) fn drawn(self, word: u64) -> Duration {
        let span = self.longest.abs_diff(self.shortest).as_nanos() + 1;
        let share = (u128::from(word) * span) >> 64;
        self.shortest + Duration::from_nanos(u64::try_from(share).expect("an hour at most"))
    }
}

fn with_form(reason: String) -> String {
    if reason.starts_with("not a duration") {
        "write one time, as 20ms, or a range, as 15ms..25ms".to_owned()
    } else {
        reason
    }
}

impl Display for Work {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [shortest, longest] = [self.shortest, self.longest].map(duration::show);
        if shortest == longest {
            f.write_str(&shortest)
        } else {
            write!(f, "{shortest}..{longest}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn one_time_or_a_range_is_read_and_shown_alike() {
        for (text, shown) in [
            ("15ms..25ms", "15ms..25ms"),
            ("20ms", "20ms"),
            ("20ms..20ms", "20ms"),
            ("0.015 .. 0.025", "15ms..25ms"),
            ("1us..1h", "1µs..3600s"),
        ] {
            let work = Work::parse(text).unwrap();
            assert_eq!(work.to_string(), shown, "{text}");
            assert_eq!(Work::parse(shown), Ok(work), "{shown}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_the_form_or_the_reason() {
        for text in ["", "..", "15ms..", "..25ms", "15ms-25ms", "15ms..25ms..35ms", "soon"] {
            assert!(Work::parse(text).unwrap_err().contains("15ms..25ms"), "{text}");
        }
        for (text, reason) in [
            ("25ms..15ms", "comes first"),
            ("0..25ms", "longer than zero"),
            ("0", "longer than zero"),
            ("1ms..2h", "one hour"),
        ] {
            let told = Work::parse(text).unwrap_err();
            assert!(told.contains(reason), "{text}: {told}");
        }
    }

    #[test]
    fn the_ends_are_reached_and_never_passed() {
        let [shortest, longest] = [15, 25].map(Duration::from_millis);
        let work = Work::between(shortest, longest);
        assert_eq!((work.drawn(0), work.drawn(u64::MAX)), (shortest, longest));
        assert_eq!(Work::between(longest, longest).drawn(u64::MAX / 3), longest);
    }

    /// The mean of 10,000 draws from 15 to 25 ms has a standard error of 29 µs: a bound of 150 µs is
    /// five of them, and each tenth of the range holds 1,000 ± 150 by the same measure.
    #[test]
    fn draws_are_spread_evenly_over_the_range_and_repeat_with_the_seed() {
        let work = Work::between(Duration::from_millis(15), Duration::from_millis(25));
        let sequence = |seed| {
            let mut stream = Stream::new(seed);
            std::iter::repeat_with(|| work.drawn(stream.next())).take(10_000).collect::<Vec<_>>()
        };
        let drawn = sequence(7);
        let mean = drawn.iter().sum::<Duration>() / 10_000;
        assert!(mean.abs_diff(Duration::from_millis(20)) < Duration::from_micros(150), "{mean:?}");
        let mut tenths = [0_u32; 10];
        for time in &drawn {
            let tenth = (time.as_micros() - 15_000) / 1_000;
            tenths[usize::try_from(tenth.min(9)).unwrap()] += 1;
        }
        assert!(tenths.iter().all(|count| count.abs_diff(1_000) < 150), "{tenths:?}");
        assert_eq!(drawn, sequence(7));
        assert_ne!(drawn, sequence(8));
    }
}
