//! Functions of one lane that intrinsics are: of floating-point numbers in any format, of integers of any width.
//!
//! The generic ones (`llvm.sqrt`, `llvm.tanh`) are taken in binary64 and rounded once; those of the hardware
//! (`llvm.amdgcn.exp2`) are the instructions' approximations, from `numerics`.

use wavemark_ir::float::Format;
use wavemark_numerics::mode::Denorm;
use wavemark_numerics::{arith, class, div, integral, minmax, transcendental as hardware};

use crate::arith::{nearest, sign_bit, value};
use crate::shape::{mask, sign_extend};

/// A function of a floating-point number, by its format.
pub type Float1 = fn(Format, u64) -> u64;
/// A function of two.
pub type Float2 = fn(Format, u64, u64) -> u64;
/// A function of three.
pub type Float3 = fn(Format, u64, u64, u64) -> u64;
/// A function of an integer, by its bits.
pub type Int1 = fn(u32, u64) -> u64;
/// A function of two.
pub type Int2 = fn(u32, u64, u64) -> u64;
/// A function of three.
pub type Int3 = fn(u32, u64, u64, u64) -> u64;

/// Declares functions that are taken in binary64.
macro_rules! in_double {
    ($($(#[$doc:meta])* $name:ident($x:ident) = $body:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(format: Format, bits: u64) -> u64 {
            let $x = value(format, bits);
            nearest(format, $body)
        }
    )*};
}

in_double! {
    /// Square root.
    sqrt(x) = x.sqrt();
    /// Hyperbolic tangent.
    tanh(x) = x.tanh();
    /// Toward -∞.
    floor(x) = x.floor();
    /// Toward +∞.
    ceil(x) = x.ceil();
    /// Toward zero.
    trunc(x) = x.trunc();
    /// To the nearest integer, ties to even.
    round_even(x) = x.round_ties_even();
    /// To the nearest integer, ties away from zero.
    round(x) = x.round();
    /// A NaN is quiet.
    canonicalize(x) = x;
}

/// xʸ.
pub fn pow(format: Format, a: u64, b: u64) -> u64 {
    nearest(format, value(format, a).powf(value(format, b)))
}

/// Without its sign.
pub fn fabs(format: Format, a: u64) -> u64 {
    a & !sign_bit(format.bits())
}

/// With the sign of the other.
pub fn copysign(format: Format, a: u64, b: u64) -> u64 {
    let sign = sign_bit(format.bits());
    a & !sign | b & sign
}

/// Declares minima and maxima of all formats.
macro_rules! extrema {
    ($($(#[$doc:meta])* $name:ident = $of:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(format: Format, a: u64, b: u64) -> u64 {
            match format {
                Format::Half => u64::from(minmax::f16::$of(a as u16, b as u16)),
                Format::BFloat => u64::from(minmax::bf16::$of(a as u16, b as u16)),
                Format::Float => u64::from(minmax::f32::$of(a as u32, b as u32)),
                Format::Double => minmax::f64::$of(a, b),
                Format::Fp128 => 0,
            }
        }
    )*};
}

extrema! {
    /// The smaller one; a number rather than a NaN.
    min_num = min_num;
    /// The greater one; a number rather than a NaN.
    max_num = max_num;
    /// The smaller one; NaN if either is.
    minimum = minimum;
    /// The greater one; NaN if either is.
    maximum = maximum;
}

/// The median of three.
pub fn med3(format: Format, a: u64, b: u64, c: u64) -> u64 {
    match format {
        Format::Half => u64::from(minmax::f16::med3_num(a as u16, b as u16, c as u16)),
        Format::BFloat => u64::from(minmax::bf16::med3_num(a as u16, b as u16, c as u16)),
        Format::Float => u64::from(minmax::f32::med3_num(a as u32, b as u32, c as u32)),
        Format::Double => minmax::f64::med3_num(a, b, c),
        Format::Fp128 => 0,
    }
}

/// Declares approximations of the hardware.
macro_rules! approximations {
    ($($(#[$doc:meta])* $name:ident: $f32:ident, $f16:expr, $bf16:expr, $f64:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(format: Format, x: u64) -> u64 {
            match format {
                Format::Float => u64::from(hardware::$f32(f32::from_bits(x as u32)).to_bits()),
                Format::Half => u64::from(($f16)(x as u16)),
                Format::BFloat => u64::from(($bf16)(x as u16)),
                Format::Double => ($f64)(f64::from_bits(x)).to_bits(),
                Format::Fp128 => 0,
            }
        }
    )*};
}

