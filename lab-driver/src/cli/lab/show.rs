//! `lab show`: the learner's text, and what the lab claims.

use super::{Exit, Refusal, Source, chosen, outputs, read};
use crate::labs::lab::Scope;

/// A lab's text, and what it claims.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lab-driver lab show 3
  lab-driver lab show knee --hints")]
pub(super) struct Args {
    /// The lab: 3, 03, knee or 03-knee
    #[arg(value_name = "NAME")]
    name: String,
    /// Also show the hints
    #[arg(long, env = "LAB_HINTS")]
    hints: bool,
}

pub(super) fn run(args: &Args, sources: &[Source]) -> Result<Exit, Refusal> {
    let found = chosen(sources, std::slice::from_ref(&args.name))?;
    for (source, lab) in read(&found)? {
        outputs::to_stdout(|out| {
            writeln!(out, "{}\n", source.readme.trim_end())?;
            writeln!(out, "## What is claimed")?;
            for claim in &lab.claims {
                writeln!(out, "\n{}: {}", claim.id, claim.that.source())?;
                if let Some(quick) = &claim.quick {
                    writeln!(out, "  in the quick form: {}", quick.source())?;
                }
                writeln!(out, "  because: {}", claim.because)?;
                if args.hints {
                    writeln!(out, "  hint: {}", claim.hint)?;
                }
                if let Scope::Live { not_in_virtual_time } = &claim.scope {
                    writeln!(out, "  only live: {not_in_virtual_time}")?;
                }
            }
            Ok(())
        });
    }
    Ok(Exit::Pass)
}
