//! How code objects V2 and V3 name their target.
//!
//! Follows "Code Object V2 to V3 Target ID", "Code Object V2 Note Records" with its table of processors and fixed
//! feature settings, and "AMDGPU ELF Header e_flags for Code Object V2" of LLVM's *User Guide for AMDGPU Backend*.
//! Neither version can say that code runs with either setting of a feature: what it does not name is off.
//! LLVM spelled `sramecc` as `sram-ecc` at that time; both are read, the older is written.

use std::fmt;
use std::str::FromStr;

use crate::{Processor, Setting, TargetError, TargetId};

/// The ISA name of a code object V2's note, `AMD:AMDGPU:8:0:1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IsaName {
    /// Major version.
    pub major: u32,
    /// Minor version.
    pub minor: u32,
    /// Stepping.
    pub stepping: u32,
}

use Processor::*;
use Setting::{Off, On, Unsupported};

/// The guide's table 42: version, processor, sramecc, xnack. The first row of a target ID is the one that is
/// written.
const ISA_NAMES: &[((u32, u32, u32), Processor, Setting, Setting)] = &[
    ((6, 0, 0), Gfx600, Unsupported, Unsupported),
    ((6, 0, 1), Gfx601, Unsupported, Unsupported),
    ((6, 0, 2), Gfx602, Unsupported, Unsupported),
    ((7, 0, 0), Gfx700, Unsupported, Unsupported),
    ((7, 0, 1), Gfx701, Unsupported, Unsupported),
    ((7, 0, 2), Gfx702, Unsupported, Unsupported),
    ((7, 0, 3), Gfx703, Unsupported, Unsupported),
    ((7, 0, 4), Gfx704, Unsupported, Unsupported),
    ((7, 0, 5), Gfx705, Unsupported, Unsupported),
    ((8, 0, 2), Gfx802, Unsupported, Unsupported),
    ((8, 0, 0), Gfx802, Unsupported, Unsupported),
    ((8, 0, 1), Gfx801, Unsupported, On),
    ((8, 0, 3), Gfx803, Unsupported, Unsupported),
    ((8, 0, 4), Gfx803, Unsupported, Unsupported),
    ((8, 0, 5), Gfx805, Unsupported, Unsupported),
    ((8, 1, 0), Gfx810, Unsupported, On),
    ((9, 0, 0), Gfx900, Unsupported, Off),
    ((9, 0, 1), Gfx900, Unsupported, On),
    ((9, 0, 2), Gfx902, Unsupported, Off),
    ((9, 0, 3), Gfx902, Unsupported, On),
    ((9, 0, 4), Gfx904, Unsupported, Off),
    ((9, 0, 5), Gfx904, Unsupported, On),
    ((9, 0, 6), Gfx906, Off, Off),
    ((9, 0, 7), Gfx906, Off, On),
    ((9, 0, 12), Gfx90c, Unsupported, Off),
];

impl IsaName {
    /// The name that a code object V2 for this target ID has; none where V2 has no such target. A setting that is
    /// left open counts as on for xnack, as V2 compilers had it, and as off for sramecc, which V2 cannot say.
    pub fn of(id: &TargetId) -> Option<IsaName> {
        let closed = |setting, open| if setting == Setting::Any { open } else { setting };
        let wanted = (id.processor, closed(id.sramecc, Off), closed(id.xnack, On));
        let rows = || ISA_NAMES.iter();
        let row = rows().find(|row| (row.1, row.2, row.3) == wanted).or_else(|| {
            // gfx90c has xnack in no form.
            let open = id.xnack == Setting::Any;
            open.then(|| rows().find(|row| (row.1, row.2, row.3) == (wanted.0, wanted.1, Off))).flatten()
        })?;
        let (major, minor, stepping) = row.0;
        Some(IsaName { major, minor, stepping })
    }

    /// The target ID, none for versions that code object V2 does not have.
    pub fn target_id(self) -> Option<TargetId> {
        let version = (self.major, self.minor, self.stepping);
        let row = ISA_NAMES.iter().find(|row| row.0 == version)?;
        Some(TargetId { processor: row.1, sramecc: row.2, xnack: row.3 })
    }
}

impl fmt::Display for IsaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AMD:AMDGPU:{}:{}:{}", self.major, self.minor, self.stepping)
    }
}

/// A text that is no ISA name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an ISA name of code object V2 (expected for example `AMD:AMDGPU:8:0:3`)")]
pub struct IsaNameError(pub String);

impl FromStr for IsaName {
    type Err = IsaNameError;

    /// Reads `AMD:AMDGPU:major:minor:stepping`; the `+xnack` that some compilers appended is not part of it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || IsaNameError(text.to_owned());
        let numbers = text.strip_prefix("AMD:AMDGPU:").ok_or_else(error)?;
        let mut parts = numbers.split(':').map(|part| part.parse::<u32>().map_err(|_| error()));
        let mut next = || parts.next().unwrap_or_else(|| Err(error()));
        let name = IsaName { major: next()?, minor: next()?, stepping: next()? };
        if parts.next().is_some() {
            return Err(error());
        }
        Ok(name)
    }
}

/// What `e_flags` of a code object V2 says; its processor is in a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EFlagsV2 {
    /// XNACK replay is on.
    pub xnack: bool,
    /// The trap handler is enabled.
    pub trap_handler: bool,
}

impl EFlagsV2 {
    /// Reads the word; the bits that mean nothing are the error.
    pub fn decode(word: u32) -> Result<EFlagsV2, u32> {
        if word & !3 != 0 {
            return Err(word & !3);
        }
        Ok(EFlagsV2 { xnack: word & 1 != 0, trap_handler: word & 2 != 0 })
    }

    /// The word.
    pub fn encode(self) -> u32 {
        u32::from(self.xnack) | u32::from(self.trap_handler) << 1
    }
}

impl TargetId {
    /// Reads the target ID of a code object V2 or V3: `gfx906+xnack+sram-ecc`. Features that it does not name are
    /// off.
    pub fn parse_v3(text: &str) -> Result<TargetId, TargetError> {
        let mut parts = text.split('+');
        let processor = parts.next().unwrap_or_default().parse::<Processor>()?;
        let mut id = TargetId::new(processor);
        for setting in [&mut id.sramecc, &mut id.xnack] {
            if *setting == Setting::Any {
                *setting = Setting::Off;
            }
        }
        for feature in parts {
            let slot = match feature {
                "sram-ecc" | "sramecc" => &mut id.sramecc,
                "xnack" => &mut id.xnack,
                _ => return Err(TargetError::FeatureV3(feature.to_owned())),
            };
            match *slot {
                Setting::Off => *slot = Setting::On,
                Setting::Any | Setting::Unsupported => {
                    return Err(TargetError::Unsupported { processor, feature: format!("+{feature}") });
                }
                Setting::On => return Err(TargetError::Twice(feature.to_owned())),
            }
        }
        Ok(id)
    }

    /// The target ID as code objects V2 and V3 spell it; a setting that is left open is on.
    pub fn to_v3(&self) -> String {
        let on = |setting| matches!(setting, Setting::On | Setting::Any);
        let sign = |setting, text: &'static str| if on(setting) { text } else { "" };
        format!("{}{}{}", self.processor, sign(self.xnack, "+xnack"), sign(self.sramecc, "+sram-ecc"))
    }
}
