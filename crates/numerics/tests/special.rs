//! Transcendental operations, minimum and maximum, integer conversions, stochastic rounding: the manuals' functional
//! examples, special values, and accuracy against the host's binary64 functions.

use rustc_apfloat::ieee::{BFloat, Double, Half};
use rustc_apfloat::{Float, FloatConvert};
use wavemark_numerics::transcendental::*;
use wavemark_numerics::{bf16, f16, fp8, int_convert, integral, minmax, mx, scale, stochastic};

fn check_f32(op: fn(f32) -> f32, cases: &[(u32, u32)]) {
    for &(x, want) in cases {
        let got = op(f32::from_bits(x)).to_bits();
        assert_eq!(got, want, "f({x:#x}) = {got:#x}, want {want:#x}");
    }
}

fn check_f16(op: fn(u16) -> u16, cases: &[(u16, u16)]) {
    for &(x, want) in cases {
        let got = op(x);
        assert_eq!(got, want, "f({x:#x}) = {got:#x}, want {want:#x}");
    }
}

const INF: u32 = 0x7f80_0000;
const NINF: u32 = 0xff80_0000;
const NEG: u32 = 0x8000_0000;
const NAN: u32 = 0xffc0_0000;

#[test]
fn examples_of_the_manual_f32() {
    let snan = (0x7f80_0001, 0x7fc0_0001);
    check_f32(rcp_f32, &[(NINF, NEG), (0xc000_0000, 0xbf00_0000), (NEG, NINF), (0, INF), (INF, 0), snan]);
    check_f32(rsq_f32, &[(NINF, NAN), (NEG, NINF), (0, INF), (0x4080_0000, 0x3f00_0000), (INF, 0), snan]);
    check_f32(sqrt_f32, &[(NINF, NAN), (NEG, NEG), (0, 0), (0x4080_0000, 0x4000_0000), (INF, INF), snan]);
    check_f32(exp2_f32, &[(NINF, 0), (NEG, 0x3f80_0000), (INF, INF), snan]);
    check_f32(
        log2_f32,
        &[(NINF, NAN), (0xbf80_0000, NAN), (NEG, NINF), (0, NINF), (0x3f80_0000, 0), (INF, INF), snan],
    );
    check_f32(
        sin_f32,
        &[(NINF, NAN), (0xff7f_ffff, 0), (NEG, NEG), (0x3e80_0000, 0x3f80_0000), (INF, NAN), snan],
    );
    let one = 0x3f80_0000;
    check_f32(cos_f32, &[(NINF, NAN), (0xff7f_ffff, one), (NEG, one), (0x3e80_0000, 0), (INF, NAN), snan]);
    check_f32(tanh_f32, &[(NEG, NEG), (INF, one), (NINF, 0xbf80_0000), (0x3a00_0000, 0x3a00_0000), snan]);
}

#[test]
fn f32_forms_flush_denormals() {
    check_f32(rcp_f32, &[(1, INF), (0x8000_0001, NINF), (f32::MAX.to_bits(), 0)]);
    check_f32(rsq_f32, &[(1, INF)]);
    check_f32(sqrt_f32, &[(1, 0), (0x8000_0001, NEG)]);
    check_f32(log2_f32, &[(1, NINF), (0x8000_0001, NINF)]);
    check_f32(
        exp2_f32,
        &[((-127.0f32).to_bits(), 0), ((-126.0f32).to_bits(), 0x0080_0000), (128f32.to_bits(), INF)],
    );
}

