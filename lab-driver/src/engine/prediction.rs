//! What a ramp shows: the knee, what was full, and the measurement beside what theory and simulation say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::whole;

/// The runs of a ramp taken together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RampAnalysis {
    /// One entry per endpoint.
    pub knees: Vec<Knee>,
    /// One row per level and endpoint, in order.
    pub levels: Vec<LevelRow>,
    /// The number of users (closed) at which the operational bounds cross, N* = (D + Z) / Dmax; none without a model.
    pub crossing_users: Option<f64>,
    /// Sentences that explain what the second table rests on.
    pub notes: Vec<String>,
}

/// Where an endpoint's throughput stops following the load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// The endpoint.
    pub endpoint: String,
    /// Gain of each step: the part of a proportional increase that the throughput followed.
    pub gains: Vec<Gain>,
    /// The step that is the knee: between these two levels; none when no step gains less than half.
    pub between: Option<(f64, f64)>,
    /// The knee by Kneedle, as a cross-check; none when it finds none.
    #[serde(default)]
    pub kneedle: Option<f64>,
    /// The resource that was full at the knee's upper level, by the target's own counters.
    pub full: Option<String>,
}

/// One step of a ramp.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gain {
    /// Lower level.
    pub from: f64,
    /// Upper level.
    pub to: f64,
    /// (X₂/X₁ − 1) / (N₂/N₁ − 1).
    pub gain: f64,
}

/// One endpoint at one level: measured, and predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelRow {
    /// Users, or arrivals per second.
    pub level: f64,
    /// The run's label.
    pub run: String,
    /// The endpoint.
    pub endpoint: String,
    /// Measured throughput, per second.
    pub throughput: f64,
    /// Measured mean response time, ms.
    pub mean_ms: Option<f64>,
    /// The true mean is at least that: some requests never got their answer, or were dropped.
    pub mean_at_least: bool,
    /// How fast the backlog grew, requests per second: those in flight or due and not yet sent, at the window's end
    /// less at its start. Only where arrivals come at a rate; users wait for each answer.
    #[serde(default)]
    pub backlog_growth: Option<f64>,
    /// By the operational laws.
    pub law: Option<Predicted>,
    /// By the simulator (live runs only: in virtual time it would be compared with itself).
    pub simulated: Option<Predicted>,
    /// The target's resources with their utilization, by its own counters.
    pub utilization: Vec<(String, f64)>,
}

/// How many users at once an open load stands for, by Little's law: what a tool that needs one for each request in
/// flight has to have ready.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsersNeeded {
    /// λ: the highest arrival rate of the plan, per second.
    pub rate: f64,
    /// W: the predicted mean response time, ms, freezes aside; none without a law or a steady state.
    pub mean_ms: Option<f64>,
    /// The rate beyond which there is no steady state, per second; none where it is not known.
    pub ceiling: Option<f64>,
    /// How long the target freezes, seconds, if it does.
    pub freeze_s: Option<f64>,
    /// The in-flight limit of the plan.
    pub limit: u32,
}

impl UsersNeeded {
    /// λ × W for answers that take `response_s` seconds, to the next whole user.
    pub fn users(&self, response_s: f64) -> u64 {
        whole::nearest(self.rate * response_s).max(1)
    }
}

/// A predicted throughput and mean response time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Predicted {
    /// Per second.
    pub throughput: f64,
    /// Milliseconds.
    pub mean_ms: f64,
    /// The true mean is at least that.
    pub at_least: bool,
}
