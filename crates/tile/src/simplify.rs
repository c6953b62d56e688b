//! Simplifies a whole function, as TVM's `StmtSimplify` does.
//!
//! For: what `compile --emit tile` prints. Follows TVM 0.27's `s_tir.transform.StmtSimplify` with its default
//! settings: every expression through [`Analyzer::simplify`], loop variables bound to their ranges, conditions known
//! below them (axes of blocks are not: TVM takes nothing from their domains); an `if` that is decided loses a branch, a store of what stands there already becomes
//! `T.evaluate(0)`. Sizes of buffers and bounds of regions are treated as TVM treats them: a region's minimum and
//! its extent are simplified, the end that is printed is their unfolded sum; shapes stay.
//!
//! Promises: the function does the same as before, where it did anything defined: no index arithmetic overflows.
//! Time grows with the size of the function.

use crate::arith::Analyzer;
use crate::dtype::Dtype;
use crate::expr::{BinaryOp, Expr};
use crate::fold;
use crate::function::{Function, Param};
use crate::stmt::{Block, For, Range, Region, Stmt, Store};

/// Simplifies the body.
pub fn simplify(function: &mut Function) {
    let mut analyzer = Analyzer::new();
    for param in &function.params {
        if let Param::Buffer { buffer, .. } = param {
            for extent in &function.buffers[buffer.0 as usize].shape {
                analyzer.assume_shape(extent);
            }
        }
    }
    let mut body = std::mem::replace(&mut function.body, Stmt::nop());
    Simplifier { analyzer }.stmt(&mut body);
    function.body = body;
}

struct Simplifier {
    analyzer: Analyzer,
}

impl Simplifier {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Seq(statements) => {
                statements.iter_mut().for_each(|stmt| self.stmt(stmt));
                if statements.iter().any(|inner| is_nop(inner) || matches!(inner, Stmt::Seq(_))) {
                    let mut flat = Vec::with_capacity(statements.len());
                    flatten(std::mem::take(statements), &mut flat);
                    *stmt = if flat.is_empty() { Stmt::nop() } else { Stmt::seq(flat) };
                }
            }
            Stmt::For(node) => self.repeated(node),
            Stmt::Block(block) => self.block(block),
            Stmt::Store(store) => {
                self.store(store);
                if stores_what_it_loads(store) {
                    *stmt = Stmt::Evaluate(Expr::int(0), store.span);
                }
            }
            Stmt::If { .. } => self.conditional(stmt),
            Stmt::Attr { value, body, .. } => {
                self.expr(value);
                self.stmt(body);
            }
            Stmt::Let { var, value, body } => {
                self.expr(value);
                if is_pure(value) {
                    self.analyzer.bind_value(*var, value);
                }
                self.stmt(body);
                self.analyzer.unbind(*var);
            }
            Stmt::Evaluate(value, _) => self.expr(value),
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if !self.analyzer.is_final(expr) {
            *expr = self.analyzer.simplify(expr);
        }
    }

    fn repeated(&mut self, node: &mut For) {
        let dtype = node.min.dtype();
        let range = Range { min: node.min.clone(), extent: node.extent.clone() };
        self.analyzer.bind(node.var, &range);
        if node.min.as_int().is_some() && node.extent.as_int().is_some_and(|extent| extent > 0) {
            // The binding says all that the conditions below would.
            if let Some(step) = &mut node.step {
                self.expr(step);
            }
            self.stmt(&mut node.body);
            return self.analyzer.unbind(node.var);
        }
        let var = Expr::Var(node.var, dtype);
        let from = self.analyzer.enter(&fold::ge(var.clone(), node.min.clone()));
        let end = fold::add(node.min.clone(), node.extent.clone());
        let to = self.analyzer.enter(&fold::lt(var, end));
        self.expr(&mut node.min);
        self.expr(&mut node.extent);
        if let Some(step) = &mut node.step {
            self.expr(step);
        }
        let runs = self
            .analyzer
            .enter_with_derived(&fold::gt(node.extent.clone(), Expr::Int(0, node.extent.dtype())));
        self.stmt(&mut node.body);
        self.analyzer.exit(runs);
        self.analyzer.exit(to);
        self.analyzer.exit(from);
        self.analyzer.unbind(node.var);
    }

    fn block(&mut self, block: &mut Block) {
        for axis in &mut block.axes {
            self.expr(&mut axis.value);
        }
        self.expr(&mut block.predicate);
        for axis in &mut block.axes {
            self.expr(&mut axis.domain.min);
            self.expr(&mut axis.domain.extent);
        }
        let sources = block.match_buffers.iter_mut().map(|matched| &mut matched.source);
        for Region { ranges, .. } in block.reads.iter_mut().chain(&mut block.writes).chain(sources) {
            for range in ranges {
                self.expr(&mut range.min);
                self.expr(&mut range.extent);
            }
        }
        if let Some(init) = &mut block.init {
            self.stmt(init);
        }
        self.stmt(&mut block.body);
    }

    fn store(&mut self, store: &mut Store) {
        self.expr(&mut store.value);
        for index in &mut store.indices {
            self.expr(index);
        }
    }

    fn conditional(&mut self, stmt: &mut Stmt) {
        let Stmt::If { condition, then, otherwise } = stmt else { return };
        self.expr(condition);
        let holds = match condition {
            Expr::Call(call) if &*call.op == "likely" && call.args.len() == 1 => call.args[0].clone(),
            condition => condition.clone(),
        };
        if let Some(value) = holds.as_int() {
            let mut taken = match (value, otherwise.take()) {
                (0, None) => Stmt::nop(),
                (0, Some(otherwise)) => *otherwise,
                _ => std::mem::replace(&mut **then, Stmt::nop()),
            };
            self.stmt(&mut taken);
            *stmt = taken;
            return;
        }
        let scope = self.analyzer.enter_with_derived(&holds);
        self.stmt(then);
        self.analyzer.exit(scope);
        if let Some(otherwise) = otherwise {
            let refuted = self.analyzer.refuted(&holds);
            let scope = self.analyzer.enter(&refuted);
            self.stmt(otherwise);
            self.analyzer.exit(scope);
        }
    }
}

/// A sequence keeps no sequences and nothing that does nothing.
fn flatten(statements: Vec<Stmt>, into: &mut Vec<Stmt>) {
    for stmt in statements {
        match stmt {
            Stmt::Seq(inner) => flatten(inner, into),
            other if is_nop(&other) => {}
            other => into.push(other),
        }
    }
}

fn is_nop(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Evaluate(Expr::Int(0, _), _))
}

/// `A[i] = A[i]`.
fn stores_what_it_loads(store: &Store) -> bool {
    let Expr::Load(load) = &store.value else { return false };
    load.buffer == store.buffer
        && load.indices.len() == store.indices.len()
        && load.indices.iter().zip(&store.indices).all(|(a, b)| fold::equal(a, b))
}

fn is_pure(expr: &Expr) -> bool {
    match expr {
        Expr::Load(_) | Expr::Call(_) | Expr::Data(_) => false,
        Expr::Binary(BinaryOp::Div | BinaryOp::Mod, sides) => {
            sides[0].dtype() != Dtype::Void && sides.iter().all(is_pure)
        }
        _ => expr.children().iter().all(is_pure),
    }
}
