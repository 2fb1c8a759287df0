//! Reads lab.toml: every mistake in it at once, each with its line and what to do about it.

mod claim;
pub(super) mod list;
mod run;

use super::lab::{Lab, Minutes, SCHEMA};
use crate::engine::claim::Names;
use crate::scenario::Mistakes;
use crate::scenario::reader::{Fields, Lines};
use crate::scenario::said::{Said, short};
use crate::sim::targets;
use run::RunDraft;

/// Reads the lab called `id` from `text`; `file` is its name in messages.
///
/// # Errors
/// Every mistake, in the order of the file.
pub(super) fn read(id: &str, file: &str, text: &str) -> Result<Lab, Mistakes> {
    let mut mistakes = Mistakes::default();
    let lab = draft(id, file, text, &mut mistakes);
    mistakes.or(lab).map(|lab| lab.expect("what cannot be read has a mistake"))
}

/// The target that runs go to unless they say otherwise.
struct Target {
    name: Said,
    knobs: Vec<(Said, Said)>,
}

fn draft(id: &str, file: &str, text: &str, mistakes: &mut Mistakes) -> Option<Lab> {
    let lines = Lines::new(file, text);
    let document = lines.parse(mistakes)?;
    let mut top = Fields::new(&lines, document.get_ref(), "a lab", lines.place(0), mistakes);
    top.schema(SCHEMA, mistakes)?;
    let title = top.required("title", "a text, such as \"Find the knee\"", mistakes);
    let lesson = top.required("lesson", "a text, such as \"Locust lesson, part 3\"", mistakes);
    let minutes = minutes(&mut top, mistakes);
    let target = target(&mut top, mistakes);
    let lists = list::read(&mut top, mistakes);
    let (drafts, sets) = run::read(&mut top, target.as_ref(), mistakes);
    let names = Names {
        runs: drafts
            .iter()
            .map(|draft| draft.spec.id.clone())
            .chain(lists.iter().map(|l| l.id.clone()))
            .collect(),
        sets: sets.iter().map(|set| set.id.clone()).collect(),
    };
    let mut lab = Lab {
        id: id.to_owned(),
        title: title.map_or_else(String::new, |said| said.value),
        lesson: lesson.map_or_else(String::new, |said| said.value),
        minutes,
        runs: drafts.iter().map(|draft| draft.spec.clone()).collect(),
        sets,
        lists,
        claims: Vec::new(),
    };
    let can_be_planned = check_runs(&drafts, mistakes);
    lab.claims = claim::read(&mut top, &lab, &names, can_be_planned, mistakes);
    top.finish(mistakes);
    Some(lab)
}

fn minutes(top: &mut Fields<'_>, mistakes: &mut Mistakes) -> Minutes {
    let example = "a table: minutes = { live = 3, quick = 1 }";
    let before = mistakes.count();
    let Some(mut fields) = top.table("minutes", "minutes", example, mistakes) else {
        if mistakes.count() == before {
            mistakes.add(&top.place, "minutes is missing in a lab", format!("add {example}"));
        }
        return Minutes { live: 0, quick: 0 };
    };
    let mut read = |key| {
        let said = fields.required(key, "whole minutes, such as 3", mistakes)?;
        said.count("minutes", "leaves no time", mistakes)
    };
    let (live, quick) = (read("live"), read("quick"));
    fields.finish(mistakes);
    let of = |said: Option<Said<u32>>| said.map_or(0, |said| said.value);
    Minutes { live: of(live), quick: of(quick) }
}

fn target(top: &mut Fields<'_>, mistakes: &mut Mistakes) -> Option<Target> {
    let mut fields = top.table("target", "[target]", "[target] on a line of its own", mistakes)?;
    let name = fields.required("name", "a target's name, such as \"api\"", mistakes);
    let knobs = fields.settings("knobs", KNOBS, mistakes);
    fields.finish(mistakes);
    let name = name?;
    if targets::TARGETS.contains(&name.value.as_str()) {
        check_knobs(&name.value, &knobs, mistakes);
        return Some(Target { name, knobs });
    }
    let what = format!("there is no model of a target \"{}\"", short(&name.value));
    let remedy = format!("the targets with a model are {}", targets::TARGETS.join(", "));
    mistakes.add(&name.place, what, remedy);
    None
}

/// What a table of knobs looks like, for messages.
const KNOBS: &str = "a table, such as { report_pool = 4 }";

/// Notes knobs that the target does not have, or not with this value.
fn check_knobs(target: &str, knobs: &[(Said, Said)], mistakes: &mut Mistakes) {
    for (knob, value) in knobs {
        let one = std::iter::once((knob.value.clone(), value.value.clone())).collect();
        let spec = crate::engine::plan::ModelSpec { target: target.to_owned(), knobs: one };
        if let Err(what) = targets::check(&spec) {
            let remedy = format!("the knobs bear the names of the flags of lab-server {target}");
            mistakes.add(&knob.place, what, remedy);
        }
    }
}

/// Plans every run in every length; whether all could be.
fn check_runs(drafts: &[RunDraft], mistakes: &mut Mistakes) -> bool {
    let before = mistakes.count();
    for draft in drafts {
        draft.check(mistakes);
    }
    mistakes.count() == before && drafts.iter().all(|draft| !draft.is_broken)
}
