//! The matrix instructions: one row each.
//!
//! The numbers are those of the name (CDNA4 7.1: `V_MFMA_[D]_[M]X[N]X[K][_[B]B]_[A and B]`; CDNA5 table 43), with
//! K counted before a sparse A is packed. gfx1250 rows with the shapes of gfx12 (K = 16, and 32 or 64 where that is
//! gfx12's) are not in the CDNA5 manual, but LLVM 22 assembles them for gfx1250; RDNA4 7.12 describes them.

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
    pub key: &'static str,
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
            key: stringify!($name),
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
    v_mfma_f32_16x16x128_f8f6f4            Dense    16 16 128  1 Chosen Chosen F32  F32;
    v_mfma_f32_32x32x64_f8f6f4             Dense    32 32  64  1 Chosen Chosen F32  F32;
    v_mfma_f32_16x16x32_bf16               Dense    16 16  32  1 Bf16   Bf16   F32  F32;
    v_mfma_i32_16x16x64_i8                 Dense    16 16  64  1 I8     I8     I32  I32;
    v_mfma_f32_32x32x16_bf16               Dense    32 32  16  1 Bf16   Bf16   F32  F32;
    v_mfma_i32_32x32x32_i8                 Dense    32 32  32  1 I8     I8     I32  I32;
    v_mfma_f32_32x32x1_2b_f32              Dense    32 32   1  2 F32    F32    F32  F32;
    v_mfma_f32_16x16x1_4b_f32              Dense    16 16   1  4 F32    F32    F32  F32;
    v_mfma_f32_4x4x1_16b_f32               Dense     4  4   1 16 F32    F32    F32  F32;
    v_mfma_f32_32x32x2_f32                 Dense    32 32   2  1 F32    F32    F32  F32;
    v_mfma_f32_16x16x4_f32                 Dense    16 16   4  1 F32    F32    F32  F32;
    v_mfma_f32_32x32x4_2b_f16              Dense    32 32   4  2 F16    F16    F32  F32;
    v_mfma_f32_16x16x4_4b_f16              Dense    16 16   4  4 F16    F16    F32  F32;
    v_mfma_f32_4x4x4_16b_f16               Dense     4  4   4 16 F16    F16    F32  F32;
    v_mfma_f32_32x32x8_f16                 Dense    32 32   8  1 F16    F16    F32  F32;
    v_mfma_f32_16x16x16_f16                Dense    16 16  16  1 F16    F16    F32  F32;
    v_mfma_i32_32x32x4_2b_i8               Dense    32 32   4  2 I8     I8     I32  I32;
    v_mfma_i32_16x16x4_4b_i8               Dense    16 16   4  4 I8     I8     I32  I32;
    v_mfma_i32_4x4x4_16b_i8                Dense     4  4   4 16 I8     I8     I32  I32;
    v_mfma_f32_16x16x32_f16                Dense    16 16  32  1 F16    F16    F32  F32;
    v_mfma_f32_32x32x16_f16                Dense    32 32  16  1 F16    F16    F32  F32;
    v_mfma_i32_32x32x16_i8                 Dense    32 32  16  1 I8     I8     I32  I32;
    v_mfma_i32_16x16x32_i8                 Dense    16 16  32  1 I8     I8     I32  I32;
    v_mfma_f32_32x32x4_2b_bf16             Dense    32 32   4  2 Bf16   Bf16   F32  F32;
    v_mfma_f32_16x16x4_4b_bf16             Dense    16 16   4  4 Bf16   Bf16   F32  F32;
    v_mfma_f32_4x4x4_16b_bf16              Dense     4  4   4 16 Bf16   Bf16   F32  F32;
    v_mfma_f32_32x32x8_bf16                Dense    32 32   8  1 Bf16   Bf16   F32  F32;
    v_mfma_f32_16x16x16_bf16               Dense    16 16  16  1 Bf16   Bf16   F32  F32;
    v_mfma_f64_16x16x4_f64                 Dense    16 16   4  1 F64    F64    F64  F64;
    v_mfma_f64_4x4x4_4b_f64                Dense     4  4   4  4 F64    F64    F64  F64;
    v_mfma_f32_16x16x32_bf8_bf8            Dense    16 16  32  1 E5m2   E5m2   F32  F32;
    v_mfma_f32_16x16x32_bf8_fp8            Dense    16 16  32  1 E5m2   E4m3   F32  F32;
    v_mfma_f32_16x16x32_fp8_bf8            Dense    16 16  32  1 E4m3   E5m2   F32  F32;
    v_mfma_f32_16x16x32_fp8_fp8            Dense    16 16  32  1 E4m3   E4m3   F32  F32;
    v_mfma_f32_32x32x16_bf8_bf8            Dense    32 32  16  1 E5m2   E5m2   F32  F32;
    v_mfma_f32_32x32x16_bf8_fp8            Dense    32 32  16  1 E5m2   E4m3   F32  F32;
    v_mfma_f32_32x32x16_fp8_bf8            Dense    32 32  16  1 E4m3   E5m2   F32  F32;
    v_mfma_f32_32x32x16_fp8_fp8            Dense    32 32  16  1 E4m3   E4m3   F32  F32;
    v_mfma_scale_f32_16x16x128_f8f6f4      Scaled32 16 16 128  1 Chosen Chosen F32  F32;
    v_mfma_scale_f32_32x32x64_f8f6f4       Scaled32 32 32  64  1 Chosen Chosen F32  F32;
    v_mfma_i32_32x32x8i8                   Dense    32 32   8  1 I8     I8     I32  I32;
    v_mfma_i32_16x16x16i8                  Dense    16 16  16  1 I8     I8     I32  I32;
    v_mfma_f32_32x32x2bf16                 Dense    32 32   2  2 Bf16   Bf16   F32  F32;
    v_mfma_f32_16x16x2bf16                 Dense    16 16   2  4 Bf16   Bf16   F32  F32;
    v_mfma_f32_4x4x2bf16                   Dense     4  4   2 16 Bf16   Bf16   F32  F32;
    v_mfma_f32_32x32x4bf16                 Dense    32 32   4  1 Bf16   Bf16   F32  F32;
    v_mfma_f32_16x16x8bf16                 Dense    16 16   8  1 Bf16   Bf16   F32  F32;
    v_smfmac_f32_16x16x64_bf16             Sparse   16 16  64  1 Bf16   Bf16   F32  F32;
    v_smfmac_i32_16x16x128_i8              Sparse   16 16 128  1 I8     I8     I32  I32;
    v_smfmac_f32_16x16x128_bf8_bf8         Sparse   16 16 128  1 E5m2   E5m2   F32  F32;
    v_smfmac_f32_16x16x128_bf8_fp8         Sparse   16 16 128  1 E5m2   E4m3   F32  F32;
    v_smfmac_f32_16x16x128_fp8_bf8         Sparse   16 16 128  1 E4m3   E5m2   F32  F32;
    v_smfmac_f32_16x16x128_fp8_fp8         Sparse   16 16 128  1 E4m3   E4m3   F32  F32;
    v_smfmac_f32_32x32x32_bf16             Sparse   32 32  32  1 Bf16   Bf16   F32  F32;
    v_smfmac_i32_32x32x64_i8               Sparse   32 32  64  1 I8     I8     I32  I32;
    v_smfmac_f32_32x32x64_bf8_bf8          Sparse   32 32  64  1 E5m2   E5m2   F32  F32;
    v_smfmac_f32_32x32x64_bf8_fp8          Sparse   32 32  64  1 E5m2   E4m3   F32  F32;
    v_smfmac_f32_32x32x64_fp8_bf8          Sparse   32 32  64  1 E4m3   E5m2   F32  F32;
    v_smfmac_f32_32x32x64_fp8_fp8          Sparse   32 32  64  1 E4m3   E4m3   F32  F32;
    v_smfmac_f32_16x16x64_f16              Sparse   16 16  64  1 F16    F16    F32  F32;
    v_smfmac_f32_32x32x32_f16              Sparse   32 32  32  1 F16    F16    F32  F32;
    v_smfmac_f32_16x16x32_f16              Sparse   16 16  32  1 F16    F16    F32  F32;
    v_smfmac_f32_32x32x16_f16              Sparse   32 32  16  1 F16    F16    F32  F32;
    v_smfmac_f32_16x16x32_bf16             Sparse   16 16  32  1 Bf16   Bf16   F32  F32;
    v_smfmac_f32_32x32x16_bf16             Sparse   32 32  16  1 Bf16   Bf16   F32  F32;
    v_smfmac_i32_16x16x64_i8               Sparse   16 16  64  1 I8     I8     I32  I32;
    v_smfmac_i32_32x32x32_i8               Sparse   32 32  32  1 I8     I8     I32  I32;
    v_smfmac_f32_16x16x64_bf8_bf8          Sparse   16 16  64  1 E5m2   E5m2   F32  F32;
    v_smfmac_f32_16x16x64_bf8_fp8          Sparse   16 16  64  1 E5m2   E4m3   F32  F32;
    v_smfmac_f32_16x16x64_fp8_bf8          Sparse   16 16  64  1 E4m3   E5m2   F32  F32;
    v_smfmac_f32_16x16x64_fp8_fp8          Sparse   16 16  64  1 E4m3   E4m3   F32  F32;
    v_smfmac_f32_32x32x32_bf8_bf8          Sparse   32 32  32  1 E5m2   E5m2   F32  F32;
    v_smfmac_f32_32x32x32_bf8_fp8          Sparse   32 32  32  1 E5m2   E4m3   F32  F32;
    v_smfmac_f32_32x32x32_fp8_bf8          Sparse   32 32  32  1 E4m3   E5m2   F32  F32;
    v_smfmac_f32_32x32x32_fp8_fp8          Sparse   32 32  32  1 E4m3   E4m3   F32  F32;
    v_mfma_f32_16x16x32_bf8_bf8_fnuz       Dense    16 16  32  1 E5m2Fnuz E5m2Fnuz F32  F32;
    v_mfma_f32_16x16x32_bf8_fp8_fnuz       Dense    16 16  32  1 E5m2Fnuz E4m3Fnuz F32  F32;
    v_mfma_f32_16x16x32_fp8_bf8_fnuz       Dense    16 16  32  1 E4m3Fnuz E5m2Fnuz F32  F32;
    v_mfma_f32_16x16x32_fp8_fp8_fnuz       Dense    16 16  32  1 E4m3Fnuz E4m3Fnuz F32  F32;
    v_mfma_f32_32x32x16_bf8_bf8_fnuz       Dense    32 32  16  1 E5m2Fnuz E5m2Fnuz F32  F32;
    v_mfma_f32_32x32x16_bf8_fp8_fnuz       Dense    32 32  16  1 E5m2Fnuz E4m3Fnuz F32  F32;
    v_mfma_f32_32x32x16_fp8_bf8_fnuz       Dense    32 32  16  1 E4m3Fnuz E5m2Fnuz F32  F32;
    v_mfma_f32_32x32x16_fp8_fp8_fnuz       Dense    32 32  16  1 E4m3Fnuz E4m3Fnuz F32  F32;
    v_smfmac_f32_16x16x64_bf8_bf8_fnuz     Sparse   16 16  64  1 E5m2Fnuz E5m2Fnuz F32  F32;
    v_smfmac_f32_16x16x64_bf8_fp8_fnuz     Sparse   16 16  64  1 E5m2Fnuz E4m3Fnuz F32  F32;
    v_smfmac_f32_16x16x64_fp8_bf8_fnuz     Sparse   16 16  64  1 E4m3Fnuz E5m2Fnuz F32  F32;
    v_smfmac_f32_16x16x64_fp8_fp8_fnuz     Sparse   16 16  64  1 E4m3Fnuz E4m3Fnuz F32  F32;
    v_smfmac_f32_32x32x32_bf8_bf8_fnuz     Sparse   32 32  32  1 E5m2Fnuz E5m2Fnuz F32  F32;
    v_smfmac_f32_32x32x32_bf8_fp8_fnuz     Sparse   32 32  32  1 E5m2Fnuz E4m3Fnuz F32  F32;
    v_smfmac_f32_32x32x32_fp8_bf8_fnuz     Sparse   32 32  32  1 E4m3Fnuz E5m2Fnuz F32  F32;
    v_smfmac_f32_32x32x32_fp8_fp8_fnuz     Sparse   32 32  32  1 E4m3Fnuz E4m3Fnuz F32  F32;
    v_mfma_f32_16x16x8_xf32                Dense    16 16   8  1 Xf32     Xf32     F32  F32;
    v_mfma_f32_32x32x4_xf32                Dense    32 32   4  1 Xf32     Xf32     F32  F32;
};

