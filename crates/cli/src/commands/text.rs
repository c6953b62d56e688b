//! `wavemark asm` and `dis`: text to machine code and back.

use wavemark_diag::Diagnostic;
use wavemark_driver::build::assemble_input;
use wavemark_driver::input::Lang;
use wavemark_driver::lines::{assemble_line, disassemble_line, subtarget};
use wavemark_driver::objects::{Remarks, disassemble_input};
use wavemark_driver::report::ExitStatus;

use crate::args::{AsmArgs, DisArgs};
use crate::commands::lines::converse;
use crate::door::{Door, Failure};

/// `asm`
pub fn asm(door: &mut Door, args: &AsmArgs) -> Result<ExitStatus, Failure> {
    let features = args.target.features.as_deref().unwrap_or_default();
    if args.lines {
        let target = args.target.target.ok_or_else(|| {
            Diagnostic::error("a line does not say its target").help("say it: --target gfx1250")
        })?;
        let subtarget = subtarget(target, features)?;
        converse(&args.input, |line| assemble_line(line, &subtarget).to_string())?;
        return Ok(ExitStatus::Clean);
    }
    let input = door.read_input(&args.input, Some(Lang::Asm))?;
    let assembly = args.assembly.options();
    let object = assemble_input(&mut door.sources, &input, args.target.target, features, &assembly)?;
    object.remarks.iter().for_each(|remark| door.diagnose(remark));
    door.write(args.output.as_deref(), &object.elf)?;
    Ok(ExitStatus::Clean)
}

/// `dis`
pub fn dis(door: &mut Door, args: &DisArgs) -> Result<ExitStatus, Failure> {
    let features = args.target.features.as_deref().unwrap_or_default();
    if let (true, Some(target)) = (args.lines, args.target.target) {
        let subtarget = subtarget(target, features)?;
        converse(&args.input, |line| disassemble_line(line, &subtarget).to_string())?;
        return Ok(ExitStatus::Clean);
    }
    let input = door.read_input(&args.input, Some(Lang::Obj))?;
    let remarks = Remarks { addresses: args.addresses, encoding: args.encoding };
    let text = disassemble_input(&mut door.sources, &input, args.target.target, features, remarks)?;
    door.write(args.output.as_deref(), text.as_bytes())?;
    Ok(ExitStatus::Clean)
}
