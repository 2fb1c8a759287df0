//! A live run: dispatchers on their threads, and one collector that reads the target's counters at the window's edges.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::admin::Admin;
use super::clock::Clock;
use super::control::{Control, Outbox};
use super::dispatcher::{Assignment, Done, dispatch};
use super::transport::Fleet;
use crate::engine::conclude::Ended;
use crate::engine::counters::{Counters, TargetTruth};
use crate::engine::outcome::TransportFailure;
use crate::engine::plan::Plan;
use crate::engine::tick::{Collector, TICK, Watch};
use crate::engine::time::Ns;

/// Why a live run did not begin.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The early connections could not be made.
    #[error("cannot connect to {host}: {}", .failure.describe())]
    Unreachable {
        /// The target.
        host: String,
        /// What happened.
        failure: TransportFailure,
    },
    /// Stopped from outside while connecting.
    #[error("interrupted while connecting")]
    Interrupted,
    /// A dispatcher could not be set up.
    #[error("a dispatcher could not start: {0}")]
    Setup(#[from] std::io::Error),
    /// A dispatcher ended in a panic; its message is on standard error.
    #[error("a dispatcher failed: this is a defect of lab-driver, please report it")]
    Panicked,
}

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
    let control = Arc::clone(&setting.control);
    let dispatchers = Dispatchers::spawn(&plan, stripes, &control, fleet)?;
    let before_warm = Clock::start();
    let warm_connections = dispatchers.wait_until_warm(&plan.host, &control)?;
    let warm_time = Ns(before_warm.now());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let cpu_before = process_cpu_s();
    let clock = dispatchers.go()?;
    let mut collection = Collection {
        collector: Collector::new(plan.is_scheduled()),
        clock,
        cpu_before,
        control: Arc::clone(&setting.control),
        edges: Edges::new(&plan, setting),
    };
    runtime.block_on(collection.until_finished(&dispatchers, watch));
    let (at, cpu_s) = (Ns(clock.now()), process_cpu_s() - cpu_before);
    let dones = dispatchers.join()?;
    let interrupted = dones.iter().filter_map(|done| done.stopped_early).min();
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
        warm: (warm_connections, warm_time),
        later_connections,
        stale_retries,
        dispatchers: stripes,
        cores: f64::from(stripes).min(allowed as f64),
    };
    Ok(LiveRun { ended, clock })
}

struct Dispatchers {
    threads: Vec<JoinHandle<std::io::Result<Option<Done>>>>,
    clocks: Vec<Sender<Clock>>,
    warm: Receiver<Result<u64, TransportFailure>>,
    outboxes: Vec<Arc<Outbox>>,
}

