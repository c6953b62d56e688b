//! Vector operations behind each other that have the same body are done in one go where nobody watches
//! (`wavemark_sim::program`): random loops of them end as they do where each is watched, from wherever a wave comes to
//! them.

use std::fmt::Write;

use crate::snippet::machines::{GFX950, GFX1100, GFX1201, GFX1250, wave64};
use crate::snippet::{Setup, run};
use wavemark_sim::RunEnd;
use wavemark_sim::events::{Observer, Silent};
use wavemark_sim::machine::Random;
use wavemark_target::Machine;

/// Watches, and does nothing with what it sees.
struct Watching;

impl Observer for Watching {}

/// Registers of data: the first and one behind the last.
const DATA: (usize, usize) = (12, 28);

/// Instructions: `D` is a destination, `S` a source, each time another.
const SINGLE: [&str; 15] = [
    "v_fmac_f32 D, S, S",
    "v_fmac_f32 D, S, S",
    "v_fmac_f32 D, S, S",
    "v_add_f32 D, S, S",
    "v_mul_f32 D, S, S",
    "v_mov_b32 D, S",
    "v_xor_b32 D, S, S",
    "v_fma_f32 D, S, -S, |S|",
    "v_mul_f32 D, s20, S",
    "v_fma_f16 D, S, S, S",
    "v_cmp_lt_f32 VCC, S, S",
    "v_cndmask_b32 D, S, S, VCC",
    "s_nop 0",
    "v_exp_f32 D, S",
    "v_mad_u16 D, S, S, S clamp",
];

/// Pairs: `X` and `Y` are destinations of either parity, `0` to `3` sources that are so much more than a multiple of 4. The
/// last one exchanges.
const PAIRS: [&str; 6] = [
    "v_dual_fmac_f32 X, 0, 2 :: v_dual_fmac_f32 Y, 1, 3",
    "v_dual_fmac_f32 X, 0, 2 :: v_dual_fmac_f32 Y, 1, 3",
    "v_dual_mul_f32 Y, 3, 1 :: v_dual_mul_f32 X, 2, 0",
    "v_dual_mov_b32 X, 0 :: v_dual_mov_b32 Y, 1",
    "v_dual_mul_f32 X, 0, 2 :: v_dual_add_f32 Y, 1, 3",
    "v_dual_mov_b32 v12, v13 :: v_dual_mov_b32 v13, v12",
];

fn instruction(machine: Machine, random: &mut Random) -> String {
    let pairs = machine.wave32() && random.below(3) == 0;
    let list: &[&str] = if pairs { &PAIRS } else { &SINGLE };
    let vcc = if machine.wave32() { "vcc_lo" } else { "vcc" };
    let (first, end) = DATA;
    let mut row = |step: usize, over: usize| {
        let rows = (end - first) / step;
        format!("v{}", first + step * random.below(rows) + over)
    };
    let mut out = String::new();
    let text = list[row(1, 0)[1..].parse::<usize>().unwrap() % list.len()].replace("VCC", vcc);
    let letters: Vec<char> = text.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let alone = !letters[..at].last().is_some_and(|c| c.is_alphanumeric() || *c == '_')
            && !letters.get(at + 1).is_some_and(|c| c.is_alphanumeric() || *c == '_');
        match letter {
            'D' | 'S' if alone => out += &row(1, 0),
            'X' if alone => out += &row(2, 0),
            'Y' if alone => out += &row(2, 1),
            '0'..='3' if alone && pairs => out += &row(4, letter as usize - '0' as usize),
            _ => out.push(letter),
        }
    }
    out
}

