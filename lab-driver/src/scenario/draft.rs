//! A scenario as its author wrote it: texts with their places, nothing checked but TOML types.

use std::path::PathBuf;

use super::mistake::Place;
use super::said::Said;

/// What a scenario file says.
#[derive(Debug)]
pub(super) struct Draft {
    /// The file's beginning, for what is missing in it.
    pub(super) origin: Place,
    /// Data files are relative to this folder.
    pub(super) folder: PathBuf,
    pub(super) name: Said,
    pub(super) host: Option<Said>,
    pub(super) model: Option<ModelDraft>,
    pub(super) load: LoadDraft,
    pub(super) tasks: Vec<TaskDraft>,
    pub(super) parameters: Vec<ParameterDraft>,
    pub(super) thresholds: Vec<Said>,
    pub(super) aborts: Vec<Said>,
}

/// `model = { target = …, knob = … }`.
#[derive(Debug)]
pub(super) struct ModelDraft {
    pub(super) place: Place,
    pub(super) target: Option<Said>,
    /// Names and values.
    pub(super) knobs: Vec<(Said, String)>,
}

/// `[load]`, or what the flags say of it.
#[derive(Debug, Default)]
pub(super) struct LoadDraft {
    /// The table, for what is missing in it.
    pub(super) place: Option<Place>,
    pub(super) users: Option<Said>,
    pub(super) spawn_rate: Option<Said>,
    pub(super) rate: Option<Said>,
    pub(super) stages: Vec<StageDraft>,
    pub(super) arrivals: Option<Said>,
    pub(super) max_in_flight: Option<Said>,
    pub(super) overflow: Option<Said>,
    pub(super) wait: Option<Said>,
    pub(super) duration: Option<Said>,
    pub(super) warm_up: Option<Said>,
    pub(super) drain: Option<Said>,
    /// Something was said that could not be read, so nothing is to be called missing.
    pub(super) is_broken: bool,
}

/// One stage: over a time to a level, or a time at a level.
#[derive(Debug)]
pub(super) struct StageDraft {
    pub(super) is_ramp: bool,
    pub(super) length: Said,
    pub(super) level: Said,
}

/// One `[[task]]`.
#[derive(Debug)]
pub(super) struct TaskDraft {
    pub(super) place: Place,
    /// Something was said that could not be read, so nothing is to be called missing.
    pub(super) is_broken: bool,
    pub(super) name: Option<Said>,
    pub(super) weight: Option<Said>,
    /// Method and path.
    pub(super) request: Option<Said>,
    pub(super) headers: Vec<(Said, Said)>,
    pub(super) body: Option<BodyDraft>,
    pub(super) status: Option<Said>,
    pub(super) body_contains: Option<Said>,
    pub(super) timeout: Option<Said>,
    pub(super) fail_slower: Option<Said>,
}

/// A task's body.
#[derive(Debug)]
pub(super) enum BodyDraft {
    Text(Said),
    Rows { file: Said, pick: Option<Said> },
}

/// One `[param.name]`.
#[derive(Debug)]
pub(super) struct ParameterDraft {
    /// Something was said that could not be read, so nothing is to be called missing.
    pub(super) is_broken: bool,
    pub(super) name: Said,
    pub(super) pick: Option<Said<Vec<Said>>>,
    pub(super) weights: Option<Said<Vec<Said>>>,
    pub(super) zipf: Option<Said>,
    pub(super) int: Option<Said<Vec<Said>>>,
}
