//! Exceptions against an arithmetic of large integers: every finite value of a format is a whole number of units of
//! 2^-2300, sums and products of which are exact, and what rounding does to a whole number is said with shifts and compares.
//! And against apfloat, which knows IEEE 754's flags.

mod patterns;

use num_bigint::BigInt;
use patterns::bits;
use proptest::prelude::*;
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, Round as ApRound, Status};
use wavemark_numerics::exceptions::{Env, Flags, Raised, add, convert, fma, from_integer, ldexp, mul};
use wavemark_numerics::soft::{BF16, F16, F32, F64, Format};
use wavemark_numerics::{Denorm, Round};

/// The unit is 2^-UNIT.
const UNIT: i32 = 2300;

/// A finite value in units.
fn units(format: &Format, bits: u64) -> BigInt {
    let code = bits & ((1 << format.sign_bit) - 1);
    let (field, man) = ((code >> format.man_bits) as i32, code & ((1 << format.man_bits) - 1));
    let (field, sig) = if field == 0 { (1, man) } else { (field, man | 1 << format.man_bits) };
    let value = BigInt::from(sig) << (field - format.bias - format.man_bits as i32 + UNIT) as u32;
    if bits >> format.sign_bit & 1 != 0 { -value } else { value }
}

fn is_nan(format: &Format, bits: u64) -> bool {
    bits & ((1 << format.sign_bit) - 1) > format.infinity
}

fn is_infinite(format: &Format, bits: u64) -> bool {
    bits & ((1 << format.sign_bit) - 1) == format.infinity
}

/// `value`, in units, to a multiple of 2^`step` units.
fn round_to(value: &BigInt, step: u32, round: Round) -> BigInt {
    let step = BigInt::from(1) << step;
    // Floored division, whatever the sign.
    let mut floor = value / &step;
    if &floor * &step > *value {
        floor -= 1;
    }
    let below = &floor * &step;
    if below == *value {
        return below;
    }
    let above = &below + &step;
    let (down, up) = (value - &below, &above - value);
    match round {
        Round::TowardMinus => below,
        Round::TowardPlus => above,
        Round::TowardZero => {
            if value.sign() == num_bigint::Sign::Minus {
                above
            } else {
                below
            }
        }
        Round::NearestEven if down < up => below,
        Round::NearestEven if up < down => above,
        Round::NearestEven => {
            if (&floor % 2u32) == BigInt::from(0) {
                below
            } else {
                above
            }
        }
    }
}

/// What rounding `value`, in units, to `format` raises, as the table of the manual has it.
fn of_result(format: &Format, value: &BigInt, round: Round, keep: bool) -> Flags {
    let zero = BigInt::from(0);
    if *value == zero {
        return Flags::NONE;
    }
    let magnitude = value.magnitude().bits() as i32 - 1 - UNIT;
    let precision = format.man_bits as i32;
    let lowest = units(format, 1 << format.man_bits);
    let largest = units(format, format.max_finite);
    // As if exponents had no bounds, and as if they had only a lower one.
    let unbounded = round_to(value, (magnitude - precision + UNIT) as u32, round);
    let smallest = (1 - format.bias - precision + UNIT) as u32;
    let bounded = round_to(value, smallest.max((magnitude - precision + UNIT) as u32), round);
    let absolute = |x: &BigInt| BigInt::from(x.magnitude().clone());
    let tiny = |x: &BigInt| absolute(x) < lowest;
    if absolute(&unbounded) > largest {
        return Flags::OVERFLOW | Flags::INEXACT;
    }
    let flushed = tiny(&bounded) && !keep;
    let given = if flushed { zero } else { bounded.clone() };
    Flags::INEXACT.when(given != *value) | Flags::UNDERFLOW.when(tiny(value) || tiny(&bounded))
}

/// The same of a product and a sum of finite operands.
fn of_fma(format: &Format, [a, b, c]: [u64; 3], round: Round, keep: bool) -> Flags {
    let exact = ((units(format, a) * units(format, b)) >> UNIT as u32) + units(format, c);
    of_result(format, &exact, round, keep)
}