#[test]
fn examples_of_the_manual_f16() {
    let snan = (0x7c01, 0x7e01);
    let rcp: fn(u16) -> u16 = |x| rcp_f16(x, false);
    check_f16(rcp, &[(0xfc00, 0x8000), (0xc000, 0xb800), (0x8000, 0xfc00), (0, 0x7c00), (0x7c00, 0), snan]);
    check_f16(
        rsq_f16,
        &[(0xfc00, 0xfe00), (0x8000, 0xfc00), (0, 0x7c00), (0x4400, 0x3800), (0x7c00, 0), snan],
    );
    check_f16(
        sqrt_f16,
        &[(0xfc00, 0xfe00), (0x8000, 0x8000), (0, 0), (0x4400, 0x4000), (0x7c00, 0x7c00), snan],
    );
    check_f16(
        log2_f16,
        &[
            (0xfc00, 0xfe00),
            (0xbc00, 0xfe00),
            (0x8000, 0xfc00),
            (0, 0xfc00),
            (0x3c00, 0),
            (0x7c00, 0x7c00),
            snan,
        ],
    );
    let exp: fn(u16) -> u16 = |x| exp2_f16(x, false);
    check_f16(exp, &[(0xfc00, 0), (0x8000, 0x3c00), (0x7c00, 0x7c00), (0x4c00, 0x7c00), snan]);
    check_f16(|x| exp2_f16(x, true), &[(0x7c00, 0x7c00), (0x4c00, 0x7bff)]);
    check_f16(
        sin_f16,
        &[
            (0xfc00, 0xfe00),
            (0xfbff, 0),
            (0x8000, 0x8000),
            (0x3400, 0x3c00),
            (0x7bff, 0),
            (0x7c00, 0xfe00),
            snan,
        ],
    );
    check_f16(
        cos_f16,
        &[
            (0xfc00, 0xfe00),
            (0xfbff, 0x3c00),
            (0x8000, 0x3c00),
            (0x3400, 0),
            (0x7bff, 0x3c00),
            (0x7c00, 0xfe00),
            snan,
        ],
    );
    assert_eq!([rcp_f16(1, false), rcp_f16(1, true), rcp_f16(0, true)], [0x7c00, 0x7bff, 0x7c00]);
}

/// A deterministic spread of binary32 values: every exponent, several mantissas.
fn spread() -> impl Iterator<Item = f32> {
    let mut state = 0x9e37_79b9u32;
    (0..200_000).map(move |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(state ^ state >> 13)
    })
}

/// The result must be one of the two binary32 values around the reference and the nearest one up to a rare tie.
fn check_accuracy(
    name: &str,
    ours: fn(f32) -> f32,
    reference: fn(f64) -> f64,
    inputs: impl Iterator<Item = f32>,
) {
    let mut seen = 0;
    for x in inputs {
        let want = reference(x as f64);
        let got = ours(x);
        if !want.is_finite() || want.abs() < f32::MIN_POSITIVE as f64 || want.abs() > f32::MAX as f64 {
            continue;
        }
        seen += 1;
        let ulp = (got.next_up() as f64 - got as f64).abs().min((got as f64 - got.next_down() as f64).abs());
        let error = (got as f64 - want).abs() / ulp.max((got.abs().next_up() - got.abs()) as f64);
        assert!(error <= 0.5001, "{name}({x:e}) = {got:e}, want {want:e}: {error} ulp");
    }
    assert!(seen > 1000, "{name}: only {seen} inputs in range");
}

