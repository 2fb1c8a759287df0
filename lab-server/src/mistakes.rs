//! Settings that are wrong, collected so that all are told at once, and the checks that find them.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::time::Duration;

use crate::duration;

/// What is wrong with the settings, one line each.
#[derive(Debug, Default, thiserror::Error)]
pub struct Mistakes(Vec<String>);

impl Mistakes {
    /// The checked value of a flag, or `None` and one more mistake.
    pub(crate) fn check<T>(
        &mut self,
        flag: &str,
        text: &str,
        check: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        check(text).map_err(|reason| self.add(flag, text, &reason)).ok()
    }

    pub(crate) fn add(&mut self, flag: &str, text: &str, reason: &str) {
        self.0.push(format!("{flag} {text}: {reason}"));
    }

    /// `value` if nothing is wrong.
    pub(crate) fn unless_any<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self),
        }
    }
}

impl Display for Mistakes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        write!(f, "{count} setting{} wrong:", if count == 1 { " is" } else { "s are" })?;
        self.0.iter().try_for_each(|mistake| write!(f, "\n  {mistake}"))
    }
}

/// A whole number of 1 or more, for what cannot be none.
pub(crate) fn at_least_one<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "must be a whole number of 1 or more".to_owned())
}

/// A duration of work: above zero, and an hour at most.
pub(crate) fn work(text: &str) -> Result<Duration, String> {
    const LONGEST: Duration = Duration::from_hours(1);
    match duration::parse(text)? {
        Duration::ZERO => {
            Err("must be longer than zero: work that takes no time never queues".into())
        }
        time if time > LONGEST => Err("must be one hour at most".into()),
        time => Ok(time),
    }
}
