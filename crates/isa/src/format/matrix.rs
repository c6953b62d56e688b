//! Formats of the matrix family: VOP3P with its MFMA and WMMA layouts, the 16-byte scale forms, and VOPD (CDNA4
//! manual 13.3.6, CDNA5 manual 14.3.6 to 14.3.9).
//!
//! LLVM's and the manuals' VOP3P covers several layouts of the bits beside opcode and sources; each is a format
//! here, under a name of ours:
//!
//! * `VOP3P`, `VOP3P_2`: packed math with three and with two sources;
//! * `MAI`, `MAI_F64`: matrix instructions of gfx950, BLGP in the place of NEG or not; `ACCVGPR`: moves;
//! * `WMMA`, `WMMA_F8F6F4`: matrix instructions of gfx1250, reuse bits or data types in the place of OPSEL;
//! * `MAI_SCALE`, `WMMA_SCALE`: the scale load in dwords 0 and 1 (fields of it are named with `ld_` where it
//!   matters), the multiplication in dwords 2 and 3; `WMMA_LD_SCALE`: the load alone;
//! * `VOPD`, `VOPD3`: pairs. They have no rows of their own: `VOPDX`, `VOPDY`, `VOPD3X`, `VOPD3Y` are the halves,
//!   each with all dwords of the pair; `unused1` and `unused2` are the places of sources that an instruction
//!   does not have, which must be 0.

use super::vector::{DPP8, DPP8_FI, DPP16, VGPR, flipped};
use super::{Family, Field, Format, field, field_or};
use crate::{Form, Isa};

const fn matrix(
    name: &'static str,
    isa: Isa,
    form: Form,
    dwords: u8,
    fixed: &'static [(u8, u8, u32)],
    opcode: &'static [(u8, u8)],
    fields: &'static [Field],
    literal: bool,
) -> Format {
    Format { name, isa, family: Family::Matrix, form, dwords, fixed, opcode, fields, literal }
}

/// VOP3P's NEG, OPSEL and CLMP fields around other fields.
macro_rules! packed_fields {
    ($src0:expr $(, $more:expr)*) => { &[
        field("vdst", &[(0, 8)]),
        field("neg_hi", &[(8, 3)]),
        field("op_sel", &[(11, 3)]),
        field("op_sel_hi", &[(59, 2), (14, 1)]),
        field("clamp", &[(15, 1)]),
        $src0,
        field("src1", &[(41, 9)]),
        field("src2", &[(50, 9)]),
        field("neg", &[(61, 3)]),
        $($more,)*
    ] };
}

/// The same with two sources: two bits for each modifier, and encode sets the third of OPSEL_HI.
const PACKED_2: &[Field] = &[
    field("vdst", &[(0, 8)]),
    field("neg_hi", &[(8, 2)]),
    field("op_sel", &[(11, 2)]),
    field_or("op_sel_hi_2", &[(14, 1)], 1),
    field("op_sel_hi", &[(59, 2)]),
    field("clamp", &[(15, 1)]),
    field("src0", &[(32, 9)]),
    field("src1", &[(41, 9)]),
    field("src2_unused", &[(50, 9)]),
    field("neg", &[(61, 2)]),
];

/// Third bits of NEG_HI, OPSEL and NEG of two-source instructions.
macro_rules! packed_2_fixed {
    ($encoding:expr) => {
        &[$encoding, (10, 1, 0), (13, 1, 0), (63, 1, 0)]
    };
}

/// ACC[0] and ACC[1] (bits 59, 60) choose AGPRs for A and B, ACC_CD (bit 15) for C and D: each is bit 9 of a
/// source's or bit 8 of the destination's code.
macro_rules! mai_fields {
    ($last:expr) => {
        &[
            field("mdst", &[(0, 8), (15, 1)]),
            field("cbsz", &[(8, 3)]),
            field("abid", &[(11, 4)]),
            field("srca", &[(32, 9), (59, 1)]),
            field("srcb", &[(41, 9), (60, 1)]),
            field("srcc", &[(50, 9), (15, 1)]),
            field("index", &[(50, 9)]),
            $last,
        ]
    };
}

const MAI_SCALE: &[Field] = &[
    field("op_sel", &[(11, 2)]),
    field("op_sel_hi", &[(59, 2)]),
    field("vscalea", &[(32, 9)]),
    field("vscaleb", &[(41, 9)]),
    field("mdst", &[(64, 8), (79, 1)]),
    field("cbsz", &[(72, 3)]),
    field("srca", &[(96, 9), (123, 1)]),
    field("srcb", &[(105, 9), (124, 1)]),
    field("srcc", &[(114, 9), (79, 1)]),
    field("blgp", &[(125, 3)]),
];

const WMMA: &[Field] = &[
    field("vdst", &[(0, 8)]),
    field("neg_hi_ab", &[(8, 2)]),
    field("neg_hi_c", &[(10, 1)]),
    field("index_key", &[(11, 1)]),
    field("matrix_a_reuse", &[(13, 1)]),
    field("matrix_b_reuse", &[(14, 1)]),
    field("clamp", &[(15, 1)]),
    field("srca", &[(32, 9)]),
    field("srcb", &[(41, 9)]),
    field("srcc", &[(50, 9)]),
    field("index", &[(50, 9)]),
    field("neg_ab", &[(61, 2)]),
    field("neg_c", &[(63, 1)]),
];

