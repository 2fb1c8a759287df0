//! The verdict: what fails a run, what a threshold forgives, and which code the shell sees.

use super::support::{BROKEN, Bench, Ran, Script, Scripted, judged};

fn virtually(bench: &Bench, flags: &[&str]) -> Ran {
    let run = ["run", "-f", "api", "-u", "10", "-t", "10s", "--virtual", "--seed", "1"];
    bench.driver(&[&run, flags].concat())
}

#[test]
fn a_kept_and_a_missed_budget() {
    let bench = Bench::new();
    virtually(&bench, &["--budget", "/report=2s"])
        .exits(0)
        .says(&["PASS: /report p95", "verdict: pass"]);
    virtually(&bench, &["--budget", "/report=50ms", "--threshold", "/items:p(99)<10s"])
        .exits(1)
        .says(&["FAIL: /report p95", "PASS: /items p99", "verdict: fail"]);
}

#[test]
fn the_code_for_a_missed_threshold_can_be_chosen() {
    let bench = Bench::new();
    let code = ["--exit-code-on-threshold", "99"];
    virtually(&bench, &[&["--budget", "1ms"], &code[..]].concat()).exits(99);
    virtually(&bench, &[&["--budget", "10s"], &code[..]].concat()).exits(0);
    // A missed threshold never looks like a pass.
    virtually(&bench, &["--budget", "1ms", "--exit-code-on-threshold", "0"]).exits(2);
}

#[test]
fn a_threshold_without_data_fails() {
    let bench = Bench::new();
    // One arrival of a hundredth's weight: the rare endpoint has no request.
    bench.write(
        "rare.toml",
        r#"schema = 1
name = "rare"
model = { target = "api" }
[load]
users = 1
duration = "1s"
wait = "600ms"
[[task]]
name = "/items"
weight = 100000
request = "GET /items"
[[task]]
name = "/report"
request = "GET /report"
"#,
    );
    bench
        .driver(&["run", "-f", "rare.toml", "--virtual", "--budget", "/report=10s", "--seed", "1"])
        .exits(1)
        .says(&["FAIL: /report p95", "no data", "verdict: fail"]);
}

fn against(script: Script, flags: &[&str]) -> Ran {
    judged(|| {
        let server = Scripted::start(script);
        let url = format!("{}/items", server.url());
        let run = ["run", &url, "-u", "2", "-t", "1s", "--wait", "5ms"];
        Bench::new().driver(&[&run, flags].concat())
    })
}

#[test]
fn a_few_failures_fail_the_run_unless_a_threshold_allows_them() {
    against(Script::FailFirst(1), &[]).exits(1).says(&["1 of ", " requests failed", "status 500"]);
    against(Script::FailFirst(1), &["--threshold", "failed<50%"]).exits(0).says(&["PASS: failed"]);
    against(Script::FailFirst(1), &["--threshold", "p(95)<60s"])
        .exits(1)
        .says(&["requests failed"]);
}

#[test]
fn a_run_in_which_all_failed_never_passes() {
    against(Script::Answer(BROKEN), &["--threshold", "failed<=100%"]).exits(1).says(&[
        "PASS: failed 100%",
        "every request failed",
        "errors are fast",
        "status 500",
    ]);
}
