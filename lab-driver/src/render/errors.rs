//! The error table: how often, which share, where, what, and when first and last.

use std::io;

use super::columns::{Column, Columns};
use super::figures;
use crate::engine::record::{Endpoint, RunRecord};

/// Writes one line per endpoint and kind of failure, most frequent first; nothing when nothing failed.
///
/// The share is of the endpoint's requests that ended; `first` and `last` count from the run's start.
pub fn write(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    let mut entries = Vec::new();
    for segment in &record.segments {
        for endpoint in &segment.endpoints {
            entries.extend(endpoint.errors.iter().map(|entry| (segment, endpoint, entry)));
        }
    }
    if entries.is_empty() {
        return Ok(());
    }
    entries.sort_by_key(|(_, _, entry)| std::cmp::Reverse(entry.count));
    let mut table = Columns::new(vec![
        Column::right("count", 6),
        Column::right("share", 9),
        Column::right("first", 9),
        Column::right("last", 9),
        Column::left("  endpoint", 14),
        Column::left("error", 6),
    ]);
    for (segment, endpoint, entry) in entries {
        table.push(vec![
            entry.count.to_string(),
            share(endpoint, entry.count),
            figures::seconds(entry.first_s),
            figures::seconds(entry.last_s),
            format!("  {}", figures::row_name(segment, &endpoint.name)),
            entry.message.clone(),
        ]);
    }
    table.write(out)
}

fn share(endpoint: &Endpoint, count: u64) -> String {
    match endpoint.counts.ended {
        0 => figures::NO_DATA.to_owned(),
        ended => figures::percent(count as f64 / ended as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn most_frequent_first() {
        insta::assert_snapshot!(fixture::text(|out| write(&fixture::troubled(), out)), @r"
        count    share    first     last  endpoint    error
           10      2 %    0.3 s   17.9 s  /items      connection refused
           10      2 %    0.3 s   17.8 s  /items      status 500
           10     10 %      2 s   23.6 s  /report     no answer within 2s
        ");
    }

    #[test]
    fn nothing_failed_nothing_written() {
        assert_eq!(fixture::text(|out| write(&fixture::record(), out)), "");
    }
}
