//! The truth log of a server under test, read back.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of this test's own, removed at its end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("lab-truth-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("truth.csv")
    }

    /// In the order in which the rows were handed in: that of departure.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let text = std::fs::read_to_string(self.file()).unwrap();
        assert!(text.ends_with('\n'), "no half a row");
        let mut lines = text.lines();
        let header = "arrival_ns,work_start_ns,departure_ns,lab_request,path,status,bytes";
        assert_eq!(lines.next(), Some(header));
        lines.map(Row::read).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Instants are nanoseconds of `CLOCK_MONOTONIC`.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) arrival: u64,
    pub(crate) work_start: Option<u64>,
    pub(crate) departure: Option<u64>,
    pub(crate) lab_request: String,
    pub(crate) path: String,
    pub(crate) status: Option<u16>,
    pub(crate) bytes: usize,
}

impl Row {
    fn read(line: &str) -> Self {
        let fields: Vec<_> = line.split(',').collect();
        assert_eq!(fields.len(), 7, "{line}");
        Self {
            arrival: fields[0].parse().unwrap(),
            work_start: fields[1].parse().ok(),
            departure: fields[2].parse().ok(),
            lab_request: fields[3].to_owned(),
            path: fields[4].to_owned(),
            status: fields[5].parse().ok(),
            bytes: fields[6].parse().unwrap(),
        }
    }
}
