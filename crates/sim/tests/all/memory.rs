//! Memory, LDS, scratch, counters and barriers, each by a small program with a result worked out by hand.
//!
//! A program leaves its result in `v9`; the harness stores it to the dword of the output at byte offset `v3`,
//! which is `v2` unless the program changes it. `v1` is the number of the work-item in its workgroup, `v2` four
//! times that. The input holds dword n = `0x1000_0000 + n * 0x101`.

use crate::snippet::machines::{GFX950, GFX1100, GFX1250};
use crate::snippet::{Outcome, Setup, run};
use wavemark_sim::events::{Fault, Observer, Silent, Site, WaveId};
use wavemark_sim::{Completion, RunEnd};
use wavemark_target::Machine;

fn word(n: u32) -> u32 {
    0x1000_0000 + n * 0x101
}

fn byte(n: u32) -> u32 {
    word(n / 4) >> (8 * (n % 4)) & 0xff
}

fn whole(machine: Machine, text: &str) -> String {
    let (wait, store) = if machine == GFX1100 {
        ("s_waitcnt vmcnt(0) lgkmcnt(0)", "global_store_b32 v3, v9, s[4:5]")
    } else if machine == GFX950 {
        ("s_waitcnt vmcnt(0) lgkmcnt(0)", "global_store_dword v3, v9, s[4:5]")
    } else {
        ("s_wait_idle", "global_store_b32 v3, v9, s[4:5]")
    };
    format!("v_and_b32 v1, 0x3ff, v0\n v_lshlrev_b32 v2, 2, v1\n v_mov_b32 v3, v2\n{text}\n{wait}\n{store}\n")
}

fn outcome(setup: &Setup, text: &str) -> Outcome {
    let outcome = run(setup, &whole(setup.machine, text), &mut Silent);
    assert_eq!(outcome.end, RunEnd::Finished, "{text}");
    outcome
}

#[track_caller]
fn check_in(setup: &Setup, text: &str, expected: impl Fn(u32) -> u32) {
    for completion in [Completion::Late, Completion::Early, Completion::Random] {
        let mut setup = setup.clone();
        setup.config.completion = completion;
        let outcome = outcome(&setup, text);
        for n in 0..setup.block[0] {
            let (got, want) = (outcome.word(n as usize), expected(n));
            assert_eq!(got, want, "{completion:?}: {text}\nwork-item {n}: {got:#x} instead of {want:#x}");
        }
    }
}

#[track_caller]
fn check(machine: Machine, text: &str, expected: impl Fn(u32) -> u32) {
    check_in(&Setup::new(machine), text, expected);
}

#[test]
fn loads_extend() {
    check(GFX1250, "global_load_i8 v9, v1, s[2:3] offset:3", |n| byte(n + 3) as u8 as i8 as i32 as u32);
    check(GFX950, "global_load_ubyte v9, v1, s[2:3] offset:3", |n| byte(n + 3));
    check(GFX1250, "v_mov_b32 v9, -1\n global_load_d16_hi_u8 v9, v1, s[2:3]", |n| byte(n) << 16 | 0xffff);
    check(GFX950, "v_mov_b32 v9, -1\n global_load_short_d16 v9, v2, s[2:3]", |n| {
        0xffff_0000 | word(n) & 0xffff
    });
    check(GFX1250, "global_load_b96 v[8:10], v2, s[2:3]", |n| word(n + 1));
    check(GFX950, "global_load_dwordx4 v[6:9], v2, s[2:3] offset:-4", |n| match n {
        // One dword before the buffer: nothing of the lane's load is in bounds.
        0 => 0,
        n => word(n + 2),
    });
}

#[test]
fn address_forms() {
    check(GFX1250, "global_load_b32 v9, v1, s[2:3] scale_offset", word);
    // The VGPR offset is signed on gfx1250.
    check(GFX1250, "v_add_nc_u32 v4, 0xffffff80, v2\n global_load_b32 v9, v4, s[2:3] offset:128", word);
    let pair = "v_mov_b32 v5, s3\n v_mov_b32 v4, s2\n";
    check(GFX1250, &format!("{pair} global_load_b32 v9, v[4:5], off offset:8"), |_| word(2));
    check(GFX950, &format!("{pair} global_load_dword v9, v[4:5], off offset:8"), |_| word(2));
    check(GFX1250, "global_load_addtid_b32 v9, s[2:3] offset:4", |n| word(n + 1));
}

#[test]
fn scattered_lanes() {
    // Every lane its own place, in no order, some lanes off.
    let gfx1250 =
        "v_mul_u32_u24 v4, 21, v1\n v_and_b32 v4, 31, v4\n v_lshlrev_b32 v4, 4, v4\n v_mov_b32 v9, 7\n";
    let on = |n: u32| 0x5a5a_5a5a >> n & 1 != 0;
    check(GFX1250, &format!("{gfx1250} global_load_b64 v[8:9], v4, s[2:3]"), |n| word(n * 21 % 32 * 4 + 1));
    check(
        GFX1250,
        &format!(
            "{gfx1250} s_mov_b32 exec_lo, 0x5a5a5a5a\n global_load_b64 v[8:9], v4, s[2:3]\n \
             s_wait_loadcnt 0x0\n s_mov_b32 exec_lo, -1"
        ),
        |n| if on(n) { word(n * 21 % 32 * 4 + 1) } else { 7 },
    );
    check(
        GFX1250,
        &format!(
            "{gfx1250} v_lshrrev_b32 v5, 2, v4\n v_mov_b32 v10, v1\n s_mov_b32 exec_lo, 0x5a5a5a5a\n \
             global_store_b32 v5, v10, s[2:3]\n s_wait_storecnt 0x0\n s_mov_b32 exec_lo, -1\n \
             global_load_b32 v9, v5, s[2:3]"
        ),
        |n| if on(n) { n } else { word(n * 21 % 32) },
    );
    check(
        GFX950,
        "v_mul_u32_u24 v4, 13, v1\n v_and_b32 v4, 63, v4\n v_lshlrev_b32 v4, 3, v4\n v_mov_b32 v10, v1\n \
         v_add_u32 v11, 100, v1\n ds_write_b64 v4, v[10:11]\n s_waitcnt lgkmcnt(0)\n \
         ds_read_b64 v[8:9], v4",
        |n| n + 100,
    );
}

