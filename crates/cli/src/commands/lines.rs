//! The line protocols of `asm --lines` and `dis --lines`: one line in, one line out.
//!
//! An answer is written as soon as no further line is waiting, so that another program can hold a conversation.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use wavemark_diag::Diagnostic;

use crate::door::{Failure, output_failure};

/// Longest line: longer ones are answered with an error, in full.
const MAX_LINE: u64 = 1 << 20;

/// Answers each line of `path` (`-`: standard input) by what `answer` says of it, on one line. A line of white space
/// is answered by an empty line.
pub fn converse(path: &Path, mut answer: impl FnMut(&str) -> String) -> Result<(), Failure> {
    let unreadable = |error: io::Error| Diagnostic::error(format!("cannot read {}: {error}", path.display()));
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(unreadable)?)
    };
    let mut source = BufReader::new(source);
    let mut output = BufWriter::new(io::stdout().lock());
    while let Some(line) = read_line(&mut source).map_err(unreadable)? {
        let text = match line {
            Ok(line) if line.trim().is_empty() => String::new(),
            Ok(line) => answer(&line).replace(['\n', '\r'], " "),
            Err(problem) => format!("ERR\t{problem}"),
        };
        writeln!(output, "{text}").map_err(output_failure)?;
        if source.buffer().is_empty() {
            output.flush().map_err(output_failure)?;
        }
    }
    output.flush().map_err(output_failure)
}

/// The next line without its end; `None` at the end of the input.
fn read_line(source: &mut impl BufRead) -> io::Result<Option<Result<String, String>>> {
    let mut line = Vec::new();
    if source.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE && line.last() != Some(&b'\n') {
        source.skip_until(b'\n')?;
        return Ok(Some(Err("1: the line is too long".to_owned())));
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(String::from_utf8(line).map_err(|_| "1: the line is not UTF-8".to_owned())))
}
