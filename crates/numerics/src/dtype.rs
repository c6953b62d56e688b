//! The element types of buffers that users name (launch files, tile programs): names, sizes, and how numbers
//! become their bits.
//!
//! Follows the launch-file section of the project's interfaces; the narrow formats are those of the OCP 8-bit
//! and microscaling specifications and, for `fnuz`, of the CDNA3 ISA manual. Conversions round to nearest, ties
//! to even, once from `f64`, and never saturate unless asked to.
//!
//! Does not: arithmetic. This is a second reading of the formats, on purpose apart from the simulator's.

use std::fmt;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Dtype {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    F32,
    F64,
    F8E4M3,
    F8E5M2,
    F8E4M3Fnuz,
    F8E5M2Fnuz,
    F6E2M3,
    F6E3M2,
    F4E2M1,
    E8M0,
    Bool,
}

/// What the codes of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two's complement.
    Signed,
    /// Unsigned.
    Unsigned,
    /// A floating-point format, `e8m0` among them.
    Float,
    /// 0 or 1.
    Bool,
}

/// A number does not fit the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// A float of at most 16 bits: sign, exponent, mantissa.
struct Small {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    /// Largest finite magnitude, as a code without sign.
    max: u32,
    /// Code of infinity, if there is one.
    infinity: Option<u32>,
    /// Code of the quiet NaN, if there is one.
    nan: Option<u32>,
    /// No negative zero; its code is the NaN.
    fnuz: bool,
}

use Dtype::*;

impl Dtype {
    /// All types, in the order of the interface's list.
    pub const ALL: [Dtype; 21] = [
        I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32, F64, F8E4M3, F8E5M2, F8E4M3Fnuz, F8E5M2Fnuz,
        F6E2M3, F6E3M2, F4E2M1, E8M0, Bool,
    ];

