//! Broadcast and permutation of lanes, sparse index sets, scales, register files, upper VGPR numbers, overlaps.

use wavemark_isa::{Operand, Reg, RegFile};
use wavemark_target::Machine;

use super::shapes::{Case, accumulator_bits, cases, compare, integers};
use super::{A, B, C, D, INDEX, Random, SCALE_A, SCALE_B, inst, read, run, run_inst, run_with, write};
use crate::matrix::element::Element;
use crate::matrix::table::{Family, Kind, Source};
use crate::modelled::machines::{GFX950, GFX1250};
use crate::regs::Regs;

fn copy(regs: &Regs) -> Regs {
    Regs { v: regs.v.clone(), s: regs.s.clone(), ..*regs }
}

/// Moves lanes of registers: lane l gets what lane `from(l)` has.
fn permute(regs: &mut Regs, first: usize, count: usize, from: impl Fn(usize) -> usize) {
    for register in first..first + count {
        let row = register * regs.chunks;
        let lanes: Vec<u32> = (0..64).map(|lane| regs.lane(row, lane)).collect();
        for lane in 0..64 {
            regs.set_lane(row, lane as u32, lanes[from(lane)]);
        }
    }
}

fn check(case: &Case, text: &str, run_on: &Regs, equivalent: &Regs, first_bit: usize) {
    let after = run(case.machine, text, run_on);
    let c = |b, i, j| case.c(equivalent, b, i, j);
    compare(case, text, equivalent, &after, &c, first_bit, &|got, wanted, _| got == wanted);
}

fn permutable(case: &&Case) -> bool {
    case.row.family == Family::Mfma
        && case.row.kind == Kind::Dense
        && !matches!(case.row.a, Source::Chosen | Source::Is(Element::F64))
}

#[test]
fn cbsz_and_abid_broadcast_blocks_of_a() {
    let mut random = Random(21);
    for case in cases().iter().filter(permutable).filter(|case| case.row.blocks > 1) {
        let regs = case.fill(&mut random, integers);
        for cbsz in 1..=case.row.blocks.ilog2() as usize {
            for abid in 0..1 << cbsz {
                let size = 64 >> cbsz;
                let mut broadcast = copy(&regs);
                permute(&mut broadcast, A, case.counts()[0], |lane| lane % size + size * abid);
                let text = format!("{} cbsz:{cbsz} abid:{abid}", case.text(None));
                check(case, &text, &regs, &broadcast, 0);
            }
        }
    }
}

#[test]
fn blgp_permutes_lanes_of_b() {
    let mut random = Random(22);
    for case in cases().iter().filter(permutable) {
        let regs = case.fill(&mut random, integers);
        let from: [fn(usize) -> usize; 6] = [
            |lane| lane % 32,
            |lane| lane % 32 + 32,
            |lane| (lane + 16) % 64,
            |lane| lane % 16,
            |lane| lane % 16 + 16,
            |lane| lane % 16 + 32,
        ];
        for (blgp, from) in (1..).zip(from) {
            let mut permuted = copy(&regs);
            permute(&mut permuted, B, case.counts()[1], from);
            check(case, &format!("{} blgp:{blgp}", case.text(None)), &regs, &permuted, 0);
        }
    }
}

#[test]
fn index_sets_are_chosen() {
    let mut random = Random(23);
    for case in cases().iter().filter(|case| case.sparse()) {
        let regs = case.fill(&mut random, integers);
        let bits = case.index_bits();
        // One set needs no choice, and some instructions have no modifier for it.
        for set in (0..32usize.div_ceil(bits)).filter(|_| bits < 32) {
            let modifier = if case.row.family == Family::Mfma { "abid" } else { "index_key" };
            let plain = case.text(None);
            let (operands, rest) = plain
                .split_once(" neg_lo")
                .map_or((&*plain, String::new()), |(a, b)| (a, format!(" neg_lo{b}")));
            let text = format!("{operands} {modifier}:{set}{rest}");
            check(case, &text, &regs, &regs, set * bits);
        }
        if case.row.family == Family::Mfma {
            check(case, &format!("{} cbsz:1 abid:1", case.text(None)), &regs, &regs, 0);
        }
    }
}

