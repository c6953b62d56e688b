//! Conversions between f64, f32, f16, bf16 and integers.

use wavemark_isa::Meaning;
use wavemark_numerics::{Mode, Round, bf16, f16, int_convert as ic, soft, stochastic};

use super::def::{Line, VectorDef};
use super::word::{Bf16, F16};

/// binary32 to binary16 under MODE: rounding and output denormals of f16, FP16_OVFL.
pub fn to_f16(x: f32, mode: &Mode) -> u16 {
    let d = f16::from_f32_rounded(x, mode.round_16_64, mode.fp16_ovfl);
    if mode.denorm_16_64.output { d } else { f16::flush(d) }
}

/// binary16 to binary32, signalling NaNs quieted.
#[inline(always)]
fn from_f16(x: u16) -> f32 {
    let d = f16::to_f32(x);
    if f16::is_nan(x) { f32::from_bits(d.to_bits() | 0x40_0000) } else { d }
}

/// [`from_f16`] under MODE's input denormal handling.
pub fn from_f16_mode(x: u16, mode: &Mode) -> f32 {
    from_f16(wavemark_numerics::arith::flush_f16_unless(x, mode.denorm_16_64.input))
}

#[inline(always)]
fn pack(lo: u16, hi: u16) -> u32 {
    u32::from(lo) | u32::from(hi) << 16
}

/// An `f64` to an `f32` or from one, NaNs quieted with their payload's top bits.
fn f64_to_f32(x: f64, round: Round) -> f32 {
    if x.is_nan() {
        let bits = x.to_bits();
        f32::from_bits(((bits >> 32) as u32 & 0x8000_0000) | 0x7fc0_0000 | ((bits >> 29) as u32 & 0x3f_ffff))
    } else {
        soft::f64_to_f32(x, round)
    }
}

fn f32_to_f64(x: f32) -> f64 {
    if x.is_nan() {
        let bits = u64::from(x.to_bits());
        f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | (bits & 0x3f_ffff) << 29)
    } else {
        f64::from(x)
    }
}

const FLOOR_I32: VectorDef = rare!(Select32; cx |a: f32| -> i32 { ic::floor_i32_from_f32(a) });
const NEAREST_I32: VectorDef = rare!(Select32; cx |a: f32| -> i32 { ic::nearest_i32_from_f32(a) });
const PK_RTZ: VectorDef =
    raw!(|a: f32, b: f32| -> u32 { pack(f16::from_f32_toward_zero(a), f16::from_f32_toward_zero(b)) });
const NORM_I16_F32: VectorDef = rare!(Select32; cx |a: f32, b: f32| -> u32 {
    pack(ic::snorm16_from_f32(a) as u16, ic::snorm16_from_f32(b) as u16)
});
const NORM_U16_F32: VectorDef = rare!(Select32; cx |a: f32, b: f32| -> u32 {
    pack(ic::unorm16_from_f32(a), ic::unorm16_from_f32(b))
});
const NORM_I16_F16: VectorDef = rare!(Select16F64; cx |a: F16, b: F16| -> u32 {
    pack(ic::snorm16_from_f16(a.0) as u16, ic::snorm16_from_f16(b.0) as u16)
});
const NORM_U16_F16: VectorDef = rare!(Select16F64; cx |a: F16, b: F16| -> u32 {
    pack(ic::unorm16_from_f16(a.0), ic::unorm16_from_f16(b.0))
});

