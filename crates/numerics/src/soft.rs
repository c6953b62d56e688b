//! Exact floating-point arithmetic in integers, for any format and rounding mode.
//!
//! The slow path of every operation whose rounding mode is not nearest even, and of conversions for which no fast
//! path exists. A value is `sig × 2^exp` with a 128-bit significand whose lowest bit may stand for "something
//! non-zero below" (a sticky bit); [`Format::round`] turns it into bits with one rounding.
//!
//! Rounding and overflow follow IEEE 754-2019 section 4.3 and 7.4; NaN results follow the hardware's convention: the
//! first NaN operand, quieted, or the negative default NaN for invalid operations (CDNA4 V_SQRT_F32's examples and
//! V_DIV_FIXUP_F32 write 0xffc00000).

use crate::mode::Round;

/// A binary floating-point format: one sign bit on top, exponent, mantissa; codes below the sign bit order values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Explicit mantissa bits.
    pub man_bits: u32,
    /// Exponent bias.
    pub bias: i32,
    /// Position of the sign bit.
    pub sign_bit: u32,
    /// Magnitude code of the largest finite value.
    pub max_finite: u64,
    /// Magnitude code that an unclamped overflow produces: infinity, or NaN or the largest value where there is none.
    pub overflow: u64,
    /// Magnitude code of infinity, or a code above every code of the format where it has none.
    pub infinity: u64,
    /// Magnitude code of the default quiet NaN.
    pub nan: u64,
}

/// IEEE binary16.
pub const F16: Format = ieee(5, 10);
/// bfloat16.
pub const BF16: Format = ieee(8, 7);
/// IEEE binary32.
pub const F32: Format = ieee(8, 23);
/// IEEE binary64.
pub const F64: Format = ieee(11, 52);

const fn ieee(exp_bits: u32, man_bits: u32) -> Format {
    let infinity = ((1u64 << exp_bits) - 1) << man_bits;
    Format {
        man_bits,
        bias: (1 << (exp_bits - 1)) - 1,
        sign_bit: exp_bits + man_bits,
        max_finite: infinity - 1,
        overflow: infinity,
        infinity,
        nan: infinity | 1 << (man_bits - 1),
    }
}

/// A finite non-zero value `sig × 2^exp`, negated if `negative`; `sig` is never zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finite {
    pub(crate) negative: bool,
    pub(crate) exp: i32,
    pub(crate) sig: u128,
}

impl Finite {
    /// Exponent of the highest bit.
    pub(crate) fn magnitude(self) -> i32 {
        self.exp + self.sig.ilog2() as i32
    }

    /// The value in units of 2^`unit`, rounded to a whole number, and whether it was none.
    pub(crate) fn in_units(self, unit: i32, round: Round) -> (u128, bool) {
        let shift = unit.saturating_sub(self.exp);
        let (kept, rest, half) = if shift <= 0 {
            (self.sig << -shift, 0, 1)
        } else if shift > 127 {
            (0, 1, 2)
        } else {
            (self.sig >> shift, self.sig & ((1 << shift) - 1), 1u128 << (shift - 1))
        };
        let up = match round {
            Round::NearestEven => rest > half || (rest == half && kept & 1 != 0),
            Round::TowardPlus => rest != 0 && !self.negative,
            Round::TowardMinus => rest != 0 && self.negative,
            Round::TowardZero => false,
        };
        (kept + u128::from(up), rest != 0)
    }
}

/// What a bit pattern denotes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Nan(u64),
    Infinity { negative: bool },
    Zero { negative: bool },
    Finite(Finite),
}

impl Format {
    /// Exponent of the smallest normal value.
    pub(crate) fn min_exponent(&self) -> i32 {
        1 - self.bias
    }

    /// Exponent of the largest finite value.
    pub(crate) fn max_exponent(&self) -> i32 {
        (self.max_finite >> self.man_bits) as i32 - self.bias
    }

    pub(crate) fn unpack(&self, bits: u64) -> Value {
        let negative = bits >> self.sign_bit & 1 != 0;
        let code = bits & ((1 << self.sign_bit) - 1);
        if code > self.infinity {
            return Value::Nan(bits | 1 << (self.man_bits - 1));
        }
        if code == self.infinity {
            return Value::Infinity { negative };
        }
        if code == 0 {
            return Value::Zero { negative };
        }
        let man = code & ((1 << self.man_bits) - 1);
        let field = (code >> self.man_bits) as i32;
        let (sig, field) = if field == 0 { (man, 1) } else { (man | 1 << self.man_bits, field) };
        Value::Finite(Finite { negative, exp: field - self.bias - self.man_bits as i32, sig: sig as u128 })
    }

    fn sign(&self, negative: bool) -> u64 {
        (negative as u64) << self.sign_bit
    }

