//! Thresholds, budgets, aborts and claims: one grammar, one parser, one judgement.
//!
//! The grammar stands above the parser, in `parser.rs`. A [`Threshold`] judges the run at hand; a
//! [`Claim`] of an exercise may compare runs, order them, and speak of knees and exit codes. Both
//! are judged over [`Facts`], and say what was observed.

mod ast;
mod atom;
mod dimension;
mod display;
mod error;
mod evaluate;
mod interval;
mod judged;
mod lexer;
mod metric;
mod parser;
mod shape;
mod shown;
#[cfg(test)]
mod tests;
mod threshold;

use std::fmt;

pub use ast::{Comparison, Expr, Literal, Operator, Reference, Relation, Unit};
pub use dimension::Dimension;
pub use error::SyntaxError;
pub use evaluate::Facts;
pub use judged::{Judged, Outcome, Reading, Side};
pub use metric::{Metric, Percentile, Stat, UnknownStat};
pub use threshold::{Threshold, fail_slower};

/// The names that a claim may use: letters, digits, `_` and `-`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Single runs, for `run.metric` and `exit(run)`.
    pub runs: Vec<String>,
    /// Sets of runs, such as a ramp, for `knee(set)` and `exit(set)`.
    pub sets: Vec<String>,
}

/// What is being read, and which parts of the grammar it may use.
#[derive(Debug, Clone, Copy)]
enum Scope<'a> {
    Threshold,
    Claim(&'a Names),
}

/// What an exercise claims of its runs.
///
/// ```
/// use lab_driver::engine::claim::{Claim, Facts, Metric, Names, Reading};
///
/// struct Table;
/// impl Facts for Table {
///     fn metric(&self, run: Option<&str>, _: Option<&str>, _: Metric) -> Reading {
///         match run {
///             Some("u20") => Reading::Value(179.0),
///             Some("u60") => Reading::AtLeast(1_104.0),
///             _ => Reading::NoData,
///         }
///     }
///     fn exit(&self, _: &str) -> Option<u8> {
///         None
///     }
///     fn knee(&self, _: &str, _: Option<&str>) -> Reading {
///         Reading::Between(40.0, 60.0)
///     }
/// }
///
/// let names = Names { runs: vec!["u20".into(), "u60".into()], sets: vec!["ramp".into()] };
/// let grows = Claim::parse("u60.p(95) > 3 * u20.p(95)", &names)?.judge(&Table);
/// assert!(grows.held());
/// assert_eq!(grows.to_string(), "u60.p(95) ≥1104 ms > 3 * u20.p(95) 537 ms");
///
/// let bend = Claim::parse("40 <= knee(ramp) <= 60", &names)?.judge(&Table);
/// assert!(bend.held());
/// # Ok::<(), lab_driver::engine::claim::SyntaxError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    source: String,
    relation: Relation,
    dimension: Dimension,
}

impl Claim {
    /// Reads a claim about runs and sets of these names.
    pub fn parse(text: &str, names: &Names) -> Result<Self, SyntaxError> {
        let statement = parser::parse(text, Scope::Claim(names))?;
        let ast::Statement { relation, dimension, .. } = statement;
        Ok(Self { source: text.trim().to_owned(), relation, dimension })
    }

    /// What the author wrote.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What is claimed.
    pub fn relation(&self) -> &Relation {
        &self.relation
    }

    /// What all its sides measure.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Every metric it needs, in the order of the text.
    pub fn references(&self) -> Vec<&Reference> {
        self.relation.references()
    }

    /// Whether it holds.
    pub fn judge(&self, facts: &impl Facts) -> Judged {
        evaluate::judge(&self.relation, self.dimension, facts)
    }
}

impl fmt::Display for Claim {
    /// The canonical spelling.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.relation.fmt(f)
    }
}
