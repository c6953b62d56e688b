//! Cutting a text into statements: one a line, labels apart, comments away.
//!
//! LLVM's AMDGPU syntax ends a statement at the end of the line only (`;` starts a comment). Comments are
//! `;` and `//` to the end of the line, `/* */` also over lines, and `#` first in a line. Quoted strings and
//! character constants hide comment signs.
//!
//! A statement keeps its columns: a block comment inside it is replaced by blanks.

use std::borrow::Cow;

/// One statement without labels: a directive, an assignment or an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement<'a> {
    /// Its text, without blanks around and without comments.
    pub text: Cow<'a, str>,
    /// Where it starts in the whole text, in bytes.
    pub offset: usize,
}

/// A cursor over the lines of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Lines<'a> {
    /// From the start of `text`.
    pub fn new(text: &'a str) -> Lines<'a> {
        Lines { text, position: 0 }
    }

    /// Where the next line starts.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The text from byte `start` to byte `end`.
    pub fn text_between(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    /// The next line as it is, without its end, and its offset; for blocks that are no statements (macro
    /// bodies, YAML).
    pub fn raw_line(&mut self) -> Option<(usize, &'a str)> {
        let start = self.position;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').unwrap_or(rest.len());
        self.position = (start + length + 1).min(self.text.len());
        Some((start, &rest[..length]))
    }

    /// The next statement that is not empty; `Err` is the offset of a block comment without an end.
    pub fn next(&mut self) -> Option<Result<Statement<'a>, usize>> {
        loop {
            let bytes = self.text.as_bytes();
            let mut start = self.position;
            while matches!(bytes.get(start), Some(b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)) {
                start += 1;
            }
            if start >= bytes.len() {
                self.position = bytes.len();
                return None;
            }
            let (statement, next) = match cut(self.text, start) {
                Ok(cut) => cut,
                Err(offset) => {
                    self.position = bytes.len();
                    return Some(Err(offset));
                }
            };
            self.position = next;
            if !statement.text.is_empty() {
                return Some(Ok(statement));
            }
        }
    }
}

/// Bytes that may end a statement, or hide such bytes.
const ENDS_OR_HIDES: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < b"\n;/\"'".len() {
        table[b"\n;/\"'"[at] as usize] = true;
        at += 1;
    }
    table
};

/// The statement whose first character that is no blank is at `start`, and where the line after it starts.
fn cut(text: &str, start: usize) -> Result<(Statement<'_>, usize), usize> {
    let bytes = text.as_bytes();
    let mut comments: Vec<(usize, usize)> = Vec::new();
    let mut at = start;
    let mut end = None;
    if bytes.get(at) == Some(&b'#') {
        end = Some(at);
    }
    while let Some(&byte) = bytes.get(at) {
        if !ENDS_OR_HIDES[usize::from(byte)] {
            at += 1;
            continue;
        }
        match byte {
            b'\n' => break,
            _ if end.is_some() => {}
            b';' => end = Some(at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => end = Some(at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let close = text.get(at + 2..).and_then(|rest| rest.find("*/")).ok_or(at)?;
                comments.push((at, at + 2 + close + 2));
                at += 2 + close + 2;
                continue;
            }
            b'"' => {
                at = skip_string(bytes, at);
                continue;
            }
            b'\'' if bytes.get(at + 1) == Some(&b'\\') && bytes.get(at + 3) == Some(&b'\'') => {
                at += 4;
                continue;
            }
            b'\'' if bytes.get(at + 2) == Some(&b'\'') && bytes.get(at + 1) != Some(&b'\n') => {
                at += 3;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    let next = (at + 1).min(bytes.len());
    let end = end.unwrap_or(at);
    if comments.is_empty() {
        let slice = text.get(start..end).unwrap_or("").trim_end();
        return Ok((Statement { text: Cow::Borrowed(slice), offset: start }, next));
    }
    let mut blanked = text.get(start..end).unwrap_or("").as_bytes().to_vec();
    for (from, to) in comments {
        if let Some(range) = blanked.get_mut(from - start..to - start) {
            range.fill(b' ');
        }
    }
    let blanked = String::from_utf8(blanked).unwrap_or_default();
    let leading = blanked.len() - blanked.trim_start().len();
    Ok((Statement { text: Cow::Owned(blanked.trim().to_owned()), offset: start + leading }, next))
}

/// One past the closing quote of the string at `at`, or the end of the line where it has none.
fn skip_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' if bytes.get(at + 1).is_some_and(|&next| next != b'\n') => at += 2,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(text: &str) -> Vec<(usize, String)> {
        let mut lines = Lines::new(text);
        let mut found = Vec::new();
        while let Some(statement) = lines.next() {
            let statement = statement.unwrap_or_else(|at| panic!("open comment at {at}"));
            found.push((statement.offset, statement.text.into_owned()));
        }
        found
    }

    #[test]
    fn comments_go_and_columns_stay() {
        let text = "# one\n\ts_nop 0 ; two\n/* a\nb */ s_nop /* c */ 1 // d\n.ascii \";//\" ; e\n .byte ';', '\\n'\n";
        assert_eq!(
            statements(text),
            [
                (7, "s_nop 0".to_owned()),
                (31, "s_nop         1".to_owned()),
                (52, ".ascii \";//\"".to_owned()),
                (70, ".byte ';', '\\n'".to_owned()),
            ]
        );
    }

    #[test]
    fn an_open_block_comment_has_a_place() {
        assert_eq!(Lines::new("s_nop 0 /* x").next(), Some(Err(8)));
    }
}
