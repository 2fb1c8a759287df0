//! The commands: one file each, and the only place that prints or decides exit codes.

mod breakpoint;
mod doctor;
mod exit;
mod flags;
mod interrupt;
mod lab;
mod live_target;
mod looped;
mod machine;
mod outputs;
mod ramp;
mod run;
mod session;
mod summary;
mod truth;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use exit::{Exit, Refusal};

/// Drives load at a target and says how it answered, in real or in virtual time.
#[derive(Debug, Parser)]
#[command(name = "lab-driver", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Exit codes:
  0    pass
  1    a threshold does not hold, or requests failed
  2    the command line or a file is wrong; nothing was sent
  3    invalid: the generator could not keep up, nothing was judged
  4    no target, or something else is not there
  130  interrupted; results are written
Words are explained in labs/GLOSSARY.md.
Only load-test what you own or have permission to test.";

#[derive(Debug, Subcommand)]
enum Command {
    /// One run: a table, a verdict, and files if asked for.
    Run(run::Args),
    /// One run per level, then the knee, what was full, and what theory predicts.
    Ramp(ramp::Args),
    /// Arrivals that climb until a rule breaks: where they stopped, the knee apart from it, and what was full.
    Breakpoint(breakpoint::Args),
    /// One loop that sends on a schedule, measured from sending and from the planned start.
    Loop(looped::Args),
    /// The table of runs that have been written to files, ours or Locust's.
    Summary(summary::Args),
    /// Response times as reported beside the true ones, by joining samples with the target's own log.
    Truth(truth::Args),
    /// The exercises: list, show, run, check and lint them.
    Lab(lab::Args),
    /// The machine line: where numbers were measured belongs to them.
    Machine,
    /// Before a workshop: is this machine, as it is now, good enough for the labs? Takes a few seconds.
    Doctor,
}

/// Runs the command that `arguments` (the program's name first) ask for.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let parsed = Cli::command().try_get_matches_from(arguments).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, matches))
    });
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are answers, not mistakes, and go to stdout.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Pass.into() };
        }
    };
    // What clap does not tell in a derived struct: the order of flags on the command line.
    let order = matches.subcommand().map(|(_, matches)| matches);
    let ended = match cli.command {
        Command::Run(args) => run::run(&args, order),
        Command::Ramp(args) => ramp::run(&args, order),
        Command::Breakpoint(args) => breakpoint::run(&args, order),
        Command::Loop(args) => looped::run(&args),
        Command::Summary(args) => summary::run(&args),
        Command::Truth(args) => truth::run(&args),
        Command::Lab(args) => lab::run(&args),
        Command::Machine => Ok(machine::run()),
        Command::Doctor => doctor::run(),
    };
    match ended {
        Ok(exit) => exit.into(),
        Err(refusal) => {
            complain(&refusal.to_string());
            refusal.exit().into()
        }
    }
}

/// Says on stderr what is wrong, each line marked as ours.
fn complain(text: &str) {
    let mut stderr = std::io::stderr().lock();
    // Nobody is left to tell when stderr itself is gone.
    let _ = writeln!(stderr, "lab-driver: {text}");
}
