//! The result table, and the sentence under it that says what its numbers are.

use std::io;

use super::columns::{Column, Columns};
use super::figures;
use crate::engine::distribution::Values;
use crate::engine::record::{Mode, RunRecord, Segment};
use crate::engine::rows::{Cell, Row};

/// Writes `rows` under `run endpoint reqs req/s` and `statistics`, the headings of each row's cells.
pub fn write(statistics: &[String], rows: &[Row], out: &mut dyn io::Write) -> io::Result<()> {
    let mut columns = vec![
        Column::left("run", 12),
        Column::left("endpoint", 12),
        Column::right("reqs", 6),
        Column::right("req/s", 7),
    ];
    columns.extend(statistics.iter().map(|heading| Column::right(heading, 6)));
    let mut table = Columns::new(columns);
    for row in rows {
        let mut cells = vec![
            row.run.clone(),
            row.endpoint.clone(),
            row.reqs.to_string(),
            figures::rate(row.per_second),
        ];
        cells.extend(row.cells.iter().map(|cell| figures::cell(*cell)));
        table.push(cells);
    }
    table.write(out)
}

/// What a reader must know to read the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    /// Times count from the planned start, not from sending.
    pub scheduled: bool,
    /// Length of every measured window, seconds; none where they differ.
    pub window_s: Option<f64>,
    /// What percentiles are read from.
    pub values: Source,
    /// No real time passed.
    pub virtual_time: bool,
}

/// What percentiles are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Every single value.
    Exact,
    /// Histograms, at least for some rows.
    Histogram,
}

impl Basis {
    /// Of one run, or of several shown in one table; a table over no run at all has none.
    pub fn of(records: &[&RunRecord]) -> Option<Self> {
        let first = records.first()?;
        let segments = || records.iter().flat_map(|record| &record.segments);
        let length = segments().next().map(Segment::length_s);
        let same = |other: f64| length.is_some_and(|length| (other - length).abs() < 1e-6);
        let exact = segments().flat_map(|segment| &segment.endpoints).all(|endpoint| {
            [&endpoint.successful, &endpoint.unsuccessful]
                .iter()
                .all(|times| matches!(times.values, Values::Exact(_)))
        });
        Some(Self {
            scheduled: records.iter().any(|record| record.plan.is_scheduled()),
            window_s: length.filter(|_| segments().all(|segment| same(segment.length_s()))),
            values: if exact { Source::Exact } else { Source::Histogram },
            virtual_time: first.mode == Mode::Virtual,
        })
    }
}

/// One line on the clock and the window, one on percentiles and on "≥" where `rows` hold one.
pub fn write_basis(basis: &Basis, rows: &[Row], out: &mut dyn io::Write) -> io::Result<()> {
    let clock = if basis.scheduled {
        "to the last byte: (response) from the planned start, as a customer waits; (round trip) from sending"
    } else {
        "from sending to the last byte (users wait for answers, so there is no schedule to be late on)"
    };
    let time = if basis.virtual_time { ", in virtual time" } else { "" };
    writeln!(out, "Times in ms{time}, {clock}.")?;
    let window = basis.window_s.map_or_else(
        || "Each run has its own window".to_owned(),
        |length| format!("Window {}", figures::seconds(length)),
    );
    let values = match basis.values {
        Source::Exact => "over all values",
        Source::Histogram => "over histograms (at most 0.1 % high)",
    };
    let bounded = rows.iter().flat_map(|row| &row.cells).any(|c| matches!(c, Cell::AtLeastMs(_)));
    let bound = if bounded {
        "; ≥: at least this, as some requests got no answer or were dropped"
    } else {
        ""
    };
    writeln!(out, "{window}; percentiles by nearest rank {values}{bound}.")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_lessons_columns() {
        let statistics = ["avg", "p50", "p95", "p99", "max"].map(str::to_owned);
        let text = fixture::text(|out| write(&statistics, &fixture::some_rows(), out));
        insta::assert_snapshot!(text, @r"
        run         endpoint      reqs  req/s   avg   p50   p95     p99     max
        u20         /items         750   25.0    25   5.2    18     410     412
        u20         /report        300   10.0   123   110   200     410     511
        u20         Aggregated    1050   35.0    53    10   160     410     511
        nowait-u80  /items        1811   62.0    30   9.9    10     410     509
        nowait-u80  /report        578   19.8 ≥1819  1900 ≥2200  ≥60000  ≥60000
        nowait-u80  /nothing         0    0.0     -     -     -       -       -
        ");
    }

    #[test]
    fn short_cells_keep_the_lessons_widths() {
        let statistics = ["avg", "p50", "p95", "p99", "max"].map(str::to_owned);
        let text = fixture::text(|out| write(&statistics, &fixture::some_rows()[..3], out));
        let heading = text.lines().next().unwrap();
        assert_eq!(heading.len(), 12 + 12 + 6 + 7 + 5 * 6);
        assert!(text.lines().all(|line| line.chars().count() == heading.len()), "{text}");
    }

    #[test]
    fn the_basis_says_what_the_numbers_are() {
        let record = fixture::record();
        let closed = Basis::of(&[&record]).unwrap();
        let open = Basis {
            scheduled: true,
            window_s: None,
            values: Source::Histogram,
            virtual_time: true,
        };
        let rows = fixture::some_rows();
        let text = fixture::text(|out| {
            write_basis(&closed, &rows[..3], out)?;
            write_basis(&open, &rows, out)
        });
        insta::assert_snapshot!(text, @r"
        Times in ms, from sending to the last byte (users wait for answers, so there is no schedule to be late on).
        Window 30 s; percentiles by nearest rank over all values.
        Times in ms, in virtual time, to the last byte: (response) from the planned start, as a customer waits; (round trip) from sending.
        Each run has its own window; percentiles by nearest rank over histograms (at most 0.1 % high); ≥: at least this, as some requests got no answer or were dropped.
        ");
        assert_eq!(Basis::of(&[]), None);
    }
}
