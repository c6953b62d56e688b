//! The line table of an object: DWARF 4, or 5 where `.file 0` asks for it; from `.loc` where the text has it, else from
//! the lines of the text itself.
//!
//! Follows section 6.2 of the DWARF 5 standard, and LLVM's `MCDwarf` in which opcodes encode a row, so that the bytes are
//! LLVM's. A text that has a line table of its own as data, and no `.file`, gets none.

use std::collections::hash_map;

use rustc_hash::FxHashMap;
use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{Binding, shf, sht};
use wavemark_diag::Span;

use crate::assembler::Assembler;
use crate::directive::debug::{DebugFile, Entry, Location};
use crate::directive::{write_sleb128, write_uleb128};
use crate::section::SectionId;
use crate::symbol::{Definition, SymbolId};
use crate::value::Term;
use crate::write::Relocation;

/// The section of line tables.
const SECTION: &str = ".debug_line";
/// The section of their strings, in DWARF 5.
const STRINGS: &str = ".debug_line_str";
const LINE_BASE: i64 = -5;
const LINE_RANGE: u64 = 14;
const OPCODE_BASE: u64 = 13;
/// Bytes of an instruction at least: what addresses count.
const INSTRUCTION: u64 = 4;

mod opcode {
    //! `DW_LNS_*` and `DW_LNE_*`.
    pub const EXTENDED: u8 = 0;
    pub const COPY: u8 = 1;
    pub const ADVANCE_PC: u8 = 2;
    pub const ADVANCE_LINE: u8 = 3;
    pub const SET_FILE: u8 = 4;
    pub const SET_COLUMN: u8 = 5;
    pub const NEGATE_STMT: u8 = 6;
    pub const SET_BASIC_BLOCK: u8 = 7;
    pub const CONST_ADD_PC: u8 = 8;
    pub const SET_PROLOGUE_END: u8 = 10;
    pub const SET_EPILOGUE_BEGIN: u8 = 11;
    pub const SET_ISA: u8 = 12;
    pub const END_SEQUENCE: u8 = 1;
    pub const SET_ADDRESS: u8 = 2;
    pub const SET_DISCRIMINATOR: u8 = 4;
}

mod content {
    //! `DW_LNCT_*` and `DW_FORM_*`.
    pub const PATH: u64 = 1;
    pub const DIRECTORY_INDEX: u64 = 2;
    pub const MD5: u64 = 5;
    pub const LLVM_SOURCE: u64 = 0x2001;
    pub const UDATA: u64 = 0x0f;
    pub const DATA16: u64 = 0x1e;
    pub const LINE_STRP: u64 = 0x1f;
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    section: SectionId,
    offset: u64,
    entry: Entry,
}

/// The table in the making.
struct Table {
    /// Where it goes, and after how many bytes of that.
    section: SectionId,
    base: u64,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
    /// Of each section a symbol that the file has anyway, and its offset, where addresses are to be told by it.
    anchors: FxHashMap<SectionId, (SymbolId, u64)>,
    /// The symbols of `.loc_label`, each after how many bytes.
    labels: Vec<(SymbolId, Span, u64)>,
    /// What addresses count.
    unit: u64,
    strings: Strings,
}

/// The strings of DWARF 5, each once.
struct Strings {
    section: SectionId,
    bytes: Vec<u8>,
    known: FxHashMap<String, u64>,
}

