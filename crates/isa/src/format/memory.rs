//! Formats of the memory family.

use super::Format;

pub(super) static FORMATS: &[Format] = &[];
