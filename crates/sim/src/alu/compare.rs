//! Vector compares: `v_cmp_*`, `v_cmpx_*` and the class tests.
//!
//! A compare writes a 0 for inactive lanes; `v_cmpx` writes EXEC as well (gfx9: and VCC or the SGPR; gfx12: EXEC
//! only).

// The negated compares are not the opposite ones: they are true for NaNs.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use wavemark_numerics::{class, f16};

use super::def::{Line, VectorDef};
use super::word::{self, Bit};

/// A compare and its `v_cmpx` form: one body.
const fn both(cmp: &'static str, cmpx: &'static str, def: VectorDef) -> [Line; 2] {
    [(cmp, def.def()), (cmpx, def.cmpx().def())]
}

macro_rules! conditions {
    // `$make!(|a, b| condition)` gives the definition of one compare of the type.
    ($table:ident, $make:ident, $($cmp:literal, $cmpx:literal => |$a:ident, $b:ident| $e:expr;)*) => {
        /// Compares of one type.
        pub const $table: &[Line] =
            [$(both($cmp, $cmpx, $make!(|$a, $b| $e)),)*].as_flattened();
    };
}

macro_rules! f32_compare {
    (|$a:ident, $b:ident| $e:expr) => {
        float!(Select32; |$a: f32, $b: f32| -> Bit { Bit::new($e) }; cx => Bit::new($e))
    };
}
macro_rules! f64_compare {
    (|$a:ident, $b:ident| $e:expr) => {
        float!(Select16F64; |$a: f64, $b: f64| -> Bit { Bit::new($e) }; cx => Bit::new($e))
    };
}
macro_rules! f16_compare {
    (|$a:ident, $b:ident| $e:expr) => {
        rare!(Select16F64; cx |$a: word::F16, $b: word::F16| -> Bit {
            let ($a, $b) = (f16::to_f32($a.0), f16::to_f32($b.0));
            Bit::new($e)
        })
    };
}

macro_rules! i16_compare {
    (|$a:ident, $b:ident| $e:expr) => {
        raw!(|$a: i16, $b: i16| -> Bit { Bit::new($e) })
    };
}
macro_rules! u16_compare {
    (|$a:ident, $b:ident| $e:expr) => {
        raw!(|$a: u16, $b: u16| -> Bit { Bit::new($e) })
    };
}
macro_rules! i32_compare {
    (|$a:ident, $b:ident| $e:expr) => {
        raw!(|$a: i32, $b: i32| -> Bit { Bit::new($e) })
    };
}
macro_rules! u32_compare {
    (|$a:ident, $b:ident| $e:expr) => {
        raw!(|$a: u32, $b: u32| -> Bit { Bit::new($e) })
    };
}
macro_rules! i64_compare {
    (|$a:ident, $b:ident| $e:expr) => {
        raw!(|$a: i64, $b: i64| -> Bit { Bit::new($e) })
    };
}
macro_rules! u64_compare {
    (|$a:ident, $b:ident| $e:expr) => {
        raw!(|$a: u64, $b: u64| -> Bit { Bit::new($e) })
    };
}

conditions! { F16, f16_compare,
    "v_cmp_f_f16", "v_cmpx_f_f16" => |_a, _b| false;
    "v_cmp_lt_f16", "v_cmpx_lt_f16" => |a, b| a < b;
    "v_cmp_eq_f16", "v_cmpx_eq_f16" => |a, b| a == b;
    "v_cmp_le_f16", "v_cmpx_le_f16" => |a, b| a <= b;
    "v_cmp_gt_f16", "v_cmpx_gt_f16" => |a, b| a > b;
    "v_cmp_lg_f16", "v_cmpx_lg_f16" => |a, b| (a < b) | (a > b);
    "v_cmp_ge_f16", "v_cmpx_ge_f16" => |a, b| a >= b;
    "v_cmp_o_f16", "v_cmpx_o_f16" => |a, b| !a.is_nan() & !b.is_nan();
    "v_cmp_u_f16", "v_cmpx_u_f16" => |a, b| a.is_nan() | b.is_nan();
    "v_cmp_nge_f16", "v_cmpx_nge_f16" => |a, b| !(a >= b);
    "v_cmp_nlg_f16", "v_cmpx_nlg_f16" => |a, b| !((a < b) | (a > b));
    "v_cmp_ngt_f16", "v_cmpx_ngt_f16" => |a, b| !(a > b);
    "v_cmp_nle_f16", "v_cmpx_nle_f16" => |a, b| !(a <= b);
    "v_cmp_neq_f16", "v_cmpx_neq_f16" => |a, b| a != b;
    "v_cmp_nlt_f16", "v_cmpx_nlt_f16" => |a, b| !(a < b);
    "v_cmp_tru_f16", "v_cmpx_tru_f16" => |_a, _b| true;
}

