//! A lab that has been tampered with does not pass.

use crate::support::Labs;

#[test]
fn another_pool_fails_the_claims() {
    for pool in ["1", "3", "4"] {
        let to = format!("report_pool = {pool} }}\n\n[[run]]");
        let labs = Labs::with("lab.toml", "report_pool = 2 }\n\n[[run]]", &to);
        let ran = labs.run(&["check", "pool", "--virtual"]);
        assert_eq!(ran.code, 1, "pool {pool}: {}", ran.out);
        assert!(ran.out.contains("FAIL        ceiling"), "{}", ran.out);
        assert!(ran.out.contains("verdict: fail"), "{}", ran.out);
    }
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
    let path = labs.path("02-times/lab.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("must_fail_when = { times = [\"1ms\"] }", live)).unwrap();
    let ran = labs.run(&["check", "times", "--virtual"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
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
