//! The line that says what was asked for, what was sent and what came back; and the table of the two clocks.

use std::io;

use super::columns::{Column, Columns};
use super::figures::{self, rate};
use crate::engine::pace::{LATE, Pace};
use crate::engine::record::RunRecord;
use crate::engine::rows::{Clock, ClockRow};

/// Asked, started and completed side by side, and what became of the rest; nothing for a run without a schedule.
pub fn write(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    let Some(pace) = Pace::of(record) else { return Ok(()) };
    write!(
        out,
        "asked {}/s, started {}/s, completed {}/s; ",
        rate(pace.asked),
        rate(pace.started),
        rate(pace.completed)
    )?;
    write_counts(&pace, out)
}

/// How many starts were planned, sent, late, dropped and never sent.
pub fn write_counts(pace: &Pace, out: &mut dyn io::Write) -> io::Result<()> {
    let Pace { planned, sent, late, dropped, never_sent, .. } = pace;
    writeln!(
        out,
        "{planned} planned: {sent} sent ({late} of them held back for over {} ms), {dropped} dropped, \
         {never_sent} never sent",
        LATE.as_millis(),
    )
}

/// One row per clock under `statistics`, and what each clock is.
pub fn write_clocks(
    statistics: &[String],
    rows: &[ClockRow],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut columns = vec![
        Column::left("clock", 13),
        Column::left("measured from", 18),
        Column::right("reqs", 6),
    ];
    columns.extend(statistics.iter().map(|heading| Column::right(heading, 7)));
    let mut table = Columns::new(columns);
    for row in rows {
        let (name, from) = match row.clock {
            Clock::Naive => ("naive", "sending"),
            Clock::Corrected => ("corrected", "planned start"),
            Clock::BackFilled(_) => ("back-filled", "(an estimate)"),
        };
        let mut cells = vec![name.to_owned(), from.to_owned(), row.reqs.to_string()];
        cells.extend(row.cells.iter().map(|cell| figures::cell(*cell)));
        table.push(cells);
    }
    table.write(out)
}

/// What back-filled rows are.
pub fn write_back_fill(
    interval: crate::engine::time::Ns,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    writeln!(
        out,
        "Back-filled: HdrHistogram's estimate from the round-trip times alone. Each longer than {interval} also counts \
         as the requests that were due meanwhile, one every {interval}; none of them was sent or recorded."
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::engine::rows::Cell;

    #[test]
    fn the_three_clocks_and_the_counts() {
        let pace = Pace {
            asked: 20.0,
            started: 20.0,
            completed: 20.0,
            planned: 600,
            sent: 600,
            late: 174,
            dropped: 0,
            never_sent: 0,
        };
        let row = |clock, reqs, p99| ClockRow { clock, reqs, cells: vec![Cell::Ms(20.4), p99] };
        let rows = [
            row(Clock::Naive, 600, Cell::Ms(28.6)),
            row(Clock::Corrected, 600, Cell::AtLeastMs(1_923.0)),
            row(Clock::BackFilled(crate::engine::time::Ns::from_millis(50)), 717, Cell::NoData),
        ];
        let text = fixture::text(|out| {
            write_clocks(&["p50", "p99"].map(str::to_owned), &rows, out)?;
            write_counts(&pace, out)
        });
        insta::assert_snapshot!(text, @r"
        clock        measured from       reqs    p50    p99
        naive        sending              600     20     29
        corrected    planned start        600     20  ≥1923
        back-filled  (an estimate)        717     20      -
        600 planned: 600 sent (174 of them held back for over 5 ms), 0 dropped, 0 never sent
        ");
        let closed = fixture::text(|out| write(&fixture::record(), out));
        assert_eq!(closed, "", "users who wait for answers have no rate to be held against");
    }
}
