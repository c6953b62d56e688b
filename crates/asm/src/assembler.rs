//! The state of one assembly and its main loop: statements in order, each a label, an assignment, a
//! directive, a macro call or an instruction.
//!
//! An error is recorded and the next statement goes on, so that one run reports every error of a file.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_budget::{nearly_used_up, room_for};
use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{shf, sht};
use wavemark_codeobj::note::Note;
use wavemark_diag::{Diagnostic, FileId, Span};
use wavemark_target::{AbiVersion, Subtarget, Target};

use crate::directive::conditions::Condition;
use crate::directive::debug::DebugLines;
use crate::directive::kernel::Kernel;
use crate::directive::macros::Macro;
use crate::directive::pal;
use crate::directive::{self, Operands};
use crate::expr::{self, Expr, Scope};
use crate::files::Files;
use crate::frames::Frames;
use crate::known::KnownStatements;
use crate::lex::{Kind, Lexer, starts_name};
use crate::object::SourceLine;
use crate::section::{Attributes, Fixup, FixupKind, SectionId, Sections};
use crate::statement::{Lines, Statement};
use crate::symbol::{Definition, SymbolId, Symbols};
use crate::value::Evaluator;

/// What is wrong in a statement: bytes of its text and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub range: Range<usize>,
    pub message: String,
}

impl Fault {
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Fault {
        Fault { range, message: message.into() }
    }
}

impl From<expr::ExprError> for Fault {
    fn from(error: expr::ExprError) -> Fault {
        Fault { range: error.range, message: error.message }
    }
}

/// Where the statements come from when that is not the file itself.
#[derive(Clone, Debug)]
pub(crate) struct Expansion {
    /// The statement of the file that was expanded.
    pub call: Span,
    /// `macro foo`, `.rept`.
    pub what: String,
}

/// An `.include`.
#[derive(Clone, Debug)]
pub(crate) struct Included {
    /// Where in the first file the outermost of them stands.
    pub root: u32,
    pub at: Span,
    pub outer: Option<Box<Included>>,
}

/// A section switched away from by `.pushsection`.
pub(crate) type Saved = (SectionId, Option<SectionId>);

/// Bytes that one section may have.
pub(crate) const MAX_SECTION: u64 = 256 << 20;
/// What is wrong if the section `name` of `len` bytes gets `more`.
pub(crate) fn section_room(name: &str, len: u64, more: u64) -> Result<(), String> {
    if more > MAX_SECTION.saturating_sub(len) {
        return Err(format!("section {name} would be larger than 256 MiB"));
    }
    room_for(more).map_err(|no_room| format!("section {name} {no_room}"))
}

/// Errors after which a file is given up.
const MAX_ERRORS: usize = 1000;

/// What `.amdgcn.next_free_vgpr` and `.amdgcn.next_free_sgpr` stand for: one more than the highest register
/// of the instructions so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextFree {
    /// Whether the file asks.
    pub wanted: bool,
    pub symbols: [SymbolId; 2],
    /// VGPRs, SGPRs.
    pub counts: [i64; 2],
}

impl NextFree {
    const NAMES: [&'static str; 2] = [".amdgcn.next_free_vgpr", ".amdgcn.next_free_sgpr"];

    fn slot(&self, name: &str) -> Option<usize> {
        Self::NAMES.iter().position(|known| *known == name)
    }

    /// An instruction has registers up to these.
    pub fn raise(&mut self, counts: [i64; 2]) {
        for (count, new) in self.counts.iter_mut().zip(counts) {
            *count = new.max(*count);
        }
    }
}

/// What `.symver`, `.reloc` and `.addrsig` ask of the object.
#[derive(Debug, Default)]
pub(crate) struct Links {
    pub symvers: Vec<Symver>,
    pub relocations: Vec<ExplicitRelocation>,
    /// The calls of `.cg_profile`.
    pub calls: Vec<CallEdge>,
    /// Whether `.addrsig` was met, and the symbols of `.addrsig_sym`.
    pub address_significance: bool,
    pub significant: Vec<SymbolId>,
}

/// `.cg_profile caller, callee, count`; the names with their places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallEdge {
    pub caller: (SymbolId, Span),
    pub callee: (SymbolId, Span),
    pub count: u64,
}

/// `.symver name, name@version [, remove]`.
#[derive(Clone, Debug)]
pub(crate) struct Symver {
    pub symbol: SymbolId,
    pub versioned: String,
    pub keep: bool,
    pub span: Span,
}

