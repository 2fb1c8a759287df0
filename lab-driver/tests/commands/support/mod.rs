//! The program in a folder of its own, what it left behind, and the rule for a noisy machine.

mod live;
mod scripted;

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(crate) use live::{api, start};
pub(crate) use scripted::{BROKEN, OK, Script, Scripted};

/// Longer than any run here takes: only a hang lasts so long.
pub(crate) const HANG: Duration = Duration::from_mins(1);

/// A folder in which the program runs, removed at the end.
pub(crate) struct Bench(tempfile::TempDir);

/// What a finished command left.
#[derive(Debug)]
pub(crate) struct Ran {
    /// None when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) took: Duration,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The names of the files in the folder, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// `lab-driver` with these arguments, to its end.
    pub(crate) fn driver(&self, arguments: &[&str]) -> Ran {
        self.run(DRIVER, arguments)
    }

    /// The same under `sh`, which first does `before` (such as setting a limit); `$0` is the program.
    pub(crate) fn driver_after(&self, before: &str, arguments: &[&str]) -> Ran {
        let script = format!("{before}; exec \"$0\" \"$@\"");
        self.run("sh", &[&["-c", &script, DRIVER], arguments].concat())
    }

    /// `lab-driver` under way, for tests that send it signals.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Underway {
        let mut command = self.command(DRIVER, arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
        Underway { child: command.spawn().unwrap(), begun: Instant::now() }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Ran {
        let begun = Instant::now();
        let mut command = assert_cmd::Command::from_std(self.command(program, arguments));
        Ran::new(&command.timeout(HANG).output().unwrap(), begun.elapsed())
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("LAB_")) {
            command.env_remove(name);
        }
        command.args(arguments).current_dir(self.0.path());
        command
    }
}

const DRIVER: &str = env!("CARGO_BIN_EXE_lab-driver");

impl Ran {
    fn new(output: &Output, took: Duration) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
            took,
        }
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Both streams hold all of these between them.
    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part) || self.err.contains(part), "no {part:?} in {self:#?}");
        }
        self
    }

    #[track_caller]
    pub(crate) fn says_nothing_of(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(!self.out.contains(part) && !self.err.contains(part), "{part:?} in {self:#?}");
        }
        self
    }
}

/// A command that has not ended yet.
pub(crate) struct Underway {
    child: Child,
    begun: Instant,
}

impl Underway {
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.id()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the end, for as long as only a hang lasts.
    pub(crate) fn end(mut self) -> Ran {
        let deadline = Instant::now() + HANG;
        while self.is_running() {
            if Instant::now() > deadline {
                self.child.kill().unwrap();
                panic!("the command did not end: {:#?}", self.child.wait_with_output());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let took = self.begun.elapsed();
        Ran::new(&self.child.wait_with_output().unwrap(), took)
    }
}

/// Waits until `holds`; fails when it never does.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + HANG;
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Live runs take turns, so that they do not disturb each other.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A live run's outcome. A run that noise made invalid says nothing: it is repeated once, and a second one in a
/// row is inconclusive, which is no pass.
#[track_caller]
pub(crate) fn judged(mut run: impl FnMut() -> Ran) -> Ran {
    let _turn = turn();
    let first = run();
    if first.code != Some(3) {
        return first;
    }
    let second = run();
    assert!(second.code != Some(3), "INCONCLUSIVE, this machine is too busy: {second:#?}");
    second
}
