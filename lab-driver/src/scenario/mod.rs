//! Scenario files: TOML and flags become a validated plan, or a list of every mistake in them.
//!
//! ```
//! use lab_driver::scenario::{Overrides, load};
//!
//! let mut flags = Overrides { scenario: Some("api-gate".into()), ..Overrides::default() };
//! flags.users = Some("20".into());
//! let loaded = load(&flags, 1, &|_| Ok(())).expect("a built-in scenario");
//! assert_eq!(loaded.plan.thresholds, ["p(95)<=300"]);
//!
//! flags.users = Some("0".into());
//! flags.run_time = Some("soon".into());
//! let mistakes = load(&flags, 1, &|_| Ok(())).expect_err("two mistakes");
//! assert!(mistakes.to_string().ends_with("2 mistakes; nothing was sent and no file was written"));
//! ```

mod build;
mod builtin;
mod draft;
mod file;
mod host;
mod load;
mod mistake;
pub(crate) mod nearest;
mod overrides;
mod parameters;
pub(crate) mod reader;
mod rows;
pub(crate) mod said;
mod source;
mod stages;
mod tasks;
pub mod template;
#[cfg(test)]
mod tests;
mod thresholds;
mod wait;

pub use build::{Loaded, load};
pub use builtin::{BUILTINS, Builtin, csv_stem, find};
pub use mistake::{Mistake, Mistakes, Place};
pub use overrides::{Overrides, StageText};
pub use rows::Rows;
