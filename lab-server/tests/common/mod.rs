//! A server on free ports, and the least HTTP client that can talk to it.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod truth;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::num::{NonZeroU32, NonZeroU64};
use std::time::{Duration, Instant};

use lab_server::targets::{Knobs, api, products};
use lab_server::work::Work;
use lab_server::{Config, Running, spawn};
use serde_json::Value;

/// Long enough for a report to be in progress until its client goes away.
pub(crate) const FOR_EVER: Duration = Duration::from_hours(1);

/// An `api` server on free ports.
pub(crate) fn start(slow_every: u64, pool: u32, work: Duration) -> Running {
    spawn(&config(slow_every, pool, work)).unwrap()
}

/// The settings of an `api` server on free ports.
pub(crate) fn config(slow_every: u64, pool: u32, work: Duration) -> Config {
    Config::on_free_ports(Knobs::Api(api::Knobs {
        items_slow_every: NonZeroU64::new(slow_every).unwrap(),
        report_pool: NonZeroU32::new(pool).unwrap(),
        report_work: work,
    }))
}

/// A response, its head as lower-case text.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.strip_prefix(": "))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }
}

/// A connection that is kept alive.
pub(crate) struct Client(pub(crate) TcpStream);

impl Client {
    pub(crate) fn to(addr: SocketAddr) -> Self {
        Self(TcpStream::connect(addr).unwrap())
    }

    pub(crate) fn send(&mut self, method: &str, path: &str) {
        let request = format!("{method} {path} HTTP/1.1\r\nhost: lab\r\ncontent-length: 0\r\n\r\n");
        self.0.write_all(request.as_bytes()).unwrap();
    }

    /// Reads one response, to its content length.
    pub(crate) fn receive(&mut self) -> Response {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            self.0.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap().to_lowercase();
        let status = head[9..12].parse().unwrap();
        let mut response = Response { status, head, body: String::new() };
        let length = response.header("content-length").unwrap_or("0").parse().unwrap();
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        response.body = String::from_utf8(body).unwrap();
        response
    }

    /// True once the server has closed the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.0.read(&mut [0]).is_ok_and(|read| read == 0)
    }
}

/// One request on a connection of its own.
pub(crate) fn ask(addr: SocketAddr, method: &str, path: &str) -> Response {
    let mut client = Client::to(addr);
    client.send(method, path);
    client.receive()
}

pub(crate) fn get(addr: SocketAddr, path: &str) -> Response {
    ask(addr, "GET", path)
}

/// So many clients at once ask for `path`, each so often in turn on one connection, and all are served.
pub(crate) fn crowd(server: &Running, clients: u32, requests: u32, path: &str) {
    std::thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(|| {
                let mut client = Client::to(server.addr());
                for _ in 0..requests {
                    client.send("GET", path);
                    assert_eq!(client.receive().status, 200);
                }
            });
        }
    });
}

pub(crate) fn counters(server: &Running) -> Value {
    get(server.admin_addr(), "/lab/counters").json()
}

/// Asks for the counters until `reached`; panics after a time that no machine needs.
pub(crate) fn await_counters(server: &Running, reached: impl Fn(&Value) -> bool) -> Value {
    let give_up = Instant::now() + Duration::from_mins(1);
    loop {
        let counters = counters(server);
        if reached(&counters) {
            return counters;
        }
        assert!(Instant::now() < give_up, "never reached: {counters}");
    }
}

/// The milliseconds of one entry of `Server-Timing`.
pub(crate) fn timing(response: &Response, entry: &str) -> Option<f64> {
    let mut entries = response.header("server-timing")?.split(", ");
    let found = entries.find_map(|text| text.strip_prefix(entry)?.strip_prefix(";dur="));
    found.map(|milliseconds| milliseconds.parse().unwrap())
}

/// The settings of a `products` server on free ports: slots, work, cache.
pub(crate) fn products(slots: u32, work: Duration, cache: usize) -> Config {
    Config::on_free_ports(Knobs::Products(products::Knobs {
        slots: NonZeroU32::new(slots).unwrap(),
        work: Work::between(work, work),
        cache,
    }))
}
