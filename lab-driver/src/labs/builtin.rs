//! The labs in the binary, so that it is a course on its own.

/// A lab that needs no folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Builtin {
    /// The lab's id.
    pub(super) id: &'static str,
    /// What its README.md holds.
    pub(super) readme: &'static str,
    /// What its lab.toml holds.
    pub(super) toml: &'static str,
}

macro_rules! builtin {
    ($id:literal) => {
        Builtin {
            id: $id,
            readme: include_str!(concat!("../../../labs/", $id, "/README.md")),
            toml: include_str!(concat!("../../../labs/", $id, "/lab.toml")),
        }
    };
}

/// What their claims gave over many seeds.
pub(super) const KEPT: &str = include_str!("../../../labs/lint-seeds.json");

/// All of them, in order; the same files as in `labs`.
pub(super) const BUILTINS: [Builtin; 5] = [
    builtin!("01-smoke"),
    builtin!("02-percentiles"),
    builtin!("03-knee"),
    builtin!("04-wait-time"),
    builtin!("05-latency-budget"),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::BUILTINS;
    use crate::labs::find;
    use crate::labs::lint::stored::doubt;

    #[test]
    fn every_lab_of_the_repository_is_in_the_program() {
        let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../labs");
        let there = find::all(Some(&labs), None).unwrap();
        let there: Vec<&str> = there.iter().map(|source| source.id.as_str()).collect();
        assert_eq!(BUILTINS.map(|builtin| builtin.id)[..], there);
        for source in find::all(None, None).unwrap() {
            source.lab().unwrap_or_else(|mistakes| panic!("{mistakes}"));
            assert_eq!(doubt(&source), None);
        }
    }
}
