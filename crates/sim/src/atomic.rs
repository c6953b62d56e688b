//! Read-modify-write operations: what they compute.
//!
//! Rounding is to nearest even whatever MODE says (CDNA5 ISA 12.1); denormals pass, but for LDS operations
//! that MODE flushes (12.2), which the caller says with [`Flush`].

pub use wavemark_isa::effects::AtomicOp;

/// An atomic on one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicShape {
    /// What it computes.
    pub op: AtomicOp,
    /// Bytes per lane, 4 or 8.
    pub bytes: u32,
}

/// Denormal flushing of an LDS float atomic, by MODE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flush {
    /// Flush input denormals.
    pub input: bool,
    /// Flush output denormals.
    pub output: bool,
}

fn flush32(x: u32, flush: bool) -> u32 {
    if flush && x & 0x7f80_0000 == 0 { x & 0x8000_0000 } else { x }
}

fn flush16(x: u16, exponent: u16, flush: bool) -> u16 {
    if flush && x & exponent == 0 { x & 0x8000 } else { x }
}

fn quiet_or<T: Copy>(x: T, y: T, nan: impl Fn(T) -> bool, quiet: impl Fn(T) -> T, pick: T) -> T {
    match (nan(x), nan(y)) {
        (true, true) => quiet(x),
        (true, false) => y,
        (false, true) => x,
        (false, false) => pick,
    }
}

#[inline]
pub(crate) fn add_f32(a: u32, b: u32, flush: Flush) -> u32 {
    let (a, b) = (flush32(a, flush.input), flush32(b, flush.input));
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    if x.is_nan() {
        a | 0x0040_0000
    } else if y.is_nan() {
        b | 0x0040_0000
    } else {
        let sum = x + y;
        if sum.is_nan() { 0x7fc0_0000 } else { flush32(sum.to_bits(), flush.output) }
    }
}

fn add_f64(a: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    if x.is_nan() {
        a | 1 << 51
    } else if y.is_nan() {
        b | 1 << 51
    } else {
        let sum = x + y;
        if sum.is_nan() { 0x7ff8 << 48 } else { sum.to_bits() }
    }
}

fn add_f16(a: u16, b: u16, flush: Flush) -> u16 {
    let (a, b) = (flush16(a, 0x7c00, flush.input), flush16(b, 0x7c00, flush.input));
    let (x, y) = (wavemark_numerics::f16::to_f32(a), wavemark_numerics::f16::to_f32(b));
    if x.is_nan() {
        a | 0x200
    } else if y.is_nan() {
        b | 0x200
    } else {
        // A sum of two f16 is exact in f32 or rounds the same from there (24 >= 2 * 11 + 2).
        flush16(wavemark_numerics::f16::from_f32(x + y), 0x7c00, flush.output)
    }
}

fn add_bf16(a: u16, b: u16, flush: Flush) -> u16 {
    let (a, b) = (flush16(a, 0x7f80, flush.input), flush16(b, 0x7f80, flush.input));
    let (x, y) = (f32::from_bits(u32::from(a) << 16), f32::from_bits(u32::from(b) << 16));
    if x.is_nan() {
        a | 0x40
    } else if y.is_nan() {
        b | 0x40
    } else {
        // 24 >= 2 * 8 + 2: double rounding is innocuous.
        flush16(wavemark_numerics::bf16::from_f32(x + y), 0x7f80, flush.output)
    }
}

fn pairwise(a: u64, b: u64, f: impl Fn(u16, u16) -> u16) -> u64 {
    let half = |shift: u32| u64::from(f((a >> shift) as u16, (b >> shift) as u16)) << shift;
    half(0) | half(16)
}

fn min_max(a: u64, b: u64, bytes: u32, max: bool, flush: Flush) -> u64 {
    if bytes == 4 {
        let (a, b) = (flush32(a as u32, flush.input), flush32(b as u32, flush.input));
        let key = |x: u32| if x >> 31 != 0 { !x } else { x | 0x8000_0000 };
        let pick = if (key(a) > key(b)) == max { a } else { b };
        u64::from(quiet_or(a, b, |x| f32::from_bits(x).is_nan(), |x| x | 0x0040_0000, pick))
    } else {
        let key = |x: u64| if x >> 63 != 0 { !x } else { x | 1 << 63 };
        let pick = if (key(a) > key(b)) == max { a } else { b };
        quiet_or(a, b, |x| f64::from_bits(x).is_nan(), |x| x | 1 << 51, pick)
    }
}

