//! Open arrivals: they come on their own schedule, whether or not earlier ones have been answered.

use std::collections::VecDeque;

use super::super::arrivals::ArrivalTimes;
use super::super::outcome::Reply;
use super::super::plan::{Load, Overflow, Plan};
use super::super::random::Stream;
use super::super::time::Ns;
use super::{Draw, Executor, Start, Step, share};

/// The arrivals of one stripe and its share of the places in flight.
#[derive(Debug)]
pub struct Open {
    times: ArrivalTimes,
    /// The oldest arrival not yet started or dropped. Those behind it wait in `times`:
    /// a backlog needs no memory, because arrivals are a function of their index.
    next: Option<(u64, Ns)>,
    overflow: Overflow,
    draw: Draw,
    /// None when nothing is left to chance.
    stream: Option<Box<Stream>>,
    /// Blocks of `stream` read so far.
    blocks: u64,
    /// Free places, the last one used on top: its connection is the warmest.
    free: Vec<u32>,
    /// When the free places became free, the earliest first. Kept apart from `free`:
    /// an arrival could start when *any* place was free, whichever it is given.
    free_since: VecDeque<Ns>,
    slots: u32,
}

impl Open {
    /// # Panics
    /// If the plan's load is not open.
    pub fn new(plan: &Plan, stripe: u32, stripes: u32) -> Self {
        let Load::Open { rate, arrivals, max_in_flight, overflow } = &plan.load else {
            unreachable!("build() chooses the executor by the load");
        };
        let slots = share(*max_in_flight, stripe, stripes);
        let draw = Draw::new(plan, slots);
        let mut times = ArrivalTimes::new(rate, *arrivals, plan.seed, stripe, stripes);
        Self {
            next: times.next(),
            times,
            overflow: *overflow,
            stream: draw.draws_anything().then(|| Box::new(Stream::arrivals(plan.seed))),
            draw,
            blocks: 0,
            free: (0..slots).rev().collect(),
            free_since: vec![Ns(0); slots as usize].into(),
            slots,
        }
    }

    /// Draws the task of arrival `index` and, when it starts on `slot`, its parameter values.
    fn drawn(&mut self, index: u64, slot: Option<u32>) -> u16 {
        let Some(stream) = &mut self.stream else { return 0 };
        stream.skip(index - self.blocks);
        let block = stream.block();
        self.blocks = index + 1;
        if let Some(slot) = slot {
            self.draw.choose(&block, slot, index);
        }
        self.draw.task(&block)
    }
}

impl Executor for Open {
    fn slots(&self) -> u32 {
        self.slots
    }

    fn draws(&self, slot: u32) -> &[u32] {
        self.draw.of(slot)
    }

    fn poll(&mut self, now: Ns) -> Step {
        let idle = self.free.len() == self.slots as usize;
        let Some((index, intended)) = self.next else {
            return if idle { Step::Finished } else { Step::WaitForCompletion };
        };
        if intended > now {
            return Step::WaitUntil(intended);
        }
        let Some(slot) = self.free.pop() else {
            if self.overflow == Overflow::Queue {
                return Step::WaitForCompletion;
            }
            let task = self.drawn(index, None);
            self.next = self.times.next();
            return Step::Drop { task, index, intended };
        };
        let since = self.free_since.pop_front().expect("as many instants as free places");
        let task = self.drawn(index, Some(slot));
        self.next = self.times.next();
        Step::Start(Start { slot, task, index, intended, ready: intended.max(since) })
    }

    fn complete(&mut self, now: Ns, slot: u32, _reply: &Reply) {
        self.free.push(slot);
        // Completions come in order but for the few that one turn of a live driver may swap.
        match self.free_since.back() {
            Some(&last) if last > now => {
                let place = self.free_since.partition_point(|&since| since <= now);
                self.free_since.insert(place, now);
            }
            _ => self.free_since.push_back(now),
        }
    }

    fn stop(&mut self, now: Ns) -> u64 {
        let waiting = self.next.take().into_iter().chain(&mut self.times);
        waiting.take_while(|&(_, intended)| intended < now).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::plan::Overflow;
    use super::super::super::testing::open;
    use super::*;

    const ANSWER: Reply = Reply::Answered { status: 200, bytes: 0, body_matches: true };

    fn ms(millis: u64) -> Ns {
        Ns::from_millis(millis)
    }

    fn started(step: Step) -> Start {
        match step {
            Step::Start(start) => start,
            other => panic!("{other:?} is no start"),
        }
    }

    #[test]
    fn an_arrival_that_waits_is_ready_when_a_place_is() {
        let mut open = Open::new(&open(100.0, 1, 1), 0, 1);
        let first = started(open.poll(ms(0)));
        assert_eq!(open.poll(ms(0)), Step::WaitUntil(ms(10)));
        assert_eq!(open.poll(ms(10)), Step::WaitForCompletion);
        open.complete(ms(25), first.slot, &ANSWER);
        let second = started(open.poll(ms(26)));
        assert_eq!((second.index, second.intended, second.ready), (1, ms(10), ms(25)));
    }

    #[test]
    fn lateness_of_the_driver_is_no_hold_back_while_any_place_was_free() {
        let mut open = Open::new(&open(100.0, 2, 1), 0, 1);
        let first = started(open.poll(ms(0)));
        open.complete(ms(14), first.slot, &ANSWER);
        // The second place was free all the time, whichever place is given out.
        assert_eq!(started(open.poll(ms(17))).ready, ms(10));
    }

    #[test]
    fn overflow_drops_are_told_one_by_one() {
        let mut plan = open(100.0, 1, 1);
        if let Load::Open { overflow, .. } = &mut plan.load {
            *overflow = Overflow::Drop;
        }
        let mut open = Open::new(&plan, 0, 1);
        let first = started(open.poll(ms(0)));
        assert_eq!(open.poll(ms(25)), Step::Drop { task: 0, index: 1, intended: ms(10) });
        assert_eq!(open.poll(ms(25)), Step::Drop { task: 0, index: 2, intended: ms(20) });
        assert_eq!(open.poll(ms(25)), Step::WaitUntil(ms(30)));
        open.complete(ms(29), first.slot, &ANSWER);
        assert_eq!(started(open.poll(ms(30))).index, 3);
    }

    #[test]
    fn what_was_due_and_never_sent_is_counted_at_the_stop() {
        let mut open = Open::new(&open(100.0, 1, 1), 0, 1);
        let first = started(open.poll(ms(0)));
        assert_eq!(open.stop(ms(1_000)), 99);
        assert_eq!(open.poll(ms(1_000)), Step::WaitForCompletion);
        open.complete(ms(1_001), first.slot, &ANSWER);
        assert_eq!(open.poll(ms(1_001)), Step::Finished);
    }

    #[test]
    fn an_in_flight_limit_is_split_with_its_remainder() {
        let slots = |stripe| Open::new(&open(1.0, 10, 1), stripe, 4).slots();
        assert_eq!([slots(0), slots(1), slots(2), slots(3)], [3, 3, 2, 2]);
    }
}
