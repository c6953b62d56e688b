//! Shadow memory: who last wrote and read each dword.
//!
//! A dword keeps its last writes (one per disjoint set of bytes) with the atomics before them that nothing orders, and
//! its unordered reads: of LDS all of them, of global memory up to [`READERS`] of each. With more of them the oldest are
//! forgotten, so that an access after many unordered ones may go unreported against the forgotten ones. Nothing is
//! reported that did not happen.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wavemark_order::Epoch;
use wavemark_sim::events::{Extent, Scope};

use crate::site_info::SiteId;

/// Unordered readers remembered per dword of global memory, which any number of waves may read.
pub const READERS: usize = 4;
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

    /// Remember a read-modify-write of `bytes`. It replaces what it covers, but for those of other waves that nothing
    /// orders before it, `others` at most: what reads the sum must come after all of them.
    pub fn update(&mut self, common: &Record, bytes: u8, others: usize, ordered: impl Fn(&Record) -> bool) {
        let kept_beside =
            |old: &&Record| old.atomic && old.epoch.agent != common.epoch.agent && !ordered(old);
        let kept: SmallVec<[Record; 1]> =
            self.writes.iter().rev().filter(kept_beside).take(others).copied().collect();
        self.write_part(common.with(bytes, None));
        let kept = kept.into_iter().rev().map(|old| old.with(old.bytes & bytes, None));
        self.writes.extend(kept.filter(|old| old.bytes != 0));
    }

    /// Remember a read of `bytes`, of at most `readers`; reads that `ordered` says are known to it are replaced.
    #[inline]
    pub fn read(&mut self, common: &Record, bytes: u8, readers: usize, ordered: impl Fn(&Record) -> bool) {
        let replaced = |old: &Record| old.bytes & !bytes == 0 && (old.epoch == common.epoch || ordered(old));
        if let [old] = self.reads.as_mut_slice()
            && replaced(old)
        {
            old.put(common, bytes, None);
            return;
        }
        self.reads.retain(|old| !replaced(old));
        if self.reads.len() >= readers {
            self.reads.remove(0);
        }
        self.reads.push(common.with(bytes, None));
    }
}

/// Dwords of a block.
pub const BLOCK: usize = 32;
/// Blocks of a page.
const PAGE: u64 = 8;

/// Neighbouring dwords. As long as the same operations have touched all of them, and wholly, one cell tells for all:
/// so it is with what waves load and store in runs, and that saves most of the checker's time.
#[derive(Clone, Debug)]
struct Block {
    /// What is remembered of each dword while they are alike; of a last write, `value` only says whether there is one.
    alike: Cell,
    /// The values of that write.
    values: [u32; BLOCK],
    /// What is remembered of each dword, once they are not alike.
    cells: Option<Box<[Cell; BLOCK]>>,
}

impl Block {
    fn new() -> Block {
        Block { alike: Cell::default(), values: [0; BLOCK], cells: None }
    }

    /// The cells of the dwords, one by one.
    #[inline]
    fn cells(&mut self) -> &mut [Cell; BLOCK] {
        let (alike, values) = (&self.alike, &self.values);
        self.cells.get_or_insert_with(|| {
            Box::new(std::array::from_fn(|n| {
                let mut cell = alike.clone();
                for record in &mut cell.writes {
                    record.value = record.value.map(|_| values[n]);
                }
                cell
            }))
        })
    }

    /// After one operation has wholly written all dwords: they are alike again, unless they differ in what no write
    /// changes.
    fn unite(&mut self) {
        let Some(cells) = &self.cells else { return };
        let first = &cells[0];
        if cells.iter().any(|cell| cell.synchronises != first.synchronises) {
            return;
        }
        for (value, cell) in self.values.iter_mut().zip(cells.iter()) {
            *value = cell.writes.first().and_then(|record| record.value).unwrap_or(0);
        }
        self.alike = first.clone();
        self.cells = None;
    }
}

/// Shadow of a memory.
#[derive(Debug, Default)]
pub struct Shadow {
    pages: Vec<Box<[Block]>>,
    by_number: FxHashMap<u64, usize>,
    /// The page of the last look-up: its number and its place in `pages`.
    last: Option<(u64, usize)>,
}

