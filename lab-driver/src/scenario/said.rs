//! Something that a user wrote, with where; and how quantities are read from it.

use super::mistake::{Mistakes, Place};
use super::nearest::did_you_mean;
use crate::engine::quantity::Rate;
use crate::engine::time::Ns;

/// A text or value with the place it was written at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said<T = String> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

impl<T> Said<T> {
    pub(crate) fn new(value: T, place: Place) -> Self {
        Self { value, place }
    }

    pub(crate) fn with<U>(&self, value: U) -> Said<U> {
        Said { value, place: self.place.clone() }
    }
}

/// The longest run, and the longest time that anything in it may take.
pub(crate) const LONGEST_RUN: Ns = Ns::from_secs(30 * 24 * 3600);
/// The longest that a request or the drain may take: what the histograms hold.
pub(crate) const LONGEST_ANSWER: Ns = Ns::from_secs(3600);
/// The highest rate.
pub(crate) const HIGHEST_RATE: f64 = 10_000_000.0;
/// The most users, places in flight or weight.
pub(crate) const MOST: u32 = 1_000_000;

/// Readers note a mistake and answer nothing when the text is wrong;
/// `field` names the text in the message.
impl Said {
    /// A duration of at most `most`, and above 0 unless `may_be_zero`.
    pub(crate) fn duration(
        &self,
        field: &str,
        may_be_zero: bool,
        most: Ns,
        mistakes: &mut Mistakes,
    ) -> Option<Said<Ns>> {
        let length: Ns = match self.value.parse() {
            Ok(length) => length,
            Err(error) => {
                mistakes.add_error(&self.place, &error);
                return None;
            }
        };
        if length == Ns::ZERO && !may_be_zero {
            mistakes.add(&self.place, format!("{field} 0 leaves no time"), "write more than 0");
            return None;
        }
        if length > most {
            let what = format!("{field} {length} is too long");
            mistakes.add(&self.place, what, format!("write at most {most}"));
            return None;
        }
        Some(self.with(length))
    }

    /// A rate above 0.
    pub(crate) fn rate(&self, field: &str, mistakes: &mut Mistakes) -> Option<Said<f64>> {
        let rate = self.rate_or_zero(field, mistakes)?;
        if rate.value == 0.0 {
            let what = format!("{field} 0 starts nothing");
            mistakes.add(&self.place, what, "write more than 0, such as 300/s");
            return None;
        }
        Some(rate)
    }

    /// A rate.
    pub(crate) fn rate_or_zero(&self, field: &str, mistakes: &mut Mistakes) -> Option<Said<f64>> {
        match self.value.parse::<Rate>() {
            Ok(rate) if rate.per_second() > HIGHEST_RATE => {
                let what = format!("{field} {rate} is more than any generator starts");
                mistakes.add(&self.place, what, format!("write at most {HIGHEST_RATE}/s"));
                None
            }
            Ok(rate) => Some(self.with(rate.per_second())),
            Err(error) => {
                mistakes.add_error(&self.place, &error);
                None
            }
        }
    }

    /// A whole number of at least 1; `zero` says what 0 would mean.
    pub(crate) fn count(
        &self,
        field: &str,
        zero: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Said<u32>> {
        let count = self.count_or_zero(field, mistakes)?;
        if count.value == 0 {
            mistakes.add(&self.place, format!("{field} 0 {zero}"), "write 1 or more");
            return None;
        }
        Some(count)
    }

    /// A whole number of at most [`MOST`].
    pub(crate) fn count_or_zero(&self, field: &str, mistakes: &mut Mistakes) -> Option<Said<u32>> {
        let text = self.value.trim();
        match text.parse::<u32>() {
            Ok(count) if count <= MOST => return Some(self.with(count)),
            Ok(_) => {
                let what = format!("{field} {text} is too many");
                mistakes.add(&self.place, what, format!("write at most {MOST}"));
            }
            Err(_) => {
                let what = format!("{field} \"{}\" is not a whole number", short(text));
                mistakes.add(&self.place, what, format!("write a whole number from 1 to {MOST}"));
            }
        }
        None
    }

    /// One of a few words.
    pub(crate) fn word<T: Clone>(
        &self,
        field: &str,
        words: &[(&str, T)],
        mistakes: &mut Mistakes,
    ) -> Option<Said<T>> {
        let text = self.value.trim();
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(self.with(value.clone()));
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let remedy = did_you_mean(text, "words for it", &known);
        mistakes.add(&self.place, format!("{field} cannot be \"{}\"", short(text)), remedy);
        None
    }
}

/// The text for a message: without control characters, and cut where it would bury the message.
pub(crate) fn short(text: &str) -> String {
    let mut plain: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    plain = plain.replace("\\\"", "\"").replace("\\'", "'");
    if text.chars().nth(60).is_some() {
        plain.push('…');
    }
    plain
}
