//! `wavemark asm` and `dis`: text to machine code and back.

use wavemark_diag::Diagnostic;
use wavemark_driver::build::assemble_input;
use wavemark_driver::input::Lang;
use wavemark_driver::lines::LineDisassembler;
use wavemark_driver::report::ExitStatus;

use crate::args::{AsmArgs, DisArgs};
use crate::commands::lines::converse;
use crate::door::{Door, Failure, read_input};

/// `asm`
pub fn asm(door: &mut Door, args: &AsmArgs) -> Result<ExitStatus, Failure> {
    let features = args.target.features.as_deref().unwrap_or_default();
    if args.lines {
        return Err(Failure::Unsupported("assembly of single lines".to_owned()));
    }
    let input = read_input(&args.input, Some(Lang::Asm))?;
    let object = assemble_input(&mut door.sources, &input, args.target.target, features)?;
    object.remarks.iter().for_each(|remark| door.diagnose(remark));
    door.write(args.output.as_deref(), &object.elf)?;
    Ok(ExitStatus::Clean)
}

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
