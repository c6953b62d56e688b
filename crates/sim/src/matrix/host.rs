//! The inner loops at each vector level of the host.
//!
//! All levels give the same bits, but for which NaN a NaN is: the results' are made canonical afterwards.

pub use crate::alu::{Level, level, levels};
use crate::op::{Body, Op};
use crate::regs::{Chunk, Regs};

use super::layout::Pair;

/// 16 binary32 numbers: 16 lanes of a register after decoding, or 16 columns of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; 16]);

impl Lanes {
    /// All zero.
    pub const ZERO: Lanes = Lanes([0.0; 16]);

    /// The numbers of these bits.
    #[inline(always)]
    pub fn from_bits(bits: Chunk) -> Lanes {
        // SAFETY: both are 64 bytes without padding, and all bits are a number.
        unsafe { std::mem::transmute::<Chunk, Lanes>(bits) }
    }
}

/// The numbers of consecutive vectors.
#[inline(always)]
pub fn numbers(vectors: &[Lanes]) -> &[f32] {
    // SAFETY: `Lanes` is 16 `f32` without padding (`repr(C)`, 64 bytes).
    unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), vectors.len() * 16) }
}

/// The numbers of consecutive vectors, to change.
#[inline(always)]
pub fn numbers_mut(vectors: &mut [Lanes]) -> &mut [f32] {
    // SAFETY: as above, and the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), vectors.len() * 16) }
}

/// The NaN of results of binary16.
pub const NAN_F16: u16 = 0x7e00;

/// One step of a product: which vector of the decoded A and which of the decoded B meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Index in A.
    pub a: u16,
    /// Index in B.
    pub b: u16,
}

/// Operations of a level.
pub trait Host: 'static {
    /// Binary16 in bits `SHIFT + 15 : SHIFT` of each lane, as binary32.
    fn f16<const SHIFT: u32>(words: &[u32; 16]) -> Lanes;

    /// Numbers as binary16 in the low halves, rounded to nearest even; NaNs are the positive quiet one without payload.
    #[inline(always)]
    fn to_f16(numbers: &Lanes) -> Chunk {
        let code = |x: f32| if x.is_nan() { NAN_F16 } else { wavemark_numerics::f16::from_f32(x) };
        Chunk(numbers.0.map(|x| code(x).into()))
    }

    /// Both halves of each lane.
    #[inline(always)]
    fn f16_halves(words: &[u32; 16], low: &mut Lanes, high: &mut Lanes) {
        *low = Self::f16::<0>(words);
        *high = Self::f16::<16>(words);
    }

    /// For each step in order, row r and column c: `acc[r][c] = fma(a[step.a][r], b[step.b][c], acc[r][c])`. `EXACT`
    /// promises that the products are binary32 numbers.
    fn multiply<const EXACT: bool>(acc: &mut [Lanes; 16], a: &[Lanes], b: &[Lanes], steps: &[Step]);

    /// Whether the level has [`Host::fp8`].
    const WIDE: bool = false;

    /// The four bytes of each lane, E5M2 or E4M3, the lowest first.
    #[inline(always)]
    fn fp8<const E5M2: bool>(_words: &Chunk, _to: [&mut Lanes; 4]) {}

    /// What lane `lanes[l]` of 64 has, in lane l.
    #[inline(always)]
    fn lanes(of: &[Lanes; 4], lanes: &[u8; 64]) -> [Lanes; 4] {
        let of = numbers(of);
        std::array::from_fn(|chunk| {
            Lanes(std::array::from_fn(|lane| of[usize::from(lanes[16 * chunk + lane]) & 63]))
        })
    }

    /// [`Host::multiply`] for a sparse A: each element of a pair meets the vector of B that its index says. `chunks` is the
    /// distance of a pair's elements.
    fn multiply_sparse<const EXACT: bool>(
        acc: &mut [Lanes; 16],
        a: &[Lanes],
        b: &[Lanes],
        index: &[Chunk],
        pairs: &[Pair],
        chunks: usize,
    );
}

/// The vector of B that the first (`second`) element of a pair of row `r` meets.
#[inline(always)]
fn met<'b>(pair: &Pair, index: &[Chunk], r: usize, second: bool, b: &'b [Lanes]) -> &'b [f32; 16] {
    let bits = index[pair.index as usize].0[r] >> pair.shift;
    let position = if second { bits >> 2 & 3 } else { bits & 3 };
    &b[pair.b[position as usize] as usize].0
}

/// [`Level::Portable`].
pub struct Portable;

impl Host for Portable {
    #[inline(always)]
    fn f16<const SHIFT: u32>(words: &[u32; 16]) -> Lanes {
        Lanes(std::array::from_fn(|i| wavemark_numerics::f16::to_f32((words[i] >> SHIFT) as u16)))
    }

    #[inline(always)]
    fn multiply<const EXACT: bool>(acc: &mut [Lanes; 16], a: &[Lanes], b: &[Lanes], steps: &[Step]) {
        for (r, row) in acc.iter_mut().enumerate() {
            let mut sums = row.0;
            for step in steps {
                let (x, b) = (a[step.a as usize].0[r], &b[step.b as usize].0);
                for i in 0..16 {
                    // Without FMA instructions `mul_add` is a call; an exact product needs none.
                    sums[i] = if EXACT { sums[i] + x * b[i] } else { x.mul_add(b[i], sums[i]) };
                }
            }
            row.0 = sums;
        }
    }

    #[inline(always)]
    fn multiply_sparse<const EXACT: bool>(
        acc: &mut [Lanes; 16],
        a: &[Lanes],
        b: &[Lanes],
        index: &[Chunk],
        pairs: &[Pair],
        chunks: usize,
    ) {
        for pair in pairs {
            for second in [false, true] {
                let a = &a[pair.a as usize + usize::from(second) * chunks].0;
                for (r, row) in acc.iter_mut().enumerate() {
                    let (x, b) = (a[r], met(pair, index, r, second, b));
                    for (sum, y) in row.0.iter_mut().zip(b) {
                        *sum = if EXACT { *sum + x * y } else { x.mul_add(*y, *sum) };
                    }
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

/// A whole-wave operation, generic over the level.
pub trait Kernel: 'static {
    /// Run it. The host must have the level `H`.
    fn run<H: Host>(regs: &mut Regs, op: &Op);
}

unsafe fn portable<K: Kernel>(regs: &mut Regs, op: &Op) {
    K::run::<Portable>(regs, op);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2<K: Kernel>(regs: &mut Regs, op: &Op) {
    K::run::<Avx2>(regs, op);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
unsafe fn avx512<K: Kernel>(regs: &mut Regs, op: &Op) {
    K::run::<Avx512>(regs, op);
}

/// The body of `K` for a level.
pub fn body<K: Kernel>(level: Level) -> Body {
    match level {
        Level::Portable => portable::<K>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<K>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<K>,
        #[cfg(not(target_arch = "x86_64"))]
        _ => portable::<K>,
    }
}
