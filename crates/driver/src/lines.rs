//! The subtarget that `asm --lines`, `dis --lines` and the simulator work for, by target and features.

pub use wavemark_asm::lines::{Answer, assemble_line, disassemble_line};
use wavemark_diag::Diagnostic;
pub use wavemark_sim::fidelity::{Approximation, Fidelity, Refused};
use wavemark_target::{Machine, Processor, Subtarget, Target, TargetId};

use crate::build::Failure;

/// What executes code for a processor; `None`: the simulator does not model it.
pub fn executed_by(processor: Processor) -> Option<Machine> {
    wavemark_sim::modelled(Machine::new(processor)).ok()
}

/// How near to the hardware that is; `None`: the simulator does not model the processor.
pub fn fidelity(processor: Processor) -> Option<Fidelity> {
    executed_by(processor).map(wavemark_sim::fidelity::fidelity)
}

/// The subtarget for a target, with features in LLVM's spelling.
pub fn subtarget(target: TargetId, features: &str) -> Result<Subtarget, Failure> {
    subtarget_of(Target::amdhsa(target), features)
}

/// The subtarget for a target as it is spelled, which says how text is to be read.
pub fn subtarget_of(target: Target, features: &str) -> Result<Subtarget, Failure> {
    Subtarget::new(target, features).map_err(|error| Diagnostic::error(format!("--features: {error}")).into())
}
