//! Chains of calls: under which a path is in a function, and where it comes back to.
//!
//! A function is looked at once for each chain of calls that leads to it, so what its callers have in flight is told apart,
//! and it comes back to whom called it alone. A chain has no function twice: a function that calls itself is not followed
//! into that call. So chains are finitely many; how much of them is followed is bounded where they are walked.

use rustc_hash::FxHashMap;

/// A chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ChainId(u32);

impl ChainId {
    /// That without a call.
    pub const KERNEL: ChainId = ChainId(0);
}

/// The last call of a chain.
struct Call {
    /// The chain up to it.
    caller: ChainId,
    /// The node of the call.
    node: u32,
    function: u64,
    comes_back_to: u64,
    /// Nodes that come back from it.
    returns: Vec<u32>,
}

/// All chains of a kernel.
#[derive(Default)]
pub(super) struct Chain {
    /// That of chain n is at n - 1.
    calls: Vec<Call>,
    by_node: FxHashMap<(u32, u64), ChainId>,
}

impl Chain {
    fn last(&self, chain: ChainId) -> Option<&Call> {
        self.calls.get((chain.0 as usize).checked_sub(1)?)
    }

    /// The calls of a chain, the last one first.
    fn calls(&self, chain: ChainId) -> impl Iterator<Item = (ChainId, &Call)> {
        let first = self.last(chain).map(|call| (chain, call));
        std::iter::successors(first, |(_, call)| self.last(call.caller).map(|last| (call.caller, last)))
    }

    /// The chain behind a call at `node` in chain `caller`; `None`: the function is in it already.
    pub fn call(&mut self, caller: ChainId, node: u32, function: u64, comes_back_to: u64) -> Option<ChainId> {
        if let Some(&known) = self.by_node.get(&(node, function)) {
            return Some(known);
        }
        if self.calls(caller).any(|(_, call)| call.function == function) {
            return None;
        }
        self.calls.push(Call { caller, node, function, comes_back_to, returns: Vec::new() });
        let chain = ChainId(self.calls.len() as u32);
        self.by_node.insert((node, function), chain);
        Some(chain)
    }

    /// The call that a jump to `target` comes back from, the last such, as the chain that it ends and its node.
    pub fn returning(&self, chain: ChainId, target: u64) -> Option<(ChainId, u32)> {
        let mut calls = self.calls(chain);
        calls.find(|(_, call)| call.comes_back_to == target).map(|(chain, call)| (chain, call.node))
    }

    /// The node at which the last call of a chain comes back.
    pub fn comes_back(&mut self, chain: ChainId, node: u32) {
        let call = (chain.0 as usize).checked_sub(1).and_then(|at| self.calls.get_mut(at));
        if let Some(call) = call.filter(|call| !call.returns.contains(&node)) {
            call.returns.push(node);
        }
    }

    /// The nodes at which the last call of a chain comes back.
    pub fn returns(&self, chain: ChainId) -> &[u32] {
        self.last(chain).map_or(&[], |call| &call.returns)
    }
}
