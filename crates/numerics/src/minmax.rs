//! Minimum, maximum and median in their three NaN disciplines, on raw bits.
//!
//! * `min_num`/`max_num`: a number wins over any NaN; two NaNs give the first, quieted (CDNA5 V_MIN_NUM_F32).
//! * `minimum`/`maximum`: a NaN wins, a signalling one before a quiet one, quieted (CDNA5 V_MINIMUM_F32, CDNA4
//!   V_MINIMUM3_F32).
//! * `min_gfx9`/`max_gfx9`: with `ieee` a signalling NaN wins, quieted; otherwise a number wins over a NaN and the
//!   second operand over the first if both are (CDNA4 V_MIN_F32, V_MAX_F32 with MODE.IEEE).
//!
//! In all of them -0 is below +0. Flushing of denormal inputs is the caller's (both manuals: only the input mode
//! matters). The three-operand forms are compositions, as their pseudo-code has it; the medians follow V_MED3_F32
//! (CDNA4) and V_MED3_NUM_F32 (CDNA5).

/// What is NaN, and the lesser and the greater of two that are not, -0 below +0.
macro_rules! compare {
    // By integers that order like the numbers.
    ($uint:ty, $exp:literal, integers $int:ty) => {
        #[inline(always)]
        const fn is_nan(bits: $uint) -> bool {
            bits & MAGNITUDE > $exp
        }

        #[inline(always)]
        const fn order(bits: $uint) -> $int {
            let signed = bits as $int;
            signed ^ ((signed >> (<$uint>::BITS - 1)) as $uint >> 1) as $int
        }

        #[inline(always)]
        const fn lesser(a: $uint, b: $uint) -> $uint {
            if order(a) < order(b) { a } else { b }
        }

        #[inline(always)]
        const fn greater(a: $uint, b: $uint) -> $uint {
            if order(a) > order(b) { a } else { b }
        }
    };
    // As the host's numbers, which takes half as many of its instructions. Of equal ones only zeros differ.
    ($uint:ty, $exp:literal, numbers $float:ty) => {
        #[inline(always)]
        const fn is_nan(bits: $uint) -> bool {
            <$float>::from_bits(bits).is_nan()
        }

        #[inline(always)]
        const fn lesser(a: $uint, b: $uint) -> $uint {
            let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
            let chosen = if x < y { a } else { b };
            if x == y { a | b } else { chosen }
        }

        #[inline(always)]
        const fn greater(a: $uint, b: $uint) -> $uint {
            let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
            let chosen = if x > y { a } else { b };
            if x == y { a & b } else { chosen }
        }
    };
}

