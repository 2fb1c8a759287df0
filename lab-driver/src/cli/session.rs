//! One run after another: live or virtual, from a loaded scenario to its record.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Refusal;
use super::flags::DriverFlags;
use super::interrupt;
use super::live_target::LiveTarget;
use crate::engine::conclude::{Context, conclude};
use crate::engine::plan::{ModelSpec, Plan};
use crate::engine::record::{Machine, Mode, RunRecord, Tool};
use crate::engine::sample::Naming;
use crate::engine::tick::Second;
use crate::engine::time::Ns;
use crate::live;
use crate::live::control::Control;
use crate::live::http_fleet::{Asks, HttpFleet};
use crate::render::calendar;
use crate::render::progress::{Moment, Progress};
use crate::render::samples::SampleFile;
use crate::scenario::Loaded;
use crate::sim;

/// What carries out the runs of one command.
pub(super) struct Session {
    means: Means,
    control: Arc<Control>,
    progress: Progress,
    machine: Machine,
}

/// What one run is to do besides its record.
#[derive(Debug, Default)]
pub(super) struct Besides<'a> {
    /// Where each request gets a row.
    pub(super) samples: Option<&'a mut SampleFile>,
    /// Whether to read the target's part of each response time.
    pub(super) server_timing: bool,
}

enum Means {
    Virtual,
    Live { target: Box<LiveTarget>, flags: DriverFlags },
}

impl Session {
    /// Virtual time, or a live target that has been reached. `first` is the plan of the first run; the most
    /// demanding one of several.
    pub(super) fn open(
        first: &Loaded,
        virtual_time: bool,
        flags: &DriverFlags,
        quiet: bool,
    ) -> Result<Self, Refusal> {
        Self::watched(first, virtual_time, flags, quiet, interrupt::watch()?)
    }

    /// The same for one of many sessions of a command, which all end when `control` says so.
    pub(super) fn watched(
        first: &Loaded,
        virtual_time: bool,
        flags: &DriverFlags,
        quiet: bool,
        control: Arc<Control>,
    ) -> Result<Self, Refusal> {
        let (means, machine) = if virtual_time {
            (Means::Virtual, Machine::simulated())
        } else {
            let machine = live::machine::read();
            let target = Box::new(LiveTarget::find(&first.plan, &first.rows, flags)?);
            (Means::Live { target, flags: flags.clone() }, machine)
        };
        let progress = Progress::new(quiet || virtual_time);
        Ok(Self { means, control, progress, machine })
    }

    /// Whether Ctrl-C has been pressed: no further run begins.
    pub(super) fn is_interrupted(&self) -> bool {
        self.control.stops()
    }

    /// Runs `plan` and concludes its record.
    pub(super) fn run(&self, plan: &Plan, label: &str) -> Result<RunRecord, Refusal> {
        self.run_with(plan, label, Besides::default())
    }

    /// The same with what is wanted besides.
    pub(super) fn run_with(
        &self,
        plan: &Plan,
        label: &str,
        besides: Besides<'_>,
    ) -> Result<RunRecord, Refusal> {
        match &self.means {
            Means::Virtual => self.run_virtual(plan, label, besides),
            Means::Live { target, flags } => self.run_live(plan, label, target, flags, besides),
        }
    }

    fn run_virtual(
        &self,
        plan: &Plan,
        label: &str,
        mut besides: Besides<'_>,
    ) -> Result<RunRecord, Refusal> {
        let spec = plan.model.as_ref().ok_or_else(|| {
            Refusal::Usage(
                "virtual time needs a model of the target: add --model target=api, or `model` to the scenario"
                    .to_owned(),
            )
        })?;
        let model = sim::targets::build(spec, plan.slots(), plan.seed).map_err(Refusal::Usage)?;
        let naming = Naming::of(plan, "virtual".to_owned());
        let ended = sim::run::run(plan, model, &mut |_, _, deltas| {
            if let Some(file) = &mut besides.samples {
                file.write(plan, &naming, 0, deltas);
            }
            !self.control.stops()
        });
        Ok(conclude(plan.clone(), ended, Context::simulated(label)))
    }

    fn run_live(
        &self,
        plan: &Plan,
        label: &str,
        target: &LiveTarget,
        flags: &DriverFlags,
        mut besides: Besides<'_>,
    ) -> Result<RunRecord, Refusal> {
        target.reset(flags)?;
        let mut plan = plan.clone();
        if let Ok(admin) = &target.admin {
            plan.model = Some(ModelSpec { target: admin.lab.clone(), knobs: admin.knobs.clone() });
        }
        let setting = live::run::Setting {
            threads: flags.threads.unwrap_or_else(default_threads),
            data: target.addresses[0],
            admin: target.admin.clone(),
            announced: Arc::clone(&target.announced),
            control: Arc::clone(&self.control),
            clock: Arc::default(),
        };
        let clock = Arc::clone(&setting.clock);
        let naming = Naming::of(&plan, run_name());
        let asks = Asks {
            naming: besides.samples.is_some().then(|| naming.clone()),
            server_timing: besides.server_timing,
        };
        let (addresses, requests) = (target.addresses.clone(), Arc::clone(&target.requests));
        let announced = Arc::clone(&target.announced);
        let fleet = move || {
            let (requests, announced) = (Arc::clone(&requests), Arc::clone(&announced));
            HttpFleet::new(&addresses, requests, announced, asks.clone())
        };
        let length = plan.duration;
        let started_at = calendar::rfc3339(unix_now());
        let run = live::run::run(plan.clone(), setting, fleet, &mut |now, series, deltas| {
            self.show(now, length, series);
            if let (Some(file), Some(clock)) = (&mut besides.samples, clock.get()) {
                file.write(&plan, &naming, clock.t0(), deltas);
            }
            true
        });
        self.progress.clear();
        let run = run.map_err(|error| match error {
            live::error::LiveError::Interrupted => Refusal::Interrupted,
            other => Refusal::Environment(other.to_string()),
        })?;
        let context = Context {
            tool: Tool::this(),
            label: label.to_owned(),
            mode: Mode::Live,
            started_at,
            started_monotonic_ns: run.clock.t0(),
            machine: self.machine.clone(),
            debug_build: cfg!(debug_assertions),
        };
        Ok(conclude(plan, run.ended, context))
    }

    fn show(&self, now: Ns, length: Ns, series: &[Second]) {
        let Some(last) = series.last().filter(|_| self.progress.is_shown()) else { return };
        self.progress.show(&Moment {
            elapsed_s: now.as_secs_f64(),
            length_s: length.as_secs_f64(),
            per_second: last.completed as f64,
            p95_us: last.p95_us,
            in_flight: last.in_flight,
            failed: series.iter().map(|second| second.failed).sum(),
        });
    }
}

/// All cores but one, which the target needs.
fn default_threads() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores.saturating_sub(1).max(1)).unwrap_or(1)
}

/// Tells the requests of this run from those of others in a target's log.
fn run_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Milliseconds of some twelve days: two runs on one log do not start in the same one.
    format!("r{:x}", now.as_millis() % (1 << 30))
}

/// A seed for a run that was given none: it only has to differ from the last one, and is printed.
pub(super) fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Few digits, so that a person can type it again.
    (u64::from(now.subsec_nanos()) ^ now.as_secs()) % 1_000_000
}

fn unix_now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(0)
}
