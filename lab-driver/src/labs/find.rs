//! Where labs are: a folder that is named, the checkout that this program was built in, or the program itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::builtin::{BUILTINS, KEPT};
use super::file;
use super::lab::Lab;
use crate::scenario::Mistakes;
use crate::scenario::nearest::did_you_mean;

/// The text file that makes a folder a lab.
pub const LAB_FILE: &str = "lab.toml";
/// The text file for the learner.
pub const README: &str = "README.md";

/// Beside the labs: what their claims gave over many seeds.
pub const KEPT_FILE: &str = "lint-seeds.json";

/// A lab that was found, not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The folder's name.
    pub id: String,
    /// Where it is; none when it is in the program.
    pub folder: Option<PathBuf>,
    /// The learner's text; empty when there is none.
    pub readme: String,
    toml: String,
}

/// Labs could not be found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The folder cannot be read.
    #[error("the labs cannot be read from {}: {source}; name another folder with --labs", folder.display())]
    Folder {
        /// What was to be read.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder holds no lab.
    #[error("there is no lab in {}; a lab is a folder such as 03-knee with a {LAB_FILE}", folder.display())]
    Empty {
        /// What was read.
        folder: PathBuf,
    },
    /// There is no lab of this name.
    #[error("no lab is called \"{name}\"; {remedy}")]
    Unknown {
        /// As the user typed it.
        name: String,
        /// Near names, or all.
        remedy: String,
    },
}

impl Source {
    /// `3`, for `03-knee`; as text, without leading zeros.
    fn number(&self) -> &str {
        self.id.split('-').next().unwrap_or_default().trim_start_matches('0')
    }

    /// `knee`, for `03-knee`.
    fn short(&self) -> &str {
        self.id.split_once('-').map_or(self.id.as_str(), |(_, short)| short)
    }

    /// What its lab.toml holds.
    pub fn toml(&self) -> &str {
        &self.toml
    }

    /// The file beside the labs with what their claims gave over many seeds; none for labs in the program.
    pub fn kept_in(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.parent()?.join(KEPT_FILE))
    }

    /// The name and text of that file, or of the one in the program; nothing if there is none.
    pub fn kept(&self) -> Option<(String, String)> {
        match self.kept_in() {
            Some(file) => Some((file.display().to_string(), fs::read_to_string(file).ok()?)),
            None => Some((format!("{KEPT_FILE} (built in)"), KEPT.to_owned())),
        }
    }

    /// Reads and checks the lab.
    ///
    /// # Errors
    /// Every mistake in its file.
    pub fn lab(&self) -> Result<Lab, Mistakes> {
        let file = match &self.folder {
            Some(folder) => folder.join(LAB_FILE).display().to_string(),
            None => format!("{}/{LAB_FILE} (built in)", self.id),
        };
        file::read(&self.id, &file, &self.toml)
    }
}

/// The labs in `folder`; without one those of the checkout that `program` lies in, else those in the program.
/// In order of their names.
pub fn all(folder: Option<&Path>, program: Option<&Path>) -> Result<Vec<Source>, FindError> {
    let Some(folder) = folder else {
        return Ok(program.and_then(beside).unwrap_or_else(built_in));
    };
    let found = in_folder(folder)?;
    if found.is_empty() {
        return Err(FindError::Empty { folder: folder.to_owned() });
    }
    Ok(found)
}

/// The lab that `name` means: its number, its short name or its id.
pub fn named<'a>(labs: &'a [Source], name: &str) -> Result<&'a Source, FindError> {
    let typed = name.trim().to_lowercase();
    let digits = typed.trim_start_matches('0');
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    let means = |lab: &&Source| {
        lab.id == typed || lab.short() == typed || (is_number && lab.number() == digits)
    };
    labs.iter().find(means).ok_or_else(|| {
        let short: Vec<&str> = labs.iter().map(Source::short).collect();
        let ids: Vec<&str> = labs.iter().map(|lab| lab.id.as_str()).collect();
        let near = crate::scenario::nearest::nearest(&typed, short.iter().copied());
        let remedy = match near {
            Some(near) => format!("did you mean {near}? The labs are {}", ids.join(", ")),
            None => did_you_mean(&typed, "labs", &ids),
        };
        FindError::Unknown { name: name.chars().take(60).collect(), remedy }
    })
}

fn built_in() -> Vec<Source> {
    let source = |builtin: &super::builtin::Builtin| Source {
        id: builtin.id.to_owned(),
        folder: None,
        readme: builtin.readme.to_owned(),
        toml: builtin.toml.to_owned(),
    };
    BUILTINS.iter().map(source).collect()
}

/// The nearest folder `labs` with labs in it, in or above the program's folder.
fn beside(program: &Path) -> Option<Vec<Source>> {
    let candidates = program.ancestors().skip(1).map(|folder| folder.join("labs"));
    candidates.filter_map(|folder| in_folder(&folder).ok()).find(|found| !found.is_empty())
}

fn in_folder(folder: &Path) -> Result<Vec<Source>, FindError> {
    let unreadable = |source| FindError::Folder { folder: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let id = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !is_id(&id) || !path.join(LAB_FILE).is_file() {
            continue;
        }
        let toml = fs::read_to_string(path.join(LAB_FILE))
            .map_err(|source| FindError::Folder { folder: path.join(LAB_FILE), source })?;
        let readme = fs::read_to_string(path.join(README)).unwrap_or_default();
        found.push(Source { id, folder: Some(path), readme, toml });
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

/// `03-knee`: two digits, a name of small letters, digits and `-`.
fn is_id(name: &str) -> bool {
    let Some((number, short)) = name.split_once('-') else { return false };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    number.len() == 2
        && number.chars().all(|c| c.is_ascii_digit())
        && !short.is_empty()
        && short.chars().all(plain)
}
