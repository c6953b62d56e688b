//! The ELF file: sections, symbols, relocations and the line table, given to `codeobj`'s writer.
//!
//! Every named symbol is written but for `.L` names and undefined ones that nothing mentions. Relocations against
//! local symbols name their section, as LLVM's do, unless a mergeable section's pieces must be told apart.

use rustc_hash::FxHashMap;
use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{Binding, Place, Symbol as ElfSymbol, SymbolType, Visibility, shf, sht};
use wavemark_codeobj::note::Note;
use wavemark_codeobj::write::{self as writer, ObjectBuilder};
use wavemark_diag::Span;
use wavemark_target::EFlags;

use crate::assembler::Assembler;
use crate::line_table;
use crate::section::SectionId;
use crate::symbol::{Definition, SymbolId};
use crate::value::{Evaluator, Term};

/// A relocation: section, offset, type, what it names, addend.
pub(crate) type Relocation = (SectionId, u64, RelocationKind, Option<Term>, i64);

/// The file in the making.
pub(crate) struct Build {
    pub builder: ObjectBuilder,
    /// The builder's sections, by ours.
    ids: Vec<writer::SectionId>,
    symbols: FxHashMap<SymbolId, writer::SymbolId>,
    section_symbols: FxHashMap<SectionId, writer::SymbolId>,
}

impl Build {
    /// An empty file.
    pub fn new(assembler: &Assembler<'_>) -> Build {
        let builder = ObjectBuilder::new(assembler.abi, EFlags::new(assembler.subtarget.target.id));
        Build {
            builder,
            ids: Vec::new(),
            symbols: FxHashMap::default(),
            section_symbols: FxHashMap::default(),
        }
    }

    /// Adds the sections, and the note with the metadata.
    pub fn sections(&mut self, assembler: &Assembler<'_>) {
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
    pub fn defined_symbols(&mut self, assembler: &mut Assembler<'_>) {
        let ids: Vec<SymbolId> = assembler.symbols.current().map(|(id, _)| id).collect();
        let mut errors = Vec::new();
        for id in ids {
            let symbol = assembler.symbols.get(id);
            let predefined = symbol.span.is_none() && matches!(symbol.definition, Definition::Variable(_));
            let wanted = symbol.definition != Definition::Undefined || symbol.mentioned;
            if !wanted || symbol.is_temporary() || predefined || named_section(assembler, id).is_some() {
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
        let mut evaluator = Evaluator::new(&assembler.symbols, assembler.subtarget);
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

    /// Adds the relocations.
    pub fn relocations(&mut self, assembler: &Assembler<'_>, relocations: Vec<Relocation>) {
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
                    _ => match named_section(assembler, id) {
                        Some(section) => (section, 0),
                        None => return self.add(assembler, id).ok().flatten().map(|symbol| (symbol, addend)),
                    },
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
    pub fn lines(&mut self, assembler: &Assembler<'_>, name: &str) {
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

/// The section that an undefined symbol names: a section's name stands for its start.
fn named_section(assembler: &Assembler<'_>, id: SymbolId) -> Option<SectionId> {
    let symbol = assembler.symbols.get(id);
    match symbol.definition {
        Definition::Undefined => assembler.sections.find(&symbol.name),
        _ => None,
    }
}
