//! Locust's `_stats_history.csv`: a row per second over all endpoints, warm-up and drain included.
//!
//! Counts are cumulative, as in Locust. Rates and percentiles are those of the second alone, where Locust's cover ten
//! seconds or everything since the start; a mixture of two windows under one heading has misled its users more than
//! once. The series keeps the 50th, 95th and 99th percentile of a second; every other time is `N/A`.

use std::io;

use super::calendar;
use super::figures::ms_in_files;
use super::locust_csv::{NOT_AVAILABLE, PERCENTILES};
use crate::engine::plan::Load;
use crate::engine::profile::Profile;
use crate::engine::record::{AGGREGATED, RunRecord};
use crate::engine::tick::{Second, TICK};

const BEFORE: [&str; 6] = ["Timestamp", "User Count", "Type", "Name", "Requests/s", "Failures/s"];

const TOTALS: [&str; 7] = [
    "Total Request Count",
    "Total Failure Count",
    "Total Median Response Time",
    "Total Average Response Time",
    "Total Min Response Time",
    "Total Max Response Time",
    "Total Average Content Size",
];

/// Writes the history. `User Count` is the number of users, or of requests in flight when load comes as arrivals.
pub fn write(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let percentiles = PERCENTILES.map(|(heading, _)| heading);
    csv.write_record(BEFORE.into_iter().chain(percentiles).chain(TOTALS))?;
    let start = calendar::unix_seconds(&record.started_at).unwrap_or(0);
    let (mut before, mut requests, mut failures) = (0.0, 0u64, 0u64);
    for second in &record.series {
        requests = requests.saturating_add(second.completed);
        failures = failures.saturating_add(second.failed);
        let length = second.t - before;
        before = second.t;
        let mut row = vec![
            calendar::later(start, whole_second(second.t)).to_string(),
            users(&record.plan.load, second).to_string(),
            String::new(),
            AGGREGATED.to_owned(),
            per_second(second.completed, length),
            per_second(second.failed, length),
        ];
        row.extend(PERCENTILES.map(|(_, percent)| percentile(second, percent)));
        row.extend([requests.to_string(), failures.to_string()]);
        row.extend([NOT_AVAILABLE; 5].map(str::to_owned));
        csv.write_record(row)?;
    }
    csv.flush()
}

fn per_second(count: u64, length: f64) -> String {
    let rate = if length > 0.0 { count as f64 / length } else { 0.0 };
    format!("{rate:.3}")
}

#[expect(clippy::float_cmp, reason = "the same constants on both sides")]
fn percentile(second: &Second, percent: f64) -> String {
    let kept = [(50.0, second.p50_us), (95.0, second.p95_us), (99.0, second.p99_us)];
    let us = kept.iter().find(|(kept, _)| *kept == percent).and_then(|(_, us)| *us);
    us.map_or_else(|| NOT_AVAILABLE.to_owned(), |us| ms_in_files(us as f64 / 1e3))
}

/// The second that ends about `t`: a tick late at the most; the last piece of a run counts as a second of its own.
fn whole_second(t: f64) -> f64 {
    (t - TICK.as_secs_f64()).ceil()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of users")]
fn users(load: &Load, second: &Second) -> u64 {
    match load {
        Load::Closed { users, .. } => level(users, second.t).ceil() as u64,
        Load::Open { .. } => second.in_flight.into(),
    }
}

/// The level `at` seconds after the start; after the last piece it stays where it ended.
fn level(profile: &Profile, at: f64) -> f64 {
    let mut start = 0.0;
    for piece in &profile.0 {
        let length = piece.over.as_secs_f64();
        if at < start + length {
            return piece.from + (piece.to - piece.from) * (at - start) / length;
        }
        start += length;
    }
    profile.0.last().map_or(0.0, |piece| piece.to)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::engine::time::Ns;

    #[test]
    fn a_row_per_second_with_cumulative_counts() {
        insta::assert_snapshot!(fixture::text(|out| write(&fixture::record(), out)), @r"
        Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%,Total Request Count,Total Failure Count,Total Median Response Time,Total Average Response Time,Total Min Response Time,Total Max Response Time,Total Average Content Size
        1796072401,20,,Aggregated,35.000,0.000,10.2,N/A,N/A,N/A,N/A,172,N/A,400,N/A,N/A,N/A,35,0,N/A,N/A,N/A,N/A,N/A
        1796072402,20,,Aggregated,36.000,2.000,10.2,N/A,N/A,N/A,N/A,172,N/A,400,N/A,N/A,N/A,71,2,N/A,N/A,N/A,N/A,N/A
        1796072403,20,,Aggregated,0.000,0.000,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,71,2,N/A,N/A,N/A,N/A,N/A
        1796072404,20,,Aggregated,36.000,0.000,10.2,N/A,N/A,N/A,N/A,172,N/A,400,N/A,N/A,N/A,89,2,N/A,N/A,N/A,N/A,N/A
        ");
    }

    #[test]
    fn users_follow_the_profile() {
        let climb = Profile::spawning(10.0, 2.0, Ns::from_secs(30));
        let counts = [0.0, 2.5, 5.0, 40.0].map(|at| format!("{:.0}", level(&climb, at)));
        assert_eq!(counts, ["0", "5", "10", "10"]);
        assert!((level(&Profile(Vec::new()), 1.0)).abs() < f64::EPSILON);
    }
}
