//! Where the variables of a kernel lie in LDS.
//!
//! LLVM gives each kernel room for the variables that it and the functions that it calls use. Order is free; here it is
//! that of the module. Variables of no size (external arrays: dynamic LDS) all begin behind the others. Named barriers
//! are variables of this address space and take no memory ([`named_barriers`]).

use std::collections::BTreeSet;

use wavemark_target::AddressSpace;

use crate::analysis::call_graph;
use crate::constant::{Const, ConstKind, Expr};
use crate::entity::Id as _;
use crate::inst::Operand;
use crate::layout::{layout, round_up};
use crate::module::{Global, GlobalKind, Module};
use crate::types::{Type, TypeKind};

/// The variables in LDS that a kernel uses, each with its offset, and the bytes that they take; `None`: too many.
pub fn offsets(module: &Module, kernel: Global) -> Option<(Vec<(Global, u64)>, u64)> {
    let used = used_by(module, kernel);
    place(module, |id| used.contains(&id))
}

fn place(module: &Module, used: impl Fn(Global) -> bool) -> Option<(Vec<(Global, u64)>, u64)> {
    let (mut placed, mut dynamic, mut end) = (Vec::new(), Vec::new(), 0u64);
    let mut dynamic_align = 1;
    for &id in module.order.iter().filter(|&&id| used(id)) {
        let data = &module.globals[id];
        let GlobalKind::Variable(variable) = &data.kind else { continue };
        if data.address_space != AddressSpace::Local as u32 {
            continue;
        }
        if barriers_of(module, variable.ty) > 0 {
            continue;
        }
        let layout = layout(&module.types, variable.ty)?;
        let align = data.align.unwrap_or(layout.align).max(1);
        if layout.size == 0 {
            dynamic.push(id);
            dynamic_align = dynamic_align.max(align);
        } else {
            let at = round_up(end, align);
            placed.push((id, at));
            end = at.checked_add(layout.size)?;
        }
    }
    if !dynamic.is_empty() {
        end = round_up(end, dynamic_align);
        placed.extend(dynamic.into_iter().map(|id| (id, end)));
    }
    (end < u64::MAX).then_some((placed, end))
}

/// Where LLVM has the first named barrier: above any LDS.
const FIRST_BARRIER: u64 = 0x0080_2000;
/// From one named barrier to the next.
const BARRIER_STRIDE: u64 = 16;

/// The address of the named barrier of a number.
pub fn named_barrier(number: u64) -> u64 {
    FIRST_BARRIER + number * BARRIER_STRIDE
}

/// Whether a named barrier may be at an address.
pub(crate) fn is_named_barrier(address: u64) -> bool {
    address > FIRST_BARRIER && address.is_multiple_of(BARRIER_STRIDE) && address < named_barrier(BARRIERS)
}

/// As many numbers the instructions have room for, with 0, the null barrier.
const BARRIERS: u64 = 64;

/// The named barriers of a module, each variable with its address; numbers begin with 1, as LLVM gives them.
pub fn named_barriers(module: &Module) -> Vec<(Global, u64)> {
    let (mut placed, mut next) = (Vec::new(), 1);
    for &id in &module.order {
        let GlobalKind::Variable(variable) = &module.globals[id].kind else { continue };
        let count = barriers_of(module, variable.ty);
        if count > 0 {
            placed.push((id, named_barrier(next)));
            next = next.saturating_add(count);
        }
    }
    placed
}

/// How many named barriers a type is.
fn barriers_of(module: &Module, ty: Type) -> u64 {
    match module.types.kind(ty) {
        TypeKind::Target { name, .. } if &**name == "amdgcn.named.barrier" => 1,
        TypeKind::Array { element, count } => count.saturating_mul(barriers_of(module, *element)),
        _ => 0,
    }
}

/// Bytes of LDS that a kernel needs, dynamic LDS apart.
pub fn bytes(module: &Module, kernel: Global) -> Option<u64> {
    offsets(module, kernel).map(|(_, end)| end)
}

/// No kernel needs more LDS than one would that uses all variables.
pub(crate) fn most_bytes(module: &Module) -> Option<u64> {
    place(module, |_| true).map(|(_, end)| end)
}

/// All globals that a function, and what it calls, mention.
fn used_by(module: &Module, kernel: Global) -> BTreeSet<Global> {
    let mut used = BTreeSet::new();
    let mut seen = vec![false; module.constants.len()];
    for function in call_graph(module).reachable(kernel) {
        let Some(body) = module.function(function).and_then(|function| function.body.as_ref()) else {
            continue;
        };
        for (_, inst) in body.insts.iter() {
            inst.kind.each_operand(|operand| {
                if let Operand::Const(constant) = operand {
                    mentioned(module, constant, &mut seen, &mut used);
                }
            });
        }
    }
    used
}

fn mentioned(module: &Module, constant: Const, seen: &mut [bool], used: &mut BTreeSet<Global>) {
    if seen[constant.index()] {
        return;
    }
    let mut stack = vec![constant];
    while let Some(constant) = stack.pop() {
        if std::mem::replace(&mut seen[constant.index()], true) {
            continue;
        }
        match module.constants.kind(constant) {
            ConstKind::Global(global) => {
                used.insert(*global);
            }
            ConstKind::Aggregate(parts) => stack.extend(parts),
            ConstKind::Splat(part) => stack.push(*part),
            ConstKind::Expr(expr) => match expr {
                Expr::Cast { value, .. } => stack.push(*value),
                Expr::Binary { lhs, rhs, .. } => stack.extend([*lhs, *rhs]),
                Expr::Gep { base, indices, .. } => stack.extend(std::iter::once(base).chain(indices)),
                Expr::ExtractElement { vector, index } => stack.extend([*vector, *index]),
                Expr::InsertElement { vector, value, index } => stack.extend([*vector, *value, *index]),
                Expr::ShuffleVector { lhs, rhs, mask } => stack.extend([*lhs, *rhs, *mask]),
            },
            _ => {}
        }
    }
}
