//! A copy of a statement for one section: the loop variable replaced by the source iteration that the section
//! executes, private buffers by the version of that iteration, and everything that the statement declares renamed,
//! so that the copies share no variable.

use rustc_hash::FxHashMap;
use wavemark_diag::Diagnostic;
use wavemark_tile::{
    Axis, BinaryOp, Block, BufferId, Call, Expr, Function, MatchBuffer, Range, Region, Stmt, VarId, fold,
};

use super::annotations::at;

/// A private buffer and its replacement.
#[derive(Clone, Debug)]
pub struct Versioned {
    /// The buffer with a leading dimension of versions.
    pub buffer: BufferId,
    /// How many.
    pub versions: i64,
    /// Elements from one version to the next.
    pub stride: Expr,
}

/// What a copy is made with.
pub struct Rewriter<'a> {
    /// The function, which gets the new variables and buffers.
    pub function: &'a mut Function,
    /// Private buffers of more than one version.
    pub versioned: &'a FxHashMap<BufferId, Versioned>,
    /// The version that is meant: the source iteration, counted from 0, modulo the number of versions.
    pub iteration: Expr,
    /// Regions name all versions, not the one.
    pub whole_ring: bool,
    vars: FxHashMap<VarId, Expr>,
    buffers: FxHashMap<BufferId, BufferId>,
    refused: Option<Diagnostic>,
}

