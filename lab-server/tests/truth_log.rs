//! The log of `--truth`, held against the requests that made it.
#![allow(clippy::unwrap_used, reason = "a failed helper is a failed test")]

mod common;

use std::io::{Read, Write};
use std::time::Duration;

use common::truth::Folder;
use common::{Client, FOR_EVER, ask, await_counters, counters, crowd, get, products, timing};
use lab_server::{Running, StartError, spawn};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

fn logging(folder: &Folder, slots: u32, work: Duration) -> Running {
    let mut config = products(slots, work, 0);
    config.serve.truth = Some(folder.file());
    spawn(&config).unwrap()
}

fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    u64::try_from(now.tv_sec * 1_000_000_000 + now.tv_nsec).unwrap()
}

#[test]
fn a_row_lies_between_the_sending_and_the_answer_on_the_clients_own_clock() {
    let folder = Folder::new();
    let server = logging(&folder, 2, Duration::from_millis(3));
    let mut client = Client::to(server.addr());
    let mut seen = Vec::new();
    for index in 0..20 {
        let sent = now();
        let request = format!(
            "GET /api/products?id={index} HTTP/1.1\r\nhost: lab\r\nLab-Request: 42-{index}\r\n\r\n"
        );
        client.0.write_all(request.as_bytes()).unwrap();
        let response = client.receive();
        seen.push((sent, now(), response));
    }
    server.stop();
    let rows = folder.rows();
    assert_eq!(rows.len(), 20);
    for (index, (row, (sent, done, response))) in rows.iter().zip(&seen).enumerate() {
        let (work_start, departure) = (row.work_start.unwrap(), row.departure.unwrap());
        let instants = [*sent, row.arrival, work_start, departure, *done];
        assert!(instants.is_sorted(), "{instants:?}");
        let work = timing(response, "work").unwrap();
        assert!(departure - work_start >= 3_000_000 && work >= 3.0, "{row:?}");
        assert_eq!((row.lab_request.as_str(), row.status), (&*format!("42-{index}"), Some(200)));
        assert_eq!(row.path, "/api/products");
        assert_eq!(row.bytes, response.head.len() + response.body.len());
    }
}

fn counted(counters: &Value) -> u64 {
    let requests = counters["requests"].as_object().unwrap().values();
    requests.map(|count| count.as_u64().unwrap()).sum()
}

#[test]
fn as_many_rows_as_requests_whoever_sends_them_and_however_they_end() {
    let folder = Folder::new();
    let server = logging(&folder, 1, FOR_EVER);
    let mut held = [(); 2].map(|()| Client::to(server.addr()));
    for client in &mut held {
        client.send("GET", "/api/products");
    }
    await_counters(&server, |counters| counters["resources"][0]["waiting"] == 1);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let addr = server.addr();
            scope.spawn(move || {
                for request in 0..25 {
                    let path = if request % 2 == 0 { "/nothing" } else { "/api/products?id=x" };
                    let method = if worker == 0 { "HEAD" } else { "GET" };
                    let mut client = Client::to(addr);
                    client.send(method, path);
                    if worker > 0 {
                        client.receive();
                    } else {
                        // A client that does not read; its answer has left all the same, or not.
                        drop(client);
                    }
                }
            });
        }
    });
    drop(held);
    // What was sent on a connection that closed at once may arrive later, or be given up unseen.
    let seen = await_counters(&server, |counters| {
        let counted = counted(counters);
        counted >= 77 && counters["truth_log"]["written"] == counted && counters["in_flight"] == 0
    });
    server.stop();
    let rows = folder.rows();
    assert!((counted(&seen)..=102).contains(&(rows.len() as u64)), "{seen}");
    let abandoned = rows.iter().filter(|row| row.status.is_none()).count();
    assert!(abandoned >= 2, "the two that were held: {rows:?}");
    let answered = rows.iter().filter(|row| row.status.is_some() && row.departure.is_some());
    assert!(answered.clone().count() >= 75);
    assert!(answered.clone().all(|row| row.work_start.is_none() && row.bytes > 0), "{rows:?}");
}

