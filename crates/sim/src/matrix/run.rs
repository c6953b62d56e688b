//! The bodies of products of at least 16 rows and columns with binary32 or integer sums.
//!
//! A and B are decoded to binary32, C is gathered into tiles of 16 rows of 16 columns, each tile is multiplied, and
//! all are rounded and scattered to D. Everything is read before anything is written: D may overlap A, B and C.
//!
//! Each sum starts with C and takes the products in the order of K, one fused multiply-add, to nearest even, each. The
//! scaled products sum a block from zero in that way, multiply by both scales and add the block to the sum, with one
//! rounding but for the double one of binary64 to binary32. Integer sums are exact, then wrapped or saturated. NaN
//! results are the positive quiet NaN without payload.
//!
//! On a host with AVX-512 or AVX2, dense products have bodies of their own ([`super::stream`]); those here are the definition that
//! they are held to.

use std::cell::Cell;

use wavemark_numerics::{bf16, f16, scale};

use super::element::{decode, flush, negate};
use super::host::{Host, Kernel, Lanes, NAN_F16, Step, numbers, numbers_mut};
use super::layout::{Pair, RowPlace};
use super::plan::{AddendFrom, Factor, Plan, Scale, ScaleFormat, ScaleFrom};
use super::table::Accumulator;
use crate::op::{Detail, Op};
use crate::regs::{Chunk, Regs};

/// Memory of an operation, kept by each thread from one to the next.
pub struct Scratch {
    /// A, decoded.
    pub a: [Lanes; 256],
    /// B, decoded.
    pub b: [Lanes; 256],
    /// Sums: 16 rows for each tile.
    pub sums: [Lanes; 128],
    /// Rows of C and D as they are in registers.
    pub words: [Chunk; 128],
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl Scratch {
    /// This thread's.
    #[inline(always)]
    pub fn take() -> Box<Scratch> {
        SCRATCH.take().unwrap_or_else(Scratch::new)
    }

    /// Keep it for the next operation.
    #[inline(always)]
    pub fn give_back(self: Box<Scratch>) {
        SCRATCH.set(Some(self));
    }

    #[cold]
    fn new() -> Box<Scratch> {
        Box::new(Scratch {
            a: [Lanes::ZERO; 256],
            b: [Lanes::ZERO; 256],
            sums: [Lanes::ZERO; 128],
            words: [Chunk::ZERO; 128],
        })
    }
}

/// The plan of an operation that `bind` made.
#[inline(always)]
pub fn plan_of(op: &Op) -> Option<&Plan> {
    match op.detail.as_deref() {
        Some(Detail::Matrix(plan)) => Some(&**plan),
        _ => None,
    }
}

/// Decodes A or B.
#[inline(always)]
pub fn load<H: Host>(regs: &Regs, plan: &Plan, factor: &Factor, words: &mut [Chunk; 128], out: &mut [Lanes]) {
    let chunks = plan.chunks;
    let registers = (factor.items * factor.element.bits()).div_ceil(32);
    let mut from = &regs.v[factor.at..factor.at + registers * chunks];
    if factor.from != [0, 1, 2, 3] {
        for (i, word) in words.iter_mut().enumerate().take(from.len()) {
            *word = from[i / chunks * chunks + factor.from[i % chunks] as usize];
        }
        from = &words[..from.len()];
    }
    let out = &mut out[..factor.items * chunks];
    decode::<H>(factor.element, factor.items, [chunks, factor.chunks], from, out);
    if factor.negate != [false; 2] {
        negate(out, chunks, factor.negate);
    }
    if plan.flushes_inputs && !regs.mode.denorm_in_f32 {
        flush(out);
    }
}

/// Decodes A, B and C; a C that is read tile by tile is not.
#[inline(always)]
pub fn load_all<H: Host>(regs: &Regs, plan: &Plan, scratch: &mut Scratch) {
    load::<H>(regs, plan, &plan.a, &mut scratch.words, &mut scratch.a);
    load::<H>(regs, plan, &plan.b, &mut scratch.words, &mut scratch.b);
    if !plan.direct {
        load_addend::<H>(regs, plan, scratch);
    }
}

/// C and D of a tile of a product that is [`Plan::direct`].
struct Tile16<'a> {
    regs: &'a mut Regs,
    c: AddendFrom,
    c_rows: &'a [RowPlace; 16],
    d: usize,
    d_rows: &'a [RowPlace; 16],
}