fn scaled(machine: Machine) -> impl Iterator<Item = Case> {
    cases().into_iter().filter(move |case| {
        case.machine == machine
            && matches!(case.row.kind, Kind::Scaled16 | Kind::Scaled32)
            && case.a == case.b
    })
}

#[test]
fn op_sel_chooses_the_byte_of_gfx950_scales() {
    let mut random = Random(24);
    for case in scaled(GFX950) {
        let regs = case.fill(&mut random, integers);
        for byte in 0..16 {
            let (a, b) = (byte % 4, byte / 4);
            let mut chosen = copy(&regs);
            for lane in 0..64 {
                for (at, byte) in [(SCALE_A, a), (SCALE_B, b)] {
                    let scale = read(&regs, at, lane, byte, 8);
                    write(&mut chosen, at, lane, 0, 8, scale);
                }
            }
            let mut inst = inst(GFX950, &case.text(None));
            inst.mods.op_sel = (a & 1 | (b & 1) << 1) as u8;
            inst.mods.op_sel_hi = (a >> 1 | b >> 1 << 1) as u8;
            let text = format!("{} scale bytes {a}, {b}", case.text(None));
            let after = run_inst(case.machine, &inst, &text, &regs, 0);
            let c = |b, i, j| case.c(&chosen, b, i, j);
            compare(&case, &text, &chosen, &after, &c, 0, &|got, wanted, _| got == wanted);
        }
    }
}

#[test]
fn scales_come_from_the_upper_lanes() {
    let mut random = Random(25);
    for case in scaled(GFX1250) {
        let regs = case.fill(&mut random, integers);
        let mut upper = copy(&regs);
        for (at, rows) in [(SCALE_A, case.row.m), (SCALE_B, case.row.n)] {
            for lane in (0..16).filter(|_| rows == 16) {
                for item in 0..8 {
                    let scale = read(&regs, at, lane + 16, item, 8);
                    write(&mut upper, at, lane, item, 8, scale);
                }
            }
        }
        let both = if case.row.m == 16 { " matrix_a_scale:MATRIX_SCALE_ROW1" } else { "" };
        let text = format!("{}{both} matrix_b_scale:MATRIX_SCALE_ROW1", case.text(None));
        check(&case, &text, &regs, &upper, 0);
    }
}

/// Other scale formats, by values that E8M0 has too: 2^-1, 2^0, 2^1.
#[test]
fn scales_have_formats() {
    let mut random = Random(26);
    let four = |case: &Case| case.a == Element::E2m1;
    for case in scaled(GFX1250).filter(four) {
        let plain = case.fill(&mut random, integers);
        for (name, one, step) in [("E5M3", 15 << 3, 8), ("E4M3", 7 << 3, 8)] {
            let mut regs = copy(&plain);
            for lane in 0..32 {
                for at in [SCALE_A, SCALE_B] {
                    for item in 0..8 {
                        let exponent = read(&plain, at, lane, item, 8) as i64 - 127;
                        write(&mut regs, at, lane, item, 8, (one + step * exponent) as u64);
                    }
                }
            }
            let format = format!("MATRIX_SCALE_FMT_{name}");
            let text = format!("{} matrix_a_scale_fmt:{format} matrix_b_scale_fmt:{format}", case.text(None));
            check(&case, &text, &regs, &plain, 0);
        }
    }
}

#[test]
fn scalar_scales_hold_for_all_elements() {
    let mut random = Random(27);
    for case in scaled(GFX1250) {
        let mut regs = case.fill(&mut random, integers);
        let mut equal = copy(&regs);
        for lane in 0..32 {
            for item in 0..8 {
                write(&mut equal, SCALE_A, lane, item, 8, 129);
                write(&mut equal, SCALE_B, lane, item, 8, 127);
            }
        }
        // The upper bits of the register do not count; the constant 0 is a scale of one.
        regs.s[6] = 0xffff_ff00 | 129;
        let (scales, scalars) = match case.row.kind {
            Kind::Scaled16 => {
                (format!("v[{SCALE_A}:{}], v[{SCALE_B}:{}]", SCALE_A + 1, SCALE_B + 1), "s[6:7], 0")
            }
            _ => (format!("v{SCALE_A}, v{SCALE_B}"), "s6, 0"),
        };
        check(&case, &case.text(None).replace(&scales, scalars), &regs, &equal, 0);
    }
}

