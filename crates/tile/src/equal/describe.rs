//! What a difference calls statements and annotations.

use crate::dtype::Dtype;
use crate::expr::{Expr, VarId};
use crate::function::{Dialect, Function};
use crate::print::print_expr;
use crate::stmt::{Annotation, Stmt};

/// The statements without sequences in sequences and without those that do nothing by being empty.
pub(super) fn flattened(stmt: &Stmt) -> Vec<&Stmt> {
    fn collect<'s>(stmt: &'s Stmt, out: &mut Vec<&'s Stmt>) {
        match stmt {
            Stmt::Seq(statements) => statements.iter().for_each(|stmt| collect(stmt, out)),
            _ => out.push(stmt),
        }
    }
    let mut out = Vec::new();
    collect(stmt, &mut out);
    match &out[..] {
        [Stmt::Evaluate(Expr::Int(0, Dtype::INT32), _)] => Vec::new(),
        _ => out,
    }
}

/// The first statement of a sequence.
pub(super) fn first(stmt: &Stmt) -> &Stmt {
    flattened(stmt).first().copied().unwrap_or(stmt)
}

/// What a path calls a statement.
pub(super) fn label(function: &Function, stmt: &Stmt) -> String {
    let var = |id: VarId| function.vars.get(id.0 as usize).map_or("?", |var| &var.name);
    match stmt {
        Stmt::For(node) => format!("for {}", var(node.var)),
        Stmt::Block(block) if block.name.is_empty() => "\"\"".into(),
        Stmt::Block(block) => block.name.to_string(),
        Stmt::Store(store) => {
            let name = function.buffers.get(store.buffer.0 as usize).map_or("?", |buffer| &buffer.name);
            format!("{name}[...] =")
        }
        Stmt::If { .. } => "if".into(),
        Stmt::Attr { key, .. } => key.to_string(),
        Stmt::Let { var: id, .. } => format!("{} =", var(*id)),
        Stmt::Evaluate(..) => "T.evaluate".into(),
        Stmt::Seq(_) => String::new(),
    }
}

/// What a message calls a statement.
pub(super) fn describe(function: &Function, stmt: &Stmt) -> String {
    match stmt {
        Stmt::Block(block) => format!("block \"{}\"", block.name),
        Stmt::Attr { key, value, .. } => {
            format!("T.attr \"{key}\": {}", print_expr(function, value, Dialect::New))
        }
        Stmt::Evaluate(value, _) => print_expr(function, value, Dialect::New),
        _ => label(function, stmt),
    }
}

/// An annotation as text.
pub(super) fn show(function: &Function, annotation: &Annotation) -> String {
    match annotation {
        Annotation::Bool(value) => value.to_string(),
        Annotation::Int(value) => value.to_string(),
        Annotation::Float(value) => value.to_string(),
        Annotation::Str(text) => format!("{text:?}"),
        Annotation::List(items) => {
            let items: Vec<_> = items.iter().map(|item| show(function, item)).collect();
            format!("[{}]", items.join(", "))
        }
        Annotation::Dict(entries) => {
            let entries: Vec<_> =
                entries.iter().map(|(key, value)| format!("{key:?}: {}", show(function, value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Annotation::Expr(expr) => print_expr(function, expr, Dialect::New),
    }
}
