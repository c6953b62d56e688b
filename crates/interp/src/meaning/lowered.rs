//! Exponentials, logarithms, sines, and what `afn` makes of these, of roots and of quotients, as LLVM lowers them. The
//! language reference leaves open how exact they are; taken as they are lowered they are what the code of the same kernel
//! gives.
//!
//! Follows `AMDGPUTargetLowering` (`lowerFEXP`, `lowerFEXP2`, `LowerFLOG2`, `LowerFLOGCommon`, and `lowerFEXPUnsafe`,
//! `lowerFEXP10Unsafe`, `LowerFLOGUnsafe` with `afn`) and `SITargetLowering` (`LowerTrig`, `lowerFastUnsafeFDIV`,
//! `lowerFastUnsafeFDIV64`, `lowerFSQRTF32`) for binary32 with subnormal numbers and a fused multiply-add that costs no more
//! than a multiply, and for binary16 with instructions for it. Of the flags, `afn` alone is followed, and `arcp` of quotients
//! in binary16. What LLVM takes in binary32 of bfloat is taken so here; that processors from gfx1250 on have instructions for
//! some of it is not followed. Other formats LLVM does not lower: they are taken in binary64 and rounded once.

use wavemark_ir::float::Format;
use wavemark_ir::opcode::{BinaryOp, Flags};

use super::scalar::{hw_cos, hw_exp2, hw_log2, hw_sin, hw_sqrt, rcp};
use crate::arith::{self, nearest, value};

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
        // It is taken in binary32.
        Format::BFloat => nearest(format, single(x as f32).into()),
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
    let half = |x: f32| Some(hardware(hw_exp2, x * base.factor));
    by_format(format, bits, |x| exponential(&base, x), half, |x| 10f64.powf(x))
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

/// The product with a factor, in the format's own precision.
fn times(format: Format, bits: u64, factor: f64) -> u64 {
    arith::float(BinaryOp::FMul, format, bits, nearest(format, factor))
}

/// eˣ with `afn`.
pub fn fast_exp(format: Format, bits: u64) -> u64 {
    match format {
        Format::Float => {
            let x = f32::from_bits(bits as u32);
            let small = x < f32::from_bits(0xc2ae_ac50);
            let power = hardware(hw_exp2, (if small { x + 64.0 } else { x }) * std::f32::consts::LOG2_E);
            let result = if small { power * f32::from_bits(0x114b_4ea4) } else { power };
            result.to_bits().into()
        }
        Format::Half => hw_exp2(format, times(format, bits, std::f64::consts::LOG2_E)),
        _ => exp(format, bits),
    }
}

/// 10ˣ with `afn`: the factor is in two parts, each with a power of its own.
pub fn fast_exp10(format: Format, bits: u64) -> u64 {
    let (high, low) = (f32::from_bits(0x4054_9000), f32::from_bits(0x3a27_84bc));
    match format {
        Format::Float => {
            let x = f32::from_bits(bits as u32);
            let small = x < f32::from_bits(0xc217_b818);
            let near = if small { x + 32.0 } else { x };
            let power = hardware(hw_exp2, near * high) * hardware(hw_exp2, near * low);
            let result = if small { power * f32::from_bits(0x0a4f_b11f) } else { power };
            result.to_bits().into()
        }
        Format::Half => {
            let part = |factor: f32| hw_exp2(format, times(format, bits, factor.into()));
            arith::float(BinaryOp::FMul, format, part(high), part(low))
        }
        _ => exp10(format, bits),
    }
}

/// With `afn`, in binary32: the hardware's logarithm times the factor, and what the number was shifted by in one step.
fn fast_logarithm(format: Format, bits: u64, factor: f32, exact: fn(Format, u64) -> u64) -> u64 {
    if format != Format::Float {
        return exact(format, bits);
    }
    let (y, small) = logarithm(f32::from_bits(bits as u32));
    let shift = if small { -32.0 * factor } else { 0.0 };
    y.mul_add(factor, shift).to_bits().into()
}

