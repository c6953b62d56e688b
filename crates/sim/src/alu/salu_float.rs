//! Floating-point scalar instructions (gfx12) and the scalar forms of the transcendental ones.
//!
//! They follow MODE as the vector instructions do: the lane functions' rules for denormals and NaNs are applied
//! by [`f32_op`] and [`f16_op`].

// The negated compares are not the opposite ones: they are true for NaNs.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use wavemark_isa::Meaning;
use wavemark_numerics::{Denorm, Mode, arith, f16, int_convert as ic, integral, minmax, transcendental};

use super::def::Line;
use super::lane::Cx;
use super::word::F16;
use crate::regs::Regs;

const KEEP: Denorm = Denorm::KEEP;

/// `f` under the rules of a vector lane.
fn f32_op(regs: &Regs, a: f32, b: f32, c: f32, f: fn(&Mode, f32, f32, f32) -> f32) -> f32 {
    let cx = Cx::new(regs, 0);
    let d = cx.mode.denorm_32;
    let [a, b, c] = [a, b, c].map(|x| arith::flush_f32_unless(x, d.input));
    let r = f(&cx.mode, a, b, c);
    if r.is_nan() {
        let nan = [a, b, c].into_iter().find(|x| x.is_nan()).map_or(0x7fc0_0000, f32::to_bits);
        return f32::from_bits(nan | 0x40_0000);
    }
    arith::flush_f32_unless(r, d.output)
}

/// `f` on binary16 bits under the rules of a vector lane.
fn f16_op(regs: &Regs, a: F16, b: F16, c: F16, f: fn(&Mode, u16, u16, u16) -> u16) -> F16 {
    let cx = Cx::new(regs, 0);
    let d = cx.mode.denorm_16_64;
    let [a, b, c] = [a.0, b.0, c.0].map(|x| arith::flush_f16_unless(x, d.input));
    let r = f(&cx.mode, a, b, c);
    if f16::is_nan(r) {
        let nan = [a, b, c].into_iter().find(|x| f16::is_nan(*x)).unwrap_or(0x7e00);
        return F16(nan | 0x200);
    }
    F16(arith::flush_f16_unless(r, d.output))
}

macro_rules! s32 {
    (|$m:ident, $a:ident| $e:expr) => {
        salu_regs!(r |a: f32| -> f32 { (f32_op(r, a, 0.0, 0.0, |$m, $a, _, _| $e), None) }).def()
    };
    (|$m:ident, $a:ident, $b:ident| $e:expr) => {
        salu_regs!(r |a: f32, b: f32| -> f32 { (f32_op(r, a, b, 0.0, |$m, $a, $b, _| $e), None) }).def()
    };
    (|$m:ident, $a:ident, $b:ident, $c:ident| $e:expr) => {
        salu_regs!(r |a: f32, b: f32, c: f32| -> f32 { (f32_op(r, a, b, c, |$m, $a, $b, $c| $e), None) })
    };
}

macro_rules! s16 {
    (|$m:ident, $a:ident| $e:expr) => {
        salu_regs!(r |a: F16| -> F16 { (f16_op(r, a, F16(0), F16(0), |$m, $a, _, _| $e), None) }).def()
    };
    (|$m:ident, $a:ident, $b:ident| $e:expr) => {
        salu_regs!(r |a: F16, b: F16| -> F16 { (f16_op(r, a, b, F16(0), |$m, $a, $b, _| $e), None) }).def()
    };
    (|$m:ident, $a:ident, $b:ident, $c:ident| $e:expr) => {
        salu_regs!(r |a: F16, b: F16, c: F16| -> F16 { (f16_op(r, a, b, c, |$m, $a, $b, $c| $e), None) })
    };
}

fn bits2(f: fn(u32, u32) -> u32, a: f32, b: f32) -> f32 {
    f32::from_bits(f(a.to_bits(), b.to_bits()))
}

