//! The descriptor of tensor DMA, unpacked, and the contiguous pieces that a transfer moves (CDNA5 ISA 10.11).
//!
//! Strides and dimensions are in elements, `global_addr` is the tile's start and dimensions count from it, the
//! pad interval code c means 2^(c+1) dwords and the pad amount code c+1 dwords, the barrier address is in
//! units of 8 bytes: where sources disagree, this is what LLVM's and Triton's tests do.

use std::ops::Range;

/// A contiguous piece of a tensor transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorPiece {
    /// Global address; `None` where the tensor ends: reads zero, stores nothing.
    pub global: Option<u64>,
    /// LDS byte offset.
    pub lds: u32,
    /// Bytes.
    pub bytes: u32,
}

/// Pieces of one transfer that are looked at: more than LDS has bytes, so that a transfer of more has long
/// been reported as out of bounds.
const MOST_PIECES: usize = 1 << 20;

/// A tensor descriptor, unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorDescriptor {
    /// Bits 1:0 of group 0: 0 means that the instruction does nothing.
    pub count: u32,
    /// Row indices, when gathering.
    pub gather: Option<Vec<u32>>,
    /// LDS byte address of the tile.
    pub lds_addr: u32,
    /// Global byte address of the tile.
    pub global_addr: u64,
    /// Workgroups of the cluster that take part.
    pub workgroup_mask: u32,
    /// Bytes per element.
    pub element: u32,
    /// LDS address of the barrier to arrive at.
    pub barrier: Option<u32>,
    /// Iterations, with the LDS and global increments in elements.
    pub iterate: Option<(u32, u32, u64)>,
    /// Padding: after so many bytes, so many bytes are skipped.
    pub pad: Option<(u32, u32)>,
    /// Tensor dimensions from the tile's start, in elements.
    pub tensor: [u32; 5],
    /// Tile dimensions, in elements; 0 counts as 1 beyond dimension 0.
    pub tile: [u32; 5],
    /// Strides of dimensions 1…4, in elements.
    pub stride: [u64; 4],
}

impl TensorDescriptor {
    /// Unpack the descriptor groups (tables 62 to 67); groups 2 and 3 are zeros where the instruction has
    /// none.
    pub fn unpack(g0: [u32; 4], g1: [u32; 8], g2: [u32; 4], g3: [u32; 4]) -> TensorDescriptor {
        let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let gathering = g0[0] & Self::GATHERS != 0;
        let tile1 = g1[4] & 0xffff;
        let gather = gathering.then(|| {
            let words = g2.iter().chain(&g3).copied();
            let all: Vec<u32> = if g0[0] >> 30 & 1 != 0 {
                words.collect()
            } else {
                words.flat_map(|w| [w & 0xffff, w >> 16]).collect()
            };
            all.into_iter().take(tile1 as usize).collect()
        });
        let flag = |n: u32| g1[0] >> n & 1 != 0;
        let iterating = flag(19) && !gathering;
        let more = !gathering;
        let or0 = |x: u32| if more { x } else { 0 };
        TensorDescriptor {
            count: g0[0] & 3,
            gather,
            lds_addr: g0[1],
            global_addr: wide(g0[2], g0[3]) & ((1 << 57) - 1),
            workgroup_mask: g1[0] & 0xffff,
            element: 1 << (g1[0] >> 16 & 3),
            barrier: flag(18).then_some((g1[1] & 0xffff) << 3),
            iterate: iterating.then(|| (((g2[3] >> 16) + 1), g2[1], wide(g2[2], g2[3] & 0xffff))),
            pad: flag(20).then(|| {
                let interval = 2u32 << (g1[0] >> 22 & 7);
                let amount = (g1[0] >> 25) + 1;
                (interval * 4, amount * 4)
            }),
            tensor: [
                g1[1] >> 16 | g1[2] << 16,
                g1[2] >> 16 | g1[3] << 16,
                or0(g2[0]),
                if iterating { 0 } else { or0(g2[1]) },
                or0(g3[1] >> 16 | g3[2] << 16),
            ],
            tile: [
                g1[3] >> 16,
                tile1,
                g1[4] >> 16,
                if iterating { 0 } else { or0(g2[3] >> 16) },
                or0(g3[2] >> 16),
            ],
            stride: [
                wide(g1[5], g1[6] & 0xffff),
                wide(g1[6] >> 16 | g1[7] << 16, g1[7] >> 16),
                if iterating { 0 } else { or0_wide(more, wide(g2[2], g2[3] & 0xffff)) },
                or0_wide(more, wide(g3[0], g3[1] & 0xffff)),
            ],
        }
    }

