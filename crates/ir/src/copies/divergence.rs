//! Whether the waves of a workgroup may reach different barriers.
//!
//! A path is one wave's. That what a wave has done before a barrier is what every wave has done before it holds where all
//! waves take the same way to the same barriers. So a branch that waves may leave by different ways, be it that the
//! condition is known of them or depends on the work-item, must have no barrier before all ways meet again.

use rustc_hash::FxHashSet;

use crate::analysis::{Dominators, Graph};
use crate::function::{Block, ValueDef};
use crate::inst::{InstKind, Operand};
use crate::intrinsic::{self, Intrinsic, Lanes, Spaces};

use super::lanes::{Known, Values};
use super::paths::Node;

/// Whether waves may differ in the barriers that they reach where they part at one of the nodes; `is_barrier` says which
/// blocks have one.
pub(crate) fn may_differ<'n>(
    values: &Values<'_>,
    nodes: impl IntoIterator<Item = &'n Node>,
    is_barrier: impl Fn(Block) -> bool,
) -> bool {
    let graph = Graph::of(values.body);
    let post = Dominators::post(&graph);
    let position = |block: Block| values.body.order.iter().position(|&other| other == block);
    nodes.into_iter().filter(|node| splits(values, node)).any(|node| {
        let Some(at) = position(node.block) else { return false };
        // Nodes of the post-dominators are one more, and 0 is the end.
        let meeting = post.parent(at + 1).and_then(|meeting| meeting.checked_sub(1));
        let mut seen = FxHashSet::default();
        let mut work: Vec<usize> = graph.successors[at].clone();
        while let Some(block) = work.pop() {
            if Some(block) == meeting || !seen.insert(block) {
                continue;
            }
            if is_barrier(values.body.order[block]) {
                return true;
            }
            work.extend(&graph.successors[block]);
        }
        false
    })
}

/// Whether waves may leave a node by different ways.
fn splits(values: &Values<'_>, node: &Node) -> bool {
    let condition = match values.body.terminator(node.block) {
        Some(InstKind::CondBr { condition, .. }) => *condition,
        Some(InstKind::Switch { value, .. }) => *value,
        _ => return false,
    };
    let Some(lanes) = values.of(&node.fixed, &mut Known::default(), condition) else { return true };
    let items = || (0..values.group.items).filter(|&item| node.active[item]);
    let known: Option<Vec<u64>> = items().map(|item| lanes.of(item).exact()).collect();
    match known {
        // Lanes of one wave go both ways one after the other; the wave takes part in what is on either.
        Some(known) => known.windows(2).any(|pair| pair[0] != pair[1]),
        None => depends_on_item(values, condition),
    }
}

/// Whether an operand is made of anything that differs between work-items.
pub(crate) fn depends_on_item(values: &Values<'_>, operand: Operand) -> bool {
    is_made_of(values, operand, |kind| match kind {
        InstKind::Call(call) => {
            let row = intrinsic::called(values.module, call);
            row.is_none_or(|row| row.lanes == Lanes::Divergent || is_of_wave(row))
        }
        // What is in memory may be anything of anybody.
        InstKind::Rmw { .. } | InstKind::CmpXchg(_) | InstKind::Alloca(_) => true,
        _ => false,
    })
}

/// Whether an operand is the same wherever the workgroup looks at it: made of what the kernel is given, of which workgroup
/// it is, and of memory that nothing changes, in no round of a loop.
pub(crate) fn is_fixed(values: &Values<'_>, operand: Operand) -> bool {
    !is_made_of(values, operand, |kind| match kind {
        InstKind::Call(call) => !intrinsic::called(values.module, call).is_some_and(is_of_workgroup),
        InstKind::Load { pointer, .. } => !is_constant(values, *pointer),
        InstKind::Phi { .. }
        | InstKind::Alloca(_)
        | InstKind::Rmw { .. }
        | InstKind::CmpXchg(_)
        | InstKind::Freeze { .. } => true,
        _ => false,
    })
}

/// Whether one `is` among the instructions that an operand comes from, in whatever way.
pub(super) fn is_made_of(values: &Values<'_>, operand: Operand, is: impl Fn(&InstKind) -> bool) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![operand];
    while let Some(operand) = work.pop() {
        let Operand::Value(value) = operand else { continue };
        let ValueDef::Inst(inst) = values.body.values[value].def else { continue };
        if !seen.insert(value) {
            continue;
        }
        let kind = &values.body.insts[inst].kind;
        if is(kind) {
            return true;
        }
        kind.each_operand(|operand| work.push(operand));
    }
    false
}

/// Whether a pointer is one to memory that nothing changes.
pub(crate) fn is_constant(values: &Values<'_>, pointer: Operand) -> bool {
    let ty = pointer.ty(values.body, &values.module.constants);
    ty.and_then(|ty| values.module.types.address_space(ty)) == Some(CONSTANT)
}

const CONSTANT: u32 = wavemark_target::AddressSpace::Constant as u32;

/// Whether what it gives is the same in the lanes of a wave, and may be another in each wave: its number, and what changes
/// while they run.
fn is_of_wave(row: &Intrinsic) -> bool {
    row.lanes == Lanes::Uniform && (row.name == "llvm.amdgcn.wave.id" || row.memory.ordered)
}

/// Whether what it gives follows from its operands and from which workgroup asks.
pub(crate) fn is_of_workgroup(row: &Intrinsic) -> bool {
    let accesses =
        row.memory.reads != Spaces::None || row.memory.writes != Spaces::None || row.memory.ordered;
    row.lanes != Lanes::Divergent && !accesses && !row.convergent && !is_of_wave(row)
}
