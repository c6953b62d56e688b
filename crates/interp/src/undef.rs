//! Which bits of a result are undefined, where bits of its operands are.
//!
//! Follows LLVM's LangRef, "Undefined Values": an undefined bit may be either, at every use; so a bit of a result is
//! undefined if some choice of its operands' bits gives 0 and another gives 1. What only moves, masks or shifts bits is
//! exact. Of sums, products and comparisons the choices are taken as a range: the bits that all numbers from the least to
//! the greatest share are known, and so is a comparison that all of them agree in. Whatever else depends on an undefined
//! bit is undefined in all its bits: at worst, bits are called undefined that are not.

use wavemark_ir::opcode::{BinaryOp, IntPredicate};

use crate::lanes::{Active, Frame, Pool, Src, each};
use crate::op::{Convert, Op};
use crate::shape::{mask, sign_extend};

/// A word of which some bits are undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Partial {
    word: u64,
    undefined: u64,
}

impl Partial {
    /// The least and the greatest that it may be as a number without sign.
    fn range(self) -> (u64, u64) {
        (self.word & !self.undefined, self.word | self.undefined)
    }

    /// The same as a number of `bits` bits with a sign.
    fn signed_range(self, bits: u32) -> (i64, i64) {
        let sign = 1 << (bits - 1);
        let (low, high) = self.range();
        match self.undefined & sign {
            0 => (sign_extend(low, bits), sign_extend(high, bits)),
            _ => (sign_extend(low | sign, bits), sign_extend(high & !sign, bits)),
        }
    }

    /// How many low bits are 0 for sure.
    fn low_zeros(self) -> u32 {
        (self.word | self.undefined).trailing_zeros()
    }
}

/// Settles which bits of the results of an operation that has been executed are undefined.
pub fn settle(op: &Op, frame: &mut Frame, pool: &Pool, active: Active) {
    let of = |frame: &Frame, src: Src, lane: usize| Partial {
        word: frame.get(pool, src)[lane],
        undefined: frame.undefined(pool, src, lane),
    };
    let any = |frame: &Frame, from: &[Src], lane: usize| {
        from.iter().any(|&src| frame.undefined(pool, src, lane) != 0)
    };
    // All bits of so many, if one of any operand is undefined.
    let whole = |frame: &mut Frame, to: u32, from: &[Src], bits: u32| {
        let all = by_lane(active, |lane| if any(frame, from, lane) { mask(bits) } else { 0 });
        frame.set_undefined(to, &all, active);
    };
    match op {
        Op::Int { op, bits, to, a, b, .. } => {
            let all = by_lane(active, |lane| binary(*op, *bits, of(frame, *a, lane), of(frame, *b, lane)));
            frame.set_undefined(*to, &all, active);
        }
        Op::Wide { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, .. } => {
            let Op::Wide { op, to, a, b, .. } = op else { return };
            for limb in 0..2 {
                let all = by_lane(active, |lane| {
                    binary(*op, 64, of(frame, a[limb], lane), of(frame, b[limb], lane))
                });
                frame.set_undefined(to + limb as u32, &all, active);
            }
        }
        Op::Wide { bits, to, a, b, .. } => {
            let from = [a[0], a[1], b[0], b[1]];
            whole(frame, *to, &from, 64);
            whole(frame, to + 1, &from, bits - 64);
        }
        Op::Float { format, to, a, b, .. } => whole(frame, *to, &[*a, *b], format.bits()),
        Op::Fma { format, to, a, b, c } => whole(frame, *to, &[*a, *b, *c], format.bits()),
        Op::Negate { to, a, .. } => {
            let all = by_lane(active, |lane| frame.undefined(pool, *a, lane));
            frame.set_undefined(*to, &all, active);
        }
        Op::Compare { predicate, bits, to, a, b, .. } => {
            let all = by_lane(active, |lane| {
                u64::from(!is_decided(*predicate, *bits, of(frame, *a, lane), of(frame, *b, lane)))
            });
            frame.set_undefined(*to, &all, active);
        }
        Op::CompareWide { to, a, b, .. } => whole(frame, *to, &[a[0], a[1], b[0], b[1]], 1),
        Op::CompareFloats { to, a, b, .. } => whole(frame, *to, &[*a, *b], 1),
        Op::Select { to, condition, a, b } => {
            let all = by_lane(active, |lane| {
                let (a, b) = (of(frame, *a, lane), of(frame, *b, lane));
                match of(frame, *condition, lane) {
                    Partial { undefined, .. } if undefined & 1 != 0 => {
                        a.undefined | b.undefined | (a.word ^ b.word)
                    }
                    Partial { word, .. } if word & 1 != 0 => a.undefined,
                    _ => b.undefined,
                }
            });
            frame.set_undefined(*to, &all, active);
        }
        Op::Convert { convert, to, a } => {
            let all = by_lane(active, |lane| converted(*convert, frame.undefined(pool, *a, lane)));
            frame.set_undefined(*to, &all, active);
        }
        Op::Recut { to, from, pieces } => {
            for (to, pieces) in (*to..).zip(pieces) {
                let all = by_lane(active, |lane| {
                    pieces.iter().fold(0, |all, piece| {
                        let own = frame.undefined(pool, from[piece.from as usize], lane);
                        all | (own >> piece.shift & mask(piece.bits)) << piece.to
                    })
                });
                frame.set_undefined(to, &all, active);
            }
        }
        Op::Extract { to, elements, limbs, index } => {
            for limb in 0..*limbs {
                let all = by_lane(active, |lane| {
                    let index = of(frame, *index, lane);
                    let at = index.word.checked_mul(u64::from(*limbs)).map(|at| at + u64::from(limb));
                    match at.and_then(|at| elements.get(usize::try_from(at).ok()?)) {
                        Some(&element) if index.undefined == 0 => frame.undefined(pool, element, lane),
                        _ if index.undefined == 0 => 0,
                        _ => u64::MAX,
                    }
                });
                frame.set_undefined(to + limb, &all, active);
            }
        }
        Op::Insert { to, elements, limbs, value, index } => {
            for (at, &element) in elements.iter().enumerate() {
                let (own, limb) = (at as u64 / u64::from(*limbs), at % *limbs as usize);
                let all = by_lane(active, |lane| {
                    let index = of(frame, *index, lane);
                    let (before, new) = (of(frame, element, lane), of(frame, value[limb], lane));
                    match index.undefined {
                        0 if index.word == own => new.undefined,
                        0 => before.undefined,
                        _ => before.undefined | new.undefined | (before.word ^ new.word),
                    }
                });
                frame.set_undefined(to + at as u32, &all, active);
            }
        }
        Op::Address { to, base, terms, bits, .. } => {
            let all = by_lane(active, |lane| {
                let low = terms.iter().fold(frame.undefined(pool, *base, lane), |low, term| {
                    low | frame.undefined(pool, term.index, lane).wrapping_mul(lowest(term.scale))
                });
                from_lowest(low) & mask(*bits)
            });
            frame.set_undefined(*to, &all, active);
        }
        Op::Words { to, from, .. } => whole(frame, *to, from, 64),
        // What else there is has settled its own.
        _ => {}
    }
}

