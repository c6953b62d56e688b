//! Every code of every format against foreign or independent references, and encoding at the boundaries.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{BFloat, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round as ApRound};
use wavemark_numerics::narrow::Specials;
use wavemark_numerics::{Round, bf16, f16, fp8, mx, scale, soft};

/// The reference value of a magnitude code, from the definition of the format.
fn value(code: u32, man_bits: u32, bias: i32) -> f64 {
    let field = (code >> man_bits) as i32;
    let man = (code & ((1 << man_bits) - 1)) as f64 / (1u32 << man_bits) as f64;
    if field == 0 { man * 2f64.powi(1 - bias) } else { (1.0 + man) * 2f64.powi(field - bias) }
}

/// The reference encoder: scans all finite magnitude codes for the nearest value, ties to the even code.
/// The value after the largest finite one bounds the range that still rounds down.
fn nearest(x: f64, man_bits: u32, bias: i32, max: u32, overflow: u32) -> u32 {
    let a = x.abs();
    if a >= value(max + 1, man_bits, bias) {
        return overflow;
    }
    let mut best = (f64::INFINITY, 0);
    for code in 0..=max + 1 {
        let distance = (value(code, man_bits, bias) - a).abs();
        let better = match distance.total_cmp(&best.0) {
            Ordering::Less => true,
            Ordering::Equal => code % 2 == 0,
            Ordering::Greater => false,
        };
        if better {
            best = (distance, code);
        }
    }
    if best.1 > max { overflow } else { best.1 }
}

/// Inputs around every code: the value, the midpoint to the next, and the binary32 neighbours of both.
fn probes(man_bits: u32, bias: i32, max: u32) -> Vec<f32> {
    let mut probes = vec![0.0, f32::from_bits(1), f32::MIN_POSITIVE, f32::MAX, 1e30, 1e-30];
    for code in 0..=max + 1 {
        let here = value(code, man_bits, bias);
        let next = value(code + 1, man_bits, bias);
        for x in [here as f32, ((here + next) / 2.0) as f32] {
            probes.extend([x, x.next_down().max(0.0), x.next_up()]);
        }
    }
    let mut state = 0x2545_f491u32;
    for _ in 0..20_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Exponents spread around the format's range.
        let exp = 127 - bias as u32 - 4 + (state >> 20) % (2 * bias as u32 + 12);
        probes.push(f32::from_bits(exp << 23 | state >> 5 & 0x7f_ffff));
    }
    probes
}

struct Narrow {
    name: &'static str,
    man_bits: u32,
    bias: i32,
    max: u32,
    codes: u32,
    sign: u8,
    decode: fn(u8) -> f32,
    encode: fn(f32) -> u8,
    overflow: u32,
}

fn narrow_formats() -> Vec<Narrow> {
    vec![
        Narrow {
            name: "e4m3",
            man_bits: 3,
            bias: 7,
            max: 0x7e,
            codes: 256,
            sign: 0x80,
            decode: fp8::e4m3_to_f32,
            encode: |x| fp8::e4m3_from_f32(x, fp8::E4M3_TO_NAN),
            overflow: 0x7f,
        },
        Narrow {
            name: "e4m3 clamped",
            man_bits: 3,
            bias: 7,
            max: 0x7e,
            codes: 256,
            sign: 0x80,
            decode: fp8::e4m3_to_f32,
            encode: |x| fp8::e4m3_from_f32(x, fp8::E4M3_CLAMP),
            overflow: 0x7e,
        },
        Narrow {
            name: "e5m2",
            man_bits: 2,
            bias: 15,
            max: 0x7b,
            codes: 256,
            sign: 0x80,
            decode: fp8::e5m2_to_f32,
            encode: |x| fp8::e5m2_from_f32(x, fp8::E5M2_TO_INFINITY),
            overflow: 0x7c,
        },
        Narrow {
            name: "e5m2 clamped",
            man_bits: 2,
            bias: 15,
            max: 0x7b,
            codes: 256,
            sign: 0x80,
            decode: fp8::e5m2_to_f32,
            encode: |x| fp8::e5m2_from_f32(x, fp8::E5M2_CLAMP),
            overflow: 0x7b,
        },
        Narrow {
            name: "e4m3fnuz",
            man_bits: 3,
            bias: 8,
            max: 0x7f,
            codes: 256,
            sign: 0x80,
            decode: fp8::e4m3fnuz_to_f32,
            encode: |x| fp8::e4m3fnuz_from_f32(x, fp8::FNUZ_CLAMP),
            overflow: 0x7f,
        },
        Narrow {
            name: "e5m2fnuz",
            man_bits: 2,
            bias: 16,
            max: 0x7f,
            codes: 256,
            sign: 0x80,
            decode: fp8::e5m2fnuz_to_f32,
            encode: |x| fp8::e5m2fnuz_from_f32(x, fp8::FNUZ_TO_NAN),
            overflow: 0x80,
        },
        Narrow {
            name: "e2m3",
            man_bits: 3,
            bias: 1,
            max: 0x1f,
            codes: 64,
            sign: 0x20,
            decode: mx::e2m3_to_f32,
            encode: mx::e2m3_from_f32,
            overflow: 0x1f,
        },
        Narrow {
            name: "e3m2",
            man_bits: 2,
            bias: 3,
            max: 0x1f,
            codes: 64,
            sign: 0x20,
            decode: mx::e3m2_to_f32,
            encode: mx::e3m2_from_f32,
            overflow: 0x1f,
        },
        Narrow {
            name: "e2m1",
            man_bits: 1,
            bias: 1,
            max: 7,
            codes: 16,
            sign: 8,
            decode: mx::e2m1_to_f32,
            encode: mx::e2m1_from_f32,
            overflow: 7,
        },
    ]
}

