//! Rounding, special numbers, MODE bits.

use wavemark_target::Machine;

use super::shapes::{Case, accumulator_bits, cases, compare, fractions, specials};
use super::{A, B, C, D, Random, place, read, registers, run, write};
use crate::matrix::element::Element;
use crate::matrix::table::{Accumulator, Family, Kind};
use crate::modelled::machines::{GFX950, GFX1250};

/// Largest relative difference from the exact sum, of the sum of magnitudes.
fn tolerance(element: Accumulator) -> f64 {
    match element {
        Accumulator::F32 => 1e-5,
        Accumulator::F16 => 1e-3,
        Accumulator::Bf16 => 8e-3,
        Accumulator::I32 => 0.0,
        Accumulator::F64 => 1e-14,
    }
}

#[test]
fn fractions_are_within_tolerance() {
    let mut random = Random(11);
    for case in cases() {
        let regs = case.fill(&mut random, fractions);
        let text = case.text(None);
        let after = run(case.machine, &text, &regs);
        let limit = tolerance(case.row.d);
        let same = |got: f64, wanted: f64, magnitude: f64| (got - wanted).abs() <= limit * magnitude;
        compare(&case, &text, &regs, &after, &|b, i, j| case.c(&regs, b, i, j), 0, &same);
    }
}

/// The sums are what the module says: fused, in the order of K, from C. (In waves of 64 lanes that order is the one of
/// waves of 32, of which the manual's tables have another.)
#[test]
fn binary32_sums_round_in_the_order_of_k() {
    let mut random = Random(12);
    let ordered = |case: &&Case| case.row.family != Family::Wmma || case.machine.wave32();
    for case in cases()
        .iter()
        .filter(|case| case.row.d == Accumulator::F32 && matches!(case.row.kind, Kind::Dense | Kind::Sparse))
        .filter(ordered)
    {
        let regs = case.fill(&mut random, fractions);
        let text = case.text(None);
        let after = run(case.machine, &text, &regs);
        let [m, n, k, blocks] = [case.row.m, case.row.n, case.row.k, case.row.blocks].map(usize::from);
        for (block, i, j) in (0..blocks * m * n).map(|at| (at / (m * n), at / n % m, at % n)) {
            let mut sum = case.c(&regs, block, i, j) as f32;
            for k in 0..k {
                if let Some(a) = case.a(&regs, block, i, k, 0) {
                    sum = (a as f32).mul_add(case.b(&regs, block, k, j) as f32, sum);
                }
            }
            assert_eq!(case.d(&after, block, i, j), f64::from(sum), "{text}: D[{block},{i},{j}]");
        }
    }
}

#[test]
fn special_numbers_propagate() {
    let mut random = Random(13);
    for case in cases().iter().filter(|case| case.row.d != Accumulator::I32) {
        let regs = case.fill(&mut random, specials);
        let text = case.text(None);
        let after = run(case.machine, &text, &regs);
        let limit = tolerance(case.row.d);
        let same = |got: f64, wanted: f64, magnitude: f64| {
            got == wanted
                || got.is_nan() && wanted.is_nan()
                || wanted.is_finite() && (got - wanted).abs() <= limit * magnitude
                // Sums of large FP8 and BF8 overflow binary16.
                || case.row.d == Accumulator::F16 && wanted.abs() > 65504.0 && got == wanted.signum() * f64::INFINITY
        };
        compare(case, &text, &regs, &after, &|b, i, j| case.c(&regs, b, i, j), 0, &same);
        let (bits, nan) = match case.row.d {
            Accumulator::F32 => (32, 0x7fc0_0000),
            Accumulator::F16 => (16, 0x7e00),
            Accumulator::Bf16 => (16, 0x7fc0),
            Accumulator::F64 | Accumulator::I32 => (64, 0x7ff8 << 48),
        };
        let [.., d] = case.counts();
        for lane in 0..case.lanes() {
            for item in 0..d * 32 / bits {
                let code = read(&after, D, lane, item, bits);
                let is_nan = super::shapes::accumulator_value(case.row.d, code).is_nan();
                assert!(!is_nan || code == nan, "{text}: NaN {code:x}");
            }
        }
    }
}

fn case(machine: Machine, mnemonic: &str) -> Case {
    let found = cases().into_iter().find(|case| case.machine == machine && case.row.key.name() == mnemonic);
    found.unwrap_or_else(|| panic!("{mnemonic}"))
}

