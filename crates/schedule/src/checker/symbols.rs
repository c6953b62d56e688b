//! Symbols: shapes and scalar parameters that asynchronous constructs depend on.
//!
//! All small values are walked one after the other. Larger ones follow by induction ([`super::induction`]): what holds
//! for the last period of the walked values holds for the next, and so for all.

use rustc_hash::FxHashSet;
use wavemark_tile::{Dtype, Expr, Param, VarId};

use super::induction::goes_on;
use super::interval::Interval;
use super::program::{Dims, Node, Op, Program, expr_vars};
use super::report::{NotProven, Symbols};
use super::steady::gcd;
use super::walk::Walker;

/// Combinations of values that are walked at most.
const MAX_WALKS: i64 = 4096;

/// A shape or scalar parameter.
struct Symbol {
    var: VarId,
    /// Shapes are not negative.
    least: i64,
    most: i64,
    period: i64,
}

/// Walks `walker`'s function, over all values of its symbols.
pub(super) fn walk(walker: &mut Walker<'_>) -> Option<Symbols> {
    let mut found = Found::default();
    found.node(&walker.program.body, walker.program);
    let vars: Vec<VarId> = found
        .free
        .iter()
        .copied()
        .filter(|var| !found.bound.contains(var))
        .filter(|&var| matches!(walker.function.vars.get(var.0 as usize), Some(var) if var.dtype.is_integer() || var.dtype == Dtype::BOOL))
        .collect();
    if vars.is_empty() {
        walker.run();
        return None;
    }
    let period = found.divisors.iter().try_fold(1i64, |period, &divisor| {
        (period / gcd(period, divisor)).checked_mul(divisor).filter(|&next| next <= 256)
    });
    // A queue without waits looks the same from some length on.
    let longest = walker.program.largest_count.min(64);
    let mut symbols: Vec<Symbol> = vars
        .iter()
        .map(|&var| {
            let scalar = walker.function.params.contains(&Param::Scalar(var));
            let boolean = walker.function.var(var).dtype == Dtype::BOOL;
            let period = period.unwrap_or(1);
            Symbol {
                var,
                least: if scalar && !boolean { -4 - period } else { 0 },
                most: if boolean { 1 } else { found.largest.min(256) + 4 * period + 8 + longest },
                period,
            }
        })
        .collect();
    // Truth values are walked completely; what is argued is the last one, with all others given.
    symbols.sort_by_key(|symbol| walker.function.var(symbol.var).dtype != Dtype::BOOL);
    let numbers =
        symbols.iter().filter(|symbol| walker.function.var(symbol.var).dtype != Dtype::BOOL).count();
    let walks = |symbols: &[Symbol]| {
        symbols.iter().fold(1i64, |walks, symbol| walks.saturating_mul(symbol.most - symbol.least + 1))
    };
    while walks(&symbols) > MAX_WALKS {
        let Some(widest) = symbols.iter_mut().max_by_key(|symbol| symbol.most - symbol.least) else { break };
        widest.most = widest.least + (widest.most - widest.least) / 2;
    }
    let flags_complete = walks(&symbols[..symbols.len() - numbers]) == 1 << (symbols.len() - numbers).min(62);
    let mut all = period.is_some() && found.largest <= 256 && numbers <= 1 && flags_complete;
    walk_values(walker, &symbols, 0, &mut all);
    let name = |symbol: &Symbol| walker.function.var(symbol.var).name.to_string();
    let report = Symbols {
        names: symbols.iter().map(name).collect(),
        walked: symbols.iter().map(|symbol| (symbol.least, symbol.most)).collect(),
        all,
    };
    if !report.all {
        let ranges: Vec<String> = report
            .names
            .iter()
            .zip(&report.walked)
            .map(|(name, (least, most))| format!("{name} in {least}..={most}"))
            .collect();
        walker.not_proven.push(NotProven {
            place: None,
            reason: format!("checked for {} only: no steady state covers the rest", ranges.join(", ")),
        });
    }
    Some(report)
}

