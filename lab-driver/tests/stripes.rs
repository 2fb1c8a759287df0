//! Stripes together are the one schedule, and merged they are the one result.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod plans;

use std::collections::BTreeSet;

use lab_driver::engine::dispatch::{Dispatch, StripeResult, Turn};
use lab_driver::engine::outcome::Reply;
use lab_driver::engine::plan::{Arrivals, Choice, Parameter, Plan, Think, Values};
use lab_driver::engine::profile::{Piece, Profile};
use lab_driver::engine::time::Ns;
use proptest::prelude::*;

/// A start with what was drawn for it: (user or none, index, task, intended, draws).
type Drawn = (Option<u32>, u64, u16, Ns, Vec<u32>);

/// Plays one stripe against a target that answers after a time that depends on the task alone.
fn play(plan: &Plan, stripe: u32, stripes: u32, is_open: bool) -> (Vec<Drawn>, StripeResult) {
    let mut dispatch = Dispatch::new(plan, stripe, stripes);
    let mut flying: BTreeSet<(Ns, u32)> = BTreeSet::new();
    let (mut now, mut starts) = (Ns::ZERO, Vec::new());
    loop {
        match dispatch.turn(now) {
            Turn::Start(start) => {
                let user = (!is_open).then_some(stripe + start.slot * stripes);
                let draws = dispatch.draws(start.slot).to_vec();
                starts.push((user, start.index, start.task, start.intended, draws));
                dispatch.sent(start, now);
                flying.insert((now + Ns::from_millis(3 + 20 * u64::from(start.task)), start.slot));
            }
            Turn::GiveUp(..) => unreachable!("answers come within the time-out"),
            Turn::Wait(until) => {
                now = match flying.first().copied() {
                    Some((at, slot)) if at <= until => {
                        flying.pop_first();
                        let answer = Reply::Answered { status: 200, bytes: 1, body_matches: true };
                        dispatch.done(slot, at, answer);
                        at
                    }
                    _ => until,
                };
            }
            Turn::Finished => return (starts, dispatch.finish()),
        }
    }
}

fn striped(plan: &Plan, stripes: u32, is_open: bool) -> (Vec<Drawn>, StripeResult) {
    let (mut starts, mut merged) = (Vec::new(), None::<StripeResult>);
    for stripe in 0..stripes {
        let (mine, result) = play(plan, stripe, stripes, is_open);
        starts.extend(mine);
        merged = Some(match merged {
            None => result,
            Some(all) => all.merged(&result),
        });
    }
    starts.sort_unstable();
    (starts, merged.unwrap())
}

fn think_times() -> impl Strategy<Value = Think> {
    let ms = |millis: u64| Ns::from_millis(millis);
    prop_oneof![
        (0u64..200).prop_map(move |pause| Think::Constant { pause: ms(pause) }),
        (0u64..50, 50u64..200)
            .prop_map(move |(from, to)| Think::Between { from: ms(from), to: ms(to) }),
        (1u64..100).prop_map(move |mean| Think::Exponential { mean: ms(mean) }),
        (1u64..100).prop_map(move |period| Think::Pacing { period: ms(period) }),
        (1u64..100).prop_map(move |period| Think::Schedule { period: ms(period) }),
    ]
}

fn with_parameters(mut plan: Plan, seed: u64) -> Plan {
    plan.seed = seed;
    plan.tasks = vec![plans::task("/a", 3), plans::task("/b", 1)];
    let texts = Values::Texts(["x", "y", "z"].map(str::to_owned).to_vec());
    let parameter =
        |name: &str, values, choice| Parameter { name: name.to_owned(), values, choice };
    plan.parameters = vec![
        parameter("even", Values::Integers { from: 1, to: 1_000 }, Choice::Even),
        parameter("weighted", texts.clone(), Choice::Weighted(vec![1.0, 2.0, 5.0])),
        parameter("in order", texts, Choice::Sequential),
    ];
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn closed_stripes_together_are_the_one_schedule(
        users in 1u32..9, think in think_times(), stripes in 1u32..5, seed in 0u64..100, spawn in 0.0f64..20.0,
    ) {
        let length = Ns::from_secs(2);
        let mut plan = with_parameters(plans::plan(plans::users(f64::from(users), think, length), length), seed);
        if let (lab_driver::engine::plan::Load::Closed { users: level, .. }, true) = (&mut plan.load, spawn > 1.0) {
            *level = Profile::spawning(f64::from(users), spawn, length);
        }
        let whole = striped(&plan, 1, false);
        let parts = striped(&plan, stripes.min(users), false);
        prop_assert!(whole.0 == parts.0, "the starts differ");
        prop_assert!(whole.1.segments == parts.1.segments, "the recordings differ");
        prop_assert_eq!(whole.1.tally, parts.1.tally);
    }

    #[test]
    fn open_stripes_together_are_the_one_schedule(
        from in 1.0f64..300.0, to in 1.0f64..300.0, poisson: bool, stripes in 1u32..5, seed in 0u64..100,
    ) {
        let kind = if poisson { Arrivals::Poisson } else { Arrivals::Uniform };
        let length = Ns::from_secs(2);
        let mut plan = with_parameters(plans::plan(plans::arrivals(1.0, kind, 1_000, length), length), seed);
        if let lab_driver::engine::plan::Load::Open { rate, .. } = &mut plan.load {
            *rate = Profile(vec![Piece { over: length, from, to }]);
        }
        let whole = striped(&plan, 1, true);
        let parts = striped(&plan, stripes, true);
        prop_assert!(whole.0 == parts.0, "the starts differ");
        prop_assert!(whole.1.segments == parts.1.segments, "the recordings differ");
    }

    #[test]
    fn a_new_parameter_shifts_no_task_and_no_think_time(users in 1u32..6, think in think_times(), seed in 0u64..100) {
        let length = Ns::from_secs(2);
        let with = with_parameters(plans::plan(plans::users(f64::from(users), think, length), length), seed);
        let mut without = with.clone();
        without.parameters.truncate(1);
        let cut = |starts: Vec<Drawn>| -> Vec<_> {
            starts.into_iter().map(|(user, index, task, intended, draws)| (user, index, task, intended, draws[0])).collect()
        };
        prop_assert!(cut(striped(&with, 1, false).0) == cut(striped(&without, 1, false).0));
    }
}
