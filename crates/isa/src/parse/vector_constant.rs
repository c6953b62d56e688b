//! Constants of vector sources: which are inline, which become literals, which are refused. LLVM's rules, which
//! differ per operand type and by whether the constant is written as an integer or as a floating number:
//!
//! * an integer stands for the operand's bits; a floating number is converted to the operand's format, and may
//!   lose precision but not overflow or underflow;
//! * a floating number in a 16-bit integer operand is its single-precision pattern;
//! * where literals can have 64 bits, 64-bit operands of the 32-bit forms take them; elsewhere a literal is 32
//!   bits, the high half of an `f64`.

use wavemark_target::InstFeature;

use super::operand::{Constant, Force};
use crate::role::Class;
use crate::row::{Encoding, OperandSpec, Row};
use crate::ty::Kind;
use crate::vector::is_wide;
use crate::{Form, Machine, Operand, inline_float_bits};

/// Where a constant is to stand.
pub(super) struct Place<'a> {
    pub(super) machine: Machine,
    pub(super) row: &'a Row,
    pub(super) spec: &'a OperandSpec,
    pub(super) encoding: &'a Encoding,
}

/// How constants of an operand behave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Treatment {
    Single,
    Int32,
    Half,
    Bfloat,
    Int16,
    /// Two halves: a floating number is the low half.
    Halves,
    /// Two bfloats.
    Bfloats,
    Double,
    Int64,
    /// The exponent of `v_ldexp_f16` where halves have no names: half-precision bits, any integer.
    HalfExponent,
}

fn treatment(place: &Place) -> Treatment {
    let ty = &place.spec.ty;
    if crate::print::vector::wide_constant(place.spec) {
        return if ty.kind == Kind::Float && ty.lanes == 1 { Treatment::Double } else { Treatment::Int64 };
    }
    match (ty.bits(), ty.kind, ty.lanes) {
        (16, Kind::Int, _)
            if place.machine.has_inst(InstFeature::True16)
                && !place.machine.real_true16()
                && place.row.traits.float_constants
                && is_wide(place.encoding.form) =>
        {
            Treatment::HalfExponent
        }
        (16, Kind::Bfloat, 1) => Treatment::Bfloat,
        // Without halves two bytes come from a 32-bit source.
        (16, Kind::Narrow, _) if !place.machine.has_inst(InstFeature::True16) => Treatment::Int32,
        (16, Kind::Float, _) => Treatment::Half,
        (16, ..) if place.row.traits.float_constants => Treatment::Half,
        (16, ..) => Treatment::Int16,
        (32, Kind::Float, 2) => Treatment::Halves,
        (32, Kind::Bfloat, 2) => Treatment::Bfloats,
        (_, Kind::Float, 1) => Treatment::Single,
        _ => Treatment::Int32,
    }
}

/// Whether a symbol whose value is not known may stand here.
pub(super) fn takes_symbols(place: &Place) -> bool {
    matches!(treatment(place), Treatment::Single | Treatment::Int32) && place.spec.ty.bits() <= 32
}

/// Whether `neg` and `abs` may apply to the constant: an integer in an `f64` operand must be inline, because what
/// its literal means is ambiguous.
pub(super) fn takes_modifiers(place: &Place, constant: &Constant) -> bool {
    match constant {
        Constant::Int(value) if treatment(place) == Treatment::Double => {
            is_wide(place.encoding.form) && inline(place.machine, *value as u64, 64, false).is_some()
        }
        _ => true,
    }
}

