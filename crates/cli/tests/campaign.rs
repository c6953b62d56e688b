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

    // What is no journal is not written over.
    let launch = path("racy/launch.toml");
    let before = std::fs::read(&launch).expect("a file");
    let (status, _, errors) = wavemark(&["campaign", &kernels, "--seeds", "1", "--journal", &launch]);
    assert!(status == 2 && errors.contains("launch.toml:1"), "{errors}");
    assert_eq!(std::fs::read(&launch).expect("a file"), before);
}
