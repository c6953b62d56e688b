//! How long products take: prints, and is ignored unless asked for.

use std::time::Instant;

use super::*;
use crate::modelled::machines::{GFX90A, GFX942, GFX950, GFX1100, GFX1201, GFX1250};

#[test]
#[ignore = "a measurement"]
fn speed() {
    // D on C, as compilers write sums, and apart from it; and the multiplications and additions of each.
    let cases = [
        (GFX1250, "v_wmma_f32_16x16x32_f16 v[64:71], v[0:7], v[32:39], v[64:71]", 16 * 16 * 32),
        (GFX1250, "v_wmma_f32_16x16x32_f16 v[96:103], v[0:7], v[32:39], v[64:71]", 16 * 16 * 32),
        (GFX1250, "v_wmma_f32_16x16x64_fp8_fp8 v[64:71], v[0:7], v[32:39], v[64:71]", 16 * 16 * 64),
        (GFX1250, "v_wmma_f32_16x16x4_f32 v[64:71], v[0:1], v[32:33], v[64:71]", 16 * 16 * 4),
        (GFX90A, "v_mfma_f32_32x32x8f16 v[64:79], v[0:1], v[32:33], v[64:79]", 32 * 32 * 8),
        (GFX90A, "v_mfma_f32_16x16x16f16 v[64:67], v[0:1], v[32:33], v[64:67]", 16 * 16 * 16),
        (GFX942, "v_mfma_f32_32x32x8_f16 v[64:79], v[0:1], v[32:33], v[64:79]", 32 * 32 * 8),
        (GFX942, "v_mfma_f32_16x16x16_f16 v[64:67], v[0:1], v[32:33], v[64:67]", 16 * 16 * 16),
        (GFX1100, "v_wmma_f32_16x16x16_f16 v[64:71], v[0:7], v[32:39], v[64:71]", 16 * 16 * 16),
        (GFX1100, "v_wmma_f32_16x16x16_bf16 v[64:71], v[0:7], v[32:39], v[64:71]", 16 * 16 * 16),
        (GFX1201, "v_wmma_f32_16x16x16_f16 v[64:71], v[0:3], v[32:35], v[64:71]", 16 * 16 * 16),
        (GFX950, "v_mfma_f32_32x32x16_f16 v[64:79], v[0:3], v[32:35], v[64:79]", 32 * 32 * 16),
        (GFX950, "v_mfma_f32_32x32x2_f32 v[64:79], v0, v32, v[64:79]", 32 * 32 * 2),
        (GFX950, "v_mfma_f32_32x32x2_f32 v[96:111], v0, v32, v[64:79]", 32 * 32 * 2),
    ];
    let peak = peak();
    println!("{peak:.1} GFLOP/s are the peak of one thread");
    for (machine, text, products) in cases {
        let mut line = format!("{text:78}");
        for op in bind_all(machine, &inst(machine, text), 0).unwrap() {
            let mut regs = registers(machine);
            // Short enough for some to be undisturbed.
            let rounds = 1_000;
            let mut best = f64::MAX;
            for _ in 0..200 {
                let start = Instant::now();
                for _ in 0..rounds {
                    // SAFETY: the level is one of the host's.
                    unsafe { (op.body)(&mut regs, std::hint::black_box(&op)) };
                }
                best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(rounds));
            }
            line += &format!(" {best:8.1} ns {:5.1} % |", 200.0 * f64::from(products) / best / peak);
        }
        println!("{line}");
    }
}

/// Multiplications and additions a nanosecond of one thread, from registers to registers at the widest level.
fn peak() -> f64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the host has it.
        return unsafe { peak_avx512() };
    }
    f64::NAN
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn peak_avx512() -> f64 {
    use std::arch::x86_64::*;
    let rounds = 10_000;
    let (x, y) = (_mm512_set1_ps(std::hint::black_box(0.5)), _mm512_set1_ps(std::hint::black_box(0.25)));
    let mut best = f64::MAX;
    for _ in 0..200 {
        let mut sums = [_mm512_setzero_ps(); 16];
        let start = Instant::now();
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(x, *sum, y);
            }
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(rounds));
        std::hint::black_box(sums);
    }
    2.0 * 16.0 * 16.0 / best
}
