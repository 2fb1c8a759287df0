//! The load driver as a library.
#![allow(clippy::disallowed_methods)]

pub mod engine;
pub mod scenario;
