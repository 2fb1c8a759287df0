//! `lab lint`: whether labs are in order, and whether their claims hold over many seeds.

use std::path::PathBuf;
use std::thread::available_parallelism;

use super::{Exit, Refusal, Source, chosen, exit_of, outputs, read};
use crate::engine::claim::Reading;
use crate::labs::lint::seeds::{Count, count, findings};
use crate::labs::lint::stored::{FIRST, Stored, StoredLab};
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
  lab-driver lab lint knee --seeds 10000 --store labs/lint-seeds.json

In virtual time, with the seeds 1 to N, in each length: at most 1 seed in 1000 may fail a claim, and at least 99 in
100 must fail it under its must_fail_when. From 200 seeds on, the counts of the first 200 are held against those that are
kept beside the labs, which --store writes; `lab check` takes no other labs. Exit codes: 0 in order; 1 something has to be put right; 2 a lab file
cannot be read.")]
pub(super) struct Args {
    /// Labs: 3, 03, knee or 03-knee; all of them without a name
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// How many seeds; 0 looks at texts and files alone
    #[arg(long, env = "LAB_SEEDS", value_name = "N", default_value_t = FIRST)]
    seeds: u64,
    /// Write the counts to this file, with the command that gave them; those of other labs in it stay
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

pub(super) fn run(args: &Args, sources: &[Source]) -> Result<Exit, Refusal> {
    let labs = read(&chosen(sources, &args.names)?)?;
    let file = args.store.as_deref().map(OutputFile::create).transpose();
    let file = file.map_err(|error| outputs::unwritable(&error))?;
    let threads = available_parallelism().map_or(1, std::num::NonZero::get);
    let mut found: Vec<Finding> = Vec::new();
    let mut counted = Vec::new();
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
        let now = StoredLab::new(source, command(args, &lab.id), args.seeds, &first, &total);
        if args.store.is_none() && args.seeds >= FIRST {
            found.extend(changes(source, &now));
        }
        counted.push(now);
    }
    for finding in &found {
        outputs::to_stderr(|out| writeln!(out, "{finding}"));
    }
    let (labs, findings) = (labs.len(), found.len());
    outputs::to_stdout(|out| {
        writeln!(out, "{labs} labs, {} seeds, findings: {findings}", args.seeds)
    });
    if let (Some(file), Some(place)) = (file, &args.store) {
        let mut stored = Stored::default();
        if let Ok(text) = std::fs::read_to_string(place) {
            let why = |why| format!("{} cannot be read: {why}; remove it", place.display());
            stored = Stored::read(&text).map_err(|error| Refusal::Usage(why(error)))?;
        }
        for lab in counted {
            stored.put(lab);
        }
        file.finish_with(|out| {
            serde_json::to_writer_pretty(&mut *out, &stored)?;
            writeln!(out)
        })
        .map_err(|error| Refusal::Environment(error.to_string()))?;
    }
    Ok(if found.is_empty() { Exit::Pass } else { Exit::Fail })
}

/// How the counts differ from those that are kept.
fn changes(source: &Source, now: &StoredLab) -> Vec<Finding> {
    let Some((place, text)) = source.kept() else { return Vec::new() };
    let differences = match Stored::read(&text) {
        Ok(stored) => match stored.of(&now.lab) {
            Some(kept) => kept.differences(now),
            None => vec!["there are no counts of it".to_owned()],
        },
        Err(why) => vec![format!("it cannot be read: {why}")],
    };
    let remedy = format!("lab-driver lab lint {} --seeds 10000 --store {place}", now.lab);
    let finding = |what| Finding::new(&format!("{} in {place}", now.lab), what, &remedy);
    differences.into_iter().map(finding).collect()
}

/// The command line that gives the same counts of this lab again.
fn command(args: &Args, id: &str) -> String {
    let mut words = vec![format!("lab-driver lab lint {id} --seeds {}", args.seeds)];
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
