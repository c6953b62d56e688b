//! `wavemark compile`: an input as far as the named stage.

use wavemark_diag::Diagnostic;
use wavemark_driver::Dialect;
use wavemark_driver::build::{assemble_input, link_one};
use wavemark_driver::compile::{TileOptions, compile_tile};
use wavemark_driver::input::{Form, Input, Lang, agree, from_bytes};
use wavemark_driver::report::ExitStatus;
use wavemark_driver::{ir, objects};

use crate::args::{CompileArgs, DialectArg, EmitArg};
use crate::door::{Door, Failure};

/// `compile`
pub fn compile(door: &mut Door, args: &CompileArgs) -> Result<ExitStatus, Failure> {
    let input = door.read_input(&args.input.input, args.input.lang.map(Into::into))?;
    let target = args.input.target.target;
    let features = args.input.target.features.as_deref().unwrap_or_default();
    let assembly = args.assembly.options();
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
    let tile_only = [
        ("--before-simplify", args.before_simplify),
        ("--tvm-compatible", args.tvm_compatible),
        ("--dialect", args.dialect.is_some()),
        ("--diagram", args.diagram.is_some()),
    ];
    if let Some((option, _)) = tile_only.iter().find(|(_, given)| *given)
        && (input.form != Form::TvmScript || args.emit != EmitArg::Tile)
    {
        let problem = format!("{option} is for TVMScript modules and --emit tile");
        return Err(Diagnostic::error(problem).into());
    }
    if args.tighten_waits && (input.form != Form::LlvmIr || args.emit != EmitArg::Ll) {
        return Err(Diagnostic::error("--tighten-waits is for LLVM IR and --emit ll").into());
    }
    let bytes = match (input.form, args.emit) {
        (Form::TvmScript, EmitArg::Tile) => tile(door, args, &input)?.into_bytes(),
        (Form::TvmScript, _) => {
            let what = format!(
                "--emit {stage} of a TVMScript module: there is no compiler below the tile layer yet"
            );
            return Err(Failure::Unsupported(what));
        }
        (Form::LlvmIr, EmitArg::Ll) => {
            let (text, notes) = ir::print(&mut door.sources, &input, target, args.tighten_waits)?;
            notes.iter().for_each(|note| door.note(note.span, &note.message));
            text.into_bytes()
        }
        (Form::LlvmIr, EmitArg::Tile) => return Err(backwards().into()),
        (Form::LlvmIr, _) => {
            let what = format!("--emit {stage} of {}: there is no compiler below it yet", input.form.name());
            return Err(Failure::Unsupported(what));
        }
        (Form::Assembly, EmitArg::Obj) => {
            assemble_input(&mut door.sources, &input, target, features, &assembly)?.elf
        }
        (Form::Assembly, EmitArg::Hsaco) => {
            let object = assemble_input(&mut door.sources, &input, target, features, &assembly)?;
            link_one(&mut door.sources, &input.name, &object.elf)?
        }
        (Form::Assembly, EmitArg::Asm) => {
            let object = assemble_input(&mut door.sources, &input, target, features, &assembly)?;
            let object = from_bytes(input.name.clone(), None, object.elf, Some(Lang::Obj))?;
            objects::disassemble_input(
                &mut door.sources,
                &object,
                target,
                features,
                objects::Remarks::default(),
            )?
            .into_bytes()
        }
        (Form::CodeObject, EmitArg::Asm) => objects::disassemble_input(
            &mut door.sources,
            &input,
            target,
            features,
            objects::Remarks::default(),
        )?
        .into_bytes(),
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

/// `--emit tile`: the text; the picture goes to its file, the decisions to standard error.
fn tile(door: &mut Door, args: &CompileArgs, input: &Input) -> Result<String, Failure> {
    let options = TileOptions {
        before_simplify: args.before_simplify,
        tvm_compatible: args.tvm_compatible,
        dialect: args.dialect.map(|dialect| match dialect {
            DialectArg::Old => Dialect::Old,
            DialectArg::New => Dialect::New,
        }),
        diagrams: args.diagram.is_some(),
        target: args.input.target.target,
    };
    let compiled = compile_tile(&mut door.sources, input, &options)?;
    for note in &compiled.notes {
        door.note(note.span, &note.message);
    }
    if let (Some(path), Some(diagram)) = (&args.diagram, compiled.diagrams.first()) {
        door.write(Some(path), diagram.svg.as_bytes())?;
    }
    Ok(compiled.text + "\n")
}
