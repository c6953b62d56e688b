//! Facts against LLVM 22's assembler: lines that only processors with a fact can have, and which take them.

use wavemark_target::facts::{Apertures, Barriers, CachePolicy, Facts, TrapBases, WaitCounter};
use wavemark_target::*;

fn counts(facts: &Facts, counter: WaitCounter, value: u32) -> bool {
    facts.counters.iter().any(|&(c, bits)| c == counter && value < 1 << bits)
}

/// Whether `s_waitcnt` can say the value.
fn waits(facts: &Facts, counter: WaitCounter, value: u32) -> bool {
    let bits: u8 = facts.waitcnt.iter().filter(|f| f.counter == counter).map(|f| f.bits).sum();
    bits > 0 && value < 1 << bits
}

fn hwreg(facts: &Facts, name: &str) -> bool {
    facts.hwregs.iter().any(|register| register.name == name)
}

fn scalar(facts: &Facts, offset: i64) -> bool {
    facts.smem_offset.allows(offset) || facts.smem_literal_offset && offset >= 0
}

/// Whether the facts allow a line of the file.
fn allowed(line: &str, facts: &Facts) -> bool {
    use CachePolicy::*;
    use WaitCounter::*;
    let flat = |offset| facts.flat_offset.is_some_and(|field| field.allows(offset));
    let global = |offset| facts.global_offset.is_some_and(|field| field.allows(offset));
    let last = line.rsplit([' ', ':']).next().unwrap();
    let offset = || match last.strip_prefix("0x").or(last.strip_prefix("-0x")) {
        Some(hex) => {
            i64::from_str_radix(hex, 16).map(|value| if last.starts_with('-') { -value } else { value })
        }
        None => last.parse::<i64>(),
    };
    let policy = facts.cache_policy;
    match line {
        "s_mov_b32 s103, 0" => facts.sgprs > 103,
        "s_mov_b32 s105, 0" => facts.sgprs > 105,
        "s_mov_b32 s0, ttmp11" => facts.ttmps > 11,
        "s_mov_b32 s0, ttmp15" => facts.ttmps > 15,
        "s_mov_b32 s0, null" => facts.null.is_some(),
        "s_mov_b32 s0, flat_scratch_lo" => facts.flat_scratch_sgprs.is_some(),
        "s_mov_b32 s0, tba_lo" => facts.trap_base_sgprs.is_some(),
        "s_mov_b32 s0, src_vccz" => facts.vccz_execz,
        "v_mov_b32 v0, src_lds_direct" => facts.lds_direct_operand,
        "s_mov_b32 s0, src_pops_exiting_wave_id" => facts.pops_exiting_wave_id,
        "s_mov_b32 s0, src_flat_scratch_base_lo" => facts.flat_scratch_base,
        "s_mov_b32 s0, src_shared_base" => facts.apertures == Apertures::Registers,
        "s_set_vgpr_msb 1" => facts.vgpr_banks > 1,
        "v_add_f64 v[0:1], v[1:2], v[4:5]" => facts.vgpr_tuple_alignment == 1,
        "global_load_dword a0, v[0:1], off" => facts.agpr_operands,
        "v_add_f32_e64 v0, s0, s1" => facts.constant_bus_limit == 2,
        "v_fma_f32 v0, v1, v2, 0x12345" => facts.vop3_literals,
        "v_mov_b64 v[0:1], 0x123456789abcdef0" => facts.literals_64,
        "s_waitcnt vmcnt(63)" => waits(facts, Vm, 63),
        "s_waitcnt lgkmcnt(63)" => waits(facts, Lgkm, 63),
        "s_waitcnt vmcnt(15) expcnt(7) lgkmcnt(15)" => waits(facts, Vm, 15) && waits(facts, Exp, 7),
        "s_waitcnt_vscnt null, 0x3f" => counts(facts, Vs, 63),
        "s_wait_loadcnt 0x3f" => counts(facts, Load, 63),
        "s_wait_samplecnt 0x3f" => counts(facts, Sample, 63),
        "s_wait_bvhcnt 7" => counts(facts, Bvh, 7),
        "s_wait_expcnt 7" => counts(facts, Exp, 7) && counts(facts, Load, 0),
        "s_wait_asynccnt 0x3f" => counts(facts, Async, 63),
        "s_wait_tensorcnt 0x3" => counts(facts, Tensor, 3),
        "s_wait_xcnt 0x3f" => counts(facts, X, 63),
        "s_barrier" => facts.barriers == Barriers::Whole,
        "s_barrier_wait -1" => facts.barriers >= Barriers::SignalWait,
        "s_wakeup_barrier m0" => facts.barriers == Barriers::NamedAndCluster,
        "exp mrt0 v0, v0, v0, v0" => facts.exports,
        "s_clause 1" => facts.max_clause > 0,
        "s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_TBA)" => facts.trap_bases == TrapBases::Messages,
        _ if line.starts_with("buffer_") && line.contains("offset:") => {
            facts.buffer_offset.allows(offset().unwrap())
        }
        _ if line.starts_with("buffer_") => match line.split_once("s4 ").unwrap().1 {
            "glc slc" => matches!(policy, GlcSlc | GlcSlcScc | GlcSlcDlc),
            "scc" => policy == GlcSlcScc,
            "sc0 sc1 nt" => policy == Sc0Sc1Nt,
            "dlc" => policy == GlcSlcDlc,
            "nv" => policy == ThScopeNv,
            _ => matches!(policy, ThScope | ThScopeNv),
        },
        _ if line.starts_with("s_load_") => scalar(facts, offset().unwrap()),
        _ if line.starts_with("s_buffer_") => {
            let value = offset().unwrap();
            facts.smem_buffer_offset.allows(value) || facts.smem_literal_offset && value >= 0
        }
        _ if line.starts_with("flat_") => flat(offset().unwrap()),
        _ if line.starts_with("global_") => global(offset().unwrap()),
        _ if line.starts_with("ds_") => facts.ds_offset.allows(offset().unwrap()),
        _ if line.starts_with("s_getreg") => {
            hwreg(facts, line.split_once('(').unwrap().1.strip_suffix(')').unwrap())
        }
        _ => panic!("nothing says what {line} tells"),
    }
}

#[test]
fn facts_are_what_llvm_takes() {
    let mut wrong = Vec::new();
    for row in include_str!("data/llvm22_lines.txt").lines().filter(|line| !line.starts_with('#')) {
        let (line, takes) = row.split_once(" |").unwrap();
        let takes: Vec<&str> = takes.split_whitespace().collect();
        // DPP's controls are held by the instruction table's own lines.
        if line.contains("_dpp ") {
            continue;
        }
        let newer = [Processor::Gfx940, Processor::Gfx941, Processor::Gfx12_5Generic];
        for processor in Processor::ALL.iter().filter(|p| !newer.contains(p)) {
            if allowed(line, processor.facts()) != takes.contains(&processor.name()) {
                wrong.push(format!("{line} on {processor}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
