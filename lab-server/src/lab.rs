//! A running target together with the truth about it.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use serde_json::{Map, Value, json};

use crate::answer::{not_found, tell_times, wrong_method};
use crate::clock::{monotonic_ns, seconds};
use crate::config::Config;
use crate::freeze::Gate;
use crate::targets::Target;
use crate::truth::{self, Counters, OTHER, Truth};
use crate::truth_log::Log;

/// What the admin listener speaks about.
pub(crate) struct Lab {
    pub(crate) name: &'static str,
    /// Where the target listens.
    pub(crate) addr: SocketAddr,
    /// Where the admin listens.
    pub(crate) admin_addr: SocketAddr,
    target: Arc<dyn Target>,
    entrance: Entrance,
    log: Option<Log>,
}

impl Lab {
    /// Idle, with all counts at zero; `log` is the truth log, if there is one.
    pub(crate) fn new(
        config: &Config,
        addr: SocketAddr,
        admin_addr: SocketAddr,
        log: Option<Log>,
    ) -> Arc<Self> {
        let Config { target: knobs, serve } = config;
        let target = knobs.build(serve.seed);
        let paths = Arc::clone(&target).routes().into_iter().map(|(path, _)| path);
        let entrance = Entrance { truth: Truth::new(paths), gate: serve.freeze.map(Gate::new) };
        Arc::new(Self { name: knobs.name(), addr, admin_addr, target, entrance, log })
    }

    /// The settings that shape what a driver sees, under the names of their flags: the target's own,
    /// and the freeze of a server that has one.
    pub(crate) fn knobs(&self) -> Map<String, Value> {
        let mut knobs = self.target.knobs();
        if let Some(gate) = &self.entrance.gate {
            knobs.insert("freeze".to_owned(), json!(gate.cycle().to_string()));
        }
        knobs
    }

    /// The target's routes, all behind its entrance.
    pub(crate) fn router(&self) -> Router {
        let mut router = Router::new();
        for (path, handler) in Arc::clone(&self.target).routes() {
            let entrance = self.entrance.clone();
            let enter = from_fn(move |request: Request, next: Next| {
                let entrance = entrance.clone();
                async move { entrance.pass(path, next.run(request)).await }
            });
            router = router.route(path, handler.route_layer(enter));
        }
        let (missing, wrong) = (self.entrance.clone(), self.entrance.clone());
        router
            .fallback(async move |uri: Uri| missing.pass(OTHER, async { not_found(&uri) }).await)
            .method_not_allowed_fallback(async move |method: Method, uri: Uri| {
                wrong.pass(OTHER, async { wrong_method(&method, &uri) }).await
            })
    }

    pub(crate) fn counters(&self) -> Counters {
        let tally = self.entrance.truth.tally();
        Counters {
            lab: self.name,
            t: seconds(monotonic_ns()),
            since_reset_s: tally.since_reset_s(),
            cpu_s: truth::cpu_s(),
            rss_bytes: truth::rss_bytes(),
            in_flight: tally.in_flight,
            requests: tally.requests,
            counts: self.target.counts(),
            resources: self.target.resources(),
            caches: self.target.caches(),
            freeze: self.entrance.gate.as_ref().map(|gate| gate.freezing()),
            truth_log: self.log.as_ref().map(Log::usage),
            knobs: self.knobs(),
        }
    }

    /// Zeroes what is cumulative; `Err` says how many requests are in flight and forbid it.
    pub(crate) fn reset(&self, force: bool) -> Result<(), u64> {
        self.entrance.truth.reset(force)?;
        if let Some(gate) = &self.entrance.gate {
            gate.reset();
        }
        self.target.reset();
        Ok(())
    }
}

/// What each request passes on its way in, whatever it asks for.
#[derive(Clone)]
struct Entrance {
    truth: Arc<Truth>,
    gate: Option<Arc<Gate>>,
}

impl Entrance {
    /// Counts the request, on arrival; holds it while the target is frozen; and writes into the
    /// response how long it was held, waited and worked.
    async fn pass(&self, route: &'static str, answer: impl Future<Output = Response>) -> Response {
        let _until_answered = self.truth.enter(route);
        let (held_ns, mut response) = match &self.gate {
            None => (None, answer.await),
            Some(gate) => {
                let (held_ns, response) = gate.pass(answer).await;
                (Some(held_ns), response)
            }
        };
        tell_times(&mut response, held_ns);
        response
    }
}
