//! Conversions to and from the formats of 8, 6 and 4 bits, plain, scaled, and with stochastic rounding.
//!
//! Every instruction here is a walk over elements: decode or encode one, at its place in a register tuple.
//! Which bytes of a narrow operand take part is said by `op_sel` or by the `byte_sel` and `scale_sel` controls.

use wavemark_isa::Meaning;
use wavemark_numerics::narrow::Specials;
use wavemark_numerics::{bf16, f16, fp8, mx, scale as sc, stochastic};

use super::def::{Line, OwnMods};
use super::lane::Cx;
use super::wide::Tuple;

/// A narrow format.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Narrow {
    Fp8,
    Bf8,
    Fp8Fnuz,
    Bf8Fnuz,
    Fp6,
    Bf6,
    Fp4,
}
use Narrow::{Bf6, Bf8, Bf8Fnuz, Fp4, Fp6, Fp8, Fp8Fnuz};

/// The format on the other side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Full {
    Single,
    Half,
    Brain,
}
use Full::{Brain, Half, Single};

/// Which rules for overflow and infinity a conversion follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// Unscaled conversions, and gfx950's scaled ones.
    Plain,
    /// gfx1250's scaled conversions.
    Scaled1250,
}
use Rules::{Plain, Scaled1250};

impl Narrow {
    const fn bits(self) -> u32 {
        match self {
            Fp8 | Bf8 | Fp8Fnuz | Bf8Fnuz => 8,
            Fp6 | Bf6 => 6,
            Fp4 => 4,
        }
    }

    fn decode(self, code: u32) -> f32 {
        let code = code as u8;
        match self {
            Fp8 => fp8::e4m3_to_f32(code),
            Bf8 => fp8::e5m2_to_f32(code),
            Fp8Fnuz => fp8::e4m3fnuz_to_f32(code),
            Bf8Fnuz => fp8::e5m2fnuz_to_f32(code),
            Fp6 => mx::e2m3_to_f32(code),
            Bf6 => mx::e3m2_to_f32(code),
            Fp4 => mx::e2m1_to_f32(code),
        }
    }

    fn specials(self, rules: Rules, ovfl: bool) -> Specials {
        match (self, rules) {
            (Fp8, Plain) => fp8::e4m3_specials(ovfl),
            (Fp8, Scaled1250) => fp8::e4m3_specials_scaled_gfx1250(ovfl),
            (Bf8, Plain) => fp8::e5m2_specials(ovfl),
            (Bf8, Scaled1250) => fp8::e5m2_specials_scaled_gfx1250(ovfl),
            (Fp8Fnuz | Bf8Fnuz, _) => fp8::fnuz_specials(ovfl),
            (Fp6 | Bf6, _) => stochastic::FP6_SATURATE,
            (Fp4, _) => stochastic::FP4_SATURATE,
        }
    }

    fn encode(self, x: f32, specials: Specials) -> u32 {
        u32::from(match self {
            Fp8 => fp8::e4m3_from_f32(x, specials),
            Bf8 => fp8::e5m2_from_f32(x, specials),
            Fp8Fnuz => fp8::e4m3fnuz_from_f32(x, specials),
            Bf8Fnuz => fp8::e5m2fnuz_from_f32(x, specials),
            Fp6 => mx::e2m3_from_f32(x),
            Bf6 => mx::e3m2_from_f32(x),
            Fp4 => mx::e2m1_from_f32(x),
        })
    }

    /// With stochastic rounding of a value that came from `source`.
    fn encode_random(self, source: Full, x: f32, random: u32, specials: Specials) -> u32 {
        macro_rules! by_source {
            ($f:ident) => {
                match source {
                    Single => st::$f::<23>(x, random, specials),
                    Half => st::$f::<10>(x, random, specials),
                    Brain => st::$f::<7>(x, random, specials),
                }
            };
        }
        use stochastic as st;
        u32::from(match self {
            Fp8 => by_source!(e4m3_from_f32),
            Bf8 => by_source!(e5m2_from_f32),
            Fp8Fnuz => by_source!(e4m3fnuz_from_f32),
            Bf8Fnuz => by_source!(e5m2fnuz_from_f32),
            Fp6 => by_source!(e2m3_from_f32),
            Bf6 => by_source!(e3m2_from_f32),
            Fp4 => by_source!(e2m1_from_f32),
        })
    }
}

