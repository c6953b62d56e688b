//! Counters that go up by one until they meet their bound.
//!
//! A loop goes on while its counter, one more than in the round before, is below a bound. It was below it in the round before,
//! or begins below it; so it is never above, and a loop that ends has met its bound. What a counter leaves when divided says
//! nothing of whether it is below a number, but a lot of whether it is that number.
//!
//! Promises: at each evaluation of such a condition the counter is not above the bound, if it begins below it.

use rustc_hash::FxHashMap;

use crate::function::{Block, Value, ValueDef};
use crate::inst::{InstKind, Operand};
use crate::opcode::{BinaryOp, Flags, IntPredicate};

use super::bits::signed;
use super::divergence;
use super::lanes::Values;

/// Conditions that compare a counter with its bound, each with the greatest number at which the counter begins.
pub(super) fn counted(values: &Values<'_>) -> FxHashMap<Value, i64> {
    let blocks = values.body.order.iter();
    blocks.filter_map(|&block| of_block(values, block)).collect()
}

/// The condition at the end of a block from which a loop goes on.
fn of_block(values: &Values<'_>, latch: Block) -> Option<(Value, i64)> {
    let kind = |value: Value| match values.body.values[value].def {
        ValueDef::Inst(inst) => Some((inst, &values.body.insts[inst].kind)),
        _ => None,
    };
    let Some(&InstKind::CondBr { condition: Operand::Value(condition), then, otherwise }) =
        values.body.terminator(latch)
    else {
        return None;
    };
    let &InstKind::ICmp { predicate, lhs: Operand::Value(next), rhs: bound, .. } = kind(condition)?.1 else {
        return None;
    };
    let head = match predicate {
        IntPredicate::Slt if then != otherwise => then,
        IntPredicate::Sge if then != otherwise => otherwise,
        _ => return None,
    };
    let &InstKind::Binary { op: BinaryOp::Add, flags, lhs: Operand::Value(counter), rhs: step } =
        kind(next)?.1
    else {
        return None;
    };
    let (phi, InstKind::Phi { incoming, .. }) = kind(counter)? else { return None };
    let counts = flags.contains(Flags::NSW)
        && values.immediate(step) == Some(1)
        && values.body.blocks[head].insts.contains(&phi)
        && divergence::is_fixed(values, bound);
    if !counts {
        return None;
    }
    let width = values.bits(values.body.values[counter].ty)?;
    let mut start = None;
    for &(from, block) in incoming {
        if block == latch {
            if from != Operand::Value(next) {
                return None;
            }
            continue;
        }
        let Operand::Const(constant) = from else { return None };
        let one = signed(width, values.module.constants.int(constant)?.to_u64()?);
        start = Some(start.map_or(one, |start: i64| start.max(one)));
    }
    Some((condition, start?))
}
