//! Stages and order from the dependence graph of a loop's statements.

use std::collections::BTreeSet;

use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::{BufferId, Function};

use super::access::{Access, Hazard};
use super::copies::Copy;

/// A statement of the loop.
pub struct Statement {
    /// What to call it.
    pub name: String,
    /// Where it is.
    pub span: Option<Span>,
    /// What it touches.
    pub access: Access,
    /// That it only moves data, or why it does not.
    pub copy: Result<Copy, String>,
}

/// What was decided.
pub struct Schedule {
    /// The stage of each statement.
    pub stages: Vec<i64>,
    /// Its position.
    pub order: Vec<i64>,
    /// The asynchronous stages.
    pub async_stages: Vec<i64>,
    /// What could not be overlapped.
    pub remarks: Vec<String>,
}

/// Why nothing overlaps.
pub struct Problem {
    notes: Vec<String>,
    labels: Vec<(Span, String)>,
}

impl Problem {
    /// For the user.
    pub fn diagnostic(self, name: &str, span: Option<Span>) -> Diagnostic {
        let mut diagnostic = super::error(name.to_owned(), span);
        for (span, remark) in self.labels {
            diagnostic = diagnostic.label(span, remark);
        }
        self.notes.into_iter().fold(diagnostic, Diagnostic::note).help(
            "a copy is a statement that only moves elements of a global buffer (converted or guarded, if need be) \
             into a buffer that is allocated in the loop",
        )
    }
}

/// Two statements, the first written first, that a buffer (or an effect) ties together.
struct Edge {
    from: usize,
    to: usize,
    /// Which buffer and how; `None` for effects.
    cause: Option<(BufferId, Hazard)>,
    /// They must run in the same stage: what ties them has one version, which later iterations touch again.
    equal: bool,
}

fn edges(statements: &[Statement], own: &BTreeSet<BufferId>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for to in 0..statements.len() {
        for from in 0..to {
            let (first, second) = (&statements[from].access, &statements[to].access);
            let hazards = first.hazards(second);
            edges.extend(hazards.map(|(buffer, hazard)| Edge {
                from,
                to,
                cause: Some((buffer, hazard)),
                equal: !own.contains(&buffer),
            }));
            if first.effect.is_some() || second.effect.is_some() {
                edges.push(Edge { from, to, cause: None, equal: true });
            }
        }
    }
    edges
}

