//! What ties the statements of a loop together.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use wavemark_tile::{BufferId, Function};

use super::access::Hazard;
use super::stages::Statement;

/// Two statements, the first written first, that a buffer (or an effect) ties together.
pub struct Edge {
    /// The first.
    pub from: usize,
    /// The second.
    pub to: usize,
    /// Which buffer and how; `None` for effects.
    pub cause: Option<(BufferId, Hazard)>,
    /// They must run in the same stage: what ties them has one version, which later iterations touch again.
    pub equal: bool,
}

/// The ties, as few as imply all others: a statement is tied to every earlier writer of what it reads, where buffers
/// have versions; else to the nearest accesses, and through them to the rest.
pub struct Graph {
    /// By the second statement.
    pub edges: Vec<Edge>,
    /// Of each statement, the edges that carry its values to others.
    values: Vec<Vec<usize>>,
}

/// Accesses of a buffer so far.
#[derive(Default)]
struct Accesses {
    writers: Vec<usize>,
    /// Since the last write.
    readers: Vec<usize>,
}

impl Graph {
    /// Of these statements; `own` are the buffers that may have versions.
    pub fn new(statements: &[Statement], own: &BTreeSet<BufferId>) -> Graph {
        let effects = statements.iter().any(|statement| statement.access.effect.is_some());
        let mut edges = Vec::new();
        let mut accesses: FxHashMap<BufferId, Accesses> = FxHashMap::default();
        for (to, statement) in statements.iter().enumerate() {
            let (reads, writes) = (&statement.access.reads, &statement.access.writes);
            for &buffer in reads.union(writes) {
                let before = accesses.entry(buffer).or_default();
                let versioned = own.contains(&buffer);
                let mut tie = |from: &usize, hazard| {
                    edges.push(Edge { from: *from, to, cause: Some((buffer, hazard)), equal: !versioned });
                };
                let last = before.writers.len().saturating_sub(1);
                if reads.contains(&buffer) {
                    let writers = if versioned { &before.writers[..] } else { &before.writers[last..] };
                    writers.iter().for_each(|from| tie(from, Hazard::ReadAfterWrite));
                }
                if writes.contains(&buffer) {
                    before.readers.iter().for_each(|from| tie(from, Hazard::WriteAfterRead));
                    before.writers[last..].iter().for_each(|from| tie(from, Hazard::WriteAfterWrite));
                    before.readers.clear();
                    before.writers.push(to);
                } else {
                    before.readers.push(to);
                }
            }
            if effects && to > 0 {
                edges.push(Edge { from: to - 1, to, cause: None, equal: true });
            }
        }
        let mut values = vec![Vec::new(); statements.len()];
        for (number, edge) in edges.iter().enumerate() {
            if matches!(edge.cause, Some((_, Hazard::ReadAfterWrite))) {
                values[edge.from].push(number);
            }
        }
        Graph { edges, values }
    }

    /// The statements that read what this one writes.
    pub fn readers(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.values[index].iter().map(|&number| self.edges[number].to)
    }

    /// The least stages, not below `stages`, that keep every tie; and, of each statement that was raised, the edge
    /// that did it last.
    pub fn raise(&self, stages: &mut [i64]) -> Vec<Option<usize>> {
        let mut raised = vec![None; stages.len()];
        loop {
            let mut changed = false;
            for (number, edge) in self.edges.iter().enumerate() {
                if stages[edge.to] < stages[edge.from] {
                    stages[edge.to] = stages[edge.from];
                    raised[edge.to] = Some(number);
                    changed = true;
                }
            }
            for (number, edge) in self.edges.iter().enumerate().rev() {
                if edge.equal && stages[edge.from] < stages[edge.to] {
                    stages[edge.from] = stages[edge.to];
                    raised[edge.from] = Some(number);
                    changed = true;
                }
            }
            if !changed {
                return raised;
            }
        }
    }
}

/// What ties two statements, in words.
pub fn tie(function: &Function, statements: &[Statement], edge: &Edge, own: &BTreeSet<BufferId>) -> String {
    let (from, to) = (&statements[edge.from].name, &statements[edge.to].name);
    let Some((id, hazard)) = edge.cause else {
        let effects = statements.iter().find_map(|statement| statement.access.effect.as_deref());
        return format!("nothing may move across `{}`", effects.unwrap_or("a call"));
    };
    let buffer = &function.buffer(id).name;
    let what = match hazard {
        Hazard::ReadAfterWrite => format!("`{to}` reads `{buffer}`, which `{from}` writes"),
        Hazard::WriteAfterRead => format!("`{to}` writes `{buffer}`, which `{from}` reads"),
        Hazard::WriteAfterWrite => format!("`{from}` and `{to}` both write `{buffer}`"),
    };
    match own.contains(&id) {
        true => what,
        false => format!("{what}, and `{buffer}` has one version: it is not allocated in the loop"),
    }
}
