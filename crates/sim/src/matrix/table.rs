//! The matrix instructions: one row each.
//!
//! The numbers are those of the name (CDNA4 7.1: `V_MFMA_[D]_[M]X[N]X[K][_[B]B]_[A and B]`; CDNA5 table 43), with
//! K counted before a sparse A is packed. gfx1250 rows with the shapes of gfx12 (K = 16, and 32 or 64 where that is
//! gfx12's) are not in the CDNA5 manual, but LLVM 22 assembles them for gfx1250; RDNA4 7.12 describes them.

use wavemark_isa::Meaning;

use super::element::Element;

/// A family of matrix instructions: how rows and columns lie in registers, and what modifiers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// MFMA and SMFMAC: waves of 64 (CDNA4 chapter 7).
    Mfma,
    /// WMMA and SWMMAC: waves of 32 (CDNA5 7.12).
    Wmma,
    /// WMMA of RDNA3: 16 lanes hold all of A and B, the others the same again (RDNA3 7.9).
    WmmaTwice,
}

/// How A is stored, and whether A and B are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All of A is stored.
    Dense,
    /// Two of every four elements of A along K are stored, and an index register says which.
    Sparse,
    /// Dense, with one scale for every 32 elements of A and B along K.
    Scaled32,
    /// Dense, with one scale for every 16 elements.
    Scaled16,
}

/// The element type of A or B as the instruction's name has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// This one.
    Is(Element),
    /// `iu8`, `iu4`: signed if the NEG bit of the matrix is set. The number is the width in bits.
    Iu(u8),
    /// `f8f6f4`: modifiers choose among FP8, BF8, FP6, BF6 and FP4.
    Chosen,
}

/// The element type of C or D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum Accumulator {
    F32,
    F16,
    Bf16,
    I32,
    F64,
}

/// What an instruction multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    /// The key ([`crate::meaning`]).
    pub key: Meaning,
    /// Which family of matrix instructions.
    pub family: Family,
    /// Dense, sparse, scaled.
    pub kind: Kind,
    /// Rows of A, C and D.
    pub m: u16,
    /// Columns of B, C and D.
    pub n: u16,
    /// Columns of A (unpacked) and rows of B.
    pub k: u16,
    /// How many such products there are.
    pub blocks: u16,
    /// Elements of A.
    pub a: Source,
    /// Elements of B.
    pub b: Source,
    /// Elements of C.
    pub c: Accumulator,
    /// Elements of D.
    pub d: Accumulator,
}

/// All rows: each key once.
pub const FAMILIES: &[&[MatrixRow]] = &[MFMA, WMMA, WMMA_TWICE];

macro_rules! source {
    (Chosen) => {
        Source::Chosen
    };
    (Iu8) => {
        Source::Iu(8)
    };
    (Iu4) => {
        Source::Iu(4)
    };
    ($element:ident) => {
        Source::Is(Element::$element)
    };
}

macro_rules! rows {
    ($family:ident: $($name:ident $kind:ident $m:literal $n:literal $k:literal $blocks:literal $a:ident $b:ident $c:ident $d:ident;)*) => {
        &[$(MatrixRow {
            key: Meaning::$name,
            family: Family::$family,
            kind: Kind::$kind,
            m: $m,
            n: $n,
            k: $k,
            blocks: $blocks,
            a: source!($a),
            b: source!($b),
            c: Accumulator::$c,
            d: Accumulator::$d,
        }),*]
    };
}

