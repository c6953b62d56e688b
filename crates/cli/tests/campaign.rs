//! `campaign`: everything is run once, what is found can be seen again, an interrupted campaign goes on.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn wavemark(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_wavemark")).args(arguments).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("a status"), text(output.stdout), text(output.stderr))
}

/// A folder with a right kernel, a racy one, and one that is no assembly.
fn kernels() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let copy = |from: &str, to: &str, file: &str| {
        std::fs::create_dir_all(folder.path().join(to)).expect("a folder");
        std::fs::copy(examples.join(from).join(file), folder.path().join(to).join(file)).expect("a copy");
    };
    for file in ["kernel.s", "launch.toml", "dst_expected.npy"] {
        copy("pipelined_copy", "right", file);
    }
    for file in ["kernel.s", "launch.toml"] {
        copy("pipelined_copy_too_weak", "racy", file);
    }
    copy("pipelined_copy_too_weak", "wrong", "launch.toml");
    std::fs::write(folder.path().join("wrong/kernel.s"), "\ts_nonsense 1\n").expect("a file");
    folder
}

#[test]
fn a_campaign_goes_on_where_it_was_interrupted() {
    let folder = kernels();
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (kernels, journal) = (path(""), path("journal.jsonl"));
    let all = ["--seeds", "3", "--completions", "late,random", "--schedules", "2", "--format", "json"];
    let campaign = |more: &[&str]| {
        let arguments: Vec<&str> =
            ["campaign", &kernels].into_iter().chain(all).chain(more.iter().copied()).collect();
        let (status, out, errors) = wavemark(&arguments);
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{errors}"));
        (status, report)
    };
    let (status, whole) = campaign(&["--journal", &journal, "--jobs", "2"]);
    assert_eq!((status, &whole["runs"], &whole["left"]), (2, &18.into(), &0.into()));
    let of = |name: &str| {
        let kernels = whole["kernels"].as_array().expect("kernels");
        let is = |kernel: &&Value| kernel["input"].as_str().is_some_and(|input| input.contains(name));
        kernels.iter().find(is).expect("a kernel")
    };
    assert_eq!(of("right/")["outcomes"]["clean"], 6);
    assert_eq!(of("right/")["findings"].as_array().map(Vec::len), Some(0));
    assert_eq!(of("wrong/")["outcomes"]["error"], 6);
    let finding = &of("racy/")["findings"][0];
    assert_eq!((finding["rule"].as_str(), finding["severity"].as_str()), (Some("R4"), Some("error")));

    // The command that a finding gives shows it.
    let replay = finding["replay"].as_str().expect("a command");
    let (status, out, _) = wavemark(&replay.split(' ').skip(1).collect::<Vec<_>>());
    assert!(status == 1 && out.contains("error[R4]"), "{replay}: {out}");

    // Seven whole lines and a torn one: eleven runs are left, nothing is counted twice.
    let records = std::fs::read_to_string(&journal).expect("the journal");
    assert_eq!(records.lines().count(), 18);
    let seven: usize = records.lines().take(7).map(|line| line.len() + 1).sum();
    std::fs::write(&journal, &records[..seven + 20]).expect("the journal is torn");
    let (status, again) = campaign(&["--journal", &journal, "--jobs", "1"]);
    assert_eq!((status, &again), (2, &whole));
    let mut one: Vec<String> = records.lines().map(str::to_owned).collect();
    let two = std::fs::read_to_string(&journal).expect("the journal");
    let mut two: Vec<String> = two.lines().map(str::to_owned).collect();
    one.sort();
    two.sort();
    assert_eq!(one, two);

    // Nothing is left, and without a journal it is the same.
    assert_eq!(campaign(&["--journal", &journal]).1, whole);
    assert_eq!(campaign(&[]).1, whole);

    // A kernel that has changed since is run again.
    let right = path("right/kernel.s");
    let text = std::fs::read_to_string(&right).expect("a kernel");
    std::fs::write(&right, text + "; changed\n").expect("a kernel");
    assert_eq!(campaign(&["--journal", &journal]).1, whole);
    assert_eq!(std::fs::read_to_string(&journal).expect("the journal").lines().count(), 24);

    // What is no journal is not written over.
    let launch = path("racy/launch.toml");
    let before = std::fs::read(&launch).expect("a file");
    let (status, _, errors) = wavemark(&["campaign", &kernels, "--seeds", "1", "--journal", &launch]);
    assert!(status == 2 && errors.contains("launch.toml:1"), "{errors}");
    assert_eq!(std::fs::read(&launch).expect("a file"), before);
}

/// The Python package's half is a program that is asked for units and answers with their records.
#[cfg(unix)]
#[test]
fn records_come_from_another_program() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = kernels();
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (kernels, known, journal) = (path("racy"), path("known.jsonl"), path("journal.jsonl"));
    let python = |name: &str, script: &str| {
        std::fs::write(path(name), format!("#!/bin/sh\n{script}\n")).expect("a file");
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(0o755)).expect("a program");
        path(name)
    };
    let campaign = |python: Option<&str>, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavemark"));
        command.args(["campaign", &kernels, "--seeds", "3", "--completions", "late"]).args(more);
        python.iter().for_each(|python| _ = command.env("WAVEMARK_PYTHON", python));
        let output = command.output().expect("it starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code().expect("a status"), text(output.stdout), text(output.stderr))
    };
    let (status, whole, _) = campaign(None, &["--journal", &known]);
    assert_eq!(status, 1);

    // It is asked for all that is left, and what comes twice counts once.
    let asked = path("asked");
    let answers =
        python("answers", &format!("echo \"$@\" >{asked}; cat >>{asked}; cat {known}; tail -n 1 {known}"));
    let (status, out, errors) = campaign(Some(&answers), &["--ray", "a:1", "--journal", &journal]);
    assert_eq!((status, &out), (1, &whole), "{errors}");
    let asked = std::fs::read_to_string(asked).expect("what was asked");
    let lines: Vec<&str> = asked.lines().collect();
    assert_eq!((lines[0], lines[2]), ("-m wavemark.ray a:1", "[0,1,2]"));
    assert!(lines[1].starts_with("{\"items\":[{\"input\":"), "{}", lines[1]);
    assert_eq!(std::fs::read_to_string(&journal).expect("the journal").lines().count(), 3);

    // One that fails has left what it was asked for, and one whose files are others is refused.
    let fails = python("fails", "exit 1");
    let (status, out, errors) = campaign(Some(&fails), &["--ray", "a:1"]);
    assert!(status == 2 && out.contains("3 left") && errors.contains("exit status: 1"), "{out}{errors}");
    let others = python("others", &format!("sed s/\\\"digest\\\":\\\"./\\\"digest\\\":\\\"x/ {known}"));
    let (status, _, errors) = campaign(Some(&others), &["--ray", "a:1"]);
    assert!(status == 2 && errors.contains("not the kernel that the campaign is of"), "{errors}");
    let (status, _, errors) = campaign(Some("/nowhere/python3"), &["--ray", "a:1"]);
    assert!(status == 2 && errors.contains("cannot start /nowhere/python3"), "{errors}");
}
