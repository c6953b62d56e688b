//! Bitwise, shift and bit-field vector instructions.

use wavemark_isa::Meaning;

use super::def::{Line, VectorDef, fast};
use super::host::Host;
use super::lane::{Cx, Depends, Exact, Lane, Out, Rows};

/// `v_perm_b32`: byte `sel` of the 8 bytes, most significant word first, or a constant or sign byte.
#[inline(always)]
fn perm(a: u32, b: u32, sel: u32) -> u32 {
    let mut out = 0;
    for i in 0..4 {
        // Without branches, so that the compiler vectorises a loop over lanes.
        let s = sel >> (8 * i) & 0xff;
        let byte = (if s & 4 != 0 { a } else { b }) >> (8 * (s & 3)) & 0xff;
        // Selects 8 to 11: the sign of bytes 1, 3, 5, 7.
        let signed = if s & 2 != 0 { a } else { b } << if s & 1 != 0 { 0 } else { 16 };
        let sign = (signed as i32 >> 31) as u32 & 0xff;
        let constant = if s == 12 { 0 } else { 0xff };
        let other = if s < 12 { sign } else { constant };
        out |= if s < 8 { byte } else { other } << (8 * i);
    }
    out
}

/// [`perm`] of a wave: mostly all selects are bytes.
struct Perm;

impl Exact for Perm {
    type A = u32;
    type B = u32;
    type C = u32;
    type D = u32;
    type E = ();
    const DEPENDS: Depends = Depends::Nothing;
    #[inline(always)]
    fn exact(_cx: &Cx, a: u32, b: u32, sel: u32) -> (u32, ()) {
        (perm(a, b, sel), ())
    }
}

impl Lane for Perm {
    #[inline(always)]
    fn one(_imm: u64, a: u32, b: u32, sel: u32) -> (u32, ()) {
        (perm(a, b, sel), ())
    }

    #[inline(always)]
    unsafe fn lanes<H: Host, const N: usize, const FLUSH: bool>(
        _imm: u64,
        a: Rows<N>,
        b: Rows<N>,
        c: Rows<N>,
        out: &mut Out<N>,
    ) -> u32 {
        // SAFETY: the caller's promise: the sources have N chunks.
        unsafe {
            let mut other = 0;
            for l in 0..N * 16 {
                other |= c.get::<u32>(l) & 0xf8f8_f8f8;
            }
            if other == 0 {
                for i in 0..N {
                    out.lo.set_chunk(i, &H::bytes_of_two(&b.chunk(i), &a.chunk(i), &c.chunk(i)));
                }
            } else {
                for l in 0..N * 16 {
                    out.lo.set(l, perm(a.get(l), b.get(l), c.get(l)));
                }
            }
        }
        0
    }
}

/// Any bitwise function of three inputs by its truth table.
#[inline(always)]
fn bitop3(table: u64, a: u32, b: u32, c: u32) -> u32 {
    let m = |i: u32| 0u32.wrapping_sub((table >> i) as u32 & 1);
    let pick = |lo: u32, hi: u32| !c & lo | c & hi;
    let b0 = !b & pick(m(0), m(1)) | b & pick(m(2), m(3));
    let b1 = !b & pick(m(4), m(5)) | b & pick(m(6), m(7));
    !a & b0 | a & b1
}

/// Position of the first bit that differs from the sign, from the top; -1 if none.
#[inline(always)]
pub fn cls(x: i32) -> i32 {
    let flipped = (x ^ x >> 31) as u32;
    if flipped == 0 { -1 } else { flipped.leading_zeros() as i32 }
}

/// Leading zeros; -1 for 0.
#[inline(always)]
fn clz(x: u32) -> i32 {
    if x == 0 { -1 } else { x.leading_zeros() as i32 }
}

/// Trailing zeros; -1 for 0.
#[inline(always)]
fn ctz(x: u32) -> i32 {
    if x == 0 { -1 } else { x.trailing_zeros() as i32 }
}

/// Unsigned bit field.
#[inline(always)]
pub fn bfe_u32(x: u32, offset: u32, width: u32) -> u32 {
    let width = width & 31;
    x >> (offset & 31) & ((1u32 << width) - 1)
}

