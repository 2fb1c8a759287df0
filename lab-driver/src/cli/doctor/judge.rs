//! What each fact about a machine means for the labs, and how it is said.

use std::io;

use crate::engine::health::GeneratorHealth;
use crate::engine::record::Machine;
use crate::engine::verdict::{Outcome, Verdict};
use crate::render::figures::plain;
use crate::render::style::Style;

/// The check that the lab's server is there.
pub(super) const SERVER: &str = "lab-server";
/// The check that a run is valid.
pub(super) const TRIAL: &str = "trial run";

/// With more load than this per core something else is at work, if not yet so much that every run warns of it.
const SOME_LOAD: f64 = 0.5;
/// Less than this, and driver, server and a browser do not fit beside each other.
const LITTLE_MEMORY: u64 = 2 << 30;
/// For a thousand users, and what the driver opens besides.
const FILES: u64 = 1_100;
/// For ten thousand.
const MANY_FILES: u64 = 10_100;

/// Where the current comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Power {
    Mains,
    Battery,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    /// As it should be.
    Ok,
    /// Nothing to do for the labs; good to know.
    Note,
    /// Labs run, but may be disturbed.
    Warn,
    /// Labs do not run.
    Fail,
}

/// One line: what was looked at, what was found, what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) grade: Grade,
    pub(super) what: &'static str,
    pub(super) found: String,
    pub(super) remedy: String,
}

impl Finding {
    fn ok(what: &'static str, found: impl Into<String>) -> Self {
        Self { grade: Grade::Ok, what, found: found.into(), remedy: String::new() }
    }

    fn but(self, grade: Grade, remedy: impl Into<String>) -> Self {
        Self { grade, remedy: remedy.into(), ..self }
    }

    pub(super) fn write(&self, style: Style, out: &mut dyn io::Write) -> io::Result<()> {
        match self.grade {
            Grade::Ok => write!(out, "{}", style.word(Outcome::Pass, "ok  "))?,
            Grade::Note => write!(out, "note")?,
            Grade::Warn => write!(out, "{}", style.word(Outcome::Invalid, "warn"))?,
            Grade::Fail => write!(out, "{}", style.word(Outcome::Fail, "FAIL"))?,
        }
        write!(out, "  {:<10}  {}", self.what, plain(&self.found))?;
        if !self.remedy.is_empty() {
            write!(out, " — {}", plain(&self.remedy))?;
        }
        writeln!(out)
    }
}

/// Cores and memory.
pub(super) fn machine(machine: &Machine) -> Finding {
    let Machine { cpu, cores, memory_bytes, os, .. } = machine;
    let plural = if *cores == 1 { "" } else { "s" };
    let memory = match memory_bytes {
        0 => "memory unknown".to_owned(),
        bytes => format!("{:.1} GiB memory", *bytes as f64 / f64::from(1u32 << 30)),
    };
    let finding =
        Finding::ok("machine", format!("{cores} usable core{plural}, {memory}; {cpu}; {os}"));
    if *cores < 2 {
        finding.but(Grade::Warn, "driver and server share the core: use --virtual, or give it two")
    } else if (1..LITTLE_MEMORY).contains(memory_bytes) {
        finding.but(Grade::Warn, "close other programs before a lab")
    } else {
        finding
    }
}

/// What others do on the cores.
pub(super) fn load(machine: &Machine) -> Finding {
    let cores = f64::from(machine.cores.max(1));
    let finding = Finding::ok(
        "load",
        format!("load average {:.2} over 1 minute, {cores:.0} to share", machine.load_1m),
    );
    if machine.is_busy() {
        let remedy = "close builds, browsers and calls, wait a minute, and look again";
        finding.but(Grade::Warn, remedy)
    } else if machine.load_1m > SOME_LOAD * cores {
        finding.but(Grade::Note, "something else is at work; best to close it")
    } else {
        finding
    }
}

/// Whether the processor may be slowed down to save power.
pub(super) fn power(power: Option<Power>, governor: Option<&str>) -> Finding {
    let source = match power {
        Some(Power::Mains) => Some("on the charger".to_owned()),
        Some(Power::Battery) => Some("on battery".to_owned()),
        None => None,
    };
    let governor_said = governor.map(|governor| format!("governor {governor}"));
    let said: Vec<String> = source.into_iter().chain(governor_said).collect();
    if said.is_empty() {
        let finding = Finding::ok("power", "this system does not tell");
        return finding.but(Grade::Note, "plug a laptop in");
    }
    let finding = Finding::ok("power", said.join(", "));
    match (power, governor) {
        (Some(Power::Battery), _) => {
            finding.but(Grade::Warn, "plug in: saving power makes small times grow and spread")
        }
        (_, Some("powersave")) => {
            finding.but(Grade::Note, "if small times spread, choose the performance profile")
        }
        _ => finding,
    }
}

