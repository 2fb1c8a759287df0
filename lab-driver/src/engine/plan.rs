//! The plan: a validated scenario with every default filled in, as the record keeps it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::profile::Profile;
use super::time::Ns;
use super::whole;
use super::window::Window;

/// Everything that decides what is sent and when. Two runs of one plan with one seed start the same iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The scenario's name.
    pub name: String,
    /// Where requests go, as `http://host:port`.
    pub host: String,
    /// Who starts iterations, and when.
    pub load: Load,
    /// What an iteration sends; at least one.
    pub tasks: Vec<Task>,
    /// What requests vary in, in file order; at most [`super::random::MAX_PARAMETERS`].
    pub parameters: Vec<Parameter>,
    /// Not measured, at the start; part of `duration`.
    pub warm_up: Ns,
    /// From the first start to the last, warm-up included.
    pub duration: Ns,
    /// How long requests in flight are waited for after `duration`; then they are cut off.
    pub drain: Ns,
    /// From which all random numbers follow.
    pub seed: u64,
    /// Thresholds as the user wrote them.
    pub thresholds: Vec<String>,
    /// Thresholds that end the run as soon as they are broken, as the user wrote them.
    #[serde(default)]
    pub aborts: Vec<String>,
    /// What virtual time runs against, and predictions are made for.
    pub model: Option<ModelSpec>,
}

impl Plan {
    /// Whether a sample's response time counts from its intended start, because there is a schedule to be late on.
    pub fn is_scheduled(&self) -> bool {
        match &self.load {
            Load::Open { .. } => true,
            Load::Closed { think, .. } => matches!(think, Think::Schedule { .. }),
        }
    }

    /// The measured windows: one, from the end of the warm-up to the end of the duration.
    pub fn windows(&self) -> Vec<Window> {
        vec![Window { from: self.warm_up, to: self.duration }]
    }

    /// How many slots need their connection at once: users who start in the first second, or the places
    /// that the arrivals of the first tenth of a second can take.
    pub fn early_slots(&self) -> u32 {
        let early = match &self.load {
            Load::Closed { users, .. } => {
                let is_early = |user: &u32| {
                    let first = users.above(f64::from(*user)).first().copied();
                    first.is_some_and(|(from, _)| from < Ns::from_secs(1))
                };
                whole::slots((0..self.slots()).take_while(is_early).count())
            }
            Load::Open { rate, .. } => whole::slots_for(rate.integral(Ns::from_millis(100))),
        };
        early.clamp(1, self.slots().max(1))
    }

    /// Users, or places in flight, that the executors of all stripes own together.
    pub fn slots(&self) -> u32 {
        match &self.load {
            Load::Closed { users, .. } => whole::slots_for(users.peak()),
            Load::Open { max_in_flight, .. } => *max_in_flight,
        }
    }
}

/// Who starts iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Load {
    /// Users who wait for each answer before they go on.
    Closed {
        /// How many users are there, over time: user i while the level is above i.
        users: Profile,
        /// What a user does between two iterations.
        think: Think,
    },
    /// Arrivals that come whether or not earlier ones have been answered.
    Open {
        /// Arrivals per second, over time.
        rate: Profile,
        /// How arrivals are spaced.
        arrivals: Arrivals,
        /// Most requests in flight at once.
        max_in_flight: u32,
        /// What becomes of an arrival that finds every place taken.
        overflow: Overflow,
    },
}

impl Load {
    /// The highest level: users, or arrivals per second.
    pub fn peak(&self) -> f64 {
        match self {
            Self::Closed { users, .. } => users.peak(),
            Self::Open { rate, .. } => rate.peak(),
        }
    }
}

/// How arrivals are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Evenly: the i-th arrival when the integral of the rate reaches i.
    Uniform,
    /// As a Poisson process: exponential gaps.
    Poisson,
}

/// What becomes of an arrival that finds every place in flight taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overflow {
    /// It waits inside the driver and is measured from its intended start.
    Queue,
    /// It is dropped and counted.
    Drop,
}

