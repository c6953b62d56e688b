//! The command line as scripts see it: exit status, standard output, standard error.

use std::io::Write;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};

/// Runs `wavemark` in the folder of test inputs: exit status, standard output, standard error.
fn run(arguments: &[&str], input: &str) -> (i32, String, String) {
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
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Compares everything that a command says.
fn check(arguments: &[&str], input: &str, expect: Expect) {
    let (status, stdout, stderr) = run(arguments, input);
    expect.assert_eq(&format!("exit {status}\n{stdout}---\n{stderr}"));
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

            Usage: wavemark [OPTIONS] <COMMAND>

            Commands:
              run          Run a kernel with every check on and compare what the launch file expects
              check        Check a kernel statically and, with a launch, over several schedules
              campaign     Check kernels under many seeds, completion modes and schedules, on all cores, and merge what is found
              compare      Run a kernel's LLVM IR and the code object made of it, and say where their outputs differ
              compile      Build an input as far as the named stage
              asm          Assemble
              dis          Disassemble a code object to text that `asm` takes back
              inspect      Print a code object's header, notes, metadata, kernel descriptors, symbols, relocations
              link         Link relocatable code objects into a loadable one
              bundle       Put code objects into an offload bundle
              unbundle     List or extract the code objects of an offload bundle
              litmus       Explore all executions of litmus tests
              targets      Print what is known and supported of each processor
              completions  Print what a shell completes
              man          Write manual pages, one for each command
              help         Print this message or the help of the given subcommand(s)

            Options:
                  --max-memory <SIZE>  The memory that the command may use, such as 512MiB; left out: 8GiB, or what the host leaves
              -h, --help               Print help
              -V, --version            Print version

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

            Usage: wavemark [OPTIONS] <COMMAND>

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

const MESSAGE_PASSING: &str = r#"AMDGPU mp
 P0                                           | P1                                           ;
 store X, 1                                   | a = load atomic F syncscope("agent") acquire ;
 store atomic F, 1 syncscope("agent") release | bne a, 1, END                                ;
                                              | b = load X                                   ;
                                              | END:                                         ;
scopes: (agent (workgroup P0) (workgroup P1))
exists (1:a=1 /\ 1:b=0)
"#;

#[test]
fn litmus_tests() {
    check(
        &["litmus", "-"],
        MESSAGE_PASSING,
        expect![[r#"
        exit 0
        <stdin>: Forbidden
                 1  > 1:a=0;
                 1  > 1:a=1; 1:b=1;
        ---
    "#]],
    );
    let racy = MESSAGE_PASSING.replace("acquire", "monotonic") + "expect: Forbidden\n";
    check(
        &["litmus", "-"],
        &racy,
        expect![[r#"
        exit 1
        <stdin>: Racy, expected Forbidden
                 1  > 1:a=0;
                 1 *> 1:a=1; 1:b=0;  (racy)
                 1  > 1:a=1; 1:b=1;  (racy)
          race: M1, missing-sync: P0: store X, 1  [1] and P1: b = load X  [0]
          witness:
            P0: store X, 1  [1]  over initially X
            P0: store atomic F, 1 syncscope("agent") release  [1]  over initially F
            P1: a = load atomic F syncscope("agent") monotonic  [1]  <- P0: store atomic F, 1 syncscope("agent") release  [1]
            P1: bne a, 1, END  not taken
            P1: b = load X  [0]  <- initially X
        ---
    "#]],
    );
    check(
        &["litmus", "-", "--format", "json"],
        MESSAGE_PASSING,
        expect![[r#"
        exit 0
        {"file":"<stdin>","name":"mp","verdict":"Forbidden","expected":null,"outcomes":[{"state":"1:a=0;","count":1,"racy":false,"asked":false},{"state":"1:a=1; 1:b=1;","count":1,"racy":false,"asked":false}],"finished":true,"states":12,"rules":[],"advice":[],"witness":[]}
        ---
    "#]],
    );
    check(
        &["litmus", "-", "--max-states", "3"],
        MESSAGE_PASSING,
        expect![[r#"
        exit 3
        <stdin>: Unknown
          not finished: stopped at the bound of states, after 6
        ---
    "#]],
    );
    check(
        &["litmus", "-"],
        &MESSAGE_PASSING.replace("store X, 1", "store X 1 "),
        expect![[r#"
        exit 2
        ---
        error: expected `,`, found `1`
         --> <stdin>:3:10
          |
        3 |  store X 1                                    | a = load atomic F syncscope("agent") acquire ;
          |          ^
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
          supported                 asm, dis, run, check
          aliases                   -
          isa version               9.4.2
          family                    gfx9
          code object V2            -
          code object V3            gfx942+sram-ecc
          e_flags                   V3 0x24c, V4 0x64c, V5 0x64c, V6 0x64c
          wave sizes                64 (default 64)
          addressable SGPRs         102
          addressable VGPRs         512
          addressable AGPRs         256
          LDS per workgroup         65536 bytes
          workgroup                 at most 1024 work-items
          cluster                   at most 1 workgroups
          named barriers            0
          properties                wave64 xnack sramecc tgsplit packed-work-item-ids architected-flat-scratch kernarg-preload agprs unified-vgprs generic-address-space
        ---
    "#]],
    );
}

#[test]
fn an_explained_target() {
    let (status, page, _) = run(&["targets", "--explain", "gfx942"], "");
    assert_eq!(status, 0);
    for line in [
        "  e_flags                   V3 0x34c, V4 0x54c, V5 0x54c, V6 0x54c",
        "  cache_policy              sc0 sc1 nt",
        "                              from guide, \"Memory Model\"; `AMDGPUAsmParser::parseCPol`",
        "  xf32-insts                                    matrix operations on xf32",
        "  approximate               transcendental functions",
        "                              correctly rounded but for ties within 2^-40; the hardware's last bits may differ",
        "                              Global wave sync: a resource of the whole device that a driver sets up.",
    ] {
        assert!(page.lines().any(|other| other == line), "{line}\n{page}");
    }
    assert_eq!(run(&["targets", "gfx942", "--explain"], "").1, page);
    let (status, _, error) = run(&["targets", "--explain"], "");
    assert_eq!((status, error.as_str()), (2, "error: --explain: which target?\n"));
    let (status, _, error) = run(&["targets", "cayman"], "");
    assert_eq!(status, 2);
    assert!(error.contains("R600 architecture"), "{error}");
}

/// The time of a run, which is never the same, replaced.
fn check_run(arguments: &[&str], expect: Expect) {
    let (status, stdout, stderr) = run(arguments, "");
    let cut = |text: &str, before: &str, after: &str| {
        let Some((head, rest)) = text.split_once(before) else { return text.to_owned() };
        let tail = rest.split_once(after).map_or("", |(_, tail)| tail);
        format!("{head}{before}TIME{after}{tail}")
    };
    let stdout = cut(&cut(&stdout, "instructions in ", " s\n"), "\"seconds\":", "}");
    expect.assert_eq(&format!("exit {status}\n{stdout}---\n{stderr}"));
}

#[test]
fn runs() {
    let scale = ["run", "kernels/scale.s", "--launch", "kernels/scale.toml"];
    check_run(
        &scale,
        expect![[r#"
            exit 0
            output out: as expected (max abs error 0, max rel error 0)
            kernels/scale.s: scale on gfx1250: clean, no findings
              1 workgroups, 1 waves, 10 wave instructions, 320 lane instructions in TIME s
              executed: all 10 instructions
              checked: registers, lds, global, barriers, waits
              rules not looked for: B15, L1, L3, L4, L5, H2, H3, H6, N1
            ---
        "#]],
    );
    check_run(
        &[&scale[..], &["--format", "json"]].concat(),
        expect![[r#"
            exit 0
            {"wavemark":"0.1.0","input":"kernels/scale.s","target":"gfx1250","kernel":"scale","outcome":"clean","checked":{"registers":true,"lds":true,"global":true,"barriers":true,"waits":true},"findings":[],"outputs":[{"name":"out","matches":true,"max_abs_error":0.0,"max_rel_error":0.0,"mismatches":0,"elements":32}],"stats":{"workgroups":1,"waves":1,"wave_instructions":10,"lane_instructions":320,"seconds":TIME},"not_checked":[{"rule":"B15","reason":"barriers in divergent control flow are seen by their consequences alone"},{"rule":"L1","reason":"a wait that names another barrier than the joined one"},{"rule":"L3","reason":"a wave that ends as a member is seen by the waits that it leaves behind alone"},{"rule":"L4","reason":"a barrier that is initialised while arrivals are pending"},{"rule":"L5","reason":"a barrier that is used without being ordered behind its initialisation"},{"rule":"H2","reason":"a phase that completes while the wave's completion bit is set"},{"rule":"H3","reason":"a join of barrier 0"},{"rule":"H6","reason":"a wait that passes because all members have dropped"},{"rule":"N1","reason":"wait states are counted over all paths, by `check`, not in a run"}],"coverage":{"instructions":{"executed":10,"total":10},"unexecuted_unsupported":0}}
            ---
        "#]],
    );
    check_run(
        &["run", "kernels/scale.s", "--launch", "kernels/scale-mismatch.toml"],
        expect![[r#"
            exit 1
            output out: 32 of 32 elements differ (max abs error 1.00e0, max rel error 1.00e0); first at [0, 0]: 1 instead of 0
            kernels/scale.s: scale on gfx1250: mismatch
              1 workgroups, 1 waves, 10 wave instructions, 320 lane instructions in TIME s
              executed: all 10 instructions
              checked: registers, lds, global, barriers, waits
              rules not looked for: B15, L1, L3, L4, L5, H2, H3, H6, N1
            ---
        "#]],
    );
    check_run(
        &["run", "kernels/scale.s", "--launch", "kernels/scale-bounds.toml"],
        expect![[r#"
            exit 1
            error[O1]: load of 4 bytes at 0x7a0000013070 in global memory is out of bounds: 0 bytes past the end of argument `x` (112 bytes at 0x7a0000013000)
              access: kernels/scale.s:13:2 (at 0x1320), workgroup 0,0,0, wave 0, lanes 28-31
                   13 | global_load_b32 v2, v1, s[4:5]

            error[O1]: store of 4 bytes at 0x7a0000024070 in global memory is out of bounds: 0 bytes past the end of argument `out` (112 bytes at 0x7a0000024000)
              access: kernels/scale.s:16:2 (at 0x1334), workgroup 0,0,0, wave 0, lanes 28-31
                   16 | global_store_b32 v1, v2, s[6:7]

            kernels/scale.s: scale on gfx1250: findings, 2 errors
              1 workgroups, 1 waves, 10 wave instructions, 320 lane instructions in TIME s
              executed: all 10 instructions
              checked: registers, lds, global, barriers, waits
              rules not looked for: B15, L1, L3, L4, L5, H2, H3, H6, N1
            ---
        "#]],
    );
    check_run(
        &["run", "kernels/unwaited.s", "--launch", "kernels/scale.toml"],
        expect![[r#"
            exit 1
            error[R1]: v2 is read while global_load_b32 is still writing it
              producer: kernels/unwaited.s:13:2 (at 0x1320), workgroup 0,0,0, wave 0
                   13 | global_load_b32 v2, v1, s[4:5]
              consumer: kernels/unwaited.s:14:2 (at 0x132c), workgroup 0,0,0, wave 0
                   14 | v_add_nc_u32 v2, s8, v2
              hint: s_wait_loadcnt 0 before v_add_nc_u32_e32 at kernels/unwaited.s:14:2

            output out: 31 of 32 elements differ (max abs error 3.10e1, max rel error 1.00e0); first at [0, 1]: 0 instead of 1
            kernels/unwaited.s: scale on gfx1250: findings, 1 error
              1 workgroups, 1 waves, 9 wave instructions, 288 lane instructions in TIME s
              executed: all 9 instructions
              checked: registers, lds, global, barriers, waits
              rules not looked for: B15, L1, L3, L4, L5, H2, H3, H6, N1
            ---
        "#]],
    );
    check_run(
        &["run", "kernels/spin.s", "--max-steps", "1000"],
        expect![[r#"
            exit 1
            error[T2]: a wave has executed more instructions than --max-steps permits: does the kernel end?
              limit: kernels/spin.s:8:2 (at 0x1300), workgroup 0,0,0, wave 0
                    8 | s_branch spin

            not checked: the rest: what comes after the step limit
            kernels/spin.s: spin on gfx950: findings, 1 error
              1 workgroups, 1 waves, 4097 wave instructions, 262208 lane instructions in TIME s
              executed: all 1 instructions
              checked: registers, lds, global, barriers, waits
              rules not looked for: B15, N1
            ---
        "#]],
    );
    check_run(
        &["run", "kernels/spin.s", "--max-steps", "1000", "--check", "off"],
        expect![[r#"
            exit 1
            error[T2]: a wave has executed more instructions than --max-steps permits: does the kernel end?

            not checked: the rest: what comes after the step limit
            kernels/spin.s: spin on gfx950: findings, 1 error
              1 workgroups, 1 waves, 4097 wave instructions, 262208 lane instructions in TIME s
              executed: all 1 instructions
              checked: nothing; not checked: registers, lds, global, barriers, waits
            ---
        "#]],
    );
    check_run(
        &[&scale[..], &["--check", "off"]].concat(),
        expect![[r#"
            exit 0
            output out: as expected (max abs error 0, max rel error 0)
            kernels/scale.s: scale on gfx1250: not-checked
              1 workgroups, 1 waves, 10 wave instructions, 320 lane instructions in TIME s
              executed: all 10 instructions
              checked: nothing; not checked: registers, lds, global, barriers, waits
            ---
        "#]],
    );
}

#[test]
fn limits_of_a_run() {
    let long = ["run", "kernels/trip-count.s", "--launch", "kernels/trip-count.toml"];
    check_run(
        &[&long[..], &["--stop-on-error"]].concat(),
        expect![[r#"
            exit 1
            error[R1]: s4 is read while s_load_b32 is still writing it
              producer: kernels/trip-count.s:10:2 (at 0x1300), workgroup 0,0,0, wave 0
                   10 | s_load_b32 s4, s[0:1], 0x0
              consumer: kernels/trip-count.s:14:2 (at 0x1310), workgroup 0,0,0, wave 0
                   14 | s_add_co_i32 s4, s4, -1
              hint: s_wait_kmcnt 0 before s_add_co_i32 at kernels/trip-count.s:14:2

            not checked: the rest: what comes after the first error that makes values meaningless (--stop-on-error)
            kernels/trip-count.s: count on gfx1250: findings, 1 error
              1 workgroups, 1 waves, 4098 wave instructions, 131136 lane instructions in TIME s
              executed: 6 of 7 instructions, not 0x131c-0x1320 (kernels/trip-count.s:17)
              checked: registers, lds, global, barriers, waits
              rules not looked for: B15, L1, L3, L4, L5, H2, H3, H6, N1
            ---
        "#]],
    );
    check_run(
        &[&long[..], &["--max-total-steps", "100000"]].concat(),
        expect![[r#"
            exit 1
            error[R1]: s4 is read while s_load_b32 is still writing it
              producer: kernels/trip-count.s:10:2 (at 0x1300), workgroup 0,0,0, wave 0
                   10 | s_load_b32 s4, s[0:1], 0x0
              consumer: kernels/trip-count.s:14:2 (at 0x1310), workgroup 0,0,0, wave 0
                   14 | s_add_co_i32 s4, s4, -1
              hint: s_wait_kmcnt 0 before s_add_co_i32 at kernels/trip-count.s:14:2

            error[T2]: the waves have executed more instructions than --max-total-steps permits: does the kernel end?
              limit: kernels/trip-count.s:16:2 (at 0x1318), workgroup 0,0,0, wave 0
                   16 | s_cbranch_scc1 .Lloop

            not checked: the rest: what comes after the step limit
            kernels/trip-count.s: count on gfx1250: findings, 2 errors
              1 workgroups, 1 waves, 102498 wave instructions, 3279936 lane instructions in TIME s
              executed: 6 of 7 instructions, not 0x131c-0x1320 (kernels/trip-count.s:17)
              checked: registers, lds, global, barriers, waits
              rules not looked for: B15, L1, L3, L4, L5, H2, H3, H6, N1
            ---
        "#]],
    );
    // How far it comes depends on the host: the limit is what counts.
    let args = [&long[..], &["--timeout", "0.2", "--max-steps", "1000000000000", "--check", "off"]].concat();
    let (status, stdout, _) = run(&args, "");
    assert!(status == 1 && stdout.contains("longer than --timeout permits"), "exit {status}: {stdout}");
    check(
        &[&long[..], &["--timeout", "0"]].concat(),
        "",
        expect![[r#"
        exit 2
        ---
        error: invalid value '0' for '--timeout <SECONDS>': a positive number of seconds is expected

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn unusable_inputs() {
    check(
        &["run", "kernels/scale.s"],
        "",
        expect![[r#"
        exit 2
        ---
        error: scale takes arguments, and there is no launch to give them
         |
         = help: give a launch file: --launch L.toml
    "#]],
    );
    check(
        &["run", "kernels/absent.s"],
        "",
        expect![[r#"
        exit 2
        ---
        error: cannot read kernels/absent.s: No such file or directory (os error 2)
    "#]],
    );
    check(
        &["run", "kernels/typo.s"],
        "",
        expect![[r#"
            exit 2
            ---
            error: invalid instruction: is s_nop meant?
             --> kernels/typo.s:3:2
              |
            3 |     s_nopp 1
              |     ^^^^^^
            error: v_mov_b32 takes 2 operands (vdst, src0); 1 are given
             --> kernels/typo.s:4:2
              |
            4 |     v_mov_b32 v0
              |     ^^^^^^^^^
        "#]],
    );
    check(
        &["run", "kernels/typo.s", "--format", "json"],
        "",
        expect![[r#"
            exit 2
            {"wavemark":"0.1.0","input":"kernels/typo.s","target":"","kernel":"","outcome":"error","checked":{"registers":false,"lds":false,"global":false,"barriers":false,"waits":false},"findings":[],"outputs":[],"stats":{"workgroups":0,"waves":0,"wave_instructions":0,"lane_instructions":0,"seconds":0.0},"diagnostics":["kernels/typo.s:3:2: error: invalid instruction: is s_nop meant?","kernels/typo.s:4:2: error: v_mov_b32 takes 2 operands (vdst, src0); 1 are given"]}
            ---
        "#]],
    );
    check(
        &["run", "kernels/scale.s", "--target", "gfx950"],
        "",
        expect![[r#"
        exit 2
        ---
        error: kernels/scale.s is for gfx1250, --target says gfx950
    "#]],
    );
    check(
        &["run", "kernels/scale.s", "--launch", "launch/unknown-keys.toml"],
        "",
        expect![[r#"
        exit 2
        ---
        error: unknown key `gird` of a launch file
         --> launch/unknown-keys.toml:2:1
          |
        2 | gird = [1]
          | ^^^^
          |
          = help: did you mean `grid`?
        error: unknown key `blocks` of a launch file
         --> launch/unknown-keys.toml:5:1
          |
        5 | blocks = [2]
          | ^^^^^^
          |
          = help: did you mean `block`?
        error: unknown key `colour` of a launch file
         --> launch/unknown-keys.toml:6:1
          |
        6 | colour = "red"
          | ^^^^^^
          |
          = help: the keys are kernel, grid, block, cluster, dynamic_lds, arg
        error: unknown key `dtypes` of an argument
         --> launch/unknown-keys.toml:9:1
          |
        9 | dtypes = "f32"
          | ^^^^^^
          |
          = help: did you mean `dtype`?
        error: unknown key `shpae` of an argument
          --> launch/unknown-keys.toml:11:1
           |
        11 | shpae = [1]
           | ^^^^^
           |
           = help: did you mean `shape`?
    "#]],
    );
    check(
        &["run", "kernels/scale.s", "--launch", "kernels/scale.toml", "--kernel", "scales"],
        "",
        expect![[r#"
            exit 2
            ---
            error: kernels/scale.s has no kernel `scales`
             |
             = help: did you mean `scale`?
        "#]],
    );
    check(
        &["run", "kernels/scale.s", "--launch", "kernels/scale.toml", "--check", "ldss"],
        "",
        expect![[r#"
            exit 2
            ---
            error: --check: `ldss` is no check: full, off, or a list of registers, lds, global, barriers, waits
        "#]],
    );
    check(
        &["run", "kernels/scale.s", "--launch", "kernels/scale.toml", "--model", "x"],
        "",
        expect![[r#"
            exit 2
            ---
            error: --model: `x` is no reading of an open question: multicast=wait|timeout, asynccnt=two|one, xcnt=advice|strict, tensor-order=issued|any, arrive-count=undefined|allowed, inv-wait=issued|strict, completion-bit=cleared|kept, lds-dma-order=issued|any, cu-order=device|workgroup, end-of-program=error|lint
        "#]],
    );
    check(
        &["run", "-"],
        "s_nop 0",
        expect![[r#"
        exit 2
        ---
        error: cannot tell what standard input is
         |
         = help: say it: --lang py|ll|asm|obj|litmus
    "#]],
    );
    check(
        &["run", "-", "--lang", "obj"],
        "s_nop 0",
        expect![[r#"
            exit 2
            ---
            error: <stdin> is neither an ELF code object nor an offload bundle nor a captured launch: it has no such magic bytes
        "#]],
    );
    check(
        &["inspect", "-"],
        "\u{7f}ELF",
        expect![[r#"
        exit 2
        ---
        error: the ELF identification: 16 bytes needed, 4 left
        --> <stdin>:0x0
    "#]],
    );
    check(
        &["link", "kernels/scale.s", "-o", "/dev/null"],
        "",
        expect![[r#"
            exit 2
            ---
            error: kernels/scale.s is neither an ELF code object nor an offload bundle nor a captured launch: it has no such magic bytes
        "#]],
    );
}

#[test]
fn lines() {
    let text = "v_add_f32 v0, v1, v2\n\n  s_nopp 1\ns_nop 3 ; three\r\n";
    check(
        &["asm", "-", "--lines", "--target", "gfx1250"],
        text,
        expect![[r#"
            exit 0
            OK	01050006

            ERR	3: invalid instruction: is s_nop meant?
            OK	030080bf
            ---
        "#]],
    );
    check(
        &["dis", "-", "--lines", "--target", "gfx1250"],
        "01050006\n\nzz\n030080bf\n0300\n",
        expect![[r#"
        exit 0
        OK	v_add_f32_e32 v0, v1, v2

        ERR	'z' is no hexadecimal digit
        OK	s_nop 3
        ERR	instruction is truncated: 4 bytes needed, 2 left
        ---
    "#]],
    );
    check(
        &["asm", "--lines", "--target", "gfx1250", "--features", "+nonsense"],
        text,
        expect![[r#"
        exit 2
        ---
        error: --features: `+nonsense` is not a feature that can be switched
    "#]],
    );
    check(
        &["asm", "--lines", "--target", "gfx600"],
        text,
        expect![[r#"
            exit 0
            OK	01050006

            ERR	3: invalid instruction: is s_nop meant?
            OK	030080bf
            ---
        "#]],
    );
}

#[test]
fn there_and_back() {
    let folder = std::env::temp_dir().join(format!("wavemark-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let run_clean = |arguments: &[&str]| assert_eq!(run(arguments, "").0, 0, "{arguments:?}");
    run_clean(&["asm", "kernels/scale.s", "-o", &path("a.o")]);
    run_clean(&["link", &path("a.o"), "-o", &path("a.hsaco")]);
    run_clean(&["compile", "kernels/scale.s", "--emit", "hsaco", "-o", &path("b.hsaco")]);
    run_clean(&["dis", &path("a.hsaco"), "--addresses", "--encoding", "-o", &path("c.s")]);
    let text = std::fs::read_to_string(folder.join("c.s")).unwrap();
    let end = text.lines().find(|line| line.contains("s_endpgm")).unwrap();
    assert_eq!(end.split_whitespace().collect::<Vec<_>>(), ["s_endpgm", "//", "000000001340:", "BFB00000"]);
    run_clean(&["compile", &path("c.s"), "--emit", "hsaco", "-o", &path("c.hsaco")]);
    #[cfg(target_os = "linux")]
    for out in ["/dev/stdout", "/dev/fd/1"] {
        let (status, text, _) = run(&["compile", "kernels/scale.s", "--emit", "asm", "-o", out], "");
        assert!(status == 0 && text.contains("s_endpgm"), "{out}: {text}");
    }
    run_clean(&["bundle", &path("a.hsaco"), "-o", &path("bundle")]);
    run_clean(&["unbundle", &path("bundle"), "--target", "gfx1250", "-o", &path("d.hsaco")]);
    run_clean(&["bundle", &path("a.hsaco"), "--compress", "zstd", "-o", &path("packed")]);
    let entry = "hipv4-amdgcn-amd-amdhsa--gfx1250";
    run_clean(&["unbundle", &path("packed"), "--entry", entry, "-o", &path("e.hsaco")]);
    let uri = format!("file://{}", path("a.hsaco"));
    for what in [&uri, &path("a.o"), &path("packed")] {
        run_clean(&["inspect", what]);
        run_clean(&["inspect", "--dwarf", what]);
        let (status, json, _) = run(&["inspect", "--format", "json", what], "");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let object = if json["kind"] == "bundle" { &json["entries"][1]["code_object"] } else { &json };
        assert_eq!((status, object["target"].as_str()), (0, Some("gfx1250")), "{what}");
    }
    for object in ["a.o", "a.hsaco", "b.hsaco", "c.hsaco", "d.hsaco", "e.hsaco", "bundle", "packed"] {
        run_clean(&["run", &path(object), "--launch", "kernels/scale.toml", "--out", &path("out")]);
    }
    let out = std::fs::read(folder.join("out/out.npy")).unwrap();
    let expected: Vec<u8> = (0..32u32).flat_map(u32::to_le_bytes).collect();
    assert!(out.ends_with(&expected));
    run_clean(&["run", &path("a.o"), "--launch", "kernels/scale.toml", "--trace", &path("trace.json")]);
    let trace: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("trace.json")).unwrap()).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().len() > 5);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn checks() {
    check_run(
        &["check", "kernels/scale.s"],
        expect![[r#"
            exit 0
            note: nothing was executed: there is no launch (--launch L.toml)
            kernels/scale.s: scale on gfx1250: clean, no findings
              on all paths: 10 instructions, for registers and waits
              checked: registers; not checked: lds, global, barriers, waits
              rules not looked for: R3, U1
            ---
        "#]],
    );
    // Each kernel has a report if nobody says which.
    check(
        &["check", "kernels/two-kernels.s"],
        "",
        expect![[r#"
            exit 1
            note: nothing was executed: there is no launch (--launch L.toml)
            kernels/two-kernels.s: copy on gfx942: clean, no findings
              on all paths: 7 instructions, for registers and waits
              checked: registers; not checked: lds, global, barriers, waits
              rules not looked for: R3, U1

            error[R1]: v2 is read while global_load_dword may still be writing it
              producer: kernels/two-kernels.s:26:2 (at 0x1510)
                   26 | global_load_dword v2, v1, s[4:5]
              consumer: kernels/two-kernels.s:27:2 (at 0x1518)
                   27 | global_store_dword v1, v2, s[6:7]
              hint: s_waitcnt vmcnt(0) before global_store_dword at kernels/two-kernels.s:27:2

            note: nothing was executed: there is no launch (--launch L.toml)
            kernels/two-kernels.s: copy_too_early on gfx942: findings, 1 error
              on all paths: 6 instructions, for registers and waits
              checked: registers; not checked: lds, global, barriers, waits
              rules not looked for: R3, U1

            2 kernels: 1 clean, 1 findings
            ---
        "#]],
    );
    check(
        &["check", "kernels/two-kernels.s", "--kernel", "copy", "--quiet"],
        "",
        expect![[r#"
        exit 0
        ---
    "#]],
    );
    check_run(
        &["check", "kernels/scale.s", "--launch", "kernels/scale.toml", "--schedules", "3"],
        expect![[r#"
            exit 0
            output out: as expected (max abs error 0, max rel error 0)
            kernels/scale.s: scale on gfx1250: clean, no findings
              3 workgroups, 3 waves, 30 wave instructions, 960 lane instructions in TIME s
              on all paths: 10 instructions, for registers and waits
              executed: all 10 instructions
              checked: registers, lds, global, barriers, waits
              rules not looked for: B15, L1, L3, L4, L5, H2, H3, H6
            ---
        "#]],
    );
}

/// What a kernel prints is printed before the report, and is part of the JSON.
#[test]
fn printf() {
    let (status, stdout, stderr) = run(&["run", "kernels/printf.s"], "");
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.starts_with("n=42\n"), "{stdout}");
    let (status, stdout, _) = run(&["run", "kernels/printf.s", "--format", "json"], "");
    assert_eq!(status, 0, "{stdout}");
    assert!(stdout.contains(r#""printed":[{"stream":"stdout","text":"n=42\n"}]"#), "{stdout}");
}

/// A kernel of gfx950 with this code, and a function `f` with that.
fn kernel_that_calls(code: &str, function: &str) -> String {
    format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx950\"\n.text\n.p2align 8\n.globl k\n.type k,@function\nk:\n{code}\n\
         s_endpgm\nf:\n{function}\ns_setpc_b64 s[30:31]\n.size k, .-k\n.rodata\n.p2align 6\n.amdhsa_kernel k\n\
         .amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_user_sgpr_count 2\n.amdhsa_kernarg_size 16\n\
         .amdhsa_next_free_vgpr 32\n.amdhsa_next_free_sgpr 32\n.amdhsa_accum_offset 32\n.end_amdhsa_kernel\n"
    )
}

/// Without a launch: what a path goes on with is known, or said to be unknown, with its line.
#[test]
fn calls_on_all_paths() {
    let address =
        "s_getpc_b64 s[12:13]\ns_add_u32 s12, s12, f@rel32@lo+4\ns_addc_u32 s13, s13, f@rel32@hi+12";
    let known = format!("{address}\ns_swappc_b64 s[30:31], s[12:13]\ns_call_b64 s[30:31], f");
    let reasons = |code: &str, function: &str| {
        let (status, out, err) =
            run(&["check", "-", "--lang", "asm", "--format", "json"], &kernel_that_calls(code, function));
        let report: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        let all = report["not_checked"].as_array().unwrap();
        let paths = all.iter().filter(|one| one["rule"] == "paths");
        (status, paths.map(|one| one["reason"].as_str().unwrap().to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(reasons(&known, "v_mov_b32 v1, v0"), (0, Vec::new()));
    let saved = "v_writelane_b32 v2, s30, 3\nv_writelane_b32 v2, s31, 4\ns_mov_b64 s[30:31], 0\n\
                 v_readlane_b32 s30, v2, 3\nv_readlane_b32 s31, v2, 4";
    assert_eq!(reasons(&known, saved), (0, Vec::new()));
    let loaded =
        "s_load_dwordx2 s[12:13], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_swappc_b64 s[30:31], s[12:13]";
    assert_eq!(reasons(loaded, ""), (0, vec!["what is called is in registers, at <stdin>:9:1".to_owned()]));
    let twice = format!("{loaded}\ns_swappc_b64 s[30:31], s[12:13]");
    let (_, text, _) = run(&["check", "-", "--lang", "asm"], &kernel_that_calls(&twice, ""));
    let told = "not followed: what is called is in registers, at <stdin>:9:1, and 1 more";
    assert!(text.contains(told), "{text}");
    let itself = "v_writelane_b32 v2, s30, 3\nv_writelane_b32 v2, s31, 4\ns_call_b64 s[30:31], f\n\
                  v_readlane_b32 s30, v2, 3\nv_readlane_b32 s31, v2, 4";
    let (status, reasons) = reasons(&known, itself);
    assert_eq!(status, 3, "a return address that nobody knows is where paths end: {reasons:?}");
    assert!(
        reasons[0].starts_with("a function that calls itself is not followed into that call, at"),
        "{reasons:?}"
    );
}
