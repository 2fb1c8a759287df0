//! The canonical spelling of a claim: the parser reads it back to the same tree.

use std::fmt;

use super::ast::{Comparison, Expr, Literal, Operator, Reference, Relation, Statement, Unit};
use super::lexer::is_sign;
use super::metric::Metric;

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
        })
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
        })
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spelled = Unit::SPELLINGS.iter().find(|(_, unit)| *unit == self.unit);
        write!(f, "{}{}", self.number, spelled.map_or("", |(spelling, _)| spelling))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(run) = &self.run {
            write!(f, "{run}.")?;
        }
        match &self.endpoint {
            Some(name) if is_plain(name) && (self.run.is_some() || !could_name_a_run(name)) => {
                write!(f, "{name}:")?;
            }
            Some(name) => write!(f, "\"{}\":", name.replace('"', "\"\""))?,
            None => {}
        }
        self.metric.fmt(f)
    }
}

/// Whether the parser reads `name`, unquoted before a colon, as an endpoint and nothing else.
fn is_plain(name: &str) -> bool {
    let harmless = |c: char| c.is_alphanumeric() || " /_-{}?&%~,@#:.*=".contains(c);
    name.chars().all(harmless)
        && !name.contains("==")
        && !name.starts_with("http_req")
        && name.split(' ').all(|word| !word.is_empty() && !is_sign(word))
        && !name.rsplit(':').next().is_some_and(|last| Metric::is_prefix(last.trim()))
}

/// `api.v1/items` could be the run `api` and the endpoint `v1/items`.
fn could_name_a_run(name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.split_once('.').is_some_and(|(run, _)| !run.is_empty() && run.chars().all(part))
}

fn binding(expr: &Expr) -> u8 {
    match expr {
        Expr::Binary { operator: Operator::Add | Operator::Subtract, .. } => 1,
        Expr::Binary { .. } => 2,
        _ => 3,
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |f: &mut fmt::Formatter<'_>, expr: &Self, loosest: u8| {
            if binding(expr) < loosest { write!(f, "({expr})") } else { write!(f, "{expr}") }
        };
        match self {
            Self::Literal(literal) => literal.fmt(f),
            Self::Metric(reference) => reference.fmt(f),
            Self::Knee(set) => write!(f, "knee({set})"),
            Self::Exit(run) => write!(f, "exit({run})"),
            Self::Binary { operator, left, right } => {
                // Chains of equal strength lean to the left, so only a right one needs parentheses.
                side(f, left, binding(self))?;
                write!(f, " {operator} ")?;
                side(f, right, binding(self) + 1)
            }
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain { first, rest } => {
                first.fmt(f)?;
                rest.iter().try_for_each(|(sign, side)| write!(f, " {sign} {side}"))
            }
            Self::Within { left, right, tolerance } => {
                write!(f, "{left} within {right} ± {tolerance}")
            }
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.relation.fmt(f)?;
        if let Some(window) = self.over {
            write!(f, " over {window}")?;
        }
        if let Some(delay) = self.after {
            write!(f, " after {delay}")?;
        }
        Ok(())
    }
}
