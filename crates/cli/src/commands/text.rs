//! `wavemark asm` and `dis`: text to machine code and back.

use wavemark_diag::Diagnostic;
use wavemark_driver::lines::LineDisassembler;
use wavemark_driver::report::ExitStatus;

use crate::args::DisArgs;
use crate::commands::lines::converse;
use crate::door::{Door, Failure};

/// `dis`
pub fn dis(_door: &mut Door, args: &DisArgs) -> Result<ExitStatus, Failure> {
    let features = args.target.features.as_deref().unwrap_or_default();
    if let (true, Some(target)) = (args.lines, &args.target.target) {
        let disassembler = LineDisassembler::new(target, features)
            .map_err(|problem| Diagnostic::error(format!("--features: {problem}")))?
            .ok_or_else(|| Failure::Unsupported(format!("the instructions of {}", target.processor)))?;
        converse(&args.input, |line| disassembler.disassemble(line))?;
        return Ok(ExitStatus::Clean);
    }
    Err(Failure::Unsupported("disassembly of whole code objects".to_owned()))
}
