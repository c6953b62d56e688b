//! The `e_flags` word and the ABI version byte of a code object's ELF header.
//!
//! Follows "AMDGPU ELF Header e_flags" (V2 to V6 and after) of LLVM's *User Guide for AMDGPU Backend*.

use crate::processor::UnknownProcessor;
use crate::{Processor, Property, R600, Setting, TargetId};

/// `e_ident[EI_ABIVERSION]` of a code object for the OS ABI `ELFOSABI_AMDGPU_HSA` (64).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum AbiVersion {
    /// Code object V2.
    V2 = 0,
    /// Code object V3.
    V3 = 1,
    /// Code object V4.
    V4 = 2,
    /// Code object V5.
    V5 = 3,
    /// Code object V6.
    V6 = 4,
}

impl AbiVersion {
    /// The version of an `EI_ABIVERSION` byte.
    pub fn by_byte(byte: u8) -> Option<AbiVersion> {
        use AbiVersion::*;
        [V2, V3, V4, V5, V6].get(usize::from(byte)).copied()
    }

    /// The code object version, 2 to 6: two more than the byte.
    pub fn code_object_version(self) -> u32 {
        self as u32 + 2
    }

    /// The code object version's ABI version.
    pub fn by_code_object_version(version: u32) -> Option<AbiVersion> {
        AbiVersion::by_byte(u8::try_from(version.checked_sub(2)?).ok()?)
    }
}

/// What `e_flags` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EFlags {
    /// Processor and feature settings.
    pub id: TargetId,
    /// The version of a generic processor's code (1 to 255), 0 for other processors.
    pub generic_version: u8,
}

/// Why an `e_flags` word cannot be decoded or encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EFlagsError {
    /// Code object V2 says its processor in a note.
    #[error("code object V2 does not say its processor in e_flags")]
    V2,
    /// A processor of the R600 architecture.
    #[error("e_flags names {}", UnknownProcessor(.0.name.to_owned()))]
    R600(R600),
    /// No processor has this machine number.
    #[error("e_flags has the unknown EF_AMDGPU_MACH value {0:#04x}")]
    Mach(u8),
    /// The word has bits set that mean nothing in this version.
    #[error("e_flags {0:#010x} has bits set that mean nothing in code object V{1}: {2:#010x}")]
    Reserved(u32, u32, u32),
    /// A generic processor needs a code object of version 6 and its version, others have none.
    #[error("{processor} in code object V{abi} with generic version {version}: {why}")]
    GenericVersion {
        /// The processor.
        processor: Processor,
        /// Code object version.
        abi: u32,
        /// Generic version.
        version: u8,
        /// What is wrong.
        why: &'static str,
    },
    /// Code object V3 cannot say `off` apart from `any`, nor V4 a setting that the processor has not.
    #[error("{0} has no {1} feature, but e_flags sets it")]
    Unsupported(Processor, &'static str),
}

const MACH: u32 = 0xff;
const XNACK_SHIFT: u32 = 8;
const SRAMECC_SHIFT: u32 = 10;
const XNACK_V3: u32 = 0x100;
const SRAMECC_V3: u32 = 0x200;
const GENERIC_VERSION_SHIFT: u32 = 24;

impl EFlags {
    /// For a processor or target ID; a generic one gets version 1, the one that LLVM 22 writes.
    pub fn new(id: impl Into<TargetId>) -> EFlags {
        let id = id.into();
        EFlags { id, generic_version: id.processor.has(Property::GENERIC) as u8 }
    }

    /// Whether code with these flags runs on a device: the target IDs allow it, and the version of a generic
    /// processor's code is no older than the one that took the device in. LLVM 22 has one version of each.
    pub fn runs_on(&self, device: &TargetId) -> bool {
        self.id.runs_on(device) && (self.generic_version > 0 || !self.id.processor.has(Property::GENERIC))
    }

