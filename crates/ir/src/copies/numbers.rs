//! Integers of which some bits are known, between which numbers they lie, and what they leave when divided by an odd number.
//!
//! A ring of three buffers is gone round by a remainder by three, of which no bit follows from the bits of the counter; that
//! a counter is not negative follows from a comparison, or from `nsw`. Both are facts of the *signed* number. Those of
//! powers of two are bits ([`super::bits`]).
//!
//! Promises: what is said of a number is so whenever it is so of the operands, and the operation is not poison: a value that
//! would be poison, by its flags too, is one that no path depends on.

use crate::opcode::{BinaryOp, Flags, IntPredicate};

use super::bits::{Bits, mask, signed};

/// What is known of an integer of up to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Number {
    bits: Bits,
    /// Between which signed numbers it lies; of one that is known altogether nothing but its bits is said.
    range: (i64, i64),
    /// Divided by this odd number, it leaves [`Number::rest`].
    modulus: u32,
    rest: u32,
}

/// How much of the value of a phi is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// So many low bits.
    pub bits: u32,
    /// Whether it is negative.
    pub sign: bool,
    /// What it leaves when divided by this.
    pub modulus: u32,
}

/// Larger divisors are not looked at.
const MOST_MODULUS: u32 = 105;

/// So many low bits are looked at for what a division leaves.
const MOST_LOW_BITS: u32 = 6;

const ANY: (i64, i64) = (i64::MIN, i64::MAX);

impl From<Bits> for Number {
    fn from(bits: Bits) -> Number {
        Number { bits, range: ANY, modulus: 1, rest: 0 }
    }
}

impl Number {
    pub fn bits(self) -> Bits {
        self.bits
    }

    /// A number of so many bits, between two signed ones.
    fn between(least: i128, most: i128, width: u32) -> Option<Number> {
        Number::made(Bits::unknown(width), width, (least, most), (1, 0))
    }

    /// A number of so many bits that leaves `rest` when divided by `by`.
    pub fn leaving(rest: u32, by: u32, width: u32) -> Option<Number> {
        let (low, odd) = (by.trailing_zeros(), by >> by.trailing_zeros());
        let bits = Bits::partly(rest.into(), mask(low), width);
        Number::made(bits, width, ends(width), (odd, rest % odd))
    }

    /// `None`: there is no such number.
    fn made(
        bits: Bits,
        width: u32,
        (least, most): (i128, i128),
        (modulus, rest): (u32, u32),
    ) -> Option<Number> {
        let whole = Number { bits, range: ANY, modulus, rest };
        let (first, last) = whole.range(width);
        let (mut least, mut most) = (least.max(first), most.min(last));
        // The nearest that leave what they must.
        let low = bits.known_low().min(MOST_LOW_BITS).min(width);
        let low_bits = i128::from(bits.part(0, low).exact()?);
        let mut all = (0..i128::from(modulus)).map(|high| high << low | low_bits);
        let left = all.find(|left| left % i128::from(modulus) == rest.into())?;
        let by = i128::from(modulus) << low;
        least += (left - least).rem_euclid(by);
        most -= (most - left).rem_euclid(by);
        if least > most {
            return None;
        }
        if least == most {
            let exact = Bits::exactly(least as u64 & mask(width));
            return bits.both(exact).map(Number::from);
        }
        let mut bits = bits;
        if least >= 0 {
            let zeros = mask(width) & !mask(128 - most.leading_zeros());
            bits = bits.both(Bits::partly(0, zeros, width))?;
        } else if most < 0 {
            bits = bits.both(Bits::partly(mask(width), 1 << (width - 1), width))?;
        }
        if bits.exact().is_some() {
            return Some(bits.into());
        }
        Some(Number { bits, range: (least as i64, most as i64), modulus, rest })
    }

    /// With the facts of an operation, or with its bits alone where these say that it cannot be: it is poison then.
    fn new(bits: Bits, width: u32, range: (i128, i128), congruence: (u32, u32)) -> Number {
        Number::made(bits, width, range, congruence).unwrap_or(bits.into())
    }

    /// The least and the greatest signed number that it may be.
    fn range(self, width: u32) -> (i128, i128) {
        let (first, last) = self.bits.ends(width);
        (i128::from(first.max(self.range.0)), i128::from(last.min(self.range.1)))
    }

    /// Whether a number may be it.
    pub fn may_be(self, value: i64, width: u32) -> bool {
        self.both(Bits::exactly(value as u64 & mask(width)).into(), width).is_some()
    }

