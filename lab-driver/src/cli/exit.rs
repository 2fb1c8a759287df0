//! Exit codes: what a shell, a CI job or a lab reads of a command, decided here and nowhere else.

use std::borrow::Borrow;
use std::process::ExitCode;

use crate::engine::record::RunRecord;
use crate::engine::verdict::{Outcome, Verdict};
use crate::scenario::Mistakes;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: everything that was asked holds.
    Pass,
    /// 1: a threshold, budget or claim does not hold, or requests failed.
    Fail,
    /// 2: the command line, a scenario or a result file is wrong; nothing was sent.
    Usage,
    /// 3: the generator or its machine is at fault; nothing was judged.
    Invalid,
    /// 4: the surroundings are not as needed: no target, a port or a place taken.
    Environment,
    /// 130: interrupted; what ran until then was written.
    Interrupted,
    /// Another code that the user wants for thresholds, as k6's 99.
    Wanted(u8),
}

impl Exit {
    /// The code for the shell.
    pub fn code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::Usage => 2,
            Self::Invalid => 3,
            Self::Environment => 4,
            Self::Interrupted => 130,
            Self::Wanted(code) => code,
        }
    }

    /// Of a verdict over `runs`. `on_threshold` replaces 1 where a threshold is the reason, or one that aborts.
    pub fn of<R: Borrow<RunRecord>>(
        verdict: &Verdict,
        runs: &[R],
        on_threshold: Option<u8>,
    ) -> Self {
        let runs = || runs.iter().map(Borrow::borrow);
        if runs().any(|run| run.interrupted) {
            return Self::Interrupted;
        }
        let broken = runs().any(|run| run.aborted.is_some())
            || runs().flat_map(|run| &run.thresholds).any(|threshold| !threshold.holds);
        match (verdict.outcome, on_threshold) {
            (Outcome::Pass, _) => Self::Pass,
            (Outcome::Invalid, _) => Self::Invalid,
            (Outcome::Fail, Some(code)) if broken => Self::Wanted(code),
            (Outcome::Fail, _) => Self::Fail,
        }
    }

    /// The same if all results could be kept; those that could not must not look like a success.
    #[must_use]
    pub fn if_kept(self, all_kept: bool) -> Self {
        if all_kept || self != Self::Pass { self } else { Self::Environment }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command could not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// What the user wrote is wrong.
    #[error("{0}")]
    Usage(String),
    /// The surroundings are not as needed.
    #[error("{0}")]
    Environment(String),
    /// Ctrl-C before anything was sent.
    #[error("interrupted before the first request; nothing was measured")]
    Interrupted,
}

impl Refusal {
    /// The exit that it means.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Environment(_) => Exit::Environment,
            Self::Interrupted => Exit::Interrupted,
        }
    }
}

impl From<Mistakes> for Refusal {
    fn from(mistakes: Mistakes) -> Self {
        Self::Usage(mistakes.to_string())
    }
}
