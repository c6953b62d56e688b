//! Address calculation of vector memory: one address per lane from registers, constants and descriptors.

use wavemark_target::Facts;
use wavemark_target::facts::BufferResource as ResourceLayout;

use crate::pending::lanes;
use crate::regs::{Regs, sindex};

/// How a vector memory instruction forms its addresses. Rows are chunk indices, scalars canonical indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// `global_*`, `flat_*`: a 64-bit VGPR pair, or a 64-bit SGPR pair and a 32-bit VGPR.
    Flat {
        /// The VGPR pair or offset.
        vaddr: Option<u32>,
        /// The SGPR pair.
        saddr: Option<u32>,
        /// What multiplies the VGPR offset.
        scale: u32,
        /// Add four times the lane number (`*_addtid`).
        add_tid: bool,
        /// Immediate byte offset.
        offset: i64,
    },
    /// `scratch_*`: signed 32-bit VGPR and SGPR offsets.
    Scratch {
        /// VGPR offset.
        vaddr: Option<u32>,
        /// SGPR offset.
        saddr: Option<u32>,
        /// What multiplies the VGPR offset.
        scale: u32,
        /// Immediate byte offset.
        offset: i64,
    },
    /// `buffer_*`.
    Buffer {
        /// The descriptor's layout.
        layout: ResourceLayout,
        /// Four SGPRs of the descriptor.
        rsrc: u32,
        /// Index VGPR.
        index: Option<u32>,
        /// Offset VGPR.
        voffset: Option<u32>,
        /// SGPR (or constant) offset.
        soffset: u32,
        /// Immediate byte offset.
        offset: i64,
    },
    /// `ds_*`: a 32-bit VGPR and one or two immediate offsets.
    Lds {
        /// The VGPR; `None`: address 0 (`ds_append` and the like).
        addr: Option<u32>,
        /// Byte offsets, one per access.
        offsets: [u32; 2],
        /// Add M0 and four times the lane number (`*_addtid`).
        add_tid: bool,
    },
}

/// Where a lane's address points after the aperture check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aperture {
    /// Global memory.
    Global,
    /// LDS, at this offset.
    Lds(u32),
    /// Scratch of the wave: lane and byte offset.
    Scratch(u32, u32),
    /// In no aperture: a memory violation.
    Hole,
}

/// Whose scratch a flat address in the scratch aperture means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScratchAperture {
    /// 2^32 bytes: the lane's own (CDNA4 ISA 3.3).
    Own,
    /// 2^58 bytes: that of the lane in bits 56:52 (CDNA5 ISA 10.2); addresses that are no sign extension of 57
    /// bits and in no aperture are in a hole.
    AnyLane,
}

impl ScratchAperture {
    /// That of a machine.
    #[inline]
    pub fn of(facts: &Facts) -> ScratchAperture {
        if facts.flat_scratch_base { ScratchAperture::AnyLane } else { ScratchAperture::Own }
    }
}

/// Base of the LDS aperture of flat addresses.
pub const SHARED_BASE: u64 = 0x0001_0000_0000_0000;
/// Base of the scratch aperture of flat addresses ([`ScratchAperture::Own`]).
pub const PRIVATE_BASE: u64 = 0x0002_0000_0000_0000;
/// The same where only bits 63:58 count ([`ScratchAperture::AnyLane`]).
pub const WIDE_PRIVATE_BASE: u64 = 0x0800_0000_0000_0000;
/// What `src_flat_scratch_base` adds to it: scratch base 0 of every wave, as a virtual one.
pub const WIDE_SCRATCH_BASE: u64 = 0x10_0000_0000;

/// The aperture check of a flat address (CDNA5 ISA 10.2, CDNA4 ISA 3.3).
pub fn aperture(kind: ScratchAperture, addr: u64, lane: u32) -> Aperture {
    if addr >> 32 == SHARED_BASE >> 32 {
        return Aperture::Lds(addr as u32);
    }
    match kind {
        ScratchAperture::Own if addr >> 32 == PRIVATE_BASE >> 32 => Aperture::Scratch(lane, addr as u32),
        ScratchAperture::AnyLane if addr >> 58 == WIDE_PRIVATE_BASE >> 58 => {
            let owner = (addr >> 52) as u32 & 31;
            match (addr & ((1 << 52) - 1)).checked_sub(WIDE_SCRATCH_BASE) {
                Some(offset) if offset >> 32 == 0 => Aperture::Scratch(owner, offset as u32),
                _ => Aperture::Hole,
            }
        }
        ScratchAperture::AnyLane if !matches!(addr >> 56, 0 | 0xff) => Aperture::Hole,
        _ => Aperture::Global,
    }
}

