//! Bursts: loads and stores of whole dwords by a wave with all lanes on, whose lanes lie one behind the other in
//! memory. Compiled code is full of them. Nobody watching, such an operation is a small value in the queue: no
//! addresses per lane, no allocation, and its data move by 16 lanes at a time.
//!
//! What a burst does, and when, is what the general form ([`Pending`](crate::pending::Pending)) would do.

use crate::events::{Channel, Space};
use crate::pending::Memories;
use crate::regs::{Chunk, Regs};
use crate::rows;

/// A burst in flight.
#[derive(Clone, Copy, Debug)]
pub struct Burst {
    /// Its channel and sequence number.
    pub seq: (Channel, u32),
    /// Where its bytes are.
    pub space: Space,
    /// Its first byte.
    pub low: u64,
    /// The byte behind its last.
    pub high: u64,
    /// Machine time of its issue, in instructions.
    pub issued_at: u64,
    /// Dwords per lane, 1 to 4.
    pub dwords: u8,
    /// The register side.
    pub side: Side,
}

/// The register side of a [`Burst`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A load into the rows from this chunk on.
    To(u32),
    /// A store of captured rows, by their number in [`Captured`].
    From(u32),
    /// A load whose bytes are in captured rows already: the first chunk, and the number of the rows.
    Read(u32, u32),
    /// A store that is in memory already.
    Stored,
}

impl Burst {
    /// It writes memory.
    #[inline]
    pub fn stores(&self) -> bool {
        matches!(self.side, Side::From(_))
    }

    /// Move the data.
    #[inline(always)]
    pub fn complete(&self, regs: &mut Regs, memories: &mut Memories<'_>, captured: &mut Captured) {
        let (chunks, dwords, len) = (regs.chunks, usize::from(self.dwords), self.high - self.low);
        match self.side {
            Side::To(row) => {
                let out = &mut regs.v[row as usize..][..dwords * chunks];
                // In bounds when it was issued, and allocations live as long as the launch.
                match memories.bytes(self.space, self.low, len) {
                    Some(bytes) => rows::load(out, chunks, dwords, bytes),
                    None => out.fill(Chunk::ZERO),
                }
            }
            Side::From(slot) => self.store(chunks, memories, captured, slot),
            Side::Read(row, slot) => {
                let rows = &captured.slots[slot as usize][..dwords * chunks];
                rows::copy(&mut regs.v[row as usize..], rows);
                captured.free.push(slot);
            }
            Side::Stored => {}
        }
    }

    /// Do its part in global memory, if that is not done.
    pub fn perform(&mut self, chunks: usize, memories: &mut Memories<'_>, captured: &mut Captured) {
        if self.space != Space::Global {
            return;
        }
        let (dwords, len) = (usize::from(self.dwords), self.high - self.low);
        match self.side {
            Side::To(row) => {
                let slot = captured.free_slot();
                let out = &mut captured.slots[slot as usize][..dwords * chunks];
                match memories.bytes(self.space, self.low, len) {
                    Some(bytes) => rows::load(out, chunks, dwords, bytes),
                    None => out.fill(Chunk::ZERO),
                }
                self.side = Side::Read(row, slot);
            }
            Side::From(slot) => {
                self.store(chunks, memories, captured, slot);
                self.side = Side::Stored;
            }
            Side::Read(..) | Side::Stored => {}
        }
    }

    #[inline(always)]
    fn store(&self, chunks: usize, memories: &mut Memories<'_>, captured: &mut Captured, slot: u32) {
        if let Some(out) = memories.bytes_mut(self.space, self.low, self.high - self.low) {
            rows::store(Chunk::words(&captured.slots[slot as usize]), chunks, self.dwords.into(), out);
        }
        captured.free.push(slot);
    }
}

/// Rows of one store: up to four dwords of up to four chunks.
type Slot = [Chunk; 16];

/// The data of bursts in flight: what stores are to write, and what loads have read before they are complete.
#[derive(Debug, Default)]
pub struct Captured {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl Captured {
    /// Keep a copy of `rows`, of at most 16 chunks, until the burst completes.
    #[inline]
    pub fn take(&mut self, rows: &[Chunk]) -> u32 {
        let slot = self.free_slot();
        rows::copy(&mut self.slots[slot as usize], rows);
        slot
    }

    /// The bytes of rows that somebody uses.
    pub fn bytes_mut(&mut self, slot: u32) -> &mut [u8] {
        Chunk::bytes_mut(&mut self.slots[slot as usize])
    }

    /// Nobody uses the rows any more.
    pub fn release(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// The number of rows that nobody uses.
    #[inline]
    pub fn free_slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push([Chunk::ZERO; 16]);
            self.slots.len() as u32 - 1
        })
    }
}
