//! The thread that writes the log: whole rows only, about once a second and at the end.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::Duration;

use axum::http::header::HeaderValue;

use super::{Counts, Row};
use crate::clock::monotonic_ns;

const HEADER: &str = "arrival_ns,work_start_ns,departure_ns,lab_request,path,status,bytes\n";
/// How often the channel is emptied. By the clock: waking this thread for every row would cost each
/// request a system call.
const TICK: Duration = Duration::from_millis(20);
/// How old a row in the buffer may grow, in nanoseconds.
const FLUSH_EVERY: u64 = 1_000_000_000;
/// How much the buffer gathers before that.
const BATCH: usize = 1 << 16;

/// The running thread; ends, with everything written, when dropped.
pub(crate) struct Writer {
    thread: Option<JoinHandle<()>>,
    ending: Arc<AtomicBool>,
}

impl Writer {
    pub(super) fn start(
        file: File,
        path: &Path,
        rows: Receiver<Row>,
        counts: Arc<Counts>,
    ) -> io::Result<Self> {
        let ending = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&ending);
        let path = path.to_owned();
        let thread = Builder::new().name("truth-log".to_owned()).spawn(move || {
            Pen { file, path, counts, batch: Batch::default(), whole: 0, complained: false }
                .write_until(&told, &rows);
        })?;
        Ok(Self { thread: Some(thread), ending })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // If it panicked, it has said so on stderr.
            let _ = thread.join();
        }
    }
}

/// Rows that are not written yet.
#[derive(Default)]
struct Batch {
    text: String,
    rows: u64,
}

struct Pen {
    file: File,
    path: PathBuf,
    counts: Arc<Counts>,
    batch: Batch,
    /// Bytes of the file up to the end of its last whole row.
    whole: u64,
    complained: bool,
}

impl Pen {
    fn write_until(mut self, ending: &AtomicBool, rows: &Receiver<Row>) {
        // The header at once, so that a disk that is already full is told at the start.
        self.store();
        let mut stored = monotonic_ns();
        loop {
            // Read first: what was handed in before the end is then in the channel.
            let last = ending.load(Ordering::Acquire);
            while let Ok(row) = rows.try_recv() {
                self.batch.add(&row);
                if self.batch.text.len() >= BATCH {
                    self.store();
                }
            }
            if last || monotonic_ns() - stored >= FLUSH_EVERY {
                self.store();
                stored = monotonic_ns();
            }
            if last {
                break;
            }
            park_timeout(TICK);
        }
        let lost = self.counts.lost.load(Ordering::Relaxed);
        if lost > 0 {
            let all = lost + self.counts.written.load(Ordering::Relaxed);
            self.say(&format!("{lost} of {all} rows are lost"));
        }
    }

    fn store(&mut self) {
        let Batch { text, rows } = std::mem::take(&mut self.batch);
        let header = if self.whole == 0 { HEADER } else { "" };
        let text = header.to_owned() + &text;
        if let Err(cause) = self.file.write_all(text.as_bytes()) {
            self.counts.lost.fetch_add(rows, Ordering::Relaxed);
            // Half a row would spoil the next one. What is no plain file cannot be cut, and need not.
            let _ = self.file.set_len(self.whole);
            let _ = self.file.seek(SeekFrom::Start(self.whole));
            if !self.complained {
                self.say(&format!("{cause}; rows are lost until it can be written again"));
            }
            self.complained = true;
            return;
        }
        self.whole += text.len() as u64;
        self.counts.written.fetch_add(rows, Ordering::Relaxed);
        let lost = self.counts.lost.load(Ordering::Relaxed);
        if lost > 0 && !self.complained {
            self.say("rows come faster than they can be written; some are lost");
            self.complained = true;
        }
    }

    fn say(&self, what: &str) {
        // With stderr closed there is nobody left to tell; the counters still say it.
        let _ = writeln!(io::stderr(), "lab-server: truth log {}: {what}", self.path.display());
    }
}

impl Batch {
    fn add(&mut self, row: &Row) {
        let text = &mut self.text;
        let instant = |text: &mut String, instant: Option<u64>| {
            if let Some(instant) = instant {
                write!(text, "{instant}").expect("writing to a string does not fail");
            }
            text.push(',');
        };
        instant(text, Some(row.arrival));
        instant(text, row.work_start);
        instant(text, row.departure);
        let lab_request = row.lab_request.as_ref().map(HeaderValue::as_bytes);
        field(text, &String::from_utf8_lossy(lab_request.unwrap_or_default()));
        text.push(',');
        field(text, row.uri.path());
        text.push(',');
        let status = row.status.as_ref().map_or("", |status| status.as_str());
        writeln!(text, "{status},{}", row.bytes).expect("writing to a string does not fail");
        self.rows += 1;
    }
}

/// A field as CSV has it, in quotes where it needs them.
fn field(text: &mut String, value: &str) {
    if value.contains([',', '"', '\n', '\r']) {
        text.push('"');
        text.push_str(&value.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::StatusCode;

    fn row(lab_request: Option<&'static str>, path: &'static str) -> Row {
        Row {
            arrival: 1_000,
            work_start: Some(2_000),
            departure: None,
            lab_request: lab_request.map(HeaderValue::from_static),
            uri: path.parse().unwrap(),
            status: Some(StatusCode::OK),
            bytes: 7,
        }
    }

    #[test]
    fn a_row_has_what_is_known_and_quotes_where_they_are_needed() {
        let mut batch = Batch::default();
        batch.add(&row(Some("4711-3"), "/api/products?id=5"));
        batch.add(&row(None, "/a,b"));
        batch.add(&row(Some("say \"x\", y"), "/"));
        assert_eq!(batch.rows, 3);
        assert_eq!(
            batch.text,
            "1000,2000,,4711-3,/api/products,200,7\n\
             1000,2000,,,\"/a,b\",200,7\n\
             1000,2000,,\"say \"\"x\"\", y\",/,200,7\n"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_loses_rows_and_the_log_goes_on_when_there_is_room_again() {
        let folder = std::env::temp_dir().join(format!("lab-truth-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("log.csv");
        let full = File::options().write(true).open("/dev/full").unwrap();
        let counts = Arc::new(Counts::default());
        let mut pen = Pen {
            file: full,
            path: path.clone(),
            counts: Arc::clone(&counts),
            batch: Batch::default(),
            whole: 0,
            complained: false,
        };
        pen.store();
        pen.batch.add(&row(None, "/lost"));
        pen.store();
        assert!(pen.complained);
        pen.file = File::create(&path).unwrap();
        pen.batch.add(&row(None, "/kept"));
        pen.store();
        let counted = [&counts.written, &counts.lost].map(|count| count.load(Ordering::Relaxed));
        assert_eq!(counted, [1, 1]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("{HEADER}1000,2000,,,/kept,200,7\n"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
