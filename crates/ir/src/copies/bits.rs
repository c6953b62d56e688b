//! Integers of which some bits are known.
//!
//! Promises: a bit that is said to be known is so whenever the operands' known bits are what they say, and the operation is
//! not poison. All bits of what may be poison or undefined are unknown.

use crate::opcode::{BinaryOp, CastOp, IntPredicate};

/// Known bits of an integer of up to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bits {
    /// The bits, 0 where they are not known.
    value: u64,
    /// A bit for each that is not known, none beyond the width.
    unknown: u64,
}

pub(crate) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

pub(crate) fn signed(bits: u32, value: u64) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (value << unused) as i64 >> unused
}

impl Bits {
    /// All bits are known.
    pub const fn exactly(value: u64) -> Bits {
        Bits { value, unknown: 0 }
    }

    /// Nothing is known of so many bits.
    pub fn unknown(bits: u32) -> Bits {
        Bits { value: 0, unknown: mask(bits) }
    }

    /// Of a number of `bits` bits those in `known`.
    pub fn partly(value: u64, known: u64, bits: u32) -> Bits {
        Bits::new(value, mask(bits) & !known)
    }

    /// The value, if all of it is known.
    pub fn exact(self) -> Option<u64> {
        (self.unknown == 0).then_some(self.value)
    }

    /// The bits of `of`, if all of them are known.
    pub fn within(self, of: u64) -> Option<u64> {
        (self.unknown & of == 0).then_some(self.value & of)
    }

    fn new(value: u64, unknown: u64) -> Bits {
        Bits { value: value & !unknown, unknown }
    }

    /// Only the low `bits` bits of a number of `width` stay known.
    pub fn low(self, bits: u32, width: u32) -> Bits {
        Bits::new(self.value, (self.unknown | !mask(bits)) & mask(width))
    }

    /// How many low bits are known.
    pub fn known_low(self) -> u32 {
        self.unknown.trailing_zeros()
    }

    /// The least and the greatest signed number that a number of `bits` bits may be.
    pub fn ends(self, bits: u32) -> (i64, i64) {
        let sign = self.unknown & 1 << (bits.clamp(1, 64) - 1);
        (signed(bits, self.value | sign), signed(bits, self.value | self.unknown & !sign))
    }

    /// What holds of both holds of one; `None`: they differ.
    pub fn both(self, other: Bits) -> Option<Bits> {
        let differ = (self.value ^ other.value) & !(self.unknown | other.unknown) != 0;
        let unknown = self.unknown & other.unknown;
        (!differ).then_some(Bits::new(self.value | other.value, unknown))
    }

    /// What holds for either.
    pub fn or_else(self, other: Bits) -> Bits {
        Bits::new(self.value, self.unknown | other.unknown | self.value ^ other.value)
    }

    /// Of so many bits the first for the last.
    pub fn reversed(self, bits: u32) -> Bits {
        let turned = |value: u64| value.reverse_bits() >> (64 - bits.clamp(1, 64));
        Bits { value: turned(self.value), unknown: turned(self.unknown) }
    }

    /// Of so many bytes the first for the last.
    pub fn swapped(self, bytes: u32) -> Bits {
        let turned = |value: u64| value.swap_bytes() >> (64 - (8 * bytes).clamp(8, 64));
        Bits { value: turned(self.value), unknown: turned(self.unknown) }
    }

    /// `count` bits from `from` on.
    pub fn part(self, from: u32, count: u32) -> Bits {
        let part = |bits: u64| bits.checked_shr(from).unwrap_or(0) & mask(count);
        Bits { value: part(self.value), unknown: part(self.unknown) }
    }

    /// With `high` above the low `bits` bits.
    pub fn below(self, high: Bits, bits: u32) -> Bits {
        let joined = |low: u64, high: u64| low & mask(bits) | high.checked_shl(bits).unwrap_or(0);
        Bits { value: joined(self.value, high.value), unknown: joined(self.unknown, high.unknown) }
    }

    /// The result of a conversion between widths.
    pub fn cast(self, op: CastOp, from: u32, to: u32) -> Bits {
        match op {
            CastOp::Trunc
            | CastOp::ZExt
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr
            | CastOp::BitCast => Bits { value: self.value & mask(to), unknown: self.unknown & mask(to) },
            CastOp::SExt => {
                let extended = |bits: u64| signed(from, bits) as u64 & mask(to);
                Bits::new(extended(self.value), extended(self.unknown))
            }
            _ => Bits::unknown(to),
        }
    }

