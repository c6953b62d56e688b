//! The paths through a function, told apart by the values of phis that addresses in LDS are made of.
//!
//! A pipelined loop keeps which buffer is next in phis: a number that counts from 0 to the number of buffers and over, or
//! the pointers themselves. Each comes to finitely many values, which only depend on themselves. So a node here is a block
//! together with these values, and in it every address is what it is in that round of the loop. Two rounds that are the
//! same node use the same buffers.
//!
//! Of a phi that comes to more than [`MOST_VALUES`] values only the low bits are told apart, whether it is negative, and what
//! it leaves when divided by the odd numbers that the function divides by: a counter of all rounds says whether a round is
//! odd, and which of three buffers is next. One of which these are too many is not known, nor is what is made of it.
//!
//! Promises: every path of an execution is a path here, with the values that it has; which work-items execute a node is
//! those that may on some path to it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{Dominators, Graph};
use crate::entity::Id;
use crate::function::{Block, Value, ValueDef};
use crate::inst::InstKind;
use crate::opcode::BinaryOp;

use super::lanes::{Fixed, Known, Lanes, Values};
use super::numbers::{Kept, gcd};

/// How many values of one phi are told apart.
const MOST_VALUES: usize = 32;

/// So many low bits of a phi are told apart that has too many values.
const FEWER_BITS: u32 = 4;

/// By larger numbers no phi is divided.
const MOST_DIVISOR: u32 = 15;

/// How many nodes there may be.
const MOST_NODES: usize = 2048;

/// A block, with what phis are there.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub block: Block,
    pub fixed: Fixed,
    /// The work-items that may execute it.
    pub active: Vec<bool>,
    pub successors: Vec<usize>,
}

impl Node {
    fn new(values: &Values<'_>, block: Block, fixed: Fixed) -> Node {
        Node { block, fixed, active: vec![true; values.group.items], successors: Vec::new() }
    }
}

/// The nodes, the entry first; `None` where there are too many. `ask` asks for all addresses at a node.
pub(crate) fn nodes(values: &Values<'_>, ask: impl Fn(&Node, &mut Known)) -> Option<Vec<Node>> {
    let phis = phis_of(values, ask);
    let divisor = divisor(values);
    nodes_of(values, phis.clone(), divisor).or_else(|| nodes_of(values, phis, 1).filter(|_| divisor > 1))
}

fn nodes_of(values: &Values<'_>, mut phis: Phis, divisor: u32) -> Option<Vec<Node>> {
    // As many values as are told apart, less for each that is left when dividing.
    let bits = (MOST_VALUES as u32 / divisor).ilog2().min(FEWER_BITS);
    let fewer = |bits, sign, modulus| Kept { bits, sign, modulus };
    let steps = [fewer(bits, true, divisor), fewer(FEWER_BITS, true, 1), fewer(FEWER_BITS, false, 1)];
    loop {
        match explore(values, &phis)? {
            Ok(nodes) => return Some(nodes),
            Err(phi) => {
                let before = phis.get(&phi).copied();
                let reached = steps.iter().rposition(|step| before == Some(*step));
                match steps.get(reached.map_or(0, |reached| reached + 1)) {
                    Some(next) => phis.insert(phi, *next),
                    None => phis.remove(&phi),
                };
            }
        };
    }
}

/// The odd numbers that the function divides by, as one.
fn divisor(values: &Values<'_>) -> u32 {
    let divisors = values.body.insts.iter().filter_map(|(_, data)| match data.kind {
        InstKind::Binary { op: BinaryOp::URem | BinaryOp::SRem, rhs, .. } => {
            u32::try_from(values.immediate(rhs)?).ok().filter(|&by| by > 0)
        }
        _ => None,
    });
    let odd = divisors.map(|by| by >> by.trailing_zeros()).filter(|&by| by <= MOST_DIVISOR);
    odd.fold(1, |all, by| {
        let both = all / gcd(all, by) * by;
        if both <= MOST_DIVISOR { both } else { all }
    })
}

/// Of each phi that addresses are made of, how much is told apart.
type Phis = FxHashMap<Value, Kept>;

/// All of a phi.
const ALL: Kept = Kept { bits: u64::BITS, sign: true, modulus: 1 };

/// The phis that addresses are made of.
fn phis_of(values: &Values<'_>, ask: impl Fn(&Node, &mut Known)) -> Phis {
    let body = values.body;
    let nowhere = Node::new(values, body.entry(), Fixed::default());
    let mut known = Known::default();
    for &block in &body.order {
        ask(&Node { block, ..nowhere.clone() }, &mut known);
    }
    let mut phis = Phis::default();
    loop {
        let new: Vec<Value> = known.phis.iter().copied().filter(|phi| !phis.contains_key(phi)).collect();
        if new.is_empty() {
            return phis;
        }
        for phi in new {
            phis.insert(phi, ALL);
            let ValueDef::Inst(inst) = body.values[phi].def else { continue };
            body.insts[inst].kind.each_operand(|operand| {
                values.of(&nowhere.fixed, &mut known, operand);
            });
        }
    }
}