impl Full {
    /// Element `i` of a tuple as binary32.
    fn get(self, words: &Tuple, i: u32) -> f32 {
        match self {
            Single => f32::from_bits(words[i as usize]),
            Half => f16::to_f32(field(words, 16 * i, 16) as u16),
            Brain => bf16::to_f32(field(words, 16 * i, 16) as u16),
        }
    }

    /// Write element `i`.
    fn put(self, cx: &Cx, words: &mut Tuple, i: u32, x: f32) {
        match self {
            Single => words[i as usize] = x.to_bits(),
            Half => set_field(words, 16 * i, 16, half_bits(cx, x)),
            Brain => set_field(words, 16 * i, 16, u32::from(bf16::from_f32(x))),
        }
    }
}

fn half_bits(cx: &Cx, x: f32) -> u32 {
    u32::from(if cx.mode.fp16_ovfl { f16::from_f32_clamped(x) } else { f16::from_f32(x) })
}

/// `width` (at most 32) bits of a tuple from bit `at`.
fn field(words: &Tuple, at: u32, width: u32) -> u32 {
    let i = at as usize / 32;
    let high = words.get(i + 1).copied().unwrap_or(0);
    let pair = u64::from(words[i]) | u64::from(high) << 32;
    (pair >> (at % 32)) as u32 & (u32::MAX >> (32 - width))
}

/// Replace `width` bits of a tuple from bit `at`.
fn set_field(words: &mut Tuple, at: u32, width: u32, x: u32) {
    let i = at as usize / 32;
    let mask = u64::from(u32::MAX >> (32 - width)) << (at % 32);
    let value = u64::from(x) << (at % 32) & mask;
    words[i] = words[i] & !(mask as u32) | value as u32;
    if let Some(high) = words.get_mut(i + 1) {
        *high = *high & !((mask >> 32) as u32) | (value >> 32) as u32;
    }
}

/// The E8M0 scale in the exponent of a binary32 operand.
fn exponent(word: u32) -> u8 {
    sc::e8m0_of_f32(f32::from_bits(word))
}

/// The scale byte that `scale_sel` (or OP_SEL) names.
fn selected_scale(m: OwnMods, word: u32) -> u8 {
    let select = m.control() | m.op_sel() & 7;
    // Bit 2 chooses lanes' halves in matrix scales; here the operand is one dword.
    (word >> (8 * (select & 3))) as u8
}

/// `count` narrow elements from element `first`, scaled.
fn widen(cx: &Cx, from: Narrow, to: Full, count: u32, a: &Tuple, first: u32, scale: u8, d: &mut Tuple) {
    for i in 0..count {
        let x = from.decode(field(a, from.bits() * (first + i), from.bits()));
        to.put(cx, d, i, sc::multiply_by_e8m0(x, scale));
    }
}

/// Divide by the scale and round.
fn shrink_one(cx: &Cx, to: Narrow, rules: Rules, x: f32, scale: u8) -> u32 {
    let scaled = sc::divide_by_e8m0_finite(x, scale);
    to.encode(scaled, to.specials(rules, cx.mode.fp16_ovfl))
}

/// `count` elements shrunk into `d` from bit `at`.
fn shrink(
    cx: &Cx,
    from: Full,
    to: Narrow,
    rules: Rules,
    count: u32,
    a: &Tuple,
    scale: u8,
    d: &mut Tuple,
    at: u32,
) {
    for i in 0..count {
        let code = shrink_one(cx, to, rules, from.get(a, i), scale);
        set_field(d, at + to.bits() * i, to.bits(), code);
    }
}

fn shrink_random_one(cx: &Cx, from: Full, to: Narrow, rules: Rules, x: f32, random: u32, scale: u8) -> u32 {
    let scaled = sc::divide_by_e8m0_finite(x, scale);
    to.encode_random(from, scaled, random, to.specials(rules, cx.mode.fp16_ovfl))
}

/// With stochastic rounding as gfx950 does it: 32 random bits and a step of the generator for each element.
fn shrink_random(
    cx: &Cx,
    from: Full,
    to: Narrow,
    count: u32,
    a: &Tuple,
    random: u32,
    scale: u8,
    d: &mut Tuple,
    at: u32,
) {
    let mut random = random;
    for i in 0..count {
        let code = shrink_random_one(cx, from, to, Plain, from.get(a, i), random, scale);
        set_field(d, at + to.bits() * i, to.bits(), code);
        random = stochastic::prng(random);
    }
}