conditions! { F32, f32_compare,
    "v_cmp_f_f32", "v_cmpx_f_f32" => |_a, _b| false;
    "v_cmp_lt_f32", "v_cmpx_lt_f32" => |a, b| a < b;
    "v_cmp_eq_f32", "v_cmpx_eq_f32" => |a, b| a == b;
    "v_cmp_le_f32", "v_cmpx_le_f32" => |a, b| a <= b;
    "v_cmp_gt_f32", "v_cmpx_gt_f32" => |a, b| a > b;
    "v_cmp_lg_f32", "v_cmpx_lg_f32" => |a, b| (a < b) | (a > b);
    "v_cmp_ge_f32", "v_cmpx_ge_f32" => |a, b| a >= b;
    "v_cmp_o_f32", "v_cmpx_o_f32" => |a, b| !a.is_nan() & !b.is_nan();
    "v_cmp_u_f32", "v_cmpx_u_f32" => |a, b| a.is_nan() | b.is_nan();
    "v_cmp_nge_f32", "v_cmpx_nge_f32" => |a, b| !(a >= b);
    "v_cmp_nlg_f32", "v_cmpx_nlg_f32" => |a, b| !((a < b) | (a > b));
    "v_cmp_ngt_f32", "v_cmpx_ngt_f32" => |a, b| !(a > b);
    "v_cmp_nle_f32", "v_cmpx_nle_f32" => |a, b| !(a <= b);
    "v_cmp_neq_f32", "v_cmpx_neq_f32" => |a, b| a != b;
    "v_cmp_nlt_f32", "v_cmpx_nlt_f32" => |a, b| !(a < b);
    "v_cmp_tru_f32", "v_cmpx_tru_f32" => |_a, _b| true;
}

conditions! { F64, f64_compare,
    "v_cmp_f_f64", "v_cmpx_f_f64" => |_a, _b| false;
    "v_cmp_lt_f64", "v_cmpx_lt_f64" => |a, b| a < b;
    "v_cmp_eq_f64", "v_cmpx_eq_f64" => |a, b| a == b;
    "v_cmp_le_f64", "v_cmpx_le_f64" => |a, b| a <= b;
    "v_cmp_gt_f64", "v_cmpx_gt_f64" => |a, b| a > b;
    "v_cmp_lg_f64", "v_cmpx_lg_f64" => |a, b| (a < b) | (a > b);
    "v_cmp_ge_f64", "v_cmpx_ge_f64" => |a, b| a >= b;
    "v_cmp_o_f64", "v_cmpx_o_f64" => |a, b| !a.is_nan() & !b.is_nan();
    "v_cmp_u_f64", "v_cmpx_u_f64" => |a, b| a.is_nan() | b.is_nan();
    "v_cmp_nge_f64", "v_cmpx_nge_f64" => |a, b| !(a >= b);
    "v_cmp_nlg_f64", "v_cmpx_nlg_f64" => |a, b| !((a < b) | (a > b));
    "v_cmp_ngt_f64", "v_cmpx_ngt_f64" => |a, b| !(a > b);
    "v_cmp_nle_f64", "v_cmpx_nle_f64" => |a, b| !(a <= b);
    "v_cmp_neq_f64", "v_cmpx_neq_f64" => |a, b| a != b;
    "v_cmp_nlt_f64", "v_cmpx_nlt_f64" => |a, b| !(a < b);
    "v_cmp_tru_f64", "v_cmpx_tru_f64" => |_a, _b| true;
}

conditions! { I16, i16_compare,
    "v_cmp_f_i16", "v_cmpx_f_i16" => |_a, _b| false;
    "v_cmp_lt_i16", "v_cmpx_lt_i16" => |a, b| a < b;
    "v_cmp_eq_i16", "v_cmpx_eq_i16" => |a, b| a == b;
    "v_cmp_le_i16", "v_cmpx_le_i16" => |a, b| a <= b;
    "v_cmp_gt_i16", "v_cmpx_gt_i16" => |a, b| a > b;
    "v_cmp_ne_i16", "v_cmpx_ne_i16" => |a, b| a != b;
    "v_cmp_ge_i16", "v_cmpx_ge_i16" => |a, b| a >= b;
    "v_cmp_t_i16", "v_cmpx_t_i16" => |_a, _b| true;
}

