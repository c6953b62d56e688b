//! Which floating-point exceptions an operation raises.
//!
//! The manuals' table of exceptions (RDNA3 and CDNA5 3.4, "Trap and Exception registers") says when each is:
//!
//! * invalid: an operand is invalid for the operation, or a signalling NaN;
//! * input denormal: an operand was subnormal;
//! * divide by zero: a finite number that is not 0 divided by 0;
//! * overflow: the rounded result would be larger than the largest finite number;
//! * underflow: the exact or the rounded result is smaller than the smallest normal number (a result of exactly 0 is none);
//! * inexact: what the operation gives is not the infinitely precise result.
//!
//! What no manual settles is neither raised nor not raised but open ([`Raised::open`]): subnormal operands that are read as
//! zeros, or stand beside a NaN or an invalid operand, and underflow where the manual has no table ([`Env::defined`]) and the
//! result is exact or rounds to a normal number, which IEEE 754 leaves to the implementation, too.
//!
//! Every function works on the exact result, as [`crate::soft`] has it before it rounds. `tests/exceptions.rs` holds them
//! against an arithmetic of large integers, and against apfloat.

use std::ops::{BitOr, BitOrAssign};

use crate::soft::{Finite, Format, Value, exact_sum};
use crate::{Denorm, Round};

/// A set of exceptions, each a bit as TRAPSTS.EXCP and EXCP_FLAG_USER have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// None.
    pub const NONE: Flags = Flags(0);
    /// An operand is invalid for the operation.
    pub const INVALID: Flags = Flags(1);
    /// An operand is subnormal.
    pub const INPUT_DENORMAL: Flags = Flags(1 << 1);
    /// A division by zero.
    pub const DIVIDE_BY_ZERO: Flags = Flags(1 << 2);
    /// The result is too large.
    pub const OVERFLOW: Flags = Flags(1 << 3);
    /// The result is tiny.
    pub const UNDERFLOW: Flags = Flags(1 << 4);
    /// The result is rounded.
    pub const INEXACT: Flags = Flags(1 << 5);
    /// An integer division by zero.
    pub const INTEGER_DIVIDE_BY_ZERO: Flags = Flags(1 << 6);
    /// All that floating-point operations raise.
    pub const FLOAT: Flags = Flags(0x3f);

    /// The manual's names, in the order of the bits.
    pub const NAMES: [&'static str; 7] = [
        "invalid",
        "input denormal",
        "divide by zero",
        "overflow",
        "underflow",
        "inexact",
        "integer divide by zero",
    ];

    /// Those of `self` that are not in `other`.
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Those in both.
    pub const fn and(self, other: Flags) -> Flags {
        Flags(self.0 & other.0)
    }

    /// These, if `condition`.
    pub const fn when(self, condition: bool) -> Flags {
        if condition { self } else { Flags::NONE }
    }
}

impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// What an operation raises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Raised {
    /// What it raises.
    pub set: Flags,
    /// What it raises or not: no manual says.
    pub open: Flags,
}

impl Raised {
    /// Nothing.
    pub const NOTHING: Raised = Raised { set: Flags::NONE, open: Flags::NONE };

    /// Just `flags`.
    pub const fn set(flags: Flags) -> Raised {
        Raised { set: flags, open: Flags::NONE }
    }

    /// Perhaps `flags`.
    pub const fn open(flags: Flags) -> Raised {
        Raised { set: Flags::NONE, open: flags }
    }
}

impl BitOr for Raised {
    type Output = Raised;
    fn bitor(self, other: Raised) -> Raised {
        Raised { set: self.set | other.set, open: self.open | other.open }
    }
}

impl BitOrAssign for Raised {
    fn bitor_assign(&mut self, other: Raised) {
        *self = *self | other;
    }
}

/// An operand.
#[derive(Clone, Copy, Debug)]
struct Operand {
    value: Value,
    signals: bool,
    subnormal: bool,
}

impl Operand {
    /// The number in the low bits of `bits`, the sign the highest of the format's.
    fn new(format: &Format, bits: u64) -> Operand {
        let magnitude = bits & ((1 << format.sign_bit) - 1);
        let value = format.unpack(bits);
        Operand {
            value,
            signals: matches!(value, Value::Nan(_)) && magnitude >> (format.man_bits - 1) & 1 == 0,
            subnormal: magnitude != 0 && magnitude >> format.man_bits == 0,
        }
    }

