//! From a scenario and its flags to a plan, or to every mistake in them.

use std::collections::BTreeMap;

use super::draft::{Draft, ModelDraft};
use super::load::Wanted;
use super::mistake::Mistakes;
use super::overrides::{self, Overrides};
use super::rows::{DataFiles, Rows};
use super::said::{Said, short};
use super::{host, parameters, source, tasks, thresholds};
use crate::engine::plan::{ModelSpec, Plan};

/// The lab's targets and their ports.
const TARGETS: [(&str, u16); 5] =
    [("api", 8000), ("products", 8080), ("catalogue", 8077), ("item", 8811), ("tickets", 8001)];

/// A plan, and what its requests are made of beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What to send, and when.
    pub plan: Plan,
    /// The rows of its data files, by the names in the plan.
    pub rows: Rows,
}

/// Reads and checks the scenario that `overrides` names, with everything else it says.
///
/// `seed` is used unless `overrides` has one. `known` says whether the simulator knows the model's
/// target and knobs, and if not, what is wrong.
///
/// # Errors
/// Every mistake, in the order of the file, those of flags last. Nothing has been sent or written.
pub fn load(
    overrides: &Overrides,
    seed: u64,
    known: &dyn Fn(&ModelSpec) -> Result<(), String>,
) -> Result<Loaded, Mistakes> {
    let mut mistakes = Mistakes::default();
    let flags = overrides.load(&mut mistakes);
    let flags = Wanted::read(&flags, &mut mistakes);
    flags.check(&mut mistakes);
    let seed = read_seed(overrides, &mut mistakes).unwrap_or(seed);
    let loaded = source::draft(overrides, &mut mistakes)
        .and_then(|draft| build(draft, flags, overrides, seed, known, &mut mistakes));
    mistakes.or(loaded).map(|loaded| loaded.expect("what cannot be built has a mistake"))
}

fn build(
    draft: Draft,
    flags: Wanted,
    overrides: &Overrides,
    seed: u64,
    known: &dyn Fn(&ModelSpec) -> Result<(), String>,
    mistakes: &mut Mistakes,
) -> Option<Loaded> {
    let origin = &draft.origin;
    let wanted = Wanted::read(&draft.load, mistakes);
    wanted.check(mistakes);
    let wanted = wanted.overridden_by(flags);
    wanted.check(mistakes);
    let timed = wanted.build(draft.load.place.as_ref().unwrap_or(origin), mistakes);

    let mut reader = tasks::Reader {
        parameters: parameters::read(&draft.parameters, mistakes),
        files: DataFiles::new(&draft.folder),
        mistakes,
    };
    let mut tasks = reader.all(&draft.tasks, origin);
    let tasks::Reader { parameters, files, .. } = reader;
    parameters::check_number(&parameters, origin, mistakes);
    overrides.retime(&mut tasks, mistakes);
    overrides.fail_slower(&mut tasks, mistakes);

    let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    let mut texts = draft.thresholds;
    texts.extend(overrides::each("--threshold", &overrides.thresholds));
    let budgets = overrides::each("--budget", &overrides.budgets);
    let thresholds = thresholds::read(&texts, &budgets, &names, mistakes);
    let mut texts = draft.aborts;
    texts.extend(overrides::each("--abort-unless", &overrides.aborts));
    let aborts = thresholds::read_aborts(&texts, &names, mistakes);

    check_name(&draft.name, mistakes);
    let model = overrides.model(draft.model, mistakes).and_then(|m| model(&m, known, mistakes));
    let said_host = overrides::said("--host", overrides.host.as_ref());
    let own_host = draft.host.map(|said| host::read(&said, mistakes));
    let host = match (said_host, own_host) {
        (Some(said), _) => host::read(&said, mistakes),
        (None, Some(host)) => host,
        (None, None) => Some(default_host(model.as_ref())),
    };
    let timed = timed?;
    let plan = Plan {
        name: draft.name.value,
        host: host?,
        load: timed.load,
        tasks,
        parameters,
        warm_up: timed.warm_up,
        duration: timed.duration,
        drain: timed.drain,
        seed,
        thresholds,
        aborts,
        model,
    };
    Some(Loaded { plan, rows: files.into_rows() })
}

fn read_seed(overrides: &Overrides, mistakes: &mut Mistakes) -> Option<u64> {
    let said = overrides::said("--seed", overrides.seed.as_ref())?;
    let seed = said.value.trim().parse();
    if seed.is_err() {
        let what = format!("\"{}\" is no seed", short(&said.value));
        mistakes.add(&said.place, what, "write a whole number of 0 or more, below 2^64");
    }
    seed.ok()
}

fn check_name(name: &Said, mistakes: &mut Mistakes) {
    let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    // Result files bear the name.
    if name.value.is_empty() || name.value.len() > 100 || !name.value.chars().all(plain) {
        let what = format!("the scenario's name cannot be \"{}\"", short(&name.value));
        mistakes.add(&name.place, what, "use letters, digits, -, _ and ., 100 at most");
    }
}

fn model(
    draft: &ModelDraft,
    known: &dyn Fn(&ModelSpec) -> Result<(), String>,
    mistakes: &mut Mistakes,
) -> Option<ModelSpec> {
    let names = TARGETS.map(|(name, _)| name).join(", ");
    let Some(target) = &draft.target else {
        let what = "the model names no target";
        mistakes.add(&draft.place, what, format!("add target, one of {names}"));
        return None;
    };
    let knobs: BTreeMap<String, String> = draft
        .knobs
        .iter()
        .map(|(knob, value)| (knob.value.replace('-', "_"), value.clone()))
        .collect();
    let spec = ModelSpec { target: target.value.clone(), knobs };
    if let Err(what) = known(&spec) {
        let place = draft.knobs.last().map_or(&target.place, |_| &draft.place);
        let remedy = "the knobs bear the names of lab-server's flags: see lab-server TARGET --help";
        mistakes.add(place, what, remedy);
    }
    Some(spec)
}

fn default_host(model: Option<&ModelSpec>) -> String {
    let target = model.map_or("api", |model| model.target.as_str());
    let port = TARGETS.iter().find(|(name, _)| *name == target).map_or(8000, |(_, port)| *port);
    format!("http://127.0.0.1:{port}")
}
