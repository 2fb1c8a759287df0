//! The lab-driver command.
fn main() {}