fn operands_raise(format: &Format, operands: &[u64]) -> Flags {
    let subnormal = |&x: &u64| {
        let code = x & ((1 << format.sign_bit) - 1);
        code != 0 && code < 1 << format.man_bits
    };
    Flags::INPUT_DENORMAL.when(operands.iter().any(subnormal))
}

const KEEP: Env = Env { round: Round::NearestEven, denorm: Denorm::KEEP, defined: true };

macro_rules! against_integers {
    ($name:ident, $format:ident) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]
            #[test]
            fn $name(a in bits(&$format), b in bits(&$format), c in bits(&$format), n in -40i32..40, output: bool) {
                let one = ($format.bias as u64) << $format.man_bits;
                let special = |x: u64| is_nan(&$format, x) || is_infinite(&$format, x);
                for round in Round::ALL {
                    let env = Env { round, denorm: Denorm { input: true, output }, ..KEEP };
                    if !special(a) && !special(b) {
                        let raised = operands_raise(&$format, &[a, b]);
                        let sum = of_fma(&$format, [a, one, b], round, output) | raised;
                        prop_assert_eq!(add(&$format, env, a, b), Raised::set(sum), "{:#x} + {:#x} {:?}", a, b, round);
                        let product = of_fma(&$format, [a, b, 0], round, output) | raised;
                        prop_assert_eq!(mul(&$format, env, a, b), Raised::set(product), "{:#x} * {:#x} {:?}", a, b, round);
                        if !special(c) {
                            let raised = operands_raise(&$format, &[a, b, c]);
                            let all = of_fma(&$format, [a, b, c], round, output) | raised;
                            prop_assert_eq!(
                                fma(&$format, env, a, b, c), Raised::set(all),
                                "{:#x} * {:#x} + {:#x} {:?}", a, b, c, round
                            );
                        }
                        let scaled = units(&$format, a);
                        let scaled = if n < 0 { scaled >> -n as u32 } else { scaled << n as u32 };
                        if n >= 0 || (units(&$format, a) >> -n as u32) << -n as u32 == units(&$format, a) {
                            let all = of_result(&$format, &scaled, round, output) | operands_raise(&$format, &[a]);
                            prop_assert_eq!(ldexp(&$format, env, a, n), Raised::set(all), "{:#x} 2^{} {:?}", a, n, round);
                        }
                    }
                }
            }
        }
    };
}

against_integers!(f16_against_integers, F16);
against_integers!(bf16_against_integers, BF16);
against_integers!(f32_against_integers, F32);
against_integers!(f64_against_integers, F64);

/// The flags that apfloat and the manual mean alike: all but those of subnormal operands and of exact tiny results.
fn alike(status: Status) -> Flags {
    Flags::INVALID.when(status.contains(Status::INVALID_OP))
        | Flags::OVERFLOW.when(status.contains(Status::OVERFLOW))
        | Flags::INEXACT.when(status.contains(Status::INEXACT))
}

const ALIKE: Flags = Flags(Flags::INVALID.0 | Flags::OVERFLOW.0 | Flags::INEXACT.0);

const ROUNDS: [(Round, ApRound); 4] = [
    (Round::NearestEven, ApRound::NearestTiesToEven),
    (Round::TowardPlus, ApRound::TowardPositive),
    (Round::TowardMinus, ApRound::TowardNegative),
    (Round::TowardZero, ApRound::TowardZero),
];

