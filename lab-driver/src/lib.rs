//! The load driver as a library.
