//! What a lab target says of itself: its counters at both edges of the measured window, and what follows from them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
        Self { lab, knobs, before, after, resources }
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
    fn readings_of_one_instant_say_nothing() {
        assert!(
            ResourceUse::between(&reading(10.0, 5.0, 1.0), &reading(10.0, 5.0, 1.0)).is_empty()
        );
    }
}
