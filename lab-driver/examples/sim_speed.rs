#![allow(clippy::print_stdout, clippy::disallowed_methods)]
//! How fast virtual time is: requests simulated per second of one core, for three kinds of load.
//!
//! Run with `cargo run --release -p lab-driver --example sim_speed`.

#[path = "../tests/plans/mod.rs"]
mod plans;

use lab_driver::live::run::process_cpu_s;

use lab_driver::engine::plan::{Arrivals, Load, Think};
use lab_driver::engine::random::{Exponentials, Stream};
use lab_driver::engine::time::Ns;
use lab_driver::sim::model::{Model, Route};
use lab_driver::sim::pieces::{Piece, Service, Slots};
use lab_driver::sim::{laws, run};

const SLOTS: u64 = 8;
const SERVICE: Ns = Ns::from_millis(20);

fn main() {
    println!("{:<44}{:>10}{:>12}", "virtual load", "requests", "million/s");
    let length = Ns::from_secs(10_000);
    let poisson = plans::arrivals(300.0, Arrivals::Poisson, 1_000, length);
    let mean_ms = measure("Poisson 300/s on 8 slots, exponential 20 ms", poisson, length);
    let users = |users, pause| plans::users(users, Think::Constant { pause }, length);
    measure("50 users without think time", users(50.0, Ns::ZERO), length);
    measure("10000 users, 100 s think time", users(10_000.0, Ns::from_secs(100)), length);
    let theory = 20.0 + laws::wait_mmc(SLOTS, 300.0, 0.02).expect("below saturation") * 1e3;
    println!("M/M/8 mean response {mean_ms:.3} ms; by theory {theory:.3} ms");
}

/// The best of five, by CPU time, so that other work on the machine does not count; returns the mean response time in ms.
fn measure(name: &str, load: Load, length: Ns) -> f64 {
    let mut plan = plans::plan(load, length);
    plan.drain = Ns::from_secs(600);
    let mut best = f64::INFINITY;
    let mut mean = 0.0;
    let mut requests = 0;
    for _ in 0..5 {
        let service = Service::Exponential {
            mean: SERVICE,
            numbers: Box::new(Exponentials::new(Stream::user(9, 0))),
        };
        let slots: Box<dyn Piece> = Box::new(Slots::new("slots", SLOTS, service, plan.slots()));
        let route = Route { path: "/".to_owned(), chain: vec![0], bytes: 2 };
        let model = Model::new(vec![route], vec![slots], plan.slots());
        let before = process_cpu_s();
        let ended = run::run(&plan, model, &mut |_, _, _| true);
        best = best.min(process_cpu_s() - before);
        requests = ended.result.tally.completed;
        mean = ended.result.segments[0].endpoints[0].response().mean_us().unwrap_or(0.0) / 1e3;
    }
    println!("{name:<44}{requests:>10}{:>12.2}", requests as f64 / best / 1e6);
    mean
}
