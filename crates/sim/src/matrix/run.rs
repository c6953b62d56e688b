//! The bodies of products of at least 16 rows and columns with binary32 or integer sums.
//!
//! A and B are decoded to binary32, C is gathered into tiles of 16 rows of 16 columns, each tile is multiplied, and
//! all are rounded and scattered to D. Everything is read before anything is written: D may overlap A, B and C.
//!
//! Each sum starts with C and takes the products in the order of K, one fused multiply-add, to nearest even, each. The
//! scaled products sum a block from zero in that way, multiply by both scales and add the block to the sum, with one
//! rounding but for the double one of binary64 to binary32. Integer sums are exact, then wrapped or saturated. NaN
//! results are the positive quiet NaN without payload.

use std::cell::Cell;

use wavemark_numerics::{bf16, f16, scale};

use super::element::{Registers, decode, flush, negate};
use super::host::{Host, Kernel, Lanes, Step};
use super::plan::{Addend, AddendFrom, Factor, Plan, Scale, ScaleFormat, ScaleFrom};
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
    /// C of an integer product.
    pub c: [Chunk; 128],
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
            c: [Chunk::ZERO; 128],
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

/// `acc + a * b`, rounded once; with `clamps`, a finite overflow gives the largest finite number.
#[inline(always)]
pub fn fused(acc: f32, a: f32, b: f32, clamps: bool) -> f32 {
    let sum = a.mul_add(b, acc);
    if clamps && sum.is_infinite() && a.is_finite() && b.is_finite() && acc.is_finite() {
        f32::MAX.copysign(sum)
    } else {
        sum
    }
}

/// Decodes A or B.
#[inline(always)]
pub fn load<H: Host>(regs: &Regs, plan: &Plan, factor: &Factor, out: &mut [Lanes]) {
    let registers = (factor.items * factor.element.bits()).div_ceil(32);
    let words = &regs.v[factor.at..factor.at + registers * plan.chunks];
    let out = &mut out[..factor.items * plan.chunks];
    decode::<H>(
        factor.element,
        factor.items,
        Registers { words, chunks: plan.chunks, from: factor.from },
        out,
    );
    if factor.negate != [false; 2] {
        negate(out, plan.chunks, factor.negate);
    }
    if plan.flushes_inputs && !regs.mode.denorm_in_f32 {
        flush(out);
    }
}

/// The bits of a row of C.
#[inline(always)]
fn addend_row(regs: &Regs, c: &Addend, chunk: u16, high: bool) -> Chunk {
    match c.from {
        AddendFrom::Constant(bits) => Chunk::splat(bits as u32),
        AddendFrom::Registers(at) => {
            let word = &regs.v[at + chunk as usize];
            if high { Chunk(word.0.map(|x| x >> 16)) } else { *word }
        }
    }
}

/// C as the start of the sums; of an integer product, C aside and zeros as the start.
#[inline(always)]
pub fn load_addend(regs: &Regs, plan: &Plan, scratch: &mut Scratch) {
    let c = &plan.c;
    for (i, place) in plan.c_rows.iter().enumerate() {
        let row = addend_row(regs, c, place.chunk, place.high);
        let mut sum = match c.element {
            Accumulator::F32 => Lanes(row.0.map(f32::from_bits)),
            Accumulator::F16 => Lanes(row.0.map(|x| f16::to_f32(x as u16))),
            Accumulator::Bf16 => Lanes(row.0.map(|x| bf16::to_f32(x as u16))),
            Accumulator::I32 | Accumulator::F64 => {
                scratch.c[i] = row;
                Lanes::ZERO
            }
        };
        if c.abs {
            sum = Lanes(sum.0.map(f32::abs));
        }
        if c.neg {
            sum = Lanes(sum.0.map(|x| -x));
        }
        scratch.sums[i] = sum;
    }
}

