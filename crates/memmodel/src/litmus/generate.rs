//! Tests from cycles of relations (Alglave, Maranget, Sarkar, Sewell: *Fences in weak memory models*, 2010; diy).
//!
//! A cycle is a sequence of edges: communications between threads (reads-from, from-read, overwrites), and program order
//! within one, to another location. Walking it gives the accesses of each thread, and the values that the question asks for:
//! those of the execution in which all edges hold. Every edge has the orderings, scopes or fences that it is given.

use std::fmt::Write as _;

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edge {
    /// From a write to a read of it in another thread.
    Rfe,
    /// From a read to a later write in another thread.
    Fre,
    /// From a write to a later write in another thread.
    Wse,
    /// From an access to a later one of the same thread to another location, with what stands in between.
    Po(Between),
}

/// What stands between two accesses of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Between {
    /// Nothing.
    Nothing,
    /// A fence that acquires and releases.
    AcquireRelease,
    /// A sequentially consistent one.
    Sequential,
}

/// Which accesses an edge leads from and to: true for writes.
const fn ends(edge: Edge) -> (Option<bool>, Option<bool>) {
    match edge {
        Edge::Rfe => (Some(true), Some(false)),
        Edge::Fre => (Some(false), Some(true)),
        Edge::Wse => (Some(true), Some(true)),
        Edge::Po(_) => (None, None),
    }
}

/// How the accesses of a test are ordered, and where its threads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The ordering of writes; empty for none.
    pub writes: &'static str,
    /// The ordering of reads.
    pub reads: &'static str,
    /// The scope of accesses and fences.
    pub scope: &'static str,
    /// Each thread is in a workgroup of its own; all are in one otherwise.
    pub apart: bool,
}

/// All styles that tests are generated in.
pub const STYLES: [Style; 6] = [
    Style { writes: "monotonic", reads: "monotonic", scope: "agent", apart: true },
    Style { writes: "release", reads: "acquire", scope: "agent", apart: true },
    Style { writes: "seq_cst", reads: "seq_cst", scope: "agent", apart: true },
    Style { writes: "release", reads: "acquire", scope: "workgroup", apart: false },
    Style { writes: "release", reads: "acquire", scope: "workgroup", apart: true },
    Style { writes: "seq_cst", reads: "monotonic", scope: "agent", apart: true },
];

/// An access of a cycle.
#[derive(Clone, Copy, Debug)]
struct Access {
    writes: bool,
    location: usize,
    /// The place of what it writes or reads in the order of the location's writes.
    value: i64,
}

/// All cycles of up to `most` edges that are walks: where edges meet, the access is of one kind; program order does not
/// follow itself, nor is a cycle without communication. Rotations are given once.
pub fn cycles(most: usize) -> Vec<Vec<Edge>> {
    const EDGES: [Edge; 6] = [
        Edge::Rfe,
        Edge::Fre,
        Edge::Wse,
        Edge::Po(Between::Nothing),
        Edge::Po(Between::AcquireRelease),
        Edge::Po(Between::Sequential),
    ];
    let mut found = Vec::new();
    let mut walks: Vec<Vec<Edge>> = vec![Vec::new()];
    for _ in 0..most {
        walks = walks.iter().flat_map(|walk| EDGES.map(|edge| [&walk[..], &[edge]].concat())).collect();
        walks.retain(|walk| walk.windows(2).all(|pair| meet(pair[0], pair[1])));
        found.extend(walks.iter().filter(|walk| is_cycle(walk)).cloned());
    }
    found
}

fn is_program_order(edge: Edge) -> bool {
    matches!(edge, Edge::Po(_))
}

fn meet(first: Edge, second: Edge) -> bool {
    let kinds = !matches!((ends(first).1, ends(second).0), (Some(a), Some(b)) if a != b);
    kinds && !(is_program_order(first) && is_program_order(second))
}

fn is_cycle(walk: &[Edge]) -> bool {
    let rotations = (0..walk.len()).map(|by| [&walk[by..], &walk[..by]].concat());
    let least = rotations.min().expect("a walk has edges");
    // Each location is left by program order, and one alone is coherence.
    let orders = walk.iter().filter(|edge| is_program_order(**edge)).count();
    let two_threads = walk.len() - orders >= 2;
    least == walk && orders >= 2 && two_threads && meet(walk[walk.len() - 1], walk[0])
}

/// The name of a cycle, as diy spells it.
pub fn name(cycle: &[Edge]) -> String {
    let edge = |edge: &Edge| match edge {
        Edge::Rfe => "Rfe",
        Edge::Fre => "Fre",
        Edge::Wse => "Wse",
        Edge::Po(Between::Nothing) => "Pod",
        Edge::Po(Between::AcquireRelease) => "FenceAcqRel",
        Edge::Po(Between::Sequential) => "FenceSc",
    };
    cycle.iter().map(edge).collect::<Vec<_>>().join("+")
}

