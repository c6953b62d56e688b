//! What the body of a matrix operation reads: everything that is known once the instruction is bound.

use super::element::Element;
use super::host::Step;
use super::layout::{Pair, RowPlace};
use super::table::Accumulator;

/// A matrix operation, bound.
#[derive(Debug)]
pub struct Plan {
    /// Chunks of a register.
    pub chunks: usize,
    /// A.
    pub a: Factor,
    /// B.
    pub b: Factor,
    /// What is added.
    pub c: Addend,
    /// First chunk of D.
    pub d: usize,
    /// Elements of D.
    pub d_type: Accumulator,
    /// Blocks, 16-row tiles of A, 16-column tiles of B.
    pub tiles: [usize; 3],
    /// The steps along K of a dense product.
    pub steps: Box<[Step]>,
    /// The pairs along K of a sparse product.
    pub pairs: Box<[Pair]>,
    /// First chunk of the index registers of a sparse product.
    pub index: usize,
    /// Rows of C, 16 for each tile.
    pub c_rows: Box<[RowPlace]>,
    /// Rows of D, 16 for each tile.
    pub d_rows: Box<[RowPlace]>,
    /// C and D are binary32 and a row of D lies where the same row of C did, or nowhere C is: tile by tile, D can be written
    /// before the next tile's C is read.
    pub direct: bool,
    /// What a product that is not sparse goes along, where the host has a body for that.
    pub stream: Option<Stream>,
    /// The scales of A and B.
    pub scales: Option<Scales>,
    /// Flush denormals of A and B unless MODE keeps them.
    pub flushes_inputs: bool,
    /// MODE.FP16_OVFL makes binary32 results that overflow the largest finite ones, not infinities.
    pub clamps_f32: bool,
    /// Integer results saturate whatever MODE says.
    pub saturates: bool,
    /// Of 4x4 products: for each row of the blocks, the lane of A that each lane takes it from.
    pub a_lanes: [[u8; 64]; 4],
}

/// What [`super::stream`] goes along: offsets in bytes, for each block, in it for each 16 columns, in them for each pass along K.
#[derive(Debug, Default)]
pub struct Stream {
    /// Passes along K.
    pub passes: usize,
    /// C and D are in registers as they are.
    pub in_registers: bool,
    /// A's units in the order in which they are converted, from the slab's begin.
    pub convert: Box<[u32]>,
    /// B's, if it is converted, too.
    pub convert_b: Box<[u32]>,
    /// For each 16 rows, A's elements of the pass, from the slab's begin or, if decoded, from A's first vector; of an A that is
    /// converted, the first one alone, from the first number.
    pub a: Box<[u32]>,
    /// B's units of the pass, from the slab's begin or, if decoded, from B's first vector. (Products with scales take all of A
    /// and B as they are decoded.)
    pub b: Box<[u32]>,
    /// For each four rows, the first one of C, from the slab's begin or from the first sum; all 0 if it is a constant.
    pub c: Box<[u32]>,
    /// For each four rows, the first one of D.
    pub d: Box<[u32]>,
    /// From a row of C, and from one of D, to the next one of the four.
    pub apart: [usize; 2],
    /// Sign bits of B's dwords to turn, for A and B that are negated.
    pub flip: u32,
}

/// A or B.
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    /// First chunk.
    pub at: usize,
    /// Type of the elements.
    pub element: Element,
    /// Elements of a lane.
    pub items: usize,
    /// Chunks of a register that the product reads: where lanes hold A and B twice, the first.
    pub chunks: usize,
    /// The chunk that is read in place of chunk c.
    pub from: [u8; 4],
    /// Negate the items with an even, with an odd number.
    pub negate: [bool; 2],
    /// From 16 rows (columns) to the next 16, in decoded vectors.
    pub tile_stride: usize,
    /// From a block to the next.
    pub block_stride: usize,
}

/// C.
#[derive(Clone, Copy, Debug)]
pub struct Addend {
    /// Where it is.
    pub from: AddendFrom,
    /// Its elements.
    pub element: Accumulator,
    /// Take the absolute value first.
    pub abs: bool,
    /// Negate.
    pub neg: bool,
}

/// Where C is.
#[derive(Clone, Copy, Debug)]
pub enum AddendFrom {
    /// In registers from this chunk.
    Registers(usize),
    /// All elements have these bits.
    Constant(u64),
}

/// The scales of both matrices.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    /// Elements along K with the same scale, 16 or 32.
    pub block: usize,
    /// A's.
    pub a: Scale,
    /// B's.
    pub b: Scale,
}

/// The scales of A or B.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Where they are.
    pub from: ScaleFrom,
    /// What their bytes mean.
    pub format: ScaleFormat,
}

/// Where scales are.
#[derive(Clone, Copy, Debug)]
pub enum ScaleFrom {
    /// gfx950: byte `byte` of the register at chunk `at`, row i and block k in lane i + rows·k.
    Lanes {
        /// Chunk of the register.
        at: usize,
        /// Byte of the dword.
        byte: u8,
    },
    /// gfx1250: block k in byte k%4 of register k/4, row i in lane i + 16·`half`.
    Bytes {
        /// Chunk of the first register.
        at: usize,
        /// 1 if the first row is in lane 16.
        half: usize,
    },
    /// Bits 7:0 of a scalar register, for all elements.
    Scalar(usize),
    /// The same for all elements.
    Constant(u8),
}

/// A format of scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum ScaleFormat {
    E8m0,
    E5m3,
    E4m3,
}
