//! Addition, multiplication and fused multiply-add of binary16, bfloat16, binary32 and binary64.
//!
//! Follows CDNA4 6.4 and CDNA5 7.2.4 (rounding and denormal modes), the FP16_OVFL rule of CDNA4 table 4, CDNA5 7.7
//! for bfloat16, V_MUL_LEGACY_F32 (CDNA4) and V_MUL_DX9_ZERO_F32, V_FMA_DX9_ZERO_F32 (CDNA5).
//!
//! The functions without a rounding mode round to nearest even and are the fast paths; those named `*_rounded` take
//! any mode and go through [`crate::soft`]. Flushing keeps the sign. Results are flushed after rounding, that is, a
//! value that rounds up to the smallest normal one is kept. Subtraction is addition of a sign-flipped operand.
//! Which of two NaN operands is propagated is the host's choice on the fast paths.
//!
//! `f32::mul_add` compiles to one instruction only where the caller's target features have FMA; elsewhere it is a
//! correct but slow library call.

use crate::mode::{Denorm, Round};
use crate::soft::{self, BF16, F16, F32, F64};
use crate::{bf16, f16};

/// Replaces a denormal by a zero of the same sign.
#[inline(always)]
pub const fn flush_f32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// Replaces a denormal by a zero of the same sign.
#[inline(always)]
pub const fn flush_f64(x: f64) -> f64 {
    let bits = x.to_bits();
    f64::from_bits(if bits & 0x7ff0_0000_0000_0000 == 0 { bits & 0x8000_0000_0000_0000 } else { bits })
}

/// [`flush_f32`] unless denormals are kept.
#[inline(always)]
pub const fn flush_f32_unless(x: f32, keep: bool) -> f32 {
    if keep { x } else { flush_f32(x) }
}

/// [`flush_f64`] unless denormals are kept.
#[inline(always)]
pub const fn flush_f64_unless(x: f64, keep: bool) -> f64 {
    if keep { x } else { flush_f64(x) }
}

/// [`f16::flush`] unless denormals are kept.
#[inline(always)]
pub const fn flush_f16_unless(x: u16, keep: bool) -> u16 {
    if keep { x } else { f16::flush(x) }
}

/// `a + b` (V_ADD_F32).
#[inline(always)]
pub fn add_f32(a: f32, b: f32, denorm: Denorm) -> f32 {
    let sum = flush_f32_unless(a, denorm.input) + flush_f32_unless(b, denorm.input);
    flush_f32_unless(sum, denorm.output)
}

/// `a × b` (V_MUL_F32).
#[inline(always)]
pub fn mul_f32(a: f32, b: f32, denorm: Denorm) -> f32 {
    let product = flush_f32_unless(a, denorm.input) * flush_f32_unless(b, denorm.input);
    flush_f32_unless(product, denorm.output)
}

/// `a × b + c` with one rounding (V_FMA_F32).
#[inline(always)]
pub fn fma_f32(a: f32, b: f32, c: f32, denorm: Denorm) -> f32 {
    let (a, b) = (flush_f32_unless(a, denorm.input), flush_f32_unless(b, denorm.input));
    flush_f32_unless(a.mul_add(b, flush_f32_unless(c, denorm.input)), denorm.output)
}

/// `a × b` where a zero factor gives +0 whatever the other is (V_MUL_LEGACY_F32, V_MUL_DX9_ZERO_F32).
#[inline(always)]
pub fn mul_dx9_zero_f32(a: f32, b: f32, denorm: Denorm) -> f32 {
    let (a, b) = (flush_f32_unless(a, denorm.input), flush_f32_unless(b, denorm.input));
    let product = flush_f32_unless(a * b, denorm.output);
    if (a == 0.0) | (b == 0.0) { 0.0 } else { product }
}

/// `a × b + c` where a zero factor gives `c` (V_FMA_DX9_ZERO_F32).
#[inline(always)]
pub fn fma_dx9_zero_f32(a: f32, b: f32, c: f32, denorm: Denorm) -> f32 {
    let (a, b) = (flush_f32_unless(a, denorm.input), flush_f32_unless(b, denorm.input));
    let c = flush_f32_unless(c, denorm.input);
    let sum = a.mul_add(b, c);
    flush_f32_unless(if (a == 0.0) | (b == 0.0) { c } else { sum }, denorm.output)
}

/// [`add_f32`] in any rounding mode.
pub fn add_f32_rounded(a: f32, b: f32, round: Round, denorm: Denorm) -> f32 {
    let (a, b) = (flush_f32_unless(a, denorm.input), flush_f32_unless(b, denorm.input));
    let sum = F32.add(a.to_bits() as u64, b.to_bits() as u64, round, false);
    flush_f32_unless(f32::from_bits(sum as u32), denorm.output)
}

/// [`mul_f32`] in any rounding mode.
pub fn mul_f32_rounded(a: f32, b: f32, round: Round, denorm: Denorm) -> f32 {
    let (a, b) = (flush_f32_unless(a, denorm.input), flush_f32_unless(b, denorm.input));
    let product = F32.mul(a.to_bits() as u64, b.to_bits() as u64, round, false);
    flush_f32_unless(f32::from_bits(product as u32), denorm.output)
}

