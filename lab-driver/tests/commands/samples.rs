//! A row per request, the name it carries to the target, and the join with the target's own log.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};

use super::support::{Bench, api, judged};

/// A target that answers, and logs when it let go of each request, as `lab-server --truth` does.
fn truthful() -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/items", listener.local_addr().unwrap());
    let log = "arrival_ns,work_start_ns,departure_ns,lab_request,path,status,bytes\n";
    let log = Arc::new(Mutex::new(log.to_owned()));
    let theirs = Arc::clone(&log);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, log) = (stream.unwrap(), Arc::clone(&theirs));
            std::thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let mut name = String::new();
                while let Some(Ok(line)) = lines.next() {
                    if let Some(value) = line.strip_prefix("Lab-Request: ") {
                        value.clone_into(&mut name);
                    }
                    if line.is_empty() {
                        // Noted before it is written: the driver cannot have it any sooner.
                        let now = lab_driver::live::clock::Clock::start().t0();
                        let row = format!("{now},{now},{now},{name},/items,200,2\n");
                        log.lock().unwrap().push_str(&row);
                        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                        if stream.write_all(answer).is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    (url, log)
}

fn rows(bench: &Bench, file: &str) -> Vec<HashMap<String, String>> {
    let text = bench.read(file);
    let text = text.split_once('\n').unwrap().1;
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

#[test]
fn samples_join_with_the_targets_log() {
    for load in [["--rate", "50"], ["--users", "3"]] {
        let bench = Bench::new();
        let (url, log) = truthful();
        let run = ["run", &url, "-t", "1s", "--threads", "2", "--samples", "s.csv"];
        let wait: &[&str] = if load[0] == "--users" { &["--wait", "20ms"] } else { &[] };
        judged(|| {
            log.lock().unwrap().truncate(68);
            bench.driver(&[&run[..], &load, wait].concat())
        })
        .exits(0);
        bench.write("t.csv", &*log.lock().unwrap());
        let rows = rows(&bench, "s.csv");
        let names: std::collections::BTreeSet<_> = rows.iter().map(|row| &row["request"]).collect();
        assert_eq!(names.len(), rows.len(), "each has a name of its own");
        let joined = format!("/items: {0} of {0} requests joined", rows.len());
        bench.driver(&["truth", "s.csv", "t.csv"]).exits(0).says(&[&joined, "p99"]);
        assert!(rows.iter().all(|row| {
            let at = |name: &str| row[name].parse::<u64>().unwrap();
            let instants = ["intended_ns", "ready_ns", "sent_ns", "done_ns"].map(at);
            instants.is_sorted() && row["status"] == "200" && row["bytes"] == "2"
        }));
        // No answer is there before it was given.
        let text = bench.driver(&["truth", "s.csv", "t.csv"]).out;
        let sooner =
            text.lines().filter(|line| line.starts_with("/items ")).any(|l| l.contains(" -"));
        assert!(!sooner, "{text}");
    }
}

#[test]
fn a_log_of_another_run_is_refused() {
    let bench = Bench::new();
    let run = ["run", "-f", "api", "-u", "2", "-t", "2s", "--virtual", "--samples", "s.csv"];
    bench.driver(&run).exits(0);
    assert!(rows(&bench, "s.csv").len() > 5);
    bench.write("t.csv", "departure_ns,lab_request\n");
    bench.driver(&["truth", "s.csv", "t.csv"]).exits(2).says(&["virtual time"]);
    let text = bench.read("s.csv").replace("t0_monotonic_ns=0", "t0_monotonic_ns=5");
    bench.write("s.csv", text);
    bench.driver(&["truth", "s.csv", "t.csv"]).exits(2).says(&["started with --truth"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_once_and_the_run_goes_on() {
    let run = ["run", "-f", "api", "-u", "2", "-t", "2s", "--virtual", "--samples", "/dev/full"];
    let ran = Bench::new().driver(&run).exits(4).says(&["verdict: pass", "/dev/full"]);
    assert_eq!(ran.err.matches("/dev/full").count(), 1, "{ran:#?}");
}

#[test]
fn response_times_are_split_by_what_the_target_says() {
    let server = api();
    let (url, admin) = (format!("{}/report", server.url()), server.admin());
    let bench = Bench::new();
    let run = ["run", &url, "--admin", &admin, "-u", "4", "-t", "2s", "--json", "r.json"];
    let ran = judged(|| bench.driver(&[&run[..], &["--server-timing"]].concat())).exits(0);
    ran.says(&["mean ms of", "/report"]);
    let split = &bench.json("r.json")["segments"][0]["endpoints"][0]["split"];
    let part = |name: &str| split[name].as_u64().unwrap();
    // Two permits for four users who never pause: as much waiting as working, or nearly.
    let (work, queue) = (part("work_ns"), part("queue_ns"));
    assert!(queue * 2 > work && queue < work * 2, "{split}");
    assert!(part("response_ns") >= work + queue, "{split}");
}
