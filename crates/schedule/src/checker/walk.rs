//! The walk: symbolic execution of a function's control, statement by statement.
//!
//! Loops run with concrete variables, conditions that are decided take one branch, others take both and join. Each leaf
//! is held against the footprints of the asynchronous operations that it could conflict with: one that may be in
//! flight is a finding, one that is complete is a *use* of the waits that completed it ([`super::counts`]).
//!
//! Reading of the asynchronous constructs: a wait acts where its scope begins, on groups already committed; groups of
//! one queue complete one after the other; members of a group and groups of different queues in any order; an operation
//! may read its sources and write its results at any time from its statement to its completion. Whether a group also
//! waits for the groups before it in its queue to take *effect* the RFC does not say. The checker asks for a wait
//! between a write and a read of it, and a finding says when only that is missing ([`super::Finding::queue_order`]);
//! what is overwritten is taken to be ordered by completion. Threads
//! (`thread_binding`, `parallel` loops around asynchronous constructs) run in step.

mod accesses;
mod loops;
mod queues;
mod uses;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_tile::{BufferId, Expr, Function, VarId};

use super::counts::Uses;
use super::footprint::{Footprint, Shapes};
use super::interval::{Env, Interval};
use super::program::{Node, Program, SiteId};
use super::report::{Finding, NotProven, Place, Rule, Steady, WaitInstance};
use super::state::{Queue, State, Vector};
use super::steady;

pub(super) use accesses::rule;

/// What a negative wait count means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Negative {
    /// As 0.
    Flush,
    /// Nothing: the wait is dropped, as TVM's `RemoveNoOp` does.
    Drop,
}

/// Leaf executions after which a walk gives up.
const MAX_STEPS: u64 = 20_000_000;

/// What was seen of a wait scope over the walk.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitSeen {
    pub executions: u64,
    pub counts: Option<(i64, i64)>,
    pub unknown: bool,
    pub queue: Option<i64>,
    pub instances: Vec<WaitInstance>,
    /// The first execution with a negative count.
    pub negative: Option<(Vector, i64)>,
}

pub(super) struct Walker<'p> {
    pub program: &'p Program,
    pub function: &'p Function,
    pub shapes: &'p Shapes,
    pub negative: Negative,
    /// Loops are walked to their end, however long they are.
    pub exhaustive: bool,
    pub env: Env,
    pub iteration: Vector,
    /// The variables of `iteration`.
    walked: Vec<VarId>,
    pub state: State,
    /// Queue ids by index.
    pub queue_ids: Vec<i64>,
    pub uses: Uses,
    pub findings: Vec<Finding>,
    index: FxHashMap<(Rule, SiteId, SiteId), usize>,
    /// Pairs whose footprints were found apart although their boxes meet.
    apart: FxHashMap<(SiteId, SiteId), u32>,
    pub not_proven: Vec<NotProven>,
    noted: FxHashSet<(SiteId, &'static str)>,
    /// Conditions that went both ways, with the loops around them.
    pub undecided: Vec<Undecided>,
    /// Some of those may go together, although the walk let them go each its own way.
    pub correlated: bool,
    /// Buffers of the caller that a write may still be on its way to at the end.
    pub pending: FxHashSet<BufferId>,
    pub waits: Vec<WaitSeen>,
    pub steady: Vec<Steady>,
    pub steady_index: FxHashMap<SiteId, usize>,
    plans: FxHashMap<SiteId, Option<Rc<steady::Plan>>>,
    pub steps: u64,
    /// The walk stopped before the end: what follows would be judged by a state that is not that of the program.
    lost: bool,
    pub symbols: Vec<(String, i64)>,
    /// The values of symbols, and nothing else.
    pub constants: Env,
    time: u64,
    uid: u64,
    boxes: Vec<Footprint>,
}

