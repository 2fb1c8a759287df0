//! What crosses threads in a live run: the wish to stop, and a batch of samples per tick.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::engine::tick::{Delta, TICK};
use crate::engine::time::Ns;

/// Ends a run before its time.
#[derive(Debug)]
pub struct Control {
    stop: AtomicBool,
    hurry: AtomicBool,
    /// The instant of the run at which starts end, once somebody has asked for it; `u64::MAX` before.
    stop_at: AtomicU64,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            stop: AtomicBool::new(false),
            hurry: AtomicBool::new(false),
            stop_at: AtomicU64::new(u64::MAX),
        }
    }
}

impl Control {
    /// Starts nothing more; what is in flight may still answer.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Also gives up what is in flight.
    pub fn hurry(&self) {
        self.stop();
        self.hurry.store(true, Ordering::Relaxed);
    }

    /// Whether starts are to end.
    pub fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The one instant at which all dispatchers end their starts, if they are to end. Whoever asks first
    /// sets it two ticks ahead, so that every dispatcher learns of it before it comes.
    pub fn stop_at(&self, now: Ns) -> Option<Ns> {
        if !self.stops() {
            return None;
        }
        let ahead = now + TICK + TICK;
        let set =
            self.stop_at.compare_exchange(u64::MAX, ahead.0, Ordering::Relaxed, Ordering::Relaxed);
        Some(set.map_or_else(Ns, |_| ahead))
    }

    /// Whether the drain is to end too.
    pub fn hurries(&self) -> bool {
        self.hurry.load(Ordering::Relaxed)
    }
}

/// Where one dispatcher leaves its batches and the collector finds them. Locked twice a tick, by two threads.
#[derive(Debug, Default)]
pub struct Outbox(Mutex<Vec<Delta>>);

impl Outbox {
    /// Leaves a batch.
    pub fn put(&self, delta: Delta) {
        self.batches().push(delta);
    }

    /// Takes all batches.
    pub fn take(&self) -> Vec<Delta> {
        std::mem::take(&mut *self.batches())
    }

    fn batches(&self) -> std::sync::MutexGuard<'_, Vec<Delta>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
