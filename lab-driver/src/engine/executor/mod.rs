//! Executors decide *when* an iteration starts; they never learn *how* it is carried out.

mod closed;
mod open;

pub use closed::Closed;
pub use open::Open;

use super::outcome::Reply;
use super::plan::{Choice, Load, Plan};
use super::random::{Block, below, weighted};
use super::time::Ns;

/// An iteration to start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The user or the place in flight that it occupies, below [`Executor::slots`].
    pub slot: u32,
    /// Which of the plan's tasks.
    pub task: u16,
    /// Closed: the number of the user's iteration. Open: the number of the arrival over all stripes.
    pub index: u64,
    /// When it was planned to start.
    pub intended: Ns,
    /// When it could start: the later of `intended` and the instant the slot became free.
    pub ready: Ns,
}

/// What an executor wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Start this iteration.
    Start(Start),
    /// This arrival found every place taken and is dropped.
    Drop {
        /// Which of the plan's tasks it would have been.
        task: u16,
        /// Number of the arrival.
        index: u64,
        /// When it was planned to start.
        intended: Ns,
    },
    /// Nothing until this instant or the next completion.
    WaitUntil(Ns),
    /// Nothing until the next completion.
    WaitForCompletion,
    /// Nothing more, ever, and nothing in flight.
    Finished,
}

/// Decides when iterations start, from nothing but the instants it is told.
///
/// Poll until the answer is neither `Start` nor `Drop`, and again after every completion.
/// Instants never go back from one call to the next.
pub trait Executor {
    /// How many users or places in flight this stripe owns.
    fn slots(&self) -> u32;
    /// The drawn parameter values (as positions among the values) of a started slot, until it completes.
    fn draws(&self, slot: u32) -> &[u32];
    /// What to do at `now`.
    fn poll(&mut self, now: Ns) -> Step;
    /// The iteration of `slot` ended at `now`.
    fn complete(&mut self, now: Ns, slot: u32, reply: &Reply);
    /// Starts nothing more. Answers how many starts were due by `now` and never made.
    fn stop(&mut self, now: Ns) -> u64;
}

/// The executor of stripe `stripe` of `stripes` for `plan`.
pub fn build(plan: &Plan, stripe: u32, stripes: u32) -> Box<dyn Executor + Send> {
    match &plan.load {
        Load::Closed { .. } => Box::new(Closed::new(plan, stripe, stripes)),
        Load::Open { .. } => Box::new(Open::new(plan, stripe, stripes)),
    }
}

/// Stripe `stripe`'s part of `total`, the remainder going to the first stripes.
pub fn share(total: u32, stripe: u32, stripes: u32) -> u32 {
    total / stripes + u32::from(stripe < total % stripes)
}

/// After a connection could not be made or broke, a user without think time waits this long:
/// a refused port answers in microseconds, and hammering it measures nothing.
const BACK_OFF: Ns = Ns::from_millis(100);

/// Turns words into tasks and parameter values.
#[derive(Clone, Debug)]
struct Draw {
    weights: Vec<f64>,
    parameters: Vec<Chooser>,
}

#[derive(Clone, Debug)]
enum Chooser {
    Even(u32),
    Weighted(Vec<f64>),
    InTurn { order: Vec<u32> },
}

impl Draw {
    fn new(plan: &Plan) -> Self {
        let weights = cumulative(plan.tasks.iter().map(|task| f64::from(task.weight)));
        let parameters = plan
            .parameters
            .iter()
            .map(|parameter| {
                let count = parameter.values.count();
                match &parameter.choice {
                    Choice::Even => Chooser::Even(count),
                    Choice::Weighted(weights) => {
                        Chooser::Weighted(cumulative(weights.iter().copied()))
                    }
                    Choice::Sequential => Chooser::InTurn { order: (0..count).collect() },
                    Choice::Shuffled => Chooser::InTurn { order: shuffled(count, plan.seed) },
                }
            })
            .collect();
        Self { weights, parameters }
    }

    /// Whether anything is chosen by chance. Words that nobody reads need not be drawn: each word has its own
    /// address, so leaving some out shifts no other.
    fn draws_anything(&self) -> bool {
        self.weights.len() > 1 || !self.parameters.is_empty()
    }

    fn task(&self, block: &Block) -> u16 {
        weighted(block.task(), &self.weights) as u16
    }

    /// Fills `values`; `turn` is the place in line for parameters taken in order.
    fn values(&self, block: &Block, turn: u64, values: &mut [u32]) {
        for (position, (chooser, value)) in self.parameters.iter().zip(values).enumerate() {
            let word = block.parameter(position);
            *value = match chooser {
                Chooser::Even(count) => below(word, *count),
                Chooser::Weighted(weights) => weighted(word, weights) as u32,
                Chooser::InTurn { order } => order[(turn % order.len() as u64) as usize],
            };
        }
    }
}

fn cumulative(weights: impl Iterator<Item = f64>) -> Vec<f64> {
    weights
        .scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        })
        .collect()
}

/// Fisher and Yates, from a stream of its own.
fn shuffled(count: u32, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count).collect();
    let mut stream = super::random::Stream::shuffle(seed);
    for last in (1..count).rev() {
        order.swap(last as usize, below(stream.word(), last + 1) as usize);
    }
    order
}