#[test]
fn scalar_loads() {
    check(GFX1250, "s_load_u16 s8, s[2:3], 0x4\n s_wait_kmcnt 0x0\n v_mov_b32 v9, s8", |_| word(1) & 0xffff);
    check(
        GFX1250,
        "s_mov_b32 s8, 3\n s_load_b64 s[10:11], s[2:3], s8 offset:0x4 scale_offset\n s_wait_kmcnt 0x0\n \
         v_mov_b32 v9, s11",
        |_| word(8),
    );
    check(
        GFX950,
        "s_mov_b32 s8, 12\n s_load_dwordx2 s[10:11], s[2:3], s8 offset:0x4\n s_waitcnt lgkmcnt(0)\n \
         v_mov_b32 v9, s11",
        |_| word(5),
    );
    // A buffer of 8 bytes: the second half of 16 reads as 0.
    check(
        GFX950,
        "s_mov_b32 s8, s2\n s_and_b32 s9, s3, 0xffff\n s_mov_b32 s10, 8\n s_mov_b32 s11, 0x27000\n \
         s_buffer_load_dwordx4 s[12:15], s[8:11], 0x0\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v9, s13\n \
         v_add_u32 v9, s14, v9",
        |_| word(1),
    );
}

#[test]
fn high_halves_are_stored() {
    check(
        GFX1250,
        "v_lshlrev_b32 v4, 16, v2\n global_store_d16_hi_b16 v2, v4, s[2:3]\n s_wait_storecnt 0x0\n \
         global_load_b32 v9, v2, s[2:3]",
        |n| word(n) & 0xffff_0000 | (n * 4),
    );
    check(
        GFX950,
        "v_lshlrev_b32 v4, 16, v1\n ds_write_b8_d16_hi v2, v4\n s_waitcnt lgkmcnt(0)\n ds_read_b32 v9, v2",
        |n| n & 0xff,
    );
}

#[test]
fn lds_addresses() {
    check(
        GFX950,
        "v_mov_b32 v5, v1\n ds_write_b32 v2, v5 offset:512\n s_waitcnt lgkmcnt(0)\n \
         v_mov_b32 v4, 0\n ds_read2st64_b32 v[8:9], v4 offset0:1 offset1:2",
        |_| 0,
    );
    // Second offset: 3 dwords.
    check(
        GFX1250,
        "ds_store_b32 v2, v1\n s_wait_dscnt 0x0\n v_mov_b32 v4, 4\n \
         ds_load_2addr_b32 v[8:9], v4 offset0:1 offset1:3",
        |_| 4,
    );
    check(
        GFX950,
        "ds_write2_b64 v2, v[0:1], v[2:3] offset1:64\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v4, 0\n \
         ds_read_b32 v9, v4 offset:512",
        |_| 0,
    );
    // M0 and the lane number, no VGPR.
    check(
        GFX1250,
        "ds_store_b32 v2, v1\n s_mov_b32 m0, 8\n s_wait_dscnt 0x0\n ds_load_addtid_b32 v9 offset:4",
        |n| if n + 3 < 32 { n + 3 } else { 0 },
    );
    check(
        GFX950,
        "s_mov_b32 m0, 16\n ds_write_addtid_b32 v1 offset:4\n s_waitcnt lgkmcnt(0)\n ds_read_b32 v9, v2 offset:20",
        |n| n,
    );
}

