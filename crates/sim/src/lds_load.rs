//! Loads of LDS by a wave with all lanes on whose lanes have a place each, by rows of addresses that are known
//! ([`AddressRows`]): a load in flight only says which row it means, and from where on. Nobody may be watching, but for observers
//! to whom it is no news ([`Observer::follows_issue`](crate::events::Observer::follows_issue)).
//!
//! What such a load does, and when, is what [`Lanewise`](crate::lanewise::Lanewise) would do. What does not fit (lanes that
//! are off or out of range, sums that wrap) takes that form.
//!
//! The bodies that issue a load and move its data are chosen when it is bound: for the host, the size and the wave. With them a
//! load of 16 bytes a lane takes some 340 instructions of a host with AVX-512, its share of a wait for eight included, and
//! with the loop's tests and a copy of everything at every step it took 625.

use smallvec::smallvec;

use crate::address_row::{AddressRow, AddressRows, Known};
use crate::alu::size;
#[cfg(target_arch = "x86_64")]
use crate::alu::{Level, level};
use crate::events::{self, Channel, Direction, OpId, Space};
use crate::gather;
use crate::lanewise::RowAccess;
use crate::queue::Queue;
use crate::regs::Regs;
use crate::rows;
use crate::shape::{Extend, LoadShape};
use crate::transpose::{self, Transpose};
use crate::wave::Wave;

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

/// Moves the data of a load whose addresses are those of a row.
///
/// # Safety
/// One that is compiled for a wider instruction set of the host may only be called where the host has it.
pub(crate) type Land = unsafe fn(&LdsLoad, &mut Regs, &[u8], &AddressRow);

/// Puts a load into flight, if the row of its addresses is known and all of them are inside of LDS, of so many bytes. The wave
/// must have all lanes on.
///
/// # Safety
/// As [`Land`].
type IssueLoad = unsafe fn(&LdsLoadOp, &mut Wave, usize, Issue) -> bool;

/// The issue of a load: its number, and when, by its cluster's clock.
#[derive(Clone, Copy, Debug)]
pub struct Issue {
    /// Its number.
    pub id: OpId,
    /// Machine time, in instructions.
    pub at: u64,
}

/// A load of LDS, as the program has it. It is counted by the channel of LDS alone.
#[derive(Clone, Copy, Debug)]
pub struct LdsLoadOp {
    /// How its data land.
    landing: Landing,
    /// The bodies for that.
    land: Land,
    issue: IssueLoad,
    /// How many accesses it has.
    accesses: u8,
    /// Under which number the row of its addresses is known.
    known: Known,
    /// First chunk of the row of addresses.
    addr: u32,
    /// What each access adds to them.
    offsets: [u32; 2],
    /// Bytes from an address to the end of what is read by it, of the access that goes farthest.
    most: u64,
    /// First chunk of the destination, per access.
    dst: [u32; 2],
}

impl LdsLoadOp {
    /// A load that has one access for each of `offsets` and `dst`, up to two, in a wave of so many chunks.
    pub fn new(
        landing: Landing,
        accesses: u8,
        addr: u32,
        offsets: [u32; 2],
        dst: [u32; 2],
        chunks: usize,
    ) -> LdsLoadOp {
        let offset = offsets[..usize::from(accesses)].iter().copied().max().unwrap_or(0);
        LdsLoadOp {
            landing,
            land: land_of(landing, chunks),
            issue: issue_of(chunks),
            accesses,
            known: Known::register(addr, chunks),
            addr,
            offsets,
            most: u64::from(offset) + landing.bytes() as u64,
            dst,
        }
    }

    /// Put it into flight, if the row of its addresses is known and all of them are inside of `lds` bytes. The wave must have
    /// all lanes on.
    #[inline(always)]
    pub fn issue(&self, wave: &mut Wave, lds: usize, issue: Issue) -> bool {
        // SAFETY: the body was chosen for the host.
        unsafe { (self.issue)(self, wave, lds, issue) }
    }

