//! Durations as people write them: `100ms`, `1.5s`, `2m`; a bare number is seconds.

use std::time::Duration;

/// Reads a duration; the error is a sentence that says what would be right.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || "not a duration; write 100ms, 1.5s, 2m, or a bare number of seconds".to_owned();
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim_start() {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| "too long".to_owned())
}

/// Writes a duration so that [`parse`] reads it back: `100ms`, `1.5s`.
pub(crate) fn show(duration: Duration) -> String {
    format!("{duration:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_units_decimals_and_bare_seconds() {
        for (text, nanoseconds) in [
            ("100ms", 100_000_000),
            ("0.1", 100_000_000),
            ("1.5s", 1_500_000_000),
            ("1.5 s", 1_500_000_000),
            (".5", 500_000_000),
            ("2", 2_000_000_000),
            ("250us", 250_000),
            ("250µs", 250_000),
            ("7ns", 7),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("0", 0),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_nanos(nanoseconds)), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in ["", "ms", "-1s", "1.2.3s", "5 minutes", "inf", "NaN", "1e3", ".", "1,5s"] {
            assert!(parse(text).unwrap_err().contains("100ms"), "{text}");
        }
        assert_eq!(parse(&"9".repeat(40)), Err("too long".to_owned()));
    }

    proptest! {
        #[test]
        fn reads_back_what_it_shows(nanoseconds in 0_u64..1_000_000_000_000_000) {
            let duration = Duration::from_nanos(nanoseconds);
            prop_assert_eq!(parse(&show(duration)), Ok(duration));
        }
    }
}
