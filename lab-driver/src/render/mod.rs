//! Formatting of results: text, CSV and JSON. Nothing here computes a statistic; the engine does.
//!
//! What reaches a terminal has its control characters replaced: names and messages may come from a stranger's file.

pub mod breakpoint;
pub mod calendar;
pub mod columns;
pub mod errors;
pub mod figures;
pub mod files;
#[cfg(test)]
pub(crate) mod fixture;
pub mod health;
pub mod json;
pub mod locust_csv;
pub mod locust_history;
pub mod machine;
pub mod needed;
pub mod pace;
pub mod progress;
pub mod ramp;
pub mod samples;
pub mod split;
pub mod style;
pub mod table;
pub mod truth;
pub mod verdict;
