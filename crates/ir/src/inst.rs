//! Instructions as data.
//!
//! Follows "Instruction Reference" of the LLVM Language Reference. What no AMDGPU code contains (exceptions, coroutines,
//! `indirectbr`, `callbr`, `va_arg`) has no member here: the reader refuses it by name.

use smallvec::SmallVec;

use crate::attribute::Attributes;
use crate::constant::{Const, Constants};
use crate::function::{Block, Body, CallingConvention, MetadataOperand, Value};
use crate::integer::Integer;
use crate::module::Scope;
use crate::opcode::{BinaryOp, CastOp, Flags, FloatPredicate, IntPredicate, Ordering, RmwOp, TailKind};
use crate::types::Type;

/// An operand: a value of the function, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A value.
    Value(Value),
    /// A constant.
    Const(Const),
    /// Metadata; an argument of a call only.
    Metadata(MetadataOperand),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct InstData {
    /// What it gives; `void` for nothing.
    pub ty: Type,
    /// The value that it gives; `None` for nothing.
    pub result: Option<Value>,
    /// What it does.
    pub kind: InstKind,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names are the language reference's")]
pub enum InstKind {
    FNeg {
        flags: Flags,
        value: Operand,
    },
    Binary {
        op: BinaryOp,
        flags: Flags,
        lhs: Operand,
        rhs: Operand,
    },
    Cast {
        op: CastOp,
        flags: Flags,
        value: Operand,
    },
    ICmp {
        flags: Flags,
        predicate: IntPredicate,
        lhs: Operand,
        rhs: Operand,
    },
    FCmp {
        flags: Flags,
        predicate: FloatPredicate,
        lhs: Operand,
        rhs: Operand,
    },
    Select {
        flags: Flags,
        condition: Operand,
        then: Operand,
        otherwise: Operand,
    },
    Phi {
        flags: Flags,
        incoming: SmallVec<[(Operand, Block); 2]>,
    },
    Freeze {
        value: Operand,
    },
    ExtractElement {
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        vector: Operand,
        value: Operand,
        index: Operand,
    },
    ShuffleVector {
        lhs: Operand,
        rhs: Operand,
        mask: Const,
    },
    ExtractValue {
        aggregate: Operand,
        indices: SmallVec<[u32; 2]>,
    },
    InsertValue {
        aggregate: Operand,
        value: Operand,
        indices: SmallVec<[u32; 2]>,
    },
    Alloca(Alloca),
    Load {
        access: Access,
        pointer: Operand,
    },
    Store {
        access: Access,
        value: Operand,
        pointer: Operand,
    },
    Fence {
        ordering: Ordering,
        scope: Scope,
    },
    Rmw {
        access: Access,
        op: RmwOp,
        pointer: Operand,
        value: Operand,
    },
    CmpXchg(Box<CmpXchg>),
    Gep {
        flags: Flags,
        range: Option<Box<(Integer, Integer)>>,
        source: Type,
        base: Operand,
        indices: SmallVec<[Operand; 2]>,
    },
    Call(Box<Call>),
    Ret {
        value: Option<Operand>,
    },
    Br {
        target: Block,
    },
    CondBr {
        condition: Operand,
        then: Block,
        otherwise: Block,
    },
    Switch {
        value: Operand,
        default: Block,
        cases: Vec<(Const, Block)>,
    },
    Unreachable,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Access {
    /// `volatile`.
    pub volatile: bool,
    /// Its ordering, where it is atomic.
    pub ordering: Option<Ordering>,
    /// Its scope, where it is atomic.
    pub scope: Scope,
    /// The alignment that is promised; `None`: that of the type.
    pub align: Option<u64>,
}

/// `alloca`.
#[derive(Clone, Debug, PartialEq)]
pub struct Alloca {
    /// What there is room for.
    pub ty: Type,
    /// How many of it; `None`: one.
    pub count: Option<Operand>,
    /// Its alignment.
    pub align: Option<u64>,
    /// The address space that it is in.
    pub address_space: u32,
}

/// `cmpxchg`.
#[derive(Clone, Debug, PartialEq)]
pub struct CmpXchg {
    /// It may fail for no reason.
    pub weak: bool,
    /// How it accesses memory, and its ordering where it exchanges.
    pub access: Access,
    /// Its ordering where it does not.
    pub failure: Ordering,
    /// Where.
    pub pointer: Operand,
    /// What must be there.
    pub expected: Operand,
    /// What is put there.
    pub replacement: Operand,
}

/// `call`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// `tail` and the like.
    pub tail: TailKind,
    /// Fast-math flags.
    pub flags: Flags,
    /// Its calling convention; `None` where none is spelled.
    pub convention: Option<CallingConvention>,
    /// Attributes of the result.
    pub result_attributes: Attributes,
    /// The type of the function that is called.
    pub function_type: Type,
    /// What is called.
    pub callee: Callee,
    /// The arguments.
    pub args: SmallVec<[Argument; 6]>,
    /// Attributes of the call.
    pub attributes: Attributes,
    /// Operand bundles: `[ "convergencectrl"(token %t) ]`.
    pub bundles: Vec<Bundle>,
}

/// What is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A function, by its address.
    Operand(Operand),
    /// Assembly text.
    Asm(Box<InlineAsm>),
}