/// CDNA 1 to 4.
#[rustfmt::skip]
const MFMA: &[MatrixRow] = rows! { Mfma:
    // mnemonic                            kind      M  N   K  B  A      B      C    D
    V_MFMA_F32_16X16X128_F8F6F4            Dense    16 16 128  1 Chosen Chosen F32  F32;
    V_MFMA_F32_32X32X64_F8F6F4             Dense    32 32  64  1 Chosen Chosen F32  F32;
    V_MFMA_F32_16X16X32_BF16               Dense    16 16  32  1 Bf16   Bf16   F32  F32;
    V_MFMA_I32_16X16X64_I8                 Dense    16 16  64  1 I8     I8     I32  I32;
    V_MFMA_F32_32X32X16_BF16               Dense    32 32  16  1 Bf16   Bf16   F32  F32;
    V_MFMA_I32_32X32X32_I8                 Dense    32 32  32  1 I8     I8     I32  I32;
    V_MFMA_F32_32X32X1_2B_F32              Dense    32 32   1  2 F32    F32    F32  F32;
    V_MFMA_F32_16X16X1_4B_F32              Dense    16 16   1  4 F32    F32    F32  F32;
    V_MFMA_F32_4X4X1_16B_F32               Dense     4  4   1 16 F32    F32    F32  F32;
    V_MFMA_F32_32X32X2_F32                 Dense    32 32   2  1 F32    F32    F32  F32;
    V_MFMA_F32_16X16X4_F32                 Dense    16 16   4  1 F32    F32    F32  F32;
    V_MFMA_F32_32X32X4_2B_F16              Dense    32 32   4  2 F16    F16    F32  F32;
    V_MFMA_F32_16X16X4_4B_F16              Dense    16 16   4  4 F16    F16    F32  F32;
    V_MFMA_F32_4X4X4_16B_F16               Dense     4  4   4 16 F16    F16    F32  F32;
    V_MFMA_F32_32X32X8_F16                 Dense    32 32   8  1 F16    F16    F32  F32;
    V_MFMA_F32_16X16X16_F16                Dense    16 16  16  1 F16    F16    F32  F32;
    V_MFMA_I32_32X32X4_2B_I8               Dense    32 32   4  2 I8     I8     I32  I32;
    V_MFMA_I32_16X16X4_4B_I8               Dense    16 16   4  4 I8     I8     I32  I32;
    V_MFMA_I32_4X4X4_16B_I8                Dense     4  4   4 16 I8     I8     I32  I32;
    V_MFMA_F32_16X16X32_F16                Dense    16 16  32  1 F16    F16    F32  F32;
    V_MFMA_F32_32X32X16_F16                Dense    32 32  16  1 F16    F16    F32  F32;
    V_MFMA_I32_32X32X16_I8                 Dense    32 32  16  1 I8     I8     I32  I32;
    V_MFMA_I32_16X16X32_I8                 Dense    16 16  32  1 I8     I8     I32  I32;
    V_MFMA_F32_32X32X4_2B_BF16             Dense    32 32   4  2 Bf16   Bf16   F32  F32;
    V_MFMA_F32_16X16X4_4B_BF16             Dense    16 16   4  4 Bf16   Bf16   F32  F32;
    V_MFMA_F32_4X4X4_16B_BF16              Dense     4  4   4 16 Bf16   Bf16   F32  F32;
    V_MFMA_F32_32X32X8_BF16                Dense    32 32   8  1 Bf16   Bf16   F32  F32;
    V_MFMA_F32_16X16X16_BF16               Dense    16 16  16  1 Bf16   Bf16   F32  F32;
    V_MFMA_F64_16X16X4_F64                 Dense    16 16   4  1 F64    F64    F64  F64;
    V_MFMA_F64_4X4X4_4B_F64                Dense     4  4   4  4 F64    F64    F64  F64;
    V_MFMA_F32_16X16X32_BF8_BF8            Dense    16 16  32  1 E5m2   E5m2   F32  F32;
    V_MFMA_F32_16X16X32_BF8_FP8            Dense    16 16  32  1 E5m2   E4m3   F32  F32;
    V_MFMA_F32_16X16X32_FP8_BF8            Dense    16 16  32  1 E4m3   E5m2   F32  F32;
    V_MFMA_F32_16X16X32_FP8_FP8            Dense    16 16  32  1 E4m3   E4m3   F32  F32;
    V_MFMA_F32_32X32X16_BF8_BF8            Dense    32 32  16  1 E5m2   E5m2   F32  F32;
    V_MFMA_F32_32X32X16_BF8_FP8            Dense    32 32  16  1 E5m2   E4m3   F32  F32;
    V_MFMA_F32_32X32X16_FP8_BF8            Dense    32 32  16  1 E4m3   E5m2   F32  F32;
    V_MFMA_F32_32X32X16_FP8_FP8            Dense    32 32  16  1 E4m3   E4m3   F32  F32;
    V_MFMA_SCALE_F32_16X16X128_F8F6F4      Scaled32 16 16 128  1 Chosen Chosen F32  F32;
    V_MFMA_SCALE_F32_32X32X64_F8F6F4       Scaled32 32 32  64  1 Chosen Chosen F32  F32;
    V_MFMA_I32_32X32X8I8                   Dense    32 32   8  1 I8     I8     I32  I32;
    V_MFMA_I32_16X16X16I8                  Dense    16 16  16  1 I8     I8     I32  I32;
    V_MFMA_F32_32X32X2BF16                 Dense    32 32   2  2 Bf16   Bf16   F32  F32;
    V_MFMA_F32_16X16X2BF16                 Dense    16 16   2  4 Bf16   Bf16   F32  F32;
    V_MFMA_F32_4X4X2BF16                   Dense     4  4   2 16 Bf16   Bf16   F32  F32;
    V_MFMA_F32_32X32X4BF16                 Dense    32 32   4  1 Bf16   Bf16   F32  F32;
    V_MFMA_F32_16X16X8BF16                 Dense    16 16   8  1 Bf16   Bf16   F32  F32;
    V_SMFMAC_F32_16X16X64_BF16             Sparse   16 16  64  1 Bf16   Bf16   F32  F32;
    V_SMFMAC_I32_16X16X128_I8              Sparse   16 16 128  1 I8     I8     I32  I32;
    V_SMFMAC_F32_16X16X128_BF8_BF8         Sparse   16 16 128  1 E5m2   E5m2   F32  F32;
    V_SMFMAC_F32_16X16X128_BF8_FP8         Sparse   16 16 128  1 E5m2   E4m3   F32  F32;
    V_SMFMAC_F32_16X16X128_FP8_BF8         Sparse   16 16 128  1 E4m3   E5m2   F32  F32;
    V_SMFMAC_F32_16X16X128_FP8_FP8         Sparse   16 16 128  1 E4m3   E4m3   F32  F32;
    V_SMFMAC_F32_32X32X32_BF16             Sparse   32 32  32  1 Bf16   Bf16   F32  F32;
    V_SMFMAC_I32_32X32X64_I8               Sparse   32 32  64  1 I8     I8     I32  I32;
    V_SMFMAC_F32_32X32X64_BF8_BF8          Sparse   32 32  64  1 E5m2   E5m2   F32  F32;
    V_SMFMAC_F32_32X32X64_BF8_FP8          Sparse   32 32  64  1 E5m2   E4m3   F32  F32;
    V_SMFMAC_F32_32X32X64_FP8_BF8          Sparse   32 32  64  1 E4m3   E5m2   F32  F32;
    V_SMFMAC_F32_32X32X64_FP8_FP8          Sparse   32 32  64  1 E4m3   E4m3   F32  F32;
    V_SMFMAC_F32_16X16X64_F16              Sparse   16 16  64  1 F16    F16    F32  F32;
    V_SMFMAC_F32_32X32X32_F16              Sparse   32 32  32  1 F16    F16    F32  F32;
    V_SMFMAC_F32_16X16X32_F16              Sparse   16 16  32  1 F16    F16    F32  F32;
    V_SMFMAC_F32_32X32X16_F16              Sparse   32 32  16  1 F16    F16    F32  F32;
    V_SMFMAC_F32_16X16X32_BF16             Sparse   16 16  32  1 Bf16   Bf16   F32  F32;
    V_SMFMAC_F32_32X32X16_BF16             Sparse   32 32  16  1 Bf16   Bf16   F32  F32;
    V_SMFMAC_I32_16X16X64_I8               Sparse   16 16  64  1 I8     I8     I32  I32;
    V_SMFMAC_I32_32X32X32_I8               Sparse   32 32  32  1 I8     I8     I32  I32;
    V_SMFMAC_F32_16X16X64_BF8_BF8          Sparse   16 16  64  1 E5m2   E5m2   F32  F32;
    V_SMFMAC_F32_16X16X64_BF8_FP8          Sparse   16 16  64  1 E5m2   E4m3   F32  F32;
    V_SMFMAC_F32_16X16X64_FP8_BF8          Sparse   16 16  64  1 E4m3   E5m2   F32  F32;
    V_SMFMAC_F32_16X16X64_FP8_FP8          Sparse   16 16  64  1 E4m3   E4m3   F32  F32;
    V_SMFMAC_F32_32X32X32_BF8_BF8          Sparse   32 32  32  1 E5m2   E5m2   F32  F32;
    V_SMFMAC_F32_32X32X32_BF8_FP8          Sparse   32 32  32  1 E5m2   E4m3   F32  F32;
    V_SMFMAC_F32_32X32X32_FP8_BF8          Sparse   32 32  32  1 E4m3   E5m2   F32  F32;
    V_SMFMAC_F32_32X32X32_FP8_FP8          Sparse   32 32  32  1 E4m3   E4m3   F32  F32;
    V_MFMA_F32_16X16X32_BF8_BF8_FNUZ       Dense    16 16  32  1 E5m2Fnuz E5m2Fnuz F32  F32;
    V_MFMA_F32_16X16X32_BF8_FP8_FNUZ       Dense    16 16  32  1 E5m2Fnuz E4m3Fnuz F32  F32;
    V_MFMA_F32_16X16X32_FP8_BF8_FNUZ       Dense    16 16  32  1 E4m3Fnuz E5m2Fnuz F32  F32;
    V_MFMA_F32_16X16X32_FP8_FP8_FNUZ       Dense    16 16  32  1 E4m3Fnuz E4m3Fnuz F32  F32;
    V_MFMA_F32_32X32X16_BF8_BF8_FNUZ       Dense    32 32  16  1 E5m2Fnuz E5m2Fnuz F32  F32;
    V_MFMA_F32_32X32X16_BF8_FP8_FNUZ       Dense    32 32  16  1 E5m2Fnuz E4m3Fnuz F32  F32;
    V_MFMA_F32_32X32X16_FP8_BF8_FNUZ       Dense    32 32  16  1 E4m3Fnuz E5m2Fnuz F32  F32;
    V_MFMA_F32_32X32X16_FP8_FP8_FNUZ       Dense    32 32  16  1 E4m3Fnuz E4m3Fnuz F32  F32;
    V_SMFMAC_F32_16X16X64_BF8_BF8_FNUZ     Sparse   16 16  64  1 E5m2Fnuz E5m2Fnuz F32  F32;
    V_SMFMAC_F32_16X16X64_BF8_FP8_FNUZ     Sparse   16 16  64  1 E5m2Fnuz E4m3Fnuz F32  F32;
    V_SMFMAC_F32_16X16X64_FP8_BF8_FNUZ     Sparse   16 16  64  1 E4m3Fnuz E5m2Fnuz F32  F32;
    V_SMFMAC_F32_16X16X64_FP8_FP8_FNUZ     Sparse   16 16  64  1 E4m3Fnuz E4m3Fnuz F32  F32;
    V_SMFMAC_F32_32X32X32_BF8_BF8_FNUZ     Sparse   32 32  32  1 E5m2Fnuz E5m2Fnuz F32  F32;
    V_SMFMAC_F32_32X32X32_BF8_FP8_FNUZ     Sparse   32 32  32  1 E5m2Fnuz E4m3Fnuz F32  F32;
    V_SMFMAC_F32_32X32X32_FP8_BF8_FNUZ     Sparse   32 32  32  1 E4m3Fnuz E5m2Fnuz F32  F32;
    V_SMFMAC_F32_32X32X32_FP8_FP8_FNUZ     Sparse   32 32  32  1 E4m3Fnuz E4m3Fnuz F32  F32;
    V_MFMA_F32_16X16X8_XF32                Dense    16 16   8  1 Xf32     Xf32     F32  F32;
    V_MFMA_F32_32X32X4_XF32                Dense    32 32   4  1 Xf32     Xf32     F32  F32;
};

