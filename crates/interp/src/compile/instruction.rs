//! One instruction: its operations, and the limbs of its result.

use std::sync::Arc;

use wavemark_ir::constant::ConstKind;
use wavemark_ir::inst::{InstData, InstKind, Operand};
use wavemark_ir::opcode::{BinaryOp, CastOp, Flags, IntPredicate};
use wavemark_ir::types::Type;

use super::Builder;
use super::address::{Step, Walk};
use super::cast::conversion;
use crate::lanes::{Known, Src};
use crate::meaning::lowered::fast_quotient;
use crate::op::{Convert, Op, Term};
use crate::shape::{Class, Leaf, mask, recut};
use crate::{Refused, arith};

impl Builder<'_, '_> {
    /// Compiles an instruction; the limbs of what it gives.
    pub(super) fn instruction(&mut self, data: &InstData) -> Result<Vec<Src>, Refused> {
        match &data.kind {
            InstKind::Phi { .. } => {
                let count = self.leaves(data.ty)?.into_iter().map(Leaf::limbs).sum();
                let first = self.fresh(count);
                Ok((0..count as u32).map(|limb| Src::register(first + limb)).collect())
            }
            InstKind::FNeg { value, .. } => {
                let leaves = self.leaves(data.ty)?;
                let value = self.operand(*value)?;
                Ok(self.each(&leaves, |to, bits, at| Op::Negate { bits, to, a: value[at] }))
            }
            InstKind::Binary { op, flags, lhs, rhs } => self.binary(*op, *flags, data.ty, *lhs, *rhs),
            InstKind::Cast { op, flags, value } => self.cast(*op, *flags, data.ty, *value),
            InstKind::ICmp { flags, predicate, lhs, rhs } => {
                self.compare(*predicate, flags.contains(Flags::SAMESIGN), *lhs, *rhs)
            }
            InstKind::FCmp { flags, predicate, lhs, rhs } => {
                let leaves = self.leaves(self.ty(*lhs))?;
                let (a, b) = (self.operand(*lhs)?, self.operand(*rhs)?);
                let (flags, predicate) = (*flags, *predicate);
                let formats: Vec<_> = leaves.iter().map(|leaf| leaf.class).collect();
                Ok(self.each(&leaves, |to, _, at| {
                    let Class::Float(format) = formats[at] else { return Op::Trap };
                    Op::CompareFloats { predicate, flags, format, to, a: a[at], b: b[at] }
                }))
            }
            InstKind::Select { condition, then, otherwise, .. } => {
                let leaves = self.leaves(data.ty)?;
                let condition = self.operand(*condition)?;
                let (a, b) = (self.operand(*then)?, self.operand(*otherwise)?);
                let mut limbs = Vec::new();
                for (index, leaf) in leaves.iter().enumerate() {
                    let condition =
                        if condition.len() == leaves.len() { condition[index] } else { condition[0] };
                    for _ in 0..leaf.limbs() {
                        let at = limbs.len();
                        let to = self.fresh(1);
                        self.push(Op::Select { to, condition, a: a[at], b: b[at] });
                        limbs.push(Src::register(to));
                    }
                }
                Ok(limbs)
            }
            InstKind::Freeze { value } => {
                let value = self.operand(*value)?;
                let mut limbs = Vec::new();
                for &a in value.iter() {
                    let to = self.fresh(1);
                    self.push(Op::Freeze { to, a });
                    limbs.push(Src::register(to));
                }
                Ok(limbs)
            }
            InstKind::ExtractElement { vector, index } => self.extract(data.ty, *vector, *index),
            InstKind::InsertElement { vector, value, index } => self.insert(*vector, *value, *index),
            InstKind::ShuffleVector { lhs, rhs, mask } => {
                let mut both: Vec<Src> = self.operand(*lhs)?.to_vec();
                both.extend(self.operand(*rhs)?.iter());
                let element = self.leaves(data.ty)?.first().map_or(1, |leaf| leaf.limbs());
                let poison = self.limb((0, Known::Poison));
                let chosen = super::constant::limbs(self.unit.module, self.unit.addresses, *mask)?;
                let mut limbs = Vec::new();
                for (index, known) in chosen {
                    let from = index as usize * element;
                    for limb in 0..element {
                        let src = both.get(from + limb).filter(|_| known == Known::Value);
                        limbs.push(src.copied().unwrap_or(poison));
                    }
                }
                Ok(limbs)
            }
            InstKind::ExtractValue { aggregate, indices } => {
                let value = self.operand(*aggregate)?;
                let (from, count) = self.part(self.ty(*aggregate), indices)?;
                Ok(value[from..from + count].to_vec())
            }
            InstKind::InsertValue { aggregate, value, indices } => {
                let mut whole = self.operand(*aggregate)?.to_vec();
                let value = self.operand(*value)?;
                let (from, count) = self.part(self.ty(*aggregate), indices)?;
                whole[from..from + count].copy_from_slice(&value);
                Ok(whole)
            }
            InstKind::Gep { flags, source, base, indices, .. } => {
                self.address(data.ty, *flags, *source, *base, indices)
            }
            InstKind::Call(call) => self.call(data, call),
            InstKind::Fence { ordering, scope } => {
                self.fence(*ordering, *scope);
                Ok(Vec::new())
            }
            _ => self.memory(data),
        }
    }

