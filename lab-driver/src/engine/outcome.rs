//! How a request ended: what the transport saw, and what the plan makes of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::Task;
use super::time::Ns;

/// How an exchange ended, as the live transport or a model of the target reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A whole response arrived.
    Answered {
        /// HTTP status code.
        status: u16,
        /// Body bytes.
        bytes: u64,
        /// Whether the body contained what the task expects; true when it expects nothing.
        body_matches: bool,
    },
    /// There is no response and no response time.
    Transport(TransportFailure),
    /// The task's time-out passed first.
    TimedOut,
    /// The drain ended first.
    CutOff,
}

impl Reply {
    /// Whether no response came because the connection failed.
    pub fn is_transport_failure(&self) -> bool {
        matches!(self, Self::Transport(_))
    }
}

/// What went wrong below HTTP, or in it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TransportFailure {
    /// Nothing listens on the port.
    Refused,
    /// The connection was reset.
    Reset,
    /// The connection was closed before the response was complete.
    ClosedEarly,
    /// There is no way to the address.
    Unreachable,
    /// This machine has no local port left.
    NoPorts,
    /// This process may open no more files.
    NoFiles,
    /// What came back is not an HTTP response.
    BadResponse,
    /// No answer to the attempt to connect.
    ConnectTimeout,
    /// Any other error of the system.
    System,
}

impl TransportFailure {
    /// The words of the error table.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Refused => "connection refused",
            Self::Reset => "connection reset",
            Self::ClosedEarly => "connection closed before the response was complete",
            Self::Unreachable => "address unreachable",
            Self::NoPorts => "no local port left on this machine",
            Self::NoFiles => "too many open files in the driver",
            Self::BadResponse => "not an HTTP response",
            Self::ConnectTimeout => "no answer to the attempt to connect",
            Self::System => "system error",
        }
    }
}

/// Why a request counts as failed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The connection failed.
    Transport(TransportFailure),
    /// No answer within the time-out.
    TimedOut,
    /// Still in flight when the drain ended.
    CutOff,
    /// The status is not the expected one.
    Status(u16),
    /// The body lacks the expected text.
    Check,
    /// The answer came later than `--fail-slower` allows.
    Slow,
}

impl Failure {
    /// Whether the target did serve the request: such failures stay in for the knee and the laws.
    pub fn was_served(self) -> bool {
        self == Self::Slow
    }

    /// Whether it waited without an answer: its true response time is at least what it waited.
    pub fn is_censored(self) -> bool {
        matches!(self, Self::TimedOut | Self::CutOff)
    }

    /// The words of the error table for `task`.
    pub fn describe(self, task: &Task) -> String {
        match self {
            Self::Transport(failure) => failure.describe().to_owned(),
            Self::TimedOut => format!("no answer within {}", task.timeout),
            Self::CutOff => "still in flight when the drain ended (cut off)".to_owned(),
            Self::Status(code) => format!("status {code}"),
            Self::Check => format!("body does not contain {:?}", task.expect.body_contains),
            Self::Slow => match task.fail_slower {
                Some(limit) => format!("took over {limit}"),
                None => "too slow".to_owned(),
            },
        }
    }
}

/// Judges a reply by what `task` expects; none when it is a success.
///
/// `response` is the response time. When several rules are broken, the one nearest the wire is named.
pub fn judge(reply: &Reply, task: &Task, response: Ns) -> Option<Failure> {
    match *reply {
        Reply::Transport(failure) => Some(Failure::Transport(failure)),
        Reply::TimedOut => Some(Failure::TimedOut),
        Reply::CutOff => Some(Failure::CutOff),
        Reply::Answered { status, body_matches, .. } => {
            let expected = task.expect.status_from..=task.expect.status_to;
            if !expected.contains(&status) {
                Some(Failure::Status(status))
            } else if !body_matches {
                Some(Failure::Check)
            } else if task.fail_slower.is_some_and(|limit| response > limit) {
                Some(Failure::Slow)
            } else {
                None
            }
        }
    }
}
