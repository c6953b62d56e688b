//! Instruction statements whose bytes are known: real kernels write most of theirs more than once.
//!
//! A statement that names no symbol becomes the same bytes wherever it stands in a file, as long as its first word is no
//! macro and the file's target stays. The memory is bounded: when it is full it begins again.

use rustc_hash::FxHashMap;
use wavemark_isa::InstBytes;

/// Statements that are remembered at most.
const MOST: usize = 1 << 16;

/// What a statement becomes.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub bytes: InstBytes,
    /// One past the last register of each slot of [`crate::assembler::NextFree`].
    pub registers: [i64; 2],
}

/// The statements, by their text.
#[derive(Debug, Default)]
pub(crate) struct KnownStatements {
    statements: FxHashMap<Box<str>, Known>,
}

impl KnownStatements {
    pub fn find(&self, text: &str) -> Option<&Known> {
        self.statements.get(text)
    }

    pub fn put(&mut self, text: &str, known: Known) {
        if self.statements.len() >= MOST {
            self.clear();
        }
        self.statements.insert(text.into(), known);
    }

    /// Forgets everything: what a text means has changed.
    pub fn clear(&mut self) {
        self.statements.clear();
    }
}
