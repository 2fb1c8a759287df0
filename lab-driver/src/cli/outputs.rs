//! What a run leaves behind: text on the two streams, and files that are opened before the run and filled after it.

use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use super::flags::{ResultFlags, TablePlace};
use super::{Exit, Refusal};
use crate::engine::claim::Stat;
use crate::engine::plan::Plan;
use crate::engine::record::RunRecord;
use crate::engine::rows::{Show, back_filled_rows, rows};
use crate::engine::time::Ns;
use crate::render::files::{FileError, OutputFile};
use crate::render::locust_csv::{self, Paths};
use crate::render::samples::SampleFile;
use crate::render::style::Style;
use crate::render::{
    errors, health, json, locust_history, machine, needed, pace, split, table, verdict,
};
use crate::sim::predict::users_needed;

/// The files of one run, opened.
#[derive(Debug, Default)]
pub(super) struct RunFiles {
    csv: Vec<CsvFiles>,
    json: Vec<OutputFile>,
}

#[derive(Debug)]
struct CsvFiles {
    stats: OutputFile,
    history: OutputFile,
    failures: OutputFile,
    exceptions: OutputFile,
}

impl RunFiles {
    /// Opens the files: Locust's four for each prefix, and JSON records. An unwritable place is found here.
    fn open(csv: &[PathBuf], json: &[PathBuf]) -> Result<Self, Refusal> {
        let csv = csv.iter().map(|prefix| CsvFiles::open(prefix)).collect::<Result<_, _>>();
        let csv = csv.map_err(|error| unwritable(&error))?;
        let json = json.iter().map(|file| OutputFile::create(file)).collect::<Result<_, _>>();
        Ok(Self { csv, json: json.map_err(|error| unwritable(&error))? })
    }

    /// The same, and those of the run called `stem` in `folder`, if there is one.
    pub(super) fn with_folder(
        folder: Option<&PathBuf>,
        stem: &str,
        mut csv: Vec<PathBuf>,
        mut json: Vec<PathBuf>,
    ) -> Result<Self, Refusal> {
        if let Some(prefix) = folder.map(|folder| folder.join(stem)) {
            json.push(with_suffix(&prefix, ".json"));
            csv.push(prefix);
        }
        Self::open(&csv, &json)
    }

    /// Fills them. One that fails does not keep the others from being written; says what went wrong.
    pub(super) fn fill(self, record: &RunRecord) -> Vec<FileError> {
        let mut failed = Vec::new();
        let mut keep = |written: Result<(), FileError>| failed.extend(written.err());
        for file in self.json {
            keep(file.finish_with(|out| json::write(record, out)));
        }
        for csv in self.csv {
            keep(csv.stats.finish_with(|out| locust_csv::write_stats(record, out)));
            keep(csv.history.finish_with(|out| locust_history::write(record, out)));
            keep(csv.failures.finish_with(|out| locust_csv::write_failures(record, out)));
            keep(csv.exceptions.finish_with(locust_csv::write_exceptions));
        }
        failed
    }
}

impl CsvFiles {
    fn open(prefix: &Path) -> Result<Self, FileError> {
        let paths = Paths::of(prefix);
        Ok(Self {
            stats: OutputFile::create(&paths.stats)?,
            history: OutputFile::create(&paths.history)?,
            failures: OutputFile::create(&paths.failures)?,
            exceptions: OutputFile::create(&paths.exceptions)?,
        })
    }
}

/// The file name with `suffix` behind all of it: a stem may hold dots.
fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// An unwritable place, found before the run.
pub(super) fn unwritable(error: &FileError) -> Refusal {
    Refusal::Environment(error.to_string())
}

/// Says which files are incomplete.
pub(super) fn complain_of(failed: &[FileError]) {
    for error in failed {
        super::complain(&error.to_string());
    }
}

/// Writes text to stdout. A reader that has gone away (`| head`) is no error of ours.
pub(super) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut out = io::stdout().lock();
    let _ = write(&mut out).and_then(|()| out.flush());
}

