//! The live driver and the virtual one start the same iterations at the same planned instants: both are fed one
//! script of answers, one on a real clock with a scripted transport, the other on a heap of events.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod plans;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use lab_driver::engine::counters::Resource;
use lab_driver::engine::executor::Start;
use lab_driver::engine::outcome::{Reply, TransportFailure};
use lab_driver::engine::plan::{Arrivals, Load, Plan, Think};
use lab_driver::engine::tick::Delta;
use lab_driver::engine::time::Ns;
use lab_driver::live::clock::Clock;
use lab_driver::live::control::Control;
use lab_driver::live::run::{Setting, run as run_live};
use lab_driver::live::transport::{Connections, Fleet, Transport};
use lab_driver::sim::events::{Events, Job};
use lab_driver::sim::model::{Model, Route};
use lab_driver::sim::pieces::Piece;
use lab_driver::sim::run::run as run_virtual;

const ANSWER: Reply = Reply::Answered { status: 200, bytes: 0, body_matches: true };

/// How long an answer takes from the instant its slot was ready: by task alone, so that it does not matter which
/// place in flight an arrival is given.
fn script(task: u16) -> Ns {
    [Ns::from_millis(7), Ns(23_456_789)][usize::from(task)]
}

/// A transport that answers by the script, and says it was done exactly when the script says.
struct Scripted {
    clock: Rc<Cell<Option<Clock>>>,
    done: Ns,
}

struct ScriptedFleet(Rc<Cell<Option<Clock>>>);

impl Fleet for ScriptedFleet {
    type Transport = Scripted;

    fn transport(&self, _slot: u32) -> Scripted {
        Scripted { clock: Rc::clone(&self.0), done: Ns::ZERO }
    }

    fn start(&self, clock: Clock) {
        self.0.set(Some(clock));
    }

    fn connections(&self) -> Connections {
        Connections::default()
    }
}

impl Transport for Scripted {
    async fn connect(&mut self) -> Result<(), TransportFailure> {
        Ok(())
    }

    fn prepare(&mut self, start: &Start, _draws: &[u32]) {
        self.done = start.ready + script(start.task);
    }

    async fn exchange(&mut self) -> (Ns, Reply) {
        let clock = self.clock.get().unwrap();
        while Ns(clock.now()) < self.done {
            tokio::time::sleep(self.done.saturating_sub(Ns(clock.now())).into()).await;
        }
        (self.done, ANSWER)
    }

    fn abandon(&mut self) {}
}

/// The same script as a piece of a model.
#[derive(Debug)]
struct ScriptedPiece(u16);

impl Piece for ScriptedPiece {
    fn arrive(&mut self, now: Ns, job: Job, events: &mut Events) {
        events.schedule(now + script(self.0), job);
    }

    fn leave(&mut self, _now: Ns, _job: Job, _events: &mut Events) {}

    fn abandon(&mut self, _now: Ns, _job: Job, _events: &mut Events) {}

    fn resource(&self, _now: Ns) -> Option<Resource> {
        None
    }
}

/// What a start is, whoever dispatched it: (user, index, task, intended, ready). Arrivals have no user.
type Planned = (Option<u32>, u64, u16, Ns, Ns);

fn starts(plan: &Plan, batch: &[Delta], all: &mut Vec<Planned>) -> bool {
    let is_open = matches!(plan.load, Load::Open { .. });
    all.extend(batch.iter().flat_map(|delta| &delta.samples).map(|sample| {
        let user = (!is_open).then_some(sample.user);
        (user, sample.index, sample.task, sample.intended, sample.ready)
    }));
    true
}