const WMMA_F8F6F4: &[Field] = &[
    field("vdst", &[(0, 8)]),
    field("neg_hi_c", &[(10, 1)]),
    field("matrix_a_fmt", &[(11, 3)]),
    field("srca", &[(32, 9)]),
    field("srcb", &[(41, 9)]),
    field("srcc", &[(50, 9)]),
    field("matrix_b_fmt", &[(59, 2), (14, 1)]),
    field("neg_c", &[(63, 1)]),
];

/// The scale load's fields and others. The field of its third source must hold 0x100 by the manual; compilers have
/// written other values, the hardware takes them, so decode does not look.
macro_rules! ld_scale_fields {
    ($($more:expr),*) => { &[
        field("matrix_b_scale_fmt", &[(8, 2)]),
        field("matrix_a_scale", &[(11, 1)]),
        field("matrix_a_reuse", &[(13, 1)]),
        field("matrix_b_reuse", &[(14, 1)]),
        field("scalea", &[(32, 9)]),
        field("scaleb", &[(41, 9)]),
        field_or("ld_src2", &[(50, 9)], 0x100),
        field("matrix_b_scale", &[(59, 1)]),
        field("matrix_a_scale_fmt", &[(61, 2)]),
        $($more,)*
    ] };
}

/// Bits of the scale load that must be 0, after the encoding bits.
macro_rules! ld_scale_fixed {
    ($($encoding:expr),*) => {
        &[$($encoding,)* (10, 1, 0), (12, 1, 0), (15, 1, 0), (60, 1, 0), (63, 1, 0)]
    };
}

const VOP3P_DPP8: &[Field] = packed_fields!(flipped("src0", &[(64, 8)], VGPR), field("dpp8", &[(72, 24)]));

const VOPD: &[(u8, u8, u32)] = &[(26, 6, 0b11_0010)];
const VOPD3: &[(u8, u8, u32)] = &[(24, 8, 0b1100_1111)];

