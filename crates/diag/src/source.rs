//! The source map: names and texts of the inputs, and positions in them.
//!
//! A position is a byte offset (`u32`: inputs beyond 4 GiB have their last positions folded onto the end).
//! Lines and columns count from 1; a column counts characters, as editors do. Lines end at `\n`; the `\r` of
//! a `\r\n` belongs to the line it ends.

use std::fmt;
use std::sync::OnceLock;

/// An input of a [`SourceMap`], in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// A range of bytes of one input; empty (`start == end`) for a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The input.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `range` of `file`; offsets beyond `u32` saturate.
    pub fn new(file: FileId, range: std::ops::Range<usize>) -> Span {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span { file, start: narrow(range.start), end: narrow(range.end.max(range.start)) }
    }

    /// From the start of `self` to the end of `other`, when both are in one file; else `self`.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place in a text, both counted from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Character of the line, from 1.
    pub column: u32,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One input: text, or bytes that have offsets but no lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: Option<String>,
    /// Where lines start, looked up when somebody asks: most texts have nothing wrong with them.
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    fn new(name: String, text: Option<String>) -> SourceFile {
        SourceFile { name, text, line_starts: OnceLock::new() }
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let text = self.text.as_deref().unwrap_or_default();
            let behind_ends = memchr::memchr_iter(b'\n', text.as_bytes())
                .map(|offset| u32::try_from(offset + 1).unwrap_or(u32::MAX));
            std::iter::once(0).chain(behind_ends).collect()
        })
    }

    /// The name as the user gave it (a path, or `<stdin>`).
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text; `None` for a binary input.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Line and column of the byte at `offset` (the end of the text, when beyond); `None` in a binary input.
    pub fn line_column(&self, offset: u32) -> Option<LineColumn> {
        let text = self.text.as_deref()?;
        let offset = floor_char_boundary(text, offset as usize);
        let line_starts = self.line_starts();
        let index = line_starts.partition_point(|&start| start as usize <= offset) - 1;
        let column = text[line_starts[index] as usize..offset].chars().count() + 1;
        Some(LineColumn { line: index as u32 + 1, column: column as u32 })
    }

    /// The text of `line` (from 1) without its line end; `None` when there is no such line.
    pub fn line(&self, line: u32) -> Option<&str> {
        let text = self.text.as_deref()?;
        let index = (line as usize).checked_sub(1)?;
        let line_starts = self.line_starts();
        let start = *line_starts.get(index)? as usize;
        let end = line_starts.get(index + 1).map_or(text.len(), |&next| next as usize);
        Some(text[start..end].trim_end_matches(['\n', '\r']))
    }

    /// The whole lines that hold `range`, a range of the text: the number of the first one, and where they are.
    pub(crate) fn lines_with(&self, range: std::ops::Range<usize>) -> (usize, std::ops::Range<usize>) {
        let line_starts = self.line_starts();
        let index = |offset: usize| line_starts.partition_point(|&start| start as usize <= offset).max(1) - 1;
        let (first, last) = (index(range.start), index(range.end));
        let start = line_starts[first] as usize;
        let length = self.text.as_deref().unwrap_or_default().len();
        let end = line_starts.get(last + 1).map_or(length, |&next| next as usize);
        (first + 1, start..end.max(start))
    }

    /// How many lines the text has (an empty text has one); 1 for a binary input.
    pub fn line_count(&self) -> u32 {
        self.line_starts().len() as u32
    }
}

/// The inputs that spans point into.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// No inputs.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a text.
    pub fn add_text(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.add(SourceFile::new(name.into(), Some(text.into())))
    }

    /// Adds a binary input: its spans are shown as byte offsets.
    pub fn add_binary(&mut self, name: impl Into<String>) -> FileId {
        self.add(SourceFile::new(name.into(), None))
    }

    fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }

    /// The input; `None` for an id of another map.
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file.0 as usize)
    }

    /// The first text of that name.
    pub fn by_name(&self, name: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.name == name && file.text.is_some())
    }

    /// The names of all inputs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// Line and column of a span's start; `None` in a binary or unknown input.
    pub fn line_column(&self, span: Span) -> Option<LineColumn> {
        self.get(span.file)?.line_column(span.start)
    }

    /// `name:line:column`, or `name:0xoffset` in a binary input.
    pub fn location(&self, span: Span) -> String {
        let Some(file) = self.get(span.file) else {
            return "<unknown>".to_owned();
        };
        match file.line_column(span.start) {
            Some(place) => format!("{}:{place}", file.name),
            None => format!("{}:{:#x}", file.name, span.start),
        }
    }

    /// The text under a span; `None` in a binary input or outside it.
    pub fn snippet(&self, span: Span) -> Option<&str> {
        self.get(span.file)?.text()?.get(span.start as usize..span.end as usize)
    }
}

/// The last character boundary at or before `offset`.
pub(crate) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_ends_are_places() {
        let mut map = SourceMap::new();
        let file = map.add_text("k.s", "añb\r\n\nlast");
        let at = |offset| map.get(file).unwrap().line_column(offset).unwrap().to_string();
        assert_eq!(at(0), "1:1");
        assert_eq!(at(1), "1:2");
        assert_eq!(at(2), "1:2", "inside the ñ");
        assert_eq!(at(3), "1:3");
        assert_eq!(at(6), "2:1");
        assert_eq!(at(11), "3:5");
        assert_eq!(at(9999), "3:5");
        assert_eq!(map.get(file).unwrap().line(1), Some("añb"));
        assert_eq!(map.get(file).unwrap().line(2), Some(""));
        assert_eq!(map.get(file).unwrap().line(4), None);
        assert_eq!(map.get(file).unwrap().line(0), None);
    }

    #[test]
    fn binary_inputs_have_offsets() {
        let mut map = SourceMap::new();
        let file = map.add_binary("k.hsaco");
        assert_eq!(map.location(Span::new(file, 0x40..0x44)), "k.hsaco:0x40");
        assert_eq!(map.snippet(Span::new(file, 0..1)), None);
    }
}
