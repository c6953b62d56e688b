//! Rounding to integral values, and taking numbers apart: trunc, floor, ceil, rndne, fract, frexp, ldexp.
//!
//! Follows the pseudo-code and notes of CDNA4/CDNA5 V_TRUNC_F32, V_CEIL_F32, V_RNDNE_F32, V_FLOOR_F32, V_FRACT_F32
//! (result at most 0x3f7fffff), V_FREXP_MANT_F32, V_FREXP_EXP_I32_F32, V_LDEXP_F32 and their F16 and F64 forms.
//! `frexp` normalises denormals, so that the documented invariant `x = mantissa × 2^exponent` holds for them, and
//! gives exponent 0 for zero, infinity and NaN. Denormal flushing is the caller's.

use crate::f16;
use crate::mode::Round;
use crate::soft::{F16, F32, F64};

/// Toward zero.
#[inline(always)]
pub fn trunc_f32(x: f32) -> f32 {
    x.trunc()
}

/// Toward -infinity.
#[inline(always)]
pub fn floor_f32(x: f32) -> f32 {
    x.floor()
}

/// Toward +infinity.
#[inline(always)]
pub fn ceil_f32(x: f32) -> f32 {
    x.ceil()
}

/// To nearest, ties to even.
#[inline(always)]
pub fn rndne_f32(x: f32) -> f32 {
    x.round_ties_even()
}

/// Toward zero.
#[inline(always)]
pub fn trunc_f64(x: f64) -> f64 {
    x.trunc()
}

/// Toward -infinity.
#[inline(always)]
pub fn floor_f64(x: f64) -> f64 {
    x.floor()
}

/// Toward +infinity.
#[inline(always)]
pub fn ceil_f64(x: f64) -> f64 {
    x.ceil()
}

/// To nearest, ties to even.
#[inline(always)]
pub fn rndne_f64(x: f64) -> f64 {
    x.round_ties_even()
}

/// Toward zero.
#[inline(always)]
pub fn trunc_f16(x: u16) -> u16 {
    f16::from_f32(f16::to_f32(x).trunc())
}

/// Toward -infinity.
#[inline(always)]
pub fn floor_f16(x: u16) -> u16 {
    f16::from_f32(f16::to_f32(x).floor())
}

/// Toward +infinity.
#[inline(always)]
pub fn ceil_f16(x: u16) -> u16 {
    f16::from_f32(f16::to_f32(x).ceil())
}

/// To nearest, ties to even.
#[inline(always)]
pub fn rndne_f16(x: u16) -> u16 {
    f16::from_f32(f16::to_f32(x).round_ties_even())
}

/// `x - floor(x)`, below 1; NaN for infinities.
#[inline(always)]
pub fn fract_f32(x: f32) -> f32 {
    let fract = x - x.floor();
    let largest = f32::from_bits(0x3f7f_ffff);
    if fract > largest { largest } else { fract }
}

/// `x - floor(x)`, below 1; NaN for infinities.
#[inline(always)]
pub fn fract_f64(x: f64) -> f64 {
    let fract = x - x.floor();
    let largest = f64::from_bits(0x3fef_ffff_ffff_ffff);
    if fract > largest { largest } else { fract }
}

/// `x - floor(x)`, below 1; NaN for infinities.
#[inline(always)]
pub fn fract_f16(x: u16) -> u16 {
    let value = f16::to_f32(x);
    let fract = f16::from_f32(value - value.floor());
    if fract == 0x3c00 { 0x3bff } else { fract }
}

/// Significand in ±[0.5, 1); zero, infinity and NaN are returned as they are.
#[inline(always)]
pub fn frexp_mant_f64(x: f64) -> f64 {
    let a = x.abs();
    // Scaling by 2^54 makes every denormal normal and changes no significand.
    let scaled = if a < f64::MIN_POSITIVE { x * 18_014_398_509_481_984.0 } else { x };
    let bits = scaled.to_bits();
    let mant = f64::from_bits(bits & 0x800f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000);
    if (a > 0.0) & (a < f64::INFINITY) { mant } else { x }
}

