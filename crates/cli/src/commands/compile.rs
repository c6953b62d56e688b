//! `wavemark compile`: an input as far as the named stage.

use wavemark_diag::Diagnostic;
use wavemark_driver::build::{assemble_input, link_one};
use wavemark_driver::input::{Form, Lang, agree, from_bytes};
use wavemark_driver::objects;
use wavemark_driver::report::ExitStatus;

use crate::args::{CompileArgs, EmitArg};
use crate::door::{Door, Failure, read_input};

/// `compile`
pub fn compile(door: &mut Door, args: &CompileArgs) -> Result<ExitStatus, Failure> {
    let input = read_input(&args.input.input, args.input.lang.map(Into::into))?;
    let target = args.input.target.target;
    let features = args.input.target.features.as_deref().unwrap_or_default();
    let stage = match args.emit {
        EmitArg::Tile => "tile",
        EmitArg::Ll => "ll",
        EmitArg::Asm => "asm",
        EmitArg::Obj => "obj",
        EmitArg::Hsaco => "hsaco",
    };
    let backwards = || {
        Diagnostic::error(format!("{} is {}: --emit {stage} lies before that", input.name, input.form.name()))
    };
    let bytes = match (input.form, args.emit) {
        (Form::TvmScript | Form::LlvmIr, _) => {
            let what = format!("compiling {}: there is no compiler yet", input.form.name());
            return Err(Failure::Unsupported(what));
        }
        (Form::Assembly, EmitArg::Obj) => assemble_input(&mut door.sources, &input, target, features)?.elf,
        (Form::Assembly, EmitArg::Hsaco) => {
            let object = assemble_input(&mut door.sources, &input, target, features)?;
            link_one(&mut door.sources, &input.name, &object.elf)?
        }
        (Form::Assembly, EmitArg::Asm) => {
            let object = assemble_input(&mut door.sources, &input, target, features)?;
            let object = from_bytes(input.name.clone(), None, object.elf, Some(Lang::Obj))?;
            objects::disassemble_input(&mut door.sources, &object, target, features)?.into_bytes()
        }
        (Form::CodeObject, EmitArg::Asm) => {
            objects::disassemble_input(&mut door.sources, &input, target, features)?.into_bytes()
        }
        (Form::CodeObject, EmitArg::Hsaco) => {
            let object = objects::read_object(&mut door.sources, &input)?;
            agree(&input.name, target, Some(object.target()))?;
            if object.is_relocatable() {
                link_one(&mut door.sources, &input.name, &input.bytes)?
            } else {
                input.bytes
            }
        }
        _ => return Err(backwards().into()),
    };
    door.write(args.output.as_deref(), &bytes)?;
    Ok(ExitStatus::Clean)
}
