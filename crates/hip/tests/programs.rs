//! HIP programs that run on the stand-in: one in C, which is compiled wherever Rust links, and one in HIP, where there is a
//! clang that compiles HIP (`WAVEMARK_CLANG`, or clang++-22).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

// The shared library of the crate is built with its Rust one.
use amdhip64 as _;
use wavemark_diag::SourceMap;
use wavemark_driver::assembly::AssemblyOptions;
use wavemark_driver::build::{assemble_input, link_one};
use wavemark_driver::input;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with the stand-in under the names that programs ask for.
fn library(folder: &Path) {
    let test = std::env::current_exe().expect("this program's path");
    let built = test.with_file_name("libamdhip64.so");
    assert!(built.is_file(), "{} is not there", built.display());
    for name in ["libamdhip64.so", "libamdhip64.so.7"] {
        std::os::unix::fs::symlink(&built, folder.join(name)).expect("a link");
    }
}

/// The code object of an example.
fn example(name: &str) -> Vec<u8> {
    let path = here().join("../../examples").join(name).join("kernel.s");
    let input = input::read(&path, None).expect("an example");
    let mut sources = SourceMap::new();
    let assembled = assemble_input(&mut sources, &input, None, "", &AssemblyOptions::default());
    let assembled = assembled.expect("the example is right");
    link_one(&mut sources, &input.name, &assembled.elf).expect("it can be linked")
}

struct Built {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Built {
    fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        Command::new(&self.program)
            .args(arguments)
            .env("LD_LIBRARY_PATH", self.folder.path())
            .envs(environment.iter().copied())
            .output()
            .expect("the program can be started")
    }
}

fn told(output: &Output) -> String {
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{:?}\n{out}{errors}", output.status)
}

/// The program in C: its fat binary has a right kernel for gfx950 and one with a race for gfx1250.
fn program_in_c() -> Built {
    let folder = tempfile::tempdir().expect("a folder");
    library(folder.path());
    let right = example("pipelined_copy_gfx950");
    let racy = example("pipelined_copy_too_weak");
    let bundle = wavemark_codeobj::bundle::write(&[
        ("host-x86_64-unknown-linux-gnu-", b""),
        ("hipv4-amdgcn-amd-amdhsa--gfx950", &right),
        ("hipv4-amdgcn-amd-amdhsa--gfx1250", &racy),
    ]);
    let path = folder.path().join("kernels.hipfb");
    std::fs::write(&path, bundle).expect("the bundle is written");
    std::fs::write(folder.path().join("right.hsaco"), right).expect("the code object is written");
    let program = folder.path().join("program");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(format!("-DBUNDLE=\"{}\"", path.display()))
        .arg(here().join("tests/program.c"))
        .arg("-L")
        .arg(folder.path())
        .arg("-lamdhip64")
        .output()
        .expect("a C compiler, which Rust links with");
    assert!(compiled.status.success(), "{}", told(&compiled));
    Built { folder, program }
}

#[test]
fn a_program_in_c() {
    let built = program_in_c();
    let module = built.folder.path().join("right.hsaco");
    let module = module.to_str().expect("a path in UTF-8");

    // The processor is that of the first code object.
    let ran = built.run(&["3", "6", "128", module], &[]);
    let all = told(&ran);
    assert!(ran.status.success() && all.contains("as it should be"), "{all}");
    for named in ["hipGraphCreate", "memory of hipMalloc", "pipelined_cpoy", "4096"] {
        assert!(all.contains(named), "{named} in {all}");
    }

    // A race: told, the launch succeeds, the program does not end with 0.
    let racy = ["2", "8", "64", "racy"];
    let gfx1250 = ("WAVEMARK_ARCH", "gfx1250");
    let ran = built.run(&racy, &[gfx1250]);
    let all = told(&ran);
    assert!(all.contains("error[") && all.contains("s_wait_asynccnt"), "{all}");
    assert!(ran.status.code() == Some(1) && all.contains("results are not looked at"), "{all}");
    let ran = built.run(&racy, &[gfx1250, ("WAVEMARK_FINDINGS", "report")]);
    assert!(ran.status.success() && told(&ran).contains("error["), "{}", told(&ran));
    let ran = built.run(&racy, &[gfx1250, ("WAVEMARK_FINDINGS", "error")]);
    assert!(told(&ran).contains("launch: hipErrorLaunchFailure"), "{}", told(&ran));
    let ran = built.run(&racy, &[gfx1250, ("WAVEMARK_CHECK", "off")]);
    assert!(ran.status.success() && !told(&ran).contains("error["), "{}", told(&ran));
    let ran = built.run(&racy, &[gfx1250, ("WAVEMARK_MAX_STEPS", "5")]);
    assert!(told(&ran).contains("launch: hipErrorLaunchTimeOut"), "{}", told(&ran));

    // What cannot be used is named.
    let ran = built.run(&racy, &[("WAVEMARK_ARCH", "gfx942")]);
    assert!(told(&ran).contains("launch: hipErrorNoBinaryForGpu"), "{}", told(&ran));
    let ran = built.run(&racy, &[("WAVEMARK_SEED", "seven")]);
    assert!(!ran.status.success() && told(&ran).contains("WAVEMARK_SEED"), "{}", told(&ran));
}

