//! The microscaling element formats: FP6 (E2M3), BF6 (E3M2) and FP4 (E2M1).
//!
//! Follows CDNA4 table 30 and 7.3 "Converts with Scale", OCP MX v1.0 5.3. None has infinity or NaN. A value beyond the
//! range after rounding becomes the largest magnitude with its sign (CDNA4 7.3). For infinities and NaNs the manuals
//! say nothing; AMD's host emulation of the conversions gives the largest magnitude with the sign, and so do we.
//! Codes sit in the low bits of a byte; higher bits are ignored on decode and zero on encode. Denormals are kept.

use crate::narrow::{Specials, decode_magnitude, encode_magnitude};

const FP6_SPECIALS: Specials = Specials { overflow: 0x1f, infinity: 0x1f, nan: 0x1f };
const FP4_SPECIALS: Specials = Specials { overflow: 7, infinity: 7, nan: 7 };

/// Value of an FP6 E2M3 code (bits 5:0), exactly; largest 7.5.
#[inline(always)]
pub const fn e2m3_to_f32(code: u8) -> f32 {
    let magnitude = decode_magnitude::<3, 1>(code as u32 & 0x1f);
    f32::from_bits(magnitude.to_bits() | (code as u32 & 0x20) << 26)
}

/// Value of a BF6 E3M2 code (bits 5:0), exactly; largest 28.
#[inline(always)]
pub const fn e3m2_to_f32(code: u8) -> f32 {
    let magnitude = decode_magnitude::<2, 3>(code as u32 & 0x1f);
    f32::from_bits(magnitude.to_bits() | (code as u32 & 0x20) << 26)
}

/// Value of an FP4 E2M1 code (bits 3:0), exactly; largest 6.
#[inline(always)]
pub const fn e2m1_to_f32(code: u8) -> f32 {
    let magnitude = decode_magnitude::<1, 1>(code as u32 & 7);
    f32::from_bits(magnitude.to_bits() | (code as u32 & 8) << 28)
}

/// Nearest FP6 E2M3 code, ties to even, saturating.
#[inline(always)]
pub const fn e2m3_from_f32(x: f32) -> u8 {
    let bits = x.to_bits();
    (encode_magnitude::<3, 1, 0x1f>(bits & 0x7fff_ffff, FP6_SPECIALS) | bits >> 26 & 0x20) as u8
}

/// Nearest BF6 E3M2 code, ties to even, saturating.
#[inline(always)]
pub const fn e3m2_from_f32(x: f32) -> u8 {
    let bits = x.to_bits();
    (encode_magnitude::<2, 3, 0x1f>(bits & 0x7fff_ffff, FP6_SPECIALS) | bits >> 26 & 0x20) as u8
}

/// Nearest FP4 E2M1 code, ties to even, saturating.
#[inline(always)]
pub const fn e2m1_from_f32(x: f32) -> u8 {
    let bits = x.to_bits();
    (encode_magnitude::<1, 1, 7>(bits & 0x7fff_ffff, FP4_SPECIALS) | bits >> 28 & 8) as u8
}

/// Every FP6 E2M3 value by code.
pub static E2M3_VALUES: [f32; 64] = {
    let mut table = [0.0; 64];
    let mut code = 0;
    while code < 64 {
        table[code] = e2m3_to_f32(code as u8);
        code += 1;
    }
    table
};

/// Every BF6 E3M2 value by code.
pub static E3M2_VALUES: [f32; 64] = {
    let mut table = [0.0; 64];
    let mut code = 0;
    while code < 64 {
        table[code] = e3m2_to_f32(code as u8);
        code += 1;
    }
    table
};

/// Every FP4 E2M1 value by code.
pub static E2M1_VALUES: [f32; 16] = {
    let mut table = [0.0; 16];
    let mut code = 0;
    while code < 16 {
        table[code] = e2m1_to_f32(code as u8);
        code += 1;
    }
    table
};
