//! Lane-wise operations: vector memory operations each of whose lanes has its own place, as a base and a row of 32-bit
//! offsets. Gathers, scatters, narrow and two-address forms, transposing loads, copies between memory and LDS and
//! atomics are such, and so is what a descriptor switches lanes off of. Nobody watching, such an operation is a
//! recycled value that holds its offsets and data. The bodies that move them are in [`gather`].
//!
//! What it does, and when, is what the general form ([`Pending`](crate::pending::Pending)) would do. What does not fit (no
//! lane on, lanes out of bounds, in several spaces or partly in range) takes the general form.

use smallvec::SmallVec;

use crate::alu::leveled;
#[cfg(target_arch = "x86_64")]
use crate::alu::{Level, level};
use crate::atomic::{self, AtomicOp, AtomicShape, Flush};
use crate::events::{Access, Channel, Direction, Extent, Issue, Space};
use crate::gather::{self, merge, part};
use crate::global::{Blind, Claim, Global};
use crate::pending::{Memories, copied_from_lds, lanes};
use crate::regs::{Chunk, Regs};
use crate::rows;
use crate::shape::{Extend, LoadShape};
use crate::transpose::{self, Transpose};

/// Where the lanes of one access are.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// In which memory.
    pub space: Space,
    /// It does more than read.
    pub writes: bool,
    /// The lanes of `mask` are all of the wave's, one right behind the other.
    pub run: bool,
    /// First byte of any lane; offsets count from here. Without lanes the largest number.
    pub low: u64,
    /// The byte behind the last one of any lane; without lanes 0.
    pub high: u64,
    /// The lanes that access memory. The offsets of the others are 0.
    pub mask: u64,
}

impl Reach {
    /// No lane.
    pub const NONE: Reach =
        Reach { space: Space::Global, writes: false, run: false, low: u64::MAX, high: 0, mask: 0 };
}

/// How the data move.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    /// Into the rows from these chunks on, one per access.
    Load(LoadShape, [u32; 2]),
    /// Into the row from this chunk on, by way of a transpose.
    Transpose(Transpose, u32),
    /// So many bytes a lane from the captured rows.
    Store(u32),
    /// Read-modify-write with the captured data; rows for the old values, if they are wanted.
    Atomic(AtomicShape, Flush, Option<[u32; 2]>),
    /// So many bytes from the first access to the second; narrow ones are extended to a dword if a shape is given.
    Copy(u32, Option<LoadShape>),
    /// The first row of captured data into the row from this chunk on, in these lanes.
    Lanes(u32, u64),
}

/// A lane-wise operation in flight.
#[derive(Debug)]
pub struct Lanewise {
    /// Its places in its channels, of which [`Lanewise::channels`] count.
    pub seq: [(Channel, u32); 2],
    /// How many channels it stands in.
    pub channels: u8,
    /// How many accesses it has.
    pub accesses: u8,
    /// Its accesses.
    pub reaches: [Reach; 2],
    /// Lanes that read 0 because their address is out of range.
    pub zero: u64,
    /// Machine time of its issue, in instructions.
    pub issued_at: u64,
    /// How the data move.
    pub moves: Move,
    /// The offsets of the lanes, four chunks per access.
    pub offsets: [Chunk; 8],
    /// The data of stores and atomics: up to four dwords of up to four chunks. Once its part in global memory is done, what
    /// it has read there.
    pub data: [Chunk; 16],
    /// Its part in global memory is done: only registers or LDS remain to be written.
    pub performed: bool,
    /// What each access does, if anybody watches.
    pub directions: [Direction; 2],
    /// And its size.
    pub sizes: [u32; 2],
    /// What observers know of it, if anybody watches; of its accesses only if it is not [`Lanewise::untold`].
    pub issue: Issue,
    /// Its issue followed from what the observer knows.
    pub untold: bool,
    /// An access with its row of addresses, which `issue` does not need now.
    spare: Option<Access>,
}

impl Lanewise {
    /// One with everything yet to be filled in.
    pub fn blank() -> Box<Lanewise> {
        Box::new(Lanewise {
            seq: [(Channel::Ds, 0); 2],
            channels: 0,
            accesses: 0,
            reaches: [Reach::NONE; 2],
            zero: 0,
            issued_at: 0,
            moves: Move::Store(0),
            offsets: [Chunk::ZERO; 8],
            data: [Chunk::ZERO; 16],
            performed: false,
            directions: [Direction::Read; 2],
            sizes: [0; 2],
            issue: Issue::blank(),
            untold: false,
            spare: None,
        })
    }

