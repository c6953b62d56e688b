//! Operations that only compute, lane by lane.

use smallvec::SmallVec;
use wavemark_ir::float::Format;
use wavemark_ir::opcode::{BinaryOp, Flags, FloatPredicate, IntPredicate};

use crate::arith;
use crate::compile::cast::convert_one;
use crate::lanes::{Active, Frame, Pool, Shadow, Src, each};
use crate::op::{Convert, Op, Term};
use crate::shape::{Piece, mask, sign_extend};
use crate::undef;

/// Executes an operation that only computes; `false`: it does more, and nothing was done.
#[inline]
pub fn compute(op: &Op, frame: &mut Frame, pool: &Pool, active: Active) -> bool {
    let computes = execute(op, frame, pool, active);
    if computes && frame.take_unsettled() {
        undef::settle(op, frame, pool, active);
    }
    computes
}

#[inline(always)]
fn execute(op: &Op, frame: &mut Frame, pool: &Pool, active: Active) -> bool {
    match op {
        Op::Int { op, flags, bits, to, a, b } => {
            if arith::divides(*op) {
                return false;
            }
            int(frame, pool, active, *op, *flags, *bits, *to, [*a, *b]);
        }
        Op::Float { op, flags, format, to, a, b } => {
            float(frame, pool, active, *op, *flags, *format, *to, [*a, *b]);
        }
        Op::Negate { bits, to, a } => {
            let sign = arith::sign_bit(*bits);
            frame.map1(pool, active, *to, *a, |a| a ^ sign);
        }
        Op::Compare { predicate, bits, same_sign, to, a, b } => {
            compare(frame, pool, active, *predicate, *bits, *same_sign, *to, [*a, *b]);
        }
        Op::CompareFloats { predicate, flags, format, to, a, b } => {
            compare_floats(frame, pool, active, *predicate, *flags, *format, *to, [*a, *b]);
        }
        Op::Select { to, condition, a, b } => frame.select(pool, active, *to, *condition, [*a, *b]),
        Op::Convert { convert, to, a } => conversion(frame, pool, active, *convert, *to, *a),
        Op::Recut { to, from, pieces } => {
            for (to, pieces) in (*to..).zip(pieces) {
                recut(frame, pool, active, to, from, pieces);
            }
        }
        Op::Freeze { to, a } => {
            let shadow = frame.shadow(pool, *a);
            frame.map1(pool, active, *to, *a, |a| a);
            if shadow.any() != 0 {
                for lane in each(shadow.any() & active.mask) {
                    let open = if shadow.poison >> lane & 1 != 0 {
                        u64::MAX
                    } else {
                        frame.undefined(pool, *a, lane)
                    };
                    frame.words_mut(*to)[lane] &= !open;
                }
                frame.set_shadow(*to, Shadow::default(), active);
            }
        }
        Op::Extract { to, elements, limbs, index } => {
            extract(frame, pool, active, *to, elements, *limbs as usize, *index)
        }
        Op::Insert { to, elements, limbs, value, index } => {
            insert(frame, pool, active, *to, elements, *limbs as usize, value, *index)
        }
        Op::Address { to, base, offset, terms, bits, flags } => {
            address(frame, pool, active, *to, *base, *offset, terms, *bits, *flags)
        }
        Op::Words { to, from, f } => words(frame, pool, active, *to, from, |words| f(words)),
        Op::Fma { format, to, a, b, c } => {
            let format = *format;
            match format {
                Format::Float => {
                    frame.map3(pool, active, *to, [*a, *b, *c], |a, b, c| arith::fma(Format::Float, a, b, c))
                }
                _ => frame.map3(pool, active, *to, [*a, *b, *c], |a, b, c| arith::fma(format, a, b, c)),
            }
        }
        Op::Wide { op, flags, bits, to, a, b } => {
            if arith::divides(*op) {
                return false;
            }
            wide(frame, pool, active, *op, *flags, *bits, *to, *a, *b);
        }
        Op::CompareWide { predicate, bits, to, a, b } => {
            let (predicate, bits) = (*predicate, *bits);
            words(frame, pool, active, *to, &[a[0], a[1], b[0], b[1]], |w| {
                let unused = 128 - bits;
                let [a, b] = [[w[0], w[1]], [w[2], w[3]]].map(|w| u128::from(w[0]) | u128::from(w[1]) << 64);
                let signed = |x: u128| ((x << unused) as i128) >> unused;
                let order = match predicate {
                    IntPredicate::Sgt | IntPredicate::Sge | IntPredicate::Slt | IntPredicate::Sle => {
                        signed(a).cmp(&signed(b))
                    }
                    _ => a.cmp(&b),
                };
                let holds = match predicate {
                    IntPredicate::Eq => order.is_eq(),
                    IntPredicate::Ne => order.is_ne(),
                    IntPredicate::Ugt | IntPredicate::Sgt => order.is_gt(),
                    IntPredicate::Uge | IntPredicate::Sge => order.is_ge(),
                    IntPredicate::Ult | IntPredicate::Slt => order.is_lt(),
                    IntPredicate::Ule | IntPredicate::Sle => order.is_le(),
                };
                (u64::from(holds), false)
            });
        }
        _ => return false,
    }
    true
}

