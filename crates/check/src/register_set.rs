//! Sets of registers as bits, and the registers of an instruction as a few masks on them.

use std::ops::Range;

use smallvec::SmallVec;
use wavemark_sim::pending::lanes;

use crate::site_info::{REGISTERS, RegRange};

const WORDS: usize = REGISTERS.div_ceil(64);

/// A set of registers, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct RegisterSet(Box<[u64; WORDS]>);

impl Default for RegisterSet {
    fn default() -> RegisterSet {
        RegisterSet::new()
    }
}

/// The words of a set that have registers of an instruction, and which.
pub(crate) type Masks = SmallVec<[(u8, u64); 4]>;

/// Add registers to masks.
pub(crate) fn add(masks: &mut Masks, registers: Range<u32>) {
    for register in registers {
        let (word, bit) = ((register / 64) as u8, 1 << (register % 64));
        match masks.iter_mut().find(|(other, _)| *other == word) {
            Some((_, bits)) => *bits |= bit,
            None => masks.push((word, bit)),
        }
    }
}

/// Whether some register is in both.
pub(crate) fn meet(a: &Masks, b: &Masks) -> bool {
    a.iter().any(|(word, bits)| b.iter().any(|(other, others)| word == other && bits & others != 0))
}

impl RegisterSet {
    /// None.
    pub fn new() -> RegisterSet {
        RegisterSet(Box::new([0; WORDS]))
    }

    /// All.
    pub fn all() -> RegisterSet {
        RegisterSet(Box::new([u64::MAX; WORDS]))
    }

    /// Take all away.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Whether it has a register.
    pub fn has(&self, register: u32) -> bool {
        self.0.get((register / 64) as usize).is_some_and(|word| word >> (register % 64) & 1 != 0)
    }

    /// Whether it has any of these.
    #[inline]
    pub fn meets(&self, masks: &Masks) -> bool {
        masks.iter().any(|&(word, bits)| self.0[usize::from(word)] & bits != 0)
    }

    /// Those of a range that it has.
    #[inline]
    pub fn within(&self, range: RegRange) -> impl Iterator<Item = u32> + use<> {
        let Range { start, end } = range.numbers();
        // A range is of few words; its registers are looked at a word at a time.
        let first = start / 64;
        let words: SmallVec<[u64; 2]> = (first..end.div_ceil(64))
            .map(|word| {
                let above = u64::MAX << start.saturating_sub(word * 64).min(63);
                let below = u64::MAX >> (64 - (end - word * 64).min(64));
                self.0.get(word as usize).map_or(0, |bits| bits & above & below)
            })
            .collect();
        (first..).zip(words).flat_map(|(word, bits)| lanes(bits).map(move |bit| word * 64 + bit))
    }

    /// Add these.
    pub fn insert(&mut self, masks: &Masks) {
        for &(word, bits) in masks {
            self.0[usize::from(word)] |= bits;
        }
    }

    /// Add one.
    pub fn insert_one(&mut self, register: u32) {
        if let Some(word) = self.0.get_mut((register / 64) as usize) {
            *word |= 1 << (register % 64);
        }
    }

    /// Take these away.
    #[inline]
    pub fn remove(&mut self, masks: &Masks) {
        for &(word, bits) in masks {
            self.0[usize::from(word)] &= !bits;
        }
    }

    /// Take one away.
    pub fn remove_one(&mut self, register: u32) {
        if let Some(word) = self.0.get_mut((register / 64) as usize) {
            *word &= !(1 << (register % 64));
        }
    }
}
