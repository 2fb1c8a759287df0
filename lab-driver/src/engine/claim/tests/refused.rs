//! What is refused: where the caret stands, what is wrong, and what to write instead.

use super::names;
use crate::engine::claim::{Claim, SyntaxError, Threshold, fail_slower};

fn check<T: std::fmt::Debug>(
    read: impl Fn(&str) -> Result<T, SyntaxError>,
    cases: &[(&str, usize, &str)],
) {
    for (text, at, part) in cases {
        let error = read(text).expect_err(text);
        assert!(error.to_string().contains(part), "{text}: {error}");
        assert_eq!(error.at(), *at, "\n{}\n{error}", error.caret());
    }
}

#[test]
fn what_is_no_threshold() {
    let cases = [
        ("", 0, "a threshold begins with a metric: a threshold is [endpoint:]metric"),
        ("p(95)", 5, "a comparison is expected here"),
        ("p(95)<", 6, "a value is expected here"),
        ("p(95) = 5", 6, "a comparison is expected here"),
        ("p(95)=<5", 0, "a comparison is one of < <= > >= == !="),
        ("p(95)<5 < 6", 8, "a threshold ends before this"),
        ("100<p(95)", 4, "\"p(95)\" is not a value"),
        ("100<200", 0, "nothing measured is compared here"),
        ("p(95)<avg", 6, "\"avg\" is not a value"),
        ("p(95) + 5 < 10", 6, "a comparison is expected here"),
        ("(p(95)) < 10", 0, "a threshold begins with a metric"),
        ("p(95) within 5 ± 1", 6, "a comparison is expected here"),
        ("u20.p(95)<5", 0, "a threshold speaks of its own run: write p(95)"),
        ("exit(u20)==0", 0, "exit(…) does not belong in a threshold"),
        ("p(95)<5 after 5s over 3s", 17, "\"over\" comes once, and before \"after\""),
        ("p(95)<5 over", 12, "expected a duration such as 5s, but the text ends"),
        ("p(95)<5 over 5x", 13, "unknown unit \"x\""),
    ];
    check(Threshold::parse, &cases);
}

#[test]
fn what_is_no_metric() {
    let cases = [
        ("p95<5", 0, "\"p95\" is not a metric: write p(95)"),
        ("/a:p99.9<5", 3, "write p(99.9)"),
        ("p(0)<5", 0, "N of p(N) is above 0 and at most 100"),
        ("p(101)<5", 0, "N of p(N) is above 0"),
        ("p(9.12345)<5", 0, "up to four decimals"),
        ("p(95<5", 0, "\"p(95\" is not a metric"),
        ("p(+5)<5", 0, "is not a metric"),
        ("median<5", 0, "write med for the median"),
        ("latency<5", 0, "the metrics are p(N) med avg min max"),
        ("/a:<5", 3, "name one, such as p(95)"),
        (":p(95)<5", 0, "there is no endpoint before this colon"),
        ("rtt<5", 0, "say which of them, such as rtt:p(95)"),
        ("rtt:failed<5", 0, "after rtt: comes one of p(N) med avg min max"),
        ("/a:lag<5", 0, "dispatch lag belongs to the generator"),
        ("checks:p(95)<5", 0, "write checks:rate, or \"checks\":p(95)"),
        ("http_req_duration<5", 0, "such as http_req_duration:p(95)"),
        ("http_req_duration{name:a}:p(95)<5", 0, "k6's tags in braces are not supported"),
        ("http_req_duration{a}<5", 0, "k6's tags in braces are not supported"),
        ("\"a:p(95)<5", 0, "this quotation mark has no partner"),
        ("\"a\"p(95)<5", 3, "a colon and a metric are missing"),
        ("\"\":p(95)<5", 0, "this name is empty"),
    ];
    check(Threshold::parse, &cases);
}

