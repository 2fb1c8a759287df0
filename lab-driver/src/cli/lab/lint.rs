//! `lab lint`: whether labs are in order, and whether their claims hold over many seeds.

use std::path::PathBuf;
use std::thread::available_parallelism;

use super::{Exit, Refusal, Source, chosen, exit_of, outputs, read};
use crate::engine::claim::Reading;
use crate::labs::lint::seeds::{Count, count, findings};
use crate::labs::lint::stored::{FIRST, Stored};
use crate::labs::lint::{Finding, texts};
use crate::render::columns::{Column, Columns};
use crate::render::figures::NO_DATA;
use crate::render::files::OutputFile;

/// For authors: are the labs in order, and do their claims hold over many seeds?
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lab-driver lab lint
  lab-driver lab lint knee --seeds 1000
  lab-driver lab lint --seeds 10000 --store labs/lint-seeds.json

In virtual time, with the seeds 1 to N, in each length: at most 1 seed in 1000 may fail a claim, and at least 99 in
100 must fail it under its must_fail_when. Exit codes: 0 in order; 1 something has to be put right; 2 a lab file
cannot be read.")]
pub(super) struct Args {
    /// Labs: 3, 03, knee or 03-knee; all of them without a name
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// How many seeds; 0 looks at texts and files alone
    #[arg(long, env = "LAB_SEEDS", value_name = "N", default_value_t = FIRST)]
    seeds: u64,
    /// Write the counts to this file, with the command that gave them
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

pub(super) fn run(args: &Args, sources: &[Source]) -> Result<Exit, Refusal> {
    let labs = read(&chosen(sources, &args.names)?)?;
    let file = args.store.as_deref().map(OutputFile::create).transpose();
    let file = file.map_err(|error| outputs::unwritable(&error))?;
    let threads = available_parallelism().map_or(1, std::num::NonZero::get);
    let mut found: Vec<Finding> = Vec::new();
    let (mut firsts, mut totals) = (Vec::new(), Vec::new());
    for (source, lab) in &labs {
        found.extend(texts(source, lab));
        if args.seeds == 0 {
            continue;
        }
        let first = count(lab, 1..=FIRST.min(args.seeds), exit_of, threads);
        let mut total = first.clone();
        if args.seeds > FIRST {
            let rest = count(lab, FIRST + 1..=args.seeds, exit_of, threads);
            for (all, one) in total.iter_mut().zip(rest) {
                all.tally = all.tally.merged(one.tally);
            }
        }
        print(&lab.id, &total);
        found.extend(findings(&total));
        firsts.extend(first);
        totals.extend(total);
    }
    for finding in &found {
        outputs::to_stderr(|out| writeln!(out, "{finding}"));
    }
    let (labs, findings) = (labs.len(), found.len());
    outputs::to_stdout(|out| {
        writeln!(out, "{labs} labs, {} seeds, findings: {findings}", args.seeds)
    });
    if let Some(file) = file {
        let stored = Stored::new(command(args), args.seeds, &firsts, &totals);
        file.finish_with(|out| {
            serde_json::to_writer_pretty(&mut *out, &stored)?;
            writeln!(out)
        })
        .map_err(|error| Refusal::Environment(error.to_string()))?;
    }
    Ok(if found.is_empty() { Exit::Pass } else { Exit::Fail })
}

/// The command line that gives the same counts again.
fn command(args: &Args) -> String {
    let mut words = vec!["lab-driver lab lint".to_owned()];
    words.extend(args.names.iter().cloned());
    words.push(format!("--seeds {}", args.seeds));
    words.extend(args.store.as_ref().map(|file| format!("--store {}", file.display())));
    words.join(" ")
}

fn print(lab: &str, counts: &[Count]) {
    let mut table = Columns::new(vec![
        Column::left(lab, 12),
        Column::left("length", 8),
        Column::right("false failures", 16),
        Column::right("caught", 16),
        Column::right("smallest margin", 17),
    ]);
    for count in counts {
        let tally = &count.tally;
        let margin =
            tally.smallest_margin.map(|margin| Reading::Value(margin).show(count.dimension, 3));
        table.push(vec![
            count.claim.clone(),
            count.form.name().to_owned(),
            format!("{} of {}", tally.false_failures, tally.seeds),
            format!("{} of {}", tally.caught, tally.seeds),
            margin.unwrap_or_else(|| NO_DATA.to_owned()),
        ]);
    }
    outputs::to_stdout(|out| {
        table.write(out)?;
        writeln!(out)
    });
}
