//! Directives that leave a remark in the object: `.ident`, `.version`.

use wavemark_codeobj::elf::{shf, sht};

use crate::assembler::{Assembler, Fault};
use crate::directive::{Directive, Operands, row};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] = &[row(".ident", ident), row(".version", version)];

/// `.ident "text"`: the text goes into `.comment`, which starts with a zero byte.
fn ident(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    let text = operands.raw_string()?;
    operands.end()?;
    let current = assembler.current;
    let comment = assembler.open_section(".comment", sht::PROGBITS, shf::MERGE | shf::STRINGS, 1);
    assembler.current = comment;
    if assembler.ident.is_none() {
        assembler.ident = Some(comment);
        assembler.emit(&[0]);
    }
    assembler.emit(text.as_bytes());
    assembler.emit(&[0]);
    assembler.current = current;
    Ok(())
}

/// `NT_VERSION`.
const VERSION_NOTE: u32 = 1;

/// `.version "text"`: a note whose name is the text. What follows the text is not looked at, as in LLVM.
fn version(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let text = operands.raw_string()?;
    operands.ignore();
    let current = assembler.current;
    let note = assembler.open_section(".note", sht::NOTE, 0, 0);
    assembler.current = note;
    for word in [text.len() as u32 + 1, 0, VERSION_NOTE] {
        assembler.emit(&word.to_le_bytes());
    }
    assembler.emit(text.as_bytes());
    assembler.emit(&[0]);
    let section = assembler.sections.get_mut(note);
    section.align = section.align.max(4);
    section.bytes.resize(section.bytes.len().next_multiple_of(4), 0);
    assembler.current = current;
    Ok(())
}
