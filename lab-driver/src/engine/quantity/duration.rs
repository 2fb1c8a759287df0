//! Durations: `30`, `1.5s`, `250ms`, `1m30s`; read with integer arithmetic, so nothing is rounded away.

use std::str::FromStr;

use super::number::{Kind, leading_number, split};
use super::{QuantityError, quoted};
use crate::engine::time::Ns;

const KIND: Kind = Kind { name: "duration", example: "30s, 250ms or 1m30s" };

/// From large to small, each with its nanoseconds. The two micro signs look alike and are both typed.
const UNITS: [(&str, u64); 7] = [
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
];

impl FromStr for Ns {
    type Err = QuantityError;

    /// Reads a duration; a bare number is seconds, and what is finer than a nanosecond is rounded.
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (number, rest) = split(text, KIND)?;
        if rest.is_empty() {
            return total(text, nanos(number, 1_000_000_000));
        }
        compound(text.trim())
    }
}

fn compound(text: &str) -> Result<Ns, QuantityError> {
    let bad = || QuantityError::BadCompound { text: quoted(text) };
    let (mut sum, mut last, mut fraction, mut rest) = (Some(0), u64::MAX, false, text);
    while !rest.is_empty() {
        let (number, after) = leading_number(rest).ok_or_else(bad)?;
        let after = after.trim_start();
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.' || c.is_whitespace());
        let (name, after) = after.split_at(end.unwrap_or(after.len()));
        if name.is_empty() {
            return Err(bad());
        }
        let (_, unit) = UNITS.iter().find(|(known, _)| *known == name).ok_or_else(|| {
            QuantityError::UnknownUnit {
                text: quoted(text),
                unit: quoted(name),
                kind: KIND.name,
                units: "h, m, s, ms and us",
            }
        })?;
        if *unit >= last || fraction {
            return Err(bad());
        }
        (last, fraction) = (*unit, number.contains('.'));
        sum = sum.zip(nanos(number, *unit)).and_then(|(a, b)| u128::checked_add(a, b));
        rest = after.trim_start();
    }
    total(text, sum)
}

/// `number` units in nanoseconds, the half rounded up; nothing on overflow.
fn nanos(number: &str, unit: u64) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    // 16 digits are finer than a nanosecond even for hours, and keep the product far from overflow.
    let fraction = &fraction[..fraction.len().min(16)];
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let part = fraction.parse::<u128>().unwrap_or(0) * u128::from(unit);
    let whole = whole.parse::<u64>().ok()?;
    Some(u128::from(whole) * u128::from(unit) + (part + scale / 2) / scale)
}

fn total(text: &str, nanos: Option<u128>) -> Result<Ns, QuantityError> {
    nanos.and_then(|sum| u64::try_from(sum).ok()).map(Ns).ok_or_else(|| QuantityError::TooLarge {
        text: quoted(text.trim()),
        kind: KIND.name,
        limit: "5000000h",
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write() {
        let cases = [
            ("30", 30_000_000_000),
            ("0.5", 500_000_000),
            ("0", 0),
            (" 30s ", 30_000_000_000),
            ("250ms", 250_000_000),
            ("250 ms", 250_000_000),
            ("5us", 5_000),
            ("5µs", 5_000),
            ("5μs", 5_000),
            ("1.5s", 1_500_000_000),
            ("1m30s", 90_000_000_000),
            ("1m 30s", 90_000_000_000),
            ("1h2m3.5s", 3_723_500_000_000),
            ("0.0000000015s", 2),
        ];
        for (text, nanos) in cases {
            assert_eq!(text.parse(), Ok(Ns(nanos)), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong_and_what_to_write() {
        let cases = [
            ("", "a duration is missing: write 30s"),
            ("-5s", "\"-5s\" is negative"),
            ("NaN", "\"NaN\" is not a duration"),
            ("inf", "\"inf\" is not a duration"),
            (".5s", "\".5s\" is not a duration"),
            ("5.s", "\"5.s\" is not a duration"),
            ("1e3", "unknown unit \"e\""),
            ("5min", "unknown unit \"min\" for a duration: the units are h, m, s, ms and us"),
            ("1m30", "each with its unit"),
            ("30s1m", "from large to small"),
            ("1s1s", "from large to small"),
            ("1.5m30s", "only the last with a decimal point"),
            ("99999999999999999999999h", "too large a duration: write at most 5000000h"),
            ("5124096h", "too large a duration"),
            ("300/s", "unknown unit \"/s\""),
        ];
        for (text, part) in cases {
            let error = text.parse::<Ns>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn prints_what_it_reads(nanos: u64) {
            prop_assert_eq!(Ns(nanos).to_string().parse(), Ok(Ns(nanos)));
        }

        #[test]
        fn survives_any_text(text in ".{0,80}") {
            let _ = text.parse::<Ns>();
        }

        #[test]
        fn survives_near_misses(text in "[0-9.smhu/%µ -]{0,30}") {
            let _ = text.parse::<Ns>();
        }
    }
}
