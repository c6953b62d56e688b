//! `wavemark check K.ll` and `compile K.ll --emit ll` as scripts see them.

use std::io::Write;
use std::process::{Command, Stdio};

/// Exit status, standard output and standard error of `wavemark` with `input` as its standard input.
fn run(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wavemark"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const KERNEL: &str = "target triple = \"amdgpu9.50-amd-amdhsa\"

declare void @llvm.amdgcn.asyncmark()

declare void @llvm.amdgcn.wait.asyncmark(i16 immarg)

define amdgpu_kernel void @k() {
  call void @llvm.amdgcn.asyncmark()
  call void @llvm.amdgcn.wait.asyncmark(i16 1)
  ret void
}
";

#[test]
fn a_module_is_printed_as_it_is() {
    let (status, stdout, stderr) = run(&["compile", "-", "--lang", "ll", "--emit", "ll"], KERNEL);
    assert_eq!((status, stdout.as_str()), (0, KERNEL), "{stderr}");
    let (status, _, stderr) = run(&["compile", "-", "--lang", "ll", "--emit", "hsaco"], KERNEL);
    assert_eq!(status, 3, "{stderr}");
}

#[test]
fn waits_for_marks_are_judged() {
    let (status, stdout, stderr) = run(&["check", "-", "--lang", "ll", "--check", "waits"], KERNEL);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(stdout.contains("W1") && stdout.contains("<stdin>:9:3"), "{stdout}");
    // What needs a run did not happen, and is not called clean.
    let (status, stdout, stderr) = run(&["check", "-", "--lang", "ll"], KERNEL);
    assert_eq!(status, 3, "{stdout}{stderr}");
}

#[test]
fn a_kernel_is_run() {
    let (status, stdout, stderr) = run(&["run", "-", "--lang", "ll"], KERNEL);
    assert_eq!(status, 0, "{stdout}{stderr}");
    let reached = KERNEL.replace("  ret void", "  call void asm sideeffect \"s_nop 0\", \"\"()\n  ret void");
    let (status, stdout, stderr) = run(&["run", "-", "--lang", "ll"], &reached);
    assert_eq!(status, 3, "{stdout}{stderr}");
    assert!(stdout.contains("<stdin>:10:3: the assembly text"), "{stdout}{stderr}");
    let takes = KERNEL.replace("@k()", "@k(i32 %n)");
    let (status, _, stderr) = run(&["run", "-", "--lang", "ll"], &takes);
    assert_eq!(status, 2, "{stderr}");
}

#[test]
fn mistakes_have_places() {
    let wrong = KERNEL.replace("i16 1)", "i16 %n)");
    let (status, _, stderr) = run(&["check", "-", "--lang", "ll"], &wrong);
    assert_eq!(status, 2);
    assert!(stderr.contains("<stdin>:9:") && stderr.contains("%n is not defined"), "{stderr}");
    let (status, _, stderr) = run(&["check", "-", "--lang", "ll", "--target", "gfx1250"], KERNEL);
    assert_eq!(status, 2, "{stderr}");
    let refused = KERNEL.replace("  ret void", "  indirectbr ptr null, []");
    let (status, _, stderr) = run(&["check", "-", "--lang", "ll"], &refused);
    assert_eq!(status, 3, "{stderr}");
    assert!(stderr.contains("indirectbr"), "{stderr}");
}
