//! Colour for verdict words: on a terminal only, and not when `NO_COLOR` is set.

use std::ffi::OsStr;
use std::fmt;

use anstyle::{AnsiColor, Reset, Style as Ansi};

use crate::engine::verdict::Outcome;

/// Whether output is coloured. Passed explicitly, so that the same result always renders the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    coloured: bool,
}

impl Style {
    /// No colour.
    pub const PLAIN: Self = Self { coloured: false };

    /// Colour if the output is a terminal, unless `NO_COLOR` has a value.
    pub fn new(is_terminal: bool, no_color: Option<&OsStr>) -> Self {
        Self { coloured: is_terminal && no_color.is_none_or(OsStr::is_empty) }
    }

    /// `word` in the colour of `outcome`.
    pub fn word(self, outcome: Outcome, word: &str) -> impl fmt::Display + '_ {
        Word { style: self.coloured.then(|| colour(outcome)), word }
    }
}

fn colour(outcome: Outcome) -> Ansi {
    let colour = match outcome {
        Outcome::Pass => AnsiColor::Green,
        Outcome::Fail => AnsiColor::Red,
        Outcome::Invalid => AnsiColor::Yellow,
    };
    colour.on_default().bold()
}

struct Word<'a> {
    style: Option<Ansi>,
    word: &'a str,
}

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.style {
            Some(style) => write!(f, "{style}{}{Reset}", self.word),
            None => f.write_str(self.word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_without_no_color_are_coloured() {
        let shown = |style: Style| style.word(Outcome::Fail, "FAIL").to_string();
        assert!(shown(Style::new(true, None)).starts_with("\x1b["));
        assert!(shown(Style::new(true, Some(OsStr::new("")))).contains("\x1b["));
        assert_eq!(shown(Style::new(true, Some(OsStr::new("1")))), "FAIL");
        assert_eq!(shown(Style::new(false, None)), "FAIL");
    }
}
