//! The pure core: decides when, records what happened, judges it. It never reads a clock, sleeps, spawns,
//! opens a file or prints; clippy holds it to that.
#![deny(clippy::disallowed_methods)]

pub mod abort;
pub mod agenda;
pub mod arrivals;
pub mod breakpoint;
pub mod claim;
pub mod conclude;
pub mod counters;
pub mod dispatch;
pub mod distribution;
mod distribution_json;
pub mod executor;
pub mod health;
pub mod in_flight;
pub mod join;
pub mod judge;
pub mod knee;
pub mod outcome;
pub mod plan;
pub mod prediction;
pub mod profile;
pub mod quantity;
pub mod random;
pub mod reading;
pub mod record;
pub mod recorder;
pub mod recording;
pub mod rows;
pub mod sample;
pub mod segment_result;
mod sliding;
#[cfg(test)]
pub(crate) mod testing;
pub mod tick;
pub mod time;
pub mod verdict;
pub mod warning;
pub mod whole;
pub mod window;