/// As gfx1250 does it: 16 random bits for each element, a step for each two.
fn shrink_random_1250(
    cx: &Cx,
    from: Full,
    to: Narrow,
    count: u32,
    a: &Tuple,
    random: u32,
    scale: u8,
    d: &mut Tuple,
) {
    let mut random = random;
    for i in 0..count {
        let half = (random >> (16 * (i % 2))) as u16;
        let code =
            shrink_random_one(cx, from, to, Scaled1250, from.get(a, i), stochastic::upper_half(half), scale);
        set_field(d, to.bits() * i, to.bits(), code);
        if i % 2 == 1 {
            random = stochastic::prng(random);
        }
    }
}

/// Source `i` of an unscaled conversion from binary32, with NEG and ABS.
fn modified(m: OwnMods, i: u32, word: u32) -> f32 {
    let bits = word & if m.neg_hi() >> i & 1 != 0 { 0x7fff_ffff } else { u32::MAX };
    f32::from_bits(bits ^ (m.neg() >> i & 1) << 31)
}

/// Half `half` of source `i` of an unscaled conversion from binary16, with NEG and ABS.
fn modified_half(m: OwnMods, i: u32, word: u32, half: u32) -> f32 {
    let bits = (word >> (16 * half)) as u16 & if m.neg_hi() >> i & 1 != 0 { 0x7fff } else { 0xffff };
    f16::to_f32(bits ^ ((m.neg() >> i & 1) << 15) as u16)
}

/// An unscaled conversion; with CLAMP FP8 is the unsigned scale format E5M3 (CDNA5 V_CVT_PK_FP8_F32).
fn encode_plain(cx: &Cx, m: OwnMods, to: Narrow, x: f32) -> u32 {
    if m.clamp() && to == Fp8 {
        return u32::from(sc::e5m3_from_f32(x, cx.mode.fp16_ovfl));
    }
    to.encode(x, to.specials(Plain, cx.mode.fp16_ovfl))
}

fn decode_plain(m: OwnMods, from: Narrow, code: u32) -> f32 {
    if m.clamp() && from == Fp8 { sc::e5m3_to_f32(code as u8) } else { from.decode(code) }
}

/// The source byte of an unscaled conversion: `byte_sel`, or OP_SEL\[1:0\] with its bits reversed.
fn source_byte(m: OwnMods, word: u32) -> u32 {
    let reversed = (m.op_sel() & 1) << 1 | m.op_sel() >> 1 & 1;
    word >> (8 * ((m.control() | reversed) & 3)) & 0xff
}

/// The destination byte: `byte_sel`, or OP_SEL\[3:2\].
fn destination_byte(m: OwnMods) -> u32 {
    8 * ((m.control() | m.op_sel() >> 2) & 3)
}

/// The destination word: OP_SEL\[3\].
fn destination_word(m: OwnMods) -> u32 {
    16 * (m.op_sel() >> 3 & 1)
}

/// From a byte or word of narrow elements, scaled (gfx950).
macro_rules! widen_pair {
    ($from:ident, $to:ident, $words:literal) => {
        wide!([B32, B32, None] -> $words; |cx, m, a, b, c, d| {
            // FP4 pairs are bytes, the others words.
            let first = if $from == Fp4 { 2 * (m.op_sel() & 3) } else { 2 * (m.op_sel() & 1) };
            widen(cx, $from, $to, 2, a, first, exponent(b[0]), d);
        })
        .def()
    };
}

/// One element of a byte, scaled (gfx950).
macro_rules! widen_one {
    ($from:ident, f32) => {
        wide!([B32, B32, None] -> 1; |cx, m, a, b, c, d| {
            widen(cx, $from, Single, 1, a, m.op_sel() & 3, exponent(b[0]), d);
        })
        .def()
    };
    ($from:ident, f16) => {
        wide!([B32, B32, None] -> 1; |cx, m, a, b, c, d| {
            let x = $from.decode(field(a, 8 * (m.op_sel() & 3), 8));
            let x = sc::multiply_by_e8m0(x, exponent(b[0]));
            set_field(d, destination_word(m), 16, half_bits(cx, x));
        })
        .def()
    };
}

/// A pair of binary32 sources into a word or byte, scaled (gfx950).
macro_rules! shrink_singles {
    ($to:ident) => {
        wide!([F32, F32, B32] -> 1; |cx, m, a, b, c, d| {
            let at = if $to == Fp4 { destination_byte(m) } else { destination_word(m) };
            let pair = [modified(m, 0, a[0]), modified(m, 1, b[0])];
            for (i, x) in pair.into_iter().enumerate() {
                let code = shrink_one(cx, $to, Plain, x, exponent(c[0]));
                set_field(d, at + $to.bits() * i as u32, $to.bits(), code);
            }
        })
        .def()
    };
}

