//! The line-wise forms: one line of assembly → its bytes, one line of hexadecimal → its instruction.
//!
//! A line stands for itself: it sees no symbols of the lines before it. An answer prints as the line that the
//! command line's `asm --lines` and `dis --lines` give.

use std::fmt;
use wavemark_target::Subtarget;

use wavemark_diag::SourceMap;
use wavemark_isa as isa;

use crate::assembler::Assembler;
use crate::lex::{Kind, Lexer};
use crate::statement::Lines;

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The line has no code: prints as an empty line.
    Empty,
    /// Bytes in memory order as hexadecimal, or an instruction: prints as `OK`, a tab, the text.
    Ok(String),
    /// What is wrong: prints as `ERR`, a tab, the message, which for assembly starts with the column.
    Err(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Empty => Ok(()),
            Answer::Ok(text) => write!(f, "OK\t{text}"),
            Answer::Err(message) => write!(f, "ERR\t{message}"),
        }
    }
}

/// Assembles one line: an instruction, or labels and directives. Places that a linker would fill stay 0.
pub fn assemble_line(line: &str, subtarget: &Subtarget) -> Answer {
    let mut lines = Lines::new(line);
    let statement = match lines.next() {
        None => return Answer::Empty,
        Some(Ok(statement)) => statement,
        Some(Err(_)) => return assemble_alone(line, subtarget),
    };
    let mut lexer = Lexer::new(&statement.text);
    let first = lexer.next();
    let plain = first.kind == Kind::Name
        && !lexer.slice(first.range).starts_with('.')
        && !matches!(lexer.peek_byte(), Some(b':' | b'='));
    let isa = subtarget.machine;
    if !plain || statement.text.len() > crate::instruction::MAX_LENGTH {
        return assemble_alone(line, subtarget);
    }
    match isa::parse(isa, &statement.text, &isa::NoSymbols) {
        Ok(parsed) if parsed.fixups.is_empty() => match isa::encode(isa, &parsed.inst) {
            Ok(bytes) => Answer::Ok(hex(&bytes)),
            Err(error) => Answer::Err(format!("{}: {error}", statement.offset + 1)),
        },
        Ok(_) => assemble_alone(line, subtarget),
        Err(error) => Answer::Err(format!("{}: {}", statement.offset + error.column as usize, error.message)),
    }
}

/// Assembles a line as a file of its own.
fn assemble_alone(line: &str, subtarget: &Subtarget) -> Answer {
    let mut sources = SourceMap::new();
    let file = sources.add_text("line", line.to_owned());
    let mut files = crate::NoFiles;
    let mut assembler = Assembler::new(file, line, subtarget, &mut files);
    assembler.run(line);
    let bytes = match assembler.finish_bytes() {
        Ok(bytes) if bytes.is_empty() => return Answer::Empty,
        Ok(bytes) => bytes,
        Err(diagnostics) => {
            let Some(first) = diagnostics.iter().find(|diagnostic| diagnostic.is_error()) else {
                return Answer::Empty;
            };
            let column = first.span().map_or(1, |span| span.start.saturating_add(1));
            return Answer::Err(format!("{column}: {}", first.message));
        }
    };
    Answer::Ok(hex(&bytes))
}

/// Disassembles one instruction, given as hexadecimal digits of its bytes in memory order.
pub fn disassemble_line(line: &str, subtarget: &Subtarget) -> Answer {
    let digits = line.trim();
    if digits.is_empty() {
        return Answer::Empty;
    }
    let isa = subtarget.machine;
    let bytes = match unhex(digits) {
        Ok(bytes) => bytes,
        Err(message) => return Answer::Err(message),
    };
    match isa::decode(isa, &bytes) {
        Ok(inst) if usize::from(inst.size) < bytes.len() => {
            let text = isa::print(isa, &inst);
            Answer::Err(format!("{} bytes are left after `{text}`", bytes.len() - usize::from(inst.size)))
        }
        Ok(inst) => Answer::Ok(isa::print(isa, &inst)),
        Err(error) => Answer::Err(error.to_string()),
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}

fn unhex(digits: &str) -> Result<Vec<u8>, String> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits).as_bytes();
    if !digits.len().is_multiple_of(2) {
        return Err("an odd number of hexadecimal digits".to_owned());
    }
    let value = |digit: u8| {
        (digit as char)
            .to_digit(16)
            .ok_or_else(|| format!("'{}' is no hexadecimal digit", char::from(digit).escape_default()))
    };
    digits.chunks_exact(2).map(|pair| Ok((value(pair[0])? << 4 | value(pair[1])?) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subtarget(name: &str) -> Subtarget {
        let target = name.parse().expect("a target");
        Subtarget::new(target, "").expect("no features")
    }

    fn asm(line: &str) -> String {
        assemble_line(line, &subtarget("gfx950")).to_string()
    }

    #[test]
    fn lines_of_assembly() {
        assert_eq!(asm(""), "");
        assert_eq!(asm(" ; nothing"), "");
        assert_eq!(asm(".text"), "");
        assert_eq!(asm("\ts_nop 0 ; x"), "OK\t000080bf");
        assert_eq!(asm("foo: s_nop 0"), "OK\t000080bf");
        assert_eq!(asm(".long 5, 6"), "OK\t0500000006000000");
        assert_eq!(asm("s_branch foo"), "ERR\t10: undefined label foo");
        assert_eq!(asm("a: s_branch a"), "OK\tffff82bf");
        assert_eq!(asm("s_mov_b32 s0, foo"), "OK\tff0080be00000000");
        assert_eq!(asm("  s_bogus"), "ERR\t3: invalid instruction");
        assert_eq!(asm(" .bogus"), "ERR\t2: unknown directive .bogus");
    }

    #[test]
    fn lines_of_bytes() {
        let dis = |line| disassemble_line(line, &subtarget("gfx950")).to_string();
        assert_eq!(dis("000080bf"), "OK\ts_nop 0");
        assert_eq!(dis(""), "");
        assert_eq!(dis("zz"), "ERR\t'z' is no hexadecimal digit");
        assert_eq!(dis("123"), "ERR\tan odd number of hexadecimal digits");
        assert_eq!(dis("000080bf000080bf"), "ERR\t4 bytes are left after `s_nop 0`");
    }
}
