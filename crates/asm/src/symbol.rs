//! The symbols of one assembly.
//!
//! A name has one current [`SymbolId`]. Assigning again (`.set x, …` twice) gives the name a new id, and what
//! was read before keeps the old one; so each use sees the value of its time, as in LLVM. Numeric labels (`1:`)
//! are symbols without a name.

use rustc_hash::FxHashMap;
use wavemark_codeobj::elf::{Binding, SymbolType, Visibility};
use wavemark_diag::Span;

use crate::expr::Expr;
use crate::section::SectionId;

/// A symbol of the assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolId(pub u32);

/// What a symbol is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Definition {
    /// Only mentioned.
    Undefined,
    /// A place.
    Label { section: SectionId, offset: u64 },
    /// `.set`, `=`, `.equ`.
    Variable(Expr),
    /// `.comm`, `.amdgpu_lds`: storage that the linker places.
    Common { align: u64, lds: bool },
}

/// One symbol.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub name: String,
    pub definition: Definition,
    /// Where it was defined, or first mentioned in a directive.
    pub span: Option<Span>,
    pub binding: Option<Binding>,
    pub visibility: Visibility,
    pub kind: SymbolType,
    pub size: Option<(Expr, Span)>,
    /// Its turn among the symbols of the object, which is that of its first definition or use; `None`: neither was.
    pub rank: Option<u32>,
    /// Of the other name that `.weakref` gives a symbol: uses of it do not need the symbol.
    pub is_weakref: bool,
}

impl Symbol {
    /// `.Lname` and numeric labels: no entry in the symbol table of the object.
    pub fn is_temporary(&self) -> bool {
        self.name.is_empty() || self.name.starts_with(".L")
    }
}

/// All symbols.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    all: Vec<Symbol>,
    by_name: FxHashMap<String, SymbolId>,
    ranks: u32,
    /// Of each number the last definition and, where it was asked for, the next.
    numeric: FxHashMap<u64, (Option<SymbolId>, Option<SymbolId>)>,
}

impl Symbols {
    /// The current symbol of `name`, made if there is none.
    pub fn intern(&mut self, name: &str) -> SymbolId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = self.push(name.to_owned());
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// Notes that the object needs this symbol, if it is not needed already.
    pub fn register(&mut self, id: SymbolId) {
        let next = self.ranks;
        let rank = &mut self.all[id.0 as usize].rank;
        if rank.is_none() {
            *rank = Some(next);
            self.ranks += 1;
        }
    }

    /// The turn that the next symbol gets.
    pub fn next_rank(&self) -> u32 {
        self.ranks
    }

    /// The current symbol of `name`, if it was ever mentioned.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.by_name.get(name).copied()
    }

    fn push(&mut self, name: String) -> SymbolId {
        let id = SymbolId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(Symbol {
            name,
            definition: Definition::Undefined,
            span: None,
            binding: None,
            visibility: Visibility::Default,
            kind: SymbolType::NoType,
            size: None,
            rank: None,
            is_weakref: false,
        });
        id
    }

    /// A new symbol for the name of `id`, with its attributes but no definition; later mentions mean it.
    pub fn renew(&mut self, id: SymbolId) -> SymbolId {
        let old = self.get(id).clone();
        let name = old.name.clone();
        let new = self.push(name.clone());
        self.all[new.0 as usize] =
            Symbol { definition: Definition::Undefined, span: None, rank: None, ..old };
        self.by_name.insert(name, new);
        new
    }

    /// The symbol.
    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.all[id.0 as usize]
    }

    /// The symbol, to change it.
    pub fn get_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.all[id.0 as usize]
    }

    /// The number that it stands for without looking at places.
    pub fn constant(&self, id: SymbolId) -> Option<i64> {
        match self.get(id).definition {
            Definition::Variable(Expr::Int(value)) => Some(value),
            _ => None,
        }
    }

    /// The current symbols in the order of their first mention.
    pub fn current(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        let ids = (0..self.all.len() as u32).map(SymbolId);
        ids.zip(&self.all).filter(|(id, _)| self.is_current(*id))
    }

    /// Whether its name means it, or it has none.
    pub fn is_current(&self, id: SymbolId) -> bool {
        let name = self.get(id).name.as_str();
        name.is_empty() || self.by_name.get(name) == Some(&id)
    }

    /// The label `number` before (`1b`) or after (`1f`) this place.
    pub fn numeric(&mut self, number: u64, forward: bool) -> Option<SymbolId> {
        let (last, next) = self.numeric.get(&number).copied().unwrap_or_default();
        if !forward {
            return last;
        }
        Some(next.unwrap_or_else(|| {
            let id = self.push(String::new());
            self.numeric.insert(number, (last, Some(id)));
            id
        }))
    }

    /// The symbol that the definition `number:` at this place defines.
    pub fn define_numeric(&mut self, number: u64) -> SymbolId {
        let (_, next) = self.numeric.get(&number).copied().unwrap_or_default();
        let id = next.unwrap_or_else(|| self.push(String::new()));
        self.numeric.insert(number, (Some(id), None));
        id
    }
}
