//! Rules that end a run: at the knee by a sliding window, in a total stall too, the same live and virtual.

use super::support::{Bench, Script, Scripted, judged};

/// 80 users without think time need 4 s for a report that two at a time can serve.
const OVERLOAD: [&str; 8] = ["run", "-f", "api", "-u", "80", "-t", "60s", "--virtual"];

#[test]
fn a_broken_rule_ends_the_run_and_keeps_its_results() {
    let bench = Bench::new();
    let rules = [
        "--abort-unless",
        "/report:p(95)<500 over 5s after 10s",
        "--abort-unless",
        "failed<1% over 5s",
        "--json",
        "r.json",
    ];
    bench.driver(&[&OVERLOAD, &rules[..]].concat()).exits(1).says(&[
        "FAIL: abort unless /report:p(95)<500 over 5s after 10s:",
        "at 10.0 s, and the run was ended",
        "PASS: abort unless failed<1% over 5s: never broken",
        "verdict: fail — aborted at 10.0 s: /report p(95)",
    ]);
    let record = bench.json("r.json");
    assert_eq!(record["aborted"]["at_s"], 10.0);
    assert_eq!(record["segments"][0]["to_s"], 10.2, "two ticks later, everywhere");
    assert_eq!(record["interrupted"], false);
    let counts = &record["segments"][0]["endpoints"][1]["counts"];
    // Two slots and 100 ms: what drained later is not counted into the shorter window.
    let completed = counts["completed"].as_u64().unwrap();
    assert!((195..=204).contains(&completed), "{completed}");
}

#[test]
fn a_rule_that_holds_changes_nothing() {
    let bench = Bench::new();
    let seed = ["--seed", "3"];
    let with = ["--abort-unless", "p(95)<60s over 5s"];
    let plain = bench.driver(&[&OVERLOAD[..], &seed].concat()).exits(0);
    let ruled = bench.driver(&[&OVERLOAD[..], &seed, &with].concat()).exits(0);
    let table = |out: &str| out.lines().take(5).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(table(&plain.out), table(&ruled.out));
}

#[test]
fn an_aborted_level_ends_the_ramp() {
    let bench = Bench::new();
    let flags =
        ["-f", "api", "-t", "30s", "--virtual", "--abort-unless", "/report:p(95)<1s over 5s"];
    let ran = bench.driver(&[&["ramp", "20", "60", "80"], &flags[..]].concat()).exits(1);
    let not_run = "u60 was aborted, so higher levels were not run";
    ran.says(&["u20 PASS: abort unless", "u60 FAIL: abort unless", not_run])
        .says_nothing_of(&["u80"]);
}

#[test]
fn the_code_for_thresholds_is_that_of_aborts_too() {
    let rule = ["--abort-unless", "/report:p(95)<500", "--exit-code-on-threshold", "99"];
    Bench::new().driver(&[&OVERLOAD, &rule[..]].concat()).exits(99);
}

#[test]
fn mistakes_have_carets_like_those_of_thresholds() {
    let bench = Bench::new();
    let flags = ["--abort-unless", "p(95)<100 after 5s over 3s", "--abort-unless", "/nope:avg<1s"];
    bench.driver(&[&OVERLOAD, &flags[..]].concat()).exits(2).says(&[
        "\"over\" comes once, and before \"after\"",
        "^",
        "no task is called \"/nope\"",
    ]);
    bench.write(
        "a.toml",
        "schema = 1\nname = \"a\"\nmodel = { target = \"api\" }\n[load]\nrate = 5\nduration = \"9s\"\n\
         [[task]]\nrequest = \"GET /report\"\n[[abort]]\nunless = \"p(95)<50 over 1s\"\n",
    );
    bench.driver(&["run", "-f", "a.toml", "--virtual"]).exits(1).says(&["abort unless p(95)<50"]);
}

/// Nothing ever completes, so no percentile of completions could say anything.
#[test]
fn a_total_stall_cannot_hide() {
    let ran = judged(|| {
        let server = Scripted::start(Script::Silence);
        let url = format!("{}/items", server.url());
        let load = ["--rate", "20", "-t", "30s", "-s", "0s"];
        let rule = ["--abort-unless", "p(95)<300 over 5s"];
        Bench::new().driver(&[&["run", &url], &load[..], &rule[..]].concat())
    });
    let said = "and the run was ended";
    ran.exits(1).says(&["FAIL: abort unless p(95)<300 over 5s: ≥", said, "every request failed"]);
}
