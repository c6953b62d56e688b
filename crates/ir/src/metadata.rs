//! Metadata: nodes, strings, values, and what they are attached to.
//!
//! Follows "Metadata" of the LLVM Language Reference. A specialised node (`!DILocation(line: 3, …)`) is a name and its
//! fields as they are written: which fields a node must have is for whoever reads it.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::constant::Const;
use crate::entity::{Arena, id};
use crate::function::Value;
use crate::names::Words;

id! {
    /// A metadata node of a module.
    Node, "!"
}
id! {
    /// A kind of attachment of a module, such as `dbg`.
    MetadataKind, "kind"
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeData {
    /// It is not equal to another that looks like it.
    pub distinct: bool,
    /// Its number in the text; `None`: it stands where it is used.
    pub number: Option<u32>,
    /// What is in it.
    pub body: NodeBody,
}

/// What is in a node.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeBody {
    /// `!{…}`.
    Tuple(Vec<Metadata>),
    /// `!DILocation(line: 3, …)`.
    #[allow(missing_docs, reason = "the names say it")]
    Record { name: RecordName, fields: Vec<(RecordName, Field)> },
    /// `!DIExpression(DW_OP_deref, 3)`.
    Expression(Vec<Word>),
    /// `!DIArgList(i32 %x, …)`.
    Arguments(Vec<Metadata>),
}

/// The name of a specialised node, or of a field of one.
pub type RecordName = Cow<'static, str>;

/// Names that debug information is full of: they live as long as the program.
const FREQUENT: [&str; 44] = [
    "DILocation",
    "line",
    "column",
    "scope",
    "inlinedAt",
    "DILocalVariable",
    "DISubprogram",
    "DILexicalBlock",
    "DILexicalBlockFile",
    "DIDerivedType",
    "DICompositeType",
    "DIBasicType",
    "DISubroutineType",
    "DISubrange",
    "name",
    "linkageName",
    "file",
    "type",
    "baseType",
    "size",
    "tag",
    "elements",
    "discriminator",
    "arg",
    "DIFile",
    "DICompileUnit",
    "DIGlobalVariable",
    "DIGlobalVariableExpression",
    "DITemplateTypeParameter",
    "filename",
    "directory",
    "encoding",
    "dwarfAddressSpace",
    "scopeLine",
    "spFlags",
    "flags",
    "unit",
    "retainedNodes",
    "types",
    "cc",
    "align",
    "offset",
    "isDefinition",
    "expr",
];

/// A name as nodes keep it: a frequent one takes no memory.
pub fn record_name(name: &str) -> RecordName {
    static WORDS: Words<44, 1024> = Words::new(FREQUENT);
    match WORDS.find(name) {
        Some(at) => Cow::Borrowed(FREQUENT[at]),
        None => Cow::Owned(name.to_owned()),
    }
}

/// A word of an expression.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Word {
    Name(Box<str>),
    Number(i128),
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// A number.
    Number(i128),
    /// A name, or names joined with `|`.
    Names(Vec<Box<str>>),
    /// A string.
    Text(Box<[u8]>),
    /// Metadata.
    Metadata(Metadata),
}

/// An operand of a node, or an argument of a function that takes metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum Metadata {
    /// `null`.
    Null,
    /// A node.
    Node(Node),
    /// `!"…"`.
    Text(Box<[u8]>),
    /// A constant.
    Const(Const),
    /// A value of the function that it stands in.
    Value(Value),
}

/// Nodes attached to something.
pub type Attachments = SmallVec<[(MetadataKind, Node); 2]>;

/// Metadata of a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetadataStore {
    /// The nodes.
    pub nodes: Arena<Node, NodeData>,
    /// `!name = !{…}`.
    pub named: Vec<(Box<str>, Vec<Node>)>,
    /// Names of the kinds of attachment.
    pub kinds: Arena<MetadataKind, Box<str>>,
}

impl MetadataStore {
    /// The kind with that name.
    pub fn kind(&mut self, name: &str) -> MetadataKind {
        match self.find_kind(name) {
            Some(known) => known,
            None => self.kinds.push(name.into()),
        }
    }

    /// The kind with that name, if anything has an attachment of it.
    pub fn find_kind(&self, name: &str) -> Option<MetadataKind> {
        self.kinds.iter().find(|(_, known)| ***known == *name).map(|(kind, _)| kind)
    }

    /// The number, name list or metadata of a field of a record called `name`.
    pub fn field(&self, node: Node, record: &str, field: &str) -> Option<&Field> {
        match &self.nodes[node].body {
            NodeBody::Record { name, fields } if **name == *record => {
                fields.iter().find(|(name, _)| **name == *field).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The operands of a tuple.
    pub fn tuple(&self, node: Node) -> Option<&[Metadata]> {
        match &self.nodes[node].body {
            NodeBody::Tuple(operands) => Some(operands),
            _ => None,
        }
    }
}