#[test]
fn narrow_codes_decode_to_their_definition_and_back() {
    for format in narrow_formats() {
        let fnuz = format.name.contains("fnuz");
        for code in 0..format.codes {
            let code = code as u8;
            let magnitude = (code & (format.sign - 1)) as u32;
            let decoded = (format.decode)(code);
            if magnitude > format.max || fnuz && code == 0x80 {
                let infinite = format.name.starts_with("e5m2") && magnitude == 0x7c;
                assert_eq!(decoded.is_nan(), !infinite, "{} {code:#x}", format.name);
                continue;
            }
            assert_eq!(
                decoded.abs() as f64,
                value(magnitude, format.man_bits, format.bias),
                "{} {code:#x}",
                format.name
            );
            assert_eq!(decoded.is_sign_negative(), code & format.sign != 0, "{} {code:#x}", format.name);
            assert_eq!((format.encode)(decoded), code, "{} {code:#x}", format.name);
        }
    }
}

#[test]
fn narrow_encoding_is_nearest_even() {
    for format in narrow_formats() {
        let fnuz = format.name.contains("fnuz");
        for x in probes(format.man_bits, format.bias, format.max) {
            let want = nearest(x as f64, format.man_bits, format.bias, format.max, format.overflow);
            assert_eq!((format.encode)(x) as u32, want, "{} {x:e}", format.name);
            let signless = fnuz && (want == 0 || want == 0x80);
            let negative = if signless { want } else { want | format.sign as u32 };
            assert_eq!((format.encode)(-x) as u32, negative, "{} {:e}", format.name, -x);
        }
    }
}

#[test]
fn fp8_agrees_with_apfloat_in_every_rounding_mode() {
    let rounds = [
        (Round::NearestEven, ApRound::NearestTiesToEven),
        (Round::TowardPlus, ApRound::TowardPositive),
        (Round::TowardMinus, ApRound::TowardNegative),
        (Round::TowardZero, ApRound::TowardZero),
    ];
    let mut inexact = false;
    for x in probes(3, 7, 0x7e).into_iter().chain(probes(2, 15, 0x7b)).flat_map(|x| [x, -x]) {
        let single = Single::from_bits(x.to_bits() as u128);
        for (round, ap) in rounds {
            let bits = x.to_bits() as u64;
            let e5m2: Float8E5M2 = single.convert_r(ap, &mut inexact).value;
            let ours = soft::F32.convert(bits, &fp8::E5M2, round, false);
            assert_eq!(ours as u128, e5m2.to_bits(), "e5m2 {x:e} {round:?}");
            let e4m3: Float8E4M3FN = single.convert_r(ap, &mut inexact).value;
            let ours = soft::F32.convert(bits, &fp8::E4M3, round, false);
            // apfloat gives NaN for every overflow of this format, also where the mode rounds toward zero.
            let overflowed = x.abs() > 448.0;
            if !overflowed || round == Round::NearestEven {
                assert_eq!(ours as u128, e4m3.to_bits(), "e4m3 {x:e} {round:?}");
            }
        }
        let e4m3: Float8E4M3FN = single.convert(&mut inexact).value;
        assert_eq!(fp8::e4m3_from_f32(x, fp8::E4M3_TO_NAN) as u128, e4m3.to_bits(), "{x:e}");
        let e5m2: Float8E5M2 = single.convert(&mut inexact).value;
        assert_eq!(fp8::e5m2_from_f32(x, fp8::E5M2_TO_INFINITY) as u128, e5m2.to_bits(), "{x:e}");
    }
}

