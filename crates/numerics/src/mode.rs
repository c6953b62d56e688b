//! The floating-point fields of the MODE register: rounding, denormal handling, overflow and NaN policy.
//!
//! Follows CDNA4 3.5 "Mode register" and 6.4 table 26, CDNA5 3.4.3 table 7 and 7.2.4. Other MODE fields belong to
//! the simulator.

/// A rounding mode, with the encoding of MODE.FP_ROUND (CDNA4 table 26).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Round {
    /// 0: to nearest, ties to even.
    #[default]
    NearestEven = 0,
    /// 1: toward +infinity.
    TowardPlus = 1,
    /// 2: toward -infinity.
    TowardMinus = 2,
    /// 3: toward zero.
    TowardZero = 3,
}

impl Round {
    /// All four modes in encoding order.
    pub const ALL: [Round; 4] =
        [Round::NearestEven, Round::TowardPlus, Round::TowardMinus, Round::TowardZero];

    /// The mode that the low two bits of a MODE.FP_ROUND subfield name.
    pub const fn from_bits(bits: u32) -> Round {
        match bits & 3 {
            0 => Round::NearestEven,
            1 => Round::TowardPlus,
            2 => Round::TowardMinus,
            _ => Round::TowardZero,
        }
    }
}

/// Which denormals are kept; the others are flushed to a zero of the same sign (CDNA4 table 26).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Denorm {
    /// Denormal inputs are used as they are (otherwise read as zero).
    pub input: bool,
    /// Denormal results are written as they are (otherwise written as zero).
    pub output: bool,
}

impl Denorm {
    /// 3: inputs and outputs kept.
    pub const KEEP: Denorm = Denorm { input: true, output: true };
    /// 0: inputs and outputs flushed.
    pub const FLUSH: Denorm = Denorm { input: false, output: false };

    /// The handling that the low two bits of a MODE.FP_DENORM subfield name: bit 0 allows inputs, bit 1 outputs.
    pub const fn from_bits(bits: u32) -> Denorm {
        Denorm { input: bits & 1 != 0, output: bits & 2 != 0 }
    }
}

/// The floating-point part of MODE, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// Rounding of single-precision results, MODE\[1:0\].
    pub round_32: Round,
    /// Rounding of half- and double-precision results, MODE\[3:2\].
    pub round_16_64: Round,
    /// Denormals of single precision, MODE\[5:4\].
    pub denorm_32: Denorm,
    /// Denormals of half and double precision, MODE\[7:6\].
    pub denorm_16_64: Denorm,
    /// The clamp output modifier turns NaN into zero: MODE\[8\] before gfx12, always on gfx12 (CDNA5 7.2.3.1).
    pub dx10_clamp: bool,
    /// Signalling NaNs are quieted and propagated: MODE\[9\] before gfx12, always on gfx12 (CDNA5 7.2.3.1).
    pub ieee: bool,
    /// An overflowing half-precision (or fp8/bf8 conversion) result is clamped to the largest finite value, MODE\[23\].
    pub fp16_ovfl: bool,
}

impl Mode {
    /// Decodes MODE of generations before gfx12 (CDNA4 table 4: DX10_CLAMP and IEEE are bits 8 and 9).
    pub const fn from_register_gfx9(mode: u32) -> Mode {
        let mut decoded = Mode::from_register_gfx12(mode);
        decoded.dx10_clamp = mode & (1 << 8) != 0;
        decoded.ieee = mode & (1 << 9) != 0;
        decoded
    }

    /// Decodes MODE of gfx12 and later (CDNA5 table 7: no DX10_CLAMP, no IEEE; both behave as set).
    pub const fn from_register_gfx12(mode: u32) -> Mode {
        Mode {
            round_32: Round::from_bits(mode),
            round_16_64: Round::from_bits(mode >> 2),
            denorm_32: Denorm::from_bits(mode >> 4),
            denorm_16_64: Denorm::from_bits(mode >> 6),
            dx10_clamp: true,
            ieee: true,
            fp16_ovfl: mode & (1 << 23) != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mode_fields_decode() {
        // The value compilers put into COMPUTE_PGM_RSRC1.FLOAT_MODE: f32 flush, f16/f64 keep, all nearest even.
        let mode = Mode::from_register_gfx9(0xc0 | 1 << 9);
        assert_eq!(mode.denorm_32, Denorm::FLUSH);
        assert_eq!(mode.denorm_16_64, Denorm::KEEP);
        assert_eq!((mode.round_32, mode.round_16_64), (Round::NearestEven, Round::NearestEven));
        assert!(mode.ieee && !mode.dx10_clamp && !mode.fp16_ovfl);
        let mode = Mode::from_register_gfx12(1 << 23 | 0b10_01 << 4 | 0b11_10);
        assert_eq!(mode.denorm_32, Denorm { input: true, output: false });
        assert_eq!(mode.denorm_16_64, Denorm { input: false, output: true });
        assert_eq!((mode.round_32, mode.round_16_64), (Round::TowardMinus, Round::TowardZero));
        assert!(mode.ieee && mode.dx10_clamp && mode.fp16_ovfl);
    }
}
