//! Who starts iterations and when: `[load]` and its flags, read, merged and made into a plan's load.

use super::draft::LoadDraft;
use super::mistake::{Mistakes, Place};
use super::said::{LONGEST_ANSWER, LONGEST_RUN, Said};
use super::stages::{self, Stage};
use super::wait;
use crate::engine::plan::{Arrivals, Load, Overflow, Think};
use crate::engine::profile::Profile;
use crate::engine::time::Ns;

/// Places in flight, unless the scenario says otherwise.
const MAX_IN_FLIGHT: u32 = 1_000;
/// How long requests in flight are waited for, unless the scenario says otherwise.
const DRAIN: Ns = Ns::from_secs(30);

/// What one source, a file or the flags, says about the load.
#[derive(Debug)]
pub(super) struct Wanted {
    users: Option<Said<u32>>,
    spawn_rate: Option<Said<f64>>,
    rate: Option<Said<f64>>,
    stages: Vec<Stage>,
    arrivals: Option<Said<Arrivals>>,
    max_in_flight: Option<Said<u32>>,
    overflow: Option<Said<Overflow>>,
    wait: Option<Said<Think>>,
    duration: Option<Said<Ns>>,
    warm_up: Option<Said<Ns>>,
    drain: Option<Said<Ns>>,
    /// Something could not be read at all, so nothing is to be called missing.
    is_broken: bool,
}

/// A plan's load with its times.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) load: Load,
    pub(super) duration: Ns,
    pub(super) warm_up: Ns,
    pub(super) drain: Ns,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Users,
    Arrivals,
}

impl Wanted {
    /// Reads the texts. One that is wrong is noted and stands in as a harmless value,
    /// so that it is not also reported as missing.
    pub(super) fn read(draft: &LoadDraft, mistakes: &mut Mistakes) -> Self {
        const ARRIVALS: [(&str, Arrivals); 2] =
            [("uniform", Arrivals::Uniform), ("poisson", Arrivals::Poisson)];
        const OVERFLOW: [(&str, Overflow); 2] =
            [("queue", Overflow::Queue), ("drop", Overflow::Drop)];
        fn each<T>(
            said: Option<&Said>,
            stand_in: T,
            read: impl FnOnce(&Said) -> Option<Said<T>>,
        ) -> Option<Said<T>> {
            said.map(|said| read(said).unwrap_or_else(|| said.with(stand_in)))
        }
        let m = mistakes;
        Self {
            users: each(draft.users.as_ref(), 1, |s| s.count("users", "start nothing", m)),
            spawn_rate: each(draft.spawn_rate.as_ref(), 1.0, |s| s.rate("spawn rate", m)),
            rate: each(draft.rate.as_ref(), 1.0, |s| s.rate("rate", m)),
            stages: draft.stages.iter().map(|stage| stages::read(stage, m)).collect(),
            arrivals: each(draft.arrivals.as_ref(), Arrivals::Uniform, |s| {
                s.word("arrivals", &ARRIVALS, m)
            }),
            max_in_flight: each(draft.max_in_flight.as_ref(), 1, |s| {
                s.count("in-flight limit", "lets nothing start", m)
            }),
            overflow: each(draft.overflow.as_ref(), Overflow::Queue, |s| {
                s.word("overflow", &OVERFLOW, m)
            }),
            wait: each(draft.wait.as_ref(), Think::Constant { pause: Ns::ZERO }, |s| {
                wait::read(s, m)
            }),
            duration: each(draft.duration.as_ref(), LONGEST_RUN, |s| {
                s.duration("duration", false, LONGEST_RUN, m)
            }),
            warm_up: each(draft.warm_up.as_ref(), Ns::ZERO, |s| {
                s.duration("warm-up", true, LONGEST_RUN, m)
            }),
            drain: each(draft.drain.as_ref(), DRAIN, |s| {
                s.duration("drain", true, LONGEST_ANSWER, m)
            }),
            is_broken: draft.is_broken,
        }
    }

    /// Users or arrivals, if anything tells: stages do by their unit.
    fn kind(&self) -> Option<Kind> {
        match (&self.users, &self.rate, self.stages.first()) {
            (None, None, None) => None,
            (None, Some(_), _) => Some(Kind::Arrivals),
            (None, None, Some(_)) if self.has_rate_stages() => Some(Kind::Arrivals),
            _ => Some(Kind::Users),
        }
    }

    fn has_rate_stages(&self) -> bool {
        self.stages.iter().any(|stage| stage.has_unit)
    }

    /// Notes what one source says that cannot be true together.
    pub(super) fn check(&self, mistakes: &mut Mistakes) {
        if let (Some(_), Some(rate)) = (&self.users, &self.rate) {
            let what = "users and a rate are two kinds of load";
            let remedy = "keep users, who wait for each answer, or the rate, which does not wait";
            mistakes.add(&rate.place, what, remedy);
        }
        if let Some(spawn) = &self.spawn_rate {
            if self.users.is_none() {
                let what =
                    "a spawn rate says how fast users start, and no number of users is given";
                let remedy = "add -u or users; a rate of requests is --rate or rate";
                mistakes.add(&spawn.place, what, remedy);
            } else if !self.stages.is_empty() {
                let what = "stages say how the users grow, so a spawn rate has no effect";
                mistakes.add(&spawn.place, what, "leave out the spawn rate or the stages");
            }
        }
        let closed = "there are users, who wait for each answer: leave it out, or give a rate";
        let open = "arrivals come at a rate and never wait: leave it out, or give users";
        let (idle, why) = match self.kind() {
            None => return,
            Some(Kind::Users) => (
                [
                    self.arrivals.as_ref().map(|said| ("arrivals", &said.place)),
                    self.max_in_flight.as_ref().map(|said| ("an in-flight limit", &said.place)),
                    self.overflow.as_ref().map(|said| ("overflow", &said.place)),
                ],
                closed,
            ),
            Some(Kind::Arrivals) => {
                ([self.wait.as_ref().map(|said| ("a wait", &said.place)), None, None], open)
            }
        };
        for (name, place) in idle.into_iter().flatten() {
            mistakes.add(place, format!("{name} has no effect here"), why);
        }
    }

