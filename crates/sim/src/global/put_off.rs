//! Read-modify-writes that views put off.
//!
//! One that returns nothing asks nothing of others, and if nobody reads or writes what it changes but others like it, it
//! may as well be done when all clusters have ended. Done in the order of clusters, and of each cluster's own, they give
//! what one thread gives that runs a cluster after the other: sums of floating-point numbers depend on that.

use wavemark_budget::nearly_used_up;

use super::Global;
use crate::atomic::{AtomicShape, Flush};
use crate::lanewise::atomics;
use crate::regs::Chunk;

/// A read-modify-write of global memory that returns nothing, with one datum a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blind<'a> {
    /// What it computes.
    pub shape: AtomicShape,
    /// Denormals.
    pub flush: Flush,
    /// Bytes from the first to behind the last one of any lane.
    pub range: (u64, u64),
    /// The lanes.
    pub mask: u64,
    /// Where each is in the range.
    pub at: &'a [Chunk],
    /// The dwords of its datum, a row each.
    pub data: &'a [Chunk],
}

/// Chunks of a block.
const BLOCK: usize = 4096;
/// Blocks, at the most (256 MiB): a view to which more comes is one to give up.
const MOST: usize = 1024;

/// What a view has put off.
#[derive(Debug, Default)]
pub(super) struct PutOff {
    operations: Vec<Operation>,
    /// The places and data of each.
    blocks: Vec<Vec<Chunk>>,
    /// A cluster had not come to its end when its turn ended, so that others might have come between.
    pub interrupted: bool,
    /// There was no room for all of them.
    dropped: bool,
}

/// An operation that was put off.
#[derive(Clone, Copy, Debug)]
struct Operation {
    claimant: u32,
    shape: AtomicShape,
    flush: Flush,
    range: (u64, u64),
    mask: u64,
    /// Chunks of a row.
    chunks: u8,
    /// The block with its places, its data behind them, and where they begin there.
    rows: (u32, u32),
}

impl PutOff {
    /// Whether they cannot be done in the order of clusters, or were too many.
    pub fn is_lost(&self) -> bool {
        self.interrupted && !self.operations.is_empty() || self.dropped
    }

    /// One comes, of `claimant`.
    pub fn add(&mut self, claimant: u32, blind: Blind<'_>) {
        let Blind { shape, flush, range, mask, at, data } = blind;
        if self.blocks.last().is_none_or(|block| block.len() + at.len() + data.len() > BLOCK) {
            self.dropped |= self.blocks.len() == MOST || nearly_used_up();
            if self.dropped {
                return;
            }
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        let rows = (number as u32, block.len() as u32);
        block.extend_from_slice(at);
        block.extend_from_slice(data);
        let chunks = at.len() as u8;
        self.operations.push(Operation { claimant, shape, flush, range, mask, chunks, rows });
    }
}

/// Does all that was put off, by several views.
pub(super) fn make_up_for(all: &[PutOff], global: &mut Global) {
    let mut operations: Vec<(&PutOff, &Operation)> =
        all.iter().flat_map(|of| of.operations.iter().map(move |operation| (of, operation))).collect();
    // All that a cluster puts off is in one view, in order.
    operations.sort_by_key(|(_, operation)| operation.claimant);
    for (of, &Operation { shape, flush, range: (from, to), mask, chunks, rows: (block, first), .. }) in
        operations
    {
        let Some(memory) = global.slice_mut(from, to - from) else { continue };
        let (at, behind) = of.blocks[block as usize][first as usize..].split_at(chunks.into());
        let data = &behind[..usize::from(chunks) * (shape.bytes as usize / 4)];
        atomics(memory, shape, flush, mask, data, at);
    }
}