/// [`fma_f32`] in any rounding mode.
pub fn fma_f32_rounded(a: f32, b: f32, c: f32, round: Round, denorm: Denorm) -> f32 {
    let (a, b) = (flush_f32_unless(a, denorm.input), flush_f32_unless(b, denorm.input));
    let c = flush_f32_unless(c, denorm.input);
    let sum = F32.fma(a.to_bits() as u64, b.to_bits() as u64, c.to_bits() as u64, round, false);
    flush_f32_unless(f32::from_bits(sum as u32), denorm.output)
}

/// `a + b` (V_ADD_F64).
#[inline(always)]
pub fn add_f64(a: f64, b: f64, denorm: Denorm) -> f64 {
    let sum = flush_f64_unless(a, denorm.input) + flush_f64_unless(b, denorm.input);
    flush_f64_unless(sum, denorm.output)
}

/// `a × b` (V_MUL_F64).
#[inline(always)]
pub fn mul_f64(a: f64, b: f64, denorm: Denorm) -> f64 {
    let product = flush_f64_unless(a, denorm.input) * flush_f64_unless(b, denorm.input);
    flush_f64_unless(product, denorm.output)
}

/// `a × b + c` with one rounding (V_FMA_F64).
#[inline(always)]
pub fn fma_f64(a: f64, b: f64, c: f64, denorm: Denorm) -> f64 {
    let (a, b) = (flush_f64_unless(a, denorm.input), flush_f64_unless(b, denorm.input));
    flush_f64_unless(a.mul_add(b, flush_f64_unless(c, denorm.input)), denorm.output)
}

/// [`add_f64`] in any rounding mode.
pub fn add_f64_rounded(a: f64, b: f64, round: Round, denorm: Denorm) -> f64 {
    let (a, b) = (flush_f64_unless(a, denorm.input), flush_f64_unless(b, denorm.input));
    flush_f64_unless(f64::from_bits(F64.add(a.to_bits(), b.to_bits(), round, false)), denorm.output)
}

/// [`mul_f64`] in any rounding mode.
pub fn mul_f64_rounded(a: f64, b: f64, round: Round, denorm: Denorm) -> f64 {
    let (a, b) = (flush_f64_unless(a, denorm.input), flush_f64_unless(b, denorm.input));
    flush_f64_unless(f64::from_bits(F64.mul(a.to_bits(), b.to_bits(), round, false)), denorm.output)
}

/// [`fma_f64`] in any rounding mode.
pub fn fma_f64_rounded(a: f64, b: f64, c: f64, round: Round, denorm: Denorm) -> f64 {
    let (a, b) = (flush_f64_unless(a, denorm.input), flush_f64_unless(b, denorm.input));
    let c = flush_f64_unless(c, denorm.input);
    flush_f64_unless(
        f64::from_bits(F64.fma(a.to_bits(), b.to_bits(), c.to_bits(), round, false)),
        denorm.output,
    )
}

/// Encodes with or without the FP16_OVFL clamp: a clamp replaces overflows of finite operands only.
#[inline(always)]
fn encode_f16(x: f32, clamp: bool) -> u16 {
    if clamp { f16::from_f32_clamped(x) } else { f16::from_f32(x) }
}

/// `a + b` in binary16 (V_ADD_F16); `clamp` is MODE.FP16_OVFL. The binary32 sum has the 24 bits that make its second
/// rounding harmless.
#[inline(always)]
pub fn add_f16(a: u16, b: u16, denorm: Denorm, clamp: bool) -> u16 {
    let (a, b) = (flush_f16_unless(a, denorm.input), flush_f16_unless(b, denorm.input));
    flush_f16_unless(encode_f16(f16::to_f32(a) + f16::to_f32(b), clamp), denorm.output)
}

/// `a × b` in binary16 (V_MUL_F16); `clamp` is MODE.FP16_OVFL. The product is exact in binary32.
#[inline(always)]
pub fn mul_f16(a: u16, b: u16, denorm: Denorm, clamp: bool) -> u16 {
    let (a, b) = (flush_f16_unless(a, denorm.input), flush_f16_unless(b, denorm.input));
    flush_f16_unless(encode_f16(f16::to_f32(a) * f16::to_f32(b), clamp), denorm.output)
}

/// `a × b + c` in binary16 with one rounding (V_FMA_F16, V_PK_FMA_F16); `clamp` is MODE.FP16_OVFL.
#[inline(always)]
pub fn fma_f16(a: u16, b: u16, c: u16, denorm: Denorm, clamp: bool) -> u16 {
    let (a, b) = (flush_f16_unless(a, denorm.input), flush_f16_unless(b, denorm.input));
    let c = flush_f16_unless(c, denorm.input);
    // The product is exact; the sum is rounded to odd so that the encoding rounds once.
    let sum = add_f32_odd(f16::to_f32(a) * f16::to_f32(b), f16::to_f32(c));
    flush_f16_unless(encode_f16(sum, clamp), denorm.output)
}