/// A packed pair into a word or byte, scaled (gfx950).
macro_rules! shrink_pair {
    ($from:ident, $to:ident) => {
        wide!([B32, B32, None] -> 1; |cx, m, a, b, c, d| {
            let at = if $to == Fp4 { destination_byte(m) } else { destination_word(m) };
            shrink(cx, $from, $to, Plain, 2, a, exponent(b[0]), d, at);
        })
        .def()
    };
}

/// One element into a byte, scaled, stochastic (gfx950).
macro_rules! random_one {
    ($from:ident, $to:ident) => {
        wide!([B32, B32, B32] -> 1; |cx, m, a, b, c, d| {
            let x = match $from {
                Single => modified(m, 0, a[0]),
                other => other.get(a, m.op_sel() & 1),
            };
            let code = shrink_random_one(cx, $from, $to, Plain, x, b[0], exponent(c[0]));
            set_field(d, destination_byte(m), 8, code);
        })
        .def()
    };
}

/// A pair into a byte of FP4, scaled, stochastic (gfx950).
macro_rules! random_pair {
    ($from:ident, $kind:ident) => {
        wide!([$kind, B32, B32] -> 1; |cx, m, a, b, c, d| {
            shrink_random(cx, $from, Fp4, 2, a, b[0], exponent(c[0]), d, destination_byte(m));
        })
        .def()
    };
}

/// 32 elements of six bits (gfx950).
macro_rules! widen32 {
    ($from:ident, $to:ident, $words:literal) => {
        wide!([Tuple(6), B32, None] -> $words; |cx, m, a, b, c, d| {
            widen(cx, $from, $to, 32, a, 0, exponent(b[0]), d);
        })
        .def()
    };
}
macro_rules! shrink32 {
    ($from:ident, $to:ident) => {
        wide!([Tuple(16), B32, None] -> 6; |cx, m, a, b, c, d| {
            shrink(cx, $from, $to, Plain, 32, a, exponent(b[0]), d, 0);
        })
        .def()
    };
}
macro_rules! shrink_two16 {
    ($to:ident) => {
        wide!([Tuple(16), Tuple(16), B32] -> 6; |cx, m, a, b, c, d| {
            // The two sources alternate.
            for i in 0..32 {
                let source = if i % 2 == 0 { a } else { b };
                let code = shrink_one(cx, $to, Plain, Single.get(source, i / 2), exponent(c[0]));
                set_field(d, 6 * i, 6, code);
            }
        })
        .def()
    };
}
macro_rules! random32 {
    ($from:ident, $words:literal, $to:ident) => {
        wide!([Tuple($words), B32, B32] -> 6; |cx, m, a, b, c, d| {
            shrink_random(cx, $from, $to, 32, a, b[0], exponent(c[0]), d, 0);
        })
        .def()
    };
}

/// 8 or 16 elements with a scale byte (gfx1250).
macro_rules! widen_scaled {
    ($from:ident, $kind:expr, $to:ident, $count:literal, $words:literal) => {
        wide!([$kind, B32, None] -> $words; |cx, m, a, b, c, d| {
            widen(cx, $from, $to, $count, a, 0, selected_scale(m, b[0]), d);
        })
        .def()
    };
}
/// 8 or 16 elements with a binary32 scale (gfx1250).
macro_rules! shrink_scaled {
    ($from:ident, $in:literal, $to:ident, $count:literal, $words:literal) => {
        wide!([Tuple($in), B32, None] -> $words; |cx, m, a, b, c, d| {
            shrink(cx, $from, $to, Scaled1250, $count, a, exponent(b[0]), d, 0);
        })
        .def()
    };
}
macro_rules! random_scaled {
    ($from:ident, $in:literal, $to:ident, $count:literal, $words:literal) => {
        wide!([Tuple($in), B32, B32] -> $words; |cx, m, a, b, c, d| {
            shrink_random_1250(cx, $from, $to, $count, a, b[0], exponent(c[0]), d);
        })
        .def()
    };
}