impl<'a> Tile16<'a> {
    /// The tile whose first row has the number `first` among those of all tiles.
    #[inline(always)]
    fn new(regs: &'a mut Regs, plan: &'a Plan, first: usize) -> Option<Self> {
        let c_rows = plan.c_rows.get(first..)?.first_chunk()?;
        let d_rows = plan.d_rows.get(first..)?.first_chunk()?;
        Some(Tile16 { regs, c: plan.c.from, c_rows, d: plan.d, d_rows })
    }

    /// The bits of row `r` of C.
    #[inline(always)]
    fn c(&self, r: usize) -> Chunk {
        match self.c {
            AddendFrom::Constant(bits) => Chunk::splat(bits as u32),
            AddendFrom::Registers(at) => *self.chunk(at + self.c_rows[r].chunk as usize),
        }
    }

    /// A chunk of a register of the operation.
    #[inline(always)]
    fn chunk(&self, at: usize) -> &Chunk {
        debug_assert!(at < self.regs.v.len());
        // SAFETY: the binder has placed all registers of the operands inside the slab. (Not checked: an operation has up to
        // 128 rows of C and D, and 16 multiplications hide no more than one check.)
        unsafe { self.regs.v.get_unchecked(at) }
    }

    /// Where the bits of row `r` of D go.
    #[inline(always)]
    fn d(&mut self, r: usize) -> &mut Chunk {
        let at = self.d + self.d_rows[r].chunk as usize;
        debug_assert!(at < self.regs.v.len());
        // SAFETY: as above.
        unsafe { self.regs.v.get_unchecked_mut(at) }
    }
}

/// C of a tile.
#[inline(always)]
fn load_tile(tile: &Tile16<'_>, sums: &mut [Lanes; 16]) {
    for (r, sum) in sums.iter_mut().enumerate() {
        *sum = Lanes::from_bits(tile.c(r));
    }
}

/// D of a tile.
#[inline(always)]
fn store_tile(tile: &mut Tile16<'_>, sums: &[Lanes; 16]) {
    let mut rows = [Chunk::ZERO; 16];
    // One loop over all: as short as a row it would be unrolled, and then not vectorised.
    for (word, x) in Chunk::words_mut(&mut rows).iter_mut().zip(numbers(sums)) {
        *word = number_bits(*x);
    }
    for (r, row) in rows.into_iter().enumerate() {
        *tile.d(r) = row;
    }
}

/// The bits of a result.
#[inline(always)]
fn number_bits(x: f32) -> u32 {
    if x.is_nan() { NAN_BITS } else { x.to_bits() }
}

/// The NaN of results.
pub const NAN_BITS: u32 = 0x7fc0_0000;

/// Whether two rows are the halves of the same lanes.
#[inline(always)]
fn are_both_halves(places: &[RowPlace; 2]) -> bool {
    places[0].chunk == places[1].chunk && !places[0].high && places[1].high
}

/// C as the start of the sums; of an integer product, C aside (in `words`) and zeros as the start.
#[inline(always)]
pub fn load_addend<H: Host>(regs: &Regs, plan: &Plan, scratch: &mut Scratch) {
    let c = &plan.c;
    let rows = plan.c_rows.len();
    let (words, sums) = (&mut scratch.words[..rows], &mut scratch.sums[..rows]);
    let from = |place: &RowPlace| match c.from {
        AddendFrom::Constant(bits) => Chunk::splat(bits as u32),
        AddendFrom::Registers(at) => regs.v[at + place.chunk as usize],
    };
    // A constant is in the low halves.
    let high = |place: &RowPlace| place.high && matches!(c.from, AddendFrom::Registers(_));
    match c.element {
        Accumulator::F32 => {
            for (sum, place) in sums.iter_mut().zip(&plan.c_rows) {
                *sum = Lanes::from_bits(from(place));
            }
        }
        Accumulator::F16 => {
            for (sums, places) in sums.as_chunks_mut().0.iter_mut().zip(plan.c_rows.as_chunks().0) {
                let [first, second] = sums;
                if are_both_halves(places) && high(&places[1]) {
                    H::f16_halves(&from(&places[0]).0, first, second);
                    continue;
                }
                for (sum, place) in [first, second].into_iter().zip(places) {
                    let words = from(place);
                    *sum = if high(place) { H::f16::<16>(&words.0) } else { H::f16::<0>(&words.0) };
                }
            }
        }
        Accumulator::Bf16 => {
            for (sum, place) in sums.iter_mut().zip(&plan.c_rows) {
                let number = |x| f32::from_bits(if high(place) { x & 0xffff_0000 } else { x << 16 });
                *sum = Lanes(from(place).0.map(number));
            }
        }
        Accumulator::I32 | Accumulator::F64 => {
            for (word, place) in words.iter_mut().zip(&plan.c_rows) {
                *word = from(place);
            }
            sums.fill(Lanes::ZERO);
        }
    }
    let sums = &mut scratch.sums[..rows];
    if c.abs {
        numbers_mut(sums).iter_mut().for_each(|x| *x = x.abs());
    }
    if c.neg {
        numbers_mut(sums).iter_mut().for_each(|x| *x = -*x);
    }
}