/// The operand for a constant; `negate` and `absolute` are folded into its value. `None` if it cannot stand here.
pub(super) fn place(
    place: &Place,
    constant: &Constant,
    force: Force,
    negate: bool,
    absolute: bool,
) -> Option<Operand> {
    let treatment = treatment(place);
    let fold = |value: u64, bits: u32| {
        let sign = 1u64 << (bits - 1);
        (if absolute { value & !sign } else { value }) ^ if negate { sign } else { 0 }
    };
    let folded = negate || absolute;
    match *constant {
        Constant::Int(value) => {
            let value = match treatment {
                Treatment::Double if folded => return double_inline_only(place, value, fold),
                Treatment::Double | Treatment::Int64 => value,
                Treatment::Half | Treatment::Bfloat if folded => fold(value as u64, 16) as i64,
                _ if folded => fold(value as u64, 32) as i64,
                _ => value,
            };
            let before = match constant {
                Constant::Int(value) => *value,
                _ => value,
            };
            integer(place, treatment, value, before, force)
        }
        Constant::Float(value) => {
            let value = f64::from_bits(fold(value.to_bits(), 64));
            float(place, treatment, value, force)
        }
        Constant::Unknown(_) => None,
    }
}

/// Integers with modifiers in an `f64` operand must be inline constants before the modifiers apply.
fn double_inline_only(place: &Place, value: i64, fold: impl Fn(u64, u32) -> u64) -> Option<Operand> {
    inline(place.machine, value as u64, 64, false)?;
    let bits = fold(value as u64, 64);
    inline(place.machine, bits, 64, false)
        .or_else(|| wide_integer(place, Treatment::Double, bits as i64, Force::None))
}

fn integer(place: &Place, treatment: Treatment, value: i64, before: i64, force: Force) -> Option<Operand> {
    let mandatory = matches!(place.spec.class, Class::Literal32);
    match treatment {
        Treatment::Double | Treatment::Int64 => {
            if place.spec.class == Class::Literal64 {
                let short = fits(value, 32) && force != Force::Lit64;
                return Some(Operand::Literal64(if short { (value as u64) << 32 } else { value as u64 }));
            }
            if force == Force::None
                && let Some(inline) = inline(place.machine, value as u64, 64, false)
            {
                return Some(inline);
            }
            wide_integer(place, treatment, value, force)
        }
        Treatment::Half | Treatment::Bfloat | Treatment::Int16 => {
            if !fits(before, 16) {
                return None;
            }
            if mandatory {
                return Some(Operand::Literal(value as u64 & 0xffff_ffff));
            }
            if force == Force::None {
                let found = match treatment {
                    Treatment::Half => inline(place.machine, value as u64 & 0xffff, 16, false),
                    Treatment::Bfloat => inline(place.machine, value as u64 & 0xffff, 16, true),
                    // Only small numbers as written; 0xffff is not −1 here.
                    _ => small(value),
                };
                if found.is_some() {
                    return found;
                }
            }
            let bits = match treatment {
                Treatment::Int16 => value as u64 & 0xffff_ffff,
                _ => value as u64 & 0xffff,
            };
            Some(Operand::Literal(if treatment == Treatment::Int16 && value >= 0 {
                bits & 0xffff
            } else {
                bits
            }))
        }
        Treatment::HalfExponent => {
            if !fits(before, 32) {
                return None;
            }
            if force == Force::None
                && let Some(inline) = inline(place.machine, value as u64 & 0xffff, 16, false)
            {
                return Some(inline);
            }
            Some(Operand::Literal(value as u64 & 0xffff))
        }
        Treatment::Single | Treatment::Int32 | Treatment::Halves | Treatment::Bfloats => {
            if !fits(before, 32) {
                return None;
            }
            let bits = value as u64 & 0xffff_ffff;
            if mandatory || force != Force::None {
                return Some(Operand::Literal(bits));
            }
            Some(packed_or_single(place, treatment, bits))
        }
    }
}

