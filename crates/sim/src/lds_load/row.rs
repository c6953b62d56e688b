//! The rows of addresses that loads of LDS mean.

use crate::alu::leveled;
#[cfg(target_arch = "x86_64")]
use crate::alu::{Level, level};
use crate::events::{Direction, Space};
use crate::lanewise::RowAccess;
use crate::regs::{Chunk, Regs, reduced};
use crate::rows;

use super::Landing;

/// A row of addresses.
#[derive(Debug)]
pub(crate) struct AddressRow {
    /// The distances of the lanes from the lowest one.
    pub(super) offsets: [Chunk; 4],
    /// The lowest address.
    pub(super) low: u32,
    /// The greatest distance.
    pub(super) span: u32,
    /// How far apart neighbouring lanes are, if all are alike and that is at most 16; else [`NO_STEP`].
    pub(super) step: u32,
    /// The same for neighbours within 16 lanes, but that the lanes of some 16 may all be at one place.
    pub(super) pace: u32,
    /// Which 16 lanes are at one place, one bit each.
    pub(super) same: u8,
    /// How many loads in flight mean it, and whether it is known under a register.
    pub(super) users: u32,
}

impl AddressRow {
    /// No lane yet of those between these addresses.
    #[inline(always)]
    fn new(low: u32, high: u32) -> AddressRow {
        AddressRow {
            offsets: [Chunk::ZERO; 4],
            low,
            span: high - low,
            step: NO_STEP,
            pace: 0,
            same: 0,
            users: 0,
        }
    }

    /// What a load of LDS accesses by it, from `low` on, in a wave of so many chunks.
    pub(super) fn access(&self, low: u32, landing: Landing, chunks: usize) -> RowAccess<'_> {
        RowAccess {
            space: Space::Lds,
            direction: Direction::Read,
            mask: u64::MAX >> (64 - 16 * chunks),
            bytes: landing.bytes() as u32,
            low: low.into(),
            offsets: &self.offsets[..chunks],
        }
    }

    /// The lanes of chunk `c`, behind those before it, are `own` apart.
    #[inline(always)]
    fn note_chunk(&mut self, c: usize, from: &Chunk, own: u32) {
        self.same |= u8::from(own == 0) << c;
        if own != 0 {
            self.pace = if self.pace == 0 || self.pace == own { own } else { NO_STEP };
        }
        // From the first lane on, which is at offset 0 then.
        let goes_on = c == 0 || own == self.step;
        let next = (c as u32 * 16).wrapping_mul(own).wrapping_add(self.low);
        self.step = if own != NO_STEP && goes_on && from.0[0] == next { own } else { NO_STEP };
    }

    /// Whether the 16 lanes of each chunk are one behind the other or all at one place, for accesses of so many bytes.
    #[inline(always)]
    pub(super) fn is_by_chunks(&self, bytes: u32) -> bool {
        self.pace == 0 || self.pace == bytes
    }
}

/// Not the same from lane to lane, or too far.
const NO_STEP: u32 = u32::MAX;

/// What there is to know of the addresses that a register holds. No load means them yet.
fn row_of(from: &[Chunk]) -> AddressRow {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host has what the level stands for.
        return unsafe { avx512::row_of(from) };
    }
    row_of_as_defined(from)
}

leveled! {
    fn row_of_as_defined(from: &[Chunk]) -> AddressRow {
        let (mut least, mut most) = ([u32::MAX; 16], [0; 16]);
        for chunk in from {
            for l in 0..16 {
                least[l] = least[l].min(chunk.0[l]);
                most[l] = most[l].max(chunk.0[l]);
            }
        }
        let (low, high) = (reduced(least, u32::min), reduced(most, u32::max));
        let mut row = AddressRow::new(low, high);
        for (c, from) in from.iter().enumerate() {
            for l in 0..16 {
                row.offsets[c].0[l] = from.0[l] - low;
            }
            row.note_chunk(c, from, step_of(from));
        }
        row
    }
}

/// How far apart neighbouring lanes of a chunk are, if all are alike and that is at most 16; else [`NO_STEP`].
#[inline(always)]
fn step_of(chunk: &Chunk) -> u32 {
    let [first, second, ..] = chunk.0;
    let step = second.wrapping_sub(first);
    let rises = |steps: &Chunk| chunk.0.iter().zip(&steps.0).all(|(x, step)| *x == first.wrapping_add(*step));
    if rows::STEPS.get(step as usize).is_some_and(rises) { step } else { NO_STEP }
}

/// How many rows are known at a time: register n's is kept at n modulo this.
pub(super) const KNOWN: usize = 8;

/// The rows of addresses that a wave's loads of LDS are given by.
#[derive(Debug)]
pub struct AddressRows {
    pub(super) rows: Vec<AddressRow>,
    free: Vec<u32>,
    /// The row last seen in a register, or [`AddressRows::NONE`]. Whether the register still holds it, each load asks.
    pub(super) known: [u32; KNOWN],
}

