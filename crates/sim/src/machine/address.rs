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
        /// How the descriptor is read.
        kind: BufferResources,
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

/// The layouts of buffer resource descriptors that there is a model of, and what is in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferResources {
    /// 48-bit base, 32-bit number of records (CDNA4 ISA 9.1.6). The VGPR's and the instruction's offset are added in
    /// 32 bits, the SGPR's after that without wrapping; all three count in the range check (ROCm/rocm-systems 10928,
    /// matched to gfx950 hardware).
    Base48,
    /// 57-bit base, 45-bit number of records (CDNA5 ISA table 57, 9.4.1). The sum of the offsets does not wrap.
    Base57,
}

impl BufferResources {
    /// Those of a machine; none for those whose OOB_SELECT says what is in range.
    pub fn of(facts: &Facts) -> Option<BufferResources> {
        match facts.buffer_resource {
            ResourceLayout::Gfx6 => Some(BufferResources::Base48),
            ResourceLayout::Gfx10 | ResourceLayout::Gfx11 | ResourceLayout::Gfx12 => None,
            ResourceLayout::Gfx1250 => Some(BufferResources::Base57),
        }
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

/// A buffer resource descriptor, as far as addressing goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferResource {
    /// Base address.
    pub base: u64,
    /// Bytes per record.
    pub stride: u64,
    /// Number of records: bytes for raw buffers.
    pub num_records: u64,
    /// Swizzle enable.
    pub swizzle: bool,
    /// gfx9 `ADD_TID_ENABLE`.
    pub add_tid: bool,
    /// Element size in bytes when swizzled: 4 on gfx9, 16 on gfx1250.
    pub element_size: u64,
    /// Indices per swizzled element.
    pub index_stride: u64,
    /// gfx1250 `OOB_SELECT`: also check the offset against the stride.
    pub oob_structured: bool,
}

impl BufferResource {
    /// Unpack four SGPRs (CDNA4 ISA 9.1.6 table "Buffer Resource Descriptor", CDNA5 ISA table 57).
    pub fn unpack(kind: BufferResources, words: [u32; 4]) -> Self {
        let low = u64::from(words[0]) | u64::from(words[1]) << 32;
        match kind {
            BufferResources::Base48 => BufferResource {
                base: low & 0xffff_ffff_ffff,
                // With ADD_TID_ENABLE the data format holds stride[17:14].
                stride: low >> 48 & 0x3fff
                    | if words[3] >> 23 & 1 != 0 { u64::from(words[3] >> 15 & 15) << 14 } else { 0 },
                num_records: u64::from(words[2]),
                swizzle: words[1] >> 31 != 0,
                add_tid: words[3] >> 23 & 1 != 0,
                element_size: 4,
                index_stride: 8 << (words[3] >> 21 & 3),
                oob_structured: false,
            },
            BufferResources::Base57 => {
                let all = u128::from(low) | u128::from(words[2]) << 64 | u128::from(words[3]) << 96;
                let scale = [1, 4, 8, 32][(words[3] >> 26 & 3) as usize];
                BufferResource {
                    base: low & ((1 << 57) - 1),
                    stride: (all >> 108) as u64 & 0x3fff,
                    num_records: (all >> 57) as u64 & ((1 << 45) - 1),
                    swizzle: words[3] >> 28 & 1 != 0,
                    add_tid: false,
                    element_size: 16,
                    index_stride: 32,
                    oob_structured: words[3] >> 29 & 1 != 0,
                }
                .with_stride_scale(scale)
            }
        }
    }

    fn with_stride_scale(mut self, scale: u64) -> Self {
        self.stride *= scale;
        self
    }
}

/// One lane's place in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferPlace {
    /// The address.
    pub addr: u64,
    /// How many of the `bytes` asked for are in range, in whole dwords (all or nothing below a dword).
    pub in_range: u32,
}

/// Where a lane with `index` and `voffset` accesses `bytes` bytes.
pub fn buffer_place(
    kind: BufferResources,
    resource: &BufferResource,
    index: Option<u32>,
    voffset: u32,
    soffset: u32,
    offset: i64,
    lane: u32,
    bytes: u32,
    atomic: bool,
) -> BufferPlace {
    let structured = index.is_some();
    let mut idx = u64::from(index.unwrap_or(0));
    if resource.add_tid {
        idx += u64::from(lane);
    }
    let own = match kind {
        BufferResources::Base48 => u64::from(voffset.wrapping_add(offset as u32)),
        BufferResources::Base57 => (offset as u64).wrapping_add(u64::from(voffset)),
    };
    let within = own.wrapping_add(u64::from(soffset));
    let linear = if resource.swizzle {
        let (imsb, ilsb) = (idx / resource.index_stride, idx % resource.index_stride);
        let (omsb, olsb) = (own / resource.element_size, own % resource.element_size);
        (imsb * resource.stride + omsb * resource.element_size) * resource.index_stride
            + ilsb * resource.element_size
            + olsb
    } else {
        own.wrapping_add(resource.stride.wrapping_mul(idx))
    };
    let addr = resource.base.wrapping_add(u64::from(soffset)).wrapping_add(linear);
    let step = if bytes < 4 || atomic { bytes } else { 4 };
    let fits = |from: u32| -> bool {
        let at = within.wrapping_add(u64::from(from));
        match kind {
            BufferResources::Base48 => {
                if resource.add_tid {
                    true
                } else if structured && resource.stride != 0 {
                    u64::from(index.unwrap_or(0)) < resource.num_records
                } else {
                    at.saturating_add(u64::from(step)) <= resource.num_records
                }
            }
            BufferResources::Base57 => {
                if resource.swizzle {
                    return true;
                }
                let total = at.wrapping_add(if structured { resource.stride * idx } else { 0 });
                total.saturating_add(u64::from(step)) <= resource.num_records
                    && !(resource.oob_structured && at.saturating_add(u64::from(step)) > resource.stride)
            }
        }
    };
    let mut in_range = 0;
    while in_range < bytes && fits(in_range) {
        in_range += step;
    }
    BufferPlace { addr, in_range: in_range.min(bytes) }
}

/// The descriptor in four scalar registers.
pub fn resource(regs: &Regs, kind: BufferResources, at: u32) -> BufferResource {
    let word = |i: u32| regs.s[(at + i) as usize];
    BufferResource::unpack(kind, [word(0), word(1), word(2), word(3)])
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

    /// Triton's masked lanes: offset 0x80000000 in a 2 GiB buffer is out of range.
    #[test]
    fn masked_lanes_are_out_of_range() {
        for (kind, words) in [
            (BufferResources::Base48, [0x1000, 0, 0x7fff_fffe, 0x27000]),
            (BufferResources::Base57, [0x1000, 0xfc00_0000, 0x00ff_ffff, 0]),
        ] {
            let r = BufferResource::unpack(kind, words);
            assert_eq!(r.base, 0x1000, "{kind:?}");
            assert!(r.num_records < 0x8000_0000, "{kind:?}: {:#x}", r.num_records);
            let out = buffer_place(kind, &r, None, 0x8000_0000, 0, 0, 0, 4, false);
            assert_eq!(out.in_range, 0);
            let part = buffer_place(kind, &r, None, r.num_records as u32 - 8, 0, 0, 0, 16, false);
            assert_eq!(part.in_range, 8, "whole dwords in range count");
        }
    }

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