    fn is_nan(self) -> bool {
        matches!(self.value, Value::Nan(_))
    }

    /// As the operation reads it where subnormal numbers are zeros unless `keep`.
    fn read(self, keep: bool) -> Value {
        match self.value {
            Value::Finite(x) if self.subnormal && !keep => Value::Zero { negative: x.negative },
            value => value,
        }
    }
}

/// What rounding `x` to `format` raises.
fn rounding(x: Finite, format: &Format, env: Env) -> Raised {
    let magnitude = x.magnitude();
    let precision = format.man_bits as i32;
    let (kept, inexact) = x.in_units(magnitude - precision, env.round);
    let carried = i32::from(kept >> (precision + 1) != 0);
    if magnitude + carried > format.max_exponent() {
        return Raised::set(Flags::OVERFLOW | Flags::INEXACT);
    }
    let lowest = format.min_exponent();
    if magnitude >= lowest {
        return Raised::set(Flags::INEXACT.when(inexact));
    }
    let (kept, inexact) = x.in_units(lowest - precision, env.round);
    let stays_tiny = kept >> precision == 0;
    let flushed = stays_tiny && !env.denorm.output;
    let surely = env.defined || stays_tiny && inexact;
    let underflow = if surely { Raised::set(Flags::UNDERFLOW) } else { Raised::open(Flags::UNDERFLOW) };
    underflow | Raised::set(Flags::INEXACT.when(inexact || flushed))
}

/// What an operation's exceptions depend on besides its operands.
#[derive(Clone, Copy, Debug)]
pub struct Env {
    /// The rounding of its result.
    pub round: Round,
    /// What happens to subnormal numbers.
    pub denorm: Denorm,
    /// The manual says when each exception is raised (those of gfx11 and after).
    pub defined: bool,
}

/// Operands as they are, as the operation reads them, and what they raise by themselves.
struct Operands<const N: usize> {
    given: [Operand; N],
    read: [Value; N],
    raised: Raised,
    /// One is a NaN: there is no result to round.
    nan: bool,
}

impl<const N: usize> Operands<N> {
    fn new(format: &Format, env: Env, bits: [u64; N]) -> Self {
        let given = bits.map(|x| Operand::new(format, x));
        let nan = given.iter().any(|x| x.is_nan());
        let told = Flags::INPUT_DENORMAL.when(given.iter().any(|x| x.subnormal));
        let denormal = if nan || !env.denorm.input { Raised::open(told) } else { Raised::set(told) };
        let invalid = Raised::set(Flags::INVALID.when(given.iter().any(|x| x.signals)));
        Operands { given, read: given.map(|x| x.read(env.denorm.input)), raised: denormal | invalid, nan }
    }

    /// One is invalid for the operation: whether another is subnormal is then not said.
    fn invalid(&self) -> Raised {
        Raised { set: Flags::INVALID, open: self.raised.set | self.raised.open }
    }

    /// What rounding `x` raises, besides.
    fn and_rounding(&self, x: Option<Finite>, format: &Format, env: Env) -> Raised {
        self.raised | x.map_or(Raised::NOTHING, |x| rounding(x, format, env))
    }
}

/// A finite value that is not 0.
fn finite(value: Value) -> Option<Finite> {
    match value {
        Value::Finite(x) => Some(x),
        _ => None,
    }
}

/// `a` + `b`.
pub fn add(format: &Format, env: Env, a: u64, b: u64) -> Raised {
    let operands = Operands::new(format, env, [a, b]);
    if operands.nan {
        return operands.raised;
    }
    sum(&operands, operands.read[0], operands.read[1], format, env)
}

/// The exceptions of `x` + `y`, neither of which is a NaN.
fn sum<const N: usize>(operands: &Operands<N>, x: Value, y: Value, format: &Format, env: Env) -> Raised {
    let exact = match (x, y) {
        (Value::Infinity { negative }, Value::Infinity { negative: other }) if negative != other => {
            return operands.invalid();
        }
        (Value::Infinity { .. }, _) | (_, Value::Infinity { .. }) => return operands.raised,
        (Value::Finite(x), Value::Finite(y)) => exact_sum(x, y),
        (x, y) => finite(x).or(finite(y)),
    };
    operands.and_rounding(exact, format, env)
}

