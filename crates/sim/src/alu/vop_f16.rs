//! Half-precision and bfloat16 vector arithmetic, single and packed.
//!
//! The fast path converts 16 lanes to binary32, computes there, and converts back: exact for one addition or
//! multiplication (binary32 has more than twice the bits and two), and for a fused one by rounding the sum to
//! odd first.

use std::marker::PhantomData;

use wavemark_isa::Meaning;
use wavemark_numerics::{Denorm, Mode, arith, integral, minmax, soft, transcendental};

use super::def::{Line, VectorDef, fast};
use super::host::Host;
use super::lane::{Cx, Depends, Exact, Lane, Out, Rows};
use super::word::{Bf16, F16, PkBf16, PkF16, Word};

const KEEP: Denorm = Denorm::KEEP;

/// A function of binary16 values.
trait Half: 'static {
    /// On binary32 values of binary16 sources, one rounding to binary16 away from the result.
    fn fast(a: f32, b: f32, c: f32) -> f32;
    /// On bits, under any MODE.
    fn exact(cx: &Cx, a: u16, b: u16, c: u16) -> u16;
}

/// 16 lanes of the half at `SHIFT`, not yet rounded to binary16.
#[inline(always)]
fn half<K: Half, H: Host, const SHIFT: u32>(a: &[u32; 16], b: &[u32; 16], c: &[u32; 16]) -> [f32; 16] {
    let a = H::half_to_f32::<SHIFT>(a);
    let b = H::half_to_f32::<SHIFT>(b);
    let c = H::half_to_f32::<SHIFT>(c);
    let mut d = [0.0; 16];
    for i in 0..16 {
        d[i] = K::fast(a[i], b[i], c[i]);
    }
    d
}

