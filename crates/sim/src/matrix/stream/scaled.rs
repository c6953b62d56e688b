//! Scaled products: A and B are decoded in the order of K, and eight or four rows' products of a block are added
//! up from zero; those times both scales go to the sums, which stay in registers from C to D.
//!
//! [`super::super::run`] has the definition, which is to round to binary64 what is added to a sum, and then to binary32. Rounding
//! once is the same where what is added has no more than the 24 bits of a sum, for binary64 has twice as many and two more. A
//! block's products have 24, and so they have times two powers of two; those of FP4, of which alone both scales may have a
//! mantissa, have 13, and the scales' product eight. So a fused multiply-add does it, if the scales' product is a number of
//! binary32 ([`fit`]). All else is added in binary64; sums that are clamped are left to the definition.
//!
//! What limits them with AVX-512: 16x16x128 is 2,048 multiplications of products and 128 of scales, of which the host begins one
//! a cycle, and 256 vectors to decode before: two to three instructions and a store each of 4 and 6 bits, more than twice as many
//! of 8. With AVX2 each of these is twice one of eight numbers, of which the host multiplies two a cycle; those of 6 bits take
//! five instructions.

use super::super::host::{Lanes, body};
use super::super::plan::{Plan, Stream};
use super::super::run::{MOST_SCALES, Scaled, Scratch, plan_of, scale_values};
use super::vector::Sixteen;
use super::{Product, each, end, in_order, put_rows, rows_of, sums};
use crate::op::Op;
use crate::regs::Regs;

/// The least exponent of scales that are not zero and the greatest one, both biased.
#[inline(always)]
fn exponents(scales: &[Lanes]) -> [u32; 2] {
    let [mut least, mut greatest] = [[127; 16], [0; 16]];
    for scales in scales {
        for (n, scale) in scales.0.iter().enumerate() {
            let exponent = scale.to_bits() >> 23;
            least[n] = if scale.to_bits() == 0 { least[n] } else { exponent.min(least[n]) };
            greatest[n] = exponent.max(greatest[n]);
        }
    }
    [least.into_iter().fold(127, u32::min), greatest.into_iter().fold(0, u32::max)]
}

/// Whether the product of any scale of A and any of B is a number of binary32. A scale has three bits of mantissa or none.
#[inline(always)]
fn fit(a: &[Lanes], b: &[Lanes]) -> bool {
    let [[a_least, a_greatest], [b_least, b_greatest]] = [exponents(a), exponents(b)];
    // The last bit of the smallest one is 2^-149 or above it, the greatest one is below 2^128.
    a_least + b_least >= 2 * 127 + 6 - 149 && a_greatest + b_greatest <= 2 * 127 + 128 - 2
}

/// Goes along `stream`, `ROWS` rows at a time: `[a, b, c, d]` is where the decoded matrices are and what the offsets are from. NaNs
/// as [`put_rows`] has them.
///
/// # Safety
/// The host must have the level of `V`; what the offsets lead to must be there, and so must K elements of A and B.
#[inline(always)]
unsafe fn go_along<V: Sixteen, const ROWS: usize, const BLOCK: usize, const FIT: bool>(
    plan: &Plan,
    stream: &Stream,
    [a, b, c, d]: [*mut u8; 4],
    scales: [&[Lanes]; 2],
) -> V {
    let [_, rows, columns] = plan.tiles;
    let k = plan.steps.len();
    let [mut c, mut d] = stream.rows([c, d]);
    // SAFETY: the caller's promise.
    let mut nans = unsafe { V::zero() };
    for column in 0..columns {
        for row in 0..rows {
            for first in (0..16).step_by(ROWS) {
                // SAFETY: the caller's promise.
                unsafe {
                    let mut a = a.cast::<f32>().add(16 * row * k + first);
                    let mut b = b.cast::<f32>().add(16 * column * k);
                    let [of_c, of_d] = [c.group::<ROWS>(0), d.group::<ROWS>(0)];
                    let mut sums = rows_of::<V, ROWS>(of_c);
                    for block in 0..k / BLOCK {
                        let mut products = [V::zero(); ROWS];
                        for _ in 0..BLOCK / 16 {
                            each!(16, k => {
                                let of_b = V::load(b.add(16 * k));
                                each!(8, r => if r < ROWS {
                                    products[r] = products[r].plus_product(a.add(16 * k + r), of_b);
                                });
                            });
                            [a, b] = [a.add(16 * 16), b.add(16 * 16)];
                        }
                        let of_rows = scales[0].as_ptr().add(block * rows + row).cast::<f32>().add(first);
                        let of_columns = V::load(scales[1].as_ptr().add(block * columns + column).cast());
                        each!(8, r => if r < ROWS {
                            let of_row = *of_rows.add(r);
                            sums[r] = match FIT {
                                true => sums[r].plus_products(products[r], of_columns.times(of_row)),
                                false => sums[r].plus_scaled(products[r], of_columns, of_row),
                            };
                        });
                    }
                    nans = put_rows::<V, ROWS>(of_d, &sums, nans);
                    [c, d] = [c.further(ROWS), d.further(ROWS)];
                }
            }
        }
    }
    nans
}

/// Products with scales for `BLOCK` elements each.
pub struct InBlocks<const BLOCK: usize>;

impl<V: Sixteen, const BLOCK: usize> Product<V> for InBlocks<BLOCK> {
    #[inline(always)]
    unsafe fn one(regs: &mut Regs, op: &Op) {
        // SAFETY: the caller's promise.
        unsafe {
            match V::SIXTEEN_ROWS {
                true => one::<V, 8, BLOCK>(regs, op),
                false => one::<V, 4, BLOCK>(regs, op),
            }
        }
    }
}

/// A scaled product, `ROWS` rows at a time.
///
/// # Safety
/// The host must have the level of `V`.
#[inline(always)]
unsafe fn one<V: Sixteen, const ROWS: usize, const BLOCK: usize>(regs: &mut Regs, op: &Op) {
    let Some(plan) = plan_of(op) else { return };
    let (Some(stream), Some(scales)) = (&plan.stream, &plan.scales) else { return };
    let [_, rows, columns] = plan.tiles;
    let blocks = plan.steps.len() / BLOCK;
    let mut values = [[Lanes::ZERO; MOST_SCALES]; 2];
    let [a, b] = &mut values;
    let (a, b) = (&mut a[..blocks * rows], &mut b[..blocks * columns]);
    scale_values(regs, &scales.a, rows, a);
    scale_values(regs, &scales.b, columns, b);
    // SAFETY: the caller's promise; the binder has placed all operands inside the slab.
    unsafe {
        if plan.clamps_f32 && regs.mode.fp16_ovfl {
            return body::<Scaled>(V::LEVEL)(regs, op);
        }
        let mut scratch = Scratch::take();
        if !plan.direct {
            V::prepare(regs, plan, &mut scratch, false);
        }
        let slab = regs.v.as_mut_ptr().cast();
        let [of_a, of_b] = in_order::<V>(plan, stream, slab, &mut scratch);
        let [of_c, of_d] = sums(plan, slab, &mut scratch);
        let matrices = [of_a, of_b, of_c, of_d];
        let nans = match scales.a.format == scales.b.format && fit(a, b) {
            true => go_along::<V, ROWS, BLOCK, true>(plan, stream, matrices, [a, b]),
            false => go_along::<V, ROWS, BLOCK, false>(plan, stream, matrices, [a, b]),
        };
        end(regs, plan, scratch, nans);
    }
}
