//! The bodies of binary64 products (gfx950). Sums start with C and take the products in the order of K, one fused
//! multiply-add, to nearest even, each; denormals are kept (CDNA4 7.4). Each element is in two registers, the low half
//! first.

#[cfg(target_arch = "x86_64")]
pub mod avx512;

use super::host::{Host, Kernel};
use super::plan::{AddendFrom, Plan};
use super::run::plan_of;
use crate::op::Op;
use crate::regs::{Chunk, Regs};

/// 64 elements, one of each lane.
type Row = [f64; 64];

/// Element `item` of all lanes.
#[inline(always)]
fn load(regs: &Regs, at: usize, item: usize, negate: bool) -> Row {
    let chunks = &regs.v[at + 8 * item..][..8];
    std::array::from_fn(|lane| {
        let half = |n: usize| u64::from(chunks[4 * n + lane / 16].0[lane % 16]);
        let x = f64::from_bits(half(0) | half(1) << 32);
        if negate { -x } else { x }
    })
}

/// `items` elements of C.
#[inline(always)]
fn load_addend<const ITEMS: usize>(regs: &Regs, plan: &Plan) -> [Row; ITEMS] {
    std::array::from_fn(|item| match plan.c.from {
        AddendFrom::Registers(at) => load(regs, at, item, plan.c.neg),
        AddendFrom::Constant(bits) => {
            let x = f64::from_bits(bits);
            [if plan.c.neg { -x } else { x }; 64]
        }
    })
}

#[inline(always)]
fn store(regs: &mut Regs, at: usize, item: usize, row: &Row) {
    let chunks = &mut regs.v[at + 8 * item..][..8];
    let bits = |lane: usize| if row[lane].is_nan() { 0x7ff8 << 48 } else { row[lane].to_bits() };
    for chunk in 0..4 {
        chunks[chunk] = Chunk(std::array::from_fn(|i| bits(16 * chunk + i) as u32));
        chunks[4 + chunk] = Chunk(std::array::from_fn(|i| (bits(16 * chunk + i) >> 32) as u32));
    }
}

/// `V_MFMA_F64_16X16X4_F64`: A's row i and B's column i of k in lane i + 16·k; D's row i in item i/4 of lane
/// j + 16·(i%4) (CDNA4 7.1.3.4).
pub struct Double;

impl Kernel for Double {
    #[inline(always)]
    fn run<H: Host>(regs: &mut Regs, op: &Op) {
        let Some(plan) = plan_of(op) else { return };
        let a = load(regs, plan.a.at, 0, plan.a.negate[0]);
        let b = load(regs, plan.b.at, 0, plan.b.negate[0]);
        let mut d: [Row; 4] = load_addend(regs, plan);
        for i in 0..16 {
            let sums = &mut d[i / 4][16 * (i % 4)..][..16];
            for k in 0..4 {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum = a[i + 16 * k].mul_add(b[j + 16 * k], *sum);
                }
            }
        }
        for (item, row) in d.iter().enumerate() {
            store(regs, plan.d, item, row);
        }
    }
}

/// `V_MFMA_F64_4X4X4_4B_F64`: A's row i and B's column i of block b and k in lane i + 4·(b + 4·k) (CDNA4 7.1.4.1); D's
/// row i in lane j + 4·(b + 4·i). So AMD's matrix instruction calculator has D; the formula of CDNA4 7.1.4.2 exchanges
/// i and b, which none of its examples shows.
pub struct DoubleBlocks;

impl Kernel for DoubleBlocks {
    #[inline(always)]
    fn run<H: Host>(regs: &mut Regs, op: &Op) {
        let Some(plan) = plan_of(op) else { return };
        let a = load(regs, plan.a.at, 0, plan.a.negate[0]);
        let b = load(regs, plan.b.at, 0, plan.b.negate[0]);
        let [mut d]: [Row; 1] = load_addend(regs, plan);
        for (lane, sum) in d.iter_mut().enumerate() {
            let (j, block, i) = (lane % 4, lane / 4 % 4, lane / 16);
            for k in 0..4 {
                *sum = a[i + 4 * (block + 4 * k)].mul_add(b[j + 4 * (block + 4 * k)], *sum);
            }
        }
        store(regs, plan.d, 0, &d);
    }
}
