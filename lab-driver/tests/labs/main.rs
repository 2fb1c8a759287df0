//! The exercises as a learner and an author meet them: in virtual time, from labs in a folder of their own.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod bad_files;
mod check;
mod lint;
mod live;
mod repo;
mod sabotage;
mod support;
