//! From a function of a module to operations, once.
//!
//! Registers are numbered as values are defined along the blocks in reverse postorder, in which a definition stands before
//! its uses: so a result stands above its operands. Values of `phi`s are moved on the edges. Lanes that part at the end of
//! a block meet again where it is post-dominated at once, which is what LLVM's convergence rules call maximal; or, if that
//! is asked for, no sooner than they must ([`apart`]).
//!
//! What is not executed becomes an operation that says so where it is reached ([`Op::Refused`]).

pub mod address;
mod apart;
mod buffer;
mod call;
pub mod cast;
pub mod constant;
mod instruction;
mod machine;
mod masked;
mod memory;
mod number;
mod transfer;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use wavemark_ir::Module;
use wavemark_ir::analysis::{Dominators, Graph};
use wavemark_ir::constant::Const;
use wavemark_ir::entity::Id as _;
use wavemark_ir::function::{Block as BlockId, Body, Inst, Value};
use wavemark_ir::inst::{InstKind, Operand};
use wavemark_ir::module::Global;
use wavemark_ir::types::{Type, TypeKind};
use wavemark_target::Machine as Target;

use crate::Converge;
use crate::Refused;
use crate::lanes::{Known, Pool, Src};
use crate::op::{Apart, Block, Edge, End, Function, Op};
use crate::shape::{Leaf, leaves};
use constant::{Addresses, Limb};

/// Functions that are compiled together.
pub struct Unit<'m> {
    module: &'m Module,
    target: Target,
    addresses: &'m Addresses,
    /// Machine instructions, in assembly text.
    texts: Vec<String>,
    known_texts: FxHashMap<String, usize>,
}

/// What was compiled.
pub struct Compiled {
    /// By the number of the global; `None` for what has no body.
    pub functions: Vec<Option<Function>>,
    /// The machine instructions that they need.
    pub texts: Vec<String>,
}

/// Compiles `kernel` and whatever it may call.
pub fn compile(
    module: &Module,
    target: Target,
    addresses: &Addresses,
    kernel: Global,
    converge: Converge,
) -> Compiled {
    let graph = wavemark_ir::analysis::call_graph(module);
    let reachable = graph.reachable(kernel);
    let everything = reachable.iter().any(|&function| graph.calls_unknown(function));
    let mut unit = Unit { module, target, addresses, texts: Vec::new(), known_texts: FxHashMap::default() };
    let compiled = module.globals.ids().map(|global| {
        let body = module.function(global)?.body.as_ref()?;
        (everything || reachable.contains(&global)).then(|| unit.function(global, body))
    });
    let mut functions: Vec<Option<Function>> = compiled.collect();
    if converge == Converge::Adversarial {
        apart::part_lanes(&mut functions);
    }
    Compiled { functions, texts: unit.texts }
}

impl<'m> Unit<'m> {
    fn function(&mut self, global: Global, body: &'m Body) -> Function {
        let graph = Graph::of(body);
        let order = graph.reverse_postorder();
        let mut builder = Builder {
            unit: self,
            body,
            values: vec![None; body.values.len()],
            pool: Pool::default(),
            constants: FxHashMap::default(),
            next: 0,
            ops: Vec::new(),
            inst: Inst::new(0),
        };
        let parameters = builder.parameters();
        let mut number = vec![None; body.blocks.len()];
        for (index, &node) in order.iter().enumerate() {
            number[body.order[node].index()] = Some(index as u32);
        }
        let mut drafts = Vec::new();
        for &node in &order {
            drafts.push(builder.block(body.order[node]));
        }
        let post = Dominators::post(&graph);
        let mut in_order = vec![None; graph.len()];
        for (index, &node) in order.iter().enumerate() {
            in_order[node] = Some(index as u32);
        }
        let blocks = order.iter().zip(drafts).map(|(&node, draft)| {
            let meets = post.parent(node + 1).filter(|&parent| parent > 0);
            let (mut ops, end_at) = (draft, builder.last(body.order[node]));
            let end = builder.end(body.order[node], &number).unwrap_or_else(|refused| {
                ops.push((Op::Refused(refused.what.into()), end_at));
                End::Unreachable
            });
            let meets = meets.and_then(|parent| in_order[parent - 1]);
            Block { ops, end, end_at, meets, apart: Apart::No }
        });
        let blocks = blocks.collect();
        Function { global, registers: builder.next, pool: builder.pool, parameters, blocks }
    }

    fn text(&mut self, text: String) -> usize {
        let Unit { texts, known_texts, .. } = self;
        *known_texts.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            texts.len() - 1
        })
    }
}

/// A function that is being compiled.
struct Builder<'u, 'm> {
    unit: &'u mut Unit<'m>,
    body: &'m Body,
    /// The limbs of each value that there is by now.
    values: Vec<Option<Arc<[Src]>>>,
    pool: Pool,
    constants: FxHashMap<Limb, Src>,
    next: u32,
    ops: Vec<(Op, Inst)>,
    /// The instruction that is being compiled.
    inst: Inst,
}

