//! Formats of the memory instructions (CDNA4 manual 13.2, 13.4 to 13.6; CDNA5 manual 14.2, 14.4 to 14.7).
//!
//! On gfx950 a data field takes bit 8 from the `acc` bit, which makes it an accumulation VGPR. `ret` is the bit
//! that makes an atomic return the old value; it is part of the cache policy field as well.

use super::{Family, Field, Format, field, field_or};
use crate::{Form, Isa};

const fn format(
    name: &'static str,
    isa: Isa,
    dwords: u8,
    fixed: &'static [(u8, u8, u32)],
    opcode: &'static [(u8, u8)],
    fields: &'static [Field],
) -> Format {
    Format {
        name,
        isa,
        family: Family::Memory,
        form: Form::Native,
        dwords,
        fixed,
        opcode,
        fields,
        literal: false,
    }
}

/// A field without its `shift` low bits.
const fn scaled(name: &'static str, pieces: &'static [(u8, u8)], shift: u8) -> Field {
    Field { name, pieces, default: 0, shift, flip: 0 }
}

/// Fields of FLAT, GLOBAL and SCRATCH of gfx950 after the offset.
macro_rules! flat_gfx950 {
    ($offset:expr, $bit13:expr) => {
        &[
            field("offset", &[(0, $offset)]),
            field($bit13, &[(13, 1)]),
            field("ret", &[(16, 1)]),
            field("sc0", &[(16, 1)]),
            field("nt", &[(17, 1)]),
            field("sc1", &[(25, 1)]),
            field("vaddr", &[(32, 8)]),
            field("vdata", &[(40, 8), (55, 1)]),
            field("saddr", &[(48, 7)]),
            field("acc", &[(55, 1)]),
            field("vdst", &[(56, 8), (55, 1)]),
        ]
    };
}

/// Fields of VFLAT, VGLOBAL and VSCRATCH of gfx1250.
const FLAT_GFX1250: &[Field] = &[
    field_or("saddr", &[(0, 7)], 0x7c),
    field("nv", &[(7, 1)]),
    field("vdst", &[(32, 8)]),
    field("scale_offset", &[(48, 1)]),
    field("sve", &[(49, 1)]),
    field("scope", &[(50, 2)]),
    field("ret", &[(52, 1)]),
    field("th", &[(52, 3)]),
    field("vdata", &[(55, 8)]),
    field("vaddr", &[(64, 8)]),
    field("offset", &[(72, 24)]),
];