    /// A divisor and what is left; 0 as divisor: the number itself.
    fn congruence(self, width: u32) -> (u32, i128) {
        match self.bits.exact() {
            Some(exact) => (0, signed(width, exact).into()),
            None => (self.modulus, self.rest.into()),
        }
    }

    /// What dividing by a number leaves, at least 0.
    fn rest_by(self, by: u32, width: u32) -> Option<u32> {
        if let Some(exact) = self.bits.exact() {
            return Some(i128::from(signed(width, exact)).rem_euclid(by.into()) as u32);
        }
        let (low, odd) = (by.trailing_zeros(), by >> by.trailing_zeros());
        if self.bits.known_low() < low || !self.modulus.is_multiple_of(odd) {
            return None;
        }
        let low_bits = self.bits.part(0, low).exact()? as u32;
        (0..by).find(|rest| rest % (1 << low) == low_bits && rest % odd == self.rest % odd)
    }

    /// What holds of both numbers holds of one; `None`: there is none.
    pub fn both(self, other: Number, width: u32) -> Option<Number> {
        let bits = self.bits.both(other.bits)?;
        let (a, b) = (self.range(width), other.range(width));
        let ((m, x), (n, y)) = (self.congruence(width), other.congruence(width));
        let common = gcd(m, n);
        if (common > 0 && (x - y) % i128::from(common) != 0) || (common == 0 && x != y) {
            return None;
        }
        let odd = |modulus: u32, rest: i128| (modulus, rest as u32);
        let congruence = match (m, n) {
            (0, _) | (_, 0) => (1, 0),
            _ if u64::from(m) * u64::from(n) / u64::from(common) <= MOST_MODULUS.into() => {
                let all = m / common * n;
                let fits = |left: &u32| left % m == self.rest && left % n == other.rest;
                (all, (0..all).find(fits)?)
            }
            _ => odd(m.max(n), if m >= n { x } else { y }),
        };
        Number::made(bits, width, (a.0.max(b.0), a.1.min(b.1)), congruence)
    }

    /// What holds for either.
    pub fn or_else(self, other: Number, width: u32) -> Number {
        let (a, b) = (self.range(width), other.range(width));
        let ((m, x), (n, y)) = (self.congruence(width), other.congruence(width));
        let apart = u32::try_from((x - y).unsigned_abs()).unwrap_or(1);
        let common = gcd(gcd(m, n), apart);
        Number::new(self.bits.or_else(other.bits), width, (a.0.min(b.0), a.1.max(b.1)), reduced(common, x))
    }

    /// Only that much stays known.
    pub fn keep(self, kept: Kept, width: u32) -> Number {
        if kept.bits >= width && self.bits.exact().is_some() {
            return self;
        }
        let (least, most) = self.range(width);
        let range = match () {
            () if kept.sign && least >= 0 => (0, ends(width).1),
            () if kept.sign && most < 0 => (ends(width).0, -1),
            () => ends(width),
        };
        let congruence = self.rest_by(kept.modulus, width).map_or((1, 0), |rest| (kept.modulus, rest));
        Number::new(self.bits.low(kept.bits, width), width, range, congruence)
    }

    /// The result of a conversion between widths.
    pub fn cast(self, bits: Bits, from: u32, to: u32) -> Number {
        let range = self.range(from);
        let fits = ends(to).0 <= range.0 && range.1 <= ends(to).1;
        // What is not negative is itself, however it is extended, and in as many bits as it needs.
        if fits && range.0 >= 0 {
            let (modulus, value) = self.congruence(from);
            return Number::new(bits, to, range, reduced(modulus, value));
        }
        bits.into()
    }