#[test]
fn f32_results_are_within_half_an_ulp() {
    let small = || spread().map(|x| (x.to_bits() as i32 as f64 / 2f64.powi(31) * 150.0) as f32);
    check_accuracy("exp2", exp2_f32, f64::exp2, small());
    check_accuracy("exp2", exp2_f32, f64::exp2, spread());
    check_accuracy("log2", log2_f32, f64::log2, spread().map(f32::abs).filter(|x| x.is_normal()));
    check_accuracy("log2", log2_f32, f64::log2, small().map(|x| 1.0 + x / 3000.0));
    check_accuracy("rcp", rcp_f32, |x| 1.0 / x, spread().filter(|x| x.is_normal()));
    check_accuracy("rsq", rsq_f32, |x| 1.0 / x.sqrt(), spread().filter(|x| x.is_normal()));
    check_accuracy("sqrt", sqrt_f32, f64::sqrt, spread().filter(|x| x.is_normal()));
    check_accuracy("tanh", tanh_f32, f64::tanh, small().map(|x| x / 15.0).filter(|x| x.abs() > 1.0 / 1024.0));
    // A quarter turn at most: the reference multiplies by an inexact 2π.
    let turns = |x: f64| x * std::f64::consts::TAU;
    let quarter = || small().map(|x| x / 601.0);
    check_accuracy(
        "sin",
        sin_f32,
        |x| (x * std::f64::consts::TAU).sin(),
        quarter().filter(|x| x.abs() > 1e-30),
    );
    check_accuracy(
        "cos",
        cos_f32,
        |x| (x * std::f64::consts::TAU).cos(),
        quarter().filter(|x| x.abs() < 0.2),
    );
    // Further out, against exactly reduced arguments.
    for x in small() {
        let reduced = x as f64 - (x as f64).round();
        assert!((sin_f32(x) as f64 - turns(reduced).sin()).abs() < 1e-7, "sin {x:e}");
        assert!((cos_f32(x) as f64 - turns(reduced).cos()).abs() < 1e-7, "cos {x:e}");
    }
}

/// The nearest 16-bit value by apfloat (`half` drops the low bits of a binary64 before it rounds).
fn narrow<T: Float>(y: f64) -> u16
where
    Double: FloatConvert<T>,
{
    Double::from_bits(y.to_bits() as u128).convert(&mut false).value.to_bits() as u16
}

#[test]
fn sixteen_bit_results_are_correctly_rounded() {
    for bits in 0..=u16::MAX {
        let (h, b) = (f16::to_f32(bits) as f64, bf16::to_f32(bits) as f64);
        if h.is_finite() {
            let nearest = narrow::<Half>;
            assert_eq!(rcp_f16(bits, false), nearest(1.0 / h), "rcp {h:e}");
            assert_eq!(exp2_f16(bits, false), nearest(h.exp2()), "exp2 {h:e}");
            if h > 0.0 {
                assert_eq!(log2_f16(bits), nearest(h.log2()), "log2 {h:e}");
                assert_eq!(rsq_f16(bits), nearest(1.0 / h.sqrt()), "rsq {h:e}");
                assert_eq!(sqrt_f16(bits), nearest(h.sqrt()), "sqrt {h:e}");
            }
            if h.abs() >= 1.0 / 1024.0 {
                assert_eq!(tanh_f16(bits), nearest(h.tanh()), "tanh {h:e}");
            }
        }
        if b.is_finite() {
            let nearest = narrow::<BFloat>;
            assert_eq!(rcp_bf16(bits), nearest(1.0 / b), "rcp {b:e}");
            if b.abs() < 125.0 {
                assert_eq!(exp2_bf16(bits), nearest(b.exp2()), "exp2 {b:e}");
            }
            if b > 0.0 {
                assert_eq!(log2_bf16(bits), nearest(b.log2()), "log2 {b:e}");
                assert_eq!(rsq_bf16(bits), nearest(1.0 / b.sqrt()), "rsq {b:e}");
                assert_eq!(sqrt_bf16(bits), nearest(b.sqrt()), "sqrt {b:e}");
            }
        }
    }
}