impl<'p> Walker<'p> {
    pub fn new(
        program: &'p Program,
        function: &'p Function,
        shapes: &'p Shapes,
        negative: Negative,
    ) -> Walker<'p> {
        Walker {
            program,
            function,
            shapes,
            negative,
            exhaustive: false,
            env: Env::new(function.vars.len()),
            iteration: Vector::new(),
            walked: Vec::new(),
            state: State::new(function.buffers.len()),
            queue_ids: Vec::new(),
            uses: Uses::default(),
            findings: Vec::new(),
            index: FxHashMap::default(),
            apart: FxHashMap::default(),
            not_proven: Vec::new(),
            noted: FxHashSet::default(),
            undecided: Vec::new(),
            correlated: false,
            pending: FxHashSet::default(),
            waits: vec![WaitSeen::default(); program.waits.len()],
            steady: Vec::new(),
            steady_index: FxHashMap::default(),
            plans: FxHashMap::default(),
            steps: 0,
            lost: false,
            symbols: Vec::new(),
            constants: Env::new(function.vars.len()),
            time: 0,
            uid: 0,
            boxes: Vec::new(),
        }
    }

    /// Walks the function once, with the symbols that `constants` has values for.
    pub fn run(&mut self) {
        self.state = State::new(self.function.buffers.len());
        self.state.queues = vec![Queue::default(); self.queue_ids.len()];
        self.plans.clear();
        self.env = self.constants.clone();
        let program = self.program;
        self.node(&program.body);
        if !self.lost {
            self.end();
        }
    }

    pub fn place(&self, site: SiteId) -> Place {
        self.program.places[site as usize].clone()
    }

    /// There is a finding of the rule about this pair.
    pub fn is_known(&self, rule: Rule, producer: SiteId, consumer: SiteId) -> bool {
        self.index.contains_key(&(rule, producer, consumer))
    }

    pub fn note(&mut self, site: SiteId, reason: &'static str) {
        if self.noted.insert((site, reason)) {
            self.not_proven.push(NotProven { place: Some(self.place(site)), reason: reason.to_owned() });
        }
    }

    fn node(&mut self, node: &'p Node) {
        if self.lost {
            return;
        }
        match node {
            Node::Seq(nodes) => nodes.iter().for_each(|node| self.node(node)),
            Node::Loop(node) => self.run_loop(node),
            Node::Span { var, min, extent, body } => {
                let (min, extent) = (self.env.eval(min), self.env.eval(extent));
                if extent.hi > 0 {
                    self.env.set(*var, Interval::new(min.lo, min.add(extent).hi.saturating_sub(1)));
                    self.node(body);
                }
            }
            Node::Bind { var, value, body } => {
                let value = self.env.eval(value);
                self.env.set(*var, value);
                self.node(body);
            }
            Node::Branch { condition, place, then, otherwise } => match self.env.eval(condition).truth() {
                Some(true) => self.node(then),
                Some(false) => otherwise.iter().for_each(|node| self.node(node)),
                None => {
                    self.undecided(condition, *place);
                    let before = self.state.clone();
                    self.node(then);
                    let taken = std::mem::replace(&mut self.state, before);
                    otherwise.iter().for_each(|node| self.node(node));
                    self.join(taken);
                }
            },
            Node::Commit { queue, place, body } => self.commit(queue, *place, body),
            Node::Wait { site, body } => {
                self.wait(*site);
                self.node(body);
            }
            Node::Leaf(leaf) => self.leaf(*leaf),
        }
    }

    /// Notes a condition that goes both ways, and whether its outcomes can be independent of each other.
    fn undecided(&mut self, condition: &Expr, place: SiteId) {
        let mut ingredients = Vec::new();
        let mut walked = 0;
        condition.visit(&mut |inner| match inner {
            Expr::Load(load) => ingredients.push(Ingredient::Buffer(load.buffer)),
            Expr::Var(var, _) if self.env.get(*var).as_point().is_none() => {
                ingredients.push(Ingredient::Var(*var));
            }
            Expr::Var(var, _) if self.walked.contains(var) => walked += 1,
            _ => {}
        });
        match self.undecided.iter().find(|known| known.place == place) {
            // The same condition in another iteration: the same outcome, unless it asks for the iteration.
            Some(_) => self.correlated |= walked < self.iteration.len(),
            None => {
                self.correlated |= self
                    .undecided
                    .iter()
                    .any(|known| known.ingredients.iter().any(|one| ingredients.contains(one)));
                self.undecided.push(Undecided { place, ingredients });
            }
        }
    }

    /// Joins the state with that of another path.
    fn join(&mut self, other: State) {
        self.time += 1;
        let mine = std::mem::take(&mut self.state);
        self.state = mine.join(other, self.time);
        self.time += 1;
    }
}

/// A condition that the walk cannot decide.
pub(super) struct Undecided {
    pub place: SiteId,
    ingredients: Vec<Ingredient>,
}

/// What makes it undecidable.
#[derive(PartialEq, Eq)]
enum Ingredient {
    Buffer(BufferId),
    Var(VarId),
}
