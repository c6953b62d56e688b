//! Natural loops: an edge back to a node that dominates its origin, and all that leads to that edge without it.

use super::{Dominators, Graph};

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The node that every way into it leads through.
    pub header: usize,
    /// Its nodes in order, the header among them.
    pub nodes: Vec<usize>,
    /// The nodes whose edges lead back to the header.
    pub latches: Vec<usize>,
}

/// The natural loops of a graph, by header; edges back to one header are one loop.
pub fn loops(graph: &Graph, dominators: &Dominators) -> Vec<Loop> {
    let mut found = Vec::new();
    for header in (0..graph.len()).filter(|&node| dominators.reaches(node)) {
        let back = |&from: &usize| dominators.reaches(from) && dominators.dominates(header, from);
        let mut latches: Vec<usize> = graph.predecessors[header].iter().copied().filter(back).collect();
        latches.sort_unstable();
        latches.dedup();
        if latches.is_empty() {
            continue;
        }
        let mut inside = vec![false; graph.len()];
        inside[header] = true;
        let mut stack = latches.clone();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut inside[node], true) {
                stack.extend(
                    graph.predecessors[node].iter().copied().filter(|&from| dominators.reaches(from)),
                );
            }
        }
        let nodes = (0..graph.len()).filter(|&node| inside[node]).collect();
        found.push(Loop { header, nodes, latches });
    }
    found
}