/// Plans `num_stages` (at least 2) for the statements; `own` are the buffers that may have versions.
pub fn schedule(
    function: &Function,
    statements: &[Statement],
    own: &BTreeSet<BufferId>,
    num_stages: i64,
) -> Result<Schedule, Problem> {
    let count = statements.len();
    let edges = edges(statements, own);
    let is_copy = |index: usize| statements[index].copy.is_ok();
    let values = || edges.iter().filter(|edge| matches!(edge.cause, Some((_, Hazard::ReadAfterWrite))));

    // Which statements a copy needs, and which copies something needs. Edges point forward, so one sweep from the
    // back settles both.
    let mut feeds_copy = vec![false; count];
    let mut feeds_work = vec![false; count];
    for index in (0..count).rev() {
        for edge in values().filter(|edge| edge.from == index) {
            if is_copy(edge.to) {
                feeds_copy[index] |= feeds_work[edge.to] || feeds_copy[edge.to];
            } else {
                feeds_work[index] = true;
                feeds_copy[index] |= feeds_copy[edge.to];
            }
        }
    }
    // Numbers that one thread fetches for the addresses of copies are no tiles: they prepare.
    let prepares = |index: usize| {
        feeds_copy[index]
            && match &statements[index].copy {
                Ok(copy) => !copy.shared && !feeds_work[index],
                Err(_) => true,
            }
    };
    let tile_copy =
        |index: usize| is_copy(index) && !prepares(index) && (feeds_work[index] || feeds_copy[index]);

    // How many copies lie on the longest chain of values from a statement to the work, itself among them.
    let mut heights = vec![0i64; count];
    for index in (0..count).rev() {
        let next = values().filter(|edge| edge.from == index).map(|edge| heights[edge.to]).max();
        heights[index] = next.unwrap_or(0) + i64::from(tile_copy(index));
    }
    let deepest = heights.iter().copied().max().unwrap_or(0);
    let mut last = num_stages - 1;
    let mut stages: Vec<i64> = (0..count)
        .map(|index| match deepest {
            _ if !tile_copy(index) && !prepares(index) => last,
            0 => last,
            _ => (deepest - heights[index]) * last / deepest,
        })
        .collect();

    // Members of an asynchronous stage are unordered: what prepares a copy cannot be among them.
    let crowded = |stages: &[i64]| {
        values().any(|edge| prepares(edge.from) && tile_copy(edge.to) && stages[edge.from] == stages[edge.to])
    };
    if crowded(&stages) {
        last += 1;
        for index in (0..count).filter(|&index| !prepares(index)) {
            stages[index] += 1;
        }
    }

    // The least stages, not below these, that keep every dependence.
    let mut raised: Vec<Option<usize>> = vec![None; count];
    loop {
        let mut changed = false;
        for (number, edge) in edges.iter().enumerate() {
            let (from, to) = (stages[edge.from], stages[edge.to]);
            if to < from {
                stages[edge.to] = from;
                raised[edge.to] = Some(number);
                changed = true;
            } else if edge.equal && from < to {
                stages[edge.from] = to;
                raised[edge.from] = Some(number);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }

    let mut remarks = Vec::new();
    let mut problem = Problem { notes: Vec::new(), labels: Vec::new() };
    let mut pipelined = false;
    for index in 0..count {
        let statement = &statements[index];
        if tile_copy(index) && stages[index] < last {
            pipelined = true;
        } else if let (true, Some(edge)) = (tile_copy(index), raised[index]) {
            let edge = &edges[edge];
            let other = if edge.from == index { edge.to } else { edge.from };
            let why = tie(function, statements, edge, own);
            remarks.push(format!("copy `{}` is not overlapped: {why}", statement.name));
            problem.notes.push(format!(
                "copy `{}` cannot run ahead of `{}`: {why}",
                statement.name, statements[other].name
            ));
            problem.labels.extend(statement.span.map(|span| (span, "this copy".to_owned())));
            problem.labels.extend(statements[other].span.map(|span| (span, why.clone())));
        } else {
            let why = match &statement.copy {
                Ok(_) => "nothing reads what it copies",
                Err(why) => why,
            };
            problem.notes.push(format!("`{}` is not a copy to run ahead: {why}", statement.name));
        }
    }
    if !pipelined {
        return Err(problem);
    }
    let first = stages.iter().copied().min().unwrap_or(0);
    stages.iter_mut().for_each(|stage| *stage -= first);

    // By stage, then as written: the copies of the newest iteration come first.
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_by_key(|&index| (stages[index], index));
    let mut order = vec![0i64; count];
    for (position, &index) in sorted.iter().enumerate() {
        order[index] = position as i64;
    }

    let mut async_stages = Vec::new();
    for stage in 0..last - first {
        let members: Vec<usize> = (0..count).filter(|&index| stages[index] == stage).collect();
        if !members.iter().any(|&index| tile_copy(index)) {
            continue;
        }
        let stranger = members.iter().find(|&&index| !tile_copy(index));
        let tied = edges.iter().find(|edge| stages[edge.from] == stage && stages[edge.to] == stage);
        match (stranger, tied) {
            (Some(&index), _) => remarks.push(format!(
                "stage {stage} stays synchronous: `{}` is in it, which is no copy",
                statements[index].name
            )),
            (None, Some(edge)) => remarks.push(format!(
                "stage {stage} stays synchronous: {} (a larger num_stages gives each a stage of its own)",
                tie(function, statements, edge, own)
            )),
            (None, None) => async_stages.push(stage),
        }
    }
    // The pass lets a statement wait for one queue.
    for index in 0..count {
        let mut waits: Vec<i64> = values()
            .filter(|edge| edge.to == index && async_stages.contains(&stages[edge.from]))
            .map(|edge| stages[edge.from])
            .collect();
        waits.sort_unstable();
        waits.dedup();
        while waits.len() > 1 {
            let stage = waits.remove(0);
            async_stages.retain(|&other| other != stage);
            remarks.push(format!(
                "stage {stage} stays synchronous: `{}` reads what it copies and what stage {} copies, and can wait for \
                 one of them",
                statements[index].name, waits[0]
            ));
        }
    }
    Ok(Schedule { stages, order, async_stages, remarks })
}

/// What ties two statements, in words.
fn tie(function: &Function, statements: &[Statement], edge: &Edge, own: &BTreeSet<BufferId>) -> String {
    let (from, to) = (&statements[edge.from].name, &statements[edge.to].name);
    let Some((id, hazard)) = edge.cause else {
        let effects =
            [edge.from, edge.to].iter().find_map(|&index| statements[index].access.effect.as_deref());
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