/// Rounds the sums to the elements of D and writes them, if that is not done tile by tile.
#[inline(always)]
pub fn store<H: Host>(regs: &mut Regs, plan: &Plan, scratch: &mut Scratch) {
    if plan.direct {
        return;
    }
    let ovfl = regs.mode.fp16_ovfl;
    let rows = plan.d_rows.len();
    let (words, sums) = (Chunk::words_mut(&mut scratch.words[..rows]), numbers(&scratch.sums[..rows]));
    match plan.d_type {
        Accumulator::F32 => {
            for (word, x) in words.iter_mut().zip(sums) {
                *word = number_bits(*x);
            }
        }
        Accumulator::I32 => {
            // CDNA 1 to 4 saturate by MODE, as their sums of floats are clamped by it; WMMA by the modifier alone.
            let saturates = plan.saturates || plan.clamps_f32 && ovfl;
            for (word, x) in words.iter_mut().zip(sums) {
                // Below 2^24, so exact.
                let (c, sum) = (*word as i32, *x as i32);
                *word = (if saturates { c.saturating_add(sum) } else { c.wrapping_add(sum) }) as u32;
            }
        }
        Accumulator::F16 if ovfl => round(words, sums, NAN_F16, f16::from_f32_clamped),
        Accumulator::F16 => {
            for (word, sum) in scratch.words.iter_mut().zip(&scratch.sums[..rows]) {
                *word = H::to_f16(sum);
            }
        }
        Accumulator::Bf16 if ovfl => round(words, sums, 0x7fc0, bf16::from_f32_clamped),
        Accumulator::Bf16 => round(words, sums, 0x7fc0, bf16::from_f32),
        Accumulator::F64 => {}
    }
    let words = &scratch.words[..rows];
    let d = &mut regs.v[plan.d..];
    if matches!(plan.d_type, Accumulator::F16 | Accumulator::Bf16) {
        for (places, words) in plan.d_rows.as_chunks().0.iter().zip(words.as_chunks::<2>().0) {
            if are_both_halves(places) {
                let [low, high] = words;
                d[places[0].chunk as usize] = Chunk(std::array::from_fn(|l| low.0[l] | high.0[l] << 16));
                continue;
            }
            for (place, word) in places.iter().zip(words) {
                let (kept, shift) = if place.high { (0xffff, 16) } else { (0xffff_0000, 0) };
                for (d, x) in d[place.chunk as usize].0.iter_mut().zip(word.0) {
                    *d = *d & kept | x << shift;
                }
            }
        }
    } else {
        for (place, word) in plan.d_rows.iter().zip(words) {
            d[place.chunk as usize] = *word;
        }
    }
}

#[inline(always)]
fn round(words: &mut [u32], sums: &[f32], nan: u16, round: impl Fn(f32) -> u16) {
    for (word, x) in words.iter_mut().zip(sums) {
        *word = u32::from(if x.is_nan() { nan } else { round(*x) });
    }
}

/// Calls `f` with each tile's sums and the offsets of its rows and columns in A and B, and the tile's row and column
/// numbers.
#[inline(always)]
fn tiles(plan: &Plan, sums: &mut [Lanes; 128], mut f: impl FnMut(&mut [Lanes; 16], Tile)) {
    let [blocks, rows, columns] = plan.tiles;
    let (sums, _) = sums.as_chunks_mut::<16>();
    let mut sums = sums.iter_mut().zip((0..).step_by(16));
    for block in 0..blocks {
        for row in 0..rows {
            for column in 0..columns {
                let Some((sums, first)) = sums.next() else { return };
                let a = block * plan.a.block_stride + row * plan.a.tile_stride;
                let b = block * plan.b.block_stride + column * plan.b.tile_stride;
                f(sums, Tile { a, b, row, column, first });
            }
        }
    }
}

