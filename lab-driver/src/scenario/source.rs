//! Where a scenario comes from: built in, a file, or a URL.

use std::path::Path;

use super::builtin::{self, BUILTINS};
use super::draft::{Draft, LoadDraft, TaskDraft};
use super::mistake::{Mistakes, Place};
use super::nearest::did_you_mean;
use super::overrides::Overrides;
use super::said::{Said, short};
use super::{file, host, rows};

/// The scenario of a run that names none, as Locust runs `locustfile.py`.
const DEFAULT: &str = "api";
/// The largest scenario file.
const LARGEST: u64 = 1 << 20;

/// The scenario that the command line asks for; nothing if it cannot be read at all.
pub(super) fn draft(overrides: &Overrides, mistakes: &mut Mistakes) -> Option<Draft> {
    match (&overrides.url, &overrides.scenario) {
        (Some(_), Some(_)) => {
            let what = "a URL is a scenario of its own, and -f names another";
            let remedy = "leave out one of them; -H moves a scenario to another host";
            mistakes.add(&Place::named("URL"), what, remedy);
            None
        }
        (Some(url), None) => of_url(url, mistakes),
        (None, named) => named_or_file(named.as_deref().unwrap_or(DEFAULT), mistakes),
    }
}

fn named_or_file(name: &str, mistakes: &mut Mistakes) -> Option<Draft> {
    if let Some(builtin) = builtin::find(name) {
        let file = format!("{}.toml (built in)", builtin.name);
        return file::read(&file, builtin.text, Path::new(""), mistakes);
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "toml") {
        let known = BUILTINS.map(|builtin| builtin.name);
        let remedy = did_you_mean(name, "scenarios built in", &known);
        let what = format!("\"{}\" is neither built in nor a .toml file", short(name));
        mistakes.add(&Place::named("-f"), what, remedy);
        return None;
    }
    match rows::text(path, LARGEST) {
        Ok(text) => file::read(name, &text, path.parent().unwrap_or(Path::new("")), mistakes),
        Err(what) => {
            let remedy = "name a scenario file (.toml) or one that is built in, such as api";
            mistakes.add(
                &Place::named("-f"),
                format!("the scenario {} {what}", short(name)),
                remedy,
            );
            None
        }
    }
}

/// One task, named by its path.
fn of_url(url: &str, mistakes: &mut Mistakes) -> Option<Draft> {
    let origin = Place::named("URL");
    let said = |text: String| Said::new(text, origin.clone());
    let (host, path) = host::read_url(&said(url.to_owned()), mistakes)?;
    // What a URL has in braces is no parameter.
    let path = path.replace('{', "{{").replace('}', "}}");
    let task = TaskDraft {
        place: origin.clone(),
        is_broken: false,
        name: None,
        weight: None,
        request: Some(said(format!("GET {path}"))),
        headers: Vec::new(),
        body: None,
        status: None,
        body_contains: None,
        timeout: None,
        fail_slower: None,
    };
    Some(Draft {
        folder: Path::new("").to_owned(),
        name: said("url".to_owned()),
        host: Some(said(host)),
        model: None,
        load: LoadDraft::default(),
        tasks: vec![task],
        parameters: Vec::new(),
        thresholds: Vec::new(),
        aborts: Vec::new(),
        origin,
    })
}
