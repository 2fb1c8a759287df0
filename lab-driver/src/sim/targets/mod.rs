//! Models of the lab's targets, with the knobs of their flags. One file per target, as in lab-server.

pub mod api;
mod knob;
pub mod products;

use super::laws::Demand;
use super::model::Model;
use super::pieces::Freeze;
use crate::engine::plan::ModelSpec;

/// The targets that have a model.
pub const TARGETS: [&str; 2] = ["api", "products"];

/// The knob that every target has: `freeze = "2s/10s"`.
const FREEZE: &str = "freeze";

enum Target {
    Api(api::Knobs),
    Products(products::Knobs),
}

/// Checks a model's target and knobs without building it; the message names the remedy.
pub fn check(spec: &ModelSpec) -> Result<(), String> {
    read(spec).map(drop)
}

/// The model of `spec` for a driver with `slots` slots; what it leaves to chance follows from `seed`.
pub fn build(spec: &ModelSpec, slots: u32, seed: u64) -> Result<Model, String> {
    let (target, freeze) = read(spec)?;
    let model = match target {
        Target::Api(knobs) => knobs.model(slots),
        Target::Products(knobs) => knobs.model(slots, seed),
    };
    Ok(match freeze {
        Some(freeze) => model.frozen(freeze),
        None => model,
    })
}

/// What one visit to `path` demands of each resource, freezes aside; none if the target has no such path, or no
/// law says.
pub fn demand(spec: &ModelSpec, path: &str) -> Result<Option<Demand>, String> {
    let (target, _) = read(spec)?;
    Ok(match target {
        Target::Api(knobs) => knobs.demand(path),
        Target::Products(knobs) => knobs.demand(path),
    })
}

/// When the target of `spec` freezes, if it does.
pub fn freeze(spec: &ModelSpec) -> Option<Freeze> {
    read(spec).ok()?.1
}

fn read(spec: &ModelSpec) -> Result<(Target, Option<Freeze>), String> {
    let mut knobs = spec.knobs.clone();
    let freeze = knobs.remove(FREEZE).map(|text| Freeze::read(&text)).transpose();
    let freeze = freeze.map_err(|why| format!("{FREEZE} {why}"));
    let target = match spec.target.as_str() {
        "api" => api::Knobs::read(&knobs).map(Target::Api),
        "products" => products::Knobs::read(&knobs).map(Target::Products),
        other => return Err(unknown_target(other)),
    };
    match (target, freeze) {
        (Ok(target), Ok(freeze)) => Ok((target, freeze)),
        (Err(why), Err(also)) => Err(format!("{why}; {also}")),
        (Err(why), Ok(_)) | (Ok(_), Err(why)) => Err(why),
    }
}

fn unknown_target(name: &str) -> String {
    format!("there is no model of a target {name:?}; there are: {}", TARGETS.join(", "))
}
