//! Scaled products on a host with AVX-512: A and B are decoded in the order of K, and eight rows' products of a block are added
//! up from zero; those times both scales go to the sums, which stay in registers from C to D.
//!
//! [`super::super::run`] has the definition, which is to round to binary64 what is added to a sum, and then to binary32. Rounding
//! once is the same where what is added has no more than the 24 bits of a sum, for binary64 has twice as many and two more. A
//! block's products have 24, and so they have times two powers of two; those of FP4, of which alone both scales may have a
//! mantissa, have 13, and the scales' product eight. So a fused multiply-add does it, if the scales' product is a number of
//! binary32 ([`fit`]). All else is added in binary64; sums that are clamped are left to the definition.
//!
//! What limits them: 16x16x128 is 2,048 multiplications of products and 128 of scales, of which the host begins one a cycle, and
//! 256 vectors to decode before: two to three instructions and a store each of 4 and 6 bits, more than twice as many of 8.

use std::arch::x86_64::*;

use super::super::host::{Lanes, Level, body};
use super::super::plan::{Plan, Stream};
use super::super::run::{MOST_SCALES, Scaled, Scratch, plan_of, scale_values};
use super::vector::Sixteen;
use super::{each, end, in_order, put_rows, sums};
use crate::op::{Body, Op};
use crate::regs::Regs;

/// The body of a product with scales for `block` elements each.
pub fn body_of(block: usize) -> Option<Body> {
    match block {
        16 => Some(product::<16>),
        32 => Some(product::<32>),
        _ => None,
    }
}

/// The least exponent of scales that are not zero and the greatest one, both biased.
///
/// # Safety
/// The host must have AVX-512 F.
#[inline(always)]
unsafe fn exponents(scales: &[Lanes]) -> [u32; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        let [mut least, mut greatest] = [_mm512_set1_epi32(127), _mm512_setzero_si512()];
        for scales in scales {
            let bits = _mm512_castps_si512(_mm512_loadu_ps(scales.0.as_ptr()));
            let exponent = _mm512_srli_epi32::<23>(bits);
            least = _mm512_mask_min_epu32(least, _mm512_test_epi32_mask(bits, bits), least, exponent);
            greatest = _mm512_max_epu32(greatest, exponent);
        }
        [_mm512_reduce_min_epu32(least), _mm512_reduce_max_epu32(greatest)]
    }
}

/// Whether the product of any scale of A and any of B is a number of binary32. A scale has three bits of mantissa or none.
///
/// # Safety
/// The host must have AVX-512 F.
#[inline(always)]
unsafe fn fit(a: &[Lanes], b: &[Lanes]) -> bool {
    // SAFETY: the caller's promise.
    let [[a_least, a_greatest], [b_least, b_greatest]] = unsafe { [exponents(a), exponents(b)] };
    // The last bit of the smallest one is 2^-149 or above it, the greatest one is below 2^128.
    a_least + b_least >= 2 * 127 + 6 - 149 && a_greatest + b_greatest <= 2 * 127 + 128 - 2
}

/// The halves of 16 numbers as binary64.
///
/// # Safety
/// The host must have AVX-512 F and DQ.
#[inline(always)]
unsafe fn wide(numbers: __m512) -> [__m512d; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        [
            _mm512_cvtps_pd(_mm512_castps512_ps256(numbers)),
            _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(numbers)),
        ]
    }
}

/// `sums`, and `products` times both scales added, in binary64.
///
/// # Safety
/// The host must have AVX-512 F and DQ.
#[inline(always)]
unsafe fn add_scaled(sums: __m512, products: __m512, of_row: f32, of_columns: __m512) -> __m512 {
    // SAFETY: the caller's promise.
    unsafe {
        let of_row = _mm512_set1_pd(of_row.into());
        let [sums, products, of_columns] = [wide(sums), wide(products), wide(of_columns)];
        let mut halves = [_mm256_setzero_ps(); 2];
        each!(2, half => {
            // The scales' product, and that of a block's products and it, are exact.
            let scale = _mm512_mul_pd(of_row, of_columns[half]);
            halves[half] = _mm512_cvtpd_ps(_mm512_fmadd_pd(products[half], scale, sums[half]));
        });
        _mm512_insertf32x8::<1>(_mm512_castps256_ps512(halves[0]), halves[1])
    }
}

