//! A running target together with the truth about it.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;

use crate::answer::{not_found, wrong_method};
use crate::clock::{monotonic_ns, seconds};
use crate::targets::{Knobs, Target};
use crate::truth::{self, Counters, OTHER, Truth};

/// What the admin listener speaks about.
pub(crate) struct Lab {
    pub(crate) name: &'static str,
    /// Where the target listens.
    pub(crate) addr: SocketAddr,
    /// Where the admin listens.
    pub(crate) admin_addr: SocketAddr,
    pub(crate) target: Arc<dyn Target>,
    truth: Arc<Truth>,
}

impl Lab {
    pub(crate) fn new(knobs: &Knobs, addr: SocketAddr, admin_addr: SocketAddr) -> Arc<Self> {
        let target = knobs.build();
        let paths = Arc::clone(&target).routes().into_iter().map(|(path, _)| path);
        let truth = Truth::new(paths);
        Arc::new(Self { name: knobs.name(), addr, admin_addr, target, truth })
    }

    /// The target's routes, each request counted once, on arrival.
    pub(crate) fn router(&self) -> Router {
        let mut router = Router::new();
        for (path, handler) in Arc::clone(&self.target).routes() {
            let truth = Arc::clone(&self.truth);
            let count = from_fn(move |request: Request, next: Next| {
                truth.count(path);
                next.run(request)
            });
            router = router.route(path, handler.route_layer(count));
        }
        let (missing, wrong) = (Arc::clone(&self.truth), Arc::clone(&self.truth));
        router
            .fallback(async move |uri: Uri| {
                missing.count(OTHER);
                not_found(&uri)
            })
            .method_not_allowed_fallback(async move |method: Method, uri: Uri| {
                wrong.count(OTHER);
                wrong_method(&method, &uri)
            })
            .layer(from_fn_with_state(Arc::clone(&self.truth), in_flight))
    }

    pub(crate) fn counters(&self) -> Counters {
        let tally = self.truth.tally();
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
            knobs: self.target.knobs(),
        }
    }

    /// Zeroes what is cumulative; `Err` says how many requests are in flight and forbid it.
    pub(crate) fn reset(&self, force: bool) -> Result<(), u64> {
        self.truth.reset(force)?;
        self.target.reset();
        Ok(())
    }
}

async fn in_flight(State(truth): State<Arc<Truth>>, request: Request, next: Next) -> Response {
    let _until_answered = truth.enter();
    next.run(request).await
}