/// A clang that compiles HIP.
fn clang() -> Option<String> {
    let named = std::env::var("WAVEMARK_CLANG").unwrap_or_else(|_| "clang++-22".to_owned());
    let version = Command::new(&named).arg("--version").output().ok()?;
    version.status.success().then_some(named)
}

#[test]
fn a_program_in_hip() {
    let Some(clang) = clang() else {
        println!("left out: there is no clang++-22");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    library(folder.path());
    let source = here().join("tests/program.hip");
    let compile = |more: &[&str], out: &str| {
        let compiled = Command::new(&clang)
            .args(["-x", "hip", "-nogpulib", "-nogpuinc", "-O2", "-fuse-cuid=none"])
            .args(more)
            .arg("-c")
            .arg(&source)
            .arg("-o")
            .arg(folder.path().join(out))
            .output()
            .expect("clang");
        assert!(compiled.status.success(), "{}", told(&compiled));
    };
    let link = |objects: &[&str], program: &str| {
        let linked = Command::new(&clang)
            .args(objects.iter().map(|object| folder.path().join(object)))
            .arg("-L")
            .arg(folder.path())
            .args(["-lamdhip64", "-o"])
            .arg(folder.path().join(program))
            .output()
            .expect("clang");
        assert!(linked.status.success(), "{}", told(&linked));
    };
    let run = |program: &str, environment: &[(&str, &str)]| {
        let mut command = Command::new(folder.path().join(program));
        command.env("LD_LIBRARY_PATH", folder.path()).envs(environment.iter().copied());
        let ran = command.output().expect("the program can be started");
        assert!(ran.status.success() && told(&ran).contains("as it should be"), "{}", told(&ran));
    };

    // As a user compiles it: host and two devices in one.
    compile(&["--offload-arch=gfx950", "--offload-arch=gfx1250"], "whole.o");
    link(&["whole.o"], "whole");
    run("whole", &[]);
    run("whole", &[("WAVEMARK_ARCH", "gfx1250")]);

    // The host's part alone, with device code that is bundled here.
    compile(&["--offload-host-only"], "host.o");
    compile(&["--offload-device-only", "--no-gpu-bundle-output", "--offload-arch=gfx950"], "device.co");
    let device = std::fs::read(folder.path().join("device.co")).expect("device code");
    let bundle = wavemark_codeobj::bundle::write(&[
        ("host-x86_64-unknown-linux-gnu-", b""),
        ("hipv4-amdgcn-amd-amdhsa--gfx950", &device),
    ]);
    std::fs::write(folder.path().join("device.hipfb"), bundle).expect("the bundle is written");
    let text = format!(
        ".section .hip_fatbin, \"a\"\n.balign 4096\n.globl __hip_fatbin\n__hip_fatbin:\n.incbin \"{}\"\n\
         .section .note.GNU-stack, \"\", @progbits\n",
        folder.path().join("device.hipfb").display()
    );
    std::fs::write(folder.path().join("fatbin.s"), text).expect("the assembly is written");
    link(&["host.o", "fatbin.s"], "joined");
    run("joined", &[]);
}
