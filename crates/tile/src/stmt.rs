//! Statements of the tile level: TVM's TIR with blocks, as a tree that owns its parts.
//!
//! Attribute keys with a meaning here (see the asynchronous-pipeline RFC): `async_commit_queue_scope`,
//! `async_wait_queue_scope`, `async_wait_inflight_count`, `async_scope`; loop annotations:
//! `software_pipeline_stage`, `software_pipeline_order`, `software_pipeline_async_stages`, `num_stages`;
//! block annotation: `double_buffer_scope`. Everything else is carried through.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use smallvec::SmallVec;
use wavemark_diag::Span;

use crate::expr::{BufferId, Expr, Indices, VarId};
use crate::fold;

/// What an annotation may hold.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Annotation {
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    List(Vec<Annotation>),
    Dict(BTreeMap<String, Annotation>),
    /// An expression that is not constant.
    Expr(Expr),
}

impl Annotation {
    /// A list of integers, as the pipeline annotations are.
    pub fn int_list(&self) -> Option<Vec<i64>> {
        match self {
            Annotation::List(items) => items
                .iter()
                .map(|item| match item {
                    Annotation::Int(value) => Some(*value),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

/// Annotations of a loop, block or function by key.
pub type Annotations = BTreeMap<String, Annotation>;

/// A half-open range `min .. min + extent`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The first value.
    pub min: Expr,
    /// How many values.
    pub extent: Expr,
}

impl Range {
    /// The first value and the one after the last, where they are constants, the first also as an operator of two.
    pub fn constants(&self) -> Option<(i64, i64)> {
        let min = fold::value(&self.min)?;
        Some((min, min.checked_add(self.extent.as_int()?)?))
    }
}

/// Ranges of a box, in place where it has as few dimensions as most have.
pub type Ranges = SmallVec<[Range; 3]>;

/// A box of a buffer: one range a dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The buffer.
    pub buffer: BufferId,
    /// One range a dimension.
    pub ranges: Ranges,
}

/// How the iterations of a loop relate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForKind {
    /// One after the other.
    Serial,
    /// In any order, on several cores.
    Parallel,
    /// As one vector operation.
    Vectorized,
    /// Written out.
    Unrolled,
    /// One iteration a thread: the tag is `threadIdx.x`, `blockIdx.y`, `vthread`, …
    ThreadBinding(String),
}

/// A loop: `var` takes `min, min + step, …` below `min + extent`.
#[derive(Clone, Debug)]
pub struct For {
    /// The loop variable.
    pub var: VarId,
    /// Its first value.
    pub min: Expr,
    /// The length of its range (not the number of iterations when `step` is not 1).
    pub extent: Expr,
    /// The distance of two values; `None` is 1.
    pub step: Option<Expr>,
    /// How the iterations relate.
    pub kind: ForKind,
    /// Annotations.
    pub annotations: Annotations,
    /// The statement that is repeated.
    pub body: Stmt,
    /// Where it was written.
    pub span: Option<Span>,
}

/// The kind of a block axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKind {
    /// `S`: data parallel.
    Spatial,
    /// `R`: commutative reduction.
    Reduce,
    /// `O`: ordered, opaque.
    Opaque,
    /// `scan`.
    Scan,
}

/// A block axis and what it is bound to.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The block's own variable.
    pub var: VarId,
    /// Its domain.
    pub domain: Range,
    /// Its kind.
    pub kind: AxisKind,
    /// The value it has in this realization.
    pub value: Expr,
}

/// A buffer that is another name for a region of one.
#[derive(Clone, Debug)]
pub struct MatchBuffer {
    /// The new name.
    pub buffer: BufferId,
    /// What it names.
    pub source: Region,
}

