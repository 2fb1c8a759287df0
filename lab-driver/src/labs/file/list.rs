//! `[[list]]`: times for pure arithmetic.

use super::super::lab::ListSpec;
use super::run::{check_id, is_new};
use crate::engine::distribution::Distribution;
use crate::engine::recording::Recording;
use crate::engine::time::Ns;
use crate::scenario::reader::Fields;
use crate::scenario::said::{LONGEST_ANSWER, Said, short};
use crate::scenario::{Mistakes, Place};

/// The most times that a list may hold.
const MOST: u32 = 1_000_000;
/// What a list looks like, for messages.
pub(super) const TIMES: &str = "a list, such as [\"19 x 100ms\", \"1 x 5s\"]";

/// Reads all lists.
pub(super) fn read(top: &mut Fields<'_>, mistakes: &mut Mistakes) -> Vec<ListSpec> {
    let example = "[[list]] on a line of its own for each list";
    let found = top.tables("list", "[[list]]", example, mistakes, |mut fields, mistakes| {
        let id = fields.required("id", "a name, such as \"twenty\"", mistakes);
        let place = fields.place.clone();
        let said = fields.list("times", TIMES, mistakes);
        let is_broken = fields.finish(mistakes);
        let times = if is_broken { None } else { times(&said, &place, mistakes) };
        id.filter(|id| check_id(id, mistakes)).map(|id| (id, times.unwrap_or_default()))
    });
    let mut lists: Vec<ListSpec> = Vec::new();
    for (id, times) in found.into_iter().flatten() {
        if is_new(&id, lists.iter().map(|list| &list.id), mistakes) {
            lists.push(ListSpec { id: id.value, times });
        }
    }
    lists
}

/// The times that these texts say, which have been read before.
pub(in crate::labs) fn checked(texts: &[String]) -> Distribution {
    let place = Place::named("times");
    let said: Vec<Said> = texts.iter().map(|text| Said::new(text.clone(), place.clone())).collect();
    times(&said, &place, &mut Mistakes::default()).unwrap_or_default()
}

/// The times that the texts say; `place` is where an empty list is reported.
pub(super) fn times(said: &[Said], place: &Place, mistakes: &mut Mistakes) -> Option<Distribution> {
    let mut recording = Recording::default();
    let mut total = 0_u32;
    let before = mistakes.count();
    for one in said {
        let Some((count, time)) = repeated(one, mistakes) else { continue };
        total = total.saturating_add(count);
        if total > MOST {
            let what = format!("this list holds more than {MOST} times");
            mistakes.add(&one.place, what, "make it shorter");
            return None;
        }
        (0..count).for_each(|_| recording.record(time.as_micros()));
    }
    if said.is_empty() {
        mistakes.add(place, "a list without times", format!("write {TIMES}"));
    }
    (mistakes.count() == before).then(|| recording.finish())
}

/// `19 x 100ms`, or `100ms` for one.
fn repeated(said: &Said, mistakes: &mut Mistakes) -> Option<(u32, Ns)> {
    let (count, time) = match said.value.split_once(['x', '×']) {
        Some((count, time)) => (count.trim().parse().ok(), time.trim()),
        None => (Some(1), said.value.trim()),
    };
    let Some(count) = count.filter(|count| (1..=MOST).contains(count)) else {
        let what = format!("\"{}\" does not say how often", short(&said.value));
        mistakes.add(&said.place, what, "write 19 x 100ms, or 100ms for a single one");
        return None;
    };
    // A bare number would be seconds in a duration and milliseconds in a claim.
    if time.ends_with(|c: char| c.is_ascii_digit()) {
        let what = format!("\"{}\" has no unit", short(time));
        mistakes.add(&said.place, what, "write a time with its unit, such as 100ms");
        return None;
    }
    let time = said.with(time.to_owned()).duration("time", false, LONGEST_ANSWER, mistakes)?;
    Some((count, time.value))
}
