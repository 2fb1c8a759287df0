//! Closed users: each waits for its answer, thinks, and goes on.
//!
//! A user's life, from the executor's side:
//!
//! | state | leaves it by | to |
//! |---|---|---|
//! | absent | the level rises above its number | due |
//! | due (on the agenda) | `poll` at or after the due instant | in flight |
//! | in flight | `complete`, still wanted when next due | due |
//! | in flight | `complete`, level fallen before it is next due | absent, until the level rises again |
//! | any | `stop` | gone (in flight: after its answer) |

use std::collections::VecDeque;

use super::super::agenda::Agenda;
use super::super::outcome::Reply;
use super::super::plan::{Load, Plan, Think};
use super::super::random::{Stream, exponential};
use super::super::time::Ns;
use super::super::whole;
use super::{BACK_OFF, Draw, Executor, Start, Step};

/// The users of one stripe: user i of the plan when i ≡ stripe (mod stripes).
#[derive(Debug)]
pub struct Closed {
    users: Vec<User>,
    /// Per user: when it is wanted again. Apart from `users`, for most have none and an iteration seldom asks.
    later: Vec<VecDeque<(Ns, Ns)>>,
    think: Think,
    draw: Draw,
    due: Agenda<(Ns, u32)>,
    population: u64,
    stripe: u32,
    stripes: u32,
    in_flight: u32,
    stopped: bool,
}

#[derive(Debug)]
struct User {
    /// None when nothing is left to chance.
    stream: Option<Box<Stream>>,
    /// The end of the interval in which it is wanted.
    until: Ns,
    /// Planned start of the current or last iteration.
    intended: Ns,
    /// When it last became free.
    free: Ns,
    /// Number of the next iteration.
    iteration: u64,
    /// The uniform draw of the current iteration's think time.
    think: f64,
}

impl Closed {
    /// # Panics
    /// If the plan's load is not closed.
    pub fn new(plan: &Plan, stripe: u32, stripes: u32) -> Self {
        let Load::Closed { users: level, think } = &plan.load else {
            unreachable!("build() chooses the executor by the load");
        };
        let population = plan.slots();
        let own = super::share(population, stripe, stripes);
        let draw = Draw::new(plan, own);
        let random = draw.draws_anything()
            || matches!(think, Think::Between { .. } | Think::Exponential { .. });
        let mut due = Agenda::default();
        let (users, later) = (stripe..population)
            .step_by(stripes as usize)
            .enumerate()
            .map(|(slot, number)| {
                let mut wanted: VecDeque<_> = level.above(f64::from(number)).into();
                let stagger = stagger(think, f64::from(number) / f64::from(population));
                for (from, _) in &mut wanted {
                    *from += stagger;
                }
                // Whoever would come after having to leave does not come.
                wanted.retain(|(from, to)| from < to);
                let (first, until) = wanted.pop_front().unwrap_or((Ns::MAX, Ns::ZERO));
                due.push((first, whole::slots(slot)));
                let user = User {
                    stream: random.then(|| Box::new(Stream::user(plan.seed, number))),
                    until,
                    intended: first,
                    free: Ns(0),
                    iteration: 0,
                    think: 0.0,
                };
                (user, wanted)
            })
            .unzip();
        Self {
            users,
            later,
            think: *think,
            draw,
            due,
            population: u64::from(population),
            stripe,
            stripes,
            in_flight: 0,
            stopped: false,
        }
    }

    fn start(&mut self, due: Ns, slot: u32) -> Start {
        let number = u64::from(self.stripe) + u64::from(slot) * u64::from(self.stripes);
        let user = &mut self.users[slot as usize];
        let index = user.iteration;
        user.iteration += 1;
        user.intended = due;
        let ready = due.max(user.free);
        let mut task = 0;
        if let Some(stream) = &mut user.stream {
            let block = stream.block();
            user.think = block.think();
            task = self.draw.task(&block);
            self.draw.choose(&block, slot, number + index * self.population);
        }
        self.in_flight += 1;
        Start { slot, task, index, intended: due, ready }
    }
}

impl Executor for Closed {
    fn slots(&self) -> u32 {
        whole::slots(self.users.len())
    }

    fn draws(&self, slot: u32) -> &[u32] {
        self.draw.of(slot)
    }

    fn poll(&mut self, now: Ns) -> Step {
        match self.due.first() {
            _ if self.stopped && self.in_flight == 0 => Step::Finished,
            _ if self.stopped => Step::WaitForCompletion,
            Some(&(due, slot)) if due <= now => {
                self.due.pop();
                Step::Start(self.start(due, slot))
            }
            Some(&(due, _)) => Step::WaitUntil(due),
            None if self.in_flight == 0 => Step::Finished,
            None => Step::WaitForCompletion,
        }
    }

    fn complete(&mut self, now: Ns, slot: u32, reply: &Reply) {
        self.in_flight -= 1;
        let user = &mut self.users[slot as usize];
        user.free = now;
        let mut due = match self.think {
            Think::Constant { pause } => now + pause,
            Think::Between { from, to } => now + from + scaled(to - from, user.think),
            Think::Exponential { mean } => now + scaled(mean, exponential(user.think)),
            Think::Pacing { period } => now.max(user.intended + period),
            Think::Schedule { period } => user.intended + period,
        };
        if reply.is_transport_failure() && !matches!(self.think, Think::Schedule { .. }) {
            due = due.max(now + BACK_OFF);
        }
        while due >= user.until {
            let Some((from, until)) = self.later[slot as usize].pop_front() else { return };
            due = due.max(from);
            user.until = until;
        }
        self.due.push((due, slot));
    }