/// Where a tile is.
#[derive(Clone, Copy)]
struct Tile {
    /// First vector in the decoded A.
    a: usize,
    /// First vector in the decoded B.
    b: usize,
    /// Which 16 rows.
    row: usize,
    /// Which 16 columns.
    column: usize,
    /// Number of its first row among those of all tiles.
    first: usize,
}

/// `acc + a * b`, rounded once; a finite overflow gives the largest finite number.
#[cold]
pub fn clamped(acc: f32, a: f32, b: f32) -> f32 {
    let sum = a.mul_add(b, acc);
    if sum.is_infinite() && a.is_finite() && b.is_finite() && acc.is_finite() {
        f32::MAX.copysign(sum)
    } else {
        sum
    }
}

/// [`Host::multiply`] with each sum clamped.
#[cold]
fn clamped_dense(sums: &mut [Lanes; 16], a: &[Lanes], b: &[Lanes], steps: &[Step]) {
    for step in steps {
        let (a, b) = (&a[step.a as usize].0, &b[step.b as usize].0);
        for (row, x) in sums.iter_mut().zip(a) {
            for (sum, y) in row.0.iter_mut().zip(b) {
                *sum = clamped(*sum, *x, *y);
            }
        }
    }
}

/// [`Host::multiply_sparse`] with each sum clamped.
#[cold]
fn clamped_sparse(
    sums: &mut [Lanes; 16],
    a: &[Lanes],
    b: &[Lanes],
    index: &[Chunk],
    pairs: &[Pair],
    chunks: usize,
) {
    for pair in pairs {
        for (r, row) in sums.iter_mut().enumerate() {
            let bits = index[pair.index as usize].0[r] >> pair.shift;
            for (n, position) in [bits & 3, bits >> 2 & 3].into_iter().enumerate() {
                let x = a[pair.a as usize + n * chunks].0[r];
                let b = &b[pair.b[position as usize] as usize].0;
                for (sum, y) in row.0.iter_mut().zip(b) {
                    *sum = clamped(*sum, x, *y);
                }
            }
        }
    }
}

/// A dense product.
pub struct Dense;

impl Kernel for Dense {
    #[inline(always)]
    fn run<H: Host>(regs: &mut Regs, op: &Op) {
        let Some(plan) = plan_of(op) else { return };
        let mut scratch = Scratch::take();
        let clamps = plan.clamps_f32 && regs.mode.fp16_ovfl;
        load_all::<H>(regs, plan, &mut scratch);
        let exact = plan.a.element.exact_products() && plan.b.element.exact_products();
        let Scratch { a, b, sums, .. } = &mut *scratch;
        tiles(plan, sums, |sums, at| {
            let (a, b) = (&a[at.a..], &b[at.b..]);
            let steps = &plan.steps;
            let Some(mut tile) = Tile16::new(regs, plan, at.first) else { return };
            if plan.direct {
                load_tile(&tile, sums);
            }
            match (clamps, exact) {
                (true, _) => clamped_dense(sums, a, b, steps),
                (false, true) => H::multiply::<true>(sums, a, b, steps),
                (false, false) => H::multiply::<false>(sums, a, b, steps),
            }
            if plan.direct {
                store_tile(&mut tile, sums);
            }
        });
        store::<H>(regs, plan, &mut scratch);
        scratch.give_back();
    }
}

/// A dense product with scales.
pub struct Scaled;

impl Kernel for Scaled {
    #[inline(always)]
    fn run<H: Host>(regs: &mut Regs, op: &Op) {
        let Some(plan) = plan_of(op) else { return };
        let Some(scales) = &plan.scales else { return };
        let mut scratch = Scratch::take();
        load_all::<H>(regs, plan, &mut scratch);
        let [_, row_tiles, column_tiles] = plan.tiles;
        let blocks = plan.steps.len() / scales.block;
        let [mut a_scales, mut b_scales] = [[Lanes::ZERO; MOST_SCALES]; 2];
        scale_values(regs, &scales.a, row_tiles, &mut a_scales[..blocks * row_tiles]);
        scale_values(regs, &scales.b, column_tiles, &mut b_scales[..blocks * column_tiles]);
        let clamps = plan.clamps_f32 && regs.mode.fp16_ovfl;
        let Scratch { a, b, sums, .. } = &mut *scratch;
        tiles(plan, sums, |sums, at| {
            let Some(mut tile) = Tile16::new(regs, plan, at.first) else { return };
            if plan.direct {
                load_tile(&tile, sums);
            }
            for (block, steps) in plan.steps.chunks_exact(scales.block).enumerate() {
                let mut products = [Lanes::ZERO; 16];
                H::multiply::<true>(&mut products, &a[at.a..], &b[at.b..], steps);
                let rows = &a_scales[block * row_tiles + at.row].0;
                let columns = &b_scales[block * column_tiles + at.column].0;
                for ((sum, product), row) in sums.iter_mut().zip(&products).zip(rows) {
                    let before = *sum;
                    for ((sum, product), column) in sum.0.iter_mut().zip(&product.0).zip(columns) {
                        let scale = f64::from(*row) * f64::from(*column);
                        *sum = (f64::from(*sum) + f64::from(*product) * scale) as f32;
                    }
                    if clamps {
                        clamp_row(sum, &before, product);
                    }
                }
            }
            if plan.direct {
                store_tile(&mut tile, sums);
            }
        });
        store::<H>(regs, plan, &mut scratch);
        scratch.give_back();
    }
}

