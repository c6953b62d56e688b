//! Operand roles: the manual's field names, and which kind of operand each one holds.

/// How an instruction uses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// A source.
    Read,
    /// A destination whose old value does not matter (but for lanes that are off).
    Write,
    /// A destination that is a source as well (`v_fmac`, `v_mfma` accumulators tied in place, `v_swap`).
    ReadWrite,
}

/// What can stand in an operand and how its field numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// 8-bit scalar source: SGPR, special register, inline constant, literal.
    ScalarSrc,
    /// 7-bit scalar register: SGPR, VCC, TTMP, M0, NULL, EXEC; no constants.
    ScalarReg,
    /// 9-bit source: everything of [`Class::ScalarSrc`], and VGPRs from code 256.
    VectorSrc,
    /// 8-bit VGPR number.
    Vgpr,
    /// VGPR number in bits 7:0, bit 8 says AGPR (gfx90a `acc`).
    VgprOrAgpr,
    /// 9-bit source code that must be a VGPR (code − 256).
    VgprSrc,
    /// A number that is not a register.
    Imm(ImmKind),
    /// A mandatory 32-bit literal constant after the instruction (`fmaak`, `setreg_imm32`).
    Literal32,
    /// A mandatory 64-bit literal constant after the instruction (gfx1250 `v_fmaak_f64`).
    Literal64,
    /// VCC by definition of the format; printed, not encoded.
    Vcc,
    /// The operand's field and text belong to the family's own module.
    Custom,
}

/// How a number operand is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the manual's names
pub enum ImmKind {
    /// Decimal up to 64, hexadecimal beyond; the assembler takes any number and drops high bits.
    Dec,
    /// Hexadecimal, 16 bits.
    Hex,
    /// SOPK signed 16 bits; hexadecimal of the 16 bits.
    Simm16,
    /// SOPK unsigned 16 bits.
    Uimm16,
    /// Of `s_endpgm`: absent if 0.
    End,
    /// Branch target, in dwords after the next instruction.
    Label,
    Hwreg,
    SendMsg,
    WaitCnt,
    DepCtr,
    DelayAlu,
    Version,
    /// Flags of `s_set_gpr_idx_on`.
    GprIdx,
    /// `ds_swizzle_b32`'s offset; VGPR-index-mode controls and other named ones add variants.
    Swizzle,
    /// `mrt0`…: where an export goes.
    ExportTarget,
    /// `attr3.y`: a vertex attribute's number and, in the two low bits, channel.
    Attribute,
    /// `p10`, `p20`, `p0`: which parameter of a vertex attribute.
    Parameter,
}

impl ImmKind {
    /// The kind that a row's type column names.
    pub fn parse(name: &str) -> Option<ImmKind> {
        Some(match name {
            "dec" => ImmKind::Dec,
            "hex" => ImmKind::Hex,
            "simm" => ImmKind::Simm16,
            "uimm" => ImmKind::Uimm16,
            "end" => ImmKind::End,
            "label" => ImmKind::Label,
            "hwreg" => ImmKind::Hwreg,
            "sendmsg" => ImmKind::SendMsg,
            "waitcnt" => ImmKind::WaitCnt,
            "depctr" => ImmKind::DepCtr,
            "delay" => ImmKind::DelayAlu,
            "version" => ImmKind::Version,
            "gpridx" => ImmKind::GprIdx,
            "swizzle" => ImmKind::Swizzle,
            "exptgt" => ImmKind::ExportTarget,
            "attr" => ImmKind::Attribute,
            "param" => ImmKind::Parameter,
            _ => return None,
        })
    }
}

/// The class of a role; `None` for an unknown role. A role means the same in every format; a role whose type
/// is an immediate kind (`simm16:label`) is [`Class::Imm`] whatever this says.
pub fn class_of(role: &str) -> Option<Class> {
    Some(match role {
        // Scalar ALU.
        "ssrc0" | "ssrc1" => Class::ScalarSrc,
        "sdst" => Class::ScalarReg,
        "simm32" => Class::Literal32,
        "simm64" => Class::Literal64,
        // Scalar and vector memory.
        "sbase" | "sdata" | "srsrc" | "rsrc" | "ssamp" | "d0" | "d1" | "d2" | "d3" => Class::ScalarReg,
        "addr" | "data0" | "data1" | "data2" | "data3" | "vdata" | "gwsdata" => Class::Vgpr,
        "vaddr" | "saddr" | "soffset" => Class::Custom,
        // Vector ALU.
        "vdst" => Class::Vgpr,
        "vsrc0" | "vsrc1" | "vsrc2" => Class::VgprSrc,
        "src0" | "src1" | "src2" => Class::VectorSrc,
        "ssrc2" => Class::ScalarSrc,
        // A lane mask: VCC in the 32-bit forms.
        "smask" => Class::ScalarReg,
        "adst" | "asrc" => Class::Custom,
        "vcc" => Class::Vcc,
        // Matrix: destination and C of MFMA, A and B, C, scales and sparse indices.
        "mdst" => Class::VgprOrAgpr,
        "srca" | "srcb" | "srcc" => Class::Custom,
        "scalea" | "scaleb" => Class::VectorSrc,
        "vscalea" | "vscaleb" | "index" => Class::VgprSrc,
        _ => return None,
    })
}
