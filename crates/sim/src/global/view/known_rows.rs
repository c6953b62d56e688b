//! Rows of distances that accesses go by, as bytes of granules. A kernel goes by few, from another place each time, so that
//! what the lanes of one touch is worked out once.

use super::granules;
use crate::pending::lanes;
use crate::regs::Chunk;
use crate::rows;

/// Rows that are known of an allocation, at most.
const MOST: usize = 64;
/// So many lanes back a piece is looked for that another lane adds to: what a fragment of a matrix has in two halves of a wave
/// is in one granule.
const FAR: usize = 16;

/// Bytes of a granule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Its number, from that on in which the first of the bytes is.
    pub granule: usize,
    /// Which bytes, one bit each.
    pub bytes: u64,
}

/// A row, and what its lanes touch.
#[derive(Debug, Default)]
struct Row {
    /// How far each lane is from where the first of the bytes is.
    at: Vec<Chunk>,
    /// The lanes that access something; none, of a place that no row has.
    mask: u64,
    /// Bytes of each.
    size: usize,
    /// Where in its granule the first of the bytes is.
    within: usize,
    pieces: Vec<Piece>,
}

/// The rows that are known of an allocation.
#[derive(Debug, Default)]
pub(super) struct KnownRows {
    /// Each in the place that its distances choose; nothing before the first.
    rows: Vec<Row>,
}

impl KnownRows {
    /// What the lanes of `mask` touch that have `size` bytes each at `at` from a place that is `within` its granule.
    #[inline]
    pub fn pieces(&mut self, within: usize, size: usize, at: &[Chunk], mask: u64) -> &[Piece] {
        if self.rows.is_empty() {
            self.rows.resize_with(MOST, Row::default);
        }
        let row = &mut self.rows[place(within, at)];
        let known = row.mask == mask
            && (row.size, row.within, row.at.len()) == (size, within, at.len())
            && rows::equal(at, &row.at, 0);
        if !known {
            row.learn(within, size, at, mask);
        }
        &row.pieces
    }
}

/// The place of a row that begins like that.
#[inline]
fn place(within: usize, at: &[Chunk]) -> usize {
    let [first, second] = at.first().map_or([0; 2], |chunk| [chunk.0[0], chunk.0[1]]);
    let mixed = first ^ second.rotate_left(8) ^ (within as u32).rotate_left(16);
    (mixed.wrapping_mul(0x9e37_79b9) >> (u32::BITS - MOST.ilog2())) as usize
}

impl Row {
    #[cold]
    #[inline(never)]
    fn learn(&mut self, within: usize, size: usize, at: &[Chunk], mask: u64) {
        (self.mask, self.size, self.within) = (mask, size, within);
        self.at.clear();
        self.at.extend_from_slice(at);
        self.pieces.clear();
        for lane in lanes(mask) {
            let start = within + at[lane as usize / 16].0[lane as usize % 16] as usize;
            for (granule, bytes) in granules(start, size) {
                match self.pieces.iter_mut().rev().take(FAR).find(|piece| piece.granule == granule) {
                    Some(piece) => piece.bytes |= bytes,
                    None => self.pieces.push(Piece { granule, bytes }),
                }
            }
        }
    }
}
