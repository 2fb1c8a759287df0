//! The laws of queueing theory, held against the simulator with fixed seeds.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod plans;

use lab_driver::engine::conclude::Ended;
use lab_driver::engine::plan::{Arrivals, Load, Plan, Think};
use lab_driver::engine::random::{Exponentials, Stream};
use lab_driver::engine::time::Ns;
use lab_driver::sim::model::{Model, Route};
use lab_driver::sim::pieces::{Piece, Service, Slots};
use lab_driver::sim::{laws, run};

/// Queues start empty; what comes before the steady state is not measured.
fn plan(load: Load, seconds: u64, seed: u64) -> Plan {
    let mut plan = plans::plan(load, Ns::from_secs(seconds));
    plan.warm_up = Ns::from_secs(seconds / 20);
    plan.drain = Ns::from_secs(600);
    plan.tasks[0].timeout = Ns::from_secs(600);
    plan.seed = seed;
    plan
}

fn poisson(rate: f64, seconds: u64) -> Load {
    plans::arrivals(rate, Arrivals::Poisson, 2_000, Ns::from_secs(seconds))
}

fn users(users: f64, think: Think, seconds: u64) -> Load {
    plans::users(users, think, Ns::from_secs(seconds))
}

fn exponential(millis: u64, seed: u64) -> Service {
    Service::Exponential {
        mean: Ns::from_millis(millis),
        numbers: Box::new(Exponentials::new(Stream::user(seed, 77))),
    }
}

fn simulate(plan: &Plan, servers: u64, service: Service) -> Ended {
    let slots: Box<dyn Piece> = Box::new(Slots::new("slots", servers, service, plan.slots()));
    let route = Route { path: "/".to_owned(), chain: vec![0], bytes: 1 };
    run::run(plan, Model::new(vec![route], vec![slots], plan.slots()), &mut |_, _, _| true)
}

/// Mean response time in ms over five seeds, so that three per cent is many standard errors.
fn mean_response_ms(servers: u64, rate: f64, service: impl Fn(u64) -> Service) -> f64 {
    let means = (0..5).map(|seed| {
        let plan = plan(poisson(rate, 4_000), 4_000, seed);
        let ended = simulate(&plan, servers, service(seed));
        ended.result.segments[0].endpoints[0].response().mean_us().unwrap() / 1e3
    });
    means.sum::<f64>() / 5.0
}

#[test]
fn mmc_waits_by_erlangs_formula() {
    for (servers, rate) in [(1, 8.0), (2, 15.0), (8, 64.0)] {
        let simulated = mean_response_ms(servers, rate, |seed| exponential(100, seed));
        let theory = 100.0 + laws::wait_mmc(servers, rate, 0.1).unwrap() * 1e3;
        let error = simulated / theory - 1.0;
        assert!(
            error.abs() < 0.03,
            "M/M/{servers}: {simulated:.1} ms simulated, {theory:.1} ms by theory"
        );
    }
}

#[test]
fn mdc_waits_by_cosmetatos() {
    for (servers, rate) in [(1, 8.0), (2, 15.0), (8, 70.0)] {
        let work = Service::Constant(Ns::from_millis(100));
        let simulated = mean_response_ms(servers, rate, |_| work.clone());
        let theory = 100.0 + laws::wait_mdc(servers, rate, 0.1).unwrap() * 1e3;
        let error = simulated / theory - 1.0;
        assert!(
            error.abs() < 0.03,
            "M/D/{servers}: {simulated:.1} ms simulated, {theory:.1} ms by theory"
        );
    }
}

#[test]
fn littles_law_holds_at_the_pool() {
    // Mean number at the resource (held and waiting) = throughput × mean time there, by the target's own gauges.
    let plan = plan(poisson(15.0, 4_000), 4_000, 3);
    let ended = simulate(&plan, 2, exponential(100, 3));
    let pool = &ended.target.unwrap().resources[0];
    let present = pool.utilization * 2.0 + pool.mean_waiting;
    let seconds = ended.result.segments[0].endpoints[0].response().mean_us().unwrap() / 1e6;
    let law = pool.served_per_s * seconds;
    assert!((present / law - 1.0).abs() < 0.01, "{present:.3} present, {law:.3} by Little's law");
}

#[test]
fn the_interactive_response_time_law_holds() {
    for (population, think) in [
        (5.0, Think::Constant { pause: Ns::from_millis(500) }),
        (40.0, Think::Exponential { mean: Ns::from_millis(700) }),
        (25.0, Think::Between { from: Ns::from_millis(100), to: Ns::from_millis(900) }),
    ] {
        let plan = plan(users(population, think, 4_000), 4_000, 5);
        let ended = simulate(&plan, 2, exponential(50, 5));
        let endpoint = &ended.result.segments[0].endpoints[0];
        let throughput = endpoint.counts.completed as f64
            / ended.result.segments[0].window.length().as_secs_f64();
        let response = endpoint.response().mean_us().unwrap() / 1e6;
        let by_law = throughput * (response + think.mean_pause().unwrap().as_secs_f64());
        assert!((by_law / population - 1.0).abs() < 0.01, "M = {population}, X(R+Z) = {by_law:.2}");
    }
}

#[test]
fn a_pool_never_serves_more_than_its_servers_can() {
    for servers in [1, 2, 3, 5] {
        let plan = plan(users(30.0, Think::Constant { pause: Ns::ZERO }, 600), 600, 7);
        let ended = simulate(&plan, servers, Service::Constant(Ns::from_millis(100)));
        let result = &ended.result.segments[0];
        let rate =
            result.endpoints[0].counts.completed as f64 / result.window.length().as_secs_f64();
        assert!((rate - 10.0 * servers as f64).abs() < 0.1, "{servers} servers: {rate:.2}/s");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let once = |seed| {
        let ended = simulate(&plan(poisson(70.0, 300), 300, seed), 8, exponential(100, seed));
        (ended.result.segments, ended.series)
    };
    assert_eq!(once(4), once(4));
    assert_ne!(once(4).0, once(5).0);
}
