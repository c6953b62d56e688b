//! Assembler features in LLVM's spelling: `+wavefrontsize64,-real-true16,+cumode`.
//!
//! Defaults are those of LLVM 22 for each processor (true 16-bit registers are on by default on gfx11 and off
//! on gfx12 and gfx1250). Features that are a processor's nature (`gfx90a-insts`, `dot7-insts`, …) are not
//! switches here: a list may say them as they are, as compilers do, and not otherwise.

use crate::{InstFeature, Processor, Property, Setting, TargetId, WaveSize};

bitflags::bitflags! {
    /// The switches that change how text is read or printed, or what the kernel descriptor says.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Features: u32 {
        /// `real-true16`: 16-bit operands of VALU instructions name halves of registers (`v1.l`).
        const REAL_TRUE16 = 1 << 0;
        /// `cumode`: workgroups run in CU mode; clears `WGP_MODE` of the descriptor.
        const CUMODE = 1 << 1;
        /// `tgsplit`: a workgroup's waves may be spread over compute units.
        const TGSPLIT = 1 << 2;
        /// `assembler-permissive-wavesize`: operands of either wave size are accepted.
        const PERMISSIVE_WAVESIZE = 1 << 3;
        /// No feature of LLVM's: the text is of a compiler after LLVM 22, as the spelling of its target says, which on
        /// gfx12 pairs instructions that read the same VGPR.
        const NEWER_COMPILER = 1 << 4;
    }
}

/// Features of code generation that neither assembly nor disassembly depends on: accepted and without effect.
const WITHOUT_EFFECT: &[&str] = &[
    "DumpCode",
    "agent-scope-fine-grained-remote-memory-atomics",
    "atomic-csub-no-rtn-insts",
    "auto-waitcnt-before-barrier",
    "block-vgpr-csr",
    "dumpcode",
    "emulated-system-scope-atomics",
    "enable-ds128",
    "enable-flat-scratch",
    "enable-prt-strict-null",
    "fast-denormal-f32",
    "fast-fmaf",
    "flat-for-global",
    "fmaf",
    "full-rate-64-ops",
    "half-rate-64-ops",
    "ldsbankcount16",
    "ldsbankcount32",
    "load-store-opt",
    "max-private-element-size-16",
    "max-private-element-size-4",
    "max-private-element-size-8",
    "precise-memory",
    "promote-alloca",
    "relaxed-buffer-oob-mode",
    "safe-cu-prefetch",
    "safe-smem-prefetch",
    "si-scheduler",
    "trap-handler",
    "unaligned-access-mode",
    "unsafe-ds-offset-folding",
];

/// The features that text is assembled or disassembled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FeatureSet {
    /// Wave size: `wavefrontsize32`, `wavefrontsize64`.
    pub wave_size: WaveSize,
    /// The other switches.
    pub features: Features,
    /// `sramecc`: [`Setting::Any`] unless named.
    pub sramecc: Setting,
    /// `xnack`: likewise.
    pub xnack: Setting,
}

/// Why a feature list is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeatureError {
    /// A feature without `+` or `-` before it.
    #[error("feature `{0}` has no `+` or `-` before it")]
    Sign(String),
    /// A name that is no switch.
    #[error("`{0}` is not a feature that can be switched")]
    Unknown(String),
    /// The processor is not like that, and cannot be made so.
    #[error("{processor} has {}`{name}` by its nature, which cannot be switched", if *.has { "" } else { "no " })]
    Nature {
        /// The processor.
        processor: Processor,
        /// The feature.
        name: String,
        /// Whether the processor has it.
        has: bool,
    },
    /// The processor cannot do that.
    #[error("{processor} does not support `{feature}`")]
    Unsupported {
        /// The processor.
        processor: Processor,
        /// The feature with its sign.
        feature: String,
    },
}

