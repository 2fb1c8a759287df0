//! The target `products` over real HTTP: its slots, its line, its cache.
#![allow(clippy::unwrap_used, reason = "a failed helper is a failed test")]

mod common;

use std::time::Duration;

use common::truth::Folder;
use common::{Client, FOR_EVER, ask, await_counters, counters, crowd, get, products, timing};
use lab_server::targets::{Knobs, products as target};
use lab_server::{Config, Running, spawn};
use serde_json::{Value, json};

const BRIEF: Duration = Duration::from_millis(1);

fn start(slots: u32, work: Duration, cache: usize) -> Running {
    spawn(&products(slots, work, cache)).unwrap()
}

/// In use, waiting, served.
fn slots(counters: &Value) -> [u64; 3] {
    ["in_use", "waiting", "served"].map(|gauge| counters["resources"][0][gauge].as_u64().unwrap())
}

#[test]
fn it_answers_with_and_without_an_id_and_says_who_it_is() {
    let server = spawn(&Config::on_free_ports(Knobs::Products(target::Knobs::default()))).unwrap();
    for (path, body) in [
        ("/api/products", json!({"products": []})),
        ("/api/products?id=7", json!({"products": [{"id": 7}]})),
        ("/api/products?page=2&id=08", json!({"products": [{"id": 8}]})),
    ] {
        let response = get(server.addr(), path);
        assert_eq!((response.status, response.json()), (200, body), "{path}");
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(response.header("lab-admin"), Some(&*server.admin_addr().to_string()));
        assert!(timing(&response, "work").unwrap() >= 15.0, "{response:?}");
    }
    let health = get(server.admin_addr(), "/healthz").json();
    assert_eq!(health["lab"], "products");
    assert_eq!(health["knobs"], json!({"slots": 8, "work": "15ms..25ms", "cache": 0}));
    let counters = counters(&server);
    assert_eq!(counters["requests"], json!({"/api/products": 3, "other": 0}));
    assert_eq!(counters["resources"][0]["name"], "slots");
    assert_eq!((slots(&counters), &counters["caches"]), ([0, 0, 3], &json!([])));
}

#[test]
fn a_mistake_is_answered_at_once_with_its_reason_and_with_server_timing() {
    let server = start(1, FOR_EVER, 0);
    let mut holder = Client::to(server.addr());
    holder.send("GET", "/api/products");
    await_counters(&server, |counters| slots(counters) == [1, 0, 0]);
    for (method, path, status) in [
        ("GET", "/api/products?id=first", 400),
        ("GET", "/api/products?id=", 400),
        ("GET", "/api/product", 404),
        ("POST", "/api/products", 405),
    ] {
        let response = ask(server.addr(), method, path);
        assert_eq!(response.status, status, "{method} {path}");
        assert!(response.json()["error"].is_string());
        assert_eq!(response.header("server-timing"), Some("queue;dur=0.000, work;dur=0.000"));
        assert!(response.header("lab-admin").is_some());
    }
    let counters = counters(&server);
    assert_eq!(counters["requests"], json!({"/api/products": 3, "other": 2}));
    assert_eq!(slots(&counters), [1, 0, 0], "a mistake takes no slot");
}

/// Ratios only: what a machine that is late does to them is in both sides.
#[test]
fn it_serves_as_many_as_slots_and_work_allow_and_no_more() {
    let server = spawn(&Config::on_free_ports(Knobs::Products(target::Knobs::default()))).unwrap();
    ask(server.admin_addr(), "POST", "/lab/reset");
    crowd(&server, 24, 10, "/api/products");
    let counters = counters(&server);
    let pool = &counters["resources"][0];
    let [busy, wait, pieces, since] =
        [&pool["busy_s"], &pool["wait_s"], &pool["served"], &counters["since_reset_s"]]
            .map(|value| value.as_f64().unwrap());
    assert_eq!(slots(&counters), [0, 0, 240]);
    assert!(busy <= 8.0 * since, "never more than 8 at a time: {counters}");
    // 240 draws have a mean of 20 ± 0.2 ms; a sleep may only last longer.
    assert!(busy / pieces >= 0.019, "{counters}");
    assert!(pieces / since <= 8.0 / 0.019, "{counters}");
    // 24 users on 8 slots: two of three wait.
    assert!(wait > busy, "{counters}");
}

