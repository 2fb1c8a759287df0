//! Reads Locust's `_stats.csv`, its own and ours, as rows of the result table.

use std::path::Path;

use csv::StringRecord;

use super::{ResultError, read_text};
use crate::engine::claim::Stat;
use crate::engine::rows::{Cell, Row};

/// Reads `file`: one row per line of it, with the statistics asked for, as long as Locust writes them.
///
/// Fails on a missing column (such as that of a percentile Locust was not told to write), on what is no number, and on anything that is not such a file.
pub fn read(file: &Path, statistics: &[(String, Stat)]) -> Result<Vec<Row>, ResultError> {
    parse(file, &read_text(file)?, statistics)
}

/// The run's name by its file's, as the course's summary makes it: `locustfile-u10_stats.csv` is `u10`,
/// `locustfile_nowait-u10_stats.csv` is `nowait-u10`; any other file is called by its name without the ending.
pub fn label(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let stem =
        name.strip_suffix("_stats.csv").or_else(|| name.strip_suffix(".csv")).unwrap_or(&name);
    let short = stem.strip_prefix("locustfile").unwrap_or(stem).trim_start_matches(['_', '-']);
    if short.is_empty() { stem.to_owned() } else { short.to_owned() }
}

/// No line of statistics is longer: a row has 22 short fields.
const LONGEST_LINE: usize = 1 << 16;

const NOT_STATISTICS: &str =
    "give the PREFIX_stats.csv that lab-driver or Locust wrote with --csv PREFIX";

fn parse(file: &Path, text: &str, statistics: &[(String, Stat)]) -> Result<Vec<Row>, ResultError> {
    let malformed = |line, problem| ResultError::Malformed {
        file: file.to_owned(),
        line,
        problem,
        remedy: NOT_STATISTICS,
    };
    if let Some((i, _)) = text.lines().enumerate().find(|(_, line)| line.len() > LONGEST_LINE) {
        return Err(malformed(i as u64 + 1, "the line is too long for statistics".to_owned()));
    }
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let columns = csv
        .headers()
        .map_err(|error| error.to_string())
        .and_then(|headings| Columns::find(headings, statistics))
        .map_err(|problem| malformed(1, problem))?;
    let run = label(file);
    csv.records()
        .map(|record| {
            let record = record.map_err(|error| {
                let line = error.position().map_or(0, csv::Position::line);
                malformed(line, shape(&error))
            })?;
            let line = record.position().map_or(0, csv::Position::line);
            columns.row(&run, &record).map_err(|problem| malformed(line, problem))
        })
        .collect()
}

// The crate's own message repeats the position.
fn shape(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields where the heading has {expected_len}")
        }
        _ => error.to_string(),
    }
}

/// Where the columns are; by name, since Locust's percentiles can be configured.
struct Columns {
    name: usize,
    requests: usize,
    per_second: usize,
    statistics: Vec<(usize, String)>,
}

impl Columns {
    fn find(headings: &StringRecord, statistics: &[(String, Stat)]) -> Result<Self, String> {
        let at = |wanted: &str| {
            let found = headings.iter().position(|heading| heading == wanted);
            found.ok_or_else(|| format!("there is no column {wanted:?}"))
        };
        let statistic = |(_, stat): &(String, Stat)| {
            let heading = heading_of(*stat);
            at(&heading).map(|column| (column, heading))
        };
        Ok(Self {
            name: at("Name")?,
            requests: at("Request Count")?,
            per_second: at("Requests/s")?,
            statistics: statistics.iter().map(statistic).collect::<Result<_, _>>()?,
        })
    }

    fn row(&self, run: &str, record: &StringRecord) -> Result<Row, String> {
        let text = |column| record.get(column).unwrap_or_default();
        let reqs = text(self.requests)
            .parse()
            .map_err(|_| not_a_number("Request Count", text(self.requests)))?;
        let cell = |(column, heading): &(usize, String)| match text(*column) {
            _ if reqs == 0 => Ok(Cell::NoData),
            "N/A" => Ok(Cell::NoData),
            value => number(heading, value).map(Cell::Ms),
        };
        Ok(Row {
            run: run.to_owned(),
            endpoint: text(self.name).to_owned(),
            reqs,
            per_second: number("Requests/s", text(self.per_second))?,
            cells: self.statistics.iter().map(cell).collect::<Result<_, _>>()?,
        })
    }
}

fn heading_of(stat: Stat) -> String {
    match stat {
        Stat::Average => "Average Response Time".to_owned(),
        Stat::Minimum => "Min Response Time".to_owned(),
        Stat::Maximum => "Max Response Time".to_owned(),
        Stat::Percentile(percentile) => {
            format!("{}%", f64::from(percentile.millionths()) / 1e4)
        }
    }
}

fn number(heading: &str, text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| not_a_number(heading, text))
}

fn not_a_number(heading: &str, text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    format!("{start:?} under {heading:?} is not a number")
}

#[cfg(test)]
mod tests;