pub(super) static FORMATS: &[Format] = &[
    format(
        "SMEM",
        Isa::Gfx950,
        2,
        &[(26, 6, 0b11_0000)],
        &[(18, 8)],
        &[
            scaled("sbase", &[(0, 6)], 1),
            field("sdata", &[(6, 7)]),
            field("soe", &[(14, 1)]),
            field("sc0", &[(16, 1)]),
            field("imm", &[(17, 1)]),
            field("soffset", &[(57, 7)]),
            field("offset", &[(32, 21)]),
        ],
    ),
    format(
        "DS",
        Isa::Gfx950,
        2,
        &[(26, 6, 0b11_0110)],
        &[(17, 8)],
        &[
            field("offset", &[(0, 16)]),
            field("gds", &[(16, 1)]),
            field("addr", &[(32, 8)]),
            field("gwsdata", &[(32, 8), (25, 1)]),
            field("data0", &[(40, 8), (25, 1)]),
            field("data1", &[(48, 8), (25, 1)]),
            field("vdst", &[(56, 8), (25, 1)]),
            // The same without the accumulation bit, for rows that do not have the operand.
            field("no_data0", &[(40, 8)]),
            field("no_data1", &[(48, 8)]),
            field("no_vdst", &[(56, 8)]),
        ],
    ),
    format(
        "DS_2ADDR",
        Isa::Gfx950,
        2,
        &[(26, 6, 0b11_0110)],
        &[(17, 8)],
        &[
            field("offset", &[(0, 8)]),
            field("offset1", &[(8, 8)]),
            field("gds", &[(16, 1)]),
            field("addr", &[(32, 8)]),
            field("data0", &[(40, 8), (25, 1)]),
            field("data1", &[(48, 8), (25, 1)]),
            field("vdst", &[(56, 8), (25, 1)]),
            // The same without the accumulation bit, for rows that do not have the operand.
            field("no_data0", &[(40, 8)]),
            field("no_data1", &[(48, 8)]),
            field("no_vdst", &[(56, 8)]),
        ],
    ),
    format(
        "FLAT",
        Isa::Gfx950,
        2,
        &[(26, 6, 0b11_0111), (14, 2, 0), (48, 7, 0)],
        &[(18, 7)],
        flat_gfx950!(13, "lds"),
    ),
    format("SCRATCH", Isa::Gfx950, 2, &[(26, 6, 0b11_0111), (14, 2, 1)], &[(18, 7)], flat_gfx950!(13, "sve")),
    format("GLOBAL", Isa::Gfx950, 2, &[(26, 6, 0b11_0111), (14, 2, 2)], &[(18, 7)], flat_gfx950!(13, "lds")),
    format(
        "MUBUF",
        Isa::Gfx950,
        2,
        &[(26, 6, 0b11_1000)],
        &[(18, 7)],
        &[
            field("offset", &[(0, 12)]),
            field("offen", &[(12, 1)]),
            field("idxen", &[(13, 1)]),
            field("ret", &[(14, 1)]),
            field("sc0", &[(14, 1)]),
            field("sc1", &[(15, 1)]),
            field("lds", &[(16, 1)]),
            field("nt", &[(17, 1)]),
            field("vaddr", &[(32, 8)]),
            field("vdata", &[(40, 8), (55, 1)]),
            field("acc", &[(55, 1)]),
            scaled("srsrc", &[(48, 5)], 2),
            field("soffset", &[(56, 8)]),
        ],
    ),
    format(
        "MTBUF",
        Isa::Gfx950,
        2,
        &[(26, 6, 0b11_1010)],
        &[(15, 4)],
        &[
            field("offset", &[(0, 12)]),
            field("offen", &[(12, 1)]),
            field("idxen", &[(13, 1)]),
            field("sc0", &[(14, 1)]),
            field("format", &[(19, 7)]),
            field("vaddr", &[(32, 8)]),
            field("vdata", &[(40, 8), (55, 1)]),
            scaled("srsrc", &[(48, 5)], 2),
            field("sc1", &[(53, 1)]),
            field("nt", &[(54, 1)]),
            field("soffset", &[(56, 8)]),
        ],
    ),
    format(
        "SMEM",
        Isa::Gfx1250,
        2,
        &[(26, 6, 0b11_1101)],
        &[(13, 6)],
        &[
            scaled("sbase", &[(0, 6)], 1),
            field("sdata", &[(6, 7)]),
            field("length", &[(6, 5)]),
            field("length_high", &[(11, 2)]),
            field("offset_sign", &[(55, 1)]),
            field("nv", &[(20, 1)]),
            field("scope", &[(21, 2)]),
            field("th", &[(23, 2)]),
            field("offset", &[(32, 24)]),
            field("scale_offset", &[(56, 1)]),
            field_or("soffset", &[(57, 7)], 0),
        ],
    ),
    format(
        "DS",
        Isa::Gfx1250,
        2,
        &[(26, 6, 0b11_0110)],
        &[(18, 8)],
        &[
            field("offset", &[(0, 16)]),
            field("gds", &[(17, 1)]),
            field("addr", &[(32, 8)]),
            field("data0", &[(40, 8)]),
            field("data1", &[(48, 8)]),
            field("vdst", &[(56, 8)]),
        ],
    ),
    format(
        "DS_2ADDR",
        Isa::Gfx1250,
        2,
        &[(26, 6, 0b11_0110)],
        &[(18, 8)],
        &[
            field("offset", &[(0, 8)]),
            field("offset1", &[(8, 8)]),
            field("gds", &[(17, 1)]),
            field("addr", &[(32, 8)]),
            field("data0", &[(40, 8)]),
            field("data1", &[(48, 8)]),
            field("vdst", &[(56, 8)]),
        ],
    ),
    format("VFLAT", Isa::Gfx1250, 3, &[(24, 8, 0b1110_1100), (49, 1, 0)], &[(14, 8)], FLAT_GFX1250),
    format("VSCRATCH", Isa::Gfx1250, 3, &[(24, 8, 0b1110_1101)], &[(14, 8)], FLAT_GFX1250),
    format("VGLOBAL", Isa::Gfx1250, 3, &[(24, 8, 0b1110_1110), (49, 1, 0)], &[(14, 8)], FLAT_GFX1250),
    format(
        "VBUFFER",
        Isa::Gfx1250,
        3,
        &[(26, 6, 0b11_0001), (95, 1, 0)],
        &[(14, 8)],
        &[
            field("soffset", &[(0, 7)]),
            field("nv", &[(7, 1)]),
            field("vdata", &[(32, 8)]),
            field("rsrc", &[(41, 9)]),
            field("scope", &[(50, 2)]),
            field("ret", &[(52, 1)]),
            field("th", &[(52, 3)]),
            field_or("buffer_format", &[(55, 7)], 1),
            field("offen", &[(62, 1)]),
            field("idxen", &[(63, 1)]),
            field("vaddr", &[(64, 8)]),
            field("tfe", &[(22, 1)]),
            field("offset", &[(72, 23)]),
        ],
    ),
    format(
        "VIMAGE",
        Isa::Gfx1250,
        3,
        // What only image instructions use is fixed: dim 1, dmask 1, no data VGPR, no resource, VADDR4 NULL.
        &[(26, 6, 0b11_0100), (0, 3, 1), (4, 3, 0), (22, 4, 1), (32, 18, 0), (55, 1, 0), (56, 8, 0x7c)],
        &[(14, 8)],
        &[
            field("nv", &[(7, 1)]),
            field("scope", &[(50, 2)]),
            field("th", &[(52, 3)]),
            field("d0", &[(64, 8)]),
            field("d1", &[(72, 8)]),
            field("d2", &[(80, 8)]),
            field("d3", &[(88, 8)]),
        ],
    ),
];