#[test]
fn minimum_and_maximum_order_zeros_and_nans() {
    let (one, two, zero) = (1f32.to_bits(), 2f32.to_bits(), 0);
    let (q, q2, s) = (0x7fc0_0005, 0xffc0_0006, 0x7f80_0007);
    use minmax::f32::*;
    for (a, b) in [(one, two), (two, one), (zero, NEG), (NEG, zero), (NINF, INF), (NEG | one, zero)] {
        let (low, high) = if f32::from_bits(a) < f32::from_bits(b) || a == NEG { (a, b) } else { (b, a) };
        assert_eq!([min_num(a, b), minimum(a, b), min_gfx9(a, b, true)], [low; 3], "{a:#x} {b:#x}");
        assert_eq!([max_num(a, b), maximum(a, b), max_gfx9(a, b, false)], [high; 3], "{a:#x} {b:#x}");
    }
    assert_eq!([min_num(q, one), min_num(one, q), max_num(s, one), max_num(one, s)], [one; 4]);
    assert_eq!([min_num(q, q2), min_num(s, q), max_num(q2, s)], [q, s | 0x40_0000, q2]);
    assert_eq!(
        [minimum(one, q), maximum(q, one), minimum(q, s), maximum(s, q2)],
        [q, q, 0x7fc0_0007, 0x7fc0_0007]
    );
    assert_eq!([minimum(q, q2), maximum(q2, q)], [q, q2]);
    assert_eq!([min_gfx9(s, one, true), min_gfx9(one, s, true)], [0x7fc0_0007; 2]);
    assert_eq!([min_gfx9(s, one, false), min_gfx9(one, s, false), max_gfx9(q, one, true)], [one; 3]);
    assert_eq!(max_gfx9(q, q2, true), q2);
    let three = 3f32.to_bits();
    for [a, b, c] in [[one, two, three], [three, one, two], [two, three, one], [two, one, three]] {
        assert_eq!([med3_num(a, b, c), med3_gfx9(a, b, c, true)], [two; 2]);
    }
    assert_eq!([med3_num(q, three, one), med3_num(three, q, one), med3_gfx9(three, one, q, true)], [one; 3]);
    assert_eq!(minmax::f16::max_num(0xfc00, 0x8001), 0x8001);
    assert_eq!(minmax::bf16::minimum(0x7f80, 0xff80), 0xff80);
    assert_eq!(minmax::f64::min_num((-1f64).to_bits(), 1f64.to_bits()), (-1f64).to_bits());
}

#[test]
fn integer_conversions_saturate() {
    use int_convert::*;
    assert_eq!(
        [i32_from_f32(3e9), i32_from_f32(-3e9), i32_from_f32(f32::NAN), i32_from_f32(-1.9)],
        [i32::MAX, i32::MIN, 0, -1]
    );
    assert_eq!([u32_from_f32(5e9), u32_from_f32(-1.0), u32_from_f32(f32::NAN)], [u32::MAX, 0, 0]);
    assert_eq!([i16_from_f16(0x7c00), i16_from_f16(0xfc00), i16_from_f16(0x7e00)], [i16::MAX, i16::MIN, 0]);
    assert_eq!([u16_from_f16(0x7bff), u16_from_f16(0xbc00)], [65504, 0]);
    let nearest = [2.5, -2.5, 0.499_999_97, 8_388_609.0, f32::NAN, 3e9].map(nearest_i32_from_f32);
    assert_eq!(nearest, [3, -2, 0, 8_388_609, 0, i32::MAX]);
    assert_eq!([floor_i32_from_f32(-0.5), floor_i32_from_f32(2.9)], [-1, 2]);
    assert_eq!([0u32, 7, 8, 15, 16].map(f32_from_i4_offset), [0.0, 0.4375, -0.5, -0.0625, 0.0]);
    assert_eq!(
        [1.0, -1.0, 2.0, -9.0, f32::NAN, 0.5].map(snorm16_from_f32),
        [32767, -32767, 32767, -32767, 0, 16384]
    );
    assert_eq!([1.0, -1.0, 2.0, f32::NAN, 0.5].map(unorm16_from_f32), [65535, 0, 65535, 0, 32768]);
    assert_eq!([i16_from_i32(40000), i16_from_i32(-40000), i16_from_i32(-5)], [i16::MAX, i16::MIN, -5]);
    assert_eq!(sat_pk_u8_i16(0xfff0_0123), 0x00ff);
    assert_eq!(sat_pk4_i4_i8(0x7f80_05fb), 0x785b);
    assert_eq!(sat_pk4_u4_u8(0x10_0f_00_ff), 0xff0f);
    assert_eq!(
        [f16_from_u16(65535, false), f16_from_u16(65535, true), f16_from_i16(-3)],
        [0x7c00, 0x7bff, 0xc200]
    );
    use wavemark_numerics::Round;
    assert_eq!(f32_from_i32_rounded(16_777_217, Round::TowardPlus), 16_777_218.0);
    assert_eq!(f32_from_i32_rounded(-16_777_217, Round::TowardZero), -16_777_216.0);
    assert_eq!(f32_from_u32_rounded(u32::MAX, Round::TowardMinus), 4_294_967_040.0);
    for x in spread() {
        assert_eq!(
            f32_from_i32_rounded(x.to_bits() as i32, Round::NearestEven),
            f32_from_i32(x.to_bits() as i32)
        );
    }
}

