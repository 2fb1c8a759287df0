//! A target as a queueing model: routes through pieces, driven by events.

use super::events::{Event, Events, Job};
use super::pieces::{Freeze, Piece};
use crate::engine::counters::{Counters, Resource};
use crate::engine::time::Ns;

/// How long a target takes to refuse what it does not have. Above zero, so that users without think time
/// advance virtual time even against errors.
pub const REFUSAL: Ns = Ns(100_000);

/// A target in virtual time. The same calls in the same order give the same events, to the nanosecond.
#[derive(Debug)]
pub struct Model {
    routes: Vec<Route>,
    pieces: Vec<Box<dyn Piece>>,
    events: Events,
    /// Holds also what is then refused, which no piece sees.
    freeze: Option<Freeze>,
    /// One per slot of the driver: a user or a place in flight has at most one request under way.
    jobs: Vec<JobState>,
}

/// A route: which pieces a request passes, in order.
#[derive(Clone, Debug)]
pub struct Route {
    /// The path without its query; a piece `*` matches any one segment.
    pub path: String,
    /// Positions among the model's pieces.
    pub chain: Vec<usize>,
    /// Body bytes of the answer.
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct JobState {
    /// Counts the requests that this slot has carried; an event of an earlier one is void.
    epoch: u32,
    /// How far it is along its route.
    step: u32,
    route: Option<usize>,
}

impl JobState {
    /// Position of the piece in which the job is; none if the target refuses it.
    fn piece(&self, routes: &[Route]) -> Option<usize> {
        routes[self.route?].chain.get(self.step as usize).copied()
    }
}

/// A request that the model has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The driver's slot.
    pub slot: u32,
    /// HTTP status.
    pub status: u16,
    /// Body bytes.
    pub bytes: u64,
}

impl Model {
    /// From routes and the pieces that they pass; for a driver with `slots` slots.
    pub fn new(routes: Vec<Route>, pieces: Vec<Box<dyn Piece>>, slots: u32) -> Self {
        Self {
            routes,
            pieces,
            events: Events::default(),
            freeze: None,
            jobs: vec![JobState::default(); slots as usize],
        }
    }

    /// The same target, held at its entrance whenever `freeze` says so.
    #[must_use]
    pub fn frozen(mut self, freeze: Freeze) -> Self {
        let entrance = self.pieces.len();
        self.pieces.push(Box::new(freeze));
        for route in &mut self.routes {
            route.chain.insert(0, entrance);
        }
        self.freeze = Some(freeze);
        self
    }

    /// The next request of `slot`, for `route`, asks for this id.
    pub fn asks_for(&mut self, slot: u32, route: Option<usize>, id: Option<u64>) {
        for piece in route.map_or(&[][..], |route| &self.routes[route].chain) {
            self.pieces[*piece].asks_for(slot, id);
        }
    }

    /// The position of the route for `path` (with or without a query); none if the target has no such path.
    pub fn route(&self, path: &str) -> Option<usize> {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        self.routes.iter().position(|route| matches(&route.path, path))
    }

    /// A request for `route` arrives from `slot`.
    pub fn arrive(&mut self, now: Ns, slot: u32, route: Option<usize>) {
        let state = &mut self.jobs[slot as usize];
        *state = JobState { epoch: state.epoch.wrapping_add(1), step: 0, route };
        let job = Job { slot, epoch: state.epoch };
        if let Some(piece) = state.piece(&self.routes) {
            self.pieces[piece].arrive(now, job, &mut self.events);
        } else {
            let entry = self.freeze.map_or(now, |freeze| freeze.entry(now));
            self.events.schedule(entry + REFUSAL, job);
        }
    }

    /// The client of `slot` has gone away.
    pub fn abandon(&mut self, now: Ns, slot: u32) {
        let state = &mut self.jobs[slot as usize];
        let job = Job { slot, epoch: state.epoch };
        state.epoch = state.epoch.wrapping_add(1);
        if let Some(piece) = state.piece(&self.routes) {
            self.pieces[piece].abandon(now, job, &mut self.events);
        }
    }

