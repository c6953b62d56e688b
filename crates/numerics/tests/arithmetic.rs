//! Arithmetic in every rounding mode against apfloat, fast paths against slow ones, division against the host.

mod patterns;

use patterns::bits;
use proptest::prelude::*;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round as ApRound};
use wavemark_numerics::arith::*;
use wavemark_numerics::soft::{BF16, F16, F32, F64};
use wavemark_numerics::{Denorm, Round, bf16, div, f16, integral, soft, transcendental};

const ROUNDS: [(Round, ApRound); 4] = [
    (Round::NearestEven, ApRound::NearestTiesToEven),
    (Round::TowardPlus, ApRound::TowardPositive),
    (Round::TowardMinus, ApRound::TowardNegative),
    (Round::TowardZero, ApRound::TowardZero),
];

fn same(format: &soft::Format, ours: u64, theirs: u128) -> bool {
    let magnitude = |x: u64| x & ((1 << format.sign_bit) - 1);
    ours as u128 == theirs || magnitude(ours) > format.infinity && magnitude(theirs as u64) > format.infinity
}

macro_rules! against_apfloat {
    ($name:ident, $format:ident, $ap:ty) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]
            #[test]
            fn $name(a in bits(&$format), b in bits(&$format), c in bits(&$format)) {
                let [x, y, z] = [a, b, c].map(|bits| <$ap>::from_bits(bits as u128));
                for (round, ap) in ROUNDS {
                    let ours = $format.add(a, b, round, false);
                    let theirs = x.add_r(y, ap).value.to_bits();
                    prop_assert!(same(&$format, ours, theirs), "{a:#x} + {b:#x} {round:?}: {ours:#x} {theirs:#x}");
                    let ours = $format.mul(a, b, round, false);
                    let theirs = x.mul_r(y, ap).value.to_bits();
                    prop_assert!(same(&$format, ours, theirs), "{a:#x} * {b:#x} {round:?}: {ours:#x} {theirs:#x}");
                    let ours = $format.fma(a, b, c, round, false);
                    let theirs = x.mul_add_r(y, z, ap).value.to_bits();
                    prop_assert!(same(&$format, ours, theirs), "fma {a:#x} {b:#x} {c:#x} {round:?}: {ours:#x} {theirs:#x}");
                    let n = (c % 64) as i32 - 32;
                    let ours = $format.ldexp(a, n, round, false);
                    let theirs = x.scalbn_r(n, ap).to_bits();
                    prop_assert!(same(&$format, ours, theirs), "ldexp {a:#x} {n} {round:?}: {ours:#x} {theirs:#x}");
                }
            }
        }
    };
}

against_apfloat!(soft_f16, F16, Half);
against_apfloat!(soft_bf16, BF16, BFloat);
against_apfloat!(soft_f32, F32, Single);
against_apfloat!(soft_f64, F64, Double);

