//! A lab as its file describes it, validated: runs, sets of runs, lists of times, and claims about them.

use std::collections::BTreeMap;

use crate::engine::claim::{Claim, Expr};
use crate::engine::distribution::Distribution;
use crate::scenario::Overrides;

/// The version of lab.toml; a change that old files do not survive raises it.
pub const SCHEMA: u64 = 1;

/// A lab.
#[derive(Clone, Debug)]
pub struct Lab {
    /// The folder's name: `03-knee`.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// Which part of which lesson it belongs to.
    pub lesson: String,
    /// What a learner must plan, minutes, rounded up.
    pub minutes: Minutes,
    /// Every run, those of ramps included, in the order of the file.
    pub runs: Vec<RunSpec>,
    /// Ramps: which runs belong together.
    pub sets: Vec<SetSpec>,
    /// Lists of times, for pure arithmetic.
    pub lists: Vec<ListSpec>,
    /// What is claimed; at least one.
    pub claims: Vec<ClaimSpec>,
}

/// Minutes that a lab takes with everything around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minutes {
    /// In full length.
    pub live: u32,
    /// In the quick form.
    pub quick: u32,
}

/// In which length a lab is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The length that the lesson asks for.
    Full,
    /// The shorter one, for a workshop.
    Quick,
}

impl Form {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Full, Self::Quick];

    /// As it is called in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quick => "quick",
        }
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSpec {
    /// Its name in claims.
    pub id: String,
    /// What a command line would say, in full length; the target's knobs are apart.
    pub flags: Overrides,
    /// The duration of the quick form; none if it is the same.
    pub quick: Option<String>,
    /// Which lab-server target it runs against.
    pub target: String,
    /// The target's knobs that differ from its defaults, by the names of the server's flags.
    pub knobs: BTreeMap<String, String>,
}

/// A ramp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetSpec {
    /// Its name in claims.
    pub id: String,
    /// Whether its levels are rates and not numbers of users.
    pub by_rate: bool,
    /// Its runs, in ascending order of level.
    pub runs: Vec<String>,
}

/// A list of times.
#[derive(Clone, Debug, PartialEq)]
pub struct ListSpec {
    /// Its name in claims.
    pub id: String,
    /// The times.
    pub times: Distribution,
}

/// Where a claim can be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Live and in virtual time, where a change must make it fail.
    Both {
        /// The change under which it has to fail.
        must_fail_when: Box<Change>,
    },
    /// Only live: it is about CPU, memory or the generator.
    Live {
        /// Why virtual time cannot show it.
        not_in_virtual_time: String,
    },
}

/// One claim.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimSpec {
    /// Its name.
    pub id: String,
    /// What is claimed.
    pub that: Claim,
    /// What is claimed of the shorter runs, where chance leaves less to be sure of; none if it is the same.
    pub quick: Option<Claim>,
    /// Why it holds.
    pub because: String,
    /// What helps a learner to see it.
    pub hint: String,
    /// Where it can be judged.
    pub scope: Scope,
    /// The question whose answer is a prediction of it.
    pub ask: Option<String>,
}

impl ClaimSpec {
    /// What is claimed in this length.
    pub fn that(&self, form: Form) -> &Claim {
        self.quick.as_ref().filter(|_| form == Form::Quick).unwrap_or(&self.that)
    }
}

/// A change of a lab under which a claim has to fail; what is not named stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Knobs of every run's target.
    pub knobs: BTreeMap<String, String>,
    /// Fields of every run, by their names in lab.toml.
    pub load: BTreeMap<String, String>,
    /// Thresholds and budgets of every run, instead of its own.
    pub thresholds: Option<Vec<String>>,
    /// What every list holds instead, as written in lab.toml.
    pub times: Option<Vec<String>>,
}

impl Lab {
    /// Whether its quick form is shorter than the full one.
    pub fn has_quick(&self) -> bool {
        self.runs.iter().any(|run| run.quick.is_some())
    }

    /// The lengths that it is offered in.
    pub fn forms(&self) -> &'static [Form] {
        if self.has_quick() { &Form::ALL } else { &Form::ALL[..1] }
    }

    /// The run of this name.
    pub fn run(&self, id: &str) -> Option<&RunSpec> {
        self.runs.iter().find(|run| run.id == id)
    }

    /// The runs that `claim` depends on, each once, in the order of the file.
    pub fn runs_of(&self, claim: &Claim) -> Vec<&str> {
        let mut named: Vec<&str> = Vec::new();
        for leaf in claim.relation().leaves() {
            let name = match leaf {
                Expr::Metric(reference) => reference.run.as_deref().unwrap_or_default(),
                Expr::Knee { set, .. } => set,
                Expr::Exit(name) => name,
                Expr::Literal(_) | Expr::Binary { .. } => continue,
            };
            match self.sets.iter().find(|set| set.id == name) {
                Some(set) => named.extend(set.runs.iter().map(String::as_str)),
                None => named.push(name),
            }
        }
        let all = self.runs.iter().map(|run| run.id.as_str());
        all.filter(|id| named.contains(id)).collect()
    }
}
