//! Barriers that are cells of LDS, where every wave of the workgroup arrives in each phase.
//!
//! A cell counts arrivals down, and its phase changes with the last one ([`wavemark_memmodel::barrier::cell`]); a wave waits by
//! reading it until the phase is another. Such a cell is a barrier of all waves, split in arrival and wait, where
//!
//! * one number of arrivals is stored in it, by work-items that are known to do so, before anything else is done with it (what
//!   orders the two is judged as for other accesses);
//! * each arrival is one of every wave, and of as many together as that number;
//! * each wave arrives and waits in turns. So a phase is complete only when all have arrived in it, and the next one is not
//!   before this one has been waited for;
//! * a wait is a loop of one block, which goes on while the phase is that which the wave is in, and ends when it is the next.
//!
//! A wave whose lanes part goes the way around as well: where every wave has lanes that go in, it is no way of a wave to go by.
//! What arrives when copies are done tells of these alone: of the copies that its wave has begun before, where they are of its
//! own class, and of no other access. A tensor operation whose descriptor has a cell arrives once for the wave when it is done,
//! and so are all tensor operations of the wave before it: they are done in order.
//!
//! What is not so is not followed ([`NotFollowed::Cells`]).

use rustc_hash::FxHashMap;
use wavemark_memmodel::asyncmark::Stage;
use wavemark_memmodel::barrier::cell::{self, WIDTH};

use crate::analysis::{Dominators, Graph};
use crate::function::{Block, Inst, Value};
use crate::inst::{InstKind, Operand};
use crate::intrinsic::{self, Barrier, Intrinsic};

use super::bits::Bits;
use super::divergence;
use super::lanes::{Known, Lanes, Values};
use super::named::same;
use super::paths::{self, Node};
use super::steps::{COPIES, NotFollowed, TENSORS};
use super::touch::{Bytes, Touch};

/// What an instruction does with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Arrives; `later`: when the copies of that class before are done, and itself if it is one.
    Arrives { cell: usize, later: Option<Stage> },
    /// Waits; `left`: behind an arrival that waits for copies, of which class, and how many were begun since.
    Waits { cell: usize, left: Option<(Stage, u32)> },
}

/// The cells of a kernel.
#[derive(Default)]
pub(super) struct Cells {
    /// What is done with them, by node and instruction.
    pub roles: FxHashMap<(usize, Inst), Role>,
    /// Of each node, where waves go; empty where there are no cells.
    successors: Vec<Vec<usize>>,
}

/// Phases are told apart by so much.
const PHASES: u32 = 1 << (u32::BITS - WIDTH);

/// How many copies may be begun between an arrival and its wait.
const MOST_BEGUN: u32 = 63;

/// The bytes of a cell.
const SIZE: u64 = 8;

/// Whether an intrinsic that does nothing else arrives at a cell, and if so, when copies of which class are done.
fn arrives(row: &Intrinsic) -> Option<Option<Stage>> {
    match row.barrier? {
        Barrier::ArriveAtCell => Some(None),
        Barrier::ArriveAtCellLater => Some(Some(COPIES)),
        _ => None,
    }
}

/// Whether anything arrives at a cell.
pub(super) fn has_some(values: &Values<'_>) -> bool {
    values.body.insts.iter().any(|(_, data)| match &data.kind {
        InstKind::Call(call) => intrinsic::called(values.module, call)
            .is_some_and(|row| arrives(row).is_some() || values.may_arrive(row, call)),
        _ => false,
    })
}

/// An instruction at a node.
type Place = (usize, Inst);

/// A cell, and what is done with it.
struct Cell {
    at: u64,
    /// Arrivals of a phase.
    count: u64,
    bytes: Bytes,
    /// Where its number of arrivals is stored.
    stores: Vec<Place>,
}

/// What a wave has done with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    /// The phases that it may be in, a bit each.
    phases: u32,
    /// It has arrived; if it does when the copies of a class are done, so many of these were begun since.
    arrived: Option<(Option<Stage>, u32)>,
}

