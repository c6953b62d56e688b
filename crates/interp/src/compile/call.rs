//! Calls: of functions of the module, and of intrinsics by their meaning.

use std::sync::Arc;

use wavemark_ir::analysis::direct_callee;
use wavemark_ir::float::Format;
use wavemark_ir::inst::{Call, Callee as IrCallee, InlineAsm, InstData, Operand};
use wavemark_ir::intrinsic;
use wavemark_ir::opcode::{BinaryOp, Flags};
use wavemark_ir::types::Type;
use wavemark_numerics::div;

use super::Builder;
use super::memory::space_of;
use crate::Refused;
use crate::arith;
use crate::lanes::Src;
use crate::meaning::{self, DmaSource, Meaning, Reduce, Sync, TransposedLoad, scalar};
use crate::op::{Callee, Convert, DmaFrom, Op};
use crate::shape::{Class, Leaf, image, mask, sign_extend};
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
        let text = String::from_utf8_lossy(&asm.text);
        let constraints = String::from_utf8_lossy(&asm.constraints).into_owned();
        let nothing = text.lines().all(|line| line.trim().is_empty() || line.trim().starts_with(';'));
        if !nothing {
            return Err(Refused::new(format!("the assembly text \"{text}\"")));
        }
        let outputs = constraints.split(',').filter(|one| one.starts_with('=')).count();
        let ties = constraints.split(',').any(|one| one == "0");
        match (outputs, ties, call.args.first()) {
            (0, ..) => Ok(Vec::new()),
            (1, true, Some(argument)) => Ok(self.operand(argument.value)?.to_vec()),
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
            Meaning::Float1(f) => self.float_words(ty, call, move |format, words| f(format, words[0])),
            Meaning::Float2(f) => {
                self.float_words(ty, call, move |format, words| f(format, words[0], words[1]))
            }
            Meaning::Float3(f) => {
                self.float_words(ty, call, move |format, words| f(format, words[0], words[1], words[2]))
            }
            Meaning::Int1(f) => {
                let strict = call.args.get(1).and_then(|argument| self.immediate(argument.value)) == Some(1);
                let of_zero = name.starts_with("llvm.ct");
                self.int_words(ty, call, 1, move |bits, words| {
                    let bad = if of_zero { words[0] == 0 } else { words[0] == mask(bits) ^ mask(bits) >> 1 };
                    (f(bits, words[0]), strict && bad)
                })
            }
            Meaning::Int2(f) => self.int_words(ty, call, 2, move |bits, w| (f(bits, w[0], w[1]), false)),
            Meaning::Int3(f) => {
                self.int_words(ty, call, 3, move |bits, w| (f(bits, w[0], w[1], w[2]), false))
            }
            Meaning::Fma => {
                let leaves = self.leaves(ty)?;
                let [a, b, c] =
                    [self.operand(argument(0))?, self.operand(argument(1))?, self.operand(argument(2))?];
                let mut limbs = Vec::new();
                for (at, leaf) in leaves.iter().enumerate() {
                    let Class::Float(format) = leaf.class else { return Err(refused()) };
                    let to = self.fresh(1);
                    self.push(Op::Fma { format, to, a: a[at], b: b[at], c: c[at] });
                    limbs.push(Src::register(to));
                }
                Ok(limbs)
            }
            Meaning::FrexpExp => {
                let to_bits = self.leaves(ty)?[0].bits;
                self.of_floats(argument(0), move |format, x| {
                    scalar::frexp_exp(format, x) as u64 & mask(to_bits)
                })
            }
            Meaning::Frexp => {
                let mut limbs = self.of_floats(argument(0), scalar::frexp_mant)?;
                let bits = self.leaves(ty)?.last().map_or(32, |leaf| leaf.bits);
                let exponent = move |format, x| scalar::frexp_exp(format, x) as u64 & mask(bits);
                limbs.extend(self.of_floats(argument(0), exponent)?);
                Ok(limbs)
            }
            Meaning::Ldexp | Meaning::Powi => self.with_integer(meaning, ty, argument(0), argument(1)),
            Meaning::IsClass => {
                let leaves = self.leaves(self.ty(argument(0)))?;
                let (x, classes) = (self.operand(argument(0))?, self.single(argument(1))?);
                let mut limbs = Vec::new();
                for (leaf, &x) in leaves.iter().zip(x.iter()) {
                    let Class::Float(format) = leaf.class else { return Err(refused()) };
                    limbs.push(self.words(&[x, classes], move |words| {
                        (u64::from(scalar::is_class(format, words[0], words[1] as u32)), false)
                    }));
                }
                Ok(limbs)
            }
            Meaning::ToIntSaturating(signed) => {
                let (from, to) = (self.leaves(self.ty(argument(0)))?, self.leaves(ty)?);
                let words = self.operand(argument(0))?;
                let mut limbs = Vec::new();
                for ((from, to), &word) in from.iter().zip(&to).zip(words.iter()) {
                    let Class::Float(format) = from.class else { return Err(refused()) };
                    limbs.push(self.convert(Convert::ToIntSaturating(format, to.bits, signed), word));
                }
                Ok(limbs)
            }
            Meaning::Overflow(op, signed) => {
                let leaves = self.leaves(self.ty(argument(0)))?;
                let (a, b) = (self.operand(argument(0))?, self.operand(argument(1))?);
                let flag = if signed { Flags::NSW } else { Flags::NUW };
                let (mut results, mut overflows) = (Vec::new(), Vec::new());
                for (at, leaf) in leaves.iter().enumerate() {
                    let bits = leaf.bits;
                    if bits > 64 {
                        return Err(Refused::new(format!("{name} of {bits} bits")));
                    }
                    results.push(self.words(&[a[at], b[at]], move |w| {
                        (arith::int(op, Flags::empty(), bits, w[0], w[1]).0, false)
                    }));
                    overflows.push(self.words(&[a[at], b[at]], move |w| {
                        (u64::from(arith::int(op, flag, bits, w[0], w[1]).1), false)
                    }));
                }
                results.extend(overflows);
                Ok(results)
            }
            Meaning::ThreeWay(signed) => {
                let bits = self.leaves(self.ty(argument(0)))?[0].bits;
                self.int_words(ty, call, 2, move |to, w| {
                    let order = match signed {
                        true => sign_extend(w[0], bits).cmp(&sign_extend(w[1], bits)),
                        false => w[0].cmp(&w[1]),
                    };
                    (order as i64 as u64 & mask(to), false)
                })
            }
            Meaning::Mul24(signed) => {
                let bits = self.leaves(ty)?[0].bits;
                let (a, b) = (self.single(argument(0))?, self.single(argument(1))?);
                Ok(vec![self.words(&[a, b], move |w| {
                    let product = match signed {
                        true => sign_extend(w[0], 24).wrapping_mul(sign_extend(w[1], 24)) as u64,
                        false => (w[0] & mask(24)) * (w[1] & mask(24)),
                    };
                    (product & mask(bits), false)
                })])
            }
            Meaning::BitOp3 => {
                let table = self.immediate(argument(3)).ok_or_else(refused)?;
                self.int_words(ty, call, 3, move |bits, w| {
                    let of = |n: u64, word: u64, bit: u32| if n >> bit & 1 != 0 { word } else { !word };
                    let chosen = (0..8).filter(|n| table >> n & 1 != 0);
                    let all = chosen.map(|n| of(n, w[0], 2) & of(n, w[1], 1) & of(n, w[2], 0));
                    (all.fold(0, |all, one| all | one) & mask(bits), false)
                })
            }
            Meaning::Reduce(reduce) => self.reduce(reduce, call),
            Meaning::DivScale => self.div_scale(ty, call),
            Meaning::DivFmas => {
                let Class::Float(format) = self.leaves(ty)?[0].class else { return Err(refused()) };
                let from = self.arguments(call)?;
                Ok(vec![self.words(&from, move |w| {
                    let of = |x: u64| f32::from_bits(x as u32);
                    let wide = f64::from_bits;
                    let result = match format {
                        Format::Double => {
                            div::div_fmas_f64(wide(w[0]), wide(w[1]), wide(w[2]), w[3] != 0).to_bits()
                        }
                        _ => u64::from(div::div_fmas_f32(of(w[0]), of(w[1]), of(w[2]), w[3] != 0).to_bits()),
                    };
                    (result, false)
                })])
            }
            Meaning::OfFp8(f) => {
                let byte = self.immediate(argument(1)).ok_or_else(refused)? as u32 & 3;
                let word = self.single(argument(0))?;
                Ok(vec![
                    self.words(&[word], move |w| (f((w[0] >> (8 * byte)) as u8).to_bits().into(), false)),
                ])
            }
            Meaning::OfFp8Pair(f) => {
                let high = self.immediate(argument(1)).ok_or_else(refused)? as u32 & 1;
                let word = self.single(argument(0))?;
                let part =
                    |byte: u32| move |w: &[u64]| (f((w[0] >> (8 * byte)) as u8).to_bits().into(), false);
                Ok(vec![self.words(&[word], part(2 * high)), self.words(&[word], part(2 * high + 1))])
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
            Meaning::ToLds { from, asynchronous } => {
                let (from, at) = match from {
                    DmaSource::Buffer(indexed) => {
                        let at = if indexed { 4 } else { 3 };
                        (
                            DmaFrom::Buffer(self.place(
                                call,
                                0,
                                if indexed { Some(3) } else { None },
                                at,
                                at + 2,
                            )?),
                            at + 2,
                        )
                    }
                    DmaSource::Pointer => match self.fat(argument(0))? {
                        Some(place) => (DmaFrom::Buffer(place), 3),
                        None => (DmaFrom::Pointer(self.single(argument(0))?), 3),
                    },
                };
                let bytes = self.immediate(argument(2)).ok_or_else(refused)? as u32;
                let offset = self.signed_immediate(argument(at)).ok_or_else(refused)?;
                let lds = self.single(argument(1))?;
                self.push(Op::ToLds { from, lds, bytes, offset, asynchronous });
                Ok(Vec::new())
            }
            Meaning::Async { bytes, store, cluster } => {
                let (global, lds) = (self.single(argument(0))?, self.single(argument(1))?);
                let offset = self.signed_immediate(argument(2)).ok_or_else(refused)?;
                let workgroups = if cluster { Some(self.single(argument(4))?) } else { None };
                self.push(Op::Async { global, lds, offset, bytes, store, workgroups });
                Ok(Vec::new())
            }
            Meaning::Tensor(store, _) => {
                let mut groups = Vec::new();
                // The last argument is the cache policy.
                for argument in &call.args[..call.args.len() - 1] {
                    groups.extend(self.operand(argument.value)?.iter());
                }
                self.push(Op::Tensor { store, groups: groups.into() });
                Ok(Vec::new())
            }
            Meaning::Transposed(TransposedLoad(transpose)) => {
                let space = self.unit.module.types.address_space(self.ty(argument(0))).unwrap_or(3);
                let image = Arc::new(image(&self.unit.module.types, ty)?);
                let pointer = self.single(argument(0))?;
                let count = image.fields.len();
                let to = self.fresh(count);
                let space = space_of(space)?;
                self.push(Op::Transposed { to, transpose, space, pointer, image });
                Ok((0..count as u32).map(|limb| Src::register(to + limb)).collect())
            }
            Meaning::MemCopy => {
                let types = &self.unit.module.types;
                let spaces = [0, 1].map(|at| types.address_space(self.ty(argument(at))).unwrap_or(0));
                let to = [space_of(spaces[0])?, space_of(spaces[1])?];
                let pointers = [self.single(argument(0))?, self.single(argument(1))?];
                let bits = self.leaves(self.ty(argument(2)))?[0].bits;
                let bytes = self.single(argument(2))?;
                self.push(Op::Copy { to, pointers, bytes, bits });
                Ok(Vec::new())
            }
            Meaning::MemSet => {
                let space = self.unit.module.types.address_space(self.ty(argument(0))).unwrap_or(0);
                let (pointer, value, bytes) =
                    (self.single(argument(0))?, self.single(argument(1))?, self.single(argument(2))?);
                self.push(Op::Fill { space: space_of(space)?, pointer, value, bytes });
                Ok(Vec::new())
            }
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
            Meaning::Arrive(asynchronous) => {
                let pointer = self.single(argument(0))?;
                if asynchronous {
                    self.push(Op::Arrive { to: None, pointer, count: None });
                    return Ok(Vec::new());
                }
                let count = self.single(argument(1))?;
                let to = self.fresh(1);
                self.push(Op::Arrive { to: Some(to), pointer, count: Some(count) });
                Ok(vec![Src::register(to)])
            }
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

    /// A function of floating-point numbers, element by element, with the call's `nnan` and `ninf`.
    fn float_words(
        &mut self,
        ty: Type,
        call: &Call,
        f: impl Fn(Format, &[u64]) -> u64 + Copy + 'static,
    ) -> Result<Vec<Src>, Refused> {
        let leaves = self.leaves(ty)?;
        let flags = call.flags;
        let checks = flags.intersects(Flags::NNAN | Flags::NINF);
        let arguments = call.args.iter().map(|argument| self.operand(argument.value));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let mut limbs = Vec::new();
        for (at, leaf) in leaves.iter().enumerate() {
            let Class::Float(format) = leaf.class else {
                return Err(Refused::new("a function of numbers of what is none"));
            };
            let from: Vec<Src> =
                arguments.iter().map(|argument| argument[at.min(argument.len() - 1)]).collect();
            limbs.push(self.words(&from, move |words| {
                let result = f(format, words);
                let special = |&word: &u64| arith::excluded(flags, format, word);
                (result, checks && (words.iter().any(special) || special(&result)))
            }));
        }
        Ok(limbs)
    }

    /// A function of the first `count` arguments, which are integers, element by element.
    fn int_words(
        &mut self,
        ty: Type,
        call: &Call,
        count: usize,
        f: impl Fn(u32, &[u64]) -> (u64, bool) + Copy + 'static,
    ) -> Result<Vec<Src>, Refused> {
        let leaves = self.leaves(ty)?;
        let arguments = call.args[..count].iter().map(|argument| self.operand(argument.value));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let mut limbs = Vec::new();
        for (at, leaf) in leaves.iter().enumerate() {
            let bits = leaf.bits;
            if bits > 64 {
                return Err(Refused::new(format!("an intrinsic of integers of {bits} bits")));
            }
            let from: Vec<Src> =
                arguments.iter().map(|argument| argument[at.min(argument.len() - 1)]).collect();
            limbs.push(self.words(&from, move |words| f(bits, words)));
        }
        Ok(limbs)
    }

    /// A function of a number's format and bits.
    fn of_floats(
        &mut self,
        value: Operand,
        f: impl Fn(Format, u64) -> u64 + Copy + 'static,
    ) -> Result<Vec<Src>, Refused> {
        let leaves = self.leaves(self.ty(value))?;
        let words = self.operand(value)?;
        let mut limbs = Vec::new();
        for (leaf, &word) in leaves.iter().zip(words.iter()) {
            let Class::Float(format) = leaf.class else { return Err(Refused::new("a number that is none")) };
            limbs.push(self.words(&[word], move |w| (f(format, w[0]), false)));
        }
        Ok(limbs)
    }

    fn with_integer(
        &mut self,
        meaning: Meaning,
        ty: Type,
        number: Operand,
        integer: Operand,
    ) -> Result<Vec<Src>, Refused> {
        let leaves = self.leaves(ty)?;
        let bits = self.leaves(self.ty(integer))?[0].bits.min(64);
        let (numbers, integers) = (self.operand(number)?, self.operand(integer)?);
        let mut limbs = Vec::new();
        for (at, leaf) in leaves.iter().enumerate() {
            let Class::Float(format) = leaf.class else { return Err(Refused::new("a number that is none")) };
            let from = [numbers[at], integers[at.min(integers.len() - 1)]];
            limbs.push(self.words(&from, move |w| {
                let n = sign_extend(w[1], bits).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
                let result = match meaning {
                    Meaning::Ldexp => scalar::ldexp(format, w[0], n),
                    _ => arith::nearest(format, arith::value(format, w[0]).powi(n)),
                };
                (result, false)
            }));
        }
        Ok(limbs)
    }

    fn reduce(&mut self, reduce: Reduce, call: &Call) -> Result<Vec<Src>, Refused> {
        let vector = call.args.last().map(|argument| argument.value);
        let vector = vector.ok_or_else(|| Refused::new("a reduction of nothing"))?;
        let leaf = self.leaves(self.ty(vector))?[0];
        let elements = self.operand(vector)?;
        let (mut sum, rest) = match reduce {
            Reduce::Sum => (self.single(call.args[0].value)?, &elements[..]),
            _ => (elements[0], &elements[1..]),
        };
        let bits = leaf.bits;
        if bits > 64 {
            return Err(Refused::new(format!("a reduction of {bits} bits")));
        }
        let format = match leaf.class {
            Class::Float(format) => format,
            _ => Format::Double,
        };
        for &element in rest {
            sum = self.words(&[sum, element], move |w| {
                let result = match reduce {
                    Reduce::Int(op) => arith::int(op, Flags::empty(), bits, w[0], w[1]).0,
                    Reduce::IntFn(f) => f(bits, w[0], w[1]),
                    Reduce::FloatFn(f) => f(format, w[0], w[1]),
                    Reduce::Sum => arith::float(BinaryOp::FAdd, format, w[0], w[1]),
                };
                (result, false)
            });
        }
        Ok(vec![sum])
    }

    fn div_scale(&mut self, ty: Type, call: &Call) -> Result<Vec<Src>, Refused> {
        let Class::Float(format) = self.leaves(ty)?[0].class else {
            return Err(Refused::new("a division of what is no number"));
        };
        let numerator = self.immediate(call.args[2].value) == Some(1);
        let from = [self.single(call.args[0].value)?, self.single(call.args[1].value)?];
        let scaled = move |w: &[u64]| -> (u64, bool) {
            if format == Format::Double {
                let (n, d) = (f64::from_bits(w[0]), f64::from_bits(w[1]));
                let (value, flag) = div::div_scale_f64(if numerator { n } else { d }, d, n);
                return (value.to_bits(), flag);
            }
            let (n, d) = (f32::from_bits(w[0] as u32), f32::from_bits(w[1] as u32));
            let (value, flag) = div::div_scale_f32(if numerator { n } else { d }, d, n);
            (value.to_bits().into(), flag)
        };
        Ok(vec![
            self.words(&from, move |w| (scaled(w).0, false)),
            self.words(&from, move |w| (u64::from(scaled(w).1), false)),
        ])
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
