//! Reciprocal, roots, exponential, logarithm, sine, cosine and hyperbolic tangent.
//!
//! Follows CDNA4/CDNA5 V_RCP_F32, V_RSQ_F32, V_SQRT_F32, V_EXP_F32, V_LOG_F32, V_SIN_F32, V_COS_F32, V_TANH_F32 and
//! their F16, BF16 and F64 forms, whose functional examples are this file's tests. The hardware promises 1 ULP (F64:
//! 2²⁹ ULP) and no rounding mode; here results are computed in binary64 to about 2⁻⁵⁰ and rounded once to nearest
//! even, by polynomials of our own, so that they are the same on every host and vectorise.
//!
//! The F32 forms of rcp, rsq, sqrt, exp and log flush denormal inputs and results always ("Denormals are flushed").
//! Those of sin and cos, and all F16, BF16 and F64 forms, keep denormals; flushing by MODE is the caller's. The
//! manuals are silent on BF16 denormals.
//!
//! Invalid operations give the negative quiet NaN of the manuals' examples; NaN operands are quieted.

use crate::arith::flush_f32;
use crate::{bf16, f16};

const INVALID: f32 = f32::from_bits(0xffc0_0000);

#[inline(always)]
const fn quiet(x: f32) -> f32 {
    f32::from_bits(x.to_bits() | 0x0040_0000)
}

/// Nearest integer for magnitudes below 2⁵¹, without a rounding instruction.
#[inline(always)]
fn round_even(x: f64) -> f64 {
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    (x + MAGIC) - MAGIC
}

/// `Σ coefficients[i] xⁱ`.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let mut sum = coefficients[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = sum * x + coefficients[i];
    }
    sum
}

/// Taylor coefficients of 2^r: (ln 2)^k / k!. The remainder on [-½, ½] is below 2⁻⁵⁵.
const EXP2: [f64; 14] = {
    let mut terms = [1.0; 14];
    let mut k = 1;
    while k < 14 {
        terms[k] = terms[k - 1] * core::f64::consts::LN_2 / k as f64;
        k += 1;
    }
    terms
};

/// 2^x for x in [-1000, 1000]; anything else gives a meaningless number.
#[inline(always)]
fn exp2_core(x: f64) -> f64 {
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    let shifted = x + MAGIC;
    let power = polynomial(&EXP2, x - (shifted - MAGIC));
    // The integer part sits in the low bits of `shifted`: add it to the exponent field.
    f64::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// 2^x with x limited to where binary32 and narrower formats over- or underflow; NaN gives a meaningless number.
#[inline(always)]
fn exp2_limited(x: f32) -> f64 {
    let x = x as f64;
    let low = if x < -400.0 { -400.0 } else { x };
    exp2_core(if low > 400.0 { 400.0 } else { low })
}

/// Coefficients in s² of (log2 m) / s with s = (m-1)/(m+1): 2 / (ln 2 (2k+1)).
const LOG2: [f64; 12] = {
    let mut terms = [0.0; 12];
    let mut k = 0;
    while k < 12 {
        terms[k] = 2.0 / (core::f64::consts::LN_2 * (2 * k + 1) as f64);
        k += 1;
    }
    terms
};

/// log2 of a positive normal binary64; anything else gives a meaningless number.
#[inline(always)]
fn log2_core(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = x.to_bits();
    // The exponent that leaves the significand in [√½, √2), biased by 1023.
    let biased = bits.wrapping_sub(SQRT_HALF).wrapping_add(1023 << 52) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(1023) << 52));
    let exponent = f64::from_bits(0x4330_0000_0000_0000 | biased) - (4_503_599_627_370_496.0 + 1023.0);
    let s = (m - 1.0) / (m + 1.0);
    exponent + s * polynomial(&LOG2, s * s)
}

/// Coefficients in r² of sin(2πr) / r: (-1)^k (2π)^(2k+1) / (2k+1)!. The remainder on [-¼, ¼] is below 2⁻⁵⁵.
const SIN_TURNS: [f64; 12] = {
    let mut terms = [core::f64::consts::TAU; 12];
    let mut k = 1;
    while k < 12 {
        let square = core::f64::consts::TAU * core::f64::consts::TAU;
        terms[k] = -terms[k - 1] * square / ((2 * k) * (2 * k + 1)) as f64;
        k += 1;
    }
    terms
};

/// `x` less its nearest integer, for finite binary32 `x`: in [-½, ½], exact.
#[inline(always)]
fn turn_fraction(x: f32) -> f64 {
    let x = x as f64;
    // From 2²⁴ on every binary32 is an integer.
    if x.abs() >= 16_777_216.0 { 0.0 } else { x - round_even(x) }
}

