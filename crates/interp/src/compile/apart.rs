//! The adversarial reading of convergence: where lanes need not be together, each goes alone.
//!
//! What LLVM's IR says of memory it says of threads; that the lanes of a wave are in lockstep is said nowhere. They must be
//! together at operations that concern the whole wave (LLVM's "Convergence And Uniformity": convergent operations; those
//! that carry no convergence token as if by maximal convergence, which is how AMDGPU defines them). Between these a kernel
//! must not depend on the order of its lanes.
//!
//! So blocks are cut ([`part_lanes`]): operations that concern the wave, which all lanes execute together, and accesses to
//! memory stand in blocks of their own. At the end of a block, [`Block::apart`] says how far lanes can go alone: to the
//! furthest block on every way from there which no operation that concerns the wave lies before. Stacks are a wave's here,
//! so that room on them is made by all lanes together.

use rustc_hash::FxHashSet;

use crate::op::{Apart, Block, Callee, Edge, End, Function, Op};

/// What an operation asks of the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// Nothing: it computes.
    Nothing,
    /// Order: it reads or writes memory.
    Order,
    /// To be together.
    Together,
}

fn asks(op: &Op, calls_together: impl Fn(&Callee) -> bool) -> Asks {
    match op {
        Op::Load { .. }
        | Op::Store { .. }
        | Op::Rmw { .. }
        | Op::CompareExchange { .. }
        | Op::Fence { .. }
        | Op::BufferLoad { .. }
        | Op::BufferStore { .. }
        | Op::Masked { .. }
        | Op::BufferRmw { .. }
        | Op::TypedLoad { .. }
        | Op::TypedStore { .. }
        | Op::Copy { .. }
        | Op::Fill { .. } => Asks::Order,
        Op::Call { callee, .. } if !calls_together(callee) => Asks::Order,
        Op::Machine(machine) if !machine.across => Asks::Nothing,
        Op::Machine(_)
        | Op::Call { .. }
        | Op::Cross { .. }
        | Op::Transposed { .. }
        | Op::ToLds { .. }
        | Op::Async { .. }
        | Op::Tensor { .. }
        | Op::Arrive { .. }
        | Op::Sync { .. }
        | Op::SetReg { .. }
        | Op::Alloca { .. }
        | Op::StackSave { .. }
        | Op::StackRestore { .. }
        | Op::Trap
        | Op::End
        | Op::Refused(_) => Asks::Together,
        _ => Asks::Nothing,
    }
}

/// Makes the lanes of all functions go alone where they may.
pub fn part_lanes(functions: &mut [Option<Function>]) {
    let mut together: Vec<bool> = vec![false; functions.len()];
    loop {
        let needs = |function: &Function| {
            let ops = function.blocks.iter().flat_map(|block| &block.ops);
            ops.into_iter()
                .any(|(op, _)| asks(op, |callee| calls_together(&together, callee)) == Asks::Together)
        };
        let next: Vec<bool> = functions.iter().map(|function| function.as_ref().is_none_or(needs)).collect();
        if next == together {
            break;
        }
        together = next;
    }
    for function in functions.iter_mut().flatten() {
        cut(function, &together);
        let apart: Vec<Apart> = Ways { blocks: &function.blocks, together: &together }.all();
        function.blocks.iter_mut().zip(apart).for_each(|(block, apart)| block.apart = apart);
    }
}

fn calls_together(together: &[bool], callee: &Callee) -> bool {
    match callee {
        Callee::Known(number) => together.get(*number).copied().unwrap_or(true),
        Callee::At(_) => true,
    }
}