/// `a` * `b`, as read.
fn product(format: &Format, env: Env, a: u64, b: u64) -> Value {
    let flush = |x: u64| {
        let operand = Operand::new(format, x);
        if operand.subnormal && !env.denorm.input { x & 1 << format.sign_bit } else { x }
    };
    format.product(flush(a), flush(b))
}

/// `a` * `b`.
pub fn mul(format: &Format, env: Env, a: u64, b: u64) -> Raised {
    let operands = Operands::new(format, env, [a, b]);
    if operands.nan {
        return operands.raised;
    }
    match product(format, env, a, b) {
        Value::Nan(_) => operands.invalid(),
        value => operands.and_rounding(finite(value), format, env),
    }
}

/// `a` * `b` + `c`, rounded once.
pub fn fma(format: &Format, env: Env, a: u64, b: u64, c: u64) -> Raised {
    let operands = Operands::new(format, env, [a, b, c]);
    let product = product(format, env, a, b);
    let no_product = matches!(product, Value::Nan(_));
    if operands.nan {
        // IEEE 754 lets an implementation choose for 0 * inf + NaN.
        let chosen = no_product && !operands.given[0].is_nan() && !operands.given[1].is_nan();
        return operands.raised | Raised::open(Flags::INVALID.when(chosen));
    }
    if no_product {
        return operands.invalid();
    }
    sum(&operands, product, operands.read[2], format, env)
}

/// What rounding can raise.
const ROUNDING: Flags = Flags(Flags::OVERFLOW.0 | Flags::UNDERFLOW.0 | Flags::INEXACT.0);

/// `a` * `b`, rounded, + `c`, rounded: where the product is inexact, what the two roundings raise is not said.
pub fn mad(format: &Format, env: Env, a: u64, b: u64, c: u64) -> Raised {
    let product = mul(format, env, a, b);
    let whole = fma(format, env, a, b, c);
    if (product.set | product.open).and(ROUNDING) == Flags::NONE {
        return whole;
    }
    Raised { set: whole.set.without(ROUNDING), open: whole.open | ROUNDING }
}

/// An operation that chooses one of its operands: minimum, maximum, median.
pub fn select<const N: usize>(format: &Format, env: Env, bits: [u64; N]) -> Raised {
    Operands::new(format, env, bits).raised
}

/// A compare; `signals`: quiet NaNs are invalid operands, too.
pub fn compare(format: &Format, env: Env, signals: bool, a: u64, b: u64) -> Raised {
    let operands = Operands::new(format, env, [a, b]);
    // Whether a compare tells of subnormal operands is not said, nor, before there was a table, whether one that does not
    // signal tells of signalling NaNs.
    let invalid = operands.raised.set.and(Flags::INVALID) | Flags::INVALID.when(signals && operands.nan);
    let denormal = (operands.raised.set | operands.raised.open).and(Flags::INPUT_DENORMAL);
    if env.defined || signals {
        Raised { set: invalid, open: denormal }
    } else {
        Raised::open(invalid | denormal)
    }
}

/// From one format to another; `env` holds of the result, `denorm` of `a`.
pub fn convert(from: &Format, to: &Format, env: Env, denorm: Denorm, a: u64) -> Raised {
    let operands = Operands::new(from, Env { denorm, ..env }, [a]);
    operands.and_rounding(finite(operands.read[0]), to, env)
}

/// To an integer from `low` to `high`; `exactly`: a fraction is told. What lies outside saturates, and a NaN gives 0: whether
/// they are invalid operands is not said.
pub fn to_integer(format: &Format, env: Env, exactly: bool, low: i128, high: i128, a: u64) -> Raised {
    let operands = Operands::new(format, env, [a]);
    let outside = operands.raised | Raised::open(Flags::INVALID | Flags::INEXACT.when(exactly));
    match operands.read[0] {
        Value::Zero { .. } => operands.raised,
        // Far outside of any integer.
        Value::Finite(x) if x.magnitude() < 100 => {
            let (whole, fraction) = x.in_units(0, Round::TowardZero);
            let value = if x.negative { -(whole as i128) } else { whole as i128 };
            // Rounding decides next to a bound.
            let inside = if fraction { low < value && value < high } else { (low..=high).contains(&value) };
            let toward_zero = fraction && value == 0 && (!x.negative || low < 0);
            if !inside && !toward_zero {
                return outside;
            }
            operands.raised | Raised::set(Flags::INEXACT.when(exactly && fraction))
        }
        _ => outside,
    }
}

