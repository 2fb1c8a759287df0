//! The load driver as a library.

pub mod engine;