    /// The result of an operation of `bits` bits.
    pub fn binary(self, op: BinaryOp, bits: u32, other: Bits) -> Bits {
        let (a, b) = (self, other);
        // Carries go up: below the lowest unknown bit all is known.
        let low = |value: u64, known: u32| Bits::exactly(value & mask(bits)).low(known, bits);
        let fewest = (a.unknown | b.unknown).trailing_zeros();
        match (op, b.exact()) {
            (BinaryOp::And, _) => {
                let zero = |of: Bits| !of.value & !of.unknown;
                Bits::new(a.value & b.value, (a.unknown | b.unknown) & !zero(a) & !zero(b))
            }
            (BinaryOp::Or, _) => {
                let (value, unknown) = (a.value | b.value, a.unknown | b.unknown);
                Bits { value, unknown: unknown & !value }
            }
            (BinaryOp::Xor, _) => Bits::new(a.value ^ b.value, a.unknown | b.unknown),
            (BinaryOp::Add, _) => low(a.value.wrapping_add(b.value), fewest),
            (BinaryOp::Sub, _) => low(a.value.wrapping_sub(b.value), fewest),
            (BinaryOp::Mul, exact) => {
                let zeros = exact.or(a.exact()).map_or(0, |factor| factor.trailing_zeros().min(bits));
                low(a.value.wrapping_mul(b.value), fewest.saturating_add(zeros))
            }
            (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, Some(by)) if by < u64::from(bits) => {
                let shift = |of: u64| match op {
                    BinaryOp::Shl => of << by & mask(bits),
                    BinaryOp::LShr => of >> by,
                    _ => (signed(bits, of) >> by) as u64 & mask(bits),
                };
                Bits::new(shift(a.value), shift(a.unknown))
            }
            (BinaryOp::URem | BinaryOp::SRem, Some(by))
                if by.is_power_of_two()
                    && (op == BinaryOp::URem || a.part(bits - 1, 1).exact() == Some(0)) =>
            {
                a.binary(BinaryOp::And, bits, Bits::exactly(by - 1))
            }
            (BinaryOp::UDiv | BinaryOp::SDiv, Some(by))
                if by.is_power_of_two()
                    && by >> (bits - 1) == 0
                    && (op == BinaryOp::UDiv || a.part(bits - 1, 1).exact() == Some(0)) =>
            {
                a.binary(BinaryOp::LShr, bits, Bits::exactly(by.trailing_zeros().into()))
            }
            (BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem, Some(by)) => {
                let (x, y) = (a.exact(), signed(bits, by));
                let signed = |f: fn(i64, i64) -> Option<i64>| {
                    x.and_then(|x| f(signed(bits, x), y)).map(|value| value as u64 & mask(bits))
                };
                let result = match op {
                    BinaryOp::UDiv => x.and_then(|x| x.checked_div(by)),
                    BinaryOp::URem => x.and_then(|x| x.checked_rem(by)),
                    BinaryOp::SDiv => signed(i64::checked_div),
                    _ => signed(i64::checked_rem),
                };
                result.map_or(Bits::unknown(bits), Bits::exactly)
            }
            _ => Bits::unknown(bits),
        }
    }

    /// The result of a comparison of numbers of `bits` bits, one bit.
    pub fn compare(self, predicate: IntPredicate, bits: u32, other: Bits) -> Bits {
        let differ = (self.value ^ other.value) & !(self.unknown | other.unknown) != 0;
        let result = match (predicate, self.exact(), other.exact()) {
            (IntPredicate::Eq, ..) if differ => false,
            (IntPredicate::Ne, ..) if differ => true,
            (_, Some(a), Some(b)) => predicate.holds(bits, a, b),
            _ => return Bits::unknown(1),
        };
        Bits::exactly(u64::from(result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number that has these known bits.
    fn all(of: Bits, bits: u32) -> impl Iterator<Item = u64> {
        (0..1 << bits).filter(move |number| number & !of.unknown == of.value)
    }

    #[test]
    fn what_is_known_is_so() {
        const WIDTH: u32 = 3;
        let every = || {
            (0..1u64 << WIDTH).flat_map(|unknown| (0..1 << WIDTH).map(move |value| Bits::new(value, unknown)))
        };
        let named = |name| *BinaryOp::ALL.iter().find(|op| op.name() == name).unwrap();
        let operations =
            ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"];
        for op in operations.map(named) {
            for (a, b) in every().flat_map(|a| every().map(move |b| (a, b))) {
                let result = a.binary(op, WIDTH, b);
                for (x, y) in all(a, WIDTH).flat_map(|x| all(b, WIDTH).map(move |y| (x, y))) {
                    // What is exact is poison or what it is: operations on exact numbers are the definition.
                    let Some(exact) = Bits::exactly(x).binary(op, WIDTH, Bits::exactly(y)).exact() else {
                        continue;
                    };
                    assert_eq!(exact & !result.unknown, result.value, "{} {a:?} {b:?} {x} {y}", op.name());
                }
            }
        }
        assert_eq!(Bits::exactly(5).binary(named("sub"), WIDTH, Bits::exactly(6)), Bits::exactly(7));
        assert_eq!(Bits::exactly(6).binary(named("sdiv"), WIDTH, Bits::exactly(2)), Bits::exactly(7));
        assert_eq!(Bits::exactly(6).binary(named("ashr"), WIDTH, Bits::exactly(1)), Bits::exactly(7));
        assert_eq!(Bits::partly(0b010, 0b110, WIDTH).reversed(WIDTH), Bits::partly(0b010, 0b011, WIDTH));
        assert_eq!(Bits::partly(0x12, 0xff, 16).swapped(2), Bits::partly(0x1200, 0xff00, 16));
    }
}
