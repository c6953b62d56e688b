//! A kernel with the functions that it calls in the place of the calls.
//!
//! Promises: the paths of the flat body are those of the kernel and of the calls on them, one behind the other, and each
//! instruction knows where it comes from. Assembly text without an instruction stays. Calls by address, of what has no body, and without end are refused. So is what
//! does not mean the same in its caller: functions that put or wait for marks, since a sequence of marks is that of one
//! execution of one function (*AMDGPU Asynchronous Operations*, "Asyncmarks"). What a function copies is covered by the next
//! mark of its caller.

use rustc_hash::FxHashMap;

use crate::analysis::direct_callee;
use crate::entity::Id as _;
use crate::function::{Block, BlockData, Body, Inst, Value, ValueData, ValueDef};
use crate::inst::{Callee, InstData, InstKind, Operand};
use crate::intrinsic;
use crate::module::{Global, Module};

use super::steps::NotFollowed;

/// Calls that are put in at most.
const MOST_CALLS: usize = 256;
/// Instructions at most.
const MOST_INSTS: usize = 1 << 16;

/// A body without calls of functions.
pub(crate) struct Flat {
    pub body: Body,
    /// Where each instruction comes from.
    pub origins: Vec<(Global, Inst)>,
}

/// The kernel without calls; `None`: it has none.
pub(crate) fn flat(module: &Module, kernel: Global) -> Result<Option<Flat>, NotFollowed> {
    let Some(body) = module.function(kernel).and_then(|function| function.body.as_ref()) else {
        return Ok(None);
    };
    let mut flat =
        Flat { body: body.clone(), origins: body.insts.ids().map(|inst| (kernel, inst)).collect() };
    let mut calls = 0;
    while let Some((block, at, callee)) = next_call(module, &flat.body)? {
        let called = module.function(callee).and_then(|function| function.body.as_ref());
        let called = called.ok_or(NotFollowed::Calls)?;
        calls += 1;
        if has_marks(module, called)
            || calls > MOST_CALLS
            || flat.body.insts.len() + called.insts.len() > MOST_INSTS
        {
            return Err(NotFollowed::Calls);
        }
        flat.put_in(block, at, callee, called);
    }
    Ok((calls > 0).then_some(flat))
}

fn row(module: &Module, data: &InstData) -> Option<&'static intrinsic::Intrinsic> {
    let InstKind::Call(call) = &data.kind else { return None };
    intrinsic::called(module, call)
}

fn has_marks(module: &Module, body: &Body) -> bool {
    body.insts.iter().any(|(_, data)| row(module, data).is_some_and(|row| row.marks.is_some()))
}

/// A call of a function: its block, its position there, and what it calls.
fn next_call(module: &Module, body: &Body) -> Result<Option<(Block, usize, Global)>, NotFollowed> {
    for &block in &body.order {
        for (at, &inst) in body.blocks[block].insts.iter().enumerate() {
            let InstKind::Call(call) = &body.insts[inst].kind else { continue };
            if intrinsic::called(module, call).is_some() || call.is_empty_text() {
                continue;
            }
            let Callee::Operand(_) = call.callee else { return Err(NotFollowed::Calls) };
            let callee = direct_callee(module, &call.callee).ok_or(NotFollowed::Calls)?;
            return Ok(Some((block, at, callee)));
        }
    }
    Ok(None)
}

impl Flat {
    /// Puts a function in the place of a call.
    fn put_in(&mut self, block: Block, at: usize, callee: Global, called: &Body) {
        let rest = self.body.blocks[block].insts.split_off(at);
        let call = rest[0];
        let behind = self.body.blocks.push(BlockData { name: None, insts: rest[1..].to_vec() });
        for next in self.body.successors(behind) {
            self.comes_from(next, block, behind);
        }
        let blocks: FxHashMap<Block, Block> = called
            .order
            .iter()
            .map(|&of| (of, self.body.blocks.push(BlockData { name: None, insts: Vec::new() })))
            .collect();
        let arguments: Vec<Operand> = match &self.body.insts[call].kind {
            InstKind::Call(call) => call.args.iter().map(|arg| arg.value).collect(),
            _ => Vec::new(),
        };
        // The values of its instructions, before any of them is read.
        let mut values: FxHashMap<Value, Operand> = called.params.iter().copied().zip(arguments).collect();
        let mut insts: FxHashMap<Inst, Inst> = FxHashMap::default();
        for &of in &called.order {
            for &inst in &called.blocks[of].insts {
                let data = &called.insts[inst];
                let copy = self.push(data.clone(), (callee, inst));
                insts.insert(inst, copy);
                if let Some(value) = data.result {
                    let new = ValueData { ty: called.values[value].ty, def: ValueDef::Inst(copy) };
                    let new = self.body.values.push(new);
                    self.body.insts[copy].result = Some(new);
                    values.insert(value, Operand::Value(new));
                }
            }
        }
        let mut results = smallvec::SmallVec::new();
        for &of in &called.order {
            for inst in &called.blocks[of].insts {
                let copy = insts[inst];
                let mut kind = self.body.insts[copy].kind.clone();
                kind.each_operand_mut(|operand| match *operand {
                    Operand::Value(value) => *operand = values.get(&value).copied().unwrap_or(*operand),
                    Operand::Metadata(metadata) => {
                        let own = called.metadata[metadata].clone();
                        *operand = Operand::Metadata(self.body.metadata.push(own));
                    }
                    Operand::Const(_) => {}
                });
                kind.each_block_mut(|block| *block = blocks[block]);
                if let InstKind::Ret { value } = kind {
                    results.extend(value.map(|value| (value, blocks[&of])));
                    kind = InstKind::Br { target: behind };
                }
                self.body.insts[copy].kind = kind;
                self.body.blocks[blocks[&of]].insts.push(copy);
            }
        }
        let (origin, void) = (self.origins[call.index()], self.body.insts[call].ty);
        let enters =
            InstData { ty: void, result: None, kind: InstKind::Br { target: blocks[&called.entry()] } };
        let enters = self.push(enters, origin);
        self.body.blocks[block].insts.push(enters);
        if let Some(result) = self.body.insts[call].result {
            let kind = InstKind::Phi { flags: Default::default(), incoming: results };
            let ty = self.body.values[result].ty;
            let joins = self.push(InstData { ty, result: Some(result), kind }, origin);
            self.body.values[result].def = ValueDef::Inst(joins);
            self.body.blocks[behind].insts.insert(0, joins);
        }
        // It stands in no block any more; nobody who goes over all instructions shall see a call.
        self.body.insts[call] = InstData { ty: void, result: None, kind: InstKind::Unreachable };
        let place = self.body.order.iter().position(|&known| known == block).map_or(0, |place| place + 1);
        let new = called.order.iter().map(|of| blocks[of]).chain([behind]);
        self.body.order.splice(place..place, new);
    }

    fn push(&mut self, data: InstData, origin: (Global, Inst)) -> Inst {
        self.origins.push(origin);
        self.body.insts.push(data)
    }

    /// The `phi`s of a block have another block before them.
    fn comes_from(&mut self, block: Block, before: Block, now: Block) {
        for inst in self.body.blocks[block].insts.clone() {
            let InstKind::Phi { incoming, .. } = &mut self.body.insts[inst].kind else { break };
            incoming.iter_mut().filter(|(_, from)| *from == before).for_each(|(_, from)| *from = now);
        }
    }
}
