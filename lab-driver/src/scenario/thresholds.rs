//! Thresholds, budgets and aborts: read by the one grammar, and held against the tasks there are.

use super::mistake::{Mistake, Mistakes, Place};
use super::nearest::did_you_mean;
use super::said::{Said, short};
use crate::engine::abort;
use crate::engine::claim::{SyntaxError, Threshold};

/// Reads thresholds as the plan keeps them; each may name only endpoints among `names`.
pub(super) fn read(
    thresholds: &[Said],
    budgets: &[Said],
    names: &[&str],
    mistakes: &mut Mistakes,
) -> Vec<String> {
    let mut read = Vec::new();
    let thresholds = thresholds.iter().map(|said| (said, Threshold::parse(&said.value)));
    let budgets = budgets.iter().map(|said| (said, Threshold::budget(&said.value)));
    for (said, parsed) in thresholds.chain(budgets) {
        match parsed {
            Ok(threshold) if threshold.over().or(threshold.after()).is_some() => {
                let what = format!("\"{}\" asks for a part of the run", short(&said.value));
                let remedy = "a threshold judges the whole measured window: leave out `over` and `after`, \
                              or write it as --abort-unless, which ends the run";
                mistakes.add(&said.place, what, remedy);
            }
            Ok(threshold) => {
                if let Some(endpoint) = threshold.endpoint() {
                    check_endpoint(endpoint, &said.place, names, mistakes);
                }
                read.push(threshold.source().to_owned());
            }
            Err(error) => add(&said.place, &error, mistakes),
        }
    }
    read
}

/// Reads thresholds that end the run when they are broken.
pub(super) fn read_aborts(aborts: &[Said], names: &[&str], mistakes: &mut Mistakes) -> Vec<String> {
    let mut read = Vec::new();
    for said in aborts {
        let threshold = match Threshold::parse(&said.value) {
            Ok(threshold) => threshold,
            Err(error) => {
                add(&said.place, &error, mistakes);
                continue;
            }
        };
        if let Some((what, remedy)) = abort::unfit(&threshold) {
            mistakes.add(&said.place, format!("\"{}\": {what}", short(&said.value)), remedy);
        }
        if let Some(endpoint) = threshold.endpoint() {
            check_endpoint(endpoint, &said.place, names, mistakes);
        }
        read.push(threshold.source().to_owned());
    }
    read
}

/// Notes an endpoint that no task is called.
pub(super) fn check_endpoint(
    endpoint: &str,
    place: &Place,
    names: &[&str],
    mistakes: &mut Mistakes,
) {
    if !names.contains(&endpoint) {
        let what = format!("no task is called \"{}\"", short(endpoint));
        mistakes.add(place, what, did_you_mean(endpoint, "tasks", names));
    }
}

/// Notes a syntax error with its caret.
pub(super) fn add(place: &Place, error: &SyntaxError, mistakes: &mut Mistakes) {
    mistakes.push(Mistake {
        place: place.clone(),
        what: error.message().to_owned(),
        remedy: error.remedy().to_owned(),
        excerpt: Some(error.caret()),
    });
}
