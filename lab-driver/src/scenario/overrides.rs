//! What the command line may say about a scenario, as typed; everything is read and checked here, not by the caller.

use super::draft::{LoadDraft, ModelDraft, StageDraft};
use super::mistake::{Mistakes, Place};
use super::said::{LONGEST_ANSWER, Said, short};
use super::thresholds;
use crate::engine::claim;
use crate::engine::plan::Task;
use crate::engine::time::Ns;

/// Flags as typed. What is given here wins over the scenario; thresholds, budgets and aborts are added to its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `-f`: a built-in scenario's name, a lesson's file name or the path of a `.toml` file.
    pub scenario: Option<String>,
    /// A URL instead of a scenario: one task, named by its path.
    pub url: Option<String>,
    /// `-H`, `--host`.
    pub host: Option<String>,
    /// `-u`, `--users`.
    pub users: Option<String>,
    /// `-r`, `--spawn-rate`: users started per second; without it all start at once.
    pub spawn_rate: Option<String>,
    /// `--rate`: arrivals.
    pub rate: Option<String>,
    /// `-t`, `--run-time`.
    pub run_time: Option<String>,
    /// `--arrivals`: `uniform` or `poisson`.
    pub arrivals: Option<String>,
    /// `--stage` and `--hold`, in the order of the command line.
    pub stages: Vec<StageText>,
    /// `--max-in-flight`.
    pub max_in_flight: Option<String>,
    /// `--overflow`: `queue` or `drop`.
    pub overflow: Option<String>,
    /// `--wait`.
    pub wait: Option<String>,
    /// `--warm-up`.
    pub warm_up: Option<String>,
    /// `--timeout`, for every task.
    pub timeout: Option<String>,
    /// `-s`, `--stop-timeout`: how long requests in flight are waited for at the end.
    pub stop_timeout: Option<String>,
    /// `--seed`.
    pub seed: Option<String>,
    /// `--threshold`.
    pub thresholds: Vec<String>,
    /// `--abort-unless`.
    pub aborts: Vec<String>,
    /// `--budget`: `[ENDPOINT=]TIME` for the 95th percentile.
    pub budgets: Vec<String>,
    /// `--fail-slower`: `[ENDPOINT=]TIME`.
    pub fail_slower: Vec<String>,
    /// `--model`: `KNOB=VALUE`, or `target=NAME`.
    pub model: Vec<String>,
}

/// A stage as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StageText {
    /// `--stage 30s:100`: to that level in a straight line.
    Ramp(String),
    /// `--hold 60s:25`: at that level at once.
    Hold(String),
}

/// A flag's text with the flag as its place.
pub(super) fn said(flag: &str, text: Option<&String>) -> Option<Said> {
    text.map(|text| one(flag, text))
}

/// The texts of a flag that may be repeated.
pub(super) fn each(flag: &str, texts: &[String]) -> Vec<Said> {
    texts.iter().map(|text| one(flag, text)).collect()
}

fn one(flag: &str, text: &str) -> Said {
    Said::new(text.to_owned(), Place::named(flag))
}

impl Overrides {
    /// The flags about load.
    pub(super) fn load(&self, mistakes: &mut Mistakes) -> LoadDraft {
        let before = mistakes.count();
        let stages = self.stages.iter().filter_map(|text| stage(text, mistakes)).collect();
        LoadDraft {
            place: None,
            users: said("--users", self.users.as_ref()),
            spawn_rate: said("--spawn-rate", self.spawn_rate.as_ref()),
            rate: said("--rate", self.rate.as_ref()),
            stages,
            arrivals: said("--arrivals", self.arrivals.as_ref()),
            max_in_flight: said("--max-in-flight", self.max_in_flight.as_ref()),
            overflow: said("--overflow", self.overflow.as_ref()),
            wait: said("--wait", self.wait.as_ref()),
            duration: said("--run-time", self.run_time.as_ref()),
            warm_up: said("--warm-up", self.warm_up.as_ref()),
            drain: said("--stop-timeout", self.stop_timeout.as_ref()),
            is_broken: mistakes.count() > before,
        }
    }