    fn default_nan(&self) -> u64 {
        self.sign(true) | self.nan
    }

    /// Rounds `±sig × 2^exp` into the format. Bit 0 of `sig` may be a sticky bit if `sig` has at least two more bits
    /// than the format keeps. `clamp` replaces an overflow in any rounding mode by the largest finite value
    /// (MODE.FP16_OVFL, CDNA4 table 4).
    pub fn round(&self, negative: bool, exp: i32, sig: u128, round: Round, clamp: bool) -> u64 {
        let sign = self.sign(negative);
        if sig == 0 {
            return sign;
        }
        let value = Finite { negative, exp, sig };
        let min_exp = self.min_exponent();
        let value_exp = value.magnitude().max(min_exp);
        let (kept, _) = value.in_units(value_exp - self.man_bits as i32, round);
        let field = (value_exp - min_exp) as u64;
        let overflows = field > self.max_finite >> self.man_bits;
        let code = if overflows { u64::MAX } else { (field << self.man_bits) + kept as u64 };
        if code <= self.max_finite {
            return sign | code;
        }
        let to_max = match round {
            Round::NearestEven => false,
            Round::TowardPlus => negative,
            Round::TowardMinus => !negative,
            Round::TowardZero => true,
        };
        sign | if clamp || to_max { self.max_finite } else { self.overflow }
    }

    /// `a + b` in this format, one rounding.
    pub fn add(&self, a: u64, b: u64, round: Round, clamp: bool) -> u64 {
        match (self.unpack(a), self.unpack(b)) {
            (Value::Nan(nan), _) | (_, Value::Nan(nan)) => nan,
            (Value::Infinity { negative }, Value::Infinity { negative: other }) => {
                if negative == other {
                    a
                } else {
                    self.default_nan()
                }
            }
            (Value::Infinity { .. }, _) => a,
            (_, Value::Infinity { .. }) => b,
            (Value::Zero { negative }, Value::Zero { negative: other }) => {
                self.sign(if negative == other { negative } else { round == Round::TowardMinus })
            }
            (Value::Zero { .. }, Value::Finite(x)) | (Value::Finite(x), Value::Zero { .. }) => {
                self.round(x.negative, x.exp, x.sig, round, clamp)
            }
            (Value::Finite(x), Value::Finite(y)) => self.sum(x, y, round, clamp),
        }
    }

    /// `a × b` in this format, one rounding.
    pub fn mul(&self, a: u64, b: u64, round: Round, clamp: bool) -> u64 {
        match self.product(a, b) {
            Value::Nan(nan) => nan,
            Value::Infinity { negative } => self.sign(negative) | self.infinity,
            Value::Zero { negative } => self.sign(negative),
            Value::Finite(x) => self.round(x.negative, x.exp, x.sig, round, clamp),
        }
    }

    /// `a × b + c` in this format, one rounding.
    pub fn fma(&self, a: u64, b: u64, c: u64, round: Round, clamp: bool) -> u64 {
        let product = self.product(a, b);
        match (product, self.unpack(c)) {
            // An invalid product loses to a NaN addend only where the product is no propagated NaN.
            (Value::Nan(_), Value::Nan(nan)) if !self.is_nan(a) && !self.is_nan(b) => nan,
            (Value::Nan(nan), _) | (_, Value::Nan(nan)) => nan,
            (Value::Infinity { negative }, Value::Infinity { negative: other }) if negative != other => {
                self.default_nan()
            }
            (Value::Infinity { negative }, _) => self.sign(negative) | self.infinity,
            (_, Value::Infinity { .. }) => c,
            (Value::Zero { negative }, Value::Zero { negative: other }) => {
                self.sign(if negative == other { negative } else { round == Round::TowardMinus })
            }
            (Value::Zero { .. }, Value::Finite(x)) | (Value::Finite(x), Value::Zero { .. }) => {
                self.round(x.negative, x.exp, x.sig, round, clamp)
            }
            (Value::Finite(x), Value::Finite(y)) => self.sum(x, y, round, clamp),
        }
    }

    /// `a × 2^n` in this format, one rounding.
    pub fn ldexp(&self, a: u64, n: i32, round: Round, clamp: bool) -> u64 {
        match self.unpack(a) {
            Value::Nan(nan) => nan,
            Value::Infinity { .. } | Value::Zero { .. } => a,
            Value::Finite(x) => {
                // Beyond ±5000 every format has long overflowed or underflowed.
                self.round(x.negative, x.exp + n.clamp(-5000, 5000), x.sig, round, clamp)
            }
        }
    }

