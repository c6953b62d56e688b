//! All host levels compute the same bits, on every instruction variant that the facts list (when they are
//! there), with random registers, EXEC and MODE.

use super::*;

/// A small generator (xorshift), seeded and printed by its user.
pub struct Random(pub u64);

impl Random {
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A word that is often special: small, a power of two, a float near one, an infinity, a NaN, a denormal.
    pub fn word(&mut self) -> u32 {
        let x = self.draw() as u32;
        match self.draw() % 12 {
            0 => 0,
            1 => x % 70,
            2 => 1 << (x % 32),
            3 => 0x3f80_0000 ^ (x & 0x80ff_ffff),
            4 => 0x7f80_0000 | x & 0x8000_0000,
            5 => 0x7fc0_0000 | x,
            6 => 0x7f80_0000 | x & 0x803f_ffff,
            7 => x & 0x807f_ffff,
            8 => x | 0xffff_ff00,
            9 => x & 0x7fff_7fff,
            _ => x,
        }
    }
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).filter_map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()).collect()
}

/// The machine's and the matrix instructions, by prefix.
const OTHERS: &[&str] = &[
    "buffer_",
    "global_",
    "flat_",
    "scratch_",
    "ds_",
    "tbuffer_",
    "tensor_",
    "cluster_",
    "image_",
    "v_mfma",
    "v_smfmac",
    "v_wmma",
    "v_swmmac",
    "s_load",
    "s_buffer",
    "s_store",
    "s_wait",
    "s_barrier",
    "s_sendmsg",
    "s_endpgm",
    "s_trap",
    "s_sleep",
    "s_delay",
    "s_nop",
    "s_clause",
    "s_icache",
    "s_dcache",
    "s_scratch",
    "s_atc",
    "s_prefetch",
    "s_setreg",
    "s_setprio",
    "s_sethalt",
    "s_setkill",
    "s_set_vgpr",
    "s_get_barrier",
    "s_code_end",
    "s_ttrace",
    "s_monitor",
    "s_incperf",
    "s_decperf",
    "s_wakeup",
    "s_rfe",
    "s_getreg",
    "s_alloc",
    "s_round",
    "s_denorm",
    "s_mem",
    "s_get_shader",
    "s_cbranch_cdbg",
    "s_cbranch_g_fork",
    "s_cbranch_i_fork",
    "s_cbranch_join",
    "s_gl1",
    "s_version",
    "s_ldtr",
    "s_atomic",
    "s_scalar",
    "exp",
    "s_inst_prefetch",
];

fn variants(machine: Machine) -> Option<Vec<(String, Vec<u8>)>> {
    let path =
        wavemark_corpus::shared_or_skip("facts/isa")?.join(format!("{}.variants.tsv", machine.processor));
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return None;
    };
    Some(
        text.lines()
            .filter_map(|line| {
                let mut columns = line.split('\t');
                Some((columns.next()?.to_owned(), hex(columns.next()?)))
            })
            .filter(|(name, _)| !OTHERS.iter().any(|other| name.starts_with(other)))
            .collect(),
    )
}

fn test_wave(machine: Machine) -> Wave {
    let mut wave = Wave::new(machine);
    wave.layout.vgprs = 300;
    wave.layout.agprs = if machine == GFX950 { 256 } else { 0 };
    wave.regs.vgprs = 300;
    wave.regs.agprs = wave.layout.agprs;
    wave.regs.v = Box::new([]);
    wave.settle();
    wave
}

/// How often each variant is run.
const ROUNDS: usize = 3;