impl<'m> Builder<'_, 'm> {
    fn parameters(&mut self) -> u32 {
        for &value in &self.body.params {
            let ty = self.body.values[value].ty;
            let count = self.leaves(ty).map_or(0, |leaves| leaves.into_iter().map(Leaf::limbs).sum());
            let first = self.fresh(count);
            self.define(value, (0..count as u32).map(|limb| Src::register(first + limb)).collect());
        }
        self.next
    }

    /// Registers that nobody has.
    fn fresh(&mut self, count: usize) -> u32 {
        let first = self.next;
        self.next += count as u32;
        first
    }

    fn define(&mut self, value: Value, limbs: Vec<Src>) {
        self.values[value.index()] = Some(limbs.into());
    }

    fn push(&mut self, op: Op) {
        self.ops.push((op, self.inst));
    }

    /// A constant word.
    fn word(&mut self, word: u64) -> Src {
        self.limb((word, Known::Value))
    }

    fn limb(&mut self, limb: Limb) -> Src {
        let Builder { constants, pool, .. } = self;
        *constants.entry(limb).or_insert_with(|| pool.push(limb.0, limb.1))
    }

    fn leaves(&self, ty: Type) -> Result<Vec<Leaf>, Refused> {
        leaves(&self.unit.module.types, ty)
    }

    fn ty(&self, operand: Operand) -> Type {
        let void = || self.unit.module.types.find(&TypeKind::Metadata);
        operand.ty(self.body, &self.unit.module.constants).or_else(void).expect("an operand has a type")
    }

    fn constant(&mut self, constant: Const) -> Result<Vec<Src>, Refused> {
        let limbs = constant::limbs(self.unit.module, self.unit.addresses, constant)?;
        Ok(limbs.into_iter().map(|limb| self.limb(limb)).collect())
    }

    /// The limbs of an operand.
    fn operand(&mut self, operand: Operand) -> Result<Arc<[Src]>, Refused> {
        match operand {
            Operand::Value(value) => self.values[value.index()]
                .clone()
                .ok_or_else(|| Refused::new("a value that is not defined on the way")),
            Operand::Const(constant) => Ok(self.constant(constant)?.into()),
            Operand::Metadata(_) => Ok(Arc::new([])),
        }
    }

    /// The only limb of an operand.
    fn single(&mut self, operand: Operand) -> Result<Src, Refused> {
        match *self.operand(operand)? {
            [only] => Ok(only),
            _ => Err(Refused::new("an operand that is no single word")),
        }
    }

    /// The number that a constant operand is.
    fn immediate(&self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Const(constant) => {
                let limbs = constant::limbs(self.unit.module, self.unit.addresses, constant).ok()?;
                limbs.first().filter(|limb| limb.1 == Known::Value).map(|limb| limb.0)
            }
            _ => None,
        }
    }

    fn block(&mut self, block: BlockId) -> Vec<(Op, Inst)> {
        for &inst in &self.body.blocks[block].insts {
            self.inst = inst;
            let data = &self.body.insts[inst];
            if data.kind.is_terminator() {
                continue;
            }
            let mark = self.ops.len();
            let limbs = match self.instruction(data) {
                Ok(limbs) => limbs,
                Err(refused) => {
                    self.ops.truncate(mark);
                    self.push(Op::Refused(refused.what.into()));
                    let count = self.leaves(data.ty).map_or(0, |all| all.into_iter().map(Leaf::limbs).sum());
                    let first = self.fresh(count);
                    (0..count as u32).map(|limb| Src::register(first + limb)).collect()
                }
            };
            if let Some(result) = data.result {
                self.define(result, limbs);
            }
        }
        std::mem::take(&mut self.ops)
    }

    /// The last instruction of a block.
    fn last(&self, block: BlockId) -> Inst {
        self.body.blocks[block].insts.last().copied().unwrap_or(self.inst)
    }

    /// How a block ends, once all values have their registers.
    fn end(&mut self, block: BlockId, number: &[Option<u32>]) -> Result<End, Refused> {
        self.inst = self.last(block);
        let kind = &self.body.insts[self.inst].kind;
        self.terminator(block, kind, number)
    }

    fn terminator(
        &mut self,
        block: BlockId,
        kind: &InstKind,
        number: &[Option<u32>],
    ) -> Result<End, Refused> {
        Ok(match kind {
            InstKind::Br { target } => End::Go(self.edge(block, *target, number)?),
            InstKind::CondBr { condition, then, otherwise } => End::Branch {
                condition: self.single(*condition)?,
                then: self.edge(block, *then, number)?,
                otherwise: self.edge(block, *otherwise, number)?,
            },
            InstKind::Switch { value, default, cases } => {
                let mut ways = vec![self.edge(block, *default, number)?];
                let mut listed = Vec::new();
                for (case, target) in cases {
                    listed.push((self.immediate(Operand::Const(*case)).unwrap_or(0), ways.len() as u32));
                    ways.push(self.edge(block, *target, number)?);
                }
                End::Switch { value: self.single(*value)?, cases: listed.into(), ways: ways.into() }
            }
            InstKind::Ret { value } => {
                let limbs = value.map(|value| self.operand(value)).transpose()?;
                End::Return(limbs.iter().flat_map(|limbs| limbs.iter().copied()).collect())
            }
            _ => End::Unreachable,
        })
    }

    fn edge(&mut self, from: BlockId, to: BlockId, number: &[Option<u32>]) -> Result<Edge, Refused> {
        let mut moves = Vec::new();
        for &inst in &self.body.blocks[to].insts {
            let data = &self.body.insts[inst];
            let InstKind::Phi { incoming, .. } = &data.kind else { break };
            let Some((value, _)) = incoming.iter().find(|(_, block)| *block == from) else { continue };
            let Some(targets) = data.result.and_then(|result| self.values[result.index()].clone()) else {
                continue;
            };
            for (&target, &src) in targets.iter().zip(self.operand(*value)?.iter()) {
                if let Some(register) = target.as_register()
                    && target != src
                {
                    moves.push((register, src));
                }
            }
        }
        let target = number[to.index()].ok_or_else(|| Refused::new("a way to a block that is none"))?;
        Ok(Edge { target, moves: moves.into() })
    }
}