/// `a + b` rounded to odd: the last bit of an inexact sum is set (see [`soft::f64_to_f32_odd`]). The operands must be
/// far enough inside the binary32 range that no intermediate over- or underflows.
#[inline(always)]
fn add_f32_odd(a: f32, b: f32) -> f32 {
    let sum = a + b;
    // Knuth's TwoSum: the exact error of the rounded sum. NaN for non-finite sums, so neither comparison holds.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    let even = bits & 1 == 0;
    let grow = (even & ((error > 0.0) & (sum > 0.0) | (error < 0.0) & (sum < 0.0))) as u32;
    let shrink = (even & ((error < 0.0) & (sum > 0.0) | (error > 0.0) & (sum < 0.0))) as u32;
    f32::from_bits(bits.wrapping_add(grow).wrapping_sub(shrink))
}

/// [`add_f16`] in any rounding mode.
pub fn add_f16_rounded(a: u16, b: u16, round: Round, denorm: Denorm, clamp: bool) -> u16 {
    let (a, b) = (flush_f16_unless(a, denorm.input), flush_f16_unless(b, denorm.input));
    flush_f16_unless(F16.add(a as u64, b as u64, round, clamp) as u16, denorm.output)
}

/// [`mul_f16`] in any rounding mode.
pub fn mul_f16_rounded(a: u16, b: u16, round: Round, denorm: Denorm, clamp: bool) -> u16 {
    let (a, b) = (flush_f16_unless(a, denorm.input), flush_f16_unless(b, denorm.input));
    flush_f16_unless(F16.mul(a as u64, b as u64, round, clamp) as u16, denorm.output)
}

/// [`fma_f16`] in any rounding mode.
pub fn fma_f16_rounded(a: u16, b: u16, c: u16, round: Round, denorm: Denorm, clamp: bool) -> u16 {
    let (a, b) = (flush_f16_unless(a, denorm.input), flush_f16_unless(b, denorm.input));
    let c = flush_f16_unless(c, denorm.input);
    flush_f16_unless(F16.fma(a as u64, b as u64, c as u64, round, clamp) as u16, denorm.output)
}

#[inline(always)]
fn encode_bf16(x: f32, clamp: bool) -> u16 {
    if clamp { bf16::from_f32_clamped(x) } else { bf16::from_f32(x) }
}

/// `a + b` in bfloat16 (CDNA5 V_PK_ADD_BF16): nearest even, denormals kept; `clamp` is MODE.FP16_OVFL.
#[inline(always)]
pub fn add_bf16(a: u16, b: u16, clamp: bool) -> u16 {
    finite_overflow_bf16(a, b, encode_bf16(bf16::to_f32(a) + bf16::to_f32(b), clamp), clamp)
}

/// `a × b` in bfloat16 (CDNA5 V_PK_MUL_BF16): nearest even, denormals kept; `clamp` is MODE.FP16_OVFL.
#[inline(always)]
pub fn mul_bf16(a: u16, b: u16, clamp: bool) -> u16 {
    finite_overflow_bf16(a, b, encode_bf16(bf16::to_f32(a) * bf16::to_f32(b), clamp), clamp)
}

/// `a × b + c` in bfloat16 with one rounding (CDNA5 V_PK_FMA_BF16): nearest even, denormals kept; `clamp` is
/// MODE.FP16_OVFL. Product and sum are taken in binary64, the sum rounded to odd.
#[inline(always)]
pub fn fma_bf16(a: u16, b: u16, c: u16, clamp: bool) -> u16 {
    let product = bf16::to_f32(a) as f64 * bf16::to_f32(b) as f64;
    let sum = soft::f64_to_f32_odd(add_f64_odd(product, bf16::to_f32(c) as f64));
    encode_bf16(sum, clamp)
}

/// The binary32 intermediate of two finite operands may overflow to an infinity, which the clamp must still replace.
#[inline(always)]
fn finite_overflow_bf16(a: u16, b: u16, result: u16, clamp: bool) -> u16 {
    let finite = (a & 0x7fff < bf16::INFINITY) & (b & 0x7fff < bf16::INFINITY);
    let overflowed = clamp & finite & (result & 0x7fff == bf16::INFINITY);
    if overflowed { (result & 0x8000) | bf16::MAX } else { result }
}

/// [`add_f32_odd`] in binary64.
#[inline(always)]
fn add_f64_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    let even = bits & 1 == 0;
    let grow = (even & ((error > 0.0) & (sum > 0.0) | (error < 0.0) & (sum < 0.0))) as u64;
    let shrink = (even & ((error < 0.0) & (sum > 0.0) | (error > 0.0) & (sum < 0.0))) as u64;
    f64::from_bits(bits.wrapping_add(grow).wrapping_sub(shrink))
}

/// [`fma_bf16`] in any rounding mode, for instructions that honour MODE.round on bfloat16.
pub fn fma_bf16_rounded(a: u16, b: u16, c: u16, round: Round, clamp: bool) -> u16 {
    BF16.fma(a as u64, b as u64, c as u64, round, clamp) as u16
}
