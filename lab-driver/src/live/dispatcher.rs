//! One dispatcher: a thread that owns its stripe of the schedule, its connections and its recorder.
//!
//! One single-threaded runtime; one task paces, one task per slot carries out exchanges. They share the engine's
//! [`Dispatch`] without a lock, since nothing here crosses a thread but a batch of samples per tick.

use std::cell::{Cell, RefCell};
use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::clock::Clock;
use super::control::{Control, Outbox};
use super::timer::Timer;
use super::transport::{Connections, Fleet, Transport};
use crate::engine::dispatch::{Dispatch, StripeResult, Turn};
use crate::engine::executor::Start;
use crate::engine::outcome::TransportFailure;
use crate::engine::plan::Plan;
use crate::engine::tick::TICK;
use crate::engine::time::Ns;
use crate::engine::whole;

/// Most connections being made at once before the start, by all dispatchers together.
const CONNECTING_AT_ONCE: u32 = 64;

/// How long one of them may take: room for three repetitions of a lost SYN. The system would wait two minutes.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a dispatcher hands over at its end.
#[derive(Debug)]
pub struct Done {
    /// What it recorded.
    pub result: StripeResult,
    /// What happened on its connections.
    pub connections: Connections,
    /// When starts were stopped, if that was before their time.
    pub stopped_early: Option<Ns>,
}

/// What a dispatcher is given to start with.
#[derive(Debug)]
pub struct Assignment {
    /// The plan of the whole run.
    pub plan: Arc<Plan>,
    /// Which stripe of it.
    pub stripe: u32,
    /// Of how many.
    pub stripes: u32,
    /// Where to say that the early connections are made: how many, or why not.
    pub warm: Sender<Result<u64, TransportFailure>>,
    /// Where the clock comes from once all dispatchers are warm; closed if the run is called off.
    pub go: Receiver<Clock>,
    /// Stops and hurries the run.
    pub control: Arc<Control>,
    /// Where batches go.
    pub outbox: Arc<Outbox>,
}

/// Runs a stripe to its end; none if the run was called off. `fleet` is made inside the dispatcher's runtime.
pub fn dispatch<F: Fleet>(
    assignment: Assignment,
    fleet: impl FnOnce() -> F,
) -> std::io::Result<Option<Done>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(tokio::runtime::LocalOptions::default())?;
    runtime.block_on(async {
        let fleet = fleet();
        let machine = Dispatch::new(&assignment.plan, assignment.stripe, assignment.stripes);
        let slots = machine.slots();
        let early = crate::engine::executor::share(
            assignment.plan.early_slots(),
            assignment.stripe,
            assignment.stripes,
        );
        let at_once = (CONNECTING_AT_ONCE / assignment.stripes).max(1);
        let numbers = Numbers { stripe: assignment.stripe, stripes: assignment.stripes };
        let transports = match warm(&fleet, numbers, early.min(slots), at_once).await {
            Ok(transports) => transports,
            Err(failure) => {
                // Nobody listens any more when another dispatcher has failed first.
                let _ = assignment.warm.send(Err(failure));
                return Ok(None);
            }
        };
        let _ = assignment.warm.send(Ok(transports.len() as u64));
        let Ok(clock) = assignment.go.recv() else { return Ok(None) };
        fleet.start(clock);
        let shared = Rc::new(Shared {
            clock,
            timer: Timer::new(clock)?,
            machine: RefCell::new(machine),
            slots: (0..slots).map(|_| Slot::default()).collect(),
            fleet,
            numbers,
            next_tick: Cell::new(TICK),
            stopped_early: Cell::new(None),
            finished: Cell::new(false),
            control: assignment.control,
            outbox: assignment.outbox,
        });
        for (slot, transport) in transports.into_iter().enumerate() {
            shared.spawn(whole::slots(slot), transport);
        }
        shared.pace().await?;
        Ok(Some(shared.end()))
    })
}

/// Connects the first `count` slots, `at_once` at a time.
async fn warm<F: Fleet>(
    fleet: &F,
    numbers: Numbers,
    count: u32,
    at_once: u32,
) -> Result<Vec<F::Transport>, TransportFailure> {
    let mut transports = Vec::with_capacity(count as usize);
    while whole::slots(transports.len()) < count {
        let from = whole::slots(transports.len());
        let batch: Vec<_> = (from..count.min(from + at_once))
            .map(|slot| {
                let mut transport = fleet.transport(numbers.user(slot));
                tokio::task::spawn_local(async move {
                    let connecting = tokio::time::timeout(PATIENCE, transport.connect());
                    connecting.await.unwrap_or(Err(TransportFailure::ConnectTimeout))?;
                    Ok(transport)
                })
            })
            .collect();
        for connecting in batch {
            transports.push(connecting.await.map_err(|_| TransportFailure::System)??);
        }
    }
    Ok(transports)
}

/// Which numbers the slots of this dispatcher have over all of them.
#[derive(Clone, Copy)]
struct Numbers {
    stripe: u32,
    stripes: u32,
}