/// sin(2πx) for finite x.
#[inline(always)]
fn sin_core(x: f32) -> f64 {
    let r = turn_fraction(x);
    let folded = if r.abs() > 0.25 { 0.5f64.copysign(r) - r } else { r };
    folded * polynomial(&SIN_TURNS, folded * folded)
}

/// cos(2πx) for finite x, as the sine of a quarter turn less |x|.
#[inline(always)]
fn cos_core(x: f32) -> f64 {
    let r = 0.25 - turn_fraction(x).abs();
    r * polynomial(&SIN_TURNS, r * r)
}

/// tanh(x) for x not NaN: the identity below 1/1024, as in V_TANH_F32's pseudo-code.
#[inline(always)]
fn tanh_core(x: f32) -> f64 {
    let a = x.abs() as f64;
    let limited = if a > 25.0 { 25.0 } else { a };
    let e = exp2_core(limited * (2.0 * core::f64::consts::LOG2_E));
    let ratio = (e - 1.0) / (e + 1.0);
    (if a < 1.0 / 1024.0 { a } else { ratio }).copysign(x as f64)
}

/// Chooses between a computed result and the special cases that the argument asks for.
#[inline(always)]
fn or_nan(x: f32, invalid: bool, result: f32) -> f32 {
    let number = if invalid { INVALID } else { result };
    if x.is_nan() { quiet(x) } else { number }
}

/// 1/x, denormals flushed (V_RCP_F32, V_RCP_IFLAG_F32).
#[inline(always)]
pub fn rcp_f32(x: f32) -> f32 {
    or_nan(x, false, flush_f32(1.0 / flush_f32(x)))
}

/// 1/√x, denormals flushed (V_RSQ_F32).
#[inline(always)]
pub fn rsq_f32(x: f32) -> f32 {
    let x = flush_f32(x);
    or_nan(x, x < 0.0, (1.0 / (x as f64).sqrt()) as f32)
}

/// √x, denormals flushed (V_SQRT_F32).
#[inline(always)]
pub fn sqrt_f32(x: f32) -> f32 {
    let x = flush_f32(x);
    or_nan(x, x < 0.0, x.sqrt())
}

/// 2^x, denormals flushed (V_EXP_F32).
#[inline(always)]
pub fn exp2_f32(x: f32) -> f32 {
    or_nan(x, false, flush_f32(exp2_limited(x) as f32))
}

/// log2 x, denormals flushed (V_LOG_F32).
#[inline(always)]
pub fn log2_f32(x: f32) -> f32 {
    let x = flush_f32(x);
    log2_special(x, log2_core(x as f64) as f32)
}

#[inline(always)]
fn log2_special(x: f32, finite: f32) -> f32 {
    let nonzero = if x == f32::INFINITY { x } else { finite };
    or_nan(x, x < 0.0, if x == 0.0 { f32::NEG_INFINITY } else { nonzero })
}

/// sin(2πx), denormals kept (V_SIN_F32).
#[inline(always)]
pub fn sin_f32(x: f32) -> f32 {
    or_nan(x, x.is_infinite(), sin_core(x) as f32)
}

/// cos(2πx), denormals kept (V_COS_F32).
#[inline(always)]
pub fn cos_f32(x: f32) -> f32 {
    or_nan(x, x.is_infinite(), cos_core(x) as f32)
}

/// tanh x (V_TANH_F32).
#[inline(always)]
pub fn tanh_f32(x: f32) -> f32 {
    or_nan(x, false, tanh_core(x) as f32)
}

/// 1/x (V_RCP_F16); `clamp` is MODE.FP16_OVFL.
#[inline(always)]
pub fn rcp_f16(x: u16, clamp: bool) -> u16 {
    let reciprocal = 1.0 / f16::to_f32(x);
    if clamp { f16::from_f32_clamped(reciprocal) } else { f16::from_f32(reciprocal) }
}

/// 1/√x (V_RSQ_F16).
#[inline(always)]
pub fn rsq_f16(x: u16) -> u16 {
    let x = f16::to_f32(x);
    sixteen(x, x < 0.0, f16::from_f64(1.0 / (x as f64).sqrt()), f16::from_f32, f16::NAN)
}

/// √x (V_SQRT_F16).
#[inline(always)]
pub fn sqrt_f16(x: u16) -> u16 {
    let x = f16::to_f32(x);
    sixteen(x, x < 0.0, f16::from_f32(x.sqrt()), f16::from_f32, f16::NAN)
}

/// 2^x (V_EXP_F16); `clamp` is MODE.FP16_OVFL.
#[inline(always)]
pub fn exp2_f16(x: u16, clamp: bool) -> u16 {
    let x = f16::to_f32(x);
    let power = f16::from_f64(exp2_limited(x));
    let overflowed = clamp & (power == f16::INFINITY) & (x != f32::INFINITY);
    sixteen(x, false, if overflowed { f16::MAX } else { power }, f16::from_f32, f16::NAN)
}

