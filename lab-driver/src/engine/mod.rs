//! The pure core: no clock, no thread, no file, no output; the same answers in real and virtual time.

pub mod claim;
pub mod quantity;
pub mod time;
