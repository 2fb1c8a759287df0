//! Result files: an unwritable place is found before the run, a full disk loses nothing else.

use super::support::{Bench, OK, Script, Scripted, judged};

const VIRTUAL: [&str; 8] = ["run", "-f", "api", "-u", "5", "-t", "5s", "--virtual"];

#[test]
fn an_unwritable_place_is_found_before_the_run() {
    let (bench, server) = (Bench::new(), Scripted::start(Script::Answer(OK)));
    bench.write("file", "");
    let url = server.url();
    for (flag, place) in
        [("--json", "file/x.json"), ("--csv", "file/y"), ("--out", "file"), ("--json", ".")]
    {
        bench
            .driver(&["run", &url, "-u", "1", "-t", "1s", flag, place])
            .exits(4)
            .says(&["cannot write ", "choose another place"]);
    }
    assert_eq!(server.requests(), 0);
    assert_eq!(bench.files(), ["file"]);
}

#[test]
fn one_full_disk_loses_nothing_else() {
    let bench = Bench::new();
    let ran =
        bench.driver(&[&VIRTUAL[..], &["--json", "/dev/full", "--csv", "c"]].concat()).exits(4);
    ran.says(&["writing to /dev/full failed", "verdict: pass"]);
    let stats = bench.read("c_stats.csv");
    assert!(stats.contains(",Aggregated,") && bench.files().len() == 4, "{stats}");
}

/// With a limit on file sizes, the system sends a signal that ends most programs without a word.
#[test]
fn a_file_size_limit_is_reported_and_the_rest_kept() {
    let bench = Bench::new();
    bench.write("r.json", "{}");
    let flags = ["--json", "r.json", "--csv", "c"];
    let ran = bench.driver_after("ulimit -f 2", &[&VIRTUAL[..], &flags].concat()).exits(4);
    ran.says(&["r.json is not complete", "r.json.partial", "verdict: pass"]);
    assert_eq!(bench.read("r.json"), "{}", "what was there stays");
    assert!(!bench.read("r.json.partial").is_empty());
    assert!(bench.read("c_stats.csv").contains(",Aggregated,"));
}

#[test]
fn a_live_run_under_a_file_size_limit_too() {
    let (bench, server) = (Bench::new(), Scripted::start(Script::Answer(OK)));
    let url = server.url();
    let run =
        ["run", &url, "-u", "2", "-t", "1s", "--wait", "20ms", "--json", "r.json", "--csv", "c"];
    let ran = judged(|| bench.driver_after("ulimit -f 2", &run)).exits(4);
    ran.says(&["r.json is not complete", "verdict: pass"]);
    assert!(bench.read("c_stats.csv").contains(",Aggregated,"));
}

#[test]
fn what_exists_is_replaced_by_a_whole_file() {
    let bench = Bench::new();
    bench.write("r.json", "old");
    bench.driver(&[&VIRTUAL[..], &["--json", "r.json"]].concat()).exits(0);
    assert_eq!(bench.json("r.json")["schema"], 1);
    assert_eq!(bench.files(), ["r.json"]);
}

#[test]
fn two_results_in_one_file_are_refused_before_the_run() {
    let bench = Bench::new();
    let ran =
        bench.driver(&[&VIRTUAL[..], &["--json", "c_stats.csv", "--csv", "c"]].concat()).exits(4);
    ran.says(&["cannot write c_stats.csv", "another result is being written there"]);
    assert_eq!(bench.files(), [""; 0]);
}

#[test]
fn what_a_killed_run_left_is_no_obstacle() {
    let bench = Bench::new();
    bench.write("r.json.partial", "left by another run, and longer than nothing".repeat(10_000));
    bench.driver(&[&VIRTUAL[..], &["--json", "r.json"]].concat()).exits(0);
    assert_eq!(bench.json("r.json")["schema"], 1);
    assert_eq!(bench.files(), ["r.json"]);
}
