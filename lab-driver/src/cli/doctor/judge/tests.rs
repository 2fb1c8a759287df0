//! Each check at its limits, and how a line reads.

use super::*;

fn of(cores: u32, gib: u64, load_1m: f64) -> Machine {
    Machine { cores, memory_bytes: gib << 30, load_1m, ..Machine::default() }
}

#[test]
fn few_cores_little_memory_and_much_load() {
    assert_eq!(machine(&of(2, 8, 0.0)).grade, Grade::Ok);
    assert_eq!(machine(&of(1, 8, 0.0)).grade, Grade::Warn);
    assert_eq!(machine(&of(2, 1, 0.0)).grade, Grade::Warn);
    assert_eq!(machine(&of(2, 0, 0.0)).grade, Grade::Ok, "unknown is not little");
    let loads = [1.0, 1.1, 3.0, 3.1].map(|load_1m| load(&of(2, 8, load_1m)).grade);
    assert_eq!(loads, [Grade::Ok, Grade::Note, Grade::Note, Grade::Warn]);
}

#[test]
fn power_that_is_not_told_is_a_note() {
    assert_eq!(power(None, None).found, "this system does not tell");
    assert_eq!(power(None, None).grade, Grade::Note);
    assert_eq!(power(Some(Power::Battery), Some("performance")).grade, Grade::Warn);
    assert_eq!(power(Some(Power::Mains), Some("powersave")).grade, Grade::Note);
    assert_eq!(power(Some(Power::Mains), Some("performance")).grade, Grade::Ok);
}

#[test]
fn files_for_a_thousand_and_for_ten_thousand_users() {
    let grades = [1_099, 1_100, 10_099, 10_100, u64::MAX].map(|most| files(most).grade);
    assert_eq!(grades, [Grade::Warn, Grade::Note, Grade::Note, Grade::Ok, Grade::Ok]);
}

#[test]
fn the_trial_is_judged_as_any_run() {
    let health = GeneratorHealth { lag_p50_us: 60, lag_p99_us: 12_300, ..Default::default() };
    let judged =
        |outcome| trial(&Verdict { outcome, reasons: vec!["too late".to_owned()] }, &health);
    assert_eq!(judged(Outcome::Pass).grade, Grade::Ok);
    assert_eq!(judged(Outcome::Fail).grade, Grade::Fail);
    let invalid = judged(Outcome::Invalid);
    assert_eq!(invalid.grade, Grade::Warn);
    assert!(invalid.found.contains("p50 0.06 ms, p99 12.30 ms"), "{invalid:?}");
    assert!(invalid.found.ends_with("too late"), "{invalid:?}");
}

#[test]
fn lines_are_aligned_and_the_last_is_a_sentence() {
    let mut findings = vec![build(false)];
    assert_eq!(sentence(&findings), "ready");
    findings.push(port(8_000, Some("taken by another program")));
    assert_eq!(sentence(&findings), "ready, with 1 warning");
    findings.push(build(true));
    assert_eq!(sentence(&findings), "ready, with 2 warnings");
    assert!(is_ready(&findings));
    findings.push(refused(SERVER, "it is not there\n    build it\n"));
    assert_eq!(sentence(&findings), "not ready: see lab-server");
    assert!(!is_ready(&findings));
    let mut lines = Vec::new();
    for finding in &findings {
        finding.write(Style::PLAIN, &mut lines).unwrap();
    }
    insta::assert_snapshot!(String::from_utf8(lines).unwrap(), @r"
    ok    build       release
    warn  port        8000: taken by another program — labs choose their own; for start.sh set LAB_PORT, or end a server of its own with stop.sh
    warn  build       this is a debug build — build with cargo build --release
    FAIL  lab-server  it is not there — build it
    ");
}
