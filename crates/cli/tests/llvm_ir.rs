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
    // What needs a run did not happen, and is said to be so.
    let (status, stdout, stderr) = run(&["check", "-", "--lang", "ll"], KERNEL);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(stdout.contains("global: races on global memory show in a run"), "{stdout}");
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

/// A wave copies two buffers, waits for both, and reads the first.
const COPIES: &str = "target triple = \"amdgpu12.50-amd-amdhsa\"
@lds = external addrspace(3) global [0 x i8], align 16

declare i32 @llvm.amdgcn.workitem.id.x()

declare void @llvm.amdgcn.s.wait.asynccnt(i16 immarg)

declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg)

define amdgpu_kernel void @k(ptr addrspace(1) %g) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %x16 = shl i32 %x, 4
  %first = getelementptr i8, ptr addrspace(3) @lds, i32 %x16
  %second = getelementptr i8, ptr addrspace(3) %first, i32 512
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %g, ptr addrspace(3) %first, i32 0, i32 0)
  call void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1) %g, ptr addrspace(3) %second, i32 0, i32 0)
  call void @llvm.amdgcn.s.wait.asynccnt(i16 0)
  %a = load <4 x i32>, ptr addrspace(3) %first, align 16
  call void @llvm.amdgcn.s.wait.asynccnt(i16 0)
  %b = load <4 x i32>, ptr addrspace(3) %second, align 16
  ret void
}

attributes #0 = { \"amdgpu-flat-work-group-size\"=\"1,32\" }
";

#[test]
fn copies_are_followed() {
    let (status, stdout, stderr) = run(&["check", "-", "--lang", "ll"], COPIES);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(stdout.contains("W2") && stdout.contains("may leave 1"), "{stdout}");
    let weak = COPIES.replacen("asynccnt(i16 0)", "asynccnt(i16 2)", 1);
    let (status, stdout, stderr) = run(&["check", "-", "--lang", "ll"], &weak);
    assert_eq!(status, 1, "{stdout}{stderr}");
    assert!(stdout.contains("R4") && stdout.contains("no more than 1 may be left"), "{stdout}");
    assert!(stdout.contains("<stdin>:15:3") && stdout.contains("<stdin>:18:"), "{stdout}");
}

#[test]
fn waits_are_tightened() {
    let (status, stdout, stderr) =
        run(&["compile", "-", "--lang", "ll", "--emit", "ll", "--tighten-waits"], COPIES);
    assert_eq!(status, 0, "{stderr}");
    assert!(stderr.contains("<stdin>:17:3: note: leaves 1 instead of 0"), "{stderr}");
    assert_eq!(stdout, COPIES.replacen("asynccnt(i16 0)", "asynccnt(i16 1)", 1));
    let (status, _, stderr) =
        run(&["compile", "-", "--lang", "s", "--emit", "obj", "--tighten-waits"], "s_nop 0");
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