/// Assembly text that is called.
#[derive(Clone, Debug, PartialEq)]
pub struct InlineAsm {
    /// The text.
    pub text: Box<[u8]>,
    /// The constraints of its operands.
    pub constraints: Box<[u8]>,
    /// It does more than its operands say.
    pub side_effect: bool,
    /// It aligns the stack, is in Intel's dialect, may unwind.
    pub flags: Vec<Box<str>>,
}

impl InlineAsm {
    /// Whether the text has no instruction, but comments at most: nothing is executed.
    pub fn is_empty(&self) -> bool {
        String::from_utf8_lossy(&self.text)
            .lines()
            .all(|line| line.trim().is_empty() || line.trim().starts_with(';'))
    }

    /// Whether it gives its first argument back: no instruction, and one result in the register of that argument.
    pub fn gives_back(&self) -> bool {
        let constraints = String::from_utf8_lossy(&self.constraints);
        let outputs = constraints.split(',').filter(|one| one.starts_with('='));
        self.is_empty() && outputs.count() == 1 && constraints.split(',').nth(1) == Some("0")
    }
}

impl Call {
    /// Whether it is assembly text without an instruction.
    pub fn is_empty_text(&self) -> bool {
        matches!(&self.callee, Callee::Asm(asm) if asm.is_empty())
    }

    /// What assembly text without an instruction gives back, and whether that is in scalar registers.
    pub fn given_back(&self) -> Option<(Operand, bool)> {
        let Callee::Asm(asm) = &self.callee else { return None };
        let argument = self.args.first().filter(|_| asm.gives_back())?;
        Some((argument.value, !asm.constraints.starts_with(b"=v")))
    }
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Operand,
    /// Its attributes.
    pub attributes: Attributes,
}

/// An operand bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// What it is for.
    pub tag: Box<[u8]>,
    /// Its operands with their types.
    pub operands: Vec<(Type, Operand)>,
}