    /// Whether all addresses of a row from `low` on are inside of `lds` bytes.
    #[inline(always)]
    fn is_inside(&self, row: &AddressRow, low: u32, lds: usize) -> bool {
        u64::from(low) + u64::from(row.span) + self.most <= lds as u64
    }

    /// Put it into flight by a row of addresses from `low` on.
    #[inline(always)]
    fn enter(&self, queue: &mut Queue, known: &mut AddressRows, (number, low): (u32, u32), issue: Issue) {
        known.hold(number);
        let (_, seq) = queue.next(Channel::Ds);
        queue.lds_loads.push(LdsLoad {
            land: self.land,
            issue,
            seq,
            landing: self.landing,
            accesses: self.accesses,
            row: number,
            // In bounds, so that no sum wraps.
            low: self.offsets.map(|offset| low.wrapping_add(offset)),
            dst: self.dst,
        });
    }

    /// Put it into flight, if all its addresses are inside of `lds` bytes, and if `follows` says of its accesses that nobody
    /// need be told of it. The wave must have all lanes on.
    pub fn issue_if(
        &self,
        wave: &mut Wave,
        lds: usize,
        issue: Issue,
        follows: impl FnOnce(&[RowAccess<'_>], (Channel, u32)) -> bool,
    ) -> bool {
        let Wave { regs, queue, address_rows, .. } = wave;
        let (number, first) = address_rows.find_or_learn(self.known, self.addr, regs);
        let row = address_rows.row(number);
        if !self.is_inside(row, first, lds) {
            return false;
        }
        let bytes = self.landing.bytes() as u32;
        let access = |offset| {
            let low = u64::from(first.wrapping_add(offset));
            row.access((Space::Lds, Direction::Read), low, bytes, regs.chunks)
        };
        let accesses = [access(self.offsets[0]), access(self.offsets[1])];
        let seq = (Channel::Ds, queue.issued(Channel::Ds) + 1);
        let follows = follows(&accesses[..usize::from(self.accesses)], seq);
        if follows {
            self.enter(queue, address_rows, (number, first), issue);
        }
        follows
    }

    /// Look at the row of its addresses.
    pub fn learn(&self, wave: &mut Wave) {
        let Wave { regs, address_rows, .. } = wave;
        address_rows.learn(self.known, &regs.v[self.addr as usize..][..regs.chunks]);
    }
}

/// The body that issues a load in a wave of so many chunks.
fn issue_of(chunks: usize) -> IssueLoad {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        return [avx512::issue::<2> as IssueLoad, avx512::issue::<4>][size(chunks)];
    }
    [issue::<2> as IssueLoad, issue::<4>][size(chunks)]
}

/// The [`IssueLoad`] for waves of `N` chunks.
#[inline(always)]
fn issue<const N: usize>(op: &LdsLoadOp, wave: &mut Wave, lds: usize, issue: Issue) -> bool {
    let Wave { regs, queue, address_rows, .. } = wave;
    let found = address_rows.find::<N>(op.known, regs.v.get(op.addr as usize..).unwrap_or_default());
    if found.0 == AddressRows::NONE || !op.is_inside(address_rows.row(found.0), found.1, lds) {
        return false;
    }
    op.enter(queue, address_rows, found, issue);
    true
}

/// The body for what lands so in a wave of so many chunks.
fn land_of(landing: Landing, chunks: usize) -> Land {
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        let bodies: [Land; 2] = match landing {
            Landing::Plain(LoadShape { bytes: 4, extend: Extend::Dwords }) => {
                [avx512::land::<1, 2>, avx512::land::<1, 4>]
            }
            Landing::Plain(LoadShape { bytes: 8, extend: Extend::Dwords }) => {
                [avx512::land::<2, 2>, avx512::land::<2, 4>]
            }
            Landing::Plain(LoadShape { bytes: 16, extend: Extend::Dwords }) => {
                [avx512::land::<4, 2>, avx512::land::<4, 4>]
            }
            Landing::Plain(LoadShape { bytes: 1 | 2, .. }) => {
                [avx512::land_narrow::<2>, avx512::land_narrow::<4>]
            }
            Landing::Plain(_) => [land, land],
            Landing::Transposed(_) => [avx512::land_transposed::<2>, avx512::land_transposed::<4>],
        };
        return bodies[size(chunks)];
    }
    _ = chunks;
    land
}