/// The inline constant of a 32-bit operand that has these bits, or the literal.
fn packed_or_single(place: &Place, treatment: Treatment, bits: u64) -> Operand {
    let found = match treatment {
        Treatment::Single | Treatment::Int32 => inline(place.machine, bits, 32, false),
        // The conversions from packed halves have no inline constants.
        Treatment::Halves if place.row.traits.no_inline => None,
        Treatment::Halves if place.row.traits.splat => splat(place.machine, bits),
        // The low half decides.
        Treatment::Halves if bits >> 16 == 0 => {
            inline(place.machine, bits, 16, false).filter(|found| !matches!(found, Operand::Int(..=-1)))
        }
        Treatment::Bfloats => small(i64::from(bits as u32 as i32)).or_else(|| {
            inline(place.machine, bits, 16, true).filter(|found| matches!(found, Operand::Float(_)))
        }),
        _ => small(i64::from(bits as u32 as i32)),
    };
    found.unwrap_or(Operand::Literal(bits))
}

/// A 64-bit source that is no inline constant.
fn wide_integer(place: &Place, treatment: Treatment, value: i64, force: Force) -> Option<Operand> {
    let literals_64 = place.machine.facts().literals_64;
    let wide_literals = literals_64 && !is_wide(place.encoding.form);
    let mandatory = place.row.operands.iter().any(|spec| spec.class == Class::Literal64);
    let short = fits(value, 32);
    // The high half of a double can stand for it where the low half is 0.
    let high_half = literals_64 && treatment == Treatment::Double && value as u32 == 0;
    if !(short || wide_literals || high_half) {
        return None;
    }
    let low = value as u64 & 0xffff_ffff;
    Some(match (force, treatment) {
        // LLVM's reading of `lit(x)` and `lit64(x)`: the low half, or all, as a 64-bit literal.
        (Force::Lit, _) if literals_64 => Operand::Literal64(low),
        (Force::Lit64, _) if literals_64 => Operand::Literal64(value as u64),
        _ if mandatory => Operand::Literal64(if short { low << 32 } else { value as u64 }),
        (_, Treatment::Double) if short => Operand::Literal(low),
        (_, Treatment::Double) if high_half => Operand::Literal(value as u64 >> 32),
        (_, Treatment::Double) => Operand::Literal64(value as u64),
        _ if wide_literals && !(0..=0x7fff_ffff).contains(&value) => Operand::Literal64(value as u64),
        _ => Operand::Literal(low),
    })
}