#[test]
fn lds_atomics() {
    // gfx9: comparand first; gfx11 on: new value first.
    check(
        GFX950,
        "v_mov_b32 v4, 7\n ds_write_b32 v2, v4\n v_mov_b32 v5, 9\n ds_cmpst_b32 v2, v4, v5\n ds_read_b32 v9, v2",
        |_| 9,
    );
    check(
        GFX1250,
        "v_mov_b32 v4, 7\n ds_store_b32 v2, v4\n v_mov_b32 v5, 9\n ds_cmpstore_b32 v2, v5, v4\n ds_load_b32 v9, v2",
        |_| 9,
    );
    // Every lane adds 1 to one dword: the old values sum to 0 + 1 + … + 31.
    check(
        GFX1250,
        "v_mov_b32 v4, 0\n v_mov_b32 v5, 1\n ds_add_rtn_u32 v6, v4, v5\n s_wait_dscnt 0x0\n \
         v_mov_b32 v7, 64\n ds_add_u32 v7, v6\n ds_load_b32 v9, v7",
        |_| 31 * 32 / 2,
    );
    check(
        GFX950,
        "v_mov_b32 v4, 5\n ds_write_b32 v2, v4\n v_mov_b32 v5, 3\n v_mov_b32 v6, 100\n \
         ds_wrap_rtn_b32 v7, v2, v5, v6\n ds_read_b32 v9, v2\n s_waitcnt lgkmcnt(0)\n v_add_u32 v9, v7, v9",
        // Old 5 >= 3: 5 - 3 = 2; the old value is returned.
        |_| 7,
    );
    check(
        GFX950,
        "v_mov_b32 v4, 0xff\n ds_write_b32 v2, v4\n v_mov_b32 v5, 0xf0\n v_mov_b32 v6, 0x20\n \
         ds_mskor_b32 v2, v5, v6\n ds_read_b32 v9, v2",
        |_| 0x2f,
    );
    // 64-bit exchange of the halves whose top bit is set.
    check(
        GFX1250,
        "v_mov_b32 v4, 5\n v_mov_b32 v5, 6\n v_lshlrev_b32 v3, 3, v1\n ds_store_b64 v3, v[4:5]\n \
         v_mov_b32 v6, 0x80000009\n v_mov_b32 v7, 0x11\n ds_condxchg32_rtn_b64 v[10:11], v3, v[6:7]\n \
         ds_load_b64 v[12:13], v3\n s_wait_dscnt 0x0\n v_mov_b32 v3, v2\n v_lshl_or_b32 v9, v12, 8, v13",
        |_| 0x906,
    );
    check(
        GFX950,
        "v_mov_b32 v4, 40\n v_mov_b32 v5, 0\n ds_write_b32 v5, v4 offset:16\n s_waitcnt lgkmcnt(0)\n \
         ds_append v6 offset:16\n ds_consume v9 offset:16\n s_waitcnt lgkmcnt(0)\n v_add_u32 v9, v6, v9",
        |_| 40 + 104,
    );
}

#[test]
fn lanes_through_the_crossbar() {
    check(GFX1250, "v_xor_b32 v4, 4, v2\n ds_bpermute_b32 v9, v4, v1", |n| n ^ 1);
    check(GFX950, "v_add_u32 v4, 8, v2\n ds_permute_b32 v9, v4, v1", |n| (n + 62) % 64);
    check(GFX950, "ds_swizzle_b32 v9, v1 offset:swizzle(QUAD_PERM,3,2,1,0)", |n| n ^ 3);
    check(GFX1250, "ds_swizzle_b32 v9, v1 offset:swizzle(SWAP,16)", |n| n ^ 16);
    // Inactive sources read 0, but for the fetch-inactive form.
    let half =
        "v_lshlrev_b32 v4, 2, v1\n v_xor_b32 v4, 64, v4\n v_mov_b32 v9, -1\n s_mov_b32 exec_lo, 0xffff\n";
    let all = "\n s_wait_dscnt 0x0\n s_mov_b32 exec_lo, -1";
    check(GFX1250, &format!("{half} ds_bpermute_b32 v9, v4, v1{all}"), |n| if n < 16 { 0 } else { u32::MAX });
    check(GFX1250, &format!("{half} ds_bpermute_fi_b32 v9, v4, v1{all}"), |n| {
        if n < 16 { n + 16 } else { u32::MAX }
    });
}

#[test]
fn global_atomics() {
    check(
        GFX1250,
        "v_mov_b32 v4, 0\n v_mov_b32 v5, 2\n global_atomic_add_u32 v4, v5, s[2:3]\n s_wait_storecnt 0x0\n \
         global_load_b32 v9, v4, s[2:3]",
        |_| word(0) + 64,
    );
    check(
        GFX950,
        "v_mov_b32 v5, 9\n v_mov_b32 v4, 8\n global_atomic_cmpswap v9, v2, v[4:5], s[2:3] sc0",
        word,
    );
    check(
        GFX950,
        "global_load_dword v5, v2, s[2:3]\n v_mov_b32 v4, 8\n s_waitcnt vmcnt(0)\n \
         global_atomic_cmpswap v2, v[4:5], s[2:3]\n s_waitcnt vmcnt(0)\n global_load_dword v9, v2, s[2:3]",
        |_| 8,
    );
}

#[test]
fn blocks_of_registers() {
    // VGPRs 0 and 2 of the block; 1 keeps what it has.
    check(
        GFX1250,
        "v_mov_b32 v41, 0x1000\n s_mov_b32 m0, 5\n global_load_block v[40:71], v2, s[2:3]\n \
         s_wait_loadcnt 0x0\n v_sub_nc_u32 v9, v42, v40\n v_add_nc_u32 v9, v9, v41",
        |_| 0x1202,
    );
    check(
        GFX1250,
        "v_mov_b32 v40, 1\n v_mov_b32 v41, 2\n s_mov_b32 m0, 2\n v_lshlrev_b32 v4, 3, v1\n \
         global_store_block v4, v[40:71], s[2:3]\n s_wait_storecnt 0x0\n global_load_b64 v[8:9], v4, s[2:3]",
        |_| 2,
    );
}

