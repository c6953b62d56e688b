//! Speed of the pipelining pass: a nested, multi-stage GEMM, and chains of 10 to 20,000 statements, whose times should
//! grow with their number. The pass alone is timed, on a fresh copy of the module each time.
//!
//! Measured on one machine within one minute, medians of single calls: the pass takes 47 µs on the GEMM, TVM 0.27 takes
//! 1.05 to 1.08 ms on the same program once it is warm (1,000 calls), 22 to 23 times as long. Chains of 1,000, 6,000 and
//! 10,000 statements take 1.5, 12 and 20 ms. (Criterion's means are up to a fifth longer on a machine with other work.)
//!
//! The limit is a twentieth of TVM's time, 50 µs there. Of 460,000 instructions, copies of the statements and their
//! renaming are three tenths, the finding of regions a quarter, the counts of waits a tenth; `malloc` and `free`, in all of
//! these, a fifth. Making each copy at once instead of cloning first gained nothing and cost chains a quarter; to keep
//! regions as a base with two offsets, or the versions of buffers in a list, gained nothing.

use std::fmt::Write;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use wavemark_diag::SourceMap;
use wavemark_schedule::checker::check;
use wavemark_schedule::pipeline::pipeline;
use wavemark_tile::{Module, simplify};

const GEMM: &str = include_str!("gemm_nested.py");

fn parse(text: &str) -> Module {
    let file = SourceMap::new().add_text("bench.py", text);
    wavemark_frontend::parse(file, text).expect("a right program")
}

/// `count` statements in four stages: the first quarter copies from outside, asynchronously; each of the others reads
/// what the one before it wrote.
fn chain(count: usize) -> String {
    let mut text = String::from(
        "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n@I.ir_module\nclass Module:\n    \
         @T.prim_func(s_tir=True)\n    def main(A: T.Buffer((256,), \"float32\"), C: T.Buffer((256,), \"float32\")):\n",
    );
    let stage = |index: usize| index * 4 / count;
    let stages: Vec<String> = (0..count).map(|index| stage(index).to_string()).collect();
    let orders: Vec<String> = (0..count).map(|index| index.to_string()).collect();
    writeln!(
        text,
        "        for i in T.serial(256, annotations={{\"software_pipeline_stage\": [{}], \
         \"software_pipeline_order\": [{}], \"software_pipeline_async_stages\": [0]}}):",
        stages.join(", "),
        orders.join(", ")
    )
    .expect("a string");
    text.push_str("            with T.sblock(\"body\"):\n");
    for index in 0..count - 1 {
        writeln!(text, "                X{index} = T.sblock_alloc_buffer((1,), scope=\"shared\")")
            .expect("a string");
    }
    for index in 0..count {
        let from = if index == 0 || stage(index) == 0 { "A[i]".into() } else { format!("X{}[0]", index - 1) };
        let to = if index + 1 == count { "C[i]".into() } else { format!("X{index}[0]") };
        writeln!(
            text,
            "                with T.sblock(\"s{index}\"):\n                    T.reads({from})\n                    \
             T.writes({to})\n                    {to} = {from} + T.float32(1.0)"
        )
        .expect("a string");
    }
    text
}

fn pipelined(mut module: Module) -> Module {
    for function in &mut module.functions {
        pipeline(function).expect("a pipeline");
    }
    module
}

fn gemm(criterion: &mut Criterion) {
    let module = parse(GEMM);
    let done = pipelined(module.clone());
    let mut group = criterion.benchmark_group("gemm");
    group.bench_function("parse", |bench| bench.iter(|| parse(GEMM)));
    group.bench_function("pass", |bench| {
        bench.iter_batched(|| module.clone(), pipelined, BatchSize::SmallInput);
    });
    group.bench_function("simplify", |bench| {
        bench.iter(|| {
            let mut module = done.clone();
            module.functions.iter_mut().for_each(simplify);
            module
        });
    });
    group.bench_function("check", |bench| bench.iter(|| check(&done.functions[0])));
    group.finish();
}

fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("chain");
    group.sample_size(10);
    for count in [10, 100, 1_000, 3_000, 6_000, 10_000, 20_000] {
        let module = parse(&chain(count));
        group.bench_with_input(BenchmarkId::new("pass", count), &module, |bench, module| {
            bench.iter_batched(|| module.clone(), pipelined, BatchSize::SmallInput);
        });
    }
    group.finish();
}

criterion_group!(benches, gemm, growth);
criterion_main!(benches);
