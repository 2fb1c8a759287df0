//! Results as JSON, and the schemas of both files.

use std::io;

use schemars::{Schema, schema_for};
use serde::Serialize;

use crate::engine::record::{RunRecord, RunSet};

/// Writes a [`RunRecord`], a [`RunSet`] or any other result, indented, with a newline at the end.
pub fn write(result: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, result)?;
    writeln!(out)
}

/// The JSON schema of a run's file, kept as `schema/run-record.json`.
pub fn run_record_schema() -> Schema {
    schema_for!(RunRecord)
}

/// The JSON schema of a set's file, kept as `schema/run-set.json`.
pub fn run_set_schema() -> Schema {
    schema_for!(RunSet)
}

#[cfg(test)]
mod schema_check;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::fixture;
    use super::*;

    #[test]
    fn what_is_written_reads_back_the_same() {
        for record in [fixture::record(), fixture::troubled(), fixture::invalid()] {
            let text = fixture::text(|out| write(&record, out));
            assert!(text.ends_with("}\n"));
            assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap(), record);
        }
        let text = fixture::text(|out| write(&fixture::ramp(), out));
        assert_eq!(serde_json::from_str::<RunSet>(&text).unwrap(), fixture::ramp());
    }

    #[test]
    fn results_fit_their_schemas_and_damaged_ones_do_not() {
        let schema = serde_json::to_value(run_record_schema()).unwrap();
        for record in [fixture::record(), fixture::troubled(), fixture::invalid()] {
            let mut value = serde_json::to_value(record).unwrap();
            assert_eq!(schema_check::fits(&value, &schema), Ok(()));
            value["segments"][0]["endpoints"][0]["counts"]["failed"] = "many".into();
            let problem = schema_check::fits(&value, &schema).unwrap_err();
            assert!(problem.starts_with("/segments/0/endpoints/0/counts/failed: "), "{problem}");
            value["segments"][0].as_object_mut().unwrap().remove("from_s");
            assert!(schema_check::fits(&value, &schema).is_err());
        }
        let schema = serde_json::to_value(run_set_schema()).unwrap();
        let value = serde_json::to_value(fixture::ramp()).unwrap();
        assert_eq!(schema_check::fits(&value, &schema), Ok(()));
    }

    /// Run the tests with `LAB_UPDATE_SCHEMA=1` to write the schemas anew after a change of the record's types.
    #[test]
    fn the_kept_schemas_are_those_of_the_types() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
        for (name, schema) in
            [("run-record.json", run_record_schema()), ("run-set.json", run_set_schema())]
        {
            let path = folder.join(name);
            let current = fixture::text(|out| write(&schema, out));
            if std::env::var_os("LAB_UPDATE_SCHEMA").is_some() {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &current).unwrap();
            }
            let kept = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(kept == current, "schema/{name} is out of date: test with LAB_UPDATE_SCHEMA=1");
        }
    }
}