#[test]
fn buffers_check_ranges_by_dword() {
    // 40 bytes: dwords 0 to 9.
    let gfx1250 = "s_mov_b32 s8, s2\n s_or_b32 s9, s3, 0x50000000\n s_mov_b32 s10, 0\n s_mov_b32 s11, 0\n";
    check(GFX1250, &format!("{gfx1250} buffer_load_b32 v9, v2, s[8:11], null offen"), |n| {
        if n < 10 { word(n) } else { 0 }
    });
    check(
        GFX1250,
        &format!(
            "{gfx1250} buffer_load_b64 v[10:11], v2, s[8:11], null offen\n s_wait_loadcnt 0x0\n \
             v_sub_nc_u32 v9, v10, v11"
        ),
        |n| match n {
            0..9 => 0u32.wrapping_sub(0x101),
            9 => word(9),
            _ => 0,
        },
    );
    let gfx950 = "s_mov_b32 s8, s2\n s_and_b32 s9, s3, 0xffff\n s_mov_b32 s10, 40\n s_mov_b32 s11, 0x27000\n";
    check(GFX950, &format!("{gfx950} buffer_load_dwordx2 v[8:9], v2, s[8:11], 0 offen"), |n| {
        if n < 9 { word(n + 1) } else { 0 }
    });
    // The scalar offset counts in the range check.
    check(
        GFX950,
        &format!("{gfx950} s_mov_b32 s12, 16\n buffer_load_dword v9, v2, s[8:11], s12 offen"),
        |n| if n < 6 { word(n + 4) } else { 0 },
    );
    // On gfx9 the vector and the instruction's offset are added in 32 bits, the scalar offset is not.
    check(
        GFX950,
        &format!("{gfx950} v_add_u32 v4, -8, v2\n buffer_load_dword v9, v4, s[8:11], 0 offen offset:12"),
        |n| if n < 9 { word(n + 1) } else { 0 },
    );
    check(
        GFX950,
        &format!(
            "{gfx950} v_add_u32 v4, -8, v2\n s_mov_b32 s12, 12\n buffer_load_dword v9, v4, s[8:11], s12 offen"
        ),
        |n| if (2..9).contains(&n) { word(n + 1) } else { 0 },
    );
    check(
        GFX1250,
        &format!("{gfx1250} v_add_nc_u32 v4, -8, v2\n buffer_load_b32 v9, v4, s[8:11], null offen offset:12"),
        |n| if (2..9).contains(&n) { word(n + 1) } else { 0 },
    );
    // Lanes out of range write zeros to LDS (rocm-systems 10928).
    check(
        GFX950,
        &format!(
            "{gfx950} v_mov_b32 v4, -1\n ds_write_b32 v2, v4\n s_waitcnt lgkmcnt(0)\n s_mov_b32 m0, 0\n \
             buffer_load_dword v2, s[8:11], 0 offen lds\n s_waitcnt vmcnt(0)\n ds_read_b32 v9, v2"
        ),
        |n| if n < 10 { word(n) } else { 0 },
    );
    // Stores out of range do nothing.
    check(
        GFX950,
        &format!(
            "{gfx950} buffer_store_dword v1, v2, s[8:11], 0 offen\n s_waitcnt vmcnt(0)\n \
             global_load_dword v9, v2, s[2:3]"
        ),
        |n| if n < 10 { n } else { word(n) },
    );
}

#[test]
fn scratch_belongs_to_the_lane() {
    check(
        GFX950,
        "scratch_store_dword off, v1, off offset:16\n scratch_load_dword v9, off, off offset:16",
        |n| n,
    );
    check(
        GFX1250,
        "s_mov_b32 s8, 8\n v_mov_b32 v4, 4\n scratch_store_b32 v4, v1, s8 offset:4\n \
         scratch_load_b32 v9, off, s8 offset:8",
        |n| n,
    );
    // Through a flat address: this lane's own dword.
    check(
        GFX950,
        "scratch_store_dword off, v1, off offset:16\n s_mov_b64 s[8:9], src_private_base\n v_mov_b32 v4, 16\n \
         v_mov_b32 v5, s9\n s_waitcnt vmcnt(0)\n flat_load_dword v9, v[4:5]",
        |n| n,
    );
}

#[test]
fn flat_addresses_reach_lds() {
    check(
        GFX950,
        "s_mov_b64 s[8:9], src_shared_base\n v_mov_b32 v4, v2\n v_mov_b32 v5, s9\n flat_store_dword v[4:5], v1\n \
         s_waitcnt vmcnt(0) lgkmcnt(0)\n ds_read_b32 v9, v2",
        |n| n,
    );
    // Lanes in both: odd ones in LDS.
    check(
        GFX1250,
        "ds_store_b32 v2, v1\n s_mov_b64 s[8:9], src_shared_base\n v_and_b32 v6, 1, v1\n \
         v_cmp_eq_u32 vcc_lo, 1, v6\n v_mov_b32 v4, s2\n v_mov_b32 v5, s3\n v_mov_b32 v7, s9\n \
         v_cndmask_b32 v4, v4, v2, vcc_lo\n v_cndmask_b32 v5, v5, v7, vcc_lo\n s_wait_dscnt 0x0\n \
         flat_load_b32 v9, v[4:5]",
        |n| if n & 1 == 1 { n } else { word(0) },
    );
}

/// What a FLAT store writes to LDS is there once LDS has counted it down: LLVM waits for no more before a barrier where the CU keeps
/// the order of global memory.
#[test]
fn flat_stores_to_lds_are_over_by_its_counter() {
    for (machine, wave, text) in [
        (
            GFX1250,
            32,
            "flat_store_b32 v[4:5], v1\n s_wait_dscnt 0x0\n s_barrier_signal -1\n s_barrier_wait -1\n ds_load_b32 v9, v6",
        ),
        (GFX1100, 32, "flat_store_b32 v[4:5], v1\n s_waitcnt lgkmcnt(0)\n s_barrier\n ds_load_b32 v9, v6"),
        (GFX950, 64, "flat_store_dword v[4:5], v1\n s_waitcnt lgkmcnt(0)\n s_barrier\n ds_read_b32 v9, v6"),
    ] {
        let mut setup = Setup::new(machine);
        setup.block[0] = 2 * wave;
        let address = format!(
            "s_mov_b64 s[8:9], src_shared_base\n v_mov_b32 v4, v2\n v_mov_b32 v5, s9\n v_xor_b32 v6, {:#x}, v2\n",
            4 * wave
        );
        check_in(&setup, &format!("{address}{text}"), |n| n ^ wave);
    }
}

