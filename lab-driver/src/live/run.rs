//! A live run: dispatchers on their threads, and one collector that reads the target's counters at the window's edges.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::admin::Admin;
use super::clock::Clock;
use super::control::Control;
use super::dispatchers::Dispatchers;
use super::edges::Edges;
use super::error::LiveError;
use super::transport::Fleet;
use crate::engine::conclude::Ended;
use crate::engine::plan::Plan;
use crate::engine::tick::{Collector, TICK, Watch};
use crate::engine::time::Ns;

/// How a live run is carried out.
#[derive(Debug)]
pub struct Setting {
    /// Dispatchers wanted; fewer are used when there are fewer slots.
    pub threads: u32,
    /// The target's data port.
    pub data: SocketAddr,
    /// The target's admin port, or why it is not known.
    pub admin: Result<Admin, String>,
    /// Where the first response may announce it.
    pub announced: Arc<OnceLock<String>>,
    /// Ends the run before its time.
    pub control: Arc<Control>,
    /// Where the run's clock is left when it starts, for those who look on.
    pub clock: Arc<OnceLock<Clock>>,
}

/// A live run that has ended, and the clock that it ran by.
#[derive(Debug)]
pub struct LiveRun {
    /// What happened.
    pub ended: Ended,
    /// The run's clock.
    pub clock: Clock,
}

/// Runs `plan` to its end. `fleet` makes one dispatcher's way to the target, on that dispatcher's thread;
/// `watch` looks on and may end it before its time.
pub fn run<F, M>(
    plan: Plan,
    setting: Setting,
    fleet: M,
    watch: Watch<'_>,
) -> Result<LiveRun, LiveError>
where
    F: Fleet,
    M: Fn() -> F + Clone + Send + 'static,
{
    let stripes = setting.threads.min(plan.slots()).max(1);
    let plan = Arc::new(plan);
    let control = Arc::new(setting.control.for_one_run());
    let dispatchers = Dispatchers::spawn(&plan, stripes, &control, fleet)?;
    let before_warm = Clock::start();
    let warm_connections = dispatchers.wait_until_warm(&plan.host, &control)?;
    let warm_time = Ns(before_warm.now());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let cpu_before = process_cpu_s();
    let clock = dispatchers.go()?;
    // Nobody else sets it.
    let _ = setting.clock.set(clock);
    let mut collection = Collection {
        collector: Collector::of(&plan),
        clock,
        cpu_before,
        control,
        edges: Edges::new(&plan, setting.data, setting.admin, setting.announced),
    };
    runtime.block_on(collection.until_finished(&dispatchers, watch));
    let (at, cpu_s) = (Ns(clock.now()), process_cpu_s() - cpu_before);
    let dones = dispatchers.join()?;
    let aborted = collection.collector.broken().cloned();
    let stopped = dones.iter().filter_map(|done| done.stopped_early).min();
    let interrupted = stopped.filter(|_| aborted.is_none());
    let connections = dones.iter().map(|done| done.connections);
    let (later_connections, stale_retries) = connections
        .fold((0, 0), |(later, stale), one| (later + one.later, stale + one.stale_retries));
    let results = dones.into_iter().map(|done| done.result);
    let allowed = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let ended = Ended {
        result: results.reduce(|all, one| all.merged(&one)).ok_or(LiveError::Panicked)?,
        series: collection.collector.finish(at, cpu_s),
        target: collection.edges.truth(),
        at,
        interrupted,
        aborted,
        warm: (warm_connections, warm_time),
        later_connections,
        stale_retries,
        dispatchers: stripes,
        cores: f64::from(stripes).min(allowed as f64),
    };
    Ok(LiveRun { ended, clock })
}

struct Collection {
    collector: Collector,
    clock: Clock,
    cpu_before: f64,
    edges: Edges,
    control: Arc<Control>,
}

impl Collection {
    async fn until_finished(&mut self, dispatchers: &Dispatchers, watch: Watch<'_>) {
        let mut ticks = tokio::time::interval(Duration::from(TICK));
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while dispatchers.are_running() {
            let now = Ns(self.clock.now());
            let to_edge = Duration::from(self.edges.next_due().saturating_sub(now));
            tokio::select! {
                _ = ticks.tick() => {}
                () = tokio::time::sleep(to_edge) => {}
            }
            self.edges.read(Ns(self.clock.now())).await;
            self.collect(dispatchers, watch);
        }
        self.edges.read_last().await;
        self.collect(dispatchers, watch);
    }

    fn collect(&mut self, dispatchers: &Dispatchers, watch: Watch<'_>) {
        let batch = dispatchers.take_batch();
        let now = Ns(self.clock.now());
        if self.control.stops() {
            self.collector.stop_judging();
        }
        self.collector.tick(now, &batch, process_cpu_s() - self.cpu_before);
        if self.collector.broken().is_some() {
            self.control.end_soon(now);
        }
        if !watch(now, self.collector.series(), &batch) {
            self.control.stop();
        }
        if let Some(at) = self.control.stop_at(now) {
            self.edges.end_by(at);
        }
    }
}

/// CPU seconds that this process has used.
pub fn process_cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
