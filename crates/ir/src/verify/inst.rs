//! Operands of each instruction that neither accesses memory nor calls.

use smallvec::SmallVec;

use super::{Check, Rule};
use crate::constant::ConstKind;
use crate::function::{Body, Inst};
use crate::inst::{InstKind, Operand};
use crate::layout;
use crate::opcode::CastOp;
use crate::types::{Type, TypeKind};

impl Check<'_> {
    pub(super) fn inst(&mut self, body: &Body, inst: Inst) {
        let data = &body.insts[inst];
        let types = self.types();
        let of = |operand: Operand| operand.ty(body, &self.module.constants);
        match &data.kind {
            InstKind::FNeg { value, .. } => {
                let float = of(*value).is_some_and(|ty| types.is_float(ty));
                self.require(float, inst, Rule::Operand, "fneg is of floating-point numbers");
            }
            InstKind::Binary { op, lhs, rhs, .. } => {
                let (lhs, rhs) = (of(*lhs), of(*rhs));
                let fits = lhs.is_some_and(|ty| match op.is_float() {
                    true => types.is_float(ty),
                    false => types.int_bits(ty).is_some(),
                });
                let kind = if op.is_float() { "floating-point numbers" } else { "integers" };
                self.require(fits, inst, Rule::Operand, format_args!("{op} is of {kind}"));
                self.require(
                    lhs == rhs,
                    inst,
                    Rule::Operand,
                    format_args!("both operands of {op} are of one type"),
                );
                self.require(
                    lhs == Some(data.ty),
                    inst,
                    Rule::Operand,
                    format_args!("{op} gives the type of its operands"),
                );
            }
            InstKind::Cast { op, value, .. } => {
                if let Some(from) = of(*value) {
                    self.cast(inst, *op, from, data.ty);
                }
            }
            InstKind::ICmp { lhs, rhs, .. } => {
                let (lhs, rhs) = (of(*lhs), of(*rhs));
                let fits =
                    lhs.is_some_and(|ty| types.int_bits(ty).is_some() || types.address_space(ty).is_some());
                self.require(
                    fits && lhs == rhs,
                    inst,
                    Rule::Operand,
                    "icmp is of integers or pointers of one type",
                );
            }
            InstKind::FCmp { lhs, rhs, .. } => {
                let (lhs, rhs) = (of(*lhs), of(*rhs));
                let fits = lhs.is_some_and(|ty| types.is_float(ty));
                self.require(
                    fits && lhs == rhs,
                    inst,
                    Rule::Operand,
                    "fcmp is of floating-point numbers of one type",
                );
            }
            InstKind::Select { condition, then, otherwise, .. } => {
                let condition = of(*condition);
                let bit = condition.is_some_and(|ty| types.int_bits(ty) == Some(1));
                self.require(bit, inst, Rule::Operand, "select chooses by i1");
                let lanes = condition.and_then(|ty| types.lanes(ty));
                let fits = lanes.is_none() || lanes == types.lanes(data.ty);
                self.require(fits, inst, Rule::Operand, "select by a vector chooses between vectors as long");
                self.require(
                    of(*then) == of(*otherwise),
                    inst,
                    Rule::Operand,
                    "select is of two values of one type",
                );
            }
            InstKind::Phi { incoming, .. } => {
                let fits = incoming.iter().all(|(value, _)| of(*value) == Some(data.ty));
                self.require(fits, inst, Rule::Phi, "the values of a phi are of its type");
            }
            InstKind::ExtractElement { index, .. } | InstKind::InsertElement { index, .. } => {
                let fits = of(*index).is_some_and(|ty| matches!(types.kind(ty), TypeKind::Int(_)));
                self.require(fits, inst, Rule::Operand, "the index of an element is an integer");
            }
            InstKind::ShuffleVector { lhs, mask, .. } => {
                let lanes = of(*lhs).and_then(|ty| types.lanes(ty)).unwrap_or(0);
                let fits = self.mask_fits(*mask, u64::from(lanes) * 2);
                self.require(
                    fits,
                    inst,
                    Rule::Operand,
                    format_args!("the mask of shufflevector chooses from {}", lanes * 2),
                );
            }
            InstKind::ExtractValue { aggregate, indices } => {
                let part = of(*aggregate).and_then(|ty| self.part(ty, indices));
                self.require(
                    part == Some(data.ty),
                    inst,
                    Rule::Aggregate,
                    "extractvalue gives the type of the part",
                );
            }
            InstKind::InsertValue { aggregate, value, indices } => {
                let part = of(*aggregate).and_then(|ty| self.part(ty, indices));
                let fits = part.is_some() && part == of(*value);
                self.require(
                    fits,
                    inst,
                    Rule::Aggregate,
                    "insertvalue puts in a value of the type of the part",
                );
            }
            InstKind::Gep { source, base, indices, .. } => {
                let indices: SmallVec<[(Operand, Option<Type>); 4]> =
                    indices.iter().map(|&index| (index, of(index))).collect();
                self.gep(inst, *source, of(*base), &indices);
            }
            InstKind::CondBr { condition, .. } => {
                let bit = of(*condition).is_some_and(|ty| *types.kind(ty) == TypeKind::Int(1));
                self.require(bit, inst, Rule::Operand, "a branch is taken by i1");
            }
            InstKind::Switch { value, cases, .. } => {
                let ty = of(*value);
                let integer = ty.is_some_and(|ty| matches!(types.kind(ty), TypeKind::Int(_)));
                self.require(integer, inst, Rule::Switch, "switch is on an integer");
                let mut values: Vec<_> = cases.iter().map(|case| case.0).collect();
                values.sort_unstable();
                let twice = values.windows(2).any(|pair| pair[0] == pair[1]);
                self.require(!twice, inst, Rule::Switch, "a value is there twice in a switch");
            }
            InstKind::Ret { value } => {
                let given = value.and_then(of);
                let void = *types.kind(self.function.result) == TypeKind::Void;
                let fits = if void { value.is_none() } else { given == Some(self.function.result) };
                if !fits {
                    let wanted = self.text(self.function.result);
                    self.at_inst(inst, Rule::Return, format!("the function returns {wanted}"));
                }
            }
            InstKind::Freeze { value } => {
                self.require(
                    of(*value) == Some(data.ty),
                    inst,
                    Rule::Operand,
                    "freeze gives the type of its operand",
                );
            }
            InstKind::Call(call) => self.call(body, inst, call),
            InstKind::Alloca(_)
            | InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Fence { .. }
            | InstKind::Rmw { .. }
            | InstKind::CmpXchg(_) => self.access(body, inst),
            InstKind::Br { .. } | InstKind::Unreachable => {}
        }
    }

    fn part(&self, mut ty: Type, indices: &[u32]) -> Option<Type> {
        for &index in indices {
            ty = self.types().part(ty, index.into())?;
        }
        Some(ty)
    }

    fn mask_fits(&self, mask: crate::constant::Const, elements: u64) -> bool {
        let constants = &self.module.constants;
        let element = |part| match constants.kind(part) {
            ConstKind::Int(value) => value.to_u64().is_some_and(|index| index < elements),
            ConstKind::Undef | ConstKind::Poison => true,
            _ => false,
        };
        match constants.kind(mask) {
            ConstKind::Aggregate(parts) => parts.iter().all(|&part| element(part)),
            ConstKind::Splat(part) => element(*part),
            ConstKind::Zero | ConstKind::Undef | ConstKind::Poison => true,
            _ => false,
        }
    }

    fn cast(&mut self, inst: Inst, op: CastOp, from: Type, to: Type) {
        let types = self.types();
        let same_shape = types.lanes(from) == types.lanes(to);
        let (ints, floats) =
            ((types.int_bits(from), types.int_bits(to)), (types.float_bits(from), types.float_bits(to)));
        let pointers = (types.address_space(from), types.address_space(to));
        let fits = match op {
            CastOp::Trunc => same_shape && matches!(ints, (Some(from), Some(to)) if from > to),
            CastOp::ZExt | CastOp::SExt => same_shape && matches!(ints, (Some(from), Some(to)) if from < to),
            CastOp::FpTrunc => same_shape && matches!(floats, (Some(from), Some(to)) if from > to),
            CastOp::FpExt => same_shape && matches!(floats, (Some(from), Some(to)) if from < to),
            CastOp::FpToUi | CastOp::FpToSi => same_shape && floats.0.is_some() && ints.1.is_some(),
            CastOp::UiToFp | CastOp::SiToFp => same_shape && ints.0.is_some() && floats.1.is_some(),
            CastOp::PtrToInt | CastOp::PtrToAddr => same_shape && pointers.0.is_some() && ints.1.is_some(),
            CastOp::IntToPtr => same_shape && ints.0.is_some() && pointers.1.is_some(),
            CastOp::AddrSpaceCast => same_shape && matches!(pointers, (Some(from), Some(to)) if from != to),
            CastOp::BitCast => match pointers {
                (Some(from), Some(to)) => same_shape && from == to,
                (None, None) => {
                    let number = |ty| types.int_bits(ty).is_some() || types.is_float(ty);
                    number(from) && number(to) && layout::bits(types, from) == layout::bits(types, to)
                }
                _ => false,
            },
        };
        if !fits {
            let (from, to) = (self.text(from), self.text(to));
            self.at_inst(inst, Rule::Cast, format!("{op} does not lead from {from} to {to}"));
        }
    }

    fn gep(&mut self, inst: Inst, source: Type, base: Option<Type>, indices: &[(Operand, Option<Type>)]) {
        let types = self.types();
        let pointer = base.is_some_and(|ty| types.address_space(ty).is_some());
        self.require(pointer, inst, Rule::Gep, "getelementptr begins at a pointer");
        self.require(types.is_sized(source), inst, Rule::Size, "getelementptr steps over a type with a size");
        let integers = indices.iter().all(|(_, ty)| ty.is_some_and(|ty| types.int_bits(ty).is_some()));
        self.require(integers, inst, Rule::Gep, "the indices of getelementptr are integers");
        let all = base.iter().chain(indices.iter().filter_map(|(_, ty)| ty.as_ref()));
        let mut lanes = all.filter_map(|&ty| types.lanes(ty));
        let first = lanes.next();
        self.require(lanes.all(|lanes| Some(lanes) == first), inst, Rule::Gep, "vectors of one length");
        let mut ty = source;
        for (index, _) in indices.iter().skip(1) {
            let part = match types.kind(ty) {
                TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => Some(*element),
                _ => self.field_index(*index).and_then(|index| types.part(ty, index)),
            };
            match part {
                Some(part) => ty = part,
                None => {
                    return self.at_inst(
                        inst,
                        Rule::Gep,
                        "an index of getelementptr leads to no part of its type",
                    );
                }
            }
        }
    }

    /// The constant that chooses a field: an i32, or a vector of one of them.
    fn field_index(&self, index: Operand) -> Option<u64> {
        let Operand::Const(constant) = index else { return None };
        let constants = &self.module.constants;
        if self.types().int_bits(constants.ty(constant)) != Some(32) {
            return None;
        }
        match constants.kind(constant) {
            ConstKind::Int(value) => value.to_u64(),
            ConstKind::Splat(value) => constants.int(*value)?.to_u64(),
            ConstKind::Zero => Some(0),
            _ => None,
        }
    }
}
