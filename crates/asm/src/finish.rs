//! The end of an assembly: kernel descriptors, values that waited for symbols, relocations, the file.
//!
//! Which values become relocations, and against which symbol, follows LLVM's `ELFObjectWriter` and
//! `AMDGPUELFObjectWriter`: a specifier always does; a value relative to its own place does not when the
//! symbol is local and in the same section; local symbols are replaced by their section.

use rustc_hash::FxHashMap;
use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{Binding, Place, Symbol as ElfSymbol, SymbolType, Visibility, shf, sht};
use wavemark_codeobj::note::Note;
use wavemark_codeobj::write::{self as writer, ObjectBuilder};
use wavemark_diag::{Diagnostic, Span};
use wavemark_target::{EFlags, Target};

use crate::assembler::Assembler;
use crate::directive;
use crate::expr::{Binary, Expr, Specifier};
use crate::line_table;
use crate::object::Object;
use crate::section::{Fixup, FixupKind, SectionId};
use crate::symbol::{Definition, SymbolId};
use crate::value::{Evaluator, Term, Value};

/// What a fixup became.
enum Outcome {
    /// The bytes to write.
    Bytes([u8; 8], usize),
    /// A relocation; the place keeps `bytes`.
    Relocation { kind: RelocationKind, symbol: Option<Term>, addend: i64, bytes: Option<[u8; 2]> },
}

impl Assembler<'_> {
    /// The object, or everything that is wrong.
    pub fn finish(mut self, name: &str) -> Result<Object, Vec<Diagnostic>> {
        self.check_open_ends();
        self.write_descriptors();
        let relocations = self.resolve_fixups();
        let errors = self.diagnostics.iter().any(Diagnostic::is_error);
        if errors {
            return Err(self.diagnostics);
        }
        let mut build = Build::new(&self);
        build.sections(&self);
        build.defined_symbols(&mut self);
        let built = if self.diagnostics.iter().any(Diagnostic::is_error) {
            None
        } else {
            build.relocations(&self, relocations);
            build.lines(&self, name);
            Some(build.builder.finish())
        };
        match built {
            Some(Ok(elf)) => Ok(self.object(elf)),
            Some(Err(error)) => {
                self.diagnostics.push(Diagnostic::error(error.to_string()));
                Err(self.diagnostics)
            }
            None => Err(self.diagnostics),
        }
    }

    /// The bytes of the section that is current at the end, with 0 where a linker would write.
    pub fn finish_bytes(mut self) -> Result<Vec<u8>, Vec<Diagnostic>> {
        self.check_open_ends();
        self.write_descriptors();
        self.resolve_fixups();
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(self.diagnostics);
        }
        Ok(std::mem::take(&mut self.sections.get_mut(self.current).bytes))
    }

    fn object(mut self, elf: Vec<u8>) -> Object {
        self.lines.sort_unstable();
        let kernels = self.kernels.iter().map(|kernel| self.symbols.get(kernel.symbol).name.clone());
        let machine = &self.machine.target;
        let target = match &self.file_target {
            Some(target) => Target { id: machine.id, ..target.clone() },
            None => machine.clone(),
        };
        Object {
            elf,
            target,
            abi: self.abi,
            sections: self.sections.iter().map(|(_, section)| section.name.clone()).collect(),
            kernels: kernels.collect(),
            lines: self.lines,
            remarks: self.diagnostics,
        }
    }

    fn check_open_ends(&mut self) {
        for condition in std::mem::take(&mut self.conditions) {
            self.report(condition.span, "this condition has no .endif".to_owned());
        }
        if !self.saved.is_empty() {
            let end = Span::new(self.file, usize::MAX..usize::MAX);
            self.report(end, ".pushsection without .popsection".to_owned());
        }
    }

    fn write_descriptors(&mut self) {
        for kernel in std::mem::take(&mut self.kernels) {
            let mut evaluator = Evaluator::new(&self.symbols, self.machine);
            match kernel.evaluate(&mut evaluator, self.machine) {
                Ok(descriptor) => {
                    let bytes = descriptor.encode();
                    let start = kernel.offset as usize;
                    if let Some(slot) =
                        self.sections.get_mut(kernel.section).bytes.get_mut(start..start + bytes.len())
                    {
                        slot.copy_from_slice(&bytes);
                    }
                }
                Err((span, message)) => self.report(span, message),
            }
            self.kernels.push(kernel);
        }
    }

    /// Fills in what is known and says what the linker must do.
    fn resolve_fixups(&mut self) -> Vec<(SectionId, u64, RelocationKind, Option<Term>, i64)> {
        let mut relocations = Vec::new();
        let sections: Vec<SectionId> = self.sections.iter().map(|(id, _)| id).collect();
        for section in sections {
            for fixup in std::mem::take(&mut self.sections.get_mut(section).fixups) {
                let outcome = Resolver { assembler: self, section }.resolve(&fixup);
                let start = fixup.offset as usize;
                let place = self.sections.get_mut(section).bytes.get_mut(start..);
                match (outcome, place) {
                    (Ok(Outcome::Bytes(bytes, count)), Some(place)) if place.len() >= count => {
                        place[..count].copy_from_slice(&bytes[..count]);
                    }
                    (Ok(Outcome::Relocation { kind, symbol, addend, bytes }), Some(place)) => {
                        if let (Some(bytes), Some(place)) = (bytes, place.get_mut(..2)) {
                            place.copy_from_slice(&bytes);
                        }
                        relocations.push((section, fixup.offset, kind, symbol, addend));
                    }
                    (Ok(_), _) => self.report(fixup.span, "the value is outside its section".to_owned()),
                    (Err(message), _) => self.report(fixup.span, message),
                }
            }
        }
        relocations
    }
}

