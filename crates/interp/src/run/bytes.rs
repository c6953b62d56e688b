//! Bytes of the memories that belong to a workgroup or a wave, and what is known of them.

pub use wavemark_sim::machine::address::{PRIVATE_BASE, SHARED_BASE};

use crate::op::Space;
use crate::shape::mask;

/// What is known of the bits of a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Those that nobody has written, or that were written undefined.
    pub undefined: u8,
    /// Those that hold poison.
    pub poison: u8,
}

impl State {
    /// It holds a value.
    pub const VALUE: State = State { undefined: 0, poison: 0 };
    /// Nobody has written it.
    pub const UNDEFINED: State = State { undefined: 0xff, poison: 0 };

    /// What is known of two bytes together.
    #[inline(always)]
    pub fn or(self, other: State) -> State {
        State { undefined: self.undefined | other.undefined, poison: self.poison | other.poison }
    }
}

/// Memory of its own.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    bytes: Vec<u8>,
    states: Vec<State>,
}

impl Memory {
    /// So many bytes that nobody has written.
    pub fn new(bytes: usize) -> Memory {
        Memory { bytes: vec![0; bytes], states: vec![State::UNDEFINED; bytes] }
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    fn range(&self, at: u64, len: usize) -> Option<std::ops::Range<usize>> {
        let at = usize::try_from(at).ok()?;
        let end = at.checked_add(len)?;
        (end <= self.bytes.len()).then_some(at..end)
    }

    /// Bytes, and what is known of all of them together.
    #[inline]
    pub fn read(&self, at: u64, to: &mut [u8]) -> Option<State> {
        let range = self.range(at, to.len())?;
        to.copy_from_slice(&self.bytes[range.clone()]);
        Some(self.states[range].iter().fold(State::VALUE, |all, &one| all.or(one)))
    }

    /// Bytes, whatever is known of them.
    pub fn bytes(&self, at: u64, len: usize) -> Option<&[u8]> {
        Some(&self.bytes[self.range(at, len)?])
    }

    /// What is known of each of some bytes.
    pub fn states(&self, at: u64, len: usize) -> Option<&[State]> {
        Some(&self.states[self.range(at, len)?])
    }

    /// Writes bytes that are all known alike.
    #[inline]
    pub fn write(&mut self, at: u64, from: &[u8], state: State) -> Option<()> {
        let range = self.range(at, from.len())?;
        self.bytes[range.clone()].copy_from_slice(from);
        self.states[range].fill(state);
        Some(())
    }

    /// Says what is known of each of some bytes.
    pub fn mark(&mut self, at: u64, states: &[State]) {
        if let Some(range) = self.range(at, states.len()) {
            self.states[range].copy_from_slice(states);
        }
    }
}

/// The memory that a flat address is in.
pub fn space_of(address: u64) -> Option<Space> {
    match address >> 32 {
        high if high == SHARED_BASE >> 32 => Some(Space::Local),
        high if high == PRIVATE_BASE >> 32 => Some(Space::Private),
        _ => Some(Space::Global),
    }
}

/// `bits` bits from bit `bit` on.
#[inline(always)]
pub fn get(from: &[u8], bit: u32, bits: u32) -> u64 {
    let at = (bit / 8) as usize;
    if bit.is_multiple_of(8) {
        match bits {
            32 => return u64::from(u32::from_le_bytes(from[at..at + 4].try_into().unwrap_or_default())),
            16 => return u64::from(u16::from_le_bytes(from[at..at + 2].try_into().unwrap_or_default())),
            64 => return u64::from_le_bytes(from[at..at + 8].try_into().unwrap_or_default()),
            8 => return u64::from(from[at]),
            _ => {}
        }
    }
    let last = ((bit + bits).div_ceil(8) as usize).min(from.len());
    let word = from[at..last].iter().rev().fold(0u128, |word, &byte| word << 8 | u128::from(byte));
    (word >> (bit % 8)) as u64 & mask(bits)
}

/// Puts `bits` bits at bit `bit`; the other bits of the bytes stay.
#[inline(always)]
pub fn put(to: &mut [u8], bit: u32, bits: u32, word: u64) {
    let at = (bit / 8) as usize;
    if bit.is_multiple_of(8) && bits.is_multiple_of(8) {
        let count = (bits / 8) as usize;
        to[at..at + count].copy_from_slice(&word.to_le_bytes()[..count]);
        return;
    }
    for offset in 0..bits {
        let at = bit + offset;
        let (byte, shift) = ((at / 8) as usize, at % 8);
        to[byte] = to[byte] & !(1 << shift) | ((word >> offset & 1) as u8) << shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back() {
        let mut bytes = [0xff; 12];
        for (bit, bits, word) in [(0, 32, 0x1234_5678), (33, 3, 5), (40, 17, 0x1_0203), (64, 24, 0xabcdef)] {
            put(&mut bytes, bit, bits, word);
            assert_eq!(get(&bytes, bit, bits), word);
        }
        assert_eq!(get(&bytes, 32, 1), 1);
    }

    #[test]
    fn unwritten_bytes_are_undefined() {
        let mut memory = Memory::new(16);
        memory.write(4, &[1; 4], State::VALUE);
        let mut out = [0; 4];
        assert_eq!(memory.read(4, &mut out), Some(State::VALUE));
        assert_eq!(memory.read(6, &mut out), Some(State::UNDEFINED));
        assert_eq!(memory.read(14, &mut out), None);
    }
}