/// Exponent such that `x = mantissa × 2^exponent`; 0 for zero, infinity and NaN.
#[inline(always)]
pub fn frexp_exp_f64(x: f64) -> i32 {
    let a = x.abs();
    let denormal = a < f64::MIN_POSITIVE;
    let scaled = if denormal { a * 18_014_398_509_481_984.0 } else { a };
    let exp = (scaled.to_bits() >> 52) as i32 - 1022 - if denormal { 54 } else { 0 };
    if (a > 0.0) & (a < f64::INFINITY) { exp } else { 0 }
}

/// Significand in ±[0.5, 1); zero, infinity and NaN are returned as they are.
#[inline(always)]
pub fn frexp_mant_f32(x: f32) -> f32 {
    let a = x.abs();
    let scaled = if a < f32::MIN_POSITIVE { x * 33_554_432.0 } else { x };
    let mant = f32::from_bits(scaled.to_bits() & 0x807f_ffff | 0x3f00_0000);
    if (a > 0.0) & (a < f32::INFINITY) { mant } else { x }
}

/// Exponent such that `x = mantissa × 2^exponent`; 0 for zero, infinity and NaN.
#[inline(always)]
pub fn frexp_exp_f32(x: f32) -> i32 {
    let a = x.abs();
    let denormal = a < f32::MIN_POSITIVE;
    let scaled = if denormal { a * 33_554_432.0 } else { a };
    let exp = (scaled.to_bits() >> 23) as i32 - 126 - if denormal { 25 } else { 0 };
    if (a > 0.0) & (a < f32::INFINITY) { exp } else { 0 }
}

/// Significand in ±[0.5, 1); zero, infinity and NaN are returned as they are.
#[inline(always)]
pub fn frexp_mant_f16(x: u16) -> u16 {
    f16::from_f32(frexp_mant_f32(f16::to_f32(x)))
}

/// Exponent such that `x = mantissa × 2^exponent`; 0 for zero, infinity and NaN.
#[inline(always)]
pub fn frexp_exp_f16(x: u16) -> i16 {
    frexp_exp_f32(f16::to_f32(x)) as i16
}

/// `x × 2^n`, rounded to nearest even once.
#[inline(always)]
pub fn ldexp_f32(x: f32, n: i32) -> f32 {
    // In binary64 the product is exact; beyond ±300 every binary32 has overflowed or vanished.
    let n = n.clamp(-300, 300);
    (x as f64 * f64::from_bits(((n + 1023) as u64) << 52)) as f32
}

/// `x × 2^n` for binary16, rounded to nearest even once; `clamp` is MODE.FP16_OVFL.
#[inline(always)]
pub fn ldexp_f16(x: u16, n: i16, clamp: bool) -> u16 {
    // ±60 is beyond the range of binary16, and the product is exact in binary32.
    let n = n.clamp(-60, 60) as i32;
    let scaled = f16::to_f32(x) * f32::from_bits(((n + 127) as u32) << 23);
    if clamp { f16::from_f32_clamped(scaled) } else { f16::from_f32(scaled) }
}

/// `x × 2^n`, rounded to nearest even once.
pub fn ldexp_f64(x: f64, n: i32) -> f64 {
    ldexp_f64_rounded(x, n, Round::NearestEven)
}

/// [`ldexp_f32`] in any rounding mode.
pub fn ldexp_f32_rounded(x: f32, n: i32, round: Round) -> f32 {
    f32::from_bits(F32.ldexp(x.to_bits() as u64, n, round, false) as u32)
}

/// [`ldexp_f16`] in any rounding mode.
pub fn ldexp_f16_rounded(x: u16, n: i16, round: Round, clamp: bool) -> u16 {
    F16.ldexp(x as u64, n as i32, round, clamp) as u16
}

/// [`ldexp_f64`] in any rounding mode.
pub fn ldexp_f64_rounded(x: f64, n: i32, round: Round) -> f64 {
    f64::from_bits(F64.ldexp(x.to_bits(), n, round, false))
}
