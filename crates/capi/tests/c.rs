//! A program in C that uses the header does what it should.

use std::path::{Path, PathBuf};
use std::process::Command;

// The shared library of the crate is built with its Rust one.
use wavemark::wavemark_abi_version;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where the libraries of this build are.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("this program's path");
    test.parent().expect("its folder").to_owned()
}

#[test]
fn a_program_in_c() {
    assert_eq!(wavemark_abi_version(), wavemark::WAVEMARK_ABI_VERSION);
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program");
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(here().join("tests/launch.c"))
        .arg("-I")
        .arg(here().join("include"))
        .arg(libraries().join("libwavemark.so"))
        .output()
        .expect("a C compiler, which Rust links with");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    // It is looked for by its soname, as it would be where it is installed.
    let soname = folder.path().join(concat!("libwavemark.so.0.", env!("CARGO_PKG_VERSION_MINOR")));
    std::os::unix::fs::symlink(libraries().join("libwavemark.so"), soname).expect("a link");
    let examples = here().join("../../examples");
    let ran = Command::new(&program)
        .arg(examples.join("pipelined_copy/kernel.s"))
        .arg(examples.join("pipelined_copy_too_weak/kernel.s"))
        .env("LD_LIBRARY_PATH", folder.path())
        .output()
        .expect("the program can be started");
    let (out, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out == "as it should be\n", "{out}{errors}");
}
