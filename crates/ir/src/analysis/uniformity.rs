//! Uniformity: which values are the same in all lanes of a wave that execute together.
//!
//! A forward analysis: a value differs where an intrinsic says so, where an operand differs, where it is loaded from an
//! address that differs or returned by a function that is called, and where control flow differs. After a branch on a
//! condition that differs, two sorts of values do: phis in the blocks that two of its targets lead to, up to
//! the block where all meet again (its post-dominator), and values of a loop that are seen outside of it, if lanes may
//! leave it at different times. In a function with a cycle that has no header (irreducible) everything differs.
//!
//! Promises: what is uniform is so in every execution in which lanes converge at post-dominators. Not promised: that all
//! else differs. Kernel arguments are uniform, those of other functions are not, unless they are `inreg`.

use std::collections::BTreeSet;

use super::{Dominators, Graph, Loop, direct_callee, loops};
use crate::entity::Table;
use crate::function::{Body, Function, Inst, Value};
use crate::inst::{Callee, InstKind, Operand};
use crate::intrinsic::{self, Lanes};
use crate::module::Module;

/// What differs.
#[derive(Clone, Debug, Default)]
pub struct Uniformity {
    divergent: Table<Value, bool>,
    /// Positions of blocks whose terminators go different ways.
    branches: BTreeSet<usize>,
}

impl Uniformity {
    /// Whether a value is the same in all lanes.
    pub fn is_uniform(&self, value: Value) -> bool {
        !self.divergent[value]
    }

    /// Whether all lanes leave the block at that position the same way.
    pub fn branches_uniformly(&self, position: usize) -> bool {
        !self.branches.contains(&position)
    }
}

struct Analysis<'m> {
    module: &'m Module,
    body: &'m Body,
    graph: Graph,
    post: Dominators,
    loops: Vec<Loop>,
    /// The position of each instruction's block.
    block_of: Table<Inst, usize>,
    /// The instructions that use each value.
    uses: Table<Value, Vec<Inst>>,
    result: Uniformity,
    work: Vec<Value>,
}

/// The uniformity of a function with a body.
pub fn uniformity(module: &Module, function: &Function) -> Uniformity {
    let Some(body) = &function.body else { return Uniformity::default() };
    let (mut block_of, mut uses) = (Table::default(), Table::<Value, Vec<Inst>>::default());
    for (position, &block) in body.order.iter().enumerate() {
        for &inst in &body.blocks[block].insts {
            block_of.set(inst, position);
            body.insts[inst].kind.each_operand(|operand| {
                if let Operand::Value(value) = operand {
                    uses.entry(value).push(inst);
                }
            });
        }
    }
    let graph = Graph::of(body);
    let dominators = Dominators::of(&graph);
    let mut analysis = Analysis {
        module,
        body,
        post: Dominators::post(&graph),
        loops: loops(&graph, &dominators),
        block_of,
        uses,
        result: Uniformity::default(),
        work: Vec::new(),
        graph,
    };
    if !analysis.graph.is_reducible(&dominators) {
        for value in body.values.ids() {
            analysis.mark(value);
        }
    }
    if !function.is_kernel() {
        for (param, &value) in function.params.iter().zip(&body.params) {
            if !module.has_attribute(&param.attributes, "inreg") {
                analysis.mark(value);
            }
        }
    }
    for (_, inst) in body.insts.iter() {
        if let Some(result) = inst.result
            && analysis.is_source(&inst.kind)
        {
            analysis.mark(result);
        }
    }
    analysis.spread();
    analysis.result
}

impl Analysis<'_> {
    fn mark(&mut self, value: Value) {
        if !self.result.divergent[value] {
            self.result.divergent.set(value, true);
            self.work.push(value);
        }
    }

    /// Whether an instruction gives values that differ whatever its operands are.
    fn is_source(&self, kind: &InstKind) -> bool {
        match kind {
            // An object in scratch is at one address in every lane, and another object in each.
            InstKind::Alloca(_) => false,
            InstKind::Rmw { .. } | InstKind::CmpXchg(_) => true,
            InstKind::Load { pointer, .. } => {
                let ty = pointer.ty(self.body, &self.module.constants);
                let space = ty.and_then(|ty| self.module.types.address_space(ty));
                // Scratch is each lane's own.
                matches!(space, Some(0 | 5))
            }
            InstKind::Call(call) => match self.row(&call.callee) {
                Some(row) => row.lanes == Lanes::Divergent || row.memory.writes != intrinsic::Spaces::None,
                None => true,
            },
            _ => false,
        }
    }

    fn row(&self, callee: &Callee) -> Option<&'static intrinsic::Intrinsic> {
        let name = self.module.name(direct_callee(self.module, callee)?);
        intrinsic::find(&name).map(|found| found.0)
    }

    fn spread(&mut self) {
        while let Some(value) = self.work.pop() {
            for inst in self.uses[value].clone() {
                let data = &self.body.insts[inst];
                if data.kind.is_terminator() {
                    let position = self.block_of[inst];
                    if self.graph.successors[position].len() > 1 && self.result.branches.insert(position) {
                        self.diverge(position);
                    }
                    continue;
                }
                let always = match &data.kind {
                    InstKind::Call(call) => {
                        self.row(&call.callee).is_some_and(|row| row.lanes == Lanes::Uniform)
                    }
                    _ => false,
                };
                if let Some(result) = data.result
                    && !always
                {
                    self.mark(result);
                }
            }
        }
    }

    /// Marks what differs because lanes leave a block in different ways, until all meet at its post-dominator.
    fn diverge(&mut self, branch: usize) {
        let targets: BTreeSet<usize> = self.graph.successors[branch].iter().copied().collect();
        if targets.len() < 2 {
            return;
        }
        let meeting = self.post.parent(branch + 1).and_then(|node| node.checked_sub(1));
        // How many of the branch's targets lead to each block.
        let mut ways = vec![0; self.graph.len()];
        for &target in &targets {
            let mut seen = vec![false; self.graph.len()];
            let mut stack = vec![target];
            while let Some(node) = stack.pop() {
                if !std::mem::replace(&mut seen[node], true) {
                    ways[node] += 1;
                    if Some(node) != meeting {
                        stack.extend(&self.graph.successors[node]);
                    }
                }
            }
        }
        for (node, _) in ways.iter().enumerate().filter(|(_, ways)| **ways > 1) {
            self.mark_phis(node);
        }
        self.mark_loops(branch, meeting);
    }

    fn mark_phis(&mut self, node: usize) {
        for &inst in &self.body.blocks[self.body.order[node]].insts {
            if let (InstKind::Phi { .. }, Some(result)) =
                (&self.body.insts[inst].kind, self.body.insts[inst].result)
            {
                self.mark(result);
            }
        }
    }

    /// Lanes that stay in a loop while others leave it see other values of its later turns.
    fn mark_loops(&mut self, branch: usize, meeting: Option<usize>) {
        for natural in self.loops.clone() {
            let inside = |node: usize| natural.nodes.binary_search(&node).is_ok();
            // Who meets inside leaves together.
            if !inside(branch) || meeting.is_some_and(inside) {
                continue;
            }
            for &node in &natural.nodes {
                for &inst in &self.body.blocks[self.body.order[node]].insts {
                    let Some(result) = self.body.insts[inst].result else { continue };
                    if self.uses[result].iter().any(|&user| !inside(self.block_of[user])) {
                        self.mark(result);
                    }
                }
            }
        }
    }
}
