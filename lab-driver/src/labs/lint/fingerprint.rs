//! What a lab's claims rest on, as one short number: its file without the prose, and the scenarios it names.

use toml::{Table, Value};

use crate::scenario::find;

/// What may be reworded without another claim coming of it: at the top, and in each claim.
const PROSE: [&str; 3] = ["title", "lesson", "minutes"];
const PROSE_OF_A_CLAIM: [&str; 4] = ["because", "hint", "ask", "not_in_virtual_time"];

/// The fingerprint of a lab.toml: 16 hexadecimal digits. It tells changes apart, and is no protection against
/// anybody who wants to forge one. Comments, order of keys and prose do not enter.
pub(super) fn fingerprint(text: &str) -> String {
    let mut table: Table = text.parse().unwrap_or_default();
    for key in PROSE {
        table.remove(key);
    }
    for claim in tables(table.get_mut("claim")) {
        for key in PROSE_OF_A_CLAIM {
            claim.remove(key);
        }
    }
    let mut names: Vec<String> = Vec::new();
    for kind in ["run", "ramp"] {
        let runs = tables(table.get_mut(kind));
        names.extend(runs.filter_map(|run| run.get("scenario")?.as_str().map(str::to_owned)));
    }
    names.sort();
    names.dedup();
    let mut said = table.to_string();
    for name in names {
        said.push_str(&scenario(&name));
    }
    format!("{:016x}", hash(said.as_bytes()))
}

fn tables(list: Option<&mut Value>) -> impl Iterator<Item = &mut Table> {
    let list = list.and_then(Value::as_array_mut).into_iter().flatten();
    list.filter_map(Value::as_table_mut)
}

/// What a scenario says: of a built-in one without its comments, of a file as it stands.
fn scenario(name: &str) -> String {
    match find(name) {
        Some(builtin) => builtin.text.parse::<Table>().unwrap_or_default().to_string(),
        None => std::fs::read_to_string(name).unwrap_or_default(),
    }
}

/// FNV-1a, 64 bits: the same in every version of every compiler.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAB: &str = "schema = 1\ntitle = \"T\"\n[[run]]\nid = \"u20\"\nscenario = \"api\"\n\
        [[claim]]\nid = \"c\"\nthat = \"u20.p(95) < 1s\"\nhint = \"Look.\"\n";

    #[test]
    fn prose_and_comments_do_not_enter() {
        let reworded = LAB.replace("Look.", "Look twice.").replace("\"T\"", "\"U\"") + "# more\n";
        assert_eq!(fingerprint(LAB), fingerprint(&reworded));
    }

    #[test]
    fn what_claims_rest_on_enters() {
        for (from, to) in [("u20.p(95) < 1s", "u20.p(95) < 2s"), ("\"api\"", "\"api-nowait\"")] {
            assert_ne!(fingerprint(LAB), fingerprint(&LAB.replace(from, to)), "{to}");
        }
        let without_claim = LAB.split("[[claim]]").next().unwrap();
        assert_ne!(fingerprint(LAB), fingerprint(without_claim));
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
