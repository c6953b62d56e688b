//! A run that nobody watches does what the same run does that somebody watches: memory operations take other ways
//! then (`burst`, `lds_load`, `lanewise`), and the general way is what they are held against. What is said of the
//! lane-wise way is what is said of the general one, too. Programs are drawn at random: all kinds of
//! memory operations on addresses that are in order, scattered, out of range and misaligned, under any EXEC, waited for
//! or not; compared are the output buffer, the registers and LDS at the end.

use std::fmt::Write;

use crate::snippet::machines::{GFX950, GFX1250};
use crate::snippet::{Setup, run};
use wavemark_sim::events::{Access, Extent, Fault, Issue, Observer, Silent, Site, WaveId};
use wavemark_sim::machine::Random;
use wavemark_sim::{Completion, RunEnd};
use wavemark_target::Machine;

/// Sends memory operations the general way.
struct Watch;

impl Observer for Watch {
    const LANEWISE: bool = false;
}

/// Writes down what it is told of memory operations.
#[derive(Default)]
struct Record<const LANEWISE: bool>(Vec<String>);

impl<const LANEWISE: bool> Observer for Record<LANEWISE> {
    const LANEWISE: bool = LANEWISE;

    fn issued(&mut self, wave: WaveId, site: &Site, op: &Issue) {
        self.0.push(format!("{} issued at {:#x}: {}", wave.index, site.pc, told(op)));
    }

    fn performed(&mut self, wave: WaveId, op: &Issue) {
        self.0.push(format!("{} performed: {}", wave.index, told(op)));
    }

    fn completed(&mut self, wave: WaveId, op: &Issue) {
        self.0.push(format!("{} completed: {}", wave.index, told(op)));
    }

    fn fault(&mut self, wave: WaveId, site: &Site, fault: &Fault) {
        self.0.push(format!("{} fault at {:#x}: {fault:?}", wave.index, site.pc));
    }
}

/// An operation in words, without the addresses of lanes that take no part.
fn told(op: &Issue) -> String {
    let Issue { id, seq, accesses, atomic, scope, multicast, stored, failed } = op;
    let mut text = format!("{id:?} {seq:?} {atomic} {scope:?} {multicast:?} {stored:?} {failed}");
    for Access { space, direction, extent } in accesses {
        let _ = match extent {
            Extent::Lanes { mask, bytes, addr } => {
                let on = (0..64).filter(|lane| mask >> lane & 1 != 0);
                let addr: Vec<u64> = on.map(|lane| addr[lane]).collect();
                write!(text, "; {space:?} {direction:?} {mask:x} {bytes} {addr:x?}")
            }
            Extent::Runs(runs) => write!(text, "; {space:?} {direction:?} {runs:x?}"),
        };
    }
    text
}

