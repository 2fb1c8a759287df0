//! A claim as a tree: what the parser makes, the evaluation walks and `Display` prints.

use super::dimension::Dimension;
use super::metric::Metric;
use crate::engine::time::Ns;

/// What is claimed.
#[derive(Debug, Clone, PartialEq)]
pub enum Relation {
    /// `a < b`, or an ordering `a < b <= c`.
    Chain {
        /// The leftmost side.
        first: Expr,
        /// Each further side with the comparison before it; at least one.
        rest: Vec<(Comparison, Expr)>,
    },
    /// `a within b ± c`.
    Within {
        /// What is claimed to be near.
        left: Expr,
        /// What it is near to.
        right: Expr,
        /// How near, both ways; a percentage is one of the right side's value.
        tolerance: Literal,
    },
}

/// Anything with a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A number that the author wrote.
    Literal(Literal),
    /// Something measured.
    Metric(Reference),
    /// `[endpoint ':'] knee(SET)`: where more load stops to bring more throughput.
    Knee {
        /// Whose throughput; none for all requests together.
        endpoint: Option<String>,
        /// In which set of runs.
        set: String,
    },
    /// `exit(RUN)`: the exit code of a command.
    Exit(String),
    /// Arithmetic.
    Binary {
        /// What is done.
        operator: Operator,
        /// To what.
        left: Box<Self>,
        /// And with what.
        right: Box<Self>,
    },
}

/// `[run '.'] [endpoint ':'] metric`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reference {
    /// Which run; none for the run at hand.
    pub run: Option<String>,
    /// Which row of the table; none for all requests together.
    pub endpoint: Option<String>,
    /// What of it.
    pub metric: Metric,
}

/// A number as written: `150`, `1.5s`, `12%`, `300/m`.
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct Literal {
    /// The digits' value; finite.
    pub number: f64,
    /// What stands behind them.
    pub unit: Unit,
}

/// A unit, or none.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum Unit {
    None,
    Microseconds,
    Milliseconds,
    Seconds,
    Minutes,
    Hours,
    Percent,
    PerSecond,
    PerMinute,
    PerHour,
}

/// `< <= > >= == !=`.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

/// `+ - * /`.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// All that the one parser reads; which parts are welcome depends on the scope.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statement {
    pub(super) relation: Relation,
    pub(super) dimension: Dimension,
    pub(super) over: Option<Ns>,
    pub(super) after: Option<Ns>,
}

impl Unit {
    /// Every unit with its canonical spelling, and the other spellings that are read.
    pub(super) const SPELLINGS: [(&'static str, Self); 12] = [
        ("", Self::None),
        ("us", Self::Microseconds),
        ("ms", Self::Milliseconds),
        ("s", Self::Seconds),
        ("m", Self::Minutes),
        ("h", Self::Hours),
        ("%", Self::Percent),
        ("/s", Self::PerSecond),
        ("/m", Self::PerMinute),
        ("/h", Self::PerHour),
        ("\u{b5}s", Self::Microseconds),
        ("\u{3bc}s", Self::Microseconds),
    ];

    /// What a number with this unit measures.
    pub fn dimension(self) -> Dimension {
        match self {
            Self::None => Dimension::Bare,
            Self::Percent => Dimension::Share,
            Self::PerSecond | Self::PerMinute | Self::PerHour => Dimension::Rate,
            Self::Microseconds
            | Self::Milliseconds
            | Self::Seconds
            | Self::Minutes
            | Self::Hours => Dimension::Time,
        }
    }
}

impl Literal {
    /// In the canonical unit of its dimension: milliseconds, share of one, per second, or as it is.
    /// A bare number is canonical in every dimension, which is why it needs no rewriting.
    pub fn value(self) -> f64 {
        match self.unit {
            Unit::None | Unit::Milliseconds | Unit::PerSecond => self.number,
            Unit::Microseconds => self.number / 1_000.0,
            Unit::Seconds => self.number * 1_000.0,
            Unit::Minutes => self.number * 60_000.0,
            Unit::Hours => self.number * 3_600_000.0,
            Unit::Percent => self.number / 100.0,
            Unit::PerMinute => self.number / 60.0,
            Unit::PerHour => self.number / 3_600.0,
        }
    }
}

impl Relation {
    /// Every side, from left to right; two for `within`.
    pub fn sides(&self) -> Vec<&Expr> {
        match self {
            Self::Chain { first, rest } => {
                std::iter::once(first).chain(rest.iter().map(|(_, side)| side)).collect()
            }
            Self::Within { left, right, .. } => vec![left, right],
        }
    }

    /// Everything that stands alone, in the order of the text: numbers, metrics, knees and exit codes.
    pub fn leaves(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        for side in self.sides() {
            side.collect_leaves(&mut found);
        }
        found
    }

    /// Every metric that is named, in the order of the text.
    pub fn references(&self) -> Vec<&Reference> {
        self.leaves()
            .into_iter()
            .filter_map(|leaf| match leaf {
                Expr::Metric(reference) => Some(reference),
                _ => None,
            })
            .collect()
    }
}

impl Expr {
    fn collect_leaves<'a>(&'a self, found: &mut Vec<&'a Self>) {
        match self {
            Self::Binary { left, right, .. } => {
                left.collect_leaves(found);
                right.collect_leaves(found);
            }
            Self::Literal(_) | Self::Metric(_) | Self::Knee { .. } | Self::Exit(_) => {
                found.push(self);
            }
        }
    }

    /// Whether anything in it is measured, as opposed to written down.
    pub(super) fn is_measured(&self) -> bool {
        match self {
            Self::Literal(_) => false,
            Self::Metric(_) | Self::Knee { .. } | Self::Exit(_) => true,
            Self::Binary { left, right, .. } => left.is_measured() || right.is_measured(),
        }
    }
}