fn by_lane(active: Active, mut of: impl FnMut(usize) -> u64) -> [u64; 64] {
    let mut all = [0; 64];
    each(active.mask).for_each(|lane| all[lane] = of(lane));
    all
}

/// The lowest bit of a number.
fn lowest(number: u64) -> u64 {
    number & number.wrapping_neg()
}

/// All bits from the lowest of a number on.
fn from_lowest(number: u64) -> u64 {
    if number == 0 { 0 } else { !(lowest(number) - 1) }
}

/// The bits that not all numbers from `low` to `high` have in common, of `bits`, from bit `from` on.
fn of_range(low: i128, high: i128, from: u32, bits: u32) -> u64 {
    let differ = (low ^ high) as u128;
    let below = u128::MAX.checked_shr(differ.leading_zeros()).unwrap_or(0);
    below as u64 & mask(bits) & if from >= 64 { 0 } else { u64::MAX << from }
}

/// The undefined bits of an integer operation's result.
fn binary(op: BinaryOp, bits: u32, a: Partial, b: Partial) -> u64 {
    let either = a.undefined | b.undefined;
    if either == 0 {
        return 0;
    }
    let all = mask(bits);
    let (ra, rb) = (a.range(), b.range());
    let wide = i128::from;
    let low = either.trailing_zeros();
    match op {
        BinaryOp::And => a.undefined & (b.word | b.undefined) | b.undefined & (a.word | a.undefined),
        BinaryOp::Or => (a.undefined & (!b.word | b.undefined) | b.undefined & (!a.word | a.undefined)) & all,
        BinaryOp::Xor => either,
        BinaryOp::Add => of_range(wide(ra.0) + wide(rb.0), wide(ra.1) + wide(rb.1), low, bits),
        BinaryOp::Sub => of_range(wide(ra.0) - wide(rb.1), wide(ra.1) - wide(rb.0), low, bits),
        BinaryOp::Mul => {
            let low_of = |one: Partial, other: Partial| one.undefined.trailing_zeros() + other.low_zeros();
            let most = u128::from(ra.1) * u128::from(rb.1);
            // A product that does not fit a signed number of 128 bits is open upwards.
            let (least, most) = match i128::try_from(most) {
                Ok(most) => (wide(ra.0) * wide(rb.0), most),
                Err(_) => (0, i128::MAX),
            };
            of_range(least, most, low_of(a, b).min(low_of(b, a)), bits)
        }
        BinaryOp::Shl if b.undefined == 0 => {
            a.undefined.checked_shl(b.word.min(64) as u32).unwrap_or(0) & all
        }
        BinaryOp::LShr if b.undefined == 0 => a.undefined.checked_shr(b.word.min(64) as u32).unwrap_or(0),
        BinaryOp::AShr if b.undefined == 0 => (sign_extend(a.undefined, bits) >> b.word.min(63)) as u64 & all,
        BinaryOp::UDiv if b.undefined == 0 && b.word != 0 => {
            of_range(wide(ra.0 / b.word), wide(ra.1 / b.word), 0, bits)
        }
        _ => all,
    }
}

