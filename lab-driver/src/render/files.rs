//! Result files that are whole or not there: written beside their place and moved into it at the end.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A result file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The place cannot be written to; known before the run.
    #[error("cannot write {}: {source}; choose another place or make this one writable", path.display())]
    Create {
        /// The file asked for.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Writing failed on the way, such as on a full disk.
    #[error("{} is not complete: {source}; what was written is in {}", path.display(), partial.display())]
    Incomplete {
        /// The file asked for, as it was before.
        path: PathBuf,
        /// Where the part that was written is.
        partial: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Writing to a device or pipe failed.
    #[error("writing to {} failed: {source}", path.display())]
    Direct {
        /// The device or pipe.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A result file under way. Dropped without [`OutputFile::finish`], it leaves what was written as `X.partial`, and
/// nothing when nothing was written.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    /// Where the file is until it is finished; none for a device or pipe, which cannot be moved into place.
    partial: Option<PathBuf>,
    /// None once finished.
    sink: Option<Sink>,
    written: bool,
}

#[derive(Debug)]
enum Sink {
    File(BufWriter<File>),
    Stdout(io::Stdout),
    Stderr(io::Stderr),
}

impl OutputFile {
    /// Opens `path.partial` beside `path` at once, so that an unwritable place is found before the run; missing
    /// folders are made. What exists and is no regular file (a pipe, `/dev/stdout`) is written to directly.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        Self::open(path).map_err(|source| FileError::Create { path: path.to_owned(), source })
    }

    fn open(path: &Path) -> io::Result<Self> {
        let (sink, partial) = match fs::metadata(path) {
            // These two share their position with what else is printed; a second handle would overwrite it.
            _ if path == Path::new("/dev/stdout") => (Sink::Stdout(io::stdout()), None),
            _ if path == Path::new("/dev/stderr") => (Sink::Stderr(io::stderr()), None),
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found)
                if !found.is_file() || path.starts_with("/dev/fd") || path.starts_with("/proc") =>
            {
                (Sink::File(BufWriter::new(OpenOptions::new().append(true).open(path)?)), None)
            }
            _ => {
                let partial = partial_of(path)?;
                (Sink::File(BufWriter::new(claim(&partial)?)), Some(partial))
            }
        };
        Ok(Self { path: path.to_owned(), partial, sink: Some(sink), written: false })
    }

    /// Writes with `render`, then finishes: what a renderer's file needs.
    pub fn finish_with(
        mut self,
        render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FileError> {
        match render(&mut self) {
            Ok(()) => self.finish(),
            Err(source) => Err(self.failed(source)),
        }
    }

    /// Brings everything to the disk and moves the file into its place, over what was there.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.settle().map_err(|source| self.failed(source))
    }

    fn settle(&mut self) -> io::Result<()> {
        self.flush()?;
        if let (Some(Sink::File(file)), Some(partial)) = (&self.sink, &self.partial) {
            file.get_ref().sync_all()?;
            fs::rename(partial, target_of(&self.path))?;
        }
        self.sink = None;
        Ok(())
    }

    /// `source` with where the file stands; also for the error of a [`Write`] call on this file.
    pub fn failed(&self, source: io::Error) -> FileError {
        let path = self.path.clone();
        match self.partial.clone() {
            Some(partial) => FileError::Incomplete { path, partial, source },
            None => FileError::Direct { path, source },
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written = true;
        self.sink.as_mut().map_or(Ok(0), |sink| match sink {
            Sink::File(file) => file.write(bytes),
            Sink::Stdout(stdout) => stdout.write(bytes),
            Sink::Stderr(stderr) => stderr.write(bytes),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.as_mut().map_or(Ok(()), |sink| match sink {
            Sink::File(file) => file.flush(),
            Sink::Stdout(stdout) => stdout.flush(),
            Sink::Stderr(stderr) => stderr.flush(),
        })
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let (Some(_), Some(partial), false) = (&self.sink, &self.partial, self.written) {
            // An empty file tells nobody anything; if it cannot be removed, nothing is lost.
            let _ = fs::remove_file(partial);
        }
    }
}

/// Opens `partial` empty, and for this output alone: two that write one file would each destroy the other's.
fn claim(partial: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(partial)?;
    // Where files cannot be locked, nothing is known and the file is taken.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(io::Error::other("another result is being written there"));
    }
    file.set_len(0)?;
    Ok(file)
}

fn partial_of(path: &Path) -> io::Result<PathBuf> {
    let target = target_of(path);
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut partial = OsString::from(name);
    partial.push(".partial");
    Ok(target.with_file_name(partial))
}

/// Where a link points, so that finishing replaces the file and not the link to it.
fn target_of(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out/run.json");
        OutputFile::create(&path).unwrap().finish_with(|out| out.write_all(b"old")).unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_to_string(folder.path().join("out/run.json.partial")).unwrap(), "new");
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_render_leaves_the_partial_and_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        let file = OutputFile::create(&path).unwrap();
        let error = file.finish_with(|out| {
            out.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        let message = error.unwrap_err().to_string();
        assert!(message.contains("x.csv.partial"), "{message}");
        assert!(!path.exists() && folder.path().join("x.csv.partial").exists());
    }

    #[test]
    fn a_file_nothing_was_written_to_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        drop(OutputFile::create(&folder.path().join("x.csv")).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_unwritable_place_is_found_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("file");
        fs::write(&blocked, "").unwrap();
        for path in [folder.path(), &blocked.join("x.csv"), Path::new("")] {
            let error = OutputFile::create(path).unwrap_err();
            assert!(matches!(error, FileError::Create { .. }), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_reported() {
        let file = OutputFile::create(Path::new("/dev/full")).unwrap();
        let error = file.finish_with(|out| out.write_all(b"x")).unwrap_err();
        assert!(matches!(error, FileError::Direct { .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        OutputFile::create(&link).unwrap().finish_with(|out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    }
}
