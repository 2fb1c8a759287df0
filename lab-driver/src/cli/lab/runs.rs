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
use crate::labs::plan::{Step, steps, takes};
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
        let steps = steps(lab, self.form, self.seed);
        let order: Vec<String> = steps.iter().map(|step| step.id.clone()).collect();
        let mut records: Vec<RunRecord> = Vec::new();
        let mut server: Option<Server> = None;
        let steps = by_server(steps);
        for (place, step) in steps.iter().enumerate() {
            if control.stops() {
                break;
            }
            self.announce(lab, &steps, place);
            if place == 0 || !steps[place - 1].needs_the_server_of(step) {
                // The old one has gone before the new one comes.
                drop(server.take());
                server = Some(Server::start(&step.target, &step.knobs)?);
            }
            let server = server.as_ref().expect("the first run has started one");
            match self.live(step, server, control) {
                // Before its first request: there is nothing to keep of this one.
                Err(Refusal::Interrupted) => break,
                made => records.push(made?),
            }
        }
        records.sort_by_key(|record| order.iter().position(|id| *id == record.label));
        Ok(records)
    }

    /// One live run. If its generator could not keep up, it is tried once again.
    fn live(
        &self,
        step: &Step,
        server: &Server,
        control: &Arc<Control>,
    ) -> Result<RunRecord, Refusal> {
        let flags = DriverFlags::for_own_server(server.admin(), self.flags.threads);
        let mut loaded: Loaded = step.loaded.clone();
        loaded.plan.host = format!("http://{}", server.data());
        let run = || {
            let quiet = self.flags.quiet;
            let session = Session::watched(&loaded, false, &flags, quiet, Arc::clone(control))?;
            session.run(&loaded.plan, &step.id)
        };
        once_again(run, |invalid| {
            if control.stops() {
                return false;
            }
            let reasons = invalid.verdict.reasons.join("; ");
            super::super::complain(&format!(
                "{} is invalid: {reasons}; trying once again",
                step.id
            ));
            true
        })
    }

    /// Which run comes, and how long it is to the end of the lab.
    fn announce(&self, lab: &Lab, steps: &[Step], place: usize) {
        if self.flags.quiet {
            return;
        }
        let left = spelled(takes(&steps[place..]).as_secs_f64());
        let (run, runs, id) = (place + 1, steps.len(), &steps[place].id);
        outputs::to_stderr(|out| {
            writeln!(out, "{}: run {run} of {runs}, {id}: about {left} left", lab.id)
        });
    }
}

/// In an order in which runs that need the same server follow each other, so that as few as possible are started.
fn by_server(mut waiting: Vec<Step>) -> Vec<Step> {
    let mut ordered: Vec<Step> = Vec::new();
    while let Some(first) = waiting.first().cloned() {
        let (now, later) =
            waiting.into_iter().partition(|step: &Step| step.needs_the_server_of(&first));
        waiting = later;
        ordered.extend::<Vec<Step>>(now);
    }
    ordered
}

/// Runs, and once more if that was invalid and `wants_another` says so. The second counts, whatever it is.
fn once_again<E>(
    mut run: impl FnMut() -> Result<RunRecord, E>,
    wants_another: impl FnOnce(&RunRecord) -> bool,
) -> Result<RunRecord, E> {
    let record = run()?;
    if record.verdict.outcome == Outcome::Invalid && wants_another(&record) {
        return run();
    }
    Ok(record)
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
    use std::cell::Cell;

    use super::*;
    use crate::engine::verdict::Verdict;
    use crate::render::fixture;

    /// Runs whose outcomes are `outcomes`, one after the other: how many were made, and how the last one ended.
    fn made(outcomes: &[Outcome], wants_another: bool) -> (usize, Outcome) {
        let count = Cell::new(0);
        let run = || {
            let outcome = outcomes[count.get()];
            count.set(count.get() + 1);
            let mut record = fixture::record();
            record.verdict = Verdict { outcome, reasons: Vec::new() };
            Ok::<_, ()>(record)
        };
        let last = once_again(run, |_| wants_another).unwrap();
        (count.get(), last.verdict.outcome)
    }

    #[test]
    fn an_invalid_run_is_tried_once_again_and_only_that() {
        use Outcome::{Fail, Invalid, Pass};
        assert_eq!(made(&[Pass], true), (1, Pass));
        assert_eq!(made(&[Fail], true), (1, Fail));
        assert_eq!(made(&[Invalid, Pass], true), (2, Pass));
        assert_eq!(made(&[Invalid, Invalid], true), (2, Invalid));
        assert_eq!(made(&[Invalid], false), (1, Invalid));
    }

    #[test]
    fn times_are_spelled_roughly() {
        assert_eq!(spelled(3.0), "10 s");
        assert_eq!(spelled(60.0), "1 min");
        assert_eq!(spelled(160.0), "2 min 40 s");
        assert_eq!(spelled(152.0), "2 min 40 s");
    }
}
