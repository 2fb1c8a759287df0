//! The load driver as a library: a pure engine, a live and a virtual driver around it, and the commands on top.
//!
//! ARCHITECTURE.md has the map. In short: [`scenario`] reads what to do, [`engine`] decides when and records what
//! happened, [`live`] and [`sim`] carry it out in real and in virtual time, [`render`] shows it, [`cli`] ties
//! them together.
#![allow(clippy::disallowed_methods)]

pub mod cli;
pub mod engine;
pub mod labs;
pub mod live;
pub mod render;
pub mod results;
pub mod scenario;
pub mod sim;
