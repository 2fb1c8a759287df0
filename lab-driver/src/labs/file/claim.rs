//! `[[claim]]`: what is claimed, why, and under which change it has to fail.

use std::collections::BTreeMap;

use super::super::lab::{Change, ClaimSpec, Lab, Scope};
use super::super::plan::{self, LOAD};
use super::run::{check_id, is_new};
use super::{KNOBS, check_knobs, list};
use crate::engine::claim::{Claim, Expr, Metric, Names};
use crate::scenario::nearest::did_you_mean;
use crate::scenario::reader::Fields;
use crate::scenario::said::{Said, short};
use crate::scenario::{Mistake, Mistakes, Place};

/// What every claim is held against.
struct Setting<'a> {
    lab: &'a Lab,
    names: &'a Names,
    /// The endpoints of each run; nothing when some run cannot be planned.
    endpoints: Option<BTreeMap<&'a str, Vec<String>>>,
}

/// Reads all claims of `lab`, whose runs, sets and lists are there already.
pub(super) fn read(
    top: &mut Fields<'_>,
    lab: &Lab,
    names: &Names,
    can_be_planned: bool,
    mistakes: &mut Mistakes,
) -> Vec<ClaimSpec> {
    let endpoints = can_be_planned.then(|| endpoints(lab));
    let setting = Setting { lab, names, endpoints };
    let before = mistakes.count();
    let example = "[[claim]] on a line of its own for each claim";
    let found = top.tables("claim", "[[claim]]", example, mistakes, |fields, mistakes| {
        one(fields, &setting, mistakes)
    });
    if found.is_empty() && mistakes.count() == before {
        let remedy = "add [[claim]] with id, that, because, hint and must_fail_when";
        mistakes.add(&top.place, "there is no claim, so nothing would be checked", remedy);
    }
    let mut claims: Vec<ClaimSpec> = Vec::new();
    for (id, claim) in found {
        if is_new(&id, claims.iter().map(|claim| &claim.id), mistakes) {
            claims.extend(claim);
        }
    }
    claims
}

fn endpoints(lab: &Lab) -> BTreeMap<&str, Vec<String>> {
    let of = |run| {
        let step = plan::step(run, super::super::lab::Form::Full, None, 0).ok()?;
        Some(step.loaded.plan.tasks.into_iter().map(|task| task.name).collect())
    };
    lab.runs.iter().filter_map(|run| Some((run.id.as_str(), of(run)?))).collect()
}

fn one(
    mut fields: Fields<'_>,
    setting: &Setting<'_>,
    mistakes: &mut Mistakes,
) -> (Said, Option<ClaimSpec>) {
    let place = fields.place.clone();
    let id = fields.required("id", "a name, such as \"ceiling\"", mistakes);
    let that = fields.required("that", "a claim, such as \"u20.p(95) < 300ms\"", mistakes);
    let quick = fields.scalar("quick", "a claim that shorter runs keep", mistakes);
    let because = fields.required("because", "the reason, in a sentence", mistakes);
    let hint = fields.required("hint", "what helps to see it, in a sentence", mistakes);
    let ask = fields.scalar("ask", "a question, in a sentence", mistakes);
    let scope = scope(&mut fields, setting, mistakes);
    fields.finish(mistakes);
    let that = that.and_then(|that| claim(&that, setting, mistakes));
    let quick = quick.map(|quick| (claim(&quick, setting, mistakes), quick.place));
    check_quick(that.as_ref(), quick.as_ref(), setting, mistakes);
    let named = id.clone().filter(|id| check_id(id, mistakes));
    let spec = (|| {
        Some(ClaimSpec {
            id: named?.value,
            that: that?,
            quick: quick.map_or(Some(None), |(quick, _)| quick.map(Some))?,
            because: because?.value,
            hint: hint?.value,
            scope: scope?,
            ask: ask.map(|said| said.value),
        })
    })();
    (id.unwrap_or_else(|| Said::new(String::new(), place)), spec)
}

/// Notes a claim about shorter runs that measures something else, or speaks of runs that are no shorter.
fn check_quick(
    that: Option<&Claim>,
    quick: Option<&(Option<Claim>, Place)>,
    setting: &Setting<'_>,
    mistakes: &mut Mistakes,
) {
    let (Some(that), Some((Some(quick), place))) = (that, quick) else { return };
    if that.dimension() != quick.dimension() {
        let what = "the claim about quick runs does not measure what that measures";
        mistakes.add(place, what, "claim less of the same thing");
    }
    if !setting.lab.has_quick() {
        let what = "no run of this lab has a quick duration";
        mistakes.add(place, what, "leave quick out of the claim, or add it to a run");
    }
}

fn claim(said: &Said, setting: &Setting<'_>, mistakes: &mut Mistakes) -> Option<Claim> {
    let claim = match Claim::parse(&said.value, setting.names) {
        Ok(claim) => claim,
        Err(error) => {
            mistakes.push(Mistake {
                place: said.place.clone(),
                what: error.message().to_owned(),
                remedy: error.remedy().to_owned(),
                excerpt: Some(error.caret()),
            });
            return None;
        }
    };
    let before = mistakes.count();
    for leaf in claim.relation().leaves() {
        check_leaf(leaf, &said.place, setting, mistakes);
    }
    (mistakes.count() == before).then_some(claim)
}

