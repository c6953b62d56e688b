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
    /// Who has written each dword last, all of its bytes: [`NOBODY`], [`SETTLED`], or a place in `written`, counted from
    /// [`FIRST`].
    writers: Vec<u32>,
    written: Vec<Written>,
    loads: Vec<Load>,
    /// Atomics have touched it: what loads mean is for the shadow to tell.
    atomics: bool,
    /// With so many loads, or writes, it is worth looking for those that are ordered before everybody.
    prune_at: [usize; 2],
}

/// The writer of a dword that was not written, or not all at once.
const NOBODY: u32 = 0;
/// One that is ordered before everybody.
const SETTLED: u32 = 1;
/// The first of the others.
const FIRST: u32 = 2;
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
        let Extent::Lanes { mask, bytes, addr } = &access.extent else { return false };
        if self.atomics || wave >= u64::BITS {
            return false;
        }
        let (last, Lds { writers, written, .. }) = (u64::from(*bytes).saturating_sub(1), &mut *self);
        let mut known = SETTLED;
        for lane in lanes(*mask) {
            let start = addr[lane as usize];
            let dwords = (start / 4) as usize..(start.saturating_add(last) / 4) as usize + 1;
            for &writer in writers.get(dwords).unwrap_or(&[NOBODY]) {
                if writer == known || writer == SETTLED {
                    continue;
                }
                let Some(at) = writer.checked_sub(FIRST) else { return false };
                let written = &mut written[at as usize];
                if written.unused || written.ordered >> wave & 1 == 0 && !ordered(&written.record) {
                    return false;
                }
                written.ordered |= 1 << wave;
                known = writer;
            }
        }
        self.loads.push(Load { record, area: Area::of(&access.extent), extent: access.extent.clone() });
        true
    }

    /// An access that changes LDS comes: the shadow is told of the loads that conflict with it.
    pub fn prepare(&mut self, access: &Access, ordered: impl Fn(&Record) -> bool) {
        self.atomics |= access.direction == Direction::Atomic;
        let mut pieces: SmallVec<[(u64, u64); 8]> = SmallVec::new();
        for_each_piece(&access.extent, |piece| {
            pieces.push((piece.number, piece.number + u64::from(piece.count)));
        });
        let area = Area::of(&access.extent);
        let Lds { shadow, loads, atomics, .. } = self;
        loads.retain(|load| {
            let conflicts =
                *atomics || load.area.meets(&area) && !ordered(&load.record) && load.touches(&pieces);
            if conflicts {
                remember_load(shadow, &load.extent, load.record);
            }
            !conflicts
        });
    }

    /// An access that has changed LDS, and of which the shadow knows.
    pub fn note_written(&mut self, record: Record, access: &Access) {
        let writer = if self.atomics { NOBODY } else { self.written.len() as u32 + FIRST };
        let writers = &mut self.writers;
        for_each_piece(&access.extent, |piece| {
            let (from, to) = (piece.number as usize, piece.number as usize + piece.count as usize);
            writers.resize(writers.len().max(to), NOBODY);
            writers[from..to].fill(if piece.bytes == WHOLE { writer } else { NOBODY });
        });
        if writer != NOBODY {
            self.written.push(Written { record, ordered: 0, unused: record.dma });
        }
    }

    /// Somebody has relied on a copy's end.
    pub fn note_used(&mut self, copy: Epoch) {
        for written in self.written.iter_mut().rev().filter(|written| written.record.epoch == copy) {
            written.unused = false;
        }
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
            for writer in self.writers.iter_mut().filter(|writer| **writer >= FIRST) {
                *writer = new[(*writer - FIRST) as usize];
            }
            let mut new = new.iter();
            self.written.retain(|_| new.next() != Some(&SETTLED));
        }
        self.prune_at = [2 * self.loads.len(), 2 * self.written.len()];
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
