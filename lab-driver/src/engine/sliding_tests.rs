//! A sliding window against the obvious: all values of the window, sorted.

use proptest::prelude::*;

use super::super::outcome::{Reply, TransportFailure};
use super::super::testing;
use super::*;

fn sample(us: u64, reply: Reply, failure: Option<Failure>) -> Sample {
    Sample { reply, failure, ..testing::sample(Ns::ZERO, Ns(us * 1_000)) }
}

const OK: Reply = Reply::Answered { status: 200, bytes: 0, body_matches: true };

fn answers(us: &[u64]) -> Delta {
    Delta { samples: us.iter().map(|us| sample(*us, OK, None)).collect(), ..Delta::default() }
}

fn sliding(text: &str) -> Sliding {
    Sliding::new(Threshold::parse(text).unwrap(), None, true)
}

fn tick(number: u64) -> Ns {
    Ns::from_millis(100 * number)
}

/// What is broken at the last of these ticks.
fn after(text: &str, ticks: &[Delta]) -> Option<Reading> {
    let mut window = sliding(text);
    for (number, delta) in (1..).zip(ticks) {
        window.add(tick(number), std::slice::from_ref(delta));
    }
    window.broken(tick(ticks.len() as u64))
}

proptest! {
    #[test]
    fn a_percentile_is_that_of_the_window(
        ticks in prop::collection::vec(prop::collection::vec(0u64..60, 0..6), 1..40),
        percent in 1u32..=100, limit in 0u32..60, sign in prop::sample::select(vec!["<", "<=", ">", ">="]),
        over in prop::option::of(1usize..12),
    ) {
        let window = over.map_or(String::new(), |ticks| format!(" over {}ms", ticks * 100));
        // Whole milliseconds, so that limits and values meet.
        let deltas: Vec<Delta> = ticks
            .iter()
            .map(|tick| answers(&tick.iter().map(|ms| ms * 1_000).collect::<Vec<_>>()))
            .collect();
        let found = after(&format!("p({percent}) {sign} {limit}{window}"), &deltas);
        let kept = over.unwrap_or(ticks.len()).min(ticks.len());
        let mut values: Vec<u64> = ticks[ticks.len() - kept..].concat();
        values.sort_unstable();
        let expected = nearest_rank(values.len() as u64, f64::from(percent)).and_then(|rank| {
            let (value, limit) = (values[usize::try_from(rank).unwrap() - 1], u64::from(limit));
            let holds = match sign {
                "<" => value < limit,
                "<=" => value <= limit,
                ">" => value > limit,
                _ => value >= limit,
            };
            (!holds).then_some(Reading::Value(value as f64))
        });
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn shares_means_and_rates() {
    let good = || sample(10_000, OK, None);
    let bad = || sample(90_000, OK, Some(Failure::Status(500)));
    let slow = || sample(500_000, OK, Some(Failure::Slow));
    let refused = TransportFailure::Refused;
    let no_answer = || sample(0, Reply::Transport(refused), Some(Failure::Transport(refused)));
    let delta = |samples| Delta { samples, dropped: 3, ..Delta::default() };
    let ticks = [delta(vec![good(), bad()]), delta(vec![slow(), no_answer()])];
    for (text, value) in [
        ("failed < 5% over 1s", Some(0.75)),
        ("failed < 80% over 1s", None),
        ("checks > 99% over 1s", Some(0.5)),
        ("avg < 100 over 1s", Some(200.0)),
        ("max < 100 over 1s", Some(500.0)),
        ("min < 10 over 1s", Some(10.0)),
        ("min > 10 over 1s", Some(10.0)),
        ("min > 9 over 1s", None),
        // 1 success and 4 completions in 0.2 s.
        ("throughput > 6/s over 200ms", Some(5.0)),
        ("rate > 20/s over 200ms", Some(20.0)),
        ("throughput > 6/s over 1s", None),
        ("dropped < 6 over 1s", Some(6.0)),
        ("dropped < 7 over 1s", None),
        ("count < 4", Some(4.0)),
    ] {
        assert_eq!(after(text, &ticks), value.map(Reading::Value), "{text}");
    }
}

#[test]
fn nothing_at_all_breaks_no_time_but_a_rate() {
    let nothing = [Delta::default(), Delta::default()];
    assert_eq!(after("p(95) < 1", &nothing), None);
    assert_eq!(after("failed < 1%", &nothing), None);
    assert_eq!(after("throughput > 1/s over 200ms", &nothing), Some(Reading::Value(0.0)));
}

fn stalled(ages_ms: &[u64], at: Ns) -> Delta {
    let waiting = ages_ms.iter().map(|ms| {
        let since = at.saturating_sub(Ns::from_millis(*ms));
        Waiting { task: 0, intended: since, sent: since }
    });
    Delta { waiting: waiting.collect(), ..Delta::default() }
}

#[test]
fn what_is_in_flight_for_too_long_counts_once_and_as_a_bound() {
    let mut window = sliding("p(95) < 100 over 5s");
    window.add(tick(1), &[answers(&[10_000; 50])]);
    assert_eq!(window.broken(tick(1)), None);
    // Two of 52 are below the 5 % that may be slow, three of 53 are not; those below the limit wait on.
    window.add(tick(4), &[stalled(&[110, 120, 90], tick(4))]);
    assert_eq!(window.broken(tick(4)), None);
    window.add(tick(5), &[stalled(&[210, 220, 190], tick(5))]);
    assert_eq!(window.broken(tick(5)), Some(Reading::AtLeast(190.0)));
    // Answered in the end, they are there once.
    window.add(tick(6), &[answers(&[230_000; 2])]);
    assert_eq!(window.broken(tick(6)), None);
    assert_eq!((window.total.n, window.total.hits), (52, 2));
}

#[test]
fn ages_count_from_where_the_metric_does() {
    let late = Waiting { task: 0, intended: Ns::ZERO, sent: Ns::from_millis(950) };
    let delta = || Delta { waiting: vec![late], ..Delta::default() };
    let mut response = sliding("p(95) < 100");
    response.add(tick(10), &[delta()]);
    assert_eq!(response.broken(tick(10)), Some(Reading::AtLeast(1_000.0)));
    let mut round_trip = sliding("rtt:p(95) < 100");
    round_trip.add(tick(10), &[delta()]);
    assert_eq!(round_trip.broken(tick(10)), None);
    let mut of_another = Sliding::new(Threshold::parse("p(95) < 100").unwrap(), Some(1), true);
    of_another.add(tick(10), &[delta()]);
    assert_eq!(of_another.broken(tick(10)), None);
}