/// What a user does between two iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Think {
    /// Pauses this long after each answer.
    Constant {
        /// The pause.
        pause: Ns,
    },
    /// Pauses a uniformly drawn time after each answer.
    Between {
        /// Shortest pause.
        from: Ns,
        /// Longest pause.
        to: Ns,
    },
    /// Pauses an exponentially drawn time after each answer.
    Exponential {
        /// Mean pause.
        mean: Ns,
    },
    /// Starts once a period, late if the answer was late, never catching up.
    Pacing {
        /// From start to start.
        period: Ns,
    },
    /// Starts on an absolute grid and catches up after a late answer.
    Schedule {
        /// From one planned start to the next.
        period: Ns,
    },
}

impl Think {
    /// The mean pause after an answer, as the operational laws need it; none for paced and scheduled users,
    /// whose cycle is fixed instead.
    pub fn mean_pause(&self) -> Option<Ns> {
        match *self {
            Self::Constant { pause } => Some(pause),
            Self::Between { from, to } => Some(Ns(u64::midpoint(from.0, to.0))),
            Self::Exponential { mean } => Some(mean),
            Self::Pacing { .. } | Self::Schedule { .. } => None,
        }
    }
}

/// One kind of iteration: one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The row's name, and the endpoint's name in thresholds.
    pub name: String,
    /// Share of the iterations, relative to the other tasks.
    pub weight: u32,
    /// HTTP method.
    pub method: String,
    /// Path and query, with `{parameter}` where a drawn value goes.
    pub path: String,
    /// Further header fields.
    pub headers: Vec<(String, String)>,
    /// What is sent as the body.
    pub body: Option<Body>,
    /// What an answer must be to count as a success.
    pub expect: Expect,
    /// A request without an answer after this long has failed.
    pub timeout: Ns,
    /// An answer slower than this counts as failed.
    pub fail_slower: Option<Ns>,
}

/// A request's body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// This text, with `{parameter}` where a drawn value goes.
    Text(String),
    /// One line of a data file; which one is drawn by the parameter at this position.
    Row {
        /// The file, as the scenario names it.
        file: String,
        /// Position of the drawing parameter in the plan.
        parameter: usize,
    },
}

/// What an answer must be to count as a success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Lowest good status code.
    pub status_from: u16,
    /// Highest good status code.
    pub status_to: u16,
    /// A text that the body must contain; empty for none.
    pub body_contains: String,
}

impl Default for Expect {
    /// Any status below 400, as Locust and k6 count it.
    fn default() -> Self {
        Self { status_from: 200, status_to: 399, body_contains: String::new() }
    }
}

/// Something that requests vary in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The name in braces.
    pub name: String,
    /// The values it takes.
    pub values: Values,
    /// How one is chosen.
    pub choice: Choice,
}

/// The values of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// These texts.
    Texts(Vec<String>),
    /// The whole numbers from the first to the last.
    Integers {
        /// Lowest value.
        from: u64,
        /// Highest value.
        to: u64,
    },
    /// The rows of a data file.
    Rows {
        /// The file, as the scenario names it.
        file: String,
        /// How many rows it has.
        count: u32,
    },
}

impl Values {
    /// How many different values there are (at most 2³² − 1).
    pub fn count(&self) -> u32 {
        match self {
            Self::Texts(texts) => u32::try_from(texts.len()).unwrap_or(u32::MAX),
            Self::Integers { from, to } => {
                u32::try_from(to - from).map_or(u32::MAX, |n| n.saturating_add(1))
            }
            Self::Rows { count, .. } => *count,
        }
    }
}

/// How a parameter's value is chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Each with the same chance.
    Even,
    /// With these weights, one per value.
    Weighted(Vec<f64>),
    /// In order: user or arrival i takes value i, and so on round.
    Sequential,
    /// In a seeded order that takes every value once before it repeats.
    Shuffled,
}

/// What virtual time runs against: a target of the lab and its knobs, named as the server's flags.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelSpec {
    /// The lab-server target.
    pub target: String,
    /// Knobs that differ from the target's defaults, as text.
    pub knobs: std::collections::BTreeMap<String, String>,
}