    /// What the flags say, and for the rest what `self`, the file, says.
    ///
    /// A number of users or a rate replaces the file's load with its stages; stages replace the file's
    /// stages and its duration, and begin at its users or rate. What then has no effect is left out.
    pub(super) fn overridden_by(mut self, flags: Self) -> Self {
        if flags.users.is_some() || flags.rate.is_some() {
            (self.users, self.rate, self.spawn_rate) = (None, None, None);
            self.stages.clear();
        }
        if !flags.stages.is_empty() {
            self.stages.clear();
            (self.spawn_rate, self.duration) = (None, None);
            if flags.has_rate_stages() {
                self.users = None;
            }
        }
        let stages = if flags.stages.is_empty() { self.stages } else { flags.stages };
        let mut merged = Self {
            users: flags.users.or(self.users),
            spawn_rate: flags.spawn_rate.or(self.spawn_rate),
            rate: flags.rate.or(self.rate),
            stages,
            duration: flags.duration.or(self.duration),
            warm_up: flags.warm_up.or(self.warm_up),
            drain: flags.drain.or(self.drain),
            arrivals: flags.arrivals,
            max_in_flight: flags.max_in_flight,
            overflow: flags.overflow,
            wait: flags.wait,
            is_broken: self.is_broken || flags.is_broken,
        };
        match merged.kind() {
            Some(Kind::Arrivals) => {
                merged.arrivals = merged.arrivals.or(self.arrivals);
                merged.max_in_flight = merged.max_in_flight.or(self.max_in_flight);
                merged.overflow = merged.overflow.or(self.overflow);
            }
            _ => merged.wait = merged.wait.or(self.wait),
        }
        merged
    }

    /// The load with its times; `origin` is where a missing one is reported.
    pub(super) fn build(self, origin: &Place, mistakes: &mut Mistakes) -> Option<Timed> {
        let Some(kind) = self.kind() else {
            if !self.is_broken {
                let what = "nothing says how much load there is";
                mistakes.add(origin, what, "give users (-u 20) or a rate (--rate 300/s)");
            }
            return None;
        };
        let duration = self.duration(origin, mistakes)?;
        let warm_up = self.warm_up.as_ref().map_or(Ns::ZERO, |said| said.value);
        if let Some(said) = self.warm_up.as_ref().filter(|said| said.value >= duration) {
            let what = format!("warm-up {warm_up} leaves nothing of the duration {duration}");
            mistakes.add(&said.place, what, "make it shorter than the duration");
        }
        let drain = self.drain.as_ref().map_or(DRAIN, |said| said.value);
        let level = self.level(kind, duration, mistakes)?;
        let load = match kind {
            Kind::Users => Load::Closed {
                users: level,
                think: self.wait.map_or(Think::Constant { pause: Ns::ZERO }, |said| said.value),
            },
            Kind::Arrivals => Load::Open {
                rate: level,
                arrivals: self.arrivals.map_or(Arrivals::Uniform, |said| said.value),
                max_in_flight: self.max_in_flight.map_or(MAX_IN_FLIGHT, |said| said.value),
                overflow: self.overflow.map_or(Overflow::Queue, |said| said.value),
            },
        };
        Some(Timed { load, duration, warm_up, drain })
    }

    /// What is said, else what the stages last together.
    fn duration(&self, origin: &Place, mistakes: &mut Mistakes) -> Option<Ns> {
        let stages = self.stages.iter().fold(Ns::ZERO, |sum, stage| sum + stage.length);
        match (&self.duration, self.stages.first()) {
            (Some(said), _) => Some(said.value),
            (None, Some(first)) if stages > LONGEST_RUN => {
                let what = format!("the stages last {stages} together, which is too long");
                mistakes.add(&first.place, what, format!("make them {LONGEST_RUN} at most"));
                None
            }
            (None, Some(_)) => Some(stages),
            (None, None) if self.is_broken => None,
            (None, None) => {
                let what = "nothing says how long the run lasts";
                mistakes.add(origin, what, "give a duration (-t 30s)");
                None
            }
        }
    }

    fn level(&self, kind: Kind, duration: Ns, mistakes: &mut Mistakes) -> Option<Profile> {
        let plain = match kind {
            Kind::Users => self.users.as_ref().map(|said| f64::from(said.value)),
            Kind::Arrivals => self.rate.as_ref().map(|said| said.value),
        };
        if self.stages.is_empty() {
            let level = plain?;
            let whole = match &self.spawn_rate {
                Some(spawn) => Profile::spawning(level, spawn.value, duration),
                None => Profile::constant(level, duration),
            };
            return Some(stages::fitted(whole, duration));
        }
        stages::check(&self.stages, kind == Kind::Users, mistakes);
        Some(stages::fitted(stages::profile(&self.stages, plain.unwrap_or(0.0)), duration))
    }
}