#[test]
fn dma_to_lds() {
    check(
        GFX950,
        "s_mov_b32 m0, 256\n global_load_lds_dword v2, s[2:3] offset:8\n s_waitcnt vmcnt(0)\n \
         ds_read_b32 v9, v2 offset:264",
        |n| word(n + 2),
    );
    check(
        GFX950,
        "s_mov_b32 m0, 0\n v_lshlrev_b32 v4, 4, v1\n v_and_b32 v4, 0xff, v4\n \
         global_load_lds_dwordx4 v4, s[2:3]\n s_waitcnt vmcnt(0)\n v_lshlrev_b32 v5, 4, v1\n \
         ds_read_b32 v9, v5 offset:12",
        |n| word(n % 16 * 4 + 3),
    );
    // Three dwords stand 16 bytes apart.
    check(
        GFX950,
        "s_mov_b32 m0, 0\n v_mul_u32_u24 v4, 12, v1\n global_load_lds_dwordx3 v4, s[2:3]\n \
         s_waitcnt vmcnt(0)\n v_lshlrev_b32 v5, 4, v1\n ds_read_b32 v9, v5 offset:8",
        |n| word(n * 3 + 2),
    );
    // Lanes out of range write zeros.
    check(
        GFX950,
        "v_mov_b32 v4, -1\n ds_write_b32 v2, v4\n s_mov_b32 m0, 0\n s_mov_b32 s8, s2\n \
         s_and_b32 s9, s3, 0xffff\n s_mov_b32 s10, 40\n s_mov_b32 s11, 0x27000\n s_waitcnt lgkmcnt(0)\n \
         buffer_load_dword v2, s[8:11], 0 offen lds\n s_waitcnt vmcnt(0)\n ds_read_b32 v9, v2",
        |n| if n < 10 { word(n) } else { 0 },
    );
    // The immediate offset counts on both sides.
    check(
        GFX1250,
        "global_load_async_to_lds_b32 v2, v2, s[2:3] offset:64\n s_wait_asynccnt 0x0\n \
         ds_load_b32 v9, v2 offset:64",
        |n| word(n + 16),
    );
    check(
        GFX1250,
        "ds_store_b32 v2, v1 offset:64\n s_wait_dscnt 0x0\n \
         global_store_async_from_lds_b32 v2, v2, s[2:3] offset:64\n s_wait_asynccnt 0x0\n \
         global_load_b32 v9, v2, s[2:3] offset:64",
        |n| n,
    );
}

#[test]
fn late_data_are_not_there_before_the_wait() {
    let text = "v_mov_b32 v9, 5\n global_load_b32 v9, v2, s[2:3]\n v_mov_b32 v10, v9\n s_wait_loadcnt 0x0\n \
                v_mov_b32 v9, v10";
    let mut setup = Setup::new(GFX1250);
    assert_eq!(outcome(&setup, text).word(3), 5);
    setup.config.completion = Completion::Early;
    assert_eq!(outcome(&setup, text).word(3), word(3));
    // Two loads, one may be outstanding: the first has landed, the second has not.
    let text = "v_mov_b32 v10, 0\n v_mov_b32 v11, 0\n global_load_b32 v10, v2, s[2:3]\n \
                global_load_b32 v11, v2, s[2:3] offset:4\n s_wait_loadcnt 0x1\n v_sub_nc_u32 v9, v10, v11";
    setup.config.completion = Completion::Late;
    assert_eq!(outcome(&setup, text).word(3), word(3));
}

#[test]
fn waves_meet_at_barriers() {
    for (machine, signal, waves) in [
        (GFX950, "s_waitcnt lgkmcnt(0)\n s_barrier", 4),
        (GFX1250, "s_wait_dscnt 0x0\n s_barrier_signal -1\n s_barrier_wait -1", 8),
    ] {
        let mut setup = Setup::new(machine);
        setup.block[0] *= waves;
        let last = setup.block[0] * 4 - 4;
        let (store, load, sub) = if machine == GFX950 {
            ("ds_write_b32", "ds_read_b32", "v_sub_u32")
        } else {
            ("ds_store_b32", "ds_load_b32", "v_sub_nc_u32")
        };
        let text = format!("{store} v2, v1\n {signal}\n {sub} v4, {last:#x}, v2\n {load} v9, v4");
        let items = setup.block[0];
        for seed in 0..4 {
            setup.config.seed = seed;
            check_in(&setup, &text, |n| items - 1 - n);
        }
    }
}

