//! `[[run]]` and `[[ramp]]`: what is run, as flags of a command line would say it.

use std::collections::BTreeMap;

use super::super::lab::{Form, RunSpec, SetSpec};
use super::super::plan::{self, LOAD};
use super::{KNOBS, Target, check_knobs};
use crate::engine::quantity::Rate;
use crate::scenario::reader::Fields;
use crate::scenario::said::{Said, short};
use crate::scenario::{Mistakes, Overrides, Place};

/// A run with the places of what it says.
pub(super) struct RunDraft {
    pub(super) spec: RunSpec,
    /// Something could not be read, so the run cannot be planned.
    pub(super) is_broken: bool,
    place: Place,
    /// Which flag stands where.
    flags: Vec<(&'static str, Place)>,
}

/// Reads all runs, and the sets that ramps make of them.
pub(super) fn read(
    top: &mut Fields<'_>,
    target: Option<&Target>,
    mistakes: &mut Mistakes,
) -> (Vec<RunDraft>, Vec<SetSpec>) {
    let example = "[[run]] on a line of its own for each run";
    let single = top.tables("run", "[[run]]", example, mistakes, |fields, mistakes| {
        let run = one(fields, target, mistakes)?;
        Some((None, vec![run]))
    });
    let example = "[[ramp]] on a line of its own for each ramp";
    let ramps = top.tables("ramp", "[[ramp]]", example, mistakes, |fields, mistakes| {
        ramp(fields, target, mistakes)
    });
    let (mut runs, mut sets): (Vec<RunDraft>, Vec<(Said, SetSpec)>) = (Vec::new(), Vec::new());
    for (set, mut members) in single.into_iter().chain(ramps).flatten() {
        members.retain(|draft| {
            let id = Said::new(draft.spec.id.clone(), draft.place.clone());
            let taken = runs.iter().map(|run| &run.spec.id);
            is_new(&id, taken.chain(sets.iter().map(|(_, set)| &set.id)), mistakes)
        });
        if let Some((id, set)) = set {
            let taken = runs.iter().chain(&members).map(|run| &run.spec.id);
            if is_new(&id, taken.chain(sets.iter().map(|(_, set)| &set.id)), mistakes) {
                sets.push((id, set));
            }
        }
        runs.extend(members);
    }
    (runs, sets.into_iter().map(|(_, set)| set).collect())
}

/// Notes an id that is taken; whether it is free.
pub(super) fn is_new<'a>(
    id: &Said,
    mut taken: impl Iterator<Item = &'a String>,
    mistakes: &mut Mistakes,
) -> bool {
    let is_taken = taken.any(|other| *other == id.value);
    if is_taken {
        let what = format!("there are two things called \"{}\"", short(&id.value));
        mistakes.add(&id.place, what, "give each run, ramp, list and claim its own id");
    }
    !is_taken
}

/// Notes an id that a claim could not use; whether it is fine.
pub(super) fn check_id(id: &Said, mistakes: &mut Mistakes) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let fine = (1..=60).contains(&id.value.len()) && id.value.chars().all(plain);
    if !fine {
        let what = format!("an id cannot be \"{}\"", short(&id.value));
        mistakes.add(&id.place, what, "use letters, digits, _ and -, 60 at most");
    }
    fine
}

fn one(
    mut fields: Fields<'_>,
    target: Option<&Target>,
    mistakes: &mut Mistakes,
) -> Option<RunDraft> {
    let id = fields.required("id", "a name, such as \"u20\"", mistakes);
    let draft = body(&mut fields, &LOAD, target, mistakes);
    let is_broken = fields.finish(mistakes);
    let id = id.filter(|id| check_id(id, mistakes))?;
    let mut draft = draft?;
    (draft.spec.id, draft.place, draft.is_broken) = (id.value, id.place, is_broken);
    Some(draft)
}

type Ramp = (Option<(Said, SetSpec)>, Vec<RunDraft>);

fn ramp(mut fields: Fields<'_>, target: Option<&Target>, mistakes: &mut Mistakes) -> Option<Ramp> {
    let id = fields.required("id", "a name, such as \"ramp\"", mistakes);
    let prefix = fields.scalar("prefix", "a text, such as \"pool4-\"", mistakes);
    let by = fields.required("by", "\"users\" or \"rate\"", mistakes);
    let by_rate = by.and_then(|by| by.word("by", &[("users", false), ("rate", true)], mistakes));
    let levels = fields.list("levels", "a list, such as [10, 20, 40]", mistakes);
    if levels.len() < 2 && !fields.is_broken(mistakes) {
        let what = "a ramp has two levels at least";
        mistakes.add(&fields.place, what, "add levels, such as levels = [10, 20, 40]");
    }
    let draft = body(&mut fields, &LOAD[2..], target, mistakes);
    let is_broken = fields.finish(mistakes);
    let (id, by_rate, draft) = (id.filter(|id| check_id(id, mistakes))?, by_rate?, draft?);
    check_ascending(&levels, mistakes);
    let prefix = prefix.map_or_else(String::new, |said| said.value);
    let mut runs = Vec::new();
    for level in &levels {
        let (letter, flag) = if by_rate.value { ('r', "--rate") } else { ('u', "--users") };
        let name = level.with(format!("{prefix}{letter}{}", height(level)));
        if !check_id(&name, mistakes) {
            continue;
        }
        let mut spec = RunSpec { id: name.value, ..draft.spec.clone() };
        let slot = if by_rate.value { &mut spec.flags.rate } else { &mut spec.flags.users };
        *slot = Some(level.value.clone());
        let mut flags = draft.flags.clone();
        flags.push((flag, level.place.clone()));
        runs.push(RunDraft { spec, is_broken, place: level.place.clone(), flags });
    }
    let ids = runs.iter().map(|run| run.spec.id.clone()).collect();
    let set = SetSpec { id: id.value.clone(), by_rate: by_rate.value, runs: ids };
    Some((Some((id, set)), runs))
}

