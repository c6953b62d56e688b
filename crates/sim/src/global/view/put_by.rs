//! Reads that are claimed later: kernels read most of a tile by the same distances, from another place each time, and most of what
//! is read nobody writes. So a read by a row of distances is only noted at its first granule, and claimed once somebody writes.

use super::GRANULE;
use crate::regs::Chunk;
use crate::rows;

/// Rows that are known of an allocation, at most; what is read by others is claimed at once.
const MOST_ROWS: usize = 64;

/// The distances that a read goes by.
#[derive(Debug)]
pub(super) struct Row {
    /// How far each lane is from where the first of the bytes is.
    pub at: Box<[Chunk]>,
    /// The lanes that read.
    pub mask: u64,
    /// Bytes of each.
    pub size: u32,
    /// Where in its granule the first of the bytes is.
    within: u32,
}

/// Reads by one row from one place.
#[derive(Clone, Copy, Debug, Default)]
struct Reads {
    /// The number of the row, from 1 on; 0 is none.
    row: u32,
    /// The claimant, or that there are several.
    claimant: u32,
}

/// The reads of an allocation that are not yet claimed.
#[derive(Debug, Default)]
pub(super) struct PutBy {
    rows: Vec<Row>,
    /// The row that was met last.
    last: usize,
    /// By the granule of their first byte; nothing before the first.
    reads: Vec<Reads>,
}

impl PutBy {
    /// Bytes that it may come to take for each granule.
    pub const MOST: usize = size_of::<Reads>();

    /// Notes a read of an allocation of `len` bytes; `false` if it is to be claimed at once.
    #[inline]
    pub fn note(
        &mut self,
        claimant: u32,
        len: usize,
        from: usize,
        size: usize,
        at: &[Chunk],
        mask: u64,
    ) -> bool {
        let (granule, within) = (from / GRANULE, (from % GRANULE) as u32);
        let is = |row: &Row| {
            (row.mask, row.size, row.within, row.at.len()) == (mask, size as u32, within, at.len())
                && rows::equal(at, &row.at, 0)
        };
        if !self.rows.get(self.last).is_some_and(is) {
            match self.rows.iter().position(is) {
                Some(known) => self.last = known,
                None if self.rows.len() < MOST_ROWS => {
                    self.last = self.rows.len();
                    self.rows.push(Row { at: at.into(), mask, size: size as u32, within });
                }
                None => return false,
            }
        }
        if self.reads.is_empty() {
            self.reads = vec![Reads::default(); len.div_ceil(GRANULE)];
        }
        let row = self.last as u32 + 1;
        let Some(reads) = self.reads.get_mut(granule) else { return false };
        if reads.row != row {
            if reads.row != 0 {
                return false;
            }
            *reads = Reads { row, claimant };
        }
        super::read_by(&mut reads.claimant, claimant);
        true
    }

    /// The reads: who, from which byte on and by which row.
    pub fn reads(&self) -> impl Iterator<Item = (u32, usize, &Row)> {
        self.reads.iter().enumerate().filter_map(|(granule, reads)| {
            let row = self.rows.get((reads.row as usize).checked_sub(1)?)?;
            Some((reads.claimant, granule * GRANULE + row.within as usize, row))
        })
    }
}
