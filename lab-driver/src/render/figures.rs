//! How numbers read: few digits, the same everywhere, and text that cannot steer a terminal.

use std::borrow::Cow;

use crate::engine::record::Segment;
use crate::engine::rows::Cell;

/// Stands where there is no number.
pub const NO_DATA: &str = "-";

/// Milliseconds without the unit: one decimal below 10, whole from there on.
pub fn ms(value: f64) -> String {
    decimals_below(value, 10.0)
}

/// Milliseconds for result files: one decimal below 100, whole from there on.
pub fn ms_in_files(value: f64) -> String {
    decimals_below(value, 100.0)
}

// The limit is compared with what would be printed, so that 9.96 becomes "10" and never "10.0".
fn decimals_below(value: f64, limit: f64) -> String {
    if value < limit - 0.05 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// Small delays, ms without the unit: two decimals below 1, then as [`ms`]; zero is "0".
pub fn delay_ms(us: u64) -> String {
    match us {
        0 => "0".to_owned(),
        1..5 => "<0.01".to_owned(),
        5..995 => format!("{:.2}", us as f64 / 1e3),
        _ => ms(us as f64 / 1e3),
    }
}

/// A statistic of a table row.
pub fn cell(cell: Cell) -> String {
    match cell {
        Cell::Ms(value) => ms(value),
        Cell::AtLeastMs(value) => format!("≥{}", ms(value)),
        Cell::NoData => NO_DATA.to_owned(),
    }
}

/// Per second, one decimal, without the unit.
pub fn rate(per_second: f64) -> String {
    format!("{per_second:.1}")
}

/// A share as a percentage: whole, but one decimal below 10 where it is not whole, and never "0" or "100" for
/// what is merely near.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let text = if percent.abs() < 9.95 || (99.0..100.0).contains(&percent) {
        format!("{percent:.1}")
    } else {
        format!("{percent:.0}")
    };
    match text.as_str() {
        "0.0" | "-0.0" if percent > 0.0 => "< 0.1 %".to_owned(),
        "100.0" if percent < 100.0 => "> 99.9 %".to_owned(),
        "-0.0" => "0 %".to_owned(),
        text => format!("{} %", text.strip_suffix(".0").unwrap_or(text)),
    }
}

/// Seconds with unit: whole where they are whole, else one decimal.
pub fn seconds(value: f64) -> String {
    let text = format!("{value:.1}");
    format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
}

/// A level of a ramp: without decimals where it has none.
pub fn level(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The name of an endpoint's row: with the segment's in front where a run has several.
pub fn row_name(segment: &Segment, endpoint: &str) -> String {
    if segment.name.is_empty() {
        endpoint.to_owned()
    } else {
        format!("{} {endpoint}", segment.name)
    }
}

/// The text with control characters replaced, so that a name or message can neither break a line nor steer the
/// terminal.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().any(steers) {
        Cow::Owned(text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

// Besides control characters: the marks that reverse the reading direction of what follows.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_few_digits() {
        let shown: Vec<_> = [0.04, 5.24, 9.94, 9.96, 10.4, 409.6, 12_345.0].map(ms).into();
        assert_eq!(shown, ["0.0", "5.2", "9.9", "10", "10", "410", "12345"]);
        assert_eq!([9.96, 99.94, 99.96, 100.4].map(ms_in_files), ["10.0", "99.9", "100", "100"]);
        assert_eq!([0, 4, 40, 999, 5_240].map(delay_ms), ["0", "<0.01", "0.04", "1.0", "5.2"]);
    }

    #[test]
    fn shares_never_round_to_all_or_nothing() {
        let shown: Vec<_> =
            [0.0, 0.000_1, 0.01, 0.042, 0.25, 0.9991, 0.999_99, 1.0].map(percent).into();
        assert_eq!(
            shown,
            ["0 %", "< 0.1 %", "1 %", "4.2 %", "25 %", "99.9 %", "> 99.9 %", "100 %"]
        );
        assert_eq!(percent(-0.3), "-30 %");
    }

    #[test]
    fn lower_bounds_are_marked() {
        assert_eq!(cell(Cell::AtLeastMs(410.0)), "≥410");
        assert_eq!(cell(Cell::NoData), "-");
    }

    #[test]
    fn levels_and_seconds_drop_empty_decimals() {
        assert_eq!([40.0, 0.5, 300.0].map(level), ["40", "0.5", "300"]);
        assert_eq!([30.0, 7.25].map(seconds), ["30 s", "7.2 s"]);
    }

    #[test]
    fn an_escape_sequence_is_defused() {
        assert_eq!(plain("a\x1b[2Jb\n"), "a\u{fffd}[2Jb\u{fffd}");
        assert_eq!(plain("/items ≥"), "/items ≥");
    }
}