fn int(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    op: BinaryOp,
    flags: Flags,
    bits: u32,
    to: u32,
    from: [Src; 2],
) {
    let all = mask(bits);
    // The plain forms as loops of their own: these are what kernels mostly do.
    if flags.is_empty() {
        match op {
            BinaryOp::Add => return frame.map2(pool, active, to, from, |a, b| a.wrapping_add(b) & all),
            BinaryOp::Sub => return frame.map2(pool, active, to, from, |a, b| a.wrapping_sub(b) & all),
            BinaryOp::Mul => return frame.map2(pool, active, to, from, |a, b| a.wrapping_mul(b) & all),
            BinaryOp::And => return frame.map2(pool, active, to, from, |a, b| a & b),
            BinaryOp::Or => return frame.map2(pool, active, to, from, |a, b| a | b),
            BinaryOp::Xor => return frame.map2(pool, active, to, from, |a, b| a ^ b),
            _ => {}
        }
    }
    macro_rules! each_op {
        ($($op:ident)*) => {
            match op {
                $(BinaryOp::$op => frame.map2_or_poison(pool, active, to, from, |a, b| {
                    arith::int(BinaryOp::$op, flags, bits, a, b)
                }),)*
                _ => frame.map2_or_poison(pool, active, to, from, |a, b| arith::int(op, flags, bits, a, b)),
            }
        };
    }
    each_op!(Add Sub Mul Shl LShr AShr Or);
}

fn float(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    op: BinaryOp,
    flags: Flags,
    format: Format,
    to: u32,
    from: [Src; 2],
) {
    if flags.intersects(Flags::NNAN | Flags::NINF) {
        return frame.map2_or_poison(pool, active, to, from, |a, b| {
            let result = arith::float(op, format, a, b);
            let special = |x| arith::excluded(flags, format, x);
            (result, special(a) || special(b) || special(result))
        });
    }
    macro_rules! each_op {
        ($($op:ident)*) => {
            match (op, format) {
                $((BinaryOp::$op, Format::Float) => frame.map2(pool, active, to, from, |a, b| {
                    arith::float(BinaryOp::$op, Format::Float, a, b)
                }),)*
                _ => frame.map2(pool, active, to, from, |a, b| arith::float(op, format, a, b)),
            }
        };
    }
    each_op!(FAdd FSub FMul FDiv);
}

fn compare(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    predicate: IntPredicate,
    bits: u32,
    same_sign: bool,
    to: u32,
    from: [Src; 2],
) {
    if same_sign {
        return frame.map2_or_poison(pool, active, to, from, |a, b| {
            let differ = (a ^ b) >> (bits - 1) & 1 != 0;
            (u64::from(predicate.holds(bits, a, b)), differ)
        });
    }
    macro_rules! each_predicate {
        ($($predicate:ident)*) => {
            match predicate {
                $(IntPredicate::$predicate => frame.map2(pool, active, to, from, |a, b| {
                    u64::from(IntPredicate::$predicate.holds(bits, a, b))
                }),)*
            }
        };
    }
    each_predicate!(Eq Ne Ugt Uge Ult Ule Sgt Sge Slt Sle);
}

fn compare_floats(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    predicate: FloatPredicate,
    flags: Flags,
    format: Format,
    to: u32,
    from: [Src; 2],
) {
    frame.map2_or_poison(pool, active, to, from, |a, b| {
        let [x, y] = [a, b].map(|bits| arith::value(format, bits));
        let special = flags.intersects(Flags::NNAN | Flags::NINF)
            && (arith::excluded(flags, format, a) || arith::excluded(flags, format, b));
        (u64::from(arith::compare_floats(predicate, x, y)), special)
    });
}

