//! The ELF file: sections, symbols, relocations and the line table, given to `codeobj`'s writer.
//!
//! Every named symbol is written but for `.L` names and undefined ones that nothing mentions. Relocations against
//! local symbols name their section, as LLVM's do, unless a mergeable section's pieces must be told apart.

use rustc_hash::FxHashMap;
use wavemark_codeobj::RelocationKind;
use wavemark_codeobj::elf::{Binding, OsAbi, Place, Symbol as ElfSymbol, SymbolType, Visibility, shf, sht};
use wavemark_codeobj::write::{self as writer, ObjectBuilder};
use wavemark_diag::Span;
use wavemark_target::{AbiVersion, EFlags};

use crate::assembler::Assembler;
use crate::directive::combine;
use crate::expr::Expr;
use crate::section::{Group, SectionId};
use crate::symbol::{Definition, SymbolId};
use crate::value::{Evaluator, Term};

/// A relocation: where, of which type, what it names, what is added.
#[derive(Clone, Debug)]
pub(crate) struct Relocation {
    pub section: SectionId,
    pub offset: u64,
    pub kind: RelocationKind,
    pub term: Option<Term>,
    pub addend: i64,
    /// Whether it names its symbol by the other name of a `.weakref`.
    pub weak: bool,
    /// Whether it names its symbol even where the symbol's section would do.
    pub keep: bool,
}

/// What a relocation names in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Nothing,
    Section(SectionId),
    Symbol(SymbolId),
}

/// The file in the making.
pub(crate) struct Build {
    pub builder: ObjectBuilder,
    /// The builder's sections, by ours.
    ids: Vec<writer::SectionId>,
    symbols: FxHashMap<SymbolId, writer::SymbolId>,
    section_symbols: FxHashMap<SectionId, writer::SymbolId>,
    groups: Vec<(Group, writer::SectionId)>,
    /// Symbols that another replaces, because `.symver` says so.
    renamed: FxHashMap<SymbolId, SymbolId>,
    /// Symbols that relocations name, and those among them that are named plainly.
    used: FxHashMap<SymbolId, bool>,
}

impl Build {
    /// An empty file.
    pub fn new(assembler: &Assembler<'_>) -> Build {
        let os = assembler.os();
        // Only amdhsa has versions; the headers of the others are like those of V3.
        let abi = if os == OsAbi::Hsa { assembler.abi } else { AbiVersion::V3 };
        let builder = ObjectBuilder::for_os(os, abi, EFlags::new(assembler.subtarget.target.id));
        Build {
            builder,
            ids: Vec::new(),
            symbols: FxHashMap::default(),
            section_symbols: FxHashMap::default(),
            groups: Vec::new(),
            renamed: FxHashMap::default(),
            used: FxHashMap::default(),
        }
    }

    /// Adds the sections, and the notes.
    pub fn sections(&mut self, assembler: &Assembler<'_>) {
        for (_, section) in assembler.sections.iter() {
            if let Some((whole, _)) = section.part_of {
                // Its bytes are in the whole, which comes first.
                self.ids.push(self.ids[whole.0 as usize]);
                continue;
            }
            let group = section.group.clone().map(|group| self.group(group));
            let id = self.builder.add_section(&section.name, section.kind, section.flags, section.align);
            self.builder.section_mut(id).entry_size = section.entry_size;
            if section.kind == sht::NOBITS {
                self.builder.set_size(id, section.bytes.len() as u64);
            } else {
                self.builder.data_mut(id).extend_from_slice(&section.bytes);
            }
            if let Some(group) = group {
                self.builder.set_group(id, group);
            }
            if let Some(Some(linked_to)) = section.linked_to {
                self.builder.set_link(id, self.ids[linked_to.0 as usize]);
            }
            self.ids.push(id);
        }
        for note in &assembler.notes {
            self.builder.add_note(note.clone());
        }
    }

    /// The section of a group.
    fn group(&mut self, group: Group) -> writer::SectionId {
        if let Some((_, id)) = self.groups.iter().find(|(known, _)| *known == group) {
            return *id;
        }
        let id = self.builder.add_group(group.comdat);
        self.groups.push((group, id));
        id
    }