/// log2 x (V_LOG_F16).
#[inline(always)]
pub fn log2_f16(x: u16) -> u16 {
    let x = f16::to_f32(x);
    let finite = f16::from_f64(log2_core(x as f64));
    let special = f16::from_f32(log2_special(x, 0.0));
    if (x > 0.0) & (x < f32::INFINITY) { finite } else { special }
}

/// sin(2πx) (V_SIN_F16).
#[inline(always)]
pub fn sin_f16(x: u16) -> u16 {
    let x = f16::to_f32(x);
    sixteen(x, x.is_infinite(), f16::from_f64(sin_core(x)), f16::from_f32, f16::NAN)
}

/// cos(2πx) (V_COS_F16).
#[inline(always)]
pub fn cos_f16(x: u16) -> u16 {
    let x = f16::to_f32(x);
    sixteen(x, x.is_infinite(), f16::from_f64(cos_core(x)), f16::from_f32, f16::NAN)
}

/// tanh x (V_TANH_F16).
#[inline(always)]
pub fn tanh_f16(x: u16) -> u16 {
    let x = f16::to_f32(x);
    sixteen(x, false, f16::from_f64(tanh_core(x)), f16::from_f32, f16::NAN)
}

/// [`or_nan`] for the 16-bit formats.
#[inline(always)]
fn sixteen(x: f32, invalid: bool, result: u16, encode: impl Fn(f32) -> u16, nan: u16) -> u16 {
    let number = if invalid { nan } else { result };
    if x.is_nan() { encode(x) } else { number }
}

/// 1/x (V_RCP_BF16).
#[inline(always)]
pub fn rcp_bf16(x: u16) -> u16 {
    bf16::from_f64(1.0 / bf16::to_f32(x) as f64)
}

/// 1/√x (V_RSQ_BF16).
#[inline(always)]
pub fn rsq_bf16(x: u16) -> u16 {
    let x = bf16::to_f32(x);
    sixteen(x, x < 0.0, bf16::from_f64(1.0 / (x as f64).sqrt()), bf16::from_f32, bf16::NAN)
}

/// √x (V_SQRT_BF16).
#[inline(always)]
pub fn sqrt_bf16(x: u16) -> u16 {
    let x = bf16::to_f32(x);
    sixteen(x, x < 0.0, bf16::from_f64((x as f64).sqrt()), bf16::from_f32, bf16::NAN)
}

/// 2^x (V_EXP_BF16).
#[inline(always)]
pub fn exp2_bf16(x: u16) -> u16 {
    let x = bf16::to_f32(x);
    sixteen(x, false, bf16::from_f64(exp2_limited(x)), bf16::from_f32, bf16::NAN)
}

/// log2 x (V_LOG_BF16).
#[inline(always)]
pub fn log2_bf16(x: u16) -> u16 {
    let x = bf16::to_f32(x);
    let finite = bf16::from_f64(log2_core(x as f64));
    let special = bf16::from_f32(log2_special(x, 0.0));
    if (x > 0.0) & (x < f32::INFINITY) { finite } else { special }
}

/// sin(2πx) (V_SIN_BF16).
#[inline(always)]
pub fn sin_bf16(x: u16) -> u16 {
    let x = bf16::to_f32(x);
    sixteen(x, x.is_infinite(), bf16::from_f64(sin_core(x)), bf16::from_f32, bf16::NAN)
}

/// cos(2πx) (V_COS_BF16).
#[inline(always)]
pub fn cos_bf16(x: u16) -> u16 {
    let x = bf16::to_f32(x);
    sixteen(x, x.is_infinite(), bf16::from_f64(cos_core(x)), bf16::from_f32, bf16::NAN)
}

/// tanh x (V_TANH_BF16).
#[inline(always)]
pub fn tanh_bf16(x: u16) -> u16 {
    let x = bf16::to_f32(x);
    sixteen(x, false, bf16::from_f64(tanh_core(x)), bf16::from_f32, bf16::NAN)
}

/// 1/x, correctly rounded (V_RCP_F64, whose own accuracy is 2²⁹ ULP).
#[inline(always)]
pub fn rcp_f64(x: f64) -> f64 {
    1.0 / x
}

/// 1/√x (V_RSQ_F64, whose own accuracy is 2²⁹ ULP).
#[inline(always)]
pub fn rsq_f64(x: f64) -> f64 {
    let invalid = f64::from_bits(0xfff8_0000_0000_0000);
    if x < 0.0 { invalid } else { 1.0 / x.sqrt() }
}

/// √x, correctly rounded (V_SQRT_F64, whose own accuracy is 2²⁹ ULP).
#[inline(always)]
pub fn sqrt_f64(x: f64) -> f64 {
    let invalid = f64::from_bits(0xfff8_0000_0000_0000);
    if x < 0.0 { invalid } else { x.sqrt() }
}
