//! Plans for tests of the engine.

use super::plan::{Arrivals, Expect, Load, Overflow, Plan, Task, Think};
use super::profile::Profile;
use super::time::Ns;

/// One task, no think time, `users` for `seconds`.
pub(crate) fn closed(users: u32, seconds: u64) -> Plan {
    let duration = Ns::from_secs(seconds);
    plan(
        Load::Closed {
            users: Profile::constant(f64::from(users), duration),
            think: Think::Constant { pause: Ns(0) },
        },
        duration,
    )
}

/// One task, evenly spaced arrivals at `rate` per second for `seconds`, `limit` in flight.
pub(crate) fn open(rate: f64, limit: u32, seconds: u64) -> Plan {
    let duration = Ns::from_secs(seconds);
    plan(
        Load::Open {
            rate: Profile::constant(rate, duration),
            arrivals: Arrivals::Uniform,
            max_in_flight: limit,
            overflow: Overflow::Queue,
        },
        duration,
    )
}

/// A task named by its path.
pub(crate) fn task(path: &str, weight: u32) -> Task {
    Task {
        name: path.to_owned(),
        weight,
        method: "GET".to_owned(),
        path: path.to_owned(),
        headers: Vec::new(),
        body: None,
        expect: Expect::default(),
        timeout: Ns::from_secs(60),
        fail_slower: None,
    }
}

fn plan(load: Load, duration: Ns) -> Plan {
    Plan {
        name: "test".to_owned(),
        host: "http://127.0.0.1:1".to_owned(),
        load,
        tasks: vec![task("/", 1)],
        parameters: Vec::new(),
        warm_up: Ns(0),
        duration,
        drain: Ns::from_secs(30),
        seed: 1,
        thresholds: Vec::new(),
        model: None,
    }
}
