//! A lab that has been tampered with does not pass: it is refused, and whoever insists gets no pass either.

use crate::support::{Labs, Ran};

/// Checks `name` as it is and with --unchecked; the first must be refused for `why`, and nothing is a pass.
#[track_caller]
fn does_not_pass(labs: &Labs, name: &str, why: &str) -> Ran {
    for length in [&[][..], &["--quick"]] {
        let ran = labs.run(&[&["check", name, "--virtual"], length].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains(why) && ran.err.contains("nothing was run"), "{}", ran.err);
    }
    let ran = labs.run(&["check", name, "--virtual", "--unchecked"]);
    assert!([1, 3].contains(&ran.code), "{}: {}", ran.code, ran.out);
    assert!(ran.out.contains("IN DOUBT: ") && !ran.out.contains("verdict: pass"), "{}", ran.out);
    ran
}

const CHANGED: &str = "its runs or claims are not those that were tried over 10000 seeds";

#[test]
fn a_lab_with_another_pool() {
    let labs = Labs::of_the_repository();
    let target = "name = \"api\"\n";
    labs.edit("03-knee/lab.toml", target, &format!("{target}knobs = {{ report_pool = 3 }}\n"));
    let ran = does_not_pass(&labs, "knee", CHANGED);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("FAIL        ceiling-60"), "{}", ran.out);
}

#[test]
fn a_lab_with_fewer_claims() {
    let labs = Labs::of_the_repository();
    let text = std::fs::read_to_string(labs.path("03-knee/lab.toml")).unwrap();
    let (before, claims) = text.split_once("[[claim]]").unwrap();
    let first = claims.split("[[claim]]").next().unwrap();
    std::fs::write(labs.path("03-knee/lab.toml"), format!("{before}[[claim]]{first}")).unwrap();
    let ran = does_not_pass(&labs, "knee", CHANGED);
    assert!(ran.code == 3 && ran.out.contains("inconclusive — 1 of 1 claims hold"), "{}", ran.out);
}

#[test]
fn a_lab_with_shorter_runs() {
    let labs = Labs::of_the_repository();
    labs.edit("03-knee/lab.toml", "duration = \"30s\"", "duration = \"12s\"");
    does_not_pass(&labs, "knee", CHANGED);
}

#[test]
fn a_lab_with_claims_that_say_less() {
    let labs = Labs::of_the_repository();
    labs.edit("04-wait-time/lab.toml", ">= 3.5 * pause.throughput", ">= 0.1 * pause.throughput");
    does_not_pass(&labs, "wait-time", CHANGED);
}

#[test]
fn one_sabotaged_lab_stops_the_check_of_all() {
    let labs = Labs::of_the_repository();
    labs.edit("02-percentiles/lab.toml", "quick = \"8s\"", "quick = \"1s\"");
    let ran = labs.run(&["check", "--all", "--virtual"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    insta::assert_snapshot!(ran.err, @r"
    lab-driver: 02-percentiles: its runs or claims are not those that were tried over 10000 seeds
        remedy: take back what was changed, or try them: lab-driver lab lint 02-percentiles --seeds 10000 --store LABS/lint-seeds.json
    nothing was run; --unchecked judges them all the same, and never as a pass
    ");
}

#[test]
fn other_words_are_no_sabotage() {
    let labs = Labs::with("lab.toml", "hint = \"Divide.\"", "hint = \"Divide by 0.1 s.\"");
    let ran = labs.run(&["check", "pool", "--virtual"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn counts_that_are_missing_or_bear_nothing_out_do_not_help() {
    let labs = Labs::good();
    std::fs::remove_file(labs.path("lint-seeds.json")).unwrap();
    does_not_pass(&labs, "times", "02-times: its claims have not been tried over many seeds");
    let kept = labs.path("lint-seeds.json");
    let few = ["lint", "times", "--seeds", "300", "--store", kept.to_str().unwrap()];
    assert_eq!(labs.run(&few).code, 0);
    does_not_pass(&labs, "times", "300 seeds are too few to rely on, 1000 at least");
    does_not_pass(&labs, "pool", "has no counts of it");
    labs.edit("lint-seeds.json", "\"schema\": 2", "\"schema\": 3");
    does_not_pass(&labs, "times", "cannot be read: it has schema 3, and this lab-driver reads 2");
    std::fs::remove_file(&kept).unwrap();
    labs.edit("02-times/lab.toml", "times = [\"1ms\"]", "times = [\"1ms\", \"2ms\"]");
    let many = ["lint", "times", "--seeds", "1000", "--store", kept.to_str().unwrap()];
    labs.run(&many);
    labs.edit("lint-seeds.json", "\"caught\": 1000", "\"caught\": 900");
    does_not_pass(&labs, "times", "is not reliable (0 false failures, 900 caught)");
}

#[test]
fn a_lab_of_ones_own_passes_once_its_claims_have_been_tried() {
    let labs = Labs::with("lab.toml", "20/s ± 5%", "20/s ± 6%");
    assert_eq!(labs.run(&["check", "pool", "--virtual"]).code, 2);
    labs.try_over_seeds("pool");
    let ran = labs.run(&["check", "--all", "--virtual"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn claims_that_say_nothing_are_refused() {
    let empty = "that = \"20 == 20\"";
    let labs = Labs::with("lab.toml", "that = \"exit(gate) == 0\"", empty);
    let ran = labs.run(&["check", "pool", "--virtual"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("lab.toml:40:8"), "{}", ran.err);
}

#[test]
fn a_lab_without_claims_is_refused() {
    let labs = Labs::good();
    let path = labs.path("02-times/lab.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.split("[[claim]]").next().unwrap()).unwrap();
    let ran = labs.run(&["check", "times", "--virtual"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there is no claim, so nothing would be checked"), "{}", ran.err);
}

#[test]
fn a_lab_of_which_nothing_is_judged_is_open() {
    let live = "scope = \"live\"\nnot_in_virtual_time = \"I say so.\"";
    let labs = Labs::good();
    labs.edit("02-times/lab.toml", "must_fail_when = { times = [\"1ms\"] }", live);
    labs.try_over_seeds("times");
    let ran = labs.run(&["check", "times", "--virtual"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("verdict: inconclusive — 0 of 1 claims hold"), "{}", ran.out);
}

#[test]
fn shortened_runs_are_found_by_the_linter() {
    let labs = Labs::with("lab.toml", "quick = \"12s\"", "quick = \"2s\"");
    let ran = labs.run(&["lint", "pool", "--seeds", "30"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.err.contains("quick length: fails without cause"), "{}", ran.err);
    assert!(!ran.err.contains("full length"), "{}", ran.err);
}

#[test]
fn a_change_that_breaks_nothing_is_found_by_the_linter() {
    let labs = Labs::with("lab.toml", "report_pool = 3 } }", "items_slow_every = 24 } }");
    let ran = labs.run(&["lint", "pool", "--seeds", "10"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(
        ran.err.contains("claim ceiling, full length: must_fail_when is caught with 0 of 10"),
        "{}",
        ran.err
    );
}