impl InstKind {
    /// Whether it ends a block.
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstKind::Ret { .. }
                | InstKind::Br { .. }
                | InstKind::CondBr { .. }
                | InstKind::Switch { .. }
                | InstKind::Unreachable
        )
    }

    /// Where it may go, each block as often as it is named.
    pub fn successors(&self) -> Vec<Block> {
        match self {
            InstKind::Br { target } => vec![*target],
            InstKind::CondBr { then, otherwise, .. } => vec![*then, *otherwise],
            InstKind::Switch { default, cases, .. } => {
                std::iter::once(*default).chain(cases.iter().map(|case| case.1)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The first word of its text.
    pub fn mnemonic(&self) -> &'static str {
        match self {
            InstKind::FNeg { .. } => "fneg",
            InstKind::Binary { op, .. } => op.name(),
            InstKind::Cast { op, .. } => op.name(),
            InstKind::ICmp { .. } => "icmp",
            InstKind::FCmp { .. } => "fcmp",
            InstKind::Select { .. } => "select",
            InstKind::Phi { .. } => "phi",
            InstKind::Freeze { .. } => "freeze",
            InstKind::ExtractElement { .. } => "extractelement",
            InstKind::InsertElement { .. } => "insertelement",
            InstKind::ShuffleVector { .. } => "shufflevector",
            InstKind::ExtractValue { .. } => "extractvalue",
            InstKind::InsertValue { .. } => "insertvalue",
            InstKind::Alloca(_) => "alloca",
            InstKind::Load { .. } => "load",
            InstKind::Store { .. } => "store",
            InstKind::Fence { .. } => "fence",
            InstKind::Rmw { .. } => "atomicrmw",
            InstKind::CmpXchg(_) => "cmpxchg",
            InstKind::Gep { .. } => "getelementptr",
            InstKind::Call(_) => "call",
            InstKind::Ret { .. } => "ret",
            InstKind::Br { .. } | InstKind::CondBr { .. } => "br",
            InstKind::Switch { .. } => "switch",
            InstKind::Unreachable => "unreachable",
        }
    }

    /// Calls `f` with every operand.
    pub fn each_operand(&self, mut f: impl FnMut(Operand)) {
        match self {
            InstKind::FNeg { value, .. } | InstKind::Cast { value, .. } | InstKind::Freeze { value } => {
                f(*value)
            }
            InstKind::Binary { lhs, rhs, .. }
            | InstKind::ICmp { lhs, rhs, .. }
            | InstKind::FCmp { lhs, rhs, .. }
            | InstKind::ShuffleVector { lhs, rhs, .. } => [*lhs, *rhs].into_iter().for_each(f),
            InstKind::Select { condition, then, otherwise, .. } => {
                [*condition, *then, *otherwise].into_iter().for_each(f)
            }
            InstKind::Phi { incoming, .. } => incoming.iter().for_each(|(value, _)| f(*value)),
            InstKind::ExtractElement { vector, index } => [*vector, *index].into_iter().for_each(f),
            InstKind::InsertElement { vector, value, index } => {
                [*vector, *value, *index].into_iter().for_each(f)
            }
            InstKind::ExtractValue { aggregate, .. } => f(*aggregate),
            InstKind::InsertValue { aggregate, value, .. } => [*aggregate, *value].into_iter().for_each(f),
            InstKind::Alloca(alloca) => alloca.count.into_iter().for_each(f),
            InstKind::Load { pointer, .. } => f(*pointer),
            InstKind::Store { value, pointer, .. } => [*value, *pointer].into_iter().for_each(f),
            InstKind::Rmw { pointer, value, .. } => [*pointer, *value].into_iter().for_each(f),
            InstKind::CmpXchg(exchange) => {
                [exchange.pointer, exchange.expected, exchange.replacement].into_iter().for_each(f)
            }
            InstKind::Gep { base, indices, .. } => {
                f(*base);
                indices.iter().for_each(|&index| f(index));
            }
            InstKind::Call(call) => {
                if let Callee::Operand(callee) = call.callee {
                    f(callee);
                }
                call.args.iter().for_each(|arg| f(arg.value));
                call.bundles.iter().flat_map(|bundle| &bundle.operands).for_each(|(_, operand)| f(*operand));
            }
            InstKind::Ret { value } => value.iter().for_each(|&value| f(value)),
            InstKind::CondBr { condition, .. } => f(*condition),
            InstKind::Switch { value, .. } => f(*value),
            InstKind::Fence { .. } | InstKind::Br { .. } | InstKind::Unreachable => {}
        }
    }
}

impl InstKind {
    /// Every operand, to be changed.
    pub fn each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        match self {
            InstKind::FNeg { value, .. } | InstKind::Cast { value, .. } | InstKind::Freeze { value } => {
                f(value)
            }
            InstKind::Binary { lhs, rhs, .. }
            | InstKind::ICmp { lhs, rhs, .. }
            | InstKind::FCmp { lhs, rhs, .. }
            | InstKind::ShuffleVector { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(f),
            InstKind::Select { condition, then, otherwise, .. } => {
                [condition, then, otherwise].into_iter().for_each(f)
            }
            InstKind::Phi { incoming, .. } => incoming.iter_mut().for_each(|(value, _)| f(value)),
            InstKind::ExtractElement { vector, index } => [vector, index].into_iter().for_each(f),
            InstKind::InsertElement { vector, value, index } => {
                [vector, value, index].into_iter().for_each(f)
            }
            InstKind::ExtractValue { aggregate, .. } => f(aggregate),
            InstKind::InsertValue { aggregate, value, .. } => [aggregate, value].into_iter().for_each(f),
            InstKind::Alloca(alloca) => alloca.count.iter_mut().for_each(f),
            InstKind::Load { pointer, .. } => f(pointer),
            InstKind::Store { value, pointer, .. } => [value, pointer].into_iter().for_each(f),
            InstKind::Rmw { pointer, value, .. } => [pointer, value].into_iter().for_each(f),
            InstKind::CmpXchg(exchange) => {
                [&mut exchange.pointer, &mut exchange.expected, &mut exchange.replacement]
                    .into_iter()
                    .for_each(f)
            }
            InstKind::Gep { base, indices, .. } => {
                f(base);
                indices.iter_mut().for_each(f);
            }
            InstKind::Call(call) => {
                if let Callee::Operand(callee) = &mut call.callee {
                    f(callee);
                }
                call.args.iter_mut().for_each(|arg| f(&mut arg.value));
                let operands = call.bundles.iter_mut().flat_map(|bundle| &mut bundle.operands);
                operands.for_each(|(_, operand)| f(operand));
            }
            InstKind::Ret { value } => value.iter_mut().for_each(f),
            InstKind::CondBr { condition, .. } => f(condition),
            InstKind::Switch { value, .. } => f(value),
            InstKind::Fence { .. } | InstKind::Br { .. } | InstKind::Unreachable => {}
        }
    }

    /// Every block that it names, to be changed: where it may go, where what a `phi` takes comes from.
    pub fn each_block_mut(&mut self, mut f: impl FnMut(&mut Block)) {
        match self {
            InstKind::Phi { incoming, .. } => incoming.iter_mut().for_each(|(_, block)| f(block)),
            InstKind::Br { target } => f(target),
            InstKind::CondBr { then, otherwise, .. } => [then, otherwise].into_iter().for_each(f),
            InstKind::Switch { default, cases, .. } => {
                f(default);
                cases.iter_mut().for_each(|(_, block)| f(block));
            }
            _ => {}
        }
    }
}

impl Operand {
    /// Its type; `None` for metadata.
    pub fn ty(self, body: &Body, constants: &Constants) -> Option<Type> {
        match self {
            Operand::Value(value) => Some(body.values[value].ty),
            Operand::Const(constant) => Some(constants.ty(constant)),
            Operand::Metadata(_) => None,
        }
    }
}