fn check_machine(machine: Machine) {
    let Some(variants) = variants(machine) else { return };
    let seed = 0x9e37_79b9_7f4a_7c15u64;
    println!("seed {seed:#x}");
    let mut random = Random(seed);
    let levels = super::super::levels();
    let mut missing: Vec<String> = Vec::new();
    let mut bound = 0;
    // Several draws of registers for each variant.
    for (name, bytes) in std::iter::repeat_n(&variants, ROUNDS).flatten() {
        let inst = match wavemark_isa::decode(machine, bytes) {
            Ok(inst) => inst,
            Err(error) => {
                missing.push(format!("{name}: decode: {error}"));
                continue;
            }
        };
        // Initial registers, the same for all levels.
        let wave = test_wave(machine);
        let slab: Vec<u32> = (0..300 * wave.layout.chunks * 16).map(|_| random.word()).collect();
        let scalars: Vec<u32> = (0..128).map(|_| random.word()).collect();
        let mode_raw = match random.draw() % 3 {
            0 => random.draw() as u32 & 0x80_03ff,
            1 => 0x3c0,
            _ => 0x3f0,
        };
        let exec = match random.draw() % 3 {
            0 => u64::MAX,
            1 => 0,
            _ => random.draw(),
        };
        let mut results: Vec<(Vec<Chunk>, Vec<u32>, bool, u64)> = Vec::new();
        // The levels, and last the exact functions.
        for level in levels.iter().chain([&super::super::Level::Portable]) {
            let exact = results.len() == levels.len();
            super::super::lane::EXACT_ONLY.set(exact);
            let mut w = test_wave(machine);
            for (i, x) in slab.iter().enumerate() {
                w.regs.v[i / 16].0[i % 16] = *x;
            }
            w.regs.s[..128].copy_from_slice(&scalars);
            w.regs.s[sindex::NULL as usize] = 0;
            w.regs.set_mode(mode(machine, mode_raw));
            w.set_exec(exec);
            super::super::def::force_level(*level as usize);
            let mut binder = Binder::new(machine, w.layout, VgprMsb(0), &inst, 0x1000, &mut w.constants);
            let Some(Definition::Alu(def)) = meaning::definition(binder.meaning()) else {
                missing.push(format!("{name}: no definition"));
                break;
            };
            let op = match super::super::bind(&mut binder, def) {
                Ok(op) => op,
                Err(error) => {
                    missing.push(format!("{name}: {error}"));
                    break;
                }
            };
            w.settle();
            w.regs.pc = 0x1000 + u64::from(inst.size);
            // SAFETY: the level is one of this host's, and the operation was bound for this layout.
            unsafe { (op.body)(&mut w.regs, &op) };
            bound += 1;
            assert_eq!(w.regs.full, w.regs.exec() == w.regs.full_mask(), "{name}: EXEC's flag is stale");
            let usual = Usual::of(w.regs.full, w.regs.mode.raw);
            assert_eq!(w.regs.usual, usual, "{name}: what follows from EXEC and MODE is stale");
            let rows = w.layout.scratch_at();
            results.push((w.regs.v[..rows].to_vec(), w.regs.s[..144].to_vec(), w.regs.scc, w.regs.pc));
        }
        super::super::lane::EXACT_ONLY.set(false);
        for other in results.iter().skip(1) {
            if let Some(at) = (0..results[0].0.len()).find(|&i| results[0].0[i] != other.0[i]) {
                panic!(
                    "{name}: levels differ in v{} chunk {}: {:x?} {:x?} mode {mode_raw:#x}",
                    at / wave.layout.chunks,
                    at % wave.layout.chunks,
                    results[0].0[at],
                    other.0[at]
                );
            }
            assert_eq!(results[0].1, other.1, "{name}: levels differ in scalars");
            assert_eq!(
                (results[0].2, results[0].3),
                (other.2, other.3),
                "{name}: levels differ in SCC or PC"
            );
        }
        // Lanes that are off keep their registers.
        if let Some((after, ..)) = results.first()
            && !name.starts_with("v_writelane")
        {
            for (i, chunk) in after.iter().enumerate().take(300 * wave.layout.chunks) {
                for l in 0..16 {
                    let lane = i % wave.layout.chunks * 16 + l;
                    let off = exec & wave.regs.full_mask() & 1 << lane == 0;
                    assert!(
                        !off || chunk.0[l] == slab[i * 16 + l],
                        "{name}: lane {lane} is off and was written"
                    );
                }
            }
        }
    }
    missing.sort();
    missing.dedup();
    println!("{}: {} variants, {bound} runs, {} without:", machine.processor, variants.len(), missing.len());
    for line in &missing {
        println!("  {line}");
    }
    assert!(missing.len() < variants.len() / 8, "most variants must bind");
}

#[test]
fn every_gfx950_variant_is_the_same_at_all_levels() {
    check_machine(GFX950);
}

#[test]
fn every_gfx1250_variant_is_the_same_at_all_levels() {
    check_machine(GFX1250);
}
