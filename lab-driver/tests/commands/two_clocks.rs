//! Open and scheduled runs: both clocks, what was asked for and what was made, and the lesson's loop.

use super::support::Bench;

const FROZEN: [&str; 4] = ["--virtual", "--model", "target=products", "--model"];

/// The numbers of the first line that begins with `start`.
#[track_caller]
fn numbers(text: &str, start: &str) -> Vec<f64> {
    let line = text.lines().find(|line| line.starts_with(start));
    let line = line.unwrap_or_else(|| panic!("no line {start:?} in {text}"));
    let words = line[start.len()..].split_whitespace();
    words.filter_map(|word| word.trim_start_matches('≥').parse().ok()).collect()
}

fn looped(seed: &str, more: &[&str]) -> super::support::Ran {
    let words = ["loop", "--rate", "20", "--total", "600", "--seed", seed];
    let words = [&words[..], &FROZEN, &["freeze=2s/10s"], more].concat();
    Bench::new().driver(&words).exits(0)
}

#[test]
fn the_loop_sends_all_it_planned_and_shows_both_clocks() {
    for seed in ["1", "2", "3"] {
        let ran = looped(seed, &[]);
        let [naive, corrected] = ["naive", "corrected"].map(|clock| numbers(&ran.out, clock));
        assert_eq!(
            (naive.len(), naive[0], corrected[0]),
            (5, 600.0, 600.0),
            "reqs p50 p90 p99 max"
        );
        assert!(naive[3] <= 60.0 && (1_950.0..2_050.0).contains(&naive[4]), "{naive:?}");
        assert!((1_850.0..=2_000.0).contains(&corrected[3]), "{corrected:?}");
        assert!(!ran.out.contains("back-filled"));
        ran.says(&["600 planned: 600 sent (", "0 dropped, 0 never sent", "verdict: pass"]);
    }
}

#[test]
fn a_back_fill_is_a_row_of_its_own_and_changes_no_other() {
    let (plain, filled) = (looped("1", &[]), looped("1", &["--back-fill"]));
    for clock in ["naive", "corrected"] {
        assert_eq!(numbers(&plain.out, clock), numbers(&filled.out, clock));
    }
    let estimate = numbers(&filled.out, "back-filled");
    assert!(estimate[0] > 700.0, "three freezes of 40 requests each are invented: {estimate:?}");
    assert!((1_850.0..=2_000.0).contains(&estimate[3]), "{estimate:?}");
    filled.says(&["HdrHistogram's estimate"]);
}

#[test]
fn wrong_numbers_of_a_loop_are_told_at_once() {
    let bench = Bench::new();
    let ran = bench.driver(&["loop", "--rate", "0", "--total", "none", "--virtual"]).exits(2);
    ran.says(&["--rate", "starts nothing", "--total", "no number of starts", "2 mistakes"]);
}

#[test]
fn an_open_run_says_what_it_asked_for_what_it_started_and_what_came_back() {
    let bench = Bench::new();
    let run = ["run", "-f", "products", "--virtual", "--seed", "7", "-t", "20s", "--rate"];
    let open = |more: &[&str]| bench.driver(&[&run[..], more].concat());
    let calm = open(&["300/s"]).exits(0);
    calm.says(&[
        "/api/products (response) ",
        "/api/products (round trip) ",
        "users needed: λ × W = 300/s × 20 ms = 6 at once",
        "300 if answers take 1 s",
        "asked 300.0/s, started 300.0/s, completed 299.7/s; 6000 planned: 6000 sent (0 of them",
    ])
    .says_nothing_of(&["≥"]);
    let dropping = open(&["450/s", "--max-in-flight", "500", "--overflow", "drop"]).exits(0);
    dropping.says(&["asked 450.0/s, started 4", "never sent", "W grows without end", "≥12"]);
    let queueing = open(&["450/s", "--max-in-flight", "100", "--overflow", "queue"]).exits(0);
    queueing.says(&["asked 450.0/s, started 4", " 0 dropped, "]).says_nothing_of(&["≥"]);
    let slow = open(&["12/m"]).exits(0);
    slow.says(&["asked 0.2/s, started 0.2/s, completed 0.2/s; 4 planned: 4 sent"]);
}

#[test]
fn stages_and_holds_make_the_rate() {
    let bench = Bench::new();
    let stages = ["--stage", "10s:100/s", "--hold", "5s:20/s", "--stage", "5s:0/s"];
    let run = ["run", "-f", "products", "--virtual", "--seed", "7", "--json", "r.json"];
    // 10 s up to 100, 5 s at 20, 5 s down to none: 500 + 100 + 50.
    let ran = bench.driver(&[&run[..], &stages].concat()).exits(0);
    ran.says(&["asked 32.5/s, started 32.5/s, ", "650 planned: 650 sent"]);
    let record = bench.json("r.json");
    let endpoint = &record["segments"][0]["endpoints"][0];
    let clocks = ["successful", "round_trip"].map(|clock| endpoint[clock]["n"].as_u64());
    assert_eq!(clocks, [Some(650); 2], "the record holds both clocks");
}

#[test]
fn users_who_wait_have_one_clock_and_no_rate() {
    let bench = Bench::new();
    let closed = ["run", "-f", "products", "--virtual", "--seed", "7", "-t", "5s"];
    let ran = bench.driver(&closed).exits(0);
    ran.says_nothing_of(&["(response)", "(round trip)", "asked ", "users needed"]);
    let ran = bench.driver(&[&closed[..], &["--back-fill", "25ms"]].concat()).exits(0);
    ran.says(&["/api/products (back-filled)", "HdrHistogram's estimate"]);
    let open = [&closed[..], &["--rate", "20", "--back-fill", "50ms"]].concat();
    bench.driver(&open).exits(2).says(&["--back-fill", "nothing was omitted"]);
}
