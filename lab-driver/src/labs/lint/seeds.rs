//! Every claim over many seeds in virtual time: how often it fails without cause, how often a change is caught.

use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use serde::{Deserialize, Serialize};

use super::Finding;
use super::trial::Trial;
use crate::engine::claim::{Dimension, Judged};
use crate::labs::facts::ExitOf;
use crate::labs::lab::{Form, Lab};

/// Of a thousand seeds, at most so many may fail a claim that holds.
const FALSE_PER_THOUSAND: u64 = 1;
/// Of a hundred seeds, at least so many must fail a claim under its change.
const CAUGHT_PER_HUNDRED: u64 = 99;

/// What came of one claim over a number of seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// How many seeds.
    pub seeds: u64,
    /// How often the claim did not hold as it stands.
    pub false_failures: u64,
    /// How often it did not hold under its change.
    pub caught: u64,
    /// How near it came to failing, in its canonical unit; negative if it failed. None where nothing is near.
    pub smallest_margin: Option<f64>,
}

/// One claim in one length, with what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// The lab's id.
    pub lab: String,
    /// The claim's name.
    pub claim: String,
    /// The length.
    pub form: Form,
    /// What its values measure.
    pub dimension: Dimension,
    /// What came of it.
    pub tally: Tally,
}

impl Tally {
    /// Adds what came of one seed, under the change or without.
    pub(super) fn add(&mut self, judged: &Judged, changed: bool) {
        if changed {
            self.caught += u64::from(!judged.held());
            return;
        }
        self.seeds += 1;
        self.false_failures += u64::from(!judged.held());
        self.smallest_margin = smaller(self.smallest_margin, judged.margin());
    }

    /// Both together.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        Self {
            seeds: self.seeds + other.seeds,
            false_failures: self.false_failures + other.false_failures,
            caught: self.caught + other.caught,
            smallest_margin: smaller(self.smallest_margin, other.smallest_margin),
        }
    }

    /// Whether it fails without cause at most as often as is allowed.
    pub fn is_steady(&self) -> bool {
        self.false_failures * 1_000 <= self.seeds * FALSE_PER_THOUSAND
    }

    /// Whether its change is caught often enough.
    pub fn catches(&self) -> bool {
        self.caught * 100 >= self.seeds * CAUGHT_PER_HUNDRED
    }
}

fn smaller(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::min)
}

/// Judges every claim of `lab` that virtual time can show with each of `seeds`, in each length, on `threads`
/// threads. The counts depend on the seeds alone.
pub fn count(lab: &Lab, seeds: RangeInclusive<u64>, exit: ExitOf, threads: usize) -> Vec<Count> {
    let trial = Trial::new(lab, exit);
    let next = AtomicU64::new(*seeds.start());
    let sum = Mutex::new(vec![Tally::default(); trial.subjects.len()]);
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut mine = vec![Tally::default(); trial.subjects.len()];
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > *seeds.end() {
                        break;
                    }
                    trial.run(seed, &mut mine);
                }
                let mut sum = sum.lock().expect("no thread panics while it adds");
                for (all, one) in sum.iter_mut().zip(mine) {
                    *all = all.merged(one);
                }
            });
        }
    });
    let sum = sum.into_inner().expect("no thread panics while it adds");
    let counts = trial.subjects.iter().zip(sum).map(|((claim, form), tally)| Count {
        lab: lab.id.clone(),
        claim: claim.id.clone(),
        form: *form,
        dimension: claim.that(*form).dimension(),
        tally,
    });
    counts.collect()
}

/// What is wrong with the claims by these counts.
pub fn findings(counts: &[Count]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for count in counts {
        let place = format!("{}, claim {}, {} length", count.lab, count.claim, count.form.name());
        let Tally { seeds, false_failures, caught, .. } = count.tally;
        if !count.tally.is_steady() {
            let what = format!(
                "fails without cause with {false_failures} of {seeds} seeds, and 1 in 1000 is allowed"
            );
            findings.push(Finding::new(
                &place,
                what,
                "widen its tolerance, or make its runs longer",
            ));
        }
        if !count.tally.catches() {
            let what = format!(
                "must_fail_when is caught with {caught} of {seeds} seeds, and 99 in 100 are asked for"
            );
            findings.push(Finding::new(
                &place,
                what,
                "narrow its tolerance, make its runs longer, or choose a change that it is about",
            ));
        }
    }
    findings
}
