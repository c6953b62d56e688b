//! Whether two programs are the same, and where they first differ.
//!
//! Ids and names of variables and buffers do not count: a variable is the same as another when the same node
//! defines both. What counts is everything else: structure, types, shapes, scopes, regions, predicates, values,
//! annotations, names of blocks. Spans do not count. A sequence in a sequence is one sequence, and an empty one is
//! the statement that does nothing. Constants are compared by bits, so a NaN is itself.

mod describe;

use std::fmt;

use rustc_hash::FxHashMap;

use self::describe::{describe, first, flattened, label, show};
use crate::dtype::Dtype;
use crate::expr::{BufferId, Expr, VarId};
use crate::function::{Buffer, Dialect, Function, Module, Param};
use crate::print::{print_expr, print_region};
use crate::stmt::{Annotation, Annotations, Axis, Block, For, Range, Region, Stmt};

/// What does not count in a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The values of `async_wait_inflight_count`: the waits must be there, but may be stricter or laxer.
    pub ignore_inflight_counts: bool,
}

/// The first place where two programs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The nodes from the body of the function inwards, `/` between them: `root/""/for i/b/T.where`. The names are
    /// the left program's; the second of several siblings with one name is `b#2`.
    pub path: String,
    /// What the left program has there.
    pub left: String,
    /// What the right program has there.
    pub right: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} vs {}", self.path, self.left, self.right)
    }
}

/// Where the functions first differ, if they do. Their names do not count.
pub fn first_difference(left: &Function, right: &Function) -> Option<Difference> {
    Comparison::default().first_difference(left, right)
}

impl Comparison {
    /// Where the functions first differ, if they do. Their names do not count.
    pub fn first_difference(self, left: &Function, right: &Function) -> Option<Difference> {
        let mut comparer =
            Comparer { options: self, left, right, vars: Pairs::default(), buffers: Pairs::default() };
        comparer.functions().err().map(|difference| *difference)
    }

    /// Where the modules first differ: their attributes, then each function by name. Order and dialect do not
    /// count.
    pub fn first_module_difference(self, left: &Module, right: &Module) -> Option<Difference> {
        let names = |module: &Module| {
            let mut names: Vec<String> = module.functions.iter().map(|f| f.name.clone()).collect();
            names.sort();
            names.join(", ")
        };
        if names(left) != names(right) {
            let difference =
                mismatch(format!("functions {}", names(left)), format!("functions {}", names(right)));
            return Some(*difference);
        }
        let empty = left.functions.first().or(right.functions.first());
        if let Some(function) = empty {
            let mut comparer = Comparer {
                options: self,
                left: function,
                right: function,
                vars: Pairs::default(),
                buffers: Pairs::default(),
            };
            if let Err(difference) = comparer.annotations(&left.attributes, &right.attributes) {
                return Some(*within("I.module_attrs")(difference));
            }
        }
        left.functions.iter().find_map(|function| {
            let other = right.functions.iter().find(|other| other.name == function.name)?;
            let difference = self.first_difference(function, other)?;
            Some(*within(&function.name)(Box::new(difference)))
        })
    }
}

type Same = Result<(), Box<Difference>>;

/// Which id of the left stands for which of the right, and back.
#[derive(Debug)]
struct Pairs<Id> {
    to_right: FxHashMap<Id, Id>,
    to_left: FxHashMap<Id, Id>,
}

impl<Id> Default for Pairs<Id> {
    fn default() -> Self {
        Pairs { to_right: FxHashMap::default(), to_left: FxHashMap::default() }
    }
}

impl<Id: Copy + Eq + std::hash::Hash> Pairs<Id> {
    fn define(&mut self, left: Id, right: Id) {
        self.to_right.insert(left, right);
        self.to_left.insert(right, left);
    }

