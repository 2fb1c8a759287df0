//! The admin listener: who answers there, what it tells, and that the target's port does not.
#![allow(clippy::unwrap_used, reason = "a failed helper is a failed test")]

mod common;

use std::collections::HashSet;
use std::time::Duration;

use common::{Client, FOR_EVER, ask, await_counters, counters, get, start};
use serde_json::json;

#[test]
fn the_admin_is_not_on_the_targets_port_nor_the_target_on_the_admins() {
    let server = start(25, 2, FOR_EVER);
    for path in ["/healthz", "/metrics", "/lab/counters"] {
        assert_eq!(get(server.addr(), path).status, 404, "{path}");
        assert_eq!(get(server.admin_addr(), path).status, 200, "{path}");
    }
    assert_eq!(ask(server.addr(), "POST", "/lab/reset").status, 404);
    let stray = get(server.admin_addr(), "/items");
    assert_eq!((stray.status, stray.header("lab-admin")), (404, None));
    assert_eq!(get(server.admin_addr(), "/lab/reset").header("allow"), Some("post"));
    assert_eq!(counters(&server)["requests"], json!({"/items": 0, "/report": 0, "other": 4}));
}

#[test]
fn healthz_says_which_lab_where_and_with_which_knobs() {
    let server = start(7, 4, Duration::from_millis(1500));
    let expected = json!({
        "lab": "api",
        "port": server.addr().port(),
        "admin_port": server.admin_addr().port(),
        "version": env!("CARGO_PKG_VERSION"),
        "pid": std::process::id(),
        "knobs": {"items_slow_every": 7, "report_pool": 4, "report_work": "1.5s"},
    });
    assert_eq!(get(server.admin_addr(), "/healthz").json(), expected);
}

#[test]
fn counters_have_every_field_and_only_the_clocks_move_on_an_idle_server() {
    let server = start(25, 2, FOR_EVER);
    let [mut first, mut second] = [(); 2].map(|()| counters(&server));
    for clock in ["t", "since_reset_s", "cpu_s"] {
        let [before, after] = [&mut first, &mut second].map(|counters| counters[clock].take());
        assert!(before.as_f64().unwrap() <= after.as_f64().unwrap(), "{clock}");
        assert!(before.as_f64().unwrap() > 0.0, "{clock}");
    }
    let rss = first["rss_bytes"].take();
    assert!(rss.is_null() || rss.as_u64().unwrap() > 0);
    second["rss_bytes"].take();
    assert_eq!(first, second);
    let expected = json!({
        "lab": "api", "t": null, "since_reset_s": null, "cpu_s": null, "rss_bytes": null,
        "in_flight": 0, "requests": {"/items": 0, "/report": 0, "other": 0}, "slow_items": 0,
        "resources": [{"name": "report pool", "capacity": 2, "in_use": 0, "waiting": 0,
                       "served": 0, "busy_s": 0.0, "wait_s": 0.0}],
        "caches": [], "freeze": null, "truth_log": null,
        "knobs": {"items_slow_every": 25, "report_pool": 2, "report_work": "3600s"},
    });
    assert_eq!(first, expected);
}

#[test]
fn a_busy_server_refuses_a_reset_unless_forced_and_keeps_its_gauges() {
    let server = start(25, 1, FOR_EVER);
    let mut clients = [(); 2].map(|()| Client::to(server.addr()));
    for client in &mut clients {
        client.send("GET", "/report");
    }
    await_counters(&server, |counters| counters["resources"][0]["waiting"] == 1);

    let refused = ask(server.admin_addr(), "POST", "/lab/reset");
    assert_eq!(refused.status, 409);
    let reason = refused.json()["error"].to_string();
    assert!(reason.contains("2 in flight") && reason.contains("force=1"), "{reason}");
    assert_eq!(ask(server.admin_addr(), "POST", "/lab/reset?force=yes").status, 400);
    assert_eq!(counters(&server)["requests"]["/report"], 2);

    assert_eq!(ask(server.admin_addr(), "POST", "/lab/reset?force=1").status, 200);
    let after = counters(&server);
    assert_eq!((&after["in_flight"], &after["requests"]["/report"]), (&json!(2), &json!(0)));
    let pool = &after["resources"][0];
    assert_eq!((&pool["in_use"], &pool["waiting"]), (&json!(1), &json!(1)));
    assert!(pool["busy_s"].as_f64() <= after["since_reset_s"].as_f64().map(|s| s + 1.0));
    drop(clients);
}

#[test]
fn metrics_are_well_formed_and_say_what_the_counters_say() {
    let server = start(1_000, 3, Duration::from_millis(1));
    for path in ["/items", "/items", "/report", "/stray"] {
        get(server.addr(), path);
    }
    let response = get(server.admin_addr(), "/metrics");
    assert!(response.header("content-type").unwrap().contains("openmetrics-text"));
    assert!(response.body.ends_with("# EOF\n"));
    let samples: Vec<(&str, f64)> = response
        .body
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.rsplit_once(' ').unwrap())
        .map(|(name, value)| (name, value.parse().unwrap()))
        .collect();
    let names: HashSet<_> = samples.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), samples.len(), "no sample appears twice");
    let value = |name: &str| {
        let sample = samples.iter().find(|(sample, _)| *sample == name);
        sample.unwrap_or_else(|| panic!("no {name} in {samples:?}")).1
    };
    for (name, expected) in [
        (r#"lab_requests_total{route="/items"}"#, 2.0),
        (r#"lab_requests_total{route="/report"}"#, 1.0),
        (r#"lab_requests_total{route="other"}"#, 1.0),
        ("lab_in_flight", 0.0),
        ("lab_slow_items_total", 0.0),
        (r#"lab_pool_capacity{resource="report pool"}"#, 3.0),
        (r#"lab_pool_in_use{resource="report pool"}"#, 0.0),
        (r#"lab_pool_waiting{resource="report pool"}"#, 0.0),
        (r#"lab_pool_served_total{resource="report pool"}"#, 1.0),
        (r#"lab_pool_wait_seconds_total{resource="report pool"}"#, 0.0),
    ] {
        assert!((value(name) - expected).abs() < 1e-12, "{name} is {}", value(name));
    }
    assert!(value(r#"lab_pool_busy_seconds_total{resource="report pool"}"#) >= 0.001);
    assert!(value("process_cpu_seconds_total") > 0.0);
    #[cfg(target_os = "linux")]
    assert!(value("process_resident_memory_bytes") > 0.0);
}
