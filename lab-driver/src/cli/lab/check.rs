//! `lab check`: runs labs and judges their claims.

use std::io;
use std::path::PathBuf;

use super::runs::{RunFlags, Runner};
use super::{Exit, Refusal, Source, chosen, exit_of, form, outputs, predict, read, seed, table};
use crate::engine::record::{Mode, RunRecord};
use crate::engine::verdict::Outcome;
use crate::labs::facts::LabFacts;
use crate::labs::find::KEPT_FILE;
use crate::labs::grade::{Graded, grade, together};
use crate::labs::lab::{Form, Lab};
use crate::labs::lint::stored::doubt;
use crate::labs::sheet::{Guess, LabSheet, Sheet};
use crate::render::files::OutputFile;

/// Runs a lab and judges its claims.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lab-driver lab check 3
  lab-driver lab check knee wait-time --virtual
  lab-driver lab check --all --quick --json sheet.json
  lab-driver lab check 2 --predict

Exit codes: 0 every claim holds; 1 one does not; 2 a lab or the command line is wrong, or a lab is not the one
whose claims were tried over many seeds; 3 nothing failed, but not all
could be judged; 4 the server did not start; 130 interrupted.")]
pub(super) struct Args {
    /// Labs: 3, 03, knee or 03-knee
    #[arg(value_name = "NAME", required_unless_present = "all", conflicts_with = "all")]
    names: Vec<String>,
    /// Check all labs
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    runs: RunFlags,
    /// Judge labs too whose claims have not been tried over many seeds as they are now; such a lab does not pass
    #[arg(long, env = "LAB_UNCHECKED")]
    unchecked: bool,
    /// First ask for your own numbers, and show them beside the result
    #[arg(long, env = "LAB_PREDICT")]
    predict: bool,
    /// Write a grade sheet to this file
    #[arg(long, env = "LAB_JSON", value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(super) fn run(args: &Args, sources: &[Source]) -> Result<Exit, Refusal> {
    let labs = read(&chosen(sources, &args.names)?)?;
    let doubts: Vec<Option<String>> = labs.iter().map(|(source, _)| doubt(source)).collect();
    if !args.unchecked {
        refuse(&labs, &doubts)?;
    }
    let file = args.json.as_deref().map(OutputFile::create).transpose();
    let file = file.map_err(|error| outputs::unwritable(&error))?;
    let seed = seed(args.runs.seed, args.runs.virtual_time);
    let guesses = predictions(args, labs.iter().map(|(_, lab)| lab))?;
    let runner = Runner::new(&args.runs, seed)?;
    let (mut sheets, mut first, mut refusal) = (Vec::new(), None, None);
    for (((_, lab), guesses), doubt) in labs.iter().zip(guesses).zip(doubts) {
        if runner.is_interrupted() {
            break;
        }
        let runs = match runner.all(lab) {
            Ok(runs) => runs,
            // What was checked before is kept all the same.
            Err(error) => {
                refusal = Some(error);
                break;
            }
        };
        let twins = if args.runs.virtual_time { None } else { Some(runner.virtually(lab)) };
        let graded = judge(lab, &runs, twins.as_deref(), form(args.runs.quick));
        if !sheets.is_empty() {
            outputs::to_stdout(|out| writeln!(out));
        }
        print(lab, &graded, &guesses, doubt.as_deref(), args, seed);
        sheets.push(LabSheet::new(lab, doubt, &graded, &guesses, &runs));
        first = first.or(runs.into_iter().next());
    }
    let mode = if args.runs.virtual_time { Mode::Virtual } else { Mode::Live };
    let sheet = Sheet::new(sheets, form(args.runs.quick), seed, first.as_ref(), mode);
    if labs.len() > 1 {
        print_total(&sheet.labs);
    }
    let written = file.map_or(Ok(()), |file| {
        file.finish_with(|out| {
            serde_json::to_writer_pretty(&mut *out, &sheet)?;
            writeln!(out)
        })
    });
    if let Err(error) = written {
        return Err(Refusal::Environment(error.to_string()));
    }
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    if runner.is_interrupted() {
        return Ok(Exit::Interrupted);
    }
    Ok(match together(sheet.labs.iter().map(|lab| lab.verdict)) {
        Outcome::Pass => Exit::Pass,
        Outcome::Fail => Exit::Fail,
        Outcome::Invalid => Exit::Invalid,
    })
}