fn equal_16(nan: fn(u16) -> bool, a: u16, b: u16) -> bool {
    a == b || nan(a) && nan(b)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fast_f16_equals_slow(a in bits(&F16), b in bits(&F16), c in bits(&F16), clamp: bool, flags in 0u32..4) {
        let (a, b, c) = (a as u16, b as u16, c as u16);
        let denorm = Denorm::from_bits(flags);
        let near = Round::NearestEven;
        let pairs = [
            (add_f16(a, b, denorm, clamp), add_f16_rounded(a, b, near, denorm, clamp)),
            (mul_f16(a, b, denorm, clamp), mul_f16_rounded(a, b, near, denorm, clamp)),
            (fma_f16(a, b, c, denorm, clamp), fma_f16_rounded(a, b, c, near, denorm, clamp)),
            (integral::ldexp_f16(a, c as i16, clamp), integral::ldexp_f16_rounded(a, c as i16, near, clamp)),
        ];
        for (i, (fast, slow)) in pairs.into_iter().enumerate() {
            prop_assert!(equal_16(f16::is_nan, fast, slow), "op {i}: {fast:#x} {slow:#x}");
        }
    }

    #[test]
    fn fast_bf16_equals_slow(a in bits(&BF16), b in bits(&BF16), c in bits(&BF16), clamp: bool) {
        let near = Round::NearestEven;
        let pairs = [
            (add_bf16(a as u16, b as u16, clamp), BF16.add(a, b, near, clamp)),
            (mul_bf16(a as u16, b as u16, clamp), BF16.mul(a, b, near, clamp)),
            (fma_bf16(a as u16, b as u16, c as u16, clamp), BF16.fma(a, b, c, near, clamp)),
        ];
        for (i, (fast, slow)) in pairs.into_iter().enumerate() {
            prop_assert!(equal_16(bf16::is_nan, fast, slow as u16), "op {i}: {fast:#x} {slow:#x}");
        }
    }

    #[test]
    fn fast_f32_equals_slow(a in bits(&F32), b in bits(&F32), c in bits(&F32), n in -320i32..320, flags in 0u32..4) {
        let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
        let denorm = Denorm::from_bits(flags);
        let near = Round::NearestEven;
        let pairs = [
            (add_f32(a, b, denorm), add_f32_rounded(a, b, near, denorm)),
            (mul_f32(a, b, denorm), mul_f32_rounded(a, b, near, denorm)),
            (fma_f32(a, b, c, denorm), fma_f32_rounded(a, b, c, near, denorm)),
            (integral::ldexp_f32(a, n), integral::ldexp_f32_rounded(a, n, near)),
        ];
        for (i, (fast, slow)) in pairs.into_iter().enumerate() {
            prop_assert!(fast.to_bits() == slow.to_bits() || fast.is_nan() && slow.is_nan(), "op {i}: {fast:e} {slow:e}");
        }
    }

    #[test]
    fn f64_narrows_like_apfloat(a in bits(&F64)) {
        use rustc_apfloat::FloatConvert;
        let mut inexact = false;
        let x = f64::from_bits(a);
        for (round, ap) in ROUNDS {
            let single: Single = Double::from_bits(a as u128).convert_r(ap, &mut inexact).value;
            let ours = soft::f64_to_f32(x, round);
            prop_assert!(same(&F32, ours.to_bits() as u64, single.to_bits()), "{x:e} {round:?}");
        }
        let half: Half = Double::from_bits(a as u128).convert(&mut inexact).value;
        prop_assert!(same(&F16, f16::from_f64(x) as u64, half.to_bits()), "{x:e}");
        let brain: BFloat = Double::from_bits(a as u128).convert(&mut inexact).value;
        prop_assert!(same(&BF16, bf16::from_f64(x) as u64, brain.to_bits()), "{x:e}");
    }

    #[test]
    fn division_macros_are_good_to_one_ulp(n in bits(&F32), d in bits(&F32), wide_n in bits(&F64), wide_d in bits(&F64)) {
        // One ulp: the last step ties where the reciprocal's rounding hides on which side the quotient lies, and a
        // denormal quotient is rounded by the post-scale too.
        let (n, d) = (f32::from_bits(n as u32), f32::from_bits(d as u32));
        let (quotient, want) = (divide_f32(n, d), n / d);
        let close = (quotient.to_bits() as i32).abs_diff(want.to_bits() as i32) <= 1;
        prop_assert!(close || quotient.is_nan() && want.is_nan(), "{n:e} / {d:e} = {want:e}, not {quotient:e}");
        let (n, d) = (f64::from_bits(wide_n), f64::from_bits(wide_d));
        let (quotient, want) = (divide_f64(n, d), n / d);
        let close = (quotient.to_bits() as i64).abs_diff(want.to_bits() as i64) <= 1;
        prop_assert!(close || quotient.is_nan() && want.is_nan(), "{n:e} / {d:e} = {want:e}, not {quotient:e}");
    }
}

/// The division macro as compilers emit it for binary32 with denormals enabled.
fn divide_f32(n: f32, d: f32) -> f32 {
    let (ds, _) = div::div_scale_f32(d, d, n);
    let (ns, post_scale) = div::div_scale_f32(n, d, n);
    let r = transcendental::rcp_f32(ds);
    let r = (-ds).mul_add(r, 1.0).mul_add(r, r);
    let q = ns * r;
    let q = (-ds).mul_add(q, ns).mul_add(r, q);
    let e = (-ds).mul_add(q, ns);
    div::div_fixup_f32(div::div_fmas_f32(e, r, q, post_scale), d, n)
}

/// The division macro as compilers emit it for binary64.
fn divide_f64(n: f64, d: f64) -> f64 {
    let (ds, _) = div::div_scale_f64(d, d, n);
    let (ns, post_scale) = div::div_scale_f64(n, d, n);
    // The hardware's reciprocal is good to 24 bits only; the macro must cope with that.
    let r = f64::from_bits(transcendental::rcp_f64(ds).to_bits() & !0xfff_ffff);
    let r = (-ds).mul_add(r, 1.0).mul_add(r, r);
    let r = (-ds).mul_add(r, 1.0).mul_add(r, r);
    let q = ns * r;
    let e = (-ds).mul_add(q, ns);
    div::div_fixup_f64(div::div_fmas_f64(e, r, q, post_scale), d, n)
}

