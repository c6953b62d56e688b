//! IEEE binary16 ("f16", FP16): decode to and encode from binary32.
//!
//! Follows CDNA4 V_CVT_F32_F16, V_CVT_F16_F32 (0.5 ULP, rounding by MODE.round_16_64) and V_CVT_PKRTZ_F16_F32, and
//! the FP16_OVFL rule of CDNA4 table 4: an overflowed result is clamped to ±65504 in any rounding mode, a true
//! infinity stays. NaNs keep sign and upper payload and become quiet.

use crate::mode::Round;
use crate::soft::{self, F16, F32};

/// Bits of +infinity.
pub const INFINITY: u16 = 0x7c00;
/// Bits of the largest finite value, 65504.
pub const MAX: u16 = 0x7bff;
/// Bits of the default quiet NaN as invalid operations produce it (CDNA4 V_SQRT_F16: 0xfe00).
pub const NAN: u16 = 0xfe00;

/// The value, exactly. A signalling NaN stays signalling in its bits.
#[inline(always)]
pub const fn to_f32(bits: u16) -> f32 {
    let sign = (bits as u32 & 0x8000) << 16;
    let code = (bits as u32 & 0x7fff) << 13;
    let normal = code + (112 << 23);
    let special = code + (224 << 23);
    let denormal = (f32::from_bits(code | 113 << 23) - f32::from_bits(113 << 23)).to_bits();
    let magnitude = if code >= 0x0f80_0000 {
        special
    } else if code < 0x0080_0000 {
        denormal
    } else {
        normal
    };
    f32::from_bits(sign | magnitude)
}

/// Rounds to nearest even; overflow gives infinity.
#[inline(always)]
pub const fn from_f32(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let a = bits & 0x7fff_ffff;
    // Normal results: rebias, add half an ulp less one, plus one if the kept part is odd.
    let normal = a.wrapping_add(0xc800_0fff).wrapping_add(a >> 13 & 1) >> 13;
    // Denormal results: adding 0.5 puts the binary16 denormal ulp at the last bit and lets the host round.
    let denormal = (f32::from_bits(a) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let nan = 0x7e00 | (a >> 13 & 0x3ff);
    let magnitude = if a > 0x7f80_0000 {
        nan
    } else if a >= 0x4780_0000 {
        0x7c00
    } else if a < 0x3880_0000 {
        denormal
    } else {
        normal
    };
    sign | magnitude as u16
}

/// Rounds to nearest even; a finite value that overflows gives ±65504 (MODE.FP16_OVFL set).
#[inline(always)]
pub const fn from_f32_clamped(x: f32) -> u16 {
    let rounded = from_f32(x);
    let overflowed = (rounded & 0x7fff == INFINITY) & (x.to_bits() & 0x7fff_ffff != 0x7f80_0000);
    if overflowed { (rounded & 0x8000) | MAX } else { rounded }
}

/// Rounds in any mode; `clamp` is MODE.FP16_OVFL. The slow path.
pub fn from_f32_rounded(x: f32, round: Round, clamp: bool) -> u16 {
    F32.convert(x.to_bits() as u64, &F16, round, clamp) as u16
}

/// Rounds toward zero, whatever MODE says (CDNA4 V_CVT_PKRTZ_F16_F32, CDNA5 V_CVT_PK_RTZ_F16_F32).
#[inline(always)]
pub const fn from_f32_toward_zero(x: f32) -> u16 {
    let bits = x.to_bits();
    let near = from_f32(x);
    let a = bits & 0x7fff_ffff;
    // Nearest even never undershoots by more than rounding toward zero does; step back where it went up.
    let back = to_f32(near & 0x7fff).to_bits();
    let went_up = (back > a) & (a <= 0x7f80_0000);
    near - went_up as u16
}

/// Rounds a binary64 to nearest even, with one rounding.
#[inline(always)]
pub fn from_f64(x: f64) -> u16 {
    from_f32(soft::f64_to_f32_odd(x))
}

/// Whether the bits are a denormal (not zero).
#[inline(always)]
pub const fn is_denormal(bits: u16) -> bool {
    bits & 0x7c00 == 0 && bits & 0x3ff != 0
}

/// Replaces a denormal by a zero of the same sign.
#[inline(always)]
pub const fn flush(bits: u16) -> u16 {
    if bits & 0x7c00 == 0 { bits & 0x8000 } else { bits }
}

/// Whether the bits are a NaN.
#[inline(always)]
pub const fn is_nan(bits: u16) -> bool {
    bits & 0x7fff > INFINITY
}