    /// Adds every symbol that has a name and a definition or use, in the order of the first of these.
    pub fn symbols(&mut self, assembler: &mut Assembler<'_>, relocations: &[Relocation]) {
        self.versions(assembler);
        let mut sections: Vec<SectionId> = Vec::new();
        for relocation in relocations {
            match self.target(assembler, relocation).0 {
                Target::Nothing => {}
                Target::Section(section) => sections.push(section),
                Target::Symbol(id) => *self.used.entry(id).or_insert(false) |= !relocation.weak,
            }
        }
        // A section's symbol comes before the symbol of its turn.
        let mut turns: Vec<(u32, u8, Target)> = Vec::new();
        sections.sort_unstable();
        sections.dedup();
        for section in sections {
            turns.push((assembler.sections.get(section).rank, 0, Target::Section(section)));
        }
        for (id, symbol) in assembler.symbols.current() {
            let predefined = symbol.span.is_none() && matches!(symbol.definition, Definition::Variable(_));
            let used = self.used.contains_key(&id);
            let named = symbol.rank.is_some() && !symbol.is_temporary() && !self.renamed.contains_key(&id);
            if !predefined && (used || named) && named_section(assembler, id).is_none() {
                turns.push((symbol.rank.unwrap_or(u32::MAX), 1, Target::Symbol(id)));
            }
        }
        // Symbols that were assigned again are named by their old values.
        let old = self.used.keys().filter(|id| !assembler.symbols.is_current(**id));
        turns.extend(old.map(|&id| (u32::MAX, 1, Target::Symbol(id))));
        turns.sort_by_key(|&(rank, kind, _)| (rank, kind));
        let mut errors = Vec::new();
        for (_, _, target) in turns {
            match target {
                Target::Nothing => {}
                Target::Section(section) => self.add_section_symbol(section),
                Target::Symbol(id) => errors.extend(self.add(assembler, id).err()),
            }
        }
        for (span, message) in errors {
            assembler.report(span, message);
        }
        for (group, id) in &self.groups {
            if let Some(&signature) = self.symbols.get(&group.signature) {
                self.builder.set_signature(*id, signature);
            }
        }
        if assembler.links.address_significance {
            let symbols = assembler.links.significant.iter().filter_map(|id| self.symbols.get(id)).copied();
            self.builder.add_address_significance(symbols.collect());
        }
    }

