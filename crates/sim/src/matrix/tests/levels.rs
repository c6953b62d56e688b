//! Every level of the host gives the same bits: products of any bits, wherever D is, with the modifiers and the MODE bits that
//! change numbers, and scales of all sizes.

use wavemark_isa::{Operand, Reg, RegFile};

use super::shapes::{Case, cases};
use super::{A, B, C, D, Random, SCALE_A, SCALE_B, inst, registers, run_inst, write};
use crate::matrix::element::Element;
use crate::matrix::table::{Family, Kind, Source};
use crate::regs::Regs;

/// Registers of any bits, some lanes with zeros, denormals, infinities and NaNs of binary32 and of narrower types.
fn any_bits(case: &Case, random: &mut Random, specials: bool) -> Regs {
    const SPECIAL: [u32; 12] = [
        0,
        0x8000_0000,
        1,
        0x807f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0xffa0_0001,
        0x7c00_0001,
        0x8000_fc00,
        0x7f7f_ffff,
        0x0080_0000,
    ];
    let mut regs = registers(case.machine);
    for word in regs.v.iter_mut().flat_map(|chunk| &mut chunk.0) {
        let bits = random.next();
        *word = if specials && bits >> 60 == 0 { SPECIAL[(bits >> 32) as usize % 12] } else { bits as u32 };
    }
    regs
}

/// What may be written behind an instruction.
fn modifiers(case: &Case) -> Vec<&'static str> {
    let halves = matches!(case.row.a, Source::Is(Element::F16 | Element::Bf16));
    let single = case.row.a == Source::Is(Element::F32);
    match case.row.family {
        Family::Wmma if matches!(case.row.kind, Kind::Scaled16 | Kind::Scaled32) => scale_formats(case),
        Family::Mfma if case.row.a == Source::Chosen || case.a == Element::F64 => vec![""],
        Family::Mfma if case.row.blocks > 1 => vec!["", " cbsz:1 abid:1 blgp:1", " blgp:3", " blgp:5"],
        Family::Mfma => vec!["", " blgp:2", " blgp:3", " blgp:6"],
        _ if single => vec!["", " neg_lo:[1,0,0]", " neg_lo:[1,1,0]", " neg_lo:[0,1,1] neg_hi:[0,0,1]"],
        _ if halves => vec!["", " neg_lo:[1,0,0] neg_hi:[0,1,0]", " neg_lo:[1,0,1] neg_hi:[1,0,0]"],
        _ => vec![""],
    }
}

/// The formats of scales that are legal for the elements.
fn scale_formats(case: &Case) -> Vec<&'static str> {
    match [case.a, case.b].map(|element| element == Element::E2m1) {
        [false, false] => vec![""],
        [true, false] => {
            vec!["", " matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3", " matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3"]
        }
        [false, true] => {
            vec!["", " matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3", " matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3"]
        }
        [true, true] => vec![
            "",
            " matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3",
            " matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3",
        ],
    }
}

/// Scales up to `spread` from `middle`.
fn write_scales(case: &Case, regs: &mut Regs, random: &mut Random, middle: u64, spread: u64) {
    for lane in 0..case.lanes() {
        for item in 0..8 {
            for at in [SCALE_A, SCALE_B] {
                write(regs, at, lane, item, 8, (middle - spread + random.next() % (2 * spread + 1)) & 0xff);
            }
        }
    }
}

/// Scales as kernels have them, near the ends of what may be multiplied in binary32 and beyond, and sums near the middle between
/// two numbers: the products are of 24 bits, the sums a power of two and a half of the products' size apart, and odd ones.
#[test]
fn levels_agree_on_scaled_products() {
    let mut random = Random(41);
    for case in cases().iter().filter(|case| matches!(case.row.kind, Kind::Scaled16 | Kind::Scaled32)) {
        for modifiers in modifiers(case) {
            let text = case.text(None) + modifiers;
            let inst = inst(case.machine, &text);
            for (middle, spread) in
                [(127, 1), (127, 20), (64, 8), (60, 12), (186, 16), (16, 16), (240, 15), (128, 127)]
            {
                let mut regs = any_bits(case, &mut random, spread == 12);
                write_scales(case, &mut regs, &mut random, middle, spread);
                for row in regs.v[C * regs.chunks..D * regs.chunks].iter_mut().flat_map(|chunk| &mut chunk.0)
                {
                    let bits = random.next();
                    let exponent = (2 * middle as i64 - 127 + 24 + (bits % 16) as i64).clamp(0, 254) as u32;
                    let mantissa = if bits >> 8 & 1 == 0 { 0 } else { (bits >> 16) as u32 & 0x7f_ffff };
                    *row = exponent << 23 | mantissa | ((bits >> 9 & 1) as u32) << 31;
                }
                run_inst(case.machine, &inst, &format!("{text} with scales near {middle}"), &regs, 0);
            }
        }
    }
}

#[test]
fn levels_agree_on_any_bits() {
    let mut random = Random(40);
    for case in cases().iter().filter(|case| case.row.kind != Kind::Sparse) {
        for (n, modifiers) in modifiers(case).into_iter().enumerate() {
            for c in [None, Some("0"), Some("1")] {
                let text = case.text(c) + modifiers;
                let mut regs = any_bits(case, &mut random, n % 2 == 0);
                regs.mode.denorm_in_f32 = random.next() & 1 == 0;
                regs.mode.fp16_ovfl = random.next() & 3 == 0;
                for at in [D, C, C + 1, A, B] {
                    let mut inst = inst(case.machine, &text);
                    let count = case.counts()[3] as u8;
                    inst.operands[0] = Operand::Reg(Reg::new(RegFile::Vgpr, at as u16, count));
                    run_inst(
                        case.machine,
                        &inst,
                        &format!("{text} with D at v{at}, {:?}", regs.mode),
                        &regs,
                        0,
                    );
                }
            }
        }
    }
}
