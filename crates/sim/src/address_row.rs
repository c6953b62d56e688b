//! Rows of addresses by what they have in common: how far each lane is from the lowest one. Kernels access most of a tile by the
//! same distances, from another address each time: so a row is looked at once, and after that only compared.

use crate::alu::leveled;
#[cfg(target_arch = "x86_64")]
use crate::alu::{Level, level};
use crate::events::{Direction, Space};
use crate::lanewise::RowAccess;
use crate::regs::{Chunk, Regs, all_lanes, reduced};
use crate::rows;

/// The distances of a row of addresses.
#[derive(Debug)]
pub(crate) struct AddressRow {
    /// How far each lane is from the lowest one.
    pub offsets: [Chunk; 4],
    /// The greatest distance.
    pub span: u32,
    /// How far apart neighbouring lanes are, if all are alike and that is at most 16; else [`NO_STEP`].
    pub step: u32,
    /// The same for neighbours within 16 lanes, but that the lanes of some 16 may all be at one place.
    pub pace: u32,
    /// Which 16 lanes are at one place, one bit each.
    pub same: u8,
    /// Each four lanes are 16 bytes apart.
    pub by_fours: bool,
    /// How many operations in flight mean it, and whether it is known under a register.
    users: u32,
}

impl AddressRow {
    /// No lane yet of those that are so far apart at most.
    #[inline(always)]
    fn new(span: u32) -> AddressRow {
        AddressRow {
            offsets: [Chunk::ZERO; 4],
            span,
            step: NO_STEP,
            pace: 0,
            same: 0,
            by_fours: true,
            users: 0,
        }
    }

    /// What is accessed by it, `bytes` a lane from `low` on, in a wave of so many chunks.
    #[inline(always)]
    pub fn access(
        &self,
        (space, direction): (Space, Direction),
        low: u64,
        bytes: u32,
        chunks: usize,
    ) -> RowAccess<'_> {
        let mask = all_lanes(chunks);
        RowAccess { space, direction, mask, bytes, low, offsets: &self.offsets[..chunks] }
    }

    /// The lanes of chunk `c`, behind those before it and from this distance on, are `own` apart, and each four of them 16 bytes
    /// if they are `by_fours`.
    #[inline(always)]
    fn note_chunk(&mut self, c: usize, first: u32, own: u32, by_fours: bool) {
        self.same |= u8::from(own == 0) << c;
        self.by_fours &= by_fours;
        if own != 0 {
            self.pace = if self.pace == 0 || self.pace == own { own } else { NO_STEP };
        }
        // From the first lane on, which is at distance 0 then.
        let goes_on = c == 0 || own == self.step;
        let next = (c as u32 * 16).wrapping_mul(own);
        self.step = if own != NO_STEP && goes_on && first == next { own } else { NO_STEP };
    }

    /// Whether the 16 lanes of each chunk are one behind the other or all at one place, for accesses of so many bytes.
    #[inline(always)]
    pub fn is_by_chunks(&self, bytes: u32) -> bool {
        self.pace == 0 || self.pace == bytes
    }
}

/// Not the same from lane to lane, or too far.
const NO_STEP: u32 = u32::MAX;

/// What there is to know of the addresses that a register holds. Nothing means them yet.
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
        let low = reduced(least, u32::min);
        let mut row = AddressRow::new(reduced(most, u32::max) - low);
        for (c, from) in from.iter().enumerate() {
            for l in 0..16 {
                row.offsets[c].0[l] = from.0[l] - low;
            }
            let at = |l: usize| from.0[l & !3].wrapping_add(16 * (l as u32 & 3));
            row.note_chunk(c, from.0[0] - low, step_of(from), (0..16).all(|l| from.0[l] == at(l)));
        }
        row
    }
}

/// How far apart neighbouring lanes of a chunk are, if all are alike and that is at most 16; else [`NO_STEP`].
#[inline(always)]
fn step_of(chunk: &Chunk) -> u32 {
    let [first, second, ..] = chunk.0;
    let step = second.wrapping_sub(first);
    let rises =
        |steps: &[Chunk; 4]| chunk.0.iter().zip(&steps[0].0).all(|(x, step)| *x == first.wrapping_add(*step));
    if rows::STEPS.get(step as usize).is_some_and(rises) { step } else { NO_STEP }
}

/// Under which number the distances of an operation's addresses are known.
#[derive(Clone, Copy, Debug)]
pub struct Known(u16);

impl Known {
    /// Those of the register at chunk `row`. (A wave has two or four chunks.)
    #[inline]
    pub fn register(row: u32, chunks: usize) -> Known {
        Known(2 + (row >> chunks.trailing_zeros()) as u16)
    }

    /// Those of lanes that are 4 bytes apart, or 16.
    #[inline]
    pub fn steps(step: u32) -> Known {
        Known(u16::from(step != 4))
    }
}

/// The rows of addresses that a wave's operations are given by.
#[derive(Debug, Default)]
pub struct AddressRows {
    rows: Vec<AddressRow>,
    free: Vec<u32>,
    /// The row last seen under each number, or [`AddressRows::NONE`]. Whether a register still holds its distances, each
    /// operation asks.
    known: Vec<u32>,
}

impl AddressRows {
    /// The number of no row.
    pub const NONE: u32 = u32::MAX;

    /// As if nothing had ever been issued.
    pub fn restart(&mut self) {
        self.rows.clear();
        self.free.clear();
        self.known.clear();
    }

    /// The row of this number.
    #[inline(always)]
    pub(crate) fn row(&self, number: u32) -> &AddressRow {
        &self.rows[number as usize]
    }