    /// Its accesses, if it only loads; for a wave of so many chunks.
    pub fn loads(&self, chunks: usize) -> Option<SmallVec<[RowAccess<'_>; 2]>> {
        let is_load = match self.moves {
            Move::Load(..) | Move::Transpose(..) => true,
            Move::Copy(..) => self.reaches[1].space == Space::Lds,
            Move::Store(_) | Move::Atomic(..) | Move::Lanes(..) => false,
        };
        let access = |(n, reach): (usize, &Reach)| RowAccess {
            space: reach.space,
            direction: self.directions[n],
            mask: reach.mask,
            bytes: self.sizes[n],
            low: reach.low,
            offsets: &self.offsets[4 * n..][..chunks],
        };
        is_load.then(|| self.reaches().iter().enumerate().map(access).collect())
    }

    /// Say in [`Lanewise::issue`] what the operation touches and what it stores. `lds` is the workgroup's, as it was when the
    /// operation was issued, as far as that stores what is there.
    pub fn tell(&mut self, chunks: usize, lds: &[u8]) {
        self.untold = false;
        let Lanewise { issue, offsets, reaches, accesses, data, moves, spare, directions, sizes, .. } = self;
        let count = usize::from(*accesses);
        while issue.accesses.len() > count {
            *spare = issue.accesses.pop();
        }
        while issue.accesses.len() < count {
            issue.accesses.push(spare.take().unwrap_or_else(|| {
                let extent = Extent::Lanes { mask: 0, bytes: 0, addr: Box::new([0; 64]) };
                Access { space: Space::Global, direction: Direction::Read, extent }
            }));
        }
        for (n, (access, reach)) in issue.accesses.iter_mut().zip(reaches).enumerate() {
            (access.space, access.direction) = (reach.space, directions[n]);
            let Extent::Lanes { mask, bytes, addr } = &mut access.extent else { continue };
            (*mask, *bytes) = (reach.mask, sizes[n]);
            addresses(addr, reach.low, &offsets[4 * n..][..chunks]);
        }
        issue.stored.clear();
        let dwords = match *moves {
            Move::Store(size) => size.div_ceil(4) as usize,
            Move::Atomic(shape, ..) => shape.bytes as usize / 4 * if shape.op.two_data() { 2 } else { 1 },
            _ => 0,
        };
        issue.stored.extend_from_slice(Chunk::words(&data[..count * dwords * chunks]));
        if let (Move::Copy(_, None), [from, to]) = (*moves, issue.accesses.as_slice()) {
            copied_from_lds(&mut issue.stored, from, to, lds, chunks * 16);
        }
    }

    /// Its places in its channels.
    #[inline]
    pub fn seq(&self) -> &[(Channel, u32)] {
        &self.seq[..usize::from(self.channels)]
    }

    /// Its accesses.
    #[inline]
    pub fn reaches(&self) -> &[Reach] {
        &self.reaches[..usize::from(self.accesses)]
    }

