//! Floating-point literals: text to bits and back.
//!
//! Follows "Simple Constants" of the LLVM Language Reference: decimal numbers, the hexadecimal forms of LLVM 22 (`0x…`
//! is a double's bits, also for half and float; `0xH` half, `0xR` bfloat, `0xL` fp128) and those of LLVM 23 and 24 (`f0x…`
//! is the type's own bits; `+inf`, `+qnan`, `+nan(0x1)`, `+snan(0x1)`). What is printed every LLVM from 22 on reads:
//! decimal with six digits where that is exact, else hexadecimal.

/// A floating-point format of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// IEEE 754 binary16.
    Half,
    /// The upper half of a binary32.
    BFloat,
    /// IEEE 754 binary32.
    Float,
    /// IEEE 754 binary64.
    Double,
    /// IEEE 754 binary128.
    Fp128,
}

impl Format {
    /// Bits in all.
    pub fn bits(self) -> u32 {
        match self {
            Format::Half | Format::BFloat => 16,
            Format::Float => 32,
            Format::Double => 64,
            Format::Fp128 => 128,
        }
    }

    /// Bits of the fraction that are stored.
    fn fraction(self) -> u32 {
        match self {
            Format::Half => 10,
            Format::BFloat => 7,
            Format::Float => 23,
            Format::Double => 52,
            Format::Fp128 => 112,
        }
    }

    fn infinity(self) -> u128 {
        let exponent = self.bits() - 1 - self.fraction();
        ((1 << exponent) - 1) << self.fraction()
    }

    /// The value of `bits` as a double, which holds every value of the formats that are no wider.
    pub fn to_f64(self, bits: u128) -> Option<f64> {
        if self == Format::Double {
            return Some(f64::from_bits(bits as u64));
        }
        if self == Format::Fp128 {
            return None;
        }
        let (fraction, bits) = (self.fraction(), bits as u64);
        let exponent_bits = self.bits() - 1 - fraction;
        let bias = (1i32 << (exponent_bits - 1)) - 1;
        let negative = bits >> (self.bits() - 1) & 1 != 0;
        let exponent = (bits >> fraction) & ((1 << exponent_bits) - 1);
        let significand = bits & ((1 << fraction) - 1);
        let magnitude = if exponent == (1 << exponent_bits) - 1 {
            f64::from_bits(0x7ff0_0000_0000_0000 | significand << (52 - fraction))
        } else if exponent == 0 {
            significand as f64 * 2f64.powi(1 - bias - fraction as i32)
        } else {
            (significand | 1 << fraction) as f64 * 2f64.powi(exponent as i32 - bias - fraction as i32)
        };
        Some(f64::from_bits(magnitude.to_bits() | u64::from(negative) << 63))
    }

    /// The bits of the format that are nearest to `value`, which is finite; of two, those whose last is 0.
    fn nearest(self, value: f64) -> u128 {
        if let Some(exact) = self.exactly(value) {
            return exact;
        }
        let magnitude = value.abs();
        let (mut low, mut high) = (0u128, self.infinity());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let below = self.to_f64(middle).is_none_or(|middle| middle <= magnitude);
            if below { low = middle } else { high = middle }
        }
        let of = |bits: u128| match bits == self.infinity() {
            // The next number, if there was one.
            true => 2.0 * self.to_f64(bits - 1).unwrap_or(f64::MAX) - self.to_f64(bits - 2).unwrap_or(0.0),
            false => self.to_f64(bits).unwrap_or(f64::MAX),
        };
        let (below, above) = (magnitude - of(low), of(high) - magnitude);
        let up = above < below || above == below && low & 1 != 0;
        let sign = u128::from(value.is_sign_negative()) << (self.bits() - 1);
        sign | if up { high } else { low }
    }

    /// The bits of the format that are exactly `value`; `None` where there are none.
    fn exactly(self, value: f64) -> Option<u128> {
        let double = value.to_bits();
        if self == Format::Double {
            return Some(double.into());
        }
        let sign = u128::from(double >> 63) << (self.bits() - 1);
        let magnitude = f64::from_bits(double & !(1 << 63));
        if self == Format::Fp128 {
            let (exponent, fraction) = (double >> 52 & 0x7ff, double & ((1 << 52) - 1));
            return match (exponent, fraction) {
                (0, 0) => Some(sign),
                // A subnormal double would have to be normalised; nobody writes one as an fp128 in decimal.
                (0, _) => None,
                (0x7ff, _) => Some(sign | self.infinity() | u128::from(fraction) << 60),
                _ => Some(sign | u128::from(exponent + 16383 - 1023) << 112 | u128::from(fraction) << 60),
            };
        }
        if value.is_nan() || value.is_infinite() {
            let fraction = double & ((1 << 52) - 1);
            let dropped = 52 - self.fraction();
            let fits = fraction & ((1 << dropped) - 1) == 0;
            return fits.then(|| sign | self.infinity() | u128::from(fraction >> dropped));
        }
        let (dropped, fraction) = (52 - self.fraction(), double & ((1 << 52) - 1));
        let exponent_bits = self.bits() - 1 - self.fraction();
        let exponent = (double >> 52 & 0x7ff) as i64 - 1023 + (1 << (exponent_bits - 1)) - 1;
        if magnitude == 0.0 {
            return Some(sign);
        }
        if (1..(1 << exponent_bits) - 1).contains(&exponent) {
            let fits = fraction & ((1 << dropped) - 1) == 0;
            return fits
                .then(|| sign | (exponent as u128) << self.fraction() | u128::from(fraction >> dropped));
        }
        // Subnormal, or out of range. The greatest code whose value is at most the magnitude: codes without sign are in the order
        // of their values.
        let (mut low, mut high) = (0u128, self.infinity());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.to_f64(middle)? <= magnitude { low = middle } else { high = middle }
        }
        (self.to_f64(low)? == magnitude).then_some(sign | low)
    }
}

