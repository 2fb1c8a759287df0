//! Instants and lengths as integer nanoseconds, so that virtual time is exact and never drifts.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const PER_MICRO: u64 = 1_000;
const PER_MILLI: u64 = 1_000_000;
const PER_SEC: u64 = 1_000_000_000;

/// Nanoseconds since the run's start, or a length of time: 0 to some 584 years.
///
/// `+` stops at [`Ns::MAX`]: "never" plus a second is still never. `-` is for operands whose order
/// is known; where it is not, say [`Ns::saturating_sub`]. In JSON an `Ns` is a plain integer.
/// As text it reads and prints as [`crate::engine::quantity`] says.
///
/// ```
/// use lab_driver::engine::time::Ns;
/// assert_eq!(Ns::from_secs(90).to_string(), "1m30s");
/// assert_eq!("1.5s".parse(), Ok(Ns::from_millis(1_500)));
/// ```
#[derive(
    Copy,
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Ns(pub u64);

impl Ns {
    /// The run's start, or no time at all.
    pub const ZERO: Self = Self(0);
    /// Later than every instant of a run.
    pub const MAX: Self = Self(u64::MAX);

    /// `micros` microseconds, at most [`Ns::MAX`].
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(PER_MICRO))
    }

    /// `millis` milliseconds, at most [`Ns::MAX`].
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(PER_MILLI))
    }

    /// `secs` seconds, at most [`Ns::MAX`].
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(PER_SEC))
    }

    /// The nearest nanosecond to `secs` seconds; 0 for what is negative or no number.
    pub fn from_secs_f64(secs: f64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates at both ends and makes NaN 0, which is what is promised"
        )]
        let nanos = (secs * PER_SEC as f64 + 0.5) as u64;
        Self(nanos)
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Microseconds, the half rounded up.
    pub const fn as_micros(self) -> u64 {
        rounded(self.0, PER_MICRO)
    }

    /// Milliseconds, the half rounded up.
    pub const fn as_millis(self) -> u64 {
        rounded(self.0, PER_MILLI)
    }

    /// Milliseconds with their fraction.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / PER_MILLI as f64
    }

    /// Seconds with their fraction.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PER_SEC as f64
    }

    /// The sum, at most [`Ns::MAX`].
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// How much later `self` is than `other`, 0 if it is earlier.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// How much later `self` is than `other`, nothing if it is earlier.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// `self` `times` over, at most [`Ns::MAX`].
    #[must_use]
    pub const fn saturating_mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

const fn rounded(nanos: u64, unit: u64) -> u64 {
    nanos / unit + (nanos % unit >= unit / 2) as u64
}

impl Add for Ns {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl AddAssign for Ns {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Ns {
    type Output = Self;

    /// Asserts in debug builds that `other` is not the later one, and answers 0 in release builds.
    fn sub(self, other: Self) -> Self {
        debug_assert!(self >= other, "{self} - {other}: the later instant must stand on the left");
        self.saturating_sub(other)
    }
}

impl From<Duration> for Ns {
    fn from(length: Duration) -> Self {
        Self(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Ns> for Duration {
    fn from(length: Ns) -> Self {
        Self::from_nanos(length.0)
    }
}

impl fmt::Display for Ns {
    /// Exact, in the largest units that fit: `1h2m3.5s`, `250ms`, `1.5s`, `5us`, `0.002us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.0 {
            0 => "0s".to_owned(),
            n if n < PER_MILLI => decimal(n, PER_MICRO, "us"),
            n if n < PER_SEC => decimal(n, PER_MILLI, "ms"),
            n => {
                let (minutes, rest) = (n / (60 * PER_SEC), n % (60 * PER_SEC));
                let part = |n: u64, unit: &str| match n {
                    0 => String::new(),
                    n => format!("{n}{unit}"),
                };
                let seconds = if rest == 0 { String::new() } else { decimal(rest, PER_SEC, "s") };
                part(minutes / 60, "h") + &part(minutes % 60, "m") + &seconds
            }
        };
        f.pad(&text)
    }
}

fn decimal(nanos: u64, unit: u64, name: &str) -> String {
    let width = unit.ilog10() as usize;
    let fraction = format!("{:0width$}", nanos % unit);
    match fraction.trim_end_matches('0') {
        "" => format!("{}{name}", nanos / unit),
        digits => format!("{}.{digits}{name}", nanos / unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_in_the_largest_units_that_fit() {
        let cases = [
            (0, "0s"),
            (2, "0.002us"),
            (5_000, "5us"),
            (250 * PER_MILLI, "250ms"),
            (1_500 * PER_MICRO, "1.5ms"),
            (1_500 * PER_MILLI, "1.5s"),
            (60 * PER_SEC, "1m"),
            (90 * PER_SEC, "1m30s"),
            (3_600 * PER_SEC, "1h"),
            (3_723 * PER_SEC + 1, "1h2m3.000000001s"),
        ];
        for (nanos, text) in cases {
            assert_eq!(Ns(nanos).to_string(), text);
        }
        assert_eq!(format!("{:>6}", Ns::from_secs(1)), "    1s");
    }

    #[test]
    fn rounds_the_half_up() {
        assert_eq!((Ns(1_499).as_micros(), Ns(1_500).as_micros()), (1, 2));
        assert_eq!((Ns(499_999).as_millis(), Ns(500_000).as_millis()), (0, 1));
        assert_eq!(Ns::MAX.as_micros(), u64::MAX / 1_000 + 1);
        assert_eq!(Ns::from_secs_f64(0.000_000_001_5), Ns(2));
        assert_eq!(Ns::from_secs_f64(f64::NAN), Ns::ZERO);
        assert_eq!(Ns::from_secs_f64(-1.0), Ns::ZERO);
    }

    #[test]
    fn never_wraps_around() {
        assert_eq!(Ns::MAX + Ns(1), Ns::MAX);
        assert_eq!(Ns::from_secs(u64::MAX), Ns::MAX);
        assert_eq!(Ns(1).saturating_sub(Ns(2)), Ns::ZERO);
        assert_eq!((Ns(1).checked_sub(Ns(2)), Ns(3).checked_sub(Ns(2))), (None, Some(Ns(1))));
        assert_eq!(Ns::from(Duration::MAX), Ns::MAX);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "the later instant must stand on the left")]
    fn a_difference_the_wrong_way_round_is_a_mistake() {
        let _ = Ns(1) - Ns(2);
    }

    #[test]
    fn is_a_plain_integer_in_json() {
        assert_eq!(serde_json::to_string(&Ns(7)).expect("an integer"), "7");
        assert_eq!(serde_json::from_str::<Ns>("7").expect("an integer"), Ns(7));
    }
}
