//! Statements of the vector family.

use super::{ParseError, Parser, Suffix, empty};
use crate::Inst;
use crate::row::Row;

/// Parses the operands and modifiers of one of `rows`, up to the end of the statement.
pub(super) fn parse(p: &mut Parser, rows: &[&Row], _suffix: Option<Suffix>) -> Result<Inst, ParseError> {
    p.first_of(rows, |p, row| {
        let encoding = row.encodings.first().ok_or_else(|| p.error("invalid instruction"))?;
        let mut inst = empty(row.id, encoding.form);
        for (n, spec) in encoding.specs(row).enumerate() {
            if n > 0 {
                p.expect(",")?;
            }
            let operand = p.operand(encoding, spec)?;
            inst.operands.push(operand);
        }
        p.expect_end()?;
        Ok(inst)
    })
}
