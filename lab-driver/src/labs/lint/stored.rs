//! Counts kept in the repository: what many seeds gave once, and of a first part what anyone can repeat quickly.

use serde::{Deserialize, Serialize};

use super::seeds::{Count, Tally};

/// The version of this format.
pub const SCHEMA: u32 = 1;

/// How many seeds the first part has.
pub const FIRST: u64 = 200;

/// The counts of one run of the linter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Version of this format.
    pub schema: u32,
    /// The command that gave the counts.
    pub command: String,
    /// The seeds were 1 to this.
    pub seeds: u64,
    /// The first part were the seeds 1 to this.
    pub first: u64,
    /// One entry per claim and length.
    pub claims: Vec<StoredClaim>,
}

/// The counts of one claim in one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredClaim {
    /// The lab's id.
    pub lab: String,
    /// The claim's name.
    pub claim: String,
    /// `full` or `quick`.
    pub form: String,
    /// Over the first part.
    pub first: Tally,
    /// Over all seeds.
    pub total: Tally,
}

impl Stored {
    /// From the counts of the first part and of all seeds, for the same claims in the same order.
    pub fn new(command: String, seeds: u64, first: &[Count], total: &[Count]) -> Self {
        let claims = first.iter().zip(total).map(|(first, total)| StoredClaim {
            lab: first.lab.clone(),
            claim: first.claim.clone(),
            form: first.form.name().to_owned(),
            first: first.tally,
            total: total.tally,
        });
        Self { schema: SCHEMA, command, seeds, first: FIRST.min(seeds), claims: claims.collect() }
    }

    /// What differs between the first parts of these counts and of `other`, in words.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        for one in &other.claims {
            match self.claims.iter().find(|kept| kept.name() == one.name()) {
                None => differences.push(format!("{} is not kept", one.name())),
                Some(kept) if kept.first.agrees(&one.first) => {}
                Some(kept) => {
                    let (kept, now) = (&kept.first, &one.first);
                    differences.push(format!("{}: kept {kept:?}, now {now:?}", one.name()));
                }
            }
        }
        let is_gone =
            |kept: &&StoredClaim| other.claims.iter().all(|one| one.name() != kept.name());
        let gone = self.claims.iter().filter(is_gone);
        differences.extend(gone.map(|kept| format!("there is no {} any more", kept.name())));
        differences
    }
}

impl StoredClaim {
    fn name(&self) -> String {
        format!("{} {} {}", self.lab, self.claim, self.form)
    }
}

impl Tally {
    /// Whether the counts are the same. The margin's last digits may depend on the machine's mathematics.
    fn agrees(&self, other: &Self) -> bool {
        (self.seeds, self.false_failures, self.caught)
            == (other.seeds, other.false_failures, other.caught)
    }
}
