//! Workgroups side by side: whatever they do to each other, the result is that of one thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::snippet::machines::GFX1250;
use crate::snippet::{Outcome, Setup, run};
use wavemark_sim::events::{Observer, Silent, Site, WaveId};
use wavemark_sim::machine::Random;
use wavemark_sim::regs::Regs;
use wavemark_sim::{Completion, RunEnd};

/// Workgroups of each launch.
const GROUPS: u32 = 24;

/// `v2` the byte offset of the work-item in its workgroup, `s6` the workgroup's number, `v3` a value of both.
const START: &str = "
    s_mov_b32 s6, ttmp9
    v_lshlrev_b32 v2, 2, v0
    v_mad_u32_u24 v3, s6, 100, v0
";

fn outcome(text: &str, threads: u32, completion: Completion, seed: u64) -> Outcome {
    let mut setup = Setup::new(GFX1250);
    setup.grid = [GROUPS, 1, 1];
    setup.output = vec![0; 32 * 4 * GROUPS as usize + 256];
    (setup.config.completion, setup.config.seed, setup.config.threads) = (completion, seed, threads);
    run(&setup, &format!("{START}{text}"), &mut Silent)
}

/// Run with 1, 2 and 4 threads, in every completion mode; the output of the first.
fn same_for_all(text: &str) -> Outcome {
    for (completion, seed) in [(Completion::Late, 0), (Completion::Early, 0), (Completion::Random, 5)] {
        let one = outcome(text, 1, completion, seed);
        for threads in [2, 4] {
            let several = outcome(text, threads, completion, seed);
            assert_eq!((&one.end, &one.stats), (&several.end, &several.stats), "{threads} threads\n{text}");
            assert!(one.output == several.output, "{threads} threads, {completion:?}\n{text}");
        }
    }
    outcome(text, 2, Completion::Late, 0)
}

#[test]
fn workgroups_that_keep_apart() {
    let result = same_for_all(
        "s_mul_i32 s7, s6, 128
         v_add_nc_u32 v4, v2, s7
         global_store_b32 v4, v3, s[4:5]
         s_wait_storecnt 0x0
         global_load_b32 v5, v4, s[4:5]
         s_wait_loadcnt 0x0
         v_add_nc_u32 v5, v5, 1
         global_store_b32 v4, v5, s[4:5]",
    );
    assert_eq!(result.end, RunEnd::Finished);
    let expected: Vec<u32> =
        (0..GROUPS).flat_map(|group| (0..32).map(move |n| group * 100 + n + 1)).collect();
    assert_eq!(result.words(expected.len()), expected);
}

/// The last of them in the order of one thread wins.
#[test]
fn workgroups_that_write_the_same() {
    same_for_all("global_store_b32 v2, v3, s[4:5]");
}

#[test]
fn workgroups_that_read_what_others_write() {
    same_for_all(
        "s_mul_i32 s7, s6, 128
         v_add_nc_u32 v4, v2, s7
         global_load_b32 v5, v4, s[4:5] offset:128
         s_wait_loadcnt 0x0
         v_add_nc_u32 v5, v5, v3
         global_store_b32 v4, v5, s[4:5]",
    );
}

/// Some lanes, of odd sizes, in shared pages and dwords.
#[test]
fn workgroups_that_share_pages() {
    same_for_all(
        "s_mul_i32 s7, s6, 66
         v_lshlrev_b32 v4, 1, v0
         v_add_nc_u32 v4, v4, s7
         s_mov_b32 exec_lo, 0x0ff0ff0f
         global_store_b16 v4, v3, s[4:5]
         global_store_b8 v4, v3, s[4:5] offset:1",
    );
}

