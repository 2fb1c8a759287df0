//! Percentiles as reported beside those of the target's own log, with their differences.

use std::io;

use super::columns::{Column, Columns};
use super::figures::plain;
use crate::engine::join::Joined;

/// Which percentiles are compared.
const COMPARED: [(&str, f64); 4] = [("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("max", 100.0)];

/// A row per endpoint and percentile; `all` are the endpoints with their names.
pub fn write(all: &[(String, Joined)], out: &mut dyn io::Write) -> io::Result<()> {
    let mut columns = vec![Column::left("endpoint", 14), Column::left("", 5)];
    let headings = [("reported", 11), ("true", 11), ("difference", 12), ("in %", 9)];
    columns.extend(headings.map(|(heading, width)| Column::right(heading, width)));
    let mut table = Columns::new(columns);
    for (name, joined) in all {
        for (heading, percent) in COMPARED {
            let Some((reported, truly)) = joined.percentile(percent) else { continue };
            let difference = reported - truly;
            table.push(vec![
                name.clone(),
                heading.to_owned(),
                format!("{reported:.3}"),
                format!("{truly:.3}"),
                format!("{difference:+.3}"),
                format!("{:+.2} %", difference / truly * 100.0),
            ]);
        }
    }
    table.write(out)?;
    writeln!(
        out,
        "Times in ms from the start that the driver counts from; reported: to the last byte at the driver, \
         true: to the departure from the target."
    )?;
    for (name, Joined { reported, missing, unanswered, .. }) in all {
        let count = reported.len();
        let of = count as u64 + missing;
        write!(out, "{}: {count} of {of} requests joined", plain(name))?;
        match (missing, unanswered) {
            (0, _) => writeln!(out)?,
            (_, 0) => writeln!(out, "; the log does not have the departure of the others")?,
            _ => writeln!(
                out,
                "; the log does not have the departure of the others, {unanswered} of which had no answer"
            )?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn reported_beside_true() {
        let ms = |from: u64, extra: u64| (1..=200).map(|n| n * from + extra).collect();
        let joined = Joined {
            reported: ms(1_000_000, 90_000),
            truly: ms(1_000_000, 0),
            missing: 3,
            unanswered: 1,
        };
        let text = fixture::text(|out| write(&[("/items".to_owned(), joined)], out));
        insta::assert_snapshot!(text, @r"
        endpoint              reported       true  difference     in %
        /items        p50      100.090    100.000      +0.090  +0.09 %
        /items        p90      180.090    180.000      +0.090  +0.05 %
        /items        p99      198.090    198.000      +0.090  +0.05 %
        /items        max      200.090    200.000      +0.090  +0.05 %
        Times in ms from the start that the driver counts from; reported: to the last byte at the driver, true: to the departure from the target.
        /items: 200 of 203 requests joined; the log does not have the departure of the others, 1 of which had no answer
        ");
    }
}
