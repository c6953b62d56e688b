//! Numbers as the interpreter holds them: 64-bit registers, rounded to their type after every operation.
//!
//! An integer is an `i64` that is in range of its type (`uint64` keeps its bits), `bool` is 0 or 1, a float is an
//! `f64` that its format has. Rounding is to nearest, ties to even; computing in `f64` and rounding once is exact
//! for `+ - * /` and the square root of formats of at most 24 bits. Overflow gives the format's infinity; without
//! one its NaN; without that the largest finite number.
//!
//! A NaN that is only copied keeps its bits: the register holds the code beside a mark, which arithmetic drops.

use crate::dtype::Element;
use crate::expr::BinaryOp;
use wavemark_numerics::dtype::Kind;

/// An integer type: how many bits and whether they have a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Width {
    pub bits: u8,
    pub signed: bool,
}

impl Width {
    pub fn of(element: Element) -> Option<Width> {
        let bits = element.bits() as u8;
        match element.kind() {
            Kind::Signed => Some(Width { bits, signed: true }),
            Kind::Unsigned => Some(Width { bits, signed: false }),
            Kind::Bool => Some(Width { bits: 1, signed: false }),
            Kind::Float => None,
        }
    }

    /// The register of the value's low bits.
    #[inline]
    pub fn wrap(self, value: i64) -> i64 {
        let shift = 64 - u32::from(self.bits);
        if self.signed { (value << shift) >> shift } else { (((value as u64) << shift) >> shift) as i64 }
    }

    /// Registers compare and divide as unsigned numbers.
    #[inline]
    pub fn wide_unsigned(self) -> bool {
        !self.signed && self.bits == 64
    }

    /// The number in a register.
    fn number(self, register: i64) -> i128 {
        if self.wide_unsigned() { i128::from(register as u64) } else { i128::from(register) }
    }

    /// The nearest number of the type to a float, towards zero; NaN is 0.
    pub fn truncate(self, value: f64) -> i64 {
        let (low, high) = if self.signed {
            (-(1i128 << (self.bits - 1)), (1i128 << (self.bits - 1)) - 1)
        } else {
            (0, (1i128 << self.bits) - 1)
        };
        (value as i128).clamp(low, high) as i64
    }
}

/// Why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trap {
    DivisionByZero,
    /// By this many bits.
    Shift(i64, u8),
}

/// An arithmetic operator on integers of one type (comparisons and `And`/`Or` are not here).
#[inline]
pub(super) fn integer(op: BinaryOp, width: Width, left: i64, right: i64) -> Result<i64, Trap> {
    use BinaryOp::*;
    let divides = matches!(op, Div | Mod | FloorDiv | FloorMod);
    if divides && right == 0 {
        return Err(Trap::DivisionByZero);
    }
    if width.wide_unsigned() && (divides || matches!(op, Min | Max | ShiftRight)) {
        return wide(op, left as u64, right as u64).map(|value| value as i64);
    }
    let value = match op {
        Add => left.wrapping_add(right),
        Sub => left.wrapping_sub(right),
        Mul => left.wrapping_mul(right),
        Div => left.wrapping_div(right),
        Mod => left.wrapping_rem(right),
        FloorDiv => {
            let quotient = left.wrapping_div(right);
            let inexact = left.wrapping_rem(right) != 0;
            quotient - i64::from(inexact && (left < 0) != (right < 0))
        }
        FloorMod => {
            let rest = left.wrapping_rem(right);
            if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }
        }
        Min => left.min(right),
        Max => left.max(right),
        BitAnd => left & right,
        BitOr => left | right,
        BitXor => left ^ right,
        ShiftLeft | ShiftRight if !(0..i64::from(width.bits)).contains(&right) => {
            return Err(Trap::Shift(right, width.bits));
        }
        ShiftLeft => left << right,
        ShiftRight => left >> right,
        Eq | Ne | Lt | Le | Gt | Ge | And | Or => 0,
    };
    Ok(width.wrap(value))
}

fn wide(op: BinaryOp, left: u64, right: u64) -> Result<u64, Trap> {
    use BinaryOp::*;
    Ok(match op {
        Div | FloorDiv => left / right,
        Mod | FloorMod => left % right,
        Min => left.min(right),
        Max => left.max(right),
        _ if right >= 64 => return Err(Trap::Shift(right as i64, 64)),
        _ => left >> right,
    })
}

