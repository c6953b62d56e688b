//! Vector memory atomics: one line that stands for the row that returns the old value and the one that does not.
//!
//! The manuals have one opcode for both; the bit that formats call `ret` (GLC, SC0, or a bit of TH) tells them apart. A
//! line with `mem=….atomic?.…` is written as the returning one: without `ret` what it writes only is left out, and what it
//! reads and writes is read only.

use crate::role::Access;
use crate::table::read::{Fix, Part, RowDef};

/// That part of a row.
pub(crate) fn part(mut row: RowDef, part: Part) -> RowDef {
    let (ret, verb) = match part {
        Part::Whole => return row,
        Part::Plain => {
            row.operands.retain(|operand| operand.access != Access::Write);
            for operand in &mut row.operands {
                operand.access = Access::Read;
            }
            (0, "atomic")
        }
        Part::Returning => (1, "atomic_return"),
    };
    for attribute in row.attributes.iter_mut().filter(|(key, _)| *key == "mem") {
        // Rows live as long as the table, and so do their attributes.
        attribute.1 = attribute.1.replace("atomic?", verb).leak();
    }
    for encoding in &mut row.encodings {
        encoding.fixes.push(Fix { field: "ret", value: ret, required: true, wave: None });
    }
    row
}