/// All nodes, or a phi that has too many values.
fn explore(values: &Values<'_>, phis: &Phis) -> Option<Result<Vec<Node>, Value>> {
    let body = values.body;
    let graph = Graph::of(body);
    let dominators = Dominators::of(&graph);
    let positions: FxHashMap<Block, usize> =
        body.order.iter().enumerate().map(|(at, &block)| (block, at)).collect();
    let defined: FxHashMap<Value, Block> = blocks_of(values, phis);
    let mut nodes = vec![Node::new(values, body.entry(), Fixed::default())];
    let mut numbers: FxHashMap<(Block, Vec<(usize, Lanes)>), usize> = FxHashMap::default();
    numbers.insert((body.entry(), Vec::new()), 0);
    let mut seen: FxHashMap<Value, FxHashSet<Lanes>> = FxHashMap::default();
    let mut work = vec![0];
    while let Some(from) = work.pop() {
        let edges = edges(values, &nodes[from]);
        nodes[from].successors.clear();
        let mut known = Known::default();
        for (to, active) in edges {
            let here = &nodes[from];
            let visible = |phi: &Value| {
                defined.get(phi).is_some_and(|block| dominators.dominates(positions[block], positions[&to]))
            };
            let mut fixed: Fixed = here
                .fixed
                .iter()
                .filter(|(phi, _)| visible(phi))
                .map(|(phi, value)| (*phi, value.clone()))
                .collect();
            for &inst in &body.blocks[to].insts {
                let InstKind::Phi { incoming, .. } = &body.insts[inst].kind else { break };
                let Some(phi) = body.insts[inst].result else { continue };
                let Some(&kept) = phis.get(&phi) else { continue };
                let value = incoming.iter().find(|(_, block)| *block == here.block);
                let value = value.and_then(|(value, _)| values.of(&here.fixed, &mut known, *value));
                let Some((value, width)) = value.zip(values.bits(body.values[phi].ty)) else { continue };
                let value = value.keep(kept, width);
                let of_phi = seen.entry(phi).or_default();
                of_phi.insert(value.clone());
                if of_phi.len() > MOST_VALUES {
                    return Some(Err(phi));
                }
                fixed.insert(phi, value);
            }
            let mut key: Vec<(usize, Lanes)> =
                fixed.iter().map(|(phi, value)| (phi.index(), value.clone())).collect();
            key.sort_unstable_by_key(|(phi, _)| *phi);
            let next = nodes.len();
            let number = *numbers.entry((to, key)).or_insert(next);
            if number == next {
                if next == MOST_NODES {
                    return None;
                }
                nodes.push(Node { block: to, fixed, active, successors: Vec::new() });
                work.push(next);
            } else {
                let more = nodes[number].active.iter().zip(&active).any(|(old, new)| *new && !old);
                if more {
                    nodes[number].active.iter_mut().zip(&active).for_each(|(old, new)| *old |= new);
                    work.push(number);
                }
            }
            nodes[from].successors.push(number);
        }
    }
    Some(Ok(nodes))
}

/// The blocks that phis stand in.
fn blocks_of(values: &Values<'_>, phis: &Phis) -> FxHashMap<Value, Block> {
    let body = values.body;
    let results = body.order.iter().flat_map(|&block| {
        body.blocks[block].insts.iter().filter_map(move |&inst| Some((body.insts[inst].result?, block)))
    });
    results.filter(|(value, _)| phis.contains_key(value)).collect()
}

/// Where a node may go, and which work-items may go there.
pub(super) fn edges(values: &Values<'_>, node: &Node) -> Vec<(Block, Vec<bool>)> {
    let body = values.body;
    let mut known = Known::default();
    let mut edges: Vec<(Block, Vec<bool>)> = match body.terminator(node.block) {
        Some(InstKind::CondBr { condition, then, otherwise }) => {
            let condition = values.of(&node.fixed, &mut known, *condition);
            let may_go = |taken: bool| {
                let may = |item| {
                    let known = condition.as_ref().and_then(|condition| condition.of(item).exact());
                    known.is_none_or(|known| (known != 0) == taken)
                };
                node.active.iter().enumerate().map(|(item, &active)| active && may(item)).collect()
            };
            vec![(*then, may_go(true)), (*otherwise, may_go(false))]
        }
        Some(terminator) => {
            terminator.successors().into_iter().map(|block| (block, node.active.clone())).collect()
        }
        None => Vec::new(),
    };
    edges.retain(|(_, active)| active.contains(&true));
    // Two edges to one block bring the same values.
    edges.sort_by_key(|(block, _)| block.index());
    edges.dedup_by(|next, last| {
        let same = next.0 == last.0;
        if same {
            last.1.iter_mut().zip(&next.1).for_each(|(old, new)| *old |= new);
        }
        same
    });
    edges
}
