//! Constants of source operands: which are inline, which become literals, which are refused.
//!
//! LLVM's rules: an integer that equals an inline constant's bits is that constant; a floating number is
//! converted to the operand's type first; 16-bit operands compare their low 16 bits.

use super::expected::INVALID;
use super::operand::Force;
use crate::role::Class;
use crate::row::OperandSpec;
use crate::ty::Kind;
use wavemark_target::InstFeature;

use crate::{Machine, Operand, inline_float_bits};

/// The operand for an integer constant.
///
/// # Errors
/// The message when the value does not fit.
pub(crate) fn integer(
    machine: Machine,
    spec: &OperandSpec,
    value: i64,
    force: Force,
) -> Result<Operand, &'static str> {
    integer_in(machine, spec, value, force, false)
}

/// The same in an encoding of 32 bits if `short`: there gfx1250 takes 64-bit literals without being told.
///
/// # Errors
/// The message when the value does not fit.
pub(crate) fn integer_in(
    machine: Machine,
    spec: &OperandSpec,
    value: i64,
    force: Force,
    short: bool,
) -> Result<Operand, &'static str> {
    let bits = element_bits(spec);
    if matches!(spec.class, Class::Literal32) {
        return if fits(value, 32) { Ok(Operand::Literal(u64::from(value as u32))) } else { Err(INVALID) };
    }
    if matches!(spec.class, Class::Literal64) {
        return Ok(Operand::Literal64(value as u64));
    }
    if force == Force::None
        && let Some(inline) = inline_integer(machine, spec, value)
    {
        return Ok(inline);
    }
    if bits == 64 {
        if machine.facts().literals_64 {
            // A 32-bit literal is sign-extended for integers, the high half for f64.
            let narrow = match spec.ty.kind {
                Kind::Float => fits(value, 32),
                _ if short => (0..=0x7fff_ffff).contains(&value),
                _ => fits(value, 32),
            };
            match force {
                // LLVM's reading of `lit(x)`: the low half, as a 64-bit literal.
                Force::Lit => return Ok(Operand::Literal64(u64::from(value as u32))),
                Force::None if !short || narrow => {}
                _ => return Ok(Operand::Literal64(value as u64)),
            }
        }
        if !fits(value, 32) {
            return Err(INVALID);
        }
        return Ok(Operand::Literal(u64::from(value as u32)));
    }
    if !fits(value, bits) {
        return Err(INVALID);
    }
    let mask = if bits == 16 { 0xffff } else { 0xffff_ffff };
    Ok(Operand::Literal(value as u64 & mask))
}

/// The operand for a floating constant.
///
/// # Errors
/// The message when the operand takes no such number.
pub(crate) fn float(
    machine: Machine,
    spec: &OperandSpec,
    value: f64,
    force: Force,
) -> Result<Operand, &'static str> {
    float_in(machine, spec, value, force, false)
}

/// The same in an encoding of 32 bits if `short`.
///
/// # Errors
/// The message when the operand takes no such number.
pub(crate) fn float_in(
    machine: Machine,
    spec: &OperandSpec,
    value: f64,
    force: Force,
    short: bool,
) -> Result<Operand, &'static str> {
    let bits = element_bits(spec);
    if bits == 64 {
        let pattern = value.to_bits();
        if force == Force::None
            && let Some(inline) = inline_integer(machine, spec, pattern as i64)
        {
            return Ok(inline);
        }
        if spec.ty.kind != Kind::Float {
            return Err(INVALID);
        }
        if machine.facts().literals_64 {
            match force {
                // LLVM puts the high half where the literal's low half goes.
                Force::Lit => return Ok(Operand::Literal64(pattern >> 32)),
                Force::Lit64 if short => return Ok(Operand::Literal64(pattern)),
                // The low half is lost, with a warning in LLVM.
                Force::Lit64 => return Ok(Operand::Literal64(pattern >> 32 << 32)),
                Force::None if short && pattern as u32 != 0 => return Ok(Operand::Literal64(pattern)),
                Force::None => {}
            }
        }
        return Ok(Operand::Literal(pattern >> 32));
    }
    let pattern = match (bits, spec.ty.kind) {
        (16, Kind::Bfloat) => u64::from(to_bf16(value).ok_or(INVALID)?),
        (16, _) => u64::from(to_f16(value).ok_or(INVALID)?),
        _ => u64::from(to_f32(value).ok_or(INVALID)?.to_bits()),
    };
    if matches!(spec.class, Class::Literal32) {
        // LLVM takes 0 for a floating number here, silently: refuse it.
        if !spec.ty.is_float() {
            return Err(INVALID);
        }
        return Ok(Operand::Literal(pattern));
    }
    if force == Force::None {
        let signed =
            if bits == 16 { i64::from(pattern as u16 as i16) } else { i64::from(pattern as u32 as i32) };
        if let Some(inline) = inline_integer(machine, spec, signed) {
            return Ok(inline);
        }
    }
    Ok(Operand::Literal(pattern))
}

