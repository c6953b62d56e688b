//! Asynchronous operations, marks and waits of a module, over all its paths and calls.
//!
//! Follows LLVM's *AMDGPU Asynchronous Operations*, by the definitions of [`wavemark_memmodel::asyncmark`]: this module
//! says which instruction is which step. An operation is an instruction that begins one; a call of what is not defined here
//! may do anything; a wait for a number that is not known promises nothing.
//!
//! Promises: a wait that is called redundant takes no mark on any path; a mark or wait that is called removable can go,
//! alone, without any operation being known to be done later than before, on any path. Not here: whether a wait is enough
//! for who reads the data, which needs addresses.

use rustc_hash::FxHashMap;
pub use wavemark_memmodel::asyncmark::edit::Sufficient;
use wavemark_memmodel::asyncmark::{self, Analysis, Bound, Callee, Stages, Step, edit};
use wavemark_memmodel::flow;

use crate::analysis::direct_callee;
use crate::constant::ConstKind;
use crate::function::{Block, Body, Inst};
use crate::inst::{Call, InstKind, Operand};
use crate::intrinsic::{self, Marks};
use crate::module::{Global, Module};

/// Instances of one operation are told apart so far.
const AGES: u32 = 8;

/// What there is to say of a mark or a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The wait takes no mark on any path.
    RedundantWait,
    /// The wait takes marks, but what they cover is known to be done all the same.
    RemovableWait,
    /// The mark can go.
    RemovableMark,
}

/// A remark and the instruction that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remarked {
    /// What there is to say.
    pub remark: Remark,
    /// The function.
    pub function: Global,
    /// The mark or wait.
    pub inst: Inst,
}

/// The marks of a module.
#[derive(Debug)]
pub struct MarkedModule {
    functions: Vec<asyncmark::Function>,
    /// The function, and the instruction of each node, if it is one.
    sites: Vec<(Global, Vec<Option<Inst>>)>,
}

impl MarkedModule {
    /// Of a module that is valid.
    pub fn of(module: &Module) -> MarkedModule {
        let defined =
            module.functions().filter_map(|(id, function)| Some((id, function, function.body.as_ref()?)));
        let defined: Vec<_> = defined.collect();
        let numbers: FxHashMap<Global, usize> =
            defined.iter().enumerate().map(|(number, (id, ..))| (*id, number)).collect();
        let (mut functions, mut sites) = (Vec::new(), Vec::new());
        let mut operations = 0..;
        for (id, function, body) in defined {
            let (graph, nodes) = nodes(module, body);
            let mut step = |inst: &Option<Inst>| match inst.map(|inst| &body.insts[inst].kind) {
                Some(InstKind::Call(call)) => step(module, call, &numbers, &mut operations),
                _ => Step::Nothing,
            };
            let steps = nodes.iter().map(&mut step).collect();
            functions.push(asyncmark::Function { graph, steps, kernel: function.is_kernel() });
            sites.push((id, nodes));
        }
        MarkedModule { functions, sites }
    }

    /// The marks and waits of the module.
    pub fn count(&self) -> usize {
        self.marks_and_waits().count()
    }

    fn marks_and_waits(&self) -> impl Iterator<Item = (usize, usize, &Step)> {
        self.functions.iter().enumerate().flat_map(|(number, function)| {
            let steps = function.steps.iter().enumerate();
            let marks = steps.filter(|(_, step)| matches!(step, Step::Mark(_) | Step::Wait { .. }));
            marks.map(move |(node, step)| (number, node, step))
        })
    }

