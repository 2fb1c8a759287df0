//! Reads a run's or a set's JSON. The version is looked at first, so that another one gets a remedy and not a riddle.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{ResultError, read_text};
use crate::engine::record::{RunRecord, RunSet, SCHEMA};

/// What a JSON result file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Results {
    /// One run.
    Run(Box<RunRecord>),
    /// Several.
    Set(RunSet),
}

impl Results {
    /// Its runs, in order.
    pub fn runs(&self) -> &[RunRecord] {
        match self {
            Self::Run(record) => std::slice::from_ref(record),
            Self::Set(set) => &set.runs,
        }
    }
}

/// Reads `file`.
///
/// Fails on another schema, on JSON that is not a record, and on a file above [`super::SIZE_LIMIT`].
pub fn read(file: &Path) -> Result<Results, ResultError> {
    parse(file, &read_text(file)?)
}

/// What is looked at before the rest.
#[derive(Deserialize)]
struct Head {
    schema: Option<u64>,
    #[serde(default)]
    runs: Option<serde::de::IgnoredAny>,
}

const NOT_OURS: &str = "give a file that lab-driver wrote with --json";

fn parse(file: &Path, text: &str) -> Result<Results, ResultError> {
    let head: Head = decode(file, text)?;
    let schema = head.schema.ok_or_else(|| ResultError::Malformed {
        file: file.to_owned(),
        line: 1,
        problem: "there is no `schema`, so this is no result of lab-driver".to_owned(),
        remedy: NOT_OURS,
    })?;
    if schema != u64::from(SCHEMA) {
        let remedy = if schema > u64::from(SCHEMA) {
            "update lab-driver to read it"
        } else {
            "read it with the version that wrote it, or run again"
        };
        let file = file.to_owned();
        return Err(ResultError::OtherSchema { file, found: schema, expected: SCHEMA, remedy });
    }
    Ok(match head.runs {
        Some(_) => Results::Set(decode(file, text)?),
        None => Results::Run(Box::new(decode(file, text)?)),
    })
}

fn decode<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, ResultError> {
    serde_json::from_str(text).map_err(|error| ResultError::Malformed {
        file: file.to_owned(),
        line: error.line() as u64,
        problem: error.to_string(),
        remedy: NOT_OURS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Result<Results, ResultError> {
        parse(Path::new("r.json"), text)
    }

    fn json_of(record: &RunRecord) -> serde_json::Value {
        serde_json::to_value(record).unwrap()
    }

    #[test]
    fn runs_and_sets_come_back() {
        let run = parsed(&json_of(&fixture::troubled()).to_string()).unwrap();
        assert_eq!(run.runs(), [fixture::troubled()]);
        let set = parsed(&serde_json::to_string(&fixture::ramp()).unwrap()).unwrap();
        assert_eq!(set, Results::Set(fixture::ramp()));
    }

    #[test]
    fn other_versions_get_a_remedy_even_when_the_rest_is_unknown() {
        let newer = parsed(r#"{"schema": 7, "runs": "reshaped"}"#).unwrap_err().to_string();
        assert_eq!(
            newer,
            "r.json has schema 7, this lab-driver reads 1; update lab-driver to read it"
        );
        let older = parsed(r#"{"schema": 0}"#).unwrap_err().to_string();
        assert!(older.contains("the version that wrote it"), "{older}");
        assert!(parsed("{}").unwrap_err().to_string().contains("no `schema`"));
    }

    #[test]
    fn broken_files_name_their_line() {
        let text = serde_json::to_string_pretty(&fixture::record()).unwrap();
        let broken = text.replacen("\"label\": \"u20\"", "\"label\": 20", 1);
        let error = parsed(&broken).unwrap_err().to_string();
        assert!(error.starts_with("r.json, line 7: invalid type"), "{error}");
        assert!(parsed(&text[..text.len() / 2]).is_err());
        assert!(parsed(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn hostile_text_never_panics(text in ".{0,200}") {
            prop_assert!(parsed(&text).is_err());
        }

        #[test]
        fn a_damaged_record_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = json_of(&fixture::troubled()).to_string().into_bytes();
            let position = at.index(bytes.len());
            bytes[position] = byte;
            if let Ok(results) = parsed(&String::from_utf8_lossy(&bytes)) {
                results.runs().iter().for_each(fixture::render_all);
            }
        }
    }
}