impl State {
    /// A copy of a class is begun.
    fn begin(&mut self, class: Stage) -> Result<(), NotFollowed> {
        match &mut self.arrived {
            Some((Some(stage), begun)) if *stage == class => {
                if *begun == MOST_BEGUN {
                    return Err(NotFollowed::Cells);
                }
                *begun += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Cells {
    /// Those along `nodes`. `begins`: of which class the copy is that an instruction begins, if an arrival may wait for it.
    pub fn of(
        values: &Values<'_>,
        nodes: &[Node],
        begins: impl Fn(Inst) -> Option<Stage>,
    ) -> Result<Cells, NotFollowed> {
        let mut finder = Finder { values, nodes, cells: Vec::new(), roles: FxHashMap::default() };
        finder.arrivals()?;
        if finder.cells.is_empty() {
            return Ok(Cells::default());
        }
        finder.accesses()?;
        finder.stores_come_first()?;
        let successors = finder.successors();
        finder.all_arrive_together(&successors)?;
        finder.turns(&successors, begins)?;
        Ok(Cells { roles: finder.roles, successors })
    }

    /// Where waves go behind a node.
    pub fn successors<'a>(&'a self, nodes: &'a [Node], node: usize) -> &'a [usize] {
        self.successors.get(node).unwrap_or(&nodes[node].successors)
    }
}

struct Finder<'v, 'm> {
    values: &'v Values<'m>,
    nodes: &'v [Node],
    cells: Vec<Cell>,
    roles: FxHashMap<Place, Role>,
}

impl Finder<'_, '_> {
    fn insts(&self) -> impl Iterator<Item = Place> + use<'_> {
        let of = |(number, node): (usize, &Node)| {
            self.values.body.blocks[node.block].insts.iter().map(move |&inst| (number, inst))
        };
        self.nodes.iter().enumerate().flat_map(of)
    }

    /// The cells that are arrived at.
    fn arrivals(&mut self) -> Result<(), NotFollowed> {
        let group = self.values.group;
        let (mut found, mut dma) = (Vec::new(), false);
        for (number, inst) in self.insts() {
            let InstKind::Call(call) = &self.values.body.insts[inst].kind else { continue };
            let Some(row) = intrinsic::called(self.values.module, call) else { continue };
            dma |= row.asynchronous == Some("lds-dma");
            let (node, mut known) = (&self.nodes[number], Known::default());
            let mut lanes = vec![0u64; group.waves()];
            (0..group.items).filter(|&item| node.active[item]).for_each(|item| lanes[item / group.wave] += 1);
            let (at, count, later) = match arrives(row) {
                Some(later) => {
                    let mut number_of = |at: usize| {
                        same(self.values, node, &mut known, call.args.get(at).map(|arg| arg.value))
                    };
                    let at = number_of(0);
                    let each = if later.is_some() { Some(1) } else { number_of(1) };
                    let each = each.filter(|&each| each <= u64::from(u16::MAX)).ok_or(NotFollowed::Cells)?;
                    (at, lanes.iter().sum::<u64>() * each, later)
                }
                // A tensor operation is one of the wave, and so is its arrival.
                None => {
                    let touch = self.values.touch(node, number, &mut known, &self.values.body.insts[inst]);
                    let Some(at) = touch.and_then(|touch| touch.cell) else { continue };
                    (at, group.waves() as u64, Some(TENSORS))
                }
            };
            if lanes.contains(&0) {
                return Err(NotFollowed::Cells);
            }
            found.push(((number, inst), at.ok_or(NotFollowed::Cells)?, count, later));
        }
        // No arrival waits for copies that another counter counts.
        if dma && found.iter().any(|(.., later)| *later == Some(COPIES)) {
            return Err(NotFollowed::Cells);
        }
        for (place, at, count, later) in found {
            let cell = self.cells.iter().position(|cell| cell.at == at).unwrap_or_else(|| {
                let bytes = Bytes::of_all(group, at, SIZE);
                self.cells.push(Cell { at, count, bytes, stores: Vec::new() });
                self.cells.len() - 1
            });
            if self.cells[cell].count != count {
                return Err(NotFollowed::Cells);
            }
            self.roles.insert(place, Role::Arrives { cell, later });
        }
        Ok(())
    }

    /// What else touches the cells: the stores of their numbers, and waits.
    fn accesses(&mut self) -> Result<(), NotFollowed> {
        let (mut waits, mut stores) = (Vec::new(), Vec::new());
        for (number, inst) in self.insts() {
            let (data, node) = (&self.values.body.insts[inst], &self.nodes[number]);
            let touch = self.values.touch(node, number, &mut Known::default(), data);
            // Of a tensor operation that arrives the tile is looked at as of any other.
            let arrives = |touch: &Touch| self.roles.contains_key(&(number, inst)) && touch.cell.is_none();
            let Some(touch) = touch.filter(|touch| !arrives(touch)) else { continue };
            let Some(cell) = self.cells.iter().position(|cell| touch.meets(&cell.bytes)) else { continue };
            let at = |pointer| same(self.values, node, &mut Known::default(), Some(pointer));
            let meant = |pointer| at(pointer) == Some(self.cells[cell].at);
            match data.kind {
                InstKind::Store { value, pointer, .. }
                    if meant(pointer) && self.is_number(node, value, self.cells[cell].count) =>
                {
                    stores.push((cell, (number, inst)));
                }
                InstKind::Load { pointer, .. } if meant(pointer) && self.is_wait(node, inst) => {
                    waits.push(((number, inst), Role::Waits { cell, left: None }));
                }
                _ => return Err(NotFollowed::Cells),
            }
        }
        self.roles.extend(waits);
        stores.into_iter().for_each(|(cell, place)| self.cells[cell].stores.push(place));
        Ok(())
    }

    /// Whether a value is the word of a new cell for `count` arrivals.
    fn is_number(&self, node: &Node, value: Operand, count: u64) -> bool {
        let word = u32::try_from(count).ok().and_then(cell::Cell::new).map(cell::Cell::word);
        let stored = self.values.part_of(&node.fixed, &mut Known::default(), value, 0, 64);
        let items = || (0..self.values.group.items).filter(|&item| node.active[item]);
        stored.is_some_and(|lanes| items().all(|item| lanes.of(item).exact() == word && word.is_some()))
    }

    /// Whether a load stands in a loop of one block that does nothing but look at what it loads.
    fn is_wait(&self, node: &Node, load: Inst) -> bool {
        let body = self.values.body;
        let looks = |inst: Inst| match &body.insts[inst].kind {
            InstKind::Load { .. } => inst == load,
            InstKind::Binary { .. }
            | InstKind::Cast { .. }
            | InstKind::ICmp { .. }
            | InstKind::Select { .. }
            | InstKind::Freeze { .. }
            | InstKind::Fence { .. } => true,
            InstKind::Call(call) => {
                let row = intrinsic::called(self.values.module, call);
                row.is_some_and(|row| matches!(row.name, "llvm.amdgcn.s.sleep" | "llvm.amdgcn.s.sleep.var"))
            }
            InstKind::CondBr { then, otherwise, .. } => (*then == node.block) != (*otherwise == node.block),
            _ => false,
        };
        body.blocks[node.block].insts.iter().all(|&inst| looks(inst))
    }

    /// Whether the loop of a wait ends where the cell is in a phase; `None`: that is not known.
    fn ends_in(&self, node: &Node, load: Inst, phase: u32) -> Option<bool> {
        let body = self.values.body;
        let (value, bits): (Value, u32) = (body.insts[load].result?, self.values.bits(body.insts[load].ty)?);
        let Some(InstKind::CondBr { condition, then, .. }) = body.terminator(node.block) else { return None };
        // It counts down.
        let field = u64::from(phase.wrapping_neg() % PHASES);
        let mut known = Known::default();
        known.assume(value, Lanes::same(Bits::partly(field << WIDTH, u64::from(PHASES - 1) << WIDTH, bits)));
        let taken = same(self.values, node, &mut known, Some(*condition))? != 0;
        Some(taken != (*then == node.block))
    }

    /// The nodes that some work-item certainly comes to: behind branches that all take the way that is known.
    fn certain(&self) -> Vec<bool> {
        let mut certain = vec![false; self.nodes.len()];
        let mut work = vec![0];
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut certain[at], true) || !self.is_known(at) {
                continue;
            }
            work.extend(&self.nodes[at].successors);
        }
        certain
    }

    /// Whether it is known of each work-item where it goes behind a node.
    fn is_known(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        let decides = match self.values.body.terminator(node.block) {
            Some(InstKind::Br { .. }) => return true,
            Some(InstKind::CondBr { condition, .. }) => *condition,
            _ => return false,
        };
        let Some(lanes) = self.values.of(&node.fixed, &mut Known::default(), decides) else { return false };
        (0..self.values.group.items).all(|item| !node.active[item] || lanes.of(item).exact().is_some())
    }

    /// Each cell has a number, stored in any case, and not behind anything else that is done with it.
    fn stores_come_first(&self) -> Result<(), NotFollowed> {
        let certain = self.certain();
        let behind = |from: usize| {
            let mut behind = vec![false; self.nodes.len()];
            let mut work = self.nodes[from].successors.clone();
            while let Some(node) = work.pop() {
                if !std::mem::replace(&mut behind[node], true) {
                    work.extend(&self.nodes[node].successors);
                }
            }
            behind
        };
        for (number, cell) in self.cells.iter().enumerate() {
            let uses = self.roles.iter().filter(|(_, role)| match role {
                Role::Arrives { cell, .. } | Role::Waits { cell, .. } => *cell == number,
            });
            let late = uses.into_iter().any(|(&(node, inst), _)| {
                let behind = behind(node);
                let position = |of: Inst| {
                    let insts = &self.values.body.blocks[self.nodes[node].block].insts;
                    insts.iter().position(|&inst| inst == of)
                };
                let here = |store: &Place| store.0 == node && position(store.1) > position(inst);
                cell.stores.iter().any(|store| behind[store.0] || here(store))
            });
            if late || !cell.stores.iter().any(|store| certain[store.0]) {
                return Err(NotFollowed::Cells);
            }
        }
        Ok(())
    }

    /// Where waves go: where lanes part, and all waves have some that go in, not around.
    fn successors(&self) -> Vec<Vec<usize>> {
        let graph = Graph::of(self.values.body);
        let post = Dominators::post(&graph);
        let order = &self.values.body.order;
        let group = self.values.group;
        let of = |number: usize| {
            let node = &self.nodes[number];
            let all = &node.successors;
            let at = order.iter().position(|&block| block == node.block);
            // Nodes of the post-dominators are one more, and 0 is the end.
            let meeting = at.and_then(|at| post.parent(at + 1)?.checked_sub(1)).map(|at| order[at]);
            let edges = paths::edges(self.values, node);
            let inside = edges.iter().filter(|(block, _)| Some(*block) != meeting);
            let enters = |active: &[bool]| {
                (0..group.waves()).all(|wave| {
                    let items = || wave * group.wave..group.items.min((wave + 1) * group.wave);
                    items().any(|item| active[item]) || !items().any(|item| node.active[item])
                })
            };
            let mut ways: Vec<&(Block, Vec<bool>)> = inside.collect();
            let goes_in = self.is_known(number) && ways.len() == 1 && edges.len() == 2;
            match ways.pop() {
                Some((_, active)) if goes_in && enters(active) => {
                    all.iter().copied().filter(|&to| Some(self.nodes[to].block) != meeting).collect()
                }
                _ => all.clone(),
            }
        };
        (0..self.nodes.len()).map(of).collect()
    }

    /// No wave goes another way to a cell than the others.
    fn all_arrive_together(&self, successors: &[Vec<usize>]) -> Result<(), NotFollowed> {
        let used: Vec<Block> = self.roles.keys().map(|&(node, _)| self.nodes[node].block).collect();
        let parting = self.nodes.iter().zip(successors).filter(|(node, ways)| node.successors == **ways);
        let parting = parting.map(|(node, _)| node);
        match divergence::may_differ(self.values, parting, |block| used.contains(&block)) {
            true => Err(NotFollowed::Cells),
            false => Ok(()),
        }
    }

    /// A wave that has arrived waits, in whatever phase it may be; how many copies of which class that leaves.
    fn waited(
        &self,
        node: &Node,
        load: Inst,
        state: &mut State,
    ) -> Result<Option<(Stage, u32)>, NotFollowed> {
        let (later, begun) = state.arrived.take().ok_or(NotFollowed::Cells)?;
        let told = (0..PHASES).filter(|phase| state.phases >> phase & 1 != 0).all(|phase| {
            self.ends_in(node, load, phase) == Some(false)
                && self.ends_in(node, load, phase + 1) == Some(true)
        });
        if !told {
            return Err(NotFollowed::Cells);
        }
        state.phases = (state.phases << 1 | state.phases >> (PHASES - 1)) & ((1 << PHASES) - 1);
        Ok(later.map(|stage| (stage, begun)))
    }

    /// Waves arrive and wait in turns; how many copies each wait leaves.
    fn turns(
        &mut self,
        successors: &[Vec<usize>],
        begins: impl Fn(Inst) -> Option<Stage>,
    ) -> Result<(), NotFollowed> {
        let start = vec![State { phases: 1, arrived: None }; self.cells.len()];
        let mut before: Vec<Option<Vec<State>>> = vec![None; self.nodes.len()];
        before[0] = Some(start);
        let mut work = vec![0];
        while let Some(number) = work.pop() {
            let Some(mut states) = before[number].clone() else { continue };
            let node = &self.nodes[number];
            let mut waits = false;
            for &inst in &self.values.body.blocks[node.block].insts {
                // An arrival is behind those before it alone.
                if let Some(class) = begins(inst) {
                    states.iter_mut().try_for_each(|state| state.begin(class))?;
                }
                match self.roles.get(&(number, inst)).copied() {
                    Some(Role::Arrives { cell, .. }) if states[cell].arrived.is_some() => {
                        return Err(NotFollowed::Cells);
                    }
                    Some(Role::Arrives { cell, later }) => states[cell].arrived = Some((later, 0)),
                    Some(Role::Waits { cell, .. }) => {
                        let left = self.waited(node, inst, &mut states[cell])?;
                        self.roles.insert((number, inst), Role::Waits { cell, left });
                        waits = true;
                    }
                    None => {}
                }
            }
            // The loop of a wait is gone through as often as need be.
            for &to in successors[number].iter().filter(|&&to| !waits || to != number) {
                let known = before[to].get_or_insert_with(|| {
                    states.iter().map(|state| State { phases: 0, ..*state }).collect()
                });
                if known.iter().zip(&states).any(|(known, state)| known.arrived != state.arrived) {
                    return Err(NotFollowed::Cells);
                }
                let mut more = false;
                for (known, state) in known.iter_mut().zip(&states) {
                    more |= state.phases & !known.phases != 0;
                    known.phases |= state.phases;
                }
                if more {
                    work.push(to);
                }
            }
        }
        Ok(())
    }
}
