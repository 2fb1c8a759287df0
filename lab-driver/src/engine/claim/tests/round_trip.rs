//! Whatever tree can be written is read back the same; whatever text comes, nothing panics.

use proptest::prelude::*;
use proptest::sample::select;

use super::names;
use crate::engine::claim::ast::{Comparison, Expr, Literal, Operator, Reference, Relation, Unit};
use crate::engine::claim::evaluate::judge;
use crate::engine::claim::{
    Claim, Dimension, Facts, Metric, Percentile, Reading, Stat, Threshold, fail_slower,
};

/// Numbers, names and texts that have broken parsers before.
fn endpoint() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z/]{1,8}",
        "[-a-zA-Z0-9/{}.:?=&% ]{1,12}",
        "[ -~]{1,12}",
        "\\PC{1,6}",
        select(vec![
            "rtt",
            "a:lag",
            "over x",
            "x over",
            "within",
            "u20.a",
            "http_req_x{a}",
            "- a",
            "a - b"
        ])
        .prop_map(str::to_owned),
    ]
    .prop_map(|name| name.trim().to_owned())
    .prop_filter("an endpoint has a name", |name| !name.is_empty())
}

fn time() -> impl Strategy<Value = Expr> {
    let stat = prop_oneof![
        select(vec![Stat::Average, Stat::Minimum, Stat::Maximum]),
        (1..=1_000_000_u32).prop_map(|millionths| {
            Stat::Percentile(Percentile::from_millionths(millionths).expect("in range"))
        }),
    ];
    let metric = (stat, any::<bool>()).prop_map(|(stat, response)| {
        if response { Metric::Response(stat) } else { Metric::RoundTrip(stat) }
    });
    let run = proptest::option::of(select(names().runs));
    (run, proptest::option::of(endpoint()), metric)
        .prop_map(|(run, endpoint, metric)| Expr::Metric(Reference { run, endpoint, metric }))
}

fn literal() -> impl Strategy<Value = Literal> {
    let units = vec![
        Unit::None,
        Unit::Microseconds,
        Unit::Milliseconds,
        Unit::Seconds,
        Unit::Minutes,
        Unit::Hours,
    ];
    (-1e9..1e9_f64, select(units)).prop_map(|(number, unit)| Literal { number, unit })
}

/// Sums of times, each times or over a plain number: all of it is a time.
fn expr() -> impl Strategy<Value = Expr> {
    time().prop_recursive(4, 10, 2, |inner| {
        let binary = |operator, left: Expr, right: Expr| Expr::Binary {
            operator,
            left: Box::new(left),
            right: Box::new(right),
        };
        let plain = |n: u16| Expr::Literal(Literal { number: f64::from(n), unit: Unit::None });
        prop_oneof![
            (inner.clone(), inner.clone(), select(vec![Operator::Add, Operator::Subtract]))
                .prop_map(move |(a, b, operator)| binary(operator, a, b)),
            (inner.clone(), literal(), select(vec![Operator::Add, Operator::Subtract]))
                .prop_map(move |(a, b, operator)| binary(operator, a, Expr::Literal(b))),
            (inner.clone(), any::<u16>()).prop_map(move |(a, n)| binary(
                Operator::Multiply,
                plain(n),
                a
            )),
            (inner, any::<u16>()).prop_map(move |(a, n)| binary(Operator::Divide, a, plain(n))),
        ]
    })
}

fn relation() -> impl Strategy<Value = Relation> {
    let less = select(vec![Comparison::Less, Comparison::LessOrEqual]);
    let one = select(vec![
        Comparison::Greater,
        Comparison::GreaterOrEqual,
        Comparison::Equal,
        Comparison::NotEqual,
    ]);
    prop_oneof![
        (expr(), proptest::collection::vec((less, expr()), 1..3))
            .prop_map(|(first, rest)| Relation::Chain { first, rest }),
        (expr(), one, literal()).prop_map(|(first, sign, limit)| Relation::Chain {
            first,
            rest: vec![(sign, Expr::Literal(limit))],
        }),
        (expr(), expr(), literal()).prop_map(|(left, right, tolerance)| Relation::Within {
            left,
            right,
            tolerance: Literal { number: tolerance.number.abs(), ..tolerance },
        }),
    ]
}