impl Shadow {
    #[inline]
    fn block(&mut self, block: u64) -> &mut Block {
        let number = block / PAGE;
        let at = match self.last {
            Some((last, at)) if last == number => at,
            _ => self.page(number),
        };
        &mut self.pages[at][(block % PAGE) as usize]
    }

    fn page(&mut self, number: u64) -> usize {
        let at = *self.by_number.entry(number).or_insert(self.pages.len());
        if at == self.pages.len() {
            self.pages.push(vec![Block::new(); PAGE as usize].into_boxed_slice());
        }
        self.last = Some((number, at));
        at
    }

    /// Call `visit` with the cells of a piece, each with the number of its dword in the piece. A cell that stands for
    /// all dwords of the piece comes with the values of its last write, and the visitor puts those of a new one there.
    #[inline]
    pub fn visit(
        &mut self,
        piece: &Piece,
        writes: bool,
        mut visit: impl FnMut(u32, &mut Cell, Option<&mut [u32; BLOCK]>),
    ) {
        let block = self.block(piece.number / BLOCK as u64);
        let all = piece.count as usize == BLOCK;
        if all && block.cells.is_none() {
            visit(0, &mut block.alike, Some(&mut block.values));
            return;
        }
        let first = (piece.number % BLOCK as u64) as usize;
        for (n, cell) in block.cells()[first..].iter_mut().take(piece.count as usize).enumerate() {
            visit(n as u32, cell, None);
        }
        if all && writes {
            block.unite();
        }
    }
}

/// Dwords of an extent that stand one behind the other in one block: either one, of which any bytes, or some, all of
/// them whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The number of the first dword: address divided by 4.
    pub number: u64,
    /// How many dwords.
    pub count: u32,
    /// Which bytes of each.
    pub bytes: u8,
    /// The lane of the first.
    lane: u32,
    /// Where its first byte is in that lane's data.
    offset: u32,
    /// Dwords of a lane.
    lane_dwords: u32,
}

impl Piece {
    /// Of dword `n`, its lane, and where its first byte is in that lane's data.
    #[inline]
    pub fn place(&self, n: u32) -> (u32, u32) {
        if n == 0 {
            return (self.lane, self.offset);
        }
        let n = self.offset / 4 + n;
        (self.lane + n / self.lane_dwords, n % self.lane_dwords * 4)
    }
}

