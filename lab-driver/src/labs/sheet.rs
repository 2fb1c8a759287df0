//! The grade sheet: what a check leaves behind as JSON, for a learner's hand-in or an instructor's table.

use serde::{Deserialize, Serialize};

use super::grade::{Grade, Graded};
use super::lab::{Form, Lab};
use crate::engine::claim::Judged;
use crate::engine::record::{Machine, Mode, RunRecord, Tool};
use crate::engine::verdict::{Outcome, Verdict};

/// The version of this format.
pub const SCHEMA: u32 = 1;

/// What came of a check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sheet {
    /// Version of this format.
    pub schema: u32,
    /// The program that checked.
    pub tool: Tool,
    /// Whether time was real.
    pub mode: Mode,
    /// `full` or `quick`.
    pub form: String,
    /// From which all random numbers of all runs followed.
    pub seed: u64,
    /// Where it was checked.
    pub machine: Machine,
    /// When, RFC 3339 in UTC; the epoch in virtual time.
    pub started_at: String,
    /// One entry per lab.
    pub labs: Vec<LabSheet>,
    /// The verdict on all labs together.
    pub verdict: Outcome,
}

/// One lab.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LabSheet {
    /// The lab's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What came of each claim.
    pub claims: Vec<ClaimSheet>,
    /// Why its claims are not known to be reliable; such a lab does not pass.
    pub doubt: Option<String>,
    /// How each run ended.
    pub runs: Vec<RunSheet>,
    /// The verdict.
    pub verdict: Outcome,
}

/// One claim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClaimSheet {
    /// The claim's name.
    pub id: String,
    /// What is claimed.
    pub that: String,
    /// What came of it.
    pub grade: GradeName,
    /// Why it was not judged.
    pub reason: Option<String>,
    /// What was measured, in words with its unit.
    pub measured: String,
    /// What was to be expected, in words with its unit.
    pub predicted: Option<String>,
    /// What the measured value is held against.
    pub allowed: String,
    /// The learner's own prediction, if there was one.
    pub guess: Option<Guess>,
    /// All the values, in canonical units.
    pub judged: Option<Judged>,
}

/// What a learner predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guess {
    /// As typed.
    pub typed: String,
    /// In the canonical unit of the claim: milliseconds, share of one, per second, or plain.
    pub value: f64,
}

/// What came of a claim, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GradeName {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// Nobody can say.
    NotJudged,
}

/// One run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunSheet {
    /// The run's name in claims.
    pub id: String,
    /// How it ended.
    pub verdict: Verdict,
}

impl From<&Grade> for GradeName {
    fn from(grade: &Grade) -> Self {
        match grade {
            Grade::Pass => Self::Pass,
            Grade::Fail => Self::Fail,
            Grade::OnlyLive(_) | Grade::Inconclusive(_) => Self::NotJudged,
        }
    }
}

impl LabSheet {
    /// Of a lab that has been checked. `guesses` are the learner's predictions, one place per claim; a `doubt` about
    /// the claims themselves takes a pass away.
    pub fn new(
        lab: &Lab,
        doubt: Option<String>,
        graded: &[Graded],
        guesses: &[Option<Guess>],
        runs: &[RunRecord],
    ) -> Self {
        let guess = |place: usize| guesses.get(place).cloned().flatten();
        let claims = graded.iter().enumerate().map(|(place, one)| ClaimSheet {
            id: one.id.clone(),
            that: one.that.clone(),
            grade: (&one.grade).into(),
            reason: one.reason().map(str::to_owned),
            measured: one.measured(),
            predicted: one.predicted.clone(),
            allowed: one.allowed(),
            guess: guess(place),
            judged: one.judged.clone(),
        });
        Self {
            id: lab.id.clone(),
            title: lab.title.clone(),
            claims: claims.collect(),
            runs: runs
                .iter()
                .map(|run| RunSheet { id: run.label.clone(), verdict: run.verdict.clone() })
                .collect(),
            verdict: super::grade::verdict(graded, doubt.is_some()),
            doubt,
        }
    }
}

impl Sheet {
    /// Of several labs that have been checked in one go.
    pub fn new(
        labs: Vec<LabSheet>,
        form: Form,
        seed: u64,
        first: Option<&RunRecord>,
        mode: Mode,
    ) -> Self {
        Self {
            schema: SCHEMA,
            tool: Tool::this(),
            mode,
            form: form.name().to_owned(),
            seed,
            machine: first.map(|run| run.machine.clone()).unwrap_or_default(),
            started_at: first.map(|run| run.started_at.clone()).unwrap_or_default(),
            verdict: super::grade::together(labs.iter().map(|lab| lab.verdict)),
            labs,
        }
    }
}