    /// Decodes the word of a code object V3 to V6.
    pub fn decode(word: u32, abi: AbiVersion) -> Result<EFlags, EFlagsError> {
        let mach = (word & MACH) as u8;
        if abi == AbiVersion::V2 {
            return Err(EFlagsError::V2);
        }
        let processor = Processor::by_mach(mach)
            .ok_or_else(|| R600::by_mach(mach).map_or(EFlagsError::Mach(mach), EFlagsError::R600))?;
        let meaningful = match abi {
            AbiVersion::V2 | AbiVersion::V3 => MACH | XNACK_V3 | SRAMECC_V3,
            AbiVersion::V4 | AbiVersion::V5 => MACH | 0xf00,
            AbiVersion::V6 => MACH | 0xf00 | (0xff << GENERIC_VERSION_SHIFT),
        };
        if word & !meaningful != 0 {
            return Err(EFlagsError::Reserved(word, abi.code_object_version(), word & !meaningful));
        }
        let mut id = TargetId::new(processor);
        if abi == AbiVersion::V3 {
            let read = |bit, property, name| match (word & bit != 0, processor.has(property)) {
                (true, true) => Ok(Setting::On),
                (true, false) => Err(EFlagsError::Unsupported(processor, name)),
                (false, true) => Ok(Setting::Off),
                (false, false) => Ok(Setting::Unsupported),
            };
            id.xnack = read(XNACK_V3, Property::XNACK, "xnack")?;
            id.sramecc = read(SRAMECC_V3, Property::SRAMECC, "sramecc")?;
        } else {
            let read = |shift: u32, property, name| {
                let setting = match (word >> shift) & 3 {
                    0 => Setting::Unsupported,
                    1 => Setting::Any,
                    2 => Setting::Off,
                    _ => Setting::On,
                };
                match (setting, processor.has(property)) {
                    // Producers that do not know a feature of a processor yet write "unsupported".
                    (Setting::Unsupported, true) => Ok(Setting::Any),
                    (Setting::Unsupported, false) => Ok(Setting::Unsupported),
                    (_, false) => Err(EFlagsError::Unsupported(processor, name)),
                    (setting, true) => Ok(setting),
                }
            };
            id.xnack = read(XNACK_SHIFT, Property::XNACK, "xnack")?;
            id.sramecc = read(SRAMECC_SHIFT, Property::SRAMECC, "sramecc")?;
        }
        let generic_version = (word >> GENERIC_VERSION_SHIFT) as u8;
        let flags = EFlags { id, generic_version };
        flags.check_generic(abi)?;
        Ok(flags)
    }

    /// Encodes the word for a code object V3 to V6.
    pub fn encode(&self, abi: AbiVersion) -> Result<u32, EFlagsError> {
        self.check_generic(abi)?;
        let mut word = u32::from(self.id.processor.mach());
        match abi {
            AbiVersion::V2 => return Err(EFlagsError::V2),
            AbiVersion::V3 => {
                let on = |setting| matches!(setting, Setting::On | Setting::Any);
                word |= if on(self.id.xnack) { XNACK_V3 } else { 0 };
                word |= if on(self.id.sramecc) { SRAMECC_V3 } else { 0 };
            }
            AbiVersion::V4 | AbiVersion::V5 | AbiVersion::V6 => {
                word |= (self.id.xnack as u32) << XNACK_SHIFT;
                word |= (self.id.sramecc as u32) << SRAMECC_SHIFT;
                word |= u32::from(self.generic_version) << GENERIC_VERSION_SHIFT;
            }
        }
        Ok(word)
    }

    fn check_generic(&self, abi: AbiVersion) -> Result<(), EFlagsError> {
        let why = match (self.id.processor.has(Property::GENERIC), self.generic_version) {
            (true, _) if abi < AbiVersion::V6 => "generic processors need code object V6",
            (true, 0) => "a generic processor needs a version of 1 to 255",
            (false, 1..) => "only a generic processor has a version",
            _ => return Ok(()),
        };
        Err(EFlagsError::GenericVersion {
            processor: self.id.processor,
            abi: abi.code_object_version(),
            version: self.generic_version,
            why,
        })
    }
}
