//! The scenarios in the binary, and the names that the lessons know them by.

use std::path::Path;

/// A scenario that needs no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name for `-f`.
    pub name: &'static str,
    /// The lesson's file for it, without `.py`; empty if no lesson has one.
    pub lesson: &'static str,
    /// The file's text, the same as in `labs/scenarios`.
    pub text: &'static str,
}

macro_rules! builtin {
    ($name:literal, $lesson:literal) => {
        Builtin {
            name: $name,
            lesson: $lesson,
            text: include_str!(concat!("../../../labs/scenarios/", $name, ".toml")),
        }
    };
}

/// All of them.
pub const BUILTINS: [Builtin; 7] = [
    builtin!("api", "locustfile"),
    builtin!("api-nowait", "locustfile_nowait"),
    builtin!("api-gate", "locustfile_gate"),
    builtin!("api-slow", "locustfile_slow"),
    builtin!("api-budgets", "locustfile_budgets"),
    builtin!("products", ""),
    builtin!("products-think", ""),
];

/// The scenario called `name`, by its own name or the lesson's, with or without `.py`.
pub fn find(name: &str) -> Option<&'static Builtin> {
    let lesson = name.strip_suffix(".py").unwrap_or(name);
    BUILTINS
        .iter()
        .find(|builtin| builtin.name == name || (builtin.lesson == lesson && !lesson.is_empty()))
}

/// What result files of a run with `-f name` are called before `-u10`: as the lesson calls them
/// when the scenario was named as in the lesson, else the scenario's own name without folder and ending.
///
/// ```
/// use lab_driver::scenario::csv_stem;
/// assert_eq!(csv_stem("locustfile_gate.py"), "locustfile_gate");
/// assert_eq!(csv_stem("api-gate"), "api-gate");
/// assert_eq!(csv_stem("labs/mine.toml"), "mine");
/// ```
pub fn csv_stem(name: &str) -> &str {
    match find(name) {
        Some(builtin) if builtin.name == name => name,
        Some(builtin) => builtin.lesson,
        None => Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lessons_names_are_known() {
        for (typed, name, stem) in [
            ("locustfile.py", "api", "locustfile"),
            ("locustfile", "api", "locustfile"),
            ("locustfile_nowait.py", "api-nowait", "locustfile_nowait"),
            ("locustfile_gate", "api-gate", "locustfile_gate"),
            ("locustfile_slow.py", "api-slow", "locustfile_slow"),
            ("locustfile_budgets.py", "api-budgets", "locustfile_budgets"),
            ("api-budgets", "api-budgets", "api-budgets"),
        ] {
            assert_eq!(find(typed).map(|builtin| builtin.name), Some(name), "{typed}");
            assert_eq!(csv_stem(typed), stem);
        }
        assert_eq!(find("api.py"), None);
    }
}