/// Decides one fixup.
struct Resolver<'a, 'm> {
    assembler: &'a Assembler<'m>,
    section: SectionId,
}

impl Resolver<'_, '_> {
    fn resolve(&self, fixup: &Fixup) -> Result<Outcome, String> {
        let assembler = self.assembler;
        let mut evaluator = Evaluator::new(&assembler.symbols, assembler.machine);
        let value = evaluator.value(&fixup.expr)?;
        self.check_temporary(&value)?;
        if let Some(number) = value.absolute() {
            return self.number(fixup, number);
        }
        match fixup.kind {
            FixupKind::Branch => return self.branch(fixup, value, &evaluator),
            FixupKind::Absolute16 => return Err("expected an absolute expression, not an address".to_owned()),
            FixupKind::Data { bytes: 1 | 2 } => {
                return Err("an address does not fit in less than 4 bytes".to_owned());
            }
            _ => {}
        }
        let wide = matches!(fixup.kind, FixupKind::Data { bytes: 8 } | FixupKind::Literal64);
        let literal = matches!(fixup.kind, FixupKind::Literal32 | FixupKind::Literal64);
        let mut relative = literal && needs_own_place(&fixup.expr);
        let mut addend = value.constant;
        if let Some(sub) = value.sub {
            match evaluator.location(sub) {
                Some((section, offset)) if section == self.section => {
                    addend = addend.wrapping_add((fixup.offset as i64).wrapping_sub(offset as i64));
                    relative = true;
                }
                _ => return Err("the difference is not one that a linker can compute".to_owned()),
            }
        }
        let Some(add) = value.add else {
            return Err("a negated address is not something that a linker can compute".to_owned());
        };
        if relative
            && value.specifier.is_none()
            && let Some((section, offset)) = evaluator.location(add)
            && section == self.section
            && !self.is_global(add)
        {
            let distance = (offset as i64).wrapping_add(addend).wrapping_sub(fixup.offset as i64);
            return self.number(fixup, distance);
        }
        let kind = relocation(value.specifier, wide, relative);
        Ok(Outcome::Relocation { kind, symbol: Some(add), addend, bytes: None })
    }

