//! Dominators, after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".

use super::Graph;

/// The dominators of a graph's nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dominators {
    /// The immediate dominator of each node that can be reached; that of the entry is itself.
    parents: Vec<Option<usize>>,
    /// When a walk over the tree of dominators comes to each node, and when it leaves it.
    within: Vec<(u32, u32)>,
}

impl Dominators {
    /// Of a graph, from its entry.
    pub fn of(graph: &Graph) -> Dominators {
        let order = graph.reverse_postorder();
        let mut position = vec![usize::MAX; graph.len()];
        for (index, &node) in order.iter().enumerate() {
            position[node] = index;
        }
        let mut parents: Vec<Option<usize>> = vec![None; graph.len()];
        if let Some(&entry) = order.first() {
            parents[entry] = Some(entry);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().skip(1) {
                let known = graph.predecessors[node].iter().copied().filter(|&from| parents[from].is_some());
                let parent = known.reduce(|a, b| meet(&parents, &position, a, b));
                if parents[node] != parent {
                    parents[node] = parent;
                    changed = true;
                }
            }
        }
        let within = walk(&parents, &order);
        Dominators { parents, within }
    }

    /// The post-dominators of a graph: node n is n + 1, and 0 is the end of the function.
    pub fn post(graph: &Graph) -> Dominators {
        Dominators::of(&graph.reversed())
    }

    /// Whether a node can be reached.
    pub fn reaches(&self, node: usize) -> bool {
        self.parents[node].is_some()
    }

    /// The immediate dominator; `None` for the entry and for what cannot be reached.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node].filter(|&parent| parent != node)
    }

    /// Whether every way to `node` leads through `over`, which may be the same. What cannot be reached is dominated by
    /// everything.
    #[inline]
    pub fn dominates(&self, over: usize, node: usize) -> bool {
        if !self.reaches(node) {
            return true;
        }
        let ((comes, leaves), (at, _)) = (self.within[over], self.within[node]);
        self.reaches(over) && comes <= at && at < leaves
    }
}

/// Numbers the nodes of the tree, each before those below it: its own number, and the first behind those.
fn walk(parents: &[Option<usize>], order: &[usize]) -> Vec<(u32, u32)> {
    // How many are below each, itself included: parents stand before their children in the order.
    let mut size = vec![1u32; parents.len()];
    for &node in order.iter().skip(1).rev() {
        if let Some(parent) = parents[node] {
            size[parent] += size[node];
        }
    }
    let mut within = vec![(0, 0); parents.len()];
    // The first number that is free below each.
    let mut free = vec![1u32; parents.len()];
    for (index, &node) in order.iter().enumerate() {
        let number = match parents[node] {
            Some(parent) if index > 0 => {
                let number = free[parent];
                free[parent] += size[node];
                number
            }
            _ => 0,
        };
        within[node] = (number, number + size[node]);
        free[node] = number + 1;
    }
    within
}

/// The nearest node that dominates both.
fn meet(parents: &[Option<usize>], position: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        // Only nodes with a parent are compared, so the walk ends at the entry.
        let (later, other) = if position[a] > position[b] { (a, b) } else { (b, a) };
        match parents[later] {
            Some(parent) => (a, b) = (parent, other),
            None => return other,
        }
    }
    a
}