/// Each waits for the one before it: no workgroup can run alone.
#[test]
fn workgroups_that_wait_for_each_other() {
    let result = same_for_all(
        "s_mov_b32 exec_lo, 1
         v_mov_b32 v6, 0
        again:
         global_load_b32 v5, v6, s[4:5] scope:SCOPE_DEV
         s_wait_loadcnt 0x0
         v_cmp_ne_u32 vcc_lo, s6, v5
         s_cbranch_vccnz again
         v_add_nc_u32 v5, v5, 1
         global_store_b32 v6, v5, s[4:5] scope:SCOPE_DEV",
    );
    assert_eq!((result.end.clone(), result.word(0)), (RunEnd::Finished, GROUPS));
}

#[test]
fn workgroups_that_add_up() {
    let result = same_for_all("global_atomic_add_u32 v2, v3, s[4:5] scope:SCOPE_DEV");
    let sum = (0..GROUPS).map(|group| group * 100).sum::<u32>();
    assert_eq!(result.words(32), (0..32).map(|n| sum + GROUPS * n).collect::<Vec<_>>());
}

/// A sum of floating-point numbers depends on the order: it is that of one thread, whoever else has read or written what is
/// added to.
#[test]
fn workgroups_that_add_up_numbers() {
    let add = "v_cvt_f32_u32 v6, v3
         v_rcp_f32 v6, v6
         global_atomic_add_f32 v2, v6, s[4:5] scope:SCOPE_DEV
         global_atomic_max_i64 v2, v[2:3], s[4:5] offset:1024 scope:SCOPE_DEV";
    let result = same_for_all(add);
    assert_eq!(result.end, RunEnd::Finished);
    for touched in [
        "global_load_b32 v5, v2, s[4:5] offset:16",
        "global_store_b8 v2, v5, s[4:5] offset:3",
        "global_atomic_add_f32 v5, v2, v6, s[4:5] th:TH_ATOMIC_RETURN scope:SCOPE_DEV",
        "global_atomic_add_f32 v2, v6, s[4:5]",
        "global_atomic_cmpswap_b32 v2, v[6:7], s[4:5] scope:SCOPE_DEV",
    ] {
        same_for_all(&format!("{add}\n{touched}"));
        same_for_all(&format!("{touched}\n{add}\ns_barrier_signal -1\ns_barrier_wait -1\n{add}"));
    }
}

/// What ends otherwise than by itself ends as with one thread.
#[test]
fn workgroups_that_stop() {
    let result = same_for_all(
        "global_store_b32 v2, v3, s[4:5]
         s_cmp_eq_u32 s6, 7
         s_cbranch_scc0 on
         s_trap 2
        on:
         s_nop 0",
    );
    assert_eq!(result.end, RunEnd::Trap);
    let result = same_for_all(
        "s_cmp_eq_u32 s6, 20
         s_cbranch_scc0 on
         s_sethalt 1
        on:
         global_store_b32 v2, v3, s[4:5]",
    );
    assert_eq!(result.end, RunEnd::Deadlock);
}

/// A program of random loads, stores and copies; workgroups are `stride` bytes apart, which may be too little.
fn random_program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut pick = |of: &[&str]| of[random.below(of.len())].to_owned();
    let mut text =
        format!("s_mul_i32 s7, s6, {}\n", pick(&["0", "4", "66", "96", "128", "128", "128", "160"]));
    text += &format!("v_lshlrev_b32 v2, {}, v0\n", pick(&["0", "1", "2", "2", "2"]));
    text += "v_add_nc_u32 v4, v2, s7\nv_mov_b32 v5, 0\nv_mov_b32 v6, v3\nv_lshlrev_b32 v7, 2, v0\n";
    for _ in 0..12 {
        let line = pick(&[
            "global_store_b32 v4, v3, s[4:5]",
            "global_store_b16 v4, v6, s[4:5] offset:2",
            "global_store_b8 v4, v5, s[4:5]",
            "global_load_b32 v5, v4, s[4:5]",
            "global_load_u16 v6, v4, s[4:5] offset:64",
            "global_load_b32 v5, v7, s[2:3]",
            "global_load_async_to_lds_b32 v7, v4, s[4:5]\ns_wait_asynccnt 0x0",
            "global_store_async_from_lds_b32 v4, v7, s[4:5]\ns_wait_asynccnt 0x0",
            "global_atomic_add_f32 v4, v3, s[4:5] scope:SCOPE_DEV",
            "global_atomic_add_f32 v4, v5, s[4:5] offset:2048 scope:SCOPE_DEV",
            "s_mov_b32 exec_lo, 0x0ff000ff",
            "s_mov_b32 exec_lo, -1",
            "ds_store_b32 v7, v5",
            "v_add_nc_u32 v3, v3, v5",
        ]);
        let wait = pick(&["s_wait_loadcnt 0x0", "s_wait_idle", "s_nop 0"]);
        text += &format!("{line}\n{wait}\n");
    }
    text + "s_wait_idle\nglobal_store_b32 v4, v5, s[4:5]\n"
}