/// Signed bit field; above the top of the register stands its sign.
#[inline(always)]
pub fn bfe_i32(x: u32, offset: u32, width: u32) -> i32 {
    let width = width & 31;
    let field = (x as i32 >> (offset & 31)) as u32 & ((1u32 << width) - 1);
    let sign = (1u32 << width) >> 1;
    (field ^ sign).wrapping_sub(sign) as i32
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_NOT_B32, raw!(|a: u32| -> u32 { !a }).def()),
    (Meaning::V_AND_B32, raw!(|a: u32, b: u32| -> u32 { a & b }).def()),
    (Meaning::V_OR_B32, raw!(|a: u32, b: u32| -> u32 { a | b }).def()),
    (Meaning::V_XOR_B32, raw!(|a: u32, b: u32| -> u32 { a ^ b }).def()),
    (Meaning::V_XNOR_B32, raw!(|a: u32, b: u32| -> u32 { !(a ^ b) }).def()),
    (Meaning::V_AND_OR_B32, raw!(|a: u32, b: u32, c: u32| -> u32 { a & b | c }).def()),
    (Meaning::V_OR3_B32, raw!(|a: u32, b: u32, c: u32| -> u32 { a | b | c }).def()),
    (Meaning::V_XOR3_B32, raw!(|a: u32, b: u32, c: u32| -> u32 { a ^ b ^ c }).def()),
    (Meaning::V_BITOP3_B32, raw!(imm |a: u32, b: u32, c: u32| -> u32 { bitop3(imm, a, b, c) }).def()),
    (
        Meaning::V_BITOP3_B16,
        raw!(imm |a: u16, b: u16, c: u16| -> u16 { bitop3(imm, u32::from(a), u32::from(b), u32::from(c)) as u16 })
            .def(),
    ),
    (Meaning::V_DUAL_BITOP2_B32, BITOP2.def()),
    (Meaning::V_LSHLREV_B32, raw!(|a: u32, b: u32| -> u32 { b << (a & 31) }).def()),
    (Meaning::V_LSHRREV_B32, raw!(|a: u32, b: u32| -> u32 { b >> (a & 31) }).def()),
    (Meaning::V_ASHRREV_I32, raw!(|a: u32, b: i32| -> i32 { b >> (a & 31) }).def()),
    (Meaning::V_LSHLREV_B64, raw!(|a: u32, b: u64| -> u64 { b << (a & 63) }).def()),
    (Meaning::V_LSHRREV_B64, raw!(|a: u32, b: u64| -> u64 { b >> (a & 63) }).def()),
    (Meaning::V_ASHRREV_I64, raw!(|a: u32, b: i64| -> i64 { b >> (a & 63) }).def()),
    (Meaning::V_LSHL_OR_B32, raw!(|a: u32, b: u32, c: u32| -> u32 { a << (b & 31) | c }).def()),
    (Meaning::V_BFE_U32, raw!(|a: u32, b: u32, c: u32| -> u32 { bfe_u32(a, b, c) }).def()),
    (Meaning::V_BFE_I32, raw!(|a: u32, b: u32, c: u32| -> i32 { bfe_i32(a, b, c) }).def()),
    (Meaning::V_BFI_B32, raw!(|a: u32, b: u32, c: u32| -> u32 { a & b | !a & c }).def()),
    (Meaning::V_BFM_B32, raw!(|a: u32, b: u32| -> u32 { ((1u32 << (a & 31)) - 1) << (b & 31) }).def()),
    (Meaning::V_BFREV_B32, raw!(|a: u32| -> u32 { a.reverse_bits() }).def()),
    (Meaning::V_BCNT_U32_B32, raw!(|a: u32, b: u32| -> u32 { a.count_ones().wrapping_add(b) }).def()),
    (Meaning::V_CLZ_I32_U32, raw!(|a: u32| -> i32 { clz(a) }).def()),
    (Meaning::V_CTZ_I32_B32, raw!(|a: u32| -> i32 { ctz(a) }).def()),
    (Meaning::V_CLS_I32, raw!(|a: i32| -> i32 { cls(a) }).def()),
    (
        Meaning::V_ALIGNBIT_B32,
        raw!(|a: u32, b: u32, c: u16| -> u32 { ((u64::from(a) << 32 | u64::from(b)) >> (c & 31)) as u32 }).def(),
    ),
    (
        Meaning::V_ALIGNBYTE_B32,
        raw!(|a: u32, b: u32, c: u16| -> u32 { ((u64::from(a) << 32 | u64::from(b)) >> (8 * (c & 3))) as u32 }).def(),
    ),
    (Meaning::V_PERM_B32, fast::<Perm>().def()),
    (
        Meaning::V_LERP_U8,
        raw!(|a: u32, b: u32, c: u32| -> u32 {
            let mut out = 0;
            for i in 0..4 {
                let byte = |x: u32| x >> (8 * i) & 0xff;
                out |= ((byte(a) + byte(b) + (byte(c) & 1)) >> 1) << (8 * i);
            }
            out
        })
        .def(),
    ),
    (Meaning::V_PRNG_B32, raw!(|a: u32| -> u32 { wavemark_numerics::stochastic::prng(a) }).def()),
];

/// VOPD's two-input function: the three-input truth table with a third source of 0.
const BITOP2: VectorDef = raw!(imm |a: u32, b: u32, _c: ()| -> u32 { bitop3(imm, a, b, 0) });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alu::host::Portable;

    /// Selects that are bytes, lane by lane and by the host's shuffles.
    #[test]
    fn bytes_of_two_words() {
        let mut state = 1u32;
        let mut draw = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state ^ state >> 13
        };
        for _ in 0..100 {
            let [a, b] = [0, 1].map(|_| std::array::from_fn::<u32, 16, _>(|_| draw()));
            let sel: [u32; 16] = std::array::from_fn(|_| draw() & 0x0707_0707);
            let wanted: [u32; 16] = std::array::from_fn(|l| perm(a[l], b[l], sel[l]));
            assert_eq!(Portable::bytes_of_two(&b, &a, &sel), wanted);
            #[cfg(target_arch = "x86_64")]
            if crate::alu::levels().contains(&crate::alu::Level::Avx512) {
                assert_eq!(crate::alu::host::Avx512::bytes_of_two(&b, &a, &sel), wanted);
            }
        }
    }
}