    /// The result of an operation of `width` bits.
    pub fn binary(self, op: BinaryOp, flags: Flags, width: u32, other: Number) -> Number {
        let (a, b) = (self, other);
        let bits = a.bits.binary(op, width, b.bits);
        let (ends, (la, ha), (lb, hb)) = (ends(width), a.range(width), b.range(width));
        let ((m, x), (n, y)) = (a.congruence(width), b.congruence(width));
        let common = gcd(m, n);
        let by = b.bits.exact().map(|exact| i128::from(signed(width, exact)));
        let unflagged = |range| Number::new(bits, width, range, (1, 0));
        let (range, congruence) = match (op, by) {
            (BinaryOp::Add, _) => ((la + lb, ha + hb), reduced(common, x + y)),
            (BinaryOp::Sub, _) => ((la - hb, ha - lb), reduced(common, x - y)),
            (BinaryOp::Mul, _) => {
                let products =
                    [la.checked_mul(lb), la.checked_mul(hb), ha.checked_mul(lb), ha.checked_mul(hb)];
                let Some(products) = products.into_iter().collect::<Option<Vec<i128>>>() else {
                    return bits.into();
                };
                let least = products.iter().copied().min().unwrap_or(ends.0);
                ((least, products.into_iter().max().unwrap_or(ends.1)), reduced(common, x * y))
            }
            (BinaryOp::Shl, Some(by)) if (0..i128::from(width.min(63))).contains(&by) => {
                ((la << by, ha << by), reduced(m, x << by))
            }
            (BinaryOp::SDiv, Some(by)) if by > 0 => return unflagged((la / by, ha / by)),
            (BinaryOp::UDiv, Some(by)) if by > 0 && la >= 0 => return unflagged((la / by, ha / by)),
            (BinaryOp::LShr | BinaryOp::AShr, Some(by))
                if (0..i128::from(width)).contains(&by) && (la >= 0 || op == BinaryOp::AShr) =>
            {
                return unflagged((la >> by, ha >> by));
            }
            (BinaryOp::And, Some(by)) if by >= 0 => {
                return unflagged((0, if la >= 0 { ha.min(by) } else { by }));
            }
            (BinaryOp::SRem | BinaryOp::URem, Some(by)) if by > 0 && (la >= 0 || op == BinaryOp::SRem) => {
                return a.remainder(bits, by, width);
            }
            _ => return bits.into(),
        };
        if flags.contains(Flags::NSW) || ends.0 <= range.0 && range.1 <= ends.1 {
            Number::new(bits, width, (range.0.max(ends.0), range.1.min(ends.1)), congruence)
        } else {
            bits.into()
        }
    }

    /// What a signed division by a positive number leaves; it has the sign of what is divided.
    fn remainder(self, bits: Bits, by: i128, width: u32) -> Number {
        let (least, most) = self.range(width);
        if -by < least && most < by {
            return self;
        }
        let range =
            (if least >= 0 { 0 } else { least.max(1 - by) }, if most <= 0 { 0 } else { most.min(by - 1) });
        let Some(divisor) = u32::try_from(by).ok().filter(|&by| by <= MOST_MODULUS) else {
            return Number::new(bits, width, range, (1, 0));
        };
        match self.rest_by(divisor, width) {
            Some(rest) => {
                let leaving = Number::leaving(rest, divisor, width);
                let within = leaving
                    .and_then(|leaving| leaving.both(Number::made(bits, width, range, (1, 0))?, width));
                within.unwrap_or(bits.into())
            }
            None => {
                let (modulus, value) = self.congruence(width);
                Number::new(bits, width, range, reduced(gcd(modulus, divisor), value))
            }
        }
    }

    /// The larger one of two, or the smaller one, as signed numbers.
    pub fn chosen(self, larger: bool, width: u32, other: Number) -> Number {
        let (a, b) = (self.range(width), other.range(width));
        let (wins, loses) = if larger { (a, b) } else { (b, a) };
        if wins.0 >= loses.1 {
            return self;
        }
        if loses.0 >= wins.1 {
            return other;
        }
        let either = self.or_else(other, width);
        let range = if larger { (a.0.max(b.0), a.1.max(b.1)) } else { (a.0.min(b.0), a.1.min(b.1)) };
        Number::new(either.bits, width, range, (either.modulus, either.rest))
    }

    /// Whether neither of two may be negative: they are the same as numbers without a sign then.
    pub fn not_negative(self, width: u32, other: Number) -> bool {
        self.range(width).0 >= 0 && other.range(width).0 >= 0
    }

    /// Whether it is above a signed number.
    pub fn is_above(self, value: i64, width: u32) -> bool {
        self.range(width).0 > value.into()
    }

