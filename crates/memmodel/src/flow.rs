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