    /// Move the data.
    pub fn complete(&mut self, regs: &mut Regs, memories: &mut Memories<'_>) {
        let chunks = regs.chunks;
        if self.performed {
            return self.land(regs, memories);
        }
        if let Move::Copy(size, shape) = self.moves {
            return copy(memories, &self.reaches, self.zero, size as usize, shape, &self.offsets, chunks);
        }
        if let Move::Lanes(row, mask) = self.moves {
            for (c, (to, new)) in regs.v[row as usize..][..chunks].iter_mut().zip(&self.data).enumerate() {
                merge(to, new, part(mask, c), part(mask, c));
            }
            return;
        }
        let mut failed = true;
        for (i, reach) in self.reaches().iter().enumerate() {
            let at = &self.offsets[4 * i..][..chunks];
            match self.moves {
                Move::Load(shape, rows) => {
                    let bytes = bytes(memories, reach, shape.bytes as usize, at);
                    load(regs, shape, rows[i] as usize, reach, self.zero, bytes, at);
                }
                Move::Transpose(transpose, row) => {
                    let rows = transpose::lane_bytes(transpose) / 4 * chunks;
                    let out = &mut regs.v[row as usize..][..rows];
                    let bytes = bytes(memories, reach, transpose::lane_bytes(transpose), at);
                    load_transposed(out, transpose, reach.run, bytes, at);
                }
                Move::Store(size) => {
                    let rows = size.div_ceil(4) as usize * chunks;
                    let out = bytes_mut(memories, Claim::Store, reach, size as usize, at);
                    store(out, reach, size as usize, &self.data[i * rows..][..rows], at);
                }
                Move::Atomic(shape, flush, None) if puts_off(memories, shape, reach) => {
                    let words = shape.bytes as usize / 4 * chunks;
                    put_off(memories, (shape, flush), reach, &self.data[i * words..][..words], at);
                    failed = false;
                }
                Move::Atomic(shape, flush, rows) => {
                    let data = shape.bytes as usize / 4 * if shape.op.two_data() { 2 } else { 1 } * chunks;
                    let (data, row) = (&self.data[i * data..][..data], rows.map(|rows| rows[i] as usize));
                    let memory = bytes_mut(memories, Claim::Modify, reach, shape.bytes as usize, at);
                    let old = atomics(memory, shape, flush, reach.mask, data, at);
                    failed &= changed_nothing(shape, reach.mask, data, chunks, &old);
                    let Some(row) = row else { continue };
                    let out = &mut regs.v[row..][..shape.bytes as usize / 4 * chunks];
                    merge_rows(out, &old, chunks, reach.mask, reach.mask | self.zero);
                }
                Move::Copy(..) | Move::Lanes(..) => {}
            }
        }
        self.issue.failed = failed && matches!(self.moves, Move::Atomic(..));
    }

    /// Do its part in global memory, if it has one that is not done and comes first; whether it has. `chunks` are those of
    /// a row.
    pub fn perform(&mut self, chunks: usize, memories: &mut Memories<'_>) -> bool {
        let (reach, at) = (&self.reaches[0], &self.offsets[..chunks]);
        if self.performed || reach.space != Space::Global {
            return false;
        }
        let all = reach.mask | self.zero;
        match self.moves {
            Move::Load(shape, _) => read(&mut self.data, shape, chunks, memories, reach, all, at),
            Move::Transpose(transpose, _) => {
                let rows = transpose::lane_bytes(transpose) / 4 * chunks;
                let bytes = bytes(memories, reach, transpose::lane_bytes(transpose), at);
                load_transposed(&mut self.data[..rows], transpose, reach.run, bytes, at);
            }
            Move::Store(size) => {
                let out = bytes_mut(memories, Claim::Store, reach, size as usize, at);
                store(out, reach, size as usize, &self.data[..size.div_ceil(4) as usize * chunks], at);
            }
            Move::Atomic(shape, flush, None) if puts_off(memories, shape, reach) => {
                put_off(memories, (shape, flush), reach, &self.data[..shape.bytes as usize / 4 * chunks], at);
            }
            Move::Atomic(shape, flush, _) => {
                let memory = bytes_mut(memories, Claim::Modify, reach, shape.bytes as usize, at);
                let old = atomics(memory, shape, flush, reach.mask, &self.data, at);
                self.issue.failed = changed_nothing(shape, reach.mask, &self.data, chunks, &old);
                self.data = [Chunk::ZERO; 16];
                merge_rows(&mut self.data, &old, chunks, reach.mask, reach.mask);
            }
            Move::Copy(bytes, _) => {
                let shape = LoadShape { bytes, extend: Extend::Dwords };
                read(&mut self.data, shape, chunks, memories, reach, all, at);
            }
            Move::Lanes(..) => return false,
        }
        self.performed = true;
        true
    }

