//! Scalar bit-field, bit-count, pack and mask instructions, and those that work on EXEC.

use wavemark_isa::Meaning;

use super::def::Line;
use super::modifiers::set_exec;
use super::scalar::ScalarDef;
use super::vop_bits::{bfe_i32, bfe_u32, cls};

/// Field of a bit-field-extract operand: offset in the low bits, width from bit 16, 7 bits.
#[inline(always)]
fn field(b: u32) -> (u32, u32) {
    (b, b >> 16 & 0x7f)
}

/// Unsigned bit field of 32 bits; the manual's width has 7 bits, and one of 32 or more takes all.
#[inline(always)]
fn s_bfe_u32(a: u32, b: u32) -> u32 {
    let (offset, width) = field(b);
    let x = a >> (offset & 31);
    if width >= 32 { x } else { bfe_u32(x, 0, width) }
}

#[inline(always)]
fn s_bfe_i32(a: u32, b: u32) -> u32 {
    let (offset, width) = field(b);
    if width >= 32 { (a as i32 >> (offset & 31)) as u32 } else { bfe_i32(a, offset, width) as u32 }
}

#[inline(always)]
fn s_bfe_u64(a: u64, b: u32) -> u64 {
    let (offset, width) = field(b);
    let x = a >> (offset & 63);
    if width >= 64 { x } else { x & ((1 << width) - 1) }
}

#[inline(always)]
fn s_bfe_i64(a: u64, b: u32) -> u64 {
    let (offset, width) = field(b);
    let offset = offset & 63;
    if width == 0 {
        return 0;
    }
    let unused = 64u32.saturating_sub(offset + width.min(64));
    ((a << unused) as i64 >> (unused + offset)) as u64
}

/// Each group of four bits becomes one.
fn quads(a: u64, lanes: u32) -> u64 {
    (0..lanes / 4).fold(0, |mask, i| mask | u64::from(a >> (4 * i) & 15 != 0) << i)
}

/// Each group of four bits becomes all ones if one of them is set.
fn whole_quads(a: u64) -> u64 {
    (0..16).fold(0, |mask, i| if a >> (4 * i) & 15 != 0 { mask | 15 << (4 * i) } else { mask })
}

/// Each bit twice.
fn replicate(a: u32) -> u64 {
    (0..32).fold(0, |out, i| out | (u64::from(a >> i & 1) * 3) << (2 * i))
}

#[inline(always)]
fn pack(lo: u32, hi: u32) -> u32 {
    lo & 0xffff | hi << 16
}

/// `D = EXEC; EXEC = f(S0, EXEC); SCC = EXEC != 0`, 32 or 64 bits.
macro_rules! saveexec {
    (u64, |$s:ident, $e:ident| $f:expr) => {
        salu_regs!(r |a: u64| -> u64 {
            let ($s, $e) = (a, r.exec());
            let new: u64 = $f;
            set_exec(r, new & r.full_mask());
            ($e, Some(new & r.full_mask() != 0))
        })
        .def()
    };
    (u32, |$s:ident, $e:ident| $f:expr) => {
        salu_regs!(r |a: u32| -> u32 {
            let ($s, $e) = (a, r.exec() as u32);
            let new: u32 = $f;
            set_exec(r, u64::from(new));
            ($e, Some(new != 0))
        })
        .def()
    };
}

/// `EXEC = f(S0, EXEC); D = EXEC; SCC = EXEC != 0`.
macro_rules! wrexec {
    (u64, |$s:ident, $e:ident| $f:expr) => {
        salu_regs!(r |a: u64| -> u64 {
            let ($s, $e) = (a, r.exec());
            let new: u64 = $f;
            set_exec(r, new);
            (new, Some(new != 0))
        })
        .def()
    };
    (u32, |$s:ident, $e:ident| $f:expr) => {
        salu_regs!(r |a: u32| -> u32 {
            let ($s, $e) = (a, r.exec() as u32);
            let new: u32 = $f;
            set_exec(r, u64::from(new));
            (new, Some(new != 0))
        })
        .def()
    };
}

