//! The target over real HTTP: what it answers, what it counts, and what an abandoned request frees.
#![allow(clippy::unwrap_used, reason = "a failed helper is a failed test")]

mod common;

use std::time::Duration;

use common::{Client, FOR_EVER, ask, await_counters, counters, get, start};
use lab_server::targets::api;
use serde_json::{Value, json};

const BRIEF: Duration = Duration::from_millis(1);

#[test]
fn both_routes_answer_ok_with_server_timing_and_the_admins_address() {
    let server = start(25, 2, BRIEF);
    for path in ["/items", "/report"] {
        let response = get(server.addr(), path);
        assert_eq!((response.status, response.body.as_str()), (200, r#"{"ok": true}"#));
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(response.header("lab-admin"), Some(&*server.admin_addr().to_string()));
        let timing = response.header("server-timing").unwrap();
        assert!(timing.starts_with("queue;dur=0.") && timing.contains(", work;dur="), "{timing}");
    }
}

#[test]
fn other_paths_and_methods_get_a_reason_as_json() {
    let server = start(1, 2, BRIEF);
    let missing = get(server.addr(), "/nothing");
    assert_eq!(
        (missing.status, missing.json()),
        (404, json!({"error": "nothing is served at /nothing"}))
    );
    let wrong = ask(server.addr(), "POST", "/items");
    assert_eq!((wrong.status, wrong.json()), (405, json!({"error": "/items does not take POST"})));
    assert_eq!(wrong.header("allow"), Some("get,head"));
    assert!(wrong.header("lab-admin").is_some());
    let counters = counters(&server);
    assert_eq!(counters["requests"], json!({"/items": 0, "/report": 0, "other": 2}));
    assert_eq!(counters["slow_items"], 0, "a wrong method finds no cold cache");
}

#[test]
fn every_25th_item_is_slow_and_a_reset_starts_the_count_anew() {
    let server = start(api::ITEMS_SLOW_EVERY, 2, BRIEF);
    let mut client = Client::to(server.addr());
    let mut items = |count: u64| {
        for _ in 0..count {
            client.send("GET", "/items");
            assert_eq!(client.receive().status, 200);
        }
        let counters = counters(&server);
        (counters["requests"]["/items"].clone(), counters["slow_items"].clone())
    };
    assert_eq!(items(24), (json!(24), json!(0)));
    assert_eq!(items(1), (json!(25), json!(1)));
    items(20);
    let reset = ask(server.admin_addr(), "POST", "/lab/reset");
    assert_eq!((reset.status, reset.json()), (200, json!({"reset": true})));
    assert_eq!(items(24), (json!(24), json!(0)));
    assert_eq!(items(1), (json!(25), json!(1)));
}

#[test]
fn the_slow_item_takes_what_the_constant_says_and_its_neighbours_do_not() {
    let server = start(3, 2, BRIEF);
    let works: Vec<f64> = (0..3)
        .map(|_| {
            let response = get(server.addr(), "/items");
            let timing = response.header("server-timing").unwrap();
            timing.rsplit('=').next().unwrap().parse().unwrap()
        })
        .collect();
    let [warm, cold] = [api::ITEM_WARM, api::ITEM_COLD].map(|time| time.as_secs_f64() * 1e3);
    assert!(works.iter().all(|work| *work >= warm), "{works:?}");
    assert!(works[2] >= cold && works[2] > works[0].max(works[1]), "{works:?}");
}

fn pool(counters: &Value) -> [u64; 3] {
    ["in_use", "waiting", "served"].map(|gauge| counters["resources"][0][gauge].as_u64().unwrap())
}

fn in_flight(counters: &Value) -> u64 {
    counters["in_flight"].as_u64().unwrap()
}

#[test]
fn a_client_that_goes_away_leaves_the_line_or_frees_its_permit() {
    let server = start(25, 1, FOR_EVER);
    let [mut holder, mut leaver, mut next] = [(); 3].map(|()| Client::to(server.addr()));
    holder.send("GET", "/report");
    await_counters(&server, |counters| pool(counters) == [1, 0, 0]);
    leaver.send("GET", "/report");
    await_counters(&server, |counters| pool(counters) == [1, 1, 0]);
    next.send("GET", "/report");
    await_counters(&server, |counters| pool(counters) == [1, 2, 0]);

    // A request gives up its place a moment before it stops being in flight.
    drop(leaver);
    await_counters(&server, |counters| (pool(counters), in_flight(counters)) == ([1, 1, 0], 2));
    drop(holder);
    await_counters(&server, |counters| (pool(counters), in_flight(counters)) == ([1, 0, 0], 1));
    drop(next);
    let seen =
        await_counters(&server, |counters| (pool(counters), in_flight(counters)) == ([0, 0, 0], 0));
    let [busy, wait] = ["busy_s", "wait_s"].map(|sum| seen["resources"][0][sum].as_f64().unwrap());
    assert!(busy > 0.0 && wait > 0.0);
    assert_eq!(seen["requests"]["/report"], 3);
}

#[test]
fn reports_are_served_first_come_first_served_over_two_workers() {
    let mut config = common::config(25, 1, Duration::from_millis(20));
    config.serve.threads = 2.try_into().unwrap();
    let server = lab_server::spawn(&config).unwrap();
    let mut clients: Vec<Client> = Vec::new();
    for arrived in 1..=6 {
        let mut client = Client::to(server.addr());
        client.send("GET", "/report");
        clients.push(client);
        await_counters(&server, |counters| counters["requests"]["/report"] == arrived);
    }
    let waits = clients.iter_mut().map(|client| {
        let response = client.receive();
        let timing = response.header("server-timing").unwrap();
        timing.split(['=', ',']).nth(1).unwrap().parse().unwrap()
    });
    let waits: Vec<f64> = waits.collect();
    // Each came later and was let in later: the last has waited for all before it.
    assert!(waits[5] > waits[1], "{waits:?}");
    let pool = &counters(&server)["resources"][0];
    assert_eq!(pool["served"], 6);
    assert!(pool["busy_s"].as_f64().unwrap() >= 6.0 * 0.020, "{pool}");
}

#[test]
fn close_per_request_closes_after_one_response() {
    let mut config = common::config(25, 2, BRIEF);
    config.serve.close_per_request = true;
    let server = lab_server::spawn(&config).unwrap();
    let mut client = Client::to(server.addr());
    client.send("GET", "/items");
    assert_eq!(client.receive().header("connection"), Some("close"));
    assert!(client.is_closed());
}
