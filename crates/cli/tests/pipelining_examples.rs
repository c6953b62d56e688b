//! The software-pipelining examples do what the guide says of them.

use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLES: [&str; 7] = [
    "two_stage",
    "two_stage_async",
    "three_stage",
    "two_consumers",
    "interleaved",
    "gemm_nested",
    "num_stages",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn examples() -> PathBuf {
    root().join("examples/software_pipeline")
}

fn wavemark(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavemark"));
    let output = command.args(arguments).current_dir(examples()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A file of the test's own.
fn scratch(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn pipelined_programs_compute_what_the_written_ones_do() {
    for name in EXAMPLES {
        let (source, launch) = (format!("{name}.py"), format!("{name}.toml"));
        let (status, text, notes) = wavemark(&["run", &source, "--launch", &launch]);
        assert_eq!(status, 0, "{name}: {text}{notes}");
        let compiled = scratch(&source);
        let (status, _, notes) = wavemark(&["compile", &source, "--emit", "tile", "-o", &compiled]);
        assert_eq!(status, 0, "{name}: {notes}");
        let (status, text, notes) = wavemark(&["check", &compiled]);
        assert_eq!(status, 0, "{name}: {text}{notes}");
        assert!(!text.contains("strong") && !text.contains("weak"), "{name}: {text}");
        for (completion, seed) in [("late", "0"), ("early", "0"), ("random", "1"), ("random", "2")] {
            let arguments =
                ["run", &compiled, "--launch", &launch, "--completion", completion, "--seed", seed];
            let (status, text, notes) = wavemark(&arguments);
            assert_eq!(status, 0, "{name}, {completion}: {text}{notes}");
        }
    }
}

#[test]
fn the_merged_prologue_is_too_weak() {
    let (status, text, _) = wavemark(&["run", "interleaved_too_weak.py", "--launch", "interleaved.toml"]);
    assert_eq!(status, 1);
    assert!(text.contains("read of data in flight"), "{text}");
    // Two iterations of 32 elements, two tiles each: the other fourteen are right.
    assert!(text.contains("(64 times)") && text.contains("64 of 512 elements differ"), "{text}");
    let (status, text, _) = wavemark(&["check", "interleaved_too_weak.py"]);
    assert_eq!(status, 1);
    assert!(
        text.contains("async_wait_inflight_count 3 instead of 5") && text.contains("1 exact, 1 too weak"),
        "{text}"
    );
    // Which is why nobody notices where copies are fast.
    let arguments =
        ["run", "interleaved_too_weak.py", "--launch", "interleaved.toml", "--completion", "early"];
    let (_, text, _) = wavemark(&arguments);
    assert!(text.contains("output Z: as expected"), "{text}");
}

#[test]
fn the_pictures_of_the_guide_are_current() {
    for name in EXAMPLES.iter().chain(&["interleaved_too_weak"]) {
        let picture = scratch(&format!("{name}.svg"));
        let (status, _, notes) =
            wavemark(&["compile", &format!("{name}.py"), "--emit", "tile", "--diagram", &picture]);
        assert_eq!(status, 0, "{name}: {notes}");
        let drawn = std::fs::read_to_string(&picture).unwrap();
        let kept = root().join(format!("docs/src/pictures/{name}.svg"));
        if std::env::var_os("WAVEMARK_BLESS").is_some() {
            std::fs::write(&kept, &drawn).unwrap();
        }
        let bless = "WAVEMARK_BLESS=1 cargo test -p wavemark-cli --test pipelining_examples";
        assert!(std::fs::read_to_string(&kept).is_ok_and(|kept| kept == drawn), "{name}: {bless}");
    }
}
