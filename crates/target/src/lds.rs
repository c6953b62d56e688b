//! Where in LDS copies lie, and which of its addresses are none: what the hardware and compilers have agreed on.

/// LDS addresses from here on are how compilers switch a lane off (Triton: 0x7fffffff): no hardware has that much LDS, the
/// access does nothing, and that is meant.
pub const LDS_OFF: u64 = 0x4000_0000;

/// How a copy to LDS that goes by lane numbers lies there: bytes that each lane writes, and bytes from lane to lane, for a
/// load of so many bytes. Loads of less than a dword write one; from 3 dwords on lanes are 4 dwords apart (CDNA4 ISA 10.3,
/// 9.1.9).
pub const fn lds_dma_lane(loaded: u32) -> (u32, u32) {
    let written = loaded.div_ceil(4) * 4;
    (written, if written == 4 { 4 } else { 16 })
}
