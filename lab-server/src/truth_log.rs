//! The log of `--truth`: one row per request, with the instants that only the server knows.
//!
//! Rows go through a bounded channel to a thread of their own, so that no disk can stop an event
//! loop. What does not fit, or cannot be written, is counted as lost.

mod departures;
mod writer;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use axum::http::header::{HeaderName, HeaderValue};
use axum::http::{Request, StatusCode, Uri};
use serde::Serialize;

pub(crate) use self::departures::{Answering, Body, Wire};
pub(crate) use self::writer::Writer;
use crate::clock::monotonic_ns;

/// By this header a driver gives a request the number that the row repeats.
const LAB_REQUEST: HeaderName = HeaderName::from_static("lab-request");
/// How many rows may be on their way to the disk: a second and more of what one core can serve, in
/// a few megabytes.
const ROOM: usize = 32_768;

/// The log, as the counters show it; cumulative since the start, because the file is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct LogUse {
    /// Rows handed to the system.
    pub(crate) written: u64,
    /// Rows that found no room on their way, or no room on the disk.
    pub(crate) lost: u64,
}

/// Counts that the event loops and the writer share.
#[derive(Default)]
struct Counts {
    written: AtomicU64,
    lost: AtomicU64,
}

/// Where rows are handed in; its clones are one log.
#[derive(Clone)]
pub(crate) struct Log {
    rows: SyncSender<Row>,
    counts: Arc<Counts>,
}

impl Log {
    /// Creates or empties the file, and starts the thread that writes it.
    pub(crate) fn create(path: &Path) -> io::Result<(Self, Writer)> {
        let file = File::create(path)?;
        let (rows, receiver) = sync_channel(ROOM);
        let counts = Arc::new(Counts::default());
        let writer = Writer::start(file, path, receiver, Arc::clone(&counts))?;
        Ok((Self { rows, counts }, writer))
    }

    /// A request has arrived now.
    pub(crate) fn enter<B>(&self, request: &Request<B>) -> Entry {
        let row = Row {
            arrival: monotonic_ns(),
            work_start: None,
            departure: None,
            lab_request: request.headers().get(LAB_REQUEST).cloned(),
            uri: request.uri().clone(),
            status: None,
            bytes: 0,
        };
        Entry { row: Some(row), log: self.clone() }
    }

    pub(crate) fn usage(&self) -> LogUse {
        let [written, lost] = [&self.counts.written, &self.counts.lost];
        LogUse { written: written.load(Ordering::Relaxed), lost: lost.load(Ordering::Relaxed) }
    }
}

/// What is known of one request; instants are nanoseconds of `CLOCK_MONOTONIC`.
struct Row {
    arrival: u64,
    work_start: Option<u64>,
    departure: Option<u64>,
    lab_request: Option<HeaderValue>,
    uri: Uri,
    status: Option<StatusCode>,
    bytes: u64,
}

/// A request on its way through the server. Its row is handed in when it is dropped, with what is
/// known by then: an abandoned request leaves a row, too, without a departure.
pub(crate) struct Entry {
    row: Option<Row>,
    log: Log,
}

impl Entry {
    /// The target has answered; `work_start` is when its work began, if any was done.
    pub(crate) fn answered(&mut self, status: StatusCode, work_start: Option<u64>) {
        let row = self.row();
        (row.status, row.work_start) = (Some(status), work_start);
    }

    fn row(&mut self) -> &mut Row {
        self.row.as_mut().expect("taken on drop only")
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let Some(row) = self.row.take() else { return };
        if self.log.rows.try_send(row).is_err() {
            self.log.counts.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_lost_and_counted_and_holds_nobody_up() {
        // A log that nobody reads.
        let (rows, _receiver) = sync_channel(2);
        let log = Log { rows, counts: Arc::default() };
        for _ in 0..5 {
            drop(log.enter(&Request::new(())));
        }
        assert_eq!(log.usage(), LogUse { written: 0, lost: 3 });
    }
}
