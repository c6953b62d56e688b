//! `.cfi_*`: how a debugger or the runtime unwinds a stack; [`crate::frames`] writes it.

use wavemark_diag::Span;

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::expr::Expr;
use crate::frames::{Frame, Instruction, Pointer};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[
    row(".cfi_sections", sections),
    row(".cfi_startproc", start),
    row(".cfi_endproc", end),
    row(".cfi_def_cfa", instruction),
    row(".cfi_def_cfa_offset", instruction),
    row(".cfi_def_cfa_register", instruction),
    row(".cfi_llvm_def_aspace_cfa", instruction),
    row(".cfi_adjust_cfa_offset", instruction),
    row(".cfi_offset", instruction),
    row(".cfi_rel_offset", instruction),
    row(".cfi_val_offset", instruction),
    row(".cfi_register", instruction),
    row(".cfi_restore", instruction),
    row(".cfi_undefined", instruction),
    row(".cfi_same_value", instruction),
    row(".cfi_remember_state", instruction),
    row(".cfi_restore_state", instruction),
    row(".cfi_window_save", instruction),
    row(".cfi_escape", escape),
    row(".cfi_label", label),
    row(".cfi_return_column", return_column),
    row(".cfi_signal_frame", signal_frame),
    row(".cfi_personality", personality),
    row(".cfi_lsda", lsda),
];

/// `.cfi_sections .eh_frame, .debug_frame`: which of them are written. Other names mean nothing here, as in LLVM.
fn sections(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    (assembler.frames.eh_frame, assembler.frames.debug_frame) = (false, false);
    loop {
        match operands.name()?.0 {
            ".eh_frame" => assembler.frames.eh_frame = true,
            ".debug_frame" => assembler.frames.debug_frame = true,
            _ => {}
        }
        if !operands.eat_comma() {
            return operands.end();
        }
    }
}

/// `.cfi_startproc [simple]`.
fn start(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let simple = operands.lexer.eat_name("simple");
    operands.end()?;
    if assembler.frames.open.is_some() {
        return operands.fault_here("the frame before has no .cfi_endproc");
    }
    let span = assembler.span(operands.offset, operands.name.clone());
    let (section, begin) = assembler.here();
    assembler.frames.open = Some(Frame::new(section, begin, simple, span));
    Ok(())
}

fn end(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.end()?;
    frame(assembler, operands)?;
    let (section, end) = assembler.here();
    if let Some(mut frame) = assembler.frames.open.take() {
        if frame.section != section {
            return operands.fault_here("the frame began in another section");
        }
        frame.end = end;
        assembler.frames.all.push(frame);
    }
    Ok(())
}

/// The frame that is open.
fn frame<'a>(assembler: &'a mut Assembler<'_>, operands: &Operands<'_>) -> Result<&'a mut Frame, Fault> {
    match &mut assembler.frames.open {
        Some(frame) => Ok(frame),
        None => operands
            .fault_here(format!("{} stands between .cfi_startproc and .cfi_endproc", operands.directive())),
    }
}

fn push(
    assembler: &mut Assembler<'_>,
    operands: &Operands<'_>,
    instruction: Instruction,
) -> Result<(), Fault> {
    let (_, at) = assembler.here();
    frame(assembler, operands)?.instructions.push((at, instruction));
    Ok(())
}

/// A number, or the name of a register that DWARF has a number for.
fn register(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>) -> Result<u64, Fault> {
    let token = operands.lexer.peek();
    let name = operands.lexer.slice(token.range.clone());
    let wave32 = assembler.subtarget.wave32();
    let number = |stem: &str| name.strip_prefix(stem).and_then(|digits| digits.parse::<u64>().ok());
    let found = match name {
        "pc" => Some(16),
        "exec" if wave32 => Some(1),
        "exec" => Some(17),
        _ => {
            let vectors = if wave32 { 1536 } else { 2560 };
            let scalar = |n| if n < 64 { 32 + n } else { 1088 + n - 64 };
            (number("v").filter(|&n| n < 256).map(|n| vectors + n))
                .or_else(|| number("a").filter(|&n| n < 256).map(|n| vectors + 512 + n))
                .or_else(|| number("s").filter(|&n| n < 106).map(scalar))
        }
    };
    if let Some(found) = found {
        operands.lexer.next();
        return Ok(found);
    }
    operands.count(assembler)
}

