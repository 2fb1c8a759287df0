//! `[param.NAME]` in the file.

use super::super::draft::ParameterDraft;
use super::super::mistake::Mistakes;
use super::super::reader::{self, Fields};
use super::super::said::Said;

/// Reads all parameters, in the order of the file.
pub(super) fn read(top: &mut Fields<'_>, mistakes: &mut Mistakes) -> Vec<ParameterDraft> {
    let example = "[param.NAME] on a line of its own for each parameter";
    let Some(all) = top.table("param", "param", example, mistakes) else { return Vec::new() };
    let mut drafts = Vec::new();
    for (name, value) in all.entries() {
        let example = "a table, such as { pick = [\"queue\", \"river\"] }";
        drafts.push(match reader::table(all.lines(), value, "a parameter", example, mistakes) {
            Some(fields) => parameter(name, fields, mistakes),
            None => ParameterDraft {
                name,
                is_broken: true,
                pick: None,
                weights: None,
                zipf: None,
                int: None,
            },
        });
    }
    drafts
}

fn parameter(name: Said, mut fields: Fields<'_>, mistakes: &mut Mistakes) -> ParameterDraft {
    let mut list = |key, example| {
        let items = fields.array(key, example, mistakes)?;
        let lines = fields.lines();
        let read = |item| reader::scalar(lines, item, "a value", "a text or a number", mistakes);
        Some(items.with(items.value.iter().filter_map(read).collect()))
    };
    let pick = list("pick", "a list, such as [\"queue\", \"river\"]");
    let weights = list("weights", "a list of numbers, such as [3, 1]");
    let int = list("int", "the lowest and the highest value, such as [1, 200000]");
    let zipf = fields.scalar("zipf", "a number, such as 1.0", mistakes);
    let is_broken = fields.finish(mistakes);
    ParameterDraft { is_broken, name, pick, weights, zipf, int }
}