#[test]
fn directed_rounding_of_overflow_and_zero() {
    let max = f32::MAX;
    let keep = Denorm::KEEP;
    assert_eq!(add_f32_rounded(max, max, Round::TowardZero, keep), max);
    assert_eq!(add_f32_rounded(max, max, Round::TowardPlus, keep), f32::INFINITY);
    assert_eq!(add_f32_rounded(-max, -max, Round::TowardPlus, keep), -max);
    assert_eq!(mul_f32_rounded(max, 2.0, Round::TowardMinus, keep), max);
    assert_eq!(add_f32_rounded(1.0, -1.0, Round::TowardMinus, keep).to_bits(), 1 << 31);
    assert_eq!(add_f32_rounded(1.0, -1.0, Round::NearestEven, keep).to_bits(), 0);
    assert_eq!(add_f16_rounded(f16::MAX, f16::MAX, Round::TowardPlus, keep, true), f16::MAX);
    assert_eq!(add_f16(f16::INFINITY, f16::MAX, keep, true), f16::INFINITY);
    assert_eq!(add_bf16(bf16::MAX, bf16::MAX, true), bf16::MAX);
    assert_eq!(add_bf16(bf16::MAX, bf16::MAX, false), bf16::INFINITY);
}

#[test]
fn denormals_flush_with_their_sign() {
    let tiny = f32::from_bits(1);
    let flush = Denorm::FLUSH;
    assert_eq!(add_f32(-tiny, -tiny, flush).to_bits(), 1 << 31);
    assert_eq!(mul_f32(f32::MIN_POSITIVE, 0.5, flush).to_bits(), 0);
    assert_eq!(mul_f32(f32::MIN_POSITIVE, 0.5, Denorm { input: false, output: true }).to_bits(), 0x40_0000);
    assert_eq!(add_f32(tiny, tiny, Denorm { input: true, output: false }).to_bits(), 0);
    assert_eq!(add_f16(0x8001, 0x8001, flush, false), 0x8000);
    assert_eq!(mul_f64(f64::MIN_POSITIVE, -0.5, flush).to_bits(), 1 << 63);
    assert_eq!(fma_f32(tiny, 1.0, 1.0, flush), 1.0);
}

#[test]
fn dx9_zero_beats_infinity_and_nan() {
    let keep = Denorm::KEEP;
    assert_eq!(mul_dx9_zero_f32(-0.0, f32::INFINITY, keep).to_bits(), 0);
    assert_eq!(mul_dx9_zero_f32(f32::NAN, 0.0, keep).to_bits(), 0);
    assert_eq!(mul_dx9_zero_f32(f32::from_bits(1), f32::INFINITY, Denorm::FLUSH).to_bits(), 0);
    assert_eq!(mul_dx9_zero_f32(3.0, 4.0, keep), 12.0);
    assert_eq!(fma_dx9_zero_f32(0.0, f32::NAN, 5.0, keep), 5.0);
    assert_eq!(fma_dx9_zero_f32(2.0, 3.0, 5.0, keep), 11.0);
}

#[test]
fn div_fixup_special_cases() {
    let fix = |q, d, n| div::div_fixup_f32(q, d, n).to_bits();
    assert_eq!(fix(1.0, 2.0, f32::from_bits(0x7f80_0001)), 0x7fc0_0001);
    assert_eq!(fix(1.0, 0.0, 0.0), 0xffc0_0000);
    assert_eq!(fix(1.0, f32::INFINITY, -f32::INFINITY), 0xffc0_0000);
    assert_eq!(fix(1.0, -0.0, 3.0), 0xff80_0000);
    assert_eq!(fix(1.0, -f32::INFINITY, 3.0), 0x8000_0000);
    assert_eq!(fix(1.0, f32::MAX, f32::from_bits(1)), 0);
    assert_eq!(fix(-1.5, 2.0, 3.0), 1.5f32.to_bits());
    assert_eq!(div::div_fixup_f16(0x3c00, 0x8000, 0x4200), 0xfc00);
    assert_eq!(div::div_fixup_f16(0x3c00, 0, 0), 0xfe00);
    assert_eq!(div::div_fixup_f16(0x3e00, 0xc000, 0x4200), 0xbe00);
    assert_eq!(div::div_fixup_f16(0x3e00, 0x7c01, 0x4200), 0x7e01);
    assert_eq!(div::div_fixup_f64(1.0, 0.0, -1.0), f64::NEG_INFINITY);
}
