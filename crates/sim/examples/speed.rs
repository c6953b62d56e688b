//! How long a wave instruction takes without an observer: the loops MIX and VALU, each kind of memory operation with
//! the wait for it, code that is executed once, and the start of workgroups.
//! `cargo run --release -p wavemark-sim --example speed [part of a name]` prints nanoseconds. Of a loop the start of its
//! run is subtracted, which is what a run of no round takes.

#[path = "../tests/all/snippet/mod.rs"]
#[expect(dead_code, reason = "an example needs less than the tests")]
mod snippet;

use std::time::Instant;

use snippet::machines::{GFX950, GFX1250};
use snippet::{Setup, run};
use wavemark_sim::RunEnd;
use wavemark_sim::events::Silent;
use wavemark_target::Machine;

const ITERATIONS: u32 = 10_000;
/// Runs of a loop; the best one counts, so that other work on the host disturbs little.
const RUNS: u32 = 10;

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

/// A kind of memory operation.
struct Kind {
    machine: Machine,
    name: &'static str,
    /// Once, before the loop.
    before: &'static str,
    /// The operation and its wait.
    operation: &'static str,
}

/// What is before each kind's loop: `v30` 16 bytes a lane, `v31` 32, `v32` 2, `v33` 4, `v34` 4 in another order, `v[36:37]`
/// the address of 16 bytes a lane of the input, `v[38:39]` of the output; `s[16:19]` a descriptor of the input.
fn kinds_prolog(machine: Machine) -> String {
    let rsrc = if machine == GFX950 {
        "s_mov_b64 s[16:17], s[2:3]\n s_mov_b32 s18, 0x10000\n s_mov_b32 s19, 0x27000\n"
    } else {
        // 0x10000 records, in bits 101:57.
        "s_mov_b64 s[16:17], s[2:3]\n s_mov_b32 s18, 0x200\n s_mov_b32 s19, 0\n"
    };
    let add = if machine == GFX950 {
        "v_mov_b32 v37, s3\n v_add_co_u32 v36, vcc, s2, v30\n v_addc_co_u32 v37, vcc, 0, v37, vcc\n \
         v_mov_b32 v39, s5\n v_add_co_u32 v38, vcc, s4, v30\n v_addc_co_u32 v39, vcc, 0, v39, vcc\n"
    } else {
        "v_mov_b32 v37, s3\n v_add_co_u32 v36, vcc_lo, s2, v30\n v_add_co_ci_u32 v37, vcc_lo, 0, v37, vcc_lo\n \
         v_mov_b32 v39, s5\n v_add_co_u32 v38, vcc_lo, s4, v30\n v_add_co_ci_u32 v39, vcc_lo, 0, v39, vcc_lo\n"
    };
    format!(
        "v_and_b32 v0, 0x3ff, v0\n v_lshlrev_b32 v30, 4, v0\n v_lshlrev_b32 v31, 5, v0\n v_lshlrev_b32 v32, 1, v0\n \
         v_lshlrev_b32 v33, 2, v0\n v_xor_b32 v34, 5, v0\n v_lshlrev_b32 v34, 2, v34\n v_mov_b32 v40, 1.0\n {rsrc} {add}"
    )
}

const fn new(name: &'static str, operation: &'static str) -> Kind {
    Kind { machine: GFX1250, name, before: "", operation }
}

const fn old(name: &'static str, operation: &'static str) -> Kind {
    Kind { machine: GFX950, name, before: "", operation }
}

const fn after(kind: Kind, before: &'static str) -> Kind {
    Kind { before, ..kind }
}

