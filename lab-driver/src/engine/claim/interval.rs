//! Arithmetic on what is only partly known: a cut-off time, a knee between two levels.

use super::ast::{Comparison, Operator};
use super::judged::Outcome;

/// All the values that a number may have: `low` to `high`, both included; either may be infinite.
///
/// A censored value is an interval without an upper end. Arithmetic then keeps what is sure and
/// no more: a sum with an "at least" is an "at least", a difference that takes one away is an
/// "at most", a ratio over one is bounded on both sides.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) const EVERYTHING: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// From `low` to `high`; everything if the ends make no interval.
    pub(super) fn new(low: f64, high: f64) -> Self {
        let proper = low <= high && low < f64::INFINITY && high > f64::NEG_INFINITY;
        if proper { Self { low, high } } else { Self::EVERYTHING }
    }

    pub(super) fn exactly(value: f64) -> Self {
        Self::new(value, value)
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        self.times(Self::exactly(factor))
    }

    /// Nothing when it divides by exactly 0.
    pub(super) fn combine(self, operator: Operator, other: Self) -> Option<Self> {
        Some(match operator {
            Operator::Add => Self::new(self.low + other.low, self.high + other.high),
            Operator::Subtract => Self::new(self.low - other.high, self.high - other.low),
            Operator::Multiply => self.times(other),
            Operator::Divide if other.low == 0.0 && other.high == 0.0 => return None,
            Operator::Divide if other.low <= 0.0 && other.high >= 0.0 => Self::EVERYTHING,
            Operator::Divide => self.times(Self::new(1.0 / other.high, 1.0 / other.low)),
        })
    }

    fn times(self, other: Self) -> Self {
        // Nothing times whatever it may be is nothing; IEEE says NaN.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let corners = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        let (low, high) = corners
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), c| (l.min(*c), h.max(*c)));
        Self::new(low, high)
    }

    /// Held or broken only if it is so for all the values that either side may have.
    pub(super) fn compare(self, sign: Comparison, other: Self) -> Outcome {
        let surely = |held: bool, broken: bool| match (held, broken) {
            (true, _) => Outcome::Held,
            (_, true) => Outcome::Broken,
            _ => Outcome::NotShown,
        };
        let apart = self.high < other.low || other.high < self.low;
        #[expect(clippy::float_cmp, reason = "`==` in a claim means equal")]
        let same = self.low == self.high && other.low == other.high && self.low == other.low;
        match sign {
            Comparison::Less => surely(self.high < other.low, self.low >= other.high),
            Comparison::LessOrEqual => surely(self.high <= other.low, self.low > other.high),
            Comparison::Greater => other.compare(Comparison::Less, self),
            Comparison::GreaterOrEqual => other.compare(Comparison::LessOrEqual, self),
            Comparison::Equal => surely(same, apart),
            Comparison::NotEqual => surely(apart, same),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: f64 = f64::INFINITY;

    fn at_least(low: f64) -> Interval {
        Interval::new(low, SOME)
    }

    #[test]
    fn arithmetic_keeps_what_is_sure() {
        use Operator::{Add, Divide, Multiply, Subtract};
        let exactly = Interval::exactly;
        let cases = [
            (at_least(5.0), Add, exactly(2.0), Some(at_least(7.0))),
            (exactly(9.0), Subtract, at_least(5.0), Some(Interval::new(-SOME, 4.0))),
            (at_least(5.0), Subtract, at_least(5.0), Some(Interval::EVERYTHING)),
            (at_least(5.0), Multiply, exactly(0.0), Some(exactly(0.0))),
            (at_least(5.0), Multiply, exactly(-2.0), Some(Interval::new(-SOME, -10.0))),
            (exactly(10.0), Divide, at_least(5.0), Some(Interval::new(0.0, 2.0))),
            (at_least(10.0), Divide, exactly(5.0), Some(at_least(2.0))),
            (exactly(1.0), Divide, at_least(0.0), Some(Interval::EVERYTHING)),
            (exactly(1.0), Divide, exactly(0.0), None),
            (exactly(f64::MAX), Multiply, exactly(2.0), Some(Interval::EVERYTHING)),
        ];
        for (left, operator, right, result) in cases {
            assert_eq!(left.combine(operator, right), result, "{left:?} {operator} {right:?}");
        }
    }

    #[test]
    fn comparison_is_sure_or_says_so() {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        let five = Interval::exactly(5.0);
        let cases = [
            (at_least(4.0), Less, five, Outcome::NotShown),
            (at_least(5.0), Less, five, Outcome::Broken),
            (at_least(5.0), LessOrEqual, five, Outcome::NotShown),
            (at_least(6.0), LessOrEqual, five, Outcome::Broken),
            (at_least(6.0), Greater, five, Outcome::Held),
            (at_least(5.0), GreaterOrEqual, five, Outcome::Held),
            (at_least(4.0), Greater, five, Outcome::NotShown),
            (at_least(5.0), Equal, five, Outcome::NotShown),
            (at_least(6.0), Equal, five, Outcome::Broken),
            (at_least(6.0), NotEqual, five, Outcome::Held),
            (five, Equal, five, Outcome::Held),
            (five, NotEqual, five, Outcome::Broken),
            (Interval::new(40.0, 60.0), Less, Interval::exactly(50.0), Outcome::NotShown),
        ];
        for (left, sign, right, outcome) in cases {
            assert_eq!(left.compare(sign, right), outcome, "{left:?} {sign} {right:?}");
        }
    }
}
