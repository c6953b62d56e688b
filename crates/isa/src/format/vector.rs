//! Formats of the vector family: VOP1, VOP2, VOPC, VOP3 with their DPP and SDWA extensions (CDNA4 manual 13.3,
//! CDNA5 manual "Vector ALU Formats").
//!
//! Source fields always carry the 9-bit source code, whatever the format has: an 8-bit VGPR field reads with
//! bit 8 set, the SDWA scalar bit is the inverse of bit 8, and the VCC that a 32-bit form implies is a field
//! without bits. `vsrcN` is a `srcN` that must be a VGPR, `ssrcN` one that must not.
//!
//! DPP8 has two source codes (fetch-inactive off and on), so each DPP8 format is here twice; encoding uses the
//! first, module `vector` of the encoder sets the other code.

use super::{Family, Field, Format, field};
use crate::{Form, Isa};

/// Source codes that say which extension dword follows.
pub(crate) const SDWA: u32 = 0xf9;
/// See [`SDWA`].
pub(crate) const DPP16: u32 = 0xfa;
/// See [`SDWA`].
pub(crate) const DPP8: u32 = 0xe9;
/// DPP8 that fetches from inactive lanes.
pub(crate) const DPP8_FI: u32 = 0xea;
/// Source code of VCC (its low half), implied by the 32-bit forms.
const VCC: u32 = 106;
/// Bit 8 of a source code: VGPR.
pub(super) const VGPR: u32 = 0x100;

/// A field that reads as its bits xor `flip`.
pub(super) const fn flipped(name: &'static str, pieces: &'static [(u8, u8)], flip: u32) -> Field {
    Field { name, pieces, default: 0, shift: 0, flip }
}

const fn format(
    name: &'static str,
    isa: Isa,
    form: Form,
    dwords: u8,
    fixed: &'static [(u8, u8, u32)],
    opcode: &'static [(u8, u8)],
    fields: &'static [Field],
) -> Format {
    let literal = !matches!(form, Form::Dpp16 | Form::Dpp8 | Form::Sdwa);
    Format { name, isa, family: Family::Vector, form, dwords, fixed, opcode, fields, literal }
}

static VOP1: &[Field] = &[
    field("vdst", &[(17, 8)]),
    field("sdst", &[(17, 8)]),
    field("adst", &[(17, 8)]),
    field("src0", &[(0, 9)]),
    field("vsrc0", &[(0, 9)]),
    field("asrc", &[(0, 9)]),
];

static VOP2: &[Field] = &[
    field("vdst", &[(17, 8)]),
    field("src0", &[(0, 9)]),
    flipped("src1", &[(9, 8)], VGPR),
    flipped("sdst", &[], VCC),
    flipped("smask", &[], VCC),
];

static VOPC: &[Field] =
    &[field("src0", &[(0, 9)]), flipped("src1", &[(9, 8)], VGPR), flipped("sdst", &[], VCC)];

/// Fields of the DPP16 dword at bit `$at` but for the source.
macro_rules! dpp16 {
    ($dword:expr; $($field:expr),*) => { &[
        $($field,)*
        flipped("src0", &[($dword, 8)], VGPR),
        flipped("vsrc0", &[($dword, 8)], VGPR),
        field("dpp_ctrl", &[($dword + 8, 9)]),
        field("fi", &[($dword + 18, 1)]),
        field("bound_ctrl", &[($dword + 19, 1)]),
        field("bank_mask", &[($dword + 24, 4)]),
        field("row_mask", &[($dword + 28, 4)]),
    ] };
}

macro_rules! dpp8 {
    ($dword:expr; $($field:expr),*) => { &[
        $($field,)*
        flipped("src0", &[($dword, 8)], VGPR),
        flipped("vsrc0", &[($dword, 8)], VGPR),
        field("dpp8", &[($dword + 8, 24)]),
    ] };
}

/// Source modifiers of the DPP16 dword in the 32-bit forms: src0, src1.
const DPP_NEG: Field = field("neg", &[(52, 1), (54, 1)]);
const DPP_ABS: Field = field("abs", &[(53, 1), (55, 1)]);

static VOP1_DPP16: &[Field] = dpp16!(32; field("vdst", &[(17, 8)]), DPP_NEG, DPP_ABS);
static VOP2_DPP16: &[Field] = dpp16!(32;
    field("vdst", &[(17, 8)]), flipped("src1", &[(9, 8)], VGPR), flipped("sdst", &[], VCC),
    flipped("smask", &[], VCC), DPP_NEG, DPP_ABS);
static VOPC_DPP16: &[Field] =
    dpp16!(32; flipped("src1", &[(9, 8)], VGPR), flipped("sdst", &[], VCC), DPP_NEG, DPP_ABS);
static VOP1_DPP8: &[Field] = dpp8!(32; field("vdst", &[(17, 8)]));
static VOP2_DPP8: &[Field] = dpp8!(32;
    field("vdst", &[(17, 8)]), flipped("src1", &[(9, 8)], VGPR), flipped("sdst", &[], VCC),
    flipped("smask", &[], VCC));
