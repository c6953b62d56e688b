//! How reports name a statement: by the first block, store and position inside it.

use wavemark_diag::Span;
use wavemark_tile::{BufferId, Stmt};

use super::super::program::SiteId;
use super::super::report::Place;
use super::Compiler;

impl<'a> Compiler<'a> {
    pub(super) fn place(&mut self, stmt: &'a Stmt, scope: bool) -> SiteId {
        let name =
            block_name(stmt).or_else(|| self.names.iter().rev().copied().find(|name| !name.is_empty()));
        let span = if scope { first_span(stmt) } else { first_action(stmt).or_else(|| first_span(stmt)) };
        self.program.places.push(Place {
            span: span.or(self.span),
            block: name.unwrap_or_default().to_owned(),
            stores: first_store(stmt).map(|buffer| self.function.buffer(buffer).name.to_string()),
            loops: self.loops.iter().map(|&var| self.function.var(var).name.to_string()).collect(),
        });
        self.program.places.len() as SiteId - 1
    }
}

/// The span of the first statement inside that has one.
fn first_span(stmt: &Stmt) -> Option<Span> {
    match stmt {
        Stmt::For(node) => node.span.or_else(|| first_span(&node.body)),
        Stmt::Block(block) => block.span.or_else(|| first_span(&block.body)),
        Stmt::Store(store) => store.span,
        Stmt::Evaluate(_, span) => *span,
        Stmt::Attr { span, body, .. } => span.or_else(|| first_span(body)),
        _ => stmt.children().find_map(first_span),
    }
}

/// The store or call that the statement comes to, for reports: the first inside.
fn first_action(stmt: &Stmt) -> Option<Span> {
    match stmt {
        Stmt::Store(store) => store.span,
        Stmt::Evaluate(_, span) => *span,
        _ => stmt.children().find_map(first_action),
    }
}

fn first_store(stmt: &Stmt) -> Option<BufferId> {
    match stmt {
        Stmt::Store(store) => Some(store.buffer),
        _ => stmt.children().find_map(first_store),
    }
}

fn block_name(stmt: &Stmt) -> Option<&str> {
    match stmt {
        Stmt::Block(block) if !block.name.is_empty() => Some(&block.name),
        _ => stmt.children().find_map(block_name),
    }
}
