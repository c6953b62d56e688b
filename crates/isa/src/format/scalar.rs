//! Formats of the scalar ALU and control instructions: SOP1, SOP2, SOPC, SOPK, SOPP (CDNA4 manual 13.1, CDNA5
//! manual "Scalar ALU and Control Formats"). They are the same on both instruction sets.

use super::{Family, Field, Format, field};
use crate::{Form, Isa};

const fn format(
    name: &'static str,
    isa: Isa,
    fixed: &'static [(u8, u8, u32)],
    opcode: &'static [(u8, u8)],
    fields: &'static [Field],
) -> Format {
    Format {
        name,
        isa,
        family: Family::Scalar,
        form: Form::Native,
        dwords: 1,
        fixed,
        opcode,
        fields,
        literal: true,
    }
}

macro_rules! scalar_formats {
    ($($isa:expr),*) => { &[$(
        format("SOP1", $isa, &[(23, 9, 0b1_0111_1101)], &[(8, 8)],
            &[field("ssrc0", &[(0, 8)]), field("sdst", &[(16, 7)])]),
        format("SOPC", $isa, &[(23, 9, 0b1_0111_1110)], &[(16, 7)],
            &[field("ssrc0", &[(0, 8)]), field("ssrc1", &[(8, 8)])]),
        format("SOPP", $isa, &[(23, 9, 0b1_0111_1111)], &[(16, 7)], &[field("simm16", &[(0, 16)])]),
        format("SOPK", $isa, &[(28, 4, 0b1011)], &[(23, 5)],
            &[field("simm16", &[(0, 16)]), field("sdst", &[(16, 7)])]),
        format("SOP2", $isa, &[(30, 2, 0b10)], &[(23, 7)],
            &[field("ssrc0", &[(0, 8)]), field("ssrc1", &[(8, 8)]), field("sdst", &[(16, 7)])]),
    )*] };
}

pub(super) static FORMATS: &[Format] = scalar_formats!(Isa::Gfx950, Isa::Gfx1250);
