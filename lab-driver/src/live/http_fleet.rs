//! HTTP behind the seam: one kept-alive connection per slot, requests rendered before they are due.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use super::clock::Clock;
use super::http::{BodyInterest, Connection, Connector, Fault, Interest, Retry};
use super::requests::Requests;
use super::transport::{Connections, Fleet, Transport};
use crate::engine::executor::Start;
use crate::engine::outcome::{Reply, TransportFailure};
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
}

impl HttpFleet {
    /// Connections to `addresses`. An admin port that a response announces is left in `announced`.
    pub fn new(
        addresses: &[SocketAddr],
        requests: Arc<Requests>,
        announced: Arc<OnceLock<String>>,
    ) -> Self {
        Self(Rc::new(Shared {
            clock: Cell::new(None),
            connector: Connector::new(addresses),
            requests,
            connections: Cell::default(),
            listening: Cell::new(announced.get().is_none()),
            announced,
        }))
    }
}

impl Fleet for HttpFleet {
    type Transport = HttpTransport;

    fn transport(&self, _slot: u32) -> HttpTransport {
        HttpTransport {
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
    task: usize,
    rendered: Vec<u8>,
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
    }

    async fn exchange(&mut self) -> (Ns, Reply) {
        let reply = self.carry_out().await;
        let clock = self.shared.clock.get().expect("the run has started");
        (Ns(clock.now()), reply.unwrap_or_else(|fault| Reply::Transport(failure(fault))))
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
            let bytes = request.fixed().unwrap_or(&self.rendered);
            let body = request.needle().map_or(BodyInterest::Count, BodyInterest::Contains);
            let lab_admin = self.shared.listening.get();
            let interest =
                Interest { head: request.is_head(), body, server_timing: false, lab_admin };
            match connection.exchange(bytes, interest).await {
                Ok(response) => {
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
