//! Copies of the fixture labs, changed or not, and the program run on them.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// A folder of labs, removed at the end.
pub(crate) struct Labs(tempfile::TempDir);

/// What a finished command left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labs-fixture").join(name)
}

/// The folder of the labs of this repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../labs")
}

impl Labs {
    /// The good ones.
    pub(crate) fn good() -> Self {
        let labs = Self(tempfile::tempdir().unwrap());
        for id in ["01-pool", "02-times"] {
            fs::create_dir(labs.path(id)).unwrap();
            for file in ["lab.toml", "README.md"] {
                let from = fixture("good").join(id).join(file);
                fs::copy(from, labs.path(&format!("{id}/{file}"))).unwrap();
            }
        }
        fs::copy(fixture("good/lint-seeds.json"), labs.path("lint-seeds.json")).unwrap();
        labs
    }

    /// Those of the repository, with what was counted of them.
    pub(crate) fn of_the_repository() -> Self {
        let (labs, root) = (Self(tempfile::tempdir().unwrap()), repository());
        fs::copy(root.join("lint-seeds.json"), labs.path("lint-seeds.json")).unwrap();
        for entry in fs::read_dir(&root).unwrap().map(Result::unwrap) {
            let id = entry.file_name().into_string().unwrap();
            if entry.path().join("lab.toml").is_file() {
                fs::create_dir(labs.path(&id)).unwrap();
                for file in ["lab.toml", "README.md"] {
                    let copy = labs.path(&format!("{id}/{file}"));
                    fs::copy(entry.path().join(file), copy).unwrap();
                }
            }
        }
        labs
    }

    /// One with all kinds of mistakes.
    pub(crate) fn bad() -> Self {
        let labs = Self(tempfile::tempdir().unwrap());
        fs::create_dir(labs.path("01-bad")).unwrap();
        fs::copy(fixture("bad/01-bad/lab.toml"), labs.path("01-bad/lab.toml")).unwrap();
        labs
    }

    /// The good ones, with `from` in a file of the first replaced by `to`.
    pub(crate) fn with(file: &str, from: &str, to: &str) -> Self {
        let labs = Self::good();
        labs.edit(&format!("01-pool/{file}"), from, to);
        labs
    }

    /// Replaces `from`, wherever it stands in `file`, by `to`.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from:?}");
        fs::write(self.path(file), text.replace(from, to)).unwrap();
    }

    /// Does what makes a lab of one's own ready: tries its claims over seeds, and keeps the counts.
    pub(crate) fn try_over_seeds(&self, name: &str) {
        let kept = self.path("lint-seeds.json");
        let ran = self.run(&["lint", name, "--seeds", "1000", "--store", kept.to_str().unwrap()]);
        assert!(!ran.err.contains(", claim "), "{}{}", ran.out, ran.err);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `lab-driver lab …` on these labs, with `input` on its standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = Command::cargo_bin("lab-driver").unwrap();
        command.arg("lab").args(arguments).arg("--labs").arg(self.0.path());
        let output = command.write_stdin(input).output().unwrap();
        let text = |bytes: Vec<u8>| {
            String::from_utf8(bytes).unwrap().replace(&self.0.path().display().to_string(), "LABS")
        };
        Ran {
            code: output.status.code().unwrap(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "")
    }
}
