//! What is remembered of a workgroup's LDS: its shadow, and beside it the loads that nothing was to be said of.
//!
//! Most loads of a right kernel come after a barrier that orders all stores to what they load, and most stores after one that
//! orders all loads before them. To find that out it takes the operations, not what is remembered of each byte. So it is
//! kept which operation was the last to write each dword. A load into registers of dwords whose writers are all ordered
//! before it is put off: the shadow is told of it only when something is written that it touches and is not ordered
//! before. What is ordered before everybody is dropped.
//!
//! What is reported is the same as if every load were remembered at once, but that a load may be named as well after which
//! another one comes that is named.

use smallvec::SmallVec;
use wavemark_order::Epoch;
use wavemark_sim::events::{Access, Direction, Extent};
use wavemark_sim::pending::lanes;

use crate::meeting::remember_load;
use crate::shadow::{Record, Shadow, WHOLE, for_each_piece};

/// Bytes of a block.
const BLOCK: u64 = 1024;
/// Words of blocks: as many as the largest LDS has; behind that they are counted from the start again.
const WORDS: usize = 5;

/// Blocks that an access touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Area([u64; WORDS]);

impl Area {
    fn of(extent: &Extent) -> Area {
        let mut area = Area::default();
        match extent {
            Extent::Lanes { mask, bytes, addr } => {
                for lane in lanes(*mask) {
                    area.add(addr[lane as usize], u64::from(*bytes));
                }
            }
            Extent::Runs(runs) => runs.iter().for_each(|&(start, bytes)| area.add(start, u64::from(bytes))),
        }
        area
    }

    #[inline]
    fn add(&mut self, start: u64, bytes: u64) {
        let last = start.saturating_add(bytes.saturating_sub(1)) / BLOCK;
        for block in (start / BLOCK..=last).take(WORDS * 64) {
            self.0[block as usize / 64 % WORDS] |= 1 << (block % 64);
        }
    }

    #[inline]
    fn meets(&self, other: &Area) -> bool {
        self.0.iter().zip(&other.0).fold(0, |both, (a, b)| both | a & b) != 0
    }
}

/// A store, an atomic or a copy to LDS.
#[derive(Debug)]
struct Written {
    record: Record,
    /// The waves, by their numbers in the workgroup, whose loads it is ordered before.
    ordered: u64,
    /// It is a copy, and nobody has relied on its end so far: that the wait for it was needed is to be noted.
    unused: bool,
}

/// A load that was put off.
#[derive(Debug)]
struct Load {
    record: Record,
    area: Area,
    extent: Extent,
}

/// The LDS of a workgroup.
#[derive(Debug, Default)]
pub(crate) struct Lds {
    pub shadow: Shadow,
    /// The last access's place in their order.
    order: u32,
    /// Who has written each dword last, all of its bytes: [`NOBODY`], [`SETTLED`], [`SHARED`], or a place in `written`, counted
    /// from [`FIRST`].
    writers: Vec<u32>,
    written: Vec<Written>,
    loads: Vec<Load>,
    /// With so many loads, or writes, it is worth looking for those that are ordered before everybody.
    prune_at: [usize; 2],
}

/// The writer of a dword that was not written, or not all at once.
const NOBODY: u32 = 0;
/// One that is ordered before everybody.
const SETTLED: u32 = 1;
/// That of a dword which an atomic has touched: what loads of it mean is for the shadow to tell.
const SHARED: u32 = 2;
/// The first of the others.
const FIRST: u32 = 3;
/// So few loads, and writes, are not worth looking through.
const FEW: [usize; 2] = [64, 1024];

impl Lds {
    /// The place in the order of accesses of one that is to be checked now.
    pub fn next(&mut self) -> u32 {
        self.order += 1;
        self.order
    }

    /// Whether a load into registers of a wave, by its number in the workgroup, was put off, because everything that it loads
    /// is written, by operations that are all `ordered` before it.
    pub fn puts_off(
        &mut self,
        record: Record,
        access: &Access,
        wave: u32,
        ordered: impl Fn(&Record) -> bool,
    ) -> bool {
        if wave >= u64::BITS {
            return false;
        }
        let Lds { writers, written, .. } = self;
        let surely = all_writers(writers, &access.extent, |writer| {
            let Some(written) = place(writer).map(|at| &mut written[at]) else { return false };
            let in_order = written.ordered >> wave & 1 != 0 || ordered(&written.record);
            written.ordered |= u64::from(in_order) << wave;
            in_order && !written.unused
        });
        if !surely {
            return false;
        }
        self.loads.push(Load { record, area: Area::of(&access.extent), extent: access.extent.clone() });
        true
    }

    /// An access that changes LDS comes: the shadow is told of the loads that conflict with it.
    pub fn prepare(&mut self, access: &Access, ordered: impl Fn(&Record) -> bool) {
        if self.loads.is_empty() {
            return;
        }
        let mut pieces: SmallVec<[(u64, u64); 8]> = SmallVec::new();
        for_each_piece(&access.extent, |piece| {
            pieces.push((piece.number, piece.number + u64::from(piece.count)));
        });
        let area = Area::of(&access.extent);
        let Lds { shadow, loads, .. } = self;
        loads.retain(|load| {
            let conflicts = load.area.meets(&area) && !ordered(&load.record) && load.touches(&pieces);
            if conflicts {
                remember_load(shadow, &load.extent, load.record);
            }
            !conflicts
        });
    }

