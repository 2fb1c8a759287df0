//! Every production of the grammar, good and bad; round trips; hostile texts; judgements.

mod accepted;
mod judgement;
mod refused;
mod round_trip;

use super::Names;

/// The names that the tests' claims use; `20` and `p` are as odd as names may be.
fn names() -> Names {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Names {
        runs: owned(&["u20", "u60", "before-fix", "20", "p"]),
        sets: owned(&["ramp", "by_rate"]),
    }
}
