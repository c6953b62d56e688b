//! How long matrix products take: floating-point operations a second of one wave, beside what one thread of the host can do.
//!
//! `cargo bench -p wavemark-filetests --bench matrix`. A kernel is a loop of nothing but one product, unchecked; its time is
//! the run's own, start-up included, which many rounds make small.

use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wavemark_diag::SourceMap;
use wavemark_driver::input::{Form, Input};
use wavemark_driver::options::RunOptions;
use wavemark_driver::report::{Checked, Outcome};
use wavemark_driver::run::run;
use wavemark_target::Processor;

/// Rounds of the loop: the more, the smaller a product is; the loop counts to what 16 bits hold.
fn rounds(operations: u32) -> u32 {
    (80_000_000 / operations).min(0x7fff)
}

/// Products of a round.
const UNROLLED: u32 = 16;

/// Registers with scales, up to the last one.
const SCALES: u32 = 110;

/// Target, product, and the multiplications and additions of one. D is C, as compilers write sums, or apart from it.
const CASES: &[(&str, &str, u32)] = &[
    ("gfx1250", "v_wmma_f32_16x16x32_f16 v[64:71], v[0:7], v[32:39], v[64:71]", 16 * 16 * 32),
    ("gfx1250", "v_wmma_f32_16x16x32_f16 v[96:103], v[0:7], v[32:39], v[64:71]", 16 * 16 * 32),
    ("gfx1250", "v_wmma_f32_16x16x64_fp8_fp8 v[64:71], v[0:7], v[32:39], v[64:71]", 16 * 16 * 64),
    ("gfx1250", "v_wmma_f16_16x16x32_f16 v[64:67], v[0:7], v[32:39], v[64:67]", 16 * 16 * 32),
    ("gfx1250", "v_wmma_i32_16x16x64_iu8 v[64:71], v[0:7], v[32:39], v[64:71]", 16 * 16 * 64),
    ("gfx1250", "v_wmma_f32_16x16x4_f32 v[64:71], v[0:1], v[32:33], v[64:71]", 16 * 16 * 4),
    ("gfx1250", "v_wmma_f32_16x16x4_f32 v[64:71], v[0:1], v[32:33], v[64:71] neg_lo:[1,0,0]", 16 * 16 * 4),
    (
        "gfx1250",
        "v_wmma_scale_f32_16x16x128_f8f6f4 v[64:71], v[0:15], v[32:47], v[64:71], v110, v111",
        16 * 16 * 128,
    ),
    (
        "gfx1250",
        "v_wmma_scale_f32_16x16x128_f8f6f4 v[64:71], v[0:15], v[32:47], v[64:71], v0, v1",
        16 * 16 * 128,
    ),
    (
        "gfx1250",
        "v_wmma_scale_f32_32x16x128_f4 v[64:79], v[0:15], v[32:39], v[64:79], v110, v111",
        32 * 16 * 128,
    ),
    ("gfx90a", "v_mfma_f32_32x32x8f16 v[64:79], v[0:1], v[32:33], v[64:79]", 32 * 32 * 8),
    ("gfx90a", "v_mfma_f32_16x16x16f16 v[64:67], v[0:1], v[32:33], v[64:67]", 16 * 16 * 16),
    ("gfx90a", "v_mfma_f32_32x32x1f32 v[64:95], v0, v32, v[64:95]", 2 * 32 * 32),
    ("gfx90a", "v_mfma_f32_16x16x1f32 v[64:79], v0, v32, v[64:79]", 4 * 16 * 16),
    ("gfx90a", "v_mfma_f32_4x4x1f32 v[64:67], v0, v32, v[64:67]", 16 * 4 * 4),
    ("gfx90a", "v_mfma_f32_32x32x2f32 v[64:79], v0, v32, v[64:79]", 32 * 32 * 2),
    ("gfx90a", "v_mfma_f32_16x16x4f32 v[64:67], v0, v32, v[64:67]", 16 * 16 * 4),
    ("gfx90a", "v_mfma_f64_16x16x4f64 v[64:71], v[0:1], v[32:33], v[64:71]", 16 * 16 * 4),
    ("gfx942", "v_mfma_f32_32x32x8_f16 v[64:79], v[0:1], v[32:33], v[64:79]", 32 * 32 * 8),
    ("gfx942", "v_mfma_f32_16x16x16_f16 v[64:67], v[0:1], v[32:33], v[64:67]", 16 * 16 * 16),
    ("gfx942", "v_mfma_f32_32x32x4_xf32 v[64:79], v[0:1], v[32:33], v[64:79]", 32 * 32 * 4),
    ("gfx942", "v_mfma_f32_16x16x8_xf32 v[64:67], v[0:1], v[32:33], v[64:67]", 16 * 16 * 8),
    ("gfx1100", "v_wmma_f32_16x16x16_f16 v[64:71], v[0:7], v[32:39], v[64:71]", 16 * 16 * 16),
    ("gfx1100", "v_wmma_f32_16x16x16_bf16 v[64:71], v[0:7], v[32:39], v[64:71]", 16 * 16 * 16),
    ("gfx1201", "v_wmma_f32_16x16x16_f16 v[64:71], v[0:3], v[32:35], v[64:71]", 16 * 16 * 16),
    ("gfx950", "v_mfma_f32_32x32x16_f16 v[64:79], v[0:3], v[32:35], v[64:79]", 32 * 32 * 16),
    ("gfx950", "v_mfma_f32_32x32x2_f32 v[64:79], v0, v32, v[64:79]", 32 * 32 * 2),
    ("gfx950", "v_mfma_f32_32x32x2_f32 v[96:111], v0, v32, v[64:79]", 32 * 32 * 2),
    ("gfx950", "v_mfma_f32_32x32x2_f32 v[90:105], v0, v32, v[64:79]", 32 * 32 * 2),
    ("gfx950", "v_mfma_f32_16x16x4_f32 v[64:67], v0, v32, v[64:67]", 16 * 16 * 4),
    (
        "gfx950",
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[64:67], v[0:7], v[32:39], v[64:67], v110, v111 op_sel_hi:[0,0,0]",
        16 * 16 * 128,
    ),
    (
        "gfx950",
        "v_mfma_scale_f32_32x32x64_f8f6f4 v[64:79], v[0:3], v[32:35], v[64:79], v110, v111 op_sel_hi:[0,0,0] cbsz:4 blgp:4",
        32 * 32 * 64,
    ),
    (
        "gfx950",
        "v_mfma_f32_16x16x128_f8f6f4 v[64:67], v[0:5], v[32:37], v[64:67] cbsz:2 blgp:2",
        16 * 16 * 128,
    ),
];