fn walk_values(walker: &mut Walker<'_>, symbols: &[Symbol], index: usize, all: &mut bool) {
    let Some(symbol) = symbols.get(index) else {
        walker.run();
        return;
    };
    let name = walker.function.var(symbol.var).name.clone();
    let boolean = walker.function.var(symbol.var).dtype == Dtype::BOOL;
    for value in symbol.least..=symbol.most {
        walker.constants.set(symbol.var, Interval::point(value));
        walker.symbols.push((name.to_string(), value));
        walk_values(walker, symbols, index + 1, all);
        walker.symbols.pop();
        if !*all || boolean {
            continue;
        }
        // What holds for the last period of values, upwards and (of parameters) downwards, goes on.
        if value > symbol.most - symbol.period {
            *all &= goes_on(walker, symbol.var, symbol.period);
        }
        if symbol.least < 0 && value < symbol.least + symbol.period {
            *all &= goes_on(walker, symbol.var, -symbol.period);
        }
    }
}

/// What the program mentions.
#[derive(Default)]
struct Found {
    free: Vec<VarId>,
    bound: FxHashSet<VarId>,
    /// The largest constant in bounds and conditions.
    largest: i64,
    divisors: Vec<i64>,
}

impl Found {
    fn expr(&mut self, expr: &Expr, control: bool) {
        expr_vars(expr, &mut |var| {
            if !self.free.contains(&var) {
                self.free.push(var);
            }
        });
        self.constants(expr, control);
    }

    fn constants(&mut self, expr: &Expr, control: bool) {
        expr.visit(&mut |inner| match inner {
            Expr::Int(value, _) if control => self.largest = self.largest.max(value.saturating_abs()),
            Expr::Binary(op, sides) => {
                use wavemark_tile::BinaryOp::{Div, FloorDiv, FloorMod, Mod};
                if let (Div | Mod | FloorDiv | FloorMod, Some(divisor)) = (op, sides[1].as_int())
                    && divisor > 0
                    && !self.divisors.contains(&divisor)
                {
                    self.divisors.push(divisor);
                }
            }
            _ => {}
        });
    }

    fn node(&mut self, node: &Node, program: &Program) {
        match node {
            Node::Seq(nodes) => nodes.iter().for_each(|node| self.node(node, program)),
            Node::Loop(node) => {
                self.bound.insert(node.var);
                self.expr(&node.min, true);
                self.expr(&node.extent, true);
                node.step.iter().for_each(|step| self.expr(step, true));
                self.node(&node.body, program);
            }
            Node::Span { var, min, extent, body } => {
                self.bound.insert(*var);
                self.expr(min, false);
                self.expr(extent, false);
                self.node(body, program);
            }
            Node::Bind { var, value, body } => {
                self.bound.insert(*var);
                self.expr(value, false);
                self.node(body, program);
            }
            Node::Branch { condition, then, otherwise, .. } => {
                self.expr(condition, true);
                self.node(then, program);
                otherwise.iter().for_each(|node| self.node(node, program));
            }
            Node::Commit { queue, body, .. } => {
                self.expr(queue, false);
                self.node(body, program);
            }
            Node::Wait { site, body } => {
                let wait = &program.waits[*site];
                self.expr(&wait.queue, false);
                self.expr(&wait.count, true);
                self.node(body, program);
            }
            Node::Leaf(leaf) => self.ops(&program.leaves[*leaf as usize].ops),
        }
    }

    fn ops(&mut self, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Loop { var, min, extent, step, body } => {
                    self.bound.insert(*var);
                    self.expr(min, false);
                    self.expr(extent, false);
                    step.iter().for_each(|step| self.expr(step, false));
                    self.ops(body);
                }
                Op::Bind { var, value } => {
                    self.bound.insert(*var);
                    self.expr(value, false);
                }
                // Conditions inside a statement make its accesses uncertain, not unknown: beyond small numbers it is
                // left to the proof whether they matter.
                Op::If { condition, then, otherwise } => {
                    condition.visit(&mut |inner| {
                        let small = inner.as_int().map(i64::saturating_abs).filter(|&value| value <= 128);
                        self.largest = self.largest.max(small.unwrap_or(0));
                    });
                    self.ops(then);
                    self.ops(otherwise);
                }
                Op::Access(access) => match &access.dims {
                    Dims::Ranges(ranges) => {
                        for (min, extent) in ranges {
                            self.expr(min, false);
                            extent.iter().for_each(|extent| self.expr(extent, false));
                        }
                    }
                    Dims::Flat(offset, extent) => {
                        self.expr(offset, false);
                        self.expr(extent, false);
                    }
                    Dims::Whole => {}
                },
            }
        }
    }
}