#[test]
fn fp8_specials_follow_fp16_ovfl() {
    let nan = f32::NAN;
    let inf = f32::INFINITY;
    let e4m3 = |x, s: Specials| fp8::e4m3_from_f32(x, s);
    let e5m2 = |x, s: Specials| fp8::e5m2_from_f32(x, s);
    for (ovfl, max, infinity) in [(false, 0x7f, 0x7f), (true, 0x7e, 0x7e)] {
        let s = fp8::e4m3_specials(ovfl);
        assert_eq!(
            [e4m3(nan, s), e4m3(-nan, s), e4m3(inf, s), e4m3(-inf, s)],
            [0x7f, 0xff, infinity, infinity | 0x80]
        );
        assert_eq!([e4m3(464.0, s), e4m3(464.1, s), e4m3(-1e9, s)], [0x7e, max, max | 0x80]);
        assert_eq!(e4m3(inf, fp8::e4m3_specials_scaled_gfx1250(ovfl)), 0x7f);
    }
    for (ovfl, max, infinity, scaled) in [(false, 0x7c, 0x7c, 0x7c), (true, 0x7b, 0x7b, 0x7e)] {
        let s = fp8::e5m2_specials(ovfl);
        assert_eq!([e5m2(nan, s), e5m2(inf, s), e5m2(-inf, s)], [0x7e, infinity, infinity | 0x80]);
        assert_eq!([e5m2(61439.0, s), e5m2(61440.0, s)], [0x7b, max]);
        assert_eq!(e5m2(inf, fp8::e5m2_specials_scaled_gfx1250(ovfl)), scaled);
    }
    assert_eq!(fp8::e4m3fnuz_from_f32(nan, fp8::FNUZ_CLAMP), 0x80);
    assert_eq!(fp8::e4m3fnuz_from_f32(-inf, fp8::FNUZ_CLAMP), 0xff);
    assert_eq!(fp8::e4m3fnuz_from_f32(-0.0, fp8::FNUZ_CLAMP), 0);
    assert_eq!(fp8::e4m3fnuz_to_f32(0x7f), 240.0);
    assert_eq!(fp8::e5m2fnuz_to_f32(0x7f), 57344.0);
    assert_eq!([mx::e2m1_from_f32(-inf), mx::e2m3_from_f32(inf), mx::e3m2_from_f32(-nan)], [0xf, 0x1f, 0x3f]);
}

#[test]
fn half_agrees_with_the_half_crate_on_every_code() {
    for bits in 0..=u16::MAX {
        let foreign = half::f16::from_bits(bits).to_f32_const();
        let ours = f16::to_f32(bits);
        assert!(ours.to_bits() == foreign.to_bits() || ours.is_nan() && foreign.is_nan(), "{bits:#x}");
        assert_eq!(ours.is_sign_negative(), bits >> 15 != 0);
        if !f16::is_nan(bits) {
            assert_eq!(f16::from_f32(ours), bits);
            assert_eq!(f16::from_f64(ours as f64), bits);
            for round in Round::ALL {
                assert_eq!(f16::from_f32_rounded(ours, round, true), bits);
            }
        } else {
            assert_eq!(f16::from_f32(ours), bits | 0x200, "NaN {bits:#x} keeps its payload and turns quiet");
        }
        assert_eq!(bf16::to_f32(bits).to_bits(), (bits as u32) << 16);
        if !bf16::is_nan(bits) {
            assert_eq!(bf16::from_f32(bf16::to_f32(bits)), bits);
        } else {
            assert_eq!(bf16::from_f32(bf16::to_f32(bits)), bits | 0x40);
        }
    }
}

/// Checks every 16-bit encoder on one binary32 value against `half` and apfloat.
fn check_sixteen_bit_encoders(x: f32) {
    let mut inexact = false;
    let single = Single::from_bits(x.to_bits() as u128);
    assert_eq!(f16::from_f32(x), half::f16::from_f32_const(x).to_bits(), "{x:e}");
    assert_eq!(bf16::from_f32(x), half::bf16::from_f32(x).to_bits(), "{x:e}");
    let rounds =
        [ApRound::NearestTiesToEven, ApRound::TowardPositive, ApRound::TowardNegative, ApRound::TowardZero];
    for (round, ap) in Round::ALL.into_iter().zip(rounds) {
        let want: Half = single.convert_r(ap, &mut inexact).value;
        let got = f16::from_f32_rounded(x, round, false);
        assert_eq!(got as u128, want.to_bits(), "f16 {x:e} {round:?}");
        if round == Round::TowardZero {
            assert_eq!(f16::from_f32_toward_zero(x), got, "{x:e}");
        }
        if round == Round::NearestEven {
            assert_eq!(f16::from_f32(x), got, "{x:e}");
        }
        let want: BFloat = single.convert_r(ap, &mut inexact).value;
        let got = bf16::from_f32_rounded(x, round, false);
        assert_eq!(got as u128, want.to_bits(), "bf16 {x:e} {round:?}");
    }
}

