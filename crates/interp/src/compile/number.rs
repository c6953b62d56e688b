//! Intrinsics that compute numbers of numbers, lane by lane.

use wavemark_ir::float::Format;
use wavemark_ir::inst::{Call, Operand};
use wavemark_ir::opcode::Flags;
use wavemark_ir::types::Type;
use wavemark_numerics::div;

use super::Builder;
use crate::Refused;
use crate::arith;
use crate::lanes::Src;
use crate::meaning::{Meaning, Reduce, scalar};
use crate::op::{Convert, Op};
use crate::shape::{Class, mask, sign_extend};

impl Builder<'_, '_> {
    /// Compiles an intrinsic that means arithmetic.
    pub(super) fn number(
        &mut self,
        meaning: Meaning,
        name: &str,
        ty: Type,
        call: &Call,
    ) -> Result<Vec<Src>, Refused> {
        let refused = || Refused::new(format!("the intrinsic {name}"));
        let argument = |number: usize| call.args[number].value;
        match meaning {
            Meaning::Float1(f) => self.float_words(ty, call, move |format, words| f(format, words[0])),
            Meaning::Approximated(exact, approximate) => {
                let f = if call.flags.contains(Flags::AFN) { approximate } else { exact };
                self.float_words(ty, call, move |format, words| f(format, words[0]))
            }
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
            Meaning::StepVector => self.step_vector(ty),
            _ => Err(refused()),
        }
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
            Reduce::From(_) => (self.single(call.args[0].value)?, &elements[..]),
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
                    Reduce::From(op) => arith::float(op, format, w[0], w[1]),
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
}
