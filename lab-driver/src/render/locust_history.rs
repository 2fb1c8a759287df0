//! Locust's `_stats_history.csv`: a row per second over all endpoints, warm-up and drain included.
//!
//! As in Locust, counts and the `Total` columns are cumulative since the start, and a number stands in every time
//! column once a request with a response time has ended; before that, percentiles are `N/A` and totals 0. What
//! differs: rates and percentiles are those of the second alone, where Locust's cover ten seconds. A second in which
//! nothing ended repeats the percentiles of the last one in which something did, and its rate is 0. Records from
//! before a column was kept have `N/A` in it.

use std::io;

use super::calendar;
use super::figures::ms_in_files;
use super::locust_csv::{NOT_AVAILABLE, PERCENTILES};
use crate::engine::plan::Load;
use crate::engine::record::{AGGREGATED, RunRecord};
use crate::engine::so_far::SoFar;
use crate::engine::tick::{Second, TICK};
use crate::engine::time::Ns;

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
    let mut recent = Second::default();
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
        if second.p50_us.is_some() {
            recent = *second;
        }
        row.extend(recent.percentiles_us().map(|(_, us)| us.map_or_else(not_available, time)));
        row.extend([requests.to_string(), failures.to_string()]);
        row.extend(second.so_far.map_or_else(|| [(); 5].map(|()| not_available()), totals));
        csv.write_record(row)?;
    }
    csv.flush()
}

fn per_second(count: u64, length: f64) -> String {
    let rate = if length > 0.0 { count as f64 / length } else { 0.0 };
    format!("{rate:.3}")
}

fn totals(so_far: SoFar) -> [String; 5] {
    let SoFar { median_us, mean_us, min_us, max_us, mean_bytes } = so_far;
    let [median, mean, min, max] = [median_us, mean_us, min_us, max_us].map(time);
    [median, mean, min, max, format!("{mean_bytes:.1}")]
}

fn time(us: u64) -> String {
    ms_in_files(us as f64 / 1e3)
}

fn not_available() -> String {
    NOT_AVAILABLE.to_owned()
}

/// The second that ends about `t`: a tick late at the most; the last piece of a run counts as a second of its own.
fn whole_second(t: f64) -> f64 {
    (t - TICK.as_secs_f64()).ceil()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of users")]
fn users(load: &Load, second: &Second) -> u64 {
    match load {
        Load::Closed { users, .. } => users.level(Ns::from_secs_f64(second.t)).ceil() as u64,
        Load::Open { .. } => second.in_flight.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_row_per_second_with_cumulative_counts() {
        insta::assert_snapshot!(fixture::text(|out| write(&fixture::record(), out)), @r"
        Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%,Total Request Count,Total Failure Count,Total Median Response Time,Total Average Response Time,Total Min Response Time,Total Max Response Time,Total Average Content Size
        1796072401,20,,Aggregated,35.000,0.000,10.2,11.4,100,110,150,172,198,400,400,400,400,35,0,10.2,52.9,9.0,400,12.0
        1796072402,20,,Aggregated,36.000,2.000,10.2,11.4,100,110,150,172,198,400,400,400,400,71,2,10.2,52.9,9.0,400,12.0
        1796072403,20,,Aggregated,0.000,0.000,10.2,11.4,100,110,150,172,198,400,400,400,400,71,2,10.2,52.9,9.0,400,12.0
        1796072404,20,,Aggregated,36.000,0.000,10.2,11.4,100,110,150,172,198,400,400,400,400,89,2,10.2,52.9,9.0,400,12.0
        ");
    }

    #[test]
    fn columns_are_the_percentiles_of_a_second() {
        let kept = Second::default().percentiles_us().map(|(percent, _)| percent.to_string());
        assert_eq!(kept, PERCENTILES.map(|(_, percent)| percent.to_string()));
    }

    #[test]
    fn before_the_first_answer_percentiles_are_missing_and_totals_are_zero() {
        let nothing = Second { t: 1.0, so_far: Some(SoFar::default()), ..Second::default() };
        let record = RunRecord { series: vec![nothing], ..fixture::record() };
        let text = fixture::text(|out| write(&record, out));
        let row = text.lines().nth(1).unwrap();
        assert!(row.ends_with("N/A,N/A,0,0,0.0,0.0,0.0,0.0,0.0"), "{row}");
    }

    #[test]
    fn an_older_record_shows_what_it_has() {
        let mut record = fixture::record();
        record.series.truncate(1);
        let first = record.series[0];
        record.series[0] = Second {
            t: first.t,
            p50_us: first.p50_us,
            p95_us: first.p95_us,
            p99_us: first.p99_us,
            ..Second::default()
        };
        let text = fixture::text(|out| write(&record, out));
        let row = text.lines().nth(1).unwrap();
        assert!(
            row.ends_with("10.2,N/A,N/A,N/A,N/A,172,N/A,400,N/A,N/A,N/A,0,0,N/A,N/A,N/A,N/A,N/A"),
            "{row}"
        );
    }
}
