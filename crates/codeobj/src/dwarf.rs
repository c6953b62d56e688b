//! What DWARF's numbers mean on AMD GPUs: registers, address spaces, memory spaces; and the debug sections of a code
//! object, ready to be read.
//!
//! Follows "DWARF Debug Information" of LLVM's *User Guide for AMDGPU Backend*. Clang 22 without heterogeneous DWARF
//! numbers address spaces otherwise than the guide (1 private, 2 local), and does not say so; code that follows the
//! guide says so by `DW_AT_LLVM_augmentation`. [`Numbering`] tells the two apart.

mod entries;
mod expression;
mod frames;
pub(crate) mod sections;
mod text;

pub use sections::DebugSections;
pub use text::inspect_dwarf;

use std::fmt;

/// A register by its DWARF number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// `PC_32`: the program counter of a 32-bit process.
    Pc32,
    /// `PC_64`: the program counter of a 64-bit process.
    Pc64,
    /// `EXEC_MASK_32`: EXEC of a wave of 32 lanes.
    ExecMask32,
    /// `EXEC_MASK_64`: EXEC of a wave of 64 lanes.
    ExecMask64,
    /// `STATUS`.
    Status,
    /// `VCC_32`: VCC of a wave of 32 lanes.
    Vcc32,
    /// `VCC_64`: VCC of a wave of 64 lanes.
    Vcc64,
    /// A scalar register.
    Sgpr(u16),
    /// A vector register of waves of so many lanes.
    Vgpr {
        /// Its index.
        index: u16,
        /// 32 or 64.
        lanes: u8,
    },
    /// An accumulation register of waves of so many lanes.
    Agpr {
        /// Its index.
        index: u16,
        /// 32 or 64.
        lanes: u8,
    },
}

impl Register {
    /// The register of a DWARF number; `None` where the guide reserves the number.
    pub fn by_number(number: u16) -> Option<Register> {
        use Register::*;
        Some(match number {
            0 => Pc32,
            1 => ExecMask32,
            16 => Pc64,
            17 => ExecMask64,
            32..=95 => Sgpr(number - 32),
            128 => Status,
            512 => Vcc32,
            768 => Vcc64,
            1088..=1129 => Sgpr(number - 1088 + 64),
            1536..=1791 => Vgpr { index: number - 1536, lanes: 32 },
            2048..=2303 => Agpr { index: number - 2048, lanes: 32 },
            2560..=2815 => Vgpr { index: number - 2560, lanes: 64 },
            3072..=3327 => Agpr { index: number - 3072, lanes: 64 },
            _ => return None,
        })
    }

    /// Its size in bits.
    pub fn bits(self) -> u32 {
        match self {
            Register::Pc64 | Register::ExecMask64 | Register::Vcc64 => 64,
            Register::Vgpr { lanes, .. } | Register::Agpr { lanes, .. } => u32::from(lanes) * 32,
            _ => 32,
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Register::Pc32 => f.write_str("PC_32"),
            Register::Pc64 => f.write_str("PC_64"),
            Register::ExecMask32 => f.write_str("EXEC_MASK_32"),
            Register::ExecMask64 => f.write_str("EXEC_MASK_64"),
            Register::Status => f.write_str("STATUS"),
            Register::Vcc32 => f.write_str("VCC_32"),
            Register::Vcc64 => f.write_str("VCC_64"),
            Register::Sgpr(index) => write!(f, "SGPR{index}"),
            Register::Vgpr { index, lanes } => write!(f, "VGPR{index}/wave{lanes}"),
            Register::Agpr { index, lanes } => write!(f, "AGPR{index}/wave{lanes}"),
        }
    }
}

/// The name of a DWARF register number, or the number where the guide reserves it.
pub(crate) fn register_name(number: u16) -> String {
    Register::by_number(number)
        .map_or_else(|| format!("reserved register {number}"), |register| register.to_string())
}

/// Whose numbers of address spaces a unit uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// The guide's.
    Guide,
    /// Those of clang without heterogeneous DWARF.
    Clang,
}

impl Numbering {
    /// The numbering of a unit with this `DW_AT_LLVM_augmentation`, if it has one.
    pub fn by_augmentation(augmentation: Option<&str>) -> Numbering {
        match augmentation {
            Some(text) if text.contains("amdgpu:") => Numbering::Guide,
            _ => Numbering::Clang,
        }
    }

    /// The name of an address space.
    pub fn address_space(self, number: u64) -> Option<&'static str> {
        Some(match (self, number) {
            (_, 0) => "DW_ASPACE_LLVM_none",
            (Numbering::Guide, 1) => "DW_ASPACE_AMDGPU_generic",
            (Numbering::Guide, 2) => "DW_ASPACE_AMDGPU_region",
            (Numbering::Guide, 3) => "DW_ASPACE_AMDGPU_local",
            (Numbering::Guide, 5) => "DW_ASPACE_AMDGPU_private_lane",
            (Numbering::Guide, 6) => "DW_ASPACE_AMDGPU_private_wave",
            (Numbering::Clang, 1) => "private",
            (Numbering::Clang, 2) => "local",
            _ => return None,
        })
    }
}

/// Size of an address of an address space in bits, by the guide's numbers, in a 64-bit process.
pub fn address_bits(address_space: u64) -> Option<u32> {
    match address_space {
        0 | 1 => Some(64),
        2 | 3 | 5 | 6 => Some(32),
        _ => None,
    }
}

/// The name of a memory space.
pub fn memory_space(number: u64) -> Option<&'static str> {
    Some(match number {
        0 => "DW_MSPACE_LLVM_none",
        1 => "DW_MSPACE_LLVM_global",
        2 => "DW_MSPACE_LLVM_constant",
        3 => "DW_MSPACE_LLVM_group",
        4 => "DW_MSPACE_LLVM_private",
        0x8000 => "DW_MSPACE_AMDGPU_region",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_of_the_guide() {
        for (number, name, bits) in [
            (0, "PC_32", 32),
            (1, "EXEC_MASK_32", 32),
            (16, "PC_64", 64),
            (17, "EXEC_MASK_64", 64),
            (32, "SGPR0", 32),
            (95, "SGPR63", 32),
            (128, "STATUS", 32),
            (512, "VCC_32", 32),
            (768, "VCC_64", 64),
            (1088, "SGPR64", 32),
            (1129, "SGPR105", 32),
            (1536, "VGPR0/wave32", 1024),
            (1791, "VGPR255/wave32", 1024),
            (2303, "AGPR255/wave32", 1024),
            (2560, "VGPR0/wave64", 2048),
            (3327, "AGPR255/wave64", 2048),
        ] {
            let register = Register::by_number(number).unwrap();
            assert_eq!((register.to_string().as_str(), register.bits()), (name, bits));
        }
        for number in
            [2, 15, 18, 31, 96, 127, 129, 511, 513, 769, 1087, 1130, 1535, 1792, 2304, 2816, 3328, 65535]
        {
            assert_eq!(Register::by_number(number), None, "{number}");
        }
    }
}
