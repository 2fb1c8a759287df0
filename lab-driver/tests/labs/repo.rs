//! The labs of this repository: they pass in virtual time in both lengths, and the counts that are kept are true.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use lab_driver::labs::lint::stored::Stored;

fn labs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../labs")
}

fn lab(arguments: &[&str]) -> (i32, String) {
    let mut command = Command::cargo_bin("lab-driver").unwrap();
    let output = command.arg("lab").args(arguments).arg("--labs").arg(labs()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn all_labs_pass_in_virtual_time_in_both_lengths() {
    for arguments in
        [&["check", "--all", "--virtual"][..], &["check", "--all", "--virtual", "--quick"]]
    {
        let (code, text) = lab(arguments);
        assert_eq!(code, 0, "{text}");
    }
}

#[test]
fn the_first_seeds_give_the_counts_that_are_kept() {
    let kept = fs::read_to_string(labs().join("lint-seeds.json")).unwrap();
    let kept: Stored = serde_json::from_str(&kept).unwrap();
    assert!(kept.seeds >= 10_000, "{}", kept.seeds);
    for claim in &kept.claims {
        assert!(claim.total.is_steady() && claim.total.catches(), "{claim:?}");
        assert_eq!((claim.first.seeds, claim.total.seeds), (kept.first, kept.seeds), "{claim:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("first.json");
    let seeds = kept.first.to_string();
    let (code, text) = lab(&["lint", "--seeds", &seeds, "--store", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{text}");
    let now: Stored = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let differences = kept.differences(&now);
    assert!(differences.is_empty(), "run {} again:\n{}", kept.command, differences.join("\n"));
}