/// Natural logarithm with `afn`.
pub fn fast_log(format: Format, bits: u64) -> u64 {
    fast_logarithm(format, bits, std::f32::consts::LN_2, log)
}

/// Logarithm to base 10 with `afn`.
pub fn fast_log10(format: Format, bits: u64) -> u64 {
    fast_logarithm(format, bits, std::f32::consts::LOG10_2, log10)
}

/// Square root with `afn`: in binary32 the hardware's.
pub fn fast_sqrt(format: Format, bits: u64) -> u64 {
    match format {
        Format::Float => hw_sqrt(format, bits),
        _ => super::scalar::sqrt(format, bits),
    }
}

/// The quotient of a division with flags that do not leave it as it is: `afn`, or in binary16 `arcp`.
pub fn fast_quotient(flags: Flags, format: Format) -> Option<fn(Format, u64, u64) -> u64> {
    let fast = flags.contains(Flags::AFN) || flags.contains(Flags::ARCP) && format == Format::Half;
    match format {
        Format::Float | Format::Half if fast => {
            Some(|format, a, b| arith::float(BinaryOp::FMul, format, a, rcp(format, b)))
        }
        Format::Double if fast => Some(|_, a, b| {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let refined = |y: f64| (-b).mul_add(y, 1.0).mul_add(y, y);
            let reciprocal = refined(refined(f64::from_bits(rcp(Format::Double, b.to_bits()))));
            let quotient = a * reciprocal;
            (-b).mul_add(quotient, a).mul_add(reciprocal, quotient).to_bits()
        }),
        _ => None,
    }
}

/// Sine or cosine by the hardware's, of turns.
fn of_turns(format: Format, bits: u64, hardware: fn(Format, u64) -> u64, double: fn(f64) -> f64) -> u64 {
    match format {
        Format::Float | Format::Half => {
            hardware(format, times(format, bits, 0.5 * std::f64::consts::FRAC_1_PI))
        }
        _ => nearest(format, double(value(format, bits))),
    }
}

/// Sine.
pub fn sin(format: Format, bits: u64) -> u64 {
    of_turns(format, bits, hw_sin, f64::sin)
}

/// Cosine.
pub fn cos(format: Format, bits: u64) -> u64 {
    of_turns(format, bits, hw_cos, f64::cos)
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
                (of(fast_log), wide.ln()),
                (of(fast_log10), wide.log10()),
                (of(fast_sqrt), wide.sqrt()),
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

    /// With `afn`, by the values that the instructions of LLVM 22's code give.
    #[test]
    fn what_fast_flags_make_of_them() {
        assert_eq!(of_one(fast_exp, 0.0), 1.0);
        assert_eq!(of_one(fast_exp, f32::NEG_INFINITY), 0.0);
        assert_eq!(of_one(fast_exp10, 0.0), 1.0);
        assert!(of_one(fast_exp, -100.0).is_subnormal() && of_one(fast_exp10, -40.0).is_subnormal());
        // Where the exact division gives a number, the reciprocal is infinite.
        let tiny = u64::from(0x0010_0000u32);
        let Some(quotient) = fast_quotient(Flags::AFN, Format::Float) else { panic!("afn is followed") };
        assert_eq!(f32::from_bits(quotient(Format::Float, tiny, tiny) as u32), f32::INFINITY);
        let Some(quotient) = fast_quotient(Flags::AFN, Format::Double) else { panic!("afn is followed") };
        assert_eq!(f64::from_bits(quotient(Format::Double, 1.0f64.to_bits(), 3.0f64.to_bits())), 1.0 / 3.0);
        assert!(fast_quotient(Flags::ARCP, Format::Float).is_none());
    }

    fn of_one(f: fn(Format, u64) -> u64, x: f32) -> f32 {
        f32::from_bits(f(Format::Float, x.to_bits().into()) as u32)
    }
}
