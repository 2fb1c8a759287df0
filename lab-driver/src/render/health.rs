//! The generator's own line: whether the driver kept up, so that the numbers can be believed.

use std::io;

use super::figures::{delay_ms, percent};
use crate::engine::record::{Mode, RunRecord};

/// One line on the driver's CPU and delays, and the connections made before the clock started.
pub fn write(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    if record.mode == Mode::Virtual {
        return writeln!(out, "driver: virtual time, so it is never late");
    }
    let generator = &record.generator;
    let plural = if generator.cores > 1.0 { "s" } else { "" };
    write!(
        out,
        "driver: {} of {:.0} core{plural}, dispatch lag p50 {} p99 {} max {} ms, hold-back p99 {} ms",
        percent(generator.cpu_share),
        generator.cores,
        delay_ms(generator.lag_p50_us),
        delay_ms(generator.lag_p99_us),
        delay_ms(generator.lag_max_us),
        hold_back_p99(record),
    )?;
    let totals = &record.totals;
    if totals.warm_connections > 0 {
        let plural = if totals.warm_connections > 1 { "s" } else { "" };
        write!(
            out,
            "; {} connection{plural} made in {} ms before the clock started",
            totals.warm_connections,
            delay_ms(totals.warm_up_us),
        )?;
    }
    if totals.later_connections > 0 {
        write!(out, ", {} later", totals.later_connections)?;
    }
    writeln!(out)
}

fn hold_back_p99(record: &RunRecord) -> String {
    let segments = record.segments.iter().map(|segment| segment.hold_back.clone());
    let merged = segments.reduce(|all, one| all.merged(&one)).unwrap_or_default();
    merged.percentile(99.0).map_or_else(|| "-".to_owned(), |read| delay_ms(read.us))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_driver_that_kept_up() {
        let mut record = fixture::record();
        let text = fixture::text(|out| write(&record, out));
        insta::assert_snapshot!(text, @"driver: 4 % of 1 core, dispatch lag p50 0.04 p99 0.10 max 0.91 ms, hold-back p99 0 ms; 20 connections made in 0.41 ms before the clock started");
        record.totals.later_connections = 3;
        assert!(fixture::text(|out| write(&record, out)).ends_with("started, 3 later\n"));
        record.mode = Mode::Virtual;
        assert_eq!(fixture::text(|out| write(&record, out)).lines().count(), 1);
    }
}
