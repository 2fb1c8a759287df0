//! What is read, and what it is called canonically.

use super::names;
use crate::engine::claim::{Claim, Metric, Percentile, Stat, Threshold};
use crate::engine::time::Ns;

#[test]
fn thresholds() {
    let cases = [
        ("p(95)<300", "p(95) < 300"),
        ("/search:p(95)<150", "/search:p(95) < 150"),
        ("  /search : p(95) <= 150 ms ", "/search:p(95) <= 150ms"),
        ("p(99.9)<1.5s", "p(99.9) < 1.5s"),
        ("p(99.90)<1m30s", "p(99.9) < 90000ms"),
        ("p(100)<1m", "p(100) < 1m"),
        ("med<5us", "p(50) < 5us"),
        ("avg<5µs", "avg < 5us"),
        ("max<1h", "max < 1h"),
        ("min>=20", "min >= 20"),
        ("rtt:p(95)<30", "rtt:p(95) < 30"),
        ("/search:rtt:med<30", "/search:rtt:p(50) < 30"),
        ("lag<5", "lag:p(99) < 5"),
        ("lag:max<5", "lag:max < 5"),
        ("failed<1%", "failed < 1%"),
        ("failed<0.01", "failed < 0.01"),
        ("/a:failed==0", "/a:failed == 0"),
        ("checks>99 %", "checks > 99%"),
        ("throughput>=19/s", "throughput >= 19/s"),
        ("throughput>=1140/m", "throughput >= 1140/m"),
        ("rate>300", "rate > 300"),
        ("count!=0", "count != 0"),
        ("dropped==0", "dropped == 0"),
        ("p(95)<500 over 5s after 1m30s", "p(95) < 500 over 5s after 1m30s"),
        ("p(95)<500 over 5", "p(95) < 500 over 5s"),
        ("p(95)<500 after 10s", "p(95) < 500 after 10s"),
    ];
    for (text, canonical) in cases {
        let threshold = Threshold::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(threshold.to_string(), canonical, "{text}");
        assert_eq!(threshold.source(), text.trim());
    }
}

#[test]
fn the_names_that_k6_uses() {
    let cases = [
        ("http_req_duration:p(95)<500", "p(95) < 500"),
        ("http_req_duration: avg < 200", "avg < 200"),
        ("/a:http_req_duration:med<200", "/a:p(50) < 200"),
        ("http_req_failed:rate<0.01", "failed < 0.01"),
        ("http_req_failed<0.01", "failed < 0.01"),
        ("checks:rate>0.99", "checks > 0.99"),
        ("http_reqs:count>100", "count > 100"),
        ("http_reqs:rate>100", "rate > 100"),
        ("dropped_iterations:count==0", "dropped == 0"),
    ];
    for (text, canonical) in cases {
        assert_eq!(Threshold::parse(text).expect(text).to_string(), canonical, "{text}");
    }
}

#[test]
fn endpoints_hold_almost_anything() {
    let cases = [
        ("GET /books/{id}:p(95)<9", "GET /books/{id}"),
        ("POST /v1/tickets - big:p(95)<9", ""),
        ("\"POST /v1/tickets - big\":p(95)<9", "POST /v1/tickets - big"),
        ("/a-b/c.html?q=1&r=2:p(95)<9", "/a-b/c.html?q=1&r=2"),
        ("log in (slow):p(95)<9", "log in (slow)"),
        ("host:8000/items:p(95)<9", "host:8000/items"),
        ("api.v1/items:p(95)<9", "api.v1/items"),
        ("/:p(95)<9", "/"),
        ("2xx pages:p(95)<9", "2xx pages"),
        ("\"checks\":p(95)<9", "checks"),
        ("\"a \"\"b\"\" < c\" : p(95)<9", "a \"b\" < c"),
        ("/größe:p(95)<9", "/größe"),
    ];
    for (text, endpoint) in cases {
        match Threshold::parse(text) {
            Ok(threshold) => assert_eq!(threshold.endpoint(), Some(endpoint), "{text}"),
            Err(error) => assert_eq!(endpoint, "", "{text}: {error}"),
        }
    }
}

