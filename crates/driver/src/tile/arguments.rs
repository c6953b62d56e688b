//! The arguments of a launch file as the parameters of a tile function.
//!
//! By name, when the names of the file are those of the parameters (of buffers, or of the handles they come by); in
//! order otherwise. `grid` and `block` are not needed, since loops over threads say how a tile program runs; where
//! they are given they must agree with those loops.

use std::sync::Arc;

use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::interp::{Argument, BindError};
use wavemark_tile::{ForKind, Function, Param, Stmt};

use crate::launch::{ArgValue, Filled, Launch};

/// Which argument of the launch each parameter gets.
pub(super) struct Arguments {
    /// Index into the launch's arguments, a parameter.
    pub order: Vec<usize>,
    names: Vec<Arc<str>>,
}

impl Arguments {
    /// Matches the launch's arguments with the function's parameters.
    pub fn new(function: &Function, launch: &Launch) -> Result<Arguments, Diagnostic> {
        let names: Vec<Arc<str>> = function
            .params
            .iter()
            .map(|param| match param {
                Param::Scalar(var) => function.var(*var).name.clone(),
                Param::Buffer { buffer, .. } => function.buffer(*buffer).name.clone(),
            })
            .collect();
        let (expected, found) = (function.params.len(), launch.args.len());
        if expected != found {
            let message =
                format!("`{}` has {expected} parameters, the launch file {found} arguments", function.name);
            let diagnostic = Diagnostic::error(message).note(format!("the parameters: {}", names.join(", ")));
            return Err(at(diagnostic, launch.args.last().and_then(|arg| arg.span)));
        }
        let by_name = function.params.iter().zip(&names).map(|(param, name)| {
            let handle = match param {
                Param::Buffer { handle, .. } => handle.as_ref(),
                Param::Scalar(_) => None,
            };
            launch.args.iter().position(|arg| *arg.name == **name || Some(&arg.name) == handle)
        });
        let by_name: Option<Vec<usize>> = by_name.collect();
        let order = by_name.filter(|order| (0..found).all(|index| order.contains(&index)));
        Ok(Arguments { order: order.unwrap_or_else(|| (0..found).collect()), names })
    }

    /// The values of the parameters.
    pub fn values(&self, launch: &Launch, filled: &[Filled]) -> Vec<Argument> {
        let value = |&index: &usize| {
            let arg = &launch.args[index];
            match &arg.value {
                ArgValue::Scalar(code) => Argument::Scalar(arg.dtype, *code),
                ArgValue::Buffer(buffer) => Argument::Buffer {
                    element: arg.dtype,
                    shape: buffer.shape.clone(),
                    data: filled[index].bytes.clone(),
                },
            }
        };
        self.order.iter().map(value).collect()
    }

    /// Tells of arguments that do not fit, at their place in the launch file.
    pub fn refuse(&self, error: &BindError, launch: &Launch) -> Diagnostic {
        let parameter =
            error.parameter().and_then(|name| self.names.iter().position(|other| **other == *name));
        let arg = parameter.and_then(|parameter| launch.args.get(*self.order.get(parameter)?));
        at(Diagnostic::error(error.to_string()), arg.and_then(|arg| arg.span))
    }
}

fn at(diagnostic: Diagnostic, span: Option<Span>) -> Diagnostic {
    match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    }
}

/// Sizes that the launch file gives must be those of the function's loops over threads.
pub(super) fn check_sizes(function: &Function, launch: &Launch) -> Result<(), Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let sizes = [("blockIdx", launch.grid, launch.grid_span), ("threadIdx", launch.block, launch.block_span)];
    for (what, sizes, span) in sizes {
        let Some(span) = span else { continue };
        for (dimension, size) in ["x", "y", "z"].into_iter().zip(sizes) {
            let tag = format!("{what}.{dimension}");
            let found = extent(&function.body, &tag);
            if let Extent::Is(found) = found
                && found != i64::from(size)
            {
                let message =
                    format!("{size} in {dimension}, where the module's loop over {tag} has {found}");
                diagnostics.push(Diagnostic::error(message).at(span));
            }
            if found == Extent::None && size != 1 {
                let message = format!("{size} in {dimension}, where the module has no loop over {tag}");
                let help = "leave it out: the loops of a tile program say how it runs";
                diagnostics.push(Diagnostic::error(message).at(span).help(help));
            }
        }
    }
    if let Some(span) = launch.cluster_span {
        diagnostics.push(Diagnostic::error("a tile program has no clusters").at(span));
    }
    if let Some(span) = launch.dynamic_lds_span.filter(|_| launch.dynamic_lds != 0) {
        diagnostics.push(Diagnostic::error("a tile program allocates its buffers itself").at(span));
    }
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    None,
    Is(i64),
    /// Not a constant, or loops that disagree.
    Varies,
}

fn extent(body: &Stmt, tag: &str) -> Extent {
    let mut found = Extent::None;
    body.visit(&mut |statement| {
        let Stmt::For(node) = statement else { return };
        if !matches!(&node.kind, ForKind::ThreadBinding(other) if other == tag) {
            return;
        }
        let extent = node.extent.as_int().map_or(Extent::Varies, Extent::Is);
        found = if found == Extent::None || found == extent { extent } else { Extent::Varies };
    });
    found
}