#[test]
fn what_is_no_value_of_the_metric() {
    let cases = [
        ("p(95)<1%", 6, "a share is no match for a time: compare a time with one, such as 150ms"),
        ("failed<10ms", 7, "a time is no match for a share"),
        ("throughput<10ms", 11, "a time is no match for a rate"),
        ("p(95)<300/s", 6, "a rate is no match for a time"),
        ("failed<5", 7, "5 is not a share of a whole: write 5% if that is what you mean"),
        ("failed<101%", 7, "101% is not a share of a whole: a share is 0 to 1"),
        ("failed>-1%", 7, "a share is 0 to 1"),
        ("count>1.5", 6, "a count is a whole number"),
        ("p(95)<5x", 7, "\"x\" is not a unit: the units are us ms s m h, %, /s /m /h, or none"),
        ("p(95)<.5", 6, "\".5\" is not a value"),
        ("p(95)<-s", 6, "\"-s\" is not a value"),
    ];
    check(Threshold::parse, &cases);
    let huge = format!("p(95)<{}", "9".repeat(400));
    check(Threshold::parse, &[(&huge, 6, "this number is too large")]);
}

#[test]
fn what_is_no_claim() {
    let cases = [
        ("", 0, "expected a value or a metric, but the text ends"),
        ("u20.avg", 7, "expected a comparison (< <= > >= == !=) or within"),
        ("u20.avg = 5", 8, "to compare, write == with two equals signs"),
        ("u20.avg < 5)", 11, "take away this parenthesis"),
        ("(u20.avg < 5", 9, "expected a closing parenthesis"),
        ("u20.avg + < 5", 10, "expected a value or a metric"),
        ("u20.avg < 5 over 5s", 12, "belong to a threshold, not to a claim"),
        ("u30.avg < 5", 0, "no run is called \"u30\": there are u20, u60, before-fix, 20, p"),
        ("avg < 2 * u30.avg", 10, "no run is called \"u30\""),
        ("knee(u20) > 5", 5, "no set is called \"u20\": there are ramp, by_rate"),
        ("exit(u30) == 0", 5, "no run is called \"u30\""),
        ("peak(ramp) > 5", 0, "peak(…) is not known: there are knee(SET), exit(RUN) and p(N)"),
        ("exit(u20) == 256", 13, "an exit code is a whole number from 0 to 255"),
        ("exit(u20) + 1 == 2", 10, "an exit code + a plain number has no meaning"),
        ("avg * avg > 5", 4, "a time * a time has no meaning"),
        ("avg + failed > 5", 4, "a time + a share has no meaning"),
        ("knee(ramp) / throughput > 5", 11, "a level of load / a rate has no meaning"),
        ("5ms < 6ms", 0, "nothing measured is compared here"),
        ("u20.avg < 5 > 3", 12, "this chain changes its direction"),
        ("u20.avg != 5 != 3", 13, "this chain changes its direction"),
        ("u20.avg < u60.avg < 5%", 20, "a share is no match for a time"),
        ("avg within 5", 12, "expected ± or +- and a tolerance"),
        ("avg within 5 ±", 15, "expected a tolerance such as 5% or 10ms, but the text ends"),
        ("avg within 5 ± 3/s", 16, "this tolerance is a rate, not a time: write 150ms or 5%"),
        ("avg within 5 ± -3", 16, "this tolerance is negative"),
    ];
    check(|text| Claim::parse(text, &names()), &cases);
}

#[test]
fn what_is_no_budget_or_slow_limit() {
    let budgets = [
        ("", 0, "a time is missing: write /report=150ms"),
        ("/report=", 8, "a time is missing"),
        ("=150ms", 1, "there is no endpoint before the equals sign"),
        ("/report=5%", 8, "5% is not a latency budget"),
        ("/report=0", 8, "0 is not a latency budget"),
        ("/report=fast", 8, "\"fast\" is not a value"),
        ("/report=15x", 10, "\"x\" is not a unit"),
    ];
    check(Threshold::budget, &budgets);
    let limits = [
        ("/report=1", 8, "\"1\" has no unit: write a time with its unit"),
        ("/report=0s", 8, "every request is slower than nothing"),
        ("/report=5%", 8, "unknown unit \"%\""),
    ];
    check(fail_slower, &limits);
    assert!(fail_slower("1s").is_ok());
}

#[test]
fn what_is_too_much() {
    let deep = |n: usize| format!("{}avg{} > 5", "(".repeat(n), ")".repeat(n));
    assert!(Claim::parse(&deep(32), &names()).is_ok());
    check(|text| Claim::parse(text, &names()), &[(&deep(33), 32, "more than 32 parentheses")]);
    let long = format!("avg{} > 5", " + avg".repeat(180));
    check(|text| Claim::parse(text, &names()), &[(&long, 1_000, "longer than 1000 bytes")]);
}