    /// The bit of the first dword by which rows are gathered.
    pub const GATHERS: u32 = 1 << 31;

    /// The bits of the groups that say where in LDS the tile lies: all that [`Self::lds_range`] depends on, but for the
    /// count, which switches the instruction off. `gathering`: with [`Self::GATHERS`], by which groups 2 and 3
    /// are the rows' indices in global memory.
    pub fn of_lds(gathering: bool) -> [&'static [u32]; 4] {
        let (first, second): (&[u32], &[u32]) =
            (&[0xc000_0000, !0, 0, 0], &[0xffff_0000, 0, 0, 0xffff_0000, !0, 0, 0, 0]);
        if gathering {
            return [first, second, &[0; 4], &[0; 4]];
        }
        [first, second, &[0, !0, 0, 0xffff_0000], &[0, 0, 0xffff_0000, 0]]
    }

    /// From the first byte of the tile in LDS to behind the last, whatever the count; empty for an empty tile.
    pub fn lds_range(&self) -> Range<u64> {
        let from = u64::from(self.lds_addr);
        let rows = match &self.gather {
            Some(rows) => rows.len() as u64,
            None => self.tile[1..].iter().map(|&extent| u64::from(extent.max(1))).product(),
        };
        let bytes = rows * u64::from(self.tile[0]) * u64::from(self.element);
        if bytes == 0 {
            return from..from;
        }
        let pads =
            self.pad.map_or(0, |(interval, amount)| (bytes - 1) / u64::from(interval) * u64::from(amount));
        let (iterations, step) = self.iterate.map_or((1, 0), |(iterations, step, _)| (iterations, step));
        let steps = u64::from(iterations.max(1) - 1) * u64::from(step) * u64::from(self.element);
        from..from + bytes + pads + steps
    }

    /// The pieces that one transfer moves, in the order of LDS addresses: each is part of one row, split at
    /// padding and where the tensor ends.
    pub fn pieces(&self) -> Vec<TensorPiece> {
        let mut pieces = Vec::new();
        let (iterations, lds_step, global_step) = self.iterate.unwrap_or((1, 0, 0));
        for i in 0..iterations {
            let lds = self.lds_addr.wrapping_add(i.wrapping_mul(lds_step).wrapping_mul(self.element));
            let step = u64::from(i).wrapping_mul(global_step).wrapping_mul(u64::from(self.element));
            if !self.tile_pieces(lds, self.global_addr.wrapping_add(step), &mut pieces) {
                break;
            }
        }
        pieces
    }

