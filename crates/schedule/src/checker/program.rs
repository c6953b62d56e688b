//! A function as the checker walks it: the control that asynchronous constructs sit in, and *leaves*, the statements
//! between them, reduced to their accesses of buffers that an asynchronous operation touches. [`super::compile`] makes it.
//!
//! Leaves come from the actual loads and stores. An opaque access (an intrinsic that is given a buffer's address)
//! counts as what the innermost enclosing block declares of that buffer and is inexact; `tvm_access_ptr` says its
//! range itself. Views (`match_buffers`) are resolved to what they name.
//!
//! Buffers that no asynchronous operation touches, and those that nothing writes, cannot conflict: their accesses are
//! dropped. A buffer that only asynchronous operations of one queue write and nothing reads is ordered by the queue:
//! conflicts are possible inside one group only ([`Program::private`]).

use wavemark_tile::{BufferId, Expr, VarId};

use super::report::Place;

/// A statement, wait or commit that reports can name: an index into [`Program::places`].
pub(super) type SiteId = u32;

pub(super) struct Program {
    pub body: Node,
    pub leaves: Vec<Leaf>,
    pub places: Vec<Place>,
    /// The wait scopes in order: their places.
    pub waits: Vec<WaitSite>,
    /// By buffer: the queue, when only asynchronous operations of one queue write it and nothing reads it.
    pub private: Vec<Option<i64>>,
    /// By buffer: an asynchronous operation writes it and the caller sees it.
    pub output: Vec<bool>,
    pub has_async: bool,
    /// No wait count is larger, as far as the constants in it say.
    pub largest_count: i64,
    /// Some loop still asks to be pipelined.
    pub annotated: bool,
}

pub(super) struct WaitSite {
    pub place: SiteId,
    pub queue: Expr,
    pub count: Expr,
}

pub(super) struct LoopNode {
    pub var: VarId,
    pub min: Expr,
    pub extent: Expr,
    pub step: Option<Expr>,
    pub place: SiteId,
    pub body: Node,
}

pub(super) enum Node {
    Seq(Vec<Node>),
    /// Iterations one after the other.
    Loop(Box<LoopNode>),
    /// Iterations side by side (threads): the variable is all of them at once.
    Span {
        var: VarId,
        min: Expr,
        extent: Expr,
        body: Box<Node>,
    },
    Bind {
        var: VarId,
        value: Expr,
        body: Box<Node>,
    },
    Branch {
        condition: Expr,
        place: SiteId,
        then: Box<Node>,
        otherwise: Option<Box<Node>>,
    },
    Commit {
        queue: Expr,
        place: SiteId,
        body: Box<Node>,
    },
    Wait {
        site: usize,
        body: Box<Node>,
    },
    Leaf(u32),
}

/// A statement without asynchronous constructs inside.
pub(super) struct Leaf {
    pub place: SiteId,
    pub kind: LeafKind,
    pub ops: Vec<Op>,
    /// Variables of the walk that `ops` mention.
    pub free: Vec<VarId>,
    /// It writes a buffer that the caller sees.
    pub has_output: bool,
    /// The private buffers that it touches ([`Program::private`]).
    pub private: Vec<BufferId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeafKind {
    Sync,
    /// Not asynchronous, but inside a commit scope.
    SyncInCommit,
    Async,
    /// Asynchronous and outside any commit scope.
    Uncommitted,
}

pub(super) enum Op {
    Loop { var: VarId, min: Expr, extent: Expr, step: Option<Expr>, body: Vec<Op> },
    Bind { var: VarId, value: Expr },
    If { condition: Expr, then: Vec<Op>, otherwise: Vec<Op> },
    Access(Access),
}

pub(super) struct Access {
    /// Its number in the program.
    pub number: u32,
    /// The store or call.
    pub place: SiteId,
    pub buffer: BufferId,
    pub write: bool,
    pub dims: Dims,
    /// It may touch less than it says.
    pub inexact: bool,
}

pub(super) enum Dims {
    /// Start and extent, a dimension.
    Ranges(Vec<(Expr, Option<Expr>)>),
    /// Elements from the first in row-major order.
    Flat(Expr, Expr),
    Whole,
}

pub(super) fn expr_vars(expr: &Expr, visit: &mut impl FnMut(VarId)) {
    expr.visit(&mut |inner| {
        if let Expr::Var(var, _) = inner {
            visit(*var);
        }
    });
}
