//! What each wave does, as far as barriers are concerned: the ways that it takes, and the operations on them.

use rustc_hash::FxHashSet;
use wavemark_memmodel::barrier::{Kind, Object, ObjectId, Operation};

use crate::analysis::{Dominators, Graph, Uniformity};
use crate::copies::NotFollowed;
use crate::copies::divergence::depends_on_item;
use crate::copies::lanes::{Known, Values};
use crate::copies::paths::{self, Node};
use crate::function::{Block, Inst, ValueDef};
use crate::inst::{Call, InstKind, Operand};
use crate::intrinsic::{self, Barrier};
use crate::lds;

use super::conditions::{Blocks, Condition};

/// The workgroup's barrier.
pub(super) const WORKGROUP: ObjectId = 0;
/// That of the cluster.
pub(super) const CLUSTER: ObjectId = 1;
const NULL: ObjectId = 2;
const TRAP: ObjectId = 3;
const FIRST_NAMED: ObjectId = 4;
const MOST_NAMED: usize = 64;

/// A step of a wave at a barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub inst: Inst,
    pub what: What,
}

/// What it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Do(Operation),
    /// Leaves the barrier that it has joined.
    Leave,
    /// The first where the condition holds, else the second.
    Either(Condition, Operation, Operation),
}

/// Where a wave goes behind a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Goes(usize),
    /// One of these, as the condition comes out.
    Chooses(Condition, Vec<usize>),
    /// One of these, each wave as it may be.
    Parts(Vec<usize>),
    Ends(Inst),
    /// No execution goes on there.
    Never,
}

/// A part of the paths, as waves that take the same ways go through it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub events: Vec<Event>,
    pub exit: Option<Exit>,
}

/// Waves that take the same ways.
pub(super) struct Class {
    /// Their numbers.
    pub waves: Vec<u8>,
    /// By node of the paths.
    pub parts: Vec<Part>,
}

/// All waves of a workgroup.
pub(super) struct Waves<'v> {
    values: &'v Values<'v>,
    pub nodes: Vec<Node>,
    graph: Graph,
    dominators: Dominators,
    post: Dominators,
    uniformity: Uniformity,
    pub objects: Vec<Object>,
    /// The address of each object from the first named one on.
    named: Vec<u64>,
    pub classes: Vec<Class>,
}

/// What an intrinsic asks of barriers.
enum Asked {
    Meet,
    Signal(Which),
    Wait(Which),
    Join(Which),
    Init(Which, Operand),
    SignalCounted(Which, Operand),
    Leave,
}

/// The barrier that is meant.
#[derive(Clone, Copy)]
enum Which {
    Number(Operand),
    Pointer(Operand),
}

fn asked(values: &Values<'_>, call: &Call) -> Option<Asked> {
    let row = intrinsic::called(values.module, call)?;
    let arg = |at: usize| call.args.get(at).map(|arg| arg.value);
    Some(match row.barrier? {
        // That of the cluster: the barrier of the workgroup, then one wave of it at the cluster's, for which all wait.
        Barrier::Meet | Barrier::MeetCluster => Asked::Meet,
        Barrier::Signal | Barrier::SignalFirst => Asked::Signal(Which::Number(arg(0)?)),
        Barrier::Wait => Asked::Wait(Which::Number(arg(0)?)),
        Barrier::Join => Asked::Join(Which::Pointer(arg(0)?)),
        Barrier::Init => Asked::Init(Which::Pointer(arg(0)?), arg(1)?),
        Barrier::SignalCounted => Asked::SignalCounted(Which::Pointer(arg(0)?), arg(1)?),
        Barrier::Leave => Asked::Leave,
        _ => return None,
    })
}

fn asked_at(values: &Values<'_>, inst: Inst) -> Option<Asked> {
    match &values.body.insts[inst].kind {
        InstKind::Call(call) => asked(values, call),
        _ => None,
    }
}

/// Whether all barrier operations are arrivals at the workgroup's and waits for it at once.
pub(super) fn only_meet(values: &Values<'_>) -> bool {
    let insts = values.body.order.iter().flat_map(|&block| &values.body.blocks[block].insts);
    let mut rows = insts.filter_map(|&inst| match &values.body.insts[inst].kind {
        InstKind::Call(call) => intrinsic::called(values.module, call)?.barrier,
        _ => None,
    });
    rows.all(|barrier| barrier == Barrier::Meet)
}

/// How many barrier operations there are.
pub(super) fn operations(values: &Values<'_>) -> usize {
    let insts = values.body.order.iter().flat_map(|&block| &values.body.blocks[block].insts);
    insts.filter(|&&inst| asked_at(values, inst).is_some()).count()
}

