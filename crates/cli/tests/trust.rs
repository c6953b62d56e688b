//! What a stranger's input can make the command do: nothing outside of its bounds.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/run/kernels");

fn wavemark(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavemark"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn everything(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("an exit status, not a signal")
}

/// A code object in `folder` with a missing wait, whose line table says that it was compiled from `source`.
fn object_compiled_from(folder: &Path, source: &str) {
    let text = std::fs::read_to_string(format!("{KERNELS}/unwaited.s")).unwrap();
    let named = format!("\t.file 1 \"{source}\"\n\t.text\n");
    let text = text.replace("\t.text\n", &named).replace("scale:\n", "scale:\n\t.loc 1 1 0\n");
    std::fs::write(folder.join("kernel.s"), text).unwrap();
    let assembled = wavemark(folder, &["compile", "--emit", "hsaco", "kernel.s", "-o", "kernel.hsaco"]);
    assert_eq!(status(&assembled), 0, "{}", everything(&assembled));
    std::fs::remove_file(folder.join("kernel.s")).unwrap();
}

fn launch() -> String {
    format!("{KERNELS}/scale.toml")
}

#[test]
fn sources_are_shown_below_the_named_folders_only() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let secret = elsewhere.path().join("secret.txt");
    std::fs::write(&secret, "the secret line\n").unwrap();
    object_compiled_from(folder.path(), &secret.display().to_string());
    let run = |more: &[&str]| {
        let launch = launch();
        let arguments = [&["run", "kernel.hsaco", "--launch", &launch], more].concat();
        let output = wavemark(folder.path(), &arguments);
        assert_eq!(status(&output), 1, "{}", everything(&output));
        everything(&output)
    };
    assert!(!run(&[]).contains("the secret line"));
    let root = elsewhere.path().display().to_string();
    assert!(run(&["--source-root", &root]).contains("the secret line"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, folder.path().join("link.c")).unwrap();
        object_compiled_from(folder.path(), "link.c");
        assert!(!run(&[]).contains("the secret line"));
    }
    std::fs::write(folder.path().join("own.c"), "an own line\n").unwrap();
    object_compiled_from(folder.path(), "own.c");
    assert!(run(&[]).contains("an own line"));
}

#[cfg(unix)]
#[test]
fn sources_that_are_pipes_or_devices_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe.c")).status().unwrap();
    assert!(made.success());
    for source in ["pipe.c", "/dev/zero", "/dev/stdin"] {
        object_compiled_from(folder.path(), source);
        let started = Instant::now();
        let output =
            wavemark(folder.path(), &["run", "kernel.hsaco", "--launch", &launch(), "--source-root", "/"]);
        assert_eq!(status(&output), 1, "{source}");
        assert!(started.elapsed() < Duration::from_secs(60), "{source}");
    }
}

