//! A target that freezes: who is held, what goes on meanwhile, and in which order they enter.
#![allow(clippy::unwrap_used, reason = "a failed helper is a failed test")]

mod common;

use std::time::Duration;

use common::truth::Folder;
use common::{Client, ask, await_counters, counters, crowd, get, products, timing};
use lab_server::freeze::Cycle;
use lab_server::{Config, Running, spawn};
use serde_json::{Value, json};

const HOUR: Duration = Duration::from_hours(1);

/// Open for `open`, and then frozen until the hour is over or a reset begins anew.
fn freezing(mut config: Config, open: Duration) -> Running {
    config.serve.freeze = Some(Cycle::new(HOUR.abs_diff(open), HOUR).unwrap());
    spawn(&config).unwrap()
}

fn await_frozen(server: &Running) {
    await_counters(server, |counters| counters["freeze"]["frozen"] == true);
}

fn held(counters: &Value) -> u64 {
    counters["freeze"]["held"].as_u64().unwrap()
}

/// So many clients, held one behind the other.
fn hold(server: &Running, clients: u64) -> Vec<Client> {
    let mut held_clients = Vec::new();
    for before in 0..clients {
        held_clients.push(send(server, "/api/products"));
        await_counters(server, |counters| held(counters) == before + 1);
    }
    held_clients
}

fn send(server: &Running, path: &str) -> Client {
    let mut client = Client::to(server.addr());
    client.send("GET", path);
    client
}

#[test]
fn a_frozen_target_holds_all_requests_and_its_admin_answers() {
    let server = freezing(products(8, Duration::from_millis(1), 0), Duration::from_millis(1));
    await_frozen(&server);
    let paths = ["/api/products", "/nothing", "/api/products?id=x"];
    let clients: Vec<_> = paths.iter().map(|path| send(&server, path)).collect();
    let seen = await_counters(&server, |counters| {
        (held(counters), counters["in_flight"].as_u64()) == (3, Some(3))
    });
    assert_eq!(seen["requests"], json!({"/api/products": 2, "other": 1}));
    assert_eq!(seen["resources"][0]["in_use"], 0);
    assert_eq!(seen["knobs"]["freeze"], "3599.999s/3600s");
    assert_eq!(get(server.admin_addr(), "/healthz").json()["knobs"], seen["knobs"]);
    let metrics = get(server.admin_addr(), "/metrics").body;
    for line in ["lab_freeze_frozen 1.0", "lab_freeze_held 3.0", "lab_freeze_holds_total 3"] {
        assert!(metrics.lines().any(|found| found == line), "no {line} in {metrics}");
    }
    let refused = ask(server.admin_addr(), "POST", "/lab/reset");
    assert_eq!(refused.status, 409, "held is in flight");
    drop(clients);
}

#[test]
fn a_client_that_goes_away_while_held_leaves_no_trace() {
    let server = freezing(products(8, Duration::from_millis(1), 0), Duration::from_millis(1));
    await_frozen(&server);
    let mut clients = hold(&server, 5);
    // From the middle, then the first, then all.
    for (gone, left) in [(2, 4), (0, 3)] {
        drop(clients.remove(gone));
        await_counters(&server, |counters| held(counters) == left);
    }
    drop(clients);
    let seen =
        await_counters(&server, |counters| held(counters) == 0 && counters["in_flight"] == 0);
    let pool = &seen["resources"][0];
    let gauges = ["in_use", "waiting", "served"].map(|gauge| pool[gauge].as_u64().unwrap());
    assert_eq!(gauges, [0, 0, 0]);
    assert_eq!(seen["freeze"]["held_total"], 5, "they were held, all the same");
    assert_eq!(ask(server.admin_addr(), "POST", "/lab/reset").status, 200);
    assert_eq!(counters(&server)["freeze"]["held_total"], 0);
}

/// Two workers and one slot, so that the order of entering is the order of being served.
#[test]
fn a_reset_begins_a_period_and_who_was_held_enters_in_order() {
    let folder = Folder::new();
    let mut config = products(1, Duration::from_millis(10), 0);
    config.serve.threads = 2.try_into().unwrap();
    config.serve.truth = Some(folder.file());
    let server = freezing(config, Duration::from_millis(500));
    await_frozen(&server);
    let mut clients = hold(&server, 8);
    // More than once if the machine is so slow that not all have entered by the next freeze.
    await_counters(&server, |counters| {
        if held(counters) > 0 && counters["freeze"]["frozen"] == true {
            assert_eq!(ask(server.admin_addr(), "POST", "/lab/reset?force=1").status, 200);
        }
        held(counters) == 0
    });
    for client in &mut clients {
        let response = client.receive();
        assert_eq!(response.status, 200);
        assert!(timing(&response, "freeze").unwrap() > 0.0, "{response:?}");
    }
    server.stop();
    let mut rows = folder.rows();
    rows.sort_by_key(|row| row.arrival);
    assert_eq!(rows.len(), 8);
    assert!(rows.is_sorted_by_key(|row| row.work_start), "{rows:?}");
}

#[test]
fn work_under_way_goes_on_while_all_is_frozen() {
    let work = Duration::from_millis(1500);
    let server = freezing(products(1, work, 0), Duration::from_secs(1));
    let [mut first, mut second] = [(); 2].map(|()| send(&server, "/api/products"));
    await_frozen(&server);
    let response = first.receive();
    assert_eq!((response.status, timing(&response, "freeze")), (200, Some(0.0)));
    assert_eq!(second.receive().status, 200, "in line before the freeze, so inside");
    let seen = counters(&server);
    assert_eq!((seen["freeze"]["frozen"].clone(), held(&seen)), (json!(true), 0));
}

#[test]
fn freezes_come_and_go_and_every_request_is_served() {
    let mut config = products(4, Duration::from_millis(1), 0);
    let [freeze, period] = [30, 50].map(Duration::from_millis);
    config.serve.freeze = Some(Cycle::new(freeze, period).unwrap());
    config.serve.threads = 2.try_into().unwrap();
    let server = spawn(&config).unwrap();
    crowd(&server, 8, 40, "/api/products");
    let seen = counters(&server);
    assert_eq!((seen["resources"][0]["served"].clone(), held(&seen)), (json!(320), 0));
    assert!(seen["freeze"]["held_total"].as_u64().unwrap() > 0);
}
