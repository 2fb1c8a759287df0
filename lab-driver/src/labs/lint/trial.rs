//! What one seed of a lab has to simulate, each plan once, and who is judged by it.

use std::collections::BTreeMap;

use super::seeds::Tally;
use crate::engine::distribution::Distribution;
use crate::engine::plan::Plan;
use crate::engine::record::RunRecord;
use crate::labs::facts::{ExitOf, LabFacts};
use crate::labs::file::list;
use crate::labs::lab::{Change, ClaimSpec, Form, Lab, RunSpec, Scope};
use crate::labs::plan;
use crate::sim::twin::twin;

/// A lab in all its forms, as it is and under every change that a claim has to fail under.
pub(super) struct Trial<'a> {
    lab: &'a Lab,
    exit: ExitOf,
    /// Every plan that any case needs, once.
    plans: Vec<Plan>,
    cases: Vec<Case<'a>>,
    /// Which claim in which form each tally is about.
    pub(super) subjects: Vec<(&'a ClaimSpec, Form)>,
}

/// The lab in one form, changed or not.
struct Case<'a> {
    changed: bool,
    times: Option<Distribution>,
    /// Each run with the position of its plan.
    runs: Vec<(&'a str, usize)>,
    /// Who is judged, by position among the subjects.
    judges: Vec<usize>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(lab: &'a Lab, exit: ExitOf) -> Self {
        let mut trial =
            Self { lab, exit, plans: Vec::new(), cases: Vec::new(), subjects: Vec::new() };
        for form in lab.forms() {
            let mut changes: BTreeMap<Option<&Change>, Vec<usize>> = BTreeMap::new();
            for claim in &lab.claims {
                let Scope::Both { must_fail_when } = &claim.scope else { continue };
                let subject = trial.subjects.len();
                trial.subjects.push((claim, *form));
                changes.entry(None).or_default().push(subject);
                changes.entry(Some(must_fail_when)).or_default().push(subject);
            }
            for (change, judges) in changes {
                let case = trial.case(*form, change, judges);
                trial.cases.push(case);
            }
        }
        trial
    }

    fn case(&mut self, form: Form, change: Option<&Change>, judges: Vec<usize>) -> Case<'a> {
        let lab = self.lab;
        let mut needed: Vec<&str> = Vec::new();
        for subject in &judges {
            needed.extend(lab.runs_of(self.subjects[*subject].0.that(form)));
        }
        let runs = lab.runs.iter().filter(|run| needed.contains(&run.id.as_str()));
        let runs = runs.map(|run| (run.id.as_str(), self.position(run, form, change))).collect();
        let times = change.and_then(|change| change.times.as_ref());
        Case {
            changed: change.is_some(),
            times: times.map(|times| list::checked(times)),
            runs,
            judges,
        }
    }

    fn position(&mut self, run: &RunSpec, form: Form, change: Option<&Change>) -> usize {
        let step = plan::step(run, form, change, 0).expect("the lab has been validated");
        let plan = step.loaded.plan;
        let known = self.plans.iter().position(|known| *known == plan);
        known.unwrap_or_else(|| {
            self.plans.push(plan);
            self.plans.len() - 1
        })
    }

    /// Runs everything with `seed`, and adds what came of each subject to its tally.
    pub(super) fn run(&self, seed: u64, tallies: &mut [Tally]) {
        let records: Vec<RunRecord> = self
            .plans
            .iter()
            .map(|plan| {
                let plan = Plan { seed, ..plan.clone() };
                twin(&plan, "").expect("the lab has been validated")
            })
            .collect();
        for case in &self.cases {
            let facts = LabFacts {
                lab: self.lab,
                records: case.runs.iter().map(|(id, at)| (*id, &records[*at])).collect(),
                times: case.times.as_ref(),
                exit: self.exit,
            };
            for subject in &case.judges {
                let (claim, form) = self.subjects[*subject];
                let judged = claim.that(form).judge(&facts);
                tallies[*subject].add(&judged, case.changed);
            }
        }
    }
}
