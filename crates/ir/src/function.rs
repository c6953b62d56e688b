//! A function: its signature, and the blocks, instructions and values of its body.
//!
//! What is said beside an instruction (metadata, debug records) is in side tables of the body.

use crate::attribute::Attributes;
use crate::constant::Const;
use crate::entity::{Arena, Lists, Table, id};
use crate::inst::{InstData, InstKind};
use crate::metadata::{Metadata, MetadataKind, Node};
use crate::names::spelled;
use crate::types::Type;

id! {
    /// A value of a function: a parameter, or what an instruction gives.
    Value, "%"
}
id! {
    /// A block of a function.
    Block, "block"
}
id! {
    /// An instruction of a function.
    Inst, "inst"
}
id! {
    /// Metadata that is an argument of a call.
    MetadataOperand, "metadata"
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its type, a function type.
    pub ty: Type,
    /// Its result.
    pub result: Type,
    /// Its parameters.
    pub params: Vec<Param>,
    /// It takes more arguments than it has parameters.
    pub variadic: bool,
    /// Its calling convention; `None` where none is spelled.
    pub convention: Option<CallingConvention>,
    /// Attributes of the result.
    pub result_attributes: Attributes,
    /// Its own attributes.
    pub attributes: Attributes,
    /// Its garbage collector.
    pub collector: Option<Box<[u8]>>,
    /// Data before its entry.
    pub prefix: Option<Const>,
    /// Data behind its entry.
    pub prologue: Option<Const>,
    /// What handles its exceptions.
    pub personality: Option<Const>,
    /// Its body; `None` for a declaration.
    pub body: Option<Body>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its type.
    pub ty: Type,
    /// Its attributes.
    pub attributes: Attributes,
    /// Its name in a declaration; in a definition the value has it.
    pub name: Option<Box<[u8]>>,
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallingConvention {
    /// One with a name.
    Named(NamedConvention),
    /// One by its number.
    Number(u32),
}

spelled! {
    /// The calling conventions that AMDGPU code is written with, and the general ones.
    NamedConvention {
        C = "ccc", Fast = "fastcc", Cold = "coldcc", Tail = "tailcc", SwiftTail = "swifttailcc",
        PreserveMost = "preserve_mostcc", PreserveAll = "preserve_allcc", PreserveNone = "preserve_nonecc",
        Kernel = "amdgpu_kernel", Vertex = "amdgpu_vs", Pixel = "amdgpu_ps", Geometry = "amdgpu_gs",
        Hull = "amdgpu_hs", Local = "amdgpu_ls", Export = "amdgpu_es", Compute = "amdgpu_cs",
        Chain = "amdgpu_cs_chain", ChainPreserve = "amdgpu_cs_chain_preserve", Graphics = "amdgpu_gfx",
        WholeWave = "amdgpu_gfx_whole_wave", SpirKernel = "spir_kernel", SpirFunction = "spir_func",
    }
}

impl Function {
    /// Whether it is launched, not called.
    pub fn is_kernel(&self) -> bool {
        matches!(
            self.convention,
            Some(CallingConvention::Named(NamedConvention::Kernel | NamedConvention::SpirKernel))
        )
    }
}

/// The body of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The values.
    pub values: Arena<Value, ValueData>,
    /// Their names; `None` for one that is numbered.
    pub names: Table<Value, Option<Box<[u8]>>>,
    /// The values of the parameters, in order.
    pub params: Vec<Value>,
    /// The blocks.
    pub blocks: Arena<Block, BlockData>,
    /// The blocks in the order of the text; the first is the entry.
    pub order: Vec<Block>,
    /// The instructions.
    pub insts: Arena<Inst, InstData>,
    /// Arguments that are metadata.
    pub metadata: Arena<MetadataOperand, Metadata>,
    /// Metadata attached to instructions.
    pub attachments: Lists<Inst, (MetadataKind, Node)>,
    /// Debug records before instructions.
    pub records: Table<Inst, Vec<DebugRecord>>,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Where it comes from.
    pub def: ValueDef,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// The parameter of that position.
    Param(u32),
    /// An instruction.
    Inst(Inst),
}

/// A block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockData {
    /// Its name; `None` for one that is numbered.
    pub name: Option<Box<[u8]>>,
    /// Its instructions; the last one, and no other, is a terminator.
    pub insts: Vec<Inst>,
}

/// `#dbg_value(…)` and its like.
#[derive(Clone, Debug, PartialEq)]
pub struct DebugRecord {
    /// `value`, `declare`, `assign`, `label`.
    pub kind: Box<str>,
    /// What is between the parentheses, the location last.
    pub operands: Vec<Metadata>,
}

impl Body {
    /// The block that is entered.
    pub fn entry(&self) -> Block {
        self.order[0]
    }

    /// The last instruction of a block.
    pub fn terminator(&self, block: Block) -> Option<&InstKind> {
        self.blocks[block].insts.last().map(|&inst| &self.insts[inst].kind)
    }

    /// Where a block may go, each block as often as there is an edge to it.
    pub fn successors(&self, block: Block) -> Vec<Block> {
        self.terminator(block).map(InstKind::successors).unwrap_or_default()
    }

    /// The location of an instruction, `!dbg`, where `dbg` is that kind of attachment.
    pub fn attachment(&self, inst: Inst, kind: Option<MetadataKind>) -> Option<Node> {
        let kind = kind?;
        self.attachments[inst].iter().find(|(known, _)| *known == kind).map(|&(_, node)| node)
    }
}
