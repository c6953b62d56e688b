//! Formats of the matrix family.

use super::Format;

pub(super) static FORMATS: &[Format] = &[];
