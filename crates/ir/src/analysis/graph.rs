//! A control flow graph as numbers.

use crate::entity::Id;
use crate::function::Body;

/// Nodes 0 to n − 1 with their edges. Node 0 is the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Where each node may go.
    pub successors: Vec<Vec<usize>>,
    /// Where each may come from.
    pub predecessors: Vec<Vec<usize>>,
}

impl Graph {
    /// The graph with these edges.
    pub fn new(successors: Vec<Vec<usize>>) -> Graph {
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (from, targets) in successors.iter().enumerate() {
            for &to in targets {
                predecessors[to].push(from);
            }
        }
        Graph { successors, predecessors }
    }

    /// The blocks of a function: node n is the block `body.order[n]`.
    pub fn of(body: &Body) -> Graph {
        let mut position = vec![0; body.blocks.len()];
        for (index, &block) in body.order.iter().enumerate() {
            position[block.index()] = index;
        }
        let targets =
            |&block| body.successors(block).into_iter().map(|block| position[block.index()]).collect();
        Graph::new(body.order.iter().map(targets).collect())
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// The graph whose edges go the other way, from a new node 0 that goes to every node without a successor; node n of
    /// this graph is n + 1 there.
    pub fn reversed(&self) -> Graph {
        let exits = (0..self.len()).filter(|&node| self.successors[node].is_empty()).map(|node| node + 1);
        let mut successors = vec![exits.collect::<Vec<_>>()];
        successors.extend(self.predecessors.iter().map(|from| from.iter().map(|node| node + 1).collect()));
        Graph::new(successors)
    }

    /// The nodes that can be reached from the entry, each before those that it leads to but for the way back.
    pub fn reverse_postorder(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.len());
        let mut seen = vec![false; self.len()];
        let mut stack = Vec::new();
        if !self.is_empty() {
            seen[0] = true;
            stack.push((0, 0));
        }
        while let Some((node, next)) = stack.pop() {
            match self.successors[node].get(next) {
                Some(&to) => {
                    stack.push((node, next + 1));
                    if !seen[to] {
                        seen[to] = true;
                        stack.push((to, 0));
                    }
                }
                None => order.push(node),
            }
        }
        order.reverse();
        order
    }

    /// Whether every cycle has a node that all ways into it lead through.
    pub fn is_reducible(&self, dominators: &super::Dominators) -> bool {
        let order = self.reverse_postorder();
        let mut position = vec![usize::MAX; self.len()];
        for (index, &node) in order.iter().enumerate() {
            position[node] = index;
        }
        let goes_back = |from: usize, to: usize| position[to] <= position[from];
        order.iter().all(|&from| {
            let targets = &self.successors[from];
            targets.iter().all(|&to| !goes_back(from, to) || dominators.dominates(to, from))
        })
    }
}
