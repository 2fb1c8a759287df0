//! What is wrong in a scenario or a flag: where, what, and what to do; all of it at once.

use std::fmt;
use std::sync::Arc;

/// Where something was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In a scenario file; line and column count from 1, the column in characters.
    In {
        /// The file as the user named it.
        file: Arc<str>,
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A flag or another argument.
    Named(Arc<str>),
}

impl Place {
    /// The flag or argument `name`.
    pub fn named(name: &str) -> Self {
        Self::Named(name.into())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::In { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub place: Place,
    /// What is wrong, without a full stop.
    pub what: String,
    /// What to do about it, without a full stop.
    pub remedy: String,
    /// The line it stands in and a caret under the place, where that helps.
    pub excerpt: Option<String>,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.place, self.what)?;
        for line in self.excerpt.iter().flat_map(|excerpt| excerpt.lines()) {
            writeln!(f, "    {line}")?;
        }
        write!(f, "    remedy: {}", self.remedy)
    }
}

/// All mistakes of one scenario and its flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// Notes a mistake.
    pub fn add(&mut self, place: &Place, what: impl Into<String>, remedy: impl Into<String>) {
        self.push(Mistake {
            place: place.clone(),
            what: what.into(),
            remedy: remedy.into(),
            excerpt: None,
        });
    }

    /// Notes a mistake.
    pub fn push(&mut self, mistake: Mistake) {
        self.0.push(mistake);
    }

    /// Notes a mistake whose message holds its own remedy after the last colon.
    pub fn add_error(&mut self, place: &Place, error: &impl fmt::Display) {
        let message = error.to_string();
        match message.rsplit_once(": ") {
            Some((what, remedy)) => self.add(place, what, remedy),
            None => self.add(place, message, "correct it"),
        }
    }

    /// `value` if there are no mistakes; else these, each once, in the order of the file and those of flags last.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self.sorted()) }
    }

    fn sorted(mut self) -> Self {
        // Stable, so that mistakes at one place stay in the order in which they were found.
        self.0.sort_by(|a, b| a.place.cmp(&b.place));
        let mut each: Vec<Mistake> = Vec::new();
        for mistake in self.0 {
            let mut here = each.iter().rev().take_while(|other| other.place == mistake.place);
            if !here.any(|other| *other == mistake) {
                each.push(mistake);
            }
        }
        Self(each)
    }

    /// These and `others`, each once, in the order of [`Mistakes::or`].
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self.sorted()
    }

    /// What was read beside these mistakes, if neither found any; else all of them.
    ///
    /// # Errors
    /// These and those of `read`, in the order of [`Mistakes::or`].
    pub fn beside<T>(self, read: Result<T, Self>) -> Result<T, Self> {
        match read {
            Ok(value) => self.or(value),
            Err(found) => Err(found.and(self)),
        }
    }

    /// Takes over the mistakes of `other`, each at the place that `place` gives for its own; not those without one.
    pub fn adopt(&mut self, other: Self, place: impl Fn(&Place) -> Option<Place>) {
        let moved = other.0.into_iter().filter_map(|one| {
            let place = place(&one.place)?;
            Some(Mistake { place, ..one })
        });
        self.0.extend(moved);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Mistake> {
        self.0.iter()
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mistake in &self.0 {
            writeln!(f, "{mistake}")?;
        }
        let count = self.0.len();
        let noun = if count == 1 { "mistake" } else { "mistakes" };
        write!(f, "{count} {noun}; nothing was sent and no file was written")
    }
}

impl std::error::Error for Mistakes {}