/// What is wrong with a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It is no number.
    NotANumber,
    /// It is one by its bits, and the type has none that is equal.
    Inexact,
    /// It is greater than any of the type.
    TooGreat,
}

/// The bits of `format` that a literal spells.
pub fn parse(format: Format, text: &str) -> Result<u128, Malformed> {
    let hex = |digits: &str, most: u32| {
        let fits = !digits.is_empty() && digits.len() as u32 * 4 <= most;
        let value = fits.then(|| u128::from_str_radix(digits, 16).ok()).flatten();
        value.ok_or(Malformed::NotANumber)
    };
    if let Some(digits) = text.strip_prefix("f0x") {
        return hex(digits, format.bits());
    }
    if let Some(rest) = text.strip_prefix("0x") {
        return match (format, rest.as_bytes().first()) {
            (Format::Half, Some(b'H')) | (Format::BFloat, Some(b'R')) => hex(&rest[1..], 16),
            (Format::Fp128, Some(b'L')) => {
                // Two words of sixteen digits, the lower one first.
                let digits = &rest[1..];
                if digits.len() != 32 || !digits.is_ascii() {
                    return Err(Malformed::NotANumber);
                }
                Ok(hex(&digits[16..], 64)? << 64 | hex(&digits[..16], 64)?)
            }
            _ => {
                let double = f64::from_bits(hex(rest, 64)? as u64);
                format.exactly(double).ok_or(Malformed::Inexact)
            }
        };
    }
    if let Some(special) = parse_special(format, text) {
        return special;
    }
    let value: f64 = text.parse().map_err(|_| Malformed::NotANumber)?;
    // Up to LLVM 22 a narrower type must hold the nearest double; LLVM 24 takes the nearest number of the type.
    let bits = match format {
        Format::Float => {
            let single: f32 = text.parse().map_err(|_| Malformed::NotANumber)?;
            single.to_bits().into()
        }
        Format::Double | Format::Fp128 => format.exactly(value).ok_or(Malformed::Inexact)?,
        Format::Half | Format::BFloat => format.nearest(value),
    };
    let overflows = value.is_infinite() || bits & format.infinity() == format.infinity();
    if overflows { Err(Malformed::TooGreat) } else { Ok(bits) }
}