/// How many connections the driver may open.
pub(super) fn files(most: u64) -> Finding {
    let said = if most == u64::MAX { "no limit".to_owned() } else { format!("{most} at most") };
    let finding = Finding::ok("open files", said);
    if most < FILES {
        let remedy = format!(
            "too few for 1000 users: raise the hard limit to {FILES} (ulimit -Hn, as root)"
        );
        finding.but(Grade::Warn, remedy)
    } else if most < MANY_FILES {
        let remedy = format!("enough for the labs; 10000 users need a hard limit of {MANY_FILES}");
        finding.but(Grade::Note, remedy)
    } else {
        finding
    }
}

/// Whether the scripts' server can listen there.
pub(super) fn port(port: u16, why_not: Option<&str>) -> Finding {
    let Some(why_not) = why_not else { return Finding::ok("port", format!("{port} is free")) };
    Finding::ok("port", format!("{port}: {why_not}")).but(
        Grade::Warn,
        "labs choose their own; for start.sh set LAB_PORT, or end a server of its own with stop.sh",
    )
}

/// Whether results can be kept.
pub(super) fn folder(why_not: Option<&str>) -> Finding {
    let Some(why_not) = why_not else { return Finding::ok("results", "this folder is writable") };
    Finding::ok("results", format!("this folder is not writable: {why_not}"))
        .but(Grade::Warn, "run from a folder of your own")
}

/// Whether Docker is there, which no lab needs.
pub(super) fn docker(is_there: bool) -> Finding {
    let said = if is_there { "answers on its socket" } else { "does not answer on its socket" };
    Finding::ok("docker", said).but(Grade::Note, "no lab needs it")
}

/// Whether the driver is as fast as it can be.
pub(super) fn build(is_debug: bool) -> Finding {
    if is_debug {
        let finding = Finding::ok("build", "this is a debug build");
        return finding.but(Grade::Warn, "build with cargo build --release");
    }
    Finding::ok("build", "release")
}

/// A server that came up.
pub(super) fn server() -> Finding {
    Finding::ok(SERVER, "found, and starts")
}

/// What does not work at all: the first line says why, the others what to do.
pub(super) fn refused(what: &'static str, said: &str) -> Finding {
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let finding = Finding::ok(what, lines.next().unwrap_or("no reason was given"));
    finding.but(Grade::Fail, lines.collect::<Vec<_>>().join("; "))
}

/// The run at 200/s: whether the generator kept up, and whether all was answered.
pub(super) fn trial(verdict: &Verdict, health: &GeneratorHealth) -> Finding {
    let (p50, p99) = (health.lag_p50_us as f64 / 1e3, health.lag_p99_us as f64 / 1e3);
    let lag = format!("dispatch lag p50 {p50:.2} ms, p99 {p99:.2} ms at 200/s");
    let reasons = verdict.reasons.join("; ");
    match verdict.outcome {
        Outcome::Pass => Finding::ok(TRIAL, format!("valid; {lag}")),
        Outcome::Invalid => Finding::ok(TRIAL, format!("invalid; {lag}: {reasons}"))
            .but(Grade::Warn, "busy: labs may end with 3; close other programs, and look again"),
        Outcome::Fail => Finding::ok(TRIAL, format!("{reasons}; {lag}")).but(
            Grade::Fail,
            "look for a firewall or scanner between the programs of this machine",
        ),
    }
}

/// Whether the labs can be run at all.
pub(super) fn is_ready(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.grade != Grade::Fail)
}

/// The last line.
pub(super) fn sentence(findings: &[Finding]) -> String {
    let graded = |grade| findings.iter().filter(move |finding| finding.grade == grade);
    let failed: Vec<&str> = graded(Grade::Fail).map(|finding| finding.what).collect();
    match (failed.is_empty(), graded(Grade::Warn).count()) {
        (false, _) => format!("not ready: see {}", failed.join(", ")),
        (true, 0) => "ready".to_owned(),
        (true, 1) => "ready, with 1 warning".to_owned(),
        (true, warnings) => format!("ready, with {warnings} warnings"),
    }
}

#[cfg(test)]
mod tests;
