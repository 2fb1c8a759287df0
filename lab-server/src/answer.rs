//! What the server answers: a success or a failure with its reason, and how long it took here.

use std::borrow::Cow;
use std::fmt::Write;

use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde_json::json;

use crate::clock::monotonic_ns;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// A success: a JSON body, and when its work was done.
pub(crate) struct Answer {
    body: Cow<'static, str>,
    times: Times,
}

/// How long a request waited and worked; travels with the response, for whoever tells it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Times {
    queue_ns: u64,
    /// When the work began; `None` if there was none to do, as for a mistake.
    work_start: Option<u64>,
    work_ns: u64,
}

impl Times {
    /// When the work for this response began, if any was done.
    pub(crate) fn work_start(response: &Response) -> Option<u64> {
        response.extensions().get::<Self>().and_then(|times| times.work_start)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let json = HeaderValue::from_static("application/json");
        (Extension(self.times), [(CONTENT_TYPE, json)], self.body).into_response()
    }
}

/// Writes `Server-Timing` into a response: the hold of a frozen target apart, if it can freeze.
pub(crate) fn tell_times(response: &mut Response, held_ns: Option<u64>) {
    let times = response.extensions().get::<Times>().copied().unwrap_or_default();
    let mut text = String::with_capacity(64);
    let entries =
        [("freeze", held_ns), ("queue", Some(times.queue_ns)), ("work", Some(times.work_ns))];
    for (name, nanoseconds) in entries {
        let Some(nanoseconds) = nanoseconds else { continue };
        let comma = if text.is_empty() { "" } else { ", " };
        let milliseconds = crate::clock::seconds(nanoseconds) * 1e3;
        write!(text, "{comma}{name};dur={milliseconds:.3}")
            .expect("writing to a string does not fail");
    }
    let header = HeaderValue::try_from(text).expect("digits and punctuation");
    response.headers_mut().insert(SERVER_TIMING, header);
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
    /// The work is done, and this JSON comes of it.
    pub(crate) fn done(self, body: impl Into<Cow<'static, str>>) -> Answer {
        let times = Times {
            queue_ns: self.begun - self.arrived,
            work_start: Some(self.begun),
            work_ns: monotonic_ns() - self.begun,
        };
        Answer { body: body.into(), times }
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
