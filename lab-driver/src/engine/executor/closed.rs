//! Closed users: each waits for its answer, thinks, and goes on.
//!
//! A user's life, from the executor's side:
//!
//! | state | leaves it by | to |
//! |---|---|---|
//! | absent | the level rises above its number | due |
//! | due (in the heap) | `poll` at or after the due instant | in flight |
//! | in flight | `complete`, still wanted when next due | due |
//! | in flight | `complete`, level fallen before it is next due | absent, until the level rises again |
//! | any | `stop` | gone (in flight: after its answer) |

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

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
    think: Think,
    draw: Draw,
    due: BinaryHeap<Reverse<(Ns, u32)>>,
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
    /// When it is wanted; the first interval is the current one.
    wanted: VecDeque<(Ns, Ns)>,
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
        let mut due = BinaryHeap::new();
        let users: Vec<User> = (stripe..population)
            .step_by(stripes as usize)
            .enumerate()
            .map(|(slot, number)| {
                let mut wanted: VecDeque<_> = level.above(f64::from(number)).into();
                let stagger = stagger(think, f64::from(number) / f64::from(population));
                let first = wanted.front_mut().map_or(Ns::MAX, |(from, _)| {
                    *from += stagger;
                    *from
                });
                due.push(Reverse((first, whole::slots(slot))));
                User {
                    stream: random.then(|| Box::new(Stream::user(plan.seed, number))),
                    wanted,
                    intended: first,
                    free: Ns(0),
                    iteration: 0,
                    think: 0.0,
                }
            })
            .collect();
        Self {
            users,
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
        match self.due.peek() {
            _ if self.stopped && self.in_flight == 0 => Step::Finished,
            _ if self.stopped => Step::WaitForCompletion,
            Some(&Reverse((due, slot))) if due <= now => {
                self.due.pop();
                Step::Start(self.start(due, slot))
            }
            Some(&Reverse((due, _))) => Step::WaitUntil(due),
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
        while let Some(&(from, to)) = user.wanted.front() {
            if due < to {
                due = due.max(from);
                self.due.push(Reverse((due, slot)));
                return;
            }
            user.wanted.pop_front();
        }
    }

    fn stop(&mut self, now: Ns) -> u64 {
        self.stopped = true;
        let unsent = match self.think {
            // A scheduled user has one start in the heap, or none while in flight; the grid has more.
            Think::Schedule { period } => self.unsent_on_grid(now, period),
            _ => self.due.iter().filter(|Reverse((due, _))| *due < now).count() as u64,
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
                let &(from, to) = user.wanted.front()?;
                let next = if user.iteration == 0 { from } else { user.intended + period };
                let end = now.min(to);
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
