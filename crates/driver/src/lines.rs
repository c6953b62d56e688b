//! The subtarget that `asm --lines`, `dis --lines` and the simulator work for, by target and features.

pub use wavemark_asm::lines::{Answer, assemble_line, disassemble_line};
use wavemark_diag::Diagnostic;
use wavemark_isa::Isa;
use wavemark_target::{Processor, Subtarget, Target, TargetId};

use crate::build::Failure;

/// The instruction set of a processor; `None`: the simulator does not model it.
pub fn instruction_set(processor: Processor) -> Option<Isa> {
    Isa::of(processor)
}

/// The subtarget for a target, with features in LLVM's spelling.
pub fn subtarget(target: TargetId, features: &str) -> Result<Subtarget, Failure> {
    Subtarget::new(Target::amdhsa(target), features)
        .map_err(|error| Diagnostic::error(format!("--features: {error}")).into())
}