    /// The two stand for each other. Two that nothing defined yet do from now on.
    fn same(&mut self, left: Id, right: Id) -> bool {
        match (self.to_right.get(&left), self.to_left.get(&right)) {
            (None, None) => {
                self.define(left, right);
                true
            }
            (to_right, to_left) => to_right == Some(&right) && to_left == Some(&left),
        }
    }
}

struct Comparer<'a> {
    options: Comparison,
    left: &'a Function,
    right: &'a Function,
    vars: Pairs<VarId>,
    buffers: Pairs<BufferId>,
}

fn mismatch(left: impl Into<String>, right: impl Into<String>) -> Box<Difference> {
    Box::new(Difference { path: String::new(), left: left.into(), right: right.into() })
}

/// Puts a difference one level further in.
fn within(segment: &str) -> impl FnOnce(Box<Difference>) -> Box<Difference> {
    move |mut difference| {
        let separator = if difference.path.is_empty() { "" } else { "/" };
        difference.path = format!("{segment}{separator}{}", difference.path);
        difference
    }
}

fn equal<T: PartialEq + fmt::Display>(left: T, right: T) -> Same {
    if left == right { Ok(()) } else { Err(mismatch(left.to_string(), right.to_string())) }
}

impl Comparer<'_> {
    fn functions(&mut self) -> Same {
        let (left, right) = (self.left, self.right);
        equal(left.private, right.private).map_err(within("private"))?;
        equal(left.params.len(), right.params.len()).map_err(within("number of parameters"))?;
        for (position, pair) in left.params.iter().zip(&right.params).enumerate() {
            self.params(pair).map_err(within(&format!("parameter {position}")))?;
        }
        self.annotations(&left.attributes, &right.attributes).map_err(within("T.func_attr"))?;
        self.stmts(&left.body, &right.body)
    }

    fn params(&mut self, pair: (&Param, &Param)) -> Same {
        match pair {
            (Param::Scalar(left), Param::Scalar(right)) => self.define_var(*left, *right),
            (Param::Buffer { buffer: left, .. }, Param::Buffer { buffer: right, .. }) => {
                self.define_buffer(*left, *right)
            }
            (Param::Scalar(_), Param::Buffer { .. }) => Err(mismatch("a scalar", "a buffer")),
            (Param::Buffer { .. }, Param::Scalar(_)) => Err(mismatch("a buffer", "a scalar")),
        }
    }

    fn define_var(&mut self, left: VarId, right: VarId) -> Same {
        let dtype = |function: &Function, id: VarId| {
            function.vars.get(id.0 as usize).map_or(Dtype::Void, |var| var.dtype)
        };
        equal(dtype(self.left, left), dtype(self.right, right))?;
        self.vars.define(left, right);
        Ok(())
    }

    fn define_buffer(&mut self, left: BufferId, right: BufferId) -> Same {
        self.buffers.define(left, right);
        let pair = (self.left.buffers.get(left.0 as usize), self.right.buffers.get(right.0 as usize));
        match pair {
            (Some(a), Some(b)) => self.buffer(a, b).map_err(within(&a.name)),
            (None, None) => Ok(()),
            (a, _) => {
                let text = |exists| if exists { "a buffer" } else { "no buffer" };
                Err(mismatch(text(a.is_some()), text(a.is_none())))
            }
        }
    }

    fn buffer(&mut self, left: &Buffer, right: &Buffer) -> Same {
        equal(left.dtype, right.dtype).map_err(within("dtype"))?;
        self.exprs(&left.shape, &right.shape).map_err(within("shape"))?;
        self.exprs(&left.strides, &right.strides).map_err(within("strides"))?;
        equal(&left.scope, &right.scope).map_err(within("scope"))?;
        let zero = Expr::int(0);
        let offset = |buffer: &Buffer| buffer.elem_offset.clone().unwrap_or_else(|| zero.clone());
        self.expr(&offset(left), &offset(right)).map_err(within("elem_offset"))?;
        equal(left.offset_factor, right.offset_factor).map_err(within("offset_factor"))?;
        // 64 bytes is what TVM takes where nothing is said.
        equal(left.align.unwrap_or(64), right.align.unwrap_or(64)).map_err(within("align"))
    }

    fn stmts(&mut self, left: &Stmt, right: &Stmt) -> Same {
        let (lefts, rights) = (flattened(left), flattened(right));
        for (position, (a, b)) in lefts.iter().zip(&rights).enumerate() {
            self.stmt(a, b).map_err(|difference| {
                let name = label(self.left, a);
                if name.is_empty() {
                    return difference;
                }
                let same = lefts.iter().take(position).filter(|s| label(self.left, s) == name).count();
                let numbered = if same == 0 { name } else { format!("{name}#{}", same + 1) };
                within(&numbered)(difference)
            })?;
        }
        match (lefts.get(rights.len()), rights.get(lefts.len())) {
            (None, None) => Ok(()),
            (a, b) => Err(mismatch(
                a.map_or("nothing more".into(), |stmt| describe(self.left, stmt)),
                b.map_or("nothing more".into(), |stmt| describe(self.right, stmt)),
            )),
        }
    }

    fn stmt(&mut self, left: &Stmt, right: &Stmt) -> Same {
        match (left, right) {
            (Stmt::For(a), Stmt::For(b)) => self.loops(a, b),
            (Stmt::Block(a), Stmt::Block(b)) => self.block(a, b),
            (Stmt::Store(a), Stmt::Store(b)) => {
                if !self.buffers.same(a.buffer, b.buffer) {
                    return Err(mismatch(describe(self.left, left), describe(self.right, right)));
                }
                self.exprs(&a.indices, &b.indices).map_err(within("index"))?;
                self.expr(&a.value, &b.value)
            }
            (
                Stmt::If { condition: a, then: a_then, otherwise: a_else },
                Stmt::If { condition: b, then: b_then, otherwise: b_else },
            ) => {
                self.expr(a, b).map_err(within("condition"))?;
                self.stmts(a_then, b_then).map_err(within("then"))?;
                match (a_else, b_else) {
                    (None, None) => Ok(()),
                    (Some(a), Some(b)) => self.stmts(a, b).map_err(within("else")),
                    (a, b) => {
                        let text = |function, stmt: &Option<Box<Stmt>>| match stmt {
                            Some(stmt) => format!("else: {}", describe(function, first(stmt))),
                            None => "no else".into(),
                        };
                        Err(mismatch(text(self.left, a), text(self.right, b)))
                    }
                }
            }
            (
                Stmt::Attr { key: a, value: av, body: ab, .. },
                Stmt::Attr { key: b, value: bv, body: bb, .. },
            ) => {
                if a != b {
                    return Err(mismatch(describe(self.left, left), describe(self.right, right)));
                }
                if !(self.options.ignore_inflight_counts && a == "async_wait_inflight_count") {
                    self.expr(av, bv)?;
                }
                self.stmts(ab, bb)
            }
            (Stmt::Let { var: a, value: av, body: ab }, Stmt::Let { var: b, value: bv, body: bb }) => {
                self.expr(av, bv)?;
                self.define_var(*a, *b)?;
                self.stmts(ab, bb)
            }
            (Stmt::Evaluate(a, _), Stmt::Evaluate(b, _)) => self.expr(a, b),
            _ => Err(mismatch(describe(self.left, left), describe(self.right, right))),
        }
    }

    fn loops(&mut self, left: &For, right: &For) -> Same {
        equal(format!("{:?}", left.kind), format!("{:?}", right.kind)).map_err(within("kind"))?;
        self.expr(&left.min, &right.min).map_err(within("min"))?;
        self.expr(&left.extent, &right.extent).map_err(within("extent"))?;
        let one = Expr::int(1);
        let step = |node: &For| match &node.step {
            Some(step) if step.as_int() != Some(1) => step.clone(),
            _ => one.clone(),
        };
        self.expr(&step(left), &step(right)).map_err(within("step"))?;
        self.define_var(left.var, right.var)?;
        self.annotations(&left.annotations, &right.annotations).map_err(within("annotations"))?;
        self.stmts(&left.body, &right.body)
    }

    fn block(&mut self, left: &Block, right: &Block) -> Same {
        equal(format!("block \"{}\"", left.name), format!("block \"{}\"", right.name))?;
        equal(left.axes.len(), right.axes.len()).map_err(within("number of axes"))?;
        for (a, b) in left.axes.iter().zip(&right.axes) {
            self.axis(a, b).map_err(within("T.axis"))?;
        }
        self.expr(&left.predicate, &right.predicate).map_err(within("T.where"))?;
        self.regions(&left.reads, &right.reads).map_err(within("T.reads"))?;
        self.regions(&left.writes, &right.writes).map_err(within("T.writes"))?;
        self.annotations(&left.annotations, &right.annotations).map_err(within("T.block_attr"))?;
        equal(left.alloc_buffers.len(), right.alloc_buffers.len())
            .map_err(within("number of allocations"))?;
        for (a, b) in left.alloc_buffers.iter().zip(&right.alloc_buffers) {
            self.define_buffer(*a, *b).map_err(within("allocation"))?;
        }
        equal(left.match_buffers.len(), right.match_buffers.len())
            .map_err(within("number of T.match_buffer"))?;
        for (a, b) in left.match_buffers.iter().zip(&right.match_buffers) {
            self.region(&a.source, &b.source).map_err(within("T.match_buffer"))?;
            self.define_buffer(a.buffer, b.buffer).map_err(within("T.match_buffer"))?;
        }
        match (&left.init, &right.init) {
            (None, None) => {}
            (Some(a), Some(b)) => self.stmts(a, b).map_err(within("T.init"))?,
            (a, _) => {
                let text = |exists| if exists { "T.init" } else { "no T.init" };
                return Err(mismatch(text(a.is_some()), text(a.is_none())));
            }
        }
        self.stmts(&left.body, &right.body)
    }

    fn axis(&mut self, left: &Axis, right: &Axis) -> Same {
        equal(format!("{:?}", left.kind), format!("{:?}", right.kind))?;
        self.range(&left.domain, &right.domain)?;
        self.expr(&left.value, &right.value)?;
        self.define_var(left.var, right.var)
    }

    fn range(&mut self, left: &Range, right: &Range) -> Same {
        self.expr(&left.min, &right.min)?;
        self.expr(&left.extent, &right.extent)
    }

    fn regions(&mut self, left: &[Region], right: &[Region]) -> Same {
        for (a, b) in left.iter().zip(right) {
            self.region(a, b)?;
        }
        let text = |function, region: Option<&Region>| {
            region.map_or("nothing more".into(), |region| print_region(function, region, Dialect::New))
        };
        if left.len() == right.len() {
            return Ok(());
        }
        Err(mismatch(text(self.left, left.get(right.len())), text(self.right, right.get(left.len()))))
    }

    /// A difference inside a region is shown as the regions, which say more than a bound.
    fn region(&mut self, left: &Region, right: &Region) -> Same {
        let same = self.buffers.same(left.buffer, right.buffer)
            && left.ranges.len() == right.ranges.len()
            && left.ranges.iter().zip(&right.ranges).all(|(a, b)| self.range(a, b).is_ok());
        if same {
            return Ok(());
        }
        let text = |function, region| print_region(function, region, Dialect::New);
        Err(told_apart(text(self.left, left), text(self.right, right)))
    }

    fn exprs(&mut self, left: &[Expr], right: &[Expr]) -> Same {
        let same = left.len() == right.len() && left.iter().zip(right).all(|(a, b)| self.same(a, b));
        if same {
            return Ok(());
        }
        let text = |function, exprs: &[Expr]| {
            let texts: Vec<_> = exprs.iter().map(|expr| print_expr(function, expr, Dialect::New)).collect();
            format!("({})", texts.join(", "))
        };
        Err(told_apart(text(self.left, left), text(self.right, right)))
    }

    fn expr(&mut self, left: &Expr, right: &Expr) -> Same {
        if self.same(left, right) {
            return Ok(());
        }
        let text = |function, expr| print_expr(function, expr, Dialect::New);
        Err(told_apart(text(self.left, left), text(self.right, right)))
    }

    fn same(&mut self, left: &Expr, right: &Expr) -> bool {
        let heads = match (left, right) {
            (Expr::Int(a, a_type), Expr::Int(b, b_type)) => a == b && a_type == b_type,
            (Expr::Float(a, a_type), Expr::Float(b, b_type)) => {
                a.to_bits() == b.to_bits() && a_type == b_type
            }
            (Expr::Str(a), Expr::Str(b)) => a == b,
            (Expr::Var(a, a_type), Expr::Var(b, b_type)) => a_type == b_type && self.vars.same(*a, *b),
            (Expr::Binary(a, _), Expr::Binary(b, _)) => a == b,
            (Expr::Not(_), Expr::Not(_)) | (Expr::Select(_), Expr::Select(_)) => true,
            (Expr::Cast(a, _), Expr::Cast(b, _)) => a == b,
            (Expr::Load(a), Expr::Load(b)) => a.dtype == b.dtype && self.buffers.same(a.buffer, b.buffer),
            (Expr::Call(a), Expr::Call(b)) => a.op == b.op && a.dtype == b.dtype,
            (Expr::Data(a), Expr::Data(b)) => self.buffers.same(*a, *b),
            _ => false,
        };
        let (lefts, rights) = (left.children(), right.children());
        heads && lefts.len() == rights.len() && lefts.iter().zip(rights).all(|(a, b)| self.same(a, b))
    }

    fn annotations(&mut self, left: &Annotations, right: &Annotations) -> Same {
        for (key, value) in left {
            let Some(other) = right.get(key) else {
                return Err(within(key)(mismatch(show(self.left, value), "absent")));
            };
            if !self.same_annotation(value, other) {
                let texts = (show(self.left, value), show(self.right, other));
                return Err(within(key)(told_apart(texts.0, texts.1)));
            }
        }
        match right.iter().find(|(key, _)| !left.contains_key(*key)) {
            Some((key, value)) => Err(within(key)(mismatch("absent", show(self.right, value)))),
            None => Ok(()),
        }
    }

    fn same_annotation(&mut self, left: &Annotation, right: &Annotation) -> bool {
        match (plain(left), plain(right)) {
            (Annotation::List(a), Annotation::List(b)) => {
                a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| self.same_annotation(a, b))
            }
            (Annotation::Dict(a), Annotation::Dict(b)) => self.annotations(&a, &b).is_ok(),
            (Annotation::Expr(a), Annotation::Expr(b)) => self.same(&a, &b),
            (Annotation::Float(a), Annotation::Float(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        }
    }
}

/// The dialects write constants as expressions or as plain values; they are the same.
fn plain(annotation: &Annotation) -> Annotation {
    match annotation {
        Annotation::Expr(Expr::Int(value, Dtype::BOOL)) => Annotation::Bool(*value != 0),
        Annotation::Expr(Expr::Int(value, Dtype::INT32)) => Annotation::Int(*value),
        Annotation::Expr(Expr::Str(text)) => Annotation::Str(text.to_string()),
        other => other.clone(),
    }
}

/// Texts that read alike differ in which variable they mean.
fn told_apart(left: String, right: String) -> Box<Difference> {
    let right = if left == right { format!("{right} of other variables, buffers or types") } else { right };
    mismatch(left, right)
}
