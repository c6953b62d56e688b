//! A sample of the random functions of `xtask differential`, and the defects of LLVM that it knows.
//!
//! The seed is fixed: what fails here has changed on our side. Sweeps draw others.

use std::process::Command;

fn differential(arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("differential").args(arguments).output();
    let output = output.expect("xtask starts");
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}:\n{said}{complained}");
}

#[test]
fn a_sample_for_gfx950() {
    differential(&["--target", "gfx950", "--seed", "500000", "--count", "60", "--batch", "20"]);
}

#[test]
fn a_sample_for_gfx1250() {
    differential(&["--target", "gfx1250", "--seed", "400000", "--count", "60", "--batch", "20"]);
}

#[test]
fn llvms_defects_are_still_there() {
    differential(&["--defects"]);
}
