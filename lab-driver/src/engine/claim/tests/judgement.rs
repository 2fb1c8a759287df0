//! Outcomes, and what is printed of them.

use super::names;
use crate::engine::claim::Outcome::{Broken, Held, NoData, NotShown};
use crate::engine::claim::{Claim, Facts, Metric, Reading, Stat, Threshold};

struct Table;

impl Facts for Table {
    fn metric(&self, run: Option<&str>, endpoint: Option<&str>, metric: Metric) -> Reading {
        match (run, endpoint, metric) {
            (_, Some("/none"), _) | (Some("before-fix"), ..) => Reading::NoData,
            (Some("u60"), _, Metric::Response(_)) => Reading::AtLeast(1_000.0),
            (Some("u60"), _, Metric::Throughput) => Reading::Value(19.9),
            (_, _, Metric::Response(Stat::Percentile(_))) => Reading::Value(300.4),
            (_, _, Metric::Response(Stat::Maximum)) => Reading::AtLeast(120.0),
            (_, _, Metric::Response(_)) => Reading::Value(100.0),
            (_, _, Metric::Failed | Metric::Dropped) => Reading::Value(0.0),
            (_, _, Metric::Throughput | Metric::Rate) => Reading::Value(20.0),
            (_, _, Metric::Checks) => Reading::Value(f64::NAN),
            (_, _, _) => Reading::Value(5.0),
        }
    }

    fn exit(&self, run: &str) -> Option<u8> {
        (run != "before-fix").then_some(1)
    }

    fn knee(&self, set: &str) -> Reading {
        if set == "ramp" { Reading::Between(40.0, 60.0) } else { Reading::AtLeast(600.0) }
    }
}

#[test]
fn thresholds() {
    let cases = [
        ("p(95)<500", Held, "p(95) 300 ms < 500 ms"),
        ("p(95)<300", Broken, "p(95) 300.4 ms < 300 ms"),
        ("p(95)<1m", Held, "p(95) 300 ms < 60 s"),
        ("/a:avg<=100", Held, "/a:avg 100 ms <= 100 ms"),
        ("max<300", NotShown, "max ≥120 ms < 300 ms"),
        ("max<100", Broken, "max ≥120 ms < 100 ms"),
        ("max>100", Held, "max ≥120 ms > 100 ms"),
        ("/none:avg<5", NoData, "/none:avg no data < 5 ms"),
        ("/none:avg>5", NoData, "/none:avg no data > 5 ms"),
        ("checks>0.9", NoData, "checks no data > 90%"),
        ("failed<1%", Held, "failed 0% < 1%"),
        ("throughput>=1140/m", Held, "throughput 20/s >= 19/s"),
        ("dropped==0", Held, "dropped 0 == 0"),
    ];
    for (text, outcome, printed) in cases {
        let judged = Threshold::parse(text).expect(text).judge(&Table);
        assert_eq!((judged.outcome, judged.to_string().as_str()), (outcome, printed), "{text}");
        assert_eq!(judged.held(), outcome == Held);
    }
}

#[test]
fn a_judgement_gives_its_two_ends() {
    let judged = Threshold::parse("max<300").expect("a threshold").judge(&Table);
    assert_eq!((judged.observed(), judged.limit()), ("≥120 ms".into(), "300 ms".into()));
}

#[test]
fn claims() {
    let cases = [
        ("u60.avg > 3 * u20.avg", Held, "u60.avg ≥1000 ms > 3 * u20.avg 300 ms"),
        ("u60.avg / u20.avg >= 10", Held, "u60.avg / u20.avg ≥10 >= 10"),
        ("u60.avg / u20.avg < 11", NotShown, "u60.avg / u20.avg ≥10 < 11"),
        ("u20.avg / u60.avg <= 10%", Held, "u20.avg / u60.avg 0% to 10% <= 10%"),
        ("u20.avg - u60.avg < 0", Held, "u20.avg - u60.avg ≤-900 ms < 0 ms"),
        ("u60.avg - u60.avg < 0", NotShown, "u60.avg - u60.avg unknown < 0 ms"),
        (
            "u20.avg < u20.med < u60.avg",
            Held,
            "u20.avg 100 ms < u20.p(50) 300 ms < u60.avg ≥1000 ms",
        ),
        ("u20.med < u20.avg < before-fix.avg", Broken, ""),
        ("u20.avg < u20.med < before-fix.avg", NoData, ""),
        ("u60.throughput within 20 ± 5%", Held, "u60.throughput 19.9/s within 20/s ± 5%"),
        ("u60.throughput within 20 ± 0.05/s", Broken, ""),
        ("u20.throughput within 19 ± 1", Held, ""),
        ("u60.avg within 1s ± 10%", NotShown, ""),
        ("u60.avg within 100ms ± 10%", Broken, ""),
        ("before-fix.avg within 1s ± 10%", NoData, ""),
        ("u20.throughput * u20.avg == 2", Held, "u20.throughput * u20.avg 2 == 2"),
        ("1 / u20.avg == 10/s", Held, "1 / u20.avg 10/s == 10/s"),
        ("u20.count / u20.throughput == 0.25s", Held, ""),
        ("u20.avg / u20.dropped > 5", NoData, ""),
        ("u20.avg + 2 * 3 == 106", Held, ""),
        ("(u20.avg + 2) * 3 == 306", Held, ""),
        ("u20.avg - 10 - 10 == 80", Held, ""),
        ("exit(u20) == 1", Held, "exit(u20) 1 == 1"),
        ("exit(u20) != 1", Broken, ""),
        ("exit(before-fix) == 0", NoData, ""),
        ("40 <= knee(ramp) <= 60", Held, "40 <= knee(ramp) 40 to 60 <= 60"),
        ("knee(ramp) > 50", NotShown, ""),
        ("knee(ramp) > 60", Broken, ""),
        ("knee(ramp) within 50 ± 20%", Held, ""),
        ("knee(by_rate) > 500/s", Held, "knee(by_rate) ≥600/s > 500/s"),
        ("knee(by_rate) < 700/s", NotShown, ""),
    ];
    for (text, outcome, printed) in cases {
        let judged = Claim::parse(text, &names()).expect(text).judge(&Table);
        assert_eq!(judged.outcome, outcome, "{text}: {judged}");
        assert!(printed.is_empty() || judged.to_string() == printed, "{text}: {judged}");
    }
}

#[test]
fn a_judgement_survives_json() {
    for text in ["u60.avg / u20.avg < 11", "knee(ramp) > 50", "u60.avg - u60.avg < 0"] {
        let judged = Claim::parse(text, &names()).expect(text).judge(&Table);
        let json = serde_json::to_string(&judged).expect("only finite numbers");
        assert_eq!(serde_json::from_str::<super::super::Judged>(&json).expect(&json), judged);
    }
}
