//! How the bytes of loads and stores lie in registers.

pub use wavemark_isa::effects::Extend;

/// What a load does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadShape {
    /// Bytes per lane.
    pub bytes: u32,
    /// What becomes of them.
    pub extend: Extend,
}

impl LoadShape {
    /// Registers written.
    pub fn dwords(self) -> u32 {
        self.bytes.div_ceil(4)
    }

    /// How a dword of the bytes, or fewer bytes, become a register.
    #[inline(always)]
    pub(crate) fn widening(self) -> Widening {
        let sign = if self.bytes == 1 { 1 << 7 } else { 1 << 15 };
        let (sign, keep, shift) = match self.extend {
            Extend::Dwords | Extend::Zero => (0, 0, 0),
            Extend::Sign => (sign, 0, 0),
            Extend::LowZero => (0, 0xffff_0000, 0),
            Extend::LowSign => (sign, 0xffff_0000, 0),
            Extend::HighZero => (0, 0xffff, 16),
            Extend::HighSign => (sign, 0xffff, 16),
        };
        Widening { sign, keep, shift }
    }
}

/// How what is read becomes a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widening {
    /// The bit that is the number's sign, if it has one.
    pub sign: u32,
    /// The bits of the register that remain.
    pub keep: u32,
    /// Where the number begins.
    pub shift: u32,
}

impl Widening {
    /// The register that held `old` with `raw` read into it.
    #[inline(always)]
    pub(crate) fn of(self, old: u32, raw: u32) -> u32 {
        let number = (raw ^ self.sign).wrapping_sub(self.sign) << self.shift;
        old & self.keep | number & !self.keep
    }
}

/// What a store does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreShape {
    /// Bytes per lane.
    pub bytes: u32,
    /// The data start at bit 16 of the register.
    pub high: bool,
}
