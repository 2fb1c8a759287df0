//! Models of the lab's targets, with the knobs of their flags. One file per target, as in lab-server.

pub mod api;

use super::laws::Demand;
use super::model::Model;
use crate::engine::plan::ModelSpec;

/// The targets that have a model.
pub const TARGETS: [&str; 1] = ["api"];

/// Checks a model's target and knobs without building it; the message names the remedy.
pub fn check(spec: &ModelSpec) -> Result<(), String> {
    build(spec, 1).map(drop)
}

/// The model of `spec` for a driver with `slots` slots.
pub fn build(spec: &ModelSpec, slots: u32) -> Result<Model, String> {
    match spec.target.as_str() {
        "api" => Ok(api::Knobs::read(&spec.knobs)?.model(slots)),
        other => Err(unknown_target(other)),
    }
}

/// What one visit to `path` demands of each resource; none if the target has no such path.
pub fn demand(spec: &ModelSpec, path: &str) -> Result<Option<Demand>, String> {
    match spec.target.as_str() {
        "api" => Ok(api::Knobs::read(&spec.knobs)?.demand(path)),
        other => Err(unknown_target(other)),
    }
}

fn unknown_target(name: &str) -> String {
    format!("there is no model of a target {name:?}; there are: {}", TARGETS.join(", "))
}
