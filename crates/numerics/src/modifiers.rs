//! Output modifiers: clamp and OMOD.
//!
//! Follows CDNA4 6.5 and 6.2 ("Output modifiers", DX10_CLAMP in table 4), CDNA5 7.2.3.1. OMOD codes: 0 none, 1 ×2,
//! 2 ×4, 3 ÷2. OMOD flushes output denormals and turns -0 into +0. Before gfx12 the hardware ignores OMOD while
//! output denormals are enabled or MODE.IEEE is set; that decision is the caller's, once per instruction. The
//! modifiers on inputs (negate, absolute value) are plain sign-bit operations and have no function here.

use crate::arith::{flush_f32, flush_f64};
use crate::f16;

/// Clamps to [0, 1]; NaN gives 0 if `dx10_clamp`, else stays. -0 gives +0.
#[inline(always)]
pub fn clamp_f32(x: f32, dx10_clamp: bool) -> f32 {
    let below_one = if x < 1.0 { x } else { 1.0 };
    let clamped = if x > 0.0 { below_one } else { 0.0 };
    if !dx10_clamp & x.is_nan() { x } else { clamped }
}

/// Clamps to [0, 1]; NaN gives 0 if `dx10_clamp`, else stays. -0 gives +0.
#[inline(always)]
pub fn clamp_f64(x: f64, dx10_clamp: bool) -> f64 {
    let below_one = if x < 1.0 { x } else { 1.0 };
    let clamped = if x > 0.0 { below_one } else { 0.0 };
    if !dx10_clamp & x.is_nan() { x } else { clamped }
}

/// Clamps binary16 bits to [0, 1]; NaN gives 0 if `dx10_clamp`, else stays. -0 gives +0.
#[inline(always)]
pub const fn clamp_f16(x: u16, dx10_clamp: bool) -> u16 {
    clamp_16(x, dx10_clamp, f16::INFINITY, 0x3c00)
}

/// Clamps bfloat16 bits to [0, 1]; NaN gives 0 if `dx10_clamp`, else stays. -0 gives +0.
#[inline(always)]
pub const fn clamp_bf16(x: u16, dx10_clamp: bool) -> u16 {
    clamp_16(x, dx10_clamp, crate::bf16::INFINITY, 0x3f80)
}

#[inline(always)]
const fn clamp_16(x: u16, dx10_clamp: bool, infinity: u16, one: u16) -> u16 {
    let nan = x & 0x7fff > infinity;
    let below_one = if x < one { x } else { one };
    let clamped = if (x & 0x8000 != 0) | nan { 0 } else { below_one };
    if nan & !dx10_clamp { x } else { clamped }
}

/// The factor of an OMOD code (its low two bits).
#[inline(always)]
pub const fn omod_factor(omod: u32) -> f32 {
    match omod & 3 {
        0 => 1.0,
        1 => 2.0,
        2 => 4.0,
        _ => 0.5,
    }
}

/// Applies OMOD to a binary32 result; code 0 leaves it alone.
#[inline(always)]
pub fn omod_f32(x: f32, omod: u32) -> f32 {
    // Adding +0 turns -0 into +0 and changes nothing else.
    let scaled = flush_f32(flush_f32(x) * omod_factor(omod)) + 0.0;
    if omod & 3 == 0 { x } else { scaled }
}

/// Applies OMOD to a binary64 result; code 0 leaves it alone.
#[inline(always)]
pub fn omod_f64(x: f64, omod: u32) -> f64 {
    let scaled = flush_f64(flush_f64(x) * omod_factor(omod) as f64) + 0.0;
    if omod & 3 == 0 { x } else { scaled }
}

/// Applies OMOD to binary16 bits; code 0 leaves them alone. `clamp` is MODE.FP16_OVFL.
#[inline(always)]
pub fn omod_f16(x: u16, omod: u32, clamp: bool) -> u16 {
    let scaled = f16::to_f32(f16::flush(x)) * omod_factor(omod) + 0.0;
    let encoded = if clamp { f16::from_f32_clamped(scaled) } else { f16::from_f32(scaled) };
    let flushed = f16::flush(encoded);
    let positive = if flushed == 0x8000 { 0 } else { flushed };
    if omod & 3 == 0 { x } else { positive }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamp_handles_nan_and_negative_zero() {
        for (x, want) in
            [(-1.0, 0.0f32), (-0.0, 0.0), (0.25, 0.25), (1.0, 1.0), (f32::INFINITY, 1.0), (f32::NAN, 0.0)]
        {
            assert_eq!(clamp_f32(x, true).to_bits(), want.to_bits(), "{x}");
            assert_eq!(clamp_f64(x as f64, true).to_bits(), (want as f64).to_bits(), "{x}");
            assert_eq!(clamp_f16(f16::from_f32(x), true), f16::from_f32(want), "{x}");
            assert_eq!(clamp_bf16(crate::bf16::from_f32(x), true), crate::bf16::from_f32(want), "{x}");
        }
        assert!(clamp_f32(f32::NAN, false).is_nan() && clamp_f64(f64::NAN, false).is_nan());
        assert_eq!([clamp_f16(0xfe01, false), clamp_bf16(0x7fc1, false)], [0xfe01, 0x7fc1]);
    }

    #[test]
    fn omod_scales_flushes_and_drops_the_sign_of_zero() {
        assert_eq!(
            [omod_f32(3.0, 0), omod_f32(3.0, 1), omod_f32(3.0, 2), omod_f32(3.0, 3)],
            [3.0, 6.0, 12.0, 1.5]
        );
        assert_eq!(omod_f32(-0.0, 1).to_bits(), 0);
        assert_eq!(omod_f32(-0.0, 0).to_bits(), 1 << 31);
        assert_eq!(omod_f32(f32::MIN_POSITIVE, 3).to_bits(), 0);
        assert_eq!(omod_f32(-f32::from_bits(1), 2).to_bits(), 0);
        assert_eq!(omod_f64(-3.0, 2), -12.0);
        assert_eq!(
            [omod_f16(0x4200, 1, false), omod_f16(0x8000, 1, false), omod_f16(0x0400, 3, false)],
            [0x4600, 0, 0]
        );
        assert_eq!([omod_f16(0x7bff, 1, false), omod_f16(0x7bff, 1, true)], [0x7c00, 0x7bff]);
    }
}
