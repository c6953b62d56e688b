//! A module: what one text of LLVM IR declares and defines.
//!
//! Follows "Module Structure" of the LLVM Language Reference. Variables, functions and aliases share one id, as they share
//! one name space: a constant may be the address of any of them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::attribute::{Attribute, AttributeGroup, Attributes};
use crate::constant::{Const, Constants};
use crate::entity::{Arena, id};
use crate::function::Function;
use crate::metadata::{Attachments, MetadataStore};
use crate::names::spelled;
use crate::types::{Name, Type, Types};

id! {
    /// A variable, function or alias of a module.
    Global, "@"
}

/// A module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// `source_filename`.
    pub source_filename: Option<Box<[u8]>>,
    /// `target datalayout`.
    pub data_layout: Option<Box<str>>,
    /// `target triple`.
    pub triple: Option<Box<str>>,
    /// `module asm`, line by line.
    pub inline_asm: Vec<Box<[u8]>>,
    /// Types.
    pub types: Types,
    /// Constants.
    pub constants: Constants,
    /// Variables, functions and aliases.
    pub globals: Arena<Global, GlobalData>,
    /// All of them in the order of their definitions.
    pub order: Vec<Global>,
    /// Comdats with their selection kinds.
    pub comdats: Vec<(Box<[u8]>, Box<str>)>,
    /// Groups of attributes, each with its number.
    pub attribute_groups: Arena<AttributeGroup, (u32, Vec<Attribute>)>,
    /// Metadata.
    pub metadata: MetadataStore,
    /// Synchronisation scopes other than the system's, by the index that instructions keep.
    pub scopes: Vec<Box<str>>,
}

/// A synchronisation scope of a module: 0 is the system's, others are 1 + the index in [`Module::scopes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope(pub u32);

/// A variable, function or alias.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalData {
    /// Its name.
    pub name: Name,
    /// Its linkage; `None` where none is spelled.
    pub linkage: Option<Linkage>,
    /// `dso_local` or `dso_preemptable`.
    pub preemption: Option<Preemption>,
    /// Its visibility.
    pub visibility: Option<Visibility>,
    /// Whether its address matters.
    pub unnamed_addr: Option<UnnamedAddr>,
    /// The address space that it is in.
    pub address_space: u32,
    /// The section that it is put into.
    pub section: Option<Box<[u8]>>,
    /// The partition that it is put into.
    pub partition: Option<Box<[u8]>>,
    /// Its comdat.
    pub comdat: Option<Box<[u8]>>,
    /// Its alignment in bytes.
    pub align: Option<u64>,
    /// Metadata attached to it.
    pub attachments: Attachments,
    /// What it is.
    pub kind: GlobalKind,
}

/// What a global is.
#[derive(Clone, Debug, PartialEq)]
pub enum GlobalKind {
    /// A variable.
    Variable(Variable),
    /// A function.
    Function(Box<Function>),
    /// Another name for a global.
    Alias {
        /// The type of what it names.
        ty: Type,
        /// What it names.
        aliasee: Const,
    },
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The type of its contents.
    pub ty: Type,
    /// Nobody writes it.
    pub constant: bool,
    /// Its contents may be other than its initialiser when the program starts.
    pub externally_initialized: bool,
    /// Its contents; `None` for one that is elsewhere.
    pub initializer: Option<Const>,
    /// `thread_local`, with its model.
    pub thread_local: Option<Box<str>>,
    /// Its code model.
    pub code_model: Option<Box<[u8]>>,
    /// `no_sanitize_address` and the like.
    pub sanitizer: Vec<Box<str>>,
    /// Its attributes.
    pub attributes: Attributes,
}

spelled! {
    /// How a global meets those of the same name in other modules.
    Linkage {
        Private = "private", Internal = "internal", AvailableExternally = "available_externally",
        LinkOnce = "linkonce", Weak = "weak", Common = "common", Appending = "appending",
        ExternWeak = "extern_weak", LinkOnceOdr = "linkonce_odr", WeakOdr = "weak_odr", External = "external",
    }
}

spelled! {
    /// Whether a global may be replaced when the program is loaded.
    Preemption { Local = "dso_local", Preemptable = "dso_preemptable" }
}

spelled! {
    /// Who sees a global.
    Visibility { Default = "default", Hidden = "hidden", Protected = "protected" }
}

spelled! {
    /// Whether the address of a global matters.
    UnnamedAddr { Global = "unnamed_addr", Local = "local_unnamed_addr" }
}

impl Module {
    /// The function that a global is.
    pub fn function(&self, global: Global) -> Option<&Function> {
        match &self.globals[global].kind {
            GlobalKind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The function that a global is, to be changed.
    pub fn function_mut(&mut self, global: Global) -> Option<&mut Function> {
        match &mut self.globals[global].kind {
            GlobalKind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// All functions, in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = (Global, &Function)> {
        self.order.iter().filter_map(|&id| Some((id, self.function(id)?)))
    }

    /// The variable that a global is.
    pub fn variable(&self, global: Global) -> Option<&Variable> {
        match &self.globals[global].kind {
            GlobalKind::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// The global of that name.
    pub fn named(&self, name: &str) -> Option<Global> {
        self.globals
            .iter()
            .find(|(_, data)| matches!(&data.name, Name::Text(text) if **text == *name.as_bytes()))
            .map(|(id, _)| id)
    }

    /// The name of a global as text; what is not UTF-8 in it is replaced.
    pub fn name_text(&self, global: Global) -> Cow<'_, str> {
        match &self.globals[global].name {
            Name::Text(text) => String::from_utf8_lossy(text),
            Name::Number(number) => Cow::Owned(number.to_string()),
        }
    }

    /// The same, to be kept.
    pub fn name(&self, global: Global) -> String {
        self.name_text(global).into_owned()
    }

    /// All attributes at a place, those of groups included.
    pub fn attributes<'m>(&'m self, attributes: &'m Attributes) -> impl Iterator<Item = &'m Attribute> {
        let groups = attributes.groups().iter().flat_map(|&group| &self.attribute_groups[group].1);
        attributes.own().iter().chain(groups)
    }

    /// Whether there is a named attribute at a place.
    pub fn has_attribute(&self, attributes: &Attributes, name: &str) -> bool {
        self.attributes(attributes).any(|attribute| attribute.name() == Some(name))
    }

    /// The value of a string attribute: `Some("")` where it has none.
    pub fn text_attribute<'m>(&'m self, attributes: &'m Attributes, key: &str) -> Option<&'m str> {
        self.attributes(attributes).find_map(|attribute| match attribute {
            Attribute::Text(name, value) if **name == *key.as_bytes() => {
                Some(std::str::from_utf8(value.as_deref().unwrap_or_default()).unwrap_or_default())
            }
            _ => None,
        })
    }

    /// The spelling of a scope; empty for the system's.
    pub fn scope(&self, scope: Scope) -> &str {
        match scope.0 {
            0 => "",
            index => &self.scopes[index as usize - 1],
        }
    }

    /// The globals by their names.
    pub fn by_name(&self) -> FxHashMap<&Name, Global> {
        self.globals.iter().map(|(id, data)| (&data.name, id)).collect()
    }
}
