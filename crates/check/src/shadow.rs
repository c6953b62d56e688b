//! Shadow memory: who last wrote and read each dword.
//!
//! A dword keeps its last writes (one per disjoint set of bytes) and up to [`READERS`] unordered reads; with
//! more readers the oldest are forgotten, so that a write after many unordered reads may go unreported
//! against the forgotten ones. Nothing is reported that did not happen.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_order::Epoch;
use wavemark_sim::events::{Extent, Scope};

use crate::site_info::SiteId;

/// Unordered readers remembered per dword.
const READERS: usize = 4;
/// Dwords of a page of global shadow memory.
const PAGE: u64 = 256;
/// All bytes of a dword.
pub const WHOLE: u8 = 0b1111;

/// An access that a dword remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Which operation.
    pub epoch: Epoch,
    /// Which instruction.
    pub site: SiteId,
    /// Which of the four bytes.
    pub bytes: u8,
    /// It cannot be torn: an atomic, or a load or store with a scope beyond the CU.
    pub atomic: bool,
    /// Its scope.
    pub scope: Scope,
    /// It is a DMA's side.
    pub dma: bool,
    /// What a store writes there, its bytes in place.
    pub value: Option<u32>,
}

/// What is remembered of one dword.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Last writes.
    pub writes: SmallVec<[Record; 1]>,
    /// Reads that no later write has followed.
    pub reads: SmallVec<[Record; 1]>,
    /// An atomic has touched it: it synchronises, its plain reads are polls.
    pub synchronises: bool,
    /// Bytes ever written.
    pub defined: u8,
}

impl Record {
    /// The record of an access to one dword, from what is the same for all dwords of the operation.
    #[inline]
    fn with(&self, bytes: u8, value: Option<u32>) -> Record {
        Record { bytes, value, ..*self }
    }

    /// The same in place: only what differs is written afresh, and nothing is read back at once.
    #[inline]
    fn put(&mut self, common: &Record, bytes: u8, value: Option<u32>) {
        *self = *common;
        self.bytes = bytes;
        self.value = value;
    }
}

impl Cell {
    /// Remember a write of `bytes`: it replaces what it covers.
    #[inline]
    pub fn write(&mut self, common: &Record, bytes: u8, value: Option<u32>) {
        if bytes == WHOLE
            && let [old] = self.writes.as_mut_slice()
        {
            old.put(common, bytes, value);
            self.reads.clear();
            self.defined = WHOLE;
            return;
        }
        self.write_part(common.with(bytes, value));
    }

    fn write_part(&mut self, record: Record) {
        let uncover = |list: &mut SmallVec<[Record; 1]>| {
            for old in list.iter_mut() {
                old.bytes &= !record.bytes;
            }
            list.retain(|old| old.bytes != 0);
        };
        uncover(&mut self.writes);
        uncover(&mut self.reads);
        self.writes.push(record);
        self.defined |= record.bytes;
    }

    /// Remember a read of `bytes`; reads that `ordered` says are known to it are replaced.
    #[inline]
    pub fn read(&mut self, common: &Record, bytes: u8, ordered: impl Fn(&Record) -> bool) {
        let replaced =
            |old: &Record| old.bytes & !bytes == 0 && (old.epoch == common.epoch || ordered(old));
        if let [old] = self.reads.as_mut_slice()
            && replaced(old)
        {
            old.put(common, bytes, None);
            return;
        }
        self.reads.retain(|old| !replaced(old));
        if self.reads.len() >= READERS {
            self.reads.remove(0);
        }
        self.reads.push(common.with(bytes, None));
    }
}

/// Shadow of a memory.
#[derive(Debug, Default)]
pub struct Shadow {
    pages: Vec<Box<[Cell]>>,
    by_number: FxHashMap<u64, usize>,
    /// The page of the last look-up: its number and its place in `pages`.
    last: Option<(u64, usize)>,
}

impl Shadow {
    /// The cell of dword number `dword`.
    #[inline]
    pub fn cell(&mut self, dword: u64) -> &mut Cell {
        let number = dword / PAGE;
        let at = match self.last {
            Some((last, at)) if last == number => at,
            _ => self.page(number),
        };
        &mut self.pages[at][(dword % PAGE) as usize]
    }

    fn page(&mut self, number: u64) -> usize {
        let at = *self.by_number.entry(number).or_insert(self.pages.len());
        if at == self.pages.len() {
            self.pages.push(vec![Cell::default(); PAGE as usize].into_boxed_slice());
        }
        self.last = Some((number, at));
        at
    }
}

/// A dword of an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dword {
    /// Its number: address divided by 4.
    pub number: u64,
    /// Which of its bytes.
    pub bytes: u8,
    /// Which lane touches it.
    pub lane: u32,
    /// Where its first byte is in the lane's data.
    pub offset: u32,
}

/// Call `visit` with each dword that an extent touches.
pub fn for_each_dword(extent: &Extent, mut visit: impl FnMut(Dword)) {
    let mut run = |addr: u64, bytes: u32, lane: u32| {
        if addr % 4 == 0 && bytes % 4 == 0 && addr.checked_add(u64::from(bytes)).is_some() {
            for n in 0..bytes / 4 {
                visit(Dword { number: addr / 4 + u64::from(n), bytes: WHOLE, lane, offset: n * 4 });
            }
            return;
        }
        let end = addr.saturating_add(u64::from(bytes));
        let mut at = addr;
        while at < end {
            let from = at % 4;
            let n = (4 - from).min(end - at);
            let bytes = (((1u32 << n) - 1) << from) as u8;
            visit(Dword { number: at / 4, bytes, lane, offset: (at - addr) as u32 });
            at += n;
        }
    };
    match extent {
        Extent::Lanes { mask, bytes, addr } => {
            for lane in wavemark_sim::pending::lanes(*mask) {
                run(addr[lane as usize], *bytes, lane);
            }
        }
        Extent::Runs(runs) => {
            for &(addr, bytes) in runs {
                run(addr, bytes, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(agent: u32) -> Record {
        let epoch = Epoch { agent, channel: 0, seq: 1 };
        Record { epoch, site: 0, bytes: 0, atomic: false, scope: Scope::Cu, dma: false, value: None }
    }

    #[test]
    fn a_write_replaces_only_what_it_covers() {
        let mut cell = Cell::default();
        cell.write(&record(1), 0b1111, None);
        cell.read(&record(2), 0b0011, |_| false);
        cell.write(&record(3), 0b0001, None);
        assert_eq!(
            cell.writes.iter().map(|r| (r.epoch.agent, r.bytes)).collect::<Vec<_>>(),
            [(1, 14), (3, 1)]
        );
        assert_eq!(cell.reads[0].bytes, 0b0010);
    }

    #[test]
    fn unaligned_runs_are_split_at_dwords() {
        let mut seen = Vec::new();
        for_each_dword(&Extent::Runs(vec![(3, 6)]), |d| seen.push((d.number, d.bytes)));
        assert_eq!(seen, [(0, 0b1000), (1, 0b1111), (2, 0b0001)]);
    }
}
