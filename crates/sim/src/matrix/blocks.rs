//! The body of 4x4 products in 16 blocks (gfx950): lane j + 4·b holds column j of block b, and each lane computes its
//! column of D (CDNA4 7.1.3.3). Sums as in [`super::run`].

use super::host::{Host, Kernel, numbers, numbers_mut};
use super::run::{Scratch, clamped, load_all, plan_of, store};
use crate::op::Op;
use crate::regs::Regs;

/// 16 products of 4 rows and columns.
pub struct Blocks;

impl Kernel for Blocks {
    #[inline(always)]
    fn run<H: Host>(regs: &mut Regs, op: &Op) {
        let Some(plan) = plan_of(op) else { return };
        let mut scratch = Scratch::take();
        load_all::<H>(regs, plan, &mut scratch);
        let clamps = plan.clamps_f32 && regs.mode.fp16_ovfl;
        let Scratch { a, b, sums, .. } = &mut *scratch;
        for k in 0..plan.a.items {
            let (Some(a), b) = (a[4 * k..].first_chunk(), numbers(&b[4 * k..][..4])) else { return };
            for (row, lanes) in plan.a_lanes.iter().enumerate() {
                let of_a = H::lanes(a, lanes);
                let sums = numbers_mut(&mut sums[4 * row..][..4]);
                for ((sum, x), y) in sums.iter_mut().zip(numbers(&of_a)).zip(b) {
                    *sum = if clamps { clamped(*sum, *x, *y) } else { x.mul_add(*y, *sum) };
                }
            }
        }
        store::<H>(regs, plan, &mut scratch);
        scratch.give_back();
    }
}