approximations! {
    /// 1/x.
    rcp: rcp_f32, |x| hardware::rcp_f16(x, false), hardware::rcp_bf16, hardware::rcp_f64;
    /// 1/√x.
    rsq: rsq_f32, hardware::rsq_f16, hardware::rsq_bf16, hardware::rsq_f64;
    /// √x.
    hw_sqrt: sqrt_f32, hardware::sqrt_f16, hardware::sqrt_bf16, hardware::sqrt_f64;
    /// 2ˣ.
    hw_exp2: exp2_f32, |x| hardware::exp2_f16(x, false), hardware::exp2_bf16, f64::exp2;
    /// log₂ x.
    hw_log2: log2_f32, hardware::log2_f16, hardware::log2_bf16, f64::log2;
    /// sin 2πx.
    hw_sin: sin_f32, hardware::sin_f16, hardware::sin_bf16, |x: f64| (x * std::f64::consts::TAU).sin();
    /// cos 2πx.
    hw_cos: cos_f32, hardware::cos_f16, hardware::cos_bf16, |x: f64| (x * std::f64::consts::TAU).cos();
    /// tanh x.
    hw_tanh: tanh_f32, hardware::tanh_f16, hardware::tanh_bf16, f64::tanh;
}

/// x − ⌊x⌋, below 1.
pub fn fract(format: Format, x: u64) -> u64 {
    match format {
        Format::Half => u64::from(integral::fract_f16(x as u16)),
        Format::Double => integral::fract_f64(f64::from_bits(x)).to_bits(),
        Format::Float => u64::from(integral::fract_f32(f32::from_bits(x as u32)).to_bits()),
        Format::BFloat | Format::Fp128 => nearest(format, value(format, x) - value(format, x).floor()),
    }
}

/// The significand in ±[0.5, 1).
pub fn frexp_mant(format: Format, x: u64) -> u64 {
    nearest(format, integral::frexp_mant_f64(value(format, x)))
}

/// Its exponent.
pub fn frexp_exp(format: Format, x: u64) -> i32 {
    integral::frexp_exp_f64(value(format, x))
}

/// x × 2ⁿ.
pub fn ldexp(format: Format, x: u64, n: i32) -> u64 {
    match format {
        Format::Half => {
            let n = n.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
            u64::from(integral::ldexp_f16(x as u16, n, false))
        }
        Format::Float => u64::from(integral::ldexp_f32(f32::from_bits(x as u32), n).to_bits()),
        _ => nearest(format, integral::ldexp_f64(value(format, x), n)),
    }
}

/// Whether a number is of one of the classes of `classes`, which `llvm.is.fpclass` and `llvm.amdgcn.class` number alike.
pub fn is_class(format: Format, x: u64, classes: u32) -> bool {
    match format {
        Format::Half => class::is_class_f16(x as u16, classes),
        Format::Float => class::is_class_f32(x as u32, classes),
        Format::Double => class::is_class_f64(x, classes),
        Format::BFloat => class::is_class_bf16(x as u16, classes),
        Format::Fp128 => false,
    }
}

/// The quotient with the special cases of a division.
pub fn div_fixup(format: Format, a: u64, b: u64, c: u64) -> u64 {
    match format {
        Format::Half => u64::from(div::div_fixup_f16(a as u16, b as u16, c as u16)),
        Format::Double => {
            div::div_fixup_f64(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)).to_bits()
        }
        _ => {
            let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
            u64::from(div::div_fixup_f32(a, b, c).to_bits())
        }
    }
}

/// a × b, where a zero gives zero whatever the other is.
pub fn mul_legacy(_: Format, a: u64, b: u64) -> u64 {
    let [a, b] = [a, b].map(|x| f32::from_bits(x as u32));
    u64::from(arith::mul_dx9_zero_f32(a, b, Denorm::KEEP).to_bits())
}

/// a × b + c, where a zero factor gives c.
pub fn fma_legacy(_: Format, a: u64, b: u64, c: u64) -> u64 {
    let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
    u64::from(arith::fma_dx9_zero_f32(a, b, c, Denorm::KEEP).to_bits())
}

/// Greater of two signed integers.
pub fn smax(bits: u32, a: u64, b: u64) -> u64 {
    if sign_extend(a, bits) > sign_extend(b, bits) { a } else { b }
}

/// Smaller of two signed integers.
pub fn smin(bits: u32, a: u64, b: u64) -> u64 {
    if sign_extend(a, bits) < sign_extend(b, bits) { a } else { b }
}

/// Greater of two unsigned integers.
pub fn umax(_: u32, a: u64, b: u64) -> u64 {
    a.max(b)
}

/// Smaller of two unsigned integers.
pub fn umin(_: u32, a: u64, b: u64) -> u64 {
    a.min(b)
}

