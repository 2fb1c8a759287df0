//! HTTP behind the seam: one kept-alive connection per slot, requests rendered before they are due.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use super::clock::Clock;
use super::http::{BodyInterest, Connection, Connector, Fault, Interest, Retry, ServerTiming};
use super::requests::Requests;
use super::transport::{Connections, Fleet, Transport};
use crate::engine::executor::Start;
use crate::engine::outcome::{Reply, TransportFailure};
use crate::engine::sample::{Naming, TargetTimes};
use crate::engine::time::Ns;

/// One dispatcher's connections.
#[derive(Debug)]
pub struct HttpFleet(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    clock: Cell<Option<Clock>>,
    connector: Connector,
    requests: Arc<Requests>,
    connections: Cell<Connections>,
    /// Where the target announced its admin port, if a response did.
    announced: Arc<OnceLock<String>>,
    listening: Cell<bool>,
    asks: Asks,
}

/// What a run may want of its requests besides their answers; by default nothing.
#[derive(Clone, Debug, Default)]
pub struct Asks {
    /// Name each request in the header `Lab-Request`.
    pub naming: Option<Naming>,
    /// Read the target's part of the time from `Server-Timing`.
    pub server_timing: bool,
}

impl HttpFleet {
    /// Connections to `addresses`. An admin port that a response announces is left in `announced`.
    pub fn new(
        addresses: &[SocketAddr],
        requests: Arc<Requests>,
        announced: Arc<OnceLock<String>>,
        asks: Asks,
    ) -> Self {
        Self(Rc::new(Shared {
            clock: Cell::new(None),
            connector: Connector::new(addresses),
            requests,
            connections: Cell::default(),
            listening: Cell::new(announced.get().is_none()),
            announced,
            asks,
        }))
    }
}

impl Fleet for HttpFleet {
    type Transport = HttpTransport;

    fn transport(&self, user: u32) -> HttpTransport {
        HttpTransport {
            user,
            times: None,
            named: Vec::new(),
            shared: Rc::clone(&self.0),
            connection: None,
            task: 0,
            rendered: Vec::new(),
        }
    }

    fn start(&self, clock: Clock) {
        self.0.clock.set(Some(clock));
    }

    fn connections(&self) -> Connections {
        self.0.connections.get()
    }
}

/// One slot's connection and its next request.
#[derive(Debug)]
pub struct HttpTransport {
    shared: Rc<Shared>,
    connection: Option<Connection>,
    user: u32,
    task: usize,
    rendered: Vec<u8>,
    /// The request with its name, in runs that name them.
    named: Vec<u8>,
    times: Option<TargetTimes>,
}

impl Transport for HttpTransport {
    async fn connect(&mut self) -> Result<(), TransportFailure> {
        let connection =
            self.shared.connector.connect().await.map_err(|error| failure(error.fault))?;
        self.connection = Some(connection);
        Ok(())
    }

    fn prepare(&mut self, start: &Start, draws: &[u32]) {
        self.task = usize::from(start.task);
        self.shared.requests.prepare(self.task, draws, &mut self.rendered);
        if let Some(naming) = &self.shared.asks.naming {
            let bytes = self.shared.requests.of(self.task).fixed().unwrap_or(&self.rendered);
            insert_name(bytes, &naming.name(self.user, start.index), &mut self.named);
        }
    }

    async fn exchange(&mut self) -> (Ns, Reply) {
        let reply = self.carry_out().await;
        let clock = self.shared.clock.get().expect("the run has started");
        (Ns(clock.now()), reply.unwrap_or_else(|fault| Reply::Transport(failure(fault))))
    }

    fn target_times(&mut self) -> Option<TargetTimes> {
        self.times.take()
    }

    fn abandon(&mut self) {
        self.connection = None;
    }
}

impl HttpTransport {
    async fn carry_out(&mut self) -> Result<Reply, Fault> {
        let mut kept = self.connection.take();
        loop {
            let mut connection = if let Some(kept) = kept.take() {
                kept
            } else {
                self.count(|connections| connections.later += 1);
                self.shared.connector.connect().await.map_err(|error| error.fault)?
            };
            let request = self.shared.requests.of(self.task);
            let Asks { naming, server_timing } = &self.shared.asks;
            let bytes = match naming {
                Some(_) => &self.named,
                None => request.fixed().unwrap_or(&self.rendered),
            };
            let server_timing = *server_timing;
            let body = request.needle().map_or(BodyInterest::Count, BodyInterest::Contains);
            let lab_admin = self.shared.listening.get();
            let interest = Interest { head: request.is_head(), body, server_timing, lab_admin };
            match connection.exchange(bytes, interest).await {
                Ok(response) => {
                    if server_timing {
                        self.times = target_times(response.server_timing);
                    }
                    if lab_admin {
                        self.listen(response.lab_admin);
                    }
                    self.connection = Some(connection).filter(|_| response.reusable);
                    return Ok(Reply::Answered {
                        status: response.status,
                        bytes: response.body_bytes,
                        body_matches: response.contains.unwrap_or(true),
                    });
                }
                // A fresh connection is never stale, so this repeats once at most.
                Err(error) if repeats(error.retry, request.is_idempotent()) => {
                    self.count(|connections| connections.stale_retries += 1);
                }
                Err(error) => return Err(error.fault),
            }
        }
    }

    /// The first response says whether the target announces an admin port at all.
    fn listen(&self, announcement: Option<Box<str>>) {
        self.shared.listening.set(false);
        if let Some(address) = announcement {
            // Another dispatcher may have heard it first; it heard the same.
            let _ = self.shared.announced.set(address.into());
        }
    }

    fn count(&self, change: impl FnOnce(&mut Connections)) {
        let mut connections = self.shared.connections.get();
        change(&mut connections);
        self.shared.connections.set(connections);
    }
}

/// The request `bytes` with its name as the first header, into `out`.
fn insert_name(bytes: &[u8], name: &str, out: &mut Vec<u8>) {
    let line = bytes.windows(2).position(|pair| pair == b"\r\n").map_or(0, |at| at + 2);
    out.clear();
    out.extend_from_slice(&bytes[..line]);
    out.extend_from_slice(b"Lab-Request: ");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(&bytes[line..]);
}

/// None when the response says nothing of queue or work.
fn target_times(said: ServerTiming) -> Option<TargetTimes> {
    let ServerTiming { queue, work, freeze } = said;
    let [queue, work, freeze] = [queue, work, freeze].map(|ns| ns.map(Ns));
    queue.or(work).map(|_| TargetTimes {
        queue: queue.unwrap_or_default(),
        work: work.unwrap_or_default(),
        freeze: freeze.unwrap_or_default(),
    })
}

fn repeats(retry: Retry, is_idempotent: bool) -> bool {
    match retry {
        Retry::Always => true,
        Retry::IfIdempotent => is_idempotent,
        Retry::Never => false,
    }
}

fn failure(fault: Fault) -> TransportFailure {
    match fault {
        Fault::Refused => TransportFailure::Refused,
        Fault::Reset => TransportFailure::Reset,
        Fault::ClosedEarly => TransportFailure::ClosedEarly,
        Fault::ConnectTimeout => TransportFailure::ConnectTimeout,
        Fault::NoPorts => TransportFailure::NoPorts,
        Fault::NoFds => TransportFailure::NoFiles,
        Fault::Unreachable => TransportFailure::Unreachable,
        Fault::BadResponse(_) => TransportFailure::BadResponse,
        Fault::Os(_) => TransportFailure::System,
    }
}