impl Dispatchers {
    fn spawn<F: Fleet, M: Fn() -> F + Clone + Send + 'static>(
        plan: &Arc<Plan>,
        stripes: u32,
        control: &Arc<Control>,
        fleet: M,
    ) -> Result<Self, LiveError> {
        let (warm_sender, warm) = channel();
        let mut all = Self { threads: Vec::new(), clocks: Vec::new(), warm, outboxes: Vec::new() };
        for stripe in 0..stripes {
            let (clock, go) = channel();
            let outbox = Arc::new(Outbox::default());
            let assignment = Assignment {
                plan: Arc::clone(plan),
                stripe,
                stripes,
                warm: warm_sender.clone(),
                go,
                control: Arc::clone(control),
                outbox: Arc::clone(&outbox),
            };
            let fleet = fleet.clone();
            let name = format!("dispatcher-{stripe}");
            let thread = std::thread::Builder::new()
                .name(name)
                .spawn(move || dispatch(assignment, fleet))?;
            all.threads.push(thread);
            all.clocks.push(clock);
            all.outboxes.push(outbox);
        }
        Ok(all)
    }

    fn wait_until_warm(&self, host: &str, control: &Control) -> Result<u64, LiveError> {
        let (mut made, mut awaited) = (0, self.threads.len());
        while awaited > 0 {
            match self.warm.recv_timeout(Duration::from(TICK)) {
                Ok(Ok(connections)) => (made, awaited) = (made + connections, awaited - 1),
                Ok(Err(failure)) => {
                    return Err(LiveError::Unreachable { host: host.to_owned(), failure });
                }
                // A target that does not accept must not keep a user who wants to leave.
                Err(RecvTimeoutError::Timeout) if control.stops() => {
                    return Err(LiveError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(LiveError::Panicked),
            }
        }
        Ok(made)
    }

    /// Starts the clock of all dispatchers at once, a moment from now.
    fn go(&self) -> Result<Clock, LiveError> {
        const MOMENT: u64 = 2_000_000;
        let clock = Clock::starting_at(Clock::start().t0() + MOMENT);
        for sender in &self.clocks {
            sender.send(clock).map_err(|_| LiveError::Panicked)?;
        }
        Ok(clock)
    }

    fn are_running(&self) -> bool {
        self.threads.iter().any(|thread| !thread.is_finished())
    }

    fn join(self) -> Result<Vec<Done>, LiveError> {
        self.threads
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(Ok(Some(done))) => Ok(done),
                Ok(Ok(None)) | Err(_) => Err(LiveError::Panicked),
                Ok(Err(error)) => Err(LiveError::Setup(error)),
            })
            .collect()
    }
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
            let to_edge = Duration::from(self.edges.next().saturating_sub(now));
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
        let batch: Vec<_> = dispatchers.outboxes.iter().flat_map(|outbox| outbox.take()).collect();
        let now = Ns(self.clock.now());
        self.collector.tick(now, &batch, process_cpu_s() - self.cpu_before);
        if !watch(now, self.collector.series(), &batch) {
            self.control.stop();
        }
    }
}

/// The target's counters at both edges of the measured time.
struct Edges {
    from: Ns,
    to: Ns,
    admin: Result<Admin, String>,
    announced: Arc<OnceLock<String>>,
    data: SocketAddr,
    before: Option<Result<Counters, String>>,
    after: Option<Result<Counters, String>>,
}

impl Edges {
    fn new(plan: &Plan, setting: Setting) -> Self {
        let windows = plan.windows();
        Self {
            from: windows.first().map_or(Ns::ZERO, |window| window.from),
            to: windows.last().map_or(plan.duration, |window| window.to),
            admin: setting.admin,
            announced: setting.announced,
            data: setting.data,
            before: None,
            after: None,
        }
    }

    fn next(&self) -> Ns {
        match (&self.before, &self.after) {
            (None, _) => self.from,
            (_, None) => self.to,
            // Not soon: the ticks go on.
            _ => Ns::from_secs(u64::from(u32::MAX)),
        }
    }

    async fn read(&mut self, now: Ns) {
        self.follow_announcement().await;
        if self.before.is_none() && now >= self.from {
            self.before = Some(self.counters().await);
        }
        if self.after.is_none() && now >= self.to {
            self.after = Some(self.counters().await);
        }
    }

    /// A target on an unusual port says in its first response where its admin port is. Read a moment late,
    /// its counters still say what happened between two readings, for they carry their own time.
    async fn follow_announcement(&mut self) {
        if self.admin.is_ok() || self.after.is_some() {
            return;
        }
        if let Some(address) = self.announced.get().and_then(|text| text.parse().ok()) {
            self.admin = Admin::find(address, self.data).await;
            self.before = None;
        }
    }

    /// A run that ended before its time is read at its end.
    async fn read_last(&mut self) {
        if self.after.is_none() {
            self.after = Some(self.counters().await);
        }
    }

    async fn counters(&self) -> Result<Counters, String> {
        match &self.admin {
            Ok(admin) => admin.counters().await,
            Err(reason) => Err(reason.clone()),
        }
    }

    fn truth(self) -> Result<TargetTruth, String> {
        let admin = self.admin?;
        let before =
            self.before.unwrap_or_else(|| Err("the run ended before its window".to_owned()))?;
        let after =
            self.after.unwrap_or_else(|| Err("the run ended before its window".to_owned()))?;
        Ok(TargetTruth::new(admin.lab, admin.knobs, before, after))
    }
}

/// CPU seconds that this process has used.
pub fn process_cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
