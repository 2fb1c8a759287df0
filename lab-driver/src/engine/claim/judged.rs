//! What came of a threshold or claim, with the values that decided it, ready to print or to keep.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dimension::Dimension;
use super::interval::Interval;

/// Whether it holds. Only [`Outcome::Held`] passes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It does.
    Held,
    /// It does not.
    Broken,
    /// A value it needs is missing.
    NoData,
    /// A value it needs is known too little: "at least 120 ms" does not show "below 300 ms".
    NotShown,
}

impl Outcome {
    /// Of two parts of one claim: a broken one decides, then a missing one, then a doubtful one.
    pub(super) fn and(self, other: Self) -> Self {
        [Self::Broken, Self::NoData, Self::NotShown]
            .into_iter()
            .find(|worse| [self, other].contains(worse))
            .unwrap_or(Self::Held)
    }
}

/// A value in its canonical unit, as far as it is known. All numbers are finite.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// This.
    Value(f64),
    /// This or more: a censored value.
    AtLeast(f64),
    /// This or less: what is left when a censored value is taken away.
    AtMost(f64),
    /// From the first to the second, both included: a knee between two levels.
    Between(f64, f64),
    /// It exists, and may be anything: one censored value less another.
    Unknown,
    /// There are no samples, no such endpoint, no such run, or a division by zero.
    NoData,
}

impl Reading {
    /// Nothing without data; a value that is no number, as 0/0 gives, is no data either.
    pub(super) fn interval(self) -> Option<Interval> {
        let proper = |low: f64, high: f64| {
            (!low.is_nan() && !high.is_nan()).then(|| Interval::new(low, high))
        };
        match self {
            Self::Value(value) => value.is_finite().then(|| Interval::exactly(value)),
            Self::AtLeast(low) => proper(low, f64::INFINITY),
            Self::AtMost(high) => proper(f64::NEG_INFINITY, high),
            Self::Between(low, high) => proper(low.min(high), high.max(low)),
            Self::Unknown => Some(Interval::EVERYTHING),
            Self::NoData => None,
        }
    }

    /// The value with its unit and at least `digits` significant digits: `179 ms`, `≥300 ms`, `1.2%`.
    pub fn show(self, dimension: Dimension, digits: usize) -> String {
        let show = |value| show(value, dimension, digits);
        match self {
            Self::Value(value) => show(value),
            Self::AtLeast(low) => format!("≥{}", show(low)),
            Self::AtMost(high) => format!("≤{}", show(high)),
            Self::Between(low, high) => format!("{} to {}", show(low), show(high)),
            Self::Unknown => "unknown".to_owned(),
            Self::NoData => "no data".to_owned(),
        }
    }
}

impl From<Interval> for Reading {
    fn from(interval: Interval) -> Self {
        let Interval { low, high } = interval;
        match (low.is_finite(), high.is_finite()) {
            (true, true) if low < high => Self::Between(low, high),
            (true, true) => Self::Value(low),
            (true, false) => Self::AtLeast(low),
            (false, true) => Self::AtMost(high),
            (false, false) => Self::Unknown,
        }
    }
}

fn show(value: f64, dimension: Dimension, digits: usize) -> String {
    let short = |value| significant(value, digits);
    match dimension {
        Dimension::Time if value.abs() >= 10_000.0 => format!("{} s", short(value / 1_000.0)),
        Dimension::Time => format!("{} ms", short(value)),
        Dimension::Share => format!("{}%", short(value * 100.0)),
        Dimension::Rate => format!("{}/s", short(value)),
        Dimension::Count
        | Dimension::Level
        | Dimension::Exit
        | Dimension::Ratio
        | Dimension::Bare => short(value),
    }
}

/// Enough decimals for `digits` significant digits, none that are zeros at the end.
fn significant(value: f64, digits: usize) -> String {
    // Zero has no logarithm; one digit shows it.
    let magnitude = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let decimals = (digits as f64 - 1.0 - magnitude).clamp(0.0, 12.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0 to 12 just above"
    )]
    let text = format!("{value:.*}", decimals as usize);
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// A judged threshold or claim. Prints as `p(95) 179 ms < 300 ms`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// Whether it holds.
    pub outcome: Outcome,
    /// What all the sides measure.
    pub dimension: Dimension,
    /// From left to right; at least two.
    pub sides: Vec<Side>,
    /// What stands between the sides: a comparison each, or `within`.
    pub signs: Vec<String>,
    /// How near, after `within`.
    pub tolerance: Option<String>,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// As claimed, in the canonical spelling.
    pub text: String,
    /// Whether anything in it is measured; otherwise the value says it all.
    pub measured: bool,
    /// Its value.
    pub reading: Reading,
}

impl Judged {
    /// Whether it passes.
    pub fn held(&self) -> bool {
        self.outcome == Outcome::Held
    }

    /// The leftmost value with its unit.
    pub fn observed(&self) -> String {
        self.values().swap_remove(0)
    }

    /// The rightmost value with its unit: a threshold's limit.
    pub fn limit(&self) -> String {
        self.values().pop().expect("a comparison has sides")
    }

    /// All values, with the fewest digits, three at least, at which none looks like a different
    /// neighbour: `300.4 ms < 300 ms` and never `300 ms < 300 ms`.
    pub(super) fn values(&self) -> Vec<String> {
        let at = |digits| -> Vec<String> {
            self.sides.iter().map(|side| side.reading.show(self.dimension, digits)).collect()
        };
        let distinct = |texts: &Vec<String>| {
            let pairs = texts.windows(2).zip(self.sides.windows(2));
            pairs.into_iter().all(|(t, s)| t[0] != t[1] || s[0].reading == s[1].reading)
        };
        (3..12).map(at).find(distinct).unwrap_or_else(|| at(12))
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (side, value)) in self.sides.iter().zip(self.values()).enumerate() {
            if place > 0 {
                write!(f, " {} ", self.signs.get(place - 1).map_or("", String::as_str))?;
            }
            if side.measured {
                write!(f, "{} ", side.text)?;
            }
            f.write_str(&value)?;
        }
        self.tolerance.iter().try_for_each(|tolerance| write!(f, " ± {tolerance}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_units_and_few_digits() {
        let cases = [
            (179.3, Dimension::Time, "179 ms"),
            (28.96, Dimension::Time, "29 ms"),
            (0.0853, Dimension::Time, "0.0853 ms"),
            (1_234.0, Dimension::Time, "1234 ms"),
            (60_000.0, Dimension::Time, "60 s"),
            (0.012, Dimension::Share, "1.2%"),
            (0.0, Dimension::Share, "0%"),
            (19.94, Dimension::Rate, "19.9/s"),
            (1_000.0, Dimension::Count, "1000"),
            (-2.5, Dimension::Ratio, "-2.5"),
        ];
        for (value, dimension, text) in cases {
            assert_eq!(Reading::Value(value).show(dimension, 3), text);
        }
        assert_eq!(Reading::AtLeast(300.0).show(Dimension::Time, 3), "≥300 ms");
        assert_eq!(Reading::Between(40.0, 60.0).show(Dimension::Level, 3), "40 to 60");
        assert_eq!(Reading::NoData.show(Dimension::Time, 3), "no data");
    }

    #[test]
    fn of_two_parts_the_worse_decides() {
        use Outcome::{Broken, Held, NoData, NotShown};
        assert_eq!(Held.and(Held), Held);
        assert_eq!(NotShown.and(Broken), Broken);
        assert_eq!(NoData.and(NotShown), NoData);
        assert_eq!(Held.and(NotShown), NotShown);
    }
}