/// Rounds the sums to the elements of D and writes them.
#[inline(always)]
pub fn store(regs: &mut Regs, plan: &Plan, scratch: &Scratch) {
    let ovfl = regs.mode.fp16_ovfl;
    let d = &mut regs.v[plan.d..];
    match plan.d_type {
        Accumulator::F32 => {
            for (place, sum) in plan.d_rows.iter().zip(&scratch.sums) {
                d[place.chunk as usize] =
                    Chunk(sum.0.map(|x| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }));
            }
        }
        Accumulator::I32 => {
            let saturates = plan.saturates || ovfl;
            for ((place, sum), c) in plan.d_rows.iter().zip(&scratch.sums).zip(&scratch.c) {
                d[place.chunk as usize] = Chunk(std::array::from_fn(|i| {
                    // Below 2^24, so exact.
                    let (c, sum) = (c.0[i] as i32, sum.0[i] as i32);
                    (if saturates { c.saturating_add(sum) } else { c.wrapping_add(sum) }) as u32
                }));
            }
        }
        Accumulator::F16 => store_halves(d, plan, scratch, |x| match (x.is_nan(), ovfl) {
            (true, _) => 0x7e00,
            (_, true) => f16::from_f32_clamped(x),
            (_, false) => f16::from_f32(x),
        }),
        Accumulator::Bf16 => store_halves(d, plan, scratch, |x| match (x.is_nan(), ovfl) {
            (true, _) => 0x7fc0,
            (_, true) => bf16::from_f32_clamped(x),
            (_, false) => bf16::from_f32(x),
        }),
        Accumulator::F64 => {}
    }
}

/// Rows 2r and 2r+1 share a register.
#[inline(always)]
fn store_halves(d: &mut [Chunk], plan: &Plan, scratch: &Scratch, round: impl Fn(f32) -> u16) {
    for (places, sums) in plan.d_rows.chunks_exact(2).zip(scratch.sums.chunks_exact(2)) {
        d[places[0].chunk as usize] = Chunk(std::array::from_fn(|i| {
            u32::from(round(sums[0].0[i])) | u32::from(round(sums[1].0[i])) << 16
        }));
    }
}

