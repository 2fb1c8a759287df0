//! The lab-server command.
fn main() {}