/// Unscaled conversions of one format.
macro_rules! plain {
    ($n:ident, pk_f32) => {
        wide!([F32, F32, None] -> 1; |cx, m, a, b, c, d| {
            let lo = encode_plain(cx, m, $n, modified(m, 0, a[0]));
            let hi = encode_plain(cx, m, $n, modified(m, 1, b[0]));
            set_field(d, destination_word(m), 16, lo | hi << 8);
        })
        .def()
    };
    ($n:ident, pk_f16) => {
        wide!([F16, None, None] -> 1; |cx, m, a, b, c, d| {
            let lo = encode_plain(cx, m, $n, modified_half(m, 0, a[0], 0));
            let hi = encode_plain(cx, m, $n, modified_half(m, 0, a[0], 1));
            set_field(d, destination_word(m), 16, lo | hi << 8);
        })
        .def()
    };
    ($n:ident, sr_f32) => {
        wide!([F32, B32, None] -> 1; |cx, m, a, b, c, d| {
            let specials = $n.specials(Plain, cx.mode.fp16_ovfl);
            let code = $n.encode_random(Single, modified(m, 0, a[0]), b[0], specials);
            set_field(d, destination_byte(m), 8, code);
        })
        .def()
    };
    ($n:ident, sr_f16) => {
        wide!([F16, B32, None] -> 1; |cx, m, a, b, c, d| {
            let specials = $n.specials(Plain, cx.mode.fp16_ovfl);
            let x = modified_half(m, 0, a[0], m.op_sel() & 1);
            let code = $n.encode_random(Half, x, b[0], specials);
            set_field(d, destination_byte(m), 8, code);
        })
        .def()
    };
    ($n:ident, f32) => {
        wide!([B32, None, None] -> 1; |cx, m, a, b, c, d| {
            d[0] = decode_plain(m, $n, source_byte(m, a[0])).to_bits();
        })
        .def()
    };
    ($n:ident, pair_f32) => {
        wide!([B32, None, None] -> 2; |cx, m, a, b, c, d| {
            for i in 0..2 {
                d[i as usize] = decode_plain(m, $n, field(a, 16 * (m.op_sel() & 1) + 8 * i, 8)).to_bits();
            }
        })
        .def()
    };
    ($n:ident, f16) => {
        wide!([B32, None, None] -> 1; |cx, m, a, b, c, d| {
            let x = decode_plain(m, $n, source_byte(m, a[0]));
            set_field(d, destination_word(m), 16, half_bits(cx, x));
        })
        .def()
    };
    ($n:ident, pair_f16) => {
        wide!([B32, None, None] -> 1; |cx, m, a, b, c, d| {
            for i in 0..2 {
                let x = decode_plain(m, $n, field(a, 16 * (m.op_sel() & 1) + 8 * i, 8));
                set_field(d, 16 * i, 16, half_bits(cx, x));
            }
        })
        .def()
    };
}

