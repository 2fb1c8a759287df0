//! The machine line: where a number was measured belongs to the number.

use std::io;

use super::figures::plain;
use crate::engine::record::{Machine, Mode};

/// One line: processor, cores, memory, system, and the load when the run began.
pub fn write(machine: &Machine, mode: Mode, out: &mut dyn io::Write) -> io::Result<()> {
    if mode == Mode::Virtual {
        return writeln!(out, "machine: none; virtual time gives the same numbers everywhere");
    }
    let Machine { cpu, cores, memory_bytes, os, load_1m } = machine;
    let plural = if *cores == 1 { "" } else { "s" };
    writeln!(
        out,
        "machine: {}, {cores} core{plural}, {:.1} GiB memory; {}; load average {load_1m:.2} over 1 minute",
        plain(cpu),
        *memory_bytes as f64 / f64::from(1u32 << 30),
        plain(os),
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_line_in_real_time_and_one_in_virtual_time() {
        let machine = fixture::record().machine;
        let text = fixture::text(|out| {
            write(&machine, Mode::Live, out)?;
            write(&machine, Mode::Virtual, out)
        });
        insta::assert_snapshot!(text, @r"
        machine: Example CPU 3000, 4 cores, 16.0 GiB memory; Linux 6.1; load average 0.42 over 1 minute
        machine: none; virtual time gives the same numbers everywhere
        ");
    }
}