    /// The name in a launch file.
    pub fn name(self) -> &'static str {
        match self {
            I8 => "i8",
            U8 => "u8",
            I16 => "i16",
            U16 => "u16",
            I32 => "i32",
            U32 => "u32",
            I64 => "i64",
            U64 => "u64",
            F16 => "f16",
            Bf16 => "bf16",
            F32 => "f32",
            F64 => "f64",
            F8E4M3 => "f8e4m3",
            F8E5M2 => "f8e5m2",
            F8E4M3Fnuz => "f8e4m3fnuz",
            F8E5M2Fnuz => "f8e5m2fnuz",
            F6E2M3 => "f6e2m3",
            F6E3M2 => "f6e3m2",
            F4E2M1 => "f4e2m1",
            E8M0 => "e8m0",
            Bool => "bool",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<Dtype> {
        Dtype::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Bits of an element in a buffer (4 and 6 for the packed types).
    pub fn bits(self) -> u32 {
        match self {
            F4E2M1 => 4,
            F6E2M3 | F6E3M2 => 6,
            I8 | U8 | F8E4M3 | F8E5M2 | F8E4M3Fnuz | F8E5M2Fnuz | E8M0 | Bool => 8,
            I16 | U16 | F16 | Bf16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 => 64,
        }
    }

    /// Several elements share a byte.
    pub fn is_packed(self) -> bool {
        self.bits() < 8
    }

    /// Bytes of a scalar argument, which are also its natural alignment.
    pub fn scalar_bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Bytes of `elements` elements, packed without padding; `None` on overflow.
    pub fn buffer_bytes(self, elements: u64) -> Option<u64> {
        elements.checked_mul(u64::from(self.bits())).map(|bits| bits.div_ceil(8))
    }

    /// What its codes mean.
    pub fn kind(self) -> Kind {
        match self {
            I8 | I16 | I32 | I64 => Kind::Signed,
            U8 | U16 | U32 | U64 => Kind::Unsigned,
            Bool => Kind::Bool,
            _ => Kind::Float,
        }
    }

    fn small(self) -> Option<Small> {
        let small = |exponent_bits, mantissa_bits, bias, max, infinity, nan, fnuz| {
            Some(Small { exponent_bits, mantissa_bits, bias, max, infinity, nan, fnuz })
        };
        match self {
            F16 => small(5, 10, 15, 0x7bff, Some(0x7c00), Some(0x7e00), false),
            Bf16 => small(8, 7, 127, 0x7f7f, Some(0x7f80), Some(0x7fc0), false),
            F8E4M3 => small(4, 3, 7, 0x7e, None, Some(0x7f), false),
            F8E5M2 => small(5, 2, 15, 0x7b, Some(0x7c), Some(0x7e), false),
            F8E4M3Fnuz => small(4, 3, 8, 0x7f, None, Some(0x80), true),
            F8E5M2Fnuz => small(5, 2, 16, 0x7f, None, Some(0x80), true),
            F6E2M3 => small(2, 3, 1, 0x1f, None, None, false),
            F6E3M2 => small(3, 2, 3, 0x1f, None, None, false),
            F4E2M1 => small(2, 1, 1, 0x7, None, None, false),
            _ => None,
        }
    }

    /// The code of an integer; float types convert it exactly or round. Out of range: an error.
    pub fn encode_integer(self, value: i128) -> Result<u64, OutOfRange> {
        match self.kind() {
            Kind::Float => self.encode_float(value as f64),
            Kind::Bool => u64::try_from(value).ok().filter(|&code| code < 2).ok_or(OutOfRange),
            Kind::Unsigned if value < 0 || value >> self.bits() != 0 => Err(OutOfRange),
            Kind::Unsigned => Ok(value as u64),
            Kind::Signed => {
                let high = value >> (self.bits() - 1);
                if high != 0 && high != -1 { Err(OutOfRange) } else { Ok(value as u64 & self.code_mask()) }
            }
        }
    }

    /// The code nearest to `value`. An error when the type has no such number: too large for the finite range
    /// (after rounding), an infinity or NaN the format lacks, a fraction for an integer type.
    pub fn encode_float(self, value: f64) -> Result<u64, OutOfRange> {
        match self {
            F64 => Ok(value.to_bits()),
            F32 => {
                let narrow = value as f32;
                if narrow.is_infinite() && value.is_finite() {
                    return Err(OutOfRange);
                }
                Ok(u64::from(narrow.to_bits()))
            }
            E8M0 => encode_e8m0(value),
            _ => match self.small() {
                Some(format) => format.encode(value).map(u64::from),
                None if value.fract() == 0.0 && value.abs() < 2f64.powi(64) => {
                    self.encode_integer(value as i128)
                }
                None => Err(OutOfRange),
            },
        }
    }

    /// The code nearest to `value`, values beyond the finite range moved to its ends (NaN to 0 where there is none).
    pub fn encode_saturating(self, value: f64) -> u64 {
        if let Ok(code) = self.encode_float(value) {
            return code;
        }
        let end = if value.is_nan() { 0.0 } else { self.max_finite().copysign(value) };
        self.encode_float(end).unwrap_or(0)
    }

    /// The largest finite number.
    pub fn max_finite(self) -> f64 {
        match self {
            F64 => f64::MAX,
            F32 => f64::from(f32::MAX),
            E8M0 => 2f64.powi(127),
            Bool => 1.0,
            _ => match self.small() {
                Some(format) => format.decode(format.max),
                None => self.decode(self.code_mask() >> u32::from(self.kind() == Kind::Signed)),
            },
        }
    }

    /// The number of a code, as nearly as `f64` has it (64-bit integers round).
    pub fn decode(self, code: u64) -> f64 {
        let code = code & self.code_mask();
        match self {
            F64 => f64::from_bits(code),
            F32 => f64::from(f32::from_bits(code as u32)),
            E8M0 if code == 0xff => f64::NAN,
            E8M0 => 2f64.powi(code as i32 - 127),
            _ => match (self.small(), self.kind()) {
                (Some(format), _) => format.decode(code as u32),
                (None, Kind::Signed) => sign_extend(code, self.bits()) as f64,
                (None, _) => code as f64,
            },
        }
    }

    /// The number of a code of an integer type (a bool is 0 or 1; of a float type, the code itself).
    pub fn integer(self, code: u64) -> i128 {
        match self.kind() {
            Kind::Signed => sign_extend(code, self.bits()).into(),
            _ => (code & self.code_mask()).into(),
        }
    }

    /// The number of a code as people write it: integers in full, floats shortest.
    pub fn display(self, code: u64) -> String {
        match self.kind() {
            Kind::Signed => sign_extend(code, self.bits()).to_string(),
            Kind::Unsigned => code.to_string(),
            Kind::Bool => match code {
                0 => "false".to_owned(),
                1 => "true".to_owned(),
                other => format!("{other:#04x} (not a bool)"),
            },
            Kind::Float if self == F32 => format!("{:?}", f32::from_bits(code as u32)),
            Kind::Float => format!("{:?}", self.decode(code)),
        }
    }

    fn code_mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The code of element `index` of `bytes`, little-endian, packed from the low bits up; 0 beyond the end.
    pub fn load(self, bytes: &[u8], index: usize) -> u64 {
        let Some(bit) = index.checked_mul(self.bits() as usize) else { return 0 };
        // Most are whole words.
        let whole = match self.bits() {
            32 => bytes.get(bit / 8..).and_then(|rest| rest.first_chunk().copied()).map(u32::from_le_bytes),
            _ => None,
        };
        if let Some(code) = whole {
            return code.into();
        }
        let mut word = [0; 16];
        let start = (bit / 8).min(bytes.len());
        let end = (start + 9).min(bytes.len());
        word[..end - start].copy_from_slice(&bytes[start..end]);
        ((u128::from_le_bytes(word) >> (bit % 8)) as u64) & self.code_mask()
    }

    /// Sets the code of element `index` of `bytes`; nothing beyond the end.
    pub fn store(self, bytes: &mut [u8], index: usize, code: u64) {
        let Some(bit) = index.checked_mul(self.bits() as usize) else { return };
        let size = self.bits() as usize / 8;
        if self.bits().is_multiple_of(8)
            && let Some(element) = bytes.get_mut(bit / 8..).and_then(|rest| rest.get_mut(..size))
        {
            element.copy_from_slice(&code.to_le_bytes()[..size]);
            return;
        }
        let mask = u128::from(self.code_mask()) << (bit % 8);
        let value = (u128::from(code) << (bit % 8)) & mask;
        let count = (bit % 8 + self.bits() as usize).div_ceil(8);
        for (step, byte) in bytes.iter_mut().skip(bit / 8).take(count).enumerate() {
            *byte = (*byte & !((mask >> (8 * step)) as u8)) | (value >> (8 * step)) as u8;
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn sign_extend(code: u64, bits: u32) -> i64 {
    ((code << (64 - bits)) as i64) >> (64 - bits)
}

fn encode_e8m0(value: f64) -> Result<u64, OutOfRange> {
    if value.is_nan() {
        return Ok(0xff);
    }
    if value <= 0.0 || value.is_infinite() {
        return Err(OutOfRange);
    }
    // Nearest power of two; the midpoint between two goes up.
    let exponent = value.log2().floor();
    let exponent = if value >= 1.5 * exponent.exp2() { exponent + 1.0 } else { exponent };
    let code = exponent + 127.0;
    if (0.0..=254.0).contains(&code) { Ok(code as u64) } else { Err(OutOfRange) }
}

/// 2 to a power of which it is a normal number. (`powi` is a loop.)
fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent), "{exponent}");
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Small {
    fn sign_code(&self) -> u32 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    fn encode(&self, value: f64) -> Result<u32, OutOfRange> {
        if value.is_nan() {
            return self.nan.ok_or(OutOfRange);
        }
        let sign = if value.is_sign_negative() { self.sign_code() } else { 0 };
        if value.is_infinite() {
            return self.infinity.map(|code| code | sign).ok_or(OutOfRange);
        }
        let magnitude = value.abs();
        let lowest = 1 - self.bias;
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(lowest);
        let steps = magnitude * power_of_two(self.mantissa_bits as i32 - exponent);
        // They are few, so that a sum with this has no bits behind the point, and is rounded to even.
        const INTEGERS: f64 = (1u64 << 52) as f64;
        let steps = (steps + INTEGERS - INTEGERS) as u64;
        // The implicit bit of a normal number carries into the exponent field, as does a rounding overflow.
        let code = (((exponent - lowest) as u64) << self.mantissa_bits) + steps;
        if code > u64::from(self.max) {
            return Err(OutOfRange);
        }
        let code = code as u32;
        Ok(if code == 0 && self.fnuz { 0 } else { code | sign })
    }

    fn decode(&self, code: u32) -> f64 {
        if self.fnuz && code == self.sign_code() {
            return f64::NAN;
        }
        let magnitude = code & (self.sign_code() - 1);
        let mantissa = magnitude & ((1 << self.mantissa_bits) - 1);
        let field = (magnitude >> self.mantissa_bits) as i32;
        let number = if Some(magnitude) == self.infinity {
            f64::INFINITY
        } else if magnitude > self.max {
            f64::NAN
        } else {
            let implicit = if field == 0 { 0 } else { 1 << self.mantissa_bits };
            let exponent = field.max(1) - self.bias - self.mantissa_bits as i32;
            f64::from(implicit + mantissa) * power_of_two(exponent)
        };
        if code & self.sign_code() != 0 { -number } else { number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_narrow_code_survives_a_round_trip() {
        for dtype in Dtype::ALL.into_iter().filter(|dtype| dtype.bits() <= 16) {
            for code in 0..=dtype.code_mask() {
                let number = dtype.decode(code);
                if number.is_nan() || dtype == Bool {
                    continue;
                }
                assert_eq!(dtype.encode_float(number), Ok(code), "{dtype} {code:#x} {number}");
            }
        }
    }

    #[test]
    fn halves_agree_with_the_half_crate() {
        for code in 0..=u16::MAX {
            let same = |ours: f64, theirs: f64| {
                ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan()
            };
            assert!(same(F16.decode(code.into()), half::f16::from_bits(code).to_f64()), "{code:#x}");
            assert!(same(Bf16.decode(code.into()), half::bf16::from_bits(code).to_f64()), "{code:#x}");
        }
        for step in 0..200_000u64 {
            // Without low bits, which `half` drops before it rounds.
            let value = f64::from_bits((0x3e00_0000_0000_0000 + step * 0x3d1_2345_6789) >> 32 << 32);
            let theirs = half::f16::from_f64(value);
            let ours = F16.encode_float(value);
            if theirs.is_finite() {
                assert_eq!(ours, Ok(theirs.to_bits().into()), "{value}");
            } else {
                assert_eq!(ours, Err(OutOfRange), "{value}");
            }
        }
    }

    #[test]
    fn known_numbers() {
        let known = [
            (F8E4M3, 448.0, 0x7e),
            (F8E4M3, -1.0, 0xb8),
            (F8E5M2, 57344.0, 0x7b),
            (F8E4M3Fnuz, 240.0, 0x7f),
            (F8E4M3Fnuz, 1.0, 0x40),
            (F8E5M2Fnuz, 1.0, 0x40),
            (F6E2M3, 7.5, 0x1f),
            (F6E3M2, 28.0, 0x1f),
            (F4E2M1, 6.0, 7),
            (F4E2M1, -0.5, 9),
            (E8M0, 1.0, 127),
            (Bf16, 1.0, 0x3f80),
            (F16, 65504.0, 0x7bff),
            (I16, -2.0, 0xfffe),
            (U64, 2f64.powi(63), 1 << 63),
        ];
        for (dtype, number, code) in known {
            assert_eq!(dtype.encode_float(number), Ok(code), "{dtype} {number}");
            assert_eq!(dtype.decode(code), number, "{dtype} {code:#x}");
        }
        assert_eq!(F8E4M3Fnuz.encode_float(-0.0), Ok(0));
        assert_eq!(F8E4M3.encode_float(500.0), Err(OutOfRange));
        assert_eq!(F8E4M3.encode_saturating(-500.0), 0xfe);
        assert_eq!(I8.encode_integer(128), Err(OutOfRange));
        assert_eq!(I8.encode_integer(-128), Ok(0x80));
        assert_eq!(U64.encode_integer(u64::MAX.into()), Ok(u64::MAX));
        assert_eq!(I32.encode_float(0.5), Err(OutOfRange));
        assert_eq!(I64.max_finite(), 2f64.powi(63));
    }

    #[test]
    fn packed_elements_lie_from_the_low_bits_up() {
        let mut bytes = [0; 3];
        for index in 0..4 {
            F6E2M3.store(&mut bytes, index, index as u64 + 1);
        }
        assert_eq!(bytes, [0b1000_0001, 0b0011_0000, 0b0001_0000]);
        assert_eq!([0, 1, 2, 3, 4].map(|index| F6E2M3.load(&bytes, index)), [1, 2, 3, 4, 0]);
        F4E2M1.store(&mut bytes, 1, 0xf);
        assert_eq!(F4E2M1.load(&bytes, 1), 0xf);
        U64.store(&mut bytes, 0, u64::MAX);
        assert_eq!(bytes, [0xff; 3]);
    }
}
