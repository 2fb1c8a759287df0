//! The real-time side: clock, timer, sockets and what this host permits.

pub mod admin_client;
pub mod clock;
pub mod http;
pub mod limits;
pub mod target;
pub mod timer;
