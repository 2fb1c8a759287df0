//! The commands as a user meets them: the program itself, with its exit codes, streams and files.
#![allow(clippy::disallowed_methods, reason = "servers are threads, and waiting has a deadline")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]
#![allow(clippy::unwrap_used, reason = "a failed helper is a failed test")]

mod abort;
mod bad_input;
mod breakpoint;
mod doctor;
mod failures;
mod gate;
mod interrupt;
mod knee;
mod locust_files;
mod output_files;
mod samples;
mod streams;
mod summary;
mod support;
mod target_away;
mod truth;
mod two_clocks;
mod virtual_time;