    /// What it has read of global memory to where it belongs.
    fn land(&self, regs: &mut Regs, memories: &mut Memories<'_>) {
        let chunks = regs.chunks;
        let (mask, all) = (self.reaches[0].mask, self.reaches[0].mask | self.zero);
        let mut rows = |row: u32, dwords: usize| {
            merge_rows(&mut regs.v[row as usize..][..dwords * chunks], &self.data[..], chunks, mask, all);
        };
        match self.moves {
            Move::Load(shape, [row, _]) if shape.extend == Extend::Dwords => {
                rows(row, shape.bytes as usize / 4)
            }
            Move::Load(shape, [row, _]) => {
                let out = &mut regs.v[row as usize..][..chunks];
                gather::widen_row(out, &self.data, shape, mask, all);
            }
            Move::Transpose(transpose, row) => {
                let count = transpose::lane_bytes(transpose) / 4 * chunks;
                rows::copy(&mut regs.v[row as usize..], &self.data[..count]);
            }
            Move::Atomic(shape, _, Some([row, _])) => rows(row, shape.bytes as usize / 4),
            Move::Copy(size, shape) => {
                let to = &self.reaches[1];
                let Some(target) = memories.lds.get_mut(to.low as usize..to.high as usize) else { return };
                let mut data = self.data;
                let narrow = shape.filter(|shape| shape.bytes < 4);
                if let Some(shape) = narrow {
                    gather::widen_row(&mut data[..chunks], &self.data, shape, mask, all);
                }
                let size = if narrow.is_some() { 4 } else { size as usize };
                let data = &data[..size.div_ceil(4) * chunks];
                gather::store(target, size, data, &self.offsets[4..][..chunks], to.mask & all);
            }
            Move::Store(_) | Move::Atomic(..) | Move::Lanes(..) => {}
        }
    }
}

/// The bytes of the lanes to rows at the front of `data`, narrow ones with zeros above them; 0 in the other lanes of
/// `write`.
fn read(
    data: &mut [Chunk; 16],
    shape: LoadShape,
    chunks: usize,
    memories: &mut Memories<'_>,
    reach: &Reach,
    write: u64,
    at: &[Chunk],
) {
    let size = shape.bytes as usize;
    let bytes = bytes(memories, reach, size, at);
    let mask = if bytes.is_empty() { 0 } else { reach.mask };
    if size < 4 {
        let zeros = LoadShape { extend: Extend::Zero, ..shape };
        gather::load_narrow(&mut data[..chunks], zeros, bytes, at, mask, write);
    } else {
        gather::load(&mut data[..size / 4 * chunks], chunks, size, bytes, at, mask, write);
    }
}

/// [`merge`] of rows of so many chunks.
fn merge_rows(to: &mut [Chunk], new: &[Chunk], chunks: usize, mask: u64, write: u64) {
    for (n, (to, new)) in to.iter_mut().zip(new).enumerate() {
        merge(to, new, part(mask, n % chunks), part(write, n % chunks));
    }
}

/// The bytes that an access reaches, `size` of each lane; none without lanes.
#[inline]
fn bytes<'a>(memories: &'a mut Memories<'_>, reach: &Reach, size: usize, at: &[Chunk]) -> &'a [u8] {
    if reach.mask == 0 {
        return &[];
    }
    if reach.space == Space::Global {
        return read_global(memories.global, reach, size, at);
    }
    memories.bytes(reach.space, reach.low, reach.high - reach.low).unwrap_or_default()
}

/// The same to be written.
#[inline]
fn bytes_mut<'a>(
    memories: &'a mut Memories<'_>,
    claim: Claim,
    reach: &Reach,
    size: usize,
    at: &[Chunk],
) -> &'a mut [u8] {
    if reach.mask == 0 {
        return &mut [];
    }
    if reach.space == Space::Global {
        return write_global(memories.global, claim, reach, size, at);
    }
    memories.bytes_mut(reach.space, reach.low, reach.high - reach.low).unwrap_or_default()
}

/// The bytes of global memory that an access with any lanes reaches, which they read, `size` each. They were in bounds when it
/// was issued, and allocations live as long as the launch.
#[inline]
pub(crate) fn read_global<'a>(global: &'a mut Global, reach: &Reach, size: usize, at: &[Chunk]) -> &'a [u8] {
    let (low, len) = (reach.low, reach.high - reach.low);
    let bytes =
        if reach.run { global.slice(low, len) } else { global.rows((low, len), size, at, reach.mask) };
    bytes.unwrap_or_default()
}

/// The same that they write, and read before if that is claimed.
#[inline]
pub(crate) fn write_global<'a>(
    global: &'a mut Global,
    claim: Claim,
    reach: &Reach,
    size: usize,
    at: &[Chunk],
) -> &'a mut [u8] {
    let (low, len) = (reach.low, reach.high - reach.low);
    let bytes = if reach.run {
        global.slice_to_claim(claim, low, len)
    } else {
        global.rows_to_claim(claim, (low, len), size, at, reach.mask)
    };
    bytes.unwrap_or_default()
}

