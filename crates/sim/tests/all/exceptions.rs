//! Floating-point exceptions, beyond single values (`tests/values/exceptions.txt`): what the manuals leave open stops the run
//! that asks for it, by name, and only that; random operands against exact arithmetic in binary64.

use crate::snippet::machines::{GFX950, GFX1250};
use crate::snippet::{Setup, run};
use wavemark_sim::RunEnd;
use wavemark_sim::events::Silent;
use wavemark_sim::machine::Random;
use wavemark_target::{Machine, Processor};

/// MODE without DX10_CLAMP, and the register of exceptions.
fn of(machine: Machine) -> (&'static str, &'static str) {
    match machine.facts().dx10_clamp_and_ieee {
        true => ("s_setreg_imm32_b32 hwreg(1, 0, 10), 0x2f0", "HW_REG_TRAPSTS"),
        false => ("s_setreg_imm32_b32 hwreg(1, 0, 8), 0xf0", "HW_REG_EXCP_FLAG_USER"),
    }
}

fn end_of(machine: Machine, text: &str) -> RunEnd {
    let setup = Setup::new(machine);
    run(&setup, text, &mut Silent).end
}

/// `code`, then a read of `size` exceptions from `bit` on, ends the run with `expected` in the words that say why, or not.
#[track_caller]
fn check(machine: Machine, code: &str, bit: u32, size: u32, expected: Option<&str>) {
    let (mode, register) = of(machine);
    let text = format!("{mode}\n{code}\n s_getreg_b32 s20, hwreg({register}, {bit}, {size})\n");
    match (end_of(machine, &text), expected) {
        (RunEnd::Finished, None) => {}
        (RunEnd::Unsupported { what, .. }, Some(expected)) => assert_eq!(what, expected),
        (end, _) => panic!("{end:?}"),
    }
}

const SINE: &str = "v_mov_b32 v10, 1.0\n v_sin_f32 v20, v10";

#[test]
fn what_is_open_stops_who_asks_for_it() {
    let gfx1100 = Machine::new(Processor::Gfx1100);
    check(gfx1100, SINE, 0, 3, None);
    let inexact = "reading hardware register HW_REG_TRAPSTS: the manuals leave open whether v_sin_f32 raised inexact here";
    check(gfx1100, SINE, 5, 1, Some(inexact));
    // Another has raised it for certain, or it was cleared.
    check(gfx1100, &format!("{SINE}\n v_add_f32 v20, 0x33000000, v10"), 5, 1, None);
    check(gfx1100, &format!("{SINE}\n s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 7), 0"), 0, 7, None);
    // Exact and tiny: the older manuals have no table.
    let halved = "v_mov_b32 v10, 0x800000\n v_mul_f32 v20, 0.5, v10";
    check(gfx1100, halved, 4, 1, None);
    let underflow = "reading hardware register HW_REG_TRAPSTS: the manuals leave open whether v_mul_f32 raised underflow here";
    check(GFX950, halved, 4, 1, Some(underflow));
    // Denormals that are flushed.
    let flushed = "s_setreg_imm32_b32 hwreg(1, 4, 2), 0\n v_mov_b32 v10, 1\n v_add_f32 v20, 1.0, v10";
    let denormal = "reading hardware register HW_REG_EXCP_FLAG_USER: the manuals leave open whether v_add_f32 raised input denormal here";
    check(GFX1250, flushed, 1, 1, Some(denormal));
    check(GFX1250, flushed, 2, 5, None);
}

#[test]
fn bits_that_are_not_recorded_are_not_read() {
    let skipped = "s_branch after\n buffer_load_b32 v10, off, s[8:11], null\nafter:";
    let bounds = "unsupported: reading hardware register HW_REG_EXCP_FLAG_USER: whether a buffer access was out of bounds is not recorded";
    check(GFX1250, skipped, 0, 32, Some(bounds));
    check(GFX1250, skipped, 0, 7, None);
    check(GFX1250, "", 0, 32, None);
    let cycles =
        "unsupported: reading hardware register HW_REG_TRAPSTS: more than its exceptions is not recorded";
    check(GFX950, "", 0, 32, Some(cycles));
}

/// Operands near 1, near the ends of the range, and any.
fn operand(random: &mut Random) -> u32 {
    let any = random.draw() as u32;
    match random.below(4) {
        0 => any & 0x807f_ffff | 0x3f80_0000,
        1 => any & 0x80ff_ffff,
        2 => any & 0x807f_f000 | (0xf0 + any % 15) << 23,
        _ => any & 0xffff_f000,
    }
}

/// The exceptions of `exact` + `error` (a number of binary64 and what that lacks), by RDNA3's table.
fn expected(a: f32, b: f32, exact: f64, error: f64) -> u32 {
    let rounded = exact as f32;
    let tiny = exact != 0.0 && exact.abs() < f64::from(f32::MIN_POSITIVE);
    let inexact = f64::from(rounded) != exact || error != 0.0;
    u32::from(a.is_subnormal() || b.is_subnormal()) << 1
        | u32::from(rounded.is_infinite()) << 3
        | u32::from(tiny) << 4
        | u32::from(inexact) << 5
}

#[test]
fn random_operands() {
    let seed = std::env::var("WAVEMARK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(13);
    let mut random = Random::new(seed);
    let machines = [Machine::new(Processor::Gfx1100), Machine::new(Processor::Gfx1201), GFX1250];
    for _ in 0..400 {
        for machine in machines {
            let (mode, register) = of(machine);
            let (a, b) = (operand(&mut random), operand(&mut random));
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            if !x.is_finite() || !y.is_finite() {
                continue;
            }
            let (p, q) = (f64::from(x), f64::from(y));
            let sum = p + q;
            // What a sum of binary64 lacks (Knuth).
            let back = sum - p;
            let error = (p - (sum - back)) + (q - back);
            let cases = [("v_mul_f32", p * q, 0.0), ("v_add_f32", sum, error)];
            for (name, exact, error) in &cases {
                let text = format!(
                    "{mode}\n v_mov_b32 v10, {a:#x}\n v_mov_b32 v11, {b:#x}\n {name} v20, v10, v11\n \
                     s_getreg_b32 s20, hwreg({register}, 0, 7)\n v_mov_b32 v20, s20\n v_mov_b32 v2, 0\n \
                     global_store_b32 v2, v20, s[4:5]\n"
                );
                let outcome = run(&Setup::new(machine), &text, &mut Silent);
                assert_eq!(outcome.end, RunEnd::Finished);
                let want = expected(x, y, *exact, *error);
                let got = outcome.word(0);
                assert_eq!(
                    got, want,
                    "{name} {a:#x}, {b:#x}: {got:#x} instead of {want:#x} (WAVEMARK_SEED={seed})"
                );
            }
        }
    }
}
