//! The lesson on open and closed load in virtual time: what its targets must show, over several seeds.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod plans;

use std::collections::BTreeMap;

use lab_driver::engine::conclude::Ended;
use lab_driver::engine::distribution::Distribution;
use lab_driver::engine::plan::{
    Arrivals, Choice, Load, ModelSpec, Overflow, Parameter, Plan, Think, Values,
};
use lab_driver::engine::profile::Profile;
use lab_driver::engine::time::Ns;
use lab_driver::sim::predict::Theory;
use lab_driver::sim::{run, targets};

const SEEDS: std::ops::Range<u64> = 0..5;
const NO_PAUSE: Think = Think::Constant { pause: Ns::ZERO };

fn products(knobs: &[(&str, &str)]) -> ModelSpec {
    let pairs = knobs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    ModelSpec { target: "products".to_owned(), knobs: pairs.collect::<BTreeMap<_, _>>() }
}

fn frozen() -> ModelSpec {
    products(&[("freeze", "2s/10s")])
}

fn plan(load: Load, seconds: u64, seed: u64, path: &str) -> Plan {
    let mut plan = plans::plan(load, Ns::from_secs(seconds));
    plan.tasks = vec![plans::task(path, 1)];
    plan.seed = seed;
    plan
}

fn users(users: f64, think: Think, seconds: u64, seed: u64) -> Plan {
    let load = plans::users(users, think, Ns::from_secs(seconds));
    plan(load, seconds, seed, "/api/products")
}

fn arrivals(rate: f64, kind: Arrivals, seconds: u64, seed: u64) -> Plan {
    let load = plans::arrivals(rate, kind, 1_000, Ns::from_secs(seconds));
    plan(load, seconds, seed, "/api/products")
}

fn ran(plan: &Plan, spec: &ModelSpec) -> Ended {
    let model = targets::build(spec, plan.slots(), plan.seed).unwrap();
    run::run(plan, model, &mut |_, _, _| true)
}

fn response(ended: &Ended) -> Distribution {
    ended.result.segments[0].endpoints[0].response()
}

fn ms(times: &Distribution, percent: f64) -> f64 {
    times.percentile(percent).unwrap().us as f64 / 1e3
}

fn completed_per_second(ended: &Ended, seconds: u64) -> f64 {
    ended.result.segments[0].endpoints[0].counts.completed as f64 / seconds as f64
}

#[track_caller]
fn within(what: &str, value: f64, range: std::ops::RangeInclusive<f64>) {
    assert!(range.contains(&value), "{what}: {value} is not within {range:?}");
}

#[test]
fn ten_users_who_think_for_a_second_are_ten_requests_a_second() {
    for seed in SEEDS {
        let think = Think::Constant { pause: Ns::from_secs(1) };
        let ended = ran(&users(10.0, think, 30, seed), &products(&[]));
        let times = response(&ended);
        within("requests", completed_per_second(&ended, 30) * 30.0, 290.0..=300.0);
        let cycle_s = 1.0 + times.mean_us().unwrap() / 1e6;
        within("users over mean cycle", 10.0 / cycle_s, 9.7..=9.9);
        within("p95", ms(&times, 95.0), 0.0..=30.0);
    }
}

#[test]
fn without_a_pause_the_rate_doubles_to_eight_users_and_then_stands_still() {
    for seed in SEEDS {
        let at = |level: f64| ran(&users(level, NO_PAUSE, 20, seed), &products(&[]));
        let rate = |level| completed_per_second(&at(level), 20);
        for level in [1.0, 2.0, 4.0] {
            within("rate of twice the users", rate(2.0 * level) / rate(level), 1.8..=2.2);
        }
        for level in [8.0, 16.0, 32.0, 64.0] {
            within("ceiling", rate(level), 380.0..=402.0);
        }
        within("p50 of 64 users", ms(&response(&at(64.0)), 50.0), 155.0..=165.0);
    }
}

#[test]
fn planned_arrivals_up_to_the_ceiling_and_beyond() {
    for seed in SEEDS {
        let even = |rate| ran(&arrivals(rate, Arrivals::Uniform, 20, seed), &products(&[]));
        for rate in [300.0, 350.0, 380.0] {
            within("share of the rate", completed_per_second(&even(rate), 20) / rate, 0.99..=1.01);
        }
        within("p95 of even arrivals", ms(&response(&even(380.0)), 95.0), 0.0..=35.0);
        let beyond = even(450.0);
        let growth = 450.0 - completed_per_second(&beyond, 20);
        within("backlog a second", growth, 45.0..=55.0);
        within("p95 of 450/s", ms(&response(&beyond), 95.0), 2_200.0..=2_800.0);
    }
}

/// One run of 20 s differs much from the next, so it is their mean that the range is for.
#[test]
fn random_arrivals_near_the_ceiling_wait_where_even_ones_do_not() {
    let seeds = 0..40;
    let p95 = |seed| {
        let ended = ran(&arrivals(380.0, Arrivals::Poisson, 20, seed), &products(&[]));
        ms(&response(&ended), 95.0)
    };
    let mean = seeds.clone().map(p95).sum::<f64>() / seeds.count() as f64;
    within("mean p95 of random arrivals", mean, 61.0..=95.0);
}