/// Byte `n` as a float.
macro_rules! ubyte {
    ($n:literal) => {
        raw!(|a: u32| -> f32 { (a >> (8 * $n) & 0xff) as f32 }).def()
    };
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    (
        Meaning::V_CVT_F32_I32,
        float!(Select32; |a: i32| -> f32 { ic::f32_from_i32(a) };
            cx => ic::f32_from_i32_rounded(a, cx.mode.round_32)).def(),
    ),
    (
        Meaning::V_CVT_F32_U32,
        float!(Select32; |a: u32| -> f32 { ic::f32_from_u32(a) };
            cx => ic::f32_from_u32_rounded(a, cx.mode.round_32)).def(),
    ),
    (Meaning::V_CVT_I32_F32, raw!(|a: f32| -> i32 { ic::i32_from_f32(a) }).def()),
    (Meaning::V_CVT_U32_F32, raw!(|a: f32| -> u32 { ic::u32_from_f32(a) }).def()),
    (Meaning::V_CVT_NEAREST_I32_F32, NEAREST_I32.def()),
    (Meaning::V_CVT_FLOOR_I32_F32, FLOOR_I32.def()),
    (Meaning::V_CVT_F32_UBYTE0, ubyte!(0)),
    (Meaning::V_CVT_F32_UBYTE1, ubyte!(1)),
    (Meaning::V_CVT_F32_UBYTE2, ubyte!(2)),
    (Meaning::V_CVT_F32_UBYTE3, ubyte!(3)),
    (Meaning::V_CVT_OFF_F32_I4, rare!(Nothing; cx |a: u32| -> f32 { ic::f32_from_i4_offset(a) }).def()),
    (Meaning::V_CVT_F32_F16, float!(Select16F64; |a: F16| -> f32 { from_f16(a.0) }; cx => from_f16(a.0)).def()),
    (
        Meaning::V_CVT_F16_F32,
        float!(Select16F64; |a: f32| -> F16 { F16(f16::from_f32(a)) }; cx => F16(to_f16(a, &cx.mode))).def(),
    ),
    (Meaning::V_CVT_F32_BF16, raw!(|a: Bf16| -> f32 { bf16::to_f32(a.0) }).def()),
    (
        Meaning::V_CVT_PK_F16_F32,
        float!(Select16F64; |a: f32, b: f32| -> u32 { pack(f16::from_f32(a), f16::from_f32(b)) };
            cx => {
                let mode = Mode { round_16_64: Round::NearestEven, ..cx.mode };
                pack(to_f16(a, &mode), to_f16(b, &mode))
            })
        .def(),
    ),
    // Sources as bits: bfloat16 keeps f32's denormals, whatever MODE says of f32.
    (
        Meaning::V_CVT_PK_BF16_F32,
        float!(Select16F64; |a: u32, b: u32| -> u32 { pack(bf16::from_f32(f32::from_bits(a)), bf16::from_f32(f32::from_bits(b))) };
            cx => {
                let clamp = cx.mode.fp16_ovfl;
                let f = |x| if clamp { bf16::from_f32_clamped(x) } else { bf16::from_f32(x) };
                pack(f(f32::from_bits(a)), f(f32::from_bits(b)))
            })
        .def(),
    ),
    (Meaning::V_CVT_PK_RTZ_F16_F32, PK_RTZ.def()),
    (Meaning::V_CVT_F64_F32, float!(Select32; |a: f32| -> f64 { f32_to_f64(a) }; cx => f32_to_f64(a)).def()),
    (
        Meaning::V_CVT_F32_F64,
        rare!(Select16F64; cx |a: f64| -> f32 {
            let d = f64_to_f32(a, cx.mode.round_32);
            if d.is_subnormal() && !cx.mode.denorm_32.output { 0f32.copysign(d) } else { d }
        })
        .def(),
    ),
    (Meaning::V_CVT_I32_F64, rare!(Select16F64; cx |a: f64| -> i32 { ic::i32_from_f64(a) }).def()),
    (Meaning::V_CVT_U32_F64, rare!(Select16F64; cx |a: f64| -> u32 { ic::u32_from_f64(a) }).def()),
    (Meaning::V_CVT_F64_I32, raw!(|a: i32| -> f64 { f64::from(a) }).def()),
    (Meaning::V_CVT_F64_U32, raw!(|a: u32| -> f64 { f64::from(a) }).def()),
    (
        Meaning::V_CVT_F16_I16,
        rare!(Select16F64; cx |a: i16| -> F16 { F16(ic::f16_from_i16_rounded(a, cx.mode.round_16_64)) }).def(),
    ),
    (
        Meaning::V_CVT_F16_U16,
        rare!(Select16F64; cx |a: u16| -> F16 {
            F16(ic::f16_from_u16_rounded(a, cx.mode.round_16_64, cx.mode.fp16_ovfl))
        })
        .def(),
    ),
    (Meaning::V_CVT_I16_F16, rare!(Select16F64; cx |a: F16| -> i16 { ic::i16_from_f16(a.0) }).def()),
    (Meaning::V_CVT_U16_F16, rare!(Select16F64; cx |a: F16| -> u16 { ic::u16_from_f16(a.0) }).def()),
    (Meaning::V_CVT_NORM_I16_F16, rare!(Select16F64; cx |a: F16| -> i16 { ic::snorm16_from_f16(a.0) }).def()),
    (Meaning::V_CVT_NORM_U16_F16, rare!(Select16F64; cx |a: F16| -> u16 { ic::unorm16_from_f16(a.0) }).def()),
    (Meaning::V_CVT_I32_I16, raw!(|a: i16| -> i32 { i32::from(a) }).def()),
    (Meaning::V_CVT_U32_U16, raw!(|a: u16| -> u32 { u32::from(a) }).def()),
    (
        Meaning::V_CVT_PK_I16_I32,
        raw!(|a: i32, b: i32| -> u32 { pack(ic::i16_from_i32(a) as u16, ic::i16_from_i32(b) as u16) }).def(),
    ),
    (
        Meaning::V_CVT_PK_U16_U32,
        raw!(|a: u32, b: u32| -> u32 { pack(ic::u16_from_u32(a), ic::u16_from_u32(b)) }).def(),
    ),
    (
        Meaning::V_CVT_PK_I16_F32,
        rare!(Select32; cx |a: f32, b: f32| -> u32 {
            pack(ic::i16_from_f32(a) as u16, ic::i16_from_f32(b) as u16)
        })
        .def(),
    ),
    (
        Meaning::V_CVT_PK_U16_F32,
        rare!(Select32; cx |a: f32, b: f32| -> u32 { pack(ic::u16_from_f32(a), ic::u16_from_f32(b)) }).def(),
    ),
    (Meaning::V_CVT_PK_NORM_I16_F32, NORM_I16_F32.def()),
    (Meaning::V_CVT_PK_NORM_U16_F32, NORM_U16_F32.def()),
    (Meaning::V_CVT_PK_NORM_I16_F16, NORM_I16_F16.def()),
    (Meaning::V_CVT_PK_NORM_U16_F16, NORM_U16_F16.def()),
    (
        Meaning::V_CVT_PK_U8_F32,
        rare!(Select32; cx |a: f32, b: u32, c: u32| -> u32 {
            let shift = 8 * (b & 3);
            c & !(0xff << shift) | u32::from(ic::u8_from_f32(a)) << shift
        })
        .def(),
    ),
    (
        Meaning::V_CVT_PKACCUM_U8_F32,
        rare!(Select32; cx |a: f32, b: u32, c: u32| -> u32 {
            let shift = 8 * (b & 3);
            c & !(0xff << shift) | u32::from(ic::u8_from_f32(a)) << shift
        })
        .accumulating()
        .def(),
    ),
    (Meaning::V_SAT_PK_U8_I16, raw!(|a: u32| -> u16 { ic::sat_pk_u8_i16(a) as u16 }).def()),
    (Meaning::V_SAT_PK4_I4_I8, rare!(Nothing; cx |a: u32| -> u16 { ic::sat_pk4_i4_i8(a) as u16 }).def()),
    (Meaning::V_SAT_PK4_U4_U8, rare!(Nothing; cx |a: u32| -> u16 { ic::sat_pk4_u4_u8(a) as u16 }).def()),
    (
        Meaning::V_ASHR_PK_I8_I32,
        rare!(Nothing; cx |a: i32, b: i32, c: u32| -> u16 {
            let f = |x: i32| u16::from(ic::i8_from_i32(x >> (c & 31)) as u8);
            f(a) | f(b) << 8
        })
        .keeping_half()
        .def(),
    ),
    (
        Meaning::V_ASHR_PK_U8_I32,
        rare!(Nothing; cx |a: i32, b: i32, c: u32| -> u16 {
            let f = |x: i32| u16::from(ic::u8_from_i32(x >> (c & 31)));
            f(a) | f(b) << 8
        })
        .keeping_half()
        .def(),
    ),
    (Meaning::V_PACK_B32_F16, raw!(|a: F16, b: F16| -> u32 { pack(a.0, b.0) }).def()),
    (
        Meaning::V_CVT_SR_F16_F32,
        rare!(Select16F64; cx |a: f32, b: u32| -> F16 { F16(stochastic::f16_from_f32(a, b, cx.mode.fp16_ovfl)) })
            .keeping_half()
            .def(),
    ),
    (
        Meaning::V_CVT_SR_BF16_F32,
        rare!(Select16F64; cx |a: f32, b: u32| -> Bf16 {
            Bf16(stochastic::bf16_from_f32(a, b, cx.mode.fp16_ovfl))
        })
        .keeping_half()
        .def(),
    ),
    (
        Meaning::V_CVT_SR_PK_F16_F32,
        rare!(Select16F64; cx |a: f32, b: f32, c: u32| -> u32 {
            let f = |x, r: u32| stochastic::f16_from_f32(x, r << 16, cx.mode.fp16_ovfl);
            pack(f(a, c & 0xffff), f(b, c >> 16))
        })
        .def(),
    ),
    (
        Meaning::V_CVT_SR_PK_BF16_F32,
        rare!(Select16F64; cx |a: f32, b: f32, c: u32| -> u32 {
            let f = |x, r: u32| stochastic::bf16_from_f32(x, r << 16, cx.mode.fp16_ovfl);
            pack(f(a, c & 0xffff), f(b, c >> 16))
        })
        .def(),
    ),
];
