//! What a text is assembled or disassembled for: a target, and the machine that its features make.

use crate::{FeatureError, FeatureSet, Features, InstFeature, Limits, Machine, Processor, Target};

/// Triple, target ID and machine. LLVM's word for it; the target ID's settings and the machine's features come from
/// one list and agree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subtarget {
    /// Triple and target ID.
    pub target: Target,
    /// Processor, wave size and features.
    pub machine: Machine,
}

impl Subtarget {
    /// For a target, with features in LLVM's spelling (`+real-true16,-cumode`; may be empty).
    ///
    /// # Errors
    /// A feature that is unknown, or not the processor's.
    pub fn new(target: Target, features: &str) -> Result<Subtarget, FeatureError> {
        // Newer compilers name halves of registers wherever there are such, unless told otherwise.
        let newer = target.is_of_newer_compiler();
        let halves = newer && target.id.processor.has_inst(InstFeature::True16);
        let list = if halves { format!("+real-true16,{features}") } else { features.to_owned() };
        let mut features = FeatureSet::parse(&list, &target.id)?;
        features.features.set(Features::NEWER_COMPILER, newer);
        let processor = target.id.processor;
        let id = features.target_id(processor);
        Ok(Subtarget { target: Target { id, ..target }, machine: Machine::with(processor, &features) })
    }

    /// The processor.
    pub fn processor(&self) -> Processor {
        self.machine.processor
    }

    /// The limits for waves of the machine's size.
    pub fn limits(&self) -> Limits {
        self.machine.limits()
    }

    /// Whether waves have 32 lanes.
    pub fn wave32(&self) -> bool {
        self.machine.wave32()
    }

    /// Whether the code may run with XNACK replay: the target ID says so or leaves it open.
    pub fn xnack_on_or_any(&self) -> bool {
        matches!(self.target.id.xnack, crate::Setting::On | crate::Setting::Any)
    }
}
