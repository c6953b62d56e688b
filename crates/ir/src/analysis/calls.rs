//! Who calls whom.

use std::collections::BTreeSet;

use crate::constant::ConstKind;
use crate::entity::Id;
use crate::inst::{Callee, InstKind, Operand};
use crate::module::{Global, Module};

/// The calls between the functions of a module.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    /// The functions that each global calls by their names.
    calls: Vec<BTreeSet<Global>>,
    /// The functions that call what they do not name.
    indirect: BTreeSet<Global>,
}

/// The calls of a module.
pub fn call_graph(module: &Module) -> CallGraph {
    let mut graph =
        CallGraph { calls: vec![BTreeSet::new(); module.globals.len()], indirect: BTreeSet::new() };
    for (caller, function) in module.functions() {
        let Some(body) = &function.body else { continue };
        for (_, inst) in body.insts.iter() {
            let InstKind::Call(call) = &inst.kind else { continue };
            match direct_callee(module, &call.callee) {
                Some(callee) => {
                    graph.calls[caller.index()].insert(callee);
                }
                None if matches!(call.callee, Callee::Operand(_)) => {
                    graph.indirect.insert(caller);
                }
                None => {}
            }
        }
    }
    graph
}

/// The function that a call names.
pub fn direct_callee(module: &Module, callee: &Callee) -> Option<Global> {
    match callee {
        Callee::Operand(Operand::Const(constant)) => match module.constants.kind(*constant) {
            ConstKind::Global(global) => Some(*global),
            _ => None,
        },
        _ => None,
    }
}

impl CallGraph {
    /// The functions that `caller` calls by their names.
    pub fn callees(&self, caller: Global) -> impl Iterator<Item = Global> + '_ {
        self.calls[caller.index()].iter().copied()
    }

    /// Whether `caller` calls something that it does not name.
    pub fn calls_unknown(&self, caller: Global) -> bool {
        self.indirect.contains(&caller)
    }

    /// `from`, and all that it calls, and what those call.
    pub fn reachable(&self, from: Global) -> BTreeSet<Global> {
        let (mut reached, mut stack) = (BTreeSet::new(), vec![from]);
        while let Some(function) = stack.pop() {
            if reached.insert(function) {
                stack.extend(self.callees(function));
            }
        }
        reached
    }

    /// Whether a function may call itself, over others or at once.
    pub fn is_recursive(&self, function: Global) -> bool {
        self.callees(function).any(|callee| self.reachable(callee).contains(&function))
    }
}
