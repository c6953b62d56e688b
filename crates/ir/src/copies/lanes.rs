//! What is known of values in all work-items of a workgroup: addresses in LDS mostly follow from who asks.
//!
//! Values are made of constants, of the number of the work-item, and of the phis that a path fixes, by the integer
//! operations that addresses are made of. Of all else nothing is known; it is followed through vectors, in which descriptors
//! of tensors are put together.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use wavemark_target::Processor;

use crate::constant::{Const, ConstKind, Expr};
use crate::function::{Body, Function, Value, ValueDef};
use crate::inst::{Call, InstKind, Operand};
use crate::intrinsic;
use crate::layout;
use crate::module::{Global, Module};
use crate::opcode::{BinaryOp, CastOp};
use crate::target;
use crate::types::{Type, TypeKind};

use super::bits::{Bits, mask, signed};
use super::divergence;
use super::numbers::{Kept, Number};

/// How long a chain of operations is followed.
const DEEPEST: u32 = 400;

/// What is known of an integer, or of an address in LDS, in each work-item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lanes {
    /// The same in all.
    Same(Number),
    /// One for each.
    Each(Rc<[Bits]>),
}

impl Lanes {
    /// The same bits in all.
    pub fn same(bits: Bits) -> Lanes {
        Lanes::Same(bits.into())
    }

    /// That of a work-item.
    pub fn of(&self, item: usize) -> Bits {
        match self {
            Lanes::Same(value) => value.bits(),
            Lanes::Each(values) => values[item],
        }
    }

    fn each(values: impl IntoIterator<Item = Bits>) -> Lanes {
        let values: Rc<[Bits]> = values.into_iter().collect();
        match values.first() {
            Some(&first) if values.iter().all(|&value| value == first) => Lanes::same(first),
            _ => Lanes::Each(values),
        }
    }

    /// What is known of the number that all work-items have; `None`: they have several.
    pub fn number(&self) -> Option<Number> {
        match self {
            Lanes::Same(number) => Some(*number),
            Lanes::Each(_) => None,
        }
    }

    /// `f` of the numbers that all have, or else `of_bits` of each.
    fn zip_numbers(
        &self,
        other: &Lanes,
        f: impl Fn(Number, Number) -> Number,
        of_bits: impl Fn(Bits, Bits) -> Bits,
    ) -> Lanes {
        match (self, other) {
            (Lanes::Same(a), Lanes::Same(b)) => Lanes::Same(f(*a, *b)),
            _ => self.zip(other, of_bits),
        }
    }

    /// Only that much stays known.
    pub fn keep(&self, kept: Kept, width: u32) -> Lanes {
        match self {
            Lanes::Same(number) => Lanes::Same(number.keep(kept, width)),
            Lanes::Each(_) => self.map(|bits| bits.low(kept.bits, width)),
        }
    }

    /// `f` of each.
    pub fn map(&self, f: impl Fn(Bits) -> Bits) -> Lanes {
        match self {
            Lanes::Same(value) => Lanes::same(f(value.bits())),
            Lanes::Each(values) => Lanes::each(values.iter().map(|&value| f(value))),
        }
    }

    fn zip(&self, other: &Lanes, f: impl Fn(Bits, Bits) -> Bits) -> Lanes {
        match (self, other) {
            (Lanes::Same(a), Lanes::Same(b)) => Lanes::same(f(a.bits(), b.bits())),
            (Lanes::Same(a), Lanes::Each(b)) => Lanes::each(b.iter().map(|&b| f(a.bits(), b))),
            (Lanes::Each(a), Lanes::Same(b)) => Lanes::each(a.iter().map(|&a| f(a, b.bits()))),
            (Lanes::Each(a), Lanes::Each(b)) => Lanes::each(a.iter().zip(b.iter()).map(|(&a, &b)| f(a, b))),
        }
    }
}

/// The work-items of a workgroup of one dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// How many there are.
    pub items: usize,
    /// How many a wave has.
    pub wave: usize,
}

impl Group {
    /// The largest that a kernel allows.
    pub fn of(module: &Module, kernel: &Function, processor: Option<Processor>) -> Group {
        let processor = processor.or_else(|| target::of_function(module, kernel));
        let wave = processor.map_or(64, |processor| processor.default_wave_size().lanes() as usize);
        let most = module.text_attribute(&kernel.attributes, "amdgpu-flat-work-group-size");
        let most = most.and_then(|text| text.split_once(',')?.1.trim().parse().ok()).unwrap_or(1024);
        Group { items: most.max(1), wave }
    }