pub(super) static FORMATS: &[Format] = &[
    // gfx950.
    matrix(
        "MAI_SCALE",
        Isa::Gfx950,
        Form::Native,
        4,
        // v_mfma_ld_scale_b32, then VOP3P with ABID = 1.
        &[(16, 16, 0xd3ac), (87, 9, 0b1_1010_0111), (75, 4, 1)],
        &[(80, 7)],
        MAI_SCALE,
        false,
    ),
    matrix(
        "VOP3P",
        Isa::Gfx950,
        Form::Native,
        2,
        &[(23, 9, 0b1_1010_0111)],
        &[(16, 7)],
        packed_fields!(field("src0", &[(32, 9)])),
        true,
    ),
    matrix(
        "VOP3P_2",
        Isa::Gfx950,
        Form::Native,
        2,
        packed_2_fixed!((23, 9, 0b1_1010_0111)),
        &[(16, 7)],
        PACKED_2,
        true,
    ),
    matrix(
        "MAI",
        Isa::Gfx950,
        Form::Native,
        2,
        &[(23, 9, 0b1_1010_0111)],
        &[(16, 7)],
        mai_fields!(field("blgp", &[(61, 3)])),
        false,
    ),
    matrix(
        "MAI_F64",
        Isa::Gfx950,
        Form::Native,
        2,
        &[(23, 9, 0b1_1010_0111)],
        &[(16, 7)],
        mai_fields!(field("neg", &[(61, 3)])),
        false,
    ),
    matrix(
        "ACCVGPR",
        Isa::Gfx950,
        Form::Native,
        2,
        &[(23, 9, 0b1_1010_0111), (8, 6, 0), (61, 3, 0)],
        &[(16, 7)],
        &[
            field("vdst", &[(0, 8)]),
            field("adst", &[(0, 8)]),
            field("asrc", &[(32, 9)]),
            field("src0", &[(32, 9)]),
            // OPSEL_HI has no meaning here, but is written as in other VOP3P instructions.
            field_or("op_sel_hi_unused", &[(59, 2), (14, 1)], 7),
        ],
        false,
    ),
    // gfx1250.
    matrix(
        "WMMA_SCALE",
        Isa::Gfx1250,
        Form::Native,
        4,
        // What is fixed: both halves' encoding, CM of the second.
        ld_scale_fixed!((24, 8, 0xcc), (88, 8, 0xcc), (72, 2, 0), (79, 1, 0), (125, 2, 0)),
        &[(80, 8)],
        ld_scale_fields!(
            field("ld_scale", &[(16, 8)]),
            field("vdst", &[(64, 8)]),
            field("neg_hi_c", &[(74, 1)]),
            field("matrix_a_fmt", &[(75, 3)]),
            field("srca", &[(96, 9)]),
            field("srcb", &[(105, 9)]),
            field("srcc", &[(114, 9)]),
            field("matrix_b_fmt", &[(123, 2), (78, 1)]),
            field("neg_c", &[(127, 1)])
        ),
        false,
    ),
    matrix(
        "VOP3P_DPP16",
        Isa::Gfx1250,
        Form::E64Dpp16,
        3,
        &[(24, 8, 0xcc), (32, 9, DPP16)],
        &[(16, 8)],
        packed_fields!(
            flipped("src0", &[(64, 8)], VGPR),
            field("dpp_ctrl", &[(72, 9)]),
            field("fi", &[(82, 1)]),
            field("bound_ctrl", &[(83, 1)]),
            field("bank_mask", &[(88, 4)]),
            field("row_mask", &[(92, 4)])
        ),
        false,
    ),
    matrix(
        "VOP3P_DPP8",
        Isa::Gfx1250,
        Form::E64Dpp8,
        3,
        &[(24, 8, 0xcc), (32, 9, DPP8)],
        &[(16, 8)],
        VOP3P_DPP8,
        false,
    ),
    matrix(
        "VOP3P_DPP8",
        Isa::Gfx1250,
        Form::E64Dpp8,
        3,
        &[(24, 8, 0xcc), (32, 9, DPP8_FI)],
        &[(16, 8)],
        VOP3P_DPP8,
        false,
    ),
    matrix(
        "VOP3P",
        Isa::Gfx1250,
        Form::Native,
        2,
        &[(24, 8, 0xcc)],
        &[(16, 8)],
        packed_fields!(field("src0", &[(32, 9)])),
        true,
    ),
    matrix(
        "VOP3P_2",
        Isa::Gfx1250,
        Form::Native,
        2,
        packed_2_fixed!((24, 8, 0xcc)),
        &[(16, 8)],
        PACKED_2,
        true,
    ),
    matrix(
        "WMMA",
        Isa::Gfx1250,
        Form::Native,
        2,
        &[(24, 8, 0xcc), (12, 1, 0), (59, 2, 3)],
        &[(16, 8)],
        WMMA,
        false,
    ),
    matrix(
        "WMMA_F8F6F4",
        Isa::Gfx1250,
        Form::Native,
        2,
        &[(24, 8, 0xcc), (8, 2, 0), (15, 1, 0), (61, 2, 0)],
        &[(16, 8)],
        WMMA_F8F6F4,
        false,
    ),
    matrix(
        "WMMA_LD_SCALE",
        Isa::Gfx1250,
        Form::Native,
        2,
        ld_scale_fixed!((24, 8, 0xcc), (0, 8, 0)),
        &[(16, 8)],
        ld_scale_fields!(),
        false,
    ),
    matrix("VOPD", Isa::Gfx1250, Form::VopdX, 2, VOPD, &[(22, 4)], &[], true),
    matrix(
        "VOPDX",
        Isa::Gfx1250,
        Form::VopdX,
        2,
        VOPD,
        &[(22, 4)],
        &[
            field("src0", &[(0, 9)]),
            flipped("vsrc1", &[(9, 8)], VGPR),
            field("unused1", &[(9, 8)]),
            field("vdst", &[(56, 8)]),
        ],
        true,
    ),
    matrix(
        "VOPDY",
        Isa::Gfx1250,
        Form::VopdY,
        2,
        VOPD,
        &[(17, 5)],
        &[
            field("src0", &[(32, 9)]),
            flipped("vsrc1", &[(41, 8)], VGPR),
            field("unused1", &[(41, 8)]),
            // Bit 0 is the opposite of VDSTX's.
            Field { name: "vdst", pieces: &[(49, 7)], default: 0, shift: 1, flip: 0 },
        ],
        true,
    ),
    matrix("VOPD3", Isa::Gfx1250, Form::Vopd3X, 3, VOPD3, &[(18, 6)], &[], true),
    matrix(
        "VOPD3X",
        Isa::Gfx1250,
        Form::Vopd3X,
        3,
        VOPD3,
        &[(18, 6)],
        &[
            field("src0", &[(0, 9)]),
            field("neg0", &[(41, 1)]),
            field("neg1", &[(42, 1)]),
            field("neg2", &[(43, 1)]),
            flipped("vsrc1", &[(48, 8)], VGPR),
            field("unused1", &[(48, 8)]),
            flipped("vsrc2", &[(56, 8)], VGPR),
            field("unused2", &[(56, 8)]),
            field("smask", &[(56, 8)]),
            field("vdst", &[(64, 8)]),
        ],
        true,
    ),
    matrix(
        "VOPD3Y",
        Isa::Gfx1250,
        Form::Vopd3Y,
        3,
        VOPD3,
        &[(12, 6)],
        &[
            field("src0", &[(32, 9)]),
            field("neg0", &[(44, 1)]),
            field("neg1", &[(45, 1)]),
            field("neg2", &[(46, 1)]),
            flipped("vsrc1", &[(72, 8)], VGPR),
            field("unused1", &[(72, 8)]),
            flipped("vsrc2", &[(80, 8)], VGPR),
            field("unused2", &[(80, 8)]),
            field("smask", &[(80, 8)]),
            field("bitop3", &[(80, 8)]),
            field("vdst", &[(88, 8)]),
        ],
        true,
    ),
];
