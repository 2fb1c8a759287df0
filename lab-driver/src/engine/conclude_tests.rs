//! Tests of a run's conclusion: verdict, thresholds and warnings.

use std::collections::BTreeMap;

use super::super::counters::{Counters, Resource};
use super::super::outcome::{Failure, Reply, TransportFailure};
use super::super::recorder::Recorder;
use super::super::sample::Sample;
use super::super::testing::{closed, open, record};
use super::super::verdict::Outcome;
use super::*;

/// A run of `plan` in which so many requests end well and so many by `failure`, and so many are dropped.
fn run(mut plan: Plan, good: u64, bad: u64, failure: Failure, thresholds: &[&str]) -> RunRecord {
    plan.thresholds = thresholds.iter().map(|text| (*text).to_owned()).collect();
    let mut recorder = Recorder::new(1, plan.windows(), plan.is_scheduled());
    for index in 0..good + bad {
        let failure = (index >= good).then_some(failure);
        let done = Ns::from_millis(if failure.is_some() { 1 } else { 20 });
        let reply = match failure {
            Some(Failure::Transport(transport)) => Reply::Transport(transport),
            _ => Reply::Answered { status: 200, bytes: 0, body_matches: true },
        };
        let zero = Ns::ZERO;
        recorder.record(&Sample {
            task: 0,
            user: 0,
            index,
            intended: zero,
            ready: zero,
            sent: zero,
            done,
            reply,
            failure,
        });
    }
    let tally = super::super::dispatch::Tally {
        started: good + bad,
        completed: good + bad,
        failed: bad,
        ..Default::default()
    };
    record(plan, StripeResult { segments: recorder.finish(), tally })
}

const ERROR: Failure = Failure::Status(500);

fn outcome(good: u64, bad: u64, thresholds: &[&str]) -> Outcome {
    run(closed(1, 10), good, bad, ERROR, thresholds).verdict.outcome
}

#[test]
fn failures_fail_the_run_unless_a_threshold_speaks_of_them() {
    assert_eq!(outcome(200, 0, &[]), Outcome::Pass);
    assert_eq!(outcome(200, 1, &[]), Outcome::Fail);
    assert_eq!(outcome(200, 1, &["p(95)<300"]), Outcome::Fail);
    assert_eq!(outcome(200, 1, &["failed<1%"]), Outcome::Pass);
    assert_eq!(outcome(200, 3, &["failed<1%"]), Outcome::Fail);
}

#[test]
fn a_run_in_which_all_failed_never_passes() {
    let record = run(closed(1, 10), 0, 50, ERROR, &["failed<=100%", "p(95)<300"]);
    assert!(record.thresholds.iter().all(|threshold| threshold.holds));
    assert_eq!(record.verdict.outcome, Outcome::Fail);
    let fast =
        Warning::ErrorsAreFast { failed_p50_us: Some(1_000), successful_p50_us: None, share: 1.0 };
    assert!(record.warnings.contains(&fast), "{:?}", record.warnings);
}

#[test]
fn a_threshold_without_data_fails() {
    let refused = Failure::Transport(TransportFailure::Refused);
    let record = run(closed(1, 10), 0, 5, refused, &["p(95)<300"]);
    assert_eq!(
        (record.thresholds[0].holds, record.thresholds[0].observed.as_str()),
        (false, "no data")
    );
}

#[test]
fn a_lower_bound_below_the_limit_is_not_shown_to_hold() {
    let record =
        run(closed(1, 10), 50, 50, Failure::TimedOut, &["p(95)<300", "p(50)<300", "failed<=60%"]);
    let holds: Vec<bool> = record.thresholds.iter().map(|threshold| threshold.holds).collect();
    assert_eq!(holds, [false, false, true], "what waited longest is no reason to pass");
}