#[test]
fn sixteen_bit_encoders_at_every_boundary() {
    for bits in 0..0x7c00u16 {
        let here = f16::to_f32(bits);
        let next = if bits == 0x7bff { 65536.0 } else { f16::to_f32(bits + 1) };
        let middle = (here + next) / 2.0;
        for x in [here.next_up(), middle.next_down(), middle, middle.next_up()] {
            check_sixteen_bit_encoders(x);
            check_sixteen_bit_encoders(-x);
        }
    }
    for bits in (0..0x7f80u32).step_by(5) {
        for low in [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff] {
            check_sixteen_bit_encoders(f32::from_bits(bits << 16 | low));
        }
    }
    for x in [f32::INFINITY, -f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), -0.0] {
        check_sixteen_bit_encoders(x);
    }
}

#[test]
fn fp16_ovfl_clamps_finite_values_only() {
    assert_eq!(f16::from_f32_clamped(65520.0), 0x7bff);
    assert_eq!(f16::from_f32_clamped(-1e30), 0xfbff);
    assert_eq!(f16::from_f32_clamped(f32::INFINITY), 0x7c00);
    assert_eq!(f16::from_f32_clamped(f32::NEG_INFINITY), 0xfc00);
    assert_eq!(f16::from_f32_rounded(1e30, Round::TowardPlus, true), 0x7bff);
    assert_eq!(f16::from_f32_rounded(f32::INFINITY, Round::TowardZero, true), 0x7c00);
    assert_eq!(bf16::from_f32_clamped(f32::MAX), 0x7f7f);
    assert_eq!(bf16::from_f32_clamped(f32::INFINITY), 0x7f80);
    assert!(f16::is_nan(f16::from_f32_clamped(f32::NAN)));
}

#[test]
fn f64_to_f16_and_bf16_round_once() {
    // 1 + 2^-11 + 2^-40 is above the binary16 midpoint; binary32 alone would round it onto the midpoint.
    let x = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    assert_eq!(f16::from_f32(x as f32), 0x3c00);
    assert_eq!(f16::from_f64(x), 0x3c01);
    let y = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
    assert_eq!(bf16::from_f64(y), 0x3f81);
    assert_eq!(bf16::from_f64(1.0 + 2f64.powi(-8)), 0x3f80);
    assert_eq!(f16::from_f64(1e300), 0x7c00);
    assert_eq!(bf16::from_f64(-1e-300), 0x8000);
    assert!(f16::is_nan(f16::from_f64(f64::NAN)));
}

#[test]
fn scale_formats() {
    assert_eq!(scale::e8m0_to_f32(127), 1.0);
    assert_eq!(scale::e8m0_to_f32(254), 2f32.powi(127));
    assert_eq!(scale::e8m0_to_f32(0) as f64, 2f64.powi(-127));
    assert!(scale::e8m0_to_f32(255).is_nan() && scale::e8m0_reciprocal(255).is_nan());
    for s in 0..255u8 {
        assert_eq!(scale::e8m0_to_f32(s) as f64 * scale::e8m0_reciprocal(s) as f64, 1.0);
    }
    assert_eq!(scale::e8m0_of_f32(-8.5), 130);
    assert_eq!(scale::e5m3_to_f32(0xfe), 114_688.0);
    assert_eq!(scale::e5m3_to_f32(1) as f64, 2f64.powi(-17));
    assert!(scale::e5m3_to_f32(0xff).is_nan());
    for code in 0..0xff {
        assert_eq!(scale::e5m3_to_f32(code) as f64, value(code as u32, 3, 15));
        assert_eq!(scale::e5m3_from_f32(scale::e5m3_to_f32(code), false), code);
    }
    assert_eq!([scale::e5m3_from_f32(1e9, false), scale::e5m3_from_f32(1e9, true)], [0xff, 0xfe]);
    assert_eq!(scale::e4m3_scale_to_f32(0x7e), 448.0);
    assert_eq!(scale::e4m3_scale_to_f32(0x80 | 0x38), 1.0);
    assert!(scale::e4m3_scale_to_f32(0x7f).is_nan());
    // A conversion divides by the scale first, and multiplies back.
    assert_eq!(fp8::e4m3_from_f32(scale::divide_by_e8m0(48.0, 127 + 4), fp8::E4M3_TO_NAN), 0x44);
    assert_eq!(scale::multiply_by_e8m0(fp8::e4m3_to_f32(0x44), 127 + 4), 48.0);
    assert!(scale::multiply_by_e8m0(0.0, 255).is_nan());
    assert_eq!(scale::divide_by_e8m0_finite(f32::MAX, 0), f32::MAX);
    assert_eq!(scale::divide_by_e8m0_finite(f32::INFINITY, 0), f32::INFINITY);
}