impl Assembler<'_> {
    /// Writes the line table of an assembly whose text is called `name`; the relocations in it.
    pub fn write_lines(&mut self, name: &str) -> Vec<Relocation> {
        let own = self.sections.find(SECTION);
        let is_own = own.is_some_and(|section| !self.sections.get(section).bytes.is_empty());
        let labelled = self.debug.rows.iter().any(|row| matches!(row.entry, Entry::Label(..)));
        let declared = !self.debug.files.is_empty() || self.debug.root.is_some() || labelled;
        // A text with debugging information but without lines means that.
        if !declared && (is_own || own.is_some() || self.lines.is_empty()) {
            return Vec::new();
        }
        let anchors = if declared { FxHashMap::default() } else { self.anchors() };
        let rows: Vec<Row> = match declared {
            true => self.debug.rows.iter().map(|row| self.row(row.section, row.offset, row.entry)).collect(),
            false => self.text_rows(&anchors),
        };
        if !declared && rows.is_empty() {
            return Vec::new();
        }
        let aligned = declared || rows.iter().all(|row| row.offset % INSTRUCTION == 0);
        let section = self.open_section(SECTION, sht::PROGBITS, 0, 0);
        // In LLVM's order the strings come after the frames.
        self.open_frames();
        let strings = match self.debug.root {
            Some(_) => self.open_section(STRINGS, sht::PROGBITS, shf::MERGE | shf::STRINGS, 1),
            None => section,
        };
        let mut table = Table {
            section,
            base: self.sections.get(section).bytes.len() as u64,
            bytes: Vec::new(),
            relocations: Vec::new(),
            anchors,
            labels: Vec::new(),
            unit: if aligned { INSTRUCTION } else { 1 },
            strings: Strings { section: strings, bytes: Vec::new(), known: FxHashMap::default() },
        };
        let text = DebugFile { number: 1, name: name.replace('\0', ""), ..DebugFile::default() };
        let files: &[DebugFile] = if declared { &self.debug.files } else { std::slice::from_ref(&text) };
        table.header(self.debug.root.as_ref(), files);
        table.sequences(self, rows);
        let length = (table.bytes.len() - 4) as u32;
        table.bytes[..4].copy_from_slice(&length.to_le_bytes());
        let Table { base, bytes, relocations, labels, strings, .. } = table;
        self.sections.get_mut(section).bytes.extend(bytes);
        for (symbol, span, at) in labels {
            self.symbols.register(symbol);
            let entry = self.symbols.get_mut(symbol);
            if entry.definition != Definition::Undefined {
                let message = format!("symbol {} is already defined", entry.name);
                self.report(span, message);
                continue;
            }
            entry.definition = Definition::Label { section, offset: base + at };
            entry.span = Some(span);
        }
        if self.debug.root.is_some() {
            self.sections.get_mut(strings.section).bytes.extend(strings.bytes);
        }
        relocations
    }

    /// The first symbol of each section by which a line table that nobody asked for tells its addresses: so the symbol table
    /// is what it would be without.
    fn anchors(&self) -> FxHashMap<SectionId, (SymbolId, u64)> {
        let mut anchors: FxHashMap<SectionId, (SymbolId, u64)> = FxHashMap::default();
        for (id, symbol) in self.symbols.current() {
            let Definition::Label { section, offset } = symbol.definition else { continue };
            let kept = symbol.rank.is_some() && !symbol.is_temporary();
            if !kept || matches!(symbol.binding, Some(Binding::Weak | Binding::Other(_))) {
                continue;
            }
            let (section, offset) = self.sections.place(section, offset);
            let anchor = anchors.entry(section).or_insert((id, offset));
            if offset < anchor.1 {
                *anchor = (id, offset);
            }
        }
        anchors
    }

    fn row(&self, section: SectionId, offset: u64, entry: Entry) -> Row {
        let (section, offset) = self.sections.place(section, offset);
        Row { section, offset, entry }
    }

    /// A row for each instruction of the text itself, by sections. What stands in a section without a symbol cannot be
    /// launched.
    fn text_rows(&self, anchors: &FxHashMap<SectionId, (SymbolId, u64)>) -> Vec<Row> {
        let rows = self.lines.iter().map(|line| {
            let at = Location {
                file: 1,
                line: line.line.into(),
                column: line.column.into(),
                is_stmt: true,
                ..Location::default()
            };
            self.row(SectionId(line.section), line.offset, Entry::Line(at))
        });
        let mut rows: Vec<Row> = rows.filter(|row| anchors.contains_key(&row.section)).collect();
        rows.sort_by_key(|row| (row.section, row.offset));
        rows
    }
}

impl Table {
    fn relocate(&mut self, kind: RelocationKind, section: SectionId, offset: u64, size: usize) {
        let (term, addend) = match self.anchors.get(&section) {
            Some(&(symbol, at)) => (Term::Symbol(symbol), offset.wrapping_sub(at) as i64),
            None => (Term::Place(section, offset), 0),
        };
        self.relocations.push(Relocation {
            section: self.section,
            offset: self.base + self.bytes.len() as u64,
            kind,
            term: Some(term),
            addend,
            weak: false,
            keep: true,
        });
        self.bytes.resize(self.bytes.len() + size, 0);
    }