/// `.reloc`.
#[derive(Clone, Debug)]
pub(crate) struct ExplicitRelocation {
    pub section: SectionId,
    pub offset: (Expr, Span),
    pub kind: RelocationKind,
    pub value: Option<(Expr, Span)>,
}

/// One assembly.
pub(crate) struct Assembler<'m> {
    pub file: FileId,
    pub subtarget: &'m Subtarget,
    pub symbols: Symbols,
    pub sections: Sections,
    pub current: SectionId,
    pub previous: Option<SectionId>,
    pub saved: Vec<Saved>,
    pub diagnostics: Vec<Diagnostic>,
    pub expansion: Option<Expansion>,
    pub depth: u32,
    /// Bytes of expanded text so far.
    pub expanded: usize,
    /// Instances of macros so far, for `\@`.
    pub instances: u64,
    /// `.exitm` was met: leave this text.
    pub leave: bool,
    /// `.end` was met: nothing more is read.
    pub ended: bool,
    /// Where other files come from.
    pub files: &'m mut (dyn Files + 'm),
    /// The `.include` whose file is read, if that is not the first.
    pub included: Option<Included>,
    pub included_bytes: usize,
    /// Whether macros are read as `.altmacro` says, and the names that `LOCAL` has made.
    pub alternate: bool,
    pub locals: u32,
    pub conditions: Vec<Condition>,
    pub macros: FxHashMap<String, Rc<Macro>>,
    pub lines: Vec<SourceLine>,
    pub debug: DebugLines,
    pub frames: Frames,
    pub abi: AbiVersion,
    pub file_target: Option<Target>,
    /// What statements become; not their places, nor what depends on symbols.
    pub known: KnownStatements,
    /// Notes that directives made, in the order of the object.
    pub notes: Vec<Note>,
    /// What is said to `amdpal`.
    pub pal: Option<pal::Metadata>,
    pub kernels: Vec<Kernel>,
    /// Names that `.lto_discard` takes no definition of.
    pub discarded: FxHashSet<String>,
    /// Assignments of `.lto_set_conditional` that wait for a symbol: which, the name, what it becomes.
    pub conditional: Vec<(SymbolId, String, Expr)>,
    /// Whether `.macros_off` was met.
    pub macros_off: bool,
    pub next_free: NextFree,
    pub ident: Option<SectionId>,
    pub links: Links,
    line_starts: Vec<usize>,
    /// The line that was asked for last, from 1.
    last_line: Cell<usize>,
}

