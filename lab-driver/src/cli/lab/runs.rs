//! Makes the runs of a lab: in virtual time, or live against a server of its own.

use std::sync::Arc;

use super::super::flags::DriverFlags;
use super::super::interrupt;
use super::super::session::Session;
use super::server::Server;
use super::{Refusal, outputs};
use crate::engine::record::RunRecord;
use crate::engine::verdict::Outcome;
use crate::labs::lab::{Form, Lab};
use crate::labs::plan::{Step, length, steps};
use crate::live::control::Control;
use crate::scenario::Loaded;
use crate::sim::twin::twin;

/// How labs are run.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct RunFlags {
    /// Run in virtual time: no server, no waiting
    #[arg(long = "virtual", env = "LAB_VIRTUAL")]
    pub(super) virtual_time: bool,
    /// The shorter runs, for a workshop
    #[arg(long, env = "LAB_QUICK")]
    pub(super) quick: bool,
    /// From which all random numbers follow [default: in virtual time 1, else a new one]
    #[arg(long, env = "LAB_SEED", value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Dispatcher threads; by default all cores but one, which the target needs
    #[arg(long, env = "LAB_THREADS", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Option<u32>,
    /// No progress line
    #[arg(short = 'q', long = "quiet", env = "LAB_QUIET")]
    quiet: bool,
}

/// Makes all runs of one command, and stops when the user says so.
pub(super) struct Runner<'a> {
    flags: &'a RunFlags,
    form: Form,
    seed: u64,
    control: Option<Arc<Control>>,
}

impl<'a> Runner<'a> {
    /// With the seed that all its runs have.
    pub(super) fn new(flags: &'a RunFlags, seed: u64) -> Result<Self, Refusal> {
        let control = if flags.virtual_time { None } else { Some(interrupt::watch()?) };
        Ok(Self { flags, form: super::form(flags.quick), seed, control })
    }

    /// Whether the user has asked for the end.
    pub(super) fn is_interrupted(&self) -> bool {
        self.control.as_ref().is_some_and(|control| control.stops())
    }

    /// The runs of `lab` in virtual time.
    pub(super) fn virtually(&self, lab: &Lab) -> Vec<RunRecord> {
        let run = |step: Step| twin(&step.loaded.plan, &step.id);
        let runs = steps(lab, self.form, self.seed).into_iter().map(run);
        runs.map(|run| run.expect("the lab has been validated")).collect()
    }

    /// The runs of `lab`, as the flags want them, in its order; those up to an interruption.
    pub(super) fn all(&self, lab: &Lab) -> Result<Vec<RunRecord>, Refusal> {
        let Some(control) = &self.control else { return Ok(self.virtually(lab)) };
        let mut waiting = steps(lab, self.form, self.seed);
        let order: Vec<String> = waiting.iter().map(|step| step.id.clone()).collect();
        self.announce(lab, order.len());
        let mut records: Vec<RunRecord> = Vec::new();
        while let Some(first) = waiting.first() {
            let (target, knobs) = (first.target.clone(), first.knobs.clone());
            let same = |step: &Step| step.target == target && step.knobs == knobs;
            // One server for all runs that need the same, so that as few as possible are started.
            let (now, later) = waiting.into_iter().partition(same);
            waiting = later;
            let server = Server::start(&target, &knobs)?;
            for step in now {
                if control.stops() {
                    break;
                }
                match self.live(step, &server, control) {
                    // Before its first request: there is nothing to keep of this one.
                    Err(Refusal::Interrupted) => break,
                    made => records.push(made?),
                }
            }
            if control.stops() {
                break;
            }
        }
        records.sort_by_key(|record| order.iter().position(|id| *id == record.label));
        Ok(records)
    }

    /// One live run. If its generator could not keep up, it is tried once again.
    fn live(
        &self,
        step: Step,
        server: &Server,
        control: &Arc<Control>,
    ) -> Result<RunRecord, Refusal> {
        let flags = DriverFlags {
            threads: self.flags.threads,
            admin: Some(server.admin()),
            no_reset: false,
            i_have_permission: false,
        };
        let mut loaded: Loaded = step.loaded;
        loaded.plan.host = format!("http://{}", server.data());
        let run = || {
            let quiet = self.flags.quiet;
            let session = Session::watched(&loaded, false, &flags, quiet, Arc::clone(control))?;
            session.run(&loaded.plan, &step.id)
        };
        let record = run()?;
        if record.verdict.outcome != Outcome::Invalid || control.stops() {
            return Ok(record);
        }
        let reasons = record.verdict.reasons.join("; ");
        super::super::complain(&format!("{} is invalid: {reasons}; trying once again", step.id));
        run()
    }

    /// How long it takes, before it begins.
    fn announce(&self, lab: &Lab, runs: usize) {
        if self.flags.quiet || runs == 0 {
            return;
        }
        let length = length(lab, self.form);
        let plural = if runs == 1 { "" } else { "s" };
        outputs::to_stderr(|out| {
            writeln!(out, "{}: {runs} run{plural}, about {}", lab.id, spelled(length.as_secs_f64()))
        });
    }
}

/// `2 min 40 s`, in steps of ten seconds.
fn spelled(seconds: f64) -> String {
    let tens = (seconds / 10.0).ceil() * 10.0;
    let (minutes, rest) = ((tens / 60.0).floor(), tens % 60.0);
    match (minutes > 0.0, rest > 0.0) {
        (true, true) => format!("{minutes:.0} min {rest:.0} s"),
        (true, false) => format!("{minutes:.0} min"),
        (false, _) => format!("{rest:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn times_are_spelled_roughly() {
        assert_eq!(spelled(3.0), "10 s");
        assert_eq!(spelled(60.0), "1 min");
        assert_eq!(spelled(160.0), "2 min 40 s");
        assert_eq!(spelled(152.0), "2 min 40 s");
    }
}
