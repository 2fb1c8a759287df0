//! Virtual time: the engine against a queueing model of the target, and the laws of queueing theory beside it.
#![deny(clippy::disallowed_methods)]

pub mod asked;
pub mod breakpoint;
pub mod events;
pub mod laws;
pub mod model;
pub mod pieces;
pub mod predict;
pub mod ramp;
pub mod run;
pub mod targets;
pub mod twin;
