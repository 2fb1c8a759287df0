//! Failures told apart: each kind by its own words in the error table, in JSON and in the CSV.

use super::support::{BROKEN, Bench, OK, Ran, Script, Scripted, judged};

/// A run against a server with `script`: fails, and the error table has the one line with `kind`.
fn fails_with(script: Script, flags: &[&str], kind: &str) -> Ran {
    let server = Scripted::start(script);
    let url = format!("{}/items", server.url());
    let run =
        ["run", &url, "-u", "2", "-t", "1s", "--wait", "20ms", "--json", "r.json", "--csv", "c"];
    let bench = Bench::new();
    let ran = judged(|| bench.driver(&[&run, flags].concat())).exits(1);
    assert!(ran.out.lines().any(|line| line.trim_end().ends_with(kind)), "{kind} in {ran:#?}");
    assert!(bench.read("c_failures.csv").contains(kind), "{}", bench.read("c_failures.csv"));
    let errors = bench.json("r.json")["segments"][0]["endpoints"][0]["errors"].clone();
    let kinds: Vec<&str> =
        errors.as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap()).collect();
    assert_eq!(kinds, [kind], "only this kind is there");
    ran
}

#[test]
fn reset() {
    fails_with(Script::Reset, &[], "connection reset").says(&["every request failed"]);
}

#[test]
fn closed_early() {
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
    fails_with(
        Script::AnswerAndClose(half),
        &[],
        "connection closed before the response was complete",
    );
}

#[test]
fn no_http() {
    fails_with(Script::AnswerAndClose("SSH-2.0-OpenSSH_9.2\r\n"), &[], "not an HTTP response");
}

#[test]
fn status() {
    fails_with(Script::Answer(BROKEN), &[], "status 500");
}

#[test]
fn time_out() {
    let flags = ["--timeout", "300ms"];
    let ran = fails_with(Script::Silence, &flags, "no answer within 300ms");
    let row = ran.out.lines().find(|line| line.contains("/items")).unwrap();
    assert!(row.contains("≥300"), "{row}");
    assert!(ran.out.contains("≥: at least this"), "{ran:#?}");
}

#[test]
fn cut_off_at_the_end_of_the_drain() {
    let flags = ["--timeout", "50s", "--stop-timeout", "200ms"];
    let ran = fails_with(Script::Silence, &flags, "still in flight when the drain ended (cut off)");
    assert!(ran.out.lines().any(|line| line.contains("/items") && line.contains('≥')), "{ran:#?}");
}

#[test]
fn the_body_lacks_what_is_expected() {
    let server = Scripted::start(Script::Answer(OK));
    let bench = Bench::new();
    bench.write(
        "s.toml",
        r#"schema = 1
[load]
users = 2
duration = "1s"
wait = "20ms"
[[task]]
name = "/items"
request = "GET /items"
expect = { body_contains = "teapot" }
"#,
    );
    let ran = judged(|| bench.driver(&["run", "-f", "s.toml", "-H", &server.url()]));
    ran.exits(1).says(&["body does not contain \"teapot\"", "every request failed"]);
}
