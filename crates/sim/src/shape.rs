//! The shapes of memory operations as the mnemonics spell them: how many bytes a lane moves and how they
//! turn into registers.
//!
//! A mnemonic of a load is `{space}_{load|read}_{suffix}`; the tables below map suffixes, in the spelling of
//! either generation, to shapes.

/// How the bytes of a load become register contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extend {
    /// Whole dwords.
    Dwords,
    /// Zero-extended into the dword.
    Zero,
    /// Sign-extended into the dword.
    Sign,
    /// Into the low half, zero-extended to 16 bits; the high half is kept.
    LowZero,
    /// Into the low half, sign-extended to 16 bits; the high half is kept.
    LowSign,
    /// Into the high half, zero-extended to 16 bits; the low half is kept.
    HighZero,
    /// Into the high half, sign-extended to 16 bits; the low half is kept.
    HighSign,
}

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

const fn load(bytes: u32, extend: Extend) -> LoadShape {
    LoadShape { bytes, extend }
}

/// Suffixes of loads.
const LOADS: &[(&str, LoadShape)] = &[
    // gfx12
    ("u8", load(1, Extend::Zero)),
    ("i8", load(1, Extend::Sign)),
    ("u16", load(2, Extend::Zero)),
    ("i16", load(2, Extend::Sign)),
    ("b32", load(4, Extend::Dwords)),
    ("b64", load(8, Extend::Dwords)),
    ("b96", load(12, Extend::Dwords)),
    ("b128", load(16, Extend::Dwords)),
    ("d16_u8", load(1, Extend::LowZero)),
    ("d16_i8", load(1, Extend::LowSign)),
    ("d16_b16", load(2, Extend::LowZero)),
    ("d16_hi_u8", load(1, Extend::HighZero)),
    ("d16_hi_i8", load(1, Extend::HighSign)),
    ("d16_hi_b16", load(2, Extend::HighZero)),
    ("u8_d16", load(1, Extend::LowZero)),
    ("i8_d16", load(1, Extend::LowSign)),
    ("u16_d16", load(2, Extend::LowZero)),
    ("u8_d16_hi", load(1, Extend::HighZero)),
    ("i8_d16_hi", load(1, Extend::HighSign)),
    ("u16_d16_hi", load(2, Extend::HighZero)),
    // gfx9
    ("ubyte", load(1, Extend::Zero)),
    ("sbyte", load(1, Extend::Sign)),
    ("ushort", load(2, Extend::Zero)),
    ("sshort", load(2, Extend::Sign)),
    ("dword", load(4, Extend::Dwords)),
    ("dwordx2", load(8, Extend::Dwords)),
    ("dwordx3", load(12, Extend::Dwords)),
    ("dwordx4", load(16, Extend::Dwords)),
    ("ubyte_d16", load(1, Extend::LowZero)),
    ("sbyte_d16", load(1, Extend::LowSign)),
    ("short_d16", load(2, Extend::LowZero)),
    ("ubyte_d16_hi", load(1, Extend::HighZero)),
    ("sbyte_d16_hi", load(1, Extend::HighSign)),
    ("short_d16_hi", load(2, Extend::HighZero)),
];

const fn store(bytes: u32, high: bool) -> StoreShape {
    StoreShape { bytes, high }
}

/// Suffixes of stores.
const STORES: &[(&str, StoreShape)] = &[
    // gfx12
    ("b8", store(1, false)),
    ("b16", store(2, false)),
    ("b32", store(4, false)),
    ("b64", store(8, false)),
    ("b96", store(12, false)),
    ("b128", store(16, false)),
    ("d16_hi_b8", store(1, true)),
    ("d16_hi_b16", store(2, true)),
    ("b8_d16_hi", store(1, true)),
    ("b16_d16_hi", store(2, true)),
    // gfx9
    ("byte", store(1, false)),
    ("short", store(2, false)),
    ("dword", store(4, false)),
    ("dwordx2", store(8, false)),
    ("dwordx3", store(12, false)),
    ("dwordx4", store(16, false)),
    ("byte_d16_hi", store(1, true)),
    ("short_d16_hi", store(2, true)),
];

fn look_up<T: Copy>(table: &[(&str, T)], suffix: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == suffix).map(|&(_, shape)| shape)
}

/// The shape of a load with this suffix.
pub fn load_shape(suffix: &str) -> Option<LoadShape> {
    look_up(LOADS, suffix)
}

/// The shape of a store with this suffix.
pub fn store_shape(suffix: &str) -> Option<StoreShape> {
    look_up(STORES, suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_name_the_same_shapes() {
        assert_eq!(load_shape("sshort"), load_shape("i16"));
        assert_eq!(load_shape("short_d16_hi"), load_shape("d16_hi_b16"));
        assert_eq!(store_shape("dwordx3"), store_shape("b96"));
        assert_eq!(load_shape("dwordx5"), None);
    }
}
