//! Control flow graphs, and the least fixed point of a transfer function over them.
//!
//! A state is what may hold at a point. Where paths meet, states are joined; a node's transfer function makes the state
//! behind it of the one before it. With functions that distribute over the join, the result is the join over all paths.

use std::collections::BTreeSet;

/// A graph of nodes with numbers from 0.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    successors: Vec<Vec<usize>>,
}

impl Graph {
    /// A graph with these successors of each node.
    ///
    /// # Panics
    /// If a successor is no node.
    pub fn new(successors: Vec<Vec<usize>>) -> Graph {
        let nodes = successors.len();
        assert!(successors.iter().flatten().all(|&node| node < nodes), "a successor is no node");
        Graph { successors }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// The nodes that may follow a node.
    pub fn successors(&self, node: usize) -> &[usize] {
        &self.successors[node]
    }

    /// The nodes that can be come back to, by nodes that are `open` alone: those on cycles of such (Tarjan, 1972).
    pub fn on_cycles(&self, open: impl Fn(usize) -> bool) -> Vec<bool> {
        const UNSEEN: usize = usize::MAX;
        let mut on_cycles = vec![false; self.len()];
        let (mut number, mut low) = (vec![UNSEEN; self.len()], vec![UNSEEN; self.len()]);
        let mut in_stack = vec![false; self.len()];
        let (mut count, mut stack, mut path) = (0, Vec::new(), Vec::new());
        for root in (0..self.len()).filter(|&node| open(node)) {
            if number[root] == UNSEEN {
                path.push((root, 0));
            }
            while let Some(&mut (node, ref mut next)) = path.last_mut() {
                if number[node] == UNSEEN {
                    (number[node], low[node]) = (count, count);
                    count += 1;
                    stack.push(node);
                    in_stack[node] = true;
                }
                let successor = self.successors[node].get(*next).copied();
                *next += 1;
                match successor {
                    Some(other) if !open(other) => {}
                    Some(other) if number[other] == UNSEEN => path.push((other, 0)),
                    Some(other) => {
                        on_cycles[node] |= other == node;
                        if in_stack[other] {
                            low[node] = low[node].min(number[other]);
                        }
                    }
                    None => {
                        path.pop();
                        if let Some(&(before, _)) = path.last() {
                            low[before] = low[before].min(low[node]);
                        }
                        if low[node] == number[node] {
                            let component = stack.iter().rposition(|&one| one == node).unwrap_or(0);
                            let several = stack.len() - component > 1;
                            for one in stack.drain(component..) {
                                in_stack[one] = false;
                                on_cycles[one] |= several;
                            }
                        }
                    }
                }
            }
        }
        on_cycles
    }

    /// The place of each node in reverse postorder from `entry`, so that nodes come before those that follow them, but for
    /// loops; `usize::MAX` for those out of reach.
    fn reverse_postorder(&self, entry: usize) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.len()];
        let mut stack = vec![(entry, 0)];
        seen[entry] = true;
        while let Some((node, next)) = stack.last_mut() {
            match self.successors[*node].get(*next) {
                Some(&successor) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[successor], true) {
                        stack.push((successor, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        let mut place = vec![usize::MAX; self.len()];
        for (at, &node) in order.iter().rev().enumerate() {
            place[node] = at;
        }
        place
    }
}

/// What may hold at a point of a program.
pub trait State: Clone {
    /// Adds what may hold by another path; whether anything was new.
    fn join(&mut self, other: &Self) -> bool;
}

/// The state before each node, if a run begins before `entry` with `initial`; `None` for nodes out of reach.
///
/// Ends if the states that `transfer` makes are finitely many and grow with their argument.
pub fn forward<S: State>(
    graph: &Graph,
    entry: usize,
    initial: S,
    mut transfer: impl FnMut(usize, &S) -> S,
) -> Vec<Option<S>> {
    let place = graph.reverse_postorder(entry);
    let mut before: Vec<Option<S>> = vec![None; graph.len()];
    before[entry] = Some(initial);
    let mut waiting = BTreeSet::from([(place[entry], entry)]);
    while let Some((_, node)) = waiting.pop_first() {
        let Some(state) = &before[node] else { continue };
        let behind = transfer(node, state);
        for &successor in graph.successors(node) {
            let changed = match &mut before[successor] {
                Some(known) => known.join(&behind),
                unknown => {
                    *unknown = Some(behind.clone());
                    true
                }
            };
            if changed {
                waiting.insert((place[successor], successor));
            }
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_on_cycles() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3 -> 3, 3 -> 4 -> 5.
        let graph = Graph::new(vec![vec![1], vec![2], vec![1, 3], vec![3, 4], vec![5], vec![]]);
        assert_eq!(graph.on_cycles(|_| true), [false, true, true, true, false, false]);
        assert_eq!(graph.on_cycles(|node| node != 1), [false, false, false, true, false, false]);
        // Two ways back to one node.
        let graph = Graph::new(vec![vec![1, 2], vec![3], vec![3], vec![0]]);
        assert_eq!(graph.on_cycles(|_| true), [true; 4]);
        assert_eq!(graph.on_cycles(|node| node != 1), [true, false, true, true]);
        assert_eq!(graph.on_cycles(|node| node == 1 || node == 2), [false; 4]);
    }
}
