//! Call-frame information: what `.cfi_*` says, as `.eh_frame` and `.debug_frame`.
//!
//! Follows section 6.4 of the DWARF 5 standard, the exception-frame chapter of the Linux Standard Base, and LLVM's
//! `MCDwarfFrameEmitter`: which frames share a common entry, how entries are padded, which form an instruction takes.
//! Code and data are counted in units of 4 bytes.

use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{shf, sht};
use wavemark_diag::Span;

use crate::assembler::Assembler;
use crate::directive::{write_sleb128, write_uleb128};
use crate::expr::Expr;
use crate::section::SectionId;
use crate::symbol::{Definition, SymbolId};
use crate::value::{Evaluator, Term};
use crate::write::Relocation;

/// Bytes that code and data offsets count.
const UNIT: i64 = 4;
/// DWARF's number of the program counter: where a frame returns to.
const PC: u64 = 16;
/// How `.eh_frame` says where code is: 4 signed bytes, relative to themselves.
const CODE_ENCODING: u8 = 0x1b;
const ADDRESS: u64 = 8;

/// An instruction of the unwinder; registers are DWARF's numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Instruction {
    DefCfa(i64, i64),
    DefCfaOffset(i64),
    DefCfaRegister(i64),
    DefAspaceCfa(i64, i64, i64),
    AdjustCfaOffset(i64),
    Offset(i64, i64),
    RelOffset(i64, i64),
    ValOffset(i64, i64),
    Register(i64, i64),
    Restore(i64),
    Undefined(i64),
    SameValue(i64),
    RememberState,
    RestoreState,
    WindowSave,
    Escape(Vec<u8>),
    Label(SymbolId, Span),
}

/// A symbol and how its address is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pointer {
    pub encoding: u8,
    pub value: Expr,
    pub name: String,
    pub span: Span,
}

impl Pointer {
    fn size(&self) -> usize {
        match self.encoding & 7 {
            2 => 2,
            3 => 4,
            _ => 8,
        }
    }
}

/// What one function says.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub section: SectionId,
    pub begin: u64,
    pub end: u64,
    pub simple: bool,
    pub signal: bool,
    pub return_column: u64,
    pub personality: Option<Pointer>,
    pub lsda: Option<Pointer>,
    /// Each with the place that it holds from.
    pub instructions: Vec<(u64, Instruction)>,
    pub span: Span,
}

impl Frame {
    pub fn new(section: SectionId, begin: u64, simple: bool, span: Span) -> Frame {
        Frame {
            section,
            begin,
            end: begin,
            simple,
            signal: false,
            return_column: PC,
            personality: None,
            lsda: None,
            instructions: Vec::new(),
            span,
        }
    }

    /// What frames of one common entry agree in.
    fn key(&self) -> (String, u8, u8, bool, bool, u64) {
        let name = self.personality.as_ref().map(|pointer| pointer.name.clone()).unwrap_or_default();
        let encoding = |pointer: &Option<Pointer>| pointer.as_ref().map_or(0, |pointer| pointer.encoding);
        let (personality, lsda) = (encoding(&self.personality), encoding(&self.lsda));
        (name, personality, lsda, self.signal, self.simple, self.return_column)
    }
}

/// All frames, and where they go.
#[derive(Debug)]
pub(crate) struct Frames {
    pub eh_frame: bool,
    pub debug_frame: bool,
    pub all: Vec<Frame>,
    pub open: Option<Frame>,
}

impl Default for Frames {
    fn default() -> Frames {
        Frames { eh_frame: true, debug_frame: false, all: Vec::new(), open: None }
    }
}

/// One of the two sections in the making.
struct Table {
    section: SectionId,
    /// Whether it is `.eh_frame`.
    eh: bool,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl Assembler<'_> {
    /// The sections of the frames, if there are any: first `.eh_frame`.
    pub fn open_frames(&mut self) -> Vec<(SectionId, bool)> {
        let mut sections = Vec::new();
        if self.frames.all.is_empty() {
            return sections;
        }
        if self.frames.eh_frame {
            sections.push((self.open_section(".eh_frame", sht::PROGBITS, shf::ALLOC, 0), true));
        }
        if self.frames.debug_frame {
            sections.push((self.open_section(".debug_frame", sht::PROGBITS, 0, 0), false));
        }
        sections
    }

    /// Writes the frames; the relocations in them.
    pub fn write_frames(&mut self) -> Vec<Relocation> {
        if let Some(frame) = self.frames.open.take() {
            self.report(frame.span, "this frame has no .cfi_endproc".to_owned());
        }
        let sections = self.open_frames();
        let mut frames = std::mem::take(&mut self.frames.all);
        frames.sort_by_key(Frame::key);
        let tables = sections.into_iter().map(|(section, eh)| self.write_table(section, eh, &frames));
        tables.collect::<Vec<_>>().concat()
    }