/// D\[0, 0, 0\] of a product whose A\[0, 0, 0\], B\[0, 0, 0\] and C\[0, 0, 0\] are these codes, all others 0.
fn one(case: &Case, text: &str, [a, b, c]: [u64; 3], set: impl Fn(&mut crate::regs::Regs)) -> u64 {
    let mut regs = registers(case.machine);
    set(&mut regs);
    let (item, lane) = place::factor(case.machine, case.row, false, case.a.bits(), 0, 0, 0);
    write(&mut regs, A, lane, item, case.a.bits(), a);
    let (item, lane) = place::factor(case.machine, case.row, true, case.b.bits(), 0, 0, 0);
    write(&mut regs, B, lane, item, case.b.bits(), b);
    let bits = accumulator_bits(case.row.c);
    let (item, lane) = place::sum(case.machine, case.row, bits, 0, 0, 0);
    write(&mut regs, C, lane, item, bits, c);
    let after = run(case.machine, text, &regs);
    let bits = accumulator_bits(case.row.d);
    let (item, lane) = place::sum(case.machine, case.row, bits, 0, 0, 0);
    read(&after, D, lane, item, bits)
}

#[test]
fn denormals_are_kept_but_for_binary32_inputs_of_gfx950() {
    let plain = |machine, mnemonic, codes| {
        let case = case(machine, mnemonic);
        one(&case, &case.text(None), codes, |_| {})
    };
    let flushing = |machine, mnemonic, codes| {
        let case = case(machine, mnemonic);
        one(&case, &case.text(None), codes, |regs| {
            regs.mode.denorm_in_f32 = false;
            regs.mode.denorm_out_f32 = false;
            regs.mode.denorm_in_f16_f64 = false;
            regs.mode.denorm_out_f16_f64 = false;
        })
    };
    let one_f32 = u64::from(1f32.to_bits());
    for mnemonic in ["v_mfma_f32_32x32x2_f32", "v_mfma_f32_16x16x4_f32", "v_mfma_f32_4x4x1_16b_f32"] {
        // 2^-149 · 1 + 2^-149.
        assert_eq!(plain(GFX950, mnemonic, [1, one_f32, 1]), 2);
        assert_eq!(flushing(GFX950, mnemonic, [1, one_f32, 1]), 1, "C and D are not flushed");
    }
    assert_eq!(flushing(GFX1250, "v_wmma_f32_16x16x4_f32", [1, one_f32, 1]), 2);
    // 2^-24 · 1; 2^-133 · 1; 2^-9 · 1; 2^-16 · 1; 2^-1074 · 1.
    let tiny = |exponent| u64::from(2f32.powi(exponent).to_bits());
    assert_eq!(flushing(GFX950, "v_mfma_f32_16x16x32_f16", [1, 0x3c00, 0]), tiny(-24));
    assert_eq!(flushing(GFX950, "v_mfma_f32_16x16x32_bf16", [1, 0x3f80, 0]), 1 << 16);
    assert_eq!(flushing(GFX1250, "v_wmma_f32_16x16x64_fp8_fp8", [1, 0x38, 0]), tiny(-9));
    assert_eq!(flushing(GFX1250, "v_wmma_f32_16x16x64_bf8_bf8", [1, 0x3c, 0]), tiny(-16));
    assert_eq!(flushing(GFX950, "v_mfma_f64_16x16x4_f64", [1, 1f64.to_bits(), 1]), 2);
    assert_eq!(flushing(GFX1250, "v_wmma_f16_16x16x32_f16", [1, 0x3c00, 1]), 2);
}

