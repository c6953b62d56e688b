//! The class test of V_CMP_CLASS: one bit per IEEE class, selected by a ten-bit mask.
//!
//! Follows CDNA4 and CDNA5 V_CMP_CLASS_F32: bit 0 signalling NaN, 1 quiet NaN, 2 -infinity, 3 -normal, 4 -denormal,
//! 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +infinity. Denormals are classified as such whatever MODE says.

macro_rules! class {
    ($($(#[$doc:meta])* $class:ident, $test:ident: $uint:ty, $exp:literal, $quiet:literal;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub const fn $class(bits: $uint) -> u32 {
            let sign = bits >> (<$uint>::BITS - 1);
            let a = bits & (<$uint>::MAX >> 1);
            // Position on the positive side, 6 to 9; the negative side mirrors it, 5 to 2.
            let normal_or_more = if a == $exp { 9 } else { 8 };
            let less = if a == 0 { 6 } else { 7 };
            let positive = if a & $exp == 0 { less } else { normal_or_more };
            let number = if sign != 0 { 11 - positive } else { positive };
            let nan = if a & $quiet != 0 { 1 } else { 0 };
            1 << if a > $exp { nan } else { number }
        }

        /// Whether `mask` selects the class of the value.
        #[inline(always)]
        pub const fn $test(bits: $uint, mask: u32) -> bool {
            $class(bits) & mask != 0
        }
    )*};
}

class! {
    /// Class bit of a binary16 value.
    class_f16, is_class_f16: u16, 0x7c00, 0x200;
    /// Class bit of a bfloat16 value.
    class_bf16, is_class_bf16: u16, 0x7f80, 0x40;
    /// Class bit of a binary32 value.
    class_f32, is_class_f32: u32, 0x7f80_0000, 0x40_0000;
    /// Class bit of a binary64 value.
    class_f64, is_class_f64: u64, 0x7ff0_0000_0000_0000, 0x8_0000_0000_0000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_its_bit() {
        let values = [
            0x7f80_0001,
            0x7fc0_0000,
            0xff80_0000,
            0xbf80_0000,
            0x8000_0001,
            0x8000_0000,
            0,
            1,
            0x3f80_0000,
            0x7f80_0000u32,
        ];
        for (bit, value) in values.into_iter().enumerate() {
            assert_eq!(class_f32(value), 1 << bit, "{value:#x}");
            assert!(is_class_f32(value, 1 << bit) && !is_class_f32(value, 0x3ff & !(1 << bit)));
            if !(0x7f80_0001..0x7fc0_0000).contains(&(value & 0x7fff_ffff)) && value & 0x7fff_ffff != 1 {
                assert_eq!(class_f64((f32::from_bits(value) as f64).to_bits()), 1 << bit);
                assert_eq!(class_f16(crate::f16::from_f32(f32::from_bits(value))), 1 << bit);
                assert_eq!(class_bf16((value >> 16) as u16), 1 << bit);
            }
        }
        assert_eq!(
            [class_f16(0x7c01), class_f16(0xfc01), class_f16(1), class_f16(0x8001)],
            [1, 1, 1 << 7, 1 << 4]
        );
        assert_eq!([class_f64(0xfff0_0000_0000_0001), class_f64(1)], [1, 1 << 7]);
    }
}
