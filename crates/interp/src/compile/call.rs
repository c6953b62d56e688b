//! Calls: of functions of the module, and of intrinsics by their meaning.

use std::sync::Arc;

use wavemark_ir::analysis::direct_callee;
use wavemark_ir::inst::{Call, Callee as IrCallee, InlineAsm, InstData, Operand};
use wavemark_ir::intrinsic;
use wavemark_ir::types::Type;

use super::Builder;
use super::memory::space_of;
use crate::Refused;
use crate::lanes::Src;
use crate::meaning::{self, Meaning, Sync};
use crate::op::{Callee, Op};
use crate::shape::{Leaf, mask, sign_extend};
use wavemark_ir::entity::Id as _;

impl Builder<'_, '_> {
    pub(super) fn call(&mut self, data: &InstData, call: &Call) -> Result<Vec<Src>, Refused> {
        if let IrCallee::Asm(asm) = &call.callee {
            return self.assembly(asm, call);
        }
        let module = self.unit.module;
        if let Some(global) = direct_callee(module, &call.callee) {
            let name = module.name(global);
            if intrinsic::is_intrinsic(&name) {
                return self.intrinsic(&name, data, call);
            }
            if module.function(global).is_some_and(|function| function.body.is_none()) {
                return Err(Refused::new(format!("a call of @{name}, which is only declared")));
            }
            return self.call_function(Callee::Known(global.index()), data.ty, call);
        }
        let IrCallee::Operand(pointer) = call.callee else { return Err(Refused::new("a call")) };
        let pointer = self.single(pointer)?;
        self.call_function(Callee::At(pointer), data.ty, call)
    }

    fn call_function(&mut self, callee: Callee, ty: Type, call: &Call) -> Result<Vec<Src>, Refused> {
        let mut arguments = Vec::new();
        for argument in &call.args {
            if self.unit.module.has_attribute(&argument.attributes, "byval") {
                return Err(Refused::new("an argument that is passed byval"));
            }
            arguments.extend(self.operand(argument.value)?.iter());
        }
        let count: usize = self.leaves(ty)?.into_iter().map(Leaf::limbs).sum();
        let to = self.fresh(count);
        let results = count as u32;
        self.push(Op::Call { callee, arguments: arguments.into(), to, results });
        Ok((0..count as u32).map(|limb| Src::register(to + limb)).collect())
    }

    /// Assembly text: only that which does nothing but give its operand back.
    fn assembly(&mut self, asm: &InlineAsm, call: &Call) -> Result<Vec<Src>, Refused> {
        if !asm.is_empty() {
            let text = String::from_utf8_lossy(&asm.text);
            return Err(Refused::new(format!("the assembly text \"{text}\"")));
        }
        let constraints = String::from_utf8_lossy(&asm.constraints);
        match call.args.first() {
            _ if !constraints.contains('=') => Ok(Vec::new()),
            Some(argument) if asm.gives_back() => Ok(self.operand(argument.value)?.to_vec()),
            _ => Err(Refused::new(format!("assembly text with the operands \"{constraints}\""))),
        }
    }

    fn intrinsic(&mut self, name: &str, data: &InstData, call: &Call) -> Result<Vec<Src>, Refused> {
        let refused = || Refused::new(format!("the intrinsic {name}"));
        let row = intrinsic::called(self.unit.module, call).ok_or_else(refused)?;
        let meaning = meaning::of(row.name).ok_or_else(refused)?;
        let ty = data.ty;
        let argument = |number: usize| call.args[number].value;
        match meaning {
            Meaning::Nothing => self.undefined(ty),
            Meaning::Id(id) => {
                let from = self.arguments(call)?;
                let to = self.fresh(1);
                self.push(Op::Id { id, to, from: from.into() });
                Ok(vec![Src::register(to)])
            }
            Meaning::First => Ok(self.operand(argument(0))?.to_vec()),
            Meaning::IsConstant => Ok(vec![self.word(0)]),
            Meaning::PtrMask => {
                let bits = self.leaves(self.ty(argument(1)))?[0].bits;
                let (pointer, kept) = (self.single(argument(0))?, self.single(argument(1))?);
                Ok(vec![self.words(&[pointer, kept], move |w| (w[0] & (w[1] | !mask(bits)), false))])
            }
            Meaning::Assume => {
                let condition = self.single(argument(0))?;
                self.push(Op::Assume { condition });
                Ok(Vec::new())
            }
            Meaning::MakeResource => self.resource(ty, call),
            Meaning::IsSpace(space) => {
                let pointer = self.single(argument(0))?;
                Ok(vec![self.words(&[pointer], move |w| {
                    (u64::from(crate::run::bytes::space_of(w[0]) == space_of(space).ok()), false)
                })])
            }
            Meaning::Instruction => {
                let across = row.convergent;
                self.machine(row.name, call, ty, across)
            }
            Meaning::Cross(cross) => self.cross(cross, ty, call),
            Meaning::Buffer(access, indexed) => self.buffer(access, indexed, ty, call),
            Meaning::TypedBuffer { store, indexed, says } => self.typed(store, indexed, says, ty, call),
            Meaning::StackSave => {
                let to = self.fresh(1);
                self.push(Op::StackSave { to });
                Ok(vec![Src::register(to)])
            }
            Meaning::StackRestore => {
                let from = self.single(argument(0))?;
                self.push(Op::StackRestore { from });
                Ok(Vec::new())
            }
            Meaning::Sync(sync) => self.sync(sync, ty, call),
            Meaning::Trap => {
                self.push(Op::Trap);
                Ok(Vec::new())
            }
            Meaning::End => {
                self.push(Op::End);
                Ok(Vec::new())
            }
            Meaning::SetReg => {
                let field = self.immediate(argument(0)).ok_or_else(refused)? as u16;
                let value = self.single(argument(1))?;
                self.push(Op::SetReg { field, value });
                Ok(Vec::new())
            }
            Meaning::GetReg => {
                let field = self.immediate(argument(0)).ok_or_else(refused)? as u16;
                let to = self.fresh(1);
                self.push(Op::GetReg { to, field });
                Ok(vec![Src::register(to)])
            }
            Meaning::Float1(_)
            | Meaning::Approximated(..)
            | Meaning::Float2(_)
            | Meaning::Float3(_)
            | Meaning::Int1(_)
            | Meaning::Int2(_)
            | Meaning::Int3(_)
            | Meaning::Fma
            | Meaning::FrexpExp
            | Meaning::Frexp
            | Meaning::Ldexp
            | Meaning::IsClass
            | Meaning::ToIntSaturating(_)
            | Meaning::Overflow(..)
            | Meaning::ThreeWay(_)
            | Meaning::Mul24(_)
            | Meaning::BitOp3
            | Meaning::Reduce(_)
            | Meaning::DivScale
            | Meaning::DivFmas
            | Meaning::OfFp8(_)
            | Meaning::OfFp8Pair(_)
            | Meaning::StepVector
            | Meaning::Powi => self.number(meaning, name, ty, call),
            Meaning::ToLds { .. }
            | Meaning::Async { .. }
            | Meaning::Tensor(..)
            | Meaning::Transposed(_)
            | Meaning::MemCopy
            | Meaning::MemSet
            | Meaning::Masked { .. }
            | Meaning::Arrive(_) => self.transfer(meaning, name, ty, call),
        }
    }