macro_rules! compares {
    ($($s32:ident, $s16:ident => |$a:ident, $b:ident| $e:expr;)*) => {
        /// Compares, which write SCC.
        pub const COMPARES: &[Line] = &[$(
            (Meaning::$s32, salu_regs!(r |$a: f32, $b: f32| -> () {
                let keep = r.mode.denorm_in_f32;
                let ($a, $b) = (arith::flush_f32_unless($a, keep), arith::flush_f32_unless($b, keep));
                ((), Some($e))
            }).def()),
            (Meaning::$s16, salu_regs!(r |$a: F16, $b: F16| -> () {
                let keep = r.mode.denorm_in_f16_f64;
                let ($a, $b) = (
                    f16::to_f32(arith::flush_f16_unless($a.0, keep)),
                    f16::to_f32(arith::flush_f16_unless($b.0, keep)),
                );
                ((), Some($e))
            }).def()),
        )*];
    };
}

compares! {
    S_CMP_LT_F32, S_CMP_LT_F16 => |a, b| a < b;
    S_CMP_EQ_F32, S_CMP_EQ_F16 => |a, b| a == b;
    S_CMP_LE_F32, S_CMP_LE_F16 => |a, b| a <= b;
    S_CMP_GT_F32, S_CMP_GT_F16 => |a, b| a > b;
    S_CMP_LG_F32, S_CMP_LG_F16 => |a, b| (a < b) | (a > b);
    S_CMP_GE_F32, S_CMP_GE_F16 => |a, b| a >= b;
    S_CMP_O_F32, S_CMP_O_F16 => |a, b| !a.is_nan() & !b.is_nan();
    S_CMP_U_F32, S_CMP_U_F16 => |a, b| a.is_nan() | b.is_nan();
    S_CMP_NGE_F32, S_CMP_NGE_F16 => |a, b| !(a >= b);
    S_CMP_NLG_F32, S_CMP_NLG_F16 => |a, b| !((a < b) | (a > b));
    S_CMP_NGT_F32, S_CMP_NGT_F16 => |a, b| !(a > b);
    S_CMP_NLE_F32, S_CMP_NLE_F16 => |a, b| !(a <= b);
    S_CMP_NEQ_F32, S_CMP_NEQ_F16 => |a, b| a != b;
    S_CMP_NLT_F32, S_CMP_NLT_F16 => |a, b| !(a < b);
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::S_ADD_F32, s32!(|m, a, b| arith::add_f32_rounded(a, b, m.round_32, KEEP))),
    (Meaning::S_SUB_F32, s32!(|m, a, b| arith::add_f32_rounded(a, -b, m.round_32, KEEP))),
    (Meaning::S_MUL_F32, s32!(|m, a, b| arith::mul_f32_rounded(a, b, m.round_32, KEEP))),
    (
        Meaning::S_FMAC_F32,
        s32!(|m, a, b, c| arith::fma_f32_rounded(a, b, c, m.round_32, KEEP)).accumulating().def(),
    ),
    (Meaning::S_FMAAK_F32, s32!(|m, a, b, c| arith::fma_f32_rounded(a, b, c, m.round_32, KEEP)).def()),
    (Meaning::S_MIN_NUM_F32, s32!(|_m, a, b| bits2(minmax::f32::min_num, a, b))),
    (Meaning::S_MAX_NUM_F32, s32!(|_m, a, b| bits2(minmax::f32::max_num, a, b))),
    (Meaning::S_MINIMUM_F32, s32!(|_m, a, b| bits2(minmax::f32::minimum, a, b))),
    (Meaning::S_MAXIMUM_F32, s32!(|_m, a, b| bits2(minmax::f32::maximum, a, b))),
    (Meaning::S_CEIL_F32, s32!(|_m, a| integral::ceil_f32(a))),
    (Meaning::S_FLOOR_F32, s32!(|_m, a| integral::floor_f32(a))),
    (Meaning::S_TRUNC_F32, s32!(|_m, a| integral::trunc_f32(a))),
    (Meaning::S_RNDNE_F32, s32!(|_m, a| integral::rndne_f32(a))),
    (Meaning::S_ADD_F16, s16!(|m, a, b| arith::add_f16_rounded(a, b, m.round_16_64, KEEP, m.fp16_ovfl))),
    (
        Meaning::S_SUB_F16,
        s16!(|m, a, b| arith::add_f16_rounded(a, b ^ 0x8000, m.round_16_64, KEEP, m.fp16_ovfl)),
    ),
    (Meaning::S_MUL_F16, s16!(|m, a, b| arith::mul_f16_rounded(a, b, m.round_16_64, KEEP, m.fp16_ovfl))),
    (
        Meaning::S_FMAC_F16,
        s16!(|m, a, b, c| arith::fma_f16_rounded(a, b, c, m.round_16_64, KEEP, m.fp16_ovfl))
            .accumulating()
            .def(),
    ),
    (Meaning::S_MIN_NUM_F16, s16!(|_m, a, b| minmax::f16::min_num(a, b))),
    (Meaning::S_MAX_NUM_F16, s16!(|_m, a, b| minmax::f16::max_num(a, b))),
    (Meaning::S_MINIMUM_F16, s16!(|_m, a, b| minmax::f16::minimum(a, b))),
    (Meaning::S_MAXIMUM_F16, s16!(|_m, a, b| minmax::f16::maximum(a, b))),
    (Meaning::S_CEIL_F16, s16!(|_m, a| integral::ceil_f16(a))),
    (Meaning::S_FLOOR_F16, s16!(|_m, a| integral::floor_f16(a))),
    (Meaning::S_TRUNC_F16, s16!(|_m, a| integral::trunc_f16(a))),
    (Meaning::S_RNDNE_F16, s16!(|_m, a| integral::rndne_f16(a))),
    (
        Meaning::S_CVT_F32_I32,
        salu_regs!(r |a: i32| -> f32 { (ic::f32_from_i32_rounded(a, Cx::new(r, 0).mode.round_32), None) })
            .def(),
    ),
    (
        Meaning::S_CVT_F32_U32,
        salu_regs!(r |a: u32| -> f32 { (ic::f32_from_u32_rounded(a, Cx::new(r, 0).mode.round_32), None) })
            .def(),
    ),
    (Meaning::S_CVT_I32_F32, salu!(|a: f32| -> i32 { ic::i32_from_f32(a) }).def()),
    (Meaning::S_CVT_U32_F32, salu!(|a: f32| -> u32 { ic::u32_from_f32(a) }).def()),
    (
        Meaning::S_CVT_F32_F16,
        salu_regs!(r |a: F16| -> f32 { (super::convert::from_f16_mode(a.0, &Cx::new(r, 0).mode), None) })
            .def(),
    ),
    (
        Meaning::S_CVT_HI_F32_F16,
        salu_regs!(r |a: u32| -> f32 {
            (super::convert::from_f16_mode((a >> 16) as u16, &Cx::new(r, 0).mode), None)
        })
        .def(),
    ),
    (
        Meaning::S_CVT_F16_F32,
        salu_regs!(r |a: f32| -> F16 { (F16(super::convert::to_f16(a, &Cx::new(r, 0).mode)), None) }).def(),
    ),
    (
        Meaning::S_CVT_PK_RTZ_F16_F32,
        salu!(|a: f32, b: f32| -> u32 {
            u32::from(f16::from_f32_toward_zero(a)) | u32::from(f16::from_f32_toward_zero(b)) << 16
        })
        .def(),
    ),
    (Meaning::V_S_EXP_F32, salu!(|a: f32| -> f32 { transcendental::exp2_f32(a) }).def()),
    (Meaning::V_S_LOG_F32, salu!(|a: f32| -> f32 { transcendental::log2_f32(a) }).def()),
    (Meaning::V_S_RCP_F32, salu!(|a: f32| -> f32 { transcendental::rcp_f32(a) }).def()),
    (Meaning::V_S_RSQ_F32, salu!(|a: f32| -> f32 { transcendental::rsq_f32(a) }).def()),
    (Meaning::V_S_SQRT_F32, salu!(|a: f32| -> f32 { transcendental::sqrt_f32(a) }).def()),
    (Meaning::V_S_EXP_F16, s16!(|m, a| transcendental::exp2_f16(a, m.fp16_ovfl))),
    (Meaning::V_S_LOG_F16, s16!(|_m, a| transcendental::log2_f16(a))),
    (Meaning::V_S_RCP_F16, s16!(|m, a| transcendental::rcp_f16(a, m.fp16_ovfl))),
    (Meaning::V_S_RSQ_F16, s16!(|_m, a| transcendental::rsq_f16(a))),
    (Meaning::V_S_SQRT_F16, s16!(|_m, a| transcendental::sqrt_f16(a))),
];