    /// An undefined `.L` name can never be found by a linker.
    fn check_temporary(&self, value: &Value) -> Result<(), String> {
        for term in [value.add, value.sub].into_iter().flatten() {
            let Term::Symbol(symbol) = term else { continue };
            let symbol = self.assembler.symbols.get(symbol);
            if symbol.definition == Definition::Undefined && symbol.is_temporary() {
                return Err(match symbol.name.as_str() {
                    "" => "there is no such numeric label after this".to_owned(),
                    name => format!("undefined label {name}"),
                });
            }
        }
        Ok(())
    }

    fn number(&self, fixup: &Fixup, number: i64) -> Result<Outcome, String> {
        let count = match fixup.kind {
            FixupKind::Data { bytes } => bytes,
            FixupKind::Literal32 => 4,
            FixupKind::Literal64 => 8,
            FixupKind::Absolute16 => 2,
            FixupKind::Branch => return Err("expected a label, not a number".to_owned()),
        };
        if !directive::fits(number, count) {
            return Err(format!(
                "{number} does not fit in {count} byte{}",
                if count == 1 { "" } else { "s" }
            ));
        }
        Ok(Outcome::Bytes(number.to_le_bytes(), usize::from(count)))
    }

    fn branch(&self, fixup: &Fixup, value: Value, evaluator: &Evaluator<'_>) -> Result<Outcome, String> {
        let (Some(add), None, None) = (value.add, value.sub, value.specifier) else {
            return Err("expected a label".to_owned());
        };
        if let Term::Symbol(symbol) = add {
            let symbol = self.assembler.symbols.get(symbol);
            if symbol.definition == Definition::Undefined {
                return Err(format!("undefined label {}", symbol.name));
            }
        }
        match evaluator.location(add) {
            Some((section, offset)) if section == self.section && !self.is_global(add) => {
                let target = (offset as i64).wrapping_add(value.constant);
                let distance = target.wrapping_sub(fixup.offset as i64 + 4);
                let dwords = i16::try_from(distance / 4).ok().filter(|_| distance % 4 == 0);
                let dwords =
                    dwords.ok_or_else(|| format!("the branch distance of {distance} bytes is too far"))?;
                let mut bytes = [0; 8];
                bytes[..2].copy_from_slice(&dwords.to_le_bytes());
                Ok(Outcome::Bytes(bytes, 2))
            }
            _ => Ok(Outcome::Relocation {
                kind: RelocationKind::Rel16,
                symbol: Some(add),
                addend: value.constant,
                bytes: Some([0xff, 0xff]),
            }),
        }
    }

    fn is_global(&self, term: Term) -> bool {
        match term {
            Term::Place(..) => false,
            Term::Symbol(symbol) => {
                let binding = self.assembler.symbols.get(symbol).binding;
                matches!(binding, Some(Binding::Global | Binding::Weak))
            }
        }
    }
}

/// Whether a literal is relative to its own place: LLVM asks whether a symbol without an absolute specifier is
/// in it outside differences.
fn needs_own_place(expr: &Expr) -> bool {
    match expr {
        Expr::Symbol(_, specifier) => {
            !matches!(specifier, Some(Specifier::Abs32Lo | Specifier::Abs32Hi | Specifier::Abs64))
        }
        Expr::Place(..) => true,
        Expr::Binary(Binary::Sub, ..) => false,
        Expr::Binary(_, left, right) => needs_own_place(left) || needs_own_place(right),
        Expr::Unary(_, operand) => needs_own_place(operand),
        Expr::Int(_) | Expr::Call(..) => false,
    }
}