    /// Applies `--timeout` to every task.
    pub(super) fn retime(&self, tasks: &mut [Task], mistakes: &mut Mistakes) {
        let read = |said: Said| said.duration("time-out", false, LONGEST_ANSWER, mistakes);
        if let Some(timeout) = said("--timeout", self.timeout.as_ref()).and_then(read) {
            for task in tasks {
                task.timeout = timeout.value;
            }
        }
    }

    /// Applies `--fail-slower`: first those for all tasks, then those for one.
    pub(super) fn fail_slower(&self, tasks: &mut [Task], mistakes: &mut Mistakes) {
        let mut limits: Vec<(Option<String>, Ns)> = Vec::new();
        for said in each("--fail-slower", &self.fail_slower) {
            match claim::fail_slower(&said.value) {
                Ok((endpoint, limit)) => {
                    if limit > LONGEST_ANSWER {
                        let what = format!("{limit} is too long");
                        mistakes.add(&said.place, what, format!("write at most {LONGEST_ANSWER}"));
                    }
                    if let Some(endpoint) = &endpoint {
                        let names: Vec<&str> = tasks.iter().map(|t| t.name.as_str()).collect();
                        thresholds::check_endpoint(endpoint, &said.place, &names, mistakes);
                    }
                    limits.push((endpoint, limit));
                }
                Err(error) => thresholds::add(&said.place, &error, mistakes),
            }
        }
        limits.sort_by_key(|(endpoint, _)| endpoint.is_some());
        for (endpoint, limit) in limits {
            for task in tasks.iter_mut() {
                if endpoint.as_ref().is_none_or(|name| *name == task.name) {
                    task.fail_slower = Some(limit);
                }
            }
        }
    }

    /// The scenario's model with the knobs of `--model`; another target takes no knobs of the old one.
    pub(super) fn model(
        &self,
        draft: Option<ModelDraft>,
        mistakes: &mut Mistakes,
    ) -> Option<ModelDraft> {
        let place = Place::named("--model");
        let mut pairs = Vec::new();
        for text in &self.model {
            match text.split_once('=') {
                Some((knob, value)) if !knob.trim().is_empty() && !value.trim().is_empty() => {
                    pairs.push((one("--model", knob.trim()), value.trim().to_owned()));
                }
                _ => {
                    let what = format!("\"{}\" sets no knob", short(text));
                    mistakes.add(&place, what, "write KNOB=VALUE, such as report_pool=4");
                }
            }
        }
        if self.model.is_empty() {
            return draft;
        }
        let empty = || ModelDraft { place: place.clone(), target: None, knobs: Vec::new() };
        let mut model = draft.unwrap_or_else(empty);
        let (targets, knobs): (Vec<_>, Vec<_>) =
            pairs.into_iter().partition(|(knob, _)| knob.value == "target");
        if let Some((_, target)) = targets.into_iter().next_back() {
            let same = model.target.as_ref().is_some_and(|said| said.value == target);
            if !same {
                model.knobs.clear();
            }
            model.target = Some(Said::new(target, place.clone()));
        }
        model.knobs.extend(knobs);
        Some(ModelDraft { place, ..model })
    }
}

fn stage(text: &StageText, mistakes: &mut Mistakes) -> Option<StageDraft> {
    let (flag, text, is_ramp) = match text {
        StageText::Ramp(text) => ("--stage", text, true),
        StageText::Hold(text) => ("--hold", text, false),
    };
    if let Some((length, level)) = text.split_once(':') {
        return Some(StageDraft { is_ramp, length: one(flag, length), level: one(flag, level) });
    }
    let what = format!("\"{}\" has no colon between its time and its level", short(text));
    mistakes.add(&Place::named(flag), what, format!("write {flag} 30s:100"));
    None
}
