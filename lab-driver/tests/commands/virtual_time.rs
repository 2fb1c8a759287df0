//! Virtual time: the same to the byte for a seed, and never endless.

use super::support::Bench;

#[path = "../../src/render/json/schema_check.rs"]
mod schema_check;

const RUN: [&str; 8] = ["run", "-f", "api", "-u", "20", "-t", "20s", "--virtual"];

#[test]
fn one_seed_gives_the_same_bytes_and_another_differs() {
    let bench = Bench::new();
    let ran = |seed: &str, name: &str| {
        let ran = bench.driver(&[&RUN[..], &["--seed", seed, "--json", name]].concat()).exits(0);
        (ran.out, bench.read(name))
    };
    let first = ran("7", "a.json");
    assert_eq!(first, ran("7", "b.json"));
    let other = ran("8", "c.json");
    assert!(first.0 != other.0 && first.1 != other.1);
}

#[test]
fn what_is_written_fits_the_schema_files() {
    let bench = Bench::new();
    bench.driver(&[&RUN[..], &["--budget", "/report=1ms", "--json", "run.json"]].concat()).exits(1);
    bench.driver(&["ramp", "10", "20", "-t", "5s", "--virtual", "--json", "set.json"]).exits(0);
    let schema = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let run = schema(include_str!("../../schema/run-record.json"));
    let set = schema(include_str!("../../schema/run-set.json"));
    assert_eq!(schema_check::fits(&bench.json("run.json"), &run), Ok(()));
    assert_eq!(schema_check::fits(&bench.json("set.json"), &set), Ok(()));
    assert!(schema_check::fits(&bench.json("set.json"), &run).is_err());
}

#[test]
fn a_ramp_is_the_same_to_the_byte_too() {
    let bench = Bench::new();
    let ran = |name: &str| {
        let ramp = ["ramp", "10", "20", "-t", "10s", "--virtual", "--seed", "7", "--json", name];
        (bench.driver(&ramp).exits(0).out, bench.read(name))
    };
    assert_eq!(ran("a.json"), ran("b.json"));
}

#[test]
fn every_run_prints_the_seed_that_repeats_it() {
    let bench = Bench::new();
    let first = bench.driver(&RUN).exits(0).out;
    let seed = first.split_once("--seed ").unwrap().1.trim_end().lines().next().unwrap();
    assert_eq!(bench.driver(&[&RUN[..], &["--seed", seed]].concat()).exits(0).out, first);
}

/// An unknown path is answered at once; without a think time nothing but the answer lets time pass.
#[test]
fn no_wait_against_an_instant_404_ends() {
    let bench = Bench::new();
    bench.write(
        "s.toml",
        r#"schema = 1
model = { target = "api" }
[load]
users = 10
duration = "30s"
wait = "0s"
[[task]]
name = "/missing"
request = "GET /missing"
"#,
    );
    let ran = bench.driver(&["run", "-f", "s.toml", "--virtual", "--json", "r.json"]).exits(1);
    ran.says(&["status 404", "every request failed", "errors are fast"]);
    let record = bench.json("r.json");
    let completed = record["totals"]["completed"].as_u64().unwrap();
    assert!((1_000..100_000_000).contains(&completed), "{completed}");
}