/// Whether a literal has the value that an inline constant has for the operand.
pub(crate) fn is_inline_value(machine: Machine, spec: &OperandSpec, literal: Operand) -> bool {
    let value = match literal {
        Operand::Literal(bits) => match element_bits(spec) {
            16 if bits <= 0xffff => i64::from(bits as u16 as i16),
            // The 32 bits are the high half of an f64, the zero-extended whole of an integer.
            64 if spec.ty.kind == Kind::Float => (bits << 32) as i64,
            64 => i64::from(bits as u32),
            _ => i64::from(bits as u32 as i32),
        },
        Operand::Literal64(bits) => bits as i64,
        _ => return false,
    };
    // Of a pair the number is that of both halves: with an upper one of 0 it is not below 0.
    let is_pair = spec.ty.lanes == 2 && matches!(literal, Operand::Literal(..=0xffff));
    let found = inline_integer(machine, spec, value)
        .filter(|found| !(is_pair && matches!(found, Operand::Int(..=-1))));
    !matches!(spec.class, Class::Literal32 | Class::Literal64) && found.is_some()
}

/// Width that constants of the operand have: that of one element.
pub(crate) fn element_bits(spec: &OperandSpec) -> u32 {
    match spec.ty.elem_bits {
        16 => 16,
        64 => 64,
        _ if spec.ty.bits() == 64 && spec.ty.lanes == 1 => 64,
        _ => 32,
    }
}

/// Whether the value is a signed or unsigned number of so many bits.
fn fits(value: i64, bits: u32) -> bool {
    bits >= 64 || (value >= -(1i64 << (bits - 1)) && value < (1i64 << bits))
}

/// The inline constant that has the value's bits as an operand of this type.
fn inline_integer(machine: Machine, spec: &OperandSpec, value: i64) -> Option<Operand> {
    let bits = element_bits(spec);
    if !fits(value, bits) {
        return None;
    }
    let signed = match bits {
        16 => i64::from(value as i16),
        32 => i64::from(value as i32),
        _ => value,
    };
    if (-16..=64).contains(&signed) {
        return Some(Operand::Int(signed as i8));
    }
    // 16-bit integer operands see the float constants as 32-bit patterns: no 16-bit value equals one.
    if bits == 16 && !spec.ty.is_float() {
        return None;
    }
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let bf16 = spec.ty.kind == Kind::Bfloat;
    // 1/2π came with gfx8.
    let last = if machine.has_inst(InstFeature::Inv2piInlineImm) { 248 } else { 247 };
    (240..=last)
        .find(|&code| inline_float_bits(code, bits, bf16) == Some(value as u64 & mask))
        .map(Operand::Float)
}

/// To single precision, round to nearest even; `None` when it overflows or underflows (subnormal and not exact).
pub(super) fn to_f32(value: f64) -> Option<f32> {
    let single = value as f32;
    let overflows = single.is_infinite() && value.is_finite();
    let underflows = single.abs() < f32::MIN_POSITIVE && f64::from(single) != value;
    (!overflows && !underflows).then_some(single)
}

/// To half precision, round to nearest even; `None` when it overflows or underflows to nothing.
fn to_f16(value: f64) -> Option<u16> {
    narrow(value, 5, 10)
}

/// To bfloat16, round to nearest even.
fn to_bf16(value: f64) -> Option<u16> {
    narrow(value, 8, 7)
}

/// To a binary format of `exponent` and `mantissa` bits; `None` on overflow or underflow, which LLVM refuses
/// (loss of precision is allowed).
pub(super) fn narrow(value: f64, exponent: u32, mantissa: u32) -> Option<u16> {
    let sign = ((value.to_bits() >> 63) as u16) << 15;
    if value == 0.0 {
        return Some(sign);
    }
    let bias = (1i64 << (exponent - 1)) - 1;
    let raw = value.to_bits();
    let source_exponent = ((raw >> 52) & 0x7ff) as i64 - 1023;
    let significand = (raw & ((1 << 52) - 1)) | 1 << 52;
    let (biased, shift) = if source_exponent + bias >= 1 {
        (source_exponent + bias, 52 - i64::from(mantissa))
    } else {
        (0, 52 - i64::from(mantissa) + 1 - (source_exponent + bias))
    };
    if shift > 63 {
        return None;
    }
    let kept = significand >> shift;
    let rest = significand & ((1 << shift) - 1);
    let half = 1u64 << (shift - 1);
    let round = u64::from(rest > half || (rest == half && kept & 1 == 1));
    // For normal numbers the hidden bit adds one to the exponent field.
    let base = if biased > 0 { (biased as u64 - 1) << mantissa } else { 0 };
    let bits = base + kept + round;
    if bits >> mantissa >= (1 << exponent) - 1 {
        return None;
    }
    // An inexact subnormal is an underflow.
    if biased == 0 && rest != 0 {
        return None;
    }
    Some(sign | bits as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_floats() {
        assert_eq!(to_f16(1.0), Some(0x3c00));
        assert_eq!(to_f16(-2.5), Some(0xc100));
        assert_eq!(to_f16(65504.0), Some(0x7bff));
        assert_eq!(to_f16(65536.0), None);
        assert_eq!(to_f16(0.1), Some(0x2e66));
        assert_eq!((to_f32(1e39), to_f32(1e-41), to_f32(1e-60)), (None, None, None));
        assert_eq!(to_f32(-0.0), Some(-0.0));
        assert_eq!(to_f32(2f64.powi(-140)), Some(2f32.powi(-140)));
        assert_eq!(to_bf16(1.0), Some(0x3f80));
        assert_eq!(to_bf16(0.1), Some(0x3dcd));
    }
}