/// Call `visit` with the pieces of an extent, in the order of lanes.
pub fn for_each_piece(extent: &Extent, mut visit: impl FnMut(&Piece)) {
    let mut run = |addr: u64, bytes: u64, lane: u32, lane_bytes: u32| {
        let whole =
            addr.is_multiple_of(4) && lane_bytes.is_multiple_of(4) && addr.checked_add(bytes).is_some();
        let end = addr.saturating_add(bytes);
        let mut at = addr;
        while at < end {
            let number = at / 4;
            let left = (end - at) / 4;
            let from = at - addr;
            let (lane, offset) = match lane_bytes {
                0 => (lane, from as u32),
                n => (lane + (from / u64::from(n)) as u32, (from % u64::from(n)) as u32),
            };
            let (count, bytes, next) = if whole {
                let count = (BLOCK as u64 - number % BLOCK as u64).min(left);
                (count as u32, WHOLE, at + count * 4)
            } else {
                let skipped = at % 4;
                let n = (4 - skipped).min(end - at);
                (1, (((1u32 << n) - 1) << skipped) as u8, at + n)
            };
            visit(&Piece { number, count, bytes, lane, offset, lane_dwords: (lane_bytes / 4).max(1) });
            at = next;
        }
    };
    match extent {
        Extent::Lanes { mask, bytes, addr } => {
            let (mut lanes, bytes) = (wavemark_sim::pending::lanes(*mask).peekable(), *bytes);
            while let Some(first) = lanes.next() {
                let at = addr[first as usize];
                let mut last = first;
                // Lanes that continue where the one before them ends.
                while bytes.is_multiple_of(4)
                    && lanes.peek() == Some(&(last + 1))
                    && addr[last as usize].checked_add(u64::from(bytes)) == Some(addr[last as usize + 1])
                {
                    last += 1;
                    lanes.next();
                }
                run(at, u64::from(last - first + 1) * u64::from(bytes), first, bytes);
            }
        }
        Extent::Runs(runs) => {
            for &(addr, bytes) in runs {
                run(addr, u64::from(bytes), 0, bytes);
            }
        }
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

    fn record(agent: u32) -> Record {
        let epoch = Epoch { agent, channel: 0, seq: 1 };
        Record { epoch, site: 0, bytes: 0, atomic: false, scope: Scope::Cu, dma: false, value: None }
    }

    #[test]
    fn a_write_replaces_only_what_it_covers() {
        let mut cell = Cell::default();
        cell.write(&record(1), 0b1111, None);
        cell.read(&record(2), 0b0011, READERS, |_| false);
        cell.write(&record(3), 0b0001, None);
        assert_eq!(
            cell.writes.iter().map(|r| (r.epoch.agent, r.bytes)).collect::<Vec<_>>(),
            [(1, 14), (3, 1)]
        );
        assert_eq!(cell.reads[0].bytes, 0b0010);
    }

    /// Whole dwords come by blocks, and say whose they are.
    #[test]
    fn lanes_in_a_row_are_one_run() {
        let mut addr = Box::new([0u64; 64]);
        for (lane, at) in addr.iter_mut().enumerate() {
            *at = 0x1040 + lane as u64 * 8;
        }
        addr[30] = 0x4002;
        let extent = Extent::Lanes { mask: 0x7fff_fffe, bytes: 8, addr };
        let mut seen = Vec::new();
        for_each_piece(&extent, |p| {
            seen.push((p.number, p.count, p.bytes, p.place(0), p.place(p.count - 1)))
        });
        assert_eq!(
            seen,
            [
                (0x412, 14, WHOLE, (1, 0), (7, 4)),
                (0x420, 32, WHOLE, (8, 0), (23, 4)),
                (0x440, 12, WHOLE, (24, 0), (29, 4)),
                (0x1000, 1, 0b1100, (30, 0), (30, 0)),
                (0x1001, 1, WHOLE, (30, 2), (30, 2)),
                (0x1002, 1, 0b0011, (30, 6), (30, 6)),
            ]
        );
    }

    /// A block that is taken apart and written as a whole again tells the same as its cells.
    #[test]
    fn blocks_come_apart_and_together() {
        let mut shadow = Shadow::default();
        let piece = |number, count| Piece { number, count, bytes: WHOLE, lane: 0, offset: 0, lane_dwords: 1 };
        let write = |shadow: &mut Shadow, agent, number, count, from: u32| {
            shadow.visit(&piece(number, count), true, |n, cell, values| {
                cell.write(&record(agent), WHOLE, Some(from + n));
                if let Some(values) = values {
                    *values = std::array::from_fn(|n| from + n as u32);
                }
            });
        };
        let read = |shadow: &mut Shadow| {
            let mut seen = Vec::new();
            for n in 64..96 {
                shadow.block(2).cells()[n - 64]
                    .writes
                    .iter()
                    .for_each(|r| seen.push((r.epoch.agent, r.value)));
            }
            seen
        };
        write(&mut shadow, 1, 64, 32, 100);
        assert!(shadow.block(2).cells.is_none());
        write(&mut shadow, 2, 70, 2, 7);
        let mut wanted: Vec<_> = (0..32).map(|n| (1, Some(100 + n))).collect();
        wanted[6..8].copy_from_slice(&[(2, Some(7)), (2, Some(8))]);
        assert_eq!(read(&mut shadow), wanted);
        write(&mut shadow, 3, 64, 32, 200);
        assert!(shadow.block(2).cells.is_none());
        assert_eq!(read(&mut shadow), (0..32).map(|n| (3, Some(200 + n))).collect::<Vec<_>>());
    }

    #[test]
    fn unaligned_runs_are_split_at_dwords() {
        let mut seen = Vec::new();
        for_each_dword(&Extent::Runs(vec![(3, 6)]), |d| seen.push((d.number, d.bytes)));
        assert_eq!(seen, [(0, 0b1000), (1, 0b1111), (2, 0b0001)]);
    }
}
