//! The counters as Prometheus text, built anew for each scrape so that there is one truth only.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;

use crate::truth::Counters;

/// The type of what [`text`] returns.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

type Labels = [(&'static str, &'static str); 1];
type Gauges = Family<Labels, Gauge<f64, AtomicU64>>;
type Counts = Family<Labels, Counter<u64, AtomicU64>>;
type Totals = Family<Labels, Counter<f64, AtomicU64>>;

/// Writes the counters down. The library appends `_total` to the names of counters.
pub(crate) fn text(counters: &Counters) -> String {
    let mut registry = Registry::default();
    requests(&mut registry, counters);
    pools(&mut registry, counters);
    caches(&mut registry, counters);
    freeze(&mut registry, counters);
    truth_log(&mut registry, counters);
    process(&mut registry, counters);
    let mut text = String::new();
    encode(&mut text, &registry).expect("writing to a string does not fail");
    text
}

fn requests(registry: &mut Registry, counters: &Counters) {
    let requests = Counts::default();
    for (route, count) in &counters.requests {
        requests.get_or_create(&[("route", route)]).inc_by(*count);
    }
    registry.register("lab_requests", "Requests that have arrived", requests);
    let in_flight = ConstGauge::new(counters.in_flight);
    registry.register("lab_in_flight", "Requests not answered yet", in_flight);
    for (name, count) in &counters.counts {
        let help = format!("Counted by this target: {}", name.replace('_', " "));
        registry.register(format!("lab_{name}"), help, ConstCounter::new(*count));
    }
}

fn pools(registry: &mut Registry, counters: &Counters) {
    let [capacity, in_use, waiting] = [(); 3].map(|()| Gauges::default());
    let served = Counts::default();
    let [busy, wait] = [(); 2].map(|()| Totals::default());
    for pool in &counters.resources {
        let labels = [("resource", pool.name)];
        capacity.get_or_create(&labels).set(f64::from(pool.capacity));
        in_use.get_or_create(&labels).set(f64::from(pool.in_use));
        waiting.get_or_create(&labels).set(pool.waiting as f64);
        served.get_or_create(&labels).inc_by(pool.served);
        busy.get_or_create(&labels).inc_by(pool.busy_s);
        wait.get_or_create(&labels).inc_by(pool.wait_s);
    }
    registry.register("lab_pool_capacity", "Permits there are", capacity);
    registry.register("lab_pool_in_use", "Permits held now", in_use);
    registry.register("lab_pool_waiting", "Requests waiting for a permit now", waiting);
    registry.register("lab_pool_served", "Pieces of work finished", served);
    registry.register("lab_pool_busy_seconds", "Permits held, over time", busy);
    registry.register("lab_pool_wait_seconds", "Requests waiting, over time", wait);
}

fn caches(registry: &mut Registry, counters: &Counters) {
    if counters.caches.is_empty() {
        return;
    }
    let [capacity, size] = [(); 2].map(|()| Gauges::default());
    let [hits, misses] = [(); 2].map(|()| Counts::default());
    for cache in &counters.caches {
        let labels = [("cache", cache.name)];
        capacity.get_or_create(&labels).set(cache.capacity as f64);
        size.get_or_create(&labels).set(cache.size as f64);
        hits.get_or_create(&labels).inc_by(cache.hits);
        misses.get_or_create(&labels).inc_by(cache.misses);
    }
    registry.register("lab_cache_capacity", "Entries it can hold", capacity);
    registry.register("lab_cache_size", "Entries it holds now", size);
    registry.register("lab_cache_hits", "Look-ups that found their entry", hits);
    registry.register("lab_cache_misses", "Look-ups that did not", misses);
}

fn freeze(registry: &mut Registry, counters: &Counters) {
    let Some(freeze) = &counters.freeze else { return };
    for (name, help, value) in [
        ("lab_freeze_seconds", "How long each freeze lasts", freeze.freeze_s),
        ("lab_freeze_period_seconds", "From one freeze to the next", freeze.period_s),
        ("lab_freeze_phase_seconds", "How far into its period", freeze.phase_s),
        ("lab_freeze_frozen", "1 while frozen", f64::from(u8::from(freeze.frozen))),
        ("lab_freeze_held", "Requests held now", freeze.held as f64),
    ] {
        registry.register(name, help, ConstGauge::new(value));
    }
    let held = ConstCounter::new(freeze.held_total);
    registry.register("lab_freeze_holds", "Requests that have been held", held);
}

fn truth_log(registry: &mut Registry, counters: &Counters) {
    let Some(log) = &counters.truth_log else { return };
    for (name, help, rows) in [
        ("lab_truth_log_written", "Rows of the truth log that are written", log.written),
        ("lab_truth_log_lost", "Rows of the truth log that are lost", log.lost),
    ] {
        registry.register(name, help, ConstCounter::new(rows));
    }
}

fn process(registry: &mut Registry, counters: &Counters) {
    let cpu = ConstCounter::new(counters.cpu_s);
    registry.register("process_cpu_seconds", "CPU time, user and system", cpu);
    if let Some(bytes) = counters.rss_bytes {
        let memory = ConstGauge::new(bytes);
        registry.register("process_resident_memory_bytes", "Memory in RAM", memory);
    }
}
