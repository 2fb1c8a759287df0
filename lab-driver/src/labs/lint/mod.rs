//! Keeps labs honest: their texts, and over many seeds their claims.

mod fingerprint;
mod readme;
pub mod seeds;
pub mod stored;
mod trial;

use std::fmt;
use std::fs;

use super::find::{LAB_FILE, README, Source};
use super::lab::{Form, Lab};
use super::plan;

/// Something that has to be put right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The lab, or a file in it.
    pub place: String,
    /// What is wrong, without a full stop.
    pub what: String,
    /// What to do about it, without a full stop.
    pub remedy: String,
}

impl Finding {
    /// Something that has to be put right, at `place`.
    pub fn new(place: &str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place: place.to_owned(), what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n    remedy: {}", self.place, self.what, self.remedy)
    }
}

/// What is wrong with a lab's texts and files. What is wrong in lab.toml was found when it was read.
pub fn texts(source: &Source, lab: &Lab) -> Vec<Finding> {
    let mut findings = readme::check(source, lab);
    findings.extend(stray_files(source));
    findings.extend(minutes(lab));
    findings
}

fn stray_files(source: &Source) -> Vec<Finding> {
    let Some(folder) = &source.folder else { return Vec::new() };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut stray: Vec<String> =
        names.filter(|name| ![README, LAB_FILE].contains(&name.as_str())).collect();
    stray.sort();
    let place = folder.display().to_string();
    let remedy = format!("a lab is {README} and {LAB_FILE}: move it elsewhere");
    let finding = |name| Finding::new(&place, format!("{name} does not belong here"), &remedy);
    stray.into_iter().map(finding).collect()
}

/// Minutes that are too few for the runs.
fn minutes(lab: &Lab) -> Vec<Finding> {
    let said = [(Form::Full, "live", lab.minutes.live), (Form::Quick, "quick", lab.minutes.quick)];
    let too_few = said.into_iter().filter_map(|(form, name, minutes)| {
        let seconds = plan::length(lab, form).as_secs_f64();
        let what = format!("minutes.{name} = {minutes}, and the runs alone take {seconds:.0} s");
        (seconds > f64::from(minutes) * 60.0)
            .then(|| Finding::new(&lab.id, what, "round up what the runs take"))
    });
    too_few.collect()
}
