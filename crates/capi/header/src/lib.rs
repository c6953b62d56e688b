//! The header of the C interface, as its sources make it: a test holds the one that is shipped to it.

/// The header.
pub const HEADER: &str = include_str!(concat!(env!("OUT_DIR"), "/wavemark.h"));