/// RDNA3.
#[rustfmt::skip]
const WMMA_TWICE: &[MatrixRow] = rows! { WmmaTwice:
    // key                                 kind      M  N   K  B  A      B      C    D
    v_wmma_f32_16x16x16_f16_twice          Dense    16 16  16  1 F16    F16    F32  F32;
    v_wmma_f32_16x16x16_bf16_twice         Dense    16 16  16  1 Bf16   Bf16   F32  F32;
    v_wmma_f16_16x16x16_f16_twice          Dense    16 16  16  1 F16    F16    F16  F16;
    v_wmma_bf16_16x16x16_bf16_twice        Dense    16 16  16  1 Bf16   Bf16   Bf16 Bf16;
    v_wmma_i32_16x16x16_iu8_twice          Dense    16 16  16  1 Iu8    Iu8    I32  I32;
    v_wmma_i32_16x16x16_iu4_twice          Dense    16 16  16  1 Iu4    Iu4    I32  I32;
};

/// gfx12 and gfx1250.
#[rustfmt::skip]
const WMMA: &[MatrixRow] = rows! { Wmma:
    // mnemonic                            kind      M  N   K  B  A      B      C    D
    v_wmma_f32_16x16x128_f8f6f4            Dense    16 16 128  1 Chosen Chosen F32  F32;
    v_wmma_f32_16x16x16_f16                Dense    16 16  16  1 F16    F16    F32  F32;
    v_wmma_f32_16x16x16_bf16               Dense    16 16  16  1 Bf16   Bf16   F32  F32;
    v_wmma_f16_16x16x16_f16                Dense    16 16  16  1 F16    F16    F16  F16;
    v_wmma_bf16_16x16x16_bf16              Dense    16 16  16  1 Bf16   Bf16   Bf16 Bf16;
    v_wmma_i32_16x16x16_iu8                Dense    16 16  16  1 Iu8    Iu8    I32  I32;
    v_wmma_i32_16x16x16_iu4                Dense    16 16  16  1 Iu4    Iu4    I32  I32;
    v_wmma_f32_16x16x16_fp8_fp8            Dense    16 16  16  1 E4m3   E4m3   F32  F32;
    v_wmma_f32_16x16x16_fp8_bf8            Dense    16 16  16  1 E4m3   E5m2   F32  F32;
    v_wmma_f32_16x16x16_bf8_fp8            Dense    16 16  16  1 E5m2   E4m3   F32  F32;
    v_wmma_f32_16x16x16_bf8_bf8            Dense    16 16  16  1 E5m2   E5m2   F32  F32;
    v_wmma_i32_16x16x32_iu4                Dense    16 16  32  1 Iu4    Iu4    I32  I32;
    v_swmmac_f32_16x16x32_f16              Sparse   16 16  32  1 F16    F16    F32  F32;
    v_swmmac_f32_16x16x32_bf16             Sparse   16 16  32  1 Bf16   Bf16   F32  F32;
    v_swmmac_f16_16x16x32_f16              Sparse   16 16  32  1 F16    F16    F16  F16;
    v_swmmac_bf16_16x16x32_bf16            Sparse   16 16  32  1 Bf16   Bf16   Bf16 Bf16;
    v_swmmac_i32_16x16x32_iu8              Sparse   16 16  32  1 Iu8    Iu8    I32  I32;
    v_swmmac_i32_16x16x32_iu4              Sparse   16 16  32  1 Iu4    Iu4    I32  I32;
    v_swmmac_i32_16x16x64_iu4              Sparse   16 16  64  1 Iu4    Iu4    I32  I32;
    v_swmmac_f32_16x16x32_fp8_fp8          Sparse   16 16  32  1 E4m3   E4m3   F32  F32;
    v_swmmac_f32_16x16x32_fp8_bf8          Sparse   16 16  32  1 E4m3   E5m2   F32  F32;
    v_swmmac_f32_16x16x32_bf8_fp8          Sparse   16 16  32  1 E5m2   E4m3   F32  F32;
    v_swmmac_f32_16x16x32_bf8_bf8          Sparse   16 16  32  1 E5m2   E5m2   F32  F32;
    v_wmma_f32_16x16x4_f32                 Dense    16 16   4  1 F32    F32    F32  F32;
    v_wmma_f32_16x16x32_f16                Dense    16 16  32  1 F16    F16    F32  F32;
    v_wmma_f16_16x16x32_f16                Dense    16 16  32  1 F16    F16    F16  F16;
    v_wmma_f32_16x16x32_bf16               Dense    16 16  32  1 Bf16   Bf16   F32  F32;
    v_wmma_bf16_16x16x32_bf16              Dense    16 16  32  1 Bf16   Bf16   Bf16 Bf16;
    v_wmma_bf16f32_16x16x32_bf16           Dense    16 16  32  1 Bf16   Bf16   F32  Bf16;
    v_swmmac_f32_16x16x64_f16              Sparse   16 16  64  1 F16    F16    F32  F32;
    v_swmmac_f32_16x16x64_bf16             Sparse   16 16  64  1 Bf16   Bf16   F32  F32;
    v_swmmac_f16_16x16x64_f16              Sparse   16 16  64  1 F16    F16    F16  F16;
    v_swmmac_bf16_16x16x64_bf16            Sparse   16 16  64  1 Bf16   Bf16   Bf16 Bf16;
    v_swmmac_bf16f32_16x16x64_bf16         Sparse   16 16  64  1 Bf16   Bf16   F32  Bf16;
    v_wmma_f32_16x16x64_fp8_fp8            Dense    16 16  64  1 E4m3   E4m3   F32  F32;
    v_wmma_f32_16x16x64_fp8_bf8            Dense    16 16  64  1 E4m3   E5m2   F32  F32;
    v_wmma_f32_16x16x64_bf8_fp8            Dense    16 16  64  1 E5m2   E4m3   F32  F32;
    v_wmma_f32_16x16x64_bf8_bf8            Dense    16 16  64  1 E5m2   E5m2   F32  F32;
    v_wmma_f16_16x16x64_fp8_fp8            Dense    16 16  64  1 E4m3   E4m3   F16  F16;
    v_wmma_f16_16x16x64_fp8_bf8            Dense    16 16  64  1 E4m3   E5m2   F16  F16;
    v_wmma_f16_16x16x64_bf8_fp8            Dense    16 16  64  1 E5m2   E4m3   F16  F16;
    v_wmma_f16_16x16x64_bf8_bf8            Dense    16 16  64  1 E5m2   E5m2   F16  F16;
    v_wmma_i32_16x16x64_iu8                Dense    16 16  64  1 Iu8    Iu8    I32  I32;
    v_swmmac_f32_16x16x128_fp8_fp8         Sparse   16 16 128  1 E4m3   E4m3   F32  F32;
    v_swmmac_f32_16x16x128_fp8_bf8         Sparse   16 16 128  1 E4m3   E5m2   F32  F32;
    v_swmmac_f32_16x16x128_bf8_fp8         Sparse   16 16 128  1 E5m2   E4m3   F32  F32;
    v_swmmac_f32_16x16x128_bf8_bf8         Sparse   16 16 128  1 E5m2   E5m2   F32  F32;
    v_swmmac_f16_16x16x128_fp8_fp8         Sparse   16 16 128  1 E4m3   E4m3   F16  F16;
    v_swmmac_f16_16x16x128_fp8_bf8         Sparse   16 16 128  1 E4m3   E5m2   F16  F16;
    v_swmmac_f16_16x16x128_bf8_fp8         Sparse   16 16 128  1 E5m2   E4m3   F16  F16;
    v_swmmac_f16_16x16x128_bf8_bf8         Sparse   16 16 128  1 E5m2   E5m2   F16  F16;
    v_swmmac_i32_16x16x128_iu8             Sparse   16 16 128  1 Iu8    Iu8    I32  I32;
    v_wmma_f32_16x16x128_fp8_fp8           Dense    16 16 128  1 E4m3   E4m3   F32  F32;
    v_wmma_f32_16x16x128_fp8_bf8           Dense    16 16 128  1 E4m3   E5m2   F32  F32;
    v_wmma_f32_16x16x128_bf8_fp8           Dense    16 16 128  1 E5m2   E4m3   F32  F32;
    v_wmma_f32_16x16x128_bf8_bf8           Dense    16 16 128  1 E5m2   E5m2   F32  F32;
    v_wmma_f16_16x16x128_fp8_fp8           Dense    16 16 128  1 E4m3   E4m3   F16  F16;
    v_wmma_f16_16x16x128_fp8_bf8           Dense    16 16 128  1 E4m3   E5m2   F16  F16;
    v_wmma_f16_16x16x128_bf8_fp8           Dense    16 16 128  1 E5m2   E4m3   F16  F16;
    v_wmma_f16_16x16x128_bf8_bf8           Dense    16 16 128  1 E5m2   E5m2   F16  F16;
    v_wmma_f32_32x16x128_f4                Dense    32 16 128  1 E2m1   E2m1   F32  F32;
    v_wmma_scale_f32_16x16x128_f8f6f4      Scaled32 16 16 128  1 Chosen Chosen F32  F32;
    v_wmma_scale16_f32_16x16x128_f8f6f4    Scaled16 16 16 128  1 Chosen Chosen F32  F32;
    v_wmma_scale_f32_32x16x128_f4          Scaled32 32 16 128  1 E2m1   E2m1   F32  F32;
    v_wmma_scale16_f32_32x16x128_f4        Scaled16 32 16 128  1 E2m1   E2m1   F32  F32;
};