/// `A`, `B`: rows of offsets; `P`: a pair of global addresses, `Q`: of LDS addresses; `D`: four destination registers, `S`:
/// four of data.
const NEW: &[&str] = &[
    "global_load_b32 D0, A, s[2:3]",
    "global_load_b64 D1, A, s[2:3] offset:8",
    "global_load_b96 D2, A, s[2:3]",
    "global_load_b128 D3, A, s[2:3]",
    "global_load_b32 D0, A, s[2:3] scale_offset",
    "global_load_b128 D3, P, off",
    "global_load_u8 D0, A, s[2:3]",
    "global_load_i8 D0, P, off",
    "global_load_i16 D0, A, s[2:3]",
    "global_load_d16_b16 D0, A, s[2:3]",
    "global_load_d16_hi_b16 D0, A, s[2:3]",
    "global_load_d16_hi_i8 D0, A, s[2:3]",
    "global_load_addtid_b32 D0, s[2:3] offset:4",
    "global_load_tr16_b128 D3, A, s[2:3]",
    "global_load_tr8_b64 D1, A, s[2:3]",
    "global_load_tr6_b96 D2, A, s[2:3]",
    "global_load_tr4_b64 D1, A, s[2:3]",
    "global_store_b8 A, S0, s[4:5]",
    "global_store_b16 A, S0, s[4:5]",
    "global_store_d16_hi_b16 A, S0, s[4:5]",
    "global_store_b32 A, S0, s[4:5]",
    "global_store_b64 A, S1, s[4:5]",
    "global_store_b96 A, S2, s[4:5]",
    "global_store_b128 A, S3, s[4:5]",
    "flat_load_b64 D1, P",
    "flat_load_b32 D0, Q",
    "flat_load_u8 D0, P",
    "flat_store_b64 P, S1",
    "flat_store_b32 Q, S0",
    "flat_atomic_add_u32 P, S0",
    "scratch_load_b32 D0, B, off",
    "scratch_store_b64 B, S1, off offset:8",
    "scratch_load_b128 D3, off, off",
    "ds_load_b32 D0, A",
    "ds_load_b64 D1, B offset:16",
    "ds_load_b96 D2, B",
    "ds_load_b128 D3, B",
    "ds_load_u8 D0, A",
    "ds_load_i16 D0, B",
    "ds_load_u16_d16_hi D0, B",
    "ds_load_2addr_b32 D1, B offset0:3 offset1:9",
    "ds_load_2addr_b64 D3, B offset0:1 offset1:2",
    "ds_load_2addr_stride64_b32 D1, B offset1:5",
    "ds_load_tr16_b128 D3, B",
    "ds_load_tr8_b64 D1, B",
    "ds_store_b8 B, S0",
    "ds_store_b16_d16_hi B, S0",
    "ds_store_b32 A, S0",
    "ds_store_b128 B, S3",
    "ds_store_2addr_b32 B, S0, S0 offset1:7",
    "ds_store_2addr_b64 B, S1, S1 offset0:2 offset1:1",
    "ds_add_u32 B, S0",
    "ds_add_rtn_u64 D1, B, S1",
    "ds_cmpstore_rtn_b32 D0, B, S0, S0",
    "ds_storexchg_2addr_rtn_b32 D1, B, S0, S0 offset1:3",
    "ds_pk_add_f16 B, S0",
    "ds_add_f32 B, S0",
    "global_atomic_add_f32 B, S0, s[4:5]",
    "global_atomic_add_u32 D0, B, S0, s[4:5] th:TH_ATOMIC_RETURN",
    "global_atomic_cmpswap_b32 D0, B, S1, s[4:5] th:TH_ATOMIC_RETURN",
    "global_atomic_max_u64 B, S1, s[4:5]",
    "global_load_async_to_lds_b128 B, A, s[2:3]",
    "global_load_async_to_lds_b32 B, A, s[2:3] offset:4",
    "global_load_async_to_lds_b8 B, A, s[2:3]",
    "global_store_async_from_lds_b64 A, B, s[4:5]",
    "global_store_async_from_lds_b128 A, B, s[4:5]",
    "buffer_load_b32 D0, A, s[16:19], null offen",
    "buffer_load_b128 D3, B, s[16:19], s20 offen offset:16",
    "buffer_load_u16 D0, A, s[16:19], null offen",
    "buffer_load_b64 D1, off, s[16:19], s20",
    "buffer_load_b32 D0, A, s[16:19], null idxen",
    "buffer_store_b128 S3, B, s[16:19], null offen",
    "buffer_store_b16 S0, B, s[16:19], s20 offen",
    "buffer_atomic_add_u32 S0, B, s[16:19], null offen",
];

const OLD: &[&str] = &[
    "global_load_dword D0, A, s[2:3]",
    "global_load_dwordx2 D1, A, s[2:3] offset:8",
    "global_load_dwordx3 D2, P, off",
    "global_load_dwordx4 D3, A, s[2:3]",
    "global_load_ubyte D0, A, s[2:3]",
    "global_load_sshort D0, P, off",
    "global_load_short_d16 D0, A, s[2:3]",
    "global_load_short_d16_hi D0, A, s[2:3]",
    "global_store_byte A, S0, s[4:5]",
    "global_store_short_d16_hi A, S0, s[4:5]",
    "global_store_dword A, S0, s[4:5]",
    "global_store_dwordx4 A, S3, s[4:5]",
    "flat_load_dwordx2 D1, P",
    "flat_load_dword D0, Q",
    "flat_store_dword Q, S0",
    "flat_store_dwordx4 P, S3",
    "scratch_load_dword D0, B, off",
    "scratch_store_dwordx2 B, S1, off offset:8",
    "ds_read_b32 D0, A",
    "ds_read_b128 D3, B",
    "ds_read_u16 D0, B",
    "ds_read_i8_d16_hi D0, B",
    "ds_read2_b32 D1, B offset0:3 offset1:9",
    "ds_read2st64_b64 D3, B offset1:1",
    "ds_read_b64_tr_b16 D1, B",
    "ds_read_b64_tr_b8 D1, B",
    "ds_read_b96_tr_b6 D2, B",
    "ds_write_b16 B, S0",
    "ds_write_b64 A, S1",
    "ds_write2_b64 B, S1, S1 offset0:2 offset1:1",
    "ds_add_rtn_u32 D0, B, S0",
    "ds_add_f32 B, S0",
    "global_atomic_add_f32 B, S0, s[4:5]",
    "global_atomic_pk_add_f16 B, S0, s[4:5]",
    "global_atomic_add_f64 B, S1, s[4:5]",
    "buffer_load_dword D0, A, s[16:19], 0 offen",
    "buffer_load_dwordx4 D3, B, s[16:19], s20 offen offset:16",
    "buffer_load_ushort D0, A, s[16:19], 0 offen",
    "buffer_store_dwordx4 S3, B, s[16:19], 0 offen",
    "buffer_store_short S0, B, s[16:19], s20 offen",
    "buffer_load_dword B, s[16:19], 0 offen lds",
    "buffer_load_dwordx4 B, s[16:19], 0 offen lds",
    "buffer_load_ushort A, s[16:19], 0 offen offset:16 lds",
    "global_load_lds_dword A, s[2:3]",
    "global_load_lds_dwordx3 A, s[2:3]",
];

