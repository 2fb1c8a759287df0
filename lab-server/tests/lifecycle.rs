//! Start and stop: taken ports, a graceful stop, and the command with its signals and exit codes.
#![allow(clippy::unwrap_used, reason = "a failed helper is a failed test")]

mod common;

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use common::truth::Folder;
use common::{Client, FOR_EVER, await_counters, config, get, start};
use lab_server::{StartError, spawn};
use rustix::process::{Pid, Signal, kill_process};

const WORK: Duration = Duration::from_millis(300);

#[test]
fn a_stop_finishes_the_request_in_flight_then_closes() {
    let server = start(25, 2, WORK);
    let [mut busy, mut idle] = [(); 2].map(|()| Client::to(server.addr()));
    idle.send("GET", "/items");
    idle.receive();
    busy.send("GET", "/report");
    await_counters(&server, |counters| counters["in_flight"] == 1);
    server.stop();
    assert_eq!(busy.receive().status, 200);
    assert!(busy.is_closed() && idle.is_closed());
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let mut config = config(25, 2, FOR_EVER);
    config.serve.drain = Duration::from_millis(1);
    let server = spawn(&config).unwrap();
    let mut client = Client::to(server.addr());
    client.send("GET", "/report");
    await_counters(&server, |counters| counters["in_flight"] == 1);
    drop(server);
    assert!(client.is_closed());
}

#[test]
fn a_taken_port_is_named_whichever_it_is() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut config = config(25, 2, WORK);
    config.serve.port = port;
    assert!(matches!(spawn(&config), Err(StartError::PortTaken(named)) if named == port));
    config.serve.port = 0;
    config.serve.admin_port = port;
    assert!(matches!(spawn(&config), Err(StartError::AdminPortTaken(named)) if named == port));
}

/// On an address of its own, so that no test beside it can be given the port.
#[test]
#[cfg(target_os = "linux")]
fn a_stopped_server_can_start_again_on_its_port_at_once() {
    let mut config = config(25, 2, WORK);
    config.serve.bind = "127.0.0.2".parse().unwrap();
    for _ in 0..2 {
        let server = spawn(&config).unwrap();
        config.serve.port = server.addr().port();
        let mut client = Client::to(server.addr());
        client.send("GET", "/items");
        assert_eq!(client.receive().status, 200);
        // The server closes first, so its end of the connection lingers on the port.
        server.stop();
        assert!(client.is_closed());
    }
}

#[test]
fn a_server_on_all_addresses_announces_the_one_that_was_reached() {
    let mut config = config(25, 2, WORK);
    config.serve.bind = "0.0.0.0".parse().unwrap();
    let server = spawn(&config).unwrap();
    let addr = SocketAddr::new("127.0.0.1".parse().unwrap(), server.addr().port());
    let expected = format!("127.0.0.1:{}", server.admin_addr().port());
    assert_eq!(get(addr, "/items").header("lab-admin"), Some(&*expected));
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab-server"));
    command.args(arguments);
    command
}