fn relocation(specifier: Option<Specifier>, wide: bool, relative: bool) -> RelocationKind {
    match (specifier, wide, relative) {
        (Some(Specifier::GotPcRel), ..) => RelocationKind::GotPcRel,
        (Some(Specifier::GotPcRel32Lo), ..) => RelocationKind::GotPcRel32Lo,
        (Some(Specifier::GotPcRel32Hi), ..) => RelocationKind::GotPcRel32Hi,
        (Some(Specifier::Rel32Lo), ..) => RelocationKind::Rel32Lo,
        (Some(Specifier::Rel32Hi), ..) => RelocationKind::Rel32Hi,
        (Some(Specifier::Rel64), ..) => RelocationKind::Rel64,
        (Some(Specifier::Abs32Lo), ..) => RelocationKind::Abs32Lo,
        (Some(Specifier::Abs32Hi), ..) => RelocationKind::Abs32Hi,
        (Some(Specifier::Abs64), ..) => RelocationKind::Abs64,
        (None, true, true) => RelocationKind::Rel64,
        (None, true, false) => RelocationKind::Abs64,
        (None, false, true) => RelocationKind::Rel32,
        (None, false, false) => RelocationKind::Abs32,
    }
}

/// The file in the making.
struct Build {
    builder: ObjectBuilder,
    /// The builder's sections, by ours.
    ids: Vec<writer::SectionId>,
    symbols: FxHashMap<SymbolId, writer::SymbolId>,
    section_symbols: FxHashMap<SectionId, writer::SymbolId>,
}

impl Build {
    fn new(assembler: &Assembler<'_>) -> Build {
        let builder = ObjectBuilder::new(assembler.abi, EFlags::new(assembler.machine.target.id));
        Build {
            builder,
            ids: Vec::new(),
            symbols: FxHashMap::default(),
            section_symbols: FxHashMap::default(),
        }
    }

    fn sections(&mut self, assembler: &Assembler<'_>) {
        for (_, section) in assembler.sections.iter() {
            let id = self.builder.add_section(&section.name, section.kind, section.flags, section.align);
            self.builder.section_mut(id).entry_size = section.entry_size;
            if section.kind == sht::NOBITS {
                self.builder.set_size(id, section.bytes.len() as u64);
            } else {
                self.builder.data_mut(id).extend_from_slice(&section.bytes);
            }
            self.ids.push(id);
        }
        if let Some(metadata) = &assembler.metadata {
            self.builder.add_note(Note::metadata(metadata.clone()));
        }
    }

