//! Counts kept beside the labs: what many seeds gave once, for which claims, and what anyone can repeat quickly.

use serde::{Deserialize, Serialize};

use super::fingerprint::fingerprint;
use super::seeds::{Count, Tally};
use crate::labs::find::Source;

/// The version of this format.
pub const SCHEMA: u32 = 2;

/// How many seeds the first part has.
pub const FIRST: u64 = 200;

/// With fewer seeds than this, one false failure in a thousand could not be seen.
pub const FEWEST: u64 = 1_000;

/// The counts of several labs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Version of this format.
    pub schema: u32,
    /// One entry per lab, in the order of their ids.
    pub labs: Vec<StoredLab>,
}

/// The counts of one lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredLab {
    /// The lab's id.
    pub lab: String,
    /// Of what the claims rest on, as it was.
    pub fingerprint: String,
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
    /// The claim's name.
    pub claim: String,
    /// `full` or `quick`.
    pub form: String,
    /// Over the first part.
    pub first: Tally,
    /// Over all seeds.
    pub total: Tally,
}

impl Default for Stored {
    fn default() -> Self {
        Self { schema: SCHEMA, labs: Vec::new() }
    }
}

impl Stored {
    /// Reads what is kept; `text` is the file's.
    ///
    /// # Errors
    /// In words, why it cannot be read.
    pub fn read(text: &str) -> Result<Self, String> {
        let version: Version = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match version.schema {
            SCHEMA => serde_json::from_str(text).map_err(|error| error.to_string()),
            other => Err(format!("it has schema {other}, and this lab-driver reads {SCHEMA}")),
        }
    }

    /// Takes the counts of one lab in, in place of those it had.
    pub fn put(&mut self, lab: StoredLab) {
        self.labs.retain(|kept| kept.lab != lab.lab);
        self.labs.push(lab);
        self.labs.sort_by(|a, b| a.lab.cmp(&b.lab));
    }

    /// The counts of the lab of this id.
    pub fn of(&self, lab: &str) -> Option<&StoredLab> {
        self.labs.iter().find(|kept| kept.lab == lab)
    }
}

#[derive(Deserialize)]
struct Version {
    schema: u32,
}

impl StoredLab {
    /// From the counts of the first part and of all seeds, for the same claims in the same order.
    pub fn new(
        source: &Source,
        command: String,
        seeds: u64,
        first: &[Count],
        total: &[Count],
    ) -> Self {
        let claims = first.iter().zip(total).map(|(first, total)| StoredClaim {
            claim: first.claim.clone(),
            form: first.form.name().to_owned(),
            first: first.tally,
            total: total.tally,
        });
        Self {
            lab: source.id.clone(),
            fingerprint: fingerprint(source.toml()),
            command,
            seeds,
            first: FIRST.min(seeds),
            claims: claims.collect(),
        }
    }

    /// What differs between the first parts of these counts and of `other`, in words.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.fingerprint != other.fingerprint {
            differences.push("its runs or claims have changed since".to_owned());
        }
        for one in &other.claims {
            match self.claims.iter().find(|kept| kept.name() == one.name()) {
                None => differences.push(format!("{} is not kept", one.name())),
                Some(kept) if kept.first.agrees(&one.first) => {}
                Some(kept) => differences.push(format!(
                    "{}: {} kept, {} now",
                    one.name(),
                    kept.first.in_words(),
                    one.first.in_words()
                )),
            }
        }
        let is_gone =
            |kept: &&StoredClaim| other.claims.iter().all(|one| one.name() != kept.name());
        let gone = self.claims.iter().filter(is_gone);
        differences.extend(gone.map(|kept| format!("there is no {} any more", kept.name())));
        differences
    }

    /// The claim that these counts do not bear out, if there is one.
    fn weak(&self) -> Option<&StoredClaim> {
        self.claims.iter().find(|claim| !claim.total.is_steady() || !claim.total.catches())
    }
}

impl StoredClaim {
    fn name(&self) -> String {
        format!("claim {}, {} length", self.claim, self.form)
    }
}

impl Tally {
    /// Whether the counts are the same. The margin's last digits may depend on the machine's mathematics.
    fn agrees(&self, other: &Self) -> bool {
        (self.seeds, self.false_failures, self.caught)
            == (other.seeds, other.false_failures, other.caught)
    }

    fn in_words(&self) -> String {
        format!("{} false failures, {} caught", self.false_failures, self.caught)
    }
}

/// Why nobody has shown that the claims of this lab can be relied on, without a full stop; none if the counts that
/// are kept beside it are about it as it is now, and bear out every claim.
pub fn doubt(source: &Source) -> Option<String> {
    let id = &source.id;
    let Some((place, text)) = source.kept() else {
        return Some(format!("{id}: its claims have not been tried over many seeds"));
    };
    let stored = match Stored::read(&text) {
        Ok(stored) => stored,
        Err(why) => return Some(format!("{id}: the counts in {place} cannot be read: {why}")),
    };
    let Some(kept) = stored.of(id) else {
        return Some(format!("{id}: {place} has no counts of it"));
    };
    if kept.fingerprint != fingerprint(source.toml()) {
        let seeds = kept.seeds;
        return Some(format!(
            "{id}: its runs or claims are not those that were tried over {seeds} seeds"
        ));
    }
    if kept.seeds < FEWEST {
        let seeds = kept.seeds;
        return Some(format!("{id}: {seeds} seeds are too few to rely on, {FEWEST} at least"));
    }
    kept.weak()
        .map(|weak| format!("{id}: {} is not reliable ({})", weak.name(), weak.total.in_words()))
}
