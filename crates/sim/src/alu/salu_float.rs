//! Floating-point scalar instructions (gfx12) and the scalar forms of the transcendental ones.
//!
//! They follow MODE as the vector instructions do: the lane functions' rules for denormals and NaNs are applied
//! by [`f32_op`] and [`f16_op`].

// The negated compares are not the opposite ones: they are true for NaNs.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

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
    ($($s32:literal, $s16:literal => |$a:ident, $b:ident| $e:expr;)*) => {
        /// Compares, which write SCC.
        pub const COMPARES: &[Line] = &[$(
            ($s32, salu_regs!(r |$a: f32, $b: f32| -> () {
                let keep = r.mode.denorm_in_f32;
                let ($a, $b) = (arith::flush_f32_unless($a, keep), arith::flush_f32_unless($b, keep));
                ((), Some($e))
            }).def()),
            ($s16, salu_regs!(r |$a: F16, $b: F16| -> () {
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
    "s_cmp_lt_f32", "s_cmp_lt_f16" => |a, b| a < b;
    "s_cmp_eq_f32", "s_cmp_eq_f16" => |a, b| a == b;
    "s_cmp_le_f32", "s_cmp_le_f16" => |a, b| a <= b;
    "s_cmp_gt_f32", "s_cmp_gt_f16" => |a, b| a > b;
    "s_cmp_lg_f32", "s_cmp_lg_f16" => |a, b| (a < b) | (a > b);
    "s_cmp_ge_f32", "s_cmp_ge_f16" => |a, b| a >= b;
    "s_cmp_o_f32", "s_cmp_o_f16" => |a, b| !a.is_nan() & !b.is_nan();
    "s_cmp_u_f32", "s_cmp_u_f16" => |a, b| a.is_nan() | b.is_nan();
    "s_cmp_nge_f32", "s_cmp_nge_f16" => |a, b| !(a >= b);
    "s_cmp_nlg_f32", "s_cmp_nlg_f16" => |a, b| !((a < b) | (a > b));
    "s_cmp_ngt_f32", "s_cmp_ngt_f16" => |a, b| !(a > b);
    "s_cmp_nle_f32", "s_cmp_nle_f16" => |a, b| !(a <= b);
    "s_cmp_neq_f32", "s_cmp_neq_f16" => |a, b| a != b;
    "s_cmp_nlt_f32", "s_cmp_nlt_f16" => |a, b| !(a < b);
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    ("s_add_f32", s32!(|m, a, b| arith::add_f32_rounded(a, b, m.round_32, KEEP))),
    ("s_sub_f32", s32!(|m, a, b| arith::add_f32_rounded(a, -b, m.round_32, KEEP))),
    ("s_mul_f32", s32!(|m, a, b| arith::mul_f32_rounded(a, b, m.round_32, KEEP))),
    ("s_fmac_f32", s32!(|m, a, b, c| arith::fma_f32_rounded(a, b, c, m.round_32, KEEP)).accumulating().def()),
    ("s_fmaak_f32", s32!(|m, a, b, c| arith::fma_f32_rounded(a, b, c, m.round_32, KEEP)).def()),
    ("s_min_num_f32", s32!(|_m, a, b| bits2(minmax::f32::min_num, a, b))),
    ("s_max_num_f32", s32!(|_m, a, b| bits2(minmax::f32::max_num, a, b))),
    ("s_minimum_f32", s32!(|_m, a, b| bits2(minmax::f32::minimum, a, b))),
    ("s_maximum_f32", s32!(|_m, a, b| bits2(minmax::f32::maximum, a, b))),
    ("s_ceil_f32", s32!(|_m, a| integral::ceil_f32(a))),
    ("s_floor_f32", s32!(|_m, a| integral::floor_f32(a))),
    ("s_trunc_f32", s32!(|_m, a| integral::trunc_f32(a))),
    ("s_rndne_f32", s32!(|_m, a| integral::rndne_f32(a))),
    ("s_add_f16", s16!(|m, a, b| arith::add_f16_rounded(a, b, m.round_16_64, KEEP, m.fp16_ovfl))),
    ("s_sub_f16", s16!(|m, a, b| arith::add_f16_rounded(a, b ^ 0x8000, m.round_16_64, KEEP, m.fp16_ovfl))),
    ("s_mul_f16", s16!(|m, a, b| arith::mul_f16_rounded(a, b, m.round_16_64, KEEP, m.fp16_ovfl))),
    (
        "s_fmac_f16",
        s16!(|m, a, b, c| arith::fma_f16_rounded(a, b, c, m.round_16_64, KEEP, m.fp16_ovfl))
            .accumulating()
            .def(),
    ),
    ("s_min_num_f16", s16!(|_m, a, b| minmax::f16::min_num(a, b))),
    ("s_max_num_f16", s16!(|_m, a, b| minmax::f16::max_num(a, b))),
    ("s_minimum_f16", s16!(|_m, a, b| minmax::f16::minimum(a, b))),
    ("s_maximum_f16", s16!(|_m, a, b| minmax::f16::maximum(a, b))),
    ("s_ceil_f16", s16!(|_m, a| integral::ceil_f16(a))),
    ("s_floor_f16", s16!(|_m, a| integral::floor_f16(a))),
    ("s_trunc_f16", s16!(|_m, a| integral::trunc_f16(a))),
    ("s_rndne_f16", s16!(|_m, a| integral::rndne_f16(a))),
    (
        "s_cvt_f32_i32",
        salu_regs!(r |a: i32| -> f32 { (ic::f32_from_i32_rounded(a, Cx::new(r, 0).mode.round_32), None) })
            .def(),
    ),
    (
        "s_cvt_f32_u32",
        salu_regs!(r |a: u32| -> f32 { (ic::f32_from_u32_rounded(a, Cx::new(r, 0).mode.round_32), None) })
            .def(),
    ),
    ("s_cvt_i32_f32", salu!(|a: f32| -> i32 { ic::i32_from_f32(a) }).def()),
    ("s_cvt_u32_f32", salu!(|a: f32| -> u32 { ic::u32_from_f32(a) }).def()),
    (
        "s_cvt_f32_f16",
        salu_regs!(r |a: F16| -> f32 { (super::convert::from_f16_mode(a.0, &Cx::new(r, 0).mode), None) })
            .def(),
    ),
    (
        "s_cvt_hi_f32_f16",
        salu_regs!(r |a: u32| -> f32 {
            (super::convert::from_f16_mode((a >> 16) as u16, &Cx::new(r, 0).mode), None)
        })
        .def(),
    ),
    (
        "s_cvt_f16_f32",
        salu_regs!(r |a: f32| -> F16 { (F16(super::convert::to_f16(a, &Cx::new(r, 0).mode)), None) }).def(),
    ),
    (
        "s_cvt_pk_rtz_f16_f32",
        salu!(|a: f32, b: f32| -> u32 {
            u32::from(f16::from_f32_toward_zero(a)) | u32::from(f16::from_f32_toward_zero(b)) << 16
        })
        .def(),
    ),
    ("v_s_exp_f32", salu!(|a: f32| -> f32 { transcendental::exp2_f32(a) }).def()),
    ("v_s_log_f32", salu!(|a: f32| -> f32 { transcendental::log2_f32(a) }).def()),
    ("v_s_rcp_f32", salu!(|a: f32| -> f32 { transcendental::rcp_f32(a) }).def()),
    ("v_s_rsq_f32", salu!(|a: f32| -> f32 { transcendental::rsq_f32(a) }).def()),
    ("v_s_sqrt_f32", salu!(|a: f32| -> f32 { transcendental::sqrt_f32(a) }).def()),
    ("v_s_exp_f16", s16!(|m, a| transcendental::exp2_f16(a, m.fp16_ovfl))),
    ("v_s_log_f16", s16!(|_m, a| transcendental::log2_f16(a))),
    ("v_s_rcp_f16", s16!(|m, a| transcendental::rcp_f16(a, m.fp16_ovfl))),
    ("v_s_rsq_f16", s16!(|_m, a| transcendental::rsq_f16(a))),
    ("v_s_sqrt_f16", s16!(|_m, a| transcendental::sqrt_f16(a))),
];
