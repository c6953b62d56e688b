//! bfloat16 ("BF16"): decode to and encode from binary32.
//!
//! Follows CDNA4 V_CVT_PK_BF16_F32 (nearest even), CDNA5 V_CVT_F32_BF16 and CDNA5 7.7 "PK_*_BF16 ops" (nearest even
//! only, denormals kept, FP16_OVFL clamps). NaNs keep sign and upper payload and become quiet.

use crate::mode::Round;
use crate::soft::{self, BF16, F32};

/// Bits of +infinity.
pub const INFINITY: u16 = 0x7f80;
/// Bits of the largest finite value.
pub const MAX: u16 = 0x7f7f;
/// Bits of the default quiet NaN as invalid operations produce it.
pub const NAN: u16 = 0xffc0;

/// The value, exactly.
#[inline(always)]
pub const fn to_f32(bits: u16) -> f32 {
    f32::from_bits((bits as u32) << 16)
}

/// Rounds to nearest even; overflow gives infinity, denormals are kept.
#[inline(always)]
pub const fn from_f32(x: f32) -> u16 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff).wrapping_add(bits >> 16 & 1) >> 16;
    let nan = bits >> 16 | 0x40;
    (if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { rounded }) as u16
}

/// Rounds to nearest even; a finite value that overflows gives the largest finite value (MODE.FP16_OVFL set).
#[inline(always)]
pub const fn from_f32_clamped(x: f32) -> u16 {
    let rounded = from_f32(x);
    let overflowed = (rounded & 0x7fff == INFINITY) & (x.to_bits() & 0x7fff_ffff != 0x7f80_0000);
    if overflowed { (rounded & 0x8000) | MAX } else { rounded }
}

/// Rounds in any mode; `clamp` is MODE.FP16_OVFL. The slow path.
pub fn from_f32_rounded(x: f32, round: Round, clamp: bool) -> u16 {
    F32.convert(x.to_bits() as u64, &BF16, round, clamp) as u16
}

/// Rounds a binary64 to nearest even, with one rounding.
#[inline(always)]
pub fn from_f64(x: f64) -> u16 {
    from_f32(soft::f64_to_f32_odd(x))
}

/// Replaces a denormal by a zero of the same sign.
#[inline(always)]
pub const fn flush(bits: u16) -> u16 {
    if bits & 0x7f80 == 0 { bits & 0x8000 } else { bits }
}

/// Whether the bits are a NaN.
#[inline(always)]
pub const fn is_nan(bits: u16) -> bool {
    bits & 0x7fff > INFINITY
}
