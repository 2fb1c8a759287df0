//! What claims are judged by: the records of a lab's runs, their exit codes, the knees of its ramps, its lists.

use std::collections::BTreeMap;

use super::lab::{Lab, ListSpec, SetSpec};
use crate::engine::claim::{Facts, Metric, Reading};
use crate::engine::distribution::Distribution;
use crate::engine::knee::knee;
use crate::engine::reading::statistic;
use crate::engine::record::{AGGREGATED, RunRecord};

/// The exit code of a command that made these runs. Handed in, because only the commands decide it.
pub type ExitOf = fn(&[&RunRecord]) -> u8;

/// The facts of one lab.
#[derive(Debug)]
pub struct LabFacts<'a> {
    /// Whose facts they are.
    pub lab: &'a Lab,
    /// What each run measured, by its name; runs that were not made are missing.
    pub records: BTreeMap<&'a str, &'a RunRecord>,
    /// What every list holds instead of its own times, if anything.
    pub times: Option<&'a Distribution>,
    /// The exit code of a command.
    pub exit: ExitOf,
}

impl<'a> LabFacts<'a> {
    fn list(&self, id: &str) -> Option<&Distribution> {
        let list = self.lab.lists.iter().find(|list: &&ListSpec| list.id == id)?;
        Some(self.times.unwrap_or(&list.times))
    }

    fn set(&self, id: &str) -> Option<&'a SetSpec> {
        self.lab.sets.iter().find(|set| set.id == id)
    }

    /// The records of a set; nothing if one is missing.
    fn members(&self, set: &SetSpec) -> Option<Vec<&'a RunRecord>> {
        set.runs.iter().map(|id| self.records.get(id.as_str()).copied()).collect()
    }
}

impl Facts for LabFacts<'_> {
    fn metric(&self, run: Option<&str>, endpoint: Option<&str>, metric: Metric) -> Reading {
        let Some(run) = run else { return Reading::NoData };
        match (self.list(run), metric) {
            (Some(times), Metric::Response(stat)) => statistic(times, stat),
            (Some(times), Metric::Count) => Reading::Value(times.totals.n as f64),
            (Some(_), _) => Reading::NoData,
            (None, _) => self
                .records
                .get(run)
                .map_or(Reading::NoData, |record| record.metric(None, endpoint, metric)),
        }
    }

    fn exit(&self, name: &str) -> Option<u8> {
        let records = match self.set(name) {
            Some(set) => self.members(set)?,
            None => vec![*self.records.get(name)?],
        };
        Some((self.exit)(&records))
    }

    fn knee(&self, set: &str, endpoint: Option<&str>) -> Reading {
        let Some(records) = self.set(set).and_then(|set| self.members(set)) else {
            return Reading::NoData;
        };
        let levels: Vec<f64> = records.iter().map(|record| record.plan.load.peak()).collect();
        let found = knee(endpoint.unwrap_or(AGGREGATED), &levels, &records);
        match (found.between, found.gains.is_empty(), levels.last()) {
            (Some((low, high)), ..) => Reading::Between(low, high),
            (None, false, Some(last)) => Reading::AtLeast(*last),
            _ => Reading::NoData,
        }
    }
}