/// A load of LDS in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LdsLoad {
    land: Land,
    issue: Issue,
    /// Its place in its channel.
    seq: u32,
    /// Its row of [`AddressRows`].
    row: u32,
    /// First byte of any lane, per access.
    low: [u32; 2],
    /// First chunk of the destination, per access.
    dst: [u32; 2],
    /// How its data land.
    landing: Landing,
    accesses: u8,
}

impl LdsLoad {
    /// Its number.
    pub fn id(&self) -> OpId {
        self.issue.id
    }

    /// As observers are told of it, of a wave of so many chunks.
    pub fn told(&self, known: &AddressRows, chunks: usize) -> events::Issue {
        let (row, bytes) = (known.row(self.row), self.landing.bytes() as u32);
        let low = self.low.iter().take(usize::from(self.accesses));
        let access = |&low: &u32| row.access((Space::Lds, Direction::Read), low.into(), bytes, chunks).told();
        let accesses = low.map(access).collect();
        let seq = smallvec![(Channel::Ds, self.seq)];
        events::Issue { id: self.issue.id, seq, accesses, ..events::Issue::blank() }
    }

    /// First chunk of the destination and bytes of each access, of so many bytes a lane.
    #[inline(always)]
    fn each(&self, lds: &[u8], row: &AddressRow, bytes: usize, mut land: impl FnMut(usize, &[u8])) {
        let len = row.span as usize + bytes;
        for (&low, &dst) in self.low.iter().zip(&self.dst).take(usize::from(self.accesses)) {
            // In bounds when it was issued, and LDS stays as long as the workgroup.
            if let Some(bytes) = lds.get(low as usize..low as usize + len) {
                land(dst as usize, bytes);
            }
        }
    }
}