/// A loop of five rounds. Numbers of all sizes, infinities and NaNs; lanes that are off; jumps over a part of the way.
fn program(machine: Machine, random: &mut Random) -> String {
    let mut text = String::from("v_and_b32 v1, 0x3ff, v0\n v_lshlrev_b32 v2, 2, v1\n s_mov_b32 s20, 0\n");
    for row in DATA.0..DATA.1 {
        let bits = [0x3f80_0000, 0x7f7f_0000, 0xffc0_1234, 0x7f80_0000, 0x0000_0100, 0xbe00_0000];
        let word = bits[random.below(bits.len())] + random.below(256);
        _ = writeln!(
            text,
            "v_mul_u32_u24 v{row}, {:#x}, v1\n v_xor_b32 v{row}, {word:#x}, v{row}",
            0x101 * row
        );
    }
    let exec = if machine.wave32() { "s_mov_b32 exec_lo" } else { "s_mov_b64 exec" };
    text += "again:\n";
    let mut over = 0;
    for n in 0..80 {
        if over == n {
            _ = writeln!(text, "over{n}:");
        }
        if over <= n && random.below(10) == 0 {
            over = n + 1 + random.below(6);
            _ = writeln!(text, "s_cmp_eq_u32 s20, {}\n s_cbranch_scc1 over{over}", random.below(5));
        }
        if random.below(16) == 0 {
            _ = writeln!(text, "{exec}, {}", if random.below(2) == 0 { -1 } else { random.below(60) as i32 });
        }
        _ = writeln!(text, "{}", instruction(machine, random));
    }
    for n in 80..=over.max(80) {
        _ = writeln!(text, "over{n}:");
    }
    end(machine, text)
}

fn end(machine: Machine, mut text: String) -> String {
    let exec = if machine.wave32() { "s_mov_b32 exec_lo" } else { "s_mov_b64 exec" };
    let store = if machine == GFX950 { "global_store_dword" } else { "global_store_b32" };
    _ = writeln!(text, "s_add_u32 s20, s20, 1\n s_cmp_lt_u32 s20, 5\n s_cbranch_scc1 again\n {exec}, -1");
    for row in DATA.0..DATA.1 {
        _ = writeln!(text, "{store} v2, v{row}, s[4:5] offset:{}", (row - DATA.0) * 256);
    }
    text
}

fn compare(machine: Machine, text: &str) -> Vec<u8> {
    let mut setup = Setup::new(machine);
    setup.output = vec![0xff; (DATA.1 - DATA.0) * 256];
    let alone = run(&setup, text, &mut Silent);
    let watched = run(&setup, text, &mut Watching);
    assert_eq!((&alone.end, &watched.end), (&RunEnd::Finished, &RunEnd::Finished), "{text}");
    assert_eq!(alone.stats, watched.stats, "{text}");
    let differ = (0..alone.output.len() / 4).find(|&n| alone.word(n) != watched.word(n));
    assert_eq!(differ, None, "first dword that differs; {}:\n{text}", machine.processor);
    alone.output
}

#[test]
fn a_line_does_what_its_operations_do() {
    for machine in [GFX950, GFX1100, wave64(GFX1100), GFX1201, GFX1250] {
        for seed in 0..60 {
            let mut random = Random::new(seed);
            compare(machine, &program(machine, &mut random));
        }
    }
}

/// The second dword of the pair is `v_mov_b32 v16, v13`. A wave gets there in the fourth round, when the pair is in a line.
#[test]
fn a_wave_may_jump_into_a_pair() {
    for machine in [GFX1100, GFX1201] {
        let text =
            "v_and_b32 v1, 0x3ff, v0\n v_lshlrev_b32 v2, 2, v1\n s_mov_b32 s20, 0\n v_cvt_f32_u32 v1, v1\n".to_owned()
            + &(DATA.0..DATA.1).map(|row| format!("v_add_f32 v{row}, 0x41{row:02}0000, v1\n")).collect::<String>()
            + "v_mov_b32 v33, 0\n v_mov_b32 v126, 1.0\n again:\n"
            + "v_fmac_f32 v14, v13, v12\n s_cmp_eq_u32 s20, 3\n s_cbranch_scc1 inside\n v_fmac_f32 v15, v13, v12\n"
            // v_dual_fmac_f32 v126, v11, v12 :: v_dual_fmac_f32 v33, v13, v1
            + ".long 0xc800190b\n inside:\n .long 0x7e20030d\n"
            + "v_fmac_f32 v17, v126, v33\n v_fmac_f32 v18, v126, v33\n";
        let output = compare(machine, &end(machine, text));
        let row = |n: usize| &output[(n - DATA.0) * 256..][..128];
        assert_eq!(row(16), row(13));
    }
}
