//! Plans and records for tests of the engine.

use super::conclude::{Context, Ended, conclude};
use super::dispatch::{StripeResult, Tally};
use super::outcome::Reply;
use super::plan::{Arrivals, Expect, Load, Overflow, Plan, Task, Think};
use super::profile::Profile;
use super::record::{Machine, Mode, RunRecord, Tool};
use super::recorder::Recorder;
use super::sample::Sample;
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
        aborts: Vec::new(),
        model: None,
    }
}

/// A request sent when it was planned at `at`, with a good answer at `done`.
pub(crate) fn sample(at: Ns, done: Ns) -> Sample {
    Sample {
        task: 0,
        user: 0,
        index: 0,
        intended: at,
        ready: at,
        sent: at,
        done,
        reply: Reply::Answered { status: 200, bytes: 0, body_matches: true },
        failure: None,
    }
}

/// The record of a ten-second run of [`closed`] in which so many requests per second were served.
pub(crate) fn served_at(per_second: u64) -> RunRecord {
    let plan = closed(1, 10);
    let mut recorder = Recorder::new(1, plan.windows(), false);
    for index in 0..per_second * 10 {
        let at = Ns(index * 10_000_000_000 / (per_second * 10).max(1));
        recorder.record(&Sample { index, ..sample(at, at) });
    }
    record(plan, StripeResult { segments: recorder.finish(), tally: Tally::default() })
}

/// Concludes a virtual run of `plan` with `result`, about whose target nothing is known.
pub(crate) fn record(plan: Plan, result: StripeResult) -> RunRecord {
    let ended = Ended {
        at: plan.duration,
        result,
        series: Vec::new(),
        target: Err("a test".to_owned()),
        interrupted: None,
        aborted: None,
        warm: (0, Ns::ZERO),
        later_connections: 0,
        stale_retries: 0,
        dispatchers: 1,
        cores: 1.0,
    };
    let context = Context {
        tool: Tool { name: "test".to_owned(), version: "0".to_owned() },
        label: "test".to_owned(),
        mode: Mode::Virtual,
        started_at: String::new(),
        started_monotonic_ns: 0,
        machine: Machine::default(),
        debug_build: false,
    };
    conclude(plan, ended, context)
}