/// Notes what the grammar cannot know: which run, which of its endpoints, and what a list does not have.
fn check_leaf(leaf: &Expr, place: &Place, setting: &Setting<'_>, mistakes: &mut Mistakes) {
    let (run, endpoint) = match leaf {
        Expr::Metric(reference) => {
            let Some(run) = &reference.run else {
                let what = format!("{} names no run", reference.metric);
                let first = setting.names.runs.first().map_or("run", String::as_str);
                mistakes.add(place, what, format!("write {first}.{}", reference.metric));
                return;
            };
            if setting.lab.lists.iter().any(|list| list.id == *run) {
                if reference.endpoint.is_some()
                    || !matches!(reference.metric, Metric::Response(_) | Metric::Count)
                {
                    let what = format!("the list {run} has only times");
                    mistakes.add(place, what, format!("write {run}.avg, {run}.p(95) or the like"));
                }
                return;
            }
            (run, reference.endpoint.as_ref())
        }
        Expr::Knee { endpoint, set } => {
            let members = setting.lab.sets.iter().find(|one| one.id == *set);
            let Some(first) = members.and_then(|set| set.runs.first()) else { return };
            (first, endpoint.as_ref())
        }
        Expr::Exit(_) | Expr::Literal(_) | Expr::Binary { .. } => return,
    };
    let known = setting.endpoints.as_ref().and_then(|all| all.get(run.as_str()));
    if let (Some(endpoint), Some(known)) = (endpoint, known)
        && !known.contains(endpoint)
    {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let what = format!("no task of {run} is called \"{}\"", short(endpoint));
        mistakes.add(place, what, did_you_mean(endpoint, "tasks", &known));
    }
}

fn scope(fields: &mut Fields<'_>, setting: &Setting<'_>, mistakes: &mut Mistakes) -> Option<Scope> {
    let example = "\"both\", or \"live\" for what virtual time cannot show";
    let said = fields.scalar("scope", example, mistakes);
    let live = said.map_or(Some(false), |said| {
        said.word("scope", &[("both", false), ("live", true)], mistakes).map(|said| said.value)
    });
    let why = fields.scalar("not_in_virtual_time", "the reason, in a sentence", mistakes);
    let before = mistakes.count();
    let example = "a table, such as { knobs = { report_pool = 3 } }";
    let change = fields.table("must_fail_when", "must_fail_when", example, mistakes);
    let is_there = change.is_some() || mistakes.count() > before;
    let change = change.and_then(|change| read_change(change, setting, mistakes));
    let place = &fields.place;
    if live? {
        if is_there {
            let what = "a claim of scope live is never judged in virtual time, where this change would be made";
            mistakes.add(place, what, "leave out must_fail_when, or make the scope both");
        }
        let Some(why) = why.filter(|why| !why.value.trim().is_empty()) else {
            let what = "a claim of scope live does not say why virtual time cannot show it";
            mistakes.add(place, what, "add not_in_virtual_time with a sentence");
            return None;
        };
        return Some(Scope::Live { not_in_virtual_time: why.value });
    }
    if let Some(why) = why {
        let what = "not_in_virtual_time belongs to a claim of scope live";
        mistakes.add(&why.place, what, "leave it out, or add scope = \"live\"");
    }
    if !is_there {
        let what = "must_fail_when is missing: a claim that nothing can break checks nothing";
        mistakes.add(
            place,
            what,
            "add must_fail_when = { knobs = { report_pool = 3 } } or the like",
        );
    }
    change.map(|change| Scope::Both { must_fail_when: Box::new(change) })
}

fn read_change(
    mut fields: Fields<'_>,
    setting: &Setting<'_>,
    mistakes: &mut Mistakes,
) -> Option<Change> {
    let place = fields.place.clone();
    let knobs = fields.settings("knobs", KNOBS, mistakes);
    let load = fields.settings("load", "a table, such as { users = 40 }", mistakes);
    let thresholds = fields.list("thresholds", "a list, such as [\"p(95)<=1\"]", mistakes);
    let times = fields.list("times", list::TIMES, mistakes);
    if let Some(run) = setting.lab.runs.first() {
        check_knobs(&run.target, &knobs, mistakes);
    }
    for (field, _) in load.iter().filter(|(field, _)| LOAD.iter().all(|(l, ..)| *l != field.value))
    {
        let known = LOAD.map(|(field, ..)| field);
        let what = format!("\"{}\" is no field of a load", short(&field.value));
        mistakes.add(&field.place, what, did_you_mean(&field.value, "fields", &known));
    }
    if !times.is_empty() {
        list::times(&times, &place, mistakes);
    }
    if fields.finish(mistakes) {
        return None;
    }
    let texts = |said: Vec<Said>| -> Option<Vec<String>> {
        (!said.is_empty()).then(|| said.into_iter().map(|said| said.value).collect())
    };
    let pairs = |pairs: Vec<(Said, Said)>| -> BTreeMap<String, String> {
        pairs.into_iter().map(|(key, value)| (key.value, value.value)).collect()
    };
    let change = Change {
        knobs: pairs(knobs),
        load: pairs(load),
        thresholds: texts(thresholds),
        times: texts(times),
    };
    if change == Change::default() {
        let remedy = "write knobs, load, thresholds or times with what is different";
        mistakes.add(&place, "this change changes nothing", remedy);
        return None;
    }
    let before = mistakes.count();
    if setting.endpoints.is_some() {
        check_planned(&change, &place, setting.lab, mistakes);
    }
    (mistakes.count() == before).then_some(change)
}

/// Plans every run under the change, and notes what stands in the way.
fn check_planned(change: &Change, place: &Place, lab: &Lab, mistakes: &mut Mistakes) {
    for run in &lab.runs {
        for form in lab.forms() {
            if let Err(found) = plan::step(run, *form, Some(change), 0) {
                mistakes.adopt(found, |_| Some(place.clone()));
            }
        }
    }
}
