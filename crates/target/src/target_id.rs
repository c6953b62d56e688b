//! Target IDs (`gfx942:sramecc+:xnack-`) and whole targets (`amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-`).
//!
//! Follows "Target ID" of LLVM's *User Guide for AMDGPU Backend*; the newer triple spelling, whose
//! architecture names the processor family (`amdgpu12.50-amd-amdhsa-unknown-gfx1250`), is accepted as well.
//! The syntax of code objects V2 and V3 (`gfx906+xnack`) is [`TargetId::parse_v3`]'s.

use std::fmt;
use std::str::FromStr;

use crate::processor::UnknownProcessor;
use crate::{Processor, Property, R600};

/// What a target ID says of a feature (XNACK replay, SRAM ECC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Setting {
    /// The processor has no such feature.
    #[default]
    Unsupported,
    /// The code runs with either setting.
    Any,
    /// `-`: the code needs the feature off.
    Off,
    /// `+`: the code needs the feature on.
    On,
}

impl Setting {
    /// The suffix in a target ID: `+`, `-` or none.
    fn sign(self) -> Option<char> {
        match self {
            Setting::On => Some('+'),
            Setting::Off => Some('-'),
            Setting::Any | Setting::Unsupported => None,
        }
    }

    /// Whether code of this setting runs on a device of the other.
    pub fn runs_on(self, device: Setting) -> bool {
        matches!(self, Setting::Any | Setting::Unsupported) || device == Setting::Any || self == device
    }
}

/// A processor and what the code needs of its switchable features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetId {
    /// The processor.
    pub processor: Processor,
    /// SRAM ECC; [`Setting::Unsupported`] exactly where the processor lacks the feature.
    pub sramecc: Setting,
    /// XNACK replay; likewise.
    pub xnack: Setting,
}

impl TargetId {
    /// The target ID that names the processor alone: every feature it has is [`Setting::Any`].
    pub fn new(processor: Processor) -> TargetId {
        let any = |p| if processor.has(p) { Setting::Any } else { Setting::Unsupported };
        TargetId { processor, sramecc: any(Property::SRAMECC), xnack: any(Property::XNACK) }
    }

    /// Whether code compiled for `self` runs on a device that calls itself `device`: the same processor, or
    /// a generic one that stands for it, and settings that do not contradict.
    pub fn runs_on(&self, device: &TargetId) -> bool {
        let processor = self.processor == device.processor
            || self.processor.stands_for().contains(&device.processor)
            || device.processor.stands_for().contains(&self.processor);
        processor && self.sramecc.runs_on(device.sramecc) && self.xnack.runs_on(device.xnack)
    }
}

impl From<Processor> for TargetId {
    fn from(processor: Processor) -> Self {
        TargetId::new(processor)
    }
}

impl fmt::Display for TargetId {
    /// The canonical form: features in alphabetic order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.processor.name())?;
        for (name, setting) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            if let Some(sign) = setting.sign() {
                write!(f, ":{name}{sign}")?;
            }
        }
        Ok(())
    }
}

/// Why a target ID or target does not parse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The processor is not in the table.
    #[error(transparent)]
    Processor(#[from] UnknownProcessor),
    /// A feature that no target ID has.
    #[error("`{0}` is not a target ID feature (expected `sramecc+`, `sramecc-`, `xnack+` or `xnack-`)")]
    Feature(String),
    /// A feature that no target ID of code objects V2 and V3 has.
    #[error("`+{0}` is not a feature of a target ID of code object V3 (expected `+sram-ecc` or `+xnack`)")]
    FeatureV3(String),
    /// The syntax of code objects V2 and V3.
    #[error("`{text}` is spelled as in code objects V2 and V3; later ones say `{instead}`")]
    V3 {
        /// The target ID.
        text: String,
        /// The same in the later syntax.
        instead: TargetId,
    },
    /// A feature that this processor has not, or not switchable.
    #[error("{processor} does not support `{feature}` in a target ID")]
    Unsupported {
        /// The processor.
        processor: Processor,
        /// The feature with its sign.
        feature: String,
    },
    /// A feature named twice.
    #[error("target ID feature `{0}` is given twice")]
    Twice(String),
    /// The triple in front of the target ID is not one of AMD GPUs.
    #[error("`{0}` is not a target triple of AMD GPUs (expected for example `amdgcn-amd-amdhsa--gfx942`)")]
    Triple(String),
}