/// A comparison by the order of two numbers; `None` when one is NaN.
#[inline]
pub(super) fn compares(op: BinaryOp, order: Option<std::cmp::Ordering>) -> bool {
    use BinaryOp::*;
    match (op, order) {
        (Eq, order) => order.is_some_and(|order| order.is_eq()),
        (Ne, order) => order.is_none_or(|order| order.is_ne()),
        (Lt, order) => order.is_some_and(|order| order.is_lt()),
        (Le, order) => order.is_some_and(|order| order.is_le()),
        (Gt, order) => order.is_some_and(|order| order.is_gt()),
        (Ge, order) => order.is_some_and(|order| order.is_ge()),
        _ => false,
    }
}

/// An arithmetic operator on floats, not yet rounded; `None` for operators that floats do not have.
#[inline]
pub(super) fn float(op: BinaryOp, left: f64, right: f64) -> Option<f64> {
    use BinaryOp::*;
    Some(match op {
        Add => left + right,
        Sub => left - right,
        Mul => left * right,
        Div => left / right,
        Mod => left % right,
        FloorDiv => (left / right).floor(),
        FloorMod => left - (left / right).floor() * right,
        // As a comparison and a choice, which is what TVM's code generators make of them.
        Min => {
            if left < right {
                left
            } else {
                right
            }
        }
        Max => {
            if left > right {
                left
            } else {
                right
            }
        }
        _ => return None,
    })
}

/// `value` in the format.
#[inline]
pub(super) fn round(format: Element, value: f64) -> f64 {
    if value.is_nan() {
        return round_nan(format);
    }
    match format {
        Element::F64 => value,
        Element::F32 => f64::from(value as f32),
        _ => format.encode_float(value).map_or_else(|_| overflow(format, value), |code| format.decode(code)),
    }
}

fn round_nan(format: Element) -> f64 {
    if format.encode_float(f64::NAN).is_ok() { f64::NAN } else { 0.0 }
}

fn overflow(format: Element, value: f64) -> f64 {
    match format.encode_float(f64::INFINITY.copysign(value)) {
        Ok(code) => format.decode(code),
        Err(_) if format.encode_float(f64::NAN).is_ok() => f64::NAN,
        Err(_) => format.decode(format.encode_saturating(value)),
    }
}

/// An integer register as a float of the format.
pub(super) fn from_integer(format: Element, width: Width, register: i64) -> f64 {
    let number = width.number(register);
    match format {
        // At once: by way of `f64` it would round twice.
        Element::F32 => f64::from(number as f32),
        _ => round(format, number as f64),
    }
}

const NAN_MARK: u64 = 0x7ff8_0000_0000_0000 | 0x2bad << 37;
const NAN_MASK: u64 = 0xffff_ffe0_0000_0000;

/// The register of an element's code.
pub(super) fn to_register(element: Element, code: u64) -> u64 {
    match element.kind() {
        Kind::Bool => u64::from(code != 0),
        Kind::Signed | Kind::Unsigned => element.integer(code) as u64,
        Kind::Float if element == Element::F64 => code,
        Kind::Float => {
            let number = element.decode(code);
            if number.is_nan() { NAN_MARK | (element as u64 & 31) << 32 | code } else { number.to_bits() }
        }
    }
}

/// The code of a register.
pub(super) fn to_code(element: Element, register: u64) -> u64 {
    match element.kind() {
        Kind::Float if element == Element::F64 => register,
        Kind::Float if register & NAN_MASK == NAN_MARK && (register >> 32) & 31 == element as u64 & 31 => {
            register & 0xffff_ffff
        }
        Kind::Float if element == Element::F32 => u64::from((f64::from_bits(register) as f32).to_bits()),
        Kind::Float => element
            .encode_float(f64::from_bits(register))
            .unwrap_or_else(|_| element.encode_saturating(f64::from_bits(register))),
        _ => register,
    }
}

/// What memory holds that nobody wrote: NaN, or a number that stands out.
pub(super) fn poison(element: Element) -> u64 {
    match Width::of(element) {
        Some(width) => width.wrap(0x5a5a_5a5a_5a5a_5a5a) as u64,
        None => round(element, f64::NAN).to_bits(),
    }
}

/// A mathematical function of floats.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
}

