//! A real `api` target in this process.

use std::num::NonZeroU32;

use lab_server::targets::{Knobs, api as target};
use lab_server::{Config, Running, spawn};

/// An `api` target, and the flags that lead to it.
pub(crate) struct Api {
    running: Running,
}

/// The course's target as it is.
pub(crate) fn api() -> Api {
    start(target::REPORT_POOL)
}

/// The same with `pool` reports at once.
pub(crate) fn start(pool: u32) -> Api {
    let report_pool = NonZeroU32::new(pool).unwrap();
    let knobs = Knobs::Api(target::Knobs { report_pool, ..Default::default() });
    Api { running: spawn(&Config::on_free_ports(knobs)).unwrap() }
}

impl Api {
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.running.addr())
    }

    pub(crate) fn admin(&self) -> String {
        self.running.admin_addr().to_string()
    }

    /// The target's own counters.
    pub(crate) fn counters(&self) -> serde_json::Value {
        use std::io::{Read as _, Write as _};
        let mut stream = std::net::TcpStream::connect(self.running.admin_addr()).unwrap();
        let request = "GET /lab/counters HTTP/1.1\r\nhost: lab\r\nconnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        serde_json::from_str(body).unwrap()
    }
}
