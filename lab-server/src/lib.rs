//! Teaching targets for load testing.
