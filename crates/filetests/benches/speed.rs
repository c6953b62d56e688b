//! How fast we assemble, disassemble, simulate and check.
//!
//! `cargo bench -p wavemark-filetests`. Simulation is measured by the run's own clock (assembling and loading are left
//! out), per wave instruction; each group prints ns per wave instruction for the unchecked and the checked run. The
//! MIX and VALU loops are the cases under `tests/sim/speed`; the matrix product is one of the shared corpus, left out
//! where that is absent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wavemark_asm::{Source, assemble, disassemble};
use wavemark_codeobj::CodeObject;
use wavemark_diag::SourceMap;
use wavemark_driver::input;
use wavemark_driver::options::RunOptions;
use wavemark_driver::report::{Checked, Outcome, Stats};
use wavemark_driver::run::run;
use wavemark_filetests::paths::{root, shared};
use wavemark_target::{Subtarget, Target, TargetId};

/// Times that the instructions of an example stand in the text to assemble.
const COPIES: usize = 100;

/// Processor and a long text: the body of an example over and over.
fn long_text(example: &str, processor: &str) -> (Subtarget, String, u64) {
    let id: TargetId = processor.parse().expect("a target");
    let subtarget = Subtarget::new(Target::amdhsa(id), "").expect("no features");
    let text =
        std::fs::read_to_string(root().join("examples").join(example).join("kernel.s")).expect("an example");
    let body: Vec<&str> = text
        .lines()
        .filter(|line| {
            line.starts_with('\t') && !line.trim_start().starts_with('.') && !line.contains("branch")
        })
        .collect();
    let instructions = (body.len() * COPIES) as u64;
    (subtarget, format!("{}\n", body.join("\n")).repeat(COPIES), instructions)
}

fn text(criterion: &mut Criterion) {
    for (example, processor) in [("pipelined_copy", "gfx1250"), ("pipelined_copy_gfx950", "gfx950")] {
        let (subtarget, text, instructions) = long_text(example, processor);
        let mut sources = SourceMap::new();
        let file = sources.add_text("bench.s", text.as_str());
        let assembled =
            || assemble(Source { file, name: "bench.s", text: &text }, &subtarget).expect("assembles").elf;
        let mut group = criterion.benchmark_group(format!("text/{processor}"));
        group.throughput(Throughput::Elements(instructions));
        group.bench_function("assemble", |bencher| bencher.iter(assembled));
        let object = CodeObject::parse(&assembled()).expect("what we assemble");
        group.bench_function("disassemble", |bencher| {
            bencher.iter(|| disassemble(&object, "").expect("no features"));
        });
        group.finish();
    }
}

/// Runs the kernel once.
fn stats(kernel: &Path, launch: &Path, check: Checked) -> Stats {
    let mut sources = SourceMap::new();
    let input = input::read(kernel, None).expect("a kernel");
    let options = RunOptions { check, max_steps: Some(u64::MAX >> 1), ..RunOptions::default() };
    let report = run(&mut sources, &input, Some(launch), &options).expect("runs");
    assert!(
        matches!(report.outcome, Outcome::Clean | Outcome::NotChecked),
        "{}: {:?} {:?}",
        kernel.display(),
        report.outcome,
        report.unsupported
    );
    report.stats
}

fn measure(criterion: &mut Criterion, name: &str, kernel: &Path, launch: &Path) {
    let mut group = criterion.benchmark_group(format!("simulate/{name}"));
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    for (what, check) in [("unchecked", Checked::default()), ("checked", Checked::FULL)] {
        let once = stats(kernel, launch, check);
        let per_instruction = once.seconds * 1e9 / once.wave_instructions as f64;
        println!("{name}, {what}: {per_instruction:.2} ns per wave instruction (one run)");
        group.throughput(Throughput::Elements(once.wave_instructions));
        group.bench_function(what, |bencher| {
            bencher.iter_custom(|times| {
                (0..times).map(|_| Duration::from_secs_f64(stats(kernel, launch, check).seconds)).sum()
            });
        });
    }
    group.finish();
}

fn simulate(criterion: &mut Criterion) {
    for processor in ["gfx1250", "gfx950"] {
        for kernel in ["mix", "valu"] {
            let folder = root().join(format!("tests/sim/speed/{kernel}-{processor}"));
            measure(
                criterion,
                &format!("{kernel}/{processor}"),
                &folder.join("kernel.s"),
                &folder.join("bench.toml"),
            );
        }
    }
    match shared() {
        Ok(shared) => {
            for processor in ["gfx1250", "gfx950"] {
                match matrix_product(&shared.join("corpus/triton").join(processor)) {
                    Some(folder) => {
                        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                        let kernel = folder.join("kernel.hsaco");
                        measure(
                            criterion,
                            &format!("{name}/{processor}"),
                            &kernel,
                            &folder.join("launch.toml"),
                        );
                    }
                    None => println!("matrix product on {processor}: none in the corpus"),
                }
            }
        }
        Err(skipped) => println!("matrix products {skipped}"),
    }
}

/// The first f16 product of the corpus, software-pipelined if there is one.
fn matrix_product(folder: &Path) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let product = |path: &&PathBuf| name(path).starts_with("matmul_f16");
    folders
        .iter()
        .find(|path| product(path) && name(path).ends_with("_s2"))
        .or_else(|| folders.iter().find(product))
        .cloned()
}

criterion_group!(benches, text, simulate);
criterion_main!(benches);