impl<'m> Assembler<'m> {
    pub fn new(
        file: FileId,
        text: &str,
        subtarget: &'m Subtarget,
        files: &'m mut (dyn Files + 'm),
    ) -> Assembler<'m> {
        let mut sections = Sections::default();
        let text_section =
            Attributes { kind: sht::PROGBITS, flags: shf::ALLOC | shf::EXECINSTR, ..Attributes::default() };
        let current = sections.open_as(".text", ".text", text_section);
        let mut line_starts = vec![0];
        line_starts.extend(memchr_newlines(text));
        let mut symbols = Symbols::default();
        let next_free = NextFree {
            wanted: text.contains(".amdgcn.") || text.to_ascii_lowercase().contains(".include"),
            symbols: NextFree::NAMES.map(|name| symbols.intern(name)),
            counts: [0; 2],
        };
        let mut assembler = Assembler {
            file,
            subtarget,
            symbols,
            sections,
            current,
            previous: None,
            saved: Vec::new(),
            diagnostics: Vec::new(),
            expansion: None,
            depth: 0,
            expanded: 0,
            instances: 0,
            leave: false,
            ended: false,
            files,
            included: None,
            included_bytes: 0,
            alternate: false,
            locals: 0,
            conditions: Vec::new(),
            macros: FxHashMap::default(),
            lines: Vec::new(),
            debug: DebugLines::default(),
            frames: Frames::default(),
            abi: AbiVersion::V6,
            file_target: None,
            known: KnownStatements::with_room(text.len()),
            notes: Vec::new(),
            pal: None,
            kernels: Vec::new(),
            discarded: FxHashSet::default(),
            conditional: Vec::new(),
            macros_off: false,
            next_free,
            ident: None,
            links: Links::default(),
            line_starts,
            last_line: Cell::new(1),
        };
        let (major, minor, stepping) = subtarget.processor().isa_version();
        for (name, value) in [
            (".amdgcn.gfx_generation_number", major),
            (".amdgcn.gfx_generation_minor", minor),
            (".amdgcn.gfx_generation_stepping", stepping),
        ] {
            let symbol = assembler.symbols.intern(name);
            assembler.symbols.get_mut(symbol).definition = Definition::Variable(Expr::Int(value.into()));
        }
        assembler
    }

    /// Defines symbols that are numbers before the text begins.
    pub fn define(&mut self, defines: &[(String, i64)]) {
        for (name, value) in defines {
            let start = 0..0;
            if let Err(fault) = self.assign(name, start.clone(), Expr::Int(*value), 0, true) {
                let span = self.span(0, start);
                self.report(span, fault.message);
            }
        }
    }

    /// Assembles all statements of `text`.
    pub fn run(&mut self, text: &str) {
        let mut lines = Lines::new(text);
        while let Some(statement) = lines.next() {
            match statement {
                Ok(statement) => self.statement(&statement, &mut lines),
                Err(offset) => {
                    let span = self.span(offset, 0..2);
                    self.report(span, "the comment has no end".to_owned());
                }
            }
            if self.leave || self.ended || self.diagnostics.len() >= MAX_ERRORS {
                return;
            }
            if self.diagnostics.len() + 1 == MAX_ERRORS {
                let end = self.span(lines.position(), 0..0);
                self.report(end, "too many errors: the rest of the file was not read".to_owned());
            }
            if nearly_used_up() {
                let end = self.span(lines.position(), 0..0);
                self.report(end, "more memory than permitted: the rest of the file was not read".to_owned());
                self.ended = true;
                return;
            }
        }
    }

    /// The bytes `range` of a statement at `offset`, in the file.
    pub fn span(&self, offset: usize, range: Range<usize>) -> Span {
        match &self.expansion {
            Some(expansion) => expansion.call,
            None => Span::new(self.file, offset + range.start..offset + range.end),
        }
    }

    /// Records an error.
    pub fn report(&mut self, span: Span, message: String) {
        let mut diagnostic = Diagnostic::error(message).at(span);
        if let Some(expansion) = &self.expansion {
            diagnostic = diagnostic.note(format!("in the expansion of {}", expansion.what));
        }
        let mut included = self.included.as_ref();
        while let Some(inner) = included {
            diagnostic = diagnostic.label(inner.at, "included from here");
            included = inner.outer.as_deref();
        }
        self.diagnostics.push(diagnostic);
    }

    fn statement(&mut self, statement: &Statement<'_>, lines: &mut Lines<'_>) {
        let mut start = 0;
        loop {
            let result = if self.skipping() {
                self.skipped_statement(statement, start, lines).map(|()| None)
            } else {
                self.labelled_statement(statement, start, lines)
            };
            match result {
                Ok(Some(after_label)) => start = after_label,
                Ok(None) => return,
                Err(fault) => {
                    let span = self.span(statement.offset, fault.range);
                    return self.report(span, fault.message);
                }
            }
        }
    }

    fn skipped_statement(
        &mut self,
        statement: &Statement<'_>,
        start: usize,
        lines: &mut Lines<'_>,
    ) -> Result<(), Fault> {
        let mut lexer = Lexer::at(&statement.text, start);
        let first = lexer.next();
        if first.kind == Kind::Name {
            let name = lexer.slice(first.range.clone());
            if let Some(handler) = directive::find(name).filter(|found| found.when_skipped) {
                let mut operands = Operands::new(lexer, first.range, statement.offset);
                return (handler.run)(self, &mut operands, lines);
            }
        }
        Ok(())
    }

    /// Handles one label, and says where the rest starts, or the rest.
    fn labelled_statement(
        &mut self,
        statement: &Statement<'_>,
        start: usize,
        lines: &mut Lines<'_>,
    ) -> Result<Option<usize>, Fault> {
        let text: &str = &statement.text;
        if start == 0 && self.known_instruction(text, statement.offset) {
            return Ok(None);
        }
        let mut lexer = Lexer::at(text, start);
        let first = lexer.next();
        let name = lexer.slice(first.range.clone());
        match first.kind {
            Kind::End => return Ok(None),
            Kind::Name | Kind::String if lexer.peek_byte() == Some(b':') => {
                lexer.skip(1);
                let name = name.trim_matches('"');
                if self.discarded.contains(name) {
                    return Ok(Some(lexer.position()));
                }
                let symbol = self.symbols.intern(name);
                self.define_label(symbol, statement.offset, first.range)?;
                return Ok(Some(lexer.position()));
            }
            Kind::Integer(number) if lexer.peek_byte() == Some(b':') => {
                lexer.skip(1);
                let symbol = self.symbols.define_numeric(number);
                self.define_label(symbol, statement.offset, first.range)?;
                return Ok(Some(lexer.position()));
            }
            Kind::Name => {}
            Kind::Bad(message) => return Err(Fault::new(first.range, message)),
            _ => {
                return Err(Fault::new(first.range, "expected a label, a directive or an instruction"));
            }
        }
        if lexer.operator() == "=" {
            lexer.skip(1);
            let mut operands = Operands::new(lexer, first.range.clone(), statement.offset);
            let value = operands.expr(self)?;
            operands.end()?;
            self.assign(name, first.range, value, statement.offset, true)?;
        } else if let Some(called) = self.macros.get(name).filter(|_| !self.macros_off).cloned() {
            let mut operands = Operands::new(lexer, first.range, statement.offset);
            directive::macros::call(self, &called, &mut operands)?;
        } else if name.starts_with('.') {
            let Some(handler) = directive::find(name) else {
                return Err(Fault::new(first.range, directive::unknown(name)));
            };
            let mut operands = Operands::new(lexer, first.range, statement.offset);
            (handler.run)(self, &mut operands, lines)?;
        } else if starts_name(name.as_bytes().first().copied().unwrap_or(b' ')) {
            self.instruction(&text[first.range.start..], statement.offset + first.range.start).map_err(
                |mut fault| {
                    fault.range = fault.range.start + first.range.start..fault.range.end + first.range.start;
                    fault
                },
            )?;
        }
        Ok(None)
    }

    /// Where the next byte goes.
    pub fn here(&self) -> (SectionId, u64) {
        (self.current, self.sections.get(self.current).bytes.len() as u64)
    }

    /// What an expression read now may refer to.
    pub fn scope(&mut self) -> Scope<'_> {
        let here = self.here();
        Scope { symbols: &mut self.symbols, here }
    }

    /// The number that `expr` comes to by what is known now.
    pub fn absolute(&self, expr: &Expr) -> Result<i64, String> {
        if let Expr::Int(value) = expr {
            return Ok(*value);
        }
        Evaluator::new(&self.symbols, &self.sections, self.subtarget).absolute(expr)
    }

    /// Defines `symbol` as this place.
    pub fn define_label(
        &mut self,
        symbol: SymbolId,
        offset: usize,
        range: Range<usize>,
    ) -> Result<(), Fault> {
        let (section, at) = self.here();
        let span = self.span(offset, range.clone());
        let entry = self.symbols.get_mut(symbol);
        if entry.definition != Definition::Undefined {
            let message = format!("symbol {} is already defined", entry.name);
            return Err(Fault::new(range, message));
        }
        entry.definition = Definition::Label { section, offset: at };
        entry.span = Some(span);
        self.symbols.register(symbol);
        self.assign_waiting(symbol, offset)
    }

    /// `name = value`, or `.set`; `.equiv` does not allow a second time.
    pub fn assign(
        &mut self,
        name: &str,
        range: Range<usize>,
        value: Expr,
        offset: usize,
        again: bool,
    ) -> Result<(), Fault> {
        if name == "." {
            let target = self.absolute(&value).or_else(|message| match self.in_current_section(&value) {
                Some(offset) => Ok(offset),
                None => Err(message),
            });
            let target = target.map_err(|message| Fault::new(range.clone(), message))?;
            return self.advance_to(target, 0, range);
        }
        if let Some(slot) = self.next_free.slot(name) {
            let number = self.absolute(&value).map_err(|message| Fault::new(range.clone(), message))?;
            self.next_free.counts[slot] = number;
            // One that the text sets is a symbol of the object, with the value that it has in the end.
            let span = self.span(offset, range);
            let symbol = self.next_free.symbols[slot];
            self.symbols.register(symbol);
            self.symbols.get_mut(symbol).span = Some(span);
            return Ok(());
        }
        if self.discarded.contains(name) {
            return Ok(());
        }
        let span = self.span(offset, range.clone());
        let mut symbol = self.symbols.intern(name);
        match self.symbols.get(symbol).definition {
            Definition::Undefined => {}
            Definition::Variable(_) if again => symbol = self.symbols.renew(symbol),
            _ => return Err(Fault::new(range, format!("symbol {name} is already defined"))),
        }
        self.symbols.register(symbol);
        self.mention(&value);
        let entry = self.symbols.get_mut(symbol);
        entry.definition = Definition::Variable(value);
        entry.span = Some(span);
        self.assign_waiting(symbol, offset)
    }

    /// Makes the assignments that waited for `symbol`.
    fn assign_waiting(&mut self, symbol: SymbolId, offset: usize) -> Result<(), Fault> {
        while let Some(at) = self.conditional.iter().position(|(waits_for, ..)| *waits_for == symbol) {
            let (_, name, value) = self.conditional.remove(at);
            self.assign(&name, 0..0, value, offset, true)?;
        }
        Ok(())
    }

    /// The offset that `expr` has in the current section, if it is a place there.
    pub fn in_current_section(&self, expr: &Expr) -> Option<i64> {
        let mut evaluator = Evaluator::new(&self.symbols, &self.sections, self.subtarget);
        let value = evaluator.value(expr).ok()?;
        if value.sub.is_some() {
            return None;
        }
        let (section, offset) = evaluator.location(value.add?)?;
        (section == self.current).then(|| (offset as i64).wrapping_add(value.constant))
    }

    /// The section `name`, made with these attributes if there is none.
    pub fn open_section(&mut self, name: &str, kind: u32, flags: u64, entry_size: u64) -> SectionId {
        let rank = self.symbols.next_rank();
        self.sections.open_as(
            name,
            name,
            Attributes { rank, kind, flags, entry_size, ..Attributes::default() },
        )
    }

    /// Fills the current section up to `target` with `fill`.
    pub fn advance_to(&mut self, target: i64, fill: u8, range: Range<usize>) -> Result<(), Fault> {
        let (_, here) = self.here();
        match u64::try_from(target).ok().and_then(|target| target.checked_sub(here)) {
            Some(count) => self.fill(count, &[fill], range),
            None => Err(Fault::new(range, format!("cannot move back from {here} to {target}"))),
        }
    }

    /// An error if the current section cannot have `count` more bytes.
    pub fn check_room(&self, count: u64, range: Range<usize>) -> Result<(), Fault> {
        let section = self.sections.get(self.current);
        section_room(&section.name, section.bytes.len() as u64, count)
            .map_err(|message| Fault::new(range, message))
    }

    /// Appends `pattern` `count` times.
    pub fn fill(&mut self, count: u64, pattern: &[u8], range: Range<usize>) -> Result<(), Fault> {
        let total = count.saturating_mul(pattern.len() as u64);
        self.check_room(total, range)?;
        let section = self.sections.get_mut(self.current);
        if let [byte] = pattern {
            section.bytes.resize(section.bytes.len() + total as usize, *byte);
        } else {
            section.bytes.reserve(total as usize);
            for _ in 0..count {
                section.bytes.extend_from_slice(pattern);
            }
        }
        Ok(())
    }

    /// Appends bytes.
    pub fn emit(&mut self, bytes: &[u8]) {
        self.place_line();
        self.sections.get_mut(self.current).bytes.extend_from_slice(bytes);
    }

    /// Asks for the value of `expr` at `ahead` bytes from here.
    pub fn fixup(&mut self, ahead: u64, kind: FixupKind, expr: Expr, span: Span) {
        self.mention(&expr);
        let section = self.sections.get_mut(self.current);
        let offset = section.bytes.len() as u64 + ahead;
        section.fixups.push(Fixup { offset, kind, expr, span });
    }

    /// Notes that the object needs what `expr` names.
    pub fn mention(&mut self, expr: &Expr) {
        match expr {
            Expr::Int(_) | Expr::Place(..) => {}
            Expr::Symbol(symbol, _) => self.symbols.register(*symbol),
            Expr::Unary(_, operand) => self.mention(operand),
            Expr::Binary(_, left, right) => {
                self.mention(left);
                self.mention(right);
            }
            Expr::Call(_, arguments) => arguments.iter().for_each(|argument| self.mention(argument)),
        }
    }

    /// Brings the symbols of [`NextFree`] up to date.
    pub fn refresh_counts(&mut self) {
        if self.next_free.wanted {
            for (symbol, count) in self.next_free.symbols.into_iter().zip(self.next_free.counts) {
                self.symbols.get_mut(symbol).definition = Definition::Variable(Expr::Int(count));
            }
        }
    }

    /// Line and column (from 1) of a byte of the file.
    pub fn line_column(&self, offset: usize) -> (u32, u32) {
        // Most questions are about the line of the last one or the next.
        let last = self.last_line.get();
        let is = |line: usize| {
            line != 0
                && self.line_starts.get(line - 1).is_some_and(|&start| start <= offset)
                && self.line_starts.get(line).is_none_or(|&start| start > offset)
        };
        let near = [last, last + 1].into_iter().find(|&line| is(line));
        let line = near.unwrap_or_else(|| self.line_starts.partition_point(|&start| start <= offset));
        self.last_line.set(line);
        let column = offset - self.line_starts.get(line.wrapping_sub(1)).copied().unwrap_or(0) + 1;
        (line as u32, column as u32)
    }
}

fn memchr_newlines(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1)
}
