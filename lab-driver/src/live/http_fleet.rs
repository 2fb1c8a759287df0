//! HTTP behind the seam: one kept-alive connection per slot, requests rendered before they are due.

use std::cell::Cell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use super::clock::Clock;
use super::http::{BodyInterest, Connection, Connector, Fault, Interest, Needle, Request, Retry};
use super::transport::{Connections, Fleet, Transport};
use crate::engine::executor::Start;
use crate::engine::outcome::{Reply, TransportFailure};
use crate::engine::plan::{Body, Parameter, Plan, Task};
use crate::engine::time::Ns;
use crate::scenario::template::{Escape, Template};

/// All that a request needs besides its draws; shared by all dispatchers.
#[derive(Debug)]
pub struct Requests {
    tasks: Vec<TaskRequest>,
    parameters: Vec<Parameter>,
    authority: String,
}

#[derive(Debug)]
struct TaskRequest {
    method: String,
    path: Template,
    headers: Vec<(String, Template)>,
    body: Option<RequestBody>,
    needle: Option<Needle>,
    /// The bytes, when no parameter changes them.
    fixed: Option<Vec<u8>>,
}

#[derive(Debug)]
enum RequestBody {
    Text(Template),
    Rows { rows: Arc<Vec<String>>, parameter: usize },
}

impl Requests {
    /// Prepares the requests of `plan`. `rows` holds the lines of each data file; `authority` is the `Host` field
    /// and `base` what stands before each task's path.
    pub fn new(
        plan: &Plan,
        rows: &HashMap<String, Arc<Vec<String>>>,
        authority: String,
        base: &str,
    ) -> Result<Self, String> {
        let tasks = plan.tasks.iter().map(|task| TaskRequest::new(task, plan, rows, base));
        let tasks = tasks.collect::<Result<Vec<_>, String>>()?;
        let mut requests = Self { tasks, parameters: plan.parameters.clone(), authority };
        let none_drawn = vec![0; requests.parameters.len()];
        for position in 0..requests.tasks.len() {
            let mut bytes = Vec::new();
            requests
                .render(position, &none_drawn, &mut bytes)
                .map_err(|error| error.to_string())?;
            if requests.tasks[position].is_fixed() {
                requests.tasks[position].fixed = Some(bytes);
            }
        }
        Ok(requests)
    }

    fn render(
        &self,
        task: usize,
        draws: &[u32],
        out: &mut Vec<u8>,
    ) -> Result<(), super::http::RequestError> {
        let task = &self.tasks[task];
        let text = |template: &Template, escape| {
            let mut bytes = Vec::new();
            template.render(&self.parameters, draws, escape, &mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let path = text(&task.path, Escape::Percent);
        let headers: Vec<(&str, String)> = task
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), text(value, Escape::Nothing)))
            .collect();
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = task.body.as_ref().map(|body| match body {
            RequestBody::Text(template) => text(template, Escape::Nothing).into_bytes(),
            RequestBody::Rows { rows, parameter } => {
                rows[draws[*parameter] as usize].clone().into_bytes()
            }
        });
        Request {
            method: &task.method,
            path: &path,
            authority: &self.authority,
            headers: &headers,
            body: body.as_deref(),
        }
        .render(out)
    }
}

impl TaskRequest {
    fn new(
        task: &Task,
        plan: &Plan,
        rows: &HashMap<String, Arc<Vec<String>>>,
        base: &str,
    ) -> Result<Self, String> {
        let parse =
            |text: &str| Template::parse(text, &plan.parameters).map_err(|error| error.to_string());
        let body = match &task.body {
            None => None,
            Some(Body::Text(text)) => Some(RequestBody::Text(parse(text)?)),
            Some(Body::Row { file, parameter }) => {
                let rows =
                    rows.get(file).ok_or_else(|| format!("the rows of {file} were not read"))?;
                Some(RequestBody::Rows { rows: Arc::clone(rows), parameter: *parameter })
            }
        };
        let headers = task.headers.iter().map(|(name, value)| Ok((name.clone(), parse(value)?)));
        let expected = task.expect.body_contains.as_bytes();
        Ok(Self {
            method: task.method.clone(),
            path: parse(&format!("{base}{}", task.path))?,
            headers: headers.collect::<Result<_, String>>()?,
            body,
            needle: (!expected.is_empty()).then(|| Needle::new(expected)),
            fixed: None,
        })
    }

    fn is_fixed(&self) -> bool {
        let body_is_fixed = match &self.body {
            None => true,
            Some(RequestBody::Text(text)) => text.is_fixed(),
            Some(RequestBody::Rows { .. }) => false,
        };
        self.path.is_fixed()
            && self.headers.iter().all(|(_, value)| value.is_fixed())
            && body_is_fixed
    }

    fn is_idempotent(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "PUT" | "DELETE")
    }
}

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
        if self.shared.requests.tasks[self.task].fixed.is_none() {
            self.rendered.clear();
            // Every kind of request was rendered once before the run; only the drawn values differ.
            let rendered = self.shared.requests.render(self.task, draws, &mut self.rendered);
            debug_assert!(rendered.is_ok(), "{rendered:?}");
        }
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
            let task = &self.shared.requests.tasks[self.task];
            let bytes = task.fixed.as_deref().unwrap_or(&self.rendered);
            let body = task.needle.as_ref().map_or(BodyInterest::Count, BodyInterest::Contains);
            let lab_admin = self.shared.listening.get();
            let interest =
                Interest { head: task.method == "HEAD", body, server_timing: false, lab_admin };
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
                Err(error) if repeats(error.retry, task) => {
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

fn repeats(retry: Retry, task: &TaskRequest) -> bool {
    match retry {
        Retry::Always => true,
        Retry::IfIdempotent => task.is_idempotent(),
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
