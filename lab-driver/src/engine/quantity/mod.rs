//! Durations, rates, shares and ranges as people write them; what is printed reads back the same.
//!
//! | kind | accepted | a bare number is |
//! |---|---|---|
//! | duration, [`Ns`](super::time::Ns) | `30`, `1.5s`, `250ms`, `5us`, `1m30s`, `2h` | seconds |
//! | rate, [`Rate`] | `300`, `300/s`, `12/m`, `6/h` | per second |
//! | share, [`Share`] | `0.12`, `12%`, `12 %` | 0 to 1 |
//! | range, [`Range`] | `15ms..25ms` | seconds, on each side |
//!
//! No exponents, no signs, no `k` or `M` (beside `m` for minutes they would be misread).

mod duration;
mod number;
mod range;
mod rate;
mod share;

use thiserror::Error;

pub(super) use number::leading_number;
pub use range::Range;
pub use rate::Rate;
pub use share::Share;

/// Why a text is not a quantity; each message names the text and says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// Nothing was written.
    #[error("a {kind} is missing: write {example}")]
    Empty {
        /// Which quantity was expected.
        kind: &'static str,
        /// A text that would do.
        example: &'static str,
    },
    /// A minus sign.
    #[error("\"{text}\" is negative: a {kind} is 0 or more, such as {example}")]
    Negative {
        /// What was written.
        text: String,
        /// Which quantity was expected.
        kind: &'static str,
        /// A text that would do.
        example: &'static str,
    },
    /// The text does not begin with digits, or has two decimal points.
    #[error("\"{text}\" is not a {kind}: write digits and a unit, such as {example}")]
    NotANumber {
        /// What was written.
        text: String,
        /// Which quantity was expected.
        kind: &'static str,
        /// A text that would do.
        example: &'static str,
    },
    /// A number followed by something that is no unit of this quantity.
    #[error("\"{text}\" has the unknown unit \"{unit}\" for a {kind}: the units are {units}")]
    UnknownUnit {
        /// What was written.
        text: String,
        /// The part that is no unit.
        unit: String,
        /// Which quantity was expected.
        kind: &'static str,
        /// The units there are.
        units: &'static str,
    },
    /// A rate was expected, a duration was written.
    #[error("\"{text}\" is a duration, not a rate: write how many per unit of time, such as 300/s")]
    DurationForRate {
        /// What was written.
        text: String,
    },
    /// The parts of a duration are out of order, repeated, without a unit, or with an early decimal point.
    #[error(
        "\"{text}\" is not a duration: its parts go from large to small, each with its unit and \
         only the last with a decimal point, such as 1h2m3.5s"
    )]
    BadCompound {
        /// What was written.
        text: String,
    },
    /// More than can be held.
    #[error("\"{text}\" is too large a {kind}: write at most {limit}")]
    TooLarge {
        /// What was written.
        text: String,
        /// Which quantity was expected.
        kind: &'static str,
        /// The most that is possible.
        limit: &'static str,
    },
    /// A share above one.
    #[error("\"{text}\" is more than the whole: a share is 0 to 1, or 0% to 100%")]
    ShareAboveOne {
        /// What was written.
        text: String,
    },
    /// A range without its two dots.
    #[error(
        "\"{text}\" is not a range: write two durations with two dots between, such as 15ms..25ms"
    )]
    NotARange {
        /// What was written.
        text: String,
    },
    /// A range whose upper end is below its lower end.
    #[error(
        "\"{text}\" runs backwards from {low} to {high}: write the smaller one first, and a unit on \
         both (a bare number is seconds)"
    )]
    Backwards {
        /// What was written.
        text: String,
        /// The left end as understood.
        low: String,
        /// The right end as understood.
        high: String,
    },
}

/// The text for a message, cut where it would bury the message.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
