//! Every level of the host gives the same bits: dense products of any bits, wherever D is, with the modifiers and the MODE bits
//! that change numbers.

use wavemark_isa::{Operand, Reg, RegFile};

use super::shapes::{Case, cases};
use super::{A, B, C, D, Random, inst, registers, run_inst};
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
        Family::Mfma if case.row.a == Source::Chosen || case.a == Element::F64 => vec![""],
        Family::Mfma if case.row.blocks > 1 => vec!["", " cbsz:1 abid:1 blgp:1", " blgp:3", " blgp:5"],
        Family::Mfma => vec!["", " blgp:2", " blgp:3", " blgp:6"],
        _ if single => vec!["", " neg_lo:[1,0,0]", " neg_lo:[1,1,0]", " neg_lo:[0,1,1] neg_hi:[0,0,1]"],
        _ if halves => vec!["", " neg_lo:[1,0,0] neg_hi:[0,1,0]", " neg_lo:[1,0,1] neg_hi:[1,0,0]"],
        _ => vec![""],
    }
}

#[test]
fn levels_agree_on_any_bits() {
    let mut random = Random(40);
    for case in cases().iter().filter(|case| case.row.kind == Kind::Dense) {
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