/// The level as a number, for names; what cannot be read is reported when the run is planned.
fn height(level: &Said) -> String {
    let rate = level.value.parse::<Rate>().map(Rate::per_second);
    rate.map_or_else(|_| level.value.clone(), |rate| rate.to_string())
}

fn check_ascending(levels: &[Said], mistakes: &mut Mistakes) {
    let value = |level: &Said| level.value.parse::<Rate>().map(Rate::per_second).ok();
    for pair in levels.windows(2) {
        if let (Some(low), Some(high)) = (value(&pair[0]), value(&pair[1]))
            && low >= high
        {
            let what = format!("level {} does not lie above {}", pair[1].value, pair[0].value);
            mistakes.add(&pair[1].place, what, "write the levels in ascending order, each once");
        }
    }
}

/// What runs and ramps have in common; `load` are the fields that may say who sends what and when.
fn body(
    fields: &mut Fields<'_>,
    load: &[(&'static str, &'static str, &'static str)],
    target: Option<&Target>,
    mistakes: &mut Mistakes,
) -> Option<RunDraft> {
    let mut flags = Overrides::default();
    let mut places = Vec::new();
    if let Some(said) = fields.required("scenario", "a scenario, such as \"api\"", mistakes) {
        places.push(("-f", said.place.clone()));
        flags.scenario = Some(said.value);
    }
    for (field, flag, example) in load {
        if let (Some(said), Some(slot)) =
            (fields.scalar(field, example, mistakes), plan::slot(&mut flags, field))
        {
            places.push((*flag, said.place.clone()));
            *slot = Some(said.value);
        }
    }
    let quick = fields.scalar("quick", "a duration, such as \"12s\"", mistakes);
    let lists = [
        ("thresholds", "--threshold", "a list, such as [\"p(95)<=300\"]", &mut flags.thresholds),
        ("budgets", "--budget", "a list, such as [\"/report=150ms\"]", &mut flags.budgets),
        (
            "fail_slower",
            "--fail-slower",
            "a list, such as [\"/report=1s\"]",
            &mut flags.fail_slower,
        ),
    ];
    for (field, flag, example, list) in lists {
        let said = fields.list(field, example, mistakes);
        places.extend(said.first().map(|first| (flag, first.place.clone())));
        list.extend(said.into_iter().map(|said| said.value));
    }
    let knobs = fields.settings("knobs", KNOBS, mistakes);
    let Some(target) = target else {
        let what = "there is no [target] that this could run against";
        mistakes.add(&fields.place, what, "add [target] with name = \"api\"");
        return None;
    };
    check_knobs(&target.name.value, &knobs, mistakes);
    let both = target.knobs.iter().chain(&knobs);
    let knobs: BTreeMap<String, String> =
        both.map(|(knob, value)| (knob.value.clone(), value.value.clone())).collect();
    let quick_text = quick.as_ref().map(|said| said.value.clone());
    places.extend(quick.map(|said| ("quick", said.place)));
    let target = target.name.value.clone();
    Some(RunDraft {
        spec: RunSpec { id: String::new(), flags, quick: quick_text, target, knobs },
        is_broken: false,
        place: fields.place.clone(),
        flags: places,
    })
}

impl RunDraft {
    /// Plans the run in both lengths, and notes what stands in the way where it is written.
    pub(super) fn check(&self, mistakes: &mut Mistakes) {
        for form in Form::ALL {
            let is_offered = form == Form::Full || self.spec.quick.is_some();
            if is_offered && let Err(found) = plan::step(&self.spec, form, None, 0) {
                mistakes.adopt(found, |place| self.place_of(place, form));
            }
        }
    }

    fn place_of(&self, place: &Place, form: Form) -> Option<Place> {
        let Place::Named(flag) = place else { return Some(place.clone()) };
        let name = match (&**flag, form) {
            // Knobs have been checked one by one where they stand.
            ("--model", _) => return None,
            ("--run-time", Form::Quick) => "quick",
            (name, _) => name,
        };
        let found = self.flags.iter().find(|(flag, _)| *flag == name);
        Some(found.map_or_else(|| self.place.clone(), |(_, place)| place.clone()))
    }
}
