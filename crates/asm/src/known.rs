//! Instruction statements whose bytes are known: real kernels write most of theirs more than once.
//!
//! A statement that names no symbol becomes the same bytes wherever it stands in a file, as long as its first word is no
//! macro and the file's target stays. The memory is bounded: when it is full it begins again.

use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};
use wavemark_isa::InstBytes;

/// Statements that are remembered at most.
const MOST: usize = 1 << 16;
/// Bytes of text for which one statement is expected.
const USUAL_LENGTH: usize = 64;

/// What a statement becomes.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub bytes: InstBytes,
    /// One past the last register of each slot of [`crate::assembler::NextFree`].
    pub registers: [i64; 2],
}

/// The statements.
#[derive(Debug, Default)]
pub(crate) struct KnownStatements {
    /// By the hash of their text: where that ends in `texts`, how long it is, and what it becomes. Of two statements
    /// with one hash the later stays.
    statements: FxHashMap<u64, (usize, usize, Known)>,
    texts: String,
}

impl KnownStatements {
    /// With room for the statements of so many bytes of text.
    pub fn with_room(length: usize) -> KnownStatements {
        let mut statements = FxHashMap::default();
        statements.reserve((length / USUAL_LENGTH).min(MOST));
        KnownStatements { statements, texts: String::new() }
    }

    pub fn find(&self, text: &str) -> Option<&Known> {
        let (end, length, known) = self.statements.get(&hash(text))?;
        (self.texts.get(end - length..*end) == Some(text)).then_some(known)
    }

    pub fn put(&mut self, text: &str, known: Known) {
        if self.statements.len() >= MOST {
            self.clear();
        }
        self.texts.push_str(text);
        self.statements.insert(hash(text), (self.texts.len(), text.len(), known));
    }

    /// Forgets everything: what a text means has changed.
    pub fn clear(&mut self) {
        self.statements.clear();
        self.texts.clear();
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_never_taken_for_another() {
        let mut known = KnownStatements::with_room(0);
        for number in 0..2 * MOST {
            let text = format!("s_nop {number}");
            assert!(known.find(&text).is_none());
            let bytes = InstBytes::from_slice(&number.to_le_bytes());
            known.put(&text, Known { bytes: bytes.clone(), registers: [0; 2] });
            assert_eq!(known.find(&text).map(|known| &known.bytes), Some(&bytes));
        }
        known.clear();
        assert!(known.find("s_nop 0").is_none());
    }
}
