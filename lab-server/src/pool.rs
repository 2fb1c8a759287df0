//! A pool of permits, strictly first come, first served, that accounts for every nanosecond.

mod gauges;

use std::collections::BTreeMap;
use std::future::Future;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use self::gauges::Gauges;
pub(crate) use self::gauges::Resource;
use crate::clock::monotonic_ns;

/// Permits shared by all workers, like the connections of a database pool.
pub(crate) struct Pool {
    name: &'static str,
    /// A std lock, because it is held for a few instructions and never across an await.
    state: Mutex<State>,
}

struct State {
    gauges: Gauges,
    /// Who waits, by ticket. Whoever is no longer here holds a permit: a freed permit goes
    /// straight to the first in line, so that no newcomer can overtake.
    line: BTreeMap<u64, Waker>,
    tickets: u64,
}

impl Pool {
    /// A pool of `capacity` permits, all free; `name` is what the counters call it.
    pub(crate) fn new(name: &'static str, capacity: NonZeroU32) -> Arc<Self> {
        let gauges = Gauges::new(capacity.get(), monotonic_ns());
        Arc::new(Self {
            name,
            state: Mutex::new(State { gauges, line: BTreeMap::new(), tickets: 0 }),
        })
    }

    /// Takes a permit, or a place in the line, now, at the call rather than at the first poll.
    /// Dropping the future leaves the line, or gives the permit back.
    pub(crate) fn acquire(self: &Arc<Self>) -> Acquire {
        let pool = Arc::clone(self);
        let mut state = self.lock();
        let place = if state.gauges.arrive(monotonic_ns()) {
            Place::Granted
        } else {
            state.tickets += 1;
            let ticket = state.tickets;
            state.line.insert(ticket, Waker::noop().clone());
            Place::InLine(ticket)
        };
        drop(state);
        Acquire { pool, place }
    }

    /// The gauges and the cumulative counters as of now.
    pub(crate) fn resource(&self) -> Resource {
        self.lock().gauges.at(self.name, monotonic_ns())
    }

    /// Zeroes what is cumulative; permits held and places in the line stay.
    pub(crate) fn reset(&self) {
        self.lock().gauges.reset(monotonic_ns());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the pool")
    }

    fn give_back(&self, served: bool) {
        let mut state = self.lock();
        let next = if state.gauges.give_back(monotonic_ns(), served) {
            let (_, waker) = state.line.pop_first().expect("the line is as long as `waiting` says");
            Some(waker)
        } else {
            None
        };
        drop(state);
        if let Some(waker) = next {
            waker.wake();
        }
    }
}

/// The future of [`Pool::acquire`].
#[must_use = "dropping it gives up the place in the line"]
pub(crate) struct Acquire {
    pool: Arc<Pool>,
    place: Place,
}

enum Place {
    InLine(u64),
    Granted,
    /// The permit has been handed out.
    Left,
}

impl Future for Acquire {
    type Output = Permit;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit> {
        if let Place::InLine(ticket) = self.place
            && let Some(waker) = self.pool.lock().line.get_mut(&ticket)
        {
            waker.clone_from(context.waker());
            return Poll::Pending;
        }
        self.place = Place::Left;
        Poll::Ready(Permit { pool: Arc::clone(&self.pool), served: false })
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        let granted = match self.place {
            Place::Left => return,
            Place::Granted => true,
            Place::InLine(ticket) => {
                let mut state = self.pool.lock();
                let waited = state.line.remove(&ticket).is_some();
                if waited {
                    state.gauges.give_up(monotonic_ns());
                }
                // Not in the line any more: the permit came, and nobody looked at it.
                !waited
            }
        };
        if granted {
            self.pool.give_back(false);
        }
    }
}

/// One permit; freed when dropped, which is how an abandoned request frees it.
#[must_use = "dropping it frees the permit"]
pub(crate) struct Permit {
    pool: Arc<Pool>,
    served: bool,
}

impl Permit {
    /// Frees the permit and counts its work as served.
    pub(crate) fn served(mut self) {
        self.served = true;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.pool.give_back(self.served);
    }
}

#[cfg(test)]
mod tests;
