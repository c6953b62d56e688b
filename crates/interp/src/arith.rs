//! Arithmetic of one lane, by the LLVM Language Reference: integers as words without bits beyond their width,
//! floating-point numbers as their bits.
//!
//! Floating-point operations round to nearest even and keep denormals. `fast` flags permit other results: of them only
//! `nnan` and `ninf` are looked at, which make poison.

use wavemark_ir::float::Format;
use wavemark_ir::opcode::{BinaryOp, Flags, FloatPredicate};
use wavemark_numerics::mode::Denorm;
use wavemark_numerics::{arith, bf16, f16};

use crate::shape::{mask, sign_extend};

/// An integer operation: the result, and whether it is poison. A division by zero gives zero and poison; that it is
/// undefined behavior is seen before ([`divides`]).
#[inline(always)]
pub fn int(op: BinaryOp, flags: Flags, bits: u32, a: u64, b: u64) -> (u64, bool) {
    let (sa, sb) = (sign_extend(a, bits), sign_extend(b, bits));
    let (nuw, nsw, exact) =
        (flags.contains(Flags::NUW), flags.contains(Flags::NSW), flags.contains(Flags::EXACT));
    let fits = |wide: i128| wide == i128::from(sign_extend(wide as u64 & mask(bits), bits));
    let fits_unsigned = |wide: u128| wide <= u128::from(mask(bits));
    match op {
        BinaryOp::Add => {
            let poison = nuw && !fits_unsigned(u128::from(a) + u128::from(b))
                || nsw && !fits(i128::from(sa) + i128::from(sb));
            (a.wrapping_add(b) & mask(bits), poison)
        }
        BinaryOp::Sub => {
            let poison = nuw && a < b || nsw && !fits(i128::from(sa) - i128::from(sb));
            (a.wrapping_sub(b) & mask(bits), poison)
        }
        BinaryOp::Mul => {
            let poison = nuw && !fits_unsigned(u128::from(a) * u128::from(b))
                || nsw && !fits(i128::from(sa) * i128::from(sb));
            (a.wrapping_mul(b) & mask(bits), poison)
        }
        BinaryOp::UDiv if b == 0 => (0, true),
        BinaryOp::UDiv => (a / b, exact && !a.is_multiple_of(b)),
        BinaryOp::URem if b == 0 => (0, true),
        BinaryOp::URem => (a % b, false),
        BinaryOp::SDiv | BinaryOp::SRem if b == 0 => (0, true),
        BinaryOp::SDiv => (sa.wrapping_div(sb) as u64 & mask(bits), exact && sa.wrapping_rem(sb) != 0),
        BinaryOp::SRem => (sa.wrapping_rem(sb) as u64 & mask(bits), false),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if b >= u64::from(bits) => (0, true),
        BinaryOp::Shl => {
            let value = a << b & mask(bits);
            (value, nuw && value >> b != a || nsw && sign_extend(value, bits) >> b != sa)
        }
        BinaryOp::LShr => (a >> b, exact && a >> b << b != a),
        BinaryOp::AShr => ((sa >> b) as u64 & mask(bits), exact && a >> b << b != a),
        BinaryOp::And => (a & b, false),
        BinaryOp::Or => (a | b, flags.contains(Flags::DISJOINT) && a & b != 0),
        BinaryOp::Xor => (a ^ b, false),
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => (0, true),
    }
}

/// The same for integers of 65 to 128 bits.
pub fn wide(op: BinaryOp, flags: Flags, bits: u32, a: u128, b: u128) -> (u128, bool) {
    let all = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
    let unused = 128 - bits;
    let signed = |x: u128| ((x << unused) as i128) >> unused;
    let (sa, sb) = (signed(a), signed(b));
    let (nuw, nsw, exact) =
        (flags.contains(Flags::NUW), flags.contains(Flags::NSW), flags.contains(Flags::EXACT));
    let out = |(value, over): (i128, bool)| nsw && (over || signed(value as u128) != value);
    let out_unsigned = |(value, over): (u128, bool)| nuw && (over || value & !all != 0);
    match op {
        BinaryOp::Add => {
            (a.wrapping_add(b) & all, out(sa.overflowing_add(sb)) || out_unsigned(a.overflowing_add(b)))
        }
        BinaryOp::Sub => (a.wrapping_sub(b) & all, out(sa.overflowing_sub(sb)) || nuw && a < b),
        BinaryOp::Mul => {
            (a.wrapping_mul(b) & all, out(sa.overflowing_mul(sb)) || out_unsigned(a.overflowing_mul(b)))
        }
        BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem if b == 0 => (0, true),
        BinaryOp::UDiv => (a / b, exact && !a.is_multiple_of(b)),
        BinaryOp::URem => (a % b, false),
        BinaryOp::SDiv => (sa.wrapping_div(sb) as u128 & all, exact && sa.wrapping_rem(sb) != 0),
        BinaryOp::SRem => (sa.wrapping_rem(sb) as u128 & all, false),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if b >= u128::from(bits) => (0, true),
        BinaryOp::Shl => {
            let value = a << b & all;
            (value, nuw && value >> b != a || nsw && signed(value) >> b != sa)
        }
        BinaryOp::LShr => (a >> b, exact && a >> b << b != a),
        BinaryOp::AShr => ((sa >> b) as u128 & all, exact && a >> b << b != a),
        BinaryOp::And => (a & b, false),
        BinaryOp::Or => (a | b, flags.contains(Flags::DISJOINT) && a & b != 0),
        BinaryOp::Xor => (a ^ b, false),
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => (0, true),
    }
}

