//! Waits that leave more than before, where that is proven.

use wavemark_target::Processor;

use crate::constant::ConstKind;
use crate::function::Inst;
use crate::inst::{InstKind, Operand};
use crate::integer::Integer;
use crate::module::{Global, Module};

use super::judge::{Weaker, judge};

/// Lets the waits of a kernel leave as many as its accesses of LDS allow, the first in the text first, and takes out those
/// that nothing needs. Each change is proven with those before it made. What was changed, in order; a wait that is taken
/// out stays in the body's arena, in no block.
pub fn tighten(module: &mut Module, kernel: Global, processor: Option<Processor>) -> Vec<Weaker> {
    let mut changes = Vec::new();
    while let Some(Ok(verdict)) = judge(module, kernel, processor) {
        let Some(&next) = verdict.weaker.first() else { break };
        let next = Weaker { wait: verdict.origin(kernel, next.wait).1, ..next };
        if apply(module, kernel, next).is_none() {
            break;
        }
        changes.push(next);
    }
    changes
}

fn apply(module: &mut Module, kernel: Global, change: Weaker) -> Option<()> {
    let number = match change.enough {
        Some(n) => {
            let ty = argument_type(module, kernel, change.wait)?;
            let bits = module.types.int_bits(ty)?;
            Some(module.constants.intern(ty, ConstKind::Int(Integer::new(bits, n.into()))))
        }
        None => None,
    };
    let body = module.function_mut(kernel)?.body.as_mut()?;
    match (&mut body.insts[change.wait].kind, number) {
        (InstKind::Call(call), Some(number)) => call.args.first_mut()?.value = Operand::Const(number),
        _ => {
            let blocks = body.order.clone();
            blocks.iter().for_each(|&block| body.blocks[block].insts.retain(|&inst| inst != change.wait));
        }
    }
    Some(())
}

fn argument_type(module: &Module, kernel: Global, wait: Inst) -> Option<crate::types::Type> {
    match &module.function(kernel)?.body.as_ref()?.insts[wait].kind {
        InstKind::Call(call) => Some(call.args.first()?.ty),
        _ => None,
    }
}
