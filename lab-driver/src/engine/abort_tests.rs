//! When rules are judged, and which of them can be.

use super::super::testing::open;
use super::*;

fn rules(texts: &[&str]) -> Aborts {
    let mut plan = open(10.0, 5, 20);
    plan.aborts = texts.iter().map(|text| (*text).to_owned()).collect();
    Aborts::of(&plan)
}

/// Drops are the metric that needs no sample.
fn drops(dropped: u64) -> [Delta; 1] {
    [Delta { dropped, ..Delta::default() }]
}

#[test]
fn judged_from_after_until_the_starts_end() {
    let mut aborts = rules(&["dropped < 5 over 1s after 10s"]);
    assert_eq!(aborts.tick(Ns::from_secs(9), &drops(7)), None);
    assert_eq!(aborts.tick(Ns::from_millis(10_500), &drops(4)), None, "the seven are out of sight");
    let broken = aborts.tick(Ns::from_millis(10_600), &drops(1)).unwrap();
    let said = (&*broken.observed, &*broken.limit, broken.at_s, broken.over_s);
    assert_eq!(said, ("5", "< 5", 10.6, Some(1.0)));
    assert_eq!(rules(&["dropped < 5"]).tick(Ns::from_secs(20), &drops(9)), None);
}

#[test]
fn the_first_of_several_is_named_and_an_endpoint_that_is_not_there_has_no_data() {
    let mut aborts = rules(&["/gone:failed < 1%", "dropped < 9", "dropped < 5"]);
    assert_eq!(aborts.tick(Ns::from_secs(1), &drops(6)).unwrap().source, "dropped < 5");
}

#[test]
fn the_age_that_counts_is_the_smallest_limit_of_a_time() {
    let mut plan = open(10.0, 5, 20);
    assert_eq!(overdue_from(&plan), None);
    let texts = ["failed < 1%", "p(95) > 10", "avg < 2s", "/:rtt:max <= 300ms", "lag < 5"];
    plan.aborts = texts.map(str::to_owned).to_vec();
    assert_eq!(overdue_from(&plan), Some(Ns::from_millis(300)));
}

#[test]
fn what_cannot_be_judged_on_the_way() {
    let why = |text: &str| unfit(&Threshold::parse(text).unwrap()).map(|(what, _)| what);
    assert!(why("p(95) == 100").unwrap().contains("will not stay equal"));
    assert!(why("/items:dropped < 5").unwrap().contains("all endpoints together"));
    assert!(why("p(95) < 100 over 50ms").unwrap().contains("next to nothing"));
    assert_eq!(why("/items:p(95) < 100 over 5s after 10s"), None);
}
