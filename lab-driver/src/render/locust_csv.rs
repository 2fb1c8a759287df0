//! Locust's result files with Locust's columns: statistics, failures and exceptions, for scripts that read those.
//!
//! What differs from Locust: times are exact, in ms, one decimal below 100 and whole from there on. `Request Count`
//! and `Requests/s` cover the completions inside the measured window, `Failure Count` and `Failures/s` those of them
//! that failed; times and the failures file cover the requests that were to start in it. A number that is only a
//! lower bound stands without its "≥", because scripts expect a number; the table and the JSON record keep the mark.

use std::io;
use std::path::{Path, PathBuf};

use super::calendar;
use super::figures::{ms_in_files, row_name};
use crate::engine::distribution::{Distribution, Read};
use crate::engine::record::{Endpoint, RunRecord, Segment};

/// Locust's percentile columns, in order: heading and percentage.
pub const PERCENTILES: [(&str, f64); 11] = [
    ("50%", 50.0),
    ("66%", 66.0),
    ("75%", 75.0),
    ("80%", 80.0),
    ("90%", 90.0),
    ("95%", 95.0),
    ("98%", 98.0),
    ("99%", 99.0),
    ("99.9%", 99.9),
    ("99.99%", 99.99),
    ("100%", 100.0),
];

/// Stands for a percentile of no requests, as in Locust.
pub const NOT_AVAILABLE: &str = "N/A";

const STATS_COLUMNS: [&str; 11] = [
    "Type",
    "Name",
    "Request Count",
    "Failure Count",
    "Median Response Time",
    "Average Response Time",
    "Min Response Time",
    "Max Response Time",
    "Average Content Size",
    "Requests/s",
    "Failures/s",
];

/// The four files of one prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// `PREFIX_stats.csv`.
    pub stats: PathBuf,
    /// `PREFIX_stats_history.csv`.
    pub history: PathBuf,
    /// `PREFIX_failures.csv`.
    pub failures: PathBuf,
    /// `PREFIX_exceptions.csv`.
    pub exceptions: PathBuf,
}

impl Paths {
    /// Named as Locust names them.
    pub fn of(prefix: &Path) -> Self {
        let with = |ending: &str| {
            let mut path = prefix.as_os_str().to_owned();
            path.push(ending);
            PathBuf::from(path)
        };
        Self {
            stats: with("_stats.csv"),
            history: with("_stats_history.csv"),
            failures: with("_failures.csv"),
            exceptions: with("_exceptions.csv"),
        }
    }
}

/// `_stats.csv`: a row per endpoint, and `Aggregated` with an empty type last.
///
/// A run of several segments has these rows for each, named `SEGMENT ENDPOINT`: there is no load level that rows
/// over all of them would belong to.
pub fn write_stats(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(STATS_COLUMNS.into_iter().chain(PERCENTILES.map(|(heading, _)| heading)))?;
    for segment in &record.segments {
        for endpoint in segment.endpoints.iter().chain([&segment.aggregated()]) {
            csv.write_record(stats_row(segment, endpoint))?;
        }
    }
    csv.flush()
}

fn stats_row(segment: &Segment, endpoint: &Endpoint) -> Vec<String> {
    let counts = &endpoint.counts;
    let failed = counts.completed.saturating_sub(counts.succeeded);
    let response = endpoint.response();
    let zero = || "0".to_owned();
    let mut row = vec![
        endpoint.method.clone(),
        row_name(segment, &endpoint.name),
        counts.completed.to_string(),
        failed.to_string(),
        read(response.percentile(50.0)).unwrap_or_else(zero),
        response.mean_us().map_or_else(zero, |us| ms_in_files(us / 1e3)),
        read(response.min()).unwrap_or_else(zero),
        read(response.max()).unwrap_or_else(zero),
        ratio(counts.bytes, counts.completed as f64, 1),
        ratio(counts.completed, segment.length_s(), 3),
        ratio(failed, segment.length_s(), 3),
    ];
    row.extend(percentiles(&response));
    row
}

fn percentiles(response: &Distribution) -> impl Iterator<Item = String> {
    PERCENTILES.into_iter().map(|(_, percent)| {
        read(response.percentile(percent)).unwrap_or_else(|| NOT_AVAILABLE.to_owned())
    })
}

fn read(read: Option<Read>) -> Option<String> {
    Some(ms_in_files(read?.us as f64 / 1e3))
}

fn ratio(count: u64, of: f64, decimals: usize) -> String {
    let value = if of > 0.0 { count as f64 / of } else { 0.0 };
    format!("{value:.decimals$}")
}