    /// The result of a comparison of numbers of `width` bits, one bit.
    pub fn compare(self, predicate: IntPredicate, width: u32, other: Number) -> Bits {
        let result = self.bits.compare(predicate, width, other.bits);
        if result.exact().is_some() {
            return result;
        }
        let ((la, ha), (lb, hb)) = (self.range(width), other.range(width));
        let positive = self.not_negative(width, other);
        let known = match predicate {
            IntPredicate::Eq | IntPredicate::Ne => {
                self.both(other, width).is_none().then_some(predicate == IntPredicate::Ne)
            }
            IntPredicate::Sgt | IntPredicate::Sle => {
                let greater = if la > hb { Some(true) } else { (ha <= lb).then_some(false) };
                greater.map(|greater| greater == (predicate == IntPredicate::Sgt))
            }
            IntPredicate::Slt | IntPredicate::Sge => {
                let less = if ha < lb { Some(true) } else { (la >= hb).then_some(false) };
                less.map(|less| less == (predicate == IntPredicate::Slt))
            }
            IntPredicate::Ugt if positive => return self.compare(IntPredicate::Sgt, width, other),
            IntPredicate::Uge if positive => return self.compare(IntPredicate::Sge, width, other),
            IntPredicate::Ult if positive => return self.compare(IntPredicate::Slt, width, other),
            IntPredicate::Ule if positive => return self.compare(IntPredicate::Sle, width, other),
            _ => None,
        };
        known.map_or(result, |known| Bits::exactly(known.into()))
    }

    /// The numbers of which a comparison with one that is known holds, or does not.
    pub fn compared(predicate: IntPredicate, holds: bool, with: u64, width: u32) -> Option<Number> {
        let with = i128::from(signed(width, with));
        let (first, last) = ends(width);
        let range = match (predicate, holds) {
            (IntPredicate::Eq, true) | (IntPredicate::Ne, false) => (with, with),
            (IntPredicate::Sgt, true) | (IntPredicate::Sle, false) => (with + 1, last),
            (IntPredicate::Sge, true) | (IntPredicate::Slt, false) => (with, last),
            (IntPredicate::Slt, true) | (IntPredicate::Sge, false) => (first, with - 1),
            (IntPredicate::Sle, true) | (IntPredicate::Sgt, false) => (first, with),
            // Without a sign, what is below one that is not negative is neither.
            (IntPredicate::Ult, true) | (IntPredicate::Uge, false) if with >= 0 => (0, with - 1),
            (IntPredicate::Ule, true) | (IntPredicate::Ugt, false) if with >= 0 => (0, with),
            _ => (first, last),
        };
        Number::between(range.0, range.1, width)
    }
}

/// The least and the greatest signed number of a width.
fn ends(width: u32) -> (i128, i128) {
    let half = 1i128 << (width.clamp(1, 64) - 1);
    (-half, half - 1)
}

/// An odd divisor of `modulus` (0: any), with what a number leaves.
fn reduced(modulus: u32, value: i128) -> (u32, u32) {
    let odd = modulus >> modulus.trailing_zeros().min(31);
    if odd == 0 || odd > MOST_MODULUS {
        return (1, 0);
    }
    (odd, value.rem_euclid(odd.into()) as u32)
}

