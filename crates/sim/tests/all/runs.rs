//! A run that nobody watches takes shortcuts (`wavemark_sim::run`); it must end as one that is watched. Random
//! programs of loads, stores and waits, run both ways in all completion modes.

use std::fmt::Write;

use crate::snippet::machines::{GFX950, GFX1250};
use crate::snippet::{Setup, run};
use wavemark_sim::events::{Observer, Silent};
use wavemark_sim::machine::Random;
use wavemark_sim::{Completion, RunEnd};
use wavemark_target::Machine;

/// Watches, and does nothing with what it sees.
struct Watching;

impl Observer for Watching {}

/// Where the registers are stored in the end, behind what the program itself touches.
const RESULTS: usize = 8192;

struct Generator {
    machine: Machine,
    random: Random,
    text: String,
}

impl Generator {
    fn line(&mut self, line: impl std::fmt::Display) {
        writeln!(self.text, " {line}").unwrap();
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.below(of.len())]
    }

    /// v30 to v33: the lane times 4, 8, 12, 16; v34: lanes out of order; v[36:37]: an address in the output; v10
    /// to v25: data.
    fn start(&mut self) {
        self.line("v_and_b32 v1, 0x3ff, v0");
        for (row, factor) in [(30, 4), (31, 8), (32, 12), (33, 16)] {
            self.line(format_args!("v_mul_u32_u24 v{row}, {factor}, v1"));
        }
        self.line("v_xor_b32 v34, 5, v1\n v_lshlrev_b32 v34, 4, v34");
        self.line("v_mov_b32 v38, v33\n v_mov_b32 v39, 0\n v_lshl_add_u64 v[36:37], v[38:39], 0, s[4:5]");
        for row in 10..26 {
            self.line(format_args!("v_mul_u32_u24 v{row}, {}, v1", row * 0x1_0001));
        }
    }

    fn access(&mut self) {
        let gfx12 = self.machine == GFX1250;
        let dwords = self.pick(&[1, 2, 3, 4]);
        let name = match (gfx12, dwords) {
            (true, n) => format!("b{}", n * 32),
            (false, 1) => "dword".to_owned(),
            (false, n) => format!("dwordx{n}"),
        };
        // Tuples start at an even register on gfx950.
        let row = 10 + 2 * self.random.below(7);
        let data = if dwords == 1 { format!("v{row}") } else { format!("v[{row}:{}]", row + dwords - 1) };
        // Mostly as far apart as the lanes are wide.
        let addr = if self.random.below(4) == 0 { self.pick(&[30, 31, 32, 33, 34]) } else { 29 + dwords };
        let offset = 4 * self.random.below(128);
        let store = self.random.below(2) == 0;
        let line = match self.random.below(3) {
            0 => {
                // LDS takes wide accesses only where they are aligned.
                let align = [4, 8, 16, 16][dwords - 1];
                let offset = offset / align * align;
                let verb = match (store, gfx12) {
                    (true, true) => "store",
                    (true, false) => "write",
                    (false, true) => "load",
                    (false, false) => "read",
                };
                let at = format!("v{addr}");
                let operands = if store { format!("{at}, {data}") } else { format!("{data}, {at}") };
                format!("ds_{verb}_b{} {operands} offset:{offset}", dwords * 32)
            }
            space => {
                let verb = if store { "store" } else { "load" };
                let (at, base) = match space {
                    1 => (format!("v{addr}"), "s[4:5]"),
                    _ => ("v[36:37]".to_owned(), "off"),
                };
                let operands = if store { format!("{at}, {data}") } else { format!("{data}, {at}") };
                format!("global_{verb}_{name} {operands}, {base} offset:{offset}")
            }
        };
        self.line(line);
    }

    fn wait(&mut self) {
        let n = self.random.below(4);
        let line = match (self.machine == GFX950, self.random.below(3)) {
            (true, 0) => format!("s_waitcnt lgkmcnt({n})"),
            (true, _) => format!("s_waitcnt vmcnt({n})"),
            (false, 0) => format!("s_wait_dscnt {n}"),
            (false, 1) => format!("s_wait_loadcnt {n}"),
            (false, _) => format!("s_wait_storecnt {n}"),
        };
        self.line(line);
    }

    fn exec(&mut self) {
        let all = self.random.below(2) == 0;
        let mask = if all { -1 } else { self.random.below(60) as i32 };
        let exec = if self.machine.wave32() { "s_mov_b32 exec_lo" } else { "s_mov_b64 exec" };
        self.line(format_args!("{exec}, {mask}"));
    }

    fn end(&mut self) {
        let (all, store) = if self.machine == GFX950 {
            ("s_mov_b64 exec, -1\n s_waitcnt vmcnt(0) lgkmcnt(0)", "dword")
        } else {
            ("s_mov_b32 exec_lo, -1\n s_wait_idle", "b32")
        };
        self.line(all);
        self.line(
            format_args!("v_mov_b32 v2, {RESULTS:#x}\n v_add_u32 v2, v2, v30")
                .to_string()
                .replace("v_add_u32", if self.machine == GFX1250 { "v_add_nc_u32" } else { "v_add_u32" }),
        );
        for row in 10..26 {
            let offset = (row - 10) * 256;
            self.line(format_args!("global_store_{store} v2, v{row}, s[4:5] offset:{offset}"));
        }
    }
}

fn program(machine: Machine, seed: u64) -> String {
    let mut generator = Generator { machine, random: Random::new(seed), text: String::new() };
    generator.start();
    for _ in 0..60 {
        match generator.random.below(12) {
            0..7 => generator.access(),
            7..10 => generator.wait(),
            10 => generator.exec(),
            _ => {
                let (d, s) = (10 + generator.random.below(16), 10 + generator.random.below(16));
                generator.line(format_args!("v_xor_b32 v{d}, v{s}, v{d}"));
            }
        }
    }
    generator.end();
    generator.text
}

#[test]
fn watched_or_not_a_program_does_the_same() {
    for machine in [GFX950, GFX1250] {
        for seed in 1..120 {
            let text = program(machine, seed);
            for completion in [Completion::Late, Completion::Early, Completion::Random] {
                let mut setup = Setup::new(machine);
                setup.config.completion = completion;
                setup.config.seed = if completion == Completion::Random { seed } else { 0 };
                setup.output = vec![0xff; RESULTS + 16 * 256];
                let silent = run(&setup, &text, &mut Silent);
                let watched = run(&setup, &text, &mut Watching);
                assert_eq!(silent.end, RunEnd::Finished);
                assert_eq!(silent.stats, watched.stats);
                let odd = (0..silent.output.len() / 4).find(|&n| silent.word(n) != watched.word(n));
                assert_eq!(
                    odd, None,
                    "first odd dword; {}, {completion:?}, seed {seed}:\n{text}",
                    machine.processor
                );
            }
        }
    }
}