/// What a wave has issued before a barrier comes before what another wave does behind it, without a wait, where the cache
/// of their compute unit keeps the order; counters and registers learn of it as late as ever.
#[test]
fn the_cache_of_a_compute_unit_keeps_the_order() {
    for machine in [GFX950, GFX1100] {
        let mut setup = Setup::new(machine);
        setup.block[0] *= 2;
        let items = setup.block[0];
        let new = machine == GFX1100;
        let mirror =
            format!("{} v4, {:#x}, v2", if new { "v_sub_nc_u32" } else { "v_sub_u32" }, items * 4 - 4);
        let (load, store) = if new { ("load_b32", "store_b32") } else { ("load_dword", "store_dword") };
        let add = if new {
            "global_atomic_add_u32 v9, v2, v1, s[2:3] glc"
        } else {
            "global_atomic_add v9, v2, v1, s[2:3] sc0"
        };
        let high = if new { "global_load_d16_hi_b16" } else { "global_load_short_d16_hi" };
        let overwrite = format!("s_barrier\n {mirror}\n global_{store} v4, v1, s[2:3]");
        for seed in 0..4 {
            setup.config.seed = seed;
            let text = format!(
                "global_{store} v2, v1, s[2:3]\n s_barrier\n {mirror}\n global_{load} v9, v4, s[2:3]"
            );
            check_in(&setup, &text, |n| items - 1 - n);
            check_in(&setup, &format!("global_{load} v9, v2, s[2:3]\n {overwrite}"), word);
            check_in(&setup, &format!("{add}\n {overwrite}"), word);
            check_in(&setup, &format!("v_mov_b32 v9, -1\n {high} v9, v2, s[2:3]\n {overwrite}"), |n| {
                word(n) << 16 | 0xffff
            });
            // An atomic on LDS may tell another wave, too.
            let told = format!(
                "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n global_{store} v2, v1, s[2:3]\n ds_add_u32 v5, v6\n wait:\n \
                 {} v7, v5\n s_waitcnt lgkmcnt(0)\n v_readfirstlane_b32 s8, v7\n s_cmp_lg_u32 s8, {items}\n \
                 s_cbranch_scc1 wait\n {mirror}\n global_{load} v9, v4, s[2:3]",
                if new { "ds_load_b32" } else { "ds_read_b32" }
            );
            check_in(&setup, &told, |n| items - 1 - n);
        }
        if machine == GFX950 {
            let text = format!(
                "v_readfirstlane_b32 s8, v2\n s_mov_b32 m0, s8\n global_load_lds_dword v2, s[2:3]\n {overwrite}\n \
                 s_waitcnt vmcnt(0)\n ds_read_b32 v9, v2"
            );
            check_in(&setup, &text, word);
        }
    }
    // On gfx1250 it has two ports.
    let mut setup = Setup::new(GFX1250);
    setup.block[0] = 64;
    let text = "global_store_b32 v2, v1, s[2:3]\n s_barrier_signal -1\n s_barrier_wait -1\n \
                v_sub_nc_u32 v4, 0xfc, v2\n global_load_b32 v9, v4, s[2:3]\n s_wait_loadcnt 0x0";
    assert_eq!(outcome(&setup, text).word(3), word(60));
}

#[test]
fn named_barriers() {
    let mut setup = Setup::new(GFX1250);
    setup.block[0] = 64;
    // Both waves join barrier 1, whose count M0 sets; the state has one signal of two before the second.
    let text = "s_mov_b32 m0, 0x20001\n s_barrier_init m0\n s_barrier_signal -1\n s_barrier_wait -1\n \
                s_barrier_join 1\n ds_store_b32 v2, v1\n s_wait_dscnt 0x0\n s_barrier_signal 1\n \
                s_barrier_wait 1\n v_xor_b32 v4, 0x80, v2\n ds_load_b32 v9, v4";
    check_in(&setup, text, |n| n ^ 32);
    let text = "s_mov_b32 m0, 0x30001\n s_barrier_init m0\n s_barrier_signal m0\n s_get_barrier_state s8, 1\n \
                s_wait_kmcnt 0x0\n v_mov_b32 v9, s8";
    setup.block[0] = 32;
    // A workgroup of one wave has no barriers.
    check_in(&setup, text, |_| 0);
}

#[test]
fn identity_of_work_items_and_workgroups() {
    let mut setup = Setup::new(GFX950);
    setup.block = [4, 4, 4];
    let ids = outcome(
        &setup,
        "v_mov_b32 v9, v0\n v_mbcnt_lo_u32_b32 v4, -1, 0\n v_mbcnt_hi_u32_b32 v4, -1, v4\n \
                               v_lshlrev_b32 v3, 2, v4",
    );
    assert_eq!(ids.word(0b11_10_01), 1 | 2 << 10 | 3 << 20);
    let mut setup = Setup::new(GFX1250);
    setup.grid = [4, 2, 3];
    setup.cluster = Some([2, 2, 1]);
    let text = "s_lshr_b32 s9, ttmp7, 16\n s_and_b32 s8, ttmp7, 0xffff\n s_getreg_b32 s10, hwreg(28, 21, 4)\n \
                s_lshl_b32 s11, s9, 1\n s_add_co_u32 s11, s11, ttmp9\n s_lshl_b32 s11, s11, 2\n \
                s_add_co_u32 s11, s11, s10\n s_lshl_b32 s12, s11, 2\n v_mov_b32 v3, s12\n v_mov_b32 v9, ttmp6";
    let all = outcome(&setup, text);
    // Place = (z * 2 + cluster x) * 4 + rank; contents = rank's coordinates and the cluster's size less one.
    for place in 0..24usize {
        let rank = place as u32 % 4;
        let size = 1 << 12 | 1 << 16 | 3 << 24;
        assert_eq!(all.word(place), rank & 1 | (rank >> 1) << 4 | size, "place {place}");
    }
}

