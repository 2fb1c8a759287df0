//! Why a live run did not begin.

use crate::engine::outcome::TransportFailure;

/// Why a live run did not begin.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The early connections could not be made.
    #[error("cannot connect to {host}: {}", .failure.describe())]
    Unreachable {
        /// The target.
        host: String,
        /// What happened.
        failure: TransportFailure,
    },
    /// Stopped from outside while connecting.
    #[error("interrupted while connecting")]
    Interrupted,
    /// A dispatcher could not be set up.
    #[error("a dispatcher could not start: {0}")]
    Setup(#[from] std::io::Error),
    /// A dispatcher ended in a panic; its message is on standard error.
    #[error("a dispatcher failed: this is a defect of lab-driver, please report it")]
    Panicked,
}
