//! The TOML shape of a scenario: every field that a file may have.

mod load;
mod parameter;
mod task;

use std::path::Path;

use toml::de::DeValue;

use super::draft::{Draft, LoadDraft, ModelDraft, TaskDraft};
use super::mistake::{Mistakes, Place};
use super::reader::{self, Fields, Lines};
use super::said::Said;

/// The version of the shape; a change that old files do not survive raises it.
pub(super) const SCHEMA: u64 = 1;

/// Reads a scenario from `text`; nothing if its TOML is broken or its schema is not ours.
/// `file` is its name in messages.
pub(super) fn read(
    file: &str,
    text: &str,
    folder: &Path,
    mistakes: &mut Mistakes,
) -> Option<Draft> {
    let lines = Lines::new(file, text);
    let document = lines.parse(mistakes)?;
    let mut top = Fields::new(&lines, document.get_ref(), "a scenario", lines.place(0), mistakes);
    top.schema(SCHEMA, mistakes)?;
    let origin = lines.place(0);
    let name = top.scalar("name", "a text, such as \"api-smoke\"", mistakes);
    let stem = Path::new(file).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into());
    let before = mistakes.count();
    let load = top.table("load", "[load]", "a table: [load] on a line of its own", mistakes);
    let load = match load {
        Some(fields) => load::read(fields, mistakes),
        None => LoadDraft { is_broken: mistakes.count() > before, ..LoadDraft::default() },
    };
    let draft = Draft {
        name: name.unwrap_or_else(|| Said::new(stem, origin.clone())),
        folder: folder.to_owned(),
        host: top.scalar("host", "a text, such as \"http://127.0.0.1:8000\"", mistakes),
        model: top
            .table("model", "model", "a table, such as { target = \"api\" }", mistakes)
            .map(|fields| model(fields, mistakes)),
        load,
        tasks: tasks(&mut top, &origin, mistakes),
        parameters: parameter::read(&mut top, mistakes),
        thresholds: top
            .tables(
                "threshold",
                "[[threshold]]",
                "[[threshold]] on a line of its own",
                mistakes,
                threshold,
            )
            .into_iter()
            .flatten()
            .collect(),
        aborts: top
            .tables("abort", "[[abort]]", "[[abort]] on a line of its own", mistakes, abort)
            .into_iter()
            .flatten()
            .collect(),
        origin,
    };
    top.finish(mistakes);
    Some(draft)
}

fn model(mut fields: Fields<'_>, mistakes: &mut Mistakes) -> ModelDraft {
    let target = fields.scalar("target", "a target's name, such as \"api\"", mistakes);
    let lines = fields.lines();
    let mut knobs = Vec::new();
    for (key, value) in fields.entries() {
        let text = match value.get_ref() {
            _ if key.value == "target" => continue,
            DeValue::Boolean(on) => Some(on.to_string()),
            _ => reader::scalar(lines, value, "a knob", "a text or a number", mistakes)
                .map(|said| said.value),
        };
        knobs.extend(text.map(|text| (key, text)));
    }
    ModelDraft { place: fields.place, target, knobs }
}

fn tasks(top: &mut Fields<'_>, origin: &Place, mistakes: &mut Mistakes) -> Vec<TaskDraft> {
    let before = mistakes.count();
    let example = "[[task]] on a line of its own for each task";
    let tasks = top.tables("task", "[[task]]", example, mistakes, task::read);
    if tasks.is_empty() && mistakes.count() == before {
        let what = "there is no task, so nothing would be sent";
        mistakes.add(origin, what, "add [[task]] with request = \"GET /items\"");
    }
    tasks
}

fn threshold(mut fields: Fields<'_>, mistakes: &mut Mistakes) -> Option<Said> {
    let that = fields.scalar("that", "a text, such as \"/search:p(95)<150\"", mistakes);
    let place = fields.place.clone();
    let is_broken = fields.finish(mistakes);
    if that.is_none() && !is_broken {
        let remedy = "add a line such as that = \"/search:p(95)<150\"";
        mistakes.add(&place, "this threshold says nothing", remedy);
    }
    that
}

fn abort(mut fields: Fields<'_>, mistakes: &mut Mistakes) -> Option<Said> {
    let example = "a text, such as \"p(95)<100 over 5s after 10s\"";
    let unless = fields.scalar("unless", example, mistakes);
    let place = fields.place.clone();
    let is_broken = fields.finish(mistakes);
    if unless.is_none() && !is_broken {
        let remedy = "add a line such as unless = \"p(95)<100 over 5s after 10s\"";
        mistakes.add(&place, "this abort says nothing", remedy);
    }
    unless
}