    fn write_table(&mut self, section: SectionId, eh: bool, frames: &[Frame]) -> Vec<Relocation> {
        let contents = self.sections.get_mut(section);
        contents.align = contents.align.max(ADDRESS);
        let mut bytes = std::mem::take(&mut contents.bytes);
        bytes.resize(bytes.len().next_multiple_of(ADDRESS as usize), 0);
        let mut table = Table { section, eh, bytes, relocations: Vec::new() };
        let mut common: Option<(usize, &Frame)> = None;
        for (index, frame) in frames.iter().enumerate() {
            let entry = match common {
                Some((entry, of)) if !eh || of.key() == frame.key() => entry,
                _ => table.common(self, frame),
            };
            if common.is_none_or(|(known, _)| known != entry) {
                common = Some((entry, frame));
            }
            let last = index + 1 == frames.len();
            table.frame(self, frame, entry, last);
        }
        self.sections.get_mut(section).bytes = table.bytes;
        table.relocations
    }
}

impl Table {
    fn word(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// Begins an entry: its length comes later.
    fn open(&mut self) -> usize {
        self.word(0);
        self.bytes.len()
    }

    /// Ends the entry whose contents start at `start`.
    fn close(&mut self, start: usize, align: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(align), 0);
        let length = (self.bytes.len() - start) as u32;
        if let Some(place) = self.bytes.get_mut(start - 4..start) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }

    fn relocate(&mut self, kind: RelocationKind, term: Term, addend: i64, size: usize) {
        let offset = self.bytes.len() as u64;
        let section = self.section;
        self.relocations.push(Relocation {
            section,
            offset,
            kind,
            term: Some(term),
            addend,
            weak: false,
            keep: false,
        });
        self.bytes.resize(self.bytes.len() + size, 0);
    }

    /// The common entry of frames like this one; where it begins.
    fn common(&mut self, assembler: &mut Assembler<'_>, frame: &Frame) -> usize {
        let entry = self.bytes.len();
        let start = self.open();
        self.word(if self.eh { 0 } else { u32::MAX });
        self.bytes.push(if self.eh { 1 } else { 4 });
        if self.eh {
            self.bytes.push(b'z');
            self.bytes.extend(frame.personality.iter().map(|_| b'P'));
            self.bytes.extend(frame.lsda.iter().map(|_| b'L'));
            self.bytes.push(b'R');
            self.bytes.extend(frame.signal.then_some(b'S'));
            self.bytes.push(0);
        } else {
            // No augmentation; the size of addresses, and of segment numbers.
            self.bytes.extend([0, ADDRESS as u8, 0]);
        }
        write_uleb128(&mut self.bytes, UNIT as u64);
        write_sleb128(&mut self.bytes, UNIT);
        if self.eh {
            self.bytes.push(frame.return_column as u8);
            let personality = frame.personality.as_ref().map_or(0, |pointer| 1 + pointer.size());
            self.bytes.push((personality + usize::from(frame.lsda.is_some()) + 1) as u8);
            if let Some(pointer) = &frame.personality {
                self.bytes.push(pointer.encoding);
                self.pointer(assembler, pointer);
            }
            self.bytes.extend(frame.lsda.iter().map(|pointer| pointer.encoding));
            self.bytes.push(CODE_ENCODING);
        } else {
            write_uleb128(&mut self.bytes, frame.return_column);
        }
        self.close(start, if self.eh { 4 } else { ADDRESS as usize });
        entry
    }

    fn pointer(&mut self, assembler: &mut Assembler<'_>, pointer: &Pointer) {
        let mut evaluator = Evaluator::new(&assembler.symbols, &assembler.sections, assembler.subtarget);
        let size = pointer.size();
        let kind = match (size, pointer.encoding & 0x10 != 0) {
            (4, true) => Some(RelocationKind::Rel32),
            (8, true) => Some(RelocationKind::Rel64),
            (4, false) => Some(RelocationKind::Abs32),
            (8, false) => Some(RelocationKind::Abs64),
            _ => None,
        };
        match (evaluator.value(&pointer.value).map(|value| (value.add, value.constant)), kind) {
            (Ok((Some(term), addend)), Some(kind)) => {
                assembler.mention(&pointer.value);
                self.relocate(kind, term, addend, size);
            }
            (Ok((None, number)), _) => self.bytes.extend(&number.to_le_bytes()[..size]),
            (Ok(_), None) => assembler.report(pointer.span, "an address does not fit in 2 bytes".to_owned()),
            (Err(message), _) => assembler.report(pointer.span, message),
        }
    }

