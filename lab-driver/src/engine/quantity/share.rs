//! Shares: `0.12`, `12%`, `12 %`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::{Kind, finite, split};
use super::{QuantityError, quoted};

const KIND: Kind = Kind { name: "share", example: "0.01 or 1%" };

/// A part of the whole: 0 to 1.
///
/// ```
/// use lab_driver::engine::quantity::Share;
/// let share: Share = "12%".parse()?;
/// assert_eq!(share.fraction(), 0.12);
/// # Ok::<(), lab_driver::engine::quantity::QuantityError>(())
/// ```
#[derive(Copy, Clone, Debug, PartialEq, PartialOrd, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Share(f64);

impl Share {
    /// `fraction` of the whole; nothing unless it is 0 to 1.
    pub fn from_fraction(fraction: f64) -> Option<Self> {
        // Adding zero turns a negative zero, which would print a sign, into zero.
        (0.0..=1.0).contains(&fraction).then_some(Self(fraction + 0.0))
    }

    /// 0 to 1.
    pub fn fraction(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let share = f64::deserialize(from)?;
        Self::from_fraction(share)
            .ok_or_else(|| serde::de::Error::custom(format!("{share} is not a share, 0 to 1")))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_string())
    }
}

impl FromStr for Share {
    type Err = QuantityError;

    /// Reads a share; a bare number is the fraction.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (number, unit) = split(text, KIND)?;
        let text = text.trim();
        let whole = match unit {
            "" => 1.0,
            "%" => 100.0,
            _ => {
                return Err(QuantityError::UnknownUnit {
                    text: quoted(text),
                    unit: quoted(unit),
                    kind: KIND.name,
                    units: "none (0 to 1) and %",
                });
            }
        };
        finite(number)
            .and_then(|number| Self::from_fraction(number / whole))
            .ok_or_else(|| QuantityError::ShareAboveOne { text: quoted(text) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write() {
        let cases =
            [("0.12", 0.12), ("12%", 0.12), ("12 %", 0.12), ("0", 0.0), ("1", 1.0), ("100%", 1.0)];
        for (text, share) in cases {
            assert_eq!(text.parse(), Ok(Share(share)), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong_and_what_to_write() {
        let cases = [
            ("", "a share is missing"),
            ("-1%", "is negative"),
            ("NaN", "is not a share"),
            ("5", "\"5\" is more than the whole: a share is 0 to 1, or 0% to 100%"),
            ("101%", "more than the whole"),
            ("5ms", "unknown unit \"ms\""),
        ];
        for (text, part) in cases {
            let error = text.parse::<Share>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn prints_what_it_reads(share in 0.0_f64..=1.0) {
            prop_assert_eq!(Share(share).to_string().parse(), Ok(Share(share)));
        }

        #[test]
        fn survives_any_text(text in ".{0,80}") {
            let _ = text.parse::<Share>();
        }
    }
}
