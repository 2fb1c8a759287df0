//! The virtual driver: feeds the engine a heap of events instead of a clock and a network.

use std::collections::BTreeMap;

use crate::engine::abort::NOTICE;
use crate::engine::conclude::Ended;
use crate::engine::counters::{Closing, Counters, TargetTruth};
use crate::engine::dispatch::{Dispatch, Turn};
use crate::engine::outcome::Reply;
use crate::engine::plan::Plan;
use crate::engine::tick::{Collector, TICK, Watch};
use crate::engine::time::Ns;

use super::asked::AskedId;
use super::model::Model;

/// Runs `plan` against `model`.
pub fn run(plan: &Plan, model: Model, watch: Watch<'_>) -> Ended {
    VirtualDriver::new(plan, model).run(watch)
}

struct VirtualDriver {
    dispatch: Dispatch,
    model: Model,
    routes: Vec<Option<usize>>,
    ids: Vec<Option<AskedId>>,
    collector: Collector,
    edges: (Ns, Ns),
    before: Option<Counters>,
    after: Option<Counters>,
    closing: Closing,
    next_tick: Ns,
    interrupted: Option<Ns>,
    lab: String,
    knobs: BTreeMap<String, String>,
}

impl VirtualDriver {
    fn new(plan: &Plan, model: Model) -> Self {
        let windows = plan.windows();
        let from = windows.first().map_or(Ns(0), |window| window.from);
        let to = windows.last().map_or(plan.duration, |window| window.to);
        Self {
            dispatch: Dispatch::new(plan, 0, 1),
            routes: plan.tasks.iter().map(|task| model.route(&task.path)).collect(),
            ids: plan.tasks.iter().map(|task| AskedId::of(task, &plan.parameters)).collect(),
            model,
            collector: Collector::of(plan),
            edges: (from, to),
            before: None,
            after: None,
            closing: Closing::of(plan),
            next_tick: TICK,
            interrupted: None,
            lab: plan.model.as_ref().map_or(String::new(), |spec| spec.target.clone()),
            knobs: plan.model.as_ref().map_or(BTreeMap::new(), |spec| spec.knobs.clone()),
        }
    }

    fn run(mut self, watch: Watch<'_>) -> Ended {
        let mut now = Ns(0);
        loop {
            // Completions first: a place that is free at this instant must not count as taken.
            self.take_answers(now);
            self.read_counters(now);
            let Some(until) = self.turns(now) else { break };
            if now >= self.next_tick {
                self.tick(now, watch);
            }
            let next_answer = self.model.next().unwrap_or(Ns::MAX);
            now = until.min(next_answer).min(self.next_tick).min(self.next_edge()).max(now);
        }
        self.end(now, watch)
    }

    fn take_answers(&mut self, now: Ns) {
        while self.model.next().is_some_and(|at| at <= now) {
            if let Some(answer) = self.model.step() {
                let reply = Reply::Answered {
                    status: answer.status,
                    bytes: answer.bytes,
                    body_matches: true,
                };
                self.dispatch.done(answer.slot, now, reply);
            }
        }
    }

    /// Carries out what the engine asks for; until when it then wants to wait, or none when the run is over.
    fn turns(&mut self, now: Ns) -> Option<Ns> {
        loop {
            match self.dispatch.turn(now) {
                Turn::Start(start) => {
                    self.dispatch.sent(start, now);
                    let route = self.routes[usize::from(start.task)];
                    if let Some(asked) = &self.ids[usize::from(start.task)] {
                        let id = asked.id(self.dispatch.draws(start.slot));
                        self.model.asks_for(start.slot, route, id);
                    }
                    self.model.arrive(now, start.slot, route);
                }
                Turn::GiveUp(slot, reply) => {
                    self.model.abandon(now, slot);
                    self.dispatch.done(slot, now, reply);
                }
                Turn::Wait(until) => return Some(until),
                Turn::Finished => return None,
            }
        }
    }

    fn read_counters(&mut self, now: Ns) {
        if self.before.is_none() && now >= self.edges.0 {
            self.before = Some(self.model.counters(now));
        }
        if self.after.is_none() && now >= self.edges.1 {
            self.after = Some(self.model.counters(now));
        }
    }

    fn next_edge(&self) -> Ns {
        match (&self.before, &self.after) {
            (None, _) => self.edges.0,
            (_, None) => self.edges.1,
            _ => Ns::MAX,
        }
    }

    fn tick(&mut self, now: Ns, watch: Watch<'_>) {
        let delta = self.dispatch.take_delta(now);
        let batch = [delta];
        self.collector.tick(now, &batch, 0.0);
        self.next_tick = now + TICK;
        if self.after.is_none() && self.closing.is_due(now) {
            self.closing.take(now, Some(self.model.counters(now)));
        }
        let goes_on = watch(now, self.collector.series(), &batch);
        if self.collector.broken().is_some() {
            self.end_by(now + NOTICE);
        } else if self.interrupted.is_none() && !goes_on {
            self.collector.stop_judging();
            self.interrupted = self.end_by(now).then_some(now);
        }
    }

    /// Ends the starts at `at`, if that is before their end.
    fn end_by(&mut self, at: Ns) -> bool {
        let is_early = self.dispatch.end_by(at);
        if is_early {
            self.edges.1 = self.edges.1.min(at.max(self.edges.0));
        }
        is_early
    }

    fn end(mut self, now: Ns, watch: Watch<'_>) -> Ended {
        let batch = [self.dispatch.take_delta(now)];
        self.collector.tick(now, &batch, 0.0);
        watch(now, self.collector.series(), &batch);
        let last = self.model.counters(now);
        let before = self.before.unwrap_or_default();
        let after = self.after.unwrap_or(last);
        Ended {
            aborted: self.collector.broken().cloned(),
            result: self.dispatch.finish(),
            series: self.collector.finish(now, 0.0),
            target: Ok(TargetTruth::new(self.lab, self.knobs, before, after).closing(&self.closing)),
            at: now,
            interrupted: self.interrupted,
            warm: (0, Ns(0)),
            later_connections: 0,
            stale_retries: 0,
            dispatchers: 1,
            cores: 1.0,
        }
    }
}