conditions! { U16, u16_compare,
    "v_cmp_f_u16", "v_cmpx_f_u16" => |_a, _b| false;
    "v_cmp_lt_u16", "v_cmpx_lt_u16" => |a, b| a < b;
    "v_cmp_eq_u16", "v_cmpx_eq_u16" => |a, b| a == b;
    "v_cmp_le_u16", "v_cmpx_le_u16" => |a, b| a <= b;
    "v_cmp_gt_u16", "v_cmpx_gt_u16" => |a, b| a > b;
    "v_cmp_ne_u16", "v_cmpx_ne_u16" => |a, b| a != b;
    "v_cmp_ge_u16", "v_cmpx_ge_u16" => |a, b| a >= b;
    "v_cmp_t_u16", "v_cmpx_t_u16" => |_a, _b| true;
}

conditions! { I32, i32_compare,
    "v_cmp_f_i32", "v_cmpx_f_i32" => |_a, _b| false;
    "v_cmp_lt_i32", "v_cmpx_lt_i32" => |a, b| a < b;
    "v_cmp_eq_i32", "v_cmpx_eq_i32" => |a, b| a == b;
    "v_cmp_le_i32", "v_cmpx_le_i32" => |a, b| a <= b;
    "v_cmp_gt_i32", "v_cmpx_gt_i32" => |a, b| a > b;
    "v_cmp_ne_i32", "v_cmpx_ne_i32" => |a, b| a != b;
    "v_cmp_ge_i32", "v_cmpx_ge_i32" => |a, b| a >= b;
    "v_cmp_t_i32", "v_cmpx_t_i32" => |_a, _b| true;
}

conditions! { U32, u32_compare,
    "v_cmp_f_u32", "v_cmpx_f_u32" => |_a, _b| false;
    "v_cmp_lt_u32", "v_cmpx_lt_u32" => |a, b| a < b;
    "v_cmp_eq_u32", "v_cmpx_eq_u32" => |a, b| a == b;
    "v_cmp_le_u32", "v_cmpx_le_u32" => |a, b| a <= b;
    "v_cmp_gt_u32", "v_cmpx_gt_u32" => |a, b| a > b;
    "v_cmp_ne_u32", "v_cmpx_ne_u32" => |a, b| a != b;
    "v_cmp_ge_u32", "v_cmpx_ge_u32" => |a, b| a >= b;
    "v_cmp_t_u32", "v_cmpx_t_u32" => |_a, _b| true;
}

conditions! { I64, i64_compare,
    "v_cmp_f_i64", "v_cmpx_f_i64" => |_a, _b| false;
    "v_cmp_lt_i64", "v_cmpx_lt_i64" => |a, b| a < b;
    "v_cmp_eq_i64", "v_cmpx_eq_i64" => |a, b| a == b;
    "v_cmp_le_i64", "v_cmpx_le_i64" => |a, b| a <= b;
    "v_cmp_gt_i64", "v_cmpx_gt_i64" => |a, b| a > b;
    "v_cmp_ne_i64", "v_cmpx_ne_i64" => |a, b| a != b;
    "v_cmp_ge_i64", "v_cmpx_ge_i64" => |a, b| a >= b;
    "v_cmp_t_i64", "v_cmpx_t_i64" => |_a, _b| true;
}

conditions! { U64, u64_compare,
    "v_cmp_f_u64", "v_cmpx_f_u64" => |_a, _b| false;
    "v_cmp_lt_u64", "v_cmpx_lt_u64" => |a, b| a < b;
    "v_cmp_eq_u64", "v_cmpx_eq_u64" => |a, b| a == b;
    "v_cmp_le_u64", "v_cmpx_le_u64" => |a, b| a <= b;
    "v_cmp_gt_u64", "v_cmpx_gt_u64" => |a, b| a > b;
    "v_cmp_ne_u64", "v_cmpx_ne_u64" => |a, b| a != b;
    "v_cmp_ge_u64", "v_cmpx_ge_u64" => |a, b| a >= b;
    "v_cmp_t_u64", "v_cmpx_t_u64" => |_a, _b| true;
}

macro_rules! class_tests {
    ($($cmp:literal, $cmpx:literal => $e:expr;)*) => {
        /// The class tests: bit n of source 1 asks for class n.
        pub const CLASS: &[Line] = [$(both($cmp, $cmpx, $e),)*].as_flattened();
    };
}

class_tests! {
    "v_cmp_class_f16", "v_cmpx_class_f16" =>
        rare!(Nothing; cx |a: word::F16, b: u16| -> Bit { Bit::new(class::is_class_f16(a.0, u32::from(b))) });
    "v_cmp_class_f32", "v_cmpx_class_f32" =>
        raw!(|a: f32, b: u32| -> Bit { Bit::new(class::is_class_f32(a.to_bits(), b)) });
    "v_cmp_class_f64", "v_cmpx_class_f64" =>
        rare!(Nothing; cx |a: f64, b: u32| -> Bit { Bit::new(class::is_class_f64(a.to_bits(), b)) });
}
