//! What ARCHITECTURE.md says of the sources, held against them: who may use whom, who prints, and that links keep what they promise.
#![allow(
    clippy::disallowed_methods,
    reason = "what engine and sim must not do, a test may: read files"
)]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}

/// The Rust files under `folder` without their tests: path and text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![root().join(folder)];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("an entry of it").path();
            let stem = path.file_stem().expect("entries have names").to_string_lossy();
            if stem.ends_with("tests") || stem == "testing" || stem == "fixture" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source file is text");
                let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
                sources.push((path, text[..end].to_owned()));
            }
        }
    }
    assert!(!sources.is_empty(), "{folder} has sources");
    sources
}

/// Every module and what it may name of the crate besides itself. Only `cli` is missing: it may name all.
const MAY_USE: [(&str, &[&str]); 7] = [
    ("engine", &[]),
    ("scenario", &["engine"]),
    ("sim", &["engine"]),
    ("labs", &["engine", "scenario", "sim"]),
    ("live", &["engine", "scenario"]),
    ("render", &["engine"]),
    ("results", &["engine"]),
];

#[test]
fn modules_use_only_those_below_them() {
    for (module, allowed) in MAY_USE {
        for (path, text) in sources(&format!("lab-driver/src/{module}")) {
            for used in text.split("crate::").skip(1) {
                let used = used.split(|c: char| !c.is_alphanumeric() && c != '_').next();
                let used = used.expect("split gives at least one piece");
                assert!(
                    used == module || allowed.contains(&used),
                    "{} uses {used}: {module} may use only {allowed:?}",
                    path.display()
                );
            }
        }
    }
}

/// Where standard output and error are written to: `cli` prints, and render/ has the progress line and `/dev/stdout`.
#[test]
fn only_cli_prints_or_picks_exit_codes() {
    for (module, _) in MAY_USE {
        for (path, text) in sources(&format!("lab-driver/src/{module}")) {
            let excused = path.ends_with("render/progress.rs") || path.ends_with("render/files.rs");
            for word in ["io::stdout", "io::stderr", "ExitCode", "process::exit"] {
                let of_a_stream = word.starts_with("io::");
                assert!(
                    !text.contains(word) || (of_a_stream && excused),
                    "{} has {word}: only cli prints and picks exit codes",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn every_target_says_what_it_teaches() {
    for (path, text) in sources("lab-server/src/targets") {
        if path.ends_with("mod.rs") {
            continue;
        }
        let opening: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        for part in ["Teaches:", "Models:", "Knobs:", "Deliberate fault:", "Lab:"] {
            assert!(opening.contains(part), "{} does not open with {part}", path.display());
        }
    }
}

/// A link's text and where it leads.
fn links(text: &str) -> Vec<(&str, &str)> {
    let ends = text.match_indices("](").map(|(at, _)| at);
    let link = |at: usize| {
        let name = text[..at].rsplit('[').next()?;
        let leads = text[at + 2..].split(')').next()?;
        Some((name, leads))
    };
    ends.filter_map(link).filter(|(_, leads)| !leads.starts_with("http")).collect()
}

/// Whether `source`, the text of `file`, is or defines `symbol`.
fn defines(file: &Path, source: &str, symbol: &str) -> bool {
    const KINDS: [&str; 7] = ["fn", "struct", "enum", "trait", "const", "type", "mod"];
    let after = |text: &str| text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    file.file_stem().is_some_and(|stem| stem == symbol)
        || KINDS.iter().any(|kind| {
            let definition = format!("{kind} {symbol}");
            source
                .match_indices(&definition)
                .any(|(at, _)| !after(&source[at + definition.len()..]))
        })
}

#[test]
fn links_lead_to_files_that_define_what_is_named() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "labs/GLOSSARY.md"] {
        let path = root().join(document);
        let text = fs::read_to_string(&path).expect("a document of the repository");
        for (name, leads) in links(&text) {
            let file = path.parent().expect("a file has a folder").join(leads);
            assert!(file.exists(), "{document}: [{name}] leads to {leads}, which is not there");
            // A name in backticks that is no path is a symbol of that file.
            let symbol = name.trim_matches('`');
            if name.starts_with('`') && !symbol.contains(['/', '.']) && file.is_file() {
                let source = fs::read_to_string(&file).expect("a source file is text");
                let found = defines(&file, &source, symbol);
                assert!(found, "{document}: {leads} does not define `{symbol}`");
            }
        }
    }
}
