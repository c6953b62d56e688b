//! Expressions of the tile level: immutable, cheap to clone (shared by `Arc`), each knows its type.
//!
//! The constructors here build exactly what they are asked for; [`crate::fold`] has the ones that fold constants
//! as they build (TVM's operators do the same).

use std::sync::Arc;

use smallvec::SmallVec;

use crate::dtype::Dtype;

/// A variable of a function: an index into [`crate::Function::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A buffer of a function: an index into [`crate::Function::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// An operator of two operands. Operands have one type; comparisons and `And`/`Or` give `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are TVM's")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// `/` on floats; on integers it truncates towards zero (TVM's `T.Div`).
    Div,
    /// The remainder of `Div` on integers (`T.truncmod`).
    Mod,
    FloorDiv,
    FloorMod,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

impl BinaryOp {
    /// The result is `bool` whatever the operands are.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// Indices of an element, in place where there are as few as most have.
pub type Indices = SmallVec<[Expr; 3]>;

/// A read of one element of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// What is read.
    pub buffer: BufferId,
    /// The buffer's element type.
    pub dtype: Dtype,
    /// One index a dimension.
    pub indices: Indices,
}

/// A call of an intrinsic by its TVMScript name without `T.`: `if_then_else`, `exp`, `call_extern`,
/// `tvm_access_ptr`, `type_annotation`, `tvm_storage_sync`, …
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The intrinsic.
    pub op: Arc<str>,
    /// Type of the result.
    pub dtype: Dtype,
    /// Arguments in order; strings are [`Expr::Str`].
    pub args: Vec<Expr>,
}

/// An expression. Equality is structural and by variable and buffer id. It is two words: there are many of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// An integer or `bool` constant.
    Int(i64, Dtype),
    /// A floating-point constant.
    Float(f64, Dtype),
    /// A string argument of a call.
    Str(Arc<String>),
    /// A variable.
    Var(VarId, Dtype),
    /// An operator of two operands.
    Binary(BinaryOp, Arc<[Expr; 2]>),
    /// Logical not.
    Not(Arc<Expr>),
    /// `T.Select(condition, then, otherwise)`: both sides may be evaluated.
    Select(Arc<[Expr; 3]>),
    /// Conversion by value.
    Cast(Dtype, Arc<Expr>),
    /// A read of a buffer.
    Load(Arc<Load>),
    /// An intrinsic.
    Call(Arc<Call>),
    /// The address of a buffer's first element: `B.data`.
    Data(BufferId),
}

impl Expr {
    /// An `int32` constant.
    pub fn int(value: i64) -> Expr {
        Expr::Int(value, Dtype::INT32)
    }

    /// A `bool` constant.
    pub fn bool(value: bool) -> Expr {
        Expr::Int(i64::from(value), Dtype::BOOL)
    }

    /// `op` of two operands, as it stands.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Arc::new([left, right]))
    }

    /// A read of one element.
    pub fn load(buffer: BufferId, dtype: Dtype, indices: impl Into<Indices>) -> Expr {
        Expr::Load(Arc::new(Load { buffer, dtype, indices: indices.into() }))
    }

    /// A call of an intrinsic.
    pub fn call(op: &str, dtype: Dtype, args: Vec<Expr>) -> Expr {
        Expr::Call(Arc::new(Call { op: op.into(), dtype, args }))
    }

    /// The type of the value.
    pub fn dtype(&self) -> Dtype {
        match self {
            Expr::Int(_, dtype) | Expr::Float(_, dtype) | Expr::Var(_, dtype) | Expr::Cast(dtype, _) => {
                *dtype
            }
            Expr::Str(_) => Dtype::Void,
            Expr::Not(_) => Dtype::BOOL,
            Expr::Binary(op, _) if op.is_comparison() => Dtype::BOOL,
            Expr::Binary(BinaryOp::And | BinaryOp::Or, _) => Dtype::BOOL,
            Expr::Binary(_, sides) => sides[0].dtype(),
            Expr::Select(parts) => parts[1].dtype(),
            Expr::Load(load) => load.dtype,
            Expr::Call(call) => call.dtype,
            Expr::Data(_) => Dtype::Handle,
        }
    }

    /// The value of an integer or `bool` constant.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Expr::Int(value, _) => Some(*value),
            _ => None,
        }
    }

    /// The constant `true`.
    pub fn is_true(&self) -> bool {
        self.dtype() == Dtype::BOOL && self.as_int() == Some(1)
    }

    /// The constant `false`.
    pub fn is_false(&self) -> bool {
        self.dtype() == Dtype::BOOL && self.as_int() == Some(0)
    }

    /// The sub-expressions, left to right (indices of a load, arguments of a call).
    pub fn children(&self) -> &[Expr] {
        match self {
            Expr::Int(..) | Expr::Float(..) | Expr::Str(_) | Expr::Var(..) | Expr::Data(_) => &[],
            Expr::Binary(_, sides) => &sides[..],
            Expr::Not(inner) | Expr::Cast(_, inner) => std::slice::from_ref(inner.as_ref()),
            Expr::Select(parts) => &parts[..],
            Expr::Load(load) => &load.indices,
            Expr::Call(call) => &call.args,
        }
    }

    /// Calls `visit` on this expression and every one inside it, outer first.
    pub fn visit(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        for child in self.children() {
            child.visit(visit);
        }
    }

    /// Rebuilds the expression with `map` applied to each direct child (not to itself).
    pub fn map_children(&self, map: &mut impl FnMut(&Expr) -> Expr) -> Expr {
        match self {
            Expr::Int(..) | Expr::Float(..) | Expr::Str(_) | Expr::Var(..) | Expr::Data(_) => self.clone(),
            Expr::Binary(op, sides) => Expr::binary(*op, map(&sides[0]), map(&sides[1])),
            Expr::Not(inner) => Expr::Not(Arc::new(map(inner))),
            Expr::Cast(dtype, inner) => Expr::Cast(*dtype, Arc::new(map(inner))),
            Expr::Select(parts) => Expr::Select(Arc::new([map(&parts[0]), map(&parts[1]), map(&parts[2])])),
            Expr::Load(load) => {
                Expr::load(load.buffer, load.dtype, load.indices.iter().map(map).collect::<Indices>())
            }
            Expr::Call(call) => Expr::Call(Arc::new(Call {
                op: call.op.clone(),
                dtype: call.dtype,
                args: call.args.iter().map(map).collect(),
            })),
        }
    }

    /// Replaces every occurrence of `var` by `value`.
    pub fn substitute(&self, var: VarId, value: &Expr) -> Expr {
        match self {
            Expr::Var(id, _) if *id == var => value.clone(),
            _ => self.map_children(&mut |child| child.substitute(var, value)),
        }
    }

    /// The variable occurs.
    pub fn uses(&self, var: VarId) -> bool {
        matches!(self, Expr::Var(id, _) if *id == var) || self.children().iter().any(|child| child.uses(var))
    }
}

const _: () = assert!(size_of::<Expr>() == 16);