/// The table of this family.
pub const TABLE: &[Line] = &[
    (Meaning::V_CVT_PK_FP8_F32_FNUZ, plain!(Fp8Fnuz, pk_f32)),
    (Meaning::V_CVT_SR_FP8_F32_FNUZ, plain!(Fp8Fnuz, sr_f32)),
    (Meaning::V_CVT_F32_FP8_FNUZ, plain!(Fp8Fnuz, f32)),
    (Meaning::V_CVT_PK_F32_FP8_FNUZ, plain!(Fp8Fnuz, pair_f32)),
    (Meaning::V_CVT_PK_BF8_F32_FNUZ, plain!(Bf8Fnuz, pk_f32)),
    (Meaning::V_CVT_SR_BF8_F32_FNUZ, plain!(Bf8Fnuz, sr_f32)),
    (Meaning::V_CVT_F32_BF8_FNUZ, plain!(Bf8Fnuz, f32)),
    (Meaning::V_CVT_PK_F32_BF8_FNUZ, plain!(Bf8Fnuz, pair_f32)),
    (Meaning::V_CVT_PK_FP8_F32, plain!(Fp8, pk_f32)),
    (Meaning::V_CVT_PK_FP8_F16, plain!(Fp8, pk_f16)),
    (Meaning::V_CVT_SR_FP8_F32, plain!(Fp8, sr_f32)),
    (Meaning::V_CVT_SR_FP8_F16, plain!(Fp8, sr_f16)),
    (Meaning::V_CVT_F32_FP8, plain!(Fp8, f32)),
    (Meaning::V_CVT_PK_F32_FP8, plain!(Fp8, pair_f32)),
    (Meaning::V_CVT_F16_FP8, plain!(Fp8, f16)),
    (Meaning::V_CVT_PK_F16_FP8, plain!(Fp8, pair_f16)),
    (Meaning::V_CVT_SCALEF32_F32_FP8, widen_one!(Fp8, f32)),
    (Meaning::V_CVT_SCALEF32_F16_FP8, widen_one!(Fp8, f16)),
    (Meaning::V_CVT_SCALEF32_SR_FP8_F32, random_one!(Single, Fp8)),
    (Meaning::V_CVT_SCALEF32_SR_FP8_F16, random_one!(Half, Fp8)),
    (Meaning::V_CVT_SCALEF32_SR_FP8_BF16, random_one!(Brain, Fp8)),
    (Meaning::V_CVT_PK_BF8_F32, plain!(Bf8, pk_f32)),
    (Meaning::V_CVT_PK_BF8_F16, plain!(Bf8, pk_f16)),
    (Meaning::V_CVT_SR_BF8_F32, plain!(Bf8, sr_f32)),
    (Meaning::V_CVT_SR_BF8_F16, plain!(Bf8, sr_f16)),
    (Meaning::V_CVT_F32_BF8, plain!(Bf8, f32)),
    (Meaning::V_CVT_PK_F32_BF8, plain!(Bf8, pair_f32)),
    (Meaning::V_CVT_F16_BF8, plain!(Bf8, f16)),
    (Meaning::V_CVT_PK_F16_BF8, plain!(Bf8, pair_f16)),
    (Meaning::V_CVT_SCALEF32_F32_BF8, widen_one!(Bf8, f32)),
    (Meaning::V_CVT_SCALEF32_F16_BF8, widen_one!(Bf8, f16)),
    (Meaning::V_CVT_SCALEF32_SR_BF8_F32, random_one!(Single, Bf8)),
    (Meaning::V_CVT_SCALEF32_SR_BF8_F16, random_one!(Half, Bf8)),
    (Meaning::V_CVT_SCALEF32_SR_BF8_BF16, random_one!(Brain, Bf8)),
    (Meaning::V_CVT_SCALEF32_PK_F32_FP8, widen_pair!(Fp8, Single, 2)),
    (Meaning::V_CVT_SCALEF32_PK_F16_FP8, widen_pair!(Fp8, Half, 1)),
    (Meaning::V_CVT_SCALEF32_PK_BF16_FP8, widen_pair!(Fp8, Brain, 1)),
    (Meaning::V_CVT_SCALEF32_PK_FP8_F32, shrink_singles!(Fp8)),
    (Meaning::V_CVT_SCALEF32_PK_FP8_F16, shrink_pair!(Half, Fp8)),
    (Meaning::V_CVT_SCALEF32_PK_FP8_BF16, shrink_pair!(Brain, Fp8)),
    (Meaning::V_CVT_SCALEF32_PK_F32_BF8, widen_pair!(Bf8, Single, 2)),
    (Meaning::V_CVT_SCALEF32_PK_F16_BF8, widen_pair!(Bf8, Half, 1)),
    (Meaning::V_CVT_SCALEF32_PK_BF16_BF8, widen_pair!(Bf8, Brain, 1)),
    (Meaning::V_CVT_SCALEF32_PK_BF8_F32, shrink_singles!(Bf8)),
    (Meaning::V_CVT_SCALEF32_PK_BF8_F16, shrink_pair!(Half, Bf8)),
    (Meaning::V_CVT_SCALEF32_PK_BF8_BF16, shrink_pair!(Brain, Bf8)),
    (Meaning::V_CVT_SCALEF32_PK_F32_FP4, widen_pair!(Fp4, Single, 2)),
    (Meaning::V_CVT_SCALEF32_PK_F16_FP4, widen_pair!(Fp4, Half, 1)),
    (Meaning::V_CVT_SCALEF32_PK_BF16_FP4, widen_pair!(Fp4, Brain, 1)),
    (Meaning::V_CVT_SCALEF32_PK_FP4_F32, shrink_singles!(Fp4)),
    (Meaning::V_CVT_SCALEF32_PK_FP4_F16, shrink_pair!(Half, Fp4)),
    (Meaning::V_CVT_SCALEF32_PK_FP4_BF16, shrink_pair!(Brain, Fp4)),
    (Meaning::V_CVT_SCALEF32_SR_PK_FP4_F32, random_pair!(Single, B64)),
    (Meaning::V_CVT_SCALEF32_SR_PK_FP4_F16, random_pair!(Half, B32)),
    (Meaning::V_CVT_SCALEF32_SR_PK_FP4_BF16, random_pair!(Brain, B32)),
    (Meaning::V_CVT_SCALEF32_PK32_F32_FP6, widen32!(Fp6, Single, 32)),
    (Meaning::V_CVT_SCALEF32_PK32_F16_FP6, widen32!(Fp6, Half, 16)),
    (Meaning::V_CVT_SCALEF32_PK32_BF16_FP6, widen32!(Fp6, Brain, 16)),
    (Meaning::V_CVT_SCALEF32_PK32_FP6_F16, shrink32!(Half, Fp6)),
    (Meaning::V_CVT_SCALEF32_PK32_FP6_BF16, shrink32!(Brain, Fp6)),
    (Meaning::V_CVT_SCALEF32_2XPK16_FP6_F32, shrink_two16!(Fp6)),
    (Meaning::V_CVT_SCALEF32_SR_PK32_FP6_F32, random32!(Single, 32, Fp6)),
    (Meaning::V_CVT_SCALEF32_SR_PK32_FP6_F16, random32!(Half, 16, Fp6)),
    (Meaning::V_CVT_SCALEF32_SR_PK32_FP6_BF16, random32!(Brain, 16, Fp6)),
    (Meaning::V_CVT_SCALEF32_PK32_F32_BF6, widen32!(Bf6, Single, 32)),
    (Meaning::V_CVT_SCALEF32_PK32_F16_BF6, widen32!(Bf6, Half, 16)),
    (Meaning::V_CVT_SCALEF32_PK32_BF16_BF6, widen32!(Bf6, Brain, 16)),
    (Meaning::V_CVT_SCALEF32_PK32_BF6_F16, shrink32!(Half, Bf6)),
    (Meaning::V_CVT_SCALEF32_PK32_BF6_BF16, shrink32!(Brain, Bf6)),
    (Meaning::V_CVT_SCALEF32_2XPK16_BF6_F32, shrink_two16!(Bf6)),
    (Meaning::V_CVT_SCALEF32_SR_PK32_BF6_F32, random32!(Single, 32, Bf6)),
    (Meaning::V_CVT_SCALEF32_SR_PK32_BF6_F16, random32!(Half, 16, Bf6)),
    (Meaning::V_CVT_SCALEF32_SR_PK32_BF6_BF16, random32!(Brain, 16, Bf6)),
    (Meaning::V_CVT_SCALE_PK8_F32_FP8, widen_scaled!(Fp8, B64, Single, 8, 8)),
    (Meaning::V_CVT_SCALEF32_PK8_FP8_F32, shrink_scaled!(Single, 8, Fp8, 8, 2)),
    (Meaning::V_CVT_SCALEF32_SR_PK8_FP8_F32, random_scaled!(Single, 8, Fp8, 8, 2)),
    (Meaning::V_CVT_SCALE_PK8_F16_FP8, widen_scaled!(Fp8, B64, Half, 8, 4)),
    (Meaning::V_CVT_SCALEF32_PK8_FP8_F16, shrink_scaled!(Half, 4, Fp8, 8, 2)),
    (Meaning::V_CVT_SCALEF32_SR_PK8_FP8_F16, random_scaled!(Half, 4, Fp8, 8, 2)),
    (Meaning::V_CVT_SCALE_PK8_BF16_FP8, widen_scaled!(Fp8, B64, Brain, 8, 4)),
    (Meaning::V_CVT_SCALEF32_PK8_FP8_BF16, shrink_scaled!(Brain, 4, Fp8, 8, 2)),
    (Meaning::V_CVT_SCALEF32_SR_PK8_FP8_BF16, random_scaled!(Brain, 4, Fp8, 8, 2)),
    (Meaning::V_CVT_SCALE_PK8_F32_BF8, widen_scaled!(Bf8, B64, Single, 8, 8)),
    (Meaning::V_CVT_SCALEF32_PK8_BF8_F32, shrink_scaled!(Single, 8, Bf8, 8, 2)),
    (Meaning::V_CVT_SCALEF32_SR_PK8_BF8_F32, random_scaled!(Single, 8, Bf8, 8, 2)),
    (Meaning::V_CVT_SCALE_PK8_F16_BF8, widen_scaled!(Bf8, B64, Half, 8, 4)),
    (Meaning::V_CVT_SCALEF32_PK8_BF8_F16, shrink_scaled!(Half, 4, Bf8, 8, 2)),
    (Meaning::V_CVT_SCALEF32_SR_PK8_BF8_F16, random_scaled!(Half, 4, Bf8, 8, 2)),
    (Meaning::V_CVT_SCALE_PK8_BF16_BF8, widen_scaled!(Bf8, B64, Brain, 8, 4)),
    (Meaning::V_CVT_SCALEF32_PK8_BF8_BF16, shrink_scaled!(Brain, 4, Bf8, 8, 2)),
    (Meaning::V_CVT_SCALEF32_SR_PK8_BF8_BF16, random_scaled!(Brain, 4, Bf8, 8, 2)),
    (Meaning::V_CVT_SCALE_PK8_F32_FP4, widen_scaled!(Fp4, B32, Single, 8, 8)),
    (Meaning::V_CVT_SCALEF32_PK8_FP4_F32, shrink_scaled!(Single, 8, Fp4, 8, 1)),
    (Meaning::V_CVT_SCALEF32_SR_PK8_FP4_F32, random_scaled!(Single, 8, Fp4, 8, 1)),
    (Meaning::V_CVT_SCALE_PK8_F16_FP4, widen_scaled!(Fp4, B32, Half, 8, 4)),
    (Meaning::V_CVT_SCALEF32_PK8_FP4_F16, shrink_scaled!(Half, 4, Fp4, 8, 1)),
    (Meaning::V_CVT_SCALEF32_SR_PK8_FP4_F16, random_scaled!(Half, 4, Fp4, 8, 1)),
    (Meaning::V_CVT_SCALE_PK8_BF16_FP4, widen_scaled!(Fp4, B32, Brain, 8, 4)),
    (Meaning::V_CVT_SCALEF32_PK8_FP4_BF16, shrink_scaled!(Brain, 4, Fp4, 8, 1)),
    (Meaning::V_CVT_SCALEF32_SR_PK8_FP4_BF16, random_scaled!(Brain, 4, Fp4, 8, 1)),
    (Meaning::V_CVT_SCALE_PK16_F32_FP6, widen_scaled!(Fp6, Tuple(3), Single, 16, 16)),
    (Meaning::V_CVT_SCALEF32_PK16_FP6_F32, shrink_scaled!(Single, 16, Fp6, 16, 3)),
    (Meaning::V_CVT_SCALEF32_SR_PK16_FP6_F32, random_scaled!(Single, 16, Fp6, 16, 3)),
    (Meaning::V_CVT_SCALE_PK16_F16_FP6, widen_scaled!(Fp6, Tuple(3), Half, 16, 8)),
    (Meaning::V_CVT_SCALEF32_PK16_FP6_F16, shrink_scaled!(Half, 8, Fp6, 16, 3)),
    (Meaning::V_CVT_SCALEF32_SR_PK16_FP6_F16, random_scaled!(Half, 8, Fp6, 16, 3)),
    (Meaning::V_CVT_SCALE_PK16_BF16_FP6, widen_scaled!(Fp6, Tuple(3), Brain, 16, 8)),
    (Meaning::V_CVT_SCALEF32_PK16_FP6_BF16, shrink_scaled!(Brain, 8, Fp6, 16, 3)),
    (Meaning::V_CVT_SCALEF32_SR_PK16_FP6_BF16, random_scaled!(Brain, 8, Fp6, 16, 3)),
    (Meaning::V_CVT_SCALE_PK16_F32_BF6, widen_scaled!(Bf6, Tuple(3), Single, 16, 16)),
    (Meaning::V_CVT_SCALEF32_PK16_BF6_F32, shrink_scaled!(Single, 16, Bf6, 16, 3)),
    (Meaning::V_CVT_SCALEF32_SR_PK16_BF6_F32, random_scaled!(Single, 16, Bf6, 16, 3)),
    (Meaning::V_CVT_SCALE_PK16_F16_BF6, widen_scaled!(Bf6, Tuple(3), Half, 16, 8)),
    (Meaning::V_CVT_SCALEF32_PK16_BF6_F16, shrink_scaled!(Half, 8, Bf6, 16, 3)),
    (Meaning::V_CVT_SCALEF32_SR_PK16_BF6_F16, random_scaled!(Half, 8, Bf6, 16, 3)),
    (Meaning::V_CVT_SCALE_PK16_BF16_BF6, widen_scaled!(Bf6, Tuple(3), Brain, 16, 8)),
    (Meaning::V_CVT_SCALEF32_PK16_BF6_BF16, shrink_scaled!(Brain, 8, Bf6, 16, 3)),
    (Meaning::V_CVT_SCALEF32_SR_PK16_BF6_BF16, random_scaled!(Brain, 8, Bf6, 16, 3)),
];