fn conversion(frame: &mut Frame, pool: &Pool, active: Active, convert: Convert, to: u32, a: Src) {
    match convert {
        Convert::Trunc(_, bits, flags) if flags.is_empty() => {
            frame.map1(pool, active, to, a, |a| a & mask(bits));
        }
        Convert::SExt(from, bits) => {
            frame.map1(pool, active, to, a, |a| sign_extend(a, from) as u64 & mask(bits));
        }
        Convert::Float(Format::Half, Format::Float, flags) if flags.is_empty() => {
            let of = |a: u64| u64::from(wavemark_numerics::f16::to_f32(a as u16).to_bits());
            frame.map1(pool, active, to, a, of);
        }
        Convert::Float(Format::Float, Format::Half, flags) if flags.is_empty() => {
            let of = |a: u64| u64::from(wavemark_numerics::f16::from_f32(f32::from_bits(a as u32)));
            frame.map1(pool, active, to, a, of);
        }
        _ => frame.map2_or_poison(pool, active, to, [a, a], |a, _| convert_one(convert, a)),
    }
}

/// What a register is of bits of others.
pub fn recut(frame: &mut Frame, pool: &Pool, active: Active, to: u32, from: &[Src], pieces: &[Piece]) {
    let take = |piece: &Piece| {
        let (shift, bits, to) = (piece.shift, mask(piece.bits), piece.to);
        move |word: u64| (word >> shift & bits) << to
    };
    let [first, rest @ ..] = pieces else { return frame.fill(to, 0, active) };
    frame.map1(pool, active, to, from[first.from as usize], take(first));
    let mut shadow = frame.shadow(pool, from[first.from as usize]);
    for piece in rest {
        let src = from[piece.from as usize];
        shadow = shadow.or(frame.shadow(pool, src));
        frame.merge(pool, active, to, src, take(piece));
    }
    frame.set_shadow(to, shadow, active);
}

/// A function of several words in each lane.
pub fn words(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    to: u32,
    from: &[Src],
    f: impl Fn(&[u64]) -> (u64, bool),
) {
    if let &[a, b] = from {
        return frame.map2_or_poison(pool, active, to, [a, b], |a, b| f(&[a, b]));
    }
    let mut shadow = from.iter().fold(Shadow::default(), |all, &src| all.or(frame.shadow(pool, src)));
    let mut own: SmallVec<[u64; 8]> = SmallVec::new();
    for lane in each(active.mask) {
        own.clear();
        own.extend(from.iter().map(|&src| frame.get(pool, src)[lane]));
        let (word, poison) = f(&own);
        shadow.poison |= u64::from(poison) << lane;
        frame.words_mut(to)[lane] = word;
    }
    frame.set_shadow(to, shadow, active);
}

/// The same for operands of two limbs.
fn wide(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    op: BinaryOp,
    flags: Flags,
    bits: u32,
    to: u32,
    a: [Src; 2],
    b: [Src; 2],
) {
    let of = |w: &[u64]| {
        let [a, b] = [[w[0], w[1]], [w[2], w[3]]].map(|w| u128::from(w[0]) | u128::from(w[1]) << 64);
        arith::wide(op, flags, bits, a, b)
    };
    let from = [a[0], a[1], b[0], b[1]];
    words(frame, pool, active, to, &from, |w| (of(w).0 as u64, of(w).1));
    words(frame, pool, active, to + 1, &from, |w| ((of(w).0 >> 64) as u64, of(w).1));
}

/// The same with a division; the lanes where it has none, or may have none.
pub fn divide(op: &Op, frame: &mut Frame, pool: &Pool, active: Active) -> u64 {
    let bad = |frame: &Frame, low: &[Src], high: Option<[[Src; 2]; 2]>, bits: u32, op: BinaryOp| {
        let zero = |lane: usize| match high {
            None => frame.get(pool, low[1])[lane] == 0,
            Some([_, b]) => b.iter().all(|&limb| frame.get(pool, limb)[lane] == 0),
        };
        let over = |lane: usize| {
            let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
            high.is_none()
                && signed
                && frame.get(pool, low[0])[lane] == mask(bits) ^ mask(bits) >> 1
                && frame.get(pool, low[1])[lane] == mask(bits)
        };
        each(active.mask).filter(|&lane| zero(lane) || over(lane)).fold(0, |lanes, lane| lanes | 1 << lane)
    };
    let lanes = match op {
        Op::Int { op, flags, bits, to, a, b } => {
            let lanes = bad(frame, &[*a, *b], None, *bits, *op);
            int(frame, pool, active, *op, *flags, *bits, *to, [*a, *b]);
            lanes | may_be_zero(frame, pool, active, &[*b])
        }
        Op::Wide { op, flags, bits, to, a, b } => {
            let lanes = bad(frame, &[], Some([*a, *b]), *bits, *op);
            wide(frame, pool, active, *op, *flags, *bits, *to, *a, *b);
            lanes | may_be_zero(frame, pool, active, b)
        }
        _ => return 0,
    };
    if frame.take_unsettled() {
        undef::settle(op, frame, pool, active);
    }
    lanes
}

