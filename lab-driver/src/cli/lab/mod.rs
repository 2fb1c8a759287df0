//! `lab`: the exercises, one file per subcommand.

mod check;
mod lint;
mod list;
mod predict;
mod run;
mod runs;
pub(super) mod server;
mod show;
mod table;

use std::path::PathBuf;

use clap::Subcommand;

use super::session::fresh_seed;
use super::{Exit, Refusal, outputs};
use crate::engine::record::RunRecord;
use crate::engine::verdict::Verdict;
use crate::labs::find::{self, FindError, Source};
use crate::labs::lab::{Form, Lab};
use crate::scenario::Mistakes;

/// The exercises: list, show, run, check and lint them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lab-driver lab list
  lab-driver lab show knee
  lab-driver lab check 3 --predict
  lab-driver lab check --all --quick")]
pub(super) struct Args {
    /// Take the labs from this folder; by default from the checkout that this program was built in, else from the
    /// program itself
    #[arg(long, env = "LAB_LABS", value_name = "DIR", global = true)]
    labs: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// All labs: what they are about and how long they take.
    List,
    /// A lab's text, and what it claims.
    Show(show::Args),
    /// The runs of a lab, shown as run and ramp show them; nothing is judged.
    Run(run::Args),
    /// Runs a lab and judges its claims.
    Check(check::Args),
    /// For authors: are the labs in order, and do their claims hold over many seeds?
    Lint(lint::Args),
}

pub(super) fn run(args: &Args) -> Result<Exit, Refusal> {
    let program = std::env::current_exe().ok();
    let sources = find::all(args.labs.as_deref(), program.as_deref())?;
    match &args.command {
        Command::List => list::run(&sources),
        Command::Show(args) => show::run(args, &sources),
        Command::Run(args) => run::run(args, &sources),
        Command::Check(args) => check::run(args, &sources),
        Command::Lint(args) => lint::run(args, &sources),
    }
}

impl From<FindError> for Refusal {
    fn from(error: FindError) -> Self {
        Self::Usage(error.to_string())
    }
}

/// The labs of these names, each once; all for none. Every name that means none is reported.
fn chosen<'a>(sources: &'a [Source], names: &[String]) -> Result<Vec<&'a Source>, Refusal> {
    if names.is_empty() {
        return Ok(sources.iter().collect());
    }
    let mut found: Vec<&Source> = Vec::new();
    let mut unknown = Vec::new();
    for name in names {
        match find::named(sources, name) {
            Ok(source) if found.contains(&source) => {}
            Ok(source) => found.push(source),
            Err(error) => unknown.push(error.to_string()),
        }
    }
    if unknown.is_empty() { Ok(found) } else { Err(Refusal::Usage(unknown.join("\n"))) }
}

/// Reads the labs; all mistakes of all of them at once.
fn read<'a>(sources: &[&'a Source]) -> Result<Vec<(&'a Source, Lab)>, Refusal> {
    let mut mistakes = Mistakes::default();
    let mut labs = Vec::new();
    for source in sources {
        match source.lab() {
            Ok(lab) => labs.push((*source, lab)),
            Err(found) => mistakes = mistakes.and(found),
        }
    }
    Ok(mistakes.or(labs)?)
}

/// The exit code of a command that makes these runs: what `exit(…)` in a claim is about.
fn exit_of(runs: &[&RunRecord]) -> u8 {
    let verdict = Verdict::gravest(runs.iter().map(|run| &run.verdict));
    Exit::of(&verdict, runs, None).code()
}

fn form(quick: bool) -> Form {
    if quick { Form::Quick } else { Form::Full }
}

/// The seed of a command that was given none: always the same in virtual time, where nothing else varies and a
/// check has to give the same verdict everywhere.
fn seed(given: Option<u64>, virtual_time: bool) -> u64 {
    given.unwrap_or_else(|| if virtual_time { 1 } else { fresh_seed() })
}
