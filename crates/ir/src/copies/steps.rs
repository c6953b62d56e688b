//! The steps of a kernel's paths: operations, marks, waits, barriers and accesses of LDS, one behind the other.
//!
//! Which waits count is the kernel's own choice. Where it waits for marks, a mark covers what was issued before. Where it
//! waits for counters (`s.wait.asynccnt`, `s.wait.tensorcnt`), each operation is its own mark in the sequence of its class:
//! operations of one class are done in order, those of different classes are not, so that a wait for n is one for n of each
//! class that the counter counts.

use wavemark_memmodel::asyncmark::{Bound, Function, Stage, Stages, Step};
use wavemark_memmodel::flow;

use crate::function::Inst;
use crate::inst::{Call, InstData, InstKind, Operand};
use crate::intrinsic::{self, Barrier as Role, Intrinsic, Marks};

use super::cells::{Cells, Role as CellRole};
use super::divergence;
use super::lanes::{Known, Values};
use super::named::{self, BarrierNumber, Named};
use super::paths::Node;
use super::touch::Touch;

/// What a step is, beside what it does to marks.
#[derive(Debug, Default)]
pub(super) struct Site {
    pub inst: Option<Inst>,
    /// Its access of LDS.
    pub touch: Option<Touch>,
    pub barrier: Option<Barrier>,
    /// It waits for copies.
    pub waits: bool,
    /// The kernel ends there.
    pub ends: bool,
}

/// A part of a barrier that all waves of the workgroup arrive at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Barrier {
    Signal(BarrierNumber),
    /// A signal that is given when the copies of a class before it (and the one that it is itself) are done, and tells of
    /// these alone.
    SignalLater(BarrierNumber, Stage),
    Wait(BarrierNumber),
    /// Both, at the workgroup's.
    Meet,
}

/// The steps of all paths.
pub(super) struct Steps {
    pub function: Function,
    pub sites: Vec<Site>,
    pub predecessors: Vec<Vec<usize>>,
    /// The waves that arrive at the barrier of the cluster where others do not, if there are such: what they have done is
    /// ordered by it, too. Its operations are no barriers here then.
    pub tellers: Option<Vec<bool>>,
}

/// How many steps there may be: pairs of them are compared.
const MOST_STEPS: usize = 1 << 14;

/// Copies whose class says nothing else.
pub(super) const COPIES: Stage = 0;
/// Stores of ASYNCcnt, which do not keep the order of its loads.
const STORES: Stage = 1;
pub(super) const TENSORS: Stage = 2;

/// Why a kernel cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFollowed {
    /// It calls functions by address, without a body or with marks, or runs assembly text that has instructions.
    Calls,
    /// It has named barriers for others than all waves of the workgroup.
    NamedBarriers,
    /// Its waves may take different ways to barriers.
    Divergence,
    /// Lanes of one wave part before a barrier.
    LanesPart,
    /// It is not known which named barrier is meant.
    BarrierAddress,
    /// It is not known how many a named barrier is for.
    BarrierCount,
    /// Its waves take their ways by conditions that may have to do with each other.
    Conditions,
    /// It waits for marks and for counters.
    MarksAndCounters,
    /// It has barrier cells in LDS that are not barriers of all its waves, or not known to be.
    Cells,
    /// It makes generic pointers to LDS.
    GenericPointers,
    /// Its paths, or its LDS, are too many.
    TooLarge,
    /// The size of its workgroups has more than one dimension.
    Dimensions,
}

impl NotFollowed {
    /// In words.
    pub fn reason(self) -> &'static str {
        match self {
            NotFollowed::Calls => {
                "it calls functions by address, without a body or with marks, or runs assembly text"
            }
            NotFollowed::NamedBarriers => "it has named barriers for some of its waves",
            NotFollowed::Divergence => "its waves may take different ways to barriers",
            NotFollowed::LanesPart => "lanes of one wave part before a barrier",
            NotFollowed::BarrierAddress => "which named barrier is meant is not known",
            NotFollowed::BarrierCount => "how many waves a named barrier is for is not known",
            NotFollowed::Conditions => {
                "its waves take their ways to barriers by conditions that may have to do with each other"
            }
            NotFollowed::MarksAndCounters => "it waits for marks and for counters of copies",
            NotFollowed::Cells => {
                "it has barrier cells in LDS that not every wave is known to arrive at and wait for in turns"
            }
            NotFollowed::GenericPointers => "it makes generic pointers to LDS",
            NotFollowed::TooLarge => "its paths are too many",
            NotFollowed::Dimensions => "its workgroups have more than one dimension",
        }
    }
}