/// Whether an operation divides, so that a divisor of zero, and a quotient that does not fit, are undefined behavior.
pub fn divides(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)
}

/// A comparison of floating-point numbers of any format, which a double holds all.
#[inline(always)]
pub fn compare_floats(predicate: FloatPredicate, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::Oeq => a == b,
        FloatPredicate::Ogt => a > b,
        FloatPredicate::Oge => a >= b,
        FloatPredicate::Olt => a < b,
        FloatPredicate::Ole => a <= b,
        FloatPredicate::One => !unordered && a != b,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Uno => unordered,
        FloatPredicate::Ueq => unordered || a == b,
        FloatPredicate::Ugt => unordered || a > b,
        FloatPredicate::Uge => unordered || a >= b,
        FloatPredicate::Ult => unordered || a < b,
        FloatPredicate::Ule => unordered || a <= b,
        FloatPredicate::Une => a != b,
        FloatPredicate::True => true,
    }
}

/// The value of a number's bits.
#[inline(always)]
pub fn value(format: Format, bits: u64) -> f64 {
    match format {
        Format::Half => f64::from(f16::to_f32(bits as u16)),
        Format::BFloat => f64::from(bf16::to_f32(bits as u16)),
        Format::Float => f64::from(f32::from_bits(bits as u32)),
        Format::Double => f64::from_bits(bits),
        // No value of this format is executed.
        Format::Fp128 => f64::NAN,
    }
}

/// The nearest number of a format.
#[inline(always)]
pub fn nearest(format: Format, value: f64) -> u64 {
    match format {
        Format::Half => u64::from(f16::from_f64(value)),
        Format::BFloat => u64::from(bf16::from_f64(value)),
        Format::Float => u64::from((value as f32).to_bits()),
        Format::Double => value.to_bits(),
        Format::Fp128 => 0,
    }
}

/// An integer as a number of a format, rounded once.
pub fn of_int(format: Format, value: i128) -> u64 {
    match format {
        Format::Float => u64::from((value as f32).to_bits()),
        Format::Double => (value as f64).to_bits(),
        Format::Half | Format::BFloat | Format::Fp128 => {
            // Of a large integer, bits that a narrow format does not see become one sticky bit: exact in a double then.
            let magnitude = value.unsigned_abs();
            let spare = (128 - magnitude.leading_zeros()).saturating_sub(50);
            let kept = magnitude >> spare;
            let sticky = u128::from(kept << spare != magnitude);
            let exact = (kept | sticky) as f64 * 2f64.powi(spare as i32);
            nearest(format, if value < 0 { -exact } else { exact })
        }
    }
}

/// A number as an integer, toward zero; `None` where it does not fit.
pub fn to_int(value: f64, bits: u32, signed: bool) -> Option<u64> {
    let whole = value.trunc();
    let (low, high) = match signed {
        true => (-2f64.powi(bits as i32 - 1), 2f64.powi(bits as i32 - 1)),
        false => (0.0, 2f64.powi(bits as i32)),
    };
    // -0.5 is -0 then, which fits.
    (whole >= low && whole < high).then(|| whole as i128 as u64 & mask(bits))
}

/// A number as an integer that saturates; NaN is 0.
pub fn to_int_saturating(value: f64, bits: u32, signed: bool) -> u64 {
    if value.is_nan() {
        return 0;
    }
    to_int(value, bits, signed).unwrap_or_else(|| match (signed, value > 0.0) {
        (true, true) => mask(bits) >> 1,
        (true, false) => mask(bits) ^ mask(bits) >> 1,
        (false, true) => mask(bits),
        (false, false) => 0,
    })
}