#[test]
fn invalid_beats_fail() {
    let mut record = run(closed(1, 10), 100, 5, ERROR, &["p(95)<1"]);
    record.generator.faults.push("the driver was too busy".to_owned());
    judge::judge(&mut record);
    assert_eq!(record.verdict.outcome, Outcome::Invalid);
}

#[test]
fn fast_errors_are_told_from_slow_ones() {
    let has_warning = |record: &RunRecord| {
        record.warnings.iter().any(|warning| matches!(warning, Warning::ErrorsAreFast { .. }))
    };
    assert!(has_warning(&run(closed(1, 10), 100, 50, ERROR, &[])));
    assert!(!has_warning(&run(closed(1, 10), 100, 0, ERROR, &[])));
}

#[test]
fn a_rate_that_was_not_met_is_named() {
    let record = run(open(100.0, 10, 10), 900, 0, ERROR, &[]);
    assert_eq!(record.totals.planned, Some(1_000));
    assert!(record.warnings.contains(&Warning::RateNotMet { asked: 100.0, made: 90.0 }));
    let record = run(open(100.0, 10, 10), 999, 0, ERROR, &[]);
    assert!(!record.warnings.iter().any(|warning| matches!(warning, Warning::RateNotMet { .. })));
}

#[test]
fn failures_are_judged_where_they_are_measured() {
    let mut plan = closed(1, 10);
    plan.warm_up = Ns::from_secs(5);
    // All requests of this run begin at zero: in the warm-up.
    let record = run(plan, 0, 50, ERROR, &[]);
    assert_eq!(record.verdict.reasons, ["no request was measured"]);
}

#[test]
fn a_threshold_on_one_endpoint_excuses_no_other() {
    let elsewhere = run(closed(1, 10), 100, 50, ERROR, &["/else:failed<1%"]);
    assert!(elsewhere.verdict.reasons.iter().any(|reason| reason == "50 of 150 requests failed"));
    let here = run(closed(1, 10), 100, 50, ERROR, &["/:failed<50%"]);
    assert_eq!(here.verdict.outcome, Outcome::Pass);
}

#[test]
fn slow_answers_and_time_outs_are_no_fast_errors() {
    for failure in [Failure::Slow, Failure::TimedOut, Failure::CutOff] {
        let record = run(closed(1, 10), 0, 50, failure, &[]);
        let fast = |warning: &Warning| matches!(warning, Warning::ErrorsAreFast { .. });
        assert!(!record.warnings.iter().any(fast), "{failure:?}");
    }
}

#[test]
fn random_arrivals_have_no_planned_number_to_miss() {
    let mut plan = open(100.0, 10, 10);
    if let Load::Open { arrivals, .. } = &mut plan.load {
        *arrivals = Arrivals::Poisson;
    }
    let record = run(plan, 900, 0, ERROR, &[]);
    assert_eq!(record.totals.planned, Some(900));
    assert!(record.warnings.is_empty(), "{:?}", record.warnings);
}

#[test]
fn a_schedule_plans_every_instant_of_its_grid() {
    let mut plan = closed(1, 1);
    plan.duration = Ns::from_millis(2_400);
    plan.load = Load::Closed {
        users: super::super::profile::Profile::constant(1.0, plan.duration),
        think: Think::Schedule { period: Ns::from_secs(1) },
    };
    assert_eq!(planned(&plan, &Tally::default()), Some(3));
}

#[test]
fn the_truth_of_the_target_is_kept_beside() {
    let resource = Resource { name: "berths".to_owned(), capacity: 1, ..Resource::default() };
    let before = Counters { t: 0.0, resources: vec![resource.clone()], ..Counters::default() };
    let after = Counters {
        t: 10.0,
        resources: vec![Resource { busy_s: 9.9, wait_s: 30.0, served: 99, ..resource }],
        ..Counters::default()
    };
    let truth = TargetTruth::new("ferry".to_owned(), BTreeMap::new(), before, after);
    assert!(truth.resources[0].full);
    assert!((truth.resources[0].mean_waiting - 3.0).abs() < 1e-9);
}
