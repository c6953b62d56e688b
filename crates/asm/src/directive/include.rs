//! Directives that bring in other files, or end this one: `.include`, `.incbin`, `.end`.
//!
//! Which files may be read is for the caller to say ([`crate::Files`]).

use crate::assembler::{Assembler, Fault, Included};
use crate::directive::expand::MAX_NESTING;
use crate::directive::{Directive, Operands, row};
use crate::statement::Lines;

pub(super) const DIRECTIVES: &[Directive] =
    &[row(".include", include), row(".incbin", incbin), row(".end", end)];

/// Bytes that all included texts may have together.
const MAX_INCLUDED: usize = 256 << 20;

fn path(operands: &mut Operands<'_>) -> Result<(String, std::ops::Range<usize>), Fault> {
    let start = operands.lexer.next_start();
    let bytes = operands.string()?;
    let range = start..operands.lexer.position();
    let text =
        String::from_utf8(bytes).map_err(|_| Fault::new(range.clone(), "the file name is not UTF-8"))?;
    Ok((text, range))
}

/// `.include "file"`: the file's text in this place.
fn include(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (path, range) = path(operands)?;
    operands.end()?;
    if assembler.depth >= MAX_NESTING {
        return Err(Fault::new(range, format!("files and macros nest more than {MAX_NESTING} deep")));
    }
    let (file, text) = match assembler.files.text(&path) {
        Ok(found) => found,
        Err(message) => return Err(Fault::new(range, message)),
    };
    assembler.included_bytes = assembler.included_bytes.saturating_add(text.len());
    if assembler.included_bytes > MAX_INCLUDED {
        return Err(Fault::new(range, "all included files together are larger than 256 MiB"));
    }
    let span = assembler.span(operands.offset, operands.name.clone());
    let expansion = assembler.expansion.take();
    let included = Included {
        root: assembler.included.as_ref().map_or(span.start, |outer| outer.root),
        at: span,
        outer: assembler.included.take().map(Box::new),
    };
    let outer_file = std::mem::replace(&mut assembler.file, file);
    assembler.included = Some(included);
    assembler.depth += 1;
    assembler.run(&text);
    assembler.depth -= 1;
    assembler.file = outer_file;
    assembler.included = assembler.included.take().and_then(|included| included.outer).map(|outer| *outer);
    assembler.expansion = expansion;
    Ok(())
}

/// `.incbin "file" [, skip [, count]]`: the file's bytes in this place.
fn incbin(
    assembler: &mut Assembler<'_>,
    operands: &mut Operands<'_>,
    _: &mut Lines<'_>,
) -> Result<(), Fault> {
    let (path, range) = path(operands)?;
    let mut skip = 0;
    let mut count = None;
    if operands.eat_comma() {
        if operands.lexer.peek_byte() != Some(b',') {
            skip = operands.count(assembler)?;
        }
        if operands.eat_comma() {
            let (number, number_range) = operands.absolute(assembler)?;
            if number < 0 {
                let span = assembler.span(operands.offset, number_range);
                let message = format!("the count {number} is negative: nothing is read");
                assembler.diagnostics.push(wavemark_diag::Diagnostic::warning(message).at(span));
            }
            count = Some(number.max(0) as u64);
        }
    }
    operands.end()?;
    let bytes = match assembler.files.bytes(&path) {
        Ok(bytes) => bytes,
        Err(message) => return Err(Fault::new(range, message)),
    };
    let start = usize::try_from(skip).unwrap_or(usize::MAX).min(bytes.len());
    let part = &bytes[start..];
    let length =
        count.map_or(part.len(), |count| usize::try_from(count).unwrap_or(usize::MAX).min(part.len()));
    assembler.check_room(length as u64, range)?;
    assembler.emit(&part[..length]);
    Ok(())
}

/// `.end`: nothing after it is read, also where an included file says it.
fn end(assembler: &mut Assembler<'_>, operands: &mut Operands<'_>, _: &mut Lines<'_>) -> Result<(), Fault> {
    operands.ignore();
    assembler.ended = true;
    Ok(())
}

#[cfg(test)]
mod tests {
    use wavemark_diag::{FileId, SourceMap};
    use wavemark_target::{Subtarget, Target};

    use crate::{Environment, Files, Source, assemble_in};

    struct One(FileId, &'static str);

    impl Files for One {
        fn text(&mut self, _: &str) -> Result<(FileId, String), String> {
            Ok((self.0, self.1.to_owned()))
        }

        fn bytes(&mut self, _: &str) -> Result<Vec<u8>, String> {
            Ok(Vec::new())
        }
    }

    /// Registers are counted from the beginning even if only an included file asks for their number.
    #[test]
    fn an_included_file_asks_for_the_registers_before_it() {
        let text = "v_mov_b32 v6, v1\n.include \"rest\"\n";
        let rest = ".if .amdgcn.next_free_vgpr != 7\n.error \"not seven\"\n.endif\n";
        let mut sources = SourceMap::new();
        let (file, inner) = (sources.add_text("a.s", text), sources.add_text("rest", rest));
        let target: Target = "gfx942".parse().expect("a target");
        let subtarget = Subtarget::new(target, "").expect("no features");
        let environment = Environment { files: &mut One(inner, rest), defines: &[] };
        let object = assemble_in(Source { file, name: "a.s", text }, &subtarget, environment);
        assert!(object.is_ok(), "{object:?}");
    }
}