    /// How many marks `wait` may leave, so that on every path to `reader` what `operation` began last is known to be done.
    /// All are instructions of `function` that concern marks; `None`: one of them does not, or not of that kind.
    pub fn enough(&self, function: Global, wait: Inst, reader: Inst, operation: Inst) -> Option<Sufficient> {
        let number = self.sites.iter().position(|(global, _)| *global == function)?;
        let node = |inst: Inst| self.sites[number].1.iter().position(|&site| site == Some(inst));
        let (wait, reader) = (node(wait)?, node(reader)?);
        let steps = &self.functions[number].steps;
        let (Step::Wait { .. }, Step::Issue { operation, .. }) = (&steps[wait], &steps[node(operation)?])
        else {
            return None;
        };
        let needs = [edit::Need { node: reader, operation: *operation, ages: vec![0] }];
        let analysis = Analysis::of(&self.functions, AGES);
        Some(edit::sufficient(&analysis, &self.functions, number, wait, &needs))
    }

    /// What can go, each alone, in the order of the text.
    pub fn remarks(&self) -> Vec<Remarked> {
        let analysis = Analysis::of(&self.functions, AGES);
        let mut remarks = Vec::new();
        for (number, node, step) in self.marks_and_waits() {
            let remark = match step {
                _ if analysis.before(number, node).is_unreached() => continue,
                Step::Wait { .. } if analysis.is_redundant(number, node, step) => Remark::RedundantWait,
                _ if !edit::is_removable(&analysis, &self.functions, number, node) => continue,
                Step::Mark(_) => Remark::RemovableMark,
                _ => Remark::RemovableWait,
            };
            let (function, nodes) = &self.sites[number];
            if let Some(inst) = nodes[node] {
                remarks.push(Remarked { remark, function: *function, inst });
            }
        }
        remarks
    }
}

/// A node for each block, and one for each call behind it; with the call, if it is one.
fn nodes(module: &Module, body: &Body) -> (flow::Graph, Vec<Option<Inst>>) {
    let mut first: FxHashMap<Block, usize> = FxHashMap::default();
    let mut nodes = Vec::new();
    for &block in &body.order {
        first.insert(block, nodes.len());
        nodes.push(None);
        let calls = body.blocks[block].insts.iter().filter(|&&inst| concerns(module, body, inst));
        nodes.extend(calls.map(|&inst| Some(inst)));
    }
    let mut successors: Vec<Vec<usize>> = (1..=nodes.len()).map(|next| vec![next]).collect();
    for (index, &block) in body.order.iter().enumerate() {
        let next = body.order.get(index + 1).map_or(nodes.len(), |next| first[next]);
        successors[next - 1] = body.successors(block).iter().map(|target| first[target]).collect();
    }
    (flow::Graph::new(successors), nodes)
}

/// Whether an instruction may do something with operations or marks.
fn concerns(module: &Module, body: &Body, inst: Inst) -> bool {
    let InstKind::Call(call) = &body.insts[inst].kind else { return false };
    let row = intrinsic::called(module, call);
    !call.is_empty_text() && row.is_none_or(|row| row.marks.is_some() || row.asynchronous.is_some())
}

/// What a call does. `operations`: the numbers that no operation has yet.
fn step(
    module: &Module,
    call: &Call,
    numbers: &FxHashMap<Global, usize>,
    operations: &mut impl Iterator<Item = u32>,
) -> Step {
    if let Some(row) = intrinsic::called(module, call) {
        return match row.marks {
            Some(Marks::Put) => Step::MARK,
            Some(Marks::Await) => Step::Wait { n: left(module, call), stages: Stages::ALL },
            None if row.asynchronous.is_some() => operations.next().map_or(Step::Nothing, Step::issue),
            None => Step::Nothing,
        };
    }
    let known = direct_callee(module, &call.callee).and_then(|callee| numbers.get(&callee));
    // Assembly text is one of those that are not known.
    Step::Call(known.map_or(Callee::Unknown, |&number| Callee::Known(number)))
}

/// How many marks a wait leaves.
fn left(module: &Module, call: &Call) -> Bound {
    let Some(Operand::Const(constant)) = call.args.first().map(|arg| arg.value) else { return Bound::ANY };
    match module.constants.kind(constant) {
        ConstKind::Int(value) => Bound::exactly(value.low() as u32),
        _ => Bound::ANY,
    }
}