/// Cuts blocks where what operations ask of the lanes changes; the first block is empty, so that lanes may part at once.
fn cut(function: &mut Function, together: &[bool]) {
    let blocks = std::mem::take(&mut function.blocks);
    // The first piece of each block, behind the empty one.
    let mut first = Vec::with_capacity(blocks.len());
    let mut next = 1;
    let mut pieces = Vec::with_capacity(blocks.len());
    for block in &blocks {
        let mut starts = vec![0];
        let mut kind = Asks::Nothing;
        for (at, (op, _)) in block.ops.iter().enumerate() {
            let asked = asks(op, |callee| calls_together(together, callee));
            if asked != Asks::Nothing {
                if kind != Asks::Nothing && kind != asked {
                    starts.push(at);
                }
                kind = asked;
            }
        }
        first.push(next);
        next += starts.len() as u32;
        pieces.push(starts);
    }
    let go = |target: u32| End::Go(Edge { target, moves: Box::default() });
    let entry_at = blocks[0].ops.first().map_or(blocks[0].end_at, |(_, inst)| *inst);
    let mut out =
        vec![Block { ops: Vec::new(), end: go(1), end_at: entry_at, meets: Some(1), apart: Apart::No }];
    for ((block, starts), &own) in blocks.into_iter().zip(pieces).zip(&first) {
        let Block { mut ops, end, end_at, meets, .. } = block;
        let mut rest: Vec<Vec<_>> = starts.iter().rev().map(|&start| ops.split_off(start)).collect();
        rest.reverse();
        let last = rest.len() - 1;
        let mut end = Some(moved(end, &first));
        for (index, ops) in rest.into_iter().enumerate() {
            let behind = own + index as u32 + 1;
            let (end, end_at, meets) = match index == last {
                true => (end.take(), end_at, meets.map(|block| first[block as usize])),
                false => (None, ops.last().map_or(end_at, |(_, inst)| *inst), Some(behind)),
            };
            out.push(Block { ops, end: end.unwrap_or_else(|| go(behind)), end_at, meets, apart: Apart::No });
        }
    }
    function.blocks = out;
}

/// The same end, with the first pieces of blocks in the place of blocks.
fn moved(end: End, first: &[u32]) -> End {
    let edge = |edge: Edge| Edge { target: first[edge.target as usize], ..edge };
    match end {
        End::Go(one) => End::Go(edge(one)),
        End::Branch { condition, then, otherwise } => {
            End::Branch { condition, then: edge(then), otherwise: edge(otherwise) }
        }
        End::Switch { value, cases, ways } => {
            End::Switch { value, cases, ways: ways.into_vec().into_iter().map(edge).collect() }
        }
        other => other,
    }
}

/// How far lanes can go alone from each block of a function.
struct Ways<'f> {
    blocks: &'f [Block],
    together: &'f [bool],
}

impl Ways<'_> {
    fn all(&self) -> Vec<Apart> {
        let mut known: Vec<Option<Apart>> = vec![None; self.blocks.len()];
        for start in 0..self.blocks.len() {
            // The chain of blocks on every way, until one is known; then back.
            let (mut chain, mut at) = (Vec::new(), Some(start));
            while let Some(block) = at.filter(|&block| known[block].is_none()) {
                chain.push(block);
                at = self.blocks[block].meets.map(|next| next as usize);
            }
            for block in chain.into_iter().rev() {
                known[block] = Some(self.one(block, &known));
            }
        }
        known.into_iter().map(Option::unwrap_or_default).collect()
    }

    fn one(&self, block: usize, known: &[Option<Apart>]) -> Apart {
        let meets = self.blocks[block].meets;
        if !self.is_clear(block, meets) {
            return Apart::No;
        }
        let Some(next) = meets else { return Apart::Until(None) };
        match known[next as usize] {
            Some(Apart::Until(further)) if !self.is_together(next as usize) => Apart::Until(further),
            _ => Apart::Until(Some(next)),
        }
    }

    /// Whether nothing that concerns the wave lies on the ways from behind a block to where they meet.
    fn is_clear(&self, block: usize, meets: Option<u32>) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), targets(&self.blocks[block].end));
        while let Some(at) = work.pop() {
            if Some(at) == meets || !seen.insert(at) {
                continue;
            }
            if self.is_together(at as usize) {
                return false;
            }
            work.extend(targets(&self.blocks[at as usize].end));
        }
        true
    }

    fn is_together(&self, block: usize) -> bool {
        let asked = |op: &Op| asks(op, |callee| calls_together(self.together, callee));
        self.blocks[block].ops.iter().any(|(op, _)| asked(op) == Asks::Together)
    }
}

fn targets(end: &End) -> Vec<u32> {
    match end {
        End::Go(edge) => vec![edge.target],
        End::Branch { then, otherwise, .. } => vec![then.target, otherwise.target],
        End::Switch { ways, .. } => ways.iter().map(|edge| edge.target).collect(),
        End::Return(_) | End::Unreachable => Vec::new(),
    }
}
