//! Plans for tests that drive the library directly.
#![allow(dead_code, reason = "each test file uses some of these")]

use lab_driver::engine::plan::{Arrivals, Expect, Load, Overflow, Plan, Task, Think};
use lab_driver::engine::profile::Profile;
use lab_driver::engine::time::Ns;

/// GET requests to `path` with this weight.
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

/// One task `/` under `load` for `duration`.
pub(crate) fn plan(load: Load, duration: Ns) -> Plan {
    Plan {
        name: "test".to_owned(),
        host: "http://127.0.0.1:1".to_owned(),
        load,
        tasks: vec![task("/", 1)],
        parameters: Vec::new(),
        warm_up: Ns::ZERO,
        duration,
        drain: Ns::from_secs(30),
        seed: 1,
        thresholds: Vec::new(),
        aborts: Vec::new(),
        model: None,
    }
}

/// So many users, all at once.
pub(crate) fn users(users: f64, think: Think, duration: Ns) -> Load {
    Load::Closed { users: Profile::constant(users, duration), think }
}

/// Arrivals at `rate` per second.
pub(crate) fn arrivals(rate: f64, arrivals: Arrivals, max_in_flight: u32, duration: Ns) -> Load {
    Load::Open {
        rate: Profile::constant(rate, duration),
        arrivals,
        max_in_flight,
        overflow: Overflow::Queue,
    }
}