#[test]
fn multicast_brings_nothing_to_those_left_out() {
    let mut setup = Setup::new(GFX1250);
    setup.grid = [2, 1, 1];
    setup.cluster = Some([2, 1, 1]);
    let text = "v_mov_b32 v9, 1\n s_mov_b32 m0, 1\n cluster_load_b32 v9, v2, s[2:3]\n \
                s_getreg_b32 s10, hwreg(28, 21, 4)\n s_lshl_b32 s10, s10, 7\n v_add_nc_u32 v3, s10, v2";
    let got = outcome(&setup, text);
    assert_eq!((got.word(3), got.word(35)), (word(3), 1));
    // Outside of a cluster the mask means nothing.
    setup.cluster = None;
    setup.grid = [1; 3];
    let text = text.replace("m0, 1", "m0, 2");
    assert_eq!(outcome(&setup, &text).word(3), word(3));
}

#[test]
fn transposing_loads() {
    // Lane l stores elements 8 l … 8 l + 7 of 16 bits; in each group of 16 lanes, lane m gets element m % 8 of
    // lanes 8 (m / 8) and following.
    check(
        GFX1250,
        "v_lshlrev_b32 v4, 4, v1\n v_lshlrev_b32 v5, 3, v1\n v_mul_u32_u24 v6, 0x10001, v5\n \
         v_add_nc_u32 v10, 0x10000, v6\n v_add_nc_u32 v11, 0x30002, v6\n v_add_nc_u32 v12, 0x50004, v6\n \
         v_add_nc_u32 v13, 0x70006, v6\n ds_store_b128 v4, v[10:13]\n s_wait_dscnt 0x0\n \
         ds_load_tr16_b128 v[8:11], v4\n s_wait_dscnt 0x0\n v_mov_b32 v9, v8",
        |n| {
            let (group, m) = (n / 16 * 16, n % 16);
            let from = group + m / 8 * 8;
            (from * 8 + m % 8) | ((from + 1) * 8 + m % 8) << 16
        },
    );
    // gfx950: a group of 16 lanes holds 4 rows of 16 elements; lane m gets column m.
    check(
        GFX950,
        "v_lshlrev_b32 v4, 3, v1\n v_lshlrev_b32 v5, 2, v1\n v_mul_u32_u24 v6, 0x10001, v5\n \
         v_add_u32 v10, 0x10000, v6\n v_add_u32 v11, 0x30002, v6\n ds_write_b64 v4, v[10:11]\n \
         s_waitcnt lgkmcnt(0)\n ds_read_b64_tr_b16 v[8:9], v4\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v9, v8",
        |n| {
            let (group, m) = (n / 16 * 64, n % 16);
            (group + m) | (group + 16 + m) << 16
        },
    );
}

#[test]
fn tensor_tiles() {
    // Two rows of 16 dwords of a matrix with 64 columns.
    check(
        GFX1250,
        "s_mov_b32 s8, 1\n s_mov_b32 s9, 0\n s_mov_b32 s10, s2\n s_or_b32 s11, s3, 0x80000000\n \
         s_mov_b32 s12, 0x20000\n s_mov_b32 s13, 0x400000\n s_mov_b32 s14, 0x400000\n \
         s_mov_b32 s15, 0x100000\n s_mov_b32 s16, 2\n s_mov_b32 s17, 64\n s_mov_b32 s18, 0\n \
         s_mov_b32 s19, 0\n tensor_load_to_lds s[8:11], s[12:19]\n s_wait_tensorcnt 0x0\n ds_load_b32 v9, v2",
        |n| word(n / 16 * 64 + n % 16),
    );
}

#[test]
fn barrier_cells_in_lds() {
    // Pending 1, init count 1: the first arrival leaves 0, the second turns the phase and reloads.
    check(
        GFX1250,
        "v_mov_b32 v4, 0\n v_mov_b32 v6, 1\n v_mov_b32 v7, 1\n v_mov_b32 v10, 1\n v_mov_b32 v11, 0\n \
         s_mov_b32 exec_lo, 1\n ds_store_b64 v4, v[6:7]\n s_wait_dscnt 0x0\n \
         ds_atomic_async_barrier_arrive_b64 v4\n s_wait_asynccnt 0x0\n \
         ds_atomic_barrier_arrive_rtn_b64 v[12:13], v4, v[10:11]\n s_wait_dscnt 0x0\n \
         s_mov_b32 exec_lo, -1\n ds_load_b32 v9, v4",
        |_| 0xe000_0001,
    );
}

#[test]
fn clusters_meet_and_ended_waves_are_not_waited_for() {
    let mut setup = Setup::new(GFX1250);
    setup.grid = [4, 1, 1];
    setup.cluster = Some([2, 1, 1]);
    // Each workgroup writes the input's dwords at 128 times its place, then reads its neighbour's.
    let text = "s_getreg_b32 s8, hwreg(28, 21, 4)\n s_lshl_b32 s9, ttmp9, 1\n s_add_co_u32 s9, s9, s8\n \
                s_lshl_b32 s10, s9, 7\n v_add_nc_u32 v3, s10, v2\n v_mov_b32 v4, s9\n \
                global_store_b32 v3, v4, s[2:3]\n s_wait_storecnt 0x0\n s_barrier_signal -3\n \
                s_barrier_wait -3\n v_xor_b32 v5, 0x80, v3\n global_load_b32 v9, v5, s[2:3]";
    for seed in 0..4 {
        setup.config.seed = seed;
        let got = outcome(&setup, text);
        assert_eq!([0, 32, 64, 96].map(|n| got.word(n)), [1, 0, 3, 2], "seed {seed}");
    }
    let mut setup = Setup::new(GFX1250);
    setup.block[0] = 96;
    let text = "v_readfirstlane_b32 s8, v1\n s_cmp_eq_u32 s8, 32\n s_cbranch_scc1 out\n s_barrier_signal -1\n \
                s_barrier_wait -1\n out:\n v_mov_b32 v9, v1";
    check_in(&setup, &text.replace("out:", "\nout:"), |n| n);
}