macro_rules! minmax {
    ($($(#[$doc:meta])* $module:ident: $uint:ty, $exp:literal, $quiet:literal, $by:ident $type:ty;)*) => {$(
        $(#[$doc])*
        pub mod $module {
            const MAGNITUDE: $uint = <$uint>::MAX >> 1;

            compare!($uint, $exp, $by $type);

            #[inline(always)]
            const fn is_signalling(bits: $uint) -> bool {
                is_nan(bits) & (bits & $quiet == 0)
            }

            /// A number wins over NaN; both NaN give the first, quieted.
            #[inline(always)]
            const fn prefer_number(a: $uint, b: $uint, chosen: $uint) -> $uint {
                let b_nan = if is_nan(b) { a } else { chosen };
                let a_nan = if is_nan(b) { a | $quiet } else { b };
                if is_nan(a) { a_nan } else { b_nan }
            }

            /// A NaN wins, signalling before quiet, quieted.
            #[inline(always)]
            const fn prefer_nan(a: $uint, b: $uint, chosen: $uint) -> $uint {
                let quiet = if is_nan(b) { b } else { chosen };
                let quiet = if is_nan(a) { a } else { quiet };
                let signalling = if is_signalling(b) { b | $quiet } else { quiet };
                if is_signalling(a) { a | $quiet } else { signalling }
            }

            /// gfx9: with `ieee` a signalling NaN wins, quieted; else a number wins, and `b` over a NaN `a`.
            #[inline(always)]
            const fn prefer_gfx9(a: $uint, b: $uint, chosen: $uint, ieee: bool) -> $uint {
                let quiet = if is_nan(b) { a } else { chosen };
                let quiet = if is_nan(a) { b } else { quiet };
                let signalling = if ieee & is_signalling(b) { b | $quiet } else { quiet };
                if ieee & is_signalling(a) { a | $quiet } else { signalling }
            }

            /// IEEE minimumNumber.
            #[inline(always)]
            pub const fn min_num(a: $uint, b: $uint) -> $uint {
                prefer_number(a, b, lesser(a, b))
            }

            /// IEEE maximumNumber.
            #[inline(always)]
            pub const fn max_num(a: $uint, b: $uint) -> $uint {
                prefer_number(a, b, greater(a, b))
            }

            /// IEEE minimum.
            #[inline(always)]
            pub const fn minimum(a: $uint, b: $uint) -> $uint {
                prefer_nan(a, b, lesser(a, b))
            }

            /// IEEE maximum.
            #[inline(always)]
            pub const fn maximum(a: $uint, b: $uint) -> $uint {
                prefer_nan(a, b, greater(a, b))
            }

            /// Minimum before gfx12; `ieee` is MODE.IEEE.
            #[inline(always)]
            pub const fn min_gfx9(a: $uint, b: $uint, ieee: bool) -> $uint {
                prefer_gfx9(a, b, lesser(a, b), ieee)
            }

            /// Maximum before gfx12; `ieee` is MODE.IEEE.
            #[inline(always)]
            pub const fn max_gfx9(a: $uint, b: $uint, ieee: bool) -> $uint {
                prefer_gfx9(a, b, greater(a, b), ieee)
            }

            /// Equality of numbers: zeros are equal, NaN equals nothing.
            #[inline(always)]
            const fn equal(a: $uint, b: $uint) -> bool {
                ((a == b) | ((a | b) & MAGNITUDE == 0)) & !is_nan(a) & !is_nan(b)
            }

            /// Median of three (V_MED3_NUM_F32); with a NaN among them the minimum of the numbers.
            #[inline(always)]
            pub const fn med3_num(a: $uint, b: $uint, c: $uint) -> $uint {
                let top = max_num(max_num(a, b), c);
                let without_b_or_c = if equal(top, b) { max_num(a, c) } else { max_num(a, b) };
                let median = if equal(top, a) { max_num(b, c) } else { without_b_or_c };
                if is_nan(a) | is_nan(b) | is_nan(c) { min_num(min_num(a, b), c) } else { median }
            }

            /// Median of three before gfx12 (V_MED3_F32); `ieee` is MODE.IEEE.
            #[inline(always)]
            pub const fn med3_gfx9(a: $uint, b: $uint, c: $uint, ieee: bool) -> $uint {
                let top = max_gfx9(max_gfx9(a, b, ieee), c, ieee);
                let without_b_or_c = if equal(top, b) { max_gfx9(a, c, ieee) } else { max_gfx9(a, b, ieee) };
                let median = if equal(top, a) { max_gfx9(b, c, ieee) } else { without_b_or_c };
                let lowest = min_gfx9(min_gfx9(a, b, ieee), c, ieee);
                if is_nan(a) | is_nan(b) | is_nan(c) { lowest } else { median }
            }
        }
    )*};
}

minmax! {
    /// On binary16 bits.
    f16: u16, 0x7c00, 0x200, integers i16;
    /// On bfloat16 bits.
    bf16: u16, 0x7f80, 0x40, integers i16;
    /// On binary32 bits.
    f32: u32, 0x7f80_0000, 0x40_0000, numbers f32;
    /// On binary64 bits.
    f64: u64, 0x7ff0_0000_0000_0000, 0x8_0000_0000_0000, numbers f64;
}