/// Writes text to stderr.
pub(super) fn to_stderr(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut out = io::stderr().lock();
    let _ = write(&mut out).and_then(|()| out.flush());
}

/// Writes to where the table goes.
pub(super) fn to_table(flags: &ResultFlags, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    match flags.table {
        TablePlace::Stdout => to_stdout(write),
        TablePlace::Stderr => to_stderr(write),
        TablePlace::None => {}
    }
}

/// The table of `records`, what it shows, and how the driver fared.
pub(super) fn print_table(
    records: &[&RunRecord],
    show: Show,
    statistics: &[(String, Stat)],
    flags: &ResultFlags,
) {
    let headings: Vec<String> = statistics.iter().map(|(heading, _)| heading.clone()).collect();
    let rows: Vec<_> = records.iter().flat_map(|record| rows(record, show, statistics)).collect();
    to_table(flags, |out| {
        table::write(&headings, &rows, out)?;
        table::Basis::of(records).map_or(Ok(()), |basis| table::write_basis(&basis, &rows, out))
    });
}

/// The back-filled rows of a run, set off from what was measured, and what they are.
pub(super) fn print_back_fill(
    record: &RunRecord,
    interval: Ns,
    statistics: &[(String, Stat)],
    flags: &ResultFlags,
) {
    let headings: Vec<String> = statistics.iter().map(|(heading, _)| heading.clone()).collect();
    let rows = back_filled_rows(record, interval, statistics);
    to_table(flags, |out| {
        writeln!(out)?;
        table::write(&headings, &rows, out)?;
        pace::write_back_fill(interval, out)?;
        writeln!(out)
    });
}

/// What belongs to a single run below its table: errors, the driver's health, the machine, the seed.
pub(super) fn print_details(record: &RunRecord, flags: &ResultFlags) {
    to_table(flags, |out| {
        split::write(record, out)?;
        pace::write(record, out)?;
        write_circumstances(record, out)
    });
}

/// Errors, the driver's health, the machine, the seed.
pub(super) fn write_circumstances(record: &RunRecord, out: &mut dyn Write) -> io::Result<()> {
    errors::write(record, out)?;
    health::write(record, out)?;
    machine::write(&record.machine, record.mode, out)?;
    writeln!(out, "seed {}; repeat the same starts with --seed {0}", record.plan.seed)
}

/// Before an open run: how many users its rate stands for, on stderr.
pub(super) fn print_users_needed(label: &str, plan: &Plan, flags: &ResultFlags) {
    if let (Some(needed), false) = (users_needed(plan), flags.quiet) {
        to_stderr(|out| needed::write(label, &needed, out));
    }
}

/// Warnings, files and verdict: the end of every command that makes one run. `samples` is its file of samples, if it
/// has one.
pub(super) fn conclude(
    record: RunRecord,
    files: RunFiles,
    samples: Option<SampleFile>,
    flags: &ResultFlags,
) -> Exit {
    print_warnings(&record);
    let mut failed = files.fill(&record);
    failed.extend(samples.and_then(|file| file.finish().err()));
    complain_of(&failed);
    print_verdict(&record);
    let verdict = record.verdict.clone();
    Exit::of(&verdict, &[record], flags.exit_code_on_threshold).if_kept(failed.is_empty())
}

/// Warnings on stderr.
pub(super) fn print_warnings(record: &RunRecord) {
    to_stderr(|out| verdict::write_warnings("", &record.warnings, out));
}

/// Thresholds and verdict of a run, on stdout.
pub(super) fn print_verdict(record: &RunRecord) {
    let style = stdout_style();
    to_stdout(|out| verdict::write(record, style, out));
}

/// Colours on a terminal, unless `NO_COLOR` is set.
pub(super) fn stdout_style() -> Style {
    Style::new(io::stdout().is_terminal(), std::env::var_os("NO_COLOR").as_deref())
}
