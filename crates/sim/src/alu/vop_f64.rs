//! Double-precision vector arithmetic.

use wavemark_isa::Meaning;
use wavemark_numerics::{Denorm, Mode, arith, integral, minmax::f64 as m64, transcendental};

use super::def::{Line, VectorDef};

const KEEP: Denorm = Denorm::KEEP;

const ADD: VectorDef = float!(F16F64; |a: f64, b: f64| -> f64 { a + b };
    cx => arith::add_f64_rounded(a, b, cx.mode.round_16_64, KEEP));
const MUL: VectorDef = float!(F16F64; |a: f64, b: f64| -> f64 { a * b };
    cx => arith::mul_f64_rounded(a, b, cx.mode.round_16_64, KEEP));
const FMA: VectorDef = float!(F16F64; |a: f64, b: f64, c: f64| -> f64 { a.mul_add(b, c) };
    cx => arith::fma_f64_rounded(a, b, c, cx.mode.round_16_64, KEEP));

/// The MODE that fast selections assume.
const USUAL: Mode = Mode::from_register_gfx12(0xf0);

macro_rules! select {
    (|$m:ident, $a:ident, $b:ident| $e:expr) => {
        float!(Select16F64; |$a: f64, $b: f64| -> f64 {
            let ($a, $b, $m) = ($a.to_bits(), $b.to_bits(), &USUAL);
            f64::from_bits($e)
        }; cx => {
            let ($a, $b, $m) = ($a.to_bits(), $b.to_bits(), &cx.mode);
            f64::from_bits($e)
        })
        .def()
    };
}

macro_rules! one {
    (|$cx:ident, $a:ident| $e:expr) => {
        rare!(F16F64; $cx |$a: f64| -> f64 { $e }).def()
    };
}

/// 2/π as bits 1200 to 0 of a fraction, most significant first, in 38 words (the last one's low bits unused).
const TWO_OVER_PI: [u32; 38] = [
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0x424d_d2e0,
    0x0649_2eea,
    0x09d1_921c,
    0xfe1d_eb1c,
    0xb129_a73e,
    0xe882_35f5,
    0x2ebb_4484,
    0xe99c_7026,
    0xb45f_7e41,
    0x3991_d639,
    0x8353_39f4,
    0x9c84_5f8b,
    0xbdf9_283b,
    0x1ff8_97ff,
    0xde05_980f,
    0xef2f_118b,
    0x5a0a_6d1f,
    0x6d36_7ecf,
    0x27cb_09b7,
    0x4f46_3f66,
    0x9e5f_ea2d,
    0x7527_bac7,
    0xebe5_f17b,
    0x3d07_39f7,
    0x8a52_92ea,
    0x6bfb_5fb1,
    0x1f8d_5d08,
    0x5603_3046,
    0xfc7b_6bab,
];

/// 53 bits of 2/π from `shift` bits below the point.
fn two_over_pi_bits(shift: u32) -> u64 {
    (0..53).fold(0, |bits, i| {
        let at = shift + i;
        let word = TWO_OVER_PI.get(at as usize / 32).copied().unwrap_or(0);
        // Only 1201 bits are stored.
        let bit = if at < 1201 { word >> (31 - at % 32) & 1 } else { 0 };
        bits << 1 | u64::from(bit)
    })
}

fn trig_preop(x: f64, segment: u32) -> f64 {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32;
    let mut shift = (segment & 31) as i32 * 53;
    if exponent > 1077 {
        shift += exponent - 1077;
    }
    let mut scale = -53 - shift;
    if exponent >= 1968 {
        scale += 128;
    }
    integral::ldexp_f64(two_over_pi_bits(shift as u32) as f64, scale)
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_ADD_F64, ADD.def()),
    (Meaning::V_MUL_F64, MUL.def()),
    (Meaning::V_FMA_F64, FMA.def()),
    (Meaning::V_FMAC_F64, FMA.accumulating().def()),
    (Meaning::V_MIN_F64, select!(|m, a, b| m64::min_gfx9(a, b, m.ieee))),
    (Meaning::V_MAX_F64, select!(|m, a, b| m64::max_gfx9(a, b, m.ieee))),
    (Meaning::V_MIN_NUM_F64, select!(|_m, a, b| m64::min_num(a, b))),
    (Meaning::V_MAX_NUM_F64, select!(|_m, a, b| m64::max_num(a, b))),
    (Meaning::V_MINIMUM_F64, select!(|_m, a, b| m64::minimum(a, b))),
    (Meaning::V_MAXIMUM_F64, select!(|_m, a, b| m64::maximum(a, b))),
    (Meaning::V_RCP_F64, one!(|cx, a| transcendental::rcp_f64(a))),
    (Meaning::V_RSQ_F64, one!(|cx, a| transcendental::rsq_f64(a))),
    (Meaning::V_SQRT_F64, one!(|cx, a| transcendental::sqrt_f64(a))),
    (Meaning::V_TRUNC_F64, one!(|cx, a| integral::trunc_f64(a))),
    (Meaning::V_FLOOR_F64, one!(|cx, a| integral::floor_f64(a))),
    (Meaning::V_CEIL_F64, one!(|cx, a| integral::ceil_f64(a))),
    (Meaning::V_RNDNE_F64, one!(|cx, a| integral::rndne_f64(a))),
    (Meaning::V_FRACT_F64, one!(|cx, a| integral::fract_f64(a))),
    (Meaning::V_FREXP_MANT_F64, one!(|cx, a| integral::frexp_mant_f64(a))),
    (
        Meaning::V_FREXP_EXP_I32_F64,
        rare!(Select16F64; cx |a: f64| -> i32 { integral::frexp_exp_f64(a) }).def(),
    ),
    (
        Meaning::V_LDEXP_F64,
        rare!(F16F64; cx |a: f64, b: i32| -> f64 { integral::ldexp_f64_rounded(a, b, cx.mode.round_16_64) })
            .def(),
    ),
    (Meaning::V_TRIG_PREOP_F64, rare!(Nothing; cx |a: f64, b: u32| -> f64 { trig_preop(a, b) }).def()),
];