    fn stop(&mut self, now: Ns) -> u64 {
        self.stopped = true;
        let unsent = match self.think {
            // A scheduled user has one start on the agenda, or none while in flight; the grid has more.
            Think::Schedule { period } => self.unsent_on_grid(now, period),
            _ => self.due.iter().filter(|(due, _)| *due < now).count() as u64,
        };
        self.due.clear();
        unsent
    }
}

impl Closed {
    /// Grid instants before `now` that no iteration has been started for.
    fn unsent_on_grid(&self, now: Ns, period: Ns) -> u64 {
        self.users
            .iter()
            .filter_map(|user| {
                let next = if user.iteration == 0 { user.intended } else { user.intended + period };
                let end = now.min(user.until);
                (next < end).then(|| (end.0 - next.0).div_ceil(period.0))
            })
            .sum()
    }
}

/// Paced and scheduled users are spread evenly over one period; they would start in step else, period after period.
fn stagger(think: &Think, place: f64) -> Ns {
    match think {
        Think::Pacing { period } | Think::Schedule { period } => scaled(*period, place),
        Think::Constant { .. } | Think::Between { .. } | Think::Exponential { .. } => Ns::ZERO,
    }
}

fn scaled(length: Ns, by: f64) -> Ns {
    Ns(whole::nearest(length.0 as f64 * by))
}

#[cfg(test)]
mod tests {
    use super::super::super::outcome::TransportFailure;
    use super::super::super::profile::{Piece, Profile};
    use super::super::super::testing::closed;
    use super::*;

    const ANSWER: Reply = Reply::Answered { status: 200, bytes: 0, body_matches: true };

    fn ms(millis: u64) -> Ns {
        Ns::from_millis(millis)
    }

    fn with(users: u32, think: Think) -> Closed {
        let mut plan = closed(users, 10);
        if let Load::Closed { think: planned, .. } = &mut plan.load {
            *planned = think;
        }
        Closed::new(&plan, 0, 1)
    }

    fn started(step: Step) -> Start {
        match step {
            Step::Start(start) => start,
            other => panic!("{other:?} is no start"),
        }
    }

    #[test]
    fn think_time_begins_with_the_answer() {
        let mut closed = with(1, Think::Constant { pause: ms(500) });
        let first = started(closed.poll(ms(0)));
        closed.complete(ms(120), first.slot, &ANSWER);
        assert_eq!(closed.poll(ms(120)), Step::WaitUntil(ms(620)));
        assert_eq!(started(closed.poll(ms(630))).intended, ms(620));
    }

    #[test]
    fn pacing_never_catches_up_and_a_schedule_does() {
        let after_a_late_answer = |think| {
            let mut closed = with(1, think);
            let first = started(closed.poll(ms(0)));
            closed.complete(ms(250), first.slot, &ANSWER);
            started(closed.poll(ms(250)))
        };
        let paced = after_a_late_answer(Think::Pacing { period: ms(100) });
        assert_eq!((paced.intended, paced.ready), (ms(250), ms(250)));
        let scheduled = after_a_late_answer(Think::Schedule { period: ms(100) });
        assert_eq!((scheduled.intended, scheduled.ready), (ms(100), ms(250)));
    }

    #[test]
    fn paced_users_are_spread_over_one_period() {
        let mut closed = with(4, Think::Pacing { period: ms(100) });
        let starts: Vec<_> = [0, 25, 50, 75].map(|at| started(closed.poll(ms(at))).intended).into();
        assert_eq!(starts, [ms(0), ms(25), ms(50), ms(75)]);
    }

    #[test]
    fn who_would_start_after_having_to_leave_does_not_start() {
        let mut plan = closed(4, 30);
        if let Load::Closed { users, think } = &mut plan.load {
            let piece =
                |seconds, level| Piece { over: Ns::from_secs(seconds), from: level, to: level };
            *users = Profile(vec![piece(1, 4.0), piece(29, 0.0)]);
            *think = Think::Pacing { period: Ns::from_secs(20) };
        }
        let mut closed = Closed::new(&plan, 0, 1);
        assert_eq!(started(closed.poll(ms(0))).slot, 0);
        assert_eq!(closed.poll(ms(29_000)), Step::WaitUntil(Ns::MAX));
    }

    #[test]
    fn grid_instants_that_were_never_reached_are_counted() {
        let mut closed = with(1, Think::Schedule { period: ms(100) });
        started(closed.poll(ms(0)));
        assert_eq!(closed.stop(ms(1_000)), 9);
    }

    #[test]
    fn a_refused_port_is_not_hammered() {
        let mut closed = with(1, Think::Constant { pause: Ns::ZERO });
        let first = started(closed.poll(ms(0)));
        closed.complete(ms(0), first.slot, &Reply::Transport(TransportFailure::Refused));
        assert_eq!(closed.poll(ms(0)), Step::WaitUntil(BACK_OFF));
    }

    #[test]
    fn users_leave_after_their_iteration_and_come_back() {
        let mut plan = closed(1, 10);
        let piece = |seconds, level| Piece { over: Ns::from_secs(seconds), from: level, to: level };
        if let Load::Closed { users, think } = &mut plan.load {
            *users = Profile(vec![piece(1, 1.0), piece(3, 0.0), piece(6, 1.0)]);
            *think = Think::Constant { pause: ms(800) };
        }
        let mut closed = Closed::new(&plan, 0, 1);
        let first = started(closed.poll(ms(0)));
        closed.complete(ms(400), first.slot, &ANSWER);
        // Next due at 1.2 s, when the user is gone; wanted again from 4 s.
        assert_eq!(closed.poll(ms(400)), Step::WaitUntil(ms(4_000)));
    }
}