/// Goes along `stream`: `[a, b, c, d]` is where the decoded matrices are and what the offsets are from. NaNs as [`put_rows`] has them.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL; what the offsets lead to must be there, and so must K elements of A and B.
#[inline(always)]
unsafe fn go_along<const BLOCK: usize, const FIT: bool>(
    plan: &Plan,
    stream: &Stream,
    [a, b, c, d]: [*mut u8; 4],
    scales: [&[Lanes]; 2],
) -> __m512 {
    let [_, rows, columns] = plan.tiles;
    let k = plan.steps.len();
    let [mut c, mut d] = stream.rows([c, d]);
    // SAFETY: the caller's promise.
    let mut nans = unsafe { _mm512_setzero_ps() };
    for column in 0..columns {
        for row in 0..rows {
            for first in [0, 8] {
                // SAFETY: the caller's promise.
                unsafe {
                    let mut a = a.cast::<f32>().add(16 * row * k + first);
                    let mut b = b.cast::<f32>().add(16 * column * k);
                    let [of_c, of_d] = [c.group::<8>(0), d.group::<8>(0)];
                    let mut sums = [_mm512_setzero_ps(); 8];
                    each!(8, r => sums[r] = _mm512_loadu_ps(of_c.row(r)));
                    for block in 0..k / BLOCK {
                        let mut products = [_mm512_setzero_ps(); 8];
                        for _ in 0..BLOCK / 16 {
                            each!(16, k => {
                                let of_b = _mm512_loadu_ps(b.add(16 * k));
                                each!(8, r => {
                                    let of_a = _mm512_set1_ps(*a.add(16 * k + r));
                                    products[r] = _mm512_fmadd_ps(of_a, of_b, products[r]);
                                });
                            });
                            [a, b] = [a.add(16 * 16), b.add(16 * 16)];
                        }
                        let of_rows = scales[0].as_ptr().add(block * rows + row).cast::<f32>().add(first);
                        let of_columns =
                            _mm512_loadu_ps(scales[1].as_ptr().add(block * columns + column).cast());
                        each!(8, r => sums[r] = match FIT {
                            true => {
                                let scale = _mm512_mul_ps(_mm512_set1_ps(*of_rows.add(r)), of_columns);
                                _mm512_fmadd_ps(products[r], scale, sums[r])
                            }
                            false => add_scaled(sums[r], products[r], *of_rows.add(r), of_columns),
                        });
                    }
                    nans = put_rows::<__m512, 8>(of_d, &sums, nans);
                    [c, d] = [c.further(8), d.further(8)];
                }
            }
        }
    }
    nans
}

/// Scaled products: that of `op` and those behind it in its line.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
unsafe fn product<const BLOCK: usize>(regs: &mut Regs, mut op: &Op) {
    loop {
        // SAFETY: the caller's promise; an operation of a line stands in the page.
        unsafe {
            one::<BLOCK>(regs, op);
            match op.next_in_line() {
                Some(next) => op = next,
                None => return,
            }
        }
    }
}

/// A scaled product.
///
/// # Safety
/// The host must have AVX-512 F, BW, DQ and VL.
#[inline(always)]
unsafe fn one<const BLOCK: usize>(regs: &mut Regs, op: &Op) {
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
            return body::<Scaled>(Level::Avx512)(regs, op);
        }
        let mut scratch = Scratch::take();
        if !plan.direct {
            __m512::prepare(regs, plan, &mut scratch, false);
        }
        let slab = regs.v.as_mut_ptr().cast();
        let [of_a, of_b] = in_order(plan, stream, slab, &mut scratch);
        let [of_c, of_d] = sums(plan, slab, &mut scratch);
        let matrices = [of_a, of_b, of_c, of_d];
        let nans = match scales.a.format == scales.b.format && fit(a, b) {
            true => go_along::<BLOCK, true>(plan, stream, matrices, [a, b]),
            false => go_along::<BLOCK, false>(plan, stream, matrices, [a, b]),
        };
        end(regs, plan, scratch, nans);
    }
}
