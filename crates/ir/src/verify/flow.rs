//! Blocks, phis, and values that are there before they are used.

use smallvec::SmallVec;

use super::{Check, Rule};
use crate::analysis::{Dominators, Graph};
use crate::entity::{Id as _, Table};
use crate::function::{Block, Body, ValueDef};
use crate::inst::{InstKind, Operand};

/// Where in the text's order everything stands.
struct Stands {
    /// Of each instruction, the position of its block, and its own in the block.
    insts: Vec<(u32, u32)>,
    blocks: Table<Block, u32>,
}

impl Check<'_> {
    pub(super) fn flow(&mut self, body: &Body) {
        let graph = Graph::of(body);
        let mut places = Stands { insts: vec![(0, 0); body.insts.len()], blocks: Table::default() };
        for (position, &block) in body.order.iter().enumerate() {
            places.blocks.set(block, position as u32);
            self.block(body, block, position as u32, &mut places.insts);
            if position == 0 && !graph.predecessors[0].is_empty() {
                let first = body.blocks[block].insts.first().copied();
                if let Some(first) = first {
                    self.at_inst(first, Rule::Entry, "the entry of a function has a predecessor");
                }
            }
            self.phis(body, block, graph.predecessors[position].iter().map(|&from| body.order[from]));
        }
        self.dominance(body, &graph, &places);
    }

    fn block(&mut self, body: &Body, block: Block, position: u32, stands: &mut [(u32, u32)]) {
        let insts = &body.blocks[block].insts;
        let mut phis_end = false;
        for (index, &inst) in insts.iter().enumerate() {
            stands[inst.index()] = (position, index as u32);
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

    fn dominance(&mut self, body: &Body, graph: &Graph, places: &Stands) {
        let dominators = Dominators::of(graph);
        let defined = |operand: Operand| match operand {
            Operand::Value(value) => match body.values[value].def {
                ValueDef::Inst(inst) => Some(places.insts[inst.index()]),
                ValueDef::Param(_) => None,
            },
            _ => None,
        };
        for (position, &block) in (0..).zip(&body.order) {
            for (index, &inst) in (0..).zip(&body.blocks[block].insts) {
                let mut late = false;
                let mut used = |operand: Operand, position: u32, index: u32| {
                    let Some((def, at)) = defined(operand) else { return };
                    // In a block that is never reached anything goes, as in LLVM.
                    let fine = match def == position {
                        true => at < index || !dominators.reaches(position as usize),
                        false => dominators.dominates(def as usize, position as usize),
                    };
                    late |= !fine;
                };
                match &body.insts[inst].kind {
                    // A phi uses its values at the end of the blocks that they come from.
                    InstKind::Phi { incoming, .. } => {
                        for &(value, from) in incoming {
                            used(value, places.blocks[from], u32::MAX);
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
