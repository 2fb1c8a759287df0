//! The pieces that models of targets are made of. Each is one queueing discipline; they compose in series.

mod cache;
mod delay;
mod freeze;
mod service;
mod slots;

pub use cache::Cache;
pub use delay::Delay;
pub use freeze::Freeze;
pub use service::Service;
pub use slots::Slots;

use super::events::{Events, Job};
use crate::engine::counters::Resource;
use crate::engine::time::Ns;

/// A place that requests pass. Instants never go back from one call to the next.
pub trait Piece: std::fmt::Debug + Send {
    /// The next request of the driver's `slot` asks for this id. Said before it arrives, where its path tells.
    fn asks_for(&mut self, _slot: u32, _id: Option<u64>) {}
    /// `job` arrives. The piece schedules the instant at which it is done with it.
    fn arrive(&mut self, now: Ns, job: Job, events: &mut Events);
    /// The scheduled instant has come: `job` leaves.
    fn leave(&mut self, now: Ns, job: Job, events: &mut Events);
    /// The client of `job` has gone away while the job was here.
    fn abandon(&mut self, now: Ns, job: Job, events: &mut Events);
    /// What can be full here, as the target would report it; none if nothing can.
    fn resource(&self, now: Ns) -> Option<Resource>;
}