#[test]
fn arrivals_beyond_the_limit_are_dropped_and_leave_lower_bounds() {
    for seed in SEEDS {
        let mut plan = arrivals(450.0, Arrivals::Uniform, 20, seed);
        if let Load::Open { max_in_flight, overflow, .. } = &mut plan.load {
            (*max_in_flight, *overflow) = (500, Overflow::Drop);
        }
        let ended = ran(&plan, &products(&[]));
        let tally = ended.result.tally;
        assert!(tally.dropped > 0);
        assert_eq!(tally.started + tally.dropped, 9_000, "every arrival is accounted for");
        within("p95", ms(&response(&ended), 95.0), 1_100.0..=1_400.0);
    }
}

#[test]
fn one_user_hardly_sees_a_freeze_that_arrivals_do_see() {
    for seed in SEEDS {
        let closed = response(&ran(&users(1.0, NO_PAUSE, 30, seed), &frozen()));
        within("p99 of one user", ms(&closed, 99.0), 0.0..=60.0);
        within("max of one user", ms(&closed, 100.0), 1_950.0..=2_050.0);
        let open = |rate| response(&ran(&arrivals(rate, Arrivals::Uniform, 30, seed), &frozen()));
        let few = open(40.0);
        within("p90 at 40/s", ms(&few, 90.0), 1_000.0..=1_200.0);
        within("p99 at 40/s", ms(&few, 99.0), 1_850.0..=2_050.0);
        let many = open(300.0);
        within("p90 at 300/s", ms(&many, 90.0), 1_700.0..=1_800.0);
        // Whoever comes x seconds into a freeze waits 2 − x for its end and then for 300·x others at 400/s: 2 − x/4.
        // The slowest 1 % are those of the first 0.1 s, so the exact figure lies just below 2 s.
        within("p99 at 300/s", ms(&many, 99.0), 1_970.0..=2_500.0);
    }
}

/// Sixty seconds are six whole cycles, so the phase does not matter.
#[test]
fn the_share_of_slow_answers_by_eight_users_and_by_arrivals() {
    for seed in SEEDS {
        let slow = |plan: &Plan| {
            let times = response(&ran(plan, &frozen()));
            100.0 * times.count_above(500_000) as f64 / times.totals.n as f64
        };
        within("% of eight users' requests", slow(&users(8.0, NO_PAUSE, 60, seed)), 0.1..=0.5);
        let open = arrivals(300.0, Arrivals::Uniform, 60, seed);
        within("% of arrivals", slow(&open), 45.0..=62.0);
    }
}

#[test]
fn formulas_for_the_eight_slots_agree_with_the_simulator() {
    for (kind, rate, off_ms) in [
        (Arrivals::Uniform, 300.0, 0.5),
        (Arrivals::Uniform, 380.0, 1.5),
        (Arrivals::Poisson, 300.0, 0.5),
        (Arrivals::Poisson, 350.0, 1.0),
        (Arrivals::Poisson, 380.0, 3.0),
    ] {
        let plan = arrivals(rate, kind, 2_000, 1);
        let simulated = response(&ran(&plan, &products(&[]))).mean_us().unwrap() / 1e3;
        let theory = Theory::new(&plan, &products(&[])).unwrap();
        let predicted = theory.predict("/api/products").unwrap().mean_ms;
        assert!(
            (simulated - predicted).abs() < off_ms,
            "{kind:?} {rate}/s: {simulated:.2} ms simulated, {predicted:.2} predicted"
        );
        assert_eq!(Theory::new(&plan, &frozen()).unwrap().predict("/api/products"), None);
    }
}

/// The draws of the target come from a stream of their own: arrivals are the same whatever it does.
#[test]
fn what_the_target_draws_moves_no_arrival() {
    let arrivals = |spec: &ModelSpec| {
        let ended = ran(&arrivals(100.0, Arrivals::Poisson, 20, 3), spec);
        (ended.result.tally.started, response(&ended))
    };
    let (drawn, constant) = (arrivals(&products(&[])), arrivals(&products(&[("work", "20ms")])));
    assert_eq!(drawn.0, constant.0);
    assert_ne!(drawn.1, constant.1);
}

#[test]
fn one_id_again_and_again_measures_the_cache() {
    let asking = |path: &str, to: u64, knobs: &[(&str, &str)]| {
        let mut plan = users(8.0, NO_PAUSE, 20, 1);
        plan.tasks = vec![plans::task(path, 1)];
        plan.parameters = vec![Parameter {
            name: "id".to_owned(),
            values: Values::Integers { from: 1, to },
            choice: Choice::Even,
        }];
        ms(&response(&ran(&plan, &products(knobs))), 50.0)
    };
    let cache = [("cache", "100")];
    within("one id", asking("/api/products?id=1", 1, &cache), 1.0..=1.0);
    within("few ids", asking("/api/products?id={id}", 100, &cache), 1.0..=1.0);
    within("many ids", asking("/api/products?id={id}", 10_000, &cache), 15.0..=25.0);
    within("no cache", asking("/api/products?id=1", 1, &[]), 15.0..=25.0);
    within("no id", asking("/api/products", 1, &cache), 15.0..=25.0);
}

/// Any target can be frozen, and what it does not have is refused after the freeze as well.
#[test]
fn a_frozen_api_holds_even_what_it_refuses() {
    let spec = ModelSpec { target: "api".to_owned(), ..frozen() };
    for path in ["/report", "/missing"] {
        let mut plan = plan(plans::users(1.0, NO_PAUSE, Ns::from_secs(20)), 20, 1, path);
        plan.load = Load::Closed { users: Profile::constant(1.0, plan.duration), think: NO_PAUSE };
        within(path, ms(&response(&ran(&plan, &spec)), 100.0), 1_800.0..=2_101.0);
    }
}