/// The test of a cycle, as text; `None` if no execution has it (values would have to go round).
pub fn test(cycle: &[Edge], style: Style) -> Option<String> {
    // Begin behind a communication, so that a thread's accesses are together.
    let begin = cycle.iter().rposition(|edge| !is_program_order(*edge))? + 1;
    let cycle: Vec<Edge> = (0..cycle.len()).map(|at| cycle[(begin + at) % cycle.len()]).collect();
    let count = cycle.len();
    let orders = cycle.iter().filter(|edge| is_program_order(**edge)).count();
    let mut accesses = Vec::new();
    let mut location = 0;
    for at in 0..count {
        let before = cycle[(at + count - 1) % count];
        let writes = ends(before).1.or(ends(cycle[at]).0).unwrap_or(true);
        accesses.push(Access { writes, location, value: 0 });
        location = (location + usize::from(is_program_order(cycle[at]))) % orders;
    }
    assign_values(&cycle, &mut accesses)?;
    Some(text(&cycle, &accesses, style))
}

/// Gives each access its place in the order of its location's writes, along the communications from the first of each.
fn assign_values(cycle: &[Edge], accesses: &mut [Access]) -> Option<()> {
    let count = cycle.len();
    // A chain of communications begins where program order ends.
    let begins = |at: usize| is_program_order(cycle[(at + count - 1) % count]);
    for start in (0..count).filter(|&at| begins(at)) {
        let mut at = start;
        accesses[at].value = i64::from(accesses[at].writes);
        while !is_program_order(cycle[at]) {
            let next = (at + 1) % count;
            accesses[next].value = match cycle[at] {
                Edge::Rfe => accesses[at].value,
                Edge::Fre | Edge::Wse => accesses[at].value + 1,
                Edge::Po(_) => unreachable!("a chain is of communications"),
            };
            at = next;
            if at == start {
                return None;
            }
        }
    }
    Some(())
}

fn text(cycle: &[Edge], accesses: &[Access], style: Style) -> String {
    let place = |index: usize| ["X", "Y", "Z", "W", "V", "U"][index % 6];
    let mut threads: Vec<Vec<String>> = vec![Vec::new()];
    let mut asked = Vec::new();
    let mut most = [0i64; 6];
    for (at, access) in accesses.iter().enumerate() {
        let (thread, own) = (threads.len() - 1, threads.last_mut().expect("a thread"));
        let order = if access.writes { style.writes } else { style.reads };
        let how = format!("syncscope(\"{}\") {order}", style.scope);
        let location = place(access.location);
        if access.writes {
            own.push(format!("store atomic {location}, {} {how}", access.value));
            most[access.location % 6] = most[access.location % 6].max(access.value);
        } else {
            let register = format!("r{at}");
            own.push(format!("{register} = load atomic {location} {how}"));
            asked.push(format!("{thread}:{register}={}", access.value));
        }
        match cycle[at] {
            Edge::Po(Between::Nothing) => {}
            Edge::Po(between) => {
                let order = if between == Between::Sequential { "seq_cst" } else { "acq_rel" };
                own.push(format!("fence syncscope(\"{}\") {order}", style.scope));
            }
            _ => threads.push(Vec::new()),
        }
    }
    threads.retain(|thread| !thread.is_empty());
    // Where several writes compete, the last one says in which order.
    for (index, &value) in most.iter().enumerate().filter(|(_, value)| **value > 1) {
        asked.push(format!("{}={value}", place(index)));
    }
    let rows = threads.iter().map(Vec::len).max().unwrap_or(0);
    let width: Vec<usize> =
        threads.iter().map(|own| own.iter().map(String::len).max().unwrap_or(0).max(2)).collect();
    let scope = style.scope.chars().take(2).collect::<String>();
    let where_ = if style.apart { "apart" } else { "together" };
    let mut out = format!("AMDGPU {}-{}-{}-{scope}-{where_}\n", name(cycle), style.writes, style.reads);
    let mut row = |cells: Vec<&str>| {
        let cells: Vec<String> =
            cells.iter().zip(&width).map(|(cell, width)| format!("{cell:width$}")).collect();
        let _ = writeln!(out, " {} ;", cells.join(" | "));
    };
    let heads: Vec<String> = (0..threads.len()).map(|number| format!("P{number}")).collect();
    row(heads.iter().map(String::as_str).collect());
    for nth in 0..rows {
        row(threads.iter().map(|own| own.get(nth).map_or("", String::as_str)).collect());
    }
    let all: Vec<String> = match style.apart {
        true => heads.iter().map(|head| format!("(workgroup {head})")).collect(),
        false => vec![format!("(workgroup {})", heads.join(" "))],
    };
    let _ = writeln!(out, "scopes: (agent {})", all.join(" "));
    if !asked.is_empty() {
        let _ = writeln!(out, "exists ({})", asked.join(" /\\ "));
    }
    out
}
