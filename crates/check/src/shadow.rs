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

impl Cell {
    /// Remember a write: it replaces what it covers.
    pub fn write(&mut self, record: Record) {
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

    /// Remember a read; reads that `ordered` says are known to it are replaced.
    pub fn read(&mut self, record: Record, ordered: impl Fn(&Record) -> bool) {
        self.reads
            .retain(|old| old.bytes & !record.bytes != 0 || !(old.epoch == record.epoch || ordered(old)));
        if self.reads.len() >= READERS {
            self.reads.remove(0);
        }
        self.reads.push(record);
    }
}

/// Shadow of a memory.
#[derive(Debug, Default)]
pub struct Shadow {
    pages: FxHashMap<u64, Box<[Cell]>>,
}

impl Shadow {
    /// The cell of dword number `dword`.
    pub fn cell(&mut self, dword: u64) -> &mut Cell {
        let page = self
            .pages
            .entry(dword / PAGE)
            .or_insert_with(|| vec![Cell::default(); PAGE as usize].into_boxed_slice());
        &mut page[(dword % PAGE) as usize]
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

    fn record(agent: u32, bytes: u8) -> Record {
        let epoch = Epoch { agent, channel: 0, seq: 1 };
        Record { epoch, site: 0, bytes, atomic: false, scope: Scope::Cu, dma: false, value: None }
    }

    #[test]
    fn a_write_replaces_only_what_it_covers() {
        let mut cell = Cell::default();
        cell.write(record(1, 0b1111));
        cell.read(record(2, 0b0011), |_| false);
        cell.write(record(3, 0b0001));
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
