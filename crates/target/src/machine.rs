//! A machine: a processor that runs waves of one size, with the features that text and bytes depend on.
//!
//! This is what the layers above pass around. What differs between machines is asked of it as a fact (a number, a
//! vocabulary, a yes or no with a name); nobody above compares a processor's name.

use crate::processor::UnknownProcessor;
use crate::{
    Facts, FeatureError, FeatureSet, Features, Generation, InstFeature, InstFeatures, InstructionSets,
    Limits, Processor, Property, TargetId, WaveSize,
};

/// Why there is no such machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub enum MachineError {
    /// The name is no processor's.
    Processor(#[from] UnknownProcessor),
    /// A feature is unknown or not the processor's.
    Feature(#[from] FeatureError),
}

/// A processor, the size of its waves, and the switches it is assembled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    /// The processor.
    pub processor: Processor,
    /// Lanes of a wave.
    pub wave_size: WaveSize,
    /// Switches that change how text is read or printed.
    pub features: Features,
    /// Asynchronous loads to LDS and stores from there return in one order, and not each in their own (CDNA5 ISA 10.8).
    pub one_async_queue: bool,
}

impl Machine {
    /// The processor with LLVM 22's defaults.
    pub fn new(processor: Processor) -> Machine {
        Machine::with(processor, &FeatureSet::defaults(processor))
    }

    /// The processor with these features.
    pub fn with(processor: Processor, features: &FeatureSet) -> Machine {
        let FeatureSet { wave_size, features, .. } = *features;
        Machine { processor, wave_size, features, one_async_queue: false }
    }

    /// The processor of this name with LLVM 22's defaults, changed by a list of features in LLVM's spelling
    /// (`+real-true16,-cumode`; may be empty).
    ///
    /// # Errors
    /// [`MachineError`] for an unknown processor or a feature that it does not have.
    pub fn parse(processor: &str, features: &str) -> Result<Machine, MachineError> {
        let processor: Processor = processor.parse()?;
        let features = FeatureSet::parse(features, &TargetId::new(processor))?;
        Ok(Machine::with(processor, &features))
    }

    /// The generation of the processor.
    pub fn generation(self) -> Generation {
        self.processor.generation()
    }

    /// Numbers, vocabularies and methods of its line of processors.
    pub fn facts(self) -> &'static Facts {
        self.processor.facts()
    }

    /// What its instruction set has.
    pub fn inst_features(self) -> InstFeatures {
        self.processor.inst_features()
    }

    /// Whether its instruction set has a feature.
    pub fn has_inst(self, feature: InstFeature) -> bool {
        self.processor.has_inst(feature)
    }

    /// Whether it has a property of the guide's tables of processors.
    pub fn has(self, property: Property) -> bool {
        self.processor.has(property)
    }

    /// Whether waves have 32 lanes.
    pub fn wave32(self) -> bool {
        self.wave_size == WaveSize::Wave32
    }

    /// The instruction sets that the processor stands for: one but for generic processors.
    pub fn instruction_sets(self) -> InstructionSets {
        self.processor.instruction_sets()
    }

    /// Lanes of a wave: 32 or 64.
    pub fn lanes(self) -> u32 {
        self.wave_size.lanes()
    }

    /// Register files, memories and granules.
    pub fn limits(self) -> Limits {
        self.processor.limits(self.wave_size)
    }

    /// Whether the assembler lets both halves of a VOPD pair read the same VGPR at the same port: on gfx12 only in the
    /// text of newer compilers, since LLVM 22 refuses it there.
    pub fn pairs_same_vgpr(self) -> bool {
        self.facts().vopd_same_vgpr
            && (self.has_inst(InstFeature::Gfx1250Insts) || self.features.contains(Features::NEWER_COMPILER))
    }

    /// Whether 16-bit operands name halves of registers (`v0.l`).
    pub fn real_true16(self) -> bool {
        self.features.contains(Features::REAL_TRUE16)
    }
}
