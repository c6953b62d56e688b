//! Code of a disassembly.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{Rela, Section};
use wavemark_isa::{self as isa, Inst, NoSymbols, Operand, Shape};
use wavemark_target::{Machine, Subtarget};

use super::data::between;
use super::symbols::branch_label;
use super::{Printer, dwords};
use crate::instruction::fills_idle_sources;

/// Numbers that stand in for an address while an instruction is printed; their text is replaced.
const STAND_IN_32: u64 = 0x7ead_beef;
const STAND_IN_64: u64 = 0x7ead_beef_7ead_beef;

/// Bytes of the longest instruction.
const LONGEST: usize = 20;
/// Shapes that are remembered at most.
const MOST_SHAPES: usize = 1 << 16;

/// What stands at a place of a section.
#[derive(Clone, Copy, Debug)]
enum Piece {
    /// An instruction, or the words of one that no text gives: its number in [`Lines::lines`].
    Line(u32),
    /// An instruction that a relocation changes, of so many bytes.
    Relocated(u8),
    /// A word that is no instruction, or what a label leaves of one.
    Word,
    /// A kernel descriptor that a block of directives makes.
    Block,
}

/// What the bytes of an instruction always print as.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Where its text is in [`Lines::text`].
    start: usize,
    length: u16,
    /// The instruction's bytes, and how many they are.
    bytes: [u8; LONGEST],
    size: u8,
    /// The distance of a branch in dwords, from the instruction after it.
    branch: Option<i16>,
}

impl Line {
    /// Where the instruction at `offset` branches to.
    fn target(&self, offset: u64) -> Option<u64> {
        let after = offset + u64::from(self.size);
        self.branch.map(|dwords| after.wrapping_add_signed(i64::from(dwords) * 4))
    }
}

/// The lines of all different instructions: real kernels have most of theirs more than once.
#[derive(Debug)]
pub(super) struct Lines {
    machine: Machine,
    /// Whether the text assembles with the inline constant 0 in source fields that an instruction does not use.
    fills_idle_sources: bool,
    lines: Vec<Line>,
    text: String,
    /// Numbers of instructions of one dword.
    short: FxHashMap<[u8; 4], u32>,
    /// Of longer ones, by their first two dwords; of those that have them in common the last.
    long: FxHashMap<[u8; 8], u32>,
    /// Whether the instructions of a shape come back to their bytes.
    shapes: FxHashMap<Shape, bool>,
}

impl Lines {
    pub fn new(subtarget: &Subtarget) -> Lines {
        Lines {
            machine: subtarget.machine,
            fills_idle_sources: fills_idle_sources(subtarget.machine, Some(&subtarget.target)),
            lines: Vec::new(),
            text: String::new(),
            short: FxHashMap::default(),
            long: FxHashMap::default(),
            shapes: FxHashMap::default(),
        }
    }

    fn get(&self, number: u32) -> Line {
        self.lines[number as usize]
    }

    fn text(&self, line: Line) -> &str {
        &self.text[line.start..line.start + usize::from(line.length)]
    }

    /// The line of the instruction that `window` begins with, if it is one: its text, if that comes back to its bytes,
    /// else its words and the text as a comment.
    fn of(&mut self, window: &[u8]) -> Option<u32> {
        if let Some(number) = self.find(window) {
            return Some(number);
        }
        let machine = self.machine;
        let inst = isa::decode(machine, window).ok()?;
        let raw = window.get(..usize::from(inst.size))?;
        let start = self.text.len();
        isa::print_into(&mut self.text, machine, &inst);
        let mut branch = inst.branch_distance(machine);
        if !self.comes_back(&inst, raw, start) {
            let words: Vec<String> = dwords(raw).map(|word| format!("{word:#010x}")).collect();
            self.text.insert_str(start, &format!(".long {} // ", words.join(", ")));
            branch = None;
        }
        let length = u16::try_from(self.text.len() - start).ok()?;
        let number = self.lines.len() as u32;
        let mut bytes = [0; LONGEST];
        bytes.get_mut(..raw.len())?.copy_from_slice(raw);
        self.lines.push(Line { start, length, bytes, size: inst.size, branch });
        match (raw.first_chunk(), raw.first_chunk()) {
            (_, Some(head)) => self.long.insert(*head, number),
            (Some(head), None) => self.short.insert(*head, number),
            (None, None) => None,
        };
        Some(number)
    }

    /// The line of an instruction that was seen before.
    fn find(&self, window: &[u8]) -> Option<u32> {
        let long = window.first_chunk().and_then(|head| self.long.get(head)).filter(|&&number| {
            let line = &self.lines[number as usize];
            window.starts_with(&line.bytes[..usize::from(line.size)])
        });
        long.or_else(|| self.short.get(window.first_chunk()?)).copied()
    }

