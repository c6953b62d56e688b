//! The 8-bit floats: FP8 (E4M3) and BF8 (E5M2), in the OCP encoding (gfx950, gfx1250) and the FNUZ one (gfx940).
//!
//! Follows CDNA4 tables 30 to 32 and 7.3 "FP16_OVFL rule", CDNA5 7.5 and 7.6.2, OCP OFP8 v1.0; FNUZ: CDNA3 7.2.
//! Encoding rounds to nearest even (the instructions ignore MODE.round); what overflow, infinity and NaN become is a
//! [`Specials`] that the caller chooses once from MODE.FP16_OVFL. Input denormal flushing is the caller's.

use crate::f16;
use crate::narrow::{Specials, decode_magnitude, encode_magnitude};
use crate::soft::Format;

/// OCP E4M3 for [`crate::soft`]: no infinity, one NaN per sign.
pub const E4M3: Format = Format {
    man_bits: 3,
    bias: 7,
    sign_bit: 7,
    max_finite: 0x7e,
    overflow: 0x7f,
    infinity: u64::MAX,
    nan: 0x7f,
};
/// OCP E5M2 for [`crate::soft`].
pub const E5M2: Format = Format {
    man_bits: 2,
    bias: 15,
    sign_bit: 7,
    max_finite: 0x7b,
    overflow: 0x7c,
    infinity: 0x7c,
    nan: 0x7e,
};

/// OCP E4M3 conversions with MODE.FP16_OVFL clear: overflow and infinity give NaN.
pub const E4M3_TO_NAN: Specials = Specials { overflow: 0x7f, infinity: 0x7f, nan: 0x7f };
/// OCP E4M3 conversions with MODE.FP16_OVFL set: overflow and infinity give ±448.
pub const E4M3_CLAMP: Specials = Specials { overflow: 0x7e, infinity: 0x7e, nan: 0x7f };
/// OCP E5M2 conversions with MODE.FP16_OVFL clear: overflow gives infinity.
pub const E5M2_TO_INFINITY: Specials = Specials { overflow: 0x7c, infinity: 0x7c, nan: 0x7e };
/// OCP E5M2 conversions with MODE.FP16_OVFL set: overflow and infinity give ±57344.
pub const E5M2_CLAMP: Specials = Specials { overflow: 0x7b, infinity: 0x7b, nan: 0x7e };

/// Policy of unscaled (and, before gfx1250, of scaled) conversions to OCP E4M3 (CDNA4 7.3, CDNA5 7.6.2).
pub const fn e4m3_specials(fp16_ovfl: bool) -> Specials {
    if fp16_ovfl { E4M3_CLAMP } else { E4M3_TO_NAN }
}

/// Policy of unscaled (and, before gfx1250, of scaled) conversions to OCP E5M2 (CDNA4 7.3, CDNA5 7.6.2).
pub const fn e5m2_specials(fp16_ovfl: bool) -> Specials {
    if fp16_ovfl { E5M2_CLAMP } else { E5M2_TO_INFINITY }
}

/// Policy of gfx1250's `V_CVT_SCALE*` conversions to OCP E4M3: an infinity always gives NaN (CDNA5 7.6.2).
pub const fn e4m3_specials_scaled_gfx1250(fp16_ovfl: bool) -> Specials {
    Specials { infinity: 0x7f, ..e4m3_specials(fp16_ovfl) }
}

/// Policy of gfx1250's `V_CVT_SCALE*` conversions to OCP E5M2: with FP16_OVFL an infinity gives NaN (CDNA5 7.6.2).
pub const fn e5m2_specials_scaled_gfx1250(fp16_ovfl: bool) -> Specials {
    Specials { infinity: if fp16_ovfl { 0x7e } else { 0x7c }, ..e5m2_specials(fp16_ovfl) }
}

/// FNUZ conversions that clamp: overflow and infinity give the largest finite value. NaN (0x80) has no sign.
pub const FNUZ_CLAMP: Specials = Specials { overflow: 0x7f, infinity: 0x7f, nan: 0x80 };
/// FNUZ conversions that do not clamp: overflow and infinity give NaN.
pub const FNUZ_TO_NAN: Specials = Specials { overflow: 0x80, infinity: 0x80, nan: 0x80 };

const NAN_BITS: u32 = 0x7fc0_0000;

#[inline(always)]
const fn with_sign(code: u8, magnitude: f32) -> f32 {
    f32::from_bits(magnitude.to_bits() | (code as u32 & 0x80) << 24)
}

/// Value of an OCP E4M3 code (CDNA4 V_CVT_F32_FP8), exactly.
#[inline(always)]
pub const fn e4m3_to_f32(code: u8) -> f32 {
    let magnitude = code as u32 & 0x7f;
    let finite = decode_magnitude::<3, 7>(magnitude);
    with_sign(code, if magnitude == 0x7f { f32::from_bits(NAN_BITS) } else { finite })
}