    /// How many waves there are.
    pub fn waves(self) -> usize {
        self.items.div_ceil(self.wave)
    }
}

/// What a path fixes: the values of some phis.
pub(crate) type Fixed = FxHashMap<Value, Lanes>;

/// What is taken to be so of values that are the same wherever they are looked at.
pub(crate) type Assumed = FxHashMap<Value, Number>;

/// The values of one function.
#[derive(Clone)]
pub(crate) struct Values<'m> {
    pub module: &'m Module,
    pub body: &'m Body,
    /// Where the variables in LDS lie.
    pub lds: FxHashMap<Global, u64>,
    pub group: Group,
    pub assumed: Assumed,
    /// Conditions that compare a counter that goes up by one with its bound, and where it begins.
    pub counted: FxHashMap<Value, i64>,
}

/// What is known of values at one point of a path.
#[derive(Default)]
pub(crate) struct Known {
    values: FxHashMap<Value, Lanes>,
    /// The phis that were asked for and are not fixed.
    pub phis: FxHashSet<Value>,
}

impl Known {
    /// Takes a value for known that nobody has asked for.
    pub fn assume(&mut self, value: Value, lanes: Lanes) {
        self.values.insert(value, lanes);
    }
}

impl Values<'_> {
    /// Whether the size of its workgroups has more than one dimension.
    pub fn uses_other_dimensions(&self) -> bool {
        let name = |call| intrinsic::called(self.module, call).map(|row| row.name);
        self.body.insts.iter().any(|(_, data)| match &data.kind {
            InstKind::Call(call) => {
                matches!(name(call), Some("llvm.amdgcn.workitem.id.y" | "llvm.amdgcn.workitem.id.z"))
            }
            _ => false,
        })
    }

    /// What is known of an operand; `None` if it is no integer, and no address in LDS.
    pub fn of(&self, fixed: &Fixed, known: &mut Known, operand: Operand) -> Option<Lanes> {
        self.operand(fixed, known, operand, DEEPEST)
    }

    fn operand(&self, fixed: &Fixed, known: &mut Known, operand: Operand, depth: u32) -> Option<Lanes> {
        match operand {
            Operand::Const(constant) => {
                let bits = self.bits(self.module.constants.ty(constant))?;
                Some(Lanes::same(self.constant(constant, depth).unwrap_or(Bits::unknown(bits))))
            }
            Operand::Value(value) => {
                let bits = self.bits(self.body.values[value].ty)?;
                if let Some(found) = fixed.get(&value).or_else(|| known.values.get(&value)) {
                    return Some(found.clone());
                }
                let found =
                    depth.checked_sub(1).and_then(|depth| self.value(fixed, known, value, bits, depth));
                let mut found = found.unwrap_or(Lanes::same(Bits::unknown(bits)));
                if let (Some(assumed), Some(number)) = (self.assumed.get(&value), found.number()) {
                    // What cannot be is of a path that nobody takes.
                    found = Lanes::Same(number.both(*assumed, bits).unwrap_or(number));
                }
                known.values.insert(value, found.clone());
                Some(found)
            }
            Operand::Metadata(_) => None,
        }
    }

    /// The width of an integer, or of an address in LDS.
    pub fn bits(&self, ty: Type) -> Option<u32> {
        match *self.module.types.kind(ty) {
            TypeKind::Int(bits) if bits <= 64 => Some(bits),
            TypeKind::Pointer(3) => Some(32),
            _ => None,
        }
    }

    fn constant(&self, constant: Const, depth: u32) -> Option<Bits> {
        let depth = depth.checked_sub(1)?;
        let bits_of = |constant| self.bits(self.module.constants.ty(constant));
        let bits = bits_of(constant)?;
        match self.module.constants.kind(constant) {
            ConstKind::Int(value) => value.to_u64().map(Bits::exactly),
            ConstKind::Zero => Some(Bits::exactly(0)),
            // The null pointer into LDS is all ones.
            ConstKind::Null => Some(Bits::exactly(mask(bits))),
            ConstKind::Global(global) => self.lds.get(global).map(|&at| Bits::exactly(at)),
            ConstKind::Expr(Expr::Cast { op, value }) => {
                Some(self.constant(*value, depth)?.cast(*op, bits_of(*value)?, bits))
            }
            ConstKind::Expr(Expr::Binary { op, lhs, rhs, .. }) => {
                Some(self.constant(*lhs, depth)?.binary(*op, bits, self.constant(*rhs, depth)?))
            }
            ConstKind::Expr(Expr::Gep { source, base, indices, .. }) => {
                let base = self.constant(*base, depth)?;
                let index =
                    |&index: &Const| Some((Lanes::same(self.constant(index, depth)?), bits_of(index)?));
                let indices = indices.iter().map(index).collect::<Option<Vec<_>>>()?;
                Some(self.element(*source, Lanes::same(base), &indices)?.of(0))
            }
            _ => None,
        }
    }

    fn value(&self, fixed: &Fixed, known: &mut Known, value: Value, bits: u32, depth: u32) -> Option<Lanes> {
        let ValueDef::Inst(inst) = self.body.values[value].def else { return None };
        let width = |operand: Operand| self.bits(operand.ty(self.body, &self.module.constants)?);
        let kind = &self.body.insts[inst].kind;
        if let InstKind::Phi { .. } = kind {
            known.phis.insert(value);
            return None;
        }
        if let InstKind::ExtractElement { vector, index } = kind {
            let index = self.operand(fixed, known, *index, depth)?.of(0).exact()?;
            return self.part(fixed, known, *vector, index * u64::from(bits), bits, depth);
        }
        if let InstKind::Call(call) = kind
            && let Some((operand, scalar)) = call.given_back()
        {
            let lanes = self.operand(fixed, known, operand, depth)?;
            return Some(lanes).filter(|lanes| !scalar || self.is_of_waves(lanes));
        }
        let mut of = |operand| self.operand(fixed, known, operand, depth);
        match kind {
            InstKind::Binary { op, flags, lhs, rhs } => {
                let (a, b) = (of(*lhs), of(*rhs));
                let numbers = |a: Number, b| a.binary(*op, *flags, bits, b);
                Some(a?.zip_numbers(&b?, numbers, |a, b| a.binary(*op, bits, b)))
            }
            InstKind::Cast { op, value, .. } => {
                let from = width(*value)?;
                let (value, cast) = (of(*value)?, |value: Bits| value.cast(*op, from, bits));
                Some(match (op, value.number()) {
                    (CastOp::Trunc | CastOp::ZExt | CastOp::SExt, Some(number)) => {
                        Lanes::Same(number.cast(cast(number.bits()), from, bits))
                    }
                    _ => value.map(cast),
                })
            }
            InstKind::ICmp { predicate, lhs, rhs, .. } => {
                let from = width(*lhs)?;
                let (a, b) = (of(*lhs), of(*rhs));
                let numbers = |a: Number, b: Number| {
                    // A counter that begins below its bound is never above it.
                    let start = self.counted.get(&value).filter(|&&start| b.is_above(start, from));
                    let predicate = start.map_or(*predicate, |_| predicate.of_equality());
                    a.compare(predicate, from, b).into()
                };
                Some(a?.zip_numbers(&b?, numbers, |a, b| a.compare(*predicate, from, b)))
            }
            InstKind::Select { condition, then, otherwise, .. } => {
                let (condition, then, otherwise) = (of(*condition)?, of(*then)?, of(*otherwise)?);
                if let (Lanes::Same(of), Lanes::Same(a), Lanes::Same(b)) = (&condition, &then, &otherwise) {
                    return Some(Lanes::Same(match of.bits().exact() {
                        Some(0) => *b,
                        Some(_) => *a,
                        None => a.or_else(*b, bits),
                    }));
                }
                let chosen = |item| match condition.of(item).exact() {
                    Some(0) => otherwise.of(item),
                    Some(_) => then.of(item),
                    None => then.of(item).or_else(otherwise.of(item)),
                };
                Some(Lanes::each((0..self.group.items).map(chosen)))
            }
            // Poison becomes any number, of which what its flags promise says nothing.
            InstKind::Freeze { value } => of(*value).filter(|_| !self.is_promised(*value)),
            InstKind::Gep { source, base, indices, .. } => {
                let base = of(*base)?;
                let indices = indices
                    .iter()
                    .map(|&index| Some((of(index)?, width(index)?)))
                    .collect::<Option<Vec<_>>>()?;
                self.element(*source, base, &indices)
            }
            InstKind::Call(call) => self.call(call, bits, &mut of),
            // What comes from memory or elsewhere.
            _ => None,
        }
    }

    /// Whether an operand is made by operations whose flags promise something.
    fn is_promised(&self, operand: Operand) -> bool {
        let promises = |kind: &InstKind| matches!(kind, InstKind::Binary { flags, .. } if !flags.is_empty());
        divergence::is_made_of(self, operand, promises)
    }

    /// `bits` bits from the bit `at` of a vector of integers.
    pub fn part_of(
        &self,
        fixed: &Fixed,
        known: &mut Known,
        vector: Operand,
        at: u64,
        bits: u32,
    ) -> Option<Lanes> {
        self.part(fixed, known, vector, at, bits, DEEPEST)
    }

    fn part(
        &self,
        fixed: &Fixed,
        known: &mut Known,
        mut vector: Operand,
        at: u64,
        bits: u32,
        depth: u32,
    ) -> Option<Lanes> {
        for deeper in (0..depth).rev() {
            let ty = vector.ty(self.body, &self.module.constants)?;
            let element = self.bits(self.module.types.scalar(ty))?;
            let (index, inside) = (at / u64::from(element), (at % u64::from(element)) as u32);
            let count = bits.min(element - inside.min(element));
            if count < bits {
                // It lies in several elements.
                let low = self.part(fixed, known, vector, at, count, deeper)?;
                let high = self.part(fixed, known, vector, at + u64::from(count), bits - count, deeper)?;
                return Some(low.zip(&high, |low, high| low.below(high, count)));
            }
            let within = |value: Lanes| value.map(|value| value.part(inside, bits));
            let value = match vector {
                Operand::Value(value) => value,
                Operand::Const(constant) => {
                    return Some(Lanes::same(self.element_of_constant(constant, index)?.part(inside, bits)));
                }
                Operand::Metadata(_) => return None,
            };
            let ValueDef::Inst(inst) = self.body.values[value].def else { return None };
            match &self.body.insts[inst].kind {
                InstKind::InsertElement { vector: rest, value, index: put } => {
                    let put = self.operand(fixed, known, *put, deeper)?.of(0).exact()?;
                    if put == index {
                        return self.operand(fixed, known, *value, deeper).map(within);
                    }
                    vector = *rest;
                }
                InstKind::Cast { op: CastOp::BitCast, value, .. } => vector = *value,
                InstKind::Call(call) if call.given_back().is_some() => {
                    let (operand, scalar) = call.given_back()?;
                    let lanes = self.part(fixed, known, operand, at, bits, deeper)?;
                    return Some(lanes).filter(|lanes| !scalar || self.is_of_waves(lanes));
                }
                InstKind::ShuffleVector { lhs, rhs, mask } => {
                    let lanes = self.module.types.lanes(lhs.ty(self.body, &self.module.constants)?)?;
                    let from = self.element_of_constant(*mask, index)?.exact()?;
                    let (operand, index) = if from < lanes.into() {
                        (*lhs, from)
                    } else {
                        (*rhs, from.checked_sub(lanes.into())?)
                    };
                    let at = index * u64::from(element) + u64::from(inside);
                    return self.part(fixed, known, operand, at, bits, deeper);
                }
                _ if self.module.types.lanes(ty).is_none() => {
                    return self.operand(fixed, known, vector, deeper).map(within);
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether the lanes of each wave have the same: what comes into a scalar register is that of one of them.
    fn is_of_waves(&self, lanes: &Lanes) -> bool {
        let first = |item: usize| item / self.group.wave * self.group.wave;
        (0..self.group.items).all(|item| lanes.of(item) == lanes.of(first(item)))
    }

    fn element_of_constant(&self, constant: Const, index: u64) -> Option<Bits> {
        let element = match self.module.constants.kind(constant) {
            ConstKind::Zero => return Some(Bits::exactly(0)),
            ConstKind::Splat(element) => *element,
            ConstKind::Aggregate(parts) => *parts.get(usize::try_from(index).ok()?)?,
            _ => constant,
        };
        self.constant(element, DEEPEST)
    }

    /// An address in LDS behind indices with their widths.
    fn element(&self, source: Type, base: Lanes, indices: &[(Lanes, u32)]) -> Option<Lanes> {
        let types = &self.module.types;
        let (mut at, mut ty) = (base, source);
        let add = |at: &Lanes, more: &Lanes| at.zip(more, |at, more| at.binary(BinaryOp::Add, 32, more));
        for (number, (index, width)) in indices.iter().enumerate() {
            match *types.kind(ty) {
                TypeKind::Array { element, .. } if number > 0 => ty = element,
                _ if number > 0 => {
                    let field = index.of(0).exact()?;
                    at = add(&at, &Lanes::same(Bits::exactly(layout::field_offset(types, ty, field)?)));
                    ty = *types.fields(ty)?.0.get(usize::try_from(field).ok()?)?;
                    continue;
                }
                _ => {}
            }
            let stride = Bits::exactly(layout::layout(types, ty)?.stride() & mask(32));
            let in_width = |index: Bits| match *width {
                0..32 => index.cast(CastOp::SExt, *width, 32),
                _ => index.cast(CastOp::Trunc, *width, 32),
            };
            at = add(&at, &index.map(|index| in_width(index).binary(BinaryOp::Mul, 32, stride)));
        }
        Some(at)
    }

    fn call(&self, call: &Call, bits: u32, of: &mut dyn FnMut(Operand) -> Option<Lanes>) -> Option<Lanes> {
        let row = intrinsic::called(self.module, call)?;
        let wave = self.group.wave;
        let items = 0..self.group.items;
        let args: Vec<Option<Lanes>> = call.args.iter().map(|arg| of(arg.value)).collect();
        let arg = |index: usize| args.get(index).and_then(Option::as_ref);
        let chosen = |larger: bool, f: &dyn Fn(u64, u64) -> u64| {
            let both = |a: Bits, b: Bits| Some(Bits::exactly(f(a.exact()?, b.exact()?)));
            let bits_of = |a: Bits, b: Bits| both(a, b).unwrap_or(Bits::unknown(bits));
            let has_sign = row.name.starts_with("llvm.s");
            let numbers = |a: Number, b: Number| match both(a.bits(), b.bits()) {
                Some(exact) => exact.into(),
                None if has_sign || a.not_negative(bits, b) => a.chosen(larger, bits, b),
                None => Bits::unknown(bits).into(),
            };
            Some(arg(0)?.zip_numbers(arg(1)?, numbers, bits_of))
        };
        match row.name {
            "llvm.amdgcn.workitem.id.x" => Some(Lanes::each(items.map(|item| Bits::exactly(item as u64)))),
            "llvm.amdgcn.wave.id" => Some(Lanes::each(items.map(|item| Bits::exactly((item / wave) as u64)))),
            "llvm.amdgcn.readfirstlane" => {
                let value = arg(0)?;
                Some(Lanes::each(items.map(|item| value.of(item / wave * wave))))
            }
            "llvm.amdgcn.mbcnt.lo" | "llvm.amdgcn.mbcnt.hi" => {
                let first = if row.name.ends_with("lo") { 0 } else { 32 };
                let (lanes, more) = (arg(0)?, arg(1)?);
                let counted = |item: usize| {
                    let below = mask((item % wave).saturating_sub(first).min(32) as u32);
                    let count = lanes.of(item).within(below)?.count_ones();
                    Some(more.of(item).binary(BinaryOp::Add, bits, Bits::exactly(count.into())))
                };
                Some(Lanes::each(items.map(|item| counted(item).unwrap_or(Bits::unknown(bits)))))
            }
            "llvm.fshl" | "llvm.fshr" => {
                let by = (arg(2)?.of(0).exact()? % u64::from(bits)) as u32;
                // The result begins at this bit of the two, the first above the second.
                let from = if row.name.ends_with('l') { bits - by } else { by };
                let joined = |high: Bits, low: Bits| {
                    let (low, kept) = (low.part(from, bits), bits.saturating_sub(from));
                    low.below(high, kept).part(0, bits)
                };
                Some(arg(0)?.zip(arg(1)?, |high, low| if from == bits { high } else { joined(high, low) }))
            }
            "llvm.bitreverse" => Some(arg(0)?.map(|value| value.reversed(bits))),
            "llvm.bswap" => Some(arg(0)?.map(|value| value.swapped(bits / 8))),
            "llvm.umin" => chosen(false, &u64::min),
            "llvm.umax" => chosen(true, &u64::max),
            "llvm.smin" => chosen(false, &|a, b| if signed(bits, a) < signed(bits, b) { a } else { b }),
            "llvm.smax" => chosen(true, &|a, b| if signed(bits, a) > signed(bits, b) { a } else { b }),
            _ => None,
        }
    }
}
