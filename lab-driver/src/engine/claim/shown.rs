//! A judged claim in pieces, for tables and grade sheets: what was measured, what is allowed, and how near it came.

use super::ast::{Literal, Unit};
use super::atom;
use super::error::SyntaxError;
use super::judged::Judged;

impl Literal {
    /// Reads a number with its unit, or without.
    ///
    /// ```
    /// use lab_driver::engine::claim::Literal;
    /// assert_eq!(Literal::parse("1.5s").unwrap().value(), 1_500.0);
    /// assert!(Literal::parse("many").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        atom::literal(text.trim()).map_err(|fault| SyntaxError::new(text.trim(), fault))
    }
}

impl Judged {
    /// The first value that was measured, with its unit: of `40 <= knee(ramp) <= 60` the knee.
    pub fn measured(&self) -> String {
        self.values().swap_remove(self.subject())
    }

    /// What the measured value is held against: `20/s ± 3%`, `>= 40, <= 60`.
    pub fn allowed(&self) -> String {
        let (values, subject) = (self.values(), self.subject());
        if let Some(tolerance) = &self.tolerance {
            return format!("{} ± {tolerance}", values[1 - subject.min(1)]);
        }
        let before = (0..subject).map(|i| format!("{} {}", flipped(&self.signs[i]), values[i]));
        let after =
            (subject..self.signs.len()).map(|i| format!("{} {}", self.signs[i], values[i + 1]));
        before.chain(after).collect::<Vec<_>>().join(", ")
    }

    /// The value that the claim itself expects: `20/s` within a tolerance, `1` where nothing else will do, or
    /// `40 to 60` between two bounds. None for a bound on one side, which expects no value.
    pub fn expected(&self) -> Option<String> {
        let mut values = self.values();
        values.remove(self.subject());
        let names_a_value = self.tolerance.is_some() || self.signs == ["=="];
        let between = self.subject() == 1 && self.sides.len() == 3;
        (names_a_value || between).then(|| values.join(" to "))
    }

    /// How far a claim that holds is from failing, in its canonical unit; below 0 if it does not hold. None for
    /// `==` and `!=`, without data, and where nothing bounds it.
    pub fn margin(&self) -> Option<f64> {
        let sides: Vec<_> =
            self.sides.iter().map(|side| side.reading.interval()).collect::<Option<_>>()?;
        let margins: Vec<f64> = if let Some(tolerance) = &self.tolerance {
            let tolerance = Literal::parse(tolerance).ok()?;
            let (left, right) = (sides[0], sides[1]);
            let width = |end: f64| match tolerance.unit {
                Unit::Percent => end.abs() * tolerance.value(),
                _ => tolerance.value(),
            };
            vec![
                right.low + width(right.low) - left.high,
                left.low - right.high + width(right.high),
            ]
        } else {
            let links = self.signs.iter().zip(sides.windows(2));
            links
                .filter_map(|(sign, pair)| match sign.as_str() {
                    "<" | "<=" => Some(pair[1].low - pair[0].high),
                    ">" | ">=" => Some(pair[0].low - pair[1].high),
                    _ => None,
                })
                .collect()
        };
        margins.into_iter().filter(|margin| margin.is_finite()).reduce(f64::min)
    }

    fn subject(&self) -> usize {
        self.sides.iter().position(|side| side.measured).unwrap_or(0)
    }
}

/// The sign, read from the other side.
fn flipped(sign: &str) -> String {
    sign.replace('<', "\0").replace('>', "<").replace('\0', ">")
}

#[cfg(test)]
mod tests {
    use super::super::{Claim, Facts, Metric, Names, Reading};

    struct Fixed(Reading);

    impl Facts for Fixed {
        fn metric(&self, _: Option<&str>, _: Option<&str>, _: Metric) -> Reading {
            self.0
        }
        fn exit(&self, _: &str) -> Option<u8> {
            Some(1)
        }
        fn knee(&self, _: &str, _: Option<&str>) -> Reading {
            self.0
        }
    }

    fn shown(text: &str, reading: Reading) -> (String, String, Option<String>, Option<f64>) {
        let names = Names { runs: vec!["a".into()], sets: vec!["ramp".into()] };
        let judged = Claim::parse(text, &names).unwrap().judge(&Fixed(reading));
        (judged.measured(), judged.allowed(), judged.expected(), judged.margin())
    }

    #[test]
    fn claims_come_apart() {
        let cases = [
            (
                "a.throughput within 20/s ± 10%",
                Reading::Value(19.0),
                "19/s",
                "20/s ± 10%",
                "20/s",
                Some(1.0),
            ),
            ("a.avg < 300ms", Reading::Value(100.0), "100 ms", "< 300 ms", "", Some(200.0)),
            ("a.avg < 300ms", Reading::Value(400.0), "400 ms", "< 300 ms", "", Some(-100.0)),
            (
                "40 <= knee(ramp) <= 80",
                Reading::Between(50.0, 60.0),
                "50 to 60",
                ">= 40, <= 80",
                "40 to 80",
                Some(10.0),
            ),
            ("1s <= a.max", Reading::AtLeast(3_000.0), "≥3000 ms", ">= 1000 ms", "", Some(2_000.0)),
            ("exit(a) == 1", Reading::NoData, "1", "== 1", "1", None),
            ("a.avg < 300ms", Reading::NoData, "no data", "< 300 ms", "", None),
        ];
        for (text, reading, measured, allowed, expected, margin) in cases {
            let found = shown(text, reading);
            let expected = Some(expected).filter(|text| !text.is_empty()).map(str::to_owned);
            assert_eq!(found, (measured.into(), allowed.into(), expected, margin), "{text}");
        }
    }
}