#[test]
fn taking_numbers_apart() {
    use integral::*;
    for x in spread().chain([0.0, -0.0, f32::from_bits(1), f32::MAX]) {
        if x.is_finite() {
            let (mant, exp) = (frexp_mant_f32(x), frexp_exp_f32(x));
            assert_eq!(ldexp_f32(mant, exp).to_bits(), x.to_bits());
            assert!(x == 0.0 && exp == 0 || (0.5..1.0).contains(&mant.abs()), "{x:e}");
            assert_eq!((frexp_mant_f64(x as f64), frexp_exp_f64(x as f64)), (mant as f64, exp));
        }
    }
    assert_eq!((frexp_mant_f64(5e-324), frexp_exp_f64(5e-324)), (0.5, -1073));
    assert_eq!((frexp_mant_f16(1), frexp_exp_f16(1)), (0x3800, -23));
    assert_eq!((frexp_exp_f32(f32::NAN), frexp_exp_f32(f32::INFINITY)), (0, 0));
    assert_eq!(
        [fract_f32(1.25), fract_f32(-1.25), fract_f32(-1e-30)],
        [0.25, 0.75, f32::from_bits(0x3f7f_ffff)]
    );
    assert!(fract_f32(f32::INFINITY).is_nan());
    assert_eq!([fract_f16(0x8001), fract_f16(0x3d00)], [0x3bff, 0x3400]);
    assert_eq!(fract_f64(-1e-300), f64::from_bits(0x3fef_ffff_ffff_ffff));
    assert_eq!([rndne_f32(2.5), rndne_f32(3.5), rndne_f32(-0.5)], [2.0, 4.0, -0.0]);
    assert_eq!(
        [trunc_f16(0xbe00), floor_f16(0xbe00), ceil_f16(0xbe00), rndne_f16(0xbe00)],
        [0xbc00, 0xc000, 0xbc00, 0xc000]
    );
    assert_eq!([trunc_f64(-1.5), floor_f64(-1.5), ceil_f64(-1.5), rndne_f64(-1.5)], [-1.0, -2.0, -1.0, -2.0]);
    assert_eq!([trunc_f32(1.5), floor_f32(1.5), ceil_f32(1.5)], [1.0, 1.0, 2.0]);
    assert_eq!(ldexp_f64(1.0, -1074), 5e-324);
    assert_eq!(ldexp_f64(f64::MAX, i32::MAX), f64::INFINITY);
}

