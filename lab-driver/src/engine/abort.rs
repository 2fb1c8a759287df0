//! Aborts: thresholds judged while a run goes on, at every tick, so that it ends when one is broken.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::claim::{Comparison, Facts, Metric, Reading, Threshold};
use super::plan::Plan;
use super::sliding::{Sliding, is_upper};
use super::tick::{Delta, TICK};
use super::time::Ns;

/// From the instant at which a rule is found broken to the one at which all starts end: every dispatcher has to learn
/// of it before it comes.
pub const NOTICE: Ns = Ns(2 * TICK.0);

/// A rule that was broken, and what it said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Abort {
    /// As the user wrote it.
    pub source: String,
    /// The endpoint, or none for all requests.
    pub endpoint: Option<String>,
    /// The metric: `p(95)`.
    pub metric: String,
    /// When it was found broken, seconds since the run's start.
    pub at_s: f64,
    /// The value then, in words with its unit; `≥` where requests still in flight had waited that long.
    pub observed: String,
    /// The comparison and its limit, in words: `< 100 ms`.
    pub limit: String,
    /// How much of the run was judged, seconds; none for all of it until then.
    pub over_s: Option<f64>,
}

/// The rules of a run, judged at each tick.
#[derive(Clone, Debug, Default)]
pub struct Aborts {
    rules: Vec<Sliding>,
    /// Starts end here, and there is nothing left to abort.
    until: Ns,
}

impl Aborts {
    /// The rules of `plan`.
    pub fn of(plan: &Plan) -> Self {
        let position = |name: &str| plan.tasks.iter().position(|task| task.name == name);
        let sliding = |threshold: Threshold| {
            let task = threshold.endpoint().map(position);
            let task = task.map(|found| found.and_then(|at| u16::try_from(at).ok()));
            // A plan made by hand may name what it does not have; such a rule has no data.
            let task = task.map(|found| found.unwrap_or(u16::MAX));
            Sliding::new(threshold, task, plan.is_scheduled())
        };
        Self { rules: thresholds(plan).map(sliding).collect(), until: plan.duration }
    }

    /// Judges all rules with what the stripes report at `now`; the first that is broken.
    pub fn tick(&mut self, now: Ns, deltas: &[Delta]) -> Option<Abort> {
        for rule in &mut self.rules {
            rule.add(now, deltas);
        }
        if now >= self.until {
            return None;
        }
        let due = |rule: &&Sliding| now >= rule.threshold().after().unwrap_or(Ns::ZERO);
        let mut broken = self.rules.iter().filter(due).filter_map(|rule| {
            let reading = rule.broken(now)?;
            Some(Abort::new(rule.threshold(), now, reading))
        });
        broken.next()
    }
}

impl Abort {
    fn new(threshold: &Threshold, at: Ns, reading: Reading) -> Self {
        let judged = threshold.judge(&Only(reading));
        Self {
            source: threshold.source().to_owned(),
            endpoint: threshold.endpoint().map(str::to_owned),
            metric: threshold.metric().to_string(),
            at_s: at.as_secs_f64(),
            observed: judged.observed(),
            limit: format!("{} {}", threshold.comparison(), judged.limit()),
            over_s: threshold.over().map(Ns::as_secs_f64),
        }
    }
}

/// The one value at hand as facts.
struct Only(Reading);

impl Facts for Only {
    fn metric(&self, _: Option<&str>, _: Option<&str>, _: Metric) -> Reading {
        self.0
    }

    fn exit(&self, _: &str) -> Option<u8> {
        None
    }

    fn knee(&self, _: &str, _: Option<&str>) -> Reading {
        Reading::NoData
    }
}

/// The smallest age at which a request in flight breaks a rule of `plan` by itself; none where no rule asks.
pub fn overdue_from(plan: &Plan) -> Option<Ns> {
    let limits = thresholds(plan).filter(|one| {
        matches!(one.metric(), Metric::Response(_) | Metric::RoundTrip(_)) && is_upper(one)
    });
    let limits = limits.map(|one| Ns::from_secs_f64(one.limit().max(0.0) / 1e3));
    limits.min()
}

fn thresholds(plan: &Plan) -> impl Iterator<Item = Threshold> {
    plan.aborts.iter().filter_map(|text| Threshold::parse(text).ok())
}

/// Why `threshold` cannot be judged while a run goes on, and what to write instead.
pub fn unfit(threshold: &Threshold) -> Option<(String, &'static str)> {
    let metric = threshold.metric();
    if matches!(threshold.comparison(), Comparison::Equal | Comparison::NotEqual) {
        let what = format!("{metric} changes all the time and will not stay equal");
        return Some((what, "compare with < <= > or >="));
    }
    if metric == Metric::Dropped && threshold.endpoint().is_some() {
        let what = "drops are counted for all endpoints together while a run goes on".to_owned();
        return Some((what, "leave out the endpoint"));
    }
    if threshold.over().is_some_and(|over| over < TICK) {
        let what = format!("a window below {TICK} holds next to nothing");
        return Some((what, "write a longer one, such as over 5s"));
    }
    None
}

#[cfg(test)]
#[path = "abort_tests.rs"]
mod tests;