/// The function that TVMScript calls so.
pub(super) fn function(name: &str) -> Option<Function> {
    use Function::{One, Three, Two};
    Some(match name {
        "exp" => One(f64::exp),
        "exp2" => One(f64::exp2),
        "exp10" => One(|x| 10f64.powf(x)),
        "log" => One(f64::ln),
        "log2" => One(f64::log2),
        "log10" => One(f64::log10),
        "log1p" => One(f64::ln_1p),
        "sqrt" => One(f64::sqrt),
        "rsqrt" => One(|x| 1.0 / x.sqrt()),
        "tanh" => One(f64::tanh),
        "sinh" => One(f64::sinh),
        "cosh" => One(f64::cosh),
        "asinh" => One(f64::asinh),
        "acosh" => One(f64::acosh),
        "atanh" => One(f64::atanh),
        "sin" => One(f64::sin),
        "cos" => One(f64::cos),
        "tan" => One(f64::tan),
        "asin" => One(f64::asin),
        "acos" => One(f64::acos),
        "atan" => One(f64::atan),
        "fabs" | "abs" => One(f64::abs),
        "floor" => One(f64::floor),
        "ceil" => One(f64::ceil),
        "trunc" => One(f64::trunc),
        "round" => One(f64::round),
        "nearbyint" => One(f64::round_ties_even),
        "sigmoid" => One(|x| 1.0 / (1.0 + (-x).exp())),
        "pow" | "power" => Two(f64::powf),
        "atan2" => Two(f64::atan2),
        "fmod" => Two(|x, y| x % y),
        "hypot" => Two(f64::hypot),
        "copysign" => Two(f64::copysign),
        "fma" => Three(f64::mul_add),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOp::*;

    const I32: Width = Width { bits: 32, signed: true };
    const U8: Width = Width { bits: 8, signed: false };
    const U64: Width = Width { bits: 64, signed: false };

    #[test]
    fn integers_wrap_and_floor() {
        assert_eq!(integer(Add, I32, i32::MAX.into(), 1), Ok(i32::MIN.into()));
        assert_eq!(integer(Sub, U8, 3, 5), Ok(254));
        assert_eq!(integer(FloorDiv, I32, -7, 2), Ok(-4));
        assert_eq!(integer(FloorMod, I32, -7, 2), Ok(1));
        assert_eq!(integer(FloorMod, I32, 7, -2), Ok(-1));
        assert_eq!(integer(Div, I32, -7, 2), Ok(-3));
        assert_eq!(integer(Mod, I32, -7, 2), Ok(-1));
        assert_eq!(integer(FloorDiv, Width { bits: 64, signed: true }, i64::MIN, -1), Ok(i64::MIN));
        assert_eq!(integer(FloorDiv, U64, -1, 2), Ok(i64::MAX));
        assert_eq!(integer(Mod, I32, 1, 0), Err(Trap::DivisionByZero));
        assert_eq!(integer(ShiftLeft, I32, 1, 32), Err(Trap::Shift(32, 32)));
        assert_eq!(I32.truncate(3e9), i32::MAX.into());
        assert_eq!(I32.truncate(-1.9), -1);
        assert_eq!(U64.truncate(1e30) as u64, u64::MAX);
        assert_eq!(I32.truncate(f64::NAN), 0);
    }

    #[test]
    fn floats_round_to_their_format() {
        assert_eq!(round(Element::F16, 2049.0), 2048.0);
        assert_eq!(round(Element::F16, 1e6), f64::INFINITY);
        assert_eq!(round(Element::Bf16, 257.0), 256.0);
        assert!(round(Element::F8E4M3, 1e6).is_nan());
        assert_eq!(round(Element::F4E2M1, -1e6), -6.0);
        assert_eq!(from_integer(Element::F32, U64, -1), 2f64.powi(64));
    }

    #[test]
    fn every_code_survives_a_copy() {
        for element in [Element::F16, Element::Bf16, Element::F8E4M3Fnuz, Element::I8, Element::E8M0] {
            for code in 0..1u64 << element.bits() {
                let width = Width::of(element).unwrap_or(Width { bits: element.bits() as u8, signed: false });
                let back = to_code(element, to_register(element, code));
                assert_eq!(width.wrap(back as i64), width.wrap(code as i64), "{element} {code:#x}");
            }
        }
        for code in [0x7f80_0001u64, 0xff80_0001, 0xffff_ffff, 0x8000_0000, 1] {
            assert_eq!(to_code(Element::F32, to_register(Element::F32, code)), code, "{code:#x}");
        }
    }
}
