//! The target's own counters against what the driver says it did.

use super::support::{Bench, api, judged};

#[test]
fn the_server_counted_what_the_driver_sent() {
    let bench = Bench::new();
    let target = api();
    let (url, admin) = (target.url(), target.admin());
    let run = [
        "run", "-f", "api", "-H", &url, "--admin", &admin, "-u", "5", "--wait", "0s", "-t", "2s",
        "--json", "r.json",
    ];
    judged(|| bench.driver(&run)).exits(0).says(&["verdict: pass"]);
    let (record, counters) = (bench.json("r.json"), target.counters());
    let totals = &record["totals"];
    assert_eq!(totals["started"], totals["completed"], "nothing was cut off");
    let served: u64 = counters["requests"]
        .as_object()
        .unwrap()
        .values()
        .map(|count| count.as_u64().unwrap())
        .sum();
    assert_eq!(served, totals["completed"].as_u64().unwrap());
    let mut by_route = 0;
    for endpoint in record["segments"][0]["endpoints"].as_array().unwrap() {
        // "Aggregated" is no route.
        let Some(count) = counters["requests"].get(endpoint["name"].as_str().unwrap()) else {
            continue;
        };
        assert_eq!(&endpoint["counts"]["ended"], count, "{endpoint}");
        by_route += count.as_u64().unwrap();
    }
    assert_eq!(by_route, served);
}

/// Every 25th item takes 400 ms and no other comes near, so the driver can count them by their time.
#[test]
fn slow_items_are_the_servers_own_count() {
    let bench = Bench::new();
    let target = api();
    let (url, admin) = (format!("{}/items", target.url()), target.admin());
    let rule = ["--fail-slower", "/items=300ms", "--threshold", "failed<50%"];
    let run =
        ["run", &url, "--admin", &admin, "-u", "4", "--wait", "0s", "-t", "2s", "--json", "r.json"];
    judged(|| bench.driver(&[&run[..], &rule].concat())).exits(0).says(&["took over 300ms"]);
    let slow = target.counters()["slow_items"].as_u64().unwrap();
    assert!(slow > 10);
    assert_eq!(bench.json("r.json")["totals"]["failed"].as_u64().unwrap(), slow);
}

#[test]
fn the_announced_admin_port_is_found_without_being_named() {
    let bench = Bench::new();
    let target = api();
    let run = ["run", "-f", "api", "-H", &target.url(), "-u", "2", "-t", "1s", "--wait", "10ms"];
    let ran = judged(|| bench.driver(&[&run[..], &["--json", "r.json"]].concat())).exits(0);
    ran.says_nothing_of(&["counters are missing"]);
    assert_eq!(bench.json("r.json")["target"]["lab"], "api");
}
