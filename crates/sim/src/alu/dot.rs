//! Dot products and mixed-precision multiply-adds.

use wavemark_isa::Meaning;
use wavemark_numerics::{Denorm, arith, bf16, dot, f16, fp8};

use super::convert::to_f16;
use super::def::{Line, OwnMods, VectorDef};
use super::lane::Cx;
use super::mix;
use super::vop_f32::mad;
use super::word::{Bf16, F16, Kind, Pk, PkBf16, PkF16};

/// Floating dot products flush denormals and ignore MODE (CDNA4 6.3).
const FLUSH: Denorm = Denorm::FLUSH;

const DOT2_F32_F16: VectorDef =
    rare!(Nothing; cx |a: PkF16, b: PkF16, c: f32| -> f32 { dot::dot2_f32_f16(a.0, b.0, c, FLUSH) });
const DOT2_F32_BF16: VectorDef =
    rare!(Nothing; cx |a: PkBf16, b: PkBf16, c: f32| -> f32 { dot::dot2_f32_bf16(a.0, b.0, c, FLUSH) });
const DOT2_I32: VectorDef =
    raw!(|a: Pk, b: Pk, c: i32| -> i32 { c.wrapping_add(dot::dot2(a.0, b.0, true) as i32) }).clamped(raw!(
        |a: Pk, b: Pk, c: i32| -> i32 {
            (i64::from(c) + dot::dot2(a.0, b.0, true)).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
        }
    ));
const DOT2_U32: VectorDef =
    raw!(|a: Pk, b: Pk, c: u32| -> u32 { c.wrapping_add(dot::dot2(a.0, b.0, false) as u32) }).clamped(raw!(
        |a: Pk, b: Pk, c: u32| -> u32 {
            (i64::from(c) + dot::dot2(a.0, b.0, false)).min(i64::from(u32::MAX)) as u32
        }
    ));
const DOT4_I32: VectorDef =
    raw!(|a: u32, b: u32, c: i32| -> i32 { c.wrapping_add(dot::dot4(a, b, true, true)) })
        .clamped(raw!(|a: u32, b: u32, c: i32| -> i32 { c.saturating_add(dot::dot4(a, b, true, true)) }));
const DOT4_U32: VectorDef =
    raw!(|a: u32, b: u32, c: u32| -> u32 { c.wrapping_add(dot::dot4(a, b, false, false) as u32) }).clamped(
        raw!(|a: u32, b: u32, c: u32| -> u32 { c.saturating_add(dot::dot4(a, b, false, false) as u32) }),
    );
const DOT8_I32: VectorDef =
    raw!(|a: u32, b: u32, c: i32| -> i32 { c.wrapping_add(dot::dot8(a, b, true, true)) })
        .clamped(raw!(|a: u32, b: u32, c: i32| -> i32 { c.saturating_add(dot::dot8(a, b, true, true)) }));
const DOT8_U32: VectorDef =
    raw!(|a: u32, b: u32, c: u32| -> u32 { c.wrapping_add(dot::dot8(a, b, false, false) as u32) }).clamped(
        raw!(|a: u32, b: u32, c: u32| -> u32 { c.saturating_add(dot::dot8(a, b, false, false) as u32) }),
    );

macro_rules! dot4_f32 {
    ($a:ident, $b:ident) => {
        rare!(Nothing; _cx |a: u32, b: u32, c: f32| -> f32 { dot::dot4_f32(a, b, c, fp8::$a, fp8::$b) }).def()
    };
}

/// `C + Σ A·B` with the signs of A and B in NEG.
fn mixed_sign(m: OwnMods, product: i32, c: u32) -> u32 {
    let c = c as i32;
    (if m.clamp() { c.saturating_add(product) } else { c.wrapping_add(product) }) as u32
}

/// Source `i` of a mixed-precision instruction: f32, or a half if OP_SEL_HI; |x| by NEG_HI, -x by NEG.
fn mixed_source(cx: &Cx, m: OwnMods, i: u32, x: u32, brain: bool) -> f32 {
    let half = m.op_sel_hi() >> i & 1 != 0;
    let word = if m.op_sel() >> i & 1 != 0 { (x >> 16) as u16 } else { x as u16 };
    let value = if !half {
        arith::flush_f32_unless(f32::from_bits(x), cx.mode.denorm_32.input)
    } else if brain {
        bf16::to_f32(word)
    } else {
        f16::to_f32(arith::flush_f16_unless(word, cx.mode.denorm_16_64.input))
    };
    let bits = value.to_bits() & if m.neg_hi() >> i & 1 != 0 { 0x7fff_ffff } else { u32::MAX };
    f32::from_bits(bits ^ (m.neg() >> i & 1) << 31)
}

pub(super) fn mixed_fma(cx: &Cx, m: OwnMods, s: [u32; 3], brain: bool) -> f32 {
    let fma = |a, b, c| arith::fma_f32_rounded(a, b, c, cx.mode.round_32, Denorm::KEEP);
    mixed(cx, m, s, brain, fma)
}

/// Vega ISA, V_MAD_MIX_F32: two roundings, as those of V_MAD_F32.
fn mixed_mad(cx: &Cx, m: OwnMods, s: [u32; 3]) -> f32 {
    mixed(cx, m, s, false, |a, b, c| mad(cx.mode.round_32, a, b, c))
}

fn mixed(cx: &Cx, m: OwnMods, s: [u32; 3], brain: bool, f: impl Fn(f32, f32, f32) -> f32) -> f32 {
    let [a, b, c] = [0, 1, 2].map(|i| mixed_source(cx, m, i, s[i as usize], brain));
    let d = f(a, b, c);
    if d.is_nan() {
        let nan = [a, b, c].into_iter().find(|x| x.is_nan()).map_or(0x7fc0_0000, f32::to_bits);
        return f32::from_bits(nan | 0x40_0000);
    }
    d
}

