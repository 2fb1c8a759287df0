//! `[load]` in the file.

use super::super::draft::{LoadDraft, StageDraft};
use super::super::mistake::Mistakes;
use super::super::reader::Fields;

/// Reads the table.
pub(super) fn read(mut fields: Fields<'_>, mistakes: &mut Mistakes) -> LoadDraft {
    let place = Some(fields.place.clone());
    let mut said = |key, example| fields.scalar(key, example, mistakes);
    let mut draft = LoadDraft {
        place,
        users: said("users", "a whole number, such as 20"),
        spawn_rate: said("spawn_rate", "a rate, such as \"10/s\""),
        rate: said("rate", "a rate, such as \"300/s\""),
        stages: Vec::new(),
        arrivals: said("arrivals", "\"uniform\" or \"poisson\""),
        max_in_flight: said("max_in_flight", "a whole number, such as 1000"),
        overflow: said("overflow", "\"queue\" or \"drop\""),
        wait: said("wait", "a text, such as \"500ms\" or \"1s..3s\""),
        duration: said("duration", "a duration, such as \"30s\""),
        warm_up: said("warm_up", "a duration, such as \"5s\""),
        drain: said("drain", "a duration, such as \"30s\""),
        is_broken: false,
    };
    let example = "a list, such as [{ over = \"2m\", to = \"600/s\" }]";
    let stages = fields.tables("stages", "a stage", example, mistakes, stage);
    draft.stages = stages.into_iter().flatten().collect();
    draft.is_broken = fields.finish(mistakes);
    draft
}

fn stage(mut fields: Fields<'_>, mistakes: &mut Mistakes) -> Option<StageDraft> {
    let place = fields.place.clone();
    let mut said = |key, example| fields.scalar(key, example, mistakes);
    let over = said("over", "a duration, such as \"2m\"");
    let to = said("to", "a level, such as 100 or \"600/s\"");
    let hold = said("hold", "a duration, such as \"60s\"");
    let at = said("at", "a level, such as 100 or \"600/s\"");
    let is_broken = fields.finish(mistakes);
    match (over, to, hold, at) {
        (Some(length), Some(level), None, None) => {
            Some(StageDraft { is_ramp: true, length, level })
        }
        (None, None, Some(length), Some(level)) => {
            Some(StageDraft { is_ramp: false, length, level })
        }
        _ => {
            if !is_broken {
                let what = "a stage is either over a time to a level, or a time at a level";
                let remedy = "write { over = \"2m\", to = 100 } or { hold = \"60s\", at = 100 }";
                mistakes.add(&place, what, remedy);
            }
            None
        }
    }
}