#[test]
fn accumulation_registers_hold_any_operand() {
    let mut random = Random(28);
    for case in cases().iter().filter(|case| case.row.family == Family::Mfma) {
        let regs = case.fill(&mut random, integers);
        let mut moved = copy(&regs);
        let chunks = regs.chunks;
        let at = regs.vgprs as usize * chunks;
        let (vgprs, agprs) = moved.v.split_at_mut(at);
        agprs[..256 * chunks].copy_from_slice(&vgprs[..256 * chunks]);
        // The indices and scales stay in VGPRs.
        vgprs[..INDEX * chunks].fill(crate::regs::Chunk::ZERO);
        let mut text = case.text(None);
        for first in [A, B, C, D] {
            for (v, a) in
                [(format!("v[{first}:"), format!("a[{first}:")), (format!("v{first},"), format!("a{first},"))]
            {
                text = text.replace(&v, &a);
            }
        }
        let mut after = run(case.machine, &text, &moved);
        let (vgprs, agprs) = after.v.split_at_mut(at);
        vgprs[..256 * chunks].copy_from_slice(&agprs[..256 * chunks]);
        let c = |b, i, j| case.c(&regs, b, i, j);
        compare(case, &text, &regs, &after, &c, 0, &|got, wanted, _| got == wanted);
    }
}

/// Each operand in its own bank of 256 VGPRs, the scales in the first.
#[test]
fn upper_vgpr_numbers_are_added() {
    let mut random = Random(29);
    for case in cases().iter().filter(|case| case.machine == GFX1250) {
        let regs = case.fill(&mut random, integers);
        let chunks = regs.chunks;
        let mut moved = copy(&regs);
        moved.v[..SCALE_A * chunks].fill(crate::regs::Chunk::ZERO);
        // src0 in bank 1, src1 in 2, src2 in 3, the destination in 1.
        let msb = 1 | 2 << 2 | 3 << 4 | 1 << 6;
        for (first, count, bank) in [(A, 16, 1), (B, 32, 2), (C, 32, 3), (D, 32, 1), (INDEX, 2, 3)] {
            let from = regs.v[first * chunks..(first + count) * chunks].to_vec();
            moved.v[(first + 256 * bank) * chunks..][..from.len()].copy_from_slice(&from);
        }
        let text = case.text(None);
        let mut after = run_with(case.machine, &text, &moved, msb);
        let d = after.v[(D + 256) * chunks..(D + 256 + 32) * chunks].to_vec();
        after.v[D * chunks..(D + 32) * chunks].copy_from_slice(&d);
        let c = |b, i, j| case.c(&regs, b, i, j);
        let same = |got: f64, wanted: f64, _: f64| (got - wanted).abs() <= wanted.abs() / 256.0;
        compare(case, &text, &regs, &after, &c, 0, &same);
    }
}

/// D in the place of C, half over C, and over A and B.
#[test]
fn overlapping_destinations_read_old_values() {
    let mut random = Random(30);
    for case in cases().iter().filter(|case| !case.sparse()) {
        let regs = case.fill(&mut random, integers);
        let plain = run(case.machine, &case.text(None), &regs);
        let count = case.counts()[3];
        for at in [C, C + (count / 4 * 2), A, B] {
            let text = format!("{} but D at v{at}", case.text(None));
            let mut inst = inst(case.machine, &case.text(None));
            inst.operands[0] = Operand::Reg(Reg::new(RegFile::Vgpr, at as u16, count as u8));
            let after = run_inst(case.machine, &inst, &text, &regs, 0);
            let chunks = regs.chunks;
            // Narrow sums with a register each leave its other half alone.
            let halves = case.row.family == Family::WmmaTwice && accumulator_bits(case.row.d) == 16;
            let mask = if halves { 0xffff } else { u32::MAX };
            let words = |regs: &Regs, at: usize| -> Vec<u32> {
                let chunks = regs.v[at * chunks..(at + count) * chunks].iter();
                chunks.flat_map(|chunk| chunk.0).map(|word| word & mask).collect()
            };
            assert_eq!(words(&after, at), words(&plain, D), "{text}");
        }
    }
}
