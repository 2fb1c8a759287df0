//! Live checks: a server of their own, stopped whatever happens; none, or one that does not start, is said.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::Labs;

/// A copy of the program in a folder of its own, beside it a `lab-server` that is this script.
fn beside(labs: &Labs, script: Option<&str>) -> PathBuf {
    let folder = labs.path("bin");
    fs::create_dir(&folder).unwrap();
    let (ours, copy) = (program("lab-driver"), folder.join("lab-driver"));
    fs::hard_link(&ours, &copy).or_else(|_| fs::copy(&ours, &copy).map(drop)).unwrap();
    if let Some(script) = script {
        let server = folder.join("lab-server");
        fs::write(&server, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&server, fs::Permissions::from_mode(0o755)).unwrap();
    }
    copy
}

fn program(name: &str) -> PathBuf {
    assert_cmd::cargo::cargo_bin("lab-driver").with_file_name(name)
}

/// The real server, built if this package is tested alone.
fn server() -> PathBuf {
    let server = program("lab-server");
    if !server.exists() {
        let build = ["build", "--locked", "-p", "lab-server"];
        assert!(Command::new(env!("CARGO")).args(build).status().unwrap().success());
    }
    server
}

fn check(driver: &Path, labs: &Labs, path: &str) -> Output {
    let mut command = Command::new(driver);
    command.args(["lab", "check", "pool", "--quick", "--labs"]).arg(labs.path(""));
    command.env("PATH", path).env_remove("LAB_SERVER_BIN").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_server_that_does_not_start_ends_4_and_says_why() {
    let labs = Labs::good();
    let tries = labs.path("tries");
    let script = format!("echo try >> '{}'\necho 'no room here' >&2\nexit 4", tries.display());
    let ran = check(&beside(&labs, Some(&script)), &labs, "/usr/bin:/bin");
    assert_eq!(ran.status.code(), Some(4));
    let said = text(&ran.stderr);
    assert!(said.contains("the lab's server did not start: no room here"), "{said}");
    assert!(said.contains("add --virtual"), "{said}");
    // A taken port is worth another one; what else is wrong stays wrong.
    assert_eq!(fs::read_to_string(tries).unwrap().lines().count(), 5);
}

#[test]
fn a_server_that_is_something_else_is_said() {
    let labs = Labs::good();
    let ran = check(&beside(&labs, Some("echo hello; exec sleep 60")), &labs, "/usr/bin:/bin");
    assert_eq!(ran.status.code(), Some(4));
    assert!(text(&ran.stderr).contains("it said \"hello\" instead of being ready"));
}

#[test]
fn no_server_at_all_is_said() {
    let labs = Labs::good();
    let ran = check(&beside(&labs, None), &labs, "/nowhere");
    assert_eq!(ran.status.code(), Some(4));
    assert!(text(&ran.stderr).contains("name it in LAB_SERVER_BIN"), "{}", text(&ran.stderr));
}

/// Two servers one after the other, for two knobs; both gone at the end. A machine that cannot keep up leaves the
/// verdict open, and never makes it a pass.
#[test]
fn a_live_check_has_servers_of_its_own() {
    let labs = Labs::good();
    let toml = "schema = 1\ntitle = \"Short\"\nlesson = \"none\"\nminutes = { live = 1, quick = 1 }\n\
        [target]\nname = \"api\"\n\
        [[run]]\nid = \"two\"\nscenario = \"api-nowait\"\nusers = 12\nduration = \"3s\"\n\
        [[run]]\nid = \"four\"\nscenario = \"api-nowait\"\nusers = 24\nduration = \"3s\"\nknobs = { report_pool = 4 }\n\
        [[run]]\nid = \"again\"\nscenario = \"api-nowait\"\nusers = 12\nduration = \"3s\"\n\
        [[claim]]\nid = \"twice\"\nthat = \"four./report:throughput > 1.5 * two./report:throughput\"\n\
        because = \"Twice the permits.\"\nhint = \"Count.\"\nmust_fail_when = { knobs = { report_pool = 2 } }\n\
        [[claim]]\nid = \"two\"\nthat = \"again./report:throughput < 25/s\"\n\
        because = \"Two permits.\"\nhint = \"Count.\"\nmust_fail_when = { knobs = { report_pool = 4 } }\n";
    fs::write(labs.path("01-pool/lab.toml"), toml).unwrap();
    labs.try_over_seeds("pool");
    let ran = check(&beside(&labs, Some(&noting_server(&labs))), &labs, "/usr/bin:/bin");
    let (out, err) = (text(&ran.stdout), text(&ran.stderr));
    // Runs for one server follow each other.
    for line in [
        "01-pool: run 1 of 3, two: about 20 s left",
        "01-pool: run 2 of 3, again: about 10 s left",
        "01-pool: run 3 of 3, four: about 10 s left",
    ] {
        assert!(err.contains(line), "no {line:?} in {err}");
    }
    match ran.status.code() {
        Some(0) => {
            assert!(out.contains("PASS        twice") && out.contains("PASS        two"), "{out}");
        }
        Some(3) => {
            assert!(
                out.contains("verdict: inconclusive") && err.contains("trying once again"),
                "{out}{err}"
            );
        }
        code => panic!("{code:?}: {out}{err}"),
    }
    let started = servers(&labs);
    assert_eq!(started.len(), 2, "{started:?}");
    assert!(started[1].ends_with("--report-pool 4"), "{started:?}");
    all_gone(&started);
}

/// A server that writes down its process number and its arguments.
fn noting_server(labs: &Labs) -> String {
    let pids = labs.path("pids");
    format!("echo $$ \"$@\" >> '{}'\nexec '{}' \"$@\"", pids.display(), server().display())
}

/// What the servers wrote down.
fn servers(labs: &Labs) -> Vec<String> {
    let noted = fs::read_to_string(labs.path("pids")).unwrap_or_default();
    noted.lines().map(str::to_owned).collect()
}

#[track_caller]
fn all_gone(servers: &[String]) {
    for line in servers {
        let pid = line.split(' ').next().unwrap();
        assert!(!Path::new("/proc").join(pid).exists(), "server {pid} is still there");
    }
}

/// A check under way, whose standard error is read line by line.
struct Underway {
    child: Child,
    err: BufReader<ChildStderr>,
    said: String,
}

impl Underway {
    fn start(driver: &Path, labs: &Labs, more: &[&str]) -> Self {
        let mut command = Command::new(driver);
        command.args(["lab", "check", "pool", "--labs"]).arg(labs.path("")).args(more);
        command.env("PATH", "/usr/bin:/bin").env_remove("LAB_SERVER_BIN");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let err = BufReader::new(child.stderr.take().unwrap());
        Self { child, err, said: String::new() }
    }

    /// Reads until a line holds `part`.
    #[track_caller]
    fn hear(&mut self, part: &str) {
        loop {
            let mut line = String::new();
            assert!(self.err.read_line(&mut line).unwrap() > 0, "no {part:?} in {}", self.said);
            self.said.push_str(&line);
            if line.contains(part) {
                return;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// The exit code and what stood on standard output.
    fn end(mut self) -> (Option<i32>, String, String) {
        self.err.read_to_string(&mut self.said).unwrap();
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), text(&output.stdout), self.said)
    }
}

const HEAD: &str = "schema = 1\ntitle = \"Short\"\nlesson = \"none\"\nminutes = { live = 2, quick = 1 }\n\
    [target]\nname = \"api\"\n";

fn claim(id: &str, that: &str) -> String {
    format!(
        "[[claim]]\nid = \"{id}\"\nthat = \"{that}\"\nbecause = \"So.\"\nhint = \"Look.\"\n\
         must_fail_when = {{ load = {{ users = 40 }} }}\n"
    )
}

#[test]
fn an_interrupt_keeps_what_was_measured_and_stops_the_server() {
    let labs = Labs::good();
    let run = |id: &str, duration: &str| {
        format!(
            "[[run]]\nid = \"{id}\"\nscenario = \"api\"\nusers = 2\nduration = \"{duration}\"\n"
        )
    };
    let claims = claim("one", "first.count < 50") + &claim("two", "second.throughput < 20/s");
    let toml = format!("{HEAD}{}{}{claims}", run("first", "2s"), run("second", "60s"));
    fs::write(labs.path("01-pool/lab.toml"), toml).unwrap();
    let sheet = labs.path("sheet.json");
    let driver = beside(&labs, Some(&noting_server(&labs)));
    let more = ["--unchecked", "--json", sheet.to_str().unwrap()];
    let mut check = Underway::start(&driver, &labs, &more);
    check.hear("run 2 of 2, second");
    check.signal(Signal::INT);
    let (code, out, err) = check.end();
    assert_eq!(code, Some(130), "{out}{err}");
    // Noise may have made the first run invalid; its claim was judged or says so, and the second's was not.
    assert!(out.contains("PASS        one") || out.contains("first is invalid"), "{out}{err}");
    let open = ["two: second was not run", "two: second was interrupted"];
    assert!(open.iter().any(|open| out.contains(open)), "{out}");
    let sheet: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(sheet).unwrap()).unwrap();
    let claims = &sheet["labs"][0]["claims"];
    assert_eq!((claims.as_array().unwrap().len(), &claims[1]["grade"]), (2, &"not_judged".into()));
    let started = servers(&labs);
    assert_eq!(started.len(), 1, "{started:?}");
    all_gone(&started);
}