    /// The number of the row whose distances `addresses` have, and the address of distance 0. Lanes may be lower than that where
    /// addresses wrap: then it and [`AddressRow::span`] have no sum. If none is known, the number is [`AddressRows::NONE`].
    #[inline(always)]
    pub fn find<const N: usize>(&self, known: Known, addresses: &[Chunk]) -> (u32, u32) {
        let Some(&number) = self.known.get(usize::from(known.0)) else { return (Self::NONE, 0) };
        let (Some(row), Some(addresses)) = (self.rows.get(number as usize), addresses.first_chunk::<N>())
        else {
            return (Self::NONE, 0);
        };
        let low = addresses[0].0[0].wrapping_sub(row.offsets[0].0[0]);
        let is_known = row.offsets.first_chunk::<N>().is_some_and(|at| rows::equal(addresses, at, low));
        (if is_known { number } else { Self::NONE }, low)
    }

    /// [`AddressRows::find`] in the register at chunk `row`.
    #[inline(always)]
    fn find_in(&self, known: Known, row: u32, regs: &Regs) -> (u32, u32) {
        let addresses = regs.v.get(row as usize..).unwrap_or_default();
        #[cfg(target_arch = "x86_64")]
        if level() == Level::Avx512 {
            // SAFETY: the host has what the level stands for.
            return unsafe {
                match regs.chunks {
                    2 => avx512::find::<2>(self, known, addresses),
                    _ => avx512::find::<4>(self, known, addresses),
                }
            };
        }
        match regs.chunks {
            2 => self.find::<2>(known, addresses),
            _ => self.find::<4>(known, addresses),
        }
    }

    /// [`AddressRows::find`] in the register at chunk `row`, at which it looks if it does not know the distances.
    #[inline(always)]
    pub fn find_or_learn(&mut self, known: Known, row: u32, regs: &Regs) -> (u32, u32) {
        let found = self.find_in(known, row, regs);
        if found.0 != Self::NONE {
            return found;
        }
        self.learn(known, &regs.v[row as usize..][..regs.chunks]);
        self.find_in(known, row, regs)
    }

    /// The number of the row of lanes that are so far apart ([`Known::steps`]), in a wave of so many chunks.
    pub fn steps(&mut self, step: u32, chunks: usize) -> u32 {
        let known = Known::steps(step);
        match self.known.get(usize::from(known.0)) {
            Some(&number) if number != Self::NONE => number,
            _ => {
                self.learn(known, &rows::STEPS[step as usize][..chunks]);
                self.known[usize::from(known.0)]
            }
        }
    }

    /// Look at a row of addresses.
    #[inline(never)]
    pub fn learn(&mut self, known: Known, addresses: &[Chunk]) {
        let row = AddressRow { users: 1, ..row_of(addresses) };
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
        let at = usize::from(known.0);
        if at >= self.known.len() {
            self.known.resize(at + 1, Self::NONE);
        }
        let before = std::mem::replace(&mut self.known[at], number);
        if before != Self::NONE {
            self.release(before);
        }
    }

    /// An operation that means the row is in flight.
    #[inline(always)]
    pub fn hold(&mut self, number: u32) {
        self.rows[number as usize].users += 1;
    }

    /// It is complete.
    #[inline]
    pub fn release(&mut self, number: u32) {
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

    use super::{AddressRow, AddressRows, Known, NO_STEP};
    use crate::gather::avx512::in_runs;
    use crate::regs::Chunk;
    use crate::regs::avx512::{put, row};
    use crate::rows;

    /// See [`AddressRows::find`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn find<const N: usize>(rows: &AddressRows, known: Known, addresses: &[Chunk]) -> (u32, u32) {
        rows.find::<N>(known, addresses)
    }

    /// See [`super::row_of`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn row_of(from: &[Chunk]) -> AddressRow {
        let (mut least, mut most) = (_mm512_set1_epi32(-1), _mm512_setzero_si512());
        for from in from {
            (least, most) = (_mm512_min_epu32(least, row(from)), _mm512_max_epu32(most, row(from)));
        }
        let (low, high) = (_mm512_reduce_min_epu32(least), _mm512_reduce_max_epu32(most));
        let mut all = AddressRow::new(high - low);
        for (c, from) in from.iter().enumerate() {
            let lanes = row(from);
            put(&mut all.offsets[c], _mm512_sub_epi32(lanes, _mm512_set1_epi32(low as i32)));
            let step = from.0[1].wrapping_sub(from.0[0]);
            let first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(lanes));
            let steps = rows::STEPS.get(step as usize);
            let rises = |steps: &[Chunk; 4]| {
                _mm512_cmpneq_epi32_mask(_mm512_add_epi32(first, row(&steps[0])), lanes) == 0
            };
            let step = if steps.is_some_and(rises) { step } else { NO_STEP };
            all.note_chunk(c, from.0[0] - low, step, in_runs::<16, 4>(from));
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
                let facts =
                    |row: &AddressRow| (row.offsets, row.span, row.step, row.pace, row.same, row.by_fours);
                assert_eq!(facts(&found), facts(&wanted), "{from:?}");
                let low = Chunk::words(&from).iter().copied().min().unwrap_or(0);
                assert!(rows::equal(&from, &found.offsets[..from.len()], low));
                let rises = |(x, l): (&u32, u32)| x.wrapping_sub(low) == found.step.wrapping_mul(l);
                let all_rise = Chunk::words(&from).iter().zip(0..).all(rises);
                assert!(found.step == NO_STEP || all_rise, "{from:?}");
                let ends = first.checked_add((16 * chunks - 1) * lane).is_some();
                let rises = odd.is_none() && lane <= 16 && period == 16 && chunk == 16 * lane && ends;
                assert_eq!(found.step != NO_STEP, rises, "{from:?}");
            }
        }
    }
}
