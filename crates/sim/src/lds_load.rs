//! Loads of LDS by a wave with all lanes on whose lanes have a place each. Kernels read most of a tile by the same row of
//! addresses, with another immediate offset each: so the row is looked at once and kept ([`AddressRows`]) as long as the
//! register holds the same, and a load in flight only says which row it means. Nobody may be watching.
//!
//! What such a load does, and when, is what [`Lanewise`](crate::lanewise::Lanewise) would do. What does not fit (lanes that
//! are off or out of range, sums that wrap) takes that form.

use crate::events::Channel;
use crate::gather;
use crate::regs::{Chunk, Regs};
use crate::rows;
use crate::shape::{Extend, LoadShape};
use crate::transpose::{self, Transpose};

/// How the data of a lane get into registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// Each lane's into its own.
    Plain(LoadShape),
    /// By way of a transpose.
    Transposed(Transpose),
}

impl Landing {
    /// Bytes of one access of a lane.
    #[inline]
    fn bytes(self) -> usize {
        match self {
            Landing::Plain(shape) => shape.bytes as usize,
            Landing::Transposed(transpose) => transpose::lane_bytes(transpose),
        }
    }
}

/// A load of LDS, as the program has it.
#[derive(Clone, Copy, Debug)]
pub struct LdsLoadOp {
    /// What counts it.
    pub channel: Channel,
    /// How its data land.
    pub landing: Landing,
    /// How many accesses it has.
    pub accesses: u8,
    /// First chunk of the row of addresses.
    pub addr: u32,
    /// What each access adds to them.
    pub offsets: [u32; 2],
    /// First chunk of the destination, per access.
    pub dst: [u32; 2],
}

/// A load of LDS in flight.
#[derive(Clone, Copy, Debug)]
pub struct LdsLoad {
    /// Its channel and sequence number.
    pub seq: (Channel, u32),
    /// Machine time of its issue, in instructions.
    pub issued_at: u64,
    /// How its data land.
    landing: Landing,
    accesses: u8,
    /// Its row of [`AddressRows`].
    row: u32,
    /// First byte of any lane, per access.
    low: [u32; 2],
    /// Bytes from there to the end of the last lane's.
    len: u32,
    dst: [u32; 2],
}

impl LdsLoad {
    /// The load `op` by a row of addresses.
    #[inline(always)]
    pub fn new(op: &LdsLoadOp, reach: RowReach, seq: (Channel, u32), issued_at: u64) -> LdsLoad {
        // In bounds, so that no sum wraps.
        let [first, second] = op.offsets;
        let low = [reach.low.wrapping_add(first), reach.low.wrapping_add(second)];
        LdsLoad {
            seq,
            issued_at,
            landing: op.landing,
            accesses: op.accesses,
            row: reach.row,
            low,
            len: reach.len,
            dst: op.dst,
        }
    }

    /// Per access, its first byte and the byte behind its last.
    #[inline]
    pub fn spans(&self) -> impl Iterator<Item = (u64, u64)> {
        let (accesses, len) = (usize::from(self.accesses), u64::from(self.len));
        self.low.into_iter().take(accesses).map(move |low| (u64::from(low), u64::from(low) + len))
    }

    /// Move the data.
    #[inline]
    pub fn complete(&self, regs: &mut Regs, lds: &[u8], known: &mut AddressRows) {
        let row = &known.rows[self.row as usize];
        match self.landing {
            Landing::Plain(shape)
                if shape.extend == Extend::Dwords && (row.pace == 0 || row.pace == shape.bytes) =>
            {
                let dwords = shape.bytes as usize / 4;
                let at = &row.offsets[..regs.chunks];
                self.each(lds, |dst, bytes| {
                    let out = &mut regs.v[dst..][..dwords * at.len()];
                    rows::load_by_chunks(out, dwords, bytes, at, row.same);
                });
            }
            _ => self.complete_apart(regs, lds, row),
        }
        known.release(self.row);
    }

    /// First chunk of the destination and bytes of each access.
    #[inline(always)]
    fn each(&self, lds: &[u8], mut land: impl FnMut(usize, &[u8])) {
        for (&low, &dst) in self.low.iter().zip(&self.dst).take(usize::from(self.accesses)) {
            // In bounds when it was issued, and LDS stays as long as the workgroup.
            if let Some(bytes) = lds.get(low as usize..low as usize + self.len as usize) {
                land(dst as usize, bytes);
            }
        }
    }