/// The greatest common divisor; of 0 and another, that one.
pub(crate) fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcode::CastOp;

    const WIDTH: u32 = 5;

    /// The numbers of a set, as little as there is to know of all of them.
    fn of(set: &[u64]) -> Number {
        let exact = |&one: &u64| Number::from(Bits::exactly(one));
        set.iter().map(exact).reduce(|all, one| all.or_else(one, WIDTH)).unwrap()
    }

    fn holds(number: Number, value: u64) -> bool {
        number.may_be(signed(WIDTH, value), WIDTH)
    }

    /// Sets of numbers: progressions, from everywhere, of every step.
    fn sets() -> Vec<Vec<u64>> {
        let progression = |(from, step, count): (u64, u64, u64)| {
            (0..count).map(|n| (from + n * step) & mask(WIDTH)).collect()
        };
        let all = (0..32).flat_map(|from| [1, 2, 3, 4, 5, 6].map(|step| (from, step)));
        all.flat_map(|(from, step)| [1, 2, 4].map(|count| progression((from, step, count)))).collect()
    }

    /// Whether an operation with these flags is poison.
    fn is_poison(op: BinaryOp, flags: Flags, x: u64, y: u64) -> bool {
        let (a, b) = (i128::from(signed(WIDTH, x)), i128::from(signed(WIDTH, y)));
        let result = match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Shl => a << y.min(20),
            _ => return false,
        };
        flags.contains(Flags::NSW) && !(ends(WIDTH).0..=ends(WIDTH).1).contains(&result)
    }

    #[test]
    fn what_is_known_is_so() {
        use BinaryOp::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
        let sets = sets();
        let seconds: Vec<&Vec<u64>> =
            sets.iter().step_by(7).chain(sets.iter().filter(|set| set.len() == 1)).collect();
        for (a, b) in sets.iter().flat_map(|a| seconds.iter().map(move |b| (a, *b))) {
            let (of_a, of_b) = (of(a), of(b));
            let pairs = || a.iter().flat_map(|&x| b.iter().map(move |&y| (x, y)));
            for op in [Add, Sub, Mul, Shl, UDiv, SDiv, URem, SRem, LShr, AShr, And, Or, Xor] {
                for flags in [Flags::empty(), Flags::NSW] {
                    let result = of_a.binary(op, flags, WIDTH, of_b);
                    for (x, y) in pairs().filter(|&(x, y)| !is_poison(op, flags, x, y)) {
                        let exact = Bits::exactly(x).binary(op, WIDTH, Bits::exactly(y)).exact();
                        let fits = exact.is_none_or(|exact| holds(result, exact));
                        assert!(fits, "{} {flags:?} {a:?} {b:?}: {x} {y}: {result:?}", op.name());
                    }
                }
            }
            for &predicate in IntPredicate::ALL {
                let result = of_a.compare(predicate, WIDTH, of_b).exact();
                for (x, y) in pairs() {
                    let is = u64::from(predicate.holds(WIDTH, x, y));
                    assert!(result.is_none_or(|result| result == is), "{predicate:?} {a:?} {b:?}: {x} {y}");
                }
                if let &[with] = &b[..] {
                    for &x in a {
                        let fits = Number::compared(predicate, predicate.holds(WIDTH, x, with), with, WIDTH);
                        assert!(
                            fits.is_some_and(|fits| holds(fits, x)),
                            "{predicate:?} {x} {with}: {fits:?}"
                        );
                    }
                }
            }
            let both = of_a.both(of_b, WIDTH);
            let mut common = a.iter().filter(|x| b.contains(x));
            assert!(common.all(|&x| both.is_some_and(|both| holds(both, x))), "{a:?} {b:?}: {both:?}");
            for (larger, (x, y)) in
                [false, true].into_iter().flat_map(|larger| pairs().map(move |xy| (larger, xy)))
            {
                let x_first = (signed(WIDTH, x) > signed(WIDTH, y)) == larger;
                let chosen = of_a.chosen(larger, WIDTH, of_b);
                assert!(
                    holds(chosen, if x_first { x } else { y }),
                    "{larger} {a:?} {b:?}: {x} {y}: {chosen:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_converted_is_so() {
        let op = |name| *CastOp::ALL.iter().find(|op: &&CastOp| op.name() == name).unwrap();
        for (op, to) in [(op("trunc"), 3), (op("zext"), 9), (op("sext"), 9)] {
            for set in sets() {
                let number = of(&set);
                let result = number.cast(number.bits().cast(op, WIDTH, to), WIDTH, to);
                for &x in &set {
                    let exact = Bits::exactly(x).cast(op, WIDTH, to).exact().unwrap();
                    assert!(result.may_be(signed(to, exact), to), "{set:?}: {x}: {result:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_kept_is_so() {
        for set in sets() {
            let number = of(&set);
            for (bits, sign, modulus) in
                [(5, true, 3), (5, false, 1), (2, true, 1), (1, false, 5), (0, true, 3)]
            {
                let kept = number.keep(Kept { bits, sign, modulus }, WIDTH);
                assert!(set.iter().all(|&x| holds(kept, x)), "{set:?} {bits} {sign} {modulus}: {kept:?}");
            }
        }
    }

    #[test]
    fn remainders_are_known() {
        let exact = |number: Number| number.bits().exact().map(|exact| signed(32, exact));
        let three = Number::from(Bits::exactly(3));
        let above = Number::between(1, 1000, 32).unwrap();
        let two = above.both(Number::leaving(2, 3, 32).unwrap(), 32).unwrap();
        let rem = |number: Number| exact(number.binary(BinaryOp::SRem, Flags::empty(), 32, three));
        assert_eq!(rem(above), None);
        assert_eq!(rem(two), Some(2));
        let next = two.binary(BinaryOp::Add, Flags::NSW, 32, Bits::exactly(2).into());
        assert_eq!(rem(next), Some(1));
        let below = Number::between(-1000, -1, 32).unwrap().both(Number::leaving(2, 3, 32).unwrap(), 32);
        assert_eq!(rem(below.unwrap()), Some(-1));
        // Nothing between two and four is a multiple of five.
        assert_eq!(Number::between(2, 4, 32).unwrap().both(Number::leaving(0, 5, 32).unwrap(), 32), None);
    }
}
