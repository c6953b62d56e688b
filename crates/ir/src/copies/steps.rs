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
use crate::intrinsic::{self, Intrinsic, Marks};

use super::divergence;
use super::lanes::{Known, Values};
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

/// A part of a workgroup's barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Barrier {
    Signal,
    Wait,
    /// Both.
    Meet,
}

/// The steps of all paths.
pub(super) struct Steps {
    pub function: Function,
    pub sites: Vec<Site>,
    pub predecessors: Vec<Vec<usize>>,
}

/// How many steps there may be: pairs of them are compared.
const MOST_STEPS: usize = 1 << 14;

/// Copies whose class says nothing else.
const COPIES: Stage = 0;
/// Stores of ASYNCcnt, which do not keep the order of its loads.
const STORES: Stage = 1;
const TENSORS: Stage = 2;

/// Why a kernel cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFollowed {
    /// It calls functions by address, without a body or with marks, or runs assembly text.
    Calls,
    /// It has barriers of some waves of a workgroup.
    NamedBarriers,
    /// Its waves may take different ways to barriers.
    Divergence,
    /// It waits for marks and for counters.
    MarksAndCounters,
    /// It asks barrier cells in LDS whether copies are done.
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
            NotFollowed::NamedBarriers => "it has named barriers",
            NotFollowed::Divergence => "its waves may take different ways to barriers",
            NotFollowed::MarksAndCounters => "it waits for marks and for counters of copies",
            NotFollowed::Cells => "barrier cells in LDS tell it that copies are done",
            NotFollowed::GenericPointers => "it makes generic pointers to LDS",
            NotFollowed::TooLarge => "its paths are too many",
            NotFollowed::Dimensions => "its workgroups have more than one dimension",
        }
    }
}

/// The steps along `nodes`.
pub(super) fn steps(values: &Values<'_>, nodes: &[Node]) -> Result<Steps, NotFollowed> {
    let marks = counts_marks(values)?;
    let is_barrier = |block| {
        values.body.blocks[block].insts.iter().any(|&inst| {
            let call = called(values, &values.body.insts[inst]);
            call.is_some_and(|(row, call)| barrier(values, row, call) != Ok(None))
        })
    };
    if divergence::may_differ(values, nodes, is_barrier) {
        return Err(NotFollowed::Divergence);
    }
    let (mut steps, mut sites, mut first) = (Vec::new(), Vec::new(), Vec::new());
    for (number, node) in nodes.iter().enumerate() {
        first.push(steps.len());
        steps.push(Step::Nothing);
        sites.push(Site::default());
        let mut known = Known::default();
        for &inst in &values.body.blocks[node.block].insts {
            let data = &values.body.insts[inst];
            let touch = values.touch(node, number, &mut known, data);
            if touch.as_ref().is_some_and(|touch| touch.cell) {
                return Err(NotFollowed::Cells);
            }
            let row = called(values, data);
            let barrier = row.map_or(Ok(None), |(row, call)| barrier(values, row, call))?;
            let own = own_steps(values, row, marks, steps.len() as u32);
            let ends = matches!(data.kind, InstKind::Ret { .. });
            if touch.is_none() && barrier.is_none() && own.is_empty() && !ends {
                continue;
            }
            let waits = matches!(own.first(), Some(Step::Wait { .. }));
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
    for (number, node) in nodes.iter().enumerate() {
        let last = first.get(number + 1).copied().unwrap_or(steps.len()) - 1;
        successors[last] = node.successors.iter().map(|&to| first[to]).collect();
    }
    let mut predecessors = vec![Vec::new(); steps.len()];
    for (from, targets) in successors.iter().enumerate() {
        targets.iter().for_each(|&to| predecessors[to].push(from));
    }
    let function = Function { graph: flow::Graph::new(successors), steps, kernel: true };
    Ok(Steps { function, sites, predecessors })
}

fn called<'m>(values: &Values<'m>, data: &'m InstData) -> Option<(&'static Intrinsic, &'m Call)> {
    let InstKind::Call(call) = &data.kind else { return None };
    Some((intrinsic::called(values.module, call)?, call))
}

/// Whether the kernel waits for marks, and not for counters.
fn counts_marks(values: &Values<'_>) -> Result<bool, NotFollowed> {
    let (mut marks, mut counters) = (false, false);
    for (_, data) in values.body.insts.iter() {
        let InstKind::Call(_) = &data.kind else { continue };
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

/// The part of a workgroup's barrier that a call is. A barrier of a cluster is one of its workgroups, too.
fn barrier(values: &Values<'_>, row: &Intrinsic, call: &Call) -> Result<Option<Barrier>, NotFollowed> {
    let which = || match call.args.first().map(|arg| arg.value) {
        Some(Operand::Const(constant)) => {
            values.module.constants.int(constant)?.to_i64(values.bits(values.module.constants.ty(constant))?)
        }
        _ => None,
    };
    let of_all = |part| match which() {
        // -1: the workgroup's; -3: the cluster's.
        Some(-3 | -1) => Ok(Some(part)),
        _ => Err(NotFollowed::NamedBarriers),
    };
    match row.name {
        "llvm.amdgcn.s.barrier" | "llvm.amdgcn.s.cluster.barrier" => Ok(Some(Barrier::Meet)),
        "llvm.amdgcn.s.barrier.signal" | "llvm.amdgcn.s.barrier.signal.isfirst" => of_all(Barrier::Signal),
        "llvm.amdgcn.s.barrier.wait" => of_all(Barrier::Wait),
        "llvm.amdgcn.s.barrier.signal.var" | "llvm.amdgcn.s.barrier.join" | "llvm.amdgcn.s.barrier.leave" => {
            Err(NotFollowed::NamedBarriers)
        }
        _ => Ok(None),
    }
}