    #[inline(never)]
    fn complete_apart(&self, regs: &mut Regs, lds: &[u8], row: &AddressRow) {
        let (chunks, all) = (regs.chunks, regs.full_mask());
        let at = &row.offsets[..chunks];
        self.each(lds, |dst, bytes| {
            let out = &mut regs.v[dst..];
            match self.landing {
                Landing::Plain(shape) if shape.extend == Extend::Dwords => {
                    let size = shape.bytes as usize;
                    gather::load(&mut out[..size / 4 * chunks], chunks, size, bytes, at, all, all);
                }
                Landing::Plain(shape) => {
                    gather::load_narrow(&mut out[..chunks], shape, bytes, at, all, all);
                }
                Landing::Transposed(transpose) => {
                    let size = transpose::lane_bytes(transpose);
                    let out = &mut out[..size / 4 * chunks];
                    if row.step as usize == size {
                        transpose::apply(transpose, bytes, chunks, out);
                    } else {
                        gather::load_transposed(out, transpose, bytes, at);
                    }
                }
            }
        });
    }
}

/// A row of addresses.
#[derive(Debug)]
struct AddressRow {
    /// The distances of the lanes from the lowest one.
    offsets: [Chunk; 4],
    /// The lowest address.
    low: u32,
    /// The greatest distance.
    span: u32,
    /// How far apart neighbouring lanes are, if all are alike and that is at most 16; else [`NO_STEP`].
    step: u32,
    /// The same for neighbours within 16 lanes, but that the lanes of some 16 may all be at one place.
    pace: u32,
    /// Which 16 lanes are at one place, one bit each.
    same: u8,
    /// How many loads in flight mean it, and whether it is known under a register.
    users: u32,
}

/// Not the same from lane to lane, or too far.
const NO_STEP: u32 = u32::MAX;

/// How far apart neighbouring lanes of `row` are, or [`NO_STEP`].
fn step_of(row: &[Chunk]) -> u32 {
    let [first, second, ..] = row[0].0;
    let step = second.wrapping_sub(first);
    if rows::run_start(row, step).is_some() { step } else { NO_STEP }
}

/// How many rows are known at a time: register n's is kept at n modulo this.
const KNOWN: usize = 8;

/// What the lanes of a load reach by a row of addresses, its offset apart.
#[derive(Clone, Copy, Debug)]
pub struct RowReach {
    /// The row's number.
    row: u32,
    /// First byte of any lane.
    low: u32,
    /// Bytes from there to the end of the last lane's.
    len: u32,
}

/// The rows of addresses that a wave's loads of LDS are given by.
#[derive(Debug)]
pub struct AddressRows {
    rows: Vec<AddressRow>,
    free: Vec<u32>,
    /// The row last seen in a register, or [`AddressRows::NONE`]. Whether the register still holds it, each load asks.
    known: [u32; KNOWN],
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
    fn place(addr: u32, chunks: usize) -> usize {
        (addr as usize >> chunks.trailing_zeros()) % KNOWN
    }

    /// What the lanes of `op` reach, if the row of its addresses is known and all of them are inside of `lds` bytes; a load
    /// means the row then. The wave must have all lanes on.
    #[inline(always)]
    pub fn reach(&mut self, op: &LdsLoadOp, regs: &Regs, lds: usize) -> Option<RowReach> {
        let chunks = regs.chunks;
        let number = self.known[Self::place(op.addr, chunks)];
        let row = self.rows.get_mut(number as usize)?;
        if !rows::equal(&regs.v[op.addr as usize..][..chunks], &row.offsets[..chunks], row.low) {
            return None;
        }
        let len = u64::from(row.span) + op.landing.bytes() as u64;
        let inside = |offset: u32| u64::from(row.low) + u64::from(offset) + len <= lds as u64;
        if !inside(op.offsets[0]) || op.accesses == 2 && !inside(op.offsets[1]) {
            return None;
        }
        row.users += 1;
        Some(RowReach { row: number, low: row.low, len: len as u32 })
    }

    /// Look at the row of addresses of the register at chunk `addr`.
    pub fn learn(&mut self, addr: u32, regs: &Regs) {
        let chunks = regs.chunks;
        let from = &regs.v[addr as usize..][..chunks];
        let words = Chunk::words(from);
        let low = words.iter().copied().min().unwrap_or(0);
        let high = words.iter().copied().max().unwrap_or(0);
        let (mut offsets, mut pace, mut same) = ([Chunk::ZERO; 4], 0, 0);
        for (c, from) in from.iter().enumerate() {
            offsets[c] = Chunk(from.0.map(|x| x - low));
            let step = step_of(std::slice::from_ref(from));
            same |= u8::from(step == 0) << c;
            if step != 0 {
                pace = if pace == 0 || pace == step { step } else { NO_STEP };
            }
        }
        let row = AddressRow { offsets, low, span: high - low, step: step_of(from), pace, same, users: 1 };
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
        let before = std::mem::replace(&mut self.known[Self::place(addr, chunks)], number);
        if before != Self::NONE {
            self.release(before);
        }
    }

    #[inline]
    fn release(&mut self, number: u32) {
        let row = &mut self.rows[number as usize];
        row.users -= 1;
        if row.users == 0 {
            self.free.push(number);
        }
    }
}