/// The steps along `nodes`.
pub(super) fn steps(values: &Values<'_>, nodes: &[Node]) -> Result<Steps, NotFollowed> {
    let marks = counts_marks(values)?;
    let may_differ = |is_barrier: &dyn Fn((&Intrinsic, &Call)) -> bool| {
        divergence::may_differ(values, nodes, |block| {
            let insts = &values.body.blocks[block].insts;
            insts.iter().any(|&inst| called(values, &values.body.insts[inst]).is_some_and(is_barrier))
        })
    };
    let mut tellers = None;
    if may_differ(&|(row, _)| row.is_barrier()) {
        if may_differ(&|(row, call)| row.is_barrier() && !named::is_of_cluster(values, row, call)) {
            return Err(NotFollowed::Divergence);
        }
        tellers = Some(tellers_of(values, nodes));
    }
    let named = Named::of(values, nodes)?;
    let own = |inst| own_steps(values, called(values, &values.body.insts[inst]), marks, 0);
    let cells = Cells::of(values, nodes, |inst| {
        own(inst).iter().find_map(|step| match step {
            Step::Mark(stages) => [COPIES, TENSORS].into_iter().find(|&stage| stages.has(stage)),
            _ => None,
        })
    })?;
    if marks && !cells.roles.is_empty() {
        return Err(NotFollowed::MarksAndCounters);
    }
    let (mut steps, mut sites, mut first) = (Vec::new(), Vec::new(), Vec::new());
    for (number, node) in nodes.iter().enumerate() {
        first.push(steps.len());
        steps.push(Step::Nothing);
        sites.push(Site::default());
        let mut known = Known::default();
        let mut joined = named.joined[number];
        for &inst in &values.body.blocks[node.block].insts {
            let data = &values.body.insts[inst];
            let mut touch = values.touch(node, number, &mut known, data);
            let role = cells.roles.get(&(number, inst)).copied();
            if role.is_none() && touch.as_ref().is_some_and(|touch| touch.cell.is_some()) {
                return Err(NotFollowed::Cells);
            }
            let row = called(values, data);
            let barrier = match row {
                Some((row, call)) if tellers.is_some() && named::is_of_cluster(values, row, call) => None,
                Some((row, call)) if row.is_barrier() => {
                    named.barrier(values, node, &mut known, &mut joined, (row, call))?
                }
                _ => None,
            };
            let mut own = own_steps(values, row, marks, steps.len() as u32);
            let waits = matches!(own.first(), Some(Step::Wait { .. }));
            let barrier = match role {
                Some(CellRole::Arrives { cell, later: None }) => {
                    Some(Barrier::Signal(named.number_of_cell(cell)?))
                }
                Some(CellRole::Arrives { cell, later: Some(stage) }) => {
                    Some(Barrier::SignalLater(named.number_of_cell(cell)?, stage))
                }
                Some(CellRole::Waits { cell, left }) => {
                    own.extend(left.map(|(stage, left)| Step::Wait {
                        n: Bound::exactly(left),
                        stages: Stages(1 << stage),
                    }));
                    touch.iter_mut().for_each(|touch| touch.atomic = true);
                    Some(Barrier::Wait(named.number_of_cell(cell)?))
                }
                None => barrier,
            };
            let ends = matches!(data.kind, InstKind::Ret { .. });
            if touch.is_none() && barrier.is_none() && own.is_empty() && !ends {
                continue;
            }
            let begins = steps.len();
            if begins > MOST_STEPS {
                return Err(NotFollowed::TooLarge);
            }
            steps.extend(own);
            steps.resize(steps.len().max(begins + 1), Step::Nothing);
            sites.push(Site { inst: Some(inst), touch, barrier, waits, ends });
            sites.resize_with(steps.len(), Site::default);
        }
    }
    let mut successors: Vec<Vec<usize>> = (1..=steps.len()).map(|next| vec![next]).collect();
    for number in 0..nodes.len() {
        let last = first.get(number + 1).copied().unwrap_or(steps.len()) - 1;
        successors[last] = cells.successors(nodes, number).iter().map(|&to| first[to]).collect();
    }
    let mut predecessors = vec![Vec::new(); steps.len()];
    for (from, targets) in successors.iter().enumerate() {
        targets.iter().for_each(|&to| predecessors[to].push(from));
    }
    let function = Function { graph: flow::Graph::new(successors), steps, kernel: true };
    Ok(Steps { function, sites, predecessors, tellers })
}