    /// Makes the symbols of `.symver`, which stand for others or replace them.
    fn versions(&mut self, assembler: &mut Assembler<'_>) {
        for version in std::mem::take(&mut assembler.links.symvers) {
            let symbol = assembler.symbols.get(version.symbol).clone();
            let undefined = symbol.definition == Definition::Undefined;
            let at = version.versioned.find('@').unwrap_or(0);
            let (stem, signs) = version.versioned.split_at(at);
            let signs = match signs.strip_prefix("@@@") {
                Some(version) if undefined => format!("@{version}"),
                Some(version) => format!("@@{version}"),
                None => signs.to_owned(),
            };
            let id = assembler.symbols.intern(&format!("{stem}{signs}"));
            assembler.symbols.register(id);
            let entry = assembler.symbols.get_mut(id);
            entry.binding = symbol.binding;
            entry.visibility = symbol.visibility;
            entry.span = Some(version.span);
            if !undefined {
                entry.definition = Definition::Variable(Expr::Symbol(version.symbol, None));
                if version.keep {
                    continue;
                }
            } else if version.versioned[at..].starts_with("@@") && !version.versioned[at..].starts_with("@@@")
            {
                let message =
                    format!("{} is a default version: {} must be defined", version.versioned, symbol.name);
                assembler.report(version.span, message);
                continue;
            }
            match self.renamed.insert(version.symbol, id) {
                Some(other) if other != id => {
                    assembler.report(version.span, format!("{} has a version already", symbol.name));
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, assembler: &Assembler<'_>, id: SymbolId) -> Result<(), (Span, String)> {
        let symbol = assembler.symbols.get(id);
        let mut evaluator = Evaluator::new(&assembler.symbols, &assembler.sections, assembler.subtarget);
        let mut base = None;
        let (place, value) = match &symbol.definition {
            Definition::Undefined => match self.groups.iter().find(|(group, _)| group.signature == id) {
                Some((_, group)) if !self.used.contains_key(&id) && symbol.binding.is_none() => {
                    (group.place(), 0)
                }
                _ => (Place::Undefined, 0),
            },
            &Definition::Label { section, offset } => {
                let (section, offset) = assembler.sections.place(section, offset);
                (self.place(section), offset)
            }
            &Definition::Common { align, lds } => (if lds { Place::Lds } else { Place::Common }, align),
            Definition::Variable(_) if symbol.is_weakref => return Ok(()),
            Definition::Variable(expr) => {
                let value = match (evaluator.value(expr), symbol.span) {
                    (Ok(value), _) => value,
                    (Err(message), Some(span)) => return Err((span, message)),
                    (Err(_), None) => return Ok(()),
                };
                if let (Some(Term::Symbol(target)), None) = (value.add, value.sub) {
                    base = Some(assembler.symbols.get(target));
                }
                match (value.add, value.sub) {
                    (None, None) => (Place::Absolute, value.constant as u64),
                    (Some(add), None) => match evaluator.location(add) {
                        Some((section, offset)) => {
                            (self.place(section), (offset as i64).wrapping_add(value.constant) as u64)
                        }
                        // A name for something that only the linker knows is gone once it was used.
                        None => return Ok(()),
                    },
                    _ => match symbol.span {
                        Some(span) if matches!(symbol.binding, Some(Binding::Global | Binding::Weak)) => {
                            let message = format!("{} must be a number or a place in this file", symbol.name);
                            return Err((span, message));
                        }
                        _ => return Ok(()),
                    },
                }
            }
        };
        let own_size = symbol.size.as_ref();
        let size = match own_size.or_else(|| base.and_then(|base| base.size.as_ref())) {
            None => 0,
            Some((expr, span)) => {
                // A negative size is kept as it is, as LLVM does.
                evaluator.absolute(expr).map_err(|message| (*span, message))? as u64
            }
        };
        let binding = match (symbol.binding, place) {
            (Some(binding), _) => binding,
            (None, Place::Undefined) if self.used.get(&id) == Some(&false) => Binding::Weak,
            (None, Place::Undefined) => Binding::Global,
            (None, _) => Binding::Local,
        };
        let kind = base.map_or(symbol.kind, |base| combine(symbol.kind, base.kind));
        let added = self.builder.add_symbol(ElfSymbol {
            name: symbol.name.clone(),
            value,
            size,
            binding,
            kind,
            visibility: symbol.visibility,
            place,
        });
        self.symbols.insert(id, added);
        Ok(())
    }

    fn place(&self, section: SectionId) -> Place {
        self.ids.get(section.0 as usize).map_or(Place::Undefined, |id| id.place())
    }

    /// Adds the relocations.
    pub fn relocations(&mut self, assembler: &Assembler<'_>, relocations: &[Relocation]) {
        for relocation in relocations {
            let (target, addend) = self.target(assembler, relocation);
            let symbol = match target {
                Target::Nothing => Some(writer::SymbolId::NONE),
                Target::Section(section) => self.section_symbols.get(&section).copied(),
                Target::Symbol(id) => self.symbols.get(&id).copied(),
            };
            if let (Some(symbol), Some(&id)) = (symbol, self.ids.get(relocation.section.0 as usize)) {
                self.builder.add_relocation(id, relocation.offset, relocation.kind, symbol, addend);
            }
        }
    }

    /// What a relocation names, and what is added to that.
    fn target(&self, assembler: &Assembler<'_>, relocation: &Relocation) -> (Target, i64) {
        let addend = relocation.addend;
        let (section, offset) = match relocation.term {
            None => return (Target::Nothing, addend),
            Some(Term::Place(section, offset)) => (section, offset),
            Some(Term::Symbol(id)) => {
                let id = self.renamed.get(&id).copied().unwrap_or(id);
                let symbol = assembler.symbols.get(id);
                match symbol.definition {
                    Definition::Label { section, offset } => {
                        let local = matches!(symbol.binding, None | Some(Binding::Local));
                        let flags = assembler.sections.get(section).flags;
                        let apart = (flags & shf::MERGE != 0 && addend != 0)
                            || flags & shf::TLS != 0
                            || symbol.kind == SymbolType::Other(10);
                        if !local
                            || (apart && !symbol.name.is_empty())
                            || (relocation.keep && !symbol.is_temporary())
                        {
                            return (Target::Symbol(id), addend);
                        }
                        (section, offset)
                    }
                    Definition::Variable(_) if matches!(symbol.binding, None | Some(Binding::Local)) => {
                        let evaluator =
                            Evaluator::new(&assembler.symbols, &assembler.sections, assembler.subtarget);
                        match evaluator.location(Term::Symbol(id)) {
                            Some((section, offset)) => {
                                return (Target::Section(section), addend.wrapping_add(offset as i64));
                            }
                            None => return (Target::Symbol(id), addend),
                        }
                    }
                    _ => match named_section(assembler, id) {
                        Some(section) => (section, 0),
                        None => return (Target::Symbol(id), addend),
                    },
                }
            }
        };
        let (section, offset) = assembler.sections.place(section, offset);
        (Target::Section(section), addend.wrapping_add(offset as i64))
    }

    /// Adds the symbol that stands for a section.
    fn add_section_symbol(&mut self, section: SectionId) {
        let added = self.builder.add_symbol(ElfSymbol {
            name: String::new(),
            value: 0,
            size: 0,
            binding: Binding::Local,
            kind: SymbolType::Section,
            visibility: Visibility::Default,
            place: self.place(section),
        });
        self.section_symbols.insert(section, added);
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