/// A floating-point operation.
#[inline(always)]
pub fn float(op: BinaryOp, format: Format, a: u64, b: u64) -> u64 {
    match format {
        Format::Float => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            u64::from(of_f32(op, a, b).to_bits())
        }
        Format::Double => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let result = match op {
                BinaryOp::FAdd => a + b,
                BinaryOp::FSub => a - b,
                BinaryOp::FMul => a * b,
                BinaryOp::FDiv => a / b,
                _ => a % b,
            };
            result.to_bits()
        }
        // Exact, or rounded harmlessly a second time: binary32 has more than twice the bits and two.
        Format::Half => u64::from(f16::from_f32(of_f32(op, f16::to_f32(a as u16), f16::to_f32(b as u16)))),
        Format::BFloat => {
            u64::from(bf16::from_f32(of_f32(op, bf16::to_f32(a as u16), bf16::to_f32(b as u16))))
        }
        Format::Fp128 => 0,
    }
}

#[inline(always)]
fn of_f32(op: BinaryOp, a: f32, b: f32) -> f32 {
    match op {
        BinaryOp::FAdd => a + b,
        BinaryOp::FSub => a - b,
        BinaryOp::FMul => a * b,
        BinaryOp::FDiv => a / b,
        _ => a % b,
    }
}

/// a × b + c, rounded once.
#[inline(always)]
pub fn fma(format: Format, a: u64, b: u64, c: u64) -> u64 {
    match format {
        Format::Float => {
            let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
            u64::from(a.mul_add(b, c).to_bits())
        }
        Format::Double => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(),
        Format::Half => u64::from(arith::fma_f16(a as u16, b as u16, c as u16, Denorm::KEEP, false)),
        Format::BFloat => u64::from(arith::fma_bf16(a as u16, b as u16, c as u16, false)),
        Format::Fp128 => 0,
    }
}

/// Whether flags make a number poison: a NaN under `nnan`, an infinity under `ninf`.
#[inline(always)]
pub fn excluded(flags: Flags, format: Format, bits: u64) -> bool {
    let value = value(format, bits);
    flags.contains(Flags::NNAN) && value.is_nan() || flags.contains(Flags::NINF) && value.is_infinite()
}

/// The sign bit of a format.
pub const fn sign_bit(bits: u32) -> u64 {
    1 << (bits - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_make_poison() {
        let add = |flags, a, b| int(BinaryOp::Add, flags, 8, a, b);
        assert_eq!(add(Flags::empty(), 200, 100), (44, false));
        assert!(add(Flags::NUW, 200, 100).1 && !add(Flags::NSW, 200, 100).1);
        assert!(add(Flags::NSW, 100, 100).1 && !add(Flags::NUW, 100, 100).1);
        assert_eq!(int(BinaryOp::AShr, Flags::empty(), 8, 0x80, 3), (0xf0, false));
        assert!(int(BinaryOp::Shl, Flags::empty(), 32, 1, 32).1);
        assert!(int(BinaryOp::LShr, Flags::EXACT, 32, 5, 1).1);
        assert_eq!(int(BinaryOp::SDiv, Flags::empty(), 32, mask(32), 2), (0, false));
        assert_eq!(int(BinaryOp::Mul, Flags::NSW | Flags::NUW, 64, 1 << 31, 1 << 31), (1 << 62, false));
        assert!(wide(BinaryOp::Add, Flags::NUW, 100, (1 << 100) - 1, 1).1);
    }

    #[test]
    fn conversions_round_once() {
        assert_eq!(of_int(Format::BFloat, (1 << 60) + 1), u64::from(bf16::from_f32(2f32.powi(60))));
        // Half way between two, and a little more.
        let half = (1i128 << 60) + (1 << 52);
        assert_eq!(of_int(Format::BFloat, half), u64::from(bf16::from_f32(2f32.powi(60))));
        assert_ne!(of_int(Format::BFloat, half + 1), of_int(Format::BFloat, half));
        assert_eq!(to_int(-0.9, 8, false), Some(0));
        assert_eq!((to_int(-129.0, 8, true), to_int(f64::NAN, 8, true)), (None, None));
        assert_eq!(to_int_saturating(-1e9, 8, true), 0x80);
        assert_eq!(to_int_saturating(1e30, 64, true), i64::MAX as u64);
    }
}
