//! The verdict: pass, fail or invalid. Invalid beats fail beats pass.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a run ended, judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The judgement.
    pub outcome: Outcome,
    /// Why, in sentences; empty for a pass.
    pub reasons: Vec<String>,
}

/// The three judgements, gravest last.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything that was asked holds.
    Pass,
    /// A threshold does not hold, or requests failed.
    Fail,
    /// The generator or its machine is at fault: the numbers judge nobody else.
    Invalid,
}

/// A threshold and the value it was held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdResult {
    /// As the user wrote it.
    pub source: String,
    /// The endpoint, or none for all requests.
    pub endpoint: Option<String>,
    /// The metric: `p(95)`.
    pub metric: String,
    /// What was measured, in words with its unit: `179 ms`, `≥ 300 ms`, `no data`.
    pub observed: String,
    /// The comparison and its limit, in words: `<= 300 ms`.
    pub limit: String,
    /// Whether it holds.
    pub holds: bool,
    /// Why not, where the two numbers do not say it.
    pub note: Option<String>,
}

impl Verdict {
    /// Nothing speaks against the run.
    pub fn pass() -> Self {
        Self { outcome: Outcome::Pass, reasons: Vec::new() }
    }

    /// The gravest of several, with its reasons.
    pub fn gravest<'a>(verdicts: impl IntoIterator<Item = &'a Self>) -> Self {
        let all: Vec<&Self> = verdicts.into_iter().collect();
        let outcome = all.iter().map(|verdict| verdict.outcome).max().unwrap_or(Outcome::Pass);
        let gravest = all.iter().filter(|verdict| verdict.outcome == outcome);
        Self { outcome, reasons: gravest.flat_map(|verdict| verdict.reasons.clone()).collect() }
    }
}
