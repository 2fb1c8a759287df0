//! What numbers measure, which of them may meet, and what comes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ast::{Expr, Literal, Operator, Unit};

/// What a number measures, each with its canonical unit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Milliseconds.
    Time,
    /// 0 to 1.
    Share,
    /// Per second.
    Rate,
    /// How many.
    Count,
    /// A level of load: users, or a rate per second, as the set was run.
    Level,
    /// An exit code.
    Exit,
    /// A ratio or product without a unit.
    Ratio,
    /// A number written without a unit: it takes the dimension of what it meets.
    Bare,
}

use Dimension::{Bare, Count, Exit, Level, Rate, Ratio, Share, Time};

/// 1 / ms = 1,000 per second, and 1 / (1 per second) = 1,000 ms.
const INVERSE: f64 = 1_000.0;

impl Dimension {
    /// With its article, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Time => "a time",
            Share => "a share",
            Rate => "a rate",
            Count => "a count",
            Level => "a level of load",
            Exit => "an exit code",
            Ratio => "a plain ratio",
            Bare => "a plain number",
        }
    }

    /// The dimension in which both can be compared or added, if there is one.
    pub(super) fn unify(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Bare, any) | (any, Bare) => Some(any),
            (a, b) if a == b => Some(a),
            (Ratio, pure @ (Share | Count | Level)) | (pure @ (Share | Count | Level), Ratio) => {
                Some(pure)
            }
            // A set that was run by rate has its knee at a rate.
            (Level, Rate) | (Rate, Level) => Some(Rate),
            _ => None,
        }
    }

    /// What `self operator other` measures, and the factor that brings it to its canonical unit.
    pub(super) fn combine(self, operator: Operator, other: Self) -> Option<(Self, f64)> {
        if self == Exit || other == Exit {
            return None;
        }
        match operator {
            Operator::Add | Operator::Subtract => Some((self.unify(other)?, 1.0)),
            Operator::Multiply => self.times(other),
            Operator::Divide => self.over(other),
        }
    }

    fn times(self, other: Self) -> Option<(Self, f64)> {
        match (self, other) {
            (Time, Rate) | (Rate, Time) => Some((Ratio, 1.0 / INVERSE)),
            // Whether a level is users or a rate is not known here, so the factor is not either.
            (Time, Time) | (Rate, Rate) | (Level, Time | Rate) | (Time | Rate, Level) => None,
            (Bare, any) | (any, Bare) | (Ratio, any) | (any, Ratio) => Some((any, 1.0)),
            (Share, any) | (any, Share) => Some((any, 1.0)),
            (Time, _) | (_, Time) => Some((Time, 1.0)),
            (Rate, _) | (_, Rate) => Some((Rate, 1.0)),
            _ => Some((Ratio, 1.0)),
        }
    }

    fn over(self, other: Self) -> Option<(Self, f64)> {
        match (self, other) {
            (Time, Rate) | (Rate, Time) | (Level, Time | Rate) | (Time | Rate, Level) => None,
            (Bare, Bare) => Some((Bare, 1.0)),
            (a, b) if a == b => Some((Ratio, 1.0)),
            (_, Time) => Some((Rate, INVERSE)),
            (_, Rate) => Some((Time, INVERSE)),
            (Bare, _) => Some((Ratio, 1.0)),
            (any, Bare | Ratio | Share) => Some((any, 1.0)),
            (Time, _) => Some((Time, 1.0)),
            (Rate, _) => Some((Rate, 1.0)),
            _ => Some((Ratio, 1.0)),
        }
    }

    /// Refuses a number that no measurement of this dimension can equal: message and remedy.
    pub(super) fn check(self, side: &Expr) -> Result<(), (String, String)> {
        let Expr::Literal(literal) = side else { return Ok(()) };
        let (value, whole) = (literal.value(), literal.number.fract() == 0.0);
        match self {
            Share if !(0.0..=1.0).contains(&value) => {
                let percent = Literal { unit: Unit::Percent, ..*literal };
                let remedy = match (literal.unit, (0.0..=100.0).contains(&literal.number)) {
                    (Unit::None, true) => format!("write {percent} if that is what you mean"),
                    _ => "a share is 0 to 1, or 0% to 100%".to_owned(),
                };
                Err((format!("{literal} is not a share of a whole"), remedy))
            }
            Exit if !((0.0..=255.0).contains(&value) && whole) => Err((
                format!("{literal} is not an exit code"),
                "an exit code is a whole number from 0 to 255".to_owned(),
            )),
            Count if !(value >= 0.0 && whole) => Err((
                format!("{literal} is not a count"),
                "a count is a whole number, 0 or more".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// A value of this dimension as it may be written, for messages.
    pub(super) fn example(self) -> &'static str {
        match self {
            Time => "150ms",
            Share => "1%",
            Rate => "300/s",
            Count | Level => "40",
            Exit => "0",
            Ratio | Bare => "1.5",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_knows_its_units() {
        use Operator::{Add, Divide, Multiply, Subtract};
        let cases = [
            (Time, Divide, Time, Some((Ratio, 1.0))),
            (Bare, Multiply, Time, Some((Time, 1.0))),
            (Time, Multiply, Rate, Some((Ratio, 0.001))),
            (Bare, Divide, Time, Some((Rate, 1_000.0))),
            (Count, Divide, Rate, Some((Time, 1_000.0))),
            (Share, Multiply, Count, Some((Count, 1.0))),
            (Count, Divide, Count, Some((Ratio, 1.0))),
            (Bare, Multiply, Bare, Some((Bare, 1.0))),
            (Time, Add, Bare, Some((Time, 1.0))),
            (Ratio, Subtract, Share, Some((Share, 1.0))),
            (Time, Add, Share, None),
            (Time, Multiply, Time, None),
            (Time, Divide, Rate, None),
            (Level, Divide, Rate, None),
            (Exit, Add, Bare, None),
        ];
        for (left, operator, right, result) in cases {
            assert_eq!(left.combine(operator, right), result, "{left:?} {operator:?} {right:?}");
        }
    }
}
