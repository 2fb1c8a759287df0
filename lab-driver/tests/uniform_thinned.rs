//! Evenly spaced arrivals of which each endpoint takes a random share do wait, by Allen and Cunneen's formula.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod plans;

use std::collections::BTreeMap;

use lab_driver::engine::plan::{Arrivals, ModelSpec, Plan};
use lab_driver::engine::time::Ns;
use lab_driver::sim::predict::Theory;
use lab_driver::sim::run::run;
use lab_driver::sim::targets;

fn at(rate: f64, weights: [u32; 2]) -> (Plan, ModelSpec) {
    let length = Ns::from_secs(2_000);
    let mut plan = plans::plan(plans::arrivals(rate, Arrivals::Uniform, 5_000, length), length);
    plan.tasks = vec![plans::task("/items", weights[0]), plans::task("/report", weights[1])];
    plan.tasks.retain(|task| task.weight > 0);
    (plan, ModelSpec { target: "api".to_owned(), knobs: BTreeMap::new() })
}

fn mean_ms(plan: &Plan, spec: &ModelSpec) -> f64 {
    let ended =
        run(plan, targets::build(spec, plan.slots(), plan.seed).unwrap(), &mut |_, _, _| true);
    ended.result.segments[0].endpoints.last().unwrap().response().mean_us().unwrap() / 1e3
}

#[test]
fn a_quarter_drawn_from_an_even_stream_waits_as_predicted() {
    for rate in [40.0, 60.0, 72.0] {
        let (plan, spec) = at(rate, [3, 1]);
        let simulated = mean_ms(&plan, &spec);
        let predicted = Theory::new(&plan, &spec).unwrap().predict("/report").unwrap().mean_ms;
        let error = predicted / simulated - 1.0;
        // An approximation, some per cent high: these gaps are whole multiples of a quarter of the work. Without
        // the term for thinning it would say 100 ms at every rate.
        assert!(
            error.abs() < 0.15,
            "{rate}/s: {simulated:.1} ms simulated, {predicted:.1} predicted"
        );
    }
}

#[test]
fn an_even_stream_to_one_endpoint_does_not_wait() {
    let (plan, spec) = at(19.0, [0, 1]);
    let simulated = mean_ms(&plan, &spec);
    let predicted = Theory::new(&plan, &spec).unwrap().predict("/report").unwrap().mean_ms;
    assert!((simulated - 100.0).abs() < 1e-6 && (predicted - 100.0).abs() < 1e-6);
}
