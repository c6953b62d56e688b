//! What conditions have in common: two that are the same expression of the same things come out the same way, in whatever
//! wave, in the same round of their loops.

use std::fmt::Write as _;
use std::rc::Rc;

use crate::analysis::Dominators;
use crate::entity::Id as _;
use crate::function::{Block, Inst, Value, ValueDef};
use crate::inst::{InstKind, Operand};
use crate::intrinsic;

use crate::copies::divergence::{is_constant, is_of_workgroup};
use crate::copies::lanes::Values;

/// A condition by which waves choose their way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    /// The same for those that come out the same way.
    pub name: Rc<str>,
    pub changes: Changes,
}

/// When it may come out another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changes {
    Never,
    /// With the rounds of the loop that begins there.
    WithRounds(Block),
    /// Whenever it is looked at.
    Always,
}

/// How large an expression may be.
const MOST_PARTS: usize = 256;

/// Says which block a position of the dominators is, and back.
pub(super) struct Blocks<'b> {
    pub order: &'b [Block],
    pub dominators: &'b Dominators,
}

impl Blocks<'_> {
    pub fn position(&self, block: Block) -> Option<usize> {
        self.order.iter().position(|&other| other == block)
    }

    /// Whether an edge leads back to the head of a loop.
    pub fn is_back(&self, from: Block, to: Block) -> bool {
        match (self.position(from), self.position(to)) {
            (Some(from), Some(to)) => self.dominators.dominates(to, from),
            _ => false,
        }
    }
}

impl Condition {
    /// That of an operand which the instruction `at` asks for.
    pub fn of(values: &Values<'_>, blocks: &Blocks<'_>, at: Inst, operand: Operand) -> Condition {
        let mut reader =
            Reader { values, blocks, name: String::new(), parts: 0, within: Vec::new(), head: None };
        match reader.operand(operand) {
            Some(()) => Condition {
                name: reader.name.into(),
                changes: reader.head.map_or(Changes::Never, Changes::WithRounds),
            },
            None => Condition { name: format!("at {}", at.index()).into(), changes: Changes::Always },
        }
    }
}

/// Spells an expression out.
struct Reader<'r> {
    values: &'r Values<'r>,
    blocks: &'r Blocks<'r>,
    name: String,
    parts: usize,
    /// The phis that are being spelled.
    within: Vec<Value>,
    /// The head of the loop that they stand in.
    head: Option<Block>,
}

impl Reader<'_> {
    /// `None`: it may be anything.
    fn operand(&mut self, operand: Operand) -> Option<()> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return None;
        }
        let body = self.values.body;
        let value = match operand {
            Operand::Value(value) => value,
            other => {
                _ = write!(self.name, "{other:?} ");
                return Some(());
            }
        };
        let ValueDef::Inst(inst) = body.values[value].def else {
            _ = write!(self.name, "{value:?} ");
            return Some(());
        };
        let kind = &body.insts[inst].kind;
        match kind {
            InstKind::Phi { incoming, .. } => return self.phi(value, inst, incoming),
            InstKind::Call(call) => {
                let row = intrinsic::called(self.values.module, call)?;
                if !is_of_workgroup(row) {
                    return None;
                }
            }
            // What is in memory that may change.
            InstKind::Load { pointer, .. } if !is_constant(self.values, *pointer) => return None,
            InstKind::Alloca(_) | InstKind::Rmw { .. } | InstKind::CmpXchg(_) | InstKind::Freeze { .. } => {
                return None;
            }
            _ => {}
        }
        // All that it says but its operands, which follow.
        let mut nameless = kind.clone();
        nameless.each_operand_mut(|operand| *operand = Operand::Value(Value::new(0)));
        _ = write!(self.name, "({nameless:?} ");
        let mut operands = Vec::new();
        kind.each_operand(|operand| operands.push(operand));
        for operand in operands {
            self.operand(operand)?;
        }
        self.name.push(')');
        Some(())
    }

    fn phi(&mut self, value: Value, inst: Inst, incoming: &[(Operand, Block)]) -> Option<()> {
        if let Some(depth) = self.within.iter().position(|&phi| phi == value) {
            _ = write!(self.name, "^{depth} ");
            return Some(());
        }
        let body = self.values.body;
        let block = body.order.iter().copied().find(|&block| body.blocks[block].insts.contains(&inst))?;
        if self.head.is_some_and(|head| head != block)
            || !incoming.iter().any(|&(_, from)| self.blocks.is_back(from, block))
        {
            return None;
        }
        self.head = Some(block);
        self.within.push(value);
        for back in [false, true] {
            let ways = incoming.iter().filter(|(_, from)| self.blocks.is_back(*from, block) == back);
            // Several ways in are told apart by nothing here.
            let [(from, _)] = ways.collect::<Vec<_>>()[..] else { return None };
            _ = write!(self.name, "phi{back} ");
            self.operand(*from)?;
        }
        self.within.pop();
        Some(())
    }
}
