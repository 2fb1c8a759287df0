//! The labs of this repository: they pass in virtual time in both lengths, and the counts that are kept are true.

use std::fs;

use lab_driver::labs::lint::stored::{FIRST, Stored};

use crate::support::{Labs, repository};

#[test]
fn all_labs_pass_in_virtual_time_in_both_lengths() {
    for length in [&[][..], &["--quick"]] {
        let arguments = [&["check", "--all", "--virtual"], length].concat();
        let ran = Labs::of_the_repository().run(&arguments);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    }
}

#[test]
fn ten_thousand_seeds_bear_out_every_claim() {
    let kept = fs::read_to_string(repository().join("lint-seeds.json")).unwrap();
    let kept = Stored::read(&kept).unwrap();
    for lab in &kept.labs {
        assert!(lab.seeds >= 10_000 && lab.first == FIRST, "{lab:?}");
        for claim in &lab.claims {
            let (first, total) = (claim.first, claim.total);
            assert!(total.is_steady() && total.catches(), "{}: {claim:?}", lab.lab);
            assert_eq!((first.seeds, total.seeds), (lab.first, lab.seeds), "{claim:?}");
        }
    }
}

/// The linter itself holds the counts of the first seeds against those that are kept; `scripts/test.sh` does so for
/// all labs, here it is shown for those that are quick to run.
#[test]
fn the_first_seeds_give_the_counts_that_are_kept() {
    let labs = Labs::of_the_repository();
    let ran = labs.run(&["lint", "smoke", "percentiles", "--seeds", &FIRST.to_string()]);
    // The links of the texts lead out of the copy; counts are what this is about.
    assert!(!ran.err.contains("lint-seeds.json") && !ran.err.contains(", claim "), "{}", ran.err);
    labs.edit("lint-seeds.json", "\"caught\": 200", "\"caught\": 199");
    let ran = labs.run(&["lint", "smoke", "--seeds", &FIRST.to_string()]);
    assert!(ran.code == 1 && ran.err.contains("199 caught kept"), "{}", ran.err);
}