/// The lanes of an access, by a row of offsets.
#[derive(Clone, Copy, Debug)]
pub struct RowAccess<'a> {
    /// Where it is.
    pub space: Space,
    /// What it does.
    pub direction: Direction,
    /// The lanes that take part.
    pub mask: u64,
    /// Bytes of a lane.
    pub bytes: u32,
    /// The address that the offsets are from.
    pub low: u64,
    /// The offsets of the lanes.
    pub offsets: &'a [Chunk],
}

impl RowAccess<'_> {
    /// Whether the lanes that take part have these addresses.
    #[inline]
    pub fn is_at(&self, addr: &[u64; 64]) -> bool {
        are_at(addr, self.low, self.offsets, self.mask)
    }

    /// The address of the lanes that take part, if they all have the same.
    #[inline]
    pub fn one_address(&self) -> Option<u64> {
        let offsets = Chunk::words(self.offsets);
        let first = *offsets.get(self.mask.trailing_zeros() as usize)?;
        let same = match self.mask.count_ones() as usize == offsets.len() {
            true => offsets.iter().all(|&offset| offset == first),
            false => lanes(self.mask).all(|lane| offsets[lane as usize] == first),
        };
        same.then(|| self.low.wrapping_add(first.into()))
    }

    /// As observers are told of it.
    pub fn told(&self) -> Access {
        let mut addr = Box::new([0; 64]);
        addresses(&mut addr, self.low, self.offsets);
        let extent = Extent::Lanes { mask: self.mask, bytes: self.bytes, addr };
        Access { space: self.space, direction: self.direction, extent }
    }
}

/// Whether the lanes of `mask` whose offsets from `low` these are have these addresses.
#[inline]
fn are_at(addr: &[u64; 64], low: u64, offsets: &[Chunk], mask: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the host has what the level stands for.
        return unsafe { avx512::are_at(addr, low, offsets, mask) };
    }
    are_at_as_defined(addr, low, offsets, mask)
}

