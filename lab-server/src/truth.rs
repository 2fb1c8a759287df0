//! What the server counts about itself: requests by route, requests in progress, CPU, memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::cache::CacheUse;
use crate::clock::{monotonic_ns, process_cpu, seconds};
use crate::freeze::Freezing;
use crate::pool::Resource;
use crate::truth_log::LogUse;

/// The name under which requests to no known route, or with a wrong method, are counted.
pub(crate) const OTHER: &str = "other";

/// The answer to `GET /lab/counters`. Everything but `in_flight` and the resources' gauges is
/// cumulative since the last reset, except `t`, `cpu_s` and `truth_log`, which no reset touches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Counters {
    /// The target's name.
    pub(crate) lab: &'static str,
    /// `CLOCK_MONOTONIC` in seconds.
    pub(crate) t: f64,
    /// Seconds since the start or the last reset.
    pub(crate) since_reset_s: f64,
    /// CPU seconds of the whole process since it began.
    pub(crate) cpu_s: f64,
    /// Resident memory in bytes; `None` where the system does not tell.
    pub(crate) rss_bytes: Option<u64>,
    /// Requests that have arrived and are not answered yet.
    pub(crate) in_flight: u64,
    /// Requests that have arrived, by route, and [`OTHER`].
    pub(crate) requests: BTreeMap<&'static str, u64>,
    /// What only this target counts.
    #[serde(flatten)]
    pub(crate) counts: BTreeMap<&'static str, u64>,
    /// What can be full.
    pub(crate) resources: Vec<Resource>,
    /// What can be found without work.
    pub(crate) caches: Vec<CacheUse>,
    /// `None` if this server never freezes.
    pub(crate) freeze: Option<Freezing>,
    /// `None` if no truth log is written.
    pub(crate) truth_log: Option<LogUse>,
    /// The target's settings, under the names of its flags.
    pub(crate) knobs: Map<String, Value>,
}

/// Counts requests. One lock for all, so that a snapshot never shows half a request.
pub(crate) struct Truth {
    tally: Mutex<Tally>,
}

/// What [`Truth`] knows at one instant.
#[derive(Clone)]
pub(crate) struct Tally {
    pub(crate) in_flight: u64,
    pub(crate) requests: BTreeMap<&'static str, u64>,
    reset_at: u64,
}

impl Truth {
    /// Counts for `routes`, all zero.
    pub(crate) fn new(routes: impl Iterator<Item = &'static str>) -> Arc<Self> {
        let requests = routes.chain([OTHER]).map(|route| (route, 0)).collect();
        let tally = Tally { in_flight: 0, requests, reset_at: monotonic_ns() };
        Arc::new(Self { tally: Mutex::new(tally) })
    }

    /// Counts a request for `route`, which is in flight until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>, route: &'static str) -> InFlight {
        let mut tally = self.lock();
        tally.in_flight += 1;
        *tally.requests.entry(route).or_default() += 1;
        InFlight(Arc::clone(self))
    }

    pub(crate) fn tally(&self) -> Tally {
        self.lock().clone()
    }

    /// Zeroes the requests unless some are in flight; `Err` says how many.
    pub(crate) fn reset(&self, force: bool) -> Result<(), u64> {
        let mut tally = self.lock();
        if tally.in_flight > 0 && !force {
            return Err(tally.in_flight);
        }
        tally.requests.values_mut().for_each(|count| *count = 0);
        tally.reset_at = monotonic_ns();
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().expect("nothing panics while it holds the counters")
    }
}

/// A request in flight; also ends when the client goes away and the request is dropped.
pub(crate) struct InFlight(Arc<Truth>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.lock().in_flight -= 1;
    }
}

impl Tally {
    pub(crate) fn since_reset_s(&self) -> f64 {
        seconds(monotonic_ns() - self.reset_at)
    }
}

/// CPU seconds of this process.
pub(crate) fn cpu_s() -> f64 {
    process_cpu().as_secs_f64()
}

/// Resident memory of this process in bytes.
#[cfg(target_os = "linux")]
pub(crate) fn rss_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = pages.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(resident * u64::try_from(rustix::param::page_size()).ok()?)
}

/// Resident memory of this process in bytes.
#[cfg(not(target_os = "linux"))]
pub(crate) fn rss_bytes() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_is_refused_while_requests_are_in_flight_unless_forced() {
        let truth = Truth::new(["/a"].into_iter());
        let request = truth.enter("/a");
        assert_eq!(truth.reset(false), Err(1));
        assert_eq!(truth.tally().requests["/a"], 1);
        assert_eq!(truth.reset(true), Ok(()));
        assert_eq!((truth.tally().requests["/a"], truth.tally().in_flight), (0, 1));
        drop(request);
        assert_eq!(truth.reset(false), Ok(()));
        assert_eq!(truth.tally().in_flight, 0);
    }

    #[test]
    fn routes_are_listed_before_the_first_request() {
        let truth = Truth::new(["/b", "/a"].into_iter());
        let routes: Vec<_> = truth.tally().requests.into_keys().collect();
        assert_eq!(routes, ["/a", "/b", OTHER]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_and_cpu_are_those_of_this_process() {
        let held = vec![1_u8; 32 << 20];
        let rss = rss_bytes().unwrap();
        assert!(rss > 32 << 20, "{rss} with {} bytes held", held.len());
        let before = cpu_s();
        while cpu_s() <= before {
            std::hint::black_box(&held);
        }
    }
}
