//! Stages and order from the dependence graph of a loop's statements.

use std::collections::BTreeSet;

use wavemark_diag::{Diagnostic, Span};
use wavemark_tile::{BufferId, Function};

use super::access::{Access, Hazard};
use super::copies::Copy;
use super::graph::{Graph, tie};

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

/// Plans `num_stages` (at least 2) for the statements; `own` are the buffers that may have versions.
pub fn schedule(
    function: &Function,
    statements: &[Statement],
    own: &BTreeSet<BufferId>,
    num_stages: i64,
) -> Result<Schedule, Problem> {
    let plan = Plan { function, statements, own, graph: Graph::new(statements, own) };
    let roles = plan.roles();
    let (mut stages, last) = plan.wished(&roles, num_stages - 1);
    let raised = plan.graph.raise(&mut stages);
    let mut remarks = plan.overlap(&roles, &stages, last, &raised)?;
    let first = stages.iter().copied().min().unwrap_or(0);
    stages.iter_mut().for_each(|stage| *stage -= first);
    let async_stages = plan.asynchronous(&roles, &stages, last - first, &mut remarks);

    // By stage, then as written: the copies of the newest iteration come first.
    let mut sorted: Vec<usize> = (0..stages.len()).collect();
    sorted.sort_by_key(|&index| (stages[index], index));
    let mut order = vec![0i64; stages.len()];
    for (position, &index) in sorted.iter().enumerate() {
        order[index] = position as i64;
    }
    Ok(Schedule { stages, order, async_stages, remarks })
}

/// What a statement is to the pipeline.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A copy that something needs.
    Copy,
    /// Computes or fetches what copies need for their addresses.
    Prepare,
    /// The rest.
    Work,
}

struct Plan<'p> {
    function: &'p Function,
    statements: &'p [Statement],
    own: &'p BTreeSet<BufferId>,
    graph: Graph,
}

