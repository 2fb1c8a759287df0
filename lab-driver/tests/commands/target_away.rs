//! A target that is not there, or goes away in mid-run.

use std::net::TcpListener;
use std::time::Duration;

use super::support::{Bench, Ran, Script, Scripted, judged};

/// The bound for saying that there is no target.
const SOON: Duration = Duration::from_secs(5);

#[track_caller]
fn not_there(url: &str, why: &str) {
    let bench = Bench::new();
    let files = ["--json", "x.json", "--out", "out"];
    for run in [&["run", "-u", "5"][..], &["ramp", "5", "10"]] {
        let ran =
            bench.driver(&[run, &["-f", "api", "-t", "1s", "-H", url], &files].concat()).exits(4);
        assert!(ran.took < SOON, "{ran:#?}");
        ran.says(&[why]);
    }
    assert_eq!(bench.files(), [""; 0]);
}

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    not_there(&url, "connection refused");
    not_there(&url, "start the target first: sh scripts/start.sh");
}

#[test]
fn nobody_accepts() {
    // A listener whose queue is full: the system answers no further attempt to connect.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let patience = Duration::from_millis(200);
    let mut queue = Vec::new();
    while let Ok(stream) = std::net::TcpStream::connect_timeout(&address, patience) {
        queue.push(stream);
        assert!(queue.len() < 1000, "the queue has no end");
    }
    not_there(&format!("http://{address}"), "no connection within 4 s");
}

#[test]
fn a_name_without_address() {
    // RFC 6761 keeps .invalid free for this; where a resolver would ask the network, nothing is asked.
    let hosts = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    if hosts.lines().any(|line| line.trim_start().starts_with("nameserver")) {
        eprintln!("SKIPPED: the resolver of this machine would send a query");
        return;
    }
    not_there("http://no-such-host.invalid:80", "cannot resolve `no-such-host.invalid`");
}

fn dies(bench: &Bench, command: &[&str]) -> Ran {
    judged(|| {
        let server = Scripted::start(Script::DieAfter(20));
        let flags = ["-H", &server.url(), "-t", "1s", "--wait", "20ms"];
        bench.driver(&[command, &flags].concat())
    })
}

#[test]
fn it_dies_in_mid_run() {
    let bench = Bench::new();
    let files = ["--json", "r.json", "--csv", "c"];
    let ran = dies(&bench, &[&["run", "-f", "api", "-u", "4"], &files[..]].concat()).exits(1);
    // The window's second, the drain that has nothing to wait for, and much room.
    assert!(ran.took < Duration::from_secs(10), "{ran:#?}");
    ran.says(&["connection refused", "requests failed", "verdict: fail"]);
    let record = bench.json("r.json");
    let (failed, completed) = (&record["totals"]["failed"], &record["totals"]["completed"]);
    assert_eq!(completed.as_u64().unwrap() - failed.as_u64().unwrap(), 20);
    assert!(bench.read("c_failures.csv").contains("connection refused"));
    assert_eq!(bench.files().len(), 5);
}

#[test]
fn a_ramp_whose_target_dies_keeps_what_it_has() {
    let bench = Bench::new();
    let ran = dies(&bench, &["ramp", "2", "4", "-f", "api", "--json", "set.json", "--out", "out"]);
    let ran = ran.exits(4).says(&["verdict: ", "u4 did not run: cannot connect"]);
    assert!(ran.out.lines().any(|line| line.starts_with("u2 ")), "{ran:#?}");
    assert_eq!(bench.json("set.json")["runs"].as_array().unwrap().len(), 1);
    let out: Vec<_> = std::fs::read_dir(bench.path("out")).unwrap().collect();
    assert_eq!(out.len(), 6, "one run's five files and the set: {out:?}");
}
