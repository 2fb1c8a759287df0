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

fn process(registry: &mut Registry, counters: &Counters) {
    let cpu = ConstCounter::new(counters.cpu_s);
    registry.register("process_cpu_seconds", "CPU time, user and system", cpu);
    if let Some(bytes) = counters.rss_bytes {
        let memory = ConstGauge::new(bytes);
        registry.register("process_resident_memory_bytes", "Memory in RAM", memory);
    }
}