#[test]
fn first_come_first_served_over_two_workers() {
    let folder = Folder::new();
    let mut config = products(1, Duration::from_millis(10), 0);
    config.serve.threads = 2.try_into().unwrap();
    config.serve.truth = Some(folder.file());
    let server = spawn(&config).unwrap();
    let mut clients = Vec::new();
    for arrived in 1..=8 {
        let mut client = Client::to(server.addr());
        client.send("GET", "/api/products");
        clients.push(client);
        await_counters(&server, |counters| counters["requests"]["/api/products"] == arrived);
    }
    for client in &mut clients {
        assert_eq!(client.receive().status, 200);
    }
    server.stop();
    let mut rows = folder.rows();
    rows.sort_by_key(|row| row.arrival);
    assert_eq!(rows.len(), 8);
    assert!(rows.is_sorted_by_key(|row| row.work_start), "{rows:?}");
}

#[test]
fn a_client_that_goes_away_leaves_the_line_or_frees_its_slot() {
    let server = start(1, FOR_EVER, 0);
    let [mut holder, mut leaver, mut next] = [(); 3].map(|()| Client::to(server.addr()));
    for (client, expected) in
        [(&mut holder, [1, 0, 0]), (&mut leaver, [1, 1, 0]), (&mut next, [1, 2, 0])]
    {
        client.send("GET", "/api/products");
        await_counters(&server, |counters| slots(counters) == expected);
    }
    drop(leaver);
    await_counters(&server, |counters| slots(counters) == [1, 1, 0]);
    drop(holder);
    await_counters(&server, |counters| slots(counters) == [1, 0, 0]);
    drop(next);
    await_counters(&server, |counters| slots(counters) == [0, 0, 0] && counters["in_flight"] == 0);
}

#[test]
fn a_hit_needs_no_slot_and_a_reset_leaves_the_cache_cold() {
    let server = start(1, BRIEF, 2);
    let cache = |server: &Running| {
        let counters = counters(server);
        let cache = &counters["caches"][0];
        let numbers = ["hits", "misses", "size"].map(|name| cache[name].as_u64().unwrap());
        (numbers, slots(&counters)[2])
    };
    let ids = |ids: &[u64]| {
        for id in ids {
            assert_eq!(get(server.addr(), &format!("/api/products?id={id}")).status, 200);
        }
    };
    ids(&[1, 1, 1, 1]);
    assert_eq!(cache(&server), ([3, 1, 1], 1));
    ids(&[2, 1, 3, 2]);
    assert_eq!(cache(&server), ([4, 4, 2], 4), "the 3 took the place of the 2, used longest ago");
    get(server.addr(), "/api/products");
    assert_eq!(cache(&server), ([4, 4, 2], 5), "without an id there is nothing to look up");
    assert_eq!(counters(&server)["caches"][0]["name"], "products");

    let metrics = get(server.admin_addr(), "/metrics").body;
    for line in [
        r#"lab_cache_hits_total{cache="products"} 4"#,
        r#"lab_cache_misses_total{cache="products"} 4"#,
        r#"lab_cache_size{cache="products"} 2.0"#,
        r#"lab_cache_capacity{cache="products"} 2.0"#,
    ] {
        assert!(metrics.lines().any(|found| found == line), "no {line} in {metrics}");
    }

    assert_eq!(ask(server.admin_addr(), "POST", "/lab/reset").status, 200);
    assert_eq!(cache(&server), ([0, 0, 0], 0));
    ids(&[2]);
    assert_eq!(cache(&server), ([0, 1, 1], 1));
}

#[test]
fn hits_go_past_a_full_line() {
    let server = start(1, Duration::from_millis(100), 1);
    get(server.addr(), "/api/products?id=1");
    let mut line: Vec<_> = (0..20).map(|_| Client::to(server.addr())).collect();
    for client in &mut line {
        client.send("GET", "/api/products");
    }
    await_counters(&server, |counters| counters["in_flight"] == 20);
    let hit = get(server.addr(), "/api/products?id=1");
    assert_eq!(hit.status, 200);
    assert!(slots(&counters(&server))[1] > 0, "others still wait");
}

#[test]
fn one_after_another_on_connections_that_close() {
    let mut config = products(8, BRIEF, 0);
    config.serve.close_per_request = true;
    let server = spawn(&config).unwrap();
    let mut client = Client::to(server.addr());
    client.send("GET", "/api/products");
    assert_eq!(client.receive().header("connection"), Some("close"));
    assert!(client.is_closed());
}
