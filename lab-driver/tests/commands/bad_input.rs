//! Mistakes: all of them at once, with place and remedy, before anything is sent or any file is touched.

use super::support::{Bench, OK, Ran, Script, Scripted};

/// A run of `scenario` against a server that must hear nothing, with files that must not appear.
#[track_caller]
fn refused(scenario: &str, flags: &[&str]) -> Ran {
    let (bench, server) = (Bench::new(), Scripted::start(Script::Answer(OK)));
    bench.write("s.toml", scenario);
    let url = server.url();
    let files = ["--json", "x.json", "--csv", "y", "--out", "out"];
    let ran =
        bench.driver(&[&["run", "-f", "s.toml", "-H", &url], flags, &files].concat()).exits(2);
    assert_eq!(server.connections(), 0, "{ran:#?}");
    assert_eq!(bench.files(), ["s.toml"], "{ran:#?}");
    assert_eq!(ran.out, "");
    ran
}

const GOOD: &str = r#"schema = 1
name = "shop"
[load]
users = 2
duration = "1s"
wait = "10ms"
[[task]]
name = "/items"
request = "GET /items"
"#;

#[test]
fn five_mistakes_print_five_and_send_nothing() {
    let scenario = r#"schema = 1
[load]
users = 0
duration = "0s"
colour = "red"
[[task]]
name = "/search"
weight = 0
request = "GET /search?q={trem}"
[param.term]
pick = ["queue"]
"#;
    let ran = refused(scenario, &[]).says(&[
        "s.toml:3:9: users 0",
        "s.toml:4:12: duration 0",
        "s.toml:5:1: unknown field \"colour\"",
        "s.toml:8:10: weight 0",
        "s.toml:9:11: no parameter is called \"trem\"",
        "5 mistakes; nothing was sent and no file was written",
    ]);
    assert_eq!(ran.err.matches("remedy: ").count(), 5, "{ran:#?}");
}

#[test]
fn no_task_and_no_rate() {
    refused("schema = 1\n[load]\nrate = 0\nduration = \"1s\"\n", &[]).says(&[
        "s.toml:3:8: rate 0",
        "there is no task",
        "2 mistakes",
    ]);
}

#[test]
fn a_spawn_rate_alone_names_the_rate() {
    let scenario = GOOD.replace("users = 2\n", "");
    refused(&scenario, &["-r", "300"]).says(&["--spawn-rate: ", "--rate"]);
}

#[test]
fn flags_and_file_are_checked_together() {
    let flags = [
        "--threshold",
        "p(95)<<5",
        "--budget",
        "/itmes=5",
        "--wait",
        "soon",
        "-t",
        "0",
        "--summary-trend-stats",
        "p(95),p(101),mode",
    ];
    refused(&GOOD.replace("users = 2", "users = -2"), &flags).says(&[
        "s.toml:4:9: ",
        "--threshold: a value is expected here\n    p(95)<<5\n          ^\n",
        "--budget: no task is called \"/itmes\"",
        "did you mean /items?",
        "--wait: ",
        "--run-time: ",
        "--summary-trend-stats: \"p(101)\" is not",
        "--summary-trend-stats: \"mode\" is not",
        "7 mistakes",
    ]);
}

#[test]
fn unknown_scenarios_name_the_known_ones() {
    let bench = Bench::new();
    bench
        .driver(&["run", "-f", "apy", "-u", "5", "--virtual"])
        .exits(2)
        .says(&["\"apy\"", "api-gate"]);
    bench.driver(&["run", "-f", "no.toml", "-u", "5"]).exits(2).says(&["no.toml", "remedy: "]);
}

#[test]
fn levels_must_ascend_and_be_levels() {
    let bench = Bench::new();
    for levels in [["20", "10"], ["10", "10"]] {
        bench
            .driver(&[&["ramp", "--virtual", "--json", "r.json"], &levels[..]].concat())
            .exits(2)
            .says(&[&levels.join(" "), "ascend"]);
    }
    let ran = bench.driver(&["ramp", "0", "x", "--virtual"]).exits(2);
    let ran = ran.says(&["users 0", "users \"x\"", "2 mistakes"]);
    assert_eq!(ran.err.matches("nothing was sent").count(), 1, "{ran:#?}");
    assert_eq!(bench.files(), [""; 0]);
}

#[test]
fn strangers_are_not_loaded_without_permission() {
    let bench = Bench::new();
    for host in ["http://192.0.2.1", "http://[2001:db8::1]:80", "http://198.51.100.7:8000"] {
        bench
            .driver(&["run", "-f", "api", "-u", "1", "-t", "1s", "-H", host, "--json", "x.json"])
            .exits(2)
            .says(&["is not this machine", "--i-have-permission"]);
    }
    bench
        .driver(&["run", "https://127.0.0.1:8000/items", "-u", "1", "-t", "1s"])
        .exits(2)
        .says(&["https", "TLS", "http://"]);
    assert_eq!(bench.files(), [""; 0]);
}

#[test]
fn too_few_file_descriptors_are_found_before_the_run() {
    let (bench, server) = (Bench::new(), Scripted::start(Script::Answer(OK)));
    let url = server.url();
    bench
        .driver_after("ulimit -n 64", &["run", &url, "-u", "500", "-t", "1s", "--json", "x.json"])
        .exits(4)
        .says(&["64", "file descriptors", "lower the number of users"]);
    assert_eq!((server.connections(), bench.files().len()), (0, 0));
}