fn float(place: &Place, treatment: Treatment, value: f64, force: Force) -> Option<Operand> {
    let mandatory = matches!(place.spec.class, Class::Literal32);
    match treatment {
        Treatment::Double | Treatment::Int64 => {
            let bits = value.to_bits();
            if place.spec.class == Class::Literal64 {
                return Some(Operand::Literal64(bits));
            }
            if force == Force::None
                && let Some(inline) = inline(place.machine, bits, 64, false)
            {
                return Some(inline);
            }
            if treatment == Treatment::Int64 {
                return None;
            }
            if place.machine.facts().literals_64 && is_wide(place.encoding.form) {
                match force {
                    Force::Lit64 => return Some(Operand::Literal64(bits & !0xffff_ffff)),
                    Force::Lit => return Some(Operand::Literal64(bits >> 32)),
                    Force::None => {}
                }
            }
            if place.machine.facts().literals_64 && !is_wide(place.encoding.form) {
                let mandatory = place.row.operands.iter().any(|spec| spec.class == Class::Literal64);
                match force {
                    Force::Lit64 => return Some(Operand::Literal64(bits)),
                    // LLVM's reading of `lit(1.5)`: the high half, as 64 bits.
                    Force::Lit => return Some(Operand::Literal64(bits >> 32)),
                    Force::None if bits as u32 != 0 || mandatory => return Some(Operand::Literal64(bits)),
                    Force::None => {}
                }
            }
            Some(Operand::Literal(bits >> 32))
        }
        Treatment::Half | Treatment::Halves | Treatment::HalfExponent => {
            let bits = match narrow(value, 5, 10) {
                Some(bits) => u64::from(bits),
                None if treatment == Treatment::HalfExponent => u64::from(narrow_saturating(value)),
                None => return None,
            };
            // An integer that LLVM's SDWA takes no float of but those that halves and singles have alike.
            let exponent = place.spec.ty.kind == Kind::Int && place.encoding.form == Form::Sdwa;
            if exponent && inline_float_bits(248, 16, false) == Some(bits & 0x7fff) {
                return None;
            }
            if mandatory || force != Force::None {
                return Some(Operand::Literal(bits));
            }
            if treatment == Treatment::Halves {
                return Some(packed_or_single(place, treatment, bits));
            }
            Some(inline(place.machine, bits, 16, false).unwrap_or(Operand::Literal(bits)))
        }
        Treatment::Bfloat | Treatment::Bfloats => {
            // LLVM asks whether a half could hold the number.
            if treatment == Treatment::Bfloat {
                narrow(value, 5, 10)?;
            }
            // LLVM keeps 1/2π from being rounded up, but in a literal.
            let bits = if value.to_bits() == 0x3fc4_5f30_6725_feed && force == Force::None {
                0x3e22
            } else {
                u64::from(narrow(value, 8, 7)?)
            };
            if force != Force::None {
                return Some(Operand::Literal(bits));
            }
            if treatment == Treatment::Bfloats {
                return Some(packed_or_single(place, treatment, bits));
            }
            Some(inline(place.machine, bits, 16, true).unwrap_or(Operand::Literal(bits)))
        }
        Treatment::Single | Treatment::Int32 | Treatment::Int16 => {
            // A 16-bit operand must be able to hold the number as a half, though it gets the single pattern.
            if treatment == Treatment::Int16 {
                let half = narrow(value, 5, 10)?;
                // Where there are no literals, the half must be an inline constant's.
                let exact = inline_float_bits(248, 16, false) != Some(u64::from(half & 0x7fff));
                let extended = matches!(place.encoding.form, Form::Sdwa | Form::E64Dpp16 | Form::E64Dpp8);
                if !exact && extended {
                    return None;
                }
            }
            let bits = u64::from(super::literal::to_f32(value)?.to_bits());
            if mandatory || force != Force::None {
                return Some(Operand::Literal(bits));
            }
            Some(inline(place.machine, bits, 32, false).unwrap_or(Operand::Literal(bits)))
        }
    }
}

/// Whether the value is a signed or unsigned number of so many bits.
fn fits(value: i64, bits: u32) -> bool {
    value >= -(1i64 << (bits - 1)) && value < (1i64 << bits)
}

/// The inline integer constant.
fn small(value: i64) -> Option<Operand> {
    (-16..=64).contains(&value).then_some(Operand::Int(value as i8))
}

/// The inline constant with these bits in an operand of so many.
pub(crate) fn inline(machine: Machine, bits: u64, width: u32, bf16: bool) -> Option<Operand> {
    // 1/2π came with gfx8.
    let last = if machine.has_inst(InstFeature::Inv2piInlineImm) { 248 } else { 247 };
    let signed = match width {
        16 => i64::from(bits as u16 as i16),
        32 => i64::from(bits as u32 as i32),
        _ => bits as i64,
    };
    small(signed).or_else(|| {
        (240..=last).find(|&code| inline_float_bits(code, width, bf16) == Some(bits)).map(Operand::Float)
    })
}

/// The inline constant that stands for two halves with these bits: the same one in both, or a small number.
pub(crate) fn splat(machine: Machine, bits: u64) -> Option<Operand> {
    small(i64::from(bits as u32 as i32)).or_else(|| {
        (bits >> 16 == bits & 0xffff).then(|| inline(machine, bits & 0xffff, 16, false)).flatten()
    })
}

/// To a binary format of `exponent` and `mantissa` bits, round to nearest even; `None` on overflow or underflow.
fn narrow(value: f64, exponent: u32, mantissa: u32) -> Option<u16> {
    super::literal::narrow(value, exponent, mantissa)
}

/// To half precision, infinite on overflow and zero on underflow.
fn narrow_saturating(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.abs() > 1.0 { sign | 0x7c00 } else { sign }
}
