//! Rates: `300`, `300/s`, `12/m`, `6/h`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::{Kind, finite, split};
use super::{QuantityError, quoted};
use crate::engine::time::Ns;

const KIND: Kind = Kind { name: "rate", example: "300/s, 12/m or 0.5" };

/// So many per second: finite, 0 or more.
///
/// ```
/// use lab_driver::engine::quantity::Rate;
/// let rate: Rate = "12/m".parse()?;
/// assert_eq!(rate.per_second(), 0.2);
/// assert_eq!(rate.to_string(), "0.2/s");
/// # Ok::<(), lab_driver::engine::quantity::QuantityError>(())
/// ```
#[derive(Copy, Clone, Debug, PartialEq, PartialOrd, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Rate(f64);

impl Rate {
    /// `rate` per second; nothing unless it is finite and 0 or more.
    pub fn from_per_second(rate: f64) -> Option<Self> {
        // Adding zero turns a negative zero, which would print a sign, into zero.
        (rate.is_finite() && rate >= 0.0).then_some(Self(rate + 0.0))
    }

    /// How many per second.
    pub fn per_second(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let rate = f64::deserialize(from)?;
        Self::from_per_second(rate)
            .ok_or_else(|| serde::de::Error::custom(format!("{rate} is not a rate per second")))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/s", self.0))
    }
}

impl FromStr for Rate {
    type Err = QuantityError;

    /// Reads a rate; a bare number is per second. Whether 0 makes sense is for the plan to say.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (number, unit) = split(text, KIND)?;
        let text = text.trim();
        let seconds = match unit {
            "" | "/s" => 1.0,
            "/m" => 60.0,
            "/h" => 3_600.0,
            _ if text.parse::<Ns>().is_ok() => {
                return Err(QuantityError::DurationForRate { text: quoted(text) });
            }
            _ => {
                return Err(QuantityError::UnknownUnit {
                    text: quoted(text),
                    unit: quoted(unit),
                    kind: KIND.name,
                    units: "/s, /m and /h",
                });
            }
        };
        finite(number).map(|count| Self(count / seconds)).ok_or_else(|| QuantityError::TooLarge {
            text: quoted(text),
            kind: KIND.name,
            limit: "1 followed by 300 zeros",
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write() {
        let cases = [
            ("300", 300.0),
            ("300/s", 300.0),
            ("12/m", 0.2),
            ("36/h", 0.01),
            ("0.5", 0.5),
            ("0", 0.0),
            (" 300 /s ", 300.0),
        ];
        for (text, rate) in cases {
            assert_eq!(text.parse(), Ok(Rate(rate)), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong_and_what_to_write() {
        let cases = [
            ("", "a rate is missing"),
            ("-1/s", "is negative"),
            ("NaN", "is not a rate"),
            ("/s", "is not a rate"),
            ("500ms", "\"500ms\" is a duration, not a rate"),
            ("30s", "is a duration, not a rate"),
            ("1.2k", "unknown unit \"k\" for a rate: the units are /s, /m and /h"),
            ("50/1s", "unknown unit \"/1s\""),
            ("300rps", "unknown unit \"rps\""),
        ];
        for (text, part) in cases {
            let error = text.parse::<Rate>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let error = "9".repeat(400).parse::<Rate>().expect_err("beyond f64").to_string();
        assert!(error.contains("too large a rate") && error.len() < 150, "{error}");
    }

    #[test]
    fn json_cannot_smuggle_in_a_negative_rate() {
        assert!(serde_json::from_str::<Rate>("-1").is_err());
        assert_eq!(serde_json::from_str::<Rate>("0.5").expect("a rate"), Rate(0.5));
        assert_eq!(serde_json::to_string(&Rate(0.5)).expect("a number"), "0.5");
    }

    proptest! {
        #[test]
        fn prints_what_it_reads(rate in prop::num::f64::POSITIVE | prop::num::f64::ZERO) {
            let rate = Rate::from_per_second(rate.abs()).expect("finite");
            prop_assert_eq!(rate.to_string().parse(), Ok(rate));
        }

        #[test]
        fn survives_any_text(text in ".{0,80}") {
            let _ = text.parse::<Rate>();
        }
    }
}
