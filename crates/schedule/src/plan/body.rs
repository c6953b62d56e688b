//! The statements of a loop body, as the pipelining pass counts them.

use std::collections::BTreeSet;

use wavemark_diag::Span;
use wavemark_tile::{BufferId, Expr, Function, Stmt};

use super::{ORDER, STAGE};

/// A statement that gets a stage.
#[derive(Clone, Copy)]
pub enum Item<'s> {
    /// One as written.
    Statement(&'s Stmt),
    /// Prologue, body or epilogue (0, 1, 2) of a pipelined loop directly in the body.
    Section(&'s Stmt, usize),
}

impl<'s> Item<'s> {
    /// The statement; of a section, the loop it is part of.
    pub fn stmt(&self) -> &'s Stmt {
        match *self {
            Item::Statement(stmt) | Item::Section(stmt, _) => stmt,
        }
    }
}

/// The statements of a loop body and the buffers that the pass may give several versions, in order of allocation.
///
/// The body is a sequence, or a block around one. A block without predicate around a sequence inside it is opened,
/// one level deep; a pipelined loop will have become three statements by the time its surroundings are pipelined.
pub fn discover(body: &Stmt) -> Result<(Vec<Item<'_>>, Vec<BufferId>), String> {
    let mut allocated = Vec::new();
    let sequence = match body {
        Stmt::Block(block) => {
            if !block.predicate.is_true() {
                return Err(format!(
                    "the block {} around the whole body is predicated: guard the statements inside it instead",
                    quoted(&block.name)
                ));
            }
            allocated.extend(&block.alloc_buffers);
            &block.body
        }
        other => other,
    };
    let Stmt::Seq(statements) = sequence else {
        return Err("its body is a single statement: there is nothing to overlap it with".to_owned());
    };
    let mut items = Vec::new();
    for stmt in statements {
        match stmt {
            Stmt::Block(block) if block.predicate.is_true() && matches!(block.body, Stmt::Seq(_)) => {
                allocated.extend(&block.alloc_buffers);
                if let Stmt::Seq(inner) = &block.body {
                    items.extend(inner.iter().map(Item::Statement));
                }
            }
            Stmt::For(node)
                if node.annotations.contains_key(STAGE) && node.annotations.contains_key(ORDER) =>
            {
                if let Stmt::Block(block) = &node.body {
                    allocated.extend(&block.alloc_buffers);
                }
                items.extend((0..3).map(|section| Item::Section(stmt, section)));
            }
            _ => items.push(Item::Statement(stmt)),
        }
    }
    Ok((items, allocated))
}

/// Writes the value of a `T.let` in the place of its variable, where the value is the same whenever it is computed:
/// address arithmetic then needs no stage. `written` are the buffers that the loop writes.
pub fn inline_lets(stmt: &mut Stmt, written: &BTreeSet<BufferId>) {
    match stmt {
        Stmt::Block(block) => inline_lets(&mut block.body, written),
        Stmt::Let { var, value, body } if is_pure(value, written) => {
            let (var, value) = (*var, value.clone());
            let mut inner = std::mem::replace(&mut **body, Stmt::nop());
            inner.substitute(var, &value);
            inline_lets(&mut inner, written);
            *stmt = inner;
        }
        Stmt::Seq(statements) => {
            // A binding's scope is the rest of the sequence: its inside joins the sequence.
            while let Some(last @ Stmt::Let { .. }) = statements.last_mut() {
                inline_lets(last, written);
                match statements.pop() {
                    Some(Stmt::Seq(inner)) => statements.extend(inner),
                    Some(other) => {
                        let stays = matches!(other, Stmt::Let { .. });
                        statements.push(other);
                        if stays {
                            return;
                        }
                    }
                    None => return,
                }
            }
        }
        _ => {}
    }
}

fn is_pure(value: &Expr, written: &BTreeSet<BufferId>) -> bool {
    let mut pure = true;
    value.visit(&mut |expr| match expr {
        Expr::Call(call) => {
            pure &= matches!(&*call.op, "if_then_else" | "likely" | "max_value" | "min_value")
        }
        Expr::Load(load) => pure &= !written.contains(&load.buffer),
        Expr::Data(_) => pure = false,
        _ => {}
    });
    pure
}

fn quoted(name: &str) -> String {
    if name.is_empty() { "(without a name)".to_owned() } else { format!("`{name}`") }
}

/// What to call a statement: the names of its outermost blocks that have one, and what it stores to or calls outside
/// of them.
pub fn statement_name(function: &Function, stmt: &Stmt) -> Option<String> {
    let mut names = Vec::new();
    add_names(function, stmt, &mut names);
    (!names.is_empty()).then(|| names.join(", "))
}

fn add_names(function: &Function, stmt: &Stmt, names: &mut Vec<String>) {
    let name = match stmt {
        Stmt::Block(block) if !block.name.is_empty() => Some(block.name.to_string()),
        Stmt::Store(store) => Some(format!("store to {}", function.buffer(store.buffer).name)),
        Stmt::Evaluate(Expr::Call(call), _) => Some(call.op.to_string()),
        _ => None,
    };
    match name {
        Some(name) if names.contains(&name) => {}
        Some(name) => names.push(name),
        None => stmt.children().for_each(|child| add_names(function, child, names)),
    }
}

/// The name of an item, or its number where it has none.
pub fn name_of(function: &Function, item: &Item, index: usize) -> String {
    let name = statement_name(function, item.stmt()).unwrap_or_else(|| format!("statement {index}"));
    match item {
        Item::Statement(_) => name,
        Item::Section(_, section) => format!("{name} ({})", ["prologue", "body", "epilogue"][*section]),
    }
}

/// The first place inside the statement.
pub fn span_of(stmt: &Stmt) -> Option<Span> {
    let mut span = None;
    stmt.visit(&mut |stmt| {
        if span.is_none() {
            span = match stmt {
                Stmt::For(node) => node.span,
                Stmt::Block(block) => block.span,
                Stmt::Store(store) => store.span,
                Stmt::Evaluate(_, span) => *span,
                _ => None,
            };
        }
    });
    span
}
