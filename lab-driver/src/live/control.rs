//! What crosses threads in a live run: the wish to stop, and a batch of samples per tick.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::tick::Delta;

/// Ends a run before its time.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    hurry: AtomicBool,
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