pub(super) fn finish_f32(cx: &Cx, m: OwnMods, d: f32) -> u32 {
    let d = arith::flush_f32_unless(d, cx.mode.denorm_32.output);
    if m.clamp() { wavemark_numerics::modifiers::clamp_f32(d, cx.mode.dx10_clamp) } else { d }.to_bits()
}

/// The 16-bit result of a mixed-precision instruction.
pub(super) fn finish_half(cx: &Cx, m: OwnMods, d: f32, brain: bool) -> u32 {
    let dx10 = cx.mode.dx10_clamp;
    u32::from(if brain {
        let d = bf16::from_f32_rounded(d, cx.mode.round_32, cx.mode.fp16_ovfl);
        if m.clamp() { wavemark_numerics::modifiers::clamp_bf16(d, dx10) } else { d }
    } else {
        let d = to_f16(d, &cx.mode);
        if m.clamp() { wavemark_numerics::modifiers::clamp_f16(d, dx10) } else { d }
    })
}

macro_rules! mad_mix {
    (f32) => {
        wide!([F32, F32, F32] -> 1; |cx, m, a, b, c, d| {
            d[0] = finish_f32(cx, m, mixed_mad(cx, m, [a[0], b[0], c[0]]));
        })
        .mixing(Kind::F16)
        .def()
    };
    ($shift:literal) => {
        wide!([F32, F32, F32] -> 1; |cx, m, a, b, c, d| {
            let x = finish_half(cx, m, mixed_mad(cx, m, [a[0], b[0], c[0]]), false);
            d[0] = d[0] & !(0xffff << $shift) | x << $shift;
        })
        .mixing(Kind::F16)
        .def()
    };
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_DOT2_F32_F16, DOT2_F32_F16.def()),
    (Meaning::V_DOT2C_F32_F16, DOT2_F32_F16.accumulating().def()),
    (Meaning::V_DOT2_F32_BF16, DOT2_F32_BF16.def()),
    (Meaning::V_DOT2C_F32_BF16, DOT2_F32_BF16.accumulating().def()),
    (
        Meaning::V_DOT2_F16_F16,
        rare!(Nothing; _cx |a: PkF16, b: PkF16, c: F16| -> F16 { F16(dot::dot2_f16_f16(a.0, b.0, c.0)) })
            .keeping_half()
            .def(),
    ),
    (
        Meaning::V_DOT2_BF16_BF16,
        rare!(Nothing; _cx |a: PkBf16, b: PkBf16, c: Bf16| -> Bf16 { Bf16(dot::dot2_bf16_bf16(a.0, b.0, c.0)) })
            .keeping_half()
            .def(),
    ),
    (Meaning::V_DOT4_F32_FP8_FP8, dot4_f32!(e4m3_to_f32, e4m3_to_f32)),
    (Meaning::V_DOT4_F32_FP8_BF8, dot4_f32!(e4m3_to_f32, e5m2_to_f32)),
    (Meaning::V_DOT4_F32_BF8_FP8, dot4_f32!(e5m2_to_f32, e4m3_to_f32)),
    (Meaning::V_DOT4_F32_BF8_BF8, dot4_f32!(e5m2_to_f32, e5m2_to_f32)),
    (Meaning::V_DOT2_I32_I16, DOT2_I32.def()),
    (Meaning::V_DOT2C_I32_I16, DOT2_I32.accumulating().def()),
    (Meaning::V_DOT2_U32_U16, DOT2_U32.def()),
    (Meaning::V_DOT4_I32_I8, DOT4_I32.def()),
    (Meaning::V_DOT4C_I32_I8, DOT4_I32.accumulating().def()),
    (Meaning::V_DOT4_U32_U8, DOT4_U32.def()),
    (Meaning::V_DOT8_I32_I4, DOT8_I32.def()),
    (Meaning::V_DOT8C_I32_I4, DOT8_I32.accumulating().def()),
    (Meaning::V_DOT8_U32_U4, DOT8_U32.def()),
    (
        Meaning::V_DOT4_I32_IU8,
        wide!([B32, B32, B32] -> 1; |cx, m, a, b, c, d| {
            d[0] = mixed_sign(m, dot::dot4(a[0], b[0], m.neg() & 1 != 0, m.neg() & 2 != 0), c[0]);
        })
        .def(),
    ),
    (
        Meaning::V_DOT8_I32_IU4,
        wide!([B32, B32, B32] -> 1; |cx, m, a, b, c, d| {
            d[0] = mixed_sign(m, dot::dot8(a[0], b[0], m.neg() & 1 != 0, m.neg() & 2 != 0), c[0]);
        })
        .def(),
    ),
    (Meaning::V_MAD_MIX_F32, mad_mix!(f32)),
    (Meaning::V_MAD_MIXLO_F16, mad_mix!(0)),
    (Meaning::V_MAD_MIXHI_F16, mad_mix!(16)),
    (Meaning::V_FMA_MIX_F32, mix::fma::<false, 32>().def()),
    (Meaning::V_FMA_MIXLO_F16, mix::fma::<false, 0>().def()),
    (Meaning::V_FMA_MIXHI_F16, mix::fma::<false, 16>().def()),
    (Meaning::V_FMA_MIX_F32_BF16, mix::fma::<true, 32>().def()),
    (Meaning::V_FMA_MIXLO_BF16, mix::fma::<true, 0>().def()),
    (Meaning::V_FMA_MIXHI_BF16, mix::fma::<true, 16>().def()),
];
