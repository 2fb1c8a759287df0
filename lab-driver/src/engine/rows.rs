//! The rows of the result table: which numbers a run shows, ready to be formatted.

use super::back_fill::back_filled;
use super::claim::{Metric, Percentile, Reading, Stat};
use super::distribution::Distribution;
use super::reading::{FAILED_SHARE_WORTH_A_ROW, View, statistic};
use super::record::{AGGREGATED, RunRecord, Segment};
use super::time::Ns;

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The run's label: `u10`.
    pub run: String,
    /// The endpoint's name, or [`super::record::AGGREGATED`].
    pub endpoint: String,
    /// Completions inside the window, of any outcome.
    pub reqs: u64,
    /// The same per second.
    pub per_second: f64,
    /// The statistics asked for, in order.
    pub cells: Vec<Cell>,
}

/// One statistic of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// A time, ms.
    Ms(f64),
    /// A lower bound of a time, ms: printed with "≥".
    AtLeastMs(f64),
    /// There were no requests to read it from.
    NoData,
}

/// The statistics of the lesson's table: avg p50 p95 p99 max.
pub fn usual_statistics() -> Vec<(String, Stat)> {
    let percentile = |name: &str, percentile| (name.to_owned(), Stat::Percentile(percentile));
    vec![
        ("avg".to_owned(), Stat::Average),
        percentile("p50", Percentile::P50),
        percentile("p95", Percentile::P95),
        percentile("p99", Percentile::P99),
        ("max".to_owned(), Stat::Maximum),
    ]
}

/// Which rows a table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// One row per endpoint, and all together below when there are several.
    All,
    /// One row per endpoint.
    EndpointsOnly,
}

/// The rows of `record`: per segment and endpoint, with a second row of the successful requests alone
/// where more than 1 % failed. Where there is a schedule to be late on, response and round-trip times in two rows.
pub fn rows(record: &RunRecord, show: Show, statistics: &[(String, Stat)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for segment in &record.segments {
        let run = if segment.name.is_empty() { &record.label } else { &segment.name };
        let mut names: Vec<&str> = segment.endpoints.iter().map(|e| e.name.as_str()).collect();
        if show == Show::All && names.len() > 1 {
            names.push(AGGREGATED);
        }
        for name in names {
            rows.extend(endpoint_rows(run, segment, name, statistics));
        }
    }
    rows
}

/// Behind the endpoint's name: from the planned start, as a customer waits.
pub const RESPONSE: &str = " (response)";
/// Behind the endpoint's name: from sending, as a loop sees it that waits for its answers.
pub const ROUND_TRIP: &str = " (round trip)";
/// Behind the endpoint's name: an estimate from the round-trip times.
pub const BACK_FILLED: &str = " (back-filled)";

/// A row per endpoint with the back-filled round-trip times of a loop that sends once an `interval`.
pub fn back_filled_rows(
    record: &RunRecord,
    interval: Ns,
    statistics: &[(String, Stat)],
) -> Vec<Row> {
    let each = record.segments.iter().flat_map(|segment| {
        segment.endpoints.iter().filter_map(move |one| View::of(segment, &one.name))
    });
    each.map(|view| {
        let times = estimate(&view, interval);
        Row {
            run: record.label.clone(),
            endpoint: format!("{}{BACK_FILLED}", view.endpoint().name),
            reqs: times.totals.n,
            per_second: view.per_second(times.totals.n),
            cells: statistics.iter().map(|(_, stat)| cell(statistic(&times, *stat))).collect(),
        }
    })
    .collect()
}

fn estimate(view: &View<'_>, interval: Ns) -> Distribution {
    let times = view.endpoint().round_trip.as_ref().unwrap_or(view.response());
    back_filled(times, interval)
}

/// By which clock a row of [`clocks`] is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// From sending.
    Naive,
    /// From the planned start.
    Corrected,
    /// From sending, with what a loop of this interval did not send estimated.
    BackFilled(Ns),
}

/// The times of a run by one clock.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockRow {
    /// The clock.
    pub clock: Clock,
    /// How many requests it has; the invented ones of an estimate included.
    pub reqs: u64,
    /// The statistics asked for, in order.
    pub cells: Vec<Cell>,
}

