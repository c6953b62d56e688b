//! Which register and lane holds which element.
//!
//! Words used here: the *items* of a lane are the elements of A (or B) in its registers, counted from the first
//! register's lowest bits. Lanes with the same row of A (column of B) form *groups*: group g holds a part of K. Along
//! K, items come in *runs*: first a run of items of group 0, then one of group 1, and so on, and again from group 0
//! with the next items ([`Side::place`]).
//!
//! | | lane of row i, block b, group g | run |
//! |---|---|---|
//! | gfx950 (CDNA4 7.1.4.1) | i + M·(b + B·g) | all items; 16 for 8-bit elements of `f8f6f4` |
//! | gfx950, sparse (CDNA4 7.5.1) | the same | all items; half of B's items for the shapes that CDNA4 added |
//! | gfx1250 (CDNA5 7.12.2, 7.12.6.1) | i%16 + 16·g | 2 for 32 bits, 8 for 16 and 8 bits; `f8f6f4` and `f4`: 16 for 8 bits, 32 for 6 and 4 |
//! | gfx1250, sparse (CDNA5 7.12.4, 7.12.5) | the same | 16 of the unpacked A and of B |
//!
//! In waves of 64 lanes gfx12 keeps the first half of a lane's items where they are and has the second half in the lane
//! 32 further, unless they take a single register: those stay in the lower 32 lanes (RDNA4 7.12.1, 7.12.2, table 43).
//!
//! The manual of CDNA4 has figures for the runs of `f8f6f4` and of A of the added sparse shapes that its text form
//! lacks; Composable Kernel, which is tested on the hardware, has the numbers. The run matters only where A and B have
//! different ones, or scales.
//!
//! On gfx1250 the second 16 rows of the 32x128 A stand behind the first ones' registers.
//!
//! C and D: gfx950 has row i of block b in item i%4 + 4·(i/(4·M_I) + G·(b/B_I)) of lane
//! j + N·((i/4)%M_I + M_I·(b%B_I)) (CDNA4 7.1.4.2, where M_I, B_I and G are defined); gfx1250 has row i in item
//! i%8 + 8·(i/16) of lane j + 16·((i%16)/8) (CDNA5 7.12.2).

use super::host::Step;
use super::table::{Accumulator, Family, Kind, MatrixRow, Source};

/// How A or B lies in the registers. Indices of decoded vectors are `item * chunks + chunk`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Items of a lane that are stored.
    pub items: usize,
    /// Groups of lanes along K.
    pub groups: usize,
    /// Items of a run, counted before packing.
    pub run: usize,
    /// Items of a lane, counted before packing, from which on they are in the lane `groups` groups further.
    pub per_lane: usize,
    /// From a group to the next, in decoded vectors.
    pub group_stride: usize,
    /// From 16 rows (columns) to the next 16.
    pub tile_stride: usize,
    /// From a block to the next.
    pub block_stride: usize,
}

impl Side {
    /// Item (before packing) and group of element `k`.
    pub fn place(&self, k: usize) -> (usize, usize) {
        let cycle = self.run * self.groups;
        let (item, group) = (k / cycle * self.run + k % self.run, k / self.run % self.groups);
        (item % self.per_lane, group + item / self.per_lane * self.groups)
    }
}

/// A row of 16 columns of C or D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// Chunk from the first one of the matrix.
    pub chunk: u16,
    /// It is in the high halves.
    pub high: bool,
}

/// Two elements of a sparse A, and what they can meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The first element's decoded vector; the second one's is `chunks` further.
    pub a: u16,
    /// Chunk of the index registers, from their first.
    pub index: u8,
    /// Bit of the first element's index; the second one's is two further.
    pub shift: u8,
    /// Decoded vectors of B for the index values 0…3.
    pub b: [u16; 4],
}

/// The layout of an instruction.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Chunks of a register.
    pub chunks: usize,
    /// A.
    pub a: Side,
    /// B.
    pub b: Side,
    /// Blocks, 16-row tiles of A, 16-column tiles of B.
    pub tiles: [usize; 3],
}

