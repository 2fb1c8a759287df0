//! Teaching targets for load testing: HTTP services, each with exactly the limit its lesson is
//! about, that tell the truth about themselves.
//!
//! - [`config`]: the command line and the checked settings; [`run`] serves with them until told to stop.
//! - [`targets`]: one file per target, and the one place where they are registered.
//! - `pool` and [`timer`]: what makes a limit exact, a first-come-first-served pool and a precise
//!   sleep.
//! - [`work`] and [`freeze`]: how long work lasts, and when everything stands still.
//! - `truth`: the counters; `admin` shows them on a port of its own. `truth_log`: a row per request.
//!
//! A server has one thread with its own event loop per worker, all accepting from one listener, and
//! one for the admin. Nothing here knows what load is.

mod admin;
mod answer;
mod cache;
mod clock;
pub mod config;
mod duration;
pub mod freeze;
mod lab;
mod metrics;
mod mistakes;
mod pool;
mod random;
mod server;
pub mod targets;
pub mod timer;
mod truth;
mod truth_log;
pub mod work;
mod worker;

pub use config::{CommandLine, Config};
pub use mistakes::Mistakes;
pub use server::{Listeners, Running, StartError, run, spawn};