/// Calls `f` with each tile's sums and the offsets of its rows and columns in A and B, and the tile's row and column
/// numbers.
#[inline(always)]
fn tiles(plan: &Plan, sums: &mut [Lanes; 128], mut f: impl FnMut(&mut [Lanes; 16], Tile)) {
    let [blocks, rows, columns] = plan.tiles;
    let (sums, _) = sums.as_chunks_mut::<16>();
    let mut sums = sums.iter_mut();
    for block in 0..blocks {
        for row in 0..rows {
            for column in 0..columns {
                let Some(sums) = sums.next() else { return };
                let a = block * plan.a.block_stride + row * plan.a.tile_stride;
                let b = block * plan.b.block_stride + column * plan.b.tile_stride;
                f(sums, Tile { a, b, row, column });
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
}

/// [`Host::multiply`], or its slow double that clamps each sum.
#[inline(always)]
fn multiply<H: Host>(
    sums: &mut [Lanes; 16],
    a: &[Lanes],
    b: &[Lanes],
    steps: &[Step],
    exact: bool,
    clamps: bool,
) {
    if clamps {
        for step in steps {
            for (row, sum) in sums.iter_mut().enumerate() {
                let (x, y) = (a[step.a as usize].0[row], &b[step.b as usize].0);
                *sum = Lanes(std::array::from_fn(|i| fused(sum.0[i], x, y[i], true)));
            }
        }
    } else if exact {
        H::multiply::<true>(sums, a, b, steps);
    } else {
        H::multiply::<false>(sums, a, b, steps);
    }
}

/// A dense product.
pub struct Dense;

impl Kernel for Dense {
    #[inline(always)]
    fn run<H: Host>(regs: &mut Regs, op: &Op) {
        let Some(plan) = plan_of(op) else { return };
        let mut scratch = Scratch::take();
        load::<H>(regs, plan, &plan.a, &mut scratch.a);
        load::<H>(regs, plan, &plan.b, &mut scratch.b);
        load_addend(regs, plan, &mut scratch);
        let clamps = plan.clamps_f32 && regs.mode.fp16_ovfl;
        let exact = plan.a.element.exact_products() && plan.b.element.exact_products();
        let Scratch { a, b, sums, .. } = &mut *scratch;
        tiles(plan, sums, |sums, at| {
            multiply::<H>(sums, &a[at.a..], &b[at.b..], &plan.steps, exact, clamps);
        });
        store(regs, plan, &scratch);
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
        load::<H>(regs, plan, &plan.a, &mut scratch.a);
        load::<H>(regs, plan, &plan.b, &mut scratch.b);
        load_addend(regs, plan, &mut scratch);
        let [_, row_tiles, column_tiles] = plan.tiles;
        let blocks = plan.steps.len() / scales.block;
        let a_scales = scale_values(regs, &scales.a, 16 * row_tiles, blocks);
        let b_scales = scale_values(regs, &scales.b, 16 * column_tiles, blocks);
        let clamps = plan.clamps_f32 && regs.mode.fp16_ovfl;
        let Scratch { a, b, sums, .. } = &mut *scratch;
        tiles(plan, sums, |sums, at| {
            for (block, steps) in plan.steps.chunks_exact(scales.block).enumerate() {
                let mut products = [Lanes::ZERO; 16];
                H::multiply::<true>(&mut products, &a[at.a..], &b[at.b..], steps);
                let columns = &b_scales[block][16 * at.column..][..16];
                for (r, (sum, product)) in sums.iter_mut().zip(&products).enumerate() {
                    let row = f64::from(a_scales[block][16 * at.row + r]);
                    for (i, sum) in sum.0.iter_mut().enumerate() {
                        let scaled = f64::from(product.0[i]) * (row * f64::from(columns[i]));
                        let added = (f64::from(*sum) + scaled) as f32;
                        let overflow = clamps && added.is_infinite() && sum.is_finite() && scaled.is_finite();
                        *sum = if overflow { f32::MAX.copysign(added) } else { added };
                    }
                }
            }
        });
        store(regs, plan, &scratch);
        scratch.give_back();
    }
}

/// Scales by block along K and row (column).
fn scale_values(regs: &Regs, scale: &Scale, rows: usize, blocks: usize) -> [[f32; 32]; 8] {
    let value = |byte: u8| match scale.format {
        ScaleFormat::E8m0 => scale::e8m0_to_f32(byte),
        ScaleFormat::E5m3 => scale::e5m3_to_f32(byte),
        ScaleFormat::E4m3 => scale::e4m3_scale_to_f32(byte),
    };
    let mut values = [[0.0; 32]; 8];
    for (block, values) in values.iter_mut().enumerate().take(blocks) {
        for (i, x) in values.iter_mut().enumerate().take(rows) {
            *x = value(match scale.from {
                ScaleFrom::Lanes { at, byte } => {
                    regs.lane(at, (i + rows * block) as u32).to_le_bytes()[byte as usize]
                }
                ScaleFrom::Bytes { at, lane } => {
                    let register = at + block / 4 * regs.chunks;
                    regs.lane(register, (i + lane) as u32).to_le_bytes()[block % 4]
                }
                ScaleFrom::Scalar(at) => regs.s[at] as u8,
                ScaleFrom::Constant(byte) => byte,
            });
        }
    }
    values
}

/// A product with a sparse A: each of its elements meets the row of B that its index says, the others none.
pub struct Sparse;

impl Kernel for Sparse {
    #[inline(always)]
    fn run<H: Host>(regs: &mut Regs, op: &Op) {
        let Some(plan) = plan_of(op) else { return };
        let mut scratch = Scratch::take();
        load::<H>(regs, plan, &plan.a, &mut scratch.a);
        load::<H>(regs, plan, &plan.b, &mut scratch.b);
        load_addend(regs, plan, &mut scratch);
        let clamps = plan.clamps_f32 && regs.mode.fp16_ovfl;
        let exact = plan.a.element.exact_products() && plan.b.element.exact_products();
        let indices = &regs.v[plan.index..];
        let Scratch { a, b, sums, .. } = &mut *scratch;
        tiles(plan, sums, |sums, at| {
            let (a, b) = (&a[at.a..], &b[at.b..]);
            // Four rows at a time, so that their sums are independent.
            for (group, sums) in sums.chunks_exact_mut(4).enumerate() {
                for pair in &plan.pairs {
                    let first = &a[pair.a as usize].0;
                    let second = &a[pair.a as usize + plan.chunks].0;
                    let bits = &indices[pair.index as usize + at.row].0;
                    for (r, sum) in sums.iter_mut().enumerate() {
                        let r = 4 * group + r;
                        let bits = bits[r] >> pair.shift;
                        for (x, index) in [(first[r], bits & 3), (second[r], bits >> 2 & 3)] {
                            let y = &b[pair.b[index as usize] as usize].0;
                            *sum = match (exact, clamps) {
                                (true, false) => Lanes(std::array::from_fn(|i| sum.0[i] + x * y[i])),
                                _ => Lanes(std::array::from_fn(|i| fused(sum.0[i], x, y[i], clamps))),
                            };
                        }
                    }
                }
            }
        });
        store(regs, plan, &scratch);
        scratch.give_back();
    }
}
