//! Single-precision vector arithmetic.

use wavemark_isa::Meaning;
use wavemark_numerics::{Denorm, Mode, Round, arith, div, integral, minmax, transcendental};

use super::def::{Line, VectorDef};
use super::word::{Bit, F16, PkF32};

const KEEP: Denorm = Denorm::KEEP;

const ADD: VectorDef = float!(F32; |a: f32, b: f32| -> f32 { a + b };
    cx => arith::add_f32_rounded(a, b, cx.mode.round_32, KEEP));
const SUB: VectorDef = float!(F32; |a: f32, b: f32| -> f32 { a - b };
    cx => arith::add_f32_rounded(a, -b, cx.mode.round_32, KEEP));
const SUBREV: VectorDef = float!(F32; |a: f32, b: f32| -> f32 { b - a };
    cx => arith::add_f32_rounded(-a, b, cx.mode.round_32, KEEP));
const MUL: VectorDef = float!(F32; |a: f32, b: f32| -> f32 { a * b };
    cx => arith::mul_f32_rounded(a, b, cx.mode.round_32, KEEP));
const FMA: VectorDef = float!(F32; |a: f32, b: f32, c: f32| -> f32 { a.mul_add(b, c) };
    cx => arith::fma_f32_rounded(a, b, c, cx.mode.round_32, KEEP));
/// A zero factor gives +0.
const MUL_DX9: VectorDef = float!(F32; |a: f32, b: f32| -> f32 {
        let product = a * b;
        if (a == 0.0) | (b == 0.0) { 0.0 } else { product }
    };
    cx => if a == 0.0 || b == 0.0 { 0.0 } else { arith::mul_f32_rounded(a, b, cx.mode.round_32, KEEP) });
/// A zero factor gives the addend.
const FMA_DX9: VectorDef = float!(F32; |a: f32, b: f32, c: f32| -> f32 {
        let sum = a.mul_add(b, c);
        if (a == 0.0) | (b == 0.0) { c } else { sum }
    };
    cx => if a == 0.0 || b == 0.0 { c } else { arith::fma_f32_rounded(a, b, c, cx.mode.round_32, KEEP) });

/// A product and a sum, each rounded; denormals are flushed whatever MODE says (CDNA2 ISA, V_MAD_F32).
const MAD: VectorDef = rare!(Nothing; cx |a: f32, b: f32, c: f32| -> f32 { mad(cx.mode.round_32, a, b, c) });
/// Likewise; a zero factor gives the addend.
const MAD_DX9: VectorDef = rare!(Nothing; cx |a: f32, b: f32, c: f32| -> f32 {
    if a == 0.0 || b == 0.0 { arith::flush_f32(c) } else { mad(cx.mode.round_32, a, b, c) }
});

pub(super) fn mad(round: Round, a: f32, b: f32, c: f32) -> f32 {
    let product = arith::mul_f32_rounded(a, b, round, Denorm::FLUSH);
    arith::add_f32_rounded(product, c, round, Denorm::FLUSH)
}

/// An operation that selects between its sources, on bits.
macro_rules! select {
    (|$m:ident, $a:ident, $b:ident| $e:expr) => {
        float!(Select32; |$a: f32, $b: f32| -> f32 {
            let ($a, $b, $m) = ($a.to_bits(), $b.to_bits(), &USUAL);
            f32::from_bits($e)
        }; cx => {
            let ($a, $b, $m) = ($a.to_bits(), $b.to_bits(), &cx.mode);
            f32::from_bits($e)
        })
    };
    (|$m:ident, $a:ident, $b:ident, $c:ident| $e:expr) => {
        float!(Select32; |$a: f32, $b: f32, $c: f32| -> f32 {
            let ($a, $b, $c, $m) = ($a.to_bits(), $b.to_bits(), $c.to_bits(), &USUAL);
            f32::from_bits($e)
        }; cx => {
            let ($a, $b, $c, $m) = ($a.to_bits(), $b.to_bits(), $c.to_bits(), &cx.mode);
            f32::from_bits($e)
        })
    };
}

/// The MODE that fast selections assume: a signalling NaN then gives a NaN, and the exact function decides.
const USUAL: Mode = Mode::from_register_gfx12(0xf0);

use minmax::f32 as m32;

