//! A run that is ended before its time: what drains after the end counts in no window.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod plans;

use lab_driver::engine::plan::{ModelSpec, Plan, Think};
use lab_driver::engine::time::Ns;
use lab_driver::sim::run::run;
use lab_driver::sim::targets;

const END: Ns = Ns::from_secs(5);

fn crowd() -> Plan {
    let length = Ns::from_secs(30);
    let think = Think::Constant { pause: Ns::from_millis(500) };
    let mut plan = plans::plan(plans::users(80.0, think, length), length);
    plan.tasks = vec![plans::task("/items", 3), plans::task("/report", 1)];
    plan.model =
        Some(ModelSpec { target: "api".to_owned(), knobs: std::collections::BTreeMap::new() });
    plan
}

#[test]
fn a_pool_serves_no_more_than_it_can_because_the_run_was_cut_short() {
    let plan = crowd();
    let model = targets::build(plan.model.as_ref().unwrap(), plan.slots(), plan.seed).unwrap();
    let ended = run(&plan, model, &mut |now, _, _| now < END);
    assert_eq!(ended.interrupted, Some(END));
    let segment = &ended.result.segments[0];
    assert_eq!(segment.window.to, END);
    let reports = segment.endpoints[1].counts;
    // Two permits of 100 ms: at most 100 reports in 5 s, and as many as it can with 80 users waiting.
    assert!((90..=100).contains(&reports.completed), "{reports:?}");
    assert!(reports.ended > reports.completed, "some began inside and drained outside");
    let target = ended.target.unwrap();
    assert!((target.after.t - target.before.t - 5.0).abs() < 1e-9);
}