/// All endpoints of a plain scheduled run together, by each clock.
pub fn clocks(
    record: &RunRecord,
    statistics: &[(String, Stat)],
    back_fill: Option<Ns>,
) -> Vec<ClockRow> {
    let Some(segment) = record.segments.first() else { return Vec::new() };
    let Some(view) = View::of(segment, AGGREGATED) else { return Vec::new() };
    let by = |clock: Clock, reqs: u64, read: &dyn Fn(Stat) -> Reading| ClockRow {
        clock,
        reqs,
        cells: statistics.iter().map(|(_, stat)| cell(read(*stat))).collect(),
    };
    let ended = view.endpoint().counts.ended;
    let mut rows = vec![
        by(Clock::Naive, ended, &|stat| view.read(Metric::RoundTrip(stat))),
        by(Clock::Corrected, ended, &|stat| view.read(Metric::Response(stat))),
    ];
    if let Some(interval) = back_fill {
        let times = estimate(&view, interval);
        rows.push(by(Clock::BackFilled(interval), times.totals.n, &|stat| statistic(&times, stat)));
    }
    rows
}

fn endpoint_rows(
    run: &str,
    segment: &Segment,
    name: &str,
    statistics: &[(String, Stat)],
) -> Vec<Row> {
    let Some(view) = View::of(segment, name) else { return Vec::new() };
    let counts = view.endpoint().counts;
    let row = |suffix: &str, reqs: u64, read: &dyn Fn(Stat) -> Reading| Row {
        run: run.to_owned(),
        endpoint: format!("{name}{suffix}"),
        reqs,
        per_second: view.per_second(reqs),
        cells: statistics.iter().map(|(_, stat)| cell(read(*stat))).collect(),
    };
    let response = |stat| view.read(Metric::Response(stat));
    let mut rows = Vec::new();
    if view.endpoint().round_trip.is_some() {
        rows.push(row(RESPONSE, counts.completed, &response));
        rows.push(row(ROUND_TRIP, counts.completed, &|stat| view.read(Metric::RoundTrip(stat))));
    } else {
        rows.push(row("", counts.completed, &response));
    }
    let successful = &view.endpoint().successful;
    let share = view.endpoint().failed_share().unwrap_or(0.0);
    if share > FAILED_SHARE_WORTH_A_ROW && successful.totals.n > 0 {
        rows.push(row(" (ok)", counts.succeeded, &|stat| view.read_successful(stat)));
    }
    rows
}

fn cell(reading: Reading) -> Cell {
    match reading {
        Reading::Value(ms) => Cell::Ms(ms),
        Reading::AtLeast(ms) => Cell::AtLeastMs(ms),
        _ => Cell::NoData,
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::{StripeResult, Tally};
    use super::super::outcome::{Failure, Reply};
    use super::super::recorder::Recorder;
    use super::super::sample::Sample;
    use super::super::testing;
    use super::super::time::Ns;
    use super::*;

    /// The rows after nine successes of 10 ms and a status 500, and so many drops: the name and the cells of each.
    fn rows_after(drops: u64) -> Vec<(String, Vec<Cell>)> {
        let plan = testing::open(10.0, 1, 10);
        let mut recorder = Recorder::new(1, plan.windows(), plan.is_scheduled());
        for index in 0..10u64 {
            let (at, is_bad) = (Ns::from_millis(index * 100), index == 9);
            let mut sample = Sample { index, ..testing::sample(at, at + Ns::from_millis(10)) };
            if is_bad {
                sample.reply = Reply::Answered { status: 500, bytes: 0, body_matches: true };
                sample.failure = Some(Failure::Status(500));
            }
            recorder.record(&sample);
        }
        (0..drops).for_each(|_| recorder.record_drop(0, Ns::from_secs(1)));
        let result = StripeResult { segments: recorder.finish(), tally: Tally::default() };
        let mut statistics = usual_statistics();
        statistics.push(("min".to_owned(), Stat::Minimum));
        let rows = rows(&testing::record(plan, result), Show::All, &statistics);
        rows.into_iter().map(|row| (row.endpoint, row.cells)).collect()
    }

    #[test]
    fn drops_make_every_row_a_lower_bound_the_successful_one_too() {
        let with = |cell: fn(f64) -> Cell| {
            let mut cells = vec![cell(10.0); 5];
            // A drop can only have lowered the minimum.
            cells.push(Cell::Ms(10.0));
            ["/ (response)", "/ (round trip)", "/ (ok)"]
                .map(|name| (name.to_owned(), cells.clone()))
        };
        assert_eq!(rows_after(0), with(Cell::Ms));
        assert_eq!(rows_after(1), with(Cell::AtLeastMs));
    }
}
