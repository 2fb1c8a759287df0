//! Where response times went, by what the target said in `Server-Timing`.

use std::io;

use super::columns::{Column, Columns};
use super::figures;
use crate::engine::record::RunRecord;

/// A row per endpoint with its mean times; nothing in runs that did not ask.
pub fn write(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    let endpoints = record.segments.iter().flat_map(|segment| &segment.endpoints);
    let means = |endpoint: &crate::engine::record::Endpoint| {
        Some((endpoint.name.clone(), endpoint.split?.means_ms()?))
    };
    let rows: Vec<_> = endpoints.filter_map(means).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let mut columns = vec![Column::left("mean ms of", 14)];
    let headings = ["response", "freeze", "queue", "work", "rest"];
    columns.extend(headings.map(|heading| Column::right(heading, 10)));
    let mut table = Columns::new(columns);
    for (name, means) in rows {
        let cells = means.iter().map(|ms| figures::ms(*ms));
        table.push(std::iter::once(name).chain(cells).collect());
    }
    writeln!(out)?;
    table.write(out)?;
    writeln!(
        out,
        "freeze, queue, work: as the target says; rest: network, both programs, and any wait before sending."
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::engine::segment_result::Split;

    #[test]
    fn a_response_time_in_its_parts() {
        let mut record = fixture::record();
        assert_eq!(fixture::text(|out| write(&record, out)), "");
        record.segments[0].endpoints[1].split = Some(Split {
            n: 4,
            response_ns: 800_000_000,
            queue_ns: 380_000_000,
            work_ns: 400_000_000,
            freeze_ns: 0,
        });
        insta::assert_snapshot!(fixture::text(|out| write(&record, out)), @r"
        mean ms of      response    freeze     queue      work      rest
        /report              200       0.0        95       100       5.0
        freeze, queue, work: as the target says; rest: network, both programs, and any wait before sending.
        ");
    }
}
