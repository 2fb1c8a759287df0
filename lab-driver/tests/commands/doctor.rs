//! `doctor` where something is missing or taken.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use super::support::Bench;

/// A copy of the program with no server beside it, none on the path, and none where the variable says.
fn alone(bench: &Bench, port: &str) -> Output {
    let driver = bench.path("lab-driver");
    let built = Path::new(env!("CARGO_BIN_EXE_lab-driver"));
    fs::hard_link(built, &driver).or_else(|_| fs::copy(built, &driver).map(drop)).unwrap();
    let mut command = Command::new(driver);
    command.arg("doctor").current_dir(bench.path("")).env("PATH", "/nowhere");
    command.env("LAB_SERVER_BIN", "/nowhere/lab-server").env("LAB_PORT", port).output().unwrap()
}

#[test]
fn no_server_ends_4_and_names_it() {
    let bench = Bench::new();
    let ran = alone(&bench, "");
    let out = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(ran.status.code(), Some(4), "{out}");
    assert!(out.contains("\nFAIL  lab-server  the lab's server cannot be found"), "{out}");
    assert!(out.contains("LAB_SERVER_BIN"), "{out}");
    assert!(out.ends_with("\nnot ready: see lab-server\n"), "{out}");
    assert_eq!(bench.files(), ["lab-driver"], "nothing is left behind");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let held = (0..100).map(|_| TcpListener::bind(("127.0.0.1", 0)).unwrap());
    let fits = |held: &TcpListener| held.local_addr().unwrap().port() <= 55_535;
    let held = { held }.find(fits).expect("the system gives low ports too");
    let port = held.local_addr().unwrap().port();
    let out = String::from_utf8(alone(&Bench::new(), &port.to_string()).stdout).unwrap();
    let line = format!("\nwarn  port        {port}: taken by another program — ");
    assert!(out.contains(&line), "{out}");
    assert!(out.contains("set LAB_PORT"), "{out}");
}

#[test]
fn a_port_without_room_for_the_admin_port_is_a_mistake() {
    let ran = alone(&Bench::new(), "60000");
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("LAB_PORT \"60000\""));
}
