//! Formats of the vector family.

use super::Format;

pub(super) static FORMATS: &[Format] = &[];
