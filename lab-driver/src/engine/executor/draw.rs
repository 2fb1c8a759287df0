//! Turns the words of an iteration into its task and its parameter values.

use super::super::plan::{Choice, Plan};
use super::super::random::{Block, Stream, below, weighted};
use super::super::whole;

/// How a plan's tasks and values are chosen, and what was chosen for each slot.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    weights: Vec<f64>,
    parameters: Vec<Chooser>,
    /// The values of all slots, one after the other.
    drawn: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Chooser {
    Even(u32),
    Weighted(Vec<f64>),
    InTurn { order: Vec<u32> },
}

impl Draw {
    /// For the tasks and parameters of `plan` and `slots` slots.
    pub(super) fn new(plan: &Plan, slots: u32) -> Self {
        let parameters: Vec<Chooser> = plan
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
        Self {
            weights: cumulative(plan.tasks.iter().map(|task| f64::from(task.weight))),
            drawn: vec![0; slots as usize * parameters.len()],
            parameters,
        }
    }

    /// Whether anything is chosen by chance. Words that nobody reads need not be drawn: each word has its own
    /// address, so leaving some out shifts no other.
    pub(super) fn draws_anything(&self) -> bool {
        self.weights.len() > 1 || !self.parameters.is_empty()
    }

    /// The task that `block` chooses.
    pub(super) fn task(&self, block: &Block) -> u16 {
        u16::try_from(weighted(block.task(), &self.weights))
            .expect("a plan has at most 1,000 tasks")
    }

    /// Chooses the values of `slot`; `turn` is its place in line for parameters taken in order.
    pub(super) fn choose(&mut self, block: &Block, slot: u32, turn: u64) {
        let width = self.parameters.len();
        let values = &mut self.drawn[slot as usize * width..][..width];
        for (position, (chooser, value)) in self.parameters.iter().zip(values).enumerate() {
            let word = block.parameter(position);
            *value = match chooser {
                Chooser::Even(count) => below(word, *count),
                Chooser::Weighted(weights) => whole::slots(weighted(word, weights)),
                Chooser::InTurn { order } => in_turn(order, turn),
            };
        }
    }

    /// What was chosen for `slot`.
    pub(super) fn of(&self, slot: u32) -> &[u32] {
        let width = self.parameters.len();
        &self.drawn[slot as usize * width..][..width]
    }
}

fn in_turn(order: &[u32], turn: u64) -> u32 {
    let place = turn % order.len() as u64;
    order[usize::try_from(place).expect("below the length of a list")]
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
    let mut stream = Stream::shuffle(seed);
    for last in (1..count).rev() {
        order.swap(last as usize, below(stream.word(), last + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::super::plan::{Parameter, Values};
    use super::super::super::testing::closed;
    use super::*;

    fn with(choice: Choice) -> Draw {
        let mut plan = closed(4, 1);
        let texts = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        plan.parameters =
            vec![Parameter { name: "letter".to_owned(), values: Values::Texts(texts), choice }];
        Draw::new(&plan, 4)
    }

    fn chosen(draw: &mut Draw, turns: u64) -> Vec<u32> {
        let mut stream = Stream::arrivals(1);
        let one = |turn| {
            draw.choose(&stream.block(), 2, turn);
            draw.of(2)[0]
        };
        (0..turns).map(one).collect()
    }

    #[test]
    fn values_in_order_go_round() {
        assert_eq!(chosen(&mut with(Choice::Sequential), 7), [0, 1, 2, 3, 4, 0, 1]);
    }

    #[test]
    fn a_shuffle_takes_every_value_once_before_it_repeats() {
        let values = chosen(&mut with(Choice::Shuffled), 10);
        let mut first = values[..5].to_vec();
        first.sort_unstable();
        assert_eq!(first, [0, 1, 2, 3, 4]);
        assert_eq!(values[..5], values[5..]);
        assert_ne!(values[..5], [0, 1, 2, 3, 4], "seed 1 does not shuffle to the identity");
    }

    #[test]
    fn weights_share_out_the_draws() {
        let weights = vec![0.0, 1.0, 0.0, 3.0, 0.0];
        let values = chosen(&mut with(Choice::Weighted(weights)), 4_000);
        let threes = values.iter().filter(|value| **value == 3).count();
        assert!(values.iter().all(|value| [1, 3].contains(value)));
        assert!((2_900..3_100).contains(&threes), "{threes} of 4000 at weight 3 of 4");
    }
}