impl Default for AddressRows {
    fn default() -> Self {
        AddressRows { rows: Vec::new(), free: Vec::new(), known: [Self::NONE; KNOWN] }
    }
}

impl AddressRows {
    const NONE: u32 = u32::MAX;

    /// As if no load had ever been issued.
    pub fn restart(&mut self) {
        self.rows.clear();
        self.free.clear();
        self.known = [Self::NONE; KNOWN];
    }

    /// Where the row of the register at chunk `addr` is kept. (A wave has two or four chunks.)
    #[inline]
    pub(super) fn place(addr: u32, chunks: usize) -> u8 {
        ((addr as usize >> chunks.trailing_zeros()) % KNOWN) as u8
    }

    /// Look at the row of addresses of the register at chunk `addr`.
    pub fn learn(&mut self, addr: u32, regs: &Regs) {
        let chunks = regs.chunks;
        let row = AddressRow { users: 1, ..row_of(&regs.v[addr as usize..][..chunks]) };
        let number = match self.free.pop() {
            Some(number) => {
                self.rows[number as usize] = row;
                number
            }
            None => {
                self.rows.push(row);
                self.rows.len() as u32 - 1
            }
        };
        let before = std::mem::replace(&mut self.known[usize::from(Self::place(addr, chunks))], number);
        if before != Self::NONE {
            self.release(before);
        }
    }

    #[inline]
    pub(super) fn release(&mut self, number: u32) {
        let row = &mut self.rows[number as usize];
        row.users -= 1;
        if row.users == 0 {
            self.free.push(number);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{AddressRow, NO_STEP};
    use crate::regs::Chunk;
    use crate::regs::avx512::{put, row};
    use crate::rows;

    /// See [`super::row_of`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn row_of(from: &[Chunk]) -> AddressRow {
        let (mut least, mut most) = (_mm512_set1_epi32(-1), _mm512_setzero_si512());
        for from in from {
            (least, most) = (_mm512_min_epu32(least, row(from)), _mm512_max_epu32(most, row(from)));
        }
        let (low, high) = (_mm512_reduce_min_epu32(least), _mm512_reduce_max_epu32(most));
        let mut all = AddressRow::new(low, high);
        for (c, from) in from.iter().enumerate() {
            let lanes = row(from);
            put(&mut all.offsets[c], _mm512_sub_epi32(lanes, _mm512_set1_epi32(low as i32)));
            let step = from.0[1].wrapping_sub(from.0[0]);
            let first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(lanes));
            let steps = rows::STEPS.get(step as usize);
            let rises = |steps| _mm512_cmpneq_epi32_mask(_mm512_add_epi32(first, row(steps)), lanes) == 0;
            all.note_chunk(c, from, if steps.is_some_and(rises) { step } else { NO_STEP });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The host's body finds in a row what the definition finds, and that is what the row is made of.
    #[test]
    fn rows_are_known() {
        // How far lanes and chunks are apart, and how many lanes it takes until they are where they began.
        let shapes =
            [(0, 0, 16), (0, 256, 16), (4, 64, 16), (8, 0, 16), (16, 256, 4), (12, 5, 4), (20, 320, 16)];
        for (chunks, (lane, chunk, period)) in [2, 4].into_iter().flat_map(|n| shapes.map(|shape| (n, shape)))
        {
            for (first, odd) in [(0u32, None), (64, Some(5)), (u32::MAX - 100, None)] {
                let at = |c: u32, l: usize| first.wrapping_add(c * chunk + (l % period) as u32 * lane);
                let mut from: Vec<Chunk> =
                    (0..chunks).map(|c| Chunk(std::array::from_fn(|l| at(c, l)))).collect();
                if let Some(odd) = odd {
                    from[1].0[odd] ^= 4;
                }
                let (found, wanted) = (row_of(&from), row_of_as_defined(&from));
                let facts = |row: &AddressRow| (row.offsets, row.low, row.span, row.step, row.pace, row.same);
                assert_eq!(facts(&found), facts(&wanted), "{from:?}");
                assert!(rows::equal(&from, &found.offsets[..from.len()], found.low));
                let rises = |(x, l): (&u32, u32)| x.wrapping_sub(found.low) == found.step.wrapping_mul(l);
                let all_rise = Chunk::words(&from).iter().zip(0..).all(rises);
                assert!(found.step == NO_STEP || all_rise, "{from:?}");
                let ends = first.checked_add((16 * chunks - 1) * lane).is_some();
                let rises = odd.is_none() && lane <= 16 && period == 16 && chunk == 16 * lane && ends;
                assert_eq!(found.step != NO_STEP, rises, "{from:?}");
            }
        }
    }
}