/// A block with the predicate it is realized under (TVM's `BlockRealize` and `Block` in one).
#[derive(Clone, Debug)]
pub struct Block {
    /// Name hint; may be empty and need not be unique. Shared by the copies of a block.
    pub name: Arc<str>,
    /// Axes with their bindings.
    pub axes: Vec<Axis>,
    /// `T.where`: the block runs only where this holds; `true` when absent.
    pub predicate: Expr,
    /// What it may read.
    pub reads: Vec<Region>,
    /// What it may write.
    pub writes: Vec<Region>,
    /// Buffers that live as long as the block.
    pub alloc_buffers: Vec<BufferId>,
    /// Other names for regions.
    pub match_buffers: Vec<MatchBuffer>,
    /// Annotations (`T.sblock_attr`).
    pub annotations: Annotations,
    /// `T.init`: what runs before the first reduction step.
    pub init: Option<Stmt>,
    /// The statement.
    pub body: Stmt,
    /// Where it was written.
    pub span: Option<Span>,
}

impl Block {
    /// A block around `body` that declares nothing: no axes, no predicate, no regions.
    pub fn opaque(name: &str, body: Stmt) -> Block {
        Block {
            name: if name.is_empty() { Arc::default() } else { name.into() },
            axes: Vec::new(),
            predicate: Expr::bool(true),
            reads: Vec::new(),
            writes: Vec::new(),
            alloc_buffers: Vec::new(),
            match_buffers: Vec::new(),
            annotations: Annotations::new(),
            init: None,
            body,
            span: None,
        }
    }
}

/// A write of one element.
#[derive(Clone, Debug)]
pub struct Store {
    /// What is written.
    pub buffer: BufferId,
    /// One index a dimension.
    pub indices: Indices,
    /// The value; its type is the buffer's.
    pub value: Expr,
    /// Where it was written.
    pub span: Option<Span>,
}

/// A statement. Spans are not part of what it means; compare with [`crate::equal`].
#[derive(Clone, Debug)]
pub enum Stmt {
    /// One after the other.
    Seq(Vec<Stmt>),
    /// A loop.
    For(Box<For>),
    /// A block.
    Block(Box<Block>),
    /// A write.
    Store(Box<Store>),
    /// A conditional.
    If {
        /// What decides.
        condition: Expr,
        /// Runs where it holds.
        then: Box<Stmt>,
        /// Runs where it does not.
        otherwise: Option<Box<Stmt>>,
    },
    /// A scope with an attribute. `value` is an integer or an expression; the node is always `0`.
    Attr {
        /// The attribute.
        key: Cow<'static, str>,
        /// Its value.
        value: Expr,
        /// The scope.
        body: Box<Stmt>,
        /// Where the attribute was written.
        span: Option<Span>,
    },
    /// A variable for a value.
    Let {
        /// The variable.
        var: VarId,
        /// The value.
        value: Expr,
        /// Where it holds.
        body: Box<Stmt>,
    },
    /// An expression for its effect. `T.evaluate(0)` is the statement that does nothing.
    Evaluate(Expr, Option<Span>),
}

impl Stmt {
    /// The statement that does nothing.
    pub fn nop() -> Stmt {
        Stmt::Evaluate(Expr::int(0), None)
    }

    /// The statements as one: no `Seq` around a single one.
    pub fn seq(mut statements: Vec<Stmt>) -> Stmt {
        match statements.len() {
            1 => statements.remove(0),
            _ => Stmt::Seq(statements),
        }
    }

    /// `body` under an attribute that nobody wrote.
    pub fn attr(key: &'static str, value: Expr, body: Stmt) -> Stmt {
        Stmt::Attr { key: key.into(), value, body: Box::new(body), span: None }
    }

    /// The direct sub-statements (a block's `init` before its body).
    pub fn children(&self) -> impl Iterator<Item = &Stmt> {
        let (list, last): (&[Stmt], Option<&Stmt>) = match self {
            Stmt::Seq(statements) => (statements, None),
            Stmt::For(node) => (slice::from_ref(&node.body), None),
            Stmt::Block(block) => (block.init.as_slice(), Some(&block.body)),
            Stmt::If { then, otherwise, .. } => (slice::from_ref(then), otherwise.as_deref()),
            Stmt::Attr { body, .. } | Stmt::Let { body, .. } => (slice::from_ref(body), None),
            Stmt::Store(_) | Stmt::Evaluate(..) => (&[], None),
        };
        list.iter().chain(last)
    }

