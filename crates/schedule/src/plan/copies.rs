//! What counts as a copy: a statement that only moves elements of global memory into buffers of the loop.

use std::collections::BTreeSet;

use wavemark_tile::{BufferId, Expr, Function, Stmt};

use super::access::Views;

/// A statement that only moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// All of its destinations are shared memory (not the registers of one thread).
    pub shared: bool,
}

/// Whether `stmt` is a copy into buffers of `own`; else why not. `written` are the buffers that the loop writes.
pub fn copy(
    function: &Function,
    views: &Views,
    stmt: &Stmt,
    own: &BTreeSet<BufferId>,
    written: &BTreeSet<BufferId>,
) -> Result<Copy, String> {
    let mut found = Copy { shared: true };
    let mut stores = 0;
    let mut problem = None;
    stmt.visit(&mut |stmt| {
        if problem.is_none() {
            problem = match stmt {
                Stmt::Block(block) if block.init.is_some() => Some("it is a reduction".to_owned()),
                Stmt::Block(block) if !block.alloc_buffers.is_empty() => {
                    Some("it has buffers of its own".to_owned())
                }
                Stmt::Evaluate(Expr::Call(call), _) => Some(format!("it calls `{}`", call.op)),
                Stmt::Store(store) => {
                    stores += 1;
                    let id = views.root(store.buffer);
                    let buffer = function.buffer(id);
                    found.shared &= buffer.scope.starts_with("shared");
                    match kind(&buffer.scope) {
                        Scope::Global => Some(format!("it writes global memory (`{}`)", buffer.name)),
                        Scope::Other => {
                            Some(format!("it writes `{}`, whose scope is {}", buffer.name, buffer.scope))
                        }
                        Scope::Fast if !own.contains(&id) => {
                            Some(format!("`{}` is not allocated in the loop", buffer.name))
                        }
                        Scope::Fast => moves(function, views, &store.value, written).err(),
                    }
                }
                _ => None,
            };
        }
    });
    match problem {
        Some(problem) => Err(problem),
        None if stores == 0 => Err("it writes nothing".to_owned()),
        None => Ok(found),
    }
}

enum Scope {
    Global,
    Fast,
    Other,
}

fn kind(scope: &str) -> Scope {
    match scope {
        "" | "global" => Scope::Global,
        _ if scope.starts_with("shared") || scope.starts_with("local") => Scope::Fast,
        _ => Scope::Other,
    }
}

/// The value is an element of global memory that the loop does not write, perhaps converted, perhaps guarded with a
/// constant on the other side.
fn moves(
    function: &Function,
    views: &Views,
    value: &Expr,
    written: &BTreeSet<BufferId>,
) -> Result<(), String> {
    match value {
        Expr::Load(load) => {
            let id = views.root(load.buffer);
            let buffer = function.buffer(id);
            match kind(&buffer.scope) {
                Scope::Global if written.contains(&id) => {
                    Err(format!("it reads `{}`, which the loop writes", buffer.name))
                }
                Scope::Global => Ok(()),
                _ => Err(format!("it reads `{}`, which is not global memory", buffer.name)),
            }
        }
        Expr::Cast(_, inner) => moves(function, views, inner, written),
        Expr::Call(call) if &*call.op == "if_then_else" => match call.args.as_slice() {
            [_, then, otherwise] => guarded(function, views, then, otherwise, written),
            _ => Err("it computes a value".to_owned()),
        },
        Expr::Select(parts) => guarded(function, views, &parts[1], &parts[2], written),
        _ => Err("it computes a value".to_owned()),
    }
}

fn guarded(
    function: &Function,
    views: &Views,
    then: &Expr,
    otherwise: &Expr,
    written: &BTreeSet<BufferId>,
) -> Result<(), String> {
    match (constant(then), constant(otherwise)) {
        (true, true) => Err("it stores a constant".to_owned()),
        (true, false) => moves(function, views, otherwise, written),
        (false, true) => moves(function, views, then, written),
        (false, false) => {
            moves(function, views, then, written)?;
            moves(function, views, otherwise, written)
        }
    }
}

fn constant(value: &Expr) -> bool {
    match value {
        Expr::Int(..) | Expr::Float(..) => true,
        Expr::Cast(_, inner) => constant(inner),
        _ => false,
    }
}