const MIN_NUM: VectorDef = select!(|_m, a, b| m32::min_num(a, b));
const MAX_NUM: VectorDef = select!(|_m, a, b| m32::max_num(a, b));
const MIN_GFX9: VectorDef = select!(|m, a, b| m32::min_gfx9(a, b, m.ieee));
const MAX_GFX9: VectorDef = select!(|m, a, b| m32::max_gfx9(a, b, m.ieee));

/// The lane function of `v_div_fmas_f32` needs VCC besides three sources: it is bound as a whole-wave body.
fn mullit(a: f32, b: f32, c: f32, round: Round) -> f32 {
    if b <= -f32::MAX || b.is_nan() || c <= 0.0 || c.is_nan() {
        -f32::MAX
    } else {
        arith::mul_f32_rounded(a, b, round, KEEP)
    }
}

/// Which face of a cube a direction meets.
fn cube_face(x: f32, y: f32, z: f32) -> u32 {
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        if z < 0.0 { 5 } else { 4 }
    } else if y.abs() >= x.abs() {
        if y < 0.0 { 3 } else { 2 }
    } else if x < 0.0 {
        1
    } else {
        0
    }
}

fn cube_s(x: f32, y: f32, z: f32) -> f32 {
    match cube_face(x, y, z) {
        5 => -x,
        2..=4 => x,
        1 => z,
        _ => -z,
    }
}

fn cube_t(x: f32, y: f32, z: f32) -> f32 {
    match cube_face(x, y, z) {
        3 => -z,
        2 => z,
        _ => -y,
    }
}

fn cube_major(x: f32, y: f32, z: f32) -> f32 {
    2.0 * match cube_face(x, y, z) {
        4 | 5 => z,
        2 | 3 => y,
        _ => x,
    }
}