impl Plan<'_> {
    fn roles(&self) -> Vec<Role> {
        let count = self.statements.len();
        let is_copy = |index: usize| self.statements[index].copy.is_ok();
        // Edges point forward, so one sweep from the back settles who needs what.
        let (mut feeds_copy, mut feeds_work) = (vec![false; count], vec![false; count]);
        for index in (0..count).rev() {
            for to in self.graph.readers(index) {
                if is_copy(to) {
                    feeds_copy[index] |= feeds_work[to] || feeds_copy[to];
                } else {
                    feeds_work[index] = true;
                    feeds_copy[index] |= feeds_copy[to];
                }
            }
        }
        let role = |index: usize| match &self.statements[index].copy {
            // Numbers that one thread fetches for the addresses of copies are no tiles.
            Ok(copy) if feeds_copy[index] && !copy.shared && !feeds_work[index] => Role::Prepare,
            Ok(_) if feeds_copy[index] || feeds_work[index] => Role::Copy,
            Err(_) if feeds_copy[index] => Role::Prepare,
            _ => Role::Work,
        };
        (0..count).map(role).collect()
    }

    /// The stages that we would like, and the last of them.
    fn wished(&self, roles: &[Role], mut last: i64) -> (Vec<i64>, i64) {
        let count = roles.len();
        // How many copies lie on the longest chain of values from a statement to the work, itself among them.
        let mut heights = vec![0i64; count];
        for index in (0..count).rev() {
            let next = self.graph.readers(index).map(|to| heights[to]).max().unwrap_or(0);
            heights[index] = next + i64::from(roles[index] == Role::Copy);
        }
        let deepest = heights.iter().copied().max().unwrap_or(0);
        let stage = |index: usize| match roles[index] {
            Role::Copy | Role::Prepare if deepest > 0 => (deepest - heights[index]) * last / deepest,
            _ => last,
        };
        let mut stages: Vec<i64> = (0..count).map(stage).collect();
        // Members of an asynchronous stage are unordered: what prepares a copy cannot be among them.
        let crowds = |index: usize| {
            let beside = |to: usize| roles[to] == Role::Copy && stages[to] == stages[index];
            roles[index] == Role::Prepare && self.graph.readers(index).any(beside)
        };
        if (0..count).any(crowds) {
            last += 1;
            for index in (0..count).filter(|&index| roles[index] != Role::Prepare) {
                stages[index] += 1;
            }
        }
        (stages, last)
    }

    /// What does not overlap although it is a copy; an error when nothing does.
    fn overlap(
        &self,
        roles: &[Role],
        stages: &[i64],
        last: i64,
        raised: &[Option<usize>],
    ) -> Result<Vec<String>, Problem> {
        let mut remarks = Vec::new();
        let mut problem = Problem { notes: Vec::new(), labels: Vec::new() };
        let mut overlaps = false;
        for (index, statement) in self.statements.iter().enumerate() {
            let name = &statement.name;
            match (roles[index], raised[index]) {
                (Role::Copy, _) if stages[index] < last => overlaps = true,
                (Role::Copy, Some(edge)) => {
                    let edge = &self.graph.edges[edge];
                    let other = &self.statements[if edge.from == index { edge.to } else { edge.from }];
                    let why = tie(self.function, self.statements, edge, self.own);
                    remarks.push(format!("copy `{name}` is not overlapped: {why}"));
                    problem.notes.push(format!("copy `{name}` cannot run ahead of `{}`: {why}", other.name));
                    problem.labels.extend(statement.span.map(|span| (span, "this copy".to_owned())));
                    problem.labels.extend(other.span.map(|span| (span, why)));
                }
                _ => {
                    let why = match &statement.copy {
                        Ok(_) => "nothing reads what it copies",
                        Err(why) => why,
                    };
                    problem.notes.push(format!("`{name}` is not a copy to run ahead: {why}"));
                }
            }
        }
        if overlaps { Ok(remarks) } else { Err(problem) }
    }

    /// The stages before `last` that can be asynchronous.
    fn asynchronous(&self, roles: &[Role], stages: &[i64], last: i64, remarks: &mut Vec<String>) -> Vec<i64> {
        let name = |index: usize| &self.statements[index].name;
        let holds_copies =
            |stage: &i64| (0..stages.len()).any(|i| stages[i] == *stage && roles[i] == Role::Copy);
        let mut found: Vec<i64> = (0..last).filter(holds_copies).collect();
        found.retain(|&stage| {
            let stranger = (0..stages.len()).find(|&i| stages[i] == stage && roles[i] != Role::Copy);
            let tied =
                self.graph.edges.iter().find(|edge| stages[edge.from] == stage && stages[edge.to] == stage);
            let why = match (stranger, tied) {
                (Some(index), _) => format!("`{}` is in it, which is no copy", name(index)),
                (None, Some(edge)) => {
                    let why = tie(self.function, self.statements, edge, self.own);
                    let chain = matches!(edge.cause, Some((_, Hazard::ReadAfterWrite)));
                    why + if chain { " (a larger num_stages gives each a stage of its own)" } else { "" }
                }
                (None, None) => return true,
            };
            remarks.push(format!("stage {stage} stays synchronous: {why}"));
            false
        });
        // The pass lets a statement wait for one queue.
        let mut waits = vec![BTreeSet::new(); stages.len()];
        for from in (0..stages.len()).filter(|&index| found.contains(&stages[index])) {
            self.graph.readers(from).for_each(|to| _ = waits[to].insert(stages[from]));
        }
        for (index, waits) in waits.iter_mut().enumerate() {
            waits.retain(|stage| found.contains(stage));
            while waits.len() > 1
                && let Some(stage) = waits.pop_first()
            {
                found.retain(|&other| other != stage);
                remarks.push(format!(
                    "stage {stage} stays synchronous: `{}` reads what it copies and what a later stage copies, and can \
                     wait for one of them",
                    name(index)
                ));
            }
        }
        found
    }
}
