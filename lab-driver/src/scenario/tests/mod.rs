//! Scenarios as a whole: good ones become plans, bad ones all their mistakes.

mod bad_files;
mod bad_flags;
mod good;
mod survival;

use std::path::Path;

use super::{Loaded, Mistakes, Overrides, load};

/// Loads the scenario `text` from a file called `api.toml` in a folder of its own.
fn of_text(text: &str) -> Result<Loaded, Mistakes> {
    let folder = tempfile::tempdir().expect("a folder");
    in_folder(folder.path(), text, Overrides::default())
}

fn in_folder(folder: &Path, text: &str, flags: Overrides) -> Result<Loaded, Mistakes> {
    let path = folder.join("api.toml");
    std::fs::write(&path, text).expect("written");
    let scenario = Some(path.to_str().expect("a plain path").to_owned());
    load(&Overrides { scenario, ..flags }, 7, &|_| Ok(()))
}

/// What is printed for the scenario `text`, with the folder cut off.
fn complaint(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let error = in_folder(folder.path(), text, Overrides::default()).expect_err(text).to_string();
    let prefix = format!("{}/", folder.path().display());
    error.replace(&prefix, "")
}

fn flags(change: impl FnOnce(&mut Overrides)) -> Overrides {
    let mut flags = Overrides::default();
    change(&mut flags);
    flags
}

#[expect(clippy::unnecessary_wraps, reason = "flags are optional")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}
