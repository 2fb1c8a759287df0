//! `lab run`: the runs of a lab, shown as `run` and `ramp` show them.

use std::io;

use super::runs::{RunFlags, Runner};
use super::{Exit, Refusal, Source, chosen, outputs, read, seed};
use crate::engine::record::{RunRecord, SetKind};
use crate::engine::rows::{Show, rows, usual_statistics};
use crate::engine::verdict::Verdict;
use crate::labs::lab::{Lab, SetSpec};
use crate::render::{errors, health, machine, ramp, table, verdict};
use crate::sim::ramp::analyse;

/// The runs of a lab, shown as run and ramp show them; nothing is judged.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lab-driver lab run 3 --virtual
  lab-driver lab run knee --quick")]
pub(super) struct Args {
    /// The lab: 3, 03, knee or 03-knee
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    runs: RunFlags,
}

pub(super) fn run(args: &Args, sources: &[Source]) -> Result<Exit, Refusal> {
    let found = chosen(sources, std::slice::from_ref(&args.name))?;
    let seed = seed(args.runs.seed, args.runs.virtual_time);
    let runner = Runner::new(&args.runs, seed)?;
    let mut all = Vec::new();
    for (_, lab) in read(&found)? {
        let runs = runner.all(&lab)?;
        outputs::to_stdout(|out| write_all(&lab, &runs, out));
        all.extend(runs);
    }
    let verdict = Verdict::gravest(all.iter().map(|run| &run.verdict));
    Ok(if runner.is_interrupted() { Exit::Interrupted } else { Exit::of(&verdict, &all, None) })
}

fn write_all(lab: &Lab, runs: &[RunRecord], out: &mut dyn io::Write) -> io::Result<()> {
    let in_set = |run: &&RunRecord| lab.sets.iter().any(|set| set.runs.contains(&run.label));
    let (_, single): (Vec<&RunRecord>, Vec<&RunRecord>) = runs.iter().partition(in_set);
    if !single.is_empty() {
        write_table(&single, Show::All, out)?;
        for run in &single {
            errors::write(run, out)?;
        }
        write_verdicts(&single, out)?;
    }
    for set in &lab.sets {
        let members = runs.iter().filter(|run| set.runs.contains(&run.label)).cloned();
        write_set(set, &members.collect::<Vec<_>>(), out)?;
    }
    if runs.is_empty() {
        writeln!(out, "{} is pure arithmetic: it has no runs; see lab show {0}", lab.id)?;
    }
    let Some(first) = runs.first() else { return Ok(()) };
    writeln!(out)?;
    machine::write(&first.machine, first.mode, out)?;
    writeln!(out, "seed {}; repeat the same starts with --seed {0}", first.plan.seed)
}

fn write_set(set: &SetSpec, runs: &[RunRecord], out: &mut dyn io::Write) -> io::Result<()> {
    let kind = if set.by_rate { SetKind::RampByRate } else { SetKind::RampByUsers };
    let shown: Vec<&RunRecord> = runs.iter().collect();
    writeln!(out, "\n{}:", set.id)?;
    write_table(&shown, Show::EndpointsOnly, out)?;
    writeln!(out)?;
    ramp::write(&analyse(runs), kind, out)?;
    write_verdicts(&shown, out)
}

fn write_table(runs: &[&RunRecord], show: Show, out: &mut dyn io::Write) -> io::Result<()> {
    let statistics = usual_statistics();
    let headings: Vec<String> = statistics.iter().map(|(heading, _)| heading.clone()).collect();
    let rows: Vec<_> = runs.iter().flat_map(|run| rows(run, show, &statistics)).collect();
    table::write(&headings, &rows, out)?;
    table::Basis::of(runs).map_or(Ok(()), |basis| table::write_basis(&basis, &rows, out))
}

fn write_verdicts(runs: &[&RunRecord], out: &mut dyn io::Write) -> io::Result<()> {
    let style = outputs::stdout_style();
    for run in runs {
        write!(out, "{} ", run.label)?;
        health::write(run, out)?;
        for threshold in &run.thresholds {
            write!(out, "{} ", run.label)?;
            verdict::write_threshold(threshold, run.verdict.outcome, style, out)?;
        }
        write!(out, "{} ", run.label)?;
        verdict::write_verdict(&run.verdict, !run.thresholds.is_empty(), style, out)?;
    }
    Ok(())
}
