//! What the cluster that runs has stored in LDS while it follows a story.
//!
//! Compilers let several waves store the same, unordered, which is harmless as long as it is the same. A story in which that
//! happens is one of clusters whose values are so, too. Hence their values are kept: what LDS holds, to see that; and what
//! each operation has stored, for the checker to be told of if the cluster leaves its story.

use wavemark_sim::events::{Access, Direction, Extent, Issue, Space};

use super::MOST_BYTES;
use super::story::Issued;
use crate::meeting::Stored;
use crate::number;
use crate::races::{stored, stored_of};

/// Dwords of LDS, at the most.
const MOST_DWORDS: usize = 1 << 20;

/// What was stored.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The flat number of each workgroup, and the dwords of its LDS.
    memory: Vec<(u32, Vec<u32>)>,
    /// The data of operations, one behind the other.
    words: Vec<u32>,
    /// Their numbers, and where the data of each begin.
    operations: Vec<(u32, usize)>,
}

impl Written {
    /// A cluster starts.
    pub fn clear(&mut self) {
        self.memory.clear();
        self.words.clear();
        self.operations.clear();
    }

    /// A wave of a workgroup stores; whether LDS holds all of it already.
    pub fn note(&mut self, workgroup: u32, op: &Issue, lanes: usize) -> bool {
        let mut repeats = true;
        let into_lds = |access: &&Access| (access.space, access.direction) == (Space::Lds, Direction::Write);
        for access in op.accesses.iter().filter(into_lds) {
            let Some(stored) = stored(op, access, lanes) else { continue };
            let memory = memory_of(&mut self.memory, workgroup);
            let (mut same, end) = store(memory, &stored, &access.extent);
            if end > memory.len() {
                memory.resize(end.min(MOST_DWORDS).next_multiple_of(1 << 12), 0);
                // What is there now is what it has stored itself.
                same &= store(memory, &stored, &access.extent).0 && end <= MOST_DWORDS;
            }
            repeats &= same;
            if self.operations.last().is_none_or(|last| last.0 != number(op.id))
                && (self.words.len() + op.stored.len()) * 4 <= MOST_BYTES
            {
                self.operations.push((number(op.id), self.words.len()));
                self.words.extend_from_slice(&op.stored);
            }
        }
        repeats
    }

    /// The same where what LDS holds does not matter.
    pub fn keep(&mut self, op: &Issue) {
        self.operations.push((number(op.id), self.words.len()));
        self.words.extend_from_slice(&op.stored);
    }

    /// Whether there may soon be no more room for the data of operations.
    pub fn is_nearly_full(&self) -> bool {
        self.words.len() * 4 > MOST_BYTES / 2
    }

    /// What these operations, the last one first, have left in the LDS of their workgroup, up to so many bits; and how many
    /// bits that is.
    pub fn left_by<'i>(
        &self,
        ops: impl Iterator<Item = &'i Issued>,
        lanes: usize,
        most: u32,
    ) -> (Vec<u32>, u32) {
        let (mut memory, mut bits): (Vec<(u32, u32)>, u32) = (Vec::new(), 0);
        let mut dwords: Vec<(u64, u32, u32)> = Vec::new();
        for issued in ops {
            if bits >= most {
                break;
            }
            let issue = &issued.noted.issue;
            let Some(words) = self.of(issued.number) else { continue };
            let into_lds =
                |access: &&Access| (access.space, access.direction) == (Space::Lds, Direction::Write);
            // Of two accesses the second one stores last.
            for access in issue.accesses.iter().rev().filter(into_lds) {
                let Some(stored) = stored_of(issue, words, access, lanes) else { continue };
                stored.for_each_dword(&access.extent, |dword, value, mask| dwords.push((dword, value, mask)));
                for (dword, value, mask) in dwords.drain(..).rev() {
                    let at = dword as usize;
                    if at >= memory.len() && at < MOST_DWORDS {
                        memory.resize((at + 1).next_multiple_of(1 << 8), (0, 0));
                    }
                    if let Some((word, known)) = memory.get_mut(at) {
                        let new = mask & !*known;
                        *word |= value & new;
                        *known |= new;
                        bits += new.count_ones();
                    }
                }
            }
        }
        (memory.into_iter().map(|(word, _)| word).collect(), bits)
    }

    /// What is in the LDS of a workgroup, as far as something was stored there.
    pub fn memory(&self, workgroup: u32) -> &[u32] {
        self.memory.iter().find(|of| of.0 == workgroup).map_or(&[], |of| &of.1)
    }

    /// What the operation with this number has stored, if that is known.
    pub fn of(&self, number: u32) -> Option<&[u32]> {
        let at = self.operations.binary_search_by_key(&number, |of| of.0).ok()?;
        let end = self.operations.get(at + 1).map_or(self.words.len(), |next| next.1);
        Some(&self.words[self.operations[at].1..end])
    }
}

/// Stores in memory, as far as that reaches. Whether all of it was there already, and how far it would have to reach.
fn store(memory: &mut [u32], stored: &Stored<'_>, extent: &Extent) -> (bool, usize) {
    let (mut differs, mut end) = (0, 0);
    stored.for_each_dword(extent, |dword, value, mask| {
        let dword = dword as usize;
        match memory.get_mut(dword) {
            Some(word) => {
                differs |= (*word ^ value) & mask;
                *word = *word & !mask | value & mask;
            }
            None => end = end.max(dword + 1),
        }
    });
    (differs == 0, end)
}

/// The LDS of a workgroup.
fn memory_of(memory: &mut Vec<(u32, Vec<u32>)>, workgroup: u32) -> &mut Vec<u32> {
    let at = memory.iter().position(|of| of.0 == workgroup).unwrap_or_else(|| {
        memory.push((workgroup, Vec::new()));
        memory.len() - 1
    });
    &mut memory[at].1
}