    /// Converts bits of this format to bits of `to`, one rounding; infinity becomes `to.infinity` or, in formats
    /// without one, what an overflow becomes. NaN payloads keep their upper bits where both formats are IEEE ones.
    pub fn convert(&self, bits: u64, to: &Format, round: Round, clamp: bool) -> u64 {
        match self.unpack(bits) {
            Value::Nan(nan) => {
                let payload = nan & ((1 << self.man_bits) - 1);
                let sign = to.sign(nan >> self.sign_bit & 1 != 0);
                if to.overflow != to.infinity {
                    return sign | to.nan;
                }
                let moved = if to.man_bits >= self.man_bits {
                    payload << (to.man_bits - self.man_bits)
                } else {
                    payload >> (self.man_bits - to.man_bits)
                };
                sign | to.infinity | moved
            }
            Value::Infinity { negative } => to.sign(negative) | to.overflow,
            Value::Zero { negative } => to.sign(negative),
            Value::Finite(x) => to.round(x.negative, x.exp, x.sig, round, clamp),
        }
    }

    fn is_nan(&self, bits: u64) -> bool {
        bits & ((1 << self.sign_bit) - 1) > self.infinity
    }

    pub(crate) fn product(&self, a: u64, b: u64) -> Value {
        match (self.unpack(a), self.unpack(b)) {
            (Value::Nan(nan), _) | (_, Value::Nan(nan)) => Value::Nan(nan),
            (Value::Infinity { .. }, Value::Zero { .. }) | (Value::Zero { .. }, Value::Infinity { .. }) => {
                Value::Nan(self.default_nan())
            }
            (Value::Infinity { negative }, Value::Infinity { negative: other }) => {
                Value::Infinity { negative: negative != other }
            }
            (Value::Infinity { negative }, Value::Finite(x))
            | (Value::Finite(x), Value::Infinity { negative }) => {
                Value::Infinity { negative: negative != x.negative }
            }
            (Value::Zero { negative }, Value::Zero { negative: other }) => {
                Value::Zero { negative: negative != other }
            }
            (Value::Zero { negative }, Value::Finite(x)) | (Value::Finite(x), Value::Zero { negative }) => {
                Value::Zero { negative: negative != x.negative }
            }
            (Value::Finite(x), Value::Finite(y)) => Value::Finite(Finite {
                negative: x.negative != y.negative,
                exp: x.exp + y.exp,
                sig: x.sig * y.sig,
            }),
        }
    }

    fn sum(&self, x: Finite, y: Finite, round: Round, clamp: bool) -> u64 {
        match exact_sum(x, y) {
            Some(sum) => self.round(sum.negative, sum.exp, sum.sig, round, clamp),
            None => self.sign(round == Round::TowardMinus),
        }
    }
}

/// The sum of two finite values of at most 106 significant bits each, if it is not 0; its lowest bit may be a sticky bit, as
/// [`Format::round`] takes it.
pub(crate) fn exact_sum(x: Finite, y: Finite) -> Option<Finite> {
    // Both tops go to bit 125: the sum has room for its carry, and where the smaller operand must lose bits into
    // the sticky bit the exponents differ by more than 19, so cancellation costs at most one of 20 spare bits.
    let x = to_bit_125(x);
    let y = to_bit_125(y);
    let (big, small) = if (x.exp, x.sig) >= (y.exp, y.sig) { (x, y) } else { (y, x) };
    let distance = (big.exp - small.exp) as u32;
    let aligned = if distance > 127 {
        1
    } else {
        let lost = small.sig & ((1u128 << distance) - 1);
        small.sig >> distance | (lost != 0) as u128
    };
    let sig = if big.negative == small.negative { big.sig + aligned } else { big.sig - aligned };
    (sig != 0).then_some(Finite { sig, ..big })
}

fn to_bit_125(x: Finite) -> Finite {
    let shift = 125 - (127 - x.sig.leading_zeros() as i32);
    Finite { exp: x.exp - shift, sig: x.sig << shift, ..x }
}

/// Rounds a binary64 to binary32 in the given mode (CDNA4 V_CVT_F32_F64).
pub fn f64_to_f32(x: f64, round: Round) -> f32 {
    f32::from_bits(F64.convert(x.to_bits(), &F32, round, false) as u32)
}

/// Rounds a binary64 to binary32 "to odd": exact values stay, every other result gets an odd last bit. A later
/// rounding to 22 bits or fewer, in any mode, then equals a single rounding of `x` (Boldo and Melquiond 2008).
#[inline(always)]
pub fn f64_to_f32_odd(x: f64) -> f32 {
    let near = x as f32;
    let back = near as f64;
    let bits = near.to_bits();
    let even = bits & 1 == 0;
    let down = (even & (back.abs() > x.abs())) as u32;
    let up = (even & (back.abs() < x.abs())) as u32;
    f32::from_bits(bits.wrapping_sub(down).wrapping_add(up))
}