/// Bytes of the buffers; rows of offsets begin behind the first 16 KiB of the input.
const BYTES: usize = 1 << 16;
const ROWS: u32 = 1 << 14;
const LDS: u32 = 4096;

/// A row of offsets of one kind.
fn row(random: &mut Random, lanes: u32) -> Vec<u32> {
    let step = [0, 1, 2, 4, 8, 12, 16, 32][random.below(8)];
    let first = random.below(512) as u32 * [1, 4, 16][random.below(3)];
    let kind = random.below(8);
    (0..lanes)
        .map(|lane| {
            let scattered = random.below(2048) as u32;
            match kind {
                0..4 => first + lane * step,
                4 => scattered,
                5 => scattered & !15,
                // Some lanes are switched off, or beyond the end.
                6 => [scattered & !3, 0x8000_0000, 0x7fff_ffff, LDS - 4][random.below(4)],
                _ => [first + lane * step, (BYTES as u32).wrapping_sub(random.below(20) as u32)]
                    [random.below(2)],
            }
        })
        .collect()
}

fn program(machine: Machine, random: &mut Random, setup: &mut Setup) -> String {
    let lanes = machine.lanes();
    let old = machine == GFX950;
    let wait = if old { "s_waitcnt vmcnt(0) lgkmcnt(0)" } else { "s_wait_idle" };
    let dword = if old { "dword" } else { "b32" };
    // Behind a barrier of two waves, what is in flight may have done its part in global memory.
    let waves = if old { 1 + random.below(2) as u32 } else { 1 };
    setup.block[0] = waves * lanes;
    let step = waves * lanes * 4;
    let mut text = format!("v_and_b32 v1, 0x3ff, v0\n v_lshlrev_b32 v2, 2, v1\n v_add_u32 v3, {ROWS}, v2\n");
    // v20 … v27: rows of offsets; v10 … v19: data.
    for n in 0..8 {
        let at = (ROWS + n * lanes * 4) as usize;
        for (lane, x) in row(random, lanes).into_iter().enumerate() {
            setup.input[at + lane * 4..][..4].copy_from_slice(&x.to_le_bytes());
        }
        let _ =
            writeln!(text, "global_load_{dword} v{}, v3, s[2:3]\n v_add_u32 v3, {}, v3", 20 + n, lanes * 4);
    }
    let _ = writeln!(text, "{wait}\n s_mov_b32 s20, {}", random.below(64));
    // Half of the input is in range of the descriptor.
    let words = if old { ["0x8000", "0x27000"] } else { ["0x100", "0"] };
    let _ = writeln!(
        text,
        "s_mov_b64 s[16:17], s[2:3]\n s_mov_b32 s18, {}\n s_mov_b32 s19, {}",
        words[0], words[1]
    );
    let _ = writeln!(text, "s_mov_b64 s[22:23], src_shared_base\n s_mov_b32 m0, {}", random.below(512) * 4);
    for n in 6..20 {
        let _ = writeln!(text, "v_mul_u32_u24 v{n}, {}, v1", 3 + n * 0x1011);
    }
    let rest = if old { "vcc" } else { "vcc_lo" };
    let carry = if old { ("v_add_co_u32", "v_addc_co_u32") } else { ("v_add_co_u32", "v_add_co_ci_u32") };
    let from = random.below(8) + 20;
    let _ = writeln!(
        text,
        "v_mov_b32 v28, s4\n v_mov_b32 v29, s5\n {} v28, {rest}, v28, v{from}\n {} v29, {rest}, 0, v29, {rest}\n \
         v_mov_b32 v30, v{}\n v_mov_b32 v31, s23",
        carry.0,
        carry.1,
        random.below(8) + 20
    );
    for _ in 0..6 + random.below(20) {
        match random.below(6) {
            0 => {
                let _ = writeln!(text, "{}", [wait, "s_barrier"][random.below(waves as usize)]);
            }
            1 => {
                let mask =
                    [u64::MAX, random.draw(), u64::MAX >> 48, 1 << random.below(32), 0][random.below(5)];
                let _ = writeln!(text, "s_mov_b32 exec_lo, {:#x}", mask as u32);
                if old {
                    let _ = writeln!(text, "s_mov_b32 exec_hi, {:#x}", (mask >> 32) as u32);
                }
            }
            // A register of offsets changes, whether or not one in flight was issued by it.
            2 => {
                let [to, from] = [20 + random.below(8), 20 + random.below(8)];
                let _ = writeln!(text, "v_mov_b32 v{to}, v{from}");
            }
            _ => {}
        }
        let list = if old { OLD } else { NEW };
        let mut line = list[random.below(list.len())].to_owned();
        for (name, first, range) in [("D", 4, 4), ("S", 10, 3)] {
            for n in 0..4 {
                // Registers of several dwords begin at even numbers.
                let at = first + 2 * random.below(range);
                let registers = if n == 0 { format!("v{at}") } else { format!("v[{at}:{}]", at + n) };
                line = line.replace(&format!("{name}{n}"), &registers);
            }
        }
        for (letter, registers) in [
            ("P", "v[28:29]".to_owned()),
            ("Q", "v[30:31]".to_owned()),
            ("A", format!("v{}", 20 + random.below(8))),
            ("B", format!("v{}", 20 + random.below(8))),
        ] {
            let words: Vec<String> = line
                .split(' ')
                .map(|word| match word.strip_suffix(',') {
                    Some(word) if word == letter => format!("{registers},"),
                    None if word == letter => registers.clone(),
                    _ => word.to_owned(),
                })
                .collect();
            line = words.join(" ");
        }
        let _ = writeln!(text, "{line}");
    }
    let _ =
        writeln!(text, "{wait}\n s_mov_b32 exec_lo, -1\n {}", if old { "s_mov_b32 exec_hi, -1" } else { "" });
    // The registers behind 16 KiB of the output, and LDS behind them.
    let _ = writeln!(text, "v_add_u32 v3, {ROWS}, v2");
    for n in 4..20 {
        let _ = writeln!(text, "global_store_{dword} v3, v{n}, s[4:5]\n v_add_u32 v3, {step}, v3");
    }
    for _ in 0..LDS / step {
        let read = if old { "ds_read_b32" } else { "ds_load_b32" };
        let _ = writeln!(
            text,
            "{read} v4, v2\n {wait}\n global_store_{dword} v3, v4, s[4:5]\n v_add_u32 v3, {step}, v3\n v_add_u32 v2, {step}, v2"
        );
    }
    if old { text } else { text.replace("v_add_u32", "v_add_nc_u32") }
}

