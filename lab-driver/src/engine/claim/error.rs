//! What is wrong in a threshold or claim, where, and what to write instead.

use thiserror::Error;

/// A text that is no threshold or claim.
///
/// ```
/// use lab_driver::engine::claim::Threshold;
/// let error = Threshold::parse("/search:p95<150").unwrap_err();
/// assert_eq!(error.at(), 8);
/// assert_eq!(error.caret(), "/search:p95<150\n        ^");
/// assert_eq!(error.to_string(), "\"p95\" is not a metric: write p(95)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}: {remedy}")]
pub struct SyntaxError {
    text: String,
    at: usize,
    message: String,
    remedy: String,
}

impl SyntaxError {
    pub(super) fn new(text: &str, fault: Fault) -> Self {
        let Fault { at, message, remedy } = fault;
        Self { text: text.to_owned(), at: text.floor_char_boundary(at), message, remedy }
    }

    /// Where: a byte offset in the text, at most its length.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn remedy(&self) -> &str {
        &self.remedy
    }

    /// Two lines: some 80 characters of the text round the place, and a caret under it.
    pub fn caret(&self) -> String {
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let before: Vec<char> = self.text[..self.at].chars().map(plain).collect();
        let shown = &before[before.len().saturating_sub(50)..];
        let line = shown.iter().copied().chain(self.text[self.at..].chars().map(plain)).take(80);
        format!("{}\n{:width$}^", line.collect::<String>(), "", width = shown.len())
    }
}

/// A [`SyntaxError`] on its way out, before the whole text is known.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) remedy: String,
}

impl Fault {
    pub(super) fn new(at: usize, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { at, message: message.into(), remedy: remedy.into() }
    }

    /// The same, when what was read began `offset` bytes into the text.
    pub(super) fn shifted(self, offset: usize) -> Self {
        Self { at: self.at + offset, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        let caret = |text: &str, at| SyntaxError::new(text, Fault::new(at, "m", "r")).caret();
        assert_eq!(caret("a < b", 4), "a < b\n    ^");
        assert_eq!(caret("µ < b", 5), "µ < b\n    ^");
        assert_eq!(caret("a\tb", 2), "a b\n  ^");
        assert_eq!(caret("", 0), "\n^");
        assert_eq!(caret("ab", 9), "ab\n  ^");
        let long = caret(&"x".repeat(500), 300);
        assert_eq!(long, format!("{}\n{}^", "x".repeat(80), " ".repeat(50)));
    }
}
