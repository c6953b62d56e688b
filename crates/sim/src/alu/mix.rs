//! Mixed-precision fused multiply-adds: each source is a binary32 or, by OP_SEL_HI, a half of a register.
//!
//! Under the usual MODE all lanes at once; a clamp, another MODE or a NaN leaves the wave to [`super::dot`]'s function of a
//! lane.

use wavemark_numerics::bf16;

use super::def::{OwnMods, VectorDef, kernel};
use super::dot::{finish_f32, finish_half, mixed_fma};
use super::host::{Host, Kernel};
use super::lane::{Cx, exact_only};
use super::modified::row_of;
use super::wide::{self, Tuple};
use super::word::Kind;
use crate::op::{Op, go_on};
use crate::regs::{Chunk, Regs, Usual};

/// The results of a wave of `N` chunks.
type Numbers<const N: usize> = [[f32; 16]; N];

/// `TO`: where the result goes, from bit 0 or 16 of the destination on as a half, or, if it is 32, as a binary32. `BRAIN`:
/// halves are bfloat16.
struct Fma<const BRAIN: bool, const TO: u32>;

/// The definition of `v_fma_mix_f32` (`TO` 32), `v_fma_mixlo_f16` (0) and `v_fma_mixhi_f16` (16), or of those with bfloat16.
pub const fn fma<const BRAIN: bool, const TO: u32>() -> VectorDef {
    kernel::<Fma<BRAIN, TO>>(SOURCES, [Kind::B32, Kind::None]).owning_mods().mixing(if BRAIN {
        Kind::Bf16
    } else {
        Kind::F16
    })
}

const SOURCES: [Kind; 3] = [Kind::F32; 3];

impl<const BRAIN: bool, const TO: u32> Fma<BRAIN, TO> {
    /// One lane under any MODE.
    fn lane(cx: &Cx, m: OwnMods, a: &Tuple, b: &Tuple, c: &Tuple, d: &mut Tuple) {
        let x = mixed_fma(cx, m, [a[0], b[0], c[0]], BRAIN);
        d[0] = match TO {
            32 => finish_f32(cx, m, x),
            _ => d[0] & !(0xffff << TO) | finish_half(cx, m, x, BRAIN) << TO,
        };
    }
}

impl<const BRAIN: bool, const TO: u32> Kernel for Fma<BRAIN, TO> {
    #[inline(always)]
    unsafe fn run<H: Host, const N: usize>(regs: &mut Regs, op: &Op) {
        let mods = OwnMods(op.imm);
        let usual = Usual::of(true, regs.mode.raw) == Usual::Kept && !mods.clamp() && !exact_only();
        let mut nan = 0;
        let mut results = [[0.0; 16]; N];
        if usual {
            let [a, b, c] = [0, 1, 2].map(|i| {
                let row = row_of::<N>(regs, op.src(i));
                numbers::<H, N>(&row, mods, i as u32, BRAIN)
            });
            for n in 0..N {
                for l in 0..16 {
                    results[n][l] = a[n][l].mul_add(b[n][l], c[n][l]);
                }
                nan |= H::any_nan(&results[n]);
            }
        }
        if usual && nan == 0 {
            let exec = regs.exec();
            let to = &mut regs.v[op.dst().at() as usize..][..N];
            for (n, (to, results)) in to.iter_mut().zip(&results).enumerate() {
                let new = match (TO, BRAIN) {
                    (32, _) => results.map(f32::to_bits),
                    (_, true) => results.map(|x| u32::from(bf16::from_f32(x))),
                    (_, false) => H::f32_to_f16(results),
                };
                let merged = match TO {
                    32 => new,
                    _ => std::array::from_fn(|l| to.0[l] & !(0xffff << TO) | new[l] << TO),
                };
                to.0 = H::select((exec >> (16 * n)) as u32 & 0xffff, &merged, &to.0);
            }
        } else {
            wide::every_lane(regs, op, SOURCES, 1, Self::lane);
        }
        // SAFETY: the caller's promise.
        unsafe { go_on(regs, op) }
    }
}

/// Source `i` as numbers.
#[inline(always)]
fn numbers<H: Host, const N: usize>(row: &[Chunk; N], m: OwnMods, i: u32, brain: bool) -> Numbers<N> {
    let (half, high) = (m.op_sel_hi() >> i & 1 != 0, m.op_sel() >> i & 1 != 0);
    let and = if m.neg_hi() >> i & 1 != 0 { 0x7fff_ffff } else { u32::MAX };
    let xor = (m.neg() >> i & 1) << 31;
    row.each_ref().map(|chunk| {
        let numbers = match (half, brain, high) {
            (false, ..) => chunk.0.map(f32::from_bits),
            (true, true, false) => chunk.0.map(|word| f32::from_bits(word << 16)),
            (true, true, true) => chunk.0.map(|word| f32::from_bits(word & 0xffff_0000)),
            (true, false, false) => H::half_to_f32::<0>(&chunk.0),
            (true, false, true) => H::half_to_f32::<16>(&chunk.0),
        };
        numbers.map(|x| f32::from_bits(x.to_bits() & and ^ xor))
    })
}
