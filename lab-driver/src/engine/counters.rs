//! What a lab target says of itself: its counters at both edges of the measured window, and what follows from them.

use std::collections::{BTreeMap, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::Plan;
use super::time::Ns;

/// A target's answer to `/lab/counters`. Fields that this driver does not know are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counters {
    /// When, seconds on the target's monotonic clock.
    pub t: f64,
    /// CPU seconds the target has used.
    #[serde(default)]
    pub cpu_s: f64,
    /// What can be full.
    #[serde(default)]
    pub resources: Vec<Resource>,
    /// Everything else.
    #[serde(flatten)]
    pub others: BTreeMap<String, serde_json::Value>,
}

/// Something of which the target has only so much. Seconds and `served` are cumulative since the reset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resource {
    /// Its name, as tables print it.
    pub name: String,
    /// How many there are.
    pub capacity: u64,
    /// How many are held now.
    pub in_use: u64,
    /// How many requests wait for one now.
    pub waiting: u64,
    /// How many requests have held one and are done.
    pub served: u64,
    /// Held time summed over all of them, seconds.
    pub busy_s: f64,
    /// Waited time summed over all requests, seconds.
    pub wait_s: f64,
}

/// What the target said of itself in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetTruth {
    /// Which target.
    pub lab: String,
    /// Its knobs as it was running with them.
    pub knobs: BTreeMap<String, String>,
    /// Counters at the start of the measured window.
    pub before: Counters,
    /// Counters at its end.
    pub after: Counters,
    /// What each resource did in between.
    pub resources: Vec<ResourceUse>,
    /// What each did in the last seconds before the end, in runs that an abort rule may end: a climb is at its
    /// height there. Empty in other runs.
    #[serde(default)]
    pub closing: Vec<ResourceUse>,
}

/// Keeps the readings of the last seconds of a run whose end is not known beforehand.
#[derive(Clone, Debug)]
pub struct Closing {
    readings: VecDeque<Counters>,
    /// When the next one is due; never in a run that cannot end early.
    due: Ns,
}

impl Closing {
    /// From one reading to the next.
    const EVERY: Ns = Ns::from_secs(1);
    /// The oldest is so many readings before the end, which comes within a second of the last.
    const KEPT: usize = 5;

    /// For a run of `plan`.
    pub fn of(plan: &Plan) -> Self {
        let due = if plan.aborts.is_empty() { Ns::MAX } else { Self::EVERY };
        Self { readings: VecDeque::new(), due }
    }

    /// Whether a reading is due.
    pub fn is_due(&self, now: Ns) -> bool {
        now >= self.due
    }

    /// Takes the reading of `now`.
    pub fn take(&mut self, now: Ns, reading: Option<Counters>) {
        self.due = now + Self::EVERY;
        self.readings.extend(reading);
        if self.readings.len() > Self::KEPT {
            self.readings.pop_front();
        }
    }

    /// What each resource did from the oldest reading to `after`.
    pub fn until(&self, after: &Counters) -> Vec<ResourceUse> {
        self.readings.front().map_or(Vec::new(), |first| ResourceUse::between(first, after))
    }
}

/// A resource over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceUse {
    /// Its name.
    pub name: String,
    /// How many there are.
    pub capacity: u64,
    /// Share of the capacity that was held, on average.
    pub utilization: f64,
    /// How many requests waited for it, on average.
    pub mean_waiting: f64,
    /// Requests served per second.
    pub served_per_s: f64,
    /// Whether it was full: see [`ResourceUse::FULL_FROM`] and [`ResourceUse::WAITING_FROM`].
    pub full: bool,
}

impl ResourceUse {
    /// Utilization from which a resource counts as full, when requests also wait for it.
    pub const FULL_FROM: f64 = 0.95;
    /// Mean number of waiting requests from which they do. Busy without a queue is not full: it is well used.
    pub const WAITING_FROM: f64 = 0.5;

    /// From two readings; none when no time passed or the resource is not in both.
    pub fn between(before: &Counters, after: &Counters) -> Vec<Self> {
        let seconds = after.t - before.t;
        let pairs = after.resources.iter().filter_map(|now| {
            let then = before.resources.iter().find(|then| then.name == now.name)?;
            (seconds > 0.0 && now.capacity > 0).then_some((then, now))
        });
        pairs
            .map(|(then, now)| {
                let utilization = (now.busy_s - then.busy_s) / (now.capacity as f64 * seconds);
                let mean_waiting = (now.wait_s - then.wait_s) / seconds;
                Self {
                    name: now.name.clone(),
                    capacity: now.capacity,
                    utilization,
                    mean_waiting,
                    served_per_s: now.served.saturating_sub(then.served) as f64 / seconds,
                    full: utilization >= Self::FULL_FROM && mean_waiting >= Self::WAITING_FROM,
                }
            })
            .collect()
    }
}

impl TargetTruth {
    /// Joins two readings.
    pub fn new(
        lab: String,
        knobs: BTreeMap<String, String>,
        before: Counters,
        after: Counters,
    ) -> Self {
        let resources = ResourceUse::between(&before, &after);
        Self { lab, knobs, before, after, resources, closing: Vec::new() }
    }

    /// The same with what the last seconds were.
    #[must_use]
    pub fn closing(mut self, closing: &Closing) -> Self {
        self.closing = closing.until(&self.after);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(t: f64, busy_s: f64, wait_s: f64) -> Counters {
        let resource = Resource {
            name: "ferry berths".to_owned(),
            capacity: 3,
            busy_s,
            wait_s,
            ..Resource::default()
        };
        Counters { t, resources: vec![resource], ..Counters::default() }
    }

    #[test]
    fn an_invented_resource_is_named_when_it_is_full() {
        let uses = ResourceUse::between(&reading(10.0, 5.0, 1.0), &reading(20.0, 34.0, 41.0));
        assert_eq!(uses[0].name, "ferry berths");
        assert!((uses[0].utilization - 29.0 / 30.0).abs() < 1e-9);
        assert!(uses[0].full);
    }

    #[test]
    fn busy_without_a_queue_is_not_full() {
        assert!(!ResourceUse::between(&reading(10.0, 5.0, 1.0), &reading(20.0, 35.0, 2.0))[0].full);
        assert!(
            !ResourceUse::between(&reading(10.0, 5.0, 1.0), &reading(20.0, 25.0, 99.0))[0].full
        );
    }

    #[test]
    fn the_last_seconds_speak_for_themselves() {
        let mut plan = super::super::testing::closed(1, 60);
        assert!(!Closing::of(&plan).is_due(Ns::from_secs(30)), "nobody ends this run");
        plan.aborts.push("p(95)<100".to_owned());
        let mut closing = Closing::of(&plan);
        for second in 1..=20 {
            assert!(closing.is_due(Ns::from_secs(second)));
            // Idle for 15 s, then full.
            let busy_s = 3.0 * second.saturating_sub(15) as f64;
            closing.take(Ns::from_secs(second), Some(reading(second as f64, busy_s, 0.0)));
        }
        let last = closing.until(&reading(20.0, 15.0, 5.0));
        assert!((last[0].utilization - 12.0 / 12.0).abs() < 1e-9, "{last:?}");
    }

    #[test]
    fn readings_of_one_instant_say_nothing() {
        assert!(
            ResourceUse::between(&reading(10.0, 5.0, 1.0), &reading(10.0, 5.0, 1.0)).is_empty()
        );
    }
}
