//! The processor, settings and features that a text is assembled or disassembled for.

use wavemark_target::{FeatureError, FeatureSet, Limits, Processor, Target, WaveSize};

/// What is assembled for.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Triple and target ID.
    pub target: Target,
    /// Features, settings of the target ID included.
    pub features: FeatureSet,
}

impl Machine {
    /// For a target, with features in LLVM's spelling (`+real-true16,-cumode`; may be empty).
    pub fn new(target: Target, features: &str) -> Result<Machine, FeatureError> {
        let features = FeatureSet::parse(features, &target.id)?;
        let id = features.target_id(target.id.processor);
        Ok(Machine { target: Target { id, ..target }, features })
    }

    /// The processor.
    pub fn processor(&self) -> Processor {
        self.target.id.processor
    }

    /// What the instruction table is asked for.
    pub fn isa(&self) -> wavemark_target::Machine {
        wavemark_target::Machine::with(self.processor(), &self.features)
    }

    /// The limits for waves of the features' size.
    pub fn limits(&self) -> Limits {
        self.processor().limits(self.features.wave_size)
    }

    /// Whether waves have 32 lanes.
    pub fn wave32(&self) -> bool {
        self.features.wave_size == WaveSize::Wave32
    }
}