#[test]
fn overflow_depends_on_fp16_ovfl() {
    let with = |machine, mnemonic, codes, ovfl| {
        let case = case(machine, mnemonic);
        one(&case, &case.text(None), codes, |regs| regs.mode.fp16_ovfl = ovfl)
    };
    let max = u64::from(f32::MAX.to_bits());
    let infinity = u64::from(f32::INFINITY.to_bits());
    let two = u64::from(2f32.to_bits());
    for mnemonic in ["v_mfma_f32_32x32x2_f32", "v_mfma_f32_4x4x1_16b_f32"] {
        assert_eq!(with(GFX950, mnemonic, [max, two, 0], false), infinity);
        assert_eq!(with(GFX950, mnemonic, [max, two, 0], true), max);
        assert_eq!(with(GFX950, mnemonic, [infinity, two, 0], true), infinity, "no overflow");
    }
    // binary32 results of gfx1250 do not look at it.
    assert_eq!(with(GFX1250, "v_wmma_f32_16x16x4_f32", [max, two, 0], true), infinity);
    // 65504 · 2; largest bfloat16 · 2.
    assert_eq!(with(GFX1250, "v_wmma_f16_16x16x32_f16", [0x7bff, 0x4000, 0], false), 0x7c00);
    assert_eq!(with(GFX1250, "v_wmma_f16_16x16x32_f16", [0x7bff, 0xc000, 0], true), 0xfbff);
    assert_eq!(with(GFX1250, "v_wmma_f16_16x16x32_f16", [0x7c00, 0x4000, 0], true), 0x7c00);
    assert_eq!(with(GFX1250, "v_wmma_bf16_16x16x32_bf16", [0x7f7f, 0x4000, 0], false), 0x7f80);
    assert_eq!(with(GFX1250, "v_wmma_bf16_16x16x32_bf16", [0x7f7f, 0x4000, 0], true), 0x7f7f);
    // Integers wrap or saturate: by MODE on CDNA4 (7.1.2, "Clamp"), by the modifier alone on CDNA5, whose MODE speaks of
    // binary16 results.
    let (top, wrapped) = (0x7fff_ffff, 0x8000_0005);
    for (machine, mnemonic, by_mode) in [
        (GFX950, "v_mfma_i32_16x16x32_i8", top),
        (GFX950, "v_mfma_i32_4x4x4_16b_i8", top),
        (GFX1250, "v_wmma_i32_16x16x64_iu8", wrapped),
    ] {
        assert_eq!(with(machine, mnemonic, [2, 3, top], false), wrapped);
        assert_eq!(with(machine, mnemonic, [2, 3, top], true), by_mode);
    }
    let iu8 = case(GFX1250, "v_wmma_i32_16x16x64_iu8");
    let text = iu8.text(None);
    assert_eq!(one(&iu8, &format!("{text} clamp"), [2, 3, top], |_| {}), top);
    assert_eq!(iu8.a, Element::U8);
    assert_eq!(one(&iu8, &text, [255, 255, 0], |_| {}), 65025);
    let signed = text.replace("neg_lo:[0,0,0]", "neg_lo:[1,0,0]");
    assert_eq!(one(&iu8, &signed, [255, 255, 0], |_| {}) as u32 as i32, -255);
}

#[test]
fn negation_and_absolute_value() {
    let f32_bits = |x: f32| u64::from(x.to_bits());
    let f32_case = case(GFX1250, "v_wmma_f32_16x16x4_f32");
    let codes = [f32_bits(3.0), f32_bits(5.0), f32_bits(-1.0)];
    for (mods, wanted) in [
        ("", 14.0),
        (" neg_lo:[0,0,1]", 16.0),
        (" neg_hi:[0,0,1]", 16.0),
        (" neg_lo:[0,0,1] neg_hi:[0,0,1]", 14.0),
        (" neg_lo:[1,0,0]", -16.0),
        (" neg_lo:[1,1,0]", 14.0),
    ] {
        let text = f32_case.text(None) + mods;
        assert_eq!(one(&f32_case, &text, codes, |_| {}), f32_bits(wanted), "{text}");
    }
    // C of halves; and NEG of the even, NEG_HI of the odd elements of A.
    let half = case(GFX1250, "v_wmma_f16_16x16x32_f16");
    let codes = [0x4200, 0x4500, 0xbc00];
    for (mods, wanted) in [
        ("", 0x4b00),
        (" neg_lo:[0,0,1]", 0x4c00),
        (" neg_hi:[0,0,1]", 0x4c00),
        (" neg_lo:[0,0,1] neg_hi:[0,0,1]", 0x4b00),
        (" neg_lo:[1,0,0]", 0xcc00),
        (" neg_hi:[1,0,0]", 0x4b00),
    ] {
        let text = half.text(None) + mods;
        assert_eq!(one(&half, &text, codes, |_| {}), wanted, "{text}");
    }
    let double = case(GFX950, "v_mfma_f64_4x4x4_4b_f64");
    let codes = [3f64, 5.0, -1.0].map(f64::to_bits);
    for (mods, wanted) in
        [("", 14.0), (" neg:[1,0,0]", -16.0), (" neg:[0,1,1]", -14.0), (" neg:[1,1,1]", 16.0)]
    {
        let text = double.text(None) + mods;
        assert_eq!(one(&double, &text, codes, |_| {}), f64::to_bits(wanted), "{text}");
    }
}