/// A running command, its output after the ready line, and its port.
fn ready(arguments: &[&str]) -> (Child, BufReader<ChildStdout>, u16) {
    let mut child = command(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let expected = format!("{} listening on :", arguments[0]);
    let port = line.strip_prefix(&expected).expect(&line).trim_end().parse().unwrap();
    (child, out, port)
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn the_command_says_it_is_ready_and_ends_well_on_either_signal() {
    for end in [Signal::TERM, Signal::INT] {
        let (mut child, mut out, port) = ready(&["api", "--port", "0"]);
        assert_eq!(get(SocketAddr::from(([127, 0, 0, 1], port)), "/items").status, 200);
        signal(&child, end);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "nothing follows the ready line");
    }
}

#[test]
fn a_second_signal_ends_at_once_what_the_first_would_let_finish() {
    let (mut child, _out, port) = ready(&["api", "--port", "0", "--report-work", "1h"]);
    let addr = SocketAddr::from(([127, 0, 0, 1], port));
    let mut client = Client::to(addr);
    client.send("GET", "/report");
    let mut idle = Client::to(addr);
    idle.send("GET", "/items");
    let admin = idle.receive().header("lab-admin").unwrap().parse().unwrap();
    while get(admin, "/lab/counters").json()["in_flight"] != 1 {}
    signal(&child, Signal::TERM);
    assert!(idle.is_closed(), "the first signal ends what is idle");
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_signal_amid_requests_leaves_a_log_of_whole_rows_for_all_of_them() {
    let folder = Folder::new();
    let file = folder.file();
    let arguments =
        ["products", "--port", "0", "--work", "50ms", "--truth", file.to_str().unwrap()];
    let (mut child, _out, port) = ready(&arguments);
    let addr = SocketAddr::from(([127, 0, 0, 1], port));
    let admin = get(addr, "/").header("lab-admin").unwrap().parse().unwrap();
    let mut clients: Vec<_> = (0..40).map(|_| Client::to(addr)).collect();
    for client in &mut clients {
        client.send("GET", "/api/products");
    }
    while get(admin, "/lab/counters").json()["in_flight"] != 40 {}
    signal(&child, Signal::TERM);
    for client in &mut clients {
        assert_eq!(client.receive().status, 200);
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let rows = folder.rows();
    assert_eq!(rows.len(), 41);
    assert!(rows.iter().all(|row| row.departure >= Some(row.arrival)), "{rows:?}");
}

#[test]
fn a_truth_log_that_cannot_be_written_is_exit_4_with_the_remedy() {
    let (code, message) = fails(&["products", "--port", "0", "--truth", "/nowhere/truth.csv"]);
    assert_eq!(code, Some(4));
    assert!(message.contains("/nowhere/truth.csv") && message.contains("--truth"), "{message}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_once_with_the_total_at_the_end() {
    let arguments = ["products", "--port", "0", "--work", "1ms", "--truth", "/dev/full"];
    let mut child =
        command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port: u16 = line.rsplit(':').next().unwrap().trim_end().parse().unwrap();
    for _ in 0..3 {
        assert_eq!(get(SocketAddr::from(([127, 0, 0, 1], port)), "/api/products").status, 200);
    }
    signal(&child, Signal::TERM);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert!(lines[0].contains("No space left") && lines[1].contains("3 of 3 rows"), "{told}");
}

fn fails(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = command(arguments).output().unwrap();
    assert!(stdout.is_empty());
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_taken_port_is_exit_4_with_the_remedy() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, message) = fails(&["api", "--port", &port, "--admin-port", "0"]);
    assert_eq!(code, Some(4));
    assert!(message.contains(&format!("port {port} is taken")), "{message}");
    assert!(message.contains("--port"), "{message}");
    let (code, message) = fails(&["api", "--port", "0", "--admin-port", &port]);
    assert_eq!(code, Some(4));
    assert!(message.contains(&format!("admin port {port} is taken")), "{message}");
}

#[test]
fn wrong_settings_are_exit_2_all_at_once() {
    let (code, message) = fails(&["api", "--report-pool", "0", "--report-work", "soon"]);
    assert_eq!(code, Some(2));
    for flag in ["--report-pool 0: ", "--report-work soon: "] {
        assert!(message.contains(flag), "{message}");
    }
    assert_eq!(fails(&["api", "--colour"]).0, Some(2));
    assert_eq!(fails(&[]).0, Some(2));
}

#[test]
fn variables_stand_for_flags_and_flags_win() {
    let variables =
        [("LAB_SERVER_REPORT_POOL", "0"), ("LAB_SERVER_THREADS", "0"), ("LAB_SERVER_PORT", "0")];
    let output = command(&["api", "--threads", "1"]).envs(variables).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("--report-pool 0") && !message.contains("--threads"), "{message}");
}

#[test]
fn help_has_an_example_for_every_command() {
    for (arguments, target) in [
        (&["--help"][..], "api"),
        (&["api", "--help"], "api"),
        (&["products", "--help"], "products"),
    ] {
        let output = command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains(&format!("Example: lab-server {target}")), "{help}");
    }
}