impl<'a> Rewriter<'a> {
    /// A copy in which `var` is `value`; `iteration` is `var` less the first iteration, with `var` replaced.
    pub fn new(
        function: &'a mut Function,
        versioned: &'a FxHashMap<BufferId, Versioned>,
        var: VarId,
        value: Expr,
        iteration: Expr,
        whole_ring: bool,
    ) -> Rewriter<'a> {
        // Most statements declare a few variables.
        let mut vars = FxHashMap::with_capacity_and_hasher(6, Default::default());
        vars.insert(var, value);
        Rewriter {
            function,
            versioned,
            iteration,
            whole_ring,
            vars,
            buffers: FxHashMap::default(),
            refused: None,
        }
    }

    /// The copy of a block.
    pub fn copy(mut self, block: &Block) -> Result<Block, Diagnostic> {
        let copy = self.block(block);
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok(copy),
        }
    }

    fn version(&self, versioned: &Versioned) -> Expr {
        Expr::binary(
            BinaryOp::FloorMod,
            self.iteration.clone(),
            Expr::Int(versioned.versions, self.iteration.dtype()),
        )
    }

    fn rename(&mut self, var: VarId) -> VarId {
        let new = self.function.copy_var(var);
        self.vars.insert(var, self.function.var_expr(new));
        new
    }

    fn redeclare(&mut self, buffer: BufferId) -> BufferId {
        let mut copy = self.function.buffer(buffer).clone();
        for expr in copy.shape.iter_mut().chain(&mut copy.strides).chain(&mut copy.elem_offset) {
            *expr = self.expr(expr);
        }
        let new = self.function.add_buffer(copy);
        self.buffers.insert(buffer, new);
        new
    }

    fn buffer(&self, buffer: BufferId) -> BufferId {
        self.buffers.get(&buffer).copied().unwrap_or(buffer)
    }

    fn expr(&mut self, expr: &Expr) -> Expr {
        match expr {
            Expr::Var(var, _) => self.vars.get(var).cloned().unwrap_or_else(|| expr.clone()),
            Expr::Load(load) => {
                let (buffer, indices) = self.element(load.buffer, &load.indices);
                Expr::load(buffer, load.dtype, indices)
            }
            Expr::Data(buffer) if self.versioned.contains_key(buffer) => {
                let name = &self.function.buffer(*buffer).name;
                self.refused.get_or_insert_with(|| {
                    at(None, format!("unsupported: `{name}.data` of a buffer with several versions, outside of `T.tvm_access_ptr`"))
                        .help("access the buffer by `T.tvm_access_ptr`, or allocate it outside of the loop")
                });
                expr.clone()
            }
            Expr::Data(buffer) => Expr::Data(self.buffer(*buffer)),
            Expr::Call(call) => self.call(call),
            Expr::Int(..) | Expr::Float(..) | Expr::Str(_) => expr.clone(),
            _ => expr.map_children(&mut |child| self.expr(child)),
        }
    }

    /// `T.tvm_access_ptr(type, B.data, offset, extent, mask)` counts elements from the start of the buffer: the
    /// offset moves to the version. (TVM forgets to subtract the first iteration here.)
    fn call(&mut self, call: &Call) -> Expr {
        let mut args = Vec::with_capacity(call.args.len());
        match (&*call.op, call.args.get(1)) {
            ("tvm_access_ptr", Some(Expr::Data(buffer))) if self.versioned.contains_key(buffer) => {
                let versioned = &self.versioned[buffer];
                args.push(self.expr(&call.args[0]));
                args.push(Expr::Data(versioned.buffer));
                let start = Expr::binary(BinaryOp::Mul, self.version(versioned), versioned.stride.clone());
                let rest = &call.args[2..];
                if let Some(offset) = rest.first() {
                    let offset = self.expr(offset);
                    args.push(fold::add(offset, start));
                }
                args.extend(rest.iter().skip(1).map(|arg| self.expr(arg)));
            }
            _ => args.extend(call.args.iter().map(|arg| self.expr(arg))),
        }
        Expr::Call(std::sync::Arc::new(Call { op: call.op.clone(), dtype: call.dtype, args }))
    }

    fn element(&mut self, buffer: BufferId, indices: &[Expr]) -> (BufferId, Vec<Expr>) {
        let versioned = self.versioned.get(&buffer);
        let mut new = Vec::with_capacity(indices.len() + 1);
        new.extend(versioned.map(|versioned| self.version(versioned)));
        new.extend(indices.iter().map(|index| self.expr(index)));
        (versioned.map_or_else(|| self.buffer(buffer), |versioned| versioned.buffer), new)
    }

    fn region(&mut self, region: &Region) -> Region {
        let versioned = self.versioned.get(&region.buffer);
        let mut ranges = Vec::with_capacity(region.ranges.len() + 1);
        ranges.extend(versioned.map(|versioned| {
            if self.whole_ring {
                Range { min: Expr::int(0), extent: Expr::int(versioned.versions) }
            } else {
                Range { min: self.version(versioned), extent: Expr::int(1) }
            }
        }));
        ranges.extend(region.ranges.iter().map(|range| self.range(range)));
        let buffer = versioned.map_or_else(|| self.buffer(region.buffer), |versioned| versioned.buffer);
        Region { buffer, ranges }
    }

    fn range(&mut self, range: &Range) -> Range {
        Range { min: self.expr(&range.min), extent: self.expr(&range.extent) }
    }

    fn block(&mut self, block: &Block) -> Block {
        // Bindings, domains and the predicate are outside of the axes' scope; the rest is inside.
        let bound: Vec<(Expr, Range)> =
            block.axes.iter().map(|axis| (self.expr(&axis.value), self.range(&axis.domain))).collect();
        let predicate = self.expr(&block.predicate);
        let axes = block.axes.iter().zip(bound);
        let axes = axes
            .map(|(axis, (value, domain))| Axis {
                var: self.rename(axis.var),
                domain,
                kind: axis.kind,
                value,
            })
            .collect();
        let match_buffers = block
            .match_buffers
            .iter()
            .map(|view| {
                let source = self.region(&view.source);
                MatchBuffer { buffer: self.redeclare(view.buffer), source }
            })
            .collect();
        Block {
            name: block.name.clone(),
            axes,
            predicate,
            alloc_buffers: block.alloc_buffers.iter().map(|buffer| self.redeclare(*buffer)).collect(),
            match_buffers,
            reads: block.reads.iter().map(|region| self.region(region)).collect(),
            writes: block.writes.iter().map(|region| self.region(region)).collect(),
            annotations: block.annotations.clone(),
            init: block.init.as_ref().map(|init| self.stmt(init)),
            body: self.stmt(&block.body),
            span: block.span,
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::Seq(list) => Stmt::Seq(list.iter().map(|stmt| self.stmt(stmt)).collect()),
            Stmt::For(node) => {
                let (min, extent) = (self.expr(&node.min), self.expr(&node.extent));
                let step = node.step.as_ref().map(|step| self.expr(step));
                let var = self.rename(node.var);
                Stmt::For(Box::new(wavemark_tile::For {
                    var,
                    min,
                    extent,
                    step,
                    kind: node.kind.clone(),
                    annotations: node.annotations.clone(),
                    body: self.stmt(&node.body),
                    span: node.span,
                }))
            }
            Stmt::Block(block) => Stmt::Block(Box::new(self.block(block))),
            Stmt::Store(store) => {
                let (buffer, indices) = self.element(store.buffer, &store.indices);
                let value = self.expr(&store.value);
                Stmt::Store(Box::new(wavemark_tile::Store { buffer, indices, value, span: store.span }))
            }
            Stmt::If { condition, then, otherwise } => Stmt::If {
                condition: self.expr(condition),
                then: Box::new(self.stmt(then)),
                otherwise: otherwise.as_ref().map(|stmt| Box::new(self.stmt(stmt))),
            },
            Stmt::Attr { key, value, body } => {
                Stmt::Attr { key: key.clone(), value: self.expr(value), body: Box::new(self.stmt(body)) }
            }
            Stmt::Let { var, value, body } => {
                let value = self.expr(value);
                let var = self.rename(*var);
                Stmt::Let { var, value, body: Box::new(self.stmt(body)) }
            }
            Stmt::Evaluate(expr, span) => Stmt::Evaluate(self.expr(expr), *span),
        }
    }
}
