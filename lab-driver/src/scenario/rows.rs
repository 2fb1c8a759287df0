//! Files from outside: scenarios and the rows of data files, with limits and clear errors.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::mistake::Mistakes;
use super::said::Said;

/// The rows of each data file, by the file's name in the scenario.
pub type Rows = HashMap<String, Vec<String>>;

/// The largest data file.
const LARGEST: u64 = 64 << 20;

/// Reads data files, each once.
#[derive(Debug)]
pub(super) struct DataFiles {
    folder: PathBuf,
    rows: Rows,
}

impl DataFiles {
    /// Files are relative to `folder`.
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), rows: Rows::new() }
    }

    /// Reads `file` and answers how many rows it has.
    pub(super) fn count(&mut self, file: &Said, mistakes: &mut Mistakes) -> Option<u32> {
        if !self.rows.contains_key(&file.value) {
            let path = self.folder.join(&file.value);
            match text(&path, LARGEST) {
                Ok(text) => self.rows.insert(file.value.clone(), lines(&text)),
                Err(what) => {
                    let what = format!("the data file {} {what}", path.display());
                    let remedy =
                        "name a UTF-8 text file with one row per line, relative to the scenario";
                    mistakes.add(&file.place, what, remedy);
                    return None;
                }
            };
        }
        let count = u32::try_from(self.rows[&file.value].len()).expect("64 MB hold fewer lines");
        if count == 0 {
            let what = format!("the data file {} has no rows", file.value);
            mistakes.add(&file.place, what, "write one row per line into it");
            return None;
        }
        Some(count)
    }

    pub(super) fn into_rows(self) -> Rows {
        self.rows
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// The text of the file at `path`; else what is wrong with it, to be put behind its name.
pub(super) fn text(path: &Path, largest: u64) -> Result<String, String> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        _ => format!("cannot be read ({error})"),
    };
    // Opening a pipe would wait for its other end for ever.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(largest + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > largest {
        return Err(format!("is larger than {} MB", largest >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].split(|&byte| byte == b'\n').count();
        format!("is not UTF-8 in line {line}")
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::super::mistake::Place;
    use super::*;

    fn read(bytes: &[u8], largest: u64) -> Result<String, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows");
        std::fs::write(&path, bytes).expect("written");
        text(&path, largest)
    }

    #[test]
    fn files_are_bounded_and_utf_8() {
        assert_eq!(read(b"abc", 3), Ok("abc".to_owned()));
        assert_eq!(read(b"a\nb\n\xff\n", 99), Err("is not UTF-8 in line 3".to_owned()));
        let large = vec![b'a'; (1 << 20) + 1];
        assert_eq!(read(&large, 1 << 20), Err("is larger than 1 MB".to_owned()));
    }

    #[test]
    fn a_file_without_rows_is_a_mistake() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("rows"), "\n \n").expect("written");
        let mut mistakes = Mistakes::default();
        let file = Said::new("rows".to_owned(), Place::named("-"));
        assert_eq!(DataFiles::new(folder.path()).count(&file, &mut mistakes), None);
        let error = mistakes.or(()).expect_err("no rows").to_string();
        assert!(error.contains("the data file rows has no rows"), "{error}");
    }
}