static VOPC_DPP8: &[Field] = dpp8!(32; flipped("src1", &[(9, 8)], VGPR), flipped("sdst", &[], VCC));

/// Fields of the SDWA dword but for destination and sources.
macro_rules! sdwa {
    ($($field:expr),*) => { &[
        $($field,)*
        flipped("src0", &[(32, 8), (55, 1)], VGPR),
        field("src0_sel", &[(48, 3)]),
        field("src1_sel", &[(56, 3)]),
        field("sext", &[(51, 1), (59, 1)]),
        field("neg", &[(52, 1), (60, 1)]),
        field("abs", &[(53, 1), (61, 1)]),
    ] };
}

static VOP1_SDWA: &[Field] = sdwa!(
    field("vdst", &[(17, 8)]),
    field("dst_sel", &[(40, 3)]),
    field("dst_unused", &[(43, 2)]),
    field("clamp", &[(45, 1)]),
    field("omod", &[(46, 2)])
);
static VOP2_SDWA: &[Field] = sdwa!(
    field("vdst", &[(17, 8)]),
    flipped("src1", &[(9, 8), (63, 1)], VGPR),
    flipped("sdst", &[], VCC),
    flipped("smask", &[], VCC),
    field("dst_sel", &[(40, 3)]),
    field("dst_unused", &[(43, 2)]),
    field("clamp", &[(45, 1)]),
    field("omod", &[(46, 2)])
);
// Bit 47 says that the destination is the SGPR in bits 46:40; clear it is VCC.
static VOPC_SDWA: &[Field] =
    sdwa!(flipped("src1", &[(9, 8), (63, 1)], VGPR), flipped("sdst", &[(40, 7), (47, 1)], 0x80));

macro_rules! vop3 {
    ($($field:expr),*) => { &[
        $($field,)*
        field("clamp", &[(15, 1)]),
        field("src1", &[(41, 9)]),
        field("src2", &[(50, 9)]),
        field("vsrc1", &[(41, 9)]),
        field("vsrc2", &[(50, 9)]),
        field("ssrc1", &[(41, 9)]),
        field("ssrc2", &[(50, 9)]),
        field("smask", &[(50, 9)]),
        field("omod", &[(59, 2)]),
        field("neg", &[(61, 3)]),
    ] };
}

static VOP3: &[Field] = vop3!(
    field("vdst", &[(0, 8)]),
    field("sdst", &[(0, 8)]),
    field("abs", &[(8, 3)]),
    field("op_sel", &[(11, 4)]),
    field("src0", &[(32, 9)]),
    field("vsrc0", &[(32, 9)]),
    field("ssrc0", &[(32, 9)])
);
static VOP3SD: &[Field] =
    vop3!(field("vdst", &[(0, 8)]), field("sdst", &[(8, 7)]), field("src0", &[(32, 9)]));

/// VOP3 fields without source 0, which the DPP dword has.
macro_rules! vop3_dpp {
    ($extension:ident; $($field:expr),*) => { $extension!(64;
        $($field,)*
        field("clamp", &[(15, 1)]),
        field("src1", &[(41, 9)]),
        field("src2", &[(50, 9)]),
        field("smask", &[(50, 9)]),
        field("omod", &[(59, 2)]),
        field("neg", &[(61, 3)])
    ) };
}

static VOP3_DPP16: &[Field] = vop3_dpp!(dpp16;
    field("vdst", &[(0, 8)]), field("sdst", &[(0, 8)]), field("abs", &[(8, 3)]), field("op_sel", &[(11, 4)]));
static VOP3_DPP8: &[Field] = vop3_dpp!(dpp8;
    field("vdst", &[(0, 8)]), field("sdst", &[(0, 8)]), field("abs", &[(8, 3)]), field("op_sel", &[(11, 4)]));
static VOP3SD_DPP16: &[Field] = vop3_dpp!(dpp16; field("vdst", &[(0, 8)]), field("sdst", &[(8, 7)]));
static VOP3SD_DPP8: &[Field] = vop3_dpp!(dpp8; field("vdst", &[(0, 8)]), field("sdst", &[(8, 7)]));

const VOP1_OP: &[(u8, u8)] = &[(9, 8)];
const VOPC_OP: &[(u8, u8)] = &[(17, 8)];
const VOP2_OP: &[(u8, u8)] = &[(25, 6)];
const VOP3_OP: &[(u8, u8)] = &[(16, 10)];
/// The bits that make an encoding VOP1, VOPC, VOP2, VOP3: (lowest bit, width, value).
const IS_VOP1: (u8, u8, u32) = (25, 7, 0x3f);
const IS_VOPC: (u8, u8, u32) = (25, 7, 0x3e);
const IS_VOP2: (u8, u8, u32) = (31, 1, 0);
const IS_VOP3_GFX9: (u8, u8, u32) = (26, 6, 0b11_0100);
const IS_VOP3: (u8, u8, u32) = (26, 6, 0b11_0101);