    /// Whether the assembler makes these bytes of the text that starts at `start`, without asking for symbols. That is
    /// tried with the first of each shape.
    fn comes_back(&mut self, inst: &Inst, raw: &[u8], start: usize) -> bool {
        let (machine, idle_zero) = (self.machine, self.fills_idle_sources);
        let text = &self.text[start..];
        let tried = || {
            isa::parse(machine, text, &NoSymbols).is_ok_and(|mut parsed| {
                parsed.inst.mods.idle_zero = idle_zero;
                parsed.fixups.is_empty()
                    && isa::encode(machine, &parsed.inst).is_ok_and(|bytes| bytes[..] == *raw)
            })
        };
        if self.shapes.len() >= MOST_SHAPES {
            self.shapes.clear();
        }
        match Shape::of(machine, inst, raw) {
            Some(shape) => *self.shapes.entry(shape).or_insert_with(tried),
            None => tried(),
        }
    }
}

impl Printer<'_> {
    /// Prints a section of code.
    pub(super) fn code(&mut self, index: usize, section: &Section) {
        let bytes = self.object.section_data(index);
        let relocations = self.relocations_of(index, section);
        let pieces = self.read_code(index, bytes, &relocations);
        let mut next_label = 0;
        for (offset, piece) in pieces {
            if offset >= next_label {
                self.labels_at(index, offset);
                next_label = self.labels.next_after(index, offset).unwrap_or(u64::MAX);
            }
            match piece {
                Piece::Line(number) => {
                    let line = self.lines.get(number);
                    let text = self.lines.text(line);
                    self.out.push('\t');
                    match line.target(offset).filter(|&target| self.labels.has_branch(index, target)) {
                        // The distance is the last operand.
                        Some(target) => {
                            self.out.push_str(without_last_operand(text));
                            self.out.push(' ');
                            self.out.push_str(&branch_label(index, target));
                        }
                        None => self.out.push_str(text),
                    }
                    let end = offset + u64::from(line.size);
                    let raw = bytes.get(offset as usize..end as usize).unwrap_or(&[]);
                    self.end_instruction(section.address + offset, raw);
                }
                Piece::Relocated(size) => {
                    let end = offset + u64::from(size);
                    let raw = bytes.get(offset as usize..end as usize).unwrap_or(&[]);
                    let text = match between(&relocations, offset, end) {
                        [rela] => self.relocated(raw, offset, rela),
                        _ => None,
                    };
                    match text {
                        Some(text) => {
                            self.out.push('\t');
                            self.out.push_str(&text);
                            self.end_instruction(section.address + offset, raw);
                        }
                        None => self.words(bytes, offset, end, &relocations),
                    }
                }
                Piece::Word => {
                    let end = (offset + 4).min(next_label).min(bytes.len() as u64);
                    self.words(bytes, offset, end, &relocations);
                }
                Piece::Block => {
                    self.block_at(index, offset, u64::MAX);
                }
            }
        }
        self.labels_at(index, bytes.len() as u64);
    }

    /// Cuts a section at its symbols, reads on from each, and labels the targets of branches that are at the start of
    /// something. The pieces have no gaps.
    fn read_code(&mut self, index: usize, bytes: &[u8], relocations: &[Rela]) -> Vec<(u64, Piece)> {
        let all = bytes.len() as u64;
        let mut pieces = Vec::with_capacity(bytes.len() / 6);
        let mut targets = Vec::new();
        let mut coming = relocations.iter().map(|rela| rela.offset).peekable();
        let mut offset = 0;
        while offset < all {
            let limit = self.labels.next_after(index, offset).unwrap_or(u64::MAX).min(all);
            if let Some(end) = self.block_end(index, offset, limit) {
                pieces.push((offset, Piece::Block));
                offset = end;
            }
            while offset < limit {
                let window = bytes.get(offset as usize..limit as usize).unwrap_or(&[]);
                let Some(number) = self.lines.of(window) else {
                    pieces.push((offset, Piece::Word));
                    offset = (offset + 4).min(limit);
                    continue;
                };
                let line = self.lines.get(number);
                let end = offset + u64::from(line.size);
                while coming.next_if(|&at| at < offset).is_some() {}
                if coming.peek().is_some_and(|&at| at < end) {
                    pieces.push((offset, Piece::Relocated(line.size)));
                } else {
                    targets.extend(line.target(offset));
                    pieces.push((offset, Piece::Line(number)));
                }
                offset = end;
            }
        }
        for target in targets {
            if target == all || pieces.binary_search_by_key(&target, |&(offset, _)| offset).is_ok() {
                self.labels.add_branch(index, target);
            }
        }
        pieces
    }

    /// An instruction with a relocation, if the assembler would make the same of the text.
    fn relocated(&self, raw: &[u8], offset: u64, rela: &Rela) -> Option<String> {
        let machine = self.subtarget.machine;
        let inst = isa::decode(machine, raw).ok()?;
        let symbol = self.object.symbols.get(rela.symbol as usize)?;
        let kind = RelocationKind::by_number(rela.kind)?;
        if kind == RelocationKind::Rel16 {
            let text = isa::print(machine, &inst);
            let name =
                self.reference(symbol, rela.addend).filter(|_| rela.addend == 0 && rela.offset == offset)?;
            return (raw.get(..2) == Some(&[0xff, 0xff]))
                .then(|| format!("{} {name}", without_last_operand(&text)));
        }
        // The literal ends the instruction; it must be 0 as the assembler leaves it.
        let mut stood_in = inst;
        let mut wide = None;
        for operand in &mut stood_in.operands {
            match operand {
                Operand::Literal(value) => {
                    *value = STAND_IN_32;
                    wide = Some(false);
                }
                Operand::Literal64(value) => {
                    *value = STAND_IN_64;
                    wide = Some(true);
                }
                _ => {}
            }
        }
        let size = if wide? { 8 } else { 4 };
        let literal = (raw.len() as u64).checked_sub(size).filter(|at| offset + at == rela.offset)?;
        if raw.get(literal as usize..)?.iter().any(|&byte| byte != 0) {
            return None;
        }
        let specifier = specifier_of(kind);
        let expr = match (kind, specifier) {
            (RelocationKind::Rel32, _) if size == 4 => self.reference(symbol, rela.addend)?,
            (RelocationKind::Abs32, _) if size == 4 => format!("{}-0", self.reference(symbol, 0)?),
            (_, Some(specifier)) => self.with_specifier(symbol, specifier, rela.addend)?,
            _ => return None,
        };
        if kind == RelocationKind::Abs32 && rela.addend != 0 {
            return None;
        }
        let text = isa::print(machine, &stood_in);
        let number = if size == 8 { format!("{STAND_IN_64:#x}") } else { format!("{STAND_IN_32:#x}") };
        let wrapped = [format!("lit64({number})"), format!("lit({number})"), number];
        let found = wrapped.iter().find(|form| text.contains(form.as_str()))?;
        let text = text.replacen(found.as_str(), &expr, 1);
        let mut parsed = isa::parse(machine, &text, &NoSymbols).ok()?;
        parsed.inst.mods.idle_zero = self.lines.fills_idle_sources;
        let [fixup] = parsed.fixups.as_slice() else { return None };
        let same = u64::from(fixup.offset) == literal
            && isa::encode(machine, &parsed.inst).is_ok_and(|bytes| bytes[..] == *raw);
        same.then_some(text)
    }

    /// `symbol@specifier` plus a number.
    pub(super) fn with_specifier(
        &self,
        symbol: &wavemark_codeobj::elf::Symbol,
        specifier: &str,
        addend: i64,
    ) -> Option<String> {
        let plain = self.reference(symbol, 0)?;
        // The start of a section may be a label and a number already.
        let (name, offset) = plain
            .split_at(plain.rfind(['+', '-']).filter(|_| !plain.starts_with('"')).unwrap_or(plain.len()));
        let mut text = format!("{name}@{specifier}{offset}");
        let _ = match addend {
            0 => Ok(()),
            1.. => write!(text, "+{addend}"),
            _ => write!(text, "-{}", addend.unsigned_abs()),
        };
        Some(text)
    }
}

/// The specifier that makes a relocation, where one does.
pub(super) fn specifier_of(kind: RelocationKind) -> Option<&'static str> {
    Some(match kind {
        RelocationKind::Abs32Lo => "abs32@lo",
        RelocationKind::Abs32Hi => "abs32@hi",
        RelocationKind::Abs64 => "abs64",
        RelocationKind::Rel64 => "rel64",
        RelocationKind::GotPcRel => "gotpcrel",
        RelocationKind::GotPcRel32Lo => "gotpcrel32@lo",
        RelocationKind::GotPcRel32Hi => "gotpcrel32@hi",
        RelocationKind::Rel32Lo => "rel32@lo",
        RelocationKind::Rel32Hi => "rel32@hi",
        _ => return None,
    })
}

/// An instruction's text up to its last operand.
fn without_last_operand(text: &str) -> &str {
    text.rfind([' ', ',']).map_or(text, |at| &text[..=at]).trim_end()
}