/// The loop, with small numbers in all registers, and scales of one.
fn kernel(target: &str, product: &str, rounds: u32) -> Input {
    let number = |n| if n < SCALES { "0x2c002c00" } else { "0x7f7f7f7f" };
    let registers: String = (0..112).map(|n| format!("\tv_mov_b32_e32 v{n}, {}\n", number(n))).collect();
    let products = format!("\t{product}\n").repeat(UNROLLED as usize);
    let lanes = lanes(target);
    let layout = match lanes {
        32 => "\t\t.amdhsa_wavefront_size32 1\n",
        // Binary32 denormals are kept, as compilers have it: MFMA looks.
        _ => "\t\t.amdhsa_accum_offset 128\n\t\t.amdhsa_float_denorm_mode_32 3\n",
    };
    let text = format!(
        "\t.amdgcn_target \"amdgcn-amd-amdhsa--{target}\"
	.amdhsa_code_object_version 5
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
{registers}	s_movk_i32 s8, {rounds}
.Lround:
{products}	s_sub_i32 s8, s8, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .Lround
	s_endpgm
.Lend:
	.size k, .Lend-k
	.rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 128
		.amdhsa_next_free_sgpr 16
{layout}	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{target}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 4
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: {lanes}
    .sgpr_count: 16
    .vgpr_count: 128
    .max_flat_workgroup_size: {lanes}
...
	.end_amdgpu_metadata
"
    );
    Input { name: format!("{target}.s"), path: None, form: Form::Assembly, bytes: text.into_bytes() }
}

/// Lanes of the processor's waves, where a kernel does not choose.
fn lanes(target: &str) -> u32 {
    Processor::by_name(target).expect("a processor").default_wave_size().lanes()
}

/// The run's seconds.
fn seconds(input: &Input, launch: &Path) -> f64 {
    let options =
        RunOptions { check: Checked::default(), max_steps: Some(u64::MAX >> 1), ..RunOptions::default() };
    let report = run(&mut SourceMap::new(), input, Some(launch), &options).expect("runs");
    assert!(
        matches!(report.outcome, Outcome::NotChecked | Outcome::NothingToCheck),
        "{}: {:?} {:?}",
        input.name,
        report.outcome,
        report.unsupported
    );
    report.stats.seconds
}

fn products(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("matrix");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        group.throughput(Throughput::Elements(PEAK));
        // SAFETY: the host has it.
        group.bench_function("peak of one thread", |bencher| bencher.iter(|| unsafe { peak() }));
    }
    for &(target, product, operations) in CASES {
        let launch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("matrix-{target}.toml"));
        let text = format!("kernel = \"k\"\ngrid = [1, 1, 1]\nblock = [{}, 1, 1]\n", lanes(target));
        std::fs::write(&launch, text).expect("a folder for tests");
        let rounds = rounds(operations);
        let input = kernel(target, product, rounds);
        group.throughput(Throughput::Elements(u64::from(2 * operations) * u64::from(rounds * UNROLLED)));
        group.bench_function(format!("{target} {product}"), |bencher| {
            bencher.iter_custom(|times| {
                (0..times).map(|_| Duration::from_secs_f64(seconds(&input, &launch))).sum()
            });
        });
    }
    group.finish();
}

/// Multiplications and additions of [`peak`].
#[cfg(target_arch = "x86_64")]
const PEAK: u64 = 2 * 16 * 16 * 10_000;

/// Multiplications and additions from registers to registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn peak() -> [std::arch::x86_64::__m512; 16] {
    use std::arch::x86_64::{_mm512_fmadd_ps, _mm512_set1_ps, _mm512_setzero_ps};
    let x = _mm512_set1_ps(std::hint::black_box(0.5));
    let mut sums = [_mm512_setzero_ps(); 16];
    for _ in 0..10_000 {
        for sum in &mut sums {
            *sum = _mm512_fmadd_ps(x, *sum, x);
        }
    }
    sums
}

criterion_group!(benches, products);
criterion_main!(benches);
