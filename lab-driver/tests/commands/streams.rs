//! What goes to which stream, and how it looks when nobody watches.

use super::support::{Bench, OK, Script, Scripted, judged};

const RUN: [&str; 8] = ["run", "-f", "api-gate", "-u", "10", "-t", "10s", "--virtual"];

#[test]
fn the_verdict_survives_without_standard_error() {
    let bench = Bench::new();
    let ran = bench.driver(&[&RUN[..], &["--table", "stderr"]].concat()).exits(0);
    assert!(ran.out.starts_with("PASS: p95 "), "{ran:#?}");
    assert!(ran.out.ends_with("verdict: pass\n") && !ran.out.contains("/items"), "{ran:#?}");
    assert!(ran.err.contains("run ") && ran.err.contains("/items"), "{ran:#?}");
    let ran = bench.driver_after("exec 2>/dev/null", &[&RUN[..], &["--table", "stderr"]].concat());
    assert!(ran.exits(0).out.ends_with("verdict: pass\n"));
    let ran = bench.driver(&[&RUN[..], &["--table", "none"]].concat()).exits(0);
    assert!(!ran.out.contains("/items") && !ran.err.contains("/items"), "{ran:#?}");
}

#[test]
fn a_closed_standard_output_is_no_crash() {
    let bench = Bench::new();
    for closed in ["exec >&-", "exec 2>&-", "exec >/dev/full"] {
        let ran = bench.driver_after(closed, &RUN).exits(0);
        ran.says_nothing_of(&["panicked"]);
    }
}

#[test]
fn no_escape_codes_and_no_progress_in_a_pipe() {
    let (bench, server) = (Bench::new(), Scripted::start(Script::Answer(OK)));
    let url = server.url();
    let ran = judged(|| bench.driver(&["run", &url, "-u", "2", "-t", "2s", "--wait", "20ms"]));
    ran.exits(0).says_nothing_of(&["\u{1b}", "\r", "█", "in flight"]);
    bench.driver(&RUN).exits(0).says_nothing_of(&["\u{1b}", "\r"]);
}

#[test]
fn the_statistics_asked_for_are_the_columns() {
    let bench = Bench::new();
    let statistics = ["--summary-trend-stats", "min,med,p(90),p(99.9)"];
    let ran = bench.driver(&[&RUN[..], &statistics].concat()).exits(0);
    let heading: Vec<&str> = ran.out.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heading, ["run", "endpoint", "reqs", "req/s", "min", "med", "p90", "p99.9"]);
}

#[test]
fn help_is_an_answer_and_shows_an_example() {
    let bench = Bench::new();
    for command in ["run", "ramp", "summary"] {
        let ran = bench.driver(&[command, "--help"]).exits(0);
        assert!(
            ran.out.contains(&format!("lab-driver {command} ")) && ran.err.is_empty(),
            "{ran:#?}"
        );
    }
    bench.driver(&["machine"]).exits(0).says(&["core", "memory", "load average"]);
    bench.driver(&["rum"]).exits(2).says(&["rum"]);
}

#[test]
fn variables_stand_for_flags() {
    let bench = Bench::new();
    let set = "export LAB_VIRTUAL=1 LAB_USERS=3 LAB_SCENARIO=api LAB_RUN_TIME=5s LAB_QUIET=yes";
    bench.driver_after(set, &["run"]).exits(0).says(&["u3 ", "virtual time"]);
    bench.driver_after(&format!("{set} LAB_USERS=x"), &["run"]).exits(2).says(&["--users: "]);
}

#[test]
fn a_ramp_warns_once_of_what_is_common_and_names_the_run_of_the_rest() {
    let bench = Bench::new();
    let ran = bench.driver(&["ramp", "5", "200", "-f", "api", "-t", "5s", "--virtual"]).exits(0);
    assert!(ran.err.lines().any(|line| line.starts_with("warning: u5: /report has ")), "{ran:#?}");
    assert!(ran.err.lines().all(|line| line.starts_with("warning: u5: ")), "{ran:#?}");
}