use Form::{Dpp8, Dpp16, E32, E64, E64Dpp8, E64Dpp16, Sdwa};
use Isa::{Gfx950, Gfx1250};

pub(super) static FORMATS: &[Format] = &[
    format("VOP1_DPP16", Gfx950, Dpp16, 2, &[IS_VOP1, (0, 9, DPP16)], VOP1_OP, VOP1_DPP16),
    format("VOP1_SDWA", Gfx950, Sdwa, 2, &[IS_VOP1, (0, 9, SDWA)], VOP1_OP, VOP1_SDWA),
    format("VOP1", Gfx950, E32, 1, &[IS_VOP1], VOP1_OP, VOP1),
    format("VOPC_SDWA", Gfx950, Sdwa, 2, &[IS_VOPC, (0, 9, SDWA)], VOPC_OP, VOPC_SDWA),
    format("VOPC", Gfx950, E32, 1, &[IS_VOPC], VOPC_OP, VOPC),
    format("VOP2_DPP16", Gfx950, Dpp16, 2, &[IS_VOP2, (0, 9, DPP16)], VOP2_OP, VOP2_DPP16),
    format("VOP2_SDWA", Gfx950, Sdwa, 2, &[IS_VOP2, (0, 9, SDWA)], VOP2_OP, VOP2_SDWA),
    format("VOP2", Gfx950, E32, 1, &[IS_VOP2], VOP2_OP, VOP2),
    format("VOP3", Gfx950, E64, 2, &[IS_VOP3_GFX9], VOP3_OP, VOP3),
    format("VOP3SD", Gfx950, E64, 2, &[IS_VOP3_GFX9], VOP3_OP, VOP3SD),
    format("VOP1_DPP16", Gfx1250, Dpp16, 2, &[IS_VOP1, (0, 9, DPP16)], VOP1_OP, VOP1_DPP16),
    format("VOP1_DPP8", Gfx1250, Dpp8, 2, &[IS_VOP1, (0, 9, DPP8)], VOP1_OP, VOP1_DPP8),
    format("VOP1_DPP8", Gfx1250, Dpp8, 2, &[IS_VOP1, (0, 9, DPP8_FI)], VOP1_OP, VOP1_DPP8),
    format("VOP1", Gfx1250, E32, 1, &[IS_VOP1], VOP1_OP, VOP1),
    format("VOPC_DPP16", Gfx1250, Dpp16, 2, &[IS_VOPC, (0, 9, DPP16)], VOPC_OP, VOPC_DPP16),
    format("VOPC_DPP8", Gfx1250, Dpp8, 2, &[IS_VOPC, (0, 9, DPP8)], VOPC_OP, VOPC_DPP8),
    format("VOPC_DPP8", Gfx1250, Dpp8, 2, &[IS_VOPC, (0, 9, DPP8_FI)], VOPC_OP, VOPC_DPP8),
    format("VOPC", Gfx1250, E32, 1, &[IS_VOPC], VOPC_OP, VOPC),
    format("VOP2_DPP16", Gfx1250, Dpp16, 2, &[IS_VOP2, (0, 9, DPP16)], VOP2_OP, VOP2_DPP16),
    format("VOP2_DPP8", Gfx1250, Dpp8, 2, &[IS_VOP2, (0, 9, DPP8)], VOP2_OP, VOP2_DPP8),
    format("VOP2_DPP8", Gfx1250, Dpp8, 2, &[IS_VOP2, (0, 9, DPP8_FI)], VOP2_OP, VOP2_DPP8),
    format("VOP2", Gfx1250, E32, 1, &[IS_VOP2], VOP2_OP, VOP2),
    format("VOP3_DPP16", Gfx1250, E64Dpp16, 3, &[IS_VOP3, (32, 9, DPP16)], VOP3_OP, VOP3_DPP16),
    format("VOP3_DPP8", Gfx1250, E64Dpp8, 3, &[IS_VOP3, (32, 9, DPP8)], VOP3_OP, VOP3_DPP8),
    format("VOP3_DPP8", Gfx1250, E64Dpp8, 3, &[IS_VOP3, (32, 9, DPP8_FI)], VOP3_OP, VOP3_DPP8),
    format("VOP3", Gfx1250, E64, 2, &[IS_VOP3], VOP3_OP, VOP3),
    format("VOP3SD_DPP16", Gfx1250, E64Dpp16, 3, &[IS_VOP3, (32, 9, DPP16)], VOP3_OP, VOP3SD_DPP16),
    format("VOP3SD_DPP8", Gfx1250, E64Dpp8, 3, &[IS_VOP3, (32, 9, DPP8)], VOP3_OP, VOP3SD_DPP8),
    format("VOP3SD_DPP8", Gfx1250, E64Dpp8, 3, &[IS_VOP3, (32, 9, DPP8_FI)], VOP3_OP, VOP3SD_DPP8),
    format("VOP3SD", Gfx1250, E64, 2, &[IS_VOP3], VOP3_OP, VOP3SD),
];
