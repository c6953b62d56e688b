//! What the annotations of a loop ask for, checked: one stage and one order per statement, and the stages that are
//! asynchronous.
//!
//! The list of asynchronous stages holds stage values, not statement numbers (RFC, "Making parallelism more
//! explicit"); a value that no statement has is ignored, as TVM does.

use std::collections::BTreeSet;

use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::{Annotation, For};

use super::discover::Statement;

/// Loop annotation: the stage of each statement.
pub const STAGE: &str = "software_pipeline_stage";
/// Loop annotation: the place of each statement in the new body.
pub const ORDER: &str = "software_pipeline_order";
/// Loop annotation: the stages that run asynchronously.
pub const ASYNC_STAGES: &str = "software_pipeline_async_stages";

/// The stages that a prologue can have before its unrolled copies are more than a mistake in the annotation.
const MAX_STAGE: i64 = 1024;

/// The request of a loop's annotations.
#[derive(Clone, Debug)]
pub struct Request {
    /// Stage of each statement in source order.
    pub stages: Vec<i64>,
    /// Position of each statement in the pipelined body.
    pub positions: Vec<usize>,
    /// The statements by position.
    pub order: Vec<usize>,
    /// Stages that are asynchronous.
    pub async_stages: BTreeSet<i64>,
    /// The largest stage: as many iterations are in the prologue.
    pub max_stage: i64,
}

impl Request {
    /// The statement runs asynchronously.
    pub fn is_async(&self, statement: usize) -> bool {
        self.async_stages.contains(&self.stages[statement])
    }
}

/// The loop is annotated as a pipeline. Only one of stage and order is an error.
pub fn is_pipeline(node: &For) -> Result<bool, Diagnostic> {
    match (node.annotations.contains_key(STAGE), node.annotations.contains_key(ORDER)) {
        (true, true) => Ok(true),
        (false, false) => Ok(false),
        (stage, _) => {
            let (has, lacks) = if stage { (STAGE, ORDER) } else { (ORDER, STAGE) };
            Err(at(node.span, format!("the loop has `{has}` but no `{lacks}`"))
                .help("a pipelined loop needs both, one number for each statement of its body"))
        }
    }
}

/// Reads the annotations of `node` for its `statements`.
pub fn read(node: &For, statements: &[Statement]) -> Result<Request, Diagnostic> {
    let list = |key: &str| {
        node.annotations
            .get(key)
            .and_then(Annotation::int_list)
            .ok_or_else(|| at(node.span, format!("`{key}` is not a list of integers")))
    };
    let (stages, orders) = (list(STAGE)?, list(ORDER)?);
    for (key, values) in [(STAGE, &stages), (ORDER, &orders)] {
        if values.len() != statements.len() {
            let names: Vec<_> = statements.iter().map(|statement| statement.describe()).collect();
            return Err(at(
                node.span,
                format!(
                    "`{key}` has {} entries, but the loop body has {} statements",
                    values.len(),
                    statements.len()
                ),
            )
            .help(format!("the statements are, in order: {}", names.join(", "))));
        }
    }
    for (statement, &stage) in statements.iter().zip(&stages) {
        if !(0..=MAX_STAGE).contains(&stage) {
            return Err(at(
                node.span,
                format!("stage {stage} of {} is not in 0..={MAX_STAGE}", statement.describe()),
            ));
        }
    }
    let mut order = vec![usize::MAX; statements.len()];
    for (index, &place) in orders.iter().enumerate() {
        let slot = usize::try_from(place).ok().and_then(|place| order.get_mut(place)).ok_or_else(|| {
            at(
                node.span,
                format!("order {place} of {} is not in 0..{}", statements[index].describe(), orders.len()),
            )
            .help("the orders are the places of the statements in the new body: each of 0, 1, … once")
        })?;
        if *slot != usize::MAX {
            return Err(at(
                node.span,
                format!(
                    "{} and {} have the same order {place}",
                    statements[*slot].describe(),
                    statements[index].describe()
                ),
            )
            .help("the orders are the places of the statements in the new body: each of 0, 1, … once"));
        }
        *slot = index;
    }
    let async_stages = match node.annotations.get(ASYNC_STAGES) {
        None => BTreeSet::new(),
        Some(_) => list(ASYNC_STAGES)?.into_iter().filter(|stage| stages.contains(stage)).collect(),
    };
    let positions = orders.iter().map(|&place| place as usize).collect();
    let max_stage = stages.iter().copied().max().unwrap_or(0);
    Ok(Request { stages, positions, order, async_stages, max_stage })
}

/// An error at `span`, where there is one.
pub fn at(span: Option<Span>, message: String) -> Diagnostic {
    let diagnostic = Diagnostic::error(message);
    match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    }
}
