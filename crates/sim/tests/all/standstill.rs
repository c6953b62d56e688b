//! Runs that go round for ever, and such that only seem to.

use crate::snippet::machines::GFX1250;
use crate::snippet::{Setup, run};
use wavemark_sim::events::{Observer, Silent};
use wavemark_sim::{Limit, RunEnd};

struct Watching;

impl Observer for Watching {}

fn ends(setup: &Setup, text: &str) -> [RunEnd; 2] {
    [run(setup, text, &mut Silent).end, run(setup, text, &mut Watching).end]
}

const FOR_EVER: RunEnd = RunEnd::Limit(Limit::Standstill);

/// A wave polls for a word of LDS that nobody writes.
#[test]
fn a_poll_of_lds_is_in_vain() {
    let setup = Setup::new(GFX1250);
    let text = "v_mov_b32 v3, 0\n ds_store_b32 v3, v3\n s_wait_dscnt 0\npoll:\n ds_load_b32 v4, v3\n \
                s_wait_dscnt 0\n v_readfirstlane_b32 s8, v4\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 poll";
    assert_eq!(ends(&setup, text), [FOR_EVER, FOR_EVER]);
}

/// Two workgroups wait for each other's word, which each writes when it has seen the other's.
#[test]
fn two_workgroups_wait_for_each_other() {
    let mut setup = Setup::new(GFX1250);
    setup.grid[0] = 2;
    let text = "s_lshl_b32 s8, ttmp9, 2\n s_xor_b32 s9, s8, 4\n v_mov_b32 v3, s8\n v_mov_b32 v4, s9\n\
                poll:\n global_load_b32 v5, v4, s[4:5] scope:SCOPE_DEV\n s_wait_loadcnt 0\n \
                v_readfirstlane_b32 s10, v5\n s_cmp_eq_u32 s10, -1\n s_cbranch_scc1 poll\n \
                global_store_b32 v3, v3, s[4:5] scope:SCOPE_DEV";
    assert_eq!(ends(&setup, text), [FOR_EVER, FOR_EVER]);
}

/// A wave counts in memory and forgets the number each time: wherever in its round it is looked at, which has a power of two of
/// visible operations as a turn has, its registers are the same in every round, once what it has loaded is gone.
#[test]
fn what_counts_in_memory_goes_on() {
    let counts = |first: usize, [load, wait_load, store, wait_store]: [&str; 4]| {
        format!(
            "v_mov_b32 v3, 0\n v_mov_b32 v4, 0\n s_mov_b32 s9, 0x50000\n {store}\n {wait_store}\n{}round:\n {load}\n \
             {wait_load}\n v_add_nc_u32 v4, 1, v4\n v_readfirstlane_b32 s8, v4\n s_cmp_lt_u32 s8, s9\n s_mov_b32 s8, 0\n \
             {store}\n v_mov_b32 v4, 0\n {wait_store}\n s_cbranch_scc1 round",
            "s_wait_kmcnt 0\n ".repeat(first)
        )
    };
    let (load, store) = ("s_wait_loadcnt 0", "s_wait_storecnt 0");
    let setup = Setup::new(GFX1250);
    for first in 0..4 {
        for memory in [
            ["ds_load_b32 v4, v3", "s_wait_dscnt 0", "ds_store_b32 v3, v4", "s_wait_dscnt 0"],
            ["scratch_load_b32 v4, off, off", load, "scratch_store_b32 off, v4, off", store],
            ["global_load_b32 v4, v3, s[4:5]", load, "global_store_b32 v3, v4, s[4:5]", store],
        ] {
            assert_eq!(run(&setup, &counts(first, memory), &mut Silent).end, RunEnd::Finished);
        }
    }
}
