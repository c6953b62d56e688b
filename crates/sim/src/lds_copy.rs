//! Copies between global memory and LDS by a wave with all lanes on whose lanes have a place each, by rows of addresses that are
//! known ([`AddressRows`]): one in flight only says which rows it means, and from where on. Nobody may be watching, but for
//! observers to whom it is no news ([`Observer::follows_issue`](crate::events::Observer::follows_issue)).
//!
//! What such a copy does, and when, is what [`Lanewise`](crate::lanewise::Lanewise) would do. What does not fit (lanes that are
//! off or out of range, sums that wrap, loads of less than a dword) takes that form.

use smallvec::smallvec;

use crate::address_row::{AddressRow, AddressRows, Known};
use crate::burst::Captured;
use crate::events::{self, Channel, Direction, OpId, Scope, Space};
use crate::gather;
use crate::global::Claim;
use crate::lanewise::{Reach, RowAccess, read_global, write_global};
use crate::pending::Memories;
use crate::regs::{Chunk, all_lanes};
use crate::rows::STEPS;

/// A copy, as the program has it.
#[derive(Clone, Copy, Debug)]
pub struct LdsCopyOp {
    /// From memory to LDS.
    pub loads: bool,
    /// Bytes of a lane, whole dwords.
    pub bytes: u32,
    /// What counts it.
    pub channel: Channel,
    /// First chunk of the row of addresses in memory, or of their low dwords.
    pub addr: u32,
    /// Under which number the distances in memory are known.
    pub known: Known,
    /// Where its bytes are in LDS.
    pub lds: LdsPlaces,
}

/// The addresses of a copy in LDS.
#[derive(Clone, Copy, Debug)]
pub enum LdsPlaces {
    /// The row of a register from this chunk on, and under which number it is known.
    Row(u32, Known),
    /// So many bytes from lane to lane, from M0 on.
    Steps(u32),
}

/// A copy in flight.
#[derive(Clone, Copy, Debug)]
pub struct LdsCopy {
    /// Its number.
    pub id: OpId,
    /// Its place in its channel.
    pub seq: (Channel, u32),
    /// Machine time of its issue, in instructions.
    pub issued_at: u64,
    /// Where its lowest byte is in global memory.
    pub memory: u64,
    /// And in LDS.
    pub lds: u32,
    /// Its rows of [`AddressRows`] in memory and in LDS.
    pub rows: [u32; 2],
    /// How far apart its first and last lanes are by them.
    pub spans: [u32; 2],
    /// What it has read of memory, lane behind lane, if that is done: by its number in [`Captured`].
    pub read: Option<u32>,
    /// Bytes of a lane.
    pub bytes: u32,
    /// From memory to LDS.
    pub loads: bool,
    /// Its coherence scope.
    pub scope: Scope,
}

impl LdsCopy {
    /// Space, whether it only reads, first byte and the byte behind the last: of memory, and of LDS.
    pub fn sides(&self) -> [(Space, bool, u64, u64); 2] {
        let side = |space, reads, low: u64, span: u32| {
            (space, reads, low, low + u64::from(span) + u64::from(self.bytes))
        };
        [
            side(Space::Global, self.loads, self.memory, self.spans[0]),
            side(Space::Lds, !self.loads, self.lds.into(), self.spans[1]),
        ]
    }

    /// Its accesses, in a wave of so many chunks.
    pub fn accesses<'a>(&self, known: &'a AddressRows, chunks: usize) -> [RowAccess<'a>; 2] {
        let [memory, lds] = match self.loads {
            true => [Direction::Read, Direction::Write],
            false => [Direction::Write, Direction::Read],
        };
        let rows = self.rows.map(|row| known.row(row));
        let sides = [
            rows[0].access((Space::Global, memory), self.memory, self.bytes, chunks),
            rows[1].access((Space::Lds, lds), self.lds.into(), self.bytes, chunks),
        ];
        if self.loads { sides } else { [sides[1], sides[0]] }
    }

    /// As observers are told of it, in a wave of so many chunks.
    pub fn told(&self, known: &AddressRows, chunks: usize) -> events::Issue {
        let accesses = self.accesses(known, chunks).iter().map(RowAccess::told).collect();
        let (id, seq, scope) = (self.id, smallvec![self.seq], self.scope);
        events::Issue { id, seq, accesses, scope, ..events::Issue::blank() }
    }

    /// What it reaches in global memory, by its row there.
    fn reach(&self, row: &AddressRow, chunks: usize) -> Reach {
        let [(space, reads, low, high), _] = self.sides();
        let run = row.step == self.bytes;
        Reach { space, writes: !reads, run, low, high, mask: all_lanes(chunks) }
    }

    /// Do its part in global memory, if that comes first and is not done; whether it did.
    pub fn perform(
        &mut self,
        chunks: usize,
        memories: &mut Memories<'_>,
        known: &AddressRows,
        captured: &mut Captured,
    ) -> bool {
        if !self.loads || self.read.is_some() {
            return false;
        }
        let (row, size) = (known.row(self.rows[0]), self.bytes as usize);
        let at = &row.offsets[..chunks];
        let source = read_global(memories.global, &self.reach(row, chunks), size, at);
        let slot = captured.free_slot();
        let data = captured.bytes_mut(slot);
        copy(data, &STEPS[size][..chunks], source, at, size, row.by_fours);
        self.read = Some(slot);
        true
    }

    /// Move the data.
    pub fn complete(
        &self,
        chunks: usize,
        memories: &mut Memories<'_>,
        known: &AddressRows,
        captured: &mut Captured,
    ) {
        let rows = self.rows.map(|row| known.row(row));
        let [memory_at, lds_at] = rows.map(|row| &row.offsets[..chunks]);
        let by_fours = rows.iter().all(|row| row.by_fours);
        let size = self.bytes as usize;
        let [_, (_, _, low, high)] = self.sides();
        let lds = low as usize..high as usize;
        if let Some(slot) = self.read {
            let Some(target) = memories.lds.get_mut(lds) else { return };
            let data = captured.bytes_mut(slot);
            copy(target, lds_at, data, &STEPS[size][..chunks], size, rows[1].by_fours);
            return captured.release(slot);
        }
        let reach = self.reach(rows[0], chunks);
        if self.loads {
            let Some(target) = memories.lds.get_mut(lds) else { return };
            let source = read_global(memories.global, &reach, size, memory_at);
            copy(target, lds_at, source, memory_at, size, by_fours);
        } else {
            let Some(source) = memories.lds.get(lds) else { return };
            let target = write_global(memories.global, Claim::Store, &reach, size, memory_at);
            copy(target, memory_at, source, lds_at, size, by_fours);
        }
    }
}

/// `size` bytes of each lane; `by_fours` if the lanes in fours are 16 bytes apart on both sides ([`AddressRow::by_fours`]).
fn copy(target: &mut [u8], to: &[Chunk], source: &[u8], from: &[Chunk], size: usize, by_fours: bool) {
    // Nothing is read where there is nothing, though that cannot be.
    if source.is_empty() || target.is_empty() {
        return;
    }
    if by_fours && size == 16 {
        return gather::copy_by_fours(target, to, source, from);
    }
    let all = all_lanes(to.len());
    gather::copy(target, to, source, from, size, all, all);
}