/// `inf`, `qnan`, `nan(0x…)`, `snan(0x…)`, with a sign or without.
fn parse_special(format: Format, text: &str) -> Option<Result<u128, Malformed>> {
    let (negative, word) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let sign = u128::from(negative) << (format.bits() - 1);
    let quiet = 1 << (format.fraction() - 1);
    let payload = |word: &str| {
        let digits = word.strip_prefix("(0x")?.strip_suffix(')')?;
        u128::from_str_radix(digits, 16).ok().filter(|&payload| payload != 0 && payload < quiet)
    };
    let fraction = match word {
        "inf" => 0,
        "qnan" | "nan" => quiet,
        _ => {
            let (rest, quiet) = match (word.strip_prefix("snan"), word.strip_prefix("nan")) {
                (Some(rest), _) => (rest, 0),
                (_, Some(rest)) => (rest, quiet),
                _ => return None,
            };
            match payload(rest) {
                Some(payload) => quiet | payload,
                None => return Some(Err(Malformed::NotANumber)),
            }
        }
    };
    Some(Ok(sign | format.infinity() | fraction))
}

/// The literal of `bits`.
pub fn print(format: Format, bits: u128) -> String {
    if let Some(value) = format.to_f64(bits)
        && value.is_finite()
    {
        let text = scientific(value);
        // What every LLVM reads: the digits are the number.
        if text.parse::<f64>().ok().and_then(|value| format.exactly(value)) == Some(bits) {
            return text;
        }
    }
    match format {
        Format::Half => format!("0xH{bits:04X}"),
        Format::BFloat => format!("0xR{bits:04X}"),
        Format::Fp128 => format!("0xL{:016X}{:016X}", bits as u64, (bits >> 64) as u64),
        Format::Double => format!("0x{bits:016X}"),
        Format::Float => {
            // A signalling NaN stays one: the bits are widened, not the number.
            let value = format.to_f64(bits).unwrap_or(f64::NAN);
            format!("0x{:016X}", value.to_bits())
        }
    }
}

/// `1.500000e+00`.
fn scientific(value: f64) -> String {
    let text = format!("{value:.6e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(rest) => ('-', rest),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        for (format, text, bits) in [
            (Format::Half, "1.0", Ok(0x3c00)),
            (Format::Half, "0xH7E00", Ok(0x7e00)),
            (Format::Half, "f0x3C00", Ok(0x3c00)),
            (Format::Half, "0x3FF0000000000000", Ok(0x3c00)),
            (Format::Half, "0.1", Ok(0x2e66)),
            (Format::Half, "1.802980e-01", Ok(0x31c5)),
            (Format::Half, "65519.0", Ok(0x7bff)),
            (Format::Half, "-65520.0", Err(Malformed::TooGreat)),
            (Format::Float, "1e39", Err(Malformed::TooGreat)),
            (Format::Half, "1e-9", Ok(0)),
            (Format::Float, "0.1", Ok(0x3dcc_cccd)),
            (Format::Half, "5.9604644775390625e-08", Ok(1)),
            (Format::BFloat, "0xR3F80", Ok(0x3f80)),
            (Format::BFloat, "-2.0", Ok(0xc000)),
            (Format::Float, "0x7FF0000000000000", Ok(0x7f80_0000)),
            (Format::Float, "-inf", Ok(0xff80_0000)),
            (Format::Float, "+qnan", Ok(0x7fc0_0000)),
            (Format::Float, "-snan(0x1)", Ok(0xff80_0001)),
            (Format::Float, "f0x3FC90FDA", Ok(0x3fc9_0fda)),
            (Format::Float, "0x3FF921FB40000000", Ok(0x3fc9_0fda)),
            (Format::Float, "0x3FF921FB40000001", Err(Malformed::Inexact)),
            (Format::Float, "f0x13FC90FDA", Err(Malformed::NotANumber)),
            (Format::Double, "0.1", Ok(0x3fb9_9999_9999_999a)),
            (Format::Double, "-0.0", Ok(1 << 63)),
            (Format::Fp128, "0xL00000000000000003FFF000000000000", Ok(0x3fff << 112)),
            (Format::Fp128, "1.0", Ok(0x3fff << 112)),
        ] {
            assert_eq!(parse(format, text), bits, "{format:?} {text}");
        }
    }

    #[test]
    fn every_code_of_the_narrow_formats_comes_back() {
        for format in [Format::Half, Format::BFloat] {
            for bits in 0..=0xffff {
                assert_eq!(parse(format, &print(format, bits)), Ok(bits), "{format:?} {bits:04x}");
            }
        }
        let mut bits = 0x1234_5678u32;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for bits in [bits, bits | 0x7f80_0000] {
                assert_eq!(
                    parse(Format::Float, &print(Format::Float, bits.into())),
                    Ok(bits.into()),
                    "{bits:08x}"
                );
            }
        }
    }
}