const PK_ADD: VectorDef = float!(F32; |a: PkF32, b: PkF32| -> PkF32 { PkF32(a.0 + b.0, a.1 + b.1) };
cx => {
    let f = |a, b| arith::add_f32_rounded(a, b, cx.mode.round_32, KEEP);
    PkF32(f(a.0, b.0), f(a.1, b.1))
});
const PK_MUL: VectorDef = float!(F32; |a: PkF32, b: PkF32| -> PkF32 { PkF32(a.0 * b.0, a.1 * b.1) };
cx => {
    let f = |a, b| arith::mul_f32_rounded(a, b, cx.mode.round_32, KEEP);
    PkF32(f(a.0, b.0), f(a.1, b.1))
});
const PK_FMA: VectorDef = float!(F32; |a: PkF32, b: PkF32, c: PkF32| -> PkF32 {
    PkF32(a.0.mul_add(b.0, c.0), a.1.mul_add(b.1, c.1))
};
cx => {
    let f = |a, b, c| arith::fma_f32_rounded(a, b, c, cx.mode.round_32, KEEP);
    PkF32(f(a.0, b.0, c.0), f(a.1, b.1, c.1))
});

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_ADD_F32, ADD.def()),
    (Meaning::V_SUB_F32, SUB.def()),
    (Meaning::V_SUBREV_F32, SUBREV.def()),
    (Meaning::V_MUL_F32, MUL.def()),
    (Meaning::V_MUL_DX9_ZERO_F32, MUL_DX9.def()),
    (Meaning::V_FMA_F32, FMA.def()),
    (Meaning::V_FMA_DX9_ZERO_F32, FMA_DX9.def()),
    (Meaning::V_FMAC_F32, FMA.accumulating().def()),
    (Meaning::V_FMAC_DX9_ZERO_F32, FMA_DX9.accumulating().def()),
    (Meaning::V_MAD_F32, MAD.def()),
    (Meaning::V_MAC_F32, MAD.accumulating().def()),
    (Meaning::V_MAD_LEGACY_F32, MAD_DX9.def()),
    (Meaning::V_MAC_LEGACY_F32, MAD_DX9.accumulating().def()),
    // D = S0 * K + S1, in assembly order src0, K, src1.
    (Meaning::V_PK_ADD_F32, PK_ADD.def()),
    (Meaning::V_PK_MUL_F32, PK_MUL.def()),
    (Meaning::V_PK_FMA_F32, PK_FMA.def()),
    // Each source gives the dword that its OP_SEL names; OP_SEL_HI does not matter.
    (Meaning::V_PK_MOV_B32, raw!(|a: PkF32, b: PkF32| -> PkF32 { PkF32(a.0, b.0) }).def()),
    (Meaning::V_MIN_F32, MIN_GFX9.def()),
    (Meaning::V_MAX_F32, MAX_GFX9.def()),
    (Meaning::V_MIN_NUM_F32, MIN_NUM.def()),
    (Meaning::V_MAX_NUM_F32, MAX_NUM.def()),
    (Meaning::V_MINIMUM_F32, select!(|_m, a, b| m32::minimum(a, b)).def()),
    (Meaning::V_MAXIMUM_F32, select!(|_m, a, b| m32::maximum(a, b)).def()),
    (Meaning::V_MIN3_F32, select!(|m, a, b, c| m32::min_gfx9(m32::min_gfx9(a, b, m.ieee), c, m.ieee)).def()),
    (Meaning::V_MAX3_F32, select!(|m, a, b, c| m32::max_gfx9(m32::max_gfx9(a, b, m.ieee), c, m.ieee)).def()),
    (Meaning::V_MED3_F32, select!(|m, a, b, c| m32::med3_gfx9(a, b, c, m.ieee)).def()),
    (Meaning::V_MIN3_NUM_F32, select!(|_m, a, b, c| m32::min_num(m32::min_num(a, b), c)).def()),
    (Meaning::V_MAX3_NUM_F32, select!(|_m, a, b, c| m32::max_num(m32::max_num(a, b), c)).def()),
    (Meaning::V_MED3_NUM_F32, select!(|_m, a, b, c| m32::med3_num(a, b, c)).def()),
    (Meaning::V_MINIMUM3_F32, select!(|_m, a, b, c| m32::minimum(m32::minimum(a, b), c)).def()),
    (Meaning::V_MAXIMUM3_F32, select!(|_m, a, b, c| m32::maximum(m32::maximum(a, b), c)).def()),
    (
        Meaning::V_MAXMIN_F32,
        select!(|m, a, b, c| m32::min_gfx9(m32::max_gfx9(a, b, m.ieee), c, m.ieee)).def(),
    ),
    (
        Meaning::V_MINMAX_F32,
        select!(|m, a, b, c| m32::max_gfx9(m32::min_gfx9(a, b, m.ieee), c, m.ieee)).def(),
    ),
    (Meaning::V_MAXMIN_NUM_F32, select!(|_m, a, b, c| m32::min_num(m32::max_num(a, b), c)).def()),
    (Meaning::V_MINMAX_NUM_F32, select!(|_m, a, b, c| m32::max_num(m32::min_num(a, b), c)).def()),
    (Meaning::V_MAXIMUMMINIMUM_F32, select!(|_m, a, b, c| m32::minimum(m32::maximum(a, b), c)).def()),
    (Meaning::V_MINIMUMMAXIMUM_F32, select!(|_m, a, b, c| m32::maximum(m32::minimum(a, b), c)).def()),
    (Meaning::V_RCP_F32, raw!(|a: f32| -> f32 { transcendental::rcp_f32(a) }).def()),
    (Meaning::V_RCP_IFLAG_F32, raw!(|a: f32| -> f32 { transcendental::rcp_f32(a) }).def()),
    (Meaning::V_RSQ_F32, raw!(|a: f32| -> f32 { transcendental::rsq_f32(a) }).def()),
    (Meaning::V_SQRT_F32, raw!(|a: f32| -> f32 { transcendental::sqrt_f32(a) }).def()),
    (Meaning::V_EXP_F32, raw!(|a: f32| -> f32 { transcendental::exp2_f32(a) }).def()),
    (Meaning::V_EXP_LEGACY_F32, rare!(Nothing; cx |a: f32| -> f32 { transcendental::exp2_f32(a) }).def()),
    (Meaning::V_LOG_F32, raw!(|a: f32| -> f32 { transcendental::log2_f32(a) }).def()),
    (Meaning::V_LOG_LEGACY_F32, rare!(Nothing; cx |a: f32| -> f32 { transcendental::log2_f32(a) }).def()),
    (
        Meaning::V_SIN_F32,
        float!(Select32; |a: f32| -> f32 { transcendental::sin_f32(a) }; cx => transcendental::sin_f32(a))
            .def(),
    ),
    (
        Meaning::V_COS_F32,
        float!(Select32; |a: f32| -> f32 { transcendental::cos_f32(a) }; cx => transcendental::cos_f32(a))
            .def(),
    ),
    (Meaning::V_TANH_F32, raw!(|a: f32| -> f32 { transcendental::tanh_f32(a) }).def()),
    (
        Meaning::V_TRUNC_F32,
        float!(F32; |a: f32| -> f32 { integral::trunc_f32(a) }; cx => integral::trunc_f32(a)).def(),
    ),
    (
        Meaning::V_FLOOR_F32,
        float!(F32; |a: f32| -> f32 { integral::floor_f32(a) }; cx => integral::floor_f32(a)).def(),
    ),
    (
        Meaning::V_CEIL_F32,
        float!(F32; |a: f32| -> f32 { integral::ceil_f32(a) }; cx => integral::ceil_f32(a)).def(),
    ),
    (
        Meaning::V_RNDNE_F32,
        float!(F32; |a: f32| -> f32 { integral::rndne_f32(a) }; cx => integral::rndne_f32(a)).def(),
    ),
    (
        Meaning::V_FRACT_F32,
        float!(F32; |a: f32| -> f32 { integral::fract_f32(a) }; cx => integral::fract_f32(a)).def(),
    ),
    (Meaning::V_FREXP_MANT_F32, rare!(F32; cx |a: f32| -> f32 { integral::frexp_mant_f32(a) }).def()),
    (Meaning::V_FREXP_EXP_I32_F32, rare!(Select32; cx |a: f32| -> i32 { integral::frexp_exp_f32(a) }).def()),
    (
        Meaning::V_LDEXP_F32,
        float!(F32; |a: f32, b: i32| -> f32 { integral::ldexp_f32(a, b) };
            cx => integral::ldexp_f32_rounded(a, b, cx.mode.round_32))
        .def(),
    ),
    (
        Meaning::V_MULLIT_F32,
        rare!(F32; cx |a: f32, b: f32, c: f32| -> f32 { mullit(a, b, c, cx.mode.round_32) }).def(),
    ),
    (
        Meaning::V_CUBEID_F32,
        rare!(F32; cx |a: f32, b: f32, c: f32| -> f32 { cube_face(a, b, c) as f32 }).def(),
    ),
    (Meaning::V_CUBESC_F32, rare!(F32; cx |a: f32, b: f32, c: f32| -> f32 { cube_s(a, b, c) }).def()),
    (Meaning::V_CUBETC_F32, rare!(F32; cx |a: f32, b: f32, c: f32| -> f32 { cube_t(a, b, c) }).def()),
    (Meaning::V_CUBEMA_F32, rare!(F32; cx |a: f32, b: f32, c: f32| -> f32 { cube_major(a, b, c) }).def()),
    (
        Meaning::V_DIV_SCALE_F32,
        rare2!(Nothing; cx |a: f32, b: f32, c: f32| -> (f32, Bit) {
            let [a, b, c] = [a, b, c].map(|x| arith::flush_f32_unless(x, cx.mode.denorm_32.input));
            let (d, scaled) = div::div_scale_f32(a, b, c);
            (d, Bit::new(scaled))
        })
        .def(),
    ),
    (Meaning::V_DIV_FIXUP_F32, raw!(|a: f32, b: f32, c: f32| -> f32 { div::div_fixup_f32(a, b, c) }).def()),
    (
        Meaning::V_DIV_SCALE_F64,
        rare2!(Nothing; cx |a: f64, b: f64, c: f64| -> (f64, Bit) {
            let [a, b, c] = [a, b, c].map(|x| arith::flush_f64_unless(x, cx.mode.denorm_16_64.input));
            let (d, scaled) = div::div_scale_f64(a, b, c);
            (d, Bit::new(scaled))
        })
        .def(),
    ),
    (
        Meaning::V_DIV_FIXUP_F64,
        rare!(Nothing; cx |a: f64, b: f64, c: f64| -> f64 { div::div_fixup_f64(a, b, c) }).def(),
    ),
    (
        Meaning::V_DIV_FIXUP_F16,
        rare!(Nothing; cx |a: F16, b: F16, c: F16| -> F16 { F16(div::div_fixup_f16(a.0, b.0, c.0)) })
            .keeping_half()
            .def(),
    ),
    (
        Meaning::V_DIV_FIXUP_LEGACY_F16,
        rare!(Nothing; cx |a: F16, b: F16, c: F16| -> F16 { F16(div::div_fixup_f16(a.0, b.0, c.0)) }).def(),
    ),
];