#[test]
fn each_of_several_requests_sent_at_once_on_one_connection_has_its_own_departure() {
    let folder = Folder::new();
    let server = logging(&folder, 1, Duration::from_millis(2));
    let mut client = Client::to(server.addr());
    client.send("HEAD", "/api/products");
    let sizes: Vec<_> = {
        // The answer to HEAD has a length and no body, so its head alone is read.
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            client.0.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let paths = ["/api/products", "/nothing", "/api/products?id=12345"];
        let all = paths.map(|path| format!("GET {path} HTTP/1.1\r\nhost: lab\r\n\r\n")).concat();
        client.0.write_all(all.as_bytes()).unwrap();
        let answers = paths.map(|_| client.receive());
        let sizes = answers.iter().map(|answer| answer.head.len() + answer.body.len());
        std::iter::once(head.len()).chain(sizes).collect()
    };
    server.stop();
    let rows = folder.rows();
    assert_eq!(rows.iter().map(|row| row.bytes).collect::<Vec<_>>(), sizes);
    let instants: Vec<_> =
        rows.iter().flat_map(|row| [row.arrival, row.departure.unwrap()]).collect();
    assert!(instants.is_sorted(), "one after another: {rows:?}");
}

/// One worker and one slot: nobody can begin between two others but by overtaking.
#[test]
fn first_come_is_first_served_whoever_comes() {
    let folder = Folder::new();
    let server = logging(&folder, 1, Duration::from_micros(200));
    crowd(&server, 16, 25, "/api/products");
    let pool = counters(&server)["resources"][0].clone();
    server.stop();
    let mut rows = folder.rows();
    rows.sort_by_key(|row| row.arrival);
    assert_eq!((rows.len(), &pool["served"]), (400, &400.into()));
    assert!(pool["wait_s"].as_f64() > pool["busy_s"].as_f64(), "there was a line: {pool}");
    assert!(rows.is_sorted_by_key(|row| row.work_start), "{rows:?}");
}

#[test]
fn the_log_is_read_while_it_is_written_and_its_counters_agree() {
    let folder = Folder::new();
    let server = logging(&folder, 8, Duration::from_millis(1));
    for _ in 0..5 {
        get(server.addr(), "/api/products");
    }
    let seen = await_counters(&server, |counters| counters["truth_log"]["written"] == 5);
    assert_eq!(seen["truth_log"]["lost"], 0);
    assert_eq!(folder.rows().len(), 5);
    let metrics = get(server.admin_addr(), "/metrics").body;
    assert!(metrics.contains("lab_truth_log_written_total 5\n"), "{metrics}");
    assert!(metrics.contains("lab_truth_log_lost_total 0\n"), "{metrics}");
    assert_eq!(ask(server.admin_addr(), "POST", "/lab/reset").status, 200);
    assert_eq!(counters(&server)["truth_log"]["written"], 5, "the file was not reset either");
}

#[test]
fn a_file_that_cannot_be_created_is_an_error_of_the_start() {
    let folder = Folder::new();
    let mut config = products(1, FOR_EVER, 0);
    config.serve.truth = Some(folder.0.join("missing").join("truth.csv"));
    let Err(StartError::TruthLog { path, .. }) = spawn(&config) else { panic!("it started") };
    assert_eq!(Some(path), config.serve.truth);
}

/// A server that finds its port taken must not empty the log of the one that has it.
#[test]
fn a_start_that_fails_leaves_the_file_alone() {
    let folder = Folder::new();
    let server = logging(&folder, 1, Duration::from_millis(1));
    get(server.addr(), "/api/products");
    await_counters(&server, |counters| counters["truth_log"]["written"] == 1);
    let mut config = products(1, FOR_EVER, 0);
    config.serve.truth = Some(folder.file());
    config.serve.port = server.addr().port();
    assert!(matches!(spawn(&config), Err(StartError::PortTaken(_))));
    assert_eq!(folder.rows().len(), 1);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_loses_rows_and_no_request() {
    let mut config = products(8, Duration::from_millis(1), 0);
    config.serve.truth = Some("/dev/full".into());
    let server = spawn(&config).unwrap();
    for _ in 0..5 {
        assert_eq!(get(server.addr(), "/api/products").status, 200);
    }
    let seen = await_counters(&server, |counters| counters["truth_log"]["lost"] == 5);
    assert_eq!(seen["truth_log"]["written"], 0);
}