    /// An access that has changed LDS, and of which the shadow knows.
    pub fn note_written(&mut self, record: Record, access: &Access) {
        let atomic = access.direction == Direction::Atomic;
        let writer = if atomic { SHARED } else { self.written.len() as u32 + FIRST };
        let writers = &mut self.writers;
        for_each_piece(&access.extent, |piece| {
            let (from, to) = (piece.number as usize, piece.number as usize + piece.count as usize);
            writers.resize(writers.len().max(to), NOBODY);
            let writer = if atomic || piece.bytes == WHOLE { writer } else { NOBODY };
            for last in writers[from..to].iter_mut().filter(|last| **last != SHARED) {
                *last = writer;
            }
        });
        if !atomic {
            self.written.push(Written { record, ordered: 0, unused: record.dma });
        }
    }

    /// An access has relied on the ends of these copies.
    pub fn note_used(&mut self, access: &Access, copies: &[Epoch]) {
        if copies.is_empty() {
            return;
        }
        let Lds { writers, written, .. } = self;
        all_writers(writers, &access.extent, |writer| {
            if let Some(written) = place(writer).map(|at| &mut written[at]) {
                written.unused &= !copies.contains(&written.record.epoch);
            }
            true
        });
    }

    /// Drop, if there may be many, the operations that are over for everybody: those of an agent in a channel up to the number
    /// that `over_upto` says.
    pub fn prune(&mut self, over_upto: impl Fn(u32, u8) -> u32) {
        let [few_loads, few_writes] = self.prune_at;
        if self.loads.len() < few_loads.max(FEW[0]) && self.written.len() < few_writes.max(FEW[1]) {
            return;
        }
        let mut known: SmallVec<[(u32, u8, u32); 8]> = SmallVec::new();
        let mut is_over = |Epoch { agent, channel, seq }: Epoch| {
            let same = |(a, c, _): &&(u32, u8, u32)| (*a, *c) == (agent, channel);
            let upto = match known.iter().find(same) {
                Some(&(.., upto)) => upto,
                None => {
                    let upto = over_upto(agent, channel);
                    known.push((agent, channel, upto));
                    upto
                }
            };
            seq <= upto
        };
        self.loads.retain(|load| !is_over(load.record.epoch));
        if self.written.len() >= few_writes.max(FEW[1]) {
            let mut kept = 0;
            let mut renumbered = |written: &Written| {
                let stays = written.unused || !is_over(written.record.epoch);
                kept += u32::from(stays);
                if stays { kept - 1 + FIRST } else { SETTLED }
            };
            let new: Vec<u32> = self.written.iter().map(&mut renumbered).collect();
            for writer in &mut self.writers {
                *writer = place(*writer).map_or(*writer, |at| new[at]);
            }
            let mut new = new.iter();
            self.written.retain(|_| new.next() != Some(&SETTLED));
        }
        self.prune_at = [2 * self.loads.len(), 2 * self.written.len()];
    }
}

/// The place in [`Lds::written`] of a writer that has one.
#[inline]
fn place(writer: u32) -> Option<usize> {
    writer.checked_sub(FIRST).map(|at| at as usize)
}

/// Whether all who have written the dwords of an extent last, but for [`SETTLED`], are `accepted`; neighbours of one writer
/// ask once.
fn all_writers(writers: &[u32], extent: &Extent, mut accepted: impl FnMut(u32) -> bool) -> bool {
    let mut last_asked = SETTLED;
    let mut run = |start: u64, bytes: u32| {
        let end = start.saturating_add(u64::from(bytes).saturating_sub(1)) / 4 + 1;
        let writers = writers.get((start / 4) as usize..end as usize).unwrap_or(&[NOBODY]);
        writers.iter().all(|&writer| {
            writer == SETTLED || writer == std::mem::replace(&mut last_asked, writer) || accepted(writer)
        })
    };
    match extent {
        Extent::Lanes { mask, bytes, addr } => lanes(*mask).all(|lane| run(addr[lane as usize], *bytes)),
        Extent::Runs(runs) => runs.iter().all(|&(start, bytes)| run(start, bytes)),
    }
}

impl Load {
    /// Whether it touches dwords of some of these runs.
    fn touches(&self, runs: &[(u64, u64)]) -> bool {
        let mut touches = false;
        for_each_piece(&self.extent, |piece| {
            let end = piece.number + u64::from(piece.count);
            touches |= runs.iter().any(|&(from, to)| from < end && piece.number < to);
        });
        touches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_meet_where_bytes_do() {
        let area = |start, bytes| Area::of(&Extent::Runs(vec![(start, bytes)]));
        assert!(area(0, 4).meets(&area(1000, 100)));
        assert!(!area(0, 1024).meets(&area(1024, 4)));
        assert!(area(1023, 2).meets(&area(1024, 4)));
        assert!(area(0, u32::MAX).meets(&area(300_000, 4)));
        assert!(!area(8, 0).meets(&area(4096, 4)));
    }
}