fn compare(machine: Machine, programs: u64) {
    for seed in 0..programs {
        let mut random = Random::new(seed);
        let mut setup = Setup::new(machine);
        (setup.input, setup.output) = (vec![0; BYTES], vec![0; BYTES]);
        for word in setup.input[..ROWS as usize].chunks_exact_mut(8) {
            word.copy_from_slice(&random.draw().to_le_bytes());
        }
        (setup.lds, setup.scratch) = (LDS, 256);
        let text = program(machine, &mut random, &mut setup);
        for completion in [Completion::Late, Completion::Early, Completion::Random] {
            (setup.config.completion, setup.config.seed) = (completion, seed);
            let (alone, watched) = (run(&setup, &text, &mut Silent), run(&setup, &text, &mut Watch));
            assert_eq!((&alone.end, &watched.end), (&RunEnd::Finished, &RunEnd::Finished), "{seed}:\n{text}");
            let differ = alone.output.iter().zip(&watched.output).position(|(a, b)| a != b);
            assert_eq!(differ, None, "first byte that differs; {completion:?}, seed {seed}:\n{text}");
            let (mut lanewise, mut general) = (Record::<true>::default(), Record::<false>::default());
            run(&setup, &text, &mut lanewise);
            run(&setup, &text, &mut general);
            let differ = lanewise.0.iter().zip(&general.0).find(|(a, b)| a != b);
            assert_eq!(differ, None, "first event that differs; {completion:?}, seed {seed}:\n{text}");
            assert_eq!(lanewise.0.len(), general.0.len());
        }
    }
}

#[test]
fn gfx1250_does_the_same_alone() {
    compare(GFX1250, 500);
}

#[test]
fn gfx950_does_the_same_alone() {
    compare(GFX950, 500);
}