    /// A string: in DWARF 5 a reference, else the string itself.
    fn string(&mut self, text: &str) {
        let strings = &mut self.strings;
        let offset = match strings.known.entry(text.to_owned()) {
            hash_map::Entry::Occupied(entry) => *entry.get(),
            hash_map::Entry::Vacant(entry) => {
                let offset = strings.bytes.len() as u64;
                strings.bytes.extend(text.bytes().filter(|&byte| byte != 0));
                strings.bytes.push(0);
                *entry.insert(offset)
            }
        };
        self.relocate(RelocationKind::Abs32, self.strings.section, offset, 4);
    }

    fn numbers(&mut self, numbers: &[u64]) {
        for &number in numbers {
            write_uleb128(&mut self.bytes, number);
        }
    }

    /// The header; the first 4 bytes, the table's length, are left 0.
    fn header(&mut self, root: Option<&DebugFile>, files: &[DebugFile]) {
        self.bytes.extend([0; 4]);
        match root {
            // Version, size of addresses, no segments.
            Some(_) => self.bytes.extend([5, 0, 8, 0]),
            None => self.bytes.extend([4, 0]),
        }
        let start = self.bytes.len();
        self.bytes.extend([0; 4]);
        // Instruction unit, operations, statement default, line base and range, first special opcode and the operand
        // counts of those before.
        self.bytes.extend([self.unit as u8, 1, 1, LINE_BASE as u8, LINE_RANGE as u8, OPCODE_BASE as u8]);
        self.bytes.extend([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]);
        let mut directories: Vec<&str> = Vec::new();
        for file in files {
            if !file.directory.is_empty() && !directories.contains(&file.directory.as_str()) {
                directories.push(&file.directory);
            }
        }
        let index = |file: &DebugFile| {
            directories.iter().position(|known| *known == file.directory).map_or(0, |index| index as u64 + 1)
        };
        match root {
            Some(root) => {
                self.numbers(&[1, content::PATH, content::LINE_STRP, directories.len() as u64 + 1]);
                self.string(&root.directory);
                directories.iter().for_each(|directory| self.string(directory));
                let all = || std::iter::once(root).chain(files);
                let with_md5 = all().all(|file| file.md5.is_some());
                let with_source = all().any(|file| file.source.is_some());
                self.numbers(&[2 + u64::from(with_md5) + u64::from(with_source)]);
                self.numbers(&[content::PATH, content::LINE_STRP, content::DIRECTORY_INDEX, content::UDATA]);
                if with_md5 {
                    self.numbers(&[content::MD5, content::DATA16]);
                }
                if with_source {
                    self.numbers(&[content::LLVM_SOURCE, content::LINE_STRP]);
                }
                self.numbers(&[files.len() as u64 + 1]);
                for (at, file) in all().enumerate() {
                    self.string(&file.name);
                    self.numbers(&[if at == 0 { 0 } else { index(file) }]);
                    if let (true, Some(md5)) = (with_md5, file.md5) {
                        self.bytes.extend(md5.to_be_bytes());
                    }
                    if with_source {
                        self.string(file.source.as_deref().unwrap_or(""));
                    }
                }
            }
            None => {
                let text = |bytes: &mut Vec<u8>, text: &str| {
                    bytes.extend(text.bytes().filter(|&byte| byte != 0));
                    bytes.push(0);
                };
                directories.iter().for_each(|directory| text(&mut self.bytes, directory));
                self.bytes.push(0);
                for file in files {
                    text(&mut self.bytes, if file.name.is_empty() { "?" } else { &file.name });
                    // Neither time nor size is known.
                    self.numbers(&[index(file), 0, 0]);
                }
                self.bytes.push(0);
            }
        }
        let length = (self.bytes.len() - start - 4) as u32;
        self.bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// The rows, one sequence for each section, in the order of their first rows.
    fn sequences(&mut self, assembler: &Assembler<'_>, mut rows: Vec<Row>) {
        let mut turns: FxHashMap<SectionId, usize> = FxHashMap::default();
        let mut runs = 0;
        for run in rows.chunk_by(|a, b| a.section == b.section) {
            let next = turns.len();
            turns.entry(run[0].section).or_insert(next);
            runs += 1;
        }
        if runs != turns.len() {
            rows.sort_by_key(|row| turns.get(&row.section).copied());
        }
        for sequence in rows.chunk_by(|a, b| a.section == b.section) {
            if let Some(last) = self.sequence(sequence) {
                let end = assembler.sections.get(sequence[0].section).bytes.len() as u64;
                self.end(end.saturating_sub(last));
            }
        }
    }

    fn number(&mut self, opcode: u8, value: u64) {
        self.bytes.push(opcode);
        write_uleb128(&mut self.bytes, value);
    }

    /// The rows of one section; where the last one is, if a sequence is left open.
    fn sequence(&mut self, rows: &[Row]) -> Option<u64> {
        let start = Location { file: 1, line: 1, is_stmt: true, ..Location::default() };
        let mut before = start;
        let mut place: Option<u64> = None;
        for row in rows {
            let at = match row.entry {
                Entry::Line(at) => at,
                Entry::Label(symbol, span) => {
                    if let Some(place) = place.take() {
                        self.end(row.offset.saturating_sub(place));
                        before = start;
                    }
                    self.labels.push((symbol, span, self.bytes.len() as u64));
                    continue;
                }
            };
            if at.file != before.file {
                self.number(opcode::SET_FILE, at.file);
            }
            if at.column != before.column {
                self.number(opcode::SET_COLUMN, at.column);
            }
            if at.discriminator != 0 {
                let mut number = Vec::new();
                write_uleb128(&mut number, at.discriminator);
                self.number(opcode::EXTENDED, number.len() as u64 + 1);
                self.bytes.push(opcode::SET_DISCRIMINATOR);
                self.bytes.extend(number);
            }
            if at.isa != before.isa {
                self.number(opcode::SET_ISA, at.isa);
            }
            let flags = [
                (at.is_stmt != before.is_stmt, opcode::NEGATE_STMT),
                (at.basic_block, opcode::SET_BASIC_BLOCK),
                (at.prologue_end, opcode::SET_PROLOGUE_END),
                (at.epilogue_begin, opcode::SET_EPILOGUE_BEGIN),
            ];
            self.bytes.extend(flags.into_iter().filter(|(set, _)| *set).map(|(_, opcode)| opcode));
            let lines = (at.line as i64).wrapping_sub(before.line as i64);
            match place {
                Some(place) => self.advance(lines, row.offset.saturating_sub(place)),
                None => {
                    self.bytes.extend([opcode::EXTENDED, 9, opcode::SET_ADDRESS]);
                    self.relocate(RelocationKind::Abs64, row.section, row.offset, 8);
                    self.advance(lines, 0);
                }
            }
            (before, place) = (at, Some(row.offset));
        }
        place
    }

    /// A row: by one special opcode, after one that adds a constant to the address, or with numbers.
    fn advance(&mut self, mut lines: i64, bytes: u64) {
        let most = (255 - OPCODE_BASE) / LINE_RANGE;
        let units = bytes / self.unit;
        let biased = lines.wrapping_sub(LINE_BASE) as u64;
        let fits = biased < LINE_RANGE;
        if !fits {
            self.bytes.push(opcode::ADVANCE_LINE);
            write_sleb128(&mut self.bytes, lines);
            lines = 0;
        }
        if lines == 0 && units == 0 {
            return self.bytes.push(opcode::COPY);
        }
        let special = (lines - LINE_BASE) as u64 + OPCODE_BASE;
        if units < 256 + most {
            if let Ok(opcode) = u8::try_from(special + units * LINE_RANGE) {
                return self.bytes.push(opcode);
            }
            if let Ok(opcode) = u8::try_from(special + units.saturating_sub(most) * LINE_RANGE) {
                return self.bytes.extend([opcode::CONST_ADD_PC, opcode]);
            }
        }
        self.number(opcode::ADVANCE_PC, units);
        self.bytes.push(if fits { special as u8 } else { opcode::COPY });
    }

    /// The end of a sequence, `bytes` after its last row.
    fn end(&mut self, bytes: u64) {
        match bytes / self.unit {
            0 => {}
            units if units == (255 - OPCODE_BASE) / LINE_RANGE => self.bytes.push(opcode::CONST_ADD_PC),
            units => self.number(opcode::ADVANCE_PC, units),
        }
        self.bytes.extend([opcode::EXTENDED, 1, opcode::END_SEQUENCE]);
    }
}