/// `_failures.csv`: a row per endpoint and kind of failure.
pub fn write_failures(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["Method", "Name", "Error", "Occurrences", "First Seen", "Last Seen"])?;
    let start = calendar::unix_seconds(&record.started_at).unwrap_or(0);
    let seen = |seconds: f64| calendar::rfc3339(calendar::later(start, seconds));
    for segment in &record.segments {
        for endpoint in &segment.endpoints {
            for error in &endpoint.errors {
                csv.write_record([
                    endpoint.method.clone(),
                    row_name(segment, &endpoint.name),
                    error.message.clone(),
                    error.count.to_string(),
                    seen(error.first_s),
                    seen(error.last_s),
                ])?;
            }
        }
    }
    csv.flush()
}

/// `_exceptions.csv`: only its heading, for there is no user's code that could raise one.
pub fn write_exceptions(out: &mut dyn io::Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["Count", "Message", "Traceback", "Nodes"])?;
    csv.flush()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn statistics_of_a_healthy_run() {
        insta::assert_snapshot!(fixture::text(|out| write_stats(&fixture::record(), out)), @r"
        Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%
        GET,/items,750,0,10.2,25.8,9.0,400,12.0,25.000,0.000,10.2,10.6,11.0,11.0,11.4,11.4,400,400,400,400,400
        GET,/report,300,0,149,150,100,199,12.0,10.000,0.000,149,165,174,179,189,194,197,198,199,199,199
        ,Aggregated,1050,0,11.0,61.2,9.0,400,12.0,35.000,0.000,11.0,11.4,122,139,174,192,400,400,400,400,400
        ");
    }

    #[test]
    fn statistics_and_failures_of_a_run_in_trouble() {
        let record = fixture::troubled();
        insta::assert_snapshot!(fixture::text(|out| write_stats(&record, out)), @r"
        Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%
        GET,/items,500,20,9.0,9.0,9.0,9.0,11.8,16.667,0.667,9.0,9.0,9.0,9.0,9.0,9.0,9.0,9.0,9.0,9.0,9.0
        GET,/report,100,10,855,965,801,2000,10.8,3.333,0.333,855,873,883,888,899,2000,2000,2000,2000,2000,2000
        ,Aggregated,600,30,9.0,171,9.0,2000,11.6,20.000,1.000,9.0,9.0,9.0,9.0,845,878,898,2000,2000,2000,2000
        ");
        insta::assert_snapshot!(fixture::text(|out| write_failures(&record, out)), @r"
        Method,Name,Error,Occurrences,First Seen,Last Seen
        GET,/items,connection refused,10,2026-11-30T21:00:00Z,2026-11-30T21:00:17Z
        GET,/items,status 500,10,2026-11-30T21:00:00Z,2026-11-30T21:00:17Z
        GET,/report,no answer within 2s,10,2026-11-30T21:00:02Z,2026-11-30T21:00:23Z
        ");
    }

    #[test]
    fn no_requests_no_percentiles_but_numbers_where_scripts_expect_them() {
        let mut record = fixture::record();
        record.segments[0].endpoints = vec![Endpoint {
            name: "/none".to_owned(),
            method: "GET".to_owned(),
            ..fixture::troubled().segments[0].endpoints[0].clone()
        }];
        let endpoint = &mut record.segments[0].endpoints[0];
        endpoint.counts = crate::engine::segment_result::Counts::default();
        (endpoint.successful, endpoint.unsuccessful) = Default::default();
        let text = fixture::text(|out| write_stats(&record, out));
        let row = text.lines().nth(1).unwrap();
        assert!(row.starts_with("GET,/none,0,0,0,0,0,0,0.0,0.000,0.000,N/A,"), "{row}");
    }

    #[test]
    fn steps_have_their_name_in_front() {
        let mut record = fixture::record();
        record.segments[0].name = "u25".to_owned();
        let text = fixture::text(|out| write_stats(&record, out));
        assert!(text.contains("GET,u25 /items,") && text.contains(",u25 Aggregated,"));
    }

    #[test]
    fn file_names() {
        let paths = Paths::of(Path::new("out/api-u10"));
        assert_eq!(paths.stats, Path::new("out/api-u10_stats.csv"));
        assert_eq!(paths.history, Path::new("out/api-u10_stats_history.csv"));
        assert_eq!(fixture::text(write_exceptions), "Count,Message,Traceback,Nodes\n");
    }
}