/// Bits that are set.
pub fn ctpop(_: u32, a: u64) -> u64 {
    a.count_ones().into()
}

/// Zeros above the highest bit that is set.
pub fn ctlz(bits: u32, a: u64) -> u64 {
    (a.leading_zeros() - (64 - bits)).into()
}

/// Zeros below the lowest bit that is set.
pub fn cttz(bits: u32, a: u64) -> u64 {
    a.trailing_zeros().min(bits).into()
}

/// The bits the other way around.
pub fn bitreverse(bits: u32, a: u64) -> u64 {
    a.reverse_bits() >> (64 - bits)
}

/// The bytes the other way around.
pub fn bswap(bits: u32, a: u64) -> u64 {
    a.swap_bytes() >> (64 - bits)
}

/// The value without its sign.
pub fn abs(bits: u32, a: u64) -> u64 {
    sign_extend(a, bits).unsigned_abs() & mask(bits)
}

/// The upper half of a and b side by side, shifted left.
pub fn fshl(bits: u32, a: u64, b: u64, by: u64) -> u64 {
    let by = (by % u64::from(bits)) as u32;
    let both = u128::from(a) << bits | u128::from(b);
    (both << by >> bits) as u64 & mask(bits)
}

/// The lower half of a and b side by side, shifted right.
pub fn fshr(bits: u32, a: u64, b: u64, by: u64) -> u64 {
    let by = (by % u64::from(bits)) as u32;
    let both = u128::from(a) << bits | u128::from(b);
    (both >> by) as u64 & mask(bits)
}

fn saturate(bits: u32, wide: i128) -> u64 {
    let most = i128::from(mask(bits) >> 1);
    wide.clamp(-most - 1, most) as u64 & mask(bits)
}

/// A signed sum that saturates.
pub fn sadd_sat(bits: u32, a: u64, b: u64) -> u64 {
    saturate(bits, i128::from(sign_extend(a, bits)) + i128::from(sign_extend(b, bits)))
}

/// A signed difference that saturates.
pub fn ssub_sat(bits: u32, a: u64, b: u64) -> u64 {
    saturate(bits, i128::from(sign_extend(a, bits)) - i128::from(sign_extend(b, bits)))
}

/// An unsigned sum that saturates.
pub fn uadd_sat(bits: u32, a: u64, b: u64) -> u64 {
    (u128::from(a) + u128::from(b)).min(mask(bits).into()) as u64
}

/// An unsigned difference that saturates.
pub fn usub_sat(_: u32, a: u64, b: u64) -> u64 {
    a.saturating_sub(b)
}

/// A bit field without sign.
pub fn ubfe(bits: u32, a: u64, offset: u64, width: u64) -> u64 {
    let (offset, width) = (offset as u32 & (bits - 1), width as u32 & (bits - 1));
    a >> offset & mask(width)
}

/// A bit field with sign.
pub fn sbfe(bits: u32, a: u64, offset: u64, width: u64) -> u64 {
    let (offset, width) = (offset as u32 & (bits - 1), width as u32 & (bits - 1));
    if width == 0 {
        return 0;
    }
    let field = a >> offset & mask(width);
    let width = if offset + width > bits { bits - offset } else { width };
    sign_extend(field, width) as u64 & mask(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        assert_eq!(fshl(32, 0x1234_5678, 0x9abc_def0, 8), 0x3456_789a);
        assert_eq!(fshr(32, 0x1234_5678, 0x9abc_def0, 8), 0x789a_bcde);
        assert_eq!(fshr(32, 1, 2, 32), 2);
        assert_eq!((ctlz(8, 0), ctlz(8, 1), cttz(8, 0), bitreverse(6, 1)), (8, 7, 8, 32));
        assert_eq!((sadd_sat(8, 100, 100), ssub_sat(8, 0x80, 1), usub_sat(8, 1, 2)), (127, 0x80, 0));
        assert_eq!((smax(8, 0xff, 1), abs(8, 0x80), bswap(16, 0x1234)), (1, 0x80, 0x3412));
        assert_eq!((ubfe(32, 0xabcd, 4, 8), sbfe(32, 0xabcd, 4, 8)), (0xbc, 0xffff_ffbc));
    }

    #[test]
    fn numbers() {
        let one = u64::from(1f32.to_bits());
        assert_eq!(f32::from_bits(hw_exp2(Format::Float, one) as u32), 2.0);
        assert_eq!(med3(Format::Float, one, 0, u64::from(2f32.to_bits())), one);
        assert_eq!(copysign(Format::Half, 0x3c00, 0x8000), 0xbc00);
        assert_eq!(f32::from_bits(ldexp(Format::Float, one, 3) as u32), 8.0);
    }
}
