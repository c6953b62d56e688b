//! Integers of any width as constants hold them: limbs of 64 bits, least first, no bit set beyond the width.

use smallvec::{SmallVec, smallvec};

/// An integer of a width that its type says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Integer {
    limbs: SmallVec<[u64; 1]>,
}

fn limbs_of(bits: u32) -> usize {
    (bits as usize).div_ceil(64).max(1)
}

impl Integer {
    /// The low `bits` bits of `value`.
    pub fn new(bits: u32, value: u64) -> Integer {
        if bits <= u64::BITS {
            let kept = value & u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0);
            return Integer { limbs: SmallVec::from_buf([kept]) };
        }
        let mut limbs = smallvec![0; limbs_of(bits)];
        limbs[0] = value;
        Integer { limbs }.masked(bits)
    }

    /// `value`, extended by its sign to `bits` bits.
    pub fn signed(bits: u32, value: i64) -> Integer {
        let mut limbs = smallvec![if value < 0 { u64::MAX } else { 0 }; limbs_of(bits)];
        limbs[0] = value as u64;
        Integer { limbs }.masked(bits)
    }

    fn masked(mut self, bits: u32) -> Integer {
        let last = self.limbs.len() - 1;
        let used = bits as usize - last * 64;
        if used < 64 {
            self.limbs[last] &= (1 << used) - 1;
        }
        self
    }

    /// Reads `-12`, or the digits of a base. `None`: no such number fits into `bits` bits.
    pub fn parse(bits: u32, text: &str, base: u32) -> Option<Integer> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        if bits <= 64 && base == 10 && (1..=19).contains(&digits.len()) {
            return Integer::of_digits(bits, negative, digits);
        }
        // One limb more than needed shows what does not fit.
        let mut limbs: SmallVec<[u64; 1]> = smallvec![0; limbs_of(bits) + 1];
        for digit in digits.chars() {
            let mut carry = u128::from(digit.to_digit(base)?);
            for limb in &mut limbs {
                let next = u128::from(*limb) * u128::from(base) + carry;
                *limb = next as u64;
                carry = next >> 64;
            }
            if carry != 0 {
                return None;
            }
        }
        let length = significant(&limbs);
        if negative {
            // -2^(bits-1) is the least that fits.
            let power = length == bits && limbs.iter().map(|limb| limb.count_ones()).sum::<u32>() == 1;
            if length >= bits && !power {
                return None;
            }
            let mut carry = true;
            for limb in &mut limbs {
                let (negated, overflow) = (!*limb).overflowing_add(u64::from(carry));
                (*limb, carry) = (negated, overflow);
            }
        } else if length > bits {
            return None;
        }
        limbs.truncate(limbs_of(bits));
        Some(Integer { limbs }.masked(bits))
    }

    /// Reads decimal digits that a number of 64 bits holds, into no more bits than that.
    fn of_digits(bits: u32, negative: bool, digits: &str) -> Option<Integer> {
        let mut value = 0u64;
        for byte in digits.bytes() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value * 10 + u64::from(digit);
        }
        let fits = match negative {
            true => value <= 1 << (bits - 1),
            false => bits == 64 || value >> bits == 0,
        };
        let value = if negative { value.wrapping_neg() } else { value };
        fits.then(|| Integer::new(bits, value))
    }

    /// Reads the digits of `s0x…`: a number whose highest bit that is set is its sign, as LLVM reads it.
    pub fn parse_signed_hex(bits: u32, digits: &str) -> Option<Integer> {
        let mut limbs = Integer::parse(bits, digits, 16)?.limbs;
        let length = significant(&limbs);
        if length > 0 {
            for at in length..bits {
                limbs[at as usize / 64] |= 1 << (at % 64);
            }
        }
        Some(Integer { limbs })
    }

    /// The bit `at`.
    pub fn bit(&self, at: u32) -> bool {
        self.limbs.get(at as usize / 64).is_some_and(|limb| limb >> (at % 64) & 1 != 0)
    }

    /// The limbs, least first.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Its value without a sign, if that fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.limbs[1..].iter().all(|&limb| limb == 0).then_some(self.limbs[0])
    }

    /// The low 64 bits.
    pub fn low(&self) -> u64 {
        self.limbs[0]
    }

    /// Its value with the sign of `bits` bits, if that fits.
    pub fn to_i64(&self, bits: u32) -> Option<i64> {
        if bits <= 64 {
            let unused = 64 - bits;
            return Some((self.limbs[0] << unused) as i64 >> unused);
        }
        let negative = self.bit(bits - 1);
        let value = self.limbs[0] as i64;
        ((value < 0) == negative && *self == Integer::signed(bits, value)).then_some(value)
    }

    /// In decimal, with the sign of `bits` bits.
    pub fn to_decimal(&self, bits: u32) -> String {
        if let Some(value) = self.to_i64(bits) {
            return value.to_string();
        }
        let negative = self.bit(bits - 1);
        let mut limbs = self.limbs.clone();
        if negative {
            let mut carry = true;
            for limb in &mut limbs {
                let (negated, overflow) = (!*limb).overflowing_add(u64::from(carry));
                (*limb, carry) = (negated, overflow);
            }
            limbs = Integer { limbs }.masked(bits).limbs;
        }
        // Nineteen digits at a time.
        const CHUNK: u64 = 10_000_000_000_000_000_000;
        let mut chunks = Vec::new();
        while limbs.iter().any(|&limb| limb != 0) {
            let mut rest = 0u128;
            for limb in limbs.iter_mut().rev() {
                let value = rest << 64 | u128::from(*limb);
                *limb = (value / u128::from(CHUNK)) as u64;
                rest = value % u128::from(CHUNK);
            }
            while limbs.len() > 1 && limbs.last() == Some(&0) {
                limbs.pop();
            }
            chunks.push(rest as u64);
        }
        let mut text = if negative { "-".to_owned() } else { String::new() };
        let mut chunks = chunks.iter().rev();
        text += &chunks.next().copied().unwrap_or(0).to_string();
        for chunk in chunks {
            text += &format!("{chunk:019}");
        }
        text
    }
}

