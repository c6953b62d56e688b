//! Hardware registers of `s_getreg` and `s_setreg`: the field in the operand, and which register its number is.

use crate::{Machine, named};

/// A field of a hardware register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HwField {
    /// Register number.
    pub id: u8,
    /// First bit.
    pub offset: u8,
    /// Bits.
    pub size: u8,
}

impl HwField {
    /// From the simm16 of `s_getreg`/`s_setreg`.
    pub fn from_simm16(simm: u16) -> Self {
        HwField { id: (simm & 63) as u8, offset: (simm >> 6 & 31) as u8, size: (simm >> 11 & 31) as u8 + 1 }
    }

    /// The field's bits in place.
    pub fn mask(self) -> u32 {
        (((1u64 << self.size) - 1) << self.offset) as u32
    }
}

/// A hardware register that programs read, by what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the manual's names
pub enum HwReg {
    Mode,
    Status,
    HwId,
    HwId1,
    HwId2,
    LdsAlloc,
    ShMemBases,
    XccId,
    ScratchBaseLo,
    ScratchBaseHi,
    SchedMode,
    IbSts2,
    ShaderCyclesLo,
    ShaderCyclesHi,
    /// A clock of 20 bits (gfx10.3, gfx11).
    ShaderCycles,
    /// Exceptions, and what a trap handler looks for (before gfx12).
    TrapSts,
    /// Exceptions.
    ExcpFlagUser,
    /// What was written, which nothing else reads: the flat scratch base as a register, the lanes to replay.
    Kept,
    /// What only a trap handler, a profiler or a draw gives a value: 0 without.
    Unset,
    /// Any other.
    Other,
}

impl HwReg {
    /// The register with this number.
    pub fn of(machine: Machine, id: u8) -> HwReg {
        let name = named::hwreg_name(machine, u16::from(id)).unwrap_or_default();
        let name = name.strip_prefix("HW_REG_").unwrap_or(name);
        match name.strip_prefix("WAVE_").unwrap_or(name) {
            "MODE" => HwReg::Mode,
            "STATUS" => HwReg::Status,
            "HW_ID" => HwReg::HwId,
            "HW_ID1" => HwReg::HwId1,
            "HW_ID2" => HwReg::HwId2,
            "LDS_ALLOC" => HwReg::LdsAlloc,
            "SH_MEM_BASES" => HwReg::ShMemBases,
            "XCC_ID" => HwReg::XccId,
            "SCRATCH_BASE_LO" => HwReg::ScratchBaseLo,
            "SCRATCH_BASE_HI" => HwReg::ScratchBaseHi,
            "SCHED_MODE" => HwReg::SchedMode,
            "IB_STS2" => HwReg::IbSts2,
            "SHADER_CYCLES_LO" => HwReg::ShaderCyclesLo,
            "SHADER_CYCLES_HI" => HwReg::ShaderCyclesHi,
            "TRAPSTS" => HwReg::TrapSts,
            "EXCP_FLAG_USER" => HwReg::ExcpFlagUser,
            "SHADER_CYCLES" => HwReg::ShaderCycles,
            "FLAT_SCR_LO" | "FLAT_SCR_HI" | "XNACK_MASK" => HwReg::Kept,
            "TBA_LO" | "TBA_HI" | "TMA_LO" | "TMA_HI" | "POPS_PACKER" | "EXCP_FLAG_PRIV" => HwReg::Unset,
            name if name.contains("PERF_SNAPSHOT") => HwReg::Unset,
            _ => HwReg::Other,
        }
    }

    /// The number of the register, where it has a name.
    pub fn id(self, machine: Machine) -> Option<u8> {
        (0..64).find(|&id| HwReg::of(machine, id) == self)
    }
}
