//! Climbs: they stop near the ceiling for any pool, name what was full, and keep the knee apart from the stop.

use super::support::{Bench, Ran, judged, start};

const REPORT: &str = r#"schema = 1
name = "reports"
model = { target = "api" }
[load]
users = 1
duration = "2s"
[[task]]
name = "/report"
request = "GET /report"
"#;

fn climb(bench: &Bench, knobs: &[&str], climb: [&str; 3], flags: &[&str]) -> Ran {
    bench.write("reports.toml", REPORT);
    let [from, to, over] = climb;
    let mut all = vec!["breakpoint", "-f", "reports.toml", "--virtual", "--json", "b.json"];
    all.extend(["--seed", "1", "--from", from, "--to", to, "--over", over]);
    all.extend(knobs.iter().flat_map(|knob| ["--model", knob]));
    bench.driver(&[&all, flags].concat())
}

/// R38: at 4.6/s per second and less a window of 5 s stops within 6 % of the ceiling, by the usual rule.
#[test]
fn a_slow_climb_stops_near_the_ceiling() {
    let bench = Bench::new();
    for (knobs, range, ceiling) in [
        // As the lesson's target: eight at once, 20 ms each.
        (["report_pool=8", "report_work=20ms"], ["50", "600", "2m"], 400.0),
        (["report_pool=16", "report_work=20ms"], ["500", "1050", "2m"], 800.0),
        (["report_pool=3", "report_work=10ms"], ["100", "460", "2m"], 300.0),
    ] {
        climb(&bench, &knobs, range, &[]).exits(0).says(&[
            "FOUND: abort unless p(95)<100 over 5s after 10s",
            "full      report pool:",
            &format!("predicted ceiling {ceiling:.1}/s by law"),
            "verdict: pass",
        ]);
        let found = &bench.json("b.json")["breakpoint"];
        let at = |name: &str| found[name]["rate"].as_f64().unwrap();
        let (stop, knee) = (at("stopped"), at("knee"));
        assert!(stop > ceiling && stop < 1.06 * ceiling, "{ceiling}: stopped at {stop}");
        assert!((0.99..1.02).contains(&(knee / ceiling)), "{ceiling}: knee at {knee}");
        assert!(knee < stop);
        let served = found["ceiling"].as_f64().unwrap();
        assert!((served / ceiling - 1.0).abs() < 0.01, "{ceiling}: served {served}");
    }
}

#[test]
fn the_same_for_a_pool_of_two_with_a_rule_of_its_own() {
    let bench = Bench::new();
    let rule = ["--abort-unless", "p(95)<300 over 5s after 10s", "--arrivals", "poisson"];
    climb(&bench, &[], ["5", "40", "10m"], &rule[..2]).exits(0).says(&["full      report pool"]);
    let stop = bench.json("b.json")["breakpoint"]["stopped"]["rate"].as_f64().unwrap();
    assert!(stop > 20.0 && stop < 21.2, "{stop}");
    // Random arrivals wait before the ceiling: the stop comes earlier, and throughput has not bent yet.
    climb(&bench, &[], ["5", "40", "10m"], &rule).exits(0);
    let early = bench.json("b.json")["breakpoint"]["stopped"]["rate"].as_f64().unwrap();
    assert!(early < stop, "{early} and {stop}");
}

#[test]
fn a_climb_below_the_ceiling_finds_nothing() {
    let bench = Bench::new();
    climb(&bench, &[], ["5", "15", "1m"], &["--abort-unless", "p(95)<300"]).exits(0).says(&[
        "broke     nothing, up to 15.0/s",
        "knee      none before the end",
        "never broken",
    ]);
}

#[test]
fn mistakes_are_told_at_once_by_the_flags_they_are_in() {
    let bench = Bench::new();
    climb(&bench, &[], ["0", "fast", "soon"], &["-t", "30s", "--abort-unless", "p95<1"])
        .exits(2)
        .says(&["--from: nothing arrives", "--to: ", "--over: ", "--run-time: ", "write p(95)"]);
    climb(&bench, &[], ["50", "40", "1m"], &[]).exits(2).says(&["40/s is no climb from 50/s"]);
}

#[test]
fn a_live_climb_names_the_pool_and_puts_theory_beside_it() {
    let bench = Bench::new();
    let server = start(2);
    let (url, admin) = (format!("{}/report", server.url()), server.admin());
    let climb =
        ["breakpoint", &url, "--admin", &admin, "--from", "10", "--to", "40", "--over", "10s"];
    let rule = ["--abort-unless", "p(95)<500 over 2s", "--json", "b.json"];
    let ran = judged(|| bench.driver(&[&climb[..], &rule].concat())).exits(0);
    ran.says(&[
        "FOUND: abort unless",
        "full      report pool",
        "ceiling 20.0/s by law",
        "by simulator",
    ]);
    let record = bench.json("b.json");
    let stop = record["breakpoint"]["stopped"]["rate"].as_f64().unwrap();
    assert!(stop > 20.0 && stop < 39.9, "{stop}");
    assert_eq!(record["interrupted"], false);
}