/// Whether all choices of undefined bits give one outcome.
fn is_decided(predicate: IntPredicate, bits: u32, a: Partial, b: Partial) -> bool {
    use IntPredicate::*;
    if a.undefined | b.undefined == 0 {
        return true;
    }
    let apart = |(a, b): ((i128, i128), (i128, i128)), strict: bool| {
        // All of a are below all of b, or none of them is.
        if strict { a.1 < b.0 || a.0 >= b.1 } else { a.1 <= b.0 || a.0 > b.1 }
    };
    let unsigned = || {
        let of = |one: Partial| (i128::from(one.range().0), i128::from(one.range().1));
        (of(a), of(b))
    };
    let signed = || {
        let of = |one: Partial| {
            let (low, high) = one.signed_range(bits);
            (i128::from(low), i128::from(high))
        };
        (of(a), of(b))
    };
    let swapped = |(a, b)| (b, a);
    match predicate {
        // A bit that is known of both, and differs.
        Eq | Ne => (a.word ^ b.word) & !(a.undefined | b.undefined) != 0,
        Ult => apart(unsigned(), true),
        Ule => apart(unsigned(), false),
        Ugt => apart(swapped(unsigned()), true),
        Uge => apart(swapped(unsigned()), false),
        Slt => apart(signed(), true),
        Sle => apart(signed(), false),
        Sgt => apart(swapped(signed()), true),
        Sge => apart(swapped(signed()), false),
    }
}

/// The undefined bits of a converted word.
fn converted(convert: Convert, undefined: u64) -> u64 {
    if undefined == 0 {
        return 0;
    }
    match convert {
        Convert::Trunc(_, to, _) => undefined & mask(to),
        Convert::SExt(from, to) => sign_extend(undefined, from) as u64 & mask(to),
        Convert::NonNegative(_) => undefined,
        Convert::Float(_, to, _) | Convert::OfInt(_, _, to, _) => mask(to.bits()),
        Convert::ToInt(_, bits, _) | Convert::ToIntSaturating(_, bits, _) => mask(bits),
        Convert::Space(_, to) => mask(if matches!(to, 3 | 5) { 32 } else { 64 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of all choices of the operands' undefined bits: the bits that the results differ in.
    fn by_trying(a: Partial, b: Partial, f: impl Fn(u64, u64) -> u64) -> u64 {
        let choices = |one: Partial| {
            (0..256u64).filter(move |word| (word ^ one.word) & !one.undefined == 0).collect::<Vec<_>>()
        };
        let (mut ones, mut zeros) = (0, 0);
        for &a in &choices(a) {
            for &b in &choices(b) {
                let result = f(a, b) & 255;
                (ones, zeros) = (ones | result, zeros | !result & 255);
            }
        }
        ones & zeros
    }

    #[test]
    fn no_undefined_bit_is_missed() {
        let mut random = wavemark_sim::machine::Random::new(5);
        let ops = [
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Shl,
            BinaryOp::LShr,
            BinaryOp::AShr,
            BinaryOp::UDiv,
        ];
        for turn in 0..2000 {
            let mut partial = |sparse: bool| {
                let undefined = random.below(256) & random.below(256) & if sparse { 0 } else { 255 };
                Partial { word: random.below(256) as u64, undefined: undefined as u64 }
            };
            let (a, mut b) = (partial(false), partial(turn % 2 == 0));
            for op in ops {
                if matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) {
                    b = Partial { word: b.word % 8, undefined: 0 };
                }
                if op == BinaryOp::UDiv {
                    b = Partial { word: b.word.max(1), undefined: 0 };
                }
                let wanted = by_trying(a, b, |a, b| {
                    crate::arith::int(op, wavemark_ir::opcode::Flags::empty(), 8, a, b).0
                });
                let said = binary(op, 8, a, b);
                assert_eq!(wanted & !said, 0, "{op:?} {a:?} {b:?}: {wanted:#x}, {said:#x}");
                let exact = matches!(
                    op,
                    BinaryOp::And
                        | BinaryOp::Or
                        | BinaryOp::Xor
                        | BinaryOp::Shl
                        | BinaryOp::LShr
                        | BinaryOp::AShr
                );
                assert!(!exact || said == wanted, "{op:?} {a:?} {b:?}: {wanted:#x}, {said:#x}");
            }
            use IntPredicate::*;
            for predicate in [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle] {
                let wanted = by_trying(a, b, |a, b| u64::from(predicate.holds(8, a, b)));
                let said = is_decided(predicate, 8, a, b);
                assert!(!said || wanted == 0, "{predicate:?} {a:?} {b:?}");
                // Independent bits make every range dense enough for order.
                assert!(said || wanted != 0, "{predicate:?} {a:?} {b:?}");
            }
        }
    }
}