/// Refuses labs whose claims are in doubt: a verdict by claims that were changed, or never tried, says nothing.
fn refuse(labs: &[(&Source, Lab)], doubts: &[Option<String>]) -> Result<(), Refusal> {
    let doubtful = labs.iter().zip(doubts).filter_map(|((source, _), doubt)| {
        let store = source.kept_in().unwrap_or_else(|| KEPT_FILE.into());
        let (doubt, id, store) = (doubt.as_ref()?, &source.id, store.display());
        Some(format!(
            "{doubt}\n    remedy: take back what was changed, or try them: lab-driver lab lint {id} --seeds 10000 \
             --store {store}"
        ))
    });
    let mut lines: Vec<String> = doubtful.collect();
    if lines.is_empty() {
        return Ok(());
    }
    lines.push(
        "nothing was run; --unchecked judges them all the same, and never as a pass".to_owned(),
    );
    Err(Refusal::Usage(lines.join("\n")))
}

/// The learner's predictions, one list per lab.
fn predictions<'a>(
    args: &Args,
    labs: impl Iterator<Item = &'a Lab>,
) -> Result<Vec<Vec<Option<Guess>>>, Refusal> {
    if !args.predict {
        return Ok(labs.map(|_| Vec::new()).collect());
    }
    let mut answers = io::stdin().lock();
    labs.map(|lab| predict::ask(lab, &mut answers))
        .collect::<io::Result<_>>()
        .map_err(|error| Refusal::Usage(format!("the answers cannot be read: {error}")))
}

fn judge(lab: &Lab, runs: &[RunRecord], twins: Option<&[RunRecord]>, form: Form) -> Vec<Graded> {
    let facts = |runs| facts(lab, runs);
    let twin = twins.map(facts);
    grade(&facts(runs), twin.as_ref(), form)
}

fn facts<'a>(lab: &'a Lab, runs: &'a [RunRecord]) -> LabFacts<'a> {
    let records = runs.iter().map(|run| (run.label.as_str(), run)).collect();
    LabFacts { lab, records, times: None, exit: exit_of }
}

fn print(
    lab: &Lab,
    graded: &[Graded],
    guesses: &[Option<Guess>],
    doubt: Option<&str>,
    args: &Args,
    seed: u64,
) {
    let time = if args.runs.virtual_time { "in virtual time" } else { "live" };
    let length = form(args.runs.quick).name();
    let style = outputs::stdout_style();
    outputs::to_stdout(|out| {
        writeln!(out, "{} {}: {time}, {length} length, seed {seed}", lab.id, lab.title)?;
        table::write(graded, guesses, out)?;
        table::write_basis(args.runs.virtual_time, out)?;
        table::write_verdict(graded, doubt, style, out)
    });
}

fn print_total(labs: &[LabSheet]) {
    let named = |wanted| -> Vec<&str> {
        labs.iter().filter(|lab| lab.verdict == wanted).map(|lab| lab.id.as_str()).collect()
    };
    let passed = named(Outcome::Pass).len();
    outputs::to_stdout(|out| {
        write!(out, "\n{passed} of {} labs pass", labs.len())?;
        for (wanted, word) in [(Outcome::Fail, "fail"), (Outcome::Invalid, "inconclusive")] {
            let those = named(wanted);
            if !those.is_empty() {
                write!(out, "; {word}: {}", those.join(", "))?;
            }
        }
        writeln!(out)
    });
}
