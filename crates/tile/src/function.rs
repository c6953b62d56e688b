//! Modules, functions, buffers and variables.

use std::sync::Arc;

use wavemark_diag::Span;

use crate::dtype::Dtype;
use crate::expr::{BufferId, Expr, VarId};
use crate::stmt::{Annotations, Stmt};

/// Which of TVMScript's two spellings a text uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// TVM up to 0.22: `tir`, `T.block`, `T.alloc_buffer`.
    Old,
    /// TVM from 0.25: `tirx`, `T.sblock`, `T.sblock_alloc_buffer`.
    New,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Name hint; the printer makes it unique where it must. Shared by the copies of a variable.
    pub name: Arc<str>,
    /// Its type.
    pub dtype: Dtype,
}

/// A buffer: a multi-dimensional array, or a view of one (`match_buffer`).
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Name hint.
    pub name: Arc<str>,
    /// Element type.
    pub dtype: Dtype,
    /// Elements a dimension.
    pub shape: Vec<Expr>,
    /// Elements from one index to the next, a dimension; empty: compact and row-major.
    pub strides: Vec<Expr>,
    /// Elements before the first (`elem_offset`), when given.
    pub elem_offset: Option<Expr>,
    /// `offset_factor`, 0 when not given.
    pub offset_factor: i64,
    /// `align` in bytes, when given.
    pub align: Option<i64>,
    /// Storage scope: `global`, `shared`, `shared.dyn`, `local`, `wmma.matrix_a`, …
    pub scope: String,
    /// Where it was declared.
    pub span: Option<Span>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Param {
    /// A scalar.
    Scalar(VarId),
    /// A buffer. In the old dialect it may come as a handle with a name of its own.
    Buffer {
        /// The buffer.
        buffer: BufferId,
        /// The name of the handle, where the text had one.
        handle: Option<String>,
    },
}

/// A function (TVM's `PrimFunc`).
///
/// Variables that a buffer parameter's shape mentions and that are not parameters are bound by the argument's
/// shape at the call. The body is the root block where the text has one, implicit or not.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in the module.
    pub name: String,
    /// `private=True`.
    pub private: bool,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// All variables, by [`VarId`].
    pub vars: Vec<Var>,
    /// All buffers, by [`BufferId`].
    pub buffers: Vec<Buffer>,
    /// `T.func_attr`.
    pub attributes: Annotations,
    /// What it does.
    pub body: Stmt,
    /// Where it was written.
    pub span: Option<Span>,
}

impl Function {
    /// The variable.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    /// The buffer.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }

    /// Adds a variable.
    pub fn add_var(&mut self, name: &str, dtype: Dtype) -> VarId {
        self.vars.push(Var { name: name.into(), dtype });
        VarId(self.vars.len() as u32 - 1)
    }

    /// Adds a variable like `id`.
    pub fn copy_var(&mut self, id: VarId) -> VarId {
        let copy = self.var(id).clone();
        self.vars.push(copy);
        VarId(self.vars.len() as u32 - 1)
    }

    /// Adds a buffer.
    pub fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// The variable as an expression.
    pub fn var_expr(&self, id: VarId) -> Expr {
        Expr::Var(id, self.var(id).dtype)
    }
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The class name in TVMScript (`Module`).
    pub name: String,
    /// The spelling it was written in.
    pub dialect: Dialect,
    /// Module attributes (`I.module_attrs`).
    pub attributes: Annotations,
    /// Its functions in order.
    pub functions: Vec<Function>,
}
