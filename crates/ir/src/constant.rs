//! Constants, interned in a module: their type is part of them.
//!
//! Follows "Constants" of the LLVM Language Reference. A vector all of whose elements are equal is [`ConstKind::Splat`],
//! however it was spelled, and an aggregate of nothing but zeros is [`ConstKind::Zero`] only where it was spelled so.

use std::hash::{Hash, Hasher};

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::entity::{Id as _, id};
use crate::integer::Integer;
use crate::module::Global;
use crate::opcode::{BinaryOp, CastOp, Flags};
use crate::types::Type;

id! {
    /// A constant of a module.
    Const, "const"
}

/// A constant and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its type.
    pub ty: Type,
    /// What it is.
    pub kind: ConstKind,
}

impl Hash for Constant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let word = match &self.kind {
            ConstKind::Int(value) => value.to_u64(),
            _ => None,
        };
        match word {
            // Most are integers of one word: value and type are one number then.
            Some(word) => state.write_u64(word ^ (self.ty.index() as u64).rotate_right(24)),
            None => (self.ty, &self.kind).hash(state),
        }
    }
}

/// What a constant is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstKind {
    /// An integer.
    Int(Integer),
    /// The bits of a floating-point number.
    Float(u128),
    /// `null`.
    Null,
    /// `none`, of a token.
    None,
    /// `undef`.
    Undef,
    /// `poison`.
    Poison,
    /// `zeroinitializer`.
    Zero,
    /// The parts of a vector, array or structure.
    Aggregate(Vec<Const>),
    /// A vector of one element over and over.
    Splat(Const),
    /// `c"…"`, an array of bytes.
    Bytes(Vec<u8>),
    /// The address of a global.
    Global(Global),
    /// An expression.
    Expr(Expr),
}

/// A constant expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the language reference's")]
pub enum Expr {
    Cast { op: CastOp, value: Const },
    Binary { op: BinaryOp, flags: Flags, lhs: Const, rhs: Const },
    Gep { flags: Flags, range: Option<(Integer, Integer)>, source: Type, base: Const, indices: Vec<Const> },
    ExtractElement { vector: Const, index: Const },
    InsertElement { vector: Const, value: Const, index: Const },
    ShuffleVector { lhs: Const, rhs: Const, mask: Const },
}

/// The constants of a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constants {
    items: IndexSet<Constant, FxBuildHasher>,
}

impl Constants {
    /// The constant `kind` of type `ty`.
    pub fn intern(&mut self, ty: Type, kind: ConstKind) -> Const {
        Const::new(self.items.insert_full(Constant { ty, kind }).0)
    }

    /// The integer of that type, which has `bits` bits, up to 64.
    pub fn narrow(&mut self, ty: Type, bits: u32, value: u64) -> Const {
        self.intern(ty, ConstKind::Int(Integer::new(bits, value)))
    }

    /// Makes room for as many more.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What a constant is.
    pub fn kind(&self, constant: Const) -> &ConstKind {
        &self.items[constant.index()].kind
    }

    /// Its type.
    pub fn ty(&self, constant: Const) -> Type {
        self.items[constant.index()].ty
    }

    /// The integer that a constant is.
    pub fn int(&self, constant: Const) -> Option<&Integer> {
        match self.kind(constant) {
            ConstKind::Int(value) => Some(value),
            _ => None,
        }
    }
}
