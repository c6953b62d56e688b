//! Sets of registers as bits, and the registers of an instruction as a few masks on them.

use std::ops::Range;

use smallvec::SmallVec;
use wavemark_sim::regs::sindex;

use crate::site_info::{REGISTERS, VGPR0};

const WORDS: usize = REGISTERS.div_ceil(64);

/// Whether the checker knows of a register if it was written: dispatch sets the others.
pub(crate) const fn tracked(register: u32) -> bool {
    !(106 <= register && register < VGPR0) || register == sindex::M0
}

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

    /// All that are [`tracked`].
    pub fn all_tracked() -> RegisterSet {
        const TRACKED: [u64; WORDS] = {
            let mut words = [0; WORDS];
            let mut register = 0;
            while register < REGISTERS {
                if tracked(register as u32) {
                    words[register / 64] |= 1 << (register % 64);
                }
                register += 1;
            }
            words
        };
        RegisterSet(Box::new(TRACKED))
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

    /// Whether it has all of these.
    pub fn has_all(&self, masks: &Masks) -> bool {
        masks.iter().all(|&(word, bits)| self.0[usize::from(word)] & bits == bits)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Which of `count` registers from `from` on it has, of up to 64: bit n is that of register `from + n`.
    #[inline]
    pub fn window(&self, from: u32, count: u32) -> u64 {
        let first = (from / 64) as usize;
        let word = |at: usize| u128::from(self.0.get(at).copied().unwrap_or(0));
        let words = word(first) | word(first + 1) << 64;
        (words >> (from % 64)) as u64 & u64::MAX.checked_shr(64 - count.min(64)).unwrap_or(0)
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

    /// Add those of another; whether any was new.
    pub fn unite(&mut self, other: &RegisterSet) -> bool {
        let mut new = 0;
        for (own, theirs) in self.0.iter_mut().zip(other.0.iter()) {
            new |= theirs & !*own;
            *own |= theirs;
        }
        new != 0
    }

    /// Keep only those that another has, too; whether any went.
    pub fn retain(&mut self, other: &RegisterSet) -> bool {
        let mut gone = 0;
        for (own, theirs) in self.0.iter_mut().zip(other.0.iter()) {
            gone |= *own & !theirs;
            *own &= theirs;
        }
        gone != 0
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
