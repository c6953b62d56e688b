//! How long a wave instruction takes without an observer: the loops MIX and VALU, and a few of memory alone.
//! `cargo run --release -p wavemark-sim --example speed [name]` prints nanoseconds per wave instruction.

#[path = "../tests/snippet/mod.rs"]
mod snippet;

use std::time::Instant;

use snippet::machines::{GFX950, GFX1250};
use snippet::{Setup, run};
use wavemark_sim::RunEnd;
use wavemark_sim::events::Silent;
use wavemark_target::Machine;

const ITERATIONS: u32 = 10_000;
/// Runs of a loop; the best one counts, so that other work on the host disturbs little.
const RUNS: u32 = 25;

fn program(machine: Machine, body: &str) -> String {
    let gfx1250 = machine == GFX1250;
    let to_text = |line: &str| -> String {
        if gfx1250 {
            line.replace("ds_read_", "ds_load_")
                .replace("ds_write_", "ds_store_")
                .replace("dwordx4", "b128")
                .replace("dword ", "b32 ")
                .replace("s_waitcnt lgkmcnt(0)", "s_wait_dscnt 0x0")
                .replace("s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0")
                .replace("s_waitcnt all", "s_wait_loadcnt_dscnt 0x0")
                .replace("s_add_u32", "s_add_co_u32")
                .replace("s_sub_u32", "s_sub_co_u32")
                .replace("v_add_u32", "v_add_nc_u32")
                .replace("vcc,", "vcc_lo,")
                .replace(", vcc", ", vcc_lo")
                .replace("vcc_lo_lo", "vcc_lo")
        } else {
            line.replace("s_waitcnt all", "s_waitcnt vmcnt(0) lgkmcnt(0)")
        }
    };
    let text = format!(
        "v_and_b32 v0, 0x3ff, v0\n v_lshlrev_b32 v1, 4, v0\n v_lshlrev_b32 v2, 4, v0\n v_mov_b32 v4, v0\n \
         v_lshlrev_b32 v3, 2, v0\n \
         s_mov_b32 s8, 1\n s_mov_b32 s9, {mask}\n s_mov_b32 s11, 0\n s_mov_b32 s13, 16\n s_mov_b32 s14, 0x1f0\n \
         s_mov_b32 s10, {ITERATIONS}\nloop:\n{body}\n s_sub_u32 s10, s10, 1\n s_cmp_lg_u32 s10, 0\n \
         s_cbranch_scc1 loop\n",
        mask = if gfx1250 { 31 } else { 63 },
    );
    text.lines().map(|line| to_text(line) + "\n").collect()
}

const VALU: &str = "v_fma_f32 v16, v8, v12, v16\n v_fma_f32 v17, v9, v13, v17\n v_fma_f32 v18, v10, v14, v18\n \
    v_fma_f32 v19, v11, v15, v19\n v_mul_f32 v20, v16, v17\n v_add_f32 v21, v18, v20\n v_add_u32 v4, s8, v4\n \
    v_and_b32 v5, s9, v4\n v_lshlrev_b32 v1, 4, v5\n v_cmp_gt_f32 vcc, v21, v22\n \
    v_cndmask_b32 v22, v22, v21, vcc\n v_add_u32 v2, s11, v1\n";
const VALU_MORE: &str = "v_fma_f32 v24, v8, v13, v24\n v_fma_f32 v25, v9, v13, v25\n v_fma_f32 v26, v10, v13, v26\n \
    v_fma_f32 v27, v11, v13, v27\n";

fn bodies() -> Vec<(&'static str, String)> {
    // Fixed addresses: the loop measures the interpreter, contiguous lanes as in compiled code.
    let mix = format!(
        "ds_read_b128 v[8:11], v30\n global_load_dwordx4 v[12:15], v30, s[2:3]\n s_waitcnt all\n {VALU} \
         s_add_u32 s11, s11, s13\n s_and_b32 s11, s11, s14\n ds_write_b128 v30, v[16:19] offset:2048\n"
    );
    vec![
        ("mix", mix),
        ("valu", format!("{VALU}{VALU_MORE}")),
        ("salu", "s_add_u32 s11, s11, s13\n s_and_b32 s11, s11, s14\n".repeat(8)),
        ("fma", "v_fma_f32 v16, v8, v12, v16\n v_fma_f32 v17, v9, v13, v17\n".repeat(8)),
        ("ds128", "ds_read_b128 v[8:11], v30\n s_waitcnt lgkmcnt(0)\n".repeat(8)),
        ("ds32", "ds_read_b32 v8, v3\n s_waitcnt lgkmcnt(0)\n".repeat(8)),
        ("dswrite128", "ds_write_b128 v30, v[16:19]\n".repeat(8)),
        ("global128", "global_load_dwordx4 v[12:15], v30, s[2:3]\n s_waitcnt vmcnt(0)\n".repeat(8)),
        ("global32", "global_load_dword v12, v3, s[2:3]\n s_waitcnt vmcnt(0)\n".repeat(8)),
        ("gather32", "global_load_dword v12, v31, s[2:3]\n s_waitcnt vmcnt(0)\n".repeat(8)),
        ("store128", "global_store_dwordx4 v30, v[16:19], s[4:5]\n".repeat(8)),
    ]
}

fn main() {
    let only = std::env::args().nth(1);
    for machine in [GFX1250, GFX950] {
        for (name, body) in bodies() {
            if only.as_ref().is_some_and(|only| only != name) {
                continue;
            }
            let lanes = "v_lshlrev_b32 v30, 4, v0\n v_xor_b32 v31, 5, v0\n v_lshlrev_b32 v31, 2, v31\n";
            let text = program(machine, "BODY").replace("loop:", &format!("{lanes}loop:"));
            let body: String = program(machine, &body);
            let from = body.find("loop:\n").unwrap_or(0) + 6;
            let to = body.rfind("s_sub_").unwrap_or(body.len());
            let text = text.replace("BODY", &body[from..to]);
            for waves in [1, 4] {
                let mut setup = Setup::new(machine);
                setup.block[0] *= waves;
                setup.lds = 1 << 14;
                setup.input.resize(1 << 16, 0);
                setup.output.resize(1 << 16, 0);
                let mut best = f64::MAX;
                let mut instructions = 0;
                for _ in 0..RUNS {
                    let start = Instant::now();
                    let outcome = run(&setup, &text, &mut Silent);
                    let seconds = start.elapsed().as_secs_f64();
                    assert_eq!(outcome.end, RunEnd::Finished);
                    instructions = outcome.stats.wave_instructions;
                    best = best.min(seconds * 1e9 / instructions as f64);
                }
                println!(
                    "{:8} {name:10} {waves} waves: {best:7.2} ns ({instructions} instructions)",
                    machine.processor
                );
            }
        }
    }
}