leveled! {
    fn are_at_as_defined(addr: &[u64; 64], low: u64, offsets: &[Chunk], mask: u64) -> bool {
        let mut odd = [0; 16];
        for (c, (addr, offsets)) in addr.as_chunks::<16>().0.iter().zip(offsets).enumerate() {
            let on = gather::part(mask, c);
            for (l, odd) in odd.iter_mut().enumerate() {
                let bits = addr[l] ^ low.wrapping_add(offsets.0[l].into());
                *odd |= if on == u16::MAX { bits } else { bits & 0u64.wrapping_sub(u64::from(on) >> l & 1) };
            }
        }
        odd.into_iter().fold(0, |all, odd| all | odd) == 0
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use crate::regs::Chunk;
    use crate::regs::avx512::row;

    /// See [`super::are_at`].
    #[target_feature(enable = "avx512f")]
    pub(super) fn are_at(addr: &[u64; 64], low: u64, offsets: &[Chunk], mask: u64) -> bool {
        let low = _mm512_set1_epi64(low as i64);
        let mut others = 0;
        for (c, (addr, offsets)) in addr.as_chunks::<16>().0.iter().zip(offsets).enumerate() {
            let offsets = row(offsets);
            let halves = [_mm512_castsi512_si256(offsets), _mm512_extracti64x4_epi64::<1>(offsets)];
            for (half, offsets) in halves.into_iter().enumerate() {
                let wanted = _mm512_add_epi64(low, _mm512_cvtepu32_epi64(offsets));
                // SAFETY: eight addresses of 16.
                let is = unsafe { _mm512_loadu_si512(addr.as_ptr().add(8 * half).cast()) };
                let on = (mask >> (16 * c + 8 * half)) as u8;
                others |= _mm512_mask_cmpneq_epi64_mask(on, is, wanted);
            }
        }
        others == 0
    }
}

leveled! {
    /// The addresses of the lanes whose offsets from `low` these are.
    fn addresses(addr: &mut [u64; 64], low: u64, offsets: &[Chunk]) {
        for (addr, offsets) in addr.chunks_exact_mut(16).zip(offsets) {
            for (addr, &offset) in addr.iter_mut().zip(&offsets.0) {
                *addr = low.wrapping_add(offset.into());
            }
        }
    }
}

/// The places of the lanes of `mask`.
pub(crate) fn places(at: &[Chunk], mask: u64) -> impl Iterator<Item = usize> {
    lanes(mask).map(|lane| at[lane as usize / 16].0[lane as usize % 16] as usize)
}

fn load(regs: &mut Regs, shape: LoadShape, row: usize, reach: &Reach, zero: u64, bytes: &[u8], at: &[Chunk]) {
    let (chunks, dwords) = (regs.chunks, shape.dwords() as usize);
    let out = &mut regs.v[row..][..dwords * chunks];
    // Nothing is read where there is nothing, though that cannot be.
    let (mask, write) = (if bytes.is_empty() { 0 } else { reach.mask }, reach.mask | zero);
    if shape.extend != Extend::Dwords {
        gather::load_narrow(out, shape, bytes, at, mask, write);
    } else if reach.run && mask != 0 {
        rows::load(out, chunks, dwords, bytes);
    } else {
        gather::load(out, chunks, shape.bytes as usize, bytes, at, mask, write);
    }
}

fn load_transposed(out: &mut [Chunk], transpose: Transpose, run: bool, bytes: &[u8], at: &[Chunk]) {
    if bytes.is_empty() {
        out.fill(Chunk::ZERO);
    } else if run {
        transpose::apply(transpose, bytes, at.len(), out);
    } else {
        gather::load_transposed(out, transpose, bytes, at);
    }
}

fn store(out: &mut [u8], reach: &Reach, size: usize, data: &[Chunk], at: &[Chunk]) {
    if out.is_empty() {
        return;
    }
    if reach.run && size.is_multiple_of(4) {
        rows::store(Chunk::words(data), at.len(), size / 4, out);
    } else {
        gather::store(out, size, data, at, reach.mask);
    }
}

/// Whole lanes from the first access to the second.
fn copy(
    memories: &mut Memories<'_>,
    [from, to]: &[Reach; 2],
    zero: u64,
    size: usize,
    shape: Option<LoadShape>,
    offsets: &[Chunk; 8],
    chunks: usize,
) {
    if to.mask == 0 {
        return;
    }
    let (source, target) = match to.space {
        Space::Lds => {
            let source = match from.mask {
                0 => &[][..],
                _ => read_global(memories.global, from, size, &offsets[..chunks]),
            };
            let Some(target) = memories.lds.get_mut(to.low as usize..to.high as usize) else { return };
            (source, target)
        }
        _ => {
            let source = memories.lds.get(from.low as usize..from.high as usize).unwrap_or_default();
            // A lane that comes from nowhere writes nothing.
            let all = to.mask & !(from.mask | zero) == 0 && !source.is_empty();
            let what = if all { Claim::Store } else { Claim::Modify };
            (source, write_global(memories.global, what, to, size, &offsets[4..][..chunks]))
        }
    };
    let Some(shape) = shape.filter(|shape| shape.bytes < 4) else {
        if from.run && to.run && source.len() == target.len() {
            target.copy_from_slice(source);
        } else {
            let (mask, write) = (from.mask & to.mask, to.mask & (from.mask | zero));
            gather::copy(target, &offsets[4..][..chunks], source, &offsets[..chunks], size, mask, write);
        }
        return;
    };
    // What is read becomes a row, and that is stored.
    let mut words = [Chunk::ZERO; 4];
    gather::load_narrow(&mut words[..chunks], shape, source, &offsets[..chunks], from.mask, from.mask | zero);
    gather::store(target, 4, &words[..chunks], &offsets[4..][..chunks], to.mask & (from.mask | zero));
}

/// Whether a read-modify-write that returns nothing is put off ([`Global::put_off`]).
fn puts_off(memories: &Memories<'_>, shape: AtomicShape, reach: &Reach) -> bool {
    reach.space == Space::Global && !shape.op.two_data() && memories.global.puts_off()
}

/// Puts one off.
fn put_off(
    memories: &mut Memories<'_>,
    (shape, flush): (AtomicShape, Flush),
    reach: &Reach,
    data: &[Chunk],
    at: &[Chunk],
) {
    if reach.mask == 0 {
        return;
    }
    let (mask, range) = (reach.mask, (reach.low, reach.high));
    memories.global.put_off(Blind { shape, flush, range, mask, at, data });
}

/// Read-modify-write of the lanes of `mask`; what memory held, in rows one behind the other.
pub(crate) fn atomics(
    memory: &mut [u8],
    shape: AtomicShape,
    flush: Flush,
    mask: u64,
    data: &[Chunk],
    at: &[Chunk],
) -> [Chunk; 8] {
    let mut old = [Chunk::ZERO; 8];
    // The most frequent ones without a look at the operation for each lane.
    match (shape.op, shape.bytes) {
        (AtomicOp::Add, 4) => {
            each::<4>(memory, mask, data, at, &mut old, false, |x, y, _| {
                u64::from((x as u32).wrapping_add(y as u32))
            });
        }
        (AtomicOp::AddFloat, 4) => each::<4>(memory, mask, data, at, &mut old, false, |x, y, _| {
            u64::from(atomic::add_f32(x as u32, y as u32, flush))
        }),
        (_, 4) => {
            let second = shape.op.two_data();
            each::<4>(memory, mask, data, at, &mut old, second, |x, y, z| {
                atomic::apply(shape, x, y, z, flush)
            });
        }
        _ => {
            let second = shape.op.two_data();
            each::<8>(memory, mask, data, at, &mut old, second, |x, y, z| {
                atomic::apply(shape, x, y, z, flush)
            });
        }
    }
    old
}

/// Whether an atomic, with its data and what memory held, has changed nothing in the lanes of `mask`.
fn changed_nothing(shape: AtomicShape, mask: u64, data: &[Chunk], chunks: usize, old: &[Chunk; 8]) -> bool {
    let words = shape.bytes as usize / 4;
    let word = |rows: &[Chunk], from: usize, lane: u32| {
        let dword =
            |n: usize| u64::from(rows[(from + n) * chunks + lane as usize / 16].0[lane as usize % 16]);
        if words == 2 { dword(0) | dword(1) << 32 } else { dword(0) }
    };
    lanes(mask).all(|lane| {
        let second = if shape.op.two_data() { word(data, words, lane) } else { 0 };
        shape.op.changed_nothing(word(old, 0, lane), word(data, 0, lane), second)
    })
}

/// `f` of what memory holds and of one or two data, lane by lane; what memory held.
#[inline(always)]
fn each<const SIZE: usize>(
    memory: &mut [u8],
    mask: u64,
    data: &[Chunk],
    at: &[Chunk],
    old: &mut [Chunk; 8],
    two: bool,
    f: impl Fn(u64, u64, u64) -> u64,
) {
    let (chunks, dwords) = (at.len(), SIZE / 4);
    for lane in lanes(mask) {
        let (c, l) = (lane as usize / 16, lane as usize % 16);
        let word = |from: usize| {
            let low = u64::from(data[from * chunks + c].0[l]);
            if dwords == 2 { low | u64::from(data[(from + 1) * chunks + c].0[l]) << 32 } else { low }
        };
        let cell = &mut memory[at[c].0[l] as usize..][..SIZE];
        let mut raw = [0; 8];
        raw[..SIZE].copy_from_slice(cell);
        let held = u64::from_le_bytes(raw);
        let new = f(held, word(0), if two { word(dwords) } else { 0 });
        cell.copy_from_slice(&new.to_le_bytes()[..SIZE]);
        for d in 0..dwords {
            old[d * chunks + c].0[l] = (held >> (32 * d)) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regs::all_lanes;

    /// The host's body says of addresses what the definition says.
    #[test]
    fn levels_agree_on_addresses() {
        for chunks in [2, 4] {
            for low in [0, 5, u64::MAX - 1000] {
                let offsets: Vec<Chunk> = (0..chunks)
                    .map(|c| Chunk(std::array::from_fn(|l| (c * 16 + l) as u32 * 24 % 100)))
                    .collect();
                let mut addr = [7; 64];
                addresses(&mut addr, low, &offsets);
                for (odd, mask) in [(None, u64::MAX), (Some(3), u64::MAX), (Some(3), !8), (Some(31), 1 << 31)]
                {
                    let mut addr = addr;
                    if let Some(odd) = odd {
                        addr[odd] ^= 1 << 40;
                    }
                    let mask = mask & all_lanes(chunks);
                    let wanted = odd.is_none_or(|odd| mask >> odd & 1 == 0);
                    assert_eq!(are_at(&addr, low, &offsets, mask), wanted, "{low} {odd:?} {mask:#x}");
                    assert_eq!(
                        are_at_as_defined(&addr, low, &offsets, mask),
                        wanted,
                        "{low} {odd:?} {mask:#x}"
                    );
                }
            }
        }
    }
}