#[test]
fn results_do_not_replace_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| std::fs::copy(format!("{KERNELS}/{name}"), folder.path().join(name)).unwrap();
    copy("scale.s");
    copy("scale.toml");
    let before = std::fs::read(folder.path().join("scale.s")).unwrap();
    for arguments in [
        &["asm", "scale.s", "-o", "scale.s"][..],
        &["compile", "--emit", "obj", "scale.s", "-o", "./scale.s"],
        &["run", "scale.s", "--launch", "scale.toml", "--trace", "scale.toml"],
    ] {
        let output = wavemark(folder.path(), arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", everything(&output));
        assert!(everything(&output).contains("is an input"), "{arguments:?}");
    }
    assert_eq!(std::fs::read(folder.path().join("scale.s")).unwrap(), before);
    // An argument that the launch fills from the file that it would be written to.
    let out = folder.path().join("out");
    let run = ["run", "scale.s", "--launch", "scale.toml", "--out", "out"];
    assert_eq!(status(&wavemark(folder.path(), &run)), 0);
    let argument =
        std::fs::read_dir(&out).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap();
    let stem = argument.strip_suffix(".npy").unwrap();
    let text = std::fs::read_to_string(folder.path().join("scale.toml")).unwrap();
    let mut seen = false;
    let lines = text.lines().map(|line| {
        let named = line.trim_start().starts_with("name") && line.contains(&format!("\"{stem}\""));
        let (was_seen, is_init) = (seen, line.trim_start().starts_with("init"));
        seen = named || seen && !is_init;
        if was_seen && is_init { format!("init = \"file:out/{argument}\"") } else { line.to_owned() }
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    assert!(text.contains("file:out/"), "{text}");
    std::fs::write(folder.path().join("scale.toml"), text).unwrap();
    let output = wavemark(folder.path(), &run);
    assert_eq!(status(&output), 2, "{}", everything(&output));
    assert!(everything(&output).contains("is an input"));
}

#[test]
fn findings_that_nobody_reads_keep_their_exit_status() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wavemark"))
        .args(["run", "unwaited.s", "--launch", "scale.toml"])
        .current_dir(KERNELS)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// The kernel `scale` with another line in its descriptor.
fn with_descriptor(folder: &Path, line: &str) {
    let text = std::fs::read_to_string(format!("{KERNELS}/scale.s")).unwrap();
    let end = "\t.end_amdhsa_kernel";
    std::fs::write(folder.join("kernel.s"), text.replace(end, &format!("\t\t{line}\n{end}"))).unwrap();
}

#[test]
fn memory_that_an_input_asks_for_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let launch = launch();
        let arguments = [more, &["run", "kernel.s", "--launch", &launch]].concat();
        let output = wavemark(folder.path(), &arguments);
        (status(&output), everything(&output))
    };
    for (scratch, limit) in [(0xffff_fff8u32, "over the limit"), (0x4000_0000, "over the limit")] {
        with_descriptor(folder.path(), &format!(".amdhsa_private_segment_fixed_size {scratch}"));
        let (status, text) = run(&[]);
        assert!(status == 2 && text.contains(limit), "{status}: {text}");
    }
    with_descriptor(folder.path(), ".amdhsa_private_segment_fixed_size 2000000");
    let (status, text) = run(&["--max-memory", "32MiB"]);
    assert!(status == 2 && text.contains("of memory, where"), "{status}: {text}");
    let output = wavemark(folder.path(), &["--max-memory", "1KiB", "targets"]);
    assert_eq!(self::status(&output), 2);
    // Ten million labels, whatever the assembler makes of them.
    std::fs::write(folder.path().join("many.s"), ".rept 1000000\n.Lx\\@:\n.endr\n").unwrap();
    let many = ["--max-memory", "16MiB", "asm", "many.s", "--target", "gfx950", "-o", "many.o"];
    let output = wavemark(folder.path(), &many);
    assert_eq!(self::status(&output), 2, "{}", everything(&output));
}

/// What an input asks for is refused where it asks, not where the allocator has no more.
#[test]
fn what_does_not_fit_has_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |source: &str, limit: &str, expected: &str| {
        std::fs::write(folder.path().join("large.s"), source).unwrap();
        let arguments = ["--max-memory", limit, "asm", "large.s", "--target", "gfx950", "-o", "large.o"];
        let output = wavemark(folder.path(), &arguments);
        let text = everything(&output);
        assert!(status(&output) == 2 && text.contains(expected), "{expected}: {text}");
        assert!(!folder.path().join("large.o").exists());
    };
    refused(".data\n.space 100000000\n", "64MiB", "section .data needs 95 MiB of memory, where");
    refused(".data\n.space 100000000\n", "64MiB", "large.s:2:8");
    refused(".rept 8000000\ns_nop 0\n.endr\n", "64MiB", "the repetition needs 122 MiB of memory, where");
    refused(".data\n.space 40000000\n", "64MiB", "the code object needs 76 MiB of memory, where");
    let aligned: Vec<String> =
        (0..200).map(|n| format!(".section s{n}, \"a\"\n.p2align 20\n.byte 1\n")).collect();
    refused(&aligned.concat(), "64MiB", "the code object needs 200 MiB of memory, where");
}