impl FeatureSet {
    /// LLVM 22's defaults for a processor.
    pub fn defaults(processor: Processor) -> FeatureSet {
        let mut features = Features::empty();
        features.set(Features::REAL_TRUE16, processor.has(Property::REAL_TRUE16_DEFAULT));
        let id = TargetId::new(processor);
        FeatureSet {
            wave_size: processor.default_wave_size(),
            features,
            sramecc: id.sramecc,
            xnack: id.xnack,
        }
    }

    /// The defaults for a target ID: the processor's, with the ID's settings.
    pub fn for_target(id: &TargetId) -> FeatureSet {
        FeatureSet { sramecc: id.sramecc, xnack: id.xnack, ..FeatureSet::defaults(id.processor) }
    }

    /// The defaults for a target ID, changed by a comma-separated list in LLVM's spelling; later ones win.
    /// An empty list is allowed.
    pub fn parse(list: &str, id: &TargetId) -> Result<FeatureSet, FeatureError> {
        let mut set = FeatureSet::for_target(id);
        for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            set.apply(item, id.processor)?;
        }
        Ok(set)
    }

    fn apply(&mut self, item: &str, processor: Processor) -> Result<(), FeatureError> {
        let (on, name) = match item.split_at_checked(1) {
            Some(("+", name)) => (true, name),
            Some(("-", name)) => (false, name),
            _ => return Err(FeatureError::Sign(item.to_owned())),
        };
        let unsupported = || FeatureError::Unsupported { processor, feature: item.to_owned() };
        match name {
            "wavefrontsize32" | "wavefrontsize64" => {
                let wave32 = (name == "wavefrontsize32") == on;
                let size = if wave32 { WaveSize::Wave32 } else { WaveSize::Wave64 };
                if !processor.allows(size) {
                    return Err(unsupported());
                }
                self.wave_size = size;
            }
            "real-true16" => {
                if on && !processor.has_inst(InstFeature::True16) {
                    return Err(unsupported());
                }
                self.features.set(Features::REAL_TRUE16, on);
            }
            "cumode" => match (processor.has(Property::CUMODE), processor.has(Property::WAVE32)) {
                (true, _) => self.features.set(Features::CUMODE, on),
                // The gfx1250 family has CU mode and no other; LLVM lists it and ignores what is said of it.
                (false, true) => {}
                (false, false) if on => return Err(unsupported()),
                (false, false) => {}
            },
            "tgsplit" => {
                if on && !processor.has(Property::TGSPLIT) {
                    return Err(unsupported());
                }
                self.features.set(Features::TGSPLIT, on);
            }
            "assembler-permissive-wavesize" => self.features.set(Features::PERMISSIVE_WAVESIZE, on),
            "sramecc" | "xnack" => {
                let slot = if name == "xnack" { &mut self.xnack } else { &mut self.sramecc };
                match (*slot, on) {
                    (Setting::Unsupported, true) => return Err(unsupported()),
                    (Setting::Unsupported, false) => {}
                    (_, true) => *slot = Setting::On,
                    (_, false) if name == "xnack" && processor.has(Property::XNACK_ALWAYS) => {
                        return Err(unsupported());
                    }
                    (_, false) => *slot = Setting::Off,
                }
            }
            _ if WITHOUT_EFFECT.contains(&name) => {}
            _ => match processor.llvm_feature(name) {
                Some(has) if has == on => {}
                Some(has) => return Err(FeatureError::Nature { processor, name: name.to_owned(), has }),
                None => return Err(FeatureError::Unknown(item.to_owned())),
            },
        }
        Ok(())
    }

    /// Whether 16-bit operands name halves of registers.
    pub fn real_true16(&self) -> bool {
        self.features.contains(Features::REAL_TRUE16)
    }

    /// Whether workgroups run in CU mode where there is a choice.
    pub fn cumode(&self) -> bool {
        self.features.contains(Features::CUMODE)
    }

    /// The target ID with this set's settings.
    pub fn target_id(&self, processor: Processor) -> TargetId {
        TargetId { processor, sramecc: self.sramecc, xnack: self.xnack }
    }
}
