//! Blocks, phis, and values that are there before they are used.

use smallvec::SmallVec;

use super::{Check, Rule};
use crate::analysis::{Dominators, Graph};
use crate::entity::{Id as _, Table};
use crate::function::{Block, Body, ValueDef};
use crate::inst::{InstKind, Operand};

impl Check<'_> {
    pub(super) fn flow(&mut self, body: &Body) {
        let graph = Graph::of(body);
        for (position, &block) in body.order.iter().enumerate() {
            self.block(body, block);
            if position == 0 && !graph.predecessors[0].is_empty() {
                let first = body.blocks[block].insts.first().copied();
                if let Some(first) = first {
                    self.at_inst(first, Rule::Entry, "the entry of a function has a predecessor");
                }
            }
            self.phis(body, block, graph.predecessors[position].iter().map(|&from| body.order[from]));
        }
        self.dominance(body, &graph);
    }

    fn block(&mut self, body: &Body, block: Block) {
        let insts = &body.blocks[block].insts;
        let mut phis_end = false;
        for (index, &inst) in insts.iter().enumerate() {
            let kind = &body.insts[inst].kind;
            let last = index + 1 == insts.len();
            self.require(
                kind.is_terminator() == last,
                inst,
                Rule::Terminator,
                "a block ends with a terminator and has no other",
            );
            let phi = matches!(kind, InstKind::Phi { .. });
            self.require(
                !(phi && phis_end),
                inst,
                Rule::Phi,
                "a phi stands behind another instruction of its block",
            );
            phis_end |= !phi;
        }
    }

    /// Every phi has a value for each edge into its block, and one value for all edges from one block.
    fn phis(&mut self, body: &Body, block: Block, predecessors: impl Iterator<Item = Block>) {
        let first = body.blocks[block].insts.first();
        if !first.is_some_and(|&first| matches!(body.insts[first].kind, InstKind::Phi { .. })) {
            return;
        }
        let mut wanted: SmallVec<[Block; 8]> = predecessors.collect();
        wanted.sort_unstable();
        for &inst in &body.blocks[block].insts {
            let InstKind::Phi { incoming, .. } = &body.insts[inst].kind else { break };
            let mut found: SmallVec<[(Block, Operand); 8]> =
                incoming.iter().map(|&(value, from)| (from, value)).collect();
            found.sort_by_key(|(from, _)| *from);
            self.require(
                found.iter().map(|(from, _)| from).eq(&wanted),
                inst,
                Rule::Phi,
                format_args!("a phi has one value for each of the {} edges into its block", wanted.len()),
            );
            let differs = found.windows(2).any(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
            self.require(!differs, inst, Rule::Phi, "a phi has different values for edges from one block");
        }
    }

    fn dominance(&mut self, body: &Body, graph: &Graph) {
        let dominators = Dominators::of(graph);
        // Where each instruction stands: its block's position, and its own in the block.
        let mut stands = vec![(0, 0); body.insts.len()];
        let mut positions: Table<Block, usize> = Table::default();
        for (position, &block) in body.order.iter().enumerate() {
            positions.set(block, position);
            for (index, &inst) in body.blocks[block].insts.iter().enumerate() {
                stands[inst.index()] = (position, index);
            }
        }
        let defined = |operand: Operand| match operand {
            Operand::Value(value) => match body.values[value].def {
                ValueDef::Inst(inst) => Some(stands[inst.index()]),
                ValueDef::Param(_) => None,
            },
            _ => None,
        };
        for (position, &block) in body.order.iter().enumerate() {
            for (index, &inst) in body.blocks[block].insts.iter().enumerate() {
                let mut late = false;
                let mut used = |operand: Operand, position: usize, index: usize| {
                    let Some((def, at)) = defined(operand) else { return };
                    // In a block that is never reached anything goes, as in LLVM.
                    let fine = match def == position {
                        true => at < index || !dominators.reaches(position),
                        false => dominators.dominates(def, position),
                    };
                    late |= !fine;
                };
                match &body.insts[inst].kind {
                    // A phi uses its values at the end of the blocks that they come from.
                    InstKind::Phi { incoming, .. } => {
                        for &(value, from) in incoming {
                            used(value, positions[from], usize::MAX);
                        }
                    }
                    kind => kind.each_operand(|operand| used(operand, position, index)),
                }
                self.require(
                    !late,
                    inst,
                    Rule::Dominance,
                    "a value is used where it need not be defined yet",
                );
            }
        }
    }
}