impl Layout {
    /// The layout of `row`, at least 16 rows and columns, with A's and B's elements `bits` wide, in registers of `chunks`
    /// chunks.
    pub fn of(row: &MatrixRow, bits: [usize; 2], chunks: usize) -> Layout {
        let (m, n, blocks) = (row.m as usize, row.n as usize, row.blocks as usize);
        let tiles = [blocks, m / 16, n / 16];
        let sparse = row.kind == Kind::Sparse;
        let [a, b] = match row.family {
            Family::WmmaTwice => [m, n].map(|_| Side {
                items: row.k as usize,
                groups: 1,
                run: row.k as usize,
                per_lane: row.k as usize,
                group_stride: 1,
                tile_stride: 0,
                block_stride: 0,
            }),
            Family::Mfma => [(m, 0), (n, 1)].map(|(rows, which)| {
                let groups = 64 / (rows * blocks);
                let items = row.k as usize / groups;
                let byte_format = row.a == Source::Chosen && bits[which] == 8;
                let doubled = sparse && which == 1 && items * bits[which] == 256;
                let packed = sparse && which == 0;
                Side {
                    items: if packed { items / 2 } else { items },
                    groups,
                    run: if byte_format {
                        16
                    } else if doubled {
                        items / 2
                    } else {
                        items
                    },
                    per_lane: items,
                    group_stride: rows / 16 * blocks,
                    tile_stride: 1,
                    block_stride: rows / 16,
                }
            }),
            Family::Wmma => [(m, 0), (n, 1)].map(|(rows, which)| {
                let items = row.k as usize / 2;
                let blocked = row.a == Source::Chosen || m == 32;
                let run = match bits[which] {
                    _ if sparse => 16.min(items),
                    32 => 2,
                    16 => 8,
                    8 => {
                        if blocked {
                            16
                        } else {
                            8
                        }
                    }
                    _ if blocked => 32,
                    _ => items,
                };
                let stored = if sparse && which == 0 { items / 2 } else { items };
                let lanes = if chunks == 4 && stored * bits[which] > 32 { 2 } else { 1 };
                Side {
                    items: stored / lanes * (rows / 16),
                    groups: 2,
                    run: run.min(items),
                    per_lane: items / lanes,
                    group_stride: 1,
                    tile_stride: items * 2,
                    block_stride: 0,
                }
            }),
        };
        Layout { chunks, a, b, tiles }
    }

    /// The steps of a dense product along K, for the first tile.
    pub fn steps(&self, k: usize) -> Vec<Step> {
        let at = |side: &Side, k| {
            let (item, group) = side.place(k);
            (item * self.chunks + group * side.group_stride) as u16
        };
        (0..k).map(|k| Step { a: at(&self.a, k), b: at(&self.b, k) }).collect()
    }

    /// The pairs of a sparse product along K (counted before packing), for the first tile; `first_bit` is where the
    /// indices of a lane begin.
    pub fn pairs(&self, k: usize, first_bit: usize) -> Vec<Pair> {
        (0..k)
            .step_by(4)
            .map(|k| {
                let (item, group) = self.a.place(k);
                let stored = item / 2;
                let bit = first_bit + 2 * stored;
                Pair {
                    a: (stored * self.chunks + group * self.a.group_stride) as u16,
                    index: (bit / 32 * self.chunks + group * self.a.group_stride) as u8,
                    shift: (bit % 32) as u8,
                    b: [0, 1, 2, 3].map(|i| {
                        let (item, group) = self.b.place(k + i);
                        (item * self.chunks + group * self.b.group_stride) as u16
                    }),
                }
            })
            .collect()
    }

    /// Places of the rows of all tiles, 16 for each tile; blocks outermost, then row tiles, then column tiles. `high` is
    /// the half that OPSEL chooses for elements that have a register each.
    pub fn rows(&self, row: &MatrixRow, element: Accumulator, high: bool) -> Vec<RowPlace> {
        let [blocks, row_tiles, column_tiles] = self.tiles;
        let mut places = Vec::with_capacity(blocks * row_tiles * column_tiles * 16);
        for block in 0..blocks {
            for tile in 0..row_tiles {
                for column_tile in 0..column_tiles {
                    for i in 16 * tile..16 * tile + 16 {
                        places.push(match row.family {
                            Family::Mfma => mfma_row(row, block, i, column_tile),
                            Family::Wmma => wmma_row(i, element, self.chunks),
                            Family::WmmaTwice => RowPlace { chunk: i as u16, high },
                        });
                    }
                }
            }
        }
        places
    }
}

/// Row `i` of `block` on gfx950, columns from 16·`column_tile`.
fn mfma_row(row: &MatrixRow, block: usize, i: usize, column_tile: usize) -> RowPlace {
    let (m, n) = (row.m as usize, row.n as usize);
    let blocks_per_item = 64usize.div_ceil(n * m / 4);
    let rows_per_item = 64 / blocks_per_item / n;
    let row_groups = m / (4 * rows_per_item);
    let item = i % 4 + 4 * (i / (4 * rows_per_item) + row_groups * (block / blocks_per_item));
    let lane = 16 * column_tile + n * (i / 4 % rows_per_item + rows_per_item * (block % blocks_per_item));
    RowPlace { chunk: (item * 4 + lane / 16) as u16, high: false }
}

/// Row `i` on gfx12, in registers of `chunks` chunks.
fn wmma_row(i: usize, element: Accumulator, chunks: usize) -> RowPlace {
    let items = 16 / chunks;
    let (item, group) = (i % items + items * (i / 16), i % 16 / 8 + i % 8 / items * 2);
    match element {
        Accumulator::F16 | Accumulator::Bf16 => {
            RowPlace { chunk: (item / 2 * chunks + group) as u16, high: item % 2 == 1 }
        }
        _ => RowPlace { chunk: (item * chunks + group) as u16, high: false },
    }
}