/// Lanes whose divisor is poison, or zero by some choice of its undefined bits.
fn may_be_zero(frame: &Frame, pool: &Pool, active: Active, divisor: &[Src]) -> u64 {
    let shadow = divisor.iter().fold(Shadow::default(), |all, &limb| all.or(frame.shadow(pool, limb)));
    let zero = |lane: &usize| {
        divisor.iter().all(|&limb| frame.get(pool, limb)[*lane] & !frame.undefined(pool, limb, *lane) == 0)
    };
    let undefined = each(shadow.undef & active.mask).filter(zero).fold(0, |all, lane| all | 1 << lane);
    shadow.poison & active.mask | undefined
}

fn extract(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    to: u32,
    elements: &[Src],
    limbs: usize,
    index: Src,
) {
    let known = frame.shadow(pool, index);
    for limb in 0..limbs {
        let mut shadow = known;
        for lane in each(active.mask) {
            let at = frame.get(pool, index)[lane];
            let element = usize::try_from(at).ok().and_then(|at| elements.get(at.checked_mul(limbs)? + limb));
            let Some(&element) = element else {
                shadow.poison |= 1 << lane;
                continue;
            };
            shadow = shadow.or(frame.shadow(pool, element).in_lanes(1 << lane));
            frame.words_mut(to + limb as u32)[lane] = frame.get(pool, element)[lane];
        }
        frame.set_shadow(to + limb as u32, shadow, active);
    }
}

fn insert(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    to: u32,
    elements: &[Src],
    limbs: usize,
    value: &[Src],
    index: Src,
) {
    let count = (elements.len() / limbs) as u64;
    let known = frame.shadow(pool, index);
    let outside = each(active.mask).filter(|&lane| frame.get(pool, index)[lane] >= count);
    let outside = Shadow { poison: outside.fold(0, |lanes, lane| lanes | 1 << lane), undef: 0 };
    for (at, &element) in elements.iter().enumerate() {
        let register = to + at as u32;
        let own = (at / limbs) as u64;
        let chosen = value[at % limbs];
        let here = each(active.mask).filter(|&lane| frame.get(pool, index)[lane] == own);
        let here = here.fold(0, |lanes, lane| lanes | 1 << lane);
        let shadow = frame.shadow(pool, element).with(frame.shadow(pool, chosen), here);
        frame.map1(pool, active, register, element, |word| word);
        for lane in each(here) {
            frame.words_mut(register)[lane] = frame.get(pool, chosen)[lane];
        }
        frame.set_shadow(register, shadow.or(known).or(outside), active);
    }
}

fn address(
    frame: &mut Frame,
    pool: &Pool,
    active: Active,
    to: u32,
    base: Src,
    offset: u64,
    terms: &[Term],
    bits: u32,
    flags: Flags,
) {
    let all = mask(bits);
    if flags.intersects(Flags::NUW | Flags::NUSW | Flags::INBOUNDS) {
        return match terms {
            &[one] => frame.map2_or_poison(pool, active, to, [base, one.index], |base, index| {
                checked_address(flags, bits, base, [(one, index)].into_iter())
            }),
            _ => {
                let mut from: SmallVec<[Src; 4]> = smallvec::smallvec![base];
                from.extend(terms.iter().map(|term| term.index));
                words(frame, pool, active, to, &from, |words| {
                    let steps = terms.iter().copied().zip(words[1..].iter().copied());
                    checked_address(flags, bits, words[0], steps)
                })
            }
        };
    }
    match terms {
        [] => frame.map1(pool, active, to, base, |base| base.wrapping_add(offset) & all),
        [one] => {
            let (own, scale) = (one.bits, one.scale);
            frame.map2(pool, active, to, [base, one.index], |base, index| {
                let by = (sign_extend(index, own) as u64).wrapping_mul(scale);
                base.wrapping_add(by).wrapping_add(offset) & all
            })
        }
        _ => {
            let mut from: SmallVec<[Src; 4]> = smallvec::smallvec![base];
            from.extend(terms.iter().map(|term| term.index));
            words(frame, pool, active, to, &from, |words| {
                let sum = terms.iter().zip(&words[1..]).fold(offset, |sum, (term, &index)| {
                    sum.wrapping_add((sign_extend(index, term.bits) as u64).wrapping_mul(term.scale))
                });
                (words[0].wrapping_add(sum) & all, false)
            });
        }
    }
}