/// Value of an OCP E5M2 code (CDNA4 V_CVT_F32_BF8), exactly: E5M2 is the upper byte of a binary16.
#[inline(always)]
pub const fn e5m2_to_f32(code: u8) -> f32 {
    let wide = f16::to_f32((code as u16) << 8);
    if code & 0x7f > 0x7c { f32::from_bits(wide.to_bits() | 0x0040_0000) } else { wide }
}

/// Value of an E4M3 FNUZ code (bias 8, 0x80 is NaN), exactly.
#[inline(always)]
pub const fn e4m3fnuz_to_f32(code: u8) -> f32 {
    let value = with_sign(code, decode_magnitude::<3, 8>(code as u32 & 0x7f));
    if code == 0x80 { f32::from_bits(NAN_BITS) } else { value }
}

/// Value of an E5M2 FNUZ code (bias 16, 0x80 is NaN), exactly.
#[inline(always)]
pub const fn e5m2fnuz_to_f32(code: u8) -> f32 {
    let value = with_sign(code, decode_magnitude::<2, 16>(code as u32 & 0x7f));
    if code == 0x80 { f32::from_bits(NAN_BITS) } else { value }
}

/// Value of an OCP E4M3 code as binary16, exactly (CDNA5 V_CVT_F16_FP8).
#[inline(always)]
pub const fn e4m3_to_f16(code: u8) -> u16 {
    f16::from_f32(e4m3_to_f32(code))
}

/// Value of an OCP E5M2 code as binary16, exactly (CDNA5 V_CVT_F16_BF8).
#[inline(always)]
pub const fn e5m2_to_f16(code: u8) -> u16 {
    f16::from_f32(e5m2_to_f32(code))
}

/// Nearest OCP E4M3 code (CDNA4 V_CVT_PK_FP8_F32).
#[inline(always)]
pub const fn e4m3_from_f32(x: f32, specials: Specials) -> u8 {
    let bits = x.to_bits();
    let magnitude = encode_magnitude::<3, 7, 0x7e>(bits & 0x7fff_ffff, specials);
    (magnitude | bits >> 24 & 0x80) as u8
}

/// Nearest OCP E5M2 code (CDNA4 V_CVT_PK_BF8_F32).
#[inline(always)]
pub const fn e5m2_from_f32(x: f32, specials: Specials) -> u8 {
    let bits = x.to_bits();
    let magnitude = encode_magnitude::<2, 15, 0x7b>(bits & 0x7fff_ffff, specials);
    (magnitude | bits >> 24 & 0x80) as u8
}

/// Nearest E4M3 FNUZ code. Negative zero becomes zero.
#[inline(always)]
pub const fn e4m3fnuz_from_f32(x: f32, specials: Specials) -> u8 {
    let bits = x.to_bits();
    fnuz(encode_magnitude::<3, 8, 0x7f>(bits & 0x7fff_ffff, specials), bits)
}

/// Nearest E5M2 FNUZ code. Negative zero becomes zero.
#[inline(always)]
pub const fn e5m2fnuz_from_f32(x: f32, specials: Specials) -> u8 {
    let bits = x.to_bits();
    fnuz(encode_magnitude::<2, 16, 0x7f>(bits & 0x7fff_ffff, specials), bits)
}

/// Policy of conversions to either FNUZ format (CDNA3 ISA, MODE.FP16_OVFL).
pub const fn fnuz_specials(fp16_ovfl: bool) -> Specials {
    if fp16_ovfl { FNUZ_CLAMP } else { FNUZ_TO_NAN }
}

/// Attaches the sign of `bits` unless the magnitude is zero or the NaN code.
#[inline(always)]
pub(crate) const fn fnuz(magnitude: u32, bits: u32) -> u8 {
    let unsigned = (magnitude == 0) | (magnitude == 0x80);
    (if unsigned { magnitude } else { magnitude | bits >> 24 & 0x80 }) as u8
}

/// Every OCP E4M3 value by code.
pub static E4M3_VALUES: [f32; 256] = values(Encoding::E4m3);
/// Every OCP E5M2 value by code.
pub static E5M2_VALUES: [f32; 256] = values(Encoding::E5m2);
/// Every E4M3 FNUZ value by code.
pub static E4M3FNUZ_VALUES: [f32; 256] = values(Encoding::E4m3Fnuz);
/// Every E5M2 FNUZ value by code.
pub static E5M2FNUZ_VALUES: [f32; 256] = values(Encoding::E5m2Fnuz);

#[derive(Clone, Copy)]
enum Encoding {
    E4m3,
    E5m2,
    E4m3Fnuz,
    E5m2Fnuz,
}

const fn values(encoding: Encoding) -> [f32; 256] {
    let mut table = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        table[code] = match encoding {
            Encoding::E4m3 => e4m3_to_f32(code as u8),
            Encoding::E5m2 => e5m2_to_f32(code as u8),
            Encoding::E4m3Fnuz => e4m3fnuz_to_f32(code as u8),
            Encoding::E5m2Fnuz => e5m2fnuz_to_f32(code as u8),
        };
        code += 1;
    }
    table
}
