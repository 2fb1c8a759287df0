//! Real time: dispatchers on threads, requests over HTTP, and what this host permits.

pub mod admin;
pub mod admin_client;
pub mod clock;
pub mod control;
pub mod dispatcher;
mod dispatchers;
mod edges;
pub mod http;
pub mod http_fleet;
pub mod limits;
pub mod machine;
pub mod requests;
pub mod run;
pub mod target;
pub mod timer;
pub mod transport;
