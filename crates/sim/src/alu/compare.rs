//! Vector compares: `v_cmp_*`, `v_cmpx_*` and the class tests.
//!
//! A compare writes a 0 for inactive lanes; `v_cmpx` writes EXEC as well (gfx9: and VCC or the SGPR; gfx12: EXEC
//! only).

// The negated compares are not the opposite ones: they are true for NaNs.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use wavemark_isa::Meaning;
use wavemark_numerics::{class, f16};

use super::def::{Line, VectorDef};
use super::word::{self, Bit};

/// A compare and its `v_cmpx` form: one body.
const fn both(cmp: Meaning, cmpx: Meaning, def: VectorDef) -> [Line; 2] {
    [(cmp, def.def()), (cmpx, def.cmpx().def())]
}

macro_rules! conditions {
    // `$make!(|a, b| condition)` gives the definition of one compare of the type.
    ($table:ident, $make:ident, $($cmp:ident, $cmpx:ident => |$a:ident, $b:ident| $e:expr;)*) => {
        /// Compares of one type.
        pub const $table: &[Line] =
            [$(both(Meaning::$cmp, Meaning::$cmpx, $make!(|$a, $b| $e)),)*].as_flattened();
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
    V_CMP_F_F16, V_CMPX_F_F16 => |_a, _b| false;
    V_CMP_LT_F16, V_CMPX_LT_F16 => |a, b| a < b;
    V_CMP_EQ_F16, V_CMPX_EQ_F16 => |a, b| a == b;
    V_CMP_LE_F16, V_CMPX_LE_F16 => |a, b| a <= b;
    V_CMP_GT_F16, V_CMPX_GT_F16 => |a, b| a > b;
    V_CMP_LG_F16, V_CMPX_LG_F16 => |a, b| (a < b) | (a > b);
    V_CMP_GE_F16, V_CMPX_GE_F16 => |a, b| a >= b;
    V_CMP_O_F16, V_CMPX_O_F16 => |a, b| !a.is_nan() & !b.is_nan();
    V_CMP_U_F16, V_CMPX_U_F16 => |a, b| a.is_nan() | b.is_nan();
    V_CMP_NGE_F16, V_CMPX_NGE_F16 => |a, b| !(a >= b);
    V_CMP_NLG_F16, V_CMPX_NLG_F16 => |a, b| !((a < b) | (a > b));
    V_CMP_NGT_F16, V_CMPX_NGT_F16 => |a, b| !(a > b);
    V_CMP_NLE_F16, V_CMPX_NLE_F16 => |a, b| !(a <= b);
    V_CMP_NEQ_F16, V_CMPX_NEQ_F16 => |a, b| a != b;
    V_CMP_NLT_F16, V_CMPX_NLT_F16 => |a, b| !(a < b);
    V_CMP_TRU_F16, V_CMPX_TRU_F16 => |_a, _b| true;
}

conditions! { F32, f32_compare,
    V_CMP_F_F32, V_CMPX_F_F32 => |_a, _b| false;
    V_CMP_LT_F32, V_CMPX_LT_F32 => |a, b| a < b;
    V_CMP_EQ_F32, V_CMPX_EQ_F32 => |a, b| a == b;
    V_CMP_LE_F32, V_CMPX_LE_F32 => |a, b| a <= b;
    V_CMP_GT_F32, V_CMPX_GT_F32 => |a, b| a > b;
    V_CMP_LG_F32, V_CMPX_LG_F32 => |a, b| (a < b) | (a > b);
    V_CMP_GE_F32, V_CMPX_GE_F32 => |a, b| a >= b;
    V_CMP_O_F32, V_CMPX_O_F32 => |a, b| !a.is_nan() & !b.is_nan();
    V_CMP_U_F32, V_CMPX_U_F32 => |a, b| a.is_nan() | b.is_nan();
    V_CMP_NGE_F32, V_CMPX_NGE_F32 => |a, b| !(a >= b);
    V_CMP_NLG_F32, V_CMPX_NLG_F32 => |a, b| !((a < b) | (a > b));
    V_CMP_NGT_F32, V_CMPX_NGT_F32 => |a, b| !(a > b);
    V_CMP_NLE_F32, V_CMPX_NLE_F32 => |a, b| !(a <= b);
    V_CMP_NEQ_F32, V_CMPX_NEQ_F32 => |a, b| a != b;
    V_CMP_NLT_F32, V_CMPX_NLT_F32 => |a, b| !(a < b);
    V_CMP_TRU_F32, V_CMPX_TRU_F32 => |_a, _b| true;
}

conditions! { F64, f64_compare,
    V_CMP_F_F64, V_CMPX_F_F64 => |_a, _b| false;
    V_CMP_LT_F64, V_CMPX_LT_F64 => |a, b| a < b;
    V_CMP_EQ_F64, V_CMPX_EQ_F64 => |a, b| a == b;
    V_CMP_LE_F64, V_CMPX_LE_F64 => |a, b| a <= b;
    V_CMP_GT_F64, V_CMPX_GT_F64 => |a, b| a > b;
    V_CMP_LG_F64, V_CMPX_LG_F64 => |a, b| (a < b) | (a > b);
    V_CMP_GE_F64, V_CMPX_GE_F64 => |a, b| a >= b;
    V_CMP_O_F64, V_CMPX_O_F64 => |a, b| !a.is_nan() & !b.is_nan();
    V_CMP_U_F64, V_CMPX_U_F64 => |a, b| a.is_nan() | b.is_nan();
    V_CMP_NGE_F64, V_CMPX_NGE_F64 => |a, b| !(a >= b);
    V_CMP_NLG_F64, V_CMPX_NLG_F64 => |a, b| !((a < b) | (a > b));
    V_CMP_NGT_F64, V_CMPX_NGT_F64 => |a, b| !(a > b);
    V_CMP_NLE_F64, V_CMPX_NLE_F64 => |a, b| !(a <= b);
    V_CMP_NEQ_F64, V_CMPX_NEQ_F64 => |a, b| a != b;
    V_CMP_NLT_F64, V_CMPX_NLT_F64 => |a, b| !(a < b);
    V_CMP_TRU_F64, V_CMPX_TRU_F64 => |_a, _b| true;
}

conditions! { I16, i16_compare,
    V_CMP_F_I16, V_CMPX_F_I16 => |_a, _b| false;
    V_CMP_LT_I16, V_CMPX_LT_I16 => |a, b| a < b;
    V_CMP_EQ_I16, V_CMPX_EQ_I16 => |a, b| a == b;
    V_CMP_LE_I16, V_CMPX_LE_I16 => |a, b| a <= b;
    V_CMP_GT_I16, V_CMPX_GT_I16 => |a, b| a > b;
    V_CMP_NE_I16, V_CMPX_NE_I16 => |a, b| a != b;
    V_CMP_GE_I16, V_CMPX_GE_I16 => |a, b| a >= b;
    V_CMP_T_I16, V_CMPX_T_I16 => |_a, _b| true;
}

conditions! { U16, u16_compare,
    V_CMP_F_U16, V_CMPX_F_U16 => |_a, _b| false;
    V_CMP_LT_U16, V_CMPX_LT_U16 => |a, b| a < b;
    V_CMP_EQ_U16, V_CMPX_EQ_U16 => |a, b| a == b;
    V_CMP_LE_U16, V_CMPX_LE_U16 => |a, b| a <= b;
    V_CMP_GT_U16, V_CMPX_GT_U16 => |a, b| a > b;
    V_CMP_NE_U16, V_CMPX_NE_U16 => |a, b| a != b;
    V_CMP_GE_U16, V_CMPX_GE_U16 => |a, b| a >= b;
    V_CMP_T_U16, V_CMPX_T_U16 => |_a, _b| true;
}

conditions! { I32, i32_compare,
    V_CMP_F_I32, V_CMPX_F_I32 => |_a, _b| false;
    V_CMP_LT_I32, V_CMPX_LT_I32 => |a, b| a < b;
    V_CMP_EQ_I32, V_CMPX_EQ_I32 => |a, b| a == b;
    V_CMP_LE_I32, V_CMPX_LE_I32 => |a, b| a <= b;
    V_CMP_GT_I32, V_CMPX_GT_I32 => |a, b| a > b;
    V_CMP_NE_I32, V_CMPX_NE_I32 => |a, b| a != b;
    V_CMP_GE_I32, V_CMPX_GE_I32 => |a, b| a >= b;
    V_CMP_T_I32, V_CMPX_T_I32 => |_a, _b| true;
}

conditions! { U32, u32_compare,
    V_CMP_F_U32, V_CMPX_F_U32 => |_a, _b| false;
    V_CMP_LT_U32, V_CMPX_LT_U32 => |a, b| a < b;
    V_CMP_EQ_U32, V_CMPX_EQ_U32 => |a, b| a == b;
    V_CMP_LE_U32, V_CMPX_LE_U32 => |a, b| a <= b;
    V_CMP_GT_U32, V_CMPX_GT_U32 => |a, b| a > b;
    V_CMP_NE_U32, V_CMPX_NE_U32 => |a, b| a != b;
    V_CMP_GE_U32, V_CMPX_GE_U32 => |a, b| a >= b;
    V_CMP_T_U32, V_CMPX_T_U32 => |_a, _b| true;
}

conditions! { I64, i64_compare,
    V_CMP_F_I64, V_CMPX_F_I64 => |_a, _b| false;
    V_CMP_LT_I64, V_CMPX_LT_I64 => |a, b| a < b;
    V_CMP_EQ_I64, V_CMPX_EQ_I64 => |a, b| a == b;
    V_CMP_LE_I64, V_CMPX_LE_I64 => |a, b| a <= b;
    V_CMP_GT_I64, V_CMPX_GT_I64 => |a, b| a > b;
    V_CMP_NE_I64, V_CMPX_NE_I64 => |a, b| a != b;
    V_CMP_GE_I64, V_CMPX_GE_I64 => |a, b| a >= b;
    V_CMP_T_I64, V_CMPX_T_I64 => |_a, _b| true;
}

conditions! { U64, u64_compare,
    V_CMP_F_U64, V_CMPX_F_U64 => |_a, _b| false;
    V_CMP_LT_U64, V_CMPX_LT_U64 => |a, b| a < b;
    V_CMP_EQ_U64, V_CMPX_EQ_U64 => |a, b| a == b;
    V_CMP_LE_U64, V_CMPX_LE_U64 => |a, b| a <= b;
    V_CMP_GT_U64, V_CMPX_GT_U64 => |a, b| a > b;
    V_CMP_NE_U64, V_CMPX_NE_U64 => |a, b| a != b;
    V_CMP_GE_U64, V_CMPX_GE_U64 => |a, b| a >= b;
    V_CMP_T_U64, V_CMPX_T_U64 => |_a, _b| true;
}

macro_rules! class_tests {
    ($($cmp:ident, $cmpx:ident => $e:expr;)*) => {
        /// The class tests: bit n of source 1 asks for class n.
        pub const CLASS: &[Line] = [$(both(Meaning::$cmp, Meaning::$cmpx, $e),)*].as_flattened();
    };
}

class_tests! {
    V_CMP_CLASS_F16, V_CMPX_CLASS_F16 =>
        rare!(Nothing; cx |a: word::F16, b: u16| -> Bit { Bit::new(class::is_class_f16(a.0, u32::from(b))) });
    V_CMP_CLASS_F32, V_CMPX_CLASS_F32 =>
        raw!(|a: f32, b: u32| -> Bit { Bit::new(class::is_class_f32(a.to_bits(), b)) });
    V_CMP_CLASS_F64, V_CMPX_CLASS_F64 =>
        rare!(Nothing; cx |a: f64, b: u32| -> Bit { Bit::new(class::is_class_f64(a.to_bits(), b)) });
}
