//! What the server answers: a success with its server timing, or a failure with its reason.

use axum::Json;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::clock::monotonic_ns;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// A success: `{"ok": true}`, and in `Server-Timing` how long the request waited and worked.
pub(crate) struct Answer {
    queue_ns: u64,
    work_ns: u64,
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let (queue, work) = (milliseconds(self.queue_ns), milliseconds(self.work_ns));
        let timing = HeaderValue::try_from(format!("queue;dur={queue:.3}, work;dur={work:.3}"))
            .expect("digits and punctuation");
        let json = HeaderValue::from_static("application/json");
        ([(CONTENT_TYPE, json), (SERVER_TIMING, timing)], r#"{"ok": true}"#).into_response()
    }
}

/// Times a request: first its queue, then its work.
pub(crate) struct Stopwatch {
    arrived: u64,
}

/// A [`Stopwatch`] whose request is being worked on.
pub(crate) struct Working {
    arrived: u64,
    begun: u64,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { arrived: monotonic_ns() }
    }

    pub(crate) fn work_begins(self) -> Working {
        Working { arrived: self.arrived, begun: monotonic_ns() }
    }
}

impl Working {
    pub(crate) fn done(self) -> Answer {
        Answer { queue_ns: self.begun - self.arrived, work_ns: monotonic_ns() - self.begun }
    }
}

/// A failure: `{"error": …}`.
pub(crate) fn failure(status: StatusCode, reason: &str) -> Response {
    (status, Json(json!({ "error": reason }))).into_response()
}

/// The answer to a path that is not served.
pub(crate) fn not_found(uri: &Uri) -> Response {
    failure(StatusCode::NOT_FOUND, &format!("nothing is served at {}", uri.path()))
}

/// The answer to a wrong method; the router adds the header `Allow`.
pub(crate) fn wrong_method(method: &Method, uri: &Uri) -> Response {
    let reason = format!("{} does not take {method}", uri.path());
    failure(StatusCode::METHOD_NOT_ALLOWED, &reason)
}

fn milliseconds(nanoseconds: u64) -> f64 {
    crate::clock::seconds(nanoseconds) * 1e3
}