struct Anything(Reading);

impl Facts for Anything {
    fn metric(&self, _: Option<&str>, _: Option<&str>, _: Metric) -> Reading {
        self.0
    }

    fn exit(&self, _: &str) -> Option<u8> {
        Some(3)
    }

    fn knee(&self, _: &str) -> Reading {
        self.0
    }
}

fn reading() -> impl Strategy<Value = Reading> {
    let any = any::<f64>;
    prop_oneof![
        any().prop_map(Reading::Value),
        any().prop_map(Reading::AtLeast),
        any().prop_map(Reading::AtMost),
        (any(), any()).prop_map(|(a, b)| Reading::Between(a, b)),
        Just(Reading::Unknown),
        Just(Reading::NoData),
    ]
}

proptest! {
    #[test]
    fn reads_what_it_prints(relation in relation(), reading in reading()) {
        let text = relation.to_string();
        prop_assume!(text.len() <= 1_000);
        let claim = Claim::parse(&text, &names());
        let claim = claim.map_err(|e| TestCaseError::fail(format!("{}\n{e}", e.caret())))?;
        prop_assert_eq!(claim.relation(), &relation);
        prop_assert_eq!(claim.to_string(), text);
        let _ = judge(&relation, Dimension::Time, &Anything(reading)).to_string();
    }

    #[test]
    fn reads_the_thresholds_it_prints(
        endpoint in endpoint(), limit in 0.0..1e6_f64, over: Option<u32>, after: Option<u32>,
    ) {
        let budget = Threshold::budget(&format!("{endpoint}={limit}s"))
            .map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(budget.endpoint(), Some(endpoint.as_str()));
        let mut text = budget.to_string();
        for (word, length) in [("over", over), ("after", after)] {
            if let Some(length) = length {
                text += &format!(" {word} {length}ms");
            }
        }
        let threshold = Threshold::parse(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(threshold.endpoint(), Some(endpoint.as_str()));
        let again = Threshold::parse(&threshold.to_string()).expect("canonical");
        prop_assert_eq!(again.to_string(), threshold.to_string());
        prop_assert_eq!((again.over(), again.after()), (threshold.over(), threshold.after()));
    }

    #[test]
    fn survives_any_text(text in "\\PC{0,60}") {
        survives(&text);
    }

    #[test]
    fn survives_near_misses(
        parts in proptest::collection::vec(select(vec![
            "u20.", "/a:", "p(95)", "avg", "rtt:", "lag", "\"", "(", ")", " ", " + ", " - ", " / ",
            "<", "==", "=", "±", "+-", "within", " over ", " after ", "5", "-", ".", "%", "/s", "ms",
            "knee(ramp)", "exit(u20)", "é", ":", "{", "\n", "http_req_duration", "checks:",
        ]), 0..14),
        reading in reading(),
    ) {
        let text = parts.concat();
        survives(&text);
        if let Ok(claim) = Claim::parse(&text, &names()) {
            let again = Claim::parse(&claim.to_string(), &names()).expect("canonical");
            prop_assert_eq!(again.relation(), claim.relation());
            let _ = claim.judge(&Anything(reading)).to_string();
        }
    }
}

fn survives(text: &str) {
    let errors = [
        Threshold::parse(text).err(),
        Threshold::budget(text).err(),
        Claim::parse(text, &names()).err(),
        fail_slower(text).err(),
    ];
    for error in errors.into_iter().flatten() {
        assert!(error.at() <= text.len() && error.caret().contains('^'));
    }
}
