//! Operand types: how wide an operand is and what its constants mean.
//!
//! Anatomy of a type name: `[vN]KIND BITS`, as in `f32`, `b64`, `v2f16`, `v16fp8`; KIND is one of `f bf i u b
//! fp bfp e` (float, bfloat, signed, unsigned, untyped bits, narrow floats as `fp8`/`fp6`/`fp4`,
//! `bf8`/`bf6` being narrow as well since bfloat is 16 bits only, and `e8` a scale exponent). A matrix that is spread
//! over the wave has `wN` with the elements of the whole in place of `vN` ([`Type::parse_spread`]).

use wavemark_target::WaveSize;

/// What the bits of an element are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// IEEE float of 16, 32 or 64 bits.
    Float,
    /// bfloat16.
    Bfloat,
    /// Signed integer.
    Int,
    /// Unsigned integer.
    Uint,
    /// Untyped bits; constants behave as integers.
    Bits,
    /// fp8, fp6, fp4, bf8, bf6: never has constants of its own.
    Narrow,
    /// e8m0, the exponent of a block's scale: likewise.
    Scale,
}

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// The name as written in the table.
    pub name: &'static str,
    /// What each element is.
    pub kind: Kind,
    /// Bits of one element.
    pub elem_bits: u16,
    /// How many elements.
    pub lanes: u16,
}

/// The name of a mask with a bit for each lane.
const LANES: &str = "lanes";

impl Type {
    /// Reads a type name; `None` if it is not one.
    pub fn parse(name: &'static str) -> Option<Type> {
        let mut rest = name;
        let mut lanes = 1u16;
        if let Some(tail) = name.strip_prefix('v') {
            let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            lanes = tail[..digits].parse().ok().filter(|&n| n >= 1)?;
            rest = &tail[digits..];
        }
        let letters = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_lowercase()).len();
        let (kind, bits) = rest.split_at(letters);
        let elem_bits: u16 = bits.parse().ok()?;
        let kind = match (kind, elem_bits) {
            ("f", 16 | 32 | 64) => Kind::Float,
            ("bf", 16) => Kind::Bfloat,
            ("i", _) => Kind::Int,
            ("u", _) => Kind::Uint,
            ("b", _) => Kind::Bits,
            ("fp" | "bf", 4 | 6 | 8) => Kind::Narrow,
            ("e", 8) => Kind::Scale,
            _ => return None,
        };
        if elem_bits == 0 || u32::from(elem_bits) * u32::from(lanes) > 1024 {
            return None;
        }
        Some(Type { name, kind, elem_bits, lanes })
    }

    /// Reads the type of a lane's part of a matrix that is spread over a wave: `w256f32` is `v8f32` where waves have
    /// 32 lanes, and `v4f32` where they have 64. `None` if the name is not one.
    pub fn parse_spread(name: &str, lanes: u32) -> Option<Type> {
        let tail = name.strip_prefix('w')?;
        let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let elements: u32 = tail[..digits].parse().ok()?;
        // Types live as long as the tables, which are never dropped.
        let own = Box::leak(format!("v{}{}", elements / lanes, &tail[digits..]).into_boxed_str());
        Type::parse(own).filter(|_| elements.is_multiple_of(lanes))
    }

    /// A mask with a bit for each lane of a wave.
    pub fn lanes(wave: WaveSize) -> Type {
        match wave {
            WaveSize::Wave32 => Type { name: LANES, kind: Kind::Bits, elem_bits: 32, lanes: 1 },
            WaveSize::Wave64 => Type { name: LANES, kind: Kind::Bits, elem_bits: 64, lanes: 1 },
        }
    }

    /// The same operand seen as so many untyped bits.
    pub(crate) fn untyped(&self, bits: u16) -> Type {
        Type { name: self.name, kind: Kind::Bits, elem_bits: bits, lanes: 1 }
    }

    /// Width of the whole operand in bits.
    pub fn bits(&self) -> u32 {
        u32::from(self.elem_bits) * u32::from(self.lanes)
    }

    /// Registers that the operand takes, 1…32.
    pub fn dwords(&self) -> u8 {
        self.bits().div_ceil(32) as u8
    }

    /// Whether it is a mask with a bit for each lane of a wave.
    pub fn is_lanes(&self) -> bool {
        self.name == LANES
    }

    /// Whether its elements are floating-point numbers, be they narrow ones.
    pub fn is_floating(&self) -> bool {
        matches!(self.kind, Kind::Float | Kind::Bfloat | Kind::Narrow)
    }

    /// Whether constants are written as floats (`f16`, `bf16`, `f32`, `f64` and packed ones).
    pub fn is_float(&self) -> bool {
        matches!(self.kind, Kind::Float | Kind::Bfloat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        let width = |name| Type::parse(name).map(|t| (t.bits(), t.dwords()));
        assert_eq!(width("f32"), Some((32, 1)));
        assert_eq!(width("v2f16"), Some((32, 1)));
        assert_eq!(width("v64fp4"), Some((256, 8)));
        assert_eq!(width("b1024"), Some((1024, 32)));
        assert_eq!(width("b16"), Some((16, 1)));
        assert_eq!(width("f31"), None);
        assert_eq!(width("x32"), None);
        assert_eq!(width("v"), None);
    }
}