/// From an integer.
pub fn from_integer(to: &Format, env: Env, a: i128) -> Raised {
    let value = Finite { negative: a < 0, exp: 0, sig: a.unsigned_abs() };
    if a == 0 { Raised::NOTHING } else { rounding(value, to, env) }
}

/// `a` * 2^`by`.
pub fn ldexp(format: &Format, env: Env, a: u64, by: i32) -> Raised {
    let operands = Operands::new(format, env, [a]);
    // Beyond ±5000 every format has long overflowed or underflowed.
    let scaled = finite(operands.read[0]).map(|x| Finite { exp: x.exp + by.clamp(-5000, 5000), ..x });
    operands.and_rounding(scaled, format, env)
}

/// To an integral value of the same format: whether that is inexact is not said.
pub fn integral(format: &Format, env: Env, a: u64) -> Raised {
    let operands = Operands::new(format, env, [a]);
    let fraction = finite(operands.read[0]).is_some_and(|x| x.in_units(0, Round::TowardZero).1);
    operands.raised | Raised::open(Flags::INEXACT.when(fraction))
}

/// The transcendental operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the manual's names
pub enum Transcendental {
    Rcp,
    Rsq,
    Sqrt,
    Log,
    Exp,
    Sin,
    Cos,
    Tanh,
}

/// A transcendental operation. How far its result is from the precise one is not said, and so not whether that overflows,
/// underflows or is inexact, except of zeros, infinities and NaNs.
pub fn transcendental(operation: Transcendental, format: &Format, env: Env, a: u64) -> Raised {
    use Transcendental::{Cos, Log, Rcp, Rsq, Sin, Sqrt};
    let operands = Operands::new(format, env, [a]);
    let raised = operands.raised;
    if operands.given[0].subnormal {
        // Whether it is read as zero is the operation's own affair.
        return raised | Raised::open(ROUNDING | Flags::INVALID | Flags::DIVIDE_BY_ZERO);
    }
    match (operation, operands.read[0]) {
        (_, Value::Nan(_)) => raised,
        (Rcp | Rsq, Value::Zero { .. }) => raised | Raised::set(Flags::DIVIDE_BY_ZERO),
        // IEEE 754's logarithms tell of it; the manual's division is "Float X / 0".
        (Log, Value::Zero { .. }) => raised | Raised::open(Flags::DIVIDE_BY_ZERO),
        (_, Value::Zero { .. }) => raised,
        (Sin | Cos, Value::Infinity { .. }) => operands.invalid(),
        (Rsq | Sqrt | Log, Value::Infinity { negative: true }) => operands.invalid(),
        (Rsq | Sqrt | Log, Value::Finite(Finite { negative: true, .. })) => operands.invalid(),
        (_, Value::Infinity { .. }) => raised,
        (_, Value::Finite(_)) => raised | Raised::open(ROUNDING),
    }
}

/// The last step of a division: "Generate any invalid, denormal and divide-by-zero exceptions that are a result of the
/// division" (V_DIV_FIXUP_F32 and its like). Whether its own results for quotients beyond the format overflow and underflow is
/// not said.
pub fn div_fixup(format: &Format, env: Env, denominator: u64, numerator: u64) -> Raised {
    let operands = Operands::new(format, env, [numerator, denominator]);
    if operands.nan {
        return operands.raised;
    }
    if !env.denorm.input && operands.given.iter().any(|x| x.subnormal) {
        return operands.raised | Raised::open(ROUNDING | Flags::INVALID | Flags::DIVIDE_BY_ZERO);
    }
    match (operands.read[0], operands.read[1]) {
        (Value::Zero { .. }, Value::Zero { .. }) | (Value::Infinity { .. }, Value::Infinity { .. }) => {
            operands.invalid()
        }
        (Value::Finite(_), Value::Zero { .. }) => operands.raised | Raised::set(Flags::DIVIDE_BY_ZERO),
        (Value::Finite(_), Value::Finite(_)) => operands.raised | Raised::open(ROUNDING),
        _ => operands.raised,
    }
}
