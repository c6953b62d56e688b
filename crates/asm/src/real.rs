//! Real numbers of data directives, as LLVM's `APFloat` reads them.
//!
//! Decimal numbers are rounded once, to the precision asked for; hexadecimal ones (`0x1.8p3`) likewise, to nearest even.
//! `nan` is the quiet NaN with all bits set.

/// What a number is rounded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Single,
    Double,
}

impl Precision {
    /// The bytes of the number that `text` spells; `None`: it spells none.
    pub fn encode(self, text: &str, negative: bool) -> Option<Vec<u8>> {
        let word = text.to_ascii_lowercase();
        let bits = match word.as_str() {
            "inf" | "infinity" => match self {
                Precision::Single => u64::from(f32::INFINITY.to_bits()),
                Precision::Double => f64::INFINITY.to_bits(),
            },
            "nan" => match self {
                Precision::Single => 0x7fff_ffff,
                Precision::Double => 0x7fff_ffff_ffff_ffff,
            },
            _ => match word.strip_prefix("0x") {
                Some(digits) => self.hexadecimal(digits)?,
                None if !word.starts_with(|first: char| first.is_ascii_digit() || first == '.') => {
                    return None;
                }
                None => match self {
                    Precision::Single => u64::from(word.parse::<f32>().ok()?.to_bits()),
                    Precision::Double => word.parse::<f64>().ok()?.to_bits(),
                },
            },
        };
        Some(match self {
            Precision::Single => (bits as u32 | u32::from(negative) << 31).to_le_bytes().to_vec(),
            Precision::Double => (bits | u64::from(negative) << 63).to_le_bytes().to_vec(),
        })
    }

    /// The bits of `digits[.digits]p[sign]digits`.
    fn hexadecimal(self, text: &str) -> Option<u64> {
        let (mantissa, exponent) = text.split_once('p')?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut exponent = exponent.parse::<i64>().ok()?.clamp(-100_000, 100_000);
        // 60 bits, and whether anything below them is set.
        let (mut value, mut sticky) = (0u64, false);
        for (index, digit) in whole.chars().chain(fraction.chars()).enumerate() {
            let digit = u64::from(digit.to_digit(16)?);
            if value >> 56 == 0 {
                value = value << 4 | digit;
            } else {
                sticky |= digit != 0;
                exponent = exponent.saturating_add(4);
            }
            if index >= whole.len() {
                exponent = exponent.saturating_sub(4);
            }
        }
        Some(self.round(value, sticky, exponent))
    }

    /// `value * 2^exponent`, to nearest even; `sticky` stands for a bit below all of `value`'s.
    fn round(self, value: u64, sticky: bool, exponent: i64) -> u64 {
        let (fraction_bits, lowest, highest): (i64, i64, i64) = match self {
            Precision::Single => (23, -126, 127),
            Precision::Double => (52, -1022, 1023),
        };
        if value == 0 {
            return 0;
        }
        let top = 63 - i64::from(value.leading_zeros());
        // The exponent of the result's lowest bit.
        let unit = (exponent + top).max(lowest) - fraction_bits;
        let shift = unit - exponent;
        let rounded = match shift {
            ..=0 => value << -shift,
            64.. => 0,
            _ => {
                let (kept, lost, half) = (value >> shift, value & ((1 << shift) - 1), 1u64 << (shift - 1));
                let up = lost > half || (lost == half && (sticky || kept & 1 == 1));
                kept + u64::from(up)
            }
        };
        // A rounded-up mantissa carries into the exponent by itself, also from subnormal to normal.
        let biased = if exponent + top < lowest { 0 } else { (exponent + top - lowest) as u64 };
        let bits = (biased << fraction_bits) + rounded;
        let infinity = ((highest - lowest + 2) as u64) << fraction_bits;
        bits.min(infinity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(text: &str) -> u32 {
        let bytes = Precision::Single.encode(text, false).unwrap_or_default();
        u32::from_le_bytes(bytes.try_into().unwrap_or([0xee; 4]))
    }

    fn double(text: &str) -> u64 {
        let bytes = Precision::Double.encode(text, false).unwrap_or_default();
        u64::from_le_bytes(bytes.try_into().unwrap_or([0xee; 8]))
    }

    #[test]
    fn hexadecimal_numbers_round_once() {
        for (text, expected) in [
            ("0x1p0", 1.0f32.to_bits()),
            ("0x1.8p1", 3.0f32.to_bits()),
            ("0x1p-149", 1),
            ("0x1p-150", 0),
            ("0x1.8p-150", 1),
            ("0x1p-126", 0x0080_0000),
            ("0x0.ffffffp-126", 0x0080_0000),
            ("0x1.fffffep127", f32::MAX.to_bits()),
            ("0x1.ffffffp127", f32::INFINITY.to_bits()),
            ("0x1p99999999", f32::INFINITY.to_bits()),
            ("0x1.0000010000000000000000001p0", 0x3f80_0001),
            ("0x0p0", 0),
            ("nan", 0x7fff_ffff),
            ("16777217.0", 16_777_216.0f32.to_bits()),
        ] {
            assert_eq!(single(text), expected, "{text}");
        }
        assert_eq!(double("0x1.fffffffffffffp1023"), f64::MAX.to_bits());
        assert_eq!(double("0x1p-1074"), 1);
        for text in ["0x10", "nano", "", "0xp1", "0x1p"] {
            assert_eq!(Precision::Single.encode(text, false), None, "{text}");
        }
    }
}
