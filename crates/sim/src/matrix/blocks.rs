//! The body of 4x4 products in 16 blocks (gfx950): lane j + 4·b holds column j of block b, and each lane computes its
//! column of D (CDNA4 7.1.3.3). Sums as in [`super::run`].

use super::host::{Host, Kernel, Lanes};
use super::run::{Scratch, fused, load, load_addend, plan_of, store};
use crate::op::Op;
use crate::regs::Regs;

/// 16 products of 4 rows and columns.
pub struct Blocks;

impl Kernel for Blocks {
    #[inline(always)]
    fn run<H: Host>(regs: &mut Regs, op: &Op) {
        let Some(plan) = plan_of(op) else { return };
        let mut scratch = Scratch::take();
        load::<H>(regs, plan, &plan.a, &mut scratch.a);
        load::<H>(regs, plan, &plan.b, &mut scratch.b);
        load_addend(regs, plan, &mut scratch);
        let clamps = plan.clamps_f32 && regs.mode.fp16_ovfl;
        let Scratch { a, b, sums, .. } = &mut *scratch;
        for k in 0..plan.a.items {
            let (a, b) = (&a[4 * k..][..4], &b[4 * k..][..4]);
            for row in 0..4 {
                for chunk in 0..4 {
                    let sum = &mut sums[4 * row + chunk];
                    *sum = Lanes(std::array::from_fn(|i| {
                        // The lane that has this row of the block, after broadcasting.
                        let lane = plan.a_lanes[16 * chunk + (i & !3) + row] as usize;
                        fused(sum.0[i], a[lane / 16].0[lane % 16], b[chunk].0[i], clamps)
                    }));
                }
            }
        }
        store(regs, plan, &scratch);
        scratch.give_back();
    }
}
