//! The command line as scripts see it: exit status, standard output, standard error.

use std::io::Write;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};

/// Runs `wavemark` in the folder of test inputs and compares everything it says.
fn check(arguments: &[&str], input: &str, expect: Expect) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wavemark"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/run"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may end without reading.
    _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    expect.assert_eq(&format!("exit {}\n{stdout}---\n{stderr}", output.status.code().unwrap()));
}

#[test]
fn usage_errors() {
    check(
        &[],
        "",
        expect![[r#"
        exit 2
        ---
        Compiles, runs and checks asynchronous AMD GPU kernels without a GPU

        Usage: wavemark <COMMAND>

        Commands:
          run       Run a kernel with every check on and compare what the launch file expects
          check     Check a kernel statically and, with a launch, over several schedules
          compile   Build an input as far as the named stage
          asm       Assemble
          dis       Disassemble a code object to text that `asm` takes back
          inspect   Print a code object's header, notes, metadata, kernel descriptors, symbols, relocations
          link      Link relocatable code objects into a loadable one
          bundle    Put code objects into an offload bundle
          unbundle  List or extract the code objects of an offload bundle
          litmus    Explore all executions of litmus tests
          targets   Print what is known and supported of each processor
          help      Print this message or the help of the given subcommand(s)

        Options:
          -h, --help     Print help
          -V, --version  Print version

        Exit status: 0 clean and as expected; 1 findings of severity error, or an output that differs; 2 unusable input or usage; 3 something is not modelled, or a requested check did not happen; 4 internal error.
    "#]],
    );
    check(
        &["rum", "k.s"],
        "",
        expect![[r#"
        exit 2
        ---
        error: unrecognized subcommand 'rum'

          tip: a similar subcommand exists: 'run'

        Usage: wavemark <COMMAND>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["run", "k.s", "--completion", "never"],
        "",
        expect![[r#"
        exit 2
        ---
        error: invalid value 'never' for '--completion <COMPLETION>'
          [possible values: late, early, random]

        For more information, try '--help'.
    "#]],
    );
    check(
        &["run", "k.s", "--threads", "0"],
        "",
        expect![[r#"
        exit 2
        ---
        error: invalid value '0' for '--threads <N>': 0 is not in 1..=4294967295

        For more information, try '--help'.
    "#]],
    );
    check(
        &["run", "k.s", "--target", "gfx9999"],
        "",
        expect![[r#"
        exit 2
        ---
        error: invalid value 'gfx9999' for '--target <TARGET-ID>': `gfx9999` is not a known AMD GPU processor

        For more information, try '--help'.
    "#]],
    );
    check(
        &["asm", "k.s"],
        "",
        expect![[r#"
        exit 2
        ---
        error: the following required arguments were not provided:
          -o <OUT.o>

        Usage: wavemark asm -o <OUT.o> <INPUT>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["dis", "-", "--lines"],
        "",
        expect![[r#"
        exit 2
        ---
        error: the following required arguments were not provided:
          --target <TARGET-ID>

        Usage: wavemark dis --target <TARGET-ID> --lines <INPUT>

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn unsupported() {
    check(
        &["litmus", "a.litmus", "b.litmus"],
        "",
        expect![[r#"
        exit 3
        ---
        error: unsupported: there is no explorer of litmus tests yet (asked for a.litmus, b.litmus)
    "#]],
    );
}

#[test]
fn one_target() {
    check(
        &["targets", "amdgcn-amd-amdhsa--gfx942:xnack-"],
        "",
        expect![[r#"
        exit 0
        gfx942:xnack-
          supported             code objects
          aliases               -
          isa version           9.4.2
          family                gfx9
          e_flags machine       0x4c
          wave sizes            64 (default 64)
          addressable SGPRs     102
          addressable VGPRs     512
          addressable AGPRs     256
          LDS per workgroup     65536 bytes
          workgroup             at most 1024 work-items
          cluster               at most 1 workgroups
          named barriers        0
          properties            wave64 xnack sramecc tgsplit packed-work-item-ids architected-flat-scratch kernarg-preload agprs unified-vgprs generic-address-space
        ---
    "#]],
    );
}
