//! Whether a claim holds, over facts that somebody else looks up.

use super::ast::{Comparison, Expr, Literal, Relation, Unit};
use super::dimension::Dimension;
use super::interval::Interval;
use super::judged::{Judged, Outcome, Reading, Side};
use super::metric::Metric;
use super::parser::leaf_dimension;

/// Where the values come from: one run, a set of runs, or a table in a test.
pub trait Facts {
    /// A metric in its canonical unit (milliseconds, share of one, per second, count). `run` is
    /// none for the run at hand, `endpoint` is none for all requests together.
    fn metric(&self, run: Option<&str>, endpoint: Option<&str>, metric: Metric) -> Reading;

    /// The exit code of a run's or a set's command; nothing if it has none.
    fn exit(&self, run: &str) -> Option<u8>;

    /// The knee of a set: [`Reading::Between`] the two levels, or [`Reading::AtLeast`] the last
    /// level where no knee was seen.
    fn knee(&self, set: &str) -> Reading;
}

/// One value, nothing where there are no data.
type Value = Option<(Interval, Dimension)>;

pub(super) fn judge(relation: &Relation, dimension: Dimension, facts: &impl Facts) -> Judged {
    let sides: Vec<_> =
        relation.sides().into_iter().map(|expr| (expr, value(expr, facts))).collect();
    let known: Option<Vec<Interval>> =
        sides.iter().map(|(_, value)| value.map(|(interval, _)| interval)).collect();
    let (signs, tolerance) = match relation {
        Relation::Chain { rest, .. } => {
            (rest.iter().map(|(sign, _)| sign.to_string()).collect(), None)
        }
        Relation::Within { tolerance, .. } => {
            (vec!["within".to_owned()], Some(tolerance.to_string()))
        }
    };
    let outcome = match relation {
        Relation::Chain { rest, .. } => {
            let links = rest.iter().zip(sides.windows(2));
            let each = links.map(|((sign, _), pair)| match (pair[0].1, pair[1].1) {
                (Some((left, _)), Some((right, _))) => left.compare(*sign, right),
                _ => Outcome::NoData,
            });
            each.reduce(Outcome::and).unwrap_or(Outcome::NoData)
        }
        Relation::Within { tolerance, .. } => {
            known.map_or(Outcome::NoData, |sides| within(sides[0], sides[1], *tolerance))
        }
    };
    let sides = sides
        .into_iter()
        .map(|(expr, value)| Side {
            text: expr.to_string(),
            measured: expr.is_measured(),
            reading: value.map_or(Reading::NoData, |(interval, _)| Reading::from(interval)),
        })
        .collect();
    Judged { outcome, dimension, sides, signs, tolerance }
}

fn value(expr: &Expr, facts: &impl Facts) -> Value {
    let reading = match expr {
        Expr::Literal(literal) => Reading::Value(literal.value()),
        Expr::Metric(of) => facts.metric(of.run.as_deref(), of.endpoint.as_deref(), of.metric),
        Expr::Knee(set) => facts.knee(set),
        Expr::Exit(run) => {
            facts.exit(run).map_or(Reading::NoData, |code| Reading::Value(f64::from(code)))
        }
        Expr::Binary { operator, left, right } => {
            let ((left, a), (right, b)) = (value(left, facts)?, value(right, facts)?);
            let (dimension, factor) =
                a.combine(*operator, b).expect("the parser has checked what may be combined");
            return Some((left.combine(*operator, right)?.scaled(factor), dimension));
        }
    };
    Some((reading.interval()?, leaf_dimension(expr)))
}

/// `left` is neither above the upper bound nor below the lower one.
fn within(left: Interval, right: Interval, tolerance: Literal) -> Outcome {
    let bound = |end: f64, sign: f64| match tolerance.unit {
        Unit::Percent => end + sign * end.abs() * tolerance.value(),
        _ => end + sign * tolerance.value(),
    };
    let shifted = |sign| Interval::new(bound(right.low, sign), bound(right.high, sign));
    left.compare(Comparison::LessOrEqual, shifted(1.0))
        .and(left.compare(Comparison::GreaterOrEqual, shifted(-1.0)))
}