#[test]
fn a_wait_that_nobody_ends_is_a_deadlock() {
    let mut setup = Setup::new(GFX1250);
    setup.block[0] = 64;
    let text = whole(GFX1250, "s_barrier_wait -1");
    assert_eq!(run(&setup, &text, &mut Silent).end, RunEnd::Deadlock);
}

#[test]
fn partial_waves_have_their_lanes_off() {
    let mut setup = Setup::new(GFX950);
    setup.block = [70, 1, 1];
    let got = outcome(&setup, "v_mov_b32 v9, exec_lo");
    assert_eq!([got.word(69), got.word(70)], [0x3f, u32::MAX]);
}

#[test]
fn indexed_vgprs() {
    // v[40 + i] for i = 0…2, read and written by index.
    check(
        GFX950,
        "v_mov_b32 v40, 10\n v_mov_b32 v41, 20\n v_mov_b32 v42, 30\n v_mov_b32 v9, 0\n s_mov_b32 s8, 0\n\
         again:\n s_set_gpr_idx_on s8, gpr_idx(SRC0)\n v_mov_b32 v4, v40\n s_set_gpr_idx_off\n \
         v_lshl_add_u32 v9, v9, 8, v4\n s_add_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 3\n s_cbranch_scc1 again",
        |_| 10 << 16 | 20 << 8 | 30,
    );
    check(
        GFX950,
        "v_mov_b32 v40, 10\n v_mov_b32 v41, 20\n s_set_gpr_idx_on 1, gpr_idx(DST)\n v_mov_b32 v40, v1\n \
         s_set_gpr_idx_off\n v_add_u32 v9, v40, v41",
        |n| 10 + n,
    );
    // Sources with a sign and scalars among them.
    check(
        GFX950,
        "v_mov_b32 v40, 1.0\n v_mov_b32 v41, 2.0\n v_mov_b32 v42, 4.0\n v_mov_b32 v9, 0\n s_mov_b32 s8, 0\n\
         s_mov_b32 s9, 0xc1200000\nagain:\n s_set_gpr_idx_on s8, gpr_idx(SRC0)\n v_fma_f32 v9, -v40, s9, v9\n \
         s_set_gpr_idx_off\n s_add_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 3\n s_cbranch_scc1 again\n \
         v_cvt_u32_f32 v9, v9",
        |_| 70,
    );
    // With modifiers that rows are made for: a half with a sign, a result that is clamped.
    check(
        GFX950,
        "v_mov_b32 v40, 0x3c00\n v_mov_b32 v41, 0x4000\n v_mov_b32 v42, 0x4400\n v_mov_b32 v9, 0\n \
         s_mov_b32 s8, 0\n s_movk_i32 s9, 0xc900\nagain:\n s_set_gpr_idx_on s8, gpr_idx(SRC0)\n \
         v_fma_f16 v9, -v40, s9, v9\n s_set_gpr_idx_off\n s_add_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 3\n \
         s_cbranch_scc1 again\n v_cvt_u16_f16 v9, v9",
        |_| 70,
    );
    check(
        GFX950,
        "v_mov_b32 v40, 0\n v_mov_b32 v41, 0\n v_mov_b32 v43, 0x3e800000\n \
         s_set_gpr_idx_on 1, gpr_idx(DST)\n v_add_f32_e64 v40, v43, v43 clamp\n s_set_gpr_idx_off\n \
         v_add_u32 v9, v40, v41",
        |_| 0x3f00_0000,
    );
}

#[derive(Default)]
struct Faults(Vec<Fault>);

impl Observer for Faults {
    fn fault(&mut self, _: WaveId, _: &Site, fault: &Fault) {
        self.0.push(fault.clone());
    }
}

#[test]
fn out_of_bounds_is_reported_and_reads_zero() {
    let setup = Setup::new(GFX1250);
    let mut faults = Faults::default();
    let text = whole(GFX1250, "v_add_nc_u32 v4, 0x1000, v2\n ds_load_b32 v9, v4");
    let outcome = run(&setup, &text, &mut faults);
    assert_eq!(outcome.words(32), [0; 32]);
    let Some(Fault::OutOfBounds { addr: 0x1000, bytes: 4, lanes: 0xffff_ffff, .. }) = faults.0.first() else {
        panic!("{:?}", faults.0);
    };
    assert_eq!(faults.0.len(), 1);
}

/// More literals than any wave has room for at its start, in several waves.
#[test]
fn any_number_of_constants() {
    for (machine, add_vector, add_scalar) in
        [(GFX1250, "v_add_nc_u32", "s_add_co_u32"), (GFX950, "v_add_u32", "s_add_u32")]
    {
        let mut setup = Setup::new(machine);
        setup.block[0] = 4 * machine.lanes();
        let lines = (0..500).map(|n| {
            format!("{add_vector} v9, {:#x}, v9\n {add_scalar} s8, s8, {:#x}\n", 0x1000 + n, 0x20000 + n)
        });
        let text =
            format!("v_mov_b32 v9, 0\n s_mov_b32 s8, 0\n{} v_xor_b32 v9, s8, v9", lines.collect::<String>());
        let sum = |first: u32| (0..500).map(|n| first + n).sum::<u32>();
        check_in(&setup, &text, |_| sum(0x1000) ^ sum(0x20000));
    }
}