impl<'v> Waves<'v> {
    /// `conditions`: paths are told apart by the phis that conditions are made of, too.
    pub fn of(
        values: &'v Values<'v>,
        uniformity: &Uniformity,
        conditions: bool,
    ) -> Result<Waves<'v>, NotFollowed> {
        let ask = |node: &Node, known: &mut Known| {
            for &inst in &values.body.blocks[node.block].insts {
                let of = match asked_at(values, inst) {
                    Some(Asked::Init(Which::Pointer(pointer), count))
                    | Some(Asked::SignalCounted(Which::Pointer(pointer), count)) => vec![pointer, count],
                    Some(Asked::Join(Which::Pointer(pointer))) => vec![pointer],
                    _ => Vec::new(),
                };
                of.into_iter().for_each(|operand| drop(values.of(&node.fixed, known, operand)));
            }
            if let (true, Some(InstKind::CondBr { condition, .. })) =
                (conditions, values.body.terminator(node.block))
            {
                values.of(&node.fixed, known, *condition);
            }
        };
        let nodes = paths::nodes(values, ask);
        let graph = Graph::of(values.body);
        let mut waves = Waves {
            values,
            nodes: nodes.ok_or(NotFollowed::TooLarge)?,
            dominators: Dominators::of(&graph),
            post: Dominators::post(&graph),
            uniformity: uniformity.clone(),
            graph,
            objects: Vec::new(),
            named: Vec::new(),
            classes: Vec::new(),
        };
        let object = |kind, expected| Object { kind, expected };
        let count = values.group.waves() as u32;
        waves.objects = vec![
            object(Kind::Workgroup, Some(count)),
            object(Kind::Cluster, Some(1)),
            object(Kind::Null, Some(1)),
            object(Kind::Trap, Some(1)),
        ];
        let mut classes: Vec<Class> = Vec::new();
        for wave in 0..values.group.waves() {
            let number = u8::try_from(wave).map_err(|_| NotFollowed::TooLarge)?;
            let parts =
                (0..waves.nodes.len()).map(|node| waves.part(node, wave)).collect::<Result<Vec<_>, _>>()?;
            match classes.iter_mut().find(|class| class.parts == parts) {
                Some(class) => class.waves.push(number),
                None => classes.push(Class { waves: vec![number], parts }),
            }
        }
        waves.classes = classes;
        waves.count_by_arrivals();
        Ok(waves)
    }

    pub fn blocks(&self) -> Blocks<'_> {
        Blocks { order: &self.values.body.order, dominators: &self.dominators }
    }

    /// Whether a named barrier has its count from arrivals alone.
    pub fn is_counted_by_arrivals(&self, object: ObjectId) -> bool {
        object >= FIRST_NAMED
            && !self.operations().any(|one| matches!(one, Operation::Init(of, _) if of == object))
    }

    fn operations(&self) -> impl Iterator<Item = Operation> + '_ {
        let events = self.classes.iter().flat_map(|class| class.parts.iter().flat_map(|part| &part.events));
        events
            .flat_map(|event| match event.what {
                What::Do(operation) => [Some(operation), None],
                What::Either(_, then, otherwise) => [Some(then), Some(otherwise)],
                What::Leave => [None, None],
            })
            .flatten()
    }

    /// A named barrier that nobody initialises, and that every arrival gives a count, has the first of these.
    fn count_by_arrivals(&mut self) {
        for object in FIRST_NAMED..self.objects.len() as ObjectId {
            let arrivals = self.operations().filter_map(|one| match one {
                Operation::Arrive(of, count) if of == object => Some(count),
                _ => None,
            });
            let counts = arrivals.collect::<Option<Vec<u32>>>();
            if self.is_counted_by_arrivals(object) {
                self.objects[usize::from(object)].expected =
                    counts.and_then(|counts| counts.first().copied());
            }
        }
    }

    /// A node of the paths, as a wave goes through it. Of one that it does not come to nothing is said.
    fn part(&mut self, node: usize, wave: usize) -> Result<Part, NotFollowed> {
        let group = self.values.group;
        let items: Vec<usize> = (wave * group.wave..group.items.min((wave + 1) * group.wave))
            .filter(|&item| self.nodes[node].active[item])
            .collect();
        if items.is_empty() {
            return Ok(Part::default());
        }
        let values = self.values;
        let mut known = Known::default();
        let mut events = Vec::new();
        for &inst in &values.body.blocks[self.nodes[node].block].insts {
            let Some(asked) = asked_at(values, inst) else { continue };
            for what in self.what(node, &items, &mut known, inst, asked)? {
                events.push(Event { inst, what });
            }
        }
        let exit = self.exit(node, &items, &mut known)?;
        Ok(Part { events, exit: Some(exit) })
    }

    /// What all of these work-items know an operand to be.
    fn same(&self, node: usize, items: &[usize], known: &mut Known, operand: Operand) -> Option<u64> {
        let lanes = self.values.of(&self.nodes[node].fixed, known, operand)?;
        let first = lanes.of(*items.first()?).exact()?;
        items.iter().all(|&item| lanes.of(item).exact() == Some(first)).then_some(first)
    }

    fn what(
        &mut self,
        node: usize,
        items: &[usize],
        known: &mut Known,
        inst: Inst,
        asked: Asked,
    ) -> Result<Vec<What>, NotFollowed> {
        let number = |waves: &Waves<'_>, known: &mut Known, operand: Operand| {
            waves.same(node, items, known, operand).ok_or(NotFollowed::BarrierCount)
        };
        let (which, operation): (Which, Box<dyn Fn(ObjectId) -> Operation>) = match asked {
            Asked::Meet => {
                let both = [Operation::Arrive(WORKGROUP, None), Operation::Wait(WORKGROUP)];
                return Ok(both.map(What::Do).into());
            }
            Asked::Leave => return Ok(vec![What::Leave]),
            Asked::Signal(which) => (which, Box::new(|object| Operation::Arrive(object, None))),
            Asked::Wait(which) => (which, Box::new(Operation::Wait)),
            Asked::Join(which) => (which, Box::new(Operation::Join)),
            Asked::Init(which, count) => {
                let count = number(self, known, count)? as u32;
                (which, Box::new(move |object| Operation::Init(object, count)))
            }
            Asked::SignalCounted(which, count) => {
                let count = Some(number(self, known, count)? as u32).filter(|&count| count != 0);
                (which, Box::new(move |object| Operation::Arrive(object, count)))
            }
        };
        let pointer = match which {
            Which::Number(operand) => {
                let number = self.same(node, items, known, operand).ok_or(NotFollowed::BarrierAddress)?;
                let object = match number as u16 as i16 {
                    -1 => WORKGROUP,
                    -3 => CLUSTER,
                    -2 | -4 => TRAP,
                    0 => NULL,
                    number => self.named(lds::named_barrier(number.unsigned_abs().into()))?,
                };
                return Ok(vec![What::Do(operation(object))]);
            }
            Which::Pointer(pointer) => pointer,
        };
        if let Some(address) = self.same(node, items, known, pointer) {
            return Ok(vec![What::Do(operation(self.named(address)?))]);
        }
        let Operand::Value(value) = pointer else { return Err(NotFollowed::BarrierAddress) };
        let ValueDef::Inst(selects) = self.values.body.values[value].def else {
            return Err(NotFollowed::BarrierAddress);
        };
        let InstKind::Select { condition, then, otherwise, .. } = self.values.body.insts[selects].kind else {
            return Err(NotFollowed::BarrierAddress);
        };
        if self.differs(condition) {
            return Err(NotFollowed::BarrierAddress);
        }
        let mut of = |pointer| {
            let address = self.same(node, items, known, pointer).ok_or(NotFollowed::BarrierAddress)?;
            self.named(address)
        };
        let (then, otherwise) = (operation(of(then)?), operation(of(otherwise)?));
        let condition = Condition::of(self.values, &self.blocks(), inst, condition);
        Ok(vec![What::Either(condition, then, otherwise)])
    }

    /// The named barrier at an address.
    fn named(&mut self, address: u64) -> Result<ObjectId, NotFollowed> {
        if !lds::is_named_barrier(address) {
            return Err(NotFollowed::BarrierAddress);
        }
        let at = match self.named.iter().position(|&known| known == address) {
            Some(at) => at,
            None if self.named.len() == MOST_NAMED => return Err(NotFollowed::TooLarge),
            None => {
                self.named.push(address);
                self.objects.push(Object { kind: Kind::Named, expected: None });
                self.named.len() - 1
            }
        };
        Ok(FIRST_NAMED + at as ObjectId)
    }

    fn exit(&self, node: usize, items: &[usize], known: &mut Known) -> Result<Exit, NotFollowed> {
        let (values, here) = (self.values, &self.nodes[node]);
        let Some(&last) = values.body.blocks[here.block].insts.last() else { return Ok(Exit::Never) };
        let to = |block: Block| here.successors.iter().copied().find(|&next| self.nodes[next].block == block);
        let goes = |block: Block| to(block).map_or(Exit::Never, Exit::Goes);
        let (condition, targets) = match &values.body.insts[last].kind {
            InstKind::Ret { .. } => return Ok(Exit::Ends(last)),
            InstKind::Br { target } => return Ok(goes(*target)),
            InstKind::CondBr { condition, then, otherwise } => {
                if let Some(taken) = self.same(node, items, known, *condition) {
                    return Ok(goes(if taken != 0 { *then } else { *otherwise }));
                }
                (*condition, vec![*then, *otherwise])
            }
            InstKind::Switch { value, default, cases } => {
                if let Some(known) = self.same(node, items, known, *value) {
                    let is = |case: &&(_, Block)| {
                        values.module.constants.int(case.0).and_then(|case| case.to_u64()) == Some(known)
                    };
                    return Ok(goes(cases.iter().find(is).map_or(*default, |case| case.1)));
                }
                (*value, std::iter::once(*default).chain(cases.iter().map(|case| case.1)).collect())
            }
            _ => return Ok(Exit::Never),
        };
        if let Some(exit) = self.past(node) {
            return Ok(exit);
        }
        // Lanes that part go one way after the other: their wave meets the barriers of both. Where all barriers are on one
        // way, that is what a wave does that goes this way as a whole.
        let mut with_barriers = targets.iter().copied().filter(|&target| self.meets_barriers(node, target));
        let (first, several) = (with_barriers.next(), with_barriers.next().is_some());
        let lanes = values.of(&here.fixed, known, condition);
        if lanes.is_some_and(|lanes| items.iter().all(|&item| lanes.of(item).exact().is_some())) {
            return match first {
                Some(target) if !several => Ok(goes(target)),
                _ => Err(NotFollowed::LanesPart),
            };
        }
        if self.differs(condition) {
            if several && !self.is_uniform(condition) {
                return Err(NotFollowed::LanesPart);
            }
            return Ok(Exit::Parts(targets.into_iter().filter_map(to).collect()));
        }
        let condition = Condition::of(values, &self.blocks(), last, condition);
        Ok(Exit::Chooses(condition, targets.into_iter().filter_map(to).collect()))
    }

    /// Whether waves may know a condition to be different things.
    fn differs(&self, condition: Operand) -> bool {
        depends_on_item(self.values, condition) || !self.is_uniform(condition)
    }

    /// Whether all lanes of a wave know it to be the same.
    fn is_uniform(&self, operand: Operand) -> bool {
        match operand {
            Operand::Value(value) => self.uniformity.is_uniform(value),
            _ => true,
        }
    }

    /// Whether there are barriers on the way from a branch over `target`, up to where all its ways meet.
    fn meets_barriers(&self, node: usize, target: Block) -> bool {
        let body = self.values.body;
        let position = |block: Block| body.order.iter().position(|&other| other == block);
        let Some(at) = position(self.nodes[node].block) else { return true };
        let meeting = self.post.parent(at + 1).and_then(|meeting| meeting.checked_sub(1));
        let (mut seen, mut work) = (FxHashSet::default(), Vec::from_iter(position(target)));
        while let Some(next) = work.pop() {
            if Some(next) == meeting || !seen.insert(next) {
                continue;
            }
            let insts = &body.blocks[body.order[next]].insts;
            if insts.iter().any(|&inst| asked_at(self.values, inst).is_some()) {
                return true;
            }
            work.extend(&self.graph.successors[next]);
        }
        false
    }

    /// Where all ways from a branch meet, if no barrier is on them.
    fn past(&self, node: usize) -> Option<Exit> {
        let body = self.values.body;
        let at = body.order.iter().position(|&block| block == self.nodes[node].block)?;
        debug_assert!(at < self.graph.len());
        // Nodes of the post-dominators are one more, and 0 is the end.
        let meeting = self.post.parent(at + 1).and_then(|meeting| meeting.checked_sub(1));
        let meeting = meeting.map(|meeting| body.order[meeting]);
        let (mut seen, mut ends) = (FxHashSet::default(), FxHashSet::default());
        let mut end = None;
        let mut work = self.nodes[node].successors.clone();
        while let Some(next) = work.pop() {
            let block = self.nodes[next].block;
            if Some(block) == meeting {
                ends.insert(next);
                continue;
            }
            if !seen.insert(next) {
                continue;
            }
            let insts = &body.blocks[block].insts;
            if insts.iter().any(|&inst| asked_at(self.values, inst).is_some()) {
                return None;
            }
            end = end.or(insts
                .last()
                .filter(|&&last| matches!(body.insts[last].kind, InstKind::Ret { .. }))
                .copied());
            work.extend(&self.nodes[next].successors);
        }
        match (meeting, ends.len()) {
            (Some(_), 1) => ends.into_iter().next().map(Exit::Goes),
            (None, _) => Some(end.map_or(Exit::Never, Exit::Ends)),
            _ => None,
        }
    }
}