    /// The direct sub-statements, to change.
    pub fn children_mut(&mut self) -> impl Iterator<Item = &mut Stmt> {
        let (list, last): (&mut [Stmt], Option<&mut Stmt>) = match self {
            Stmt::Seq(statements) => (statements, None),
            Stmt::For(node) => (slice::from_mut(&mut node.body), None),
            Stmt::Block(block) => (block.init.as_mut_slice(), Some(&mut block.body)),
            Stmt::If { then, otherwise, .. } => (slice::from_mut(then), otherwise.as_deref_mut()),
            Stmt::Attr { body, .. } | Stmt::Let { body, .. } => (slice::from_mut(body), None),
            Stmt::Store(_) | Stmt::Evaluate(..) => (&mut [], None),
        };
        list.iter_mut().chain(last)
    }

    /// Calls `visit` on this statement and every one inside it, outer first.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Stmt)) {
        visit(self);
        self.children().for_each(|child| child.visit(visit));
    }

    /// Calls `visit` on each expression that this statement holds itself (not those of sub-statements): bounds,
    /// conditions, indices, values, bindings, predicates and regions.
    pub fn own_exprs(&self, visit: &mut impl FnMut(&Expr)) {
        match self {
            Stmt::Seq(_) => {}
            Stmt::For(node) => {
                visit(&node.min);
                visit(&node.extent);
                node.step.iter().for_each(visit);
            }
            Stmt::Block(block) => {
                for axis in &block.axes {
                    visit(&axis.domain.min);
                    visit(&axis.domain.extent);
                    visit(&axis.value);
                }
                visit(&block.predicate);
                let sources = block.match_buffers.iter().map(|matched| &matched.source);
                for region in block.reads.iter().chain(&block.writes).chain(sources) {
                    for range in &region.ranges {
                        visit(&range.min);
                        visit(&range.extent);
                    }
                }
            }
            Stmt::Store(store) => {
                store.indices.iter().for_each(&mut *visit);
                visit(&store.value);
            }
            Stmt::If { condition, .. } => visit(condition),
            Stmt::Attr { value, .. } | Stmt::Let { value, .. } => visit(value),
            Stmt::Evaluate(value, _) => visit(value),
        }
    }

    /// As [`Stmt::own_exprs`], replacing each expression by what `map` makes of it.
    pub fn map_own_exprs(&mut self, map: &mut impl FnMut(&Expr) -> Expr) {
        let mut set = |place: &mut Expr| *place = map(place);
        match self {
            Stmt::Seq(_) => {}
            Stmt::For(node) => {
                set(&mut node.min);
                set(&mut node.extent);
                node.step.iter_mut().for_each(set);
            }
            Stmt::Block(block) => {
                for axis in &mut block.axes {
                    set(&mut axis.domain.min);
                    set(&mut axis.domain.extent);
                    set(&mut axis.value);
                }
                set(&mut block.predicate);
                let sources = block.match_buffers.iter_mut().map(|matched| &mut matched.source);
                for region in block.reads.iter_mut().chain(&mut block.writes).chain(sources) {
                    for range in &mut region.ranges {
                        set(&mut range.min);
                        set(&mut range.extent);
                    }
                }
            }
            Stmt::Store(store) => {
                store.indices.iter_mut().for_each(&mut set);
                set(&mut store.value);
            }
            Stmt::If { condition, .. } => set(condition),
            Stmt::Attr { value, .. } | Stmt::Let { value, .. } => set(value),
            Stmt::Evaluate(value, _) => set(value),
        }
    }

    /// Replaces every occurrence of `var` in this statement and all inside it.
    pub fn substitute(&mut self, var: VarId, value: &Expr) {
        self.map_own_exprs(&mut |expr| expr.substitute(var, value));
        self.children_mut().for_each(|child| child.substitute(var, value));
    }
}
