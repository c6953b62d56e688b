//! Vector memory atomics: one line that stands for the row that returns the old value and the one that does not.
//!
//! The manuals have one opcode for both; the bit that formats call `ret` (GLC, SC0, or a bit of TH) tells them apart. A
//! line whose memory effect is `atomic`, which writes an operand and does not fix `ret`, is written as the returning
//! one: without `ret` what it writes only is left out, and what it reads and writes is read only.

use crate::role::Access;
use crate::table::read::{Fix, Part, RowDef};

/// That part of a row.
pub(crate) fn part(mut row: RowDef, part: Part) -> RowDef {
    match part {
        Part::Whole => {}
        Part::Plain => {
            row.operands.retain(|operand| operand.access != Access::Write);
            for operand in &mut row.operands {
                operand.access = Access::Read;
            }
            fix(&mut row, 0);
        }
        Part::Returning => {
            // Rows live as long as the table, and so do their attributes.
            let effect: &'static str = effect(&row).replace(".atomic.", ".atomic_return.").leak();
            for attribute in row.attributes.iter_mut().filter(|(key, _)| *key == "mem") {
                attribute.1 = effect;
            }
            fix(&mut row, 1);
        }
    }
    row
}

/// The memory effect as the row says it.
pub(crate) fn effect(row: &RowDef) -> &'static str {
    row.attributes.iter().find(|(key, _)| *key == "mem").map_or("", |&(_, value)| value)
}

fn fix(row: &mut RowDef, value: u32) {
    for encoding in &mut row.encodings {
        encoding.fixes.push(Fix { field: "ret", value, required: true });
    }
}