/// An address, and whether it is poison: step after step as LLVM's LangRef says of `nusw` (which `inbounds` says, too) and
/// `nuw`. Indices are cut to the width of the pointer's, multiplied, and added up, without the base and to it; nothing of
/// that may wrap.
#[inline(always)]
fn checked_address(
    flags: Flags,
    bits: u32,
    base: u64,
    steps: impl Iterator<Item = (Term, u64)>,
) -> (u64, bool) {
    let signed = flags.intersects(Flags::NUSW | Flags::INBOUNDS);
    let unsigned = flags.contains(Flags::NUW);
    let all = mask(bits);
    let fits = |number: i128| i128::from(sign_extend(number as u64 & all, bits)) == number;
    let fits_unsigned = |number: u128| number <= u128::from(all);
    let (mut address, mut sum, mut unsigned_sum, mut wraps) = (base & all, 0i128, 0u128, false);
    for (term, word) in steps {
        let index = i128::from(sign_extend(word, term.bits));
        let cut = sign_extend(index as u64 & all, bits);
        let product = i128::from(cut) * i128::from(term.scale);
        let offset = sign_extend(product as u64 & all, bits);
        sum += i128::from(offset);
        wraps |= signed
            && !(fits(index)
                && fits(product)
                && fits(sum)
                && (0..=i128::from(all)).contains(&(i128::from(address) + i128::from(offset))));
        if unsigned {
            let [cut, offset] = [cut, offset].map(|number| u128::from(number as u64 & all));
            unsigned_sum += offset;
            wraps |= !(fits_unsigned(word.into())
                && fits_unsigned(cut * u128::from(term.scale))
                && fits_unsigned(unsigned_sum)
                && fits_unsigned(u128::from(address) + offset));
        }
        address = address.wrapping_add(offset as u64) & all;
    }
    (address, wraps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_an_address_do_not_wrap() {
        let step = |scale: u64, bits: u32, index: i64| {
            (Term { index: Src::constant(0), bits, scale }, index as u64 & mask(bits))
        };
        let poison = |flags: Flags, base: u64, steps: &[(Term, u64)]| {
            checked_address(flags, 32, base, steps.iter().copied()).1
        };
        for (flags, base, steps, wanted) in [
            // There and back, within the address space all the time; and below 0 in between.
            (Flags::INBOUNDS, 16, vec![step(4, 32, -4), step(1, 32, 16)], false),
            (Flags::INBOUNDS, 16, vec![step(4, 32, -5), step(1, 32, 16)], true),
            (Flags::NUSW, 0, vec![step(4, 32, -1)], true),
            // The product wraps, though the sum of all would be right again.
            (Flags::NUSW, 64, vec![step(16, 32, 1 << 27)], true),
            (Flags::NUSW, 64, vec![step(16, 32, 1 << 26)], false),
            // An index of more bits than the pointer's.
            (Flags::INBOUNDS, 64, vec![step(1, 64, 1 << 32)], true),
            (Flags::INBOUNDS, 64, vec![step(1, 64, -1)], false),
            (Flags::NUW, 64, vec![step(1, 64, -1)], true),
            // Without a sign an offset may be more than half of the space.
            (Flags::NUW, 4, vec![step(1, 32, 0x9000_0000)], false),
            (Flags::NUSW, 4, vec![step(1, 32, 0x9000_0000)], true),
            (Flags::NUW, 0x8000_0000, vec![step(1, 32, 0x9000_0000)], true),
        ] {
            assert_eq!(poison(flags, base, &steps), wanted, "{flags:?} {base:#x} {steps:?}");
        }
    }
}
