//! The admin listener: who serves here, counters, reset, metrics. Never on the target's port.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::answer::{failure, not_found, wrong_method};
use crate::lab::Lab;
use crate::metrics;
use crate::truth::Counters;

pub(crate) fn router(lab: Arc<Lab>) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/metrics", get(scrape))
        .route("/lab/counters", get(counters))
        .route("/lab/reset", post(reset))
        .fallback(async |uri: Uri| not_found(&uri))
        .method_not_allowed_fallback(async |method: Method, uri: Uri| wrong_method(&method, &uri))
        .with_state(lab)
}

/// Who serves: by this a driver knows that it has found the admin of the right target.
#[derive(Serialize)]
struct Health {
    lab: &'static str,
    port: u16,
    admin_port: u16,
    version: &'static str,
    pid: u32,
    knobs: Map<String, Value>,
}

async fn healthz(State(lab): State<Arc<Lab>>) -> Json<Health> {
    Json(Health {
        lab: lab.name,
        port: lab.addr.port(),
        admin_port: lab.admin_addr.port(),
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
        knobs: lab.knobs(),
    })
}

async fn scrape(State(lab): State<Arc<Lab>>) -> Response {
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics::text(&lab.counters())).into_response()
}

async fn counters(State(lab): State<Arc<Lab>>) -> Json<Counters> {
    Json(lab.counters())
}

async fn reset(State(lab): State<Arc<Lab>>, RawQuery(query): RawQuery) -> Response {
    let force = match query.as_deref() {
        None | Some("") => false,
        Some("force=1") => true,
        Some(other) => {
            let reason = format!("?{other} means nothing here; the only choice is ?force=1");
            return failure(StatusCode::BAD_REQUEST, &reason);
        }
    };
    match lab.reset(force) {
        Ok(()) => Json(json!({ "reset": true })).into_response(),
        Err(in_flight) => {
            let reason = format!(
                "{in_flight} in flight: reset an idle lab-server, or reset all the same with ?force=1"
            );
            failure(StatusCode::CONFLICT, &reason)
        }
    }
}