/// RDNA3.
#[rustfmt::skip]
const WMMA_TWICE: &[MatrixRow] = rows! { WmmaTwice:
    // key                                 kind      M  N   K  B  A      B      C    D
    V_WMMA_F32_16X16X16_F16_TWICE          Dense    16 16  16  1 F16    F16    F32  F32;
    V_WMMA_F32_16X16X16_BF16_TWICE         Dense    16 16  16  1 Bf16   Bf16   F32  F32;
    V_WMMA_F16_16X16X16_F16_TWICE          Dense    16 16  16  1 F16    F16    F16  F16;
    V_WMMA_BF16_16X16X16_BF16_TWICE        Dense    16 16  16  1 Bf16   Bf16   Bf16 Bf16;
    V_WMMA_I32_16X16X16_IU8_TWICE          Dense    16 16  16  1 Iu8    Iu8    I32  I32;
    V_WMMA_I32_16X16X16_IU4_TWICE          Dense    16 16  16  1 Iu4    Iu4    I32  I32;
};

/// gfx12 and gfx1250.
#[rustfmt::skip]
const WMMA: &[MatrixRow] = rows! { Wmma:
    // mnemonic                            kind      M  N   K  B  A      B      C    D
    V_WMMA_F32_16X16X128_F8F6F4            Dense    16 16 128  1 Chosen Chosen F32  F32;
    V_WMMA_F32_16X16X16_F16                Dense    16 16  16  1 F16    F16    F32  F32;
    V_WMMA_F32_16X16X16_BF16               Dense    16 16  16  1 Bf16   Bf16   F32  F32;
    V_WMMA_F16_16X16X16_F16                Dense    16 16  16  1 F16    F16    F16  F16;
    V_WMMA_BF16_16X16X16_BF16              Dense    16 16  16  1 Bf16   Bf16   Bf16 Bf16;
    V_WMMA_I32_16X16X16_IU8                Dense    16 16  16  1 Iu8    Iu8    I32  I32;
    V_WMMA_I32_16X16X16_IU4                Dense    16 16  16  1 Iu4    Iu4    I32  I32;
    V_WMMA_F32_16X16X16_FP8_FP8            Dense    16 16  16  1 E4m3   E4m3   F32  F32;
    V_WMMA_F32_16X16X16_FP8_BF8            Dense    16 16  16  1 E4m3   E5m2   F32  F32;
    V_WMMA_F32_16X16X16_BF8_FP8            Dense    16 16  16  1 E5m2   E4m3   F32  F32;
    V_WMMA_F32_16X16X16_BF8_BF8            Dense    16 16  16  1 E5m2   E5m2   F32  F32;
    V_WMMA_I32_16X16X32_IU4                Dense    16 16  32  1 Iu4    Iu4    I32  I32;
    V_SWMMAC_F32_16X16X32_F16              Sparse   16 16  32  1 F16    F16    F32  F32;
    V_SWMMAC_F32_16X16X32_BF16             Sparse   16 16  32  1 Bf16   Bf16   F32  F32;
    V_SWMMAC_F16_16X16X32_F16              Sparse   16 16  32  1 F16    F16    F16  F16;
    V_SWMMAC_BF16_16X16X32_BF16            Sparse   16 16  32  1 Bf16   Bf16   Bf16 Bf16;
    V_SWMMAC_I32_16X16X32_IU8              Sparse   16 16  32  1 Iu8    Iu8    I32  I32;
    V_SWMMAC_I32_16X16X32_IU4              Sparse   16 16  32  1 Iu4    Iu4    I32  I32;
    V_SWMMAC_I32_16X16X64_IU4              Sparse   16 16  64  1 Iu4    Iu4    I32  I32;
    V_SWMMAC_F32_16X16X32_FP8_FP8          Sparse   16 16  32  1 E4m3   E4m3   F32  F32;
    V_SWMMAC_F32_16X16X32_FP8_BF8          Sparse   16 16  32  1 E4m3   E5m2   F32  F32;
    V_SWMMAC_F32_16X16X32_BF8_FP8          Sparse   16 16  32  1 E5m2   E4m3   F32  F32;
    V_SWMMAC_F32_16X16X32_BF8_BF8          Sparse   16 16  32  1 E5m2   E5m2   F32  F32;
    V_WMMA_F32_16X16X4_F32                 Dense    16 16   4  1 F32    F32    F32  F32;
    V_WMMA_F32_16X16X32_F16                Dense    16 16  32  1 F16    F16    F32  F32;
    V_WMMA_F16_16X16X32_F16                Dense    16 16  32  1 F16    F16    F16  F16;
    V_WMMA_F32_16X16X32_BF16               Dense    16 16  32  1 Bf16   Bf16   F32  F32;
    V_WMMA_BF16_16X16X32_BF16              Dense    16 16  32  1 Bf16   Bf16   Bf16 Bf16;
    V_WMMA_BF16F32_16X16X32_BF16           Dense    16 16  32  1 Bf16   Bf16   F32  Bf16;
    V_SWMMAC_F32_16X16X64_F16              Sparse   16 16  64  1 F16    F16    F32  F32;
    V_SWMMAC_F32_16X16X64_BF16             Sparse   16 16  64  1 Bf16   Bf16   F32  F32;
    V_SWMMAC_F16_16X16X64_F16              Sparse   16 16  64  1 F16    F16    F16  F16;
    V_SWMMAC_BF16_16X16X64_BF16            Sparse   16 16  64  1 Bf16   Bf16   Bf16 Bf16;
    V_SWMMAC_BF16F32_16X16X64_BF16         Sparse   16 16  64  1 Bf16   Bf16   F32  Bf16;
    V_WMMA_F32_16X16X64_FP8_FP8            Dense    16 16  64  1 E4m3   E4m3   F32  F32;
    V_WMMA_F32_16X16X64_FP8_BF8            Dense    16 16  64  1 E4m3   E5m2   F32  F32;
    V_WMMA_F32_16X16X64_BF8_FP8            Dense    16 16  64  1 E5m2   E4m3   F32  F32;
    V_WMMA_F32_16X16X64_BF8_BF8            Dense    16 16  64  1 E5m2   E5m2   F32  F32;
    V_WMMA_F16_16X16X64_FP8_FP8            Dense    16 16  64  1 E4m3   E4m3   F16  F16;
    V_WMMA_F16_16X16X64_FP8_BF8            Dense    16 16  64  1 E4m3   E5m2   F16  F16;
    V_WMMA_F16_16X16X64_BF8_FP8            Dense    16 16  64  1 E5m2   E4m3   F16  F16;
    V_WMMA_F16_16X16X64_BF8_BF8            Dense    16 16  64  1 E5m2   E5m2   F16  F16;
    V_WMMA_I32_16X16X64_IU8                Dense    16 16  64  1 Iu8    Iu8    I32  I32;
    V_SWMMAC_F32_16X16X128_FP8_FP8         Sparse   16 16 128  1 E4m3   E4m3   F32  F32;
    V_SWMMAC_F32_16X16X128_FP8_BF8         Sparse   16 16 128  1 E4m3   E5m2   F32  F32;
    V_SWMMAC_F32_16X16X128_BF8_FP8         Sparse   16 16 128  1 E5m2   E4m3   F32  F32;
    V_SWMMAC_F32_16X16X128_BF8_BF8         Sparse   16 16 128  1 E5m2   E5m2   F32  F32;
    V_SWMMAC_F16_16X16X128_FP8_FP8         Sparse   16 16 128  1 E4m3   E4m3   F16  F16;
    V_SWMMAC_F16_16X16X128_FP8_BF8         Sparse   16 16 128  1 E4m3   E5m2   F16  F16;
    V_SWMMAC_F16_16X16X128_BF8_FP8         Sparse   16 16 128  1 E5m2   E4m3   F16  F16;
    V_SWMMAC_F16_16X16X128_BF8_BF8         Sparse   16 16 128  1 E5m2   E5m2   F16  F16;
    V_SWMMAC_I32_16X16X128_IU8             Sparse   16 16 128  1 Iu8    Iu8    I32  I32;
    V_WMMA_F32_16X16X128_FP8_FP8           Dense    16 16 128  1 E4m3   E4m3   F32  F32;
    V_WMMA_F32_16X16X128_FP8_BF8           Dense    16 16 128  1 E4m3   E5m2   F32  F32;
    V_WMMA_F32_16X16X128_BF8_FP8           Dense    16 16 128  1 E5m2   E4m3   F32  F32;
    V_WMMA_F32_16X16X128_BF8_BF8           Dense    16 16 128  1 E5m2   E5m2   F32  F32;
    V_WMMA_F16_16X16X128_FP8_FP8           Dense    16 16 128  1 E4m3   E4m3   F16  F16;
    V_WMMA_F16_16X16X128_FP8_BF8           Dense    16 16 128  1 E4m3   E5m2   F16  F16;
    V_WMMA_F16_16X16X128_BF8_FP8           Dense    16 16 128  1 E5m2   E4m3   F16  F16;
    V_WMMA_F16_16X16X128_BF8_BF8           Dense    16 16 128  1 E5m2   E5m2   F16  F16;
    V_WMMA_F32_32X16X128_F4                Dense    32 16 128  1 E2m1   E2m1   F32  F32;
    V_WMMA_SCALE_F32_16X16X128_F8F6F4      Scaled32 16 16 128  1 Chosen Chosen F32  F32;
    V_WMMA_SCALE16_F32_16X16X128_F8F6F4    Scaled16 16 16 128  1 Chosen Chosen F32  F32;
    V_WMMA_SCALE_F32_32X16X128_F4          Scaled32 32 16 128  1 E2m1   E2m1   F32  F32;
    V_WMMA_SCALE16_F32_32X16X128_F4        Scaled16 32 16 128  1 E2m1   E2m1   F32  F32;
};
