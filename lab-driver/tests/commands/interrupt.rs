//! Ctrl-C: the first ends the run and keeps its results, the second ends it at once.

use std::time::Duration;

use rustix::process::Signal;

use super::support::{Bench, OK, Script, Scripted, turn, wait_until};

/// Far less than the times that these runs are told to last or to wait.
const LONG_BEFORE: Duration = Duration::from_secs(25);

fn a_signal_ends_a_run(signal: Signal) {
    let _turn = turn();
    let (bench, server) = (Bench::new(), Scripted::start(Script::Answer(OK)));
    let url = server.url();
    let run =
        ["run", &url, "-u", "3", "-t", "50s", "--wait", "20ms", "--json", "r.json", "--csv", "c"];
    let underway = bench.spawn(&run);
    wait_until("requests arrive", || server.requests() > 20);
    underway.signal(signal);
    let ran = underway.end().exits(130).says(&["verdict: ", "the run was ended at"]);
    assert!(ran.took < LONG_BEFORE, "{ran:#?}");
    let record = bench.json("r.json");
    assert_eq!(record["interrupted"], true);
    assert_eq!(record["totals"]["completed"].as_u64().unwrap(), server.requests());
    assert!(bench.read("c_stats.csv").contains(",Aggregated,"));
    assert_eq!(bench.files().len(), 5);
}

#[test]
fn an_interrupt_ends_a_run_with_its_results() {
    a_signal_ends_a_run(Signal::INT);
}

#[test]
fn a_termination_too() {
    a_signal_ends_a_run(Signal::TERM);
}

#[test]
fn no_further_level_begins() {
    let _turn = turn();
    let (bench, server) = (Bench::new(), Scripted::start(Script::Answer(OK)));
    let ramp = [
        "ramp",
        "2",
        "4",
        "8",
        "-f",
        "api",
        "-t",
        "40s",
        "-H",
        &server.url(),
        "--json",
        "set.json",
    ];
    let underway = bench.spawn(&ramp);
    wait_until("requests arrive", || server.requests() > 2);
    underway.signal(Signal::INT);
    let ran = underway.end().exits(130).says(&["u2", "verdict: "]).says_nothing_of(&["u4", "u8"]);
    assert!(ran.took < LONG_BEFORE, "{ran:#?}");
    assert_eq!(bench.json("set.json")["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_second_interrupt_does_not_wait_for_a_hanging_target() {
    let _turn = turn();
    let (bench, server) = (Bench::new(), Scripted::start(Script::Silence));
    let url = server.url();
    let run = ["run", &url, "-u", "3", "-t", "50s", "--stop-timeout", "50s", "--json", "r.json"];
    let mut underway = bench.spawn(&run);
    wait_until("requests hang", || server.requests() == 3);
    underway.signal(Signal::INT);
    // Signals of one kind that are pending at once are one, so the second is repeated until it has arrived.
    wait_until("the second is heard", || {
        underway.signal(Signal::INT);
        std::thread::sleep(Duration::from_millis(50));
        !underway.is_running()
    });
    let ran = underway.end().exits(130).says(&["verdict: ", "cut off"]);
    assert!(ran.took < LONG_BEFORE, "{ran:#?}");
    assert_eq!(bench.json("r.json")["interrupted"], true);
}

#[test]
fn one_interrupt_lets_requests_in_flight_answer() {
    let _turn = turn();
    let (bench, server) = (Bench::new(), Scripted::start(Script::Silence));
    let url = server.url();
    let underway = bench.spawn(&["run", &url, "-u", "2", "-t", "50s", "--stop-timeout", "500ms"]);
    wait_until("requests hang", || server.requests() == 2);
    underway.signal(Signal::INT);
    let ran = underway.end().exits(130).says(&["cut off"]);
    assert!(ran.took > Duration::from_millis(500) && ran.took < LONG_BEFORE, "{ran:#?}");
}

#[test]
fn virtual_runs_are_interrupted_too() {
    let bench = Bench::new();
    let run =
        ["run", "-f", "api-nowait", "-u", "1000", "-t", "100h", "--virtual", "--json", "r.json"];
    let underway = bench.spawn(&run);
    wait_until("the run has begun", || bench.files().iter().any(|name| name == "r.json.partial"));
    underway.signal(Signal::INT);
    underway.end().exits(130).says(&["verdict: ", "the run was ended at"]);
    assert_eq!(bench.json("r.json")["interrupted"], true);
}

#[test]
fn an_interrupt_while_connecting_ends_it() {
    let _turn = turn();
    // The first connection finds a target there; those of the users fill its queue, and then nobody answers.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(1).unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap().as_socket().unwrap());
    let bench = Bench::new();
    let underway = bench.spawn(&["run", &url, "-u", "20", "-t", "50s", "--json", "r.json"]);
    wait_until("it connects", || bench.files() == ["r.json.partial"]);
    underway.signal(Signal::INT);
    let ran = underway.end();
    assert!(ran.took < LONG_BEFORE, "{ran:#?}");
    ran.exits(130);
    assert_eq!(bench.files(), [""; 0], "nothing was measured, so nothing is kept");
}