    /// The limbs of all arguments.
    pub(super) fn arguments(&mut self, call: &Call) -> Result<Vec<Src>, Refused> {
        let mut limbs = Vec::new();
        for argument in &call.args {
            limbs.extend(self.operand(argument.value)?.iter());
        }
        Ok(limbs)
    }

    pub(super) fn signed_immediate(&self, operand: Operand) -> Option<i64> {
        self.immediate(operand).map(|word| sign_extend(word, 32))
    }

    fn cross(&mut self, cross: meaning::Cross, ty: Type, call: &Call) -> Result<Vec<Src>, Refused> {
        use meaning::Cross::*;
        let mut immediates = [0; 4];
        let values = match cross {
            MovDpp | UpdateDpp => {
                let first = if cross == MovDpp { 1 } else { 2 };
                for (at, immediate) in immediates.iter_mut().enumerate() {
                    *immediate = self.immediate(call.args[first + at].value).unwrap_or(0);
                }
                first
            }
            MovDpp8 => {
                immediates[0] = self.immediate(call.args[1].value).unwrap_or(0);
                1
            }
            Swizzle => {
                immediates[0] = self.immediate(call.args[1].value).unwrap_or(0);
                1
            }
            PermLane16(_) => {
                for (at, immediate) in immediates.iter_mut().take(2).enumerate() {
                    *immediate = self.immediate(call.args[4 + at].value).unwrap_or(0);
                }
                4
            }
            PermLane16Swap | PermLane32Swap => 2,
            WaveReduce { .. } => 1,
            ICmp | FCmp => {
                immediates[0] = self.immediate(call.args[2].value).unwrap_or(0);
                2
            }
            _ => call.args.len(),
        };
        let leaves = self.leaves(ty)?;
        // Each scalar by itself; what else is given (a lane, a mask) is the same for all.
        let arguments = call.args[..values].iter().map(|argument| self.operand(argument.value));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let pair = matches!(cross, PermLane16Swap | PermLane32Swap);
        let argument_bits = self.leaves(self.ty(call.args[0].value))?.first().map_or(32, |leaf| leaf.bits);
        let mut limbs = Vec::new();
        let scalars = if pair { 1 } else { leaves.iter().map(|leaf| leaf.limbs()).sum() };
        for at in 0..scalars {
            let own = |argument: &Arc<[Src]>| argument[at.min(argument.len() - 1)];
            let from: Vec<Src> = arguments.iter().map(own).collect();
            let count = if pair { 2 } else { 1 };
            let to = self.fresh(count);
            self.push(Op::Cross { cross, to, from: from.into(), bits: argument_bits, immediates });
            limbs.extend((0..count as u32).map(|limb| Src::register(to + limb)));
        }
        Ok(limbs)
    }

    fn sync(&mut self, sync: Sync, ty: Type, call: &Call) -> Result<Vec<Src>, Refused> {
        let immediate = call.args.first().and_then(|argument| self.immediate(argument.value));
        let from = self.arguments(call)?;
        let count: usize = self.leaves(ty)?.into_iter().map(Leaf::limbs).sum();
        let to = self.fresh(count);
        self.push(Op::Sync { sync, to, from: from.into(), immediate: immediate.unwrap_or(0) });
        Ok((0..count as u32).map(|limb| Src::register(to + limb)).collect())
    }
}