impl Numbers {
    fn user(self, slot: u32) -> u32 {
        self.stripe + slot * self.stripes
    }
}

struct Shared<F: Fleet> {
    clock: Clock,
    timer: Timer,
    machine: RefCell<Dispatch>,
    slots: Vec<Slot>,
    fleet: F,
    numbers: Numbers,
    next_tick: Cell<Ns>,
    stopped_early: Cell<Option<Ns>>,
    finished: Cell<bool>,
    control: Arc<Control>,
    outbox: Arc<Outbox>,
}

/// What a slot's task is told.
#[derive(Default)]
struct Slot {
    spawned: Cell<bool>,
    start: Cell<Option<Start>>,
    give_up: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl<F: Fleet> Shared<F> {
    fn now(&self) -> Ns {
        Ns(self.clock.now())
    }

    /// Turns whenever a deadline has come, until the run is over.
    async fn pace(self: &Rc<Self>) -> std::io::Result<()> {
        self.turn();
        while !self.finished.get() {
            self.timer.fired().await?;
            self.tick();
            self.turn();
        }
        Ok(())
    }

    /// Asks the engine what to do and has it done, with one `now` for all its decisions.
    fn turn(self: &Rc<Self>) {
        let now = self.now();
        loop {
            let turn = self.machine.borrow_mut().turn(now);
            match turn {
                Turn::Start(start) => self.begin(start),
                Turn::GiveUp(slot, reply) => {
                    self.machine.borrow_mut().done(slot, now, reply);
                    self.slots[slot as usize].give_up.set(true);
                    self.slots[slot as usize].wake();
                }
                Turn::Wait(until) => return self.timer.arm(until.min(self.next_tick.get()).0),
                Turn::Finished => {
                    self.finished.set(true);
                    return self.timer.arm(0);
                }
            }
        }
    }

    fn begin(self: &Rc<Self>, start: Start) {
        let slot = &self.slots[start.slot as usize];
        slot.start.set(Some(start));
        if slot.spawned.get() {
            slot.wake();
        } else {
            self.spawn(start.slot, self.fleet.transport(self.numbers.user(start.slot)));
        }
    }

    fn spawn(self: &Rc<Self>, slot: u32, transport: F::Transport) {
        self.slots[slot as usize].spawned.set(true);
        tokio::task::spawn_local(serve(Rc::clone(self), slot, transport));
    }

    /// Hands over a batch and takes in what the run's control says, if a tick is due.
    fn tick(&self) {
        let now = self.now();
        if now < self.next_tick.get() {
            return;
        }
        self.next_tick.set(now + TICK);
        let mut machine = self.machine.borrow_mut();
        if let Some(at) = self.control.stop_at(now)
            && machine.end_by(at)
        {
            self.stopped_early.set(Some(at));
        }
        if self.control.hurries() {
            machine.cut_drain();
        }
        self.outbox.put(machine.take_delta(now));
    }

    fn end(&self) -> Done {
        let connections = self.fleet.connections();
        let stopped_early = self.stopped_early.get();
        self.outbox.put(self.machine.borrow_mut().take_delta(self.now()));
        let result = self.machine.borrow_mut().finish();
        Done { result, connections, stopped_early }
    }
}

impl Slot {
    fn wake(&self) {
        if let Some(waker) = &*self.waker.borrow() {
            waker.wake_by_ref();
        }
    }

    fn listen(&self, waker: &Waker) {
        let mut current = self.waker.borrow_mut();
        if !current.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *current = Some(waker.clone());
        }
    }

    async fn next_start(&self) -> Start {
        poll_fn(|context| {
            if let Some(start) = self.start.take() {
                return Poll::Ready(start);
            }
            self.listen(context.waker());
            Poll::Pending
        })
        .await
    }
}

/// A slot's life: takes its starts, carries them out, reports, and lets the engine decide what follows.
async fn serve<F: Fleet>(shared: Rc<Shared<F>>, slot: u32, mut transport: F::Transport) {
    let mailbox = &shared.slots[slot as usize];
    loop {
        let start = mailbox.next_start().await;
        mailbox.give_up.set(false);
        transport.prepare(&start, shared.machine.borrow().draws(slot));
        shared.machine.borrow_mut().sent(start, shared.now());
        let mut waited = false;
        let ended = {
            let mut exchange = pin!(transport.exchange());
            poll_fn(|context| {
                if mailbox.give_up.take() {
                    return Poll::Ready(None);
                }
                let polled = exchange.as_mut().poll(context).map(Some);
                if polled.is_pending() {
                    waited = true;
                    mailbox.listen(context.waker());
                }
                polled
            })
            .await
        };
        match ended {
            Some((at, reply)) => {
                let times = transport.target_times();
                shared.machine.borrow_mut().done_with(slot, at, reply, times);
                shared.turn();
            }
            // The engine has entered it already, when the deadline passed.
            None => transport.abandon(),
        }
        if !waited {
            // A refused port answers without waiting: others must get their turn.
            tokio::task::yield_now().await;
        }
    }
}