    /// When the next event comes.
    pub fn next(&self) -> Option<Ns> {
        self.events.next()
    }

    /// Carries out the next event; an answer if it ends a request.
    pub fn step(&mut self) -> Option<Answer> {
        let Event { at, job, .. } = self.events.pop()?;
        let state = &mut self.jobs[job.slot as usize];
        if state.epoch != job.epoch {
            return None;
        }
        let Some((piece, route)) = state.piece(&self.routes).zip(state.route) else {
            return Some(Answer { slot: job.slot, status: 404, bytes: 0 });
        };
        state.step += 1;
        let next = state.piece(&self.routes);
        self.pieces[piece].leave(at, job, &mut self.events);
        match next {
            Some(next) => {
                self.pieces[next].arrive(at, job, &mut self.events);
                None
            }
            None => Some(Answer { slot: job.slot, status: 200, bytes: self.routes[route].bytes }),
        }
    }

    /// What the target's counters would say at `now`.
    pub fn counters(&self, now: Ns) -> Counters {
        let resources: Vec<Resource> =
            self.pieces.iter().filter_map(|piece| piece.resource(now)).collect();
        Counters { t: now.as_secs_f64(), resources, ..Counters::default() }
    }
}

/// Whether `path` is of the route's shape.
fn matches(route: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (route.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some("*"), Some(segment)) if !segment.is_empty() => {}
            (Some(a), Some(b)) if a == b => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces::{Service, Slots};
    use super::*;

    fn one_slot(path: &str, millis: u64) -> Model {
        let work = Service::Constant(Ns::from_millis(millis));
        let pieces: Vec<Box<dyn Piece>> = vec![Box::new(Slots::new("slot", 1, work, 8))];
        Model::new(vec![Route { path: path.to_owned(), chain: vec![0], bytes: 2 }], pieces, 8)
    }

    fn answers(model: &mut Model) -> Vec<(u32, u64)> {
        let mut all = Vec::new();
        while let Some(at) = model.next() {
            all.extend(model.step().map(|answer| (answer.slot, at.0 / 1_000_000)));
        }
        all
    }

    #[test]
    fn first_come_first_served() {
        let mut model = one_slot("/a", 10);
        for slot in [3, 1, 2] {
            model.arrive(Ns(u64::from(slot)), slot, Some(0));
        }
        assert_eq!(answers(&mut model), [(3, 10), (1, 20), (2, 30)]);
    }

    #[test]
    fn who_goes_away_leaves_the_queue_and_frees_only_what_it_held() {
        let mut model = one_slot("/a", 10);
        for slot in 0..4 {
            model.arrive(Ns(0), slot, Some(0));
        }
        model.abandon(Ns::from_millis(2), 2);
        model.abandon(Ns::from_millis(4), 0);
        let resource = model.counters(Ns::from_millis(4)).resources.remove(0);
        assert_eq!(
            (resource.in_use, resource.waiting),
            (1, 1),
            "1 took the place that 0 left; 3 waits"
        );
        assert_eq!(answers(&mut model), [(1, 14), (3, 24)]);
    }

    #[test]
    fn routes_are_matched_by_shape() {
        let model = one_slot("/books/*", 1);
        assert_eq!(model.route("/books/17?full=1"), Some(0));
        assert_eq!(model.route("/books/"), None);
        assert_eq!(model.route("/books"), None);
        assert_eq!(model.route("/books/1/2"), None);
    }

    #[test]
    fn an_unknown_path_is_refused_after_some_time() {
        let mut model = one_slot("/a", 10);
        model.arrive(Ns(0), 0, model.route("/nothing"));
        assert!(model.next().unwrap() > Ns(0));
        assert_eq!(model.step().unwrap().status, 404);
    }
}