/// The waves that may arrive at the barrier of the cluster.
fn tellers_of(values: &Values<'_>, nodes: &[Node]) -> Vec<bool> {
    let mut tellers = vec![false; values.group.waves()];
    for node in nodes {
        let arrives = values.body.blocks[node.block].insts.iter().any(|&inst| {
            let call = called(values, &values.body.insts[inst]);
            call.is_some_and(|(row, call)| {
                row.barrier != Some(Role::Wait) && named::is_of_cluster(values, row, call)
            })
        });
        let active = (0..values.group.items).filter(|&item| arrives && node.active[item]);
        active.for_each(|item| tellers[item / values.group.wave] = true);
    }
    tellers
}

fn called<'m>(values: &Values<'m>, data: &'m InstData) -> Option<(&'static Intrinsic, &'m Call)> {
    let InstKind::Call(call) = &data.kind else { return None };
    Some((intrinsic::called(values.module, call)?, call))
}

/// Whether the kernel waits for marks, and not for counters.
fn counts_marks(values: &Values<'_>) -> Result<bool, NotFollowed> {
    let (mut marks, mut counters) = (false, false);
    for (_, data) in values.body.insts.iter() {
        let InstKind::Call(call) = &data.kind else { continue };
        if call.is_empty_text() {
            continue;
        }
        let (row, _) = called(values, data).ok_or(NotFollowed::Calls)?;
        marks |= row.marks.is_some();
        counters |= is_wait(row);
    }
    if marks && counters { Err(NotFollowed::MarksAndCounters) } else { Ok(marks) }
}

/// Whether it waits for a counter of copies.
fn is_wait(row: &Intrinsic) -> bool {
    row.memory.ordered && matches!(row.counter, Some("asynccnt" | "tensorcnt"))
}

fn stage(row: &Intrinsic) -> Stage {
    match row.asynchronous {
        Some("tensor") => TENSORS,
        Some(_) if row.memory.writes.has(wavemark_target::AddressSpace::Global as u32) => STORES,
        _ => COPIES,
    }
}

/// What a call does to operations and marks. `operation`: the number that an operation has.
fn own_steps(
    values: &Values<'_>,
    row: Option<(&Intrinsic, &Call)>,
    marks: bool,
    operation: u32,
) -> Vec<Step> {
    let Some((row, call)) = row else { return Vec::new() };
    let number = || match call.args.first().map(|arg| arg.value) {
        Some(Operand::Const(constant)) => {
            let n = values.module.constants.int(constant).and_then(|n| n.to_u64());
            n.map_or(Bound::ANY, |n| Bound::exactly(n.min(u64::from(u32::MAX)) as u32))
        }
        _ => Bound::ANY,
    };
    match row.marks {
        Some(Marks::Put) => return vec![Step::MARK],
        Some(Marks::Await) => return vec![Step::Wait { n: number(), stages: Stages::ALL }],
        None => {}
    }
    if is_wait(row) {
        let of_tensors = row.counter == Some("tensorcnt");
        let stages = if of_tensors { Stages(1 << TENSORS) } else { Stages(1 << COPIES | 1 << STORES) };
        return vec![Step::Wait { n: number(), stages }];
    }
    // What arrives at a cell behind copies is counted with them.
    let counted = matches!(row.counter, Some("asynccnt" | "tensorcnt"));
    let stage = if marks { COPIES } else { stage(row) };
    let mark = (!marks && counted).then_some(Step::Mark(Stages(1 << stage)));
    let issue = row.asynchronous.is_some().then_some(Step::Issue { operation, stage });
    issue.into_iter().chain(mark).collect()
}
