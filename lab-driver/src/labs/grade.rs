//! Judges a lab's claims: pass, fail, or not judged and why.

use super::facts::LabFacts;
use super::lab::{ClaimSpec, Form, Scope};
use crate::engine::claim::{Claim, Judged};
use crate::engine::verdict::Outcome;

/// A claim with what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Graded {
    /// The claim's name.
    pub id: String,
    /// Why it should hold.
    pub because: String,
    /// What helps to see it.
    pub hint: String,
    /// What is claimed, in the canonical spelling.
    pub that: String,
    /// The verdict.
    pub grade: Grade,
    /// The values that decided it; none where they were not looked at.
    pub judged: Option<Judged>,
    /// What was to be expected, with its unit: of a live run what the same claim measures in virtual time, of a
    /// virtual one the value that the claim names, if it names one. None where virtual time cannot show it.
    pub predicted: Option<String>,
}

/// What came of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grade {
    /// It holds.
    Pass,
    /// It does not, or nothing shows that it does.
    Fail,
    /// It is about something that virtual time does not have.
    OnlyLive(String),
    /// A run that it needs is invalid or was not made: the reason.
    Inconclusive(String),
}

impl Graded {
    /// What was measured, with its unit; `-` where nothing was.
    pub fn measured(&self) -> String {
        self.judged.as_ref().map_or_else(|| "-".to_owned(), Judged::measured)
    }

    /// What the measured value is held against.
    pub fn allowed(&self) -> String {
        self.judged.as_ref().map_or_else(|| "-".to_owned(), Judged::allowed)
    }

    /// Why it was not judged.
    pub fn reason(&self) -> Option<&str> {
        match &self.grade {
            Grade::OnlyLive(reason) | Grade::Inconclusive(reason) => Some(reason),
            Grade::Pass | Grade::Fail => None,
        }
    }
}

/// Judges every claim of the lab of `facts`, whose runs have the length of `form`. `twin` holds the same lab in virtual time, for live runs; without
/// it the runs of `facts` are virtual themselves.
pub fn grade(facts: &LabFacts<'_>, twin: Option<&LabFacts<'_>>, form: Form) -> Vec<Graded> {
    facts.lab.claims.iter().map(|claim| one(claim, facts, twin, form)).collect()
}

fn one(claim: &ClaimSpec, facts: &LabFacts<'_>, twin: Option<&LabFacts<'_>>, form: Form) -> Graded {
    let that = claim.that(form);
    let graded = |grade, judged, predicted| Graded {
        id: claim.id.clone(),
        because: claim.because.clone(),
        hint: claim.hint.clone(),
        that: that.to_string(),
        grade,
        judged,
        predicted,
    };
    if let (Scope::Live { not_in_virtual_time }, None) = (&claim.scope, twin) {
        return graded(Grade::OnlyLive(not_in_virtual_time.clone()), None, None);
    }
    let judged = that.judge(facts);
    let predicted = match (twin, &claim.scope) {
        (None, _) => judged.expected(),
        (Some(twin), Scope::Both { .. }) => Some(that.judge(twin).measured()),
        (Some(_), Scope::Live { .. }) => None,
    };
    let grade = match (obstacle(that, facts), judged.held()) {
        (Some(reason), _) => Grade::Inconclusive(reason),
        (None, true) => Grade::Pass,
        (None, false) => Grade::Fail,
    };
    graded(grade, Some(judged), predicted)
}

/// Why no judgement can rest on the runs that `claim` needs.
fn obstacle(claim: &Claim, facts: &LabFacts<'_>) -> Option<String> {
    facts.lab.runs_of(claim).into_iter().find_map(|id| match facts.records.get(id) {
        None => Some(format!("{id} was not run")),
        Some(run) if run.interrupted => Some(format!("{id} was interrupted")),
        Some(run) if run.verdict.outcome == Outcome::Invalid => {
            Some(format!("{id} is invalid: {}", run.verdict.reasons.join("; ")))
        }
        Some(_) => None,
    })
}

/// The verdict on a lab: one claim that fails fails it; else one that a run left open leaves it open, and so
/// does a lab of which nothing was judged, or whose claims are themselves in doubt.
pub fn verdict(graded: &[Graded], is_in_doubt: bool) -> Outcome {
    let is = |wanted: fn(&Grade) -> bool| graded.iter().any(|one| wanted(&one.grade));
    if is(|grade| *grade == Grade::Fail) {
        Outcome::Fail
    } else if is_in_doubt
        || is(|grade| matches!(grade, Grade::Inconclusive(_)))
        || !is(|grade| *grade == Grade::Pass)
    {
        Outcome::Invalid
    } else {
        Outcome::Pass
    }
}

/// The verdict on several labs, by the same order: a failure decides.
pub fn together(verdicts: impl IntoIterator<Item = Outcome>) -> Outcome {
    let gravity = |outcome: &Outcome| match outcome {
        Outcome::Pass => 0,
        Outcome::Invalid => 1,
        Outcome::Fail => 2,
    };
    verdicts.into_iter().max_by_key(gravity).unwrap_or(Outcome::Invalid)
}
