//! Vector memory atomics: one line that stands for the row that returns the old value and the one that does not.
//!
//! The manuals have one opcode for both; the bit that formats call `ret` (GLC, SC0, or a bit of TH) tells them apart. A
//! line whose memory effect is `atomic`, which writes an operand and does not fix `ret`, is written as the returning
//! one: without `ret` what it writes only is left out, and what it reads and writes is read only.

use super::read::{Fix, RowDef};
use crate::row::Access;

/// `row` itself, or the two that it stands for.
pub(super) fn expand(row: RowDef) -> Vec<RowDef> {
    let fixed = |row: &RowDef| {
        row.encodings.iter().any(|encoding| encoding.fixes.iter().any(|fix| fix.field == "ret"))
    };
    let writes = row.operands.iter().any(|operand| operand.access != Access::Read);
    let effect = row.attributes.iter().find(|(key, _)| *key == "mem").map_or("", |&(_, value)| value);
    let Some((path, operation)) = effect.split_once(".atomic.") else { return vec![row] };
    if path == "scalar" || !writes || fixed(&row) {
        return vec![row];
    }
    let mut plain = row.clone();
    plain.operands.retain(|operand| operand.access != Access::Write);
    for operand in &mut plain.operands {
        operand.access = Access::Read;
    }
    fix(&mut plain, 0);
    let mut returning = row;
    // Rows live as long as the table, and so do their attributes.
    let effect = Box::leak(format!("{path}.atomic_return.{operation}").into_boxed_str());
    for attribute in returning.attributes.iter_mut().filter(|(key, _)| *key == "mem") {
        attribute.1 = effect;
    }
    fix(&mut returning, 1);
    vec![plain, returning]
}

fn fix(row: &mut RowDef, value: u32) {
    for encoding in &mut row.encodings {
        encoding.fixes.push(Fix { field: "ret", value, required: true });
    }
}