impl FromStr for TargetId {
    type Err = TargetError;

    /// Accepts alternative processor names and features in any order.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let processor = match name.parse::<Processor>() {
            Ok(processor) => processor,
            Err(unknown) => {
                return Err(match TargetId::parse_v3(name) {
                    Ok(instead) => TargetError::V3 { text: name.to_owned(), instead },
                    Err(_) => unknown.into(),
                });
            }
        };
        let mut id = TargetId::new(processor);
        for part in parts {
            let (feature, setting) = if let Some(feature) = part.strip_suffix('+') {
                (feature, Setting::On)
            } else if let Some(feature) = part.strip_suffix('-') {
                (feature, Setting::Off)
            } else {
                return Err(TargetError::Feature(part.to_owned()));
            };
            let slot = match feature {
                "sramecc" => &mut id.sramecc,
                "xnack" => &mut id.xnack,
                _ => return Err(TargetError::Feature(part.to_owned())),
            };
            let impossible =
                feature == "xnack" && setting == Setting::Off && processor.has(Property::XNACK_ALWAYS);
            match *slot {
                Setting::Any if !impossible => *slot = setting,
                Setting::Any | Setting::Unsupported => {
                    return Err(TargetError::Unsupported { processor, feature: part.to_owned() });
                }
                Setting::On | Setting::Off => return Err(TargetError::Twice(feature.to_owned())),
            }
        }
        Ok(id)
    }
}

/// A target triple with a target ID, as `.amdgcn_target` and `amdhsa.target` have it.
///
/// Keeps the spelling of the triple, so that printing gives back what was parsed.
/// [`Target::same`] compares what is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The architecture as spelled: `amdgcn`, or newer `amdgpu12.50`.
    pub arch: String,
    /// The vendor as spelled, usually `amd`.
    pub vendor: String,
    /// The operating system as spelled, `amdhsa`, `amdpal` or `mesa3d`.
    pub os: String,
    /// The environment as spelled: empty, or newer `unknown`.
    pub environment: String,
    /// The target ID.
    pub id: TargetId,
}

impl Target {
    /// `amdgcn-amd-amdhsa--` and the target ID.
    pub fn amdhsa(id: impl Into<TargetId>) -> Target {
        Target {
            arch: "amdgcn".to_owned(),
            vendor: "amd".to_owned(),
            os: "amdhsa".to_owned(),
            environment: String::new(),
            id: id.into(),
        }
    }

    /// Whether it is spelled as compilers after LLVM 22 do. They also write 16-bit halves of registers, where there are
    /// such, and the inline constant 0 into source fields that an instruction does not use, from gfx10 on.
    pub fn is_of_newer_compiler(&self) -> bool {
        self.arch != "amdgcn"
    }

    /// Whether both mean the same: operating system and target ID are equal, however the triples are spelled.
    pub fn same(&self, other: &Target) -> bool {
        self.id == other.id && self.os == other.os
    }

    /// The triple without the target ID: `amdgcn-amd-amdhsa-`.
    pub fn triple(&self) -> String {
        format!("{}-{}-{}-{}", self.arch, self.vendor, self.os, self.environment)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.triple(), self.id)
    }
}

impl FromStr for Target {
    type Err = TargetError;

    /// Parses a full target; a bare target ID (`gfx942:xnack-`) means `amdgcn-amd-amdhsa--` before it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = text.splitn(5, '-').collect();
        let &[arch, vendor, os, environment, id] = parts.as_slice() else {
            let first = text.split(':').next().unwrap_or_default();
            let names_processor = first.starts_with("gfx")
                || Processor::by_name(first).is_some()
                || R600::by_name(first).is_some();
            return if names_processor {
                Ok(Target::amdhsa(text.parse::<TargetId>()?))
            } else {
                Err(TargetError::Triple(text.to_owned()))
            };
        };
        let known_arch = arch == "amdgcn"
            || arch.strip_prefix("amdgpu").is_some_and(|version| {
                !version.is_empty() && version.bytes().all(|b| b.is_ascii_hexdigit() || b == b'.')
            });
        if !known_arch {
            return Err(TargetError::Triple(text.to_owned()));
        }
        Ok(Target {
            arch: arch.to_owned(),
            vendor: vendor.to_owned(),
            os: os.to_owned(),
            environment: environment.to_owned(),
            id: id.parse()?,
        })
    }
}