#[test]
fn whatever_workgroups_do() {
    for seed in 0..150 {
        same_for_all(&random_program(seed));
    }
}

/// All workgroups are told to whoever watches how far a run is, however many threads it has.
#[test]
fn progress_comes_to_its_end() {
    for threads in [1, 2, 4] {
        let mut setup = Setup::new(GFX1250);
        setup.grid = [GROUPS, 1, 1];
        setup.config.threads = threads;
        let progress = std::sync::Arc::clone(&setup.config.progress);
        run(&setup, START, &mut Silent);
        assert_eq!((progress.expected(), progress.ended()), (u64::from(GROUPS), u64::from(GROUPS)));
    }
}

/// An observer whose parts give up at once.
#[derive(Default)]
struct GivesUp {
    is_part: bool,
    /// Instructions that its parts were told of.
    told: Arc<AtomicU32>,
    /// It has learnt what one of them knew of the code.
    learns: bool,
}

impl Observer for GivesUp {
    fn split(&self) -> Option<GivesUp> {
        Some(GivesUp { is_part: true, told: Arc::clone(&self.told), learns: false })
    }

    fn gives_up(&self) -> bool {
        self.is_part && self.told.load(Ordering::Relaxed) > 0
    }

    fn learn_code(&mut self, _: GivesUp) {
        self.learns = true;
    }

    fn instruction(&mut self, _: WaveId, _: &Site, _: u64, _: &Regs) {
        self.told.fetch_add(u32::from(self.is_part), Ordering::Relaxed);
    }
}

/// A trial that is lost goes no further than a wave's turn, and leaves the run as it would be without one. One thread's knows of
/// the code what the run will; one on several threads that is lost at once is followed by such a one.
#[test]
fn a_lost_trial_ends() {
    let text = format!(
        "{START}
         s_lshl_b32 s7, s6, 8
         v_add_nc_u32 v4, v2, s7
         s_mov_b32 s8, 300
        again:
         global_store_b32 v4, v3, s[4:5]
         s_sub_co_i32 s8, s8, 1
         s_cmp_lg_u32 s8, 0
         s_cbranch_scc1 again"
    );
    let run_on = |threads: u32, observer: &mut GivesUp| {
        let mut setup = Setup::new(GFX1250);
        (setup.grid, setup.block) = ([GROUPS, 1, 1], [64, 1, 1]);
        setup.output = vec![0; 64 * 4 * GROUPS as usize];
        setup.config.threads = threads;
        run(&setup, &text, observer)
    };
    let alone = run_on(1, &mut GivesUp { is_part: true, ..GivesUp::default() });
    for threads in [1, 2] {
        let mut observer = GivesUp::default();
        let outcome = run_on(threads, &mut observer);
        assert_eq!((&outcome.end, &outcome.stats), (&alone.end, &alone.stats), "{threads} threads");
        assert!(outcome.output == alone.output, "{threads} threads");
        let told = observer.told.load(Ordering::Relaxed);
        // All of the first wave would be twelve hundred in each of the trials.
        assert!((1..600).contains(&told), "{told} instructions with {threads} threads");
        assert!(observer.learns, "{threads} threads");
    }
}