const CTZ32: ScalarDef = salu!(|a: u32| -> i32 { if a == 0 { -1 } else { a.trailing_zeros() as i32 } });
const CTZ64: ScalarDef = salu!(|a: u64| -> i32 { if a == 0 { -1 } else { a.trailing_zeros() as i32 } });
const CLZ32: ScalarDef = salu!(|a: u32| -> i32 { if a == 0 { -1 } else { a.leading_zeros() as i32 } });
const CLZ64: ScalarDef = salu!(|a: u64| -> i32 { if a == 0 { -1 } else { a.leading_zeros() as i32 } });
const CLS32: ScalarDef = salu!(|a: i32| -> i32 { cls(a) });
const CLS64: ScalarDef = salu!(|a: i64| -> i32 {
    let flipped = (a ^ a >> 63) as u64;
    if flipped == 0 { -1 } else { flipped.leading_zeros() as i32 }
});

/// The table of this family.
pub const TABLE: &[Line] = &[
    (
        Meaning::S_BFE_U32,
        salu_scc!(|a: u32, b: u32| -> u32 {
            let d = s_bfe_u32(a, b);
            (d, d != 0)
        })
        .def(),
    ),
    (
        Meaning::S_BFE_I32,
        salu_scc!(|a: u32, b: u32| -> u32 {
            let d = s_bfe_i32(a, b);
            (d, d != 0)
        })
        .def(),
    ),
    (
        Meaning::S_BFE_U64,
        salu_scc!(|a: u64, b: u32| -> u64 {
            let d = s_bfe_u64(a, b);
            (d, d != 0)
        })
        .def(),
    ),
    (
        Meaning::S_BFE_I64,
        salu_scc!(|a: u64, b: u32| -> u64 {
            let d = s_bfe_i64(a, b);
            (d, d != 0)
        })
        .def(),
    ),
    (Meaning::S_BFM_B32, salu!(|a: u32, b: u32| -> u32 { ((1u32 << (a & 31)) - 1) << (b & 31) }).def()),
    (Meaning::S_BFM_B64, salu!(|a: u32, b: u32| -> u64 { ((1u64 << (a & 63)) - 1) << (b & 63) }).def()),
    (Meaning::S_BREV_B32, salu!(|a: u32| -> u32 { a.reverse_bits() }).def()),
    (Meaning::S_BREV_B64, salu!(|a: u64| -> u64 { a.reverse_bits() }).def()),
    (Meaning::S_BCNT0_I32_B32, salu_scc!(|a: u32| -> u32 { (a.count_zeros(), a.count_zeros() != 0) }).def()),
    (Meaning::S_BCNT0_I32_B64, salu_scc!(|a: u64| -> u32 { (a.count_zeros(), a.count_zeros() != 0) }).def()),
    (Meaning::S_BCNT1_I32_B32, salu_scc!(|a: u32| -> u32 { (a.count_ones(), a != 0) }).def()),
    (Meaning::S_BCNT1_I32_B64, salu_scc!(|a: u64| -> u32 { (a.count_ones(), a != 0) }).def()),
    (
        Meaning::S_FF0_I32_B32,
        salu!(|a: u32| -> i32 { if a == u32::MAX { -1 } else { a.trailing_ones() as i32 } }).def(),
    ),
    (
        Meaning::S_FF0_I32_B64,
        salu!(|a: u64| -> i32 { if a == u64::MAX { -1 } else { a.trailing_ones() as i32 } }).def(),
    ),
    (Meaning::S_CTZ_I32_B32, CTZ32.def()),
    (Meaning::S_CTZ_I32_B64, CTZ64.def()),
    (Meaning::S_CLZ_I32_U32, CLZ32.def()),
    (Meaning::S_CLZ_I32_U64, CLZ64.def()),
    (Meaning::S_CLS_I32, CLS32.def()),
    (Meaning::S_CLS_I32_I64, CLS64.def()),
    (Meaning::S_SEXT_I32_I8, salu!(|a: u32| -> i32 { i32::from(a as i8) }).def()),
    (Meaning::S_SEXT_I32_I16, salu!(|a: u32| -> i32 { i32::from(a as i16) }).def()),
    (
        Meaning::S_BITSET0_B32,
        salu!(|a: u32, old: u32| -> u32 { old & !(1 << (a & 31)) }).accumulating().def(),
    ),
    (Meaning::S_BITSET1_B32, salu!(|a: u32, old: u32| -> u32 { old | 1 << (a & 31) }).accumulating().def()),
    (
        Meaning::S_BITSET0_B64,
        salu!(|a: u32, old: u64| -> u64 { old & !(1 << (a & 63)) }).accumulating().def(),
    ),
    (Meaning::S_BITSET1_B64, salu!(|a: u32, old: u64| -> u64 { old | 1 << (a & 63) }).accumulating().def()),
    (Meaning::S_BITREPLICATE_B64_B32, salu!(|a: u32| -> u64 { replicate(a) }).def()),
    (
        Meaning::S_QUADMASK_B32,
        salu_scc!(|a: u32| -> u32 {
            let d = quads(u64::from(a), 32) as u32;
            (d, d != 0)
        })
        .def(),
    ),
    (
        Meaning::S_QUADMASK_B64,
        salu_scc!(|a: u64| -> u64 {
            let d = quads(a, 64);
            (d, d != 0)
        })
        .def(),
    ),
    (
        Meaning::S_WQM_B32,
        salu_scc!(|a: u32| -> u32 {
            let d = whole_quads(u64::from(a)) as u32;
            (d, d != 0)
        })
        .def(),
    ),
    (
        Meaning::S_WQM_B64,
        salu_scc!(|a: u64| -> u64 {
            let d = whole_quads(a);
            (d, d != 0)
        })
        .def(),
    ),
    (Meaning::S_PACK_LL_B32_B16, salu!(|a: u32, b: u32| -> u32 { pack(a, b) }).def()),
    (Meaning::S_PACK_LH_B32_B16, salu!(|a: u32, b: u32| -> u32 { pack(a, b >> 16) }).def()),
    (Meaning::S_PACK_HH_B32_B16, salu!(|a: u32, b: u32| -> u32 { pack(a >> 16, b >> 16) }).def()),
    (Meaning::S_PACK_HL_B32_B16, salu!(|a: u32, b: u32| -> u32 { pack(a >> 16, b) }).def()),
    (Meaning::S_AND_SAVEEXEC_B64, saveexec!(u64, |s, e| s & e)),
    (Meaning::S_OR_SAVEEXEC_B64, saveexec!(u64, |s, e| s | e)),
    (Meaning::S_XOR_SAVEEXEC_B64, saveexec!(u64, |s, e| s ^ e)),
    (Meaning::S_NAND_SAVEEXEC_B64, saveexec!(u64, |s, e| !(s & e))),
    (Meaning::S_NOR_SAVEEXEC_B64, saveexec!(u64, |s, e| !(s | e))),
    (Meaning::S_XNOR_SAVEEXEC_B64, saveexec!(u64, |s, e| !(s ^ e))),
    (Meaning::S_AND_NOT0_SAVEEXEC_B64, saveexec!(u64, |s, e| !s & e)),
    (Meaning::S_AND_NOT1_SAVEEXEC_B64, saveexec!(u64, |s, e| s & !e)),
    (Meaning::S_OR_NOT0_SAVEEXEC_B64, saveexec!(u64, |s, e| !s | e)),
    (Meaning::S_OR_NOT1_SAVEEXEC_B64, saveexec!(u64, |s, e| s | !e)),
    (Meaning::S_AND_SAVEEXEC_B32, saveexec!(u32, |s, e| s & e)),
    (Meaning::S_OR_SAVEEXEC_B32, saveexec!(u32, |s, e| s | e)),
    (Meaning::S_XOR_SAVEEXEC_B32, saveexec!(u32, |s, e| s ^ e)),
    (Meaning::S_NAND_SAVEEXEC_B32, saveexec!(u32, |s, e| !(s & e))),
    (Meaning::S_NOR_SAVEEXEC_B32, saveexec!(u32, |s, e| !(s | e))),
    (Meaning::S_XNOR_SAVEEXEC_B32, saveexec!(u32, |s, e| !(s ^ e))),
    (Meaning::S_AND_NOT0_SAVEEXEC_B32, saveexec!(u32, |s, e| !s & e)),
    (Meaning::S_AND_NOT1_SAVEEXEC_B32, saveexec!(u32, |s, e| s & !e)),
    (Meaning::S_OR_NOT0_SAVEEXEC_B32, saveexec!(u32, |s, e| !s | e)),
    (Meaning::S_OR_NOT1_SAVEEXEC_B32, saveexec!(u32, |s, e| s | !e)),
    (Meaning::S_AND_NOT0_WREXEC_B64, wrexec!(u64, |s, e| !s & e)),
    (Meaning::S_AND_NOT1_WREXEC_B64, wrexec!(u64, |s, e| s & !e)),
    (Meaning::S_AND_NOT0_WREXEC_B32, wrexec!(u32, |s, e| !s & e)),
    (Meaning::S_AND_NOT1_WREXEC_B32, wrexec!(u32, |s, e| s & !e)),
];