macro_rules! half_lane {
    ($name:ident, $one:ident, $a:ty, $b:ty, $c:ty, $packed:expr) => {
        struct $name<K>(PhantomData<K>);
        impl<K: Half> Exact for $name<K> {
            type A = $a;
            type B = $b;
            type C = $c;
            type D = $one;
            type E = ();
            const DEPENDS: Depends = Depends::F16F64;
            #[inline(always)]
            fn exact(cx: &Cx, a: $a, b: $b, c: $c) -> ($one, ()) {
                let [a, b, c] = [a.to_words().0, b.to_words().0, c.to_words().0];
                let mut d = u32::from(K::exact(cx, a as u16, b as u16, c as u16));
                if $packed {
                    let hi = K::exact(cx, (a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
                    d |= u32::from(hi) << 16;
                }
                ($one::from_words(d, 0), ())
            }
        }
        impl<K: Half> Lane for $name<K> {
            #[inline(always)]
            fn one(_imm: u64, _a: $a, _b: $b, _c: $c) -> ($one, ()) {
                // Not used: `lanes` below goes by chunks.
                ($one::ZERO, ())
            }
            #[inline(always)]
            unsafe fn lanes<H: Host, const N: usize, const FLUSH: bool>(
                _imm: u64,
                a: Rows<N>,
                b: Rows<N>,
                c: Rows<N>,
                out: &mut Out<N>,
            ) -> u32 {
                let mut nan = 0;
                for i in 0..N {
                    // SAFETY: the caller's promise: the sources have N chunks.
                    unsafe {
                        let (a, b) = (a.chunk(i), b.chunk(i));
                        let c = if <$c>::KIND.rows() > 0 { c.chunk(i) } else { [0; 16] };
                        let low = half::<K, H, 0>(&a, &b, &c);
                        nan |= H::any_nan(&low);
                        let d = if $packed {
                            let high = half::<K, H, 16>(&a, &b, &c);
                            nan |= H::any_nan(&high);
                            H::two_to_f16(&low, &high)
                        } else {
                            H::f32_to_f16(&low)
                        };
                        out.lo.set_chunk(i, &d);
                    }
                }
                nan
            }
        }
    };
}
half_lane!(One2, F16, F16, F16, (), false);
half_lane!(One3, F16, F16, F16, F16, false);
half_lane!(Packed2, PkF16, PkF16, PkF16, (), true);
half_lane!(Packed3, PkF16, PkF16, PkF16, PkF16, true);

struct Add;
impl Half for Add {
    #[inline(always)]
    fn fast(a: f32, b: f32, _c: f32) -> f32 {
        a + b
    }
    fn exact(cx: &Cx, a: u16, b: u16, _c: u16) -> u16 {
        arith::add_f16_rounded(a, b, cx.mode.round_16_64, KEEP, cx.mode.fp16_ovfl)
    }
}

struct Sub;
impl Half for Sub {
    #[inline(always)]
    fn fast(a: f32, b: f32, _c: f32) -> f32 {
        a - b
    }
    fn exact(cx: &Cx, a: u16, b: u16, c: u16) -> u16 {
        Add::exact(cx, a, b ^ 0x8000, c)
    }
}

struct Subrev;
impl Half for Subrev {
    #[inline(always)]
    fn fast(a: f32, b: f32, _c: f32) -> f32 {
        b - a
    }
    fn exact(cx: &Cx, a: u16, b: u16, c: u16) -> u16 {
        Add::exact(cx, a ^ 0x8000, b, c)
    }
}

struct Mul;
impl Half for Mul {
    #[inline(always)]
    fn fast(a: f32, b: f32, _c: f32) -> f32 {
        a * b
    }
    fn exact(cx: &Cx, a: u16, b: u16, _c: u16) -> u16 {
        arith::mul_f16_rounded(a, b, cx.mode.round_16_64, KEEP, cx.mode.fp16_ovfl)
    }
}

struct Fma;
impl Half for Fma {
    #[inline(always)]
    fn fast(a: f32, b: f32, c: f32) -> f32 {
        // Product and sum are exact in binary64 wherever the result is not already decided.
        soft::f64_to_f32_odd(f64::from(a) * f64::from(b) + f64::from(c))
    }
    fn exact(cx: &Cx, a: u16, b: u16, c: u16) -> u16 {
        arith::fma_f16_rounded(a, b, c, cx.mode.round_16_64, KEEP, cx.mode.fp16_ovfl)
    }
}

/// Multiply, round, add, round (`v_mad_f16`, `v_mac_f16`): denormals are flushed by their MODE only.
fn mad(cx: &Cx, a: u16, b: u16, c: u16) -> u16 {
    let product = Mul::exact(cx, a, b, 0);
    Add::exact(cx, product, c, 0)
}

/// An operation that selects between its sources, on bits.
macro_rules! select {
    ($t:ident; |$m:ident, $a:ident, $b:ident| $e:expr) => {
        float!(Select16F64; |$a: $t, $b: $t| -> $t {
            let ($a, $b, $m) = ($a.0, $b.0, &USUAL);
            $t($e)
        }; cx => {
            let ($a, $b, $m) = ($a.0, $b.0, &cx.mode);
            $t($e)
        })
    };
    ($t:ident; |$m:ident, $a:ident, $b:ident, $c:ident| $e:expr) => {
        float!(Select16F64; |$a: $t, $b: $t, $c: $t| -> $t {
            let ($a, $b, $c, $m) = ($a.0, $b.0, $c.0, &USUAL);
            $t($e)
        }; cx => {
            let ($a, $b, $c, $m) = ($a.0, $b.0, $c.0, &cx.mode);
            $t($e)
        })
    };
}

/// The MODE that fast selections assume.
const USUAL: Mode = Mode::from_register_gfx12(0xf0);

#[inline(always)]
fn each2(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

#[inline(always)]
fn each3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16, c as u16))
        | u32::from(f((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16)) << 16
}

use minmax::{bf16 as mb, f16 as mh};

const ADD: VectorDef = fast::<One2<Add>>();
const FMA: VectorDef = fast::<One3<Fma>>();
const MAD: VectorDef = rare!(F16F64; cx |a: F16, b: F16, c: F16| -> F16 { F16(mad(cx, a.0, b.0, c.0)) });

/// A function of one binary16, in MODE's denormal handling.
macro_rules! one {
    (|$cx:ident, $a:ident| $e:expr) => {
        rare!(F16F64; $cx |$a: F16| -> F16 { let $a = $a.0; F16($e) }).def()
    };
}

/// A function of one bfloat16.
macro_rules! brain {
    (|$a:ident| $e:expr) => {
        rare!(Nothing; _cx |$a: Bf16| -> Bf16 { let $a = $a.0; Bf16($e) }).def()
    };
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_ADD_F16, ADD.def()),
    (Meaning::V_SUB_F16, fast::<One2<Sub>>().def()),
    (Meaning::V_SUBREV_F16, fast::<One2<Subrev>>().def()),
    (Meaning::V_MUL_F16, fast::<One2<Mul>>().def()),
    (Meaning::V_FMA_F16, FMA.keeping_half().def()),
    (Meaning::V_FMA_LEGACY_F16, FMA.def()),
    (Meaning::V_FMAC_F16, FMA.accumulating().def()),
    (Meaning::V_MAD_F16, MAD.keeping_half().def()),
    (Meaning::V_MAD_LEGACY_F16, MAD.def()),
    (Meaning::V_MAC_F16, MAD.accumulating().def()),
    (Meaning::V_PK_ADD_F16, fast::<Packed2<Add>>().def()),
    (Meaning::V_PK_MUL_F16, fast::<Packed2<Mul>>().def()),
    (Meaning::V_PK_FMA_F16, fast::<Packed3<Fma>>().def()),
    (Meaning::V_PK_FMAC_F16, fast::<Packed3<Fma>>().accumulating().def()),
    (Meaning::V_MIN_F16, select!(F16; |m, a, b| mh::min_gfx9(a, b, m.ieee)).def()),
    (Meaning::V_MAX_F16, select!(F16; |m, a, b| mh::max_gfx9(a, b, m.ieee)).def()),
    (Meaning::V_MIN_NUM_F16, select!(F16; |_m, a, b| mh::min_num(a, b)).def()),
    (Meaning::V_MAX_NUM_F16, select!(F16; |_m, a, b| mh::max_num(a, b)).def()),
    (Meaning::V_MINIMUM_F16, select!(F16; |_m, a, b| mh::minimum(a, b)).def()),
    (Meaning::V_MAXIMUM_F16, select!(F16; |_m, a, b| mh::maximum(a, b)).def()),
    (
        Meaning::V_MIN3_F16,
        select!(F16; |m, a, b, c| mh::min_gfx9(mh::min_gfx9(a, b, m.ieee), c, m.ieee)).keeping_half().def(),
    ),
    (
        Meaning::V_MAX3_F16,
        select!(F16; |m, a, b, c| mh::max_gfx9(mh::max_gfx9(a, b, m.ieee), c, m.ieee)).keeping_half().def(),
    ),
    (Meaning::V_MED3_F16, select!(F16; |m, a, b, c| mh::med3_gfx9(a, b, c, m.ieee)).keeping_half().def()),
    (Meaning::V_MIN3_NUM_F16, select!(F16; |_m, a, b, c| mh::min_num(mh::min_num(a, b), c)).def()),
    (Meaning::V_MAX3_NUM_F16, select!(F16; |_m, a, b, c| mh::max_num(mh::max_num(a, b), c)).def()),
    (Meaning::V_MED3_NUM_F16, select!(F16; |_m, a, b, c| mh::med3_num(a, b, c)).def()),
    (Meaning::V_MINIMUM3_F16, select!(F16; |_m, a, b, c| mh::minimum(mh::minimum(a, b), c)).def()),
    (Meaning::V_MAXIMUM3_F16, select!(F16; |_m, a, b, c| mh::maximum(mh::maximum(a, b), c)).def()),
    (
        Meaning::V_MAXMIN_F16,
        select!(F16; |m, a, b, c| mh::min_gfx9(mh::max_gfx9(a, b, m.ieee), c, m.ieee)).def(),
    ),
    (
        Meaning::V_MINMAX_F16,
        select!(F16; |m, a, b, c| mh::max_gfx9(mh::min_gfx9(a, b, m.ieee), c, m.ieee)).def(),
    ),
    (Meaning::V_MAXMIN_NUM_F16, select!(F16; |_m, a, b, c| mh::min_num(mh::max_num(a, b), c)).def()),
    (Meaning::V_MINMAX_NUM_F16, select!(F16; |_m, a, b, c| mh::max_num(mh::min_num(a, b), c)).def()),
    (Meaning::V_MAXIMUMMINIMUM_F16, select!(F16; |_m, a, b, c| mh::minimum(mh::maximum(a, b), c)).def()),
    (Meaning::V_MINIMUMMAXIMUM_F16, select!(F16; |_m, a, b, c| mh::maximum(mh::minimum(a, b), c)).def()),
    (Meaning::V_PK_MIN_F16, select!(PkF16; |m, a, b| each2(a, b, |a, b| mh::min_gfx9(a, b, m.ieee))).def()),
    (Meaning::V_PK_MAX_F16, select!(PkF16; |m, a, b| each2(a, b, |a, b| mh::max_gfx9(a, b, m.ieee))).def()),
    (Meaning::V_PK_MIN_NUM_F16, select!(PkF16; |_m, a, b| each2(a, b, mh::min_num)).def()),
    (Meaning::V_PK_MAX_NUM_F16, select!(PkF16; |_m, a, b| each2(a, b, mh::max_num)).def()),
    (Meaning::V_PK_MINIMUM_F16, select!(PkF16; |_m, a, b| each2(a, b, mh::minimum)).def()),
    (Meaning::V_PK_MAXIMUM_F16, select!(PkF16; |_m, a, b| each2(a, b, mh::maximum)).def()),
    (
        Meaning::V_PK_MINIMUM3_F16,
        select!(PkF16; |_m, a, b, c| each3(a, b, c, |a, b, c| mh::minimum(mh::minimum(a, b), c))).def(),
    ),
    (
        Meaning::V_PK_MAXIMUM3_F16,
        select!(PkF16; |_m, a, b, c| each3(a, b, c, |a, b, c| mh::maximum(mh::maximum(a, b), c))).def(),
    ),
    (
        Meaning::V_PK_MIN3_NUM_F16,
        select!(PkF16; |_m, a, b, c| each3(a, b, c, |a, b, c| mh::min_num(mh::min_num(a, b), c))).def(),
    ),
    (
        Meaning::V_PK_MAX3_NUM_F16,
        select!(PkF16; |_m, a, b, c| each3(a, b, c, |a, b, c| mh::max_num(mh::max_num(a, b), c))).def(),
    ),
    (
        Meaning::V_PK_ADD_BF16,
        rare!(Nothing; cx |a: PkBf16, b: PkBf16| -> PkBf16 {
            PkBf16(each2(a.0, b.0, |a, b| arith::add_bf16(a, b, cx.mode.fp16_ovfl)))
        })
        .def(),
    ),
    (
        Meaning::V_PK_MUL_BF16,
        rare!(Nothing; cx |a: PkBf16, b: PkBf16| -> PkBf16 {
            PkBf16(each2(a.0, b.0, |a, b| arith::mul_bf16(a, b, cx.mode.fp16_ovfl)))
        })
        .def(),
    ),
    (
        Meaning::V_PK_FMA_BF16,
        rare!(Nothing; cx |a: PkBf16, b: PkBf16, c: PkBf16| -> PkBf16 {
            PkBf16(each3(a.0, b.0, c.0, |a, b, c| arith::fma_bf16(a, b, c, cx.mode.fp16_ovfl)))
        })
        .def(),
    ),
    (
        Meaning::V_PK_MIN_NUM_BF16,
        rare!(Nothing; _cx |a: PkBf16, b: PkBf16| -> PkBf16 { PkBf16(each2(a.0, b.0, mb::min_num)) }).def(),
    ),
    (
        Meaning::V_PK_MAX_NUM_BF16,
        rare!(Nothing; _cx |a: PkBf16, b: PkBf16| -> PkBf16 { PkBf16(each2(a.0, b.0, mb::max_num)) }).def(),
    ),
    (Meaning::V_RCP_F16, one!(|cx, a| transcendental::rcp_f16(a, cx.mode.fp16_ovfl))),
    (Meaning::V_RSQ_F16, one!(|cx, a| transcendental::rsq_f16(a))),
    (Meaning::V_SQRT_F16, one!(|cx, a| transcendental::sqrt_f16(a))),
    (Meaning::V_EXP_F16, one!(|cx, a| transcendental::exp2_f16(a, cx.mode.fp16_ovfl))),
    (Meaning::V_LOG_F16, one!(|cx, a| transcendental::log2_f16(a))),
    (Meaning::V_SIN_F16, one!(|cx, a| transcendental::sin_f16(a))),
    (Meaning::V_COS_F16, one!(|cx, a| transcendental::cos_f16(a))),
    (Meaning::V_TANH_F16, one!(|cx, a| transcendental::tanh_f16(a))),
    (Meaning::V_TRUNC_F16, one!(|cx, a| integral::trunc_f16(a))),
    (Meaning::V_FLOOR_F16, one!(|cx, a| integral::floor_f16(a))),
    (Meaning::V_CEIL_F16, one!(|cx, a| integral::ceil_f16(a))),
    (Meaning::V_RNDNE_F16, one!(|cx, a| integral::rndne_f16(a))),
    (Meaning::V_FRACT_F16, one!(|cx, a| integral::fract_f16(a))),
    (Meaning::V_FREXP_MANT_F16, one!(|cx, a| integral::frexp_mant_f16(a))),
    (
        Meaning::V_FREXP_EXP_I16_F16,
        rare!(Select16F64; cx |a: F16| -> i16 { integral::frexp_exp_f16(a.0) }).def(),
    ),
    (
        Meaning::V_LDEXP_F16,
        rare!(F16F64; cx |a: F16, b: i16| -> F16 {
            F16(integral::ldexp_f16_rounded(a.0, b, cx.mode.round_16_64, cx.mode.fp16_ovfl))
        })
        .def(),
    ),
    (Meaning::V_RCP_BF16, brain!(|a| transcendental::rcp_bf16(a))),
    (Meaning::V_RSQ_BF16, brain!(|a| transcendental::rsq_bf16(a))),
    (Meaning::V_SQRT_BF16, brain!(|a| transcendental::sqrt_bf16(a))),
    (Meaning::V_EXP_BF16, brain!(|a| transcendental::exp2_bf16(a))),
    (Meaning::V_LOG_BF16, brain!(|a| transcendental::log2_bf16(a))),
    (Meaning::V_SIN_BF16, brain!(|a| transcendental::sin_bf16(a))),
    (Meaning::V_COS_BF16, brain!(|a| transcendental::cos_bf16(a))),
    (Meaning::V_TANH_BF16, brain!(|a| transcendental::tanh_bf16(a))),
];
