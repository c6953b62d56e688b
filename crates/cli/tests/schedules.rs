//! A schedule that fails is made small, written, and fails again; all schedules of a small kernel.

use std::path::Path;
use std::process::Command;

/// Wave 1 reads what wave 0 has written, without a barrier: right as long as wave 0 is through first.
const KERNEL: &str = r#"
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, v0
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lreader
	ds_store_b32 v1, v0
	s_wait_dscnt 0x0
	BARRIER
	s_branch .Lstore
.Lreader:
	BARRIER
	v_add_nc_u32_e32 v2, 0xffffff80, v1
	ds_load_b32 v3, v2
	s_wait_dscnt 0x0
.Lstore:
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
"#;

fn launch() -> String {
    let values: Vec<String> = (0..64u32).map(|n| (n % 32).to_string()).collect();
    format!(
        "kernel = \"k\"\ngrid = [1, 1, 1]\nblock = [64, 1, 1]\n\
         [[arg]]\nname = \"src\"\ndtype = \"u32\"\nshape = [64]\ninit = \"iota\"\n\
         [[arg]]\nname = \"dst\"\ndtype = \"u32\"\nshape = [64]\ninit = \"hex:ff\"\nexpect = [{}]\n",
        values.join(", ")
    )
}

fn put(folder: &Path, barrier: &str) {
    let kernel = KERNEL.replace("BARRIER", barrier);
    std::fs::write(folder.join("k.s"), kernel).unwrap();
    std::fs::write(folder.join("launch.toml"), launch()).unwrap();
}

fn wavemark(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let includes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/rules");
    let output = Command::new(env!("CARGO_BIN_EXE_wavemark"))
        .args(arguments)
        .args(["k.s", "--launch", "launch.toml", "--check", "off", "-I", includes])
        .current_dir(folder)
        .output()
        .unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), text)
}

#[test]
fn a_failing_schedule_fails_again() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "s_nop 0");
    assert_eq!(wavemark(folder.path(), &["check", "--schedules", "1"]).0, 0);
    let (status, text) =
        wavemark(folder.path(), &["check", "--schedules", "16", "--save-schedule", "s.toml"]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("with 1 switches of waves and 0 late operations"), "{text}");
    let (status, text) = wavemark(folder.path(), &["run", "--schedule", "s.toml"]);
    assert_eq!(status, 1, "{text}");
    // What is left out of it by hand is not done: the plain run is right.
    let written = std::fs::read_to_string(folder.path().join("s.toml")).unwrap();
    let plain = &written[..written.find("[[switch]]").unwrap()];
    std::fs::write(folder.path().join("s.toml"), plain).unwrap();
    assert_eq!(wavemark(folder.path(), &["run", "--schedule", "s.toml"]).0, 0);
    std::fs::write(folder.path().join("s.toml"), "version = 9").unwrap();
    assert_eq!(wavemark(folder.path(), &["run", "--schedule", "s.toml"]).0, 2);
}

/// Two waves that do next to nothing: load their arguments, wait, store once.
const SMALL: &str = r#"
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	global_store_b32 v1, v1, s[6:7]
	s_endpgm
	.include "end-gfx1250.inc"
"#;

#[test]
fn all_schedules_are_tried_up_to_a_bound_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "s_nop 0");
    let (status, text) = wavemark(folder.path(), &["check", "--exhaustive"]);
    assert_eq!(status, 1, "{text}");
    assert!(
        text.contains("note: all schedules with up to ") && text.contains("not checked: schedules"),
        "{text}"
    );
    std::fs::write(folder.path().join("k.s"), SMALL).unwrap();
    let launch = launch();
    let without = &launch[..launch.find("expect").unwrap()];
    std::fs::write(folder.path().join("launch.toml"), without).unwrap();
    let (status, text) = wavemark(folder.path(), &["check", "--exhaustive"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("note: all schedules: ") && text.contains("every interleaving"), "{text}");
}

/// A wave adds to what the other one polls, and waits at a barrier for that one without having waited for the addition.
const POLLED: &str = r#"
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.include "gfx1250.inc"
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lfirst
	ds_store_b32 v3, v3
	s_wait_dscnt 0x0
.Lfirst:
	s_barrier_signal -1
	s_barrier_wait -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Ladd
.Lpoll:
	ds_load_b32 v5, v3
	s_wait_dscnt 0x0
	v_readfirstlane_b32 s10, v5
	s_cmp_eq_u32 s10, 0
	s_cbranch_scc1 .Lpoll
	s_branch .Lmeet
.Ladd:
	s_mov_b32 exec_lo, 1
	ds_add_u32 v3, v4
	s_mov_b32 exec_lo, -1
.Lmeet:
	s_barrier_signal -1
	s_barrier_wait -1
	s_endpgm
	.include "end-gfx1250.inc"
"#;

#[test]
fn what_a_waiting_wave_has_in_flight_lands() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "s_nop 0");
    std::fs::write(folder.path().join("k.s"), POLLED).unwrap();
    let launch = launch();
    std::fs::write(folder.path().join("launch.toml"), &launch[..launch.find("expect").unwrap()]).unwrap();
    let (status, text) = wavemark(folder.path(), &["check", "--schedules", "16", "--max-steps", "100000"]);
    assert_eq!(status, 0, "{text}");
}