    /// The pieces of one tile; `false` if there are more than [`MOST_PIECES`] by now.
    fn tile_pieces(&self, lds: u32, global: u64, out: &mut Vec<TensorPiece>) -> bool {
        let mut place = LdsPlace { at: lds, since_pad: 0, pad: self.pad };
        if self.tile[0] == 0 {
            return true;
        }
        if let Some(rows) = &self.gather {
            for &row in rows {
                let inside = row < self.tensor[1];
                let elements = u64::from(row).wrapping_mul(self.stride[0]);
                let base = global.wrapping_add(elements.wrapping_mul(u64::from(self.element)));
                self.row(base, inside, &mut place, out);
            }
            return true;
        }
        let extent = |d: usize| self.tile[d].max(1);
        for w in 0..extent(4) {
            for z in 0..extent(3) {
                for y in 0..extent(2) {
                    for x in 0..extent(1) {
                        let at = [x, y, z, w];
                        // A dimension that the tile does not use has no bound.
                        let inside = (0..4).all(|d| self.tile[d + 1] == 0 || at[d] < self.tensor[d + 1]);
                        let elements = (0..4).fold(0u64, |sum, d| {
                            sum.wrapping_add(u64::from(at[d]).wrapping_mul(self.stride[d]))
                        });
                        let base = global.wrapping_add(elements.wrapping_mul(u64::from(self.element)));
                        self.row(base, inside, &mut place, out);
                        if out.len() > MOST_PIECES {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }

    fn row(&self, base: u64, inside: bool, place: &mut LdsPlace, out: &mut Vec<TensorPiece>) {
        let valid = if inside { self.tile[0].min(self.tensor[0]) } else { 0 };
        place.emit(Some(base), valid * self.element, out);
        place.emit(None, (self.tile[0] - valid) * self.element, out);
    }
}

fn or0_wide(keep: bool, x: u64) -> u64 {
    if keep { x } else { 0 }
}

/// Where the next byte goes in LDS.
struct LdsPlace {
    at: u32,
    since_pad: u32,
    pad: Option<(u32, u32)>,
}

impl LdsPlace {
    fn emit(&mut self, mut global: Option<u64>, mut bytes: u32, out: &mut Vec<TensorPiece>) {
        while bytes != 0 {
            let now = match self.pad {
                Some((interval, _)) => bytes.min(interval - self.since_pad),
                None => bytes,
            };
            out.push(TensorPiece { global, lds: self.at, bytes: now });
            self.at = self.at.wrapping_add(now);
            global = global.map(|g| g.wrapping_add(u64::from(now)));
            bytes -= now;
            if let Some((interval, amount)) = self.pad {
                self.since_pad += now;
                if self.since_pad == interval {
                    self.since_pad = 0;
                    self.at = self.at.wrapping_add(amount);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor_2d(tile: [u32; 2], tensor: [u32; 2], stride: u32, flags: u32) -> TensorDescriptor {
        let g0 = [1, 0x100, 0x1000, 0x8000_0000];
        let g1 = [
            2 << 16 | flags,
            tensor[0] << 16,
            tensor[0] >> 16 | tensor[1] << 16,
            tensor[1] >> 16 | tile[0] << 16,
            tile[1],
            stride,
            0,
            0,
        ];
        TensorDescriptor::unpack(g0, g1, [0; 4], [0; 4])
    }

    #[test]
    fn rows_of_a_two_dimensional_tile() {
        let d = descriptor_2d([4, 2], [100, 100], 64, 0);
        assert_eq!(
            d.pieces(),
            [
                TensorPiece { global: Some(0x1000), lds: 0x100, bytes: 16 },
                TensorPiece { global: Some(0x1100), lds: 0x110, bytes: 16 },
            ]
        );
    }

    #[test]
    fn the_range_is_that_of_the_pieces() {
        for flags in [0, 1 << 20 | 1 << 25, 1 << 20 | 3 << 22] {
            for tile in [[4, 2], [3, 1], [16, 5], [0, 2], [7, 0]] {
                let d = descriptor_2d(tile, [100, 3], 64, flags);
                let pieces = d.pieces();
                let ends = pieces.iter().map(|piece| u64::from(piece.lds + piece.bytes)).max();
                assert_eq!(d.lds_range(), 0x100..ends.unwrap_or(0x100), "{tile:?} {flags:#x}");
            }
        }
    }

    #[test]
    fn beyond_the_tensor_is_zero() {
        let d = descriptor_2d([4, 2], [3, 1], 64, 0);
        assert_eq!(
            d.pieces(),
            [
                TensorPiece { global: Some(0x1000), lds: 0x100, bytes: 12 },
                TensorPiece { global: None, lds: 0x10c, bytes: 4 },
                TensorPiece { global: None, lds: 0x110, bytes: 16 },
            ]
        );
    }

    #[test]
    fn padding_skips_lds() {
        // Interval code 0: 2 dwords; amount code 1: 2 dwords.
        let d = descriptor_2d([4, 1], [4, 1], 64, 1 << 20 | 1 << 25);
        assert_eq!(
            d.pieces(),
            [
                TensorPiece { global: Some(0x1000), lds: 0x100, bytes: 8 },
                TensorPiece { global: Some(0x1008), lds: 0x110, bytes: 8 },
            ]
        );
    }
}