const KINDS: &[Kind] = &[
    new("run b128", "global_load_b128 v[12:15], v30, s[2:3]\n s_wait_loadcnt 0x0"),
    new("run b128 64-bit", "global_load_b128 v[12:15], v[36:37], off\n s_wait_loadcnt 0x0"),
    new("run b128 store", "global_store_b128 v30, v[12:15], s[4:5]\n s_wait_storecnt 0x0"),
    new("run ds b128", "ds_load_b128 v[12:15], v30\n s_wait_dscnt 0x0"),
    after(
        new("half EXEC b128", "global_load_b128 v[12:15], v30, s[2:3]\n s_wait_loadcnt 0x0"),
        "s_mov_b32 exec_lo, 0xffff",
    ),
    new("strided b128", "global_load_b128 v[12:15], v31, s[2:3]\n s_wait_loadcnt 0x0"),
    new("strided b128 store", "global_store_b128 v31, v[12:15], s[4:5]\n s_wait_storecnt 0x0"),
    new("strided ds b128", "ds_load_b128 v[12:15], v31\n s_wait_dscnt 0x0"),
    new("gather b32", "global_load_b32 v12, v34, s[2:3]\n s_wait_loadcnt 0x0"),
    new("scatter b32", "global_store_b32 v34, v12, s[4:5]\n s_wait_storecnt 0x0"),
    new("u16", "global_load_u16 v12, v32, s[2:3]\n s_wait_loadcnt 0x0"),
    new("d16 store", "global_store_b16 v32, v12, s[4:5]\n s_wait_storecnt 0x0"),
    new("ds u16", "ds_load_u16 v12, v32\n s_wait_dscnt 0x0"),
    new("flat b32", "flat_load_b32 v12, v[36:37]\n s_wait_loadcnt_dscnt 0x0"),
    new("flat b32 store", "flat_store_b32 v[38:39], v12\n s_wait_storecnt_dscnt 0x0"),
    new("ds 2addr b64", "ds_load_2addr_b64 v[12:15], v30 offset1:1\n s_wait_dscnt 0x0"),
    new("ds 2addr b32 store", "ds_store_2addr_b32 v30, v12, v13 offset1:1\n s_wait_dscnt 0x0"),
    new("atomic f32", "global_atomic_add_f32 v33, v40, s[4:5]\n s_wait_storecnt 0x0"),
    new(
        "atomic u32 return",
        "global_atomic_add_u32 v12, v33, v40, s[4:5] th:TH_ATOMIC_RETURN\n s_wait_loadcnt 0x0",
    ),
    new("ds atomic u32", "ds_add_u32 v33, v40\n s_wait_dscnt 0x0"),
    new("async b128 to LDS", "global_load_async_to_lds_b128 v30, v30, s[2:3]\n s_wait_asynccnt 0x0"),
    new("async b128 from LDS", "global_store_async_from_lds_b128 v30, v30, s[4:5]\n s_wait_asynccnt 0x0"),
    new("ds tr16 b128", "ds_load_tr16_b128 v[12:15], v30\n s_wait_dscnt 0x0"),
    new("ds tr8 b64", "ds_load_tr8_b64 v[12:13], v30\n s_wait_dscnt 0x0"),
    new("global tr16 b128", "global_load_tr16_b128 v[12:15], v31, s[2:3]\n s_wait_loadcnt 0x0"),
    new("buffer b128", "buffer_load_b128 v[12:15], v30, s[16:19], null offen\n s_wait_loadcnt 0x0"),
    after(
        new("buffer u16, half out", "buffer_load_u16 v12, v32, s[16:19], null offen\n s_wait_loadcnt 0x0"),
        "v_cmp_lt_u32 vcc_lo, 15, v0\n v_mov_b32 v41, 0x80000000\n v_cndmask_b32 v32, v32, v41, vcc_lo",
    ),
    new("scratch b32", "scratch_load_b32 v12, off, off offset:4\n s_wait_loadcnt 0x0"),
    new("s_load b128", "s_load_b128 s[20:23], s[2:3], 0x0\n s_wait_kmcnt 0x0"),
    new("bpermute", "ds_bpermute_b32 v12, v34, v33\n s_wait_dscnt 0x0"),
    old("run x4", "global_load_dwordx4 v[12:15], v30, s[2:3]\n s_waitcnt vmcnt(0)"),
    old("strided x4", "global_load_dwordx4 v[12:15], v31, s[2:3]\n s_waitcnt vmcnt(0)"),
    old("ushort", "global_load_ushort v12, v32, s[2:3]\n s_waitcnt vmcnt(0)"),
    old("flat dword", "flat_load_dword v12, v[36:37]\n s_waitcnt vmcnt(0) lgkmcnt(0)"),
    old("ds read2 b64", "ds_read2_b64 v[12:15], v30 offset1:1\n s_waitcnt lgkmcnt(0)"),
    old("ds read_tr b64 b16", "ds_read_b64_tr_b16 v[12:13], v30\n s_waitcnt lgkmcnt(0)"),
    old("ds read_tr b64 b8", "ds_read_b64_tr_b8 v[12:13], v30\n s_waitcnt lgkmcnt(0)"),
    old("buffer x4", "buffer_load_dwordx4 v[12:15], v30, s[16:19], 0 offen\n s_waitcnt vmcnt(0)"),
    old("buffer x4 store", "buffer_store_dwordx4 v[12:15], v30, s[16:19], 0 offen\n s_waitcnt vmcnt(0)"),
    after(
        old("buffer x4 to LDS", "buffer_load_dwordx4 v30, s[16:19], 0 offen lds\n s_waitcnt vmcnt(0)"),
        "s_mov_b32 m0, 0",
    ),
    after(
        old("buffer ushort, half out", "buffer_load_ushort v12, v32, s[16:19], 0 offen\n s_waitcnt vmcnt(0)"),
        "v_cmp_lt_u32 vcc, 31, v0\n v_mov_b32 v41, 0x80000000\n v_cndmask_b32 v32, v32, v41, vcc",
    ),
    old("atomic f32", "global_atomic_add_f32 v33, v40, s[4:5]\n s_waitcnt vmcnt(0)"),
];

