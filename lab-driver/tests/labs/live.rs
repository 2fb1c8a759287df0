//! Live checks: a server of their own, stopped whatever happens; none, or one that does not start, is said.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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
    let pids = labs.path("pids");
    let script =
        format!("echo $$ \"$@\" >> '{}'\nexec '{}' \"$@\"", pids.display(), server().display());
    let ran = check(&beside(&labs, Some(&script)), &labs, "/usr/bin:/bin");
    let (out, err) = (text(&ran.stdout), text(&ran.stderr));
    assert!(err.contains("01-pool: 3 runs, about 20 s"), "{err}");
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
    let started = fs::read_to_string(pids).unwrap();
    let started: Vec<&str> = started.lines().collect();
    assert_eq!(started.len(), 2, "{started:?}");
    assert!(started[1].ends_with("--report-pool 4"), "{started:?}");
    for line in started {
        let pid = line.split(' ').next().unwrap();
        assert!(!Path::new("/proc").join(pid).exists(), "server {pid} is still there");
    }
}