#[test]
fn stochastic_rounding_is_unbiased_and_exact_on_exact_values() {
    // Every representable value stays, whatever the random bits.
    for code in 0..256u32 {
        for random in [0, 1, 0x8000_0000, u32::MAX] {
            let code = code as u8;
            let x = fp8::e4m3_to_f32(code);
            if x.is_finite() {
                assert_eq!(stochastic::e4m3_from_f32::<23>(x, random, fp8::E4M3_CLAMP), code, "{x}");
                assert_eq!(stochastic::e4m3_from_f32::<10>(x, random, fp8::E4M3_CLAMP), code, "{x}");
                assert_eq!(stochastic::e4m3_from_f32::<7>(x, random, fp8::E4M3_CLAMP), code, "{x}");
            }
            let x = fp8::e5m2_to_f32(code);
            if x.is_finite() {
                assert_eq!(stochastic::e5m2_from_f32::<23>(x, random, fp8::E5M2_CLAMP), code, "{x}");
            }
            let six = code & 0x3f;
            let x = mx::e2m3_to_f32(six);
            assert_eq!(stochastic::e2m3_from_f32::<23>(x, random, stochastic::FP6_SATURATE), six);
            let x = mx::e3m2_to_f32(six);
            assert_eq!(stochastic::e3m2_from_f32::<10>(x, random, stochastic::FP6_SATURATE), six);
            let x = mx::e2m1_to_f32(code & 0xf);
            assert_eq!(stochastic::e2m1_from_f32::<7>(x, random, stochastic::FP4_SATURATE), code & 0xf);
        }
    }
    // A quarter of the way up, a quarter of the random values round up; also for a denormal result and across the
    // power of two, where the carry must reach the exponent.
    for (low, step) in
        [(1.0f32, 0.125f32), (1.875, 0.125), (2f32.powi(-9) * 3.0, 2f32.powi(-9)), (-1.0, -0.125)]
    {
        let x = low + step * 0.25;
        let ups = (0..4096u32).filter(|i| {
            let code = stochastic::e4m3_from_f32::<23>(x, i << 20, fp8::E4M3_TO_NAN);
            let value = fp8::e4m3_to_f32(code);
            assert!(value == low || value == low + step, "{x} gave {value}");
            value != low
        });
        assert_eq!(ups.count(), 1024, "{x}");
    }
    let ups =
        (0..4096u32).filter(|i| stochastic::f16_from_f32(1.0 + 0.75 / 1024.0, i << 20, false) == 0x3c01);
    assert_eq!(ups.count(), 3072);
    let ups =
        (0..4096u32).filter(|i| stochastic::bf16_from_f32(1.0 + 0.75 / 128.0, i << 20, false) == 0x3f81);
    assert_eq!(ups.count(), 3072);
}

#[test]
fn stochastic_rounding_specials() {
    use stochastic::*;
    let max = u32::MAX;
    assert_eq!(e4m3_from_f32::<23>(f32::NAN, max, fp8::E4M3_TO_NAN), 0x7f);
    assert_eq!(e4m3_from_f32::<23>(-1e9, 0, fp8::E4M3_TO_NAN), 0xff);
    assert_eq!(e4m3_from_f32::<23>(479.0, max, fp8::E4M3_CLAMP), 0x7e);
    assert_eq!(e5m2_from_f32::<23>(f32::INFINITY, 0, fp8::E5M2_TO_INFINITY), 0x7c);
    assert_eq!(e2m1_from_f32::<23>(100.0, 0, FP4_SATURATE), 7);
    assert_eq!(f16_from_f32(f32::NEG_INFINITY, max, true), 0xfc00);
    assert_eq!(f16_from_f32(65530.0, max, true), 0x7bff);
    assert_eq!(f16_from_f32(65530.0, max, false), 0x7c00);
    assert!(f16::is_nan(f16_from_f32(f32::NAN, max, true)));
    assert_eq!(bf16_from_f32(f32::MAX, max, false), 0x7f80);
    assert_eq!(bf16_from_f32(f32::MAX, max, true), 0x7f7f);
    assert_eq!(bf16_from_f32(f32::from_bits(0x7fff_ffff), max, false), 0x7fff);
    assert_eq!([prng(1), prng(0x8000_0000), prng(0)], [2, 197, 0]);
    assert_eq!(upper_half(0x1234), 0x1234_0000);
    // A scaled conversion: divide, then round.
    let x = scale::divide_by_e8m0(1000.0, 127 + 8);
    assert_eq!(mx::e2m1_to_f32(e2m1_from_f32::<23>(x, 0, FP4_SATURATE)), 3.0);
    assert_eq!(mx::e2m1_to_f32(e2m1_from_f32::<23>(x, max, FP4_SATURATE)), 4.0);
}
