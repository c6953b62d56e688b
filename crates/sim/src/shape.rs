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
}

/// What a store does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreShape {
    /// Bytes per lane.
    pub bytes: u32,
    /// The data start at bit 16 of the register.
    pub high: bool,
}
