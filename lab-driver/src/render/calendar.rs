//! Instants as text: RFC 3339 in UTC, to the second, and back.

const DAY: i64 = 86_400;

/// The last second of the year 9999: RFC 3339 ends there.
const LAST: i64 = 253_402_300_799;

/// Seconds since the epoch of an RFC 3339 instant in UTC (`2026-11-30T21:00:05Z`); fractions are dropped.
///
/// None for any other text, another offset than `Z`, or a year before 1970.
pub fn unix_seconds(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time.split('.').next()?, ':')?;
    let in_range = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    in_range.then(|| days(year, month, day) * DAY + hour * 3_600 + minute * 60 + second)
}

/// The instant `seconds` after the epoch: `2026-11-30T21:00:05Z`.
pub fn rfc3339(seconds: i64) -> String {
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let of_day = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// `seconds` after `start`, both in whole seconds since the epoch, the fraction dropped.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float that does not fit becomes the nearest that does"
)]
pub fn later(start: i64, seconds: f64) -> i64 {
    start.saturating_add(seconds as i64).clamp(0, LAST)
}

fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let parts = text.split(separator).map(|part| {
        let digits =
            !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse().ok()).flatten()
    });
    parts.collect::<Option<Vec<i64>>>()?.try_into().ok()
}

// The year is taken to begin in March: the leap day is then its last day, and the days before month m
// (March = 0) are (153·m + 2) / 5.
const DAYS_OF_400_YEARS: i64 = 146_097;
const MARCH_0000_TO_EPOCH: i64 = 719_468;

fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - MARCH_0000_TO_EPOCH
}

fn date(days: i64) -> (i64, i64, i64) {
    let since_march = days + MARCH_0000_TO_EPOCH;
    let era = since_march.div_euclid(DAYS_OF_400_YEARS);
    let of_era = since_march.rem_euclid(DAYS_OF_400_YEARS);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_instants() {
        assert_eq!(unix_seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(unix_seconds("2000-02-29T12:00:00.5Z"), Some(951_825_600));
        assert_eq!(rfc3339(1_700_000_000), "2023-11-14T22:13:20Z");
    }

    #[test]
    fn other_text_is_none() {
        for text in
            ["", "yesterday", "2026-11-30", "2026-13-01T00:00:00Z", "2026-11-30T21:00:05+01:00"]
        {
            assert_eq!(unix_seconds(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back(seconds in 0..=LAST) {
            prop_assert_eq!(unix_seconds(&rfc3339(seconds)), Some(seconds));
        }

        #[test]
        fn hostile_text_never_panics(text in ".{0,40}", seconds in any::<i32>()) {
            let _ = unix_seconds(&text);
            let _ = rfc3339(seconds.into());
            for extreme in [f64::NAN, f64::INFINITY, -1e300] {
                let _ = rfc3339(later(i64::MAX, extreme));
            }
        }
    }
}