macro_rules! against_apfloat {
    ($name:ident, $format:ident, $ap:ty) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]
            #[test]
            fn $name(a in bits(&$format), b in bits(&$format), c in bits(&$format)) {
                let quiet = |x: u64| !is_nan(&$format, x) || x >> ($format.man_bits - 1) & 1 != 0;
                // apfloat does not tell signalling NaNs in each of its operations.
                if [a, b, c].into_iter().all(quiet) {
                    let [x, y, z] = [a, b, c].map(|bits| <$ap>::from_bits(bits as u128));
                    for (round, ap) in ROUNDS {
                        let env = Env { round, ..KEEP };
                        // It does not call it an overflow if the result is the largest finite number.
                        let overflow = Flags::OVERFLOW.when(round != Round::NearestEven);
                        let ours = |raised: Raised| raised.set.and(ALIKE).without(overflow);
                        let alike = |status| alike(status).without(overflow);
                        prop_assert_eq!(ours(add(&$format, env, a, b)), alike(x.add_r(y, ap).status));
                        prop_assert_eq!(ours(mul(&$format, env, a, b)), alike(x.mul_r(y, ap).status));
                        let all = fma(&$format, env, a, b, c);
                        if all.open.and(Flags::INVALID) == Flags::NONE {
                            let theirs = x.mul_add_r(y, z, ap).status;
                            prop_assert_eq!(ours(all), alike(theirs), "{:#x} {:#x} {:#x} {:?}", a, b, c, round);
                        }
                    }
                }
            }
        }
    };
}

against_apfloat!(f16_against_apfloat, F16, Half);
against_apfloat!(f32_against_apfloat, F32, Single);
against_apfloat!(f64_against_apfloat, F64, Double);

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn conversions_against_integers(a in bits(&F32), b in bits(&F64), n: i64) {
        for round in Round::ALL {
            let env = Env { round, ..KEEP };
            for (from, to, x) in [(&F32, &F16, a), (&F64, &F32, b), (&F32, &BF16, a), (&F32, &F64, a)] {
                if is_nan(from, x) || is_infinite(from, x) {
                    continue;
                }
                let all = of_result(to, &units(from, x), round, true) | operands_raise(from, &[x]);
                prop_assert_eq!(convert(from, to, env, Denorm::KEEP, x), Raised::set(all), "{:#x} {:?}", x, round);
            }
            let whole = BigInt::from(n) << UNIT as u32;
            for to in [&F16, &F32, &F64] {
                prop_assert_eq!(from_integer(to, env, n.into()), Raised::set(of_result(to, &whole, round, true)));
            }
        }
    }
}

/// One line for what has no rounding: special operands.
#[test]
fn special_operands() {
    let (infinity, quiet, signalling, one) = (F32.infinity, F32.nan, F32.infinity | 1, 0x3f80_0000);
    let negative = |x: u64| x | 1 << 31;
    let invalid = Raised::set(Flags::INVALID);
    assert_eq!(add(&F32, KEEP, infinity, negative(infinity)), invalid);
    assert_eq!(add(&F32, KEEP, infinity, infinity), Raised::NOTHING);
    assert_eq!(add(&F32, KEEP, quiet, one), Raised::NOTHING);
    assert_eq!(add(&F32, KEEP, signalling, one), invalid);
    assert_eq!(mul(&F32, KEEP, infinity, 0), invalid);
    assert_eq!(fma(&F32, KEEP, infinity, 0, one), invalid);
    assert_eq!(fma(&F32, KEEP, infinity, 0, quiet), Raised::open(Flags::INVALID));
    assert_eq!(fma(&F32, KEEP, infinity, one, negative(infinity)), invalid);
    // Beside a NaN, and where it is read as zero.
    assert_eq!(add(&F32, KEEP, quiet, 1), Raised::open(Flags::INPUT_DENORMAL));
    let flush = Env { denorm: Denorm::FLUSH, ..KEEP };
    assert_eq!(mul(&F32, flush, one, 1), Raised::open(Flags::INPUT_DENORMAL));
    // Tiny and exact, which only a table says to be an underflow.
    let old = Env { defined: false, ..KEEP };
    let half = 0x3f00_0000;
    assert_eq!(mul(&F32, KEEP, half, 0x0080_0000), Raised::set(Flags::UNDERFLOW));
    assert_eq!(mul(&F32, old, half, 0x0080_0000), Raised::open(Flags::UNDERFLOW));
}