/// The new memory value: `old` is what memory holds, `data` the first datum, `second` the second one
/// (comparand of compare-and-swap). Values of 4 bytes are zero-extended.
pub fn apply(shape: AtomicShape, old: u64, data: u64, second: u64, flush: Flush) -> u64 {
    let wide = shape.bytes == 8;
    let signed = |x: u64| if wide { x as i64 } else { i64::from(x as u32 as i32) };
    let narrow = |x: u64| if wide { x } else { x & 0xffff_ffff };
    match shape.op {
        AtomicOp::Swap => data,
        AtomicOp::CmpSwap | AtomicOp::CmpStore => {
            if old == second {
                data
            } else {
                old
            }
        }
        AtomicOp::CmpStoreFloat | AtomicOp::CmpSwapFloat => {
            let equal = if wide {
                f64::from_bits(old) == f64::from_bits(second)
            } else {
                let value = |x: u64| f32::from_bits(flush32(x as u32, flush.input));
                value(old) == value(second)
            };
            if equal { data } else { old }
        }
        AtomicOp::Add => narrow(old.wrapping_add(data)),
        AtomicOp::Sub => narrow(old.wrapping_sub(data)),
        AtomicOp::ReverseSub => narrow(data.wrapping_sub(old)),
        AtomicOp::CondSub => {
            if old >= data {
                old - data
            } else {
                old
            }
        }
        AtomicOp::SubClamp => old.saturating_sub(data),
        AtomicOp::SMin => {
            if signed(old) < signed(data) {
                old
            } else {
                data
            }
        }
        AtomicOp::UMin => old.min(data),
        AtomicOp::SMax => {
            if signed(old) > signed(data) {
                old
            } else {
                data
            }
        }
        AtomicOp::UMax => old.max(data),
        AtomicOp::And => old & data,
        AtomicOp::Or => old | data,
        AtomicOp::Xor => old ^ data,
        AtomicOp::Inc => {
            if old >= data {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > data {
                data
            } else {
                old - 1
            }
        }
        AtomicOp::MaskOr => (old & !data) | second,
        AtomicOp::Wrap => narrow(if old >= data { old - data } else { old.wrapping_add(second) }),
        AtomicOp::AddFloat if wide => add_f64(old, data),
        AtomicOp::AddFloat => u64::from(add_f32(old as u32, data as u32, flush)),
        AtomicOp::MinFloat => min_max(old, data, shape.bytes, false, flush),
        AtomicOp::MaxFloat => min_max(old, data, shape.bytes, true, flush),
        AtomicOp::PkAddF16 => pairwise(old, data, |a, b| add_f16(a, b, flush)),
        AtomicOp::PkAddBf16 => pairwise(old, data, |a, b| add_bf16(a, b, flush)),
        AtomicOp::CondXchg32 => {
            let half = |shift: u32| {
                let (o, d) = ((old >> shift) as u32, (data >> shift) as u32);
                u64::from(if d >> 31 != 0 { d & 0x7fff_ffff } else { o }) << shift
            };
            half(0) | half(32)
        }
        // Not of one value in memory: they have actions of their own.
        AtomicOp::Append
        | AtomicOp::Consume
        | AtomicOp::BarrierArrive
        | AtomicOp::BarrierArriveAsync
        | AtomicOp::Gws
        | AtomicOp::OrderedAdd => old,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(op: AtomicOp, bytes: u32, old: u64, data: u64, second: u64) -> u64 {
        apply(AtomicShape { op, bytes }, old, data, second, Flush::default())
    }

    #[test]
    fn integers_by_the_manual() {
        assert_eq!(run(AtomicOp::Inc, 4, 7, 7, 0), 0);
        assert_eq!(run(AtomicOp::Inc, 4, 6, 7, 0), 7);
        assert_eq!(run(AtomicOp::Dec, 4, 0, 9, 0), 9);
        assert_eq!(run(AtomicOp::Dec, 4, 10, 9, 0), 9);
        assert_eq!(run(AtomicOp::SMax, 4, 0xffff_ffff, 1, 0), 1);
        assert_eq!(run(AtomicOp::UMax, 4, 0xffff_ffff, 1, 0), 0xffff_ffff);
        assert_eq!(run(AtomicOp::SubClamp, 4, 3, 5, 0), 0);
        assert_eq!(run(AtomicOp::CondSub, 4, 3, 5, 0), 3);
        assert_eq!(run(AtomicOp::CmpSwap, 4, 3, 9, 3), 9);
        assert_eq!(run(AtomicOp::MaskOr, 4, 0xff, 0x0f, 0x02), 0xf2);
        assert_eq!(run(AtomicOp::Sub, 4, 0, 1, 0), 0xffff_ffff);
    }

    #[test]
    fn floats_by_the_manual() {
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(run(AtomicOp::AddFloat, 4, f(1.5), f(2.25), 0), f(3.75));
        assert_eq!(run(AtomicOp::MinFloat, 4, f(-0.0), f(0.0), 0), f(-0.0));
        assert_eq!(run(AtomicOp::MaxFloat, 4, 0x7fc0_0000, f(2.0), 0), f(2.0));
        assert_eq!(run(AtomicOp::PkAddF16, 4, 0x3c00_4000, 0x3c00_3c00, 0), 0x4000_4200);
        assert_eq!(run(AtomicOp::PkAddBf16, 4, 0x3f80_4000, 0x3f80_3f80, 0), 0x4000_4040);
    }
}
