//! Results read back: our own records and samples, Locust's statistics, and a target's log.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

pub mod json;
pub mod locust;
pub mod samples;

/// Largest file that is read, bytes. A record of the longest sensible run has a few megabytes.
pub const SIZE_LIMIT: u64 = 256 << 20;

/// A result file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// It cannot be opened or read.
    #[error("cannot read {}: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is too large to be a result.
    #[error("{} has more than {} MB; no result file is that large, so give one that lab-driver or Locust wrote", file.display(), SIZE_LIMIT >> 20)]
    TooLarge {
        /// The file.
        file: PathBuf,
    },
    /// It is not text.
    #[error("{} is not text; give a result file that lab-driver or Locust wrote", file.display())]
    NotText {
        /// The file.
        file: PathBuf,
    },
    /// It is a record of another version.
    #[error("{} has schema {found}, this lab-driver reads {expected}; {remedy}", file.display())]
    OtherSchema {
        /// The file.
        file: PathBuf,
        /// The version it says.
        found: u64,
        /// The version that is read.
        expected: u32,
        /// What helps.
        remedy: &'static str,
    },
    /// Its content is not what its kind of file holds.
    #[error("{}, line {line}: {problem}; {remedy}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// Where, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
        /// What helps.
        remedy: &'static str,
    },
}

/// The whole text of `file`, which must be a regular file within [`SIZE_LIMIT`].
fn read_text(file: &Path) -> Result<String, ResultError> {
    let unreadable = |source| ResultError::Unreadable { file: file.to_owned(), source };
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(unreadable)?;
    // Whatever its length says: a pipe has none.
    opened.take(SIZE_LIMIT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > SIZE_LIMIT {
        return Err(ResultError::TooLarge { file: file.to_owned() });
    }
    String::from_utf8(bytes).map_err(|_| ResultError::NotText { file: file.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_missing_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let binary = folder.path().join("binary_stats.csv");
        std::fs::write(&binary, [0xff, 0xfe, 0, 1]).unwrap();
        assert!(matches!(read_text(&binary), Err(ResultError::NotText { .. })));
        let missing = read_text(&folder.path().join("none")).unwrap_err().to_string();
        assert!(missing.starts_with("cannot read") && missing.contains("none"), "{missing}");
    }

    #[test]
    fn a_file_without_end_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        File::create(&path).unwrap().set_len(SIZE_LIMIT + 1).unwrap();
        assert!(matches!(read_text(&path), Err(ResultError::TooLarge { .. })));
    }
}
