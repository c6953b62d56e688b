//! Exponentials and logarithms as LLVM lowers them. The language reference leaves open how exact they are; taken as they
//! are lowered they are what the code of the same kernel gives.
//!
//! Follows `AMDGPUTargetLowering` (`lowerFEXP`, `lowerFEXP2`, `LowerFLOG2`, `LowerFLOGCommon`) for binary32 with subnormal
//! numbers and a fused multiply-add that costs no more than a multiply, and for binary16 with instructions for it. What fast
//! flags would allow is not done. Other formats LLVM does not lower: they are taken in binary64 and rounded once.

use wavemark_ir::float::Format;

use super::scalar::{hw_exp2, hw_log2};
use crate::arith::{nearest, value};

/// The least number that is not subnormal.
const SMALLEST_NORMAL: f32 = f32::MIN_POSITIVE;

fn hardware(f: fn(Format, u64) -> u64, x: f32) -> f32 {
    f32::from_bits(f(Format::Float, x.to_bits().into()) as u32)
}

/// By its function in binary32, in binary16 by that in `half`, else in binary64.
fn by_format(
    format: Format,
    bits: u64,
    single: impl Fn(f32) -> f32,
    half: impl Fn(f32) -> Option<f32>,
    double: impl Fn(f64) -> f64,
) -> u64 {
    let x = value(format, bits);
    match format {
        Format::Float => single(f32::from_bits(bits as u32)).to_bits().into(),
        Format::Half => match half(x as f32) {
            Some(result) => nearest(format, result.into()),
            None => nearest(format, double(x)),
        },
        _ => nearest(format, double(x)),
    }
}

/// What an exponential is made of: the factor that its argument has as a power of two, in two parts, and beyond which
/// arguments it is 0 or infinite.
struct Base {
    factor: f32,
    rest: f32,
    underflow: f32,
    overflow: f32,
}

fn exponential(base: &Base, x: f32) -> f32 {
    let high = x * base.factor;
    let low = x.mul_add(base.rest, x.mul_add(base.factor, -high));
    let whole = high.round_ties_even();
    let power = hardware(hw_exp2, high - whole + low);
    let result = scaled(power, whole);
    if x < base.underflow {
        0.0
    } else if x > base.overflow {
        f32::INFINITY
    } else {
        result
    }
}

/// x · 2ⁿ.
fn scaled(x: f32, n: f32) -> f32 {
    let n = if n.is_nan() { 0 } else { n as i32 };
    f32::from_bits(super::scalar::ldexp(Format::Float, x.to_bits().into(), n) as u32)
}

/// eˣ.
pub fn exp(format: Format, bits: u64) -> u64 {
    let base = Base {
        factor: std::f32::consts::LOG2_E,
        rest: f32::from_bits(0x32a5_705f),
        underflow: f32::from_bits(0xc2ce_8ed0),
        overflow: f32::from_bits(0x42b1_7218),
    };
    let half = |x: f32| Some(hardware(hw_exp2, x * std::f32::consts::LOG2_E));
    by_format(format, bits, |x| exponential(&base, x), half, f64::exp)
}

/// 10ˣ.
pub fn exp10(format: Format, bits: u64) -> u64 {
    let base = Base {
        factor: f32::from_bits(0x4054_9a78),
        rest: f32::from_bits(0x3397_9a37),
        underflow: f32::from_bits(0xc233_69f4),
        overflow: f32::from_bits(0x421a_209b),
    };
    by_format(format, bits, |x| exponential(&base, x), |_| None, |x| 10f64.powf(x))
}

/// 2ˣ.
pub fn exp2(format: Format, bits: u64) -> u64 {
    if format == Format::Half {
        return hw_exp2(format, bits);
    }
    let single = |x: f32| {
        let small = x < f32::from_bits(0xc2fc_0000);
        let (offset, factor) = if small { (64.0, f32::from_bits(0x1f80_0000)) } else { (0.0, 1.0) };
        hardware(hw_exp2, x + offset) * factor
    };
    by_format(format, bits, single, |_| None, f64::exp2)
}