/// Addresses of the 64-bit or scalar-base forms, for the lanes of `mask`.
pub fn flat(
    regs: &Regs,
    signed_offset: bool,
    mask: u64,
    vaddr: Option<u32>,
    saddr: Option<u32>,
    scale: u32,
    add_tid: bool,
    offset: i64,
    out: &mut [u64; 64],
) {
    let chunks = regs.chunks;
    match (saddr, vaddr) {
        (None, Some(row)) => {
            let row = row as usize;
            for c in 0..chunks {
                let (low, high) = (&regs.v[row + c].0, &regs.v[row + chunks + c].0);
                for l in 0..16 {
                    let base = u64::from(low[l]) | u64::from(high[l]) << 32;
                    out[c * 16 + l] = base.wrapping_add_signed(offset);
                }
            }
        }
        (Some(s), Some(row)) => {
            let base = regs.s64(s).wrapping_add_signed(offset);
            for c in 0..chunks {
                let words = &regs.v[row as usize + c].0;
                for l in 0..16 {
                    // CDNA5 ISA 10.2: the VGPR offset is signed; before, unsigned.
                    let voffset =
                        if signed_offset { i64::from(words[l] as i32) } else { i64::from(words[l]) };
                    out[c * 16 + l] = base.wrapping_add_signed(voffset.wrapping_mul(i64::from(scale)));
                }
            }
        }
        (saddr, None) => {
            let base = saddr.map_or(0, |s| regs.s64(s)).wrapping_add_signed(offset);
            for lane in lanes(mask) {
                out[lane as usize] = base.wrapping_add(if add_tid { u64::from(lane) * 4 } else { 0 });
            }
        }
    }
}

/// Scratch offsets of the lanes of `mask`, as offsets in the lane's own scratch.
pub fn scratch(
    regs: &Regs,
    mask: u64,
    vaddr: Option<u32>,
    saddr: Option<u32>,
    scale: u32,
    offset: i64,
    out: &mut [u64; 64],
) {
    let base = saddr.map_or(0, |s| i64::from(regs.s[s as usize] as i32)) + offset;
    for lane in lanes(mask) {
        let v = vaddr.map_or(0, |row| i64::from(regs.lane(row as usize, lane) as i32));
        out[lane as usize] = (base + v * i64::from(scale)) as u64;
    }
}

/// Fill in the aperture registers of a wave.
pub fn set_apertures(regs: &mut Regs, facts: &Facts) {
    regs.set_s64(sindex::SHARED_BASE, SHARED_BASE);
    regs.set_s64(sindex::SHARED_LIMIT, SHARED_BASE | 0xffff_ffff);
    let any_lane = ScratchAperture::of(facts) == ScratchAperture::AnyLane;
    let (private, limit) = match any_lane {
        false => (PRIVATE_BASE, PRIVATE_BASE | 0xffff_ffff),
        true => (WIDE_PRIVATE_BASE, WIDE_PRIVATE_BASE | ((1 << 58) - 1)),
    };
    regs.set_s64(sindex::PRIVATE_BASE, private);
    regs.set_s64(sindex::PRIVATE_LIMIT, limit);
    if any_lane {
        regs.set_s64(sindex::FLAT_SCRATCH, WIDE_PRIVATE_BASE | WIDE_SCRATCH_BASE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_addresses_can_name_their_lane() {
        let base = WIDE_PRIVATE_BASE | WIDE_SCRATCH_BASE;
        let any = ScratchAperture::AnyLane;
        assert_eq!(aperture(any, base + 12 + (3 << 52), 7), Aperture::Scratch(3, 12));
        assert_eq!(aperture(ScratchAperture::Own, PRIVATE_BASE + 12, 7), Aperture::Scratch(7, 12));
        assert_eq!(aperture(any, SHARED_BASE + 5, 0), Aperture::Lds(5));
        assert_eq!(aperture(any, 0x7a00_0000_0000, 0), Aperture::Global);
    }
}