/// The [`Land`] for all levels of the host and whatever lands.
fn land(load: &LdsLoad, regs: &mut Regs, lds: &[u8], row: &AddressRow) {
    let (chunks, all) = (regs.chunks, regs.full_mask());
    let at = &row.offsets[..chunks];
    load.each(lds, row, load.landing.bytes(), |dst, bytes| {
        let out = &mut regs.v[dst..];
        match load.landing {
            Landing::Plain(shape) if shape.extend == Extend::Dwords => {
                let size = shape.bytes as usize;
                let out = &mut out[..size / 4 * chunks];
                if row.is_by_chunks(shape.bytes) {
                    rows::load_by_chunks(out, size / 4, bytes, at, row.same);
                } else {
                    gather::load(out, chunks, size, bytes, at, all, all);
                }
            }
            Landing::Plain(shape) if row.pace == shape.bytes && row.same == 0 => {
                gather::load_narrow_by_chunks(&mut out[..chunks], shape, bytes, at);
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

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{AddressRow, Issue, Landing, LdsLoad, LdsLoadOp};
    use crate::gather;
    use crate::regs::Regs;
    use crate::rows;
    use crate::transpose;
    use crate::wave::Wave;

    /// [`super::land`] by way of a transpose, in a wave of `N` chunks.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn land_transposed<const N: usize>(load: &LdsLoad, regs: &mut Regs, lds: &[u8], row: &AddressRow) {
        let Landing::Transposed(transpose) = load.landing else { return };
        let size = transpose::lane_bytes(transpose);
        let Some(at) = row.offsets.first_chunk::<N>().filter(|_| row.step as usize != size) else {
            return super::land(load, regs, lds, row);
        };
        load.each(lds, row, size, |dst, bytes| {
            let out = &mut regs.v[dst..][..size / 4 * N];
            if !gather::avx512::load_transposed(out, transpose, bytes, at) {
                gather::load_transposed(out, transpose, bytes, at);
            }
        });
    }

    /// [`super::land`] of one or two bytes, in a wave of `N` chunks.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn land_narrow<const N: usize>(load: &LdsLoad, regs: &mut Regs, lds: &[u8], row: &AddressRow) {
        let (Landing::Plain(shape), Some(at)) = (load.landing, row.offsets.first_chunk::<N>()) else {
            return;
        };
        if row.pace != shape.bytes || row.same != 0 {
            return super::land(load, regs, lds, row);
        }
        load.each(lds, row, shape.bytes as usize, |dst, bytes| {
            gather::avx512::load_narrow_by_chunks(&mut regs.v[dst..][..N], shape, bytes, at);
        });
    }

    /// See [`super::issue`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn issue<const N: usize>(op: &LdsLoadOp, wave: &mut Wave, lds: usize, issue: Issue) -> bool {
        super::issue::<N>(op, wave, lds, issue)
    }

    /// [`super::land`] of `D` dwords as they are, 1, 2 or 4, in a wave of `N` chunks.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub fn land<const D: usize, const N: usize>(
        load: &LdsLoad,
        regs: &mut Regs,
        lds: &[u8],
        row: &AddressRow,
    ) {
        let Some(at) = row.offsets.first_chunk::<N>() else { return };
        if row.is_by_chunks(4 * D as u32) {
            load.each(lds, row, 4 * D, |dst, bytes| {
                let out = &mut regs.v[dst..][..D * N];
                assert!(rows::are_inside(at, row.same, D, bytes.len()));
                // SAFETY: the bytes of each chunk's lanes are inside, and there are as many chunks as are filled.
                unsafe { rows::avx512::load_by_chunks::<D>(out, bytes, at, row.same) };
            });
        } else {
            load.each(lds, row, 4 * D, |dst, bytes| {
                gather::avx512::load_all::<D, N>(&mut regs.v[dst..][..D * N], bytes, at);
            });
        }
    }
}

/// The loads of LDS that a wave has in flight, in the order of issue, which is that of their channel.
#[derive(Debug, Default)]
pub struct LdsLoads {
    /// Those from `head` on are in flight.
    loads: Vec<LdsLoad>,
    head: usize,
}

impl LdsLoads {
    /// None is in flight.
    pub fn clear(&mut self) {
        self.loads.clear();
        self.head = 0;
    }

    /// Whether none is in flight.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// How many are in flight.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.loads.len() - self.head
    }

    /// Machine time at which the oldest was issued.
    #[inline(always)]
    pub fn oldest(&self) -> Option<u64> {
        self.loads.get(self.head).map(|load| load.issue.at)
    }

    #[inline(always)]
    fn push(&mut self, load: LdsLoad) {
        if self.loads.len() == self.loads.capacity() {
            self.make_room();
        }
        self.loads.push(load);
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.loads.drain(..std::mem::take(&mut self.head));
        // At least as many places as are taken.
        self.loads.reserve(self.loads.len().max(16));
    }

    /// Complete those up to number `retired` of their channel that were issued before machine time `before`, and tell of each.
    #[inline(always)]
    pub(crate) fn complete(
        &mut self,
        retired: u32,
        before: u64,
        regs: &mut Regs,
        lds: &[u8],
        known: &mut AddressRows,
        mut tell: impl FnMut(&LdsLoad, &AddressRows),
    ) {
        while let Some(load) = self.loads.get(self.head)
            && load.seq <= retired
            && load.issue.at < before
        {
            // SAFETY: the body was chosen for the host.
            unsafe { (load.land)(load, regs, lds, known.row(load.row)) };
            tell(load, known);
            known.release(load.row);
            self.head += 1;
        }
        if self.head == self.loads.len() {
            self.clear();
        }
    }
}