/// Makes infinities the largest finite numbers, but where one was added to or added.
#[cold]
fn clamp_row(sums: &mut Lanes, before: &Lanes, product: &Lanes) {
    for ((sum, before), product) in sums.0.iter_mut().zip(&before.0).zip(&product.0) {
        if sum.is_infinite() && before.is_finite() && product.is_finite() {
            *sum = f32::MAX.copysign(*sum);
        }
    }
}

/// Blocks along K of a scaled product, times the 16 rows of which it has most.
pub const MOST_SCALES: usize = 16;

/// Scales, by block along K and then by 16 rows (columns) of `tiles`.
#[inline(always)]
pub fn scale_values(regs: &Regs, scale: &Scale, tiles: usize, values: &mut [Lanes]) {
    match scale.format {
        ScaleFormat::E8m0 => scale_values_of(regs, scale, tiles, values, scale::e8m0_to_f32),
        ScaleFormat::E5m3 => scale_values_of(regs, scale, tiles, values, scale::e5m3_to_f32),
        ScaleFormat::E4m3 => scale_values_of(regs, scale, tiles, values, scale::e4m3_scale_to_f32),
    }
}

#[inline(always)]
fn scale_values_of(
    regs: &Regs,
    scale: &Scale,
    tiles: usize,
    values: &mut [Lanes],
    value: impl Fn(u8) -> f32,
) {
    for (block, values) in values.chunks_exact_mut(tiles).enumerate() {
        for (tile, values) in values.iter_mut().enumerate() {
            let (chunk, byte) = match scale.from {
                ScaleFrom::Lanes { at, byte } => (&regs.v[at + tile + tiles * block], u32::from(byte)),
                ScaleFrom::Bytes { at, half } => {
                    (&regs.v[at + block / 4 * regs.chunks + tile + half], block as u32 % 4)
                }
                ScaleFrom::Scalar(at) => (&Chunk::splat(regs.s[at]), 0),
                ScaleFrom::Constant(byte) => (&Chunk::splat(u32::from(byte)), 0),
            };
            for (x, word) in values.0.iter_mut().zip(&chunk.0) {
                *x = value((word >> (8 * byte)) as u8);
            }
        }
    }
}

/// A product with a sparse A: each of its elements meets the row of B that its index says, the others none.
pub struct Sparse;

impl Kernel for Sparse {
    #[inline(always)]
    fn run<H: Host>(regs: &mut Regs, op: &Op) {
        let Some(plan) = plan_of(op) else { return };
        let mut scratch = Scratch::take();
        load_all::<H>(regs, plan, &mut scratch);
        let clamps = plan.clamps_f32 && regs.mode.fp16_ovfl;
        let exact = plan.a.element.exact_products() && plan.b.element.exact_products();
        let Scratch { a, b, sums, .. } = &mut *scratch;
        tiles(plan, sums, |sums, at| {
            let (a, b, index) = (&a[at.a..], &b[at.b..], &regs.v[plan.index + at.row..]);
            if clamps {
                clamped_sparse(sums, a, b, index, &plan.pairs, plan.chunks);
            } else if exact {
                H::multiply_sparse::<true>(sums, a, b, index, &plan.pairs, plan.chunks);
            } else {
                H::multiply_sparse::<false>(sums, a, b, index, &plan.pairs, plan.chunks);
            }
        });
        store::<H>(regs, plan, &mut scratch);
        scratch.give_back();
    }
}