    /// Adds every symbol that has a name, but not the undefined ones that nothing mentions.
    fn defined_symbols(&mut self, assembler: &mut Assembler<'_>) {
        let ids: Vec<SymbolId> = assembler.symbols.current().map(|(id, _)| id).collect();
        let mut errors = Vec::new();
        for id in ids {
            let symbol = assembler.symbols.get(id);
            let predefined = symbol.span.is_none() && matches!(symbol.definition, Definition::Variable(_));
            let wanted = symbol.definition != Definition::Undefined || symbol.mentioned;
            if !wanted || symbol.is_temporary() || predefined {
                continue;
            }
            match self.add(assembler, id) {
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
        for (span, message) in errors {
            assembler.report(span, message);
        }
    }

    fn add(
        &mut self,
        assembler: &Assembler<'_>,
        id: SymbolId,
    ) -> Result<Option<writer::SymbolId>, (Span, String)> {
        if let Some(&known) = self.symbols.get(&id) {
            return Ok(Some(known));
        }
        let symbol = assembler.symbols.get(id);
        let mut evaluator = Evaluator::new(&assembler.symbols, assembler.machine);
        let (place, value) = match &symbol.definition {
            Definition::Undefined => (Place::Undefined, 0),
            &Definition::Label { section, offset } => (self.place(section), offset),
            &Definition::Common { align, lds } => (if lds { Place::Lds } else { Place::Common }, align),
            Definition::Variable(expr) => {
                let value = match (evaluator.value(expr), symbol.span) {
                    (Ok(value), _) => value,
                    (Err(message), Some(span)) => return Err((span, message)),
                    (Err(_), None) => return Ok(None),
                };
                let located = match (value.add, value.sub) {
                    (None, None) => Some((Place::Absolute, value.constant as u64)),
                    (Some(add), None) => evaluator.location(add).map(|(section, offset)| {
                        (self.place(section), (offset as i64).wrapping_add(value.constant) as u64)
                    }),
                    _ => None,
                };
                match (located, symbol.binding, symbol.span) {
                    (Some(located), ..) => located,
                    // A name for something that only the linker knows is gone once it was used.
                    (None, None | Some(Binding::Local), _) | (None, _, None) => return Ok(None),
                    (None, _, Some(span)) => {
                        let message = format!("{} must be a number or a place in this file", symbol.name);
                        return Err((span, message));
                    }
                }
            }
        };
        let size = match &symbol.size {
            None => 0,
            Some((expr, span)) => {
                // A negative size is kept as it is, as LLVM does.
                evaluator.absolute(expr).map_err(|message| (*span, message))? as u64
            }
        };
        let binding = match (symbol.binding, &symbol.definition) {
            (Some(binding), _) => binding,
            (None, Definition::Undefined) => Binding::Global,
            (None, _) => Binding::Local,
        };
        let added = self.builder.add_symbol(ElfSymbol {
            name: symbol.name.clone(),
            value,
            size,
            binding,
            kind: symbol.kind,
            visibility: symbol.visibility,
            place,
        });
        self.symbols.insert(id, added);
        Ok(Some(added))
    }

    fn place(&self, section: SectionId) -> Place {
        self.ids.get(section.0 as usize).map_or(Place::Undefined, |id| id.place())
    }

    fn relocations(
        &mut self,
        assembler: &Assembler<'_>,
        relocations: Vec<(SectionId, u64, RelocationKind, Option<Term>, i64)>,
    ) {
        for (section, offset, kind, term, addend) in relocations {
            let Some((symbol, addend)) = self.target(assembler, term, addend) else { continue };
            if let Some(&id) = self.ids.get(section.0 as usize) {
                self.builder.add_relocation(id, offset, kind, symbol, addend);
            }
        }
    }

    /// The symbol that a relocation names, and what that adds.
    fn target(
        &mut self,
        assembler: &Assembler<'_>,
        term: Option<Term>,
        addend: i64,
    ) -> Option<(writer::SymbolId, i64)> {
        let (section, offset) = match term? {
            Term::Place(section, offset) => (section, offset),
            Term::Symbol(id) => {
                let symbol = assembler.symbols.get(id);
                match symbol.definition {
                    Definition::Label { section, offset } => {
                        let local = !matches!(symbol.binding, Some(Binding::Global | Binding::Weak));
                        let merged = assembler.sections.get(section).flags & shf::MERGE != 0 && addend != 0;
                        if !local || (merged && !symbol.name.is_empty()) {
                            return self.add(assembler, id).ok().flatten().map(|symbol| (symbol, addend));
                        }
                        (section, offset)
                    }
                    _ => return self.add(assembler, id).ok().flatten().map(|symbol| (symbol, addend)),
                }
            }
        };
        Some((self.section_symbol(section), addend.wrapping_add(offset as i64)))
    }

    /// The symbol that stands for a section.
    fn section_symbol(&mut self, section: SectionId) -> writer::SymbolId {
        let place = self.place(section);
        let builder = &mut self.builder;
        *self.section_symbols.entry(section).or_insert_with(|| {
            builder.add_symbol(ElfSymbol {
                name: String::new(),
                value: 0,
                size: 0,
                binding: Binding::Local,
                kind: SymbolType::Section,
                visibility: Visibility::Default,
                place,
            })
        })
    }

    /// Adds the line table.
    fn lines(&mut self, assembler: &Assembler<'_>, name: &str) {
        let Some(table) = line_table::build(assembler, name) else { return };
        let known = assembler.sections.find(line_table::SECTION).and_then(|id| self.ids.get(id.0 as usize));
        let section = match known {
            Some(&id) => id,
            None => self.builder.add_section(line_table::SECTION, sht::PROGBITS, 0, 1),
        };
        self.builder.data_mut(section).extend_from_slice(&table.bytes);
        for (at, target, offset) in table.addresses {
            let symbol = self.section_symbol(target);
            self.builder.add_relocation(section, at, RelocationKind::Abs64, symbol, offset as i64);
        }
    }
}