    /// An operation for each scalar, of at most 64 bits: with its result, its bits and its position.
    fn each(&mut self, leaves: &[Leaf], op: impl Fn(u32, u32, usize) -> Op) -> Vec<Src> {
        let mut limbs = Vec::new();
        for (at, leaf) in leaves.iter().enumerate() {
            let to = self.fresh(1);
            self.push(op(to, leaf.bits, at));
            limbs.push(Src::register(to));
        }
        limbs
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        flags: Flags,
        ty: Type,
        lhs: Operand,
        rhs: Operand,
    ) -> Result<Vec<Src>, Refused> {
        let leaves = self.leaves(ty)?;
        let (a, b) = (self.operand(lhs)?, self.operand(rhs)?);
        let mut limbs: Vec<Src> = Vec::new();
        for leaf in leaves {
            let (at, bits) = (limbs.len(), leaf.bits);
            if let (BinaryOp::FDiv, Class::Float(format)) = (op, leaf.class)
                && let Some(quotient) = fast_quotient(flags, format)
            {
                limbs.push(self.words(&[a[at], b[at]], move |words| {
                    let result = quotient(format, words[0], words[1]);
                    let special = |&word: &u64| arith::excluded(flags, format, word);
                    (result, words.iter().any(special) || special(&result))
                }));
                continue;
            }
            let to = self.fresh(leaf.limbs());
            match (leaf.class, leaf.limbs()) {
                (Class::Float(format), _) => {
                    self.push(Op::Float { op, flags, format, to, a: a[at], b: b[at] })
                }
                (_, 1) => self.push(Op::Int { op, flags, bits, to, a: a[at], b: b[at] }),
                (_, 2) => {
                    self.push(Op::Wide { op, flags, bits, to, a: [a[at], a[at + 1]], b: [b[at], b[at + 1]] })
                }
                (_, count) if matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) => {
                    for limb in 0..count {
                        let to = to + limb as u32;
                        self.push(Op::Int { op, flags, bits: 64, to, a: a[at + limb], b: b[at + limb] });
                    }
                }
                _ => return Err(Refused::new(format!("{} of integers of {bits} bits", op.name()))),
            }
            limbs.extend((0..leaf.limbs() as u32).map(|limb| Src::register(to + limb)));
        }
        Ok(limbs)
    }

    fn cast(&mut self, op: CastOp, flags: Flags, ty: Type, value: Operand) -> Result<Vec<Src>, Refused> {
        let from_leaves = self.leaves(self.ty(value))?;
        let to_leaves = self.leaves(ty)?;
        let value = self.operand(value)?;
        let bits = |leaves: &[Leaf]| leaves.iter().flat_map(|leaf| leaf.limb_bits()).collect::<Vec<u32>>();
        if op == CastOp::BitCast {
            return Ok(self.recut(&value, &bits(&from_leaves), &bits(&to_leaves)));
        }
        let (mut limbs, mut at) = (Vec::new(), 0);
        for (from, to) in from_leaves.into_iter().zip(to_leaves) {
            let own = &value[at..at + from.limbs()];
            at += from.limbs();
            match (from.class, to.class, own) {
                (Class::Pointer(8), Class::Pointer(space @ (7 | 9)), &[low, high]) => {
                    limbs.extend(self.pointer_to([low, high], space));
                    continue;
                }
                (Class::Pointer(9), Class::Int, _) | (Class::Int, Class::Pointer(9), _) => {
                    return Err(Refused::new(format!("{} of a buffer strided pointer", op.name())));
                }
                _ => {}
            }
            limbs.extend(self.cast_leaf(op, flags, from, to, own)?);
        }
        Ok(limbs)
    }

    fn cast_leaf(
        &mut self,
        op: CastOp,
        flags: Flags,
        from: Leaf,
        to: Leaf,
        own: &[Src],
    ) -> Result<Vec<Src>, Refused> {
        let extends = matches!(op, CastOp::ZExt | CastOp::SExt);
        let cuts = matches!(op, CastOp::Trunc);
        let pointers = matches!(op, CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrToAddr);
        if from.limbs() == 1 && to.limbs() == 1 {
            return Ok(vec![match conversion(op, flags, from, to)? {
                Some(convert) => self.convert(convert, own[0]),
                None => own[0],
            }]);
        }
        if (cuts || pointers) && to.limbs() <= from.limbs() {
            // The limbs that are kept, and what is kept of the last one.
            let mut limbs = own[..to.limbs()].to_vec();
            if !to.bits.is_multiple_of(64) && to.bits < from.bits {
                let last = limbs.len() - 1;
                limbs[last] = self.convert(Convert::Trunc(64, to.bits % 64, Flags::empty()), limbs[last]);
            }
            return Ok(limbs);
        }
        if extends || pointers {
            let mut limbs = own.to_vec();
            let mut above = self.word(0);
            if op == CastOp::SExt {
                let last = limbs.len() - 1;
                let used = from.bits - 64 * last as u32;
                limbs[last] = self.convert(Convert::SExt(used, 64), limbs[last]);
                let by = self.word(63);
                let to = self.fresh(1);
                let (flags, a) = (Flags::empty(), limbs[last]);
                self.push(Op::Int { op: BinaryOp::AShr, flags, bits: 64, to, a, b: by });
                above = Src::register(to);
            }
            limbs.resize(to.limbs(), above);
            let rest = to.bits % 64;
            if op == CastOp::SExt && rest != 0 {
                let last = limbs.len() - 1;
                limbs[last] = self.convert(Convert::Trunc(64, rest, Flags::empty()), limbs[last]);
            }
            return Ok(limbs);
        }
        Err(Refused::new(format!("{} from {} to {} bits", op.name(), from.bits, to.bits)))
    }

    pub(super) fn convert(&mut self, convert: Convert, a: Src) -> Src {
        let to = self.fresh(1);
        self.push(Op::Convert { convert, to, a });
        Src::register(to)
    }

    /// The bits of limbs cut anew. Where nothing is cut, the limbs are the same.
    pub(super) fn recut(&mut self, value: &[Src], from: &[u32], to: &[u32]) -> Vec<Src> {
        if from == to {
            return value.to_vec();
        }
        let pieces = recut(from, to);
        let first = self.fresh(to.len());
        self.push(Op::Recut { to: first, from: value.into(), pieces: pieces.into() });
        (0..to.len() as u32).map(|limb| Src::register(first + limb)).collect()
    }

    fn compare(
        &mut self,
        predicate: IntPredicate,
        same_sign: bool,
        lhs: Operand,
        rhs: Operand,
    ) -> Result<Vec<Src>, Refused> {
        let leaves = self.leaves(self.ty(lhs))?;
        let (a, b) = (self.operand(lhs)?, self.operand(rhs)?);
        let (mut limbs, mut at) = (Vec::new(), 0);
        for leaf in leaves {
            let bits = leaf.bits;
            let to = self.fresh(1);
            match leaf.limbs() {
                1 => self.push(Op::Compare { predicate, bits, same_sign, to, a: a[at], b: b[at] }),
                2 => {
                    let [a, b] = [&a, &b].map(|limbs| [limbs[at], limbs[at + 1]]);
                    self.push(Op::CompareWide { predicate, bits, to, a, b });
                }
                count if matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) => {
                    let [a, b] = [&a, &b].map(|limbs| limbs[at..at + count].to_vec());
                    limbs.push(self.equal(predicate, &a, &b));
                    at += count;
                    continue;
                }
                _ => return Err(Refused::new(format!("icmp of {bits} bits"))),
            }
            at += leaf.limbs();
            limbs.push(Src::register(to));
        }
        Ok(limbs)
    }

    /// Where a part of an aggregate begins, and how many limbs it has.
    fn part(&self, mut ty: Type, indices: &[u32]) -> Result<(usize, usize), Refused> {
        let types = &self.unit.module.types;
        let mut from = 0;
        for &index in indices {
            for before in 0..index {
                let part = types.part(ty, before.into()).ok_or_else(|| Refused::new("no such part"))?;
                from += crate::shape::limbs(types, part)?;
            }
            ty = types.part(ty, index.into()).ok_or_else(|| Refused::new("no such part"))?;
        }
        Ok((from, crate::shape::limbs(types, ty)?))
    }

    fn extract(&mut self, ty: Type, vector: Operand, index: Operand) -> Result<Vec<Src>, Refused> {
        let elements = self.operand(vector)?;
        let limbs = self.leaves(ty)?.into_iter().map(Leaf::limbs).sum::<usize>();
        if let Some(index) = self.constant_index(index) {
            let from = index.saturating_mul(limbs);
            let poison = self.limb((0, Known::Poison));
            return Ok((0..limbs).map(|limb| elements.get(from + limb).copied().unwrap_or(poison)).collect());
        }
        let index = self.single(index)?;
        let to = self.fresh(limbs);
        self.push(Op::Extract { to, elements: elements[..].into(), limbs: limbs as u32, index });
        Ok((0..limbs as u32).map(|limb| Src::register(to + limb)).collect())
    }

    fn insert(&mut self, vector: Operand, value: Operand, index: Operand) -> Result<Vec<Src>, Refused> {
        let mut elements = self.operand(vector)?.to_vec();
        let value = self.operand(value)?;
        if let Some(index) = self.constant_index(index) {
            let from = index.saturating_mul(value.len());
            let poison = self.limb((0, Known::Poison));
            match elements.get_mut(from..from + value.len()) {
                Some(place) => place.copy_from_slice(&value),
                None => elements.fill(poison),
            }
            return Ok(elements);
        }
        let index = self.single(index)?;
        let to = self.fresh(elements.len());
        let count = elements.len() as u32;
        self.push(Op::Insert {
            to,
            elements: elements.into(),
            limbs: value.len() as u32,
            value: value[..].into(),
            index,
        });
        Ok((0..count).map(|limb| Src::register(to + limb)).collect())
    }

    fn constant_index(&self, index: Operand) -> Option<usize> {
        let Operand::Const(constant) = index else { return None };
        match self.unit.module.constants.kind(constant) {
            ConstKind::Int(value) => usize::try_from(value.to_u64().unwrap_or(u64::MAX)).ok(),
            ConstKind::Zero => Some(0),
            _ => None,
        }
    }

    fn address(
        &mut self,
        ty: Type,
        flags: Flags,
        source: Type,
        base: Operand,
        indices: &[Operand],
    ) -> Result<Vec<Src>, Refused> {
        let leaves = self.leaves(ty)?;
        let bases = self.operand(base)?;
        let mut limbs = Vec::new();
        for (element, leaf) in leaves.iter().enumerate() {
            let own = leaf.limbs();
            let from = if bases.len() == leaves.len() * own { element * own } else { 0 };
            // Of a pointer that is a resource, the offset changes.
            let fat = match leaf.class {
                Class::Pointer(space) if super::buffer::parts(space).is_some() => {
                    Some((self.parted(&bases[from..from + own], space), space))
                }
                _ if own == 1 => None,
                _ => return Err(Refused::new("an address in a buffer resource")),
            };
            let base = fat.as_ref().map_or(bases[from], |(parts, _)| parts[0]);
            let width = if fat.is_some() { 32 } else { leaf.bits };
            let mut walk = Walk::new(&self.unit.module.types, source);
            let (mut offset, mut terms) = (0u64, Vec::new());
            // What must not wrap is looked at step by step.
            let steps = flags.intersects(Flags::NUW | Flags::NUSW | Flags::INBOUNDS);
            for (position, &index) in indices.iter().enumerate() {
                let bits = self.index_bits(index)?;
                let known = self.immediate(index);
                match walk.step(position, known)? {
                    Step::Offset(bytes) if steps => {
                        let index = self.word(bytes);
                        terms.push(Term { index, bits: 64, scale: 1 });
                    }
                    Step::Offset(bytes) => offset = offset.wrapping_add(bytes),
                    Step::Scale(scale) => {
                        let words = self.operand(index)?;
                        let word = if words.len() == leaves.len() { words[element] } else { words[0] };
                        match (known, word.as_constant()) {
                            (Some(_), Some(number)) if self.pool.value(number) == 0 => {}
                            (Some(_), Some(number)) if !steps => {
                                let value = crate::shape::sign_extend(self.pool.value(number), bits);
                                offset = offset.wrapping_add((value as u64).wrapping_mul(scale));
                            }
                            _ => terms.push(Term { index: word, bits, scale }),
                        }
                    }
                }
            }
            if offset & mask(width) == 0 && terms.is_empty() {
                limbs.extend_from_slice(&bases[from..from + own]);
                continue;
            }
            let to = self.fresh(1);
            self.push(Op::Address { to, base, offset, terms: terms.into(), bits: width, flags });
            match fat {
                Some((mut parts, space)) => {
                    parts[0] = Src::register(to);
                    limbs.extend(self.joined(&parts, space));
                }
                None => limbs.push(Src::register(to)),
            }
        }
        Ok(limbs)
    }

    /// The bits of an index of an address.
    fn index_bits(&self, index: Operand) -> Result<u32, Refused> {
        match self.unit.module.types.int_bits(self.ty(index)) {
            Some(bits) if bits > 64 => Err(Refused::new(format!("an address by an index of {bits} bits"))),
            bits => Ok(bits.unwrap_or(64)),
        }
    }

    /// A function lane by lane, of each scalar of a value.
    pub(super) fn words(&mut self, from: &[Src], f: impl Fn(&[u64]) -> (u64, bool) + 'static) -> Src {
        let to = self.fresh(1);
        self.push(Op::Words { to, from: from.into(), f: Arc::new(f) });
        Src::register(to)
    }
}
