//! Ramps find the knee where the pool's size puts it, name what was full, and say when there is none.

use super::support::{Bench, Ran, judged, start};

fn ramp(bench: &Bench, pool: u32, levels: &[&str]) -> Ran {
    let pool = format!("report_pool={pool}");
    let flags = ["-f", "api", "-t", "60s", "--virtual", "--model", &pool, "--seed", "1"];
    bench.driver(&[&["ramp"], levels, &flags].concat()).exits(0)
}

/// N* = (D + Z) / Dmax with D = 40.6 ms, Z = 500 ms, Dmax = 25 ms / pool: 43, 65 and 108 users.
#[test]
fn the_knee_lies_where_the_pool_puts_it() {
    let bench = Bench::new();
    for (pool, levels, knee) in [
        (2, ["10", "20", "40", "60", "80"], ["40", "60"]),
        (3, ["20", "40", "60", "80", "100"], ["60", "80"]),
        (5, ["40", "70", "100", "140", "180"], ["100", "140"]),
    ] {
        let between = format!("between {} and {}", knee[0], knee[1]);
        ramp(&bench, pool, &levels).says(&[&between, "report pool", "verdict: pass"]);
    }
}

#[test]
fn a_range_without_a_knee_says_so() {
    let bench = Bench::new();
    ramp(&bench, 2, &["10", "15", "20"])
        .says(&["no knee in this range"])
        .says_nothing_of(&["between 1"]);
    ramp(&bench, 2, &["10"]).says(&["no knee"]);
}

#[test]
fn a_live_ramp_names_the_full_pool() {
    let bench = Bench::new();
    let server = start(2);
    let (url, admin) = (server.url(), server.admin());
    bench.write(
        "reports.toml",
        r#"schema = 1
name = "reports"
[load]
users = 1
duration = "2s"
wait = "100ms"
[[task]]
name = "/report"
request = "GET /report"
"#,
    );
    // Each user takes a slot for half of its time, so two slots are full with four users.
    let flags = ["-f", "reports.toml", "-H", &url, "--admin", &admin];
    let ran = judged(|| bench.driver(&[&["ramp", "2", "4", "12"], &flags[..]].concat())).exits(0);
    ran.says(&["between 4 and 12", "report pool"]);
}
