//! Versions of buffers and the LDS bytes they cost.

use wavemark_tile::{Buffer, BufferId, Function, Stmt};

use super::stages::Statement;

/// How many versions the pass gives a buffer of the loop for these stages: from the stage of its first writer to
/// that of its last reader, both included.
pub fn versions(statements: &[Statement], stages: &[i64], buffer: BufferId) -> i64 {
    let each = || statements.iter().zip(stages);
    let def = each()
        .filter(|(statement, _)| statement.access.writes.contains(&buffer))
        .map(|(_, stage)| *stage)
        .min();
    let last = each()
        .filter(|(statement, _)| statement.access.reads.contains(&buffer))
        .map(|(_, stage)| *stage)
        .max();
    match (def, last) {
        (Some(def), Some(last)) => (last - def + 1).max(1),
        _ => 1,
    }
}

/// The buffer is in LDS: scope `shared` or `shared.dyn`.
pub fn is_lds(buffer: &Buffer) -> bool {
    buffer.scope == "shared" || buffer.scope == "shared.dyn"
}

/// Bytes of a buffer; `None` when its shape is not constant, or absurd.
pub fn bytes_of(buffer: &Buffer) -> Option<u64> {
    let element = buffer.dtype.element()?;
    let extents = match buffer.strides.first() {
        // Rows may be padded: the first stride says how far apart they are.
        Some(stride) => vec![buffer.shape.first()?, stride],
        None => buffer.shape.iter().collect(),
    };
    let mut elements = 1u64;
    for extent in extents {
        elements = elements.checked_mul(u64::try_from(extent.as_int()?).ok()?)?;
    }
    element.buffer_bytes(elements)
}

/// LDS bytes of all buffers that a function allocates, as if all lived at once; `None` when a shape is not constant.
pub fn lds_bytes(function: &Function) -> Option<u64> {
    let mut sum = Some(0u64);
    function.body.visit(&mut |stmt| {
        if let Stmt::Block(block) = stmt {
            for &id in &block.alloc_buffers {
                let buffer = function.buffer(id);
                if is_lds(buffer) {
                    sum = sum.zip(bytes_of(buffer)).and_then(|(sum, bytes)| sum.checked_add(bytes));
                }
            }
        }
    });
    sum
}
