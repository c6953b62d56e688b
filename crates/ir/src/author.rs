//! Where the author of a kernel wrote what an instruction does, by its `!dbg`.
//!
//! Follows "DILocation", "DISubprogram", "DILexicalBlock" and "DIFile" of the LLVM Language Reference.

use crate::function::{Body, Inst};
use crate::metadata::{Field, Metadata, MetadataStore, Node};
use crate::module::Module;

/// How deep scopes may be nested, and calls inlined.
const DEEPEST: usize = 64;

/// A place in the author's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorPlace {
    /// The file, with its directory if it names one.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

/// Where an instruction was written, and where what that is in was called, the innermost call first; empty where nothing is
/// said.
pub fn places(module: &Module, body: &Body, inst: Inst) -> Vec<AuthorPlace> {
    let store = &module.metadata;
    let mut at = body.attachment(inst, store.find_kind("dbg"));
    let mut places = Vec::new();
    while let Some(node) = at.filter(|_| places.len() < DEEPEST) {
        places.extend(place(store, node));
        at = node_field(store, node, "DILocation", "inlinedAt");
    }
    places
}

fn place(store: &MetadataStore, node: Node) -> Option<AuthorPlace> {
    let number = |field| match store.field(node, "DILocation", field) {
        Some(Field::Number(number)) => u32::try_from(*number).ok(),
        _ => None,
    };
    let mut scope = node_field(store, node, "DILocation", "scope");
    for _ in 0..DEEPEST {
        let records = ["DISubprogram", "DILexicalBlock", "DILexicalBlockFile"];
        let of = |field| records.iter().find_map(|record| node_field(store, scope?, record, field));
        if let Some(file) = of("file") {
            let text = |field| match store.field(file, "DIFile", field) {
                Some(Field::Text(text)) => String::from_utf8_lossy(text).into_owned(),
                _ => String::new(),
            };
            let (name, directory) = (text("filename"), text("directory"));
            let file =
                if directory.is_empty() || name.starts_with('/') { name } else { directory + "/" + &name };
            return Some(AuthorPlace { file, line: number("line")?, column: number("column").unwrap_or(0) });
        }
        scope = of("scope");
    }
    None
}

fn node_field(store: &MetadataStore, node: Node, record: &str, field: &str) -> Option<Node> {
    match store.field(node, record, field) {
        Some(Field::Metadata(Metadata::Node(node))) => Some(*node),
        _ => None,
    }
}

impl std::fmt::Display for AuthorPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.column {
            0 => write!(f, "{}:{}", self.file, self.line),
            column => write!(f, "{}:{}:{column}", self.file, self.line),
        }
    }
}