/// Bits up to the highest one that is set.
fn significant(limbs: &[u64]) -> u32 {
    match limbs.iter().rposition(|&limb| limb != 0) {
        Some(at) => at as u32 * 64 + 64 - limbs[at].leading_zeros(),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(bits: u32, text: &str) -> Option<String> {
        Integer::parse(bits, text, 10).map(|value| value.to_decimal(bits))
    }

    #[test]
    fn decimal_of_any_width() {
        for (bits, text, expected) in [
            (1, "1", Some("-1")),
            (1, "-1", Some("-1")),
            (1, "2", None),
            (8, "255", Some("-1")),
            (8, "-128", Some("-128")),
            (8, "-129", None),
            (8, "256", None),
            (64, "18446744073709551615", Some("-1")),
            (64, "18446744073709551616", None),
            (65, "18446744073709551616", Some("-18446744073709551616")),
            (
                128,
                "-170141183460469231731687303715884105728",
                Some("-170141183460469231731687303715884105728"),
            ),
            (128, "170141183460469231731687303715884105727", Some("170141183460469231731687303715884105727")),
            (128, "-1", Some("-1")),
            (
                200,
                "10000000000000000000000000000000000000001",
                Some("10000000000000000000000000000000000000001"),
            ),
        ] {
            assert_eq!(again(bits, text).as_deref(), expected, "i{bits} {text}");
        }
    }

    #[test]
    fn hexadecimal_with_a_sign() {
        let value =
            |bits, digits| Integer::parse_signed_hex(bits, digits).map(|value| value.to_decimal(bits));
        assert_eq!(value(8, "FF").as_deref(), Some("-1"));
        assert_eq!(value(16, "F0").as_deref(), Some("-16"));
        assert_eq!(value(16, "0001").as_deref(), Some("-1"));
        assert_eq!(value(16, "0").as_deref(), Some("0"));
        assert_eq!(value(8, "0100"), None);
    }
}