fn live(plan: &Plan, threads: u32) -> Vec<Planned> {
    let mut all = Vec::new();
    let setting = Setting {
        threads,
        data: "127.0.0.1:1".parse().unwrap(),
        admin: Err("scripted".to_owned()),
        announced: Arc::new(OnceLock::new()),
        control: Arc::new(Control::default()),
        clock: Arc::new(OnceLock::new()),
    };
    let fleet = || ScriptedFleet(Rc::default());
    run_live(plan.clone(), setting, fleet, &mut |_, _, batch| starts(plan, batch, &mut all))
        .unwrap();
    all.sort_unstable();
    all
}

fn virtual_time(plan: &Plan) -> Vec<Planned> {
    let mut all = Vec::new();
    let route = |path: &str, piece| Route { path: path.to_owned(), chain: vec![piece], bytes: 0 };
    let pieces: Vec<Box<dyn Piece>> = vec![Box::new(ScriptedPiece(0)), Box::new(ScriptedPiece(1))];
    let model = Model::new(vec![route("/a", 0), route("/b", 1)], pieces, plan.slots());
    run_virtual(plan, model, &mut |_, _, batch| starts(plan, batch, &mut all));
    all.sort_unstable();
    all
}

fn two_tasks(load: Load, duration: Ns) -> Plan {
    let mut plan = plans::plan(load, duration);
    plan.tasks = vec![plans::task("/a", 3), plans::task("/b", 1)];
    plan
}

const LENGTH: Ns = Ns::from_millis(1_500);
/// A dispatcher that is late at the very end has no more time to start what was still due.
const COMPARED: Ns = Ns::from_millis(1_200);

/// Compares what became ready early enough; says where the two part.
#[track_caller]
fn assert_same(live: &[Planned], expected: &[Planned], what: &str) {
    let early = |all: &[Planned]| -> Vec<Planned> {
        all.iter().filter(|(.., ready)| *ready < COMPARED).copied().collect()
    };
    let (live, expected) = (early(live), early(expected));
    let parting = live.iter().zip(&expected).find(|(a, b)| a != b);
    assert_eq!(parting, None, "{what}: live on the left");
    assert_eq!(live.len(), expected.len(), "{what}");
}

fn think_times() -> [Think; 4] {
    [
        Think::Constant { pause: Ns::from_millis(31) },
        Think::Exponential { mean: Ns::from_millis(20) },
        Think::Pacing { period: Ns::from_millis(17) },
        Think::Schedule { period: Ns::from_millis(11) },
    ]
}

#[test]
fn closed_users_start_alike_in_real_and_in_virtual_time() {
    for think in think_times() {
        let plan = two_tasks(plans::users(7.0, think, LENGTH), LENGTH);
        let expected = virtual_time(&plan);
        assert!(expected.len() > 150, "{think:?}: {} starts", expected.len());
        assert_same(&live(&plan, 1), &expected, &format!("{think:?}"));
        assert_same(&live(&plan, 3), &expected, &format!("{think:?}, three dispatchers"));
    }
}

#[test]
fn arrivals_start_alike_in_real_and_in_virtual_time() {
    for kind in [Arrivals::Uniform, Arrivals::Poisson] {
        // Enough places that none is ever waited for: whether a slot is free then depends on no scheduler.
        let plan = two_tasks(plans::arrivals(317.0, kind, 400, LENGTH), LENGTH);
        let expected = virtual_time(&plan);
        assert!(expected.len() > 400, "{} starts", expected.len());
        assert_same(&live(&plan, 1), &expected, &format!("{kind:?}"));
        assert_same(&live(&plan, 4), &expected, &format!("{kind:?}, four dispatchers"));
    }
}

#[test]
fn a_backlog_is_worked_off_alike() {
    // One place in flight: its answers decide when each waiting arrival is ready.
    let plan = two_tasks(plans::arrivals(120.0, Arrivals::Uniform, 1, LENGTH), LENGTH);
    let expected = virtual_time(&plan);
    assert!(expected.iter().any(|(.., intended, ready)| *ready > *intended + Ns::from_millis(100)));
    assert_same(&live(&plan, 1), &expected, "one place");
}