    /// The entry of one frame.
    fn frame(&mut self, assembler: &mut Assembler<'_>, frame: &Frame, common: usize, last: bool) {
        let start = self.open();
        let (_, begin) = assembler.sections.place(frame.section, frame.begin);
        let (_, end) = assembler.sections.place(frame.section, frame.end);
        let (code, range) = (Term::Place(frame.section, frame.begin), end.saturating_sub(begin));
        if self.eh {
            self.word((start - common) as u32);
            self.relocate(RelocationKind::Rel32, code, 0, 4);
            self.word(range as u32);
            let lsda = frame.lsda.as_ref();
            self.bytes.push(lsda.map_or(0, |pointer| pointer.size() as u8));
            if let Some(pointer) = lsda {
                self.pointer(assembler, pointer);
            }
        } else {
            let own = Term::Place(self.section, common as u64);
            self.relocate(RelocationKind::Abs32, own, 0, 4);
            self.relocate(RelocationKind::Abs64, code, 0, ADDRESS as usize);
            self.bytes.extend(range.to_le_bytes());
        }
        let (mut at, mut cfa) = (begin, 0);
        for (place, instruction) in &frame.instructions {
            let (_, place) = assembler.sections.place(frame.section, *place);
            self.advance(place.saturating_sub(at));
            at = place.max(at);
            self.instruction(assembler, instruction, &mut cfa);
        }
        self.close(start, if self.eh && !last { 4 } else { ADDRESS as usize });
    }

    /// `DW_CFA_advance_loc`, in the shortest form.
    fn advance(&mut self, bytes: u64) {
        match bytes / UNIT as u64 {
            0 => {}
            units @ 1..64 => self.bytes.push(0x40 | units as u8),
            units @ 64..=0xff => self.bytes.extend([0x02, units as u8]),
            units @ 0x100..=0xffff => {
                self.bytes.push(0x03);
                self.bytes.extend((units as u16).to_le_bytes());
            }
            units => {
                self.bytes.push(0x04);
                self.word(units as u32);
            }
        }
    }

    fn opcode(&mut self, opcode: u8, operands: &[i64]) {
        self.bytes.push(opcode);
        for &operand in operands {
            write_uleb128(&mut self.bytes, operand as u64);
        }
    }

    /// A register saved at `offset` from the frame's address, in the shortest form.
    fn saved(&mut self, register: i64, offset: i64) {
        let units = offset / UNIT;
        if units < 0 {
            self.opcode(0x11, &[register]);
            write_sleb128(&mut self.bytes, units);
        } else if (0..64).contains(&register) {
            self.opcode(0x80 | register as u8, &[units]);
        } else {
            self.opcode(0x05, &[register, units]);
        }
    }

    fn instruction(&mut self, assembler: &mut Assembler<'_>, instruction: &Instruction, cfa: &mut i64) {
        match *instruction {
            Instruction::DefCfa(register, offset) => {
                *cfa = offset;
                self.opcode(0x0c, &[register, offset]);
            }
            Instruction::DefCfaOffset(offset) => {
                *cfa = offset;
                self.opcode(0x0e, &[offset]);
            }
            Instruction::AdjustCfaOffset(by) => {
                *cfa = cfa.wrapping_add(by);
                self.opcode(0x0e, &[*cfa]);
            }
            Instruction::DefCfaRegister(register) => self.opcode(0x0d, &[register]),
            Instruction::DefAspaceCfa(register, offset, space) => {
                *cfa = offset;
                self.opcode(0x30, &[register, offset, space]);
            }
            Instruction::Offset(register, offset) => self.saved(register, offset),
            Instruction::RelOffset(register, offset) => self.saved(register, offset.wrapping_sub(*cfa)),
            Instruction::ValOffset(register, offset) if offset < 0 => {
                self.opcode(0x15, &[register]);
                write_sleb128(&mut self.bytes, offset / UNIT);
            }
            Instruction::ValOffset(register, offset) => self.opcode(0x14, &[register, offset / UNIT]),
            Instruction::Register(register, other) => self.opcode(0x09, &[register, other]),
            Instruction::Restore(register @ 0..64) => self.bytes.push(0xc0 | register as u8),
            Instruction::Restore(register) => self.opcode(0x06, &[register]),
            Instruction::Undefined(register) => self.opcode(0x07, &[register]),
            Instruction::SameValue(register) => self.opcode(0x08, &[register]),
            Instruction::RememberState => self.bytes.push(0x0a),
            Instruction::RestoreState => self.bytes.push(0x0b),
            Instruction::WindowSave => self.bytes.push(0x2d),
            Instruction::Escape(ref bytes) => self.bytes.extend(bytes),
            // The first of the two tables has it.
            Instruction::Label(symbol, span) => {
                let (section, offset) = (self.section, self.bytes.len() as u64);
                let entry = assembler.symbols.get_mut(symbol);
                match entry.definition {
                    Definition::Undefined => {
                        entry.definition = Definition::Label { section, offset };
                        entry.span = Some(span);
                        assembler.symbols.register(symbol);
                    }
                    Definition::Label { section: other, .. } if other != section => {}
                    _ => {
                        let message = format!("symbol {} is already defined", entry.name);
                        assembler.report(span, message);
                    }
                }
            }
        }
    }
}
