//! What crosses threads in a live run: the wish to stop, and a batch of samples per tick.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::engine::abort::NOTICE;
use crate::engine::tick::Delta;
use crate::engine::time::Ns;

/// Ends a run before its time: the user's wish, which holds for all runs of a command, and the instant at which
/// this run's starts end.
#[derive(Debug)]
pub struct Control {
    wish: Arc<Wish>,
    /// The instant of the run at which starts end, once somebody has asked for it; `u64::MAX` before.
    stop_at: AtomicU64,
}

#[derive(Debug, Default)]
struct Wish {
    stop: AtomicBool,
    hurry: AtomicBool,
}

impl Default for Control {
    fn default() -> Self {
        Self { wish: Arc::default(), stop_at: AtomicU64::new(u64::MAX) }
    }
}

impl Control {
    /// For one of several runs that the same user may end.
    #[must_use]
    pub fn for_one_run(&self) -> Self {
        Self { wish: Arc::clone(&self.wish), ..Self::default() }
    }

    /// Starts nothing more; what is in flight may still answer.
    pub fn stop(&self) {
        self.wish.stop.store(true, Ordering::Relaxed);
    }

    /// Also gives up what is in flight.
    pub fn hurry(&self) {
        self.stop();
        self.wish.hurry.store(true, Ordering::Relaxed);
    }

    /// Whether the user wants starts to end.
    pub fn stops(&self) -> bool {
        self.wish.stop.load(Ordering::Relaxed)
    }

    /// Ends the starts of this run alone. Whoever asks first sets the instant, for all dispatchers, so far ahead
    /// that every one of them learns of it before it comes.
    pub fn end_soon(&self, now: Ns) -> Ns {
        let ahead = now + NOTICE;
        let set =
            self.stop_at.compare_exchange(u64::MAX, ahead.0, Ordering::Relaxed, Ordering::Relaxed);
        set.map_or_else(Ns, |_| ahead)
    }

    /// The one instant at which all dispatchers end their starts, if they are to end.
    pub fn stop_at(&self, now: Ns) -> Option<Ns> {
        match self.stop_at.load(Ordering::Relaxed) {
            u64::MAX => self.stops().then(|| self.end_soon(now)),
            at => Some(Ns(at)),
        }
    }

    /// Whether the drain is to end too.
    pub fn hurries(&self) -> bool {
        self.wish.hurry.load(Ordering::Relaxed)
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