#[test]
fn claims() {
    let cases = [
        ("u60.p(95) > 3 * u20.p(95)", "u60.p(95) > 3 * u20.p(95)"),
        ("u20./report:p(95)<u60./report:p(95)", "u20./report:p(95) < u60./report:p(95)"),
        ("before-fix.GET /a:rtt:med < 5", "before-fix.GET /a:rtt:p(50) < 5"),
        ("20.throughput < p.throughput", "20.throughput < p.throughput"),
        ("20.p(95) > 20.5", "20.p(95) > 20.5"),
        ("u20.\"a.b\":avg < 5", "u20.a.b:avg < 5"),
        ("api.v1/items:avg < 5", "\"api.v1/items\":avg < 5"),
        ("u20.avg <= u60.avg < 2s", "u20.avg <= u60.avg < 2s"),
        ("u60.avg > u20.avg >= 5ms", "u60.avg > u20.avg >= 5ms"),
        ("exit(u20) == exit(ramp) == 0", "exit(u20) == exit(ramp) == 0"),
        ("throughput within 20/s ± 5%", "throughput within 20/s ± 5%"),
        ("throughput within 20+-1", "throughput within 20 ± 1"),
        ("avg within u20.avg + 5 ± 10ms", "avg within u20.avg + 5 ± 10ms"),
        ("40 <= knee(ramp) <= 60", "40 <= knee(ramp) <= 60"),
        ("knee( by_rate ) within 380/s ± 5%", "knee(by_rate) within 380/s ± 5%"),
        ("u60.avg - u20.avg > -5ms", "u60.avg - u20.avg > -5ms"),
        ("(u60.avg - u20.avg) / u20.avg > 50%", "(u60.avg - u20.avg) / u20.avg > 50%"),
        ("u60.avg - (u20.avg - 5) > 1", "u60.avg - (u20.avg - 5) > 1"),
        ("(u60.avg - u20.avg) - 5 > 1", "u60.avg - u20.avg - 5 > 1"),
        ("((2)) * avg > ((1))", "2 * avg > 1"),
        ("throughput * avg within 20 ± 5%", "throughput * avg within 20 ± 5%"),
        ("dropped / count < 1%", "dropped / count < 1%"),
        ("120% * u20.avg > u60.avg", "120% * u20.avg > u60.avg"),
    ];
    for (text, canonical) in cases {
        let claim = Claim::parse(text, &names()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(claim.to_string(), canonical, "{text}");
        let again = Claim::parse(canonical, &names()).expect(canonical);
        assert_eq!(again.relation(), claim.relation(), "{text}");
    }
}

#[test]
fn a_claim_tells_which_metrics_it_needs() {
    let claim = Claim::parse("u60./a:p(95) / u20.p(95) > 2", &names()).expect("a claim");
    let needed: Vec<String> = claim.references().iter().map(ToString::to_string).collect();
    assert_eq!(needed, ["u60./a:p(95)", "u20.p(95)"]);
}

#[test]
fn a_threshold_gives_its_parts() {
    let threshold = Threshold::parse("/a:p(99.9)<1.5s over 5s after 10s").expect("a threshold");
    let p999 = Percentile::from_millionths(999_000).expect("below 100");
    assert_eq!(threshold.metric(), Metric::Response(Stat::Percentile(p999)));
    assert_eq!(threshold.limit().to_bits(), 1_500.0_f64.to_bits());
    assert_eq!(threshold.over(), Some(Ns::from_secs(5)));
    assert_eq!(threshold.after(), Some(Ns::from_secs(10)));
}

#[test]
fn budgets_are_thresholds() {
    let cases = [
        ("/report=150ms", "/report:p(95) <= 150ms"),
        ("/report=150", "/report:p(95) <= 150"),
        ("/search?q=a = 0.5s", "/search?q=a:p(95) <= 0.5s"),
        ("a - b=150ms", "\"a - b\":p(95) <= 150ms"),
        ("300ms", "p(95) <= 300ms"),
    ];
    for (text, canonical) in cases {
        let budget = Threshold::budget(text).expect(text);
        assert_eq!(budget.to_string(), canonical, "{text}");
        assert_eq!(Threshold::parse(budget.source()), Ok(budget), "{text}");
    }
}

#[test]
fn a_threshold_in_json_is_the_users_text() {
    let threshold = Threshold::parse("/a:med<5").expect("a threshold");
    let json = serde_json::to_string(&threshold).expect("a string");
    assert_eq!(json, "\"/a:med<5\"");
    assert_eq!(serde_json::from_str::<Threshold>(&json).expect("the same"), threshold);
    assert!(serde_json::from_str::<Threshold>("\"/a:med\"").is_err());
}