/// A launch of one wave with 64 KiB of buffers and 16 of LDS.
fn setup(machine: Machine) -> Setup {
    let mut setup = Setup::new(machine);
    setup.lds = 1 << 14;
    setup.input.resize(1 << 16, 0);
    setup.output.resize(1 << 16, 0);
    setup
}

/// Seconds of the best run.
fn best(setup: &Setup, text: &str) -> f64 {
    let time = |_| {
        let start = Instant::now();
        assert_eq!(run(setup, text, &mut Silent).end, RunEnd::Finished, "{text}");
        start.elapsed().as_secs_f64()
    };
    (0..RUNS).map(time).fold(f64::MAX, f64::min)
}

/// Each kind of memory operation with its wait.
fn memory(wanted: impl Fn(&str) -> bool) {
    const COPIES: u32 = 8;
    for kind in KINDS.iter().filter(|kind| wanted(kind.name)) {
        let (machine, setup) = (kind.machine, setup(kind.machine));
        let (sub, wait) = match machine == GFX950 {
            true => ("s_sub_u32", "s_waitcnt vmcnt(0) lgkmcnt(0)"),
            false => ("s_sub_co_u32", "s_wait_idle"),
        };
        let text = |rounds: u32| {
            format!(
                "{}{}\n s_mov_b32 s10, {rounds}\nloop:\n{}{sub} s10, s10, 1\n s_cmp_lg_u32 s10, 0\n s_cbranch_scc1 loop\n{wait}\n",
                kinds_prolog(machine),
                kind.before,
                format!("{}\n", kind.operation).repeat(COPIES as usize),
            )
        };
        let rounds = ITERATIONS / 10;
        let seconds = best(&setup, &text(1 + rounds)) - best(&setup, &text(1));
        let each = seconds * 1e9 / f64::from(rounds * COPIES);
        println!("{:8} {:24} {each:8.1} ns with its wait", machine.processor, kind.name);
    }
}

/// Code that is executed once, and workgroups that do nothing.
fn start(wanted: impl Fn(&str) -> bool) {
    if wanted("once") {
        for machine in [GFX1250, GFX950] {
            const COPIES: usize = 4096;
            let text = "v_fma_f32 v16, v8, v12, v16\n v_mul_f32 v17, 0.5, v13\n v_add_f32 v18, 0x40490fdb, v14\n s_mov_b32 s8, s9\n";
            let text = text.repeat(COPIES / 4);
            let (setup, code) = (setup(machine), snippet::assemble(machine, &text));
            let least = |code: &[u8]| {
                let time = |_| {
                    let start = Instant::now();
                    assert_eq!(snippet::launch(&setup, code.to_vec(), &mut Silent).end, RunEnd::Finished);
                    start.elapsed().as_secs_f64()
                };
                (0..RUNS).map(time).fold(f64::MAX, f64::min)
            };
            let end = snippet::assemble(machine, "s_endpgm\n");
            let each = (least(&[code, end.clone()].concat()) - least(&end)) * 1e9 / COPIES as f64;
            println!("{:8} {:24} {each:8.1} ns an instruction", machine.processor, "once");
        }
    }
    if wanted("megabyte") {
        let (setup, mut code) = (setup(GFX1250), snippet::assemble(GFX1250, "s_endpgm\n"));
        code.resize(1 << 20, 0);
        let time = |_| {
            let start = Instant::now();
            assert_eq!(snippet::launch(&setup, code.clone(), &mut Silent).end, RunEnd::Finished);
            start.elapsed().as_secs_f64()
        };
        let least = (0..RUNS).map(time).fold(f64::MAX, f64::min) * 1e3;
        println!("{:8} {:24} {least:8.2} ms to run one instruction of it", GFX1250.processor, "megabyte");
    }
    for (name, lds, waves) in
        [("workgroup", 0, 1), ("workgroup 160 KB LDS", 160 << 10, 1), ("workgroup 8 waves", 0, 8)]
    {
        for machine in [GFX1250, GFX950] {
            if !wanted(name) {
                continue;
            }
            const GROUPS: u32 = 4000;
            let mut setup = setup(machine);
            setup.lds = lds;
            setup.block[0] *= waves;
            let one = best(&setup, "");
            setup.grid[0] = 1 + GROUPS;
            let each = (best(&setup, "") - one) * 1e6 / f64::from(GROUPS);
            println!("{:8} {name:24} {each:8.2} µs", machine.processor);
        }
    }
}

fn main() {
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    loops(wanted);
    memory(wanted);
    start(wanted);
}

fn loops(wanted: impl Fn(&str) -> bool) {
    for machine in [GFX1250, GFX950] {
        for (name, body) in bodies() {
            if !wanted(name) {
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
