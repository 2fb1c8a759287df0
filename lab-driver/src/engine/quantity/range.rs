//! Ranges of durations: `15ms..25ms`.

use std::fmt;
use std::str::FromStr;

use super::{QuantityError, quoted};
use crate::engine::time::Ns;

/// From one duration to another, both included; the first is never the longer.
///
/// ```
/// use lab_driver::engine::{quantity::Range, time::Ns};
/// let range: Range = "15ms..25ms".parse()?;
/// assert_eq!((range.low(), range.high()), (Ns::from_millis(15), Ns::from_millis(25)));
/// # Ok::<(), lab_driver::engine::quantity::QuantityError>(())
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    low: Ns,
    high: Ns,
}

impl Range {
    /// From `low` to `high`; nothing if `low` is the longer.
    pub fn new(low: Ns, high: Ns) -> Option<Self> {
        (low <= high).then_some(Self { low, high })
    }

    /// The shortest duration.
    pub fn low(self) -> Ns {
        self.low
    }

    /// The longest duration.
    pub fn high(self) -> Ns {
        self.high
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}..{}", self.low, self.high))
    }
}

impl FromStr for Range {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (low, high) = text
            .split_once("..")
            .ok_or_else(|| QuantityError::NotARange { text: quoted(text.trim()) })?;
        let (low, high) = (low.parse::<Ns>()?, high.parse::<Ns>()?);
        Self::new(low, high).ok_or_else(|| QuantityError::Backwards {
            text: quoted(text.trim()),
            low: low.to_string(),
            high: high.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, printed) in
            [("15ms..25ms", "15ms..25ms"), ("1..3", "1s..3s"), (" 1s .. 1s ", "1s..1s")]
        {
            assert_eq!(text.parse::<Range>().expect(text).to_string(), printed);
        }
    }

    #[test]
    fn says_what_is_wrong_and_what_to_write() {
        let cases = [
            ("15ms", "\"15ms\" is not a range: write two durations"),
            ("..25ms", "a duration is missing"),
            ("1s...3s", "is not a duration"),
            ("15..25ms", "runs backwards from 15s to 25ms"),
        ];
        for (text, part) in cases {
            let error = text.parse::<Range>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn prints_what_it_reads(low: u64, length: u64) {
            let range = Range::new(Ns(low), Ns(low) + Ns(length)).expect("in order");
            prop_assert_eq!(range.to_string().parse(), Ok(range));
        }

        #[test]
        fn survives_any_text(text in ".{0,80}") {
            let _ = text.parse::<Range>();
        }
    }
}