/// The logarithm to base 2 that the hardware gives of a number that is made normal, and whether it was.
fn logarithm(x: f32) -> (f32, bool) {
    let small = x < SMALLEST_NORMAL;
    (hardware(hw_log2, if small { x * f32::from_bits(0x4f80_0000) } else { x }), small)
}

fn of_base(x: f32, factor: f32, rest: f32, shift: f32) -> f32 {
    let (y, small) = logarithm(x);
    let high = y * factor;
    let result = high + y.mul_add(rest, y.mul_add(factor, -high));
    let result = if y.abs() < f32::INFINITY { result } else { y };
    result - if small { shift } else { 0.0 }
}

/// In binary16: the hardware's logarithm to base 2, times the factor.
fn of_base_in_half(bits: u64, factor: f64) -> u64 {
    let format = Format::Half;
    let factor = value(format, nearest(format, factor));
    nearest(format, value(format, hw_log2(format, bits)) * factor)
}

/// Natural logarithm.
pub fn log(format: Format, bits: u64) -> u64 {
    if format == Format::Half {
        return of_base_in_half(bits, std::f64::consts::LN_2);
    }
    // The factor is ln 2 cut off, not rounded: the rest has what is missing.
    let (factor, rest) = (f32::from_bits(0x3f31_7217), f32::from_bits(0x3377_d1cf));
    let single = |x| of_base(x, factor, rest, f32::from_bits(0x41b1_7218));
    by_format(format, bits, single, |_| None, f64::ln)
}

/// Logarithm to base 10.
pub fn log10(format: Format, bits: u64) -> u64 {
    if format == Format::Half {
        return of_base_in_half(bits, std::f64::consts::LOG10_2);
    }
    let (factor, rest) = (f32::from_bits(0x3e9a_209a), f32::from_bits(0x3284_fbcf));
    let single = |x| of_base(x, factor, rest, f32::from_bits(0x411a_209b));
    by_format(format, bits, single, |_| None, f64::log10)
}

/// Logarithm to base 2.
pub fn log2(format: Format, bits: u64) -> u64 {
    if format == Format::Half {
        return hw_log2(format, bits);
    }
    let single = |x: f32| {
        let (y, small) = logarithm(x);
        y - if small { 32.0 } else { 0.0 }
    };
    by_format(format, bits, single, |_| None, f64::log2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lowered functions are within two units of the last place of the rounded ones, and exact where they are defined.
    #[test]
    fn close_to_the_functions() {
        let numbers =
            (0..4000).map(|n| (n as f32 - 2000.0) * 0.05).chain([1e-40, 1e-30, 1e30, 0.5, 1.0, 2.0]);
        for x in numbers {
            let of = |f: fn(Format, u64) -> u64| f32::from_bits(f(Format::Float, x.to_bits().into()) as u32);
            let wide = f64::from(x);
            for (found, exact) in [
                (of(exp), wide.exp()),
                (of(exp10), 10f64.powf(wide)),
                (of(exp2), wide.exp2()),
                (of(log), wide.ln()),
                (of(log10), wide.log10()),
                (of(log2), wide.log2()),
            ] {
                let exact = exact as f32;
                let tiny = exact.abs() < 1e-36 && found.abs() < 1e-36;
                let near =
                    (f64::from(found) - f64::from(exact)).abs() <= f64::from(exact).abs() * 4e-7 + 1e-7;
                let same = found.is_nan() && exact.is_nan() || found == exact;
                assert!(tiny || near || same, "{x}: {found} {exact}");
            }
        }
        assert_eq!(of_one(exp, 0.0), 1.0);
        assert_eq!(of_one(exp, f32::NEG_INFINITY), 0.0);
        assert_eq!(of_one(log, f32::INFINITY), f32::INFINITY);
        assert!(of_one(log, -1.0).is_nan());
    }

    fn of_one(f: fn(Format, u64) -> u64, x: f32) -> f32 {
        f32::from_bits(f(Format::Float, x.to_bits().into()) as u32)
    }
}