fn instruction(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    frame(assembler, operands)?;
    let name = operands.directive();
    let first = match name {
        ".cfi_def_cfa_offset" | ".cfi_adjust_cfa_offset" => operands.absolute(assembler)?.0,
        ".cfi_remember_state" | ".cfi_restore_state" | ".cfi_window_save" => 0,
        _ => register(assembler, operands)? as i64,
    };
    let mut second = 0;
    let mut third = 0;
    match name {
        ".cfi_register" => {
            operands.comma()?;
            second = register(assembler, operands)? as i64;
        }
        ".cfi_def_cfa"
        | ".cfi_offset"
        | ".cfi_rel_offset"
        | ".cfi_val_offset"
        | ".cfi_llvm_def_aspace_cfa" => {
            operands.comma()?;
            second = operands.absolute(assembler)?.0;
        }
        _ => {}
    }
    if name == ".cfi_llvm_def_aspace_cfa" {
        operands.comma()?;
        third = operands.absolute(assembler)?.0;
    }
    operands.end()?;
    let instruction = match name {
        ".cfi_def_cfa" => Instruction::DefCfa(first, second),
        ".cfi_def_cfa_offset" => Instruction::DefCfaOffset(first),
        ".cfi_def_cfa_register" => Instruction::DefCfaRegister(first),
        ".cfi_llvm_def_aspace_cfa" => Instruction::DefAspaceCfa(first, second, third),
        ".cfi_adjust_cfa_offset" => Instruction::AdjustCfaOffset(first),
        ".cfi_offset" => Instruction::Offset(first, second),
        ".cfi_rel_offset" => Instruction::RelOffset(first, second),
        ".cfi_val_offset" => Instruction::ValOffset(first, second),
        ".cfi_register" => Instruction::Register(first, second),
        ".cfi_restore" => Instruction::Restore(first),
        ".cfi_undefined" => Instruction::Undefined(first),
        ".cfi_same_value" => Instruction::SameValue(first),
        ".cfi_remember_state" => Instruction::RememberState,
        ".cfi_restore_state" => Instruction::RestoreState,
        _ => Instruction::WindowSave,
    };
    push(assembler, operands, instruction)
}

/// `.cfi_escape byte, …`: an instruction as it is.
fn escape(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    frame(assembler, operands)?;
    let mut bytes = Vec::new();
    loop {
        bytes.push(operands.absolute(assembler)?.0 as u8);
        if !operands.eat_comma() {
            break;
        }
    }
    operands.end()?;
    push(assembler, operands, Instruction::Escape(bytes))
}

/// `.cfi_label name`: the place in the unwind table that describes what comes now.
fn label(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let (name, range) = operands.name()?;
    operands.end()?;
    frame(assembler, operands)?;
    let symbol = assembler.symbols.intern(name);
    let span = assembler.span(operands.offset, range);
    push(assembler, operands, Instruction::Label(symbol, span))
}

fn return_column(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let register = register(assembler, operands)?;
    operands.end()?;
    frame(assembler, operands)?.return_column = register;
    Ok(())
}

fn signal_frame(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    operands.end()?;
    frame(assembler, operands)?.signal = true;
    Ok(())
}

/// An encoding and a symbol; `None` for the encoding that leaves the symbol out.
fn pointer(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>) -> Result<Option<Pointer>, Fault> {
    let (encoding, range) = operands.absolute(assembler)?;
    if encoding == 255 {
        operands.end()?;
        return Ok(None);
    }
    let format = matches!(encoding & 15, 0 | 2 | 3 | 4 | 8 | 0xa | 0xb | 0xc);
    if !(0..256).contains(&encoding) || !format || !matches!(encoding & 0x70, 0 | 0x10) {
        let message =
            format!("{encoding:#x} is no pointer encoding (expected for example 0x1b, or 255 for none)");
        return Err(Fault::new(range, message));
    }
    operands.comma()?;
    let (name, range) = operands.name()?;
    operands.end()?;
    let symbol = assembler.symbols.intern(name);
    let span: Span = assembler.span(operands.offset, range);
    Ok(Some(Pointer {
        encoding: encoding as u8,
        value: Expr::Symbol(symbol, None),
        name: name.to_owned(),
        span,
    }))
}

fn personality(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    frame(assembler, operands)?;
    let pointer = pointer(assembler, operands)?;
    frame(assembler, operands)?.personality = pointer;
    Ok(())
}

fn lsda(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    frame(assembler, operands)?;
    let pointer = pointer(assembler, operands)?;
    frame(assembler, operands)?.lsda = pointer;
    Ok(())
}
