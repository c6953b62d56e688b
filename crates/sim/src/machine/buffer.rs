//! Buffers: what a resource descriptor of each generation says, and where a lane's access to it lands.
//!
//! CDNA4 ISA 9.1 (and ROCm/rocm-systems 10928, matched to gfx950 hardware), RDNA2 ISA 8.1.5, RDNA3 ISA 9.4, RDNA4 ISA 9.4,
//! CDNA5 ISA 9.4. Two readings: the manuals of RDNA 1, 2 and 4 leave OOB_SELECT 3 out, which compilers use there, and it
//! is taken as RDNA3's says; the reserved value of RDNA3's and RDNA4's swizzle field does not swizzle.

use wavemark_target::facts::BufferResource as ResourceLayout;

use wavemark_target::Machine;

use crate::element::Select;
use crate::regs::Regs;

/// Where the scratch memory of every wave begins for code that reaches it through a buffer, as kernels for processors
/// without architected flat scratch do. No buffer of the launch is there.
const SCRATCH: u64 = 0x7b00_0000_0000;

/// The descriptor of a wave's scratch, the dwords of its lanes side by side (guide, "Private Segment Buffer"); none where
/// no code asks for one.
pub fn scratch_resource(machine: Machine) -> Option<[u32; 4]> {
    const SWIZZLE: u32 = 1 << 31;
    const ADD_TID: u32 = 1 << 23;
    const UNCHECKED: u32 = 2 << 28;
    let index_stride = if machine.wave32() { 2 << 21 } else { 3 << 21 };
    let select = match machine.facts().buffer_resource {
        ResourceLayout::Gfx6 => 0,
        ResourceLayout::Gfx10 => UNCHECKED,
        ResourceLayout::Gfx11 | ResourceLayout::Gfx12 | ResourceLayout::Gfx1250 => return None,
    };
    let base = [SCRATCH as u32, (SCRATCH >> 32) as u32 | SWIZZLE];
    Some([base[0], base[1], u32::MAX, ADD_TID | index_stride | select])
}

/// The lane and the offset in its scratch that an address of [`scratch_resource`] is.
pub fn scratch_place(addr: u64, lanes: u32) -> Option<(u32, u64)> {
    let at = addr.checked_sub(SCRATCH).filter(|at| at >> 40 == 0)?;
    let (dword, byte) = (at / 4, at % 4);
    Some(((dword % u64::from(lanes)) as u32, dword / u64::from(lanes) * 4 + byte))
}

/// What is in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// Records where there is an index and a stride, else bytes (up to gfx9).
    RecordsOrBytes,
    /// The index; and the offset within the record, with the bytes accessed or without.
    Structured {
        /// Whether the access has to end in the record, or only to begin there.
        payload: bool,
    },
    /// The index alone.
    Records,
    /// The offset, in bytes.
    Bytes,
    /// The whole distance from the base, in bytes; and, if structured, the offset within the record.
    Distance {
        /// Whether the offset is held against the stride, too.
        structured: bool,
    },
    /// Anything, but in an empty buffer.
    Unchecked,
    /// Anything.
    Always,
}

/// A buffer resource descriptor, as far as addressing goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferResource {
    /// Base address.
    base: u64,
    /// Bytes per record.
    stride: u64,
    /// Number of records, or bytes.
    num_records: u64,
    /// Whether elements of records that follow each other lie side by side.
    swizzle: bool,
    /// Whether the lane's number is added to the index.
    add_tid: bool,
    /// Bytes of an element when swizzled.
    element_size: u64,
    /// Indices per swizzled element.
    index_stride: u64,
    range: Range,
    /// Whether the VGPR's and the instruction's offset are added in 32 bits.
    wraps: bool,
    /// Whether the SGPR's offset takes part in swizzling.
    swizzles_soffset: bool,
    /// Whether the bits of the stride above the 14th are the data format's.
    narrow_stride: bool,
}

/// Where a lane accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferPlace {
    /// The address.
    pub addr: u64,
    /// How many of the `bytes` asked for are in range, in whole dwords (all or nothing below a dword).
    pub in_range: u32,
}

/// A lane's access to a buffer.
#[derive(Clone, Copy, Debug)]
pub struct BufferAccess {
    /// The index of the instruction, if it has one.
    pub index: Option<u32>,
    /// The VGPR's offset.
    pub voffset: u32,
    /// The SGPR's offset.
    pub soffset: u32,
    /// The instruction's offset.
    pub offset: i64,
    /// The lane.
    pub lane: u32,
    /// Bytes.
    pub bytes: u32,
    /// Whether they are in range together or not at all.
    pub whole: bool,
}

/// A buffer whose range is one of bytes from the base on, for accesses without index.
#[derive(Clone, Copy, Debug)]
pub struct RawBuffer {
    /// Base address.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
    /// Whether the VGPR's and the instruction's offset are added in 32 bits.
    pub wraps: bool,
}

impl BufferResource {
    /// The descriptor in the four scalar registers from `at` on.
    pub fn read(regs: &Regs, layout: ResourceLayout, at: u32) -> BufferResource {
        let word = |i: u32| regs.s[(at + i) as usize];
        BufferResource::unpack(layout, [word(0), word(1), word(2), word(3)])
    }

    /// What the descriptor says of the elements: the number of their format, and what each register is of them.
    pub fn format(regs: &Regs, layout: ResourceLayout, at: u32) -> (u8, [Select; 4]) {
        BufferResource::format_in(layout, regs.s[(at + 3) as usize])
    }

    /// The same, if that is the descriptor's last dword.
    pub fn format_in(layout: ResourceLayout, word: u32) -> (u8, [Select; 4]) {
        let number = match layout {
            // The number format stands below the data format, in instructions above it.
            ResourceLayout::Gfx6 => word >> 15 & 15 | (word >> 12 & 7) << 4,
            ResourceLayout::Gfx10 => word >> 12 & 0x7f,
            ResourceLayout::Gfx11 | ResourceLayout::Gfx12 | ResourceLayout::Gfx1250 => word >> 12 & 0x3f,
        };
        (number as u8, [0, 3, 6, 9].map(|at| Select::of_field(word >> at)))
    }

    /// The descriptor for an instruction that takes the format of its elements from it, or says one itself: its data
    /// format is then no part of the stride.
    pub fn formatted(self) -> BufferResource {
        BufferResource { stride: if self.narrow_stride { self.stride & 0x3fff } else { self.stride }, ..self }
    }

    /// The descriptor of these four dwords.
    pub fn unpack(layout: ResourceLayout, words: [u32; 4]) -> BufferResource {
        let low = u64::from(words[0]) | u64::from(words[1]) << 32;
        let field = |at: u32, bits: u32| words[3] >> at & ((1 << bits) - 1);
        let add_tid = field(23, 1) != 0;
        let old = BufferResource {
            base: low & 0xffff_ffff_ffff,
            stride: low >> 48 & 0x3fff,
            num_records: u64::from(words[2]),
            swizzle: words[1] >> 31 != 0,
            add_tid,
            element_size: 4,
            index_stride: 8 << field(21, 2),
            range: if add_tid { Range::Always } else { Range::RecordsOrBytes },
            wraps: true,
            swizzles_soffset: false,
            narrow_stride: false,
        };
        let selected = |resource: BufferResource, payload: bool| {
            let range = match field(28, 2) {
                0 => Range::Structured { payload },
                1 => Range::Records,
                2 => Range::Unchecked,
                _ if resource.swizzle && resource.stride != 0 => Range::Structured { payload: true },
                _ => Range::Bytes,
            };
            BufferResource { range, ..resource }
        };
        let swizzle_choice = BufferResource {
            swizzle: matches!(words[1] >> 30, 1 | 3),
            element_size: if words[1] >> 30 == 3 { 16 } else { 4 },
            ..old
        };
        match layout {
            // With ADD_TID_ENABLE the data format holds stride[17:14].
            ResourceLayout::Gfx6 if add_tid => {
                let stride = old.stride | u64::from(field(15, 4)) << 14;
                BufferResource { stride, narrow_stride: true, ..old }
            }
            ResourceLayout::Gfx6 => old,
            ResourceLayout::Gfx10 => selected(old, false),
            ResourceLayout::Gfx11 => selected(swizzle_choice, true),
            ResourceLayout::Gfx12 => {
                let stride = swizzle_choice.stride * [1, 4, 8, 32][field(18, 2) as usize];
                selected(BufferResource { stride, swizzles_soffset: true, ..swizzle_choice }, true)
            }
            ResourceLayout::Gfx1250 => {
                let all = u128::from(low) | u128::from(words[2]) << 64 | u128::from(words[3]) << 96;
                let scale = [1, 4, 8, 32][field(26, 2) as usize];
                let swizzle = field(28, 1) != 0;
                let structured = field(29, 1) != 0;
                BufferResource {
                    base: low & ((1 << 57) - 1),
                    stride: ((all >> 108) as u64 & 0x3fff) * scale,
                    num_records: (all >> 57) as u64 & ((1 << 45) - 1),
                    swizzle,
                    add_tid: false,
                    element_size: 16,
                    index_stride: 32,
                    range: if swizzle { Range::Always } else { Range::Distance { structured } },
                    wraps: false,
                    swizzles_soffset: false,
                    narrow_stride: false,
                }
            }
        }
    }

    /// Whether the buffer is in the wave's scratch.
    pub fn is_scratch(&self) -> bool {
        scratch_place(self.base, 1).is_some()
    }

    /// The buffer as a range of bytes, if that is all there is to it for accesses without index.
    pub fn raw(&self) -> Option<RawBuffer> {
        let bytes = matches!(
            self.range,
            Range::RecordsOrBytes | Range::Bytes | Range::Distance { structured: false }
        );
        (bytes && !self.swizzle && !self.add_tid).then_some(RawBuffer {
            base: self.base,
            bytes: self.num_records,
            wraps: self.wraps,
        })
    }

    /// Bytes that scalar loads reach, and where they begin.
    pub fn scalar(&self) -> (u64, u64) {
        let records = match self.range {
            Range::Distance { .. } => 1,
            _ => self.stride.max(1),
        };
        (self.base, records * self.num_records)
    }

    /// Where an access lands.
    pub fn place(&self, access: &BufferAccess) -> BufferPlace {
        let &BufferAccess { index, voffset, soffset, offset, lane, bytes, whole } = access;
        let soffset = u64::from(soffset);
        let idx = u64::from(index.unwrap_or(0)) + if self.add_tid { u64::from(lane) } else { 0 };
        let own = if self.wraps {
            u64::from(voffset.wrapping_add(offset as u32))
        } else {
            (offset as u64).wrapping_add(u64::from(voffset))
        };
        let addr = if self.swizzle {
            let (inner, outer) = if self.swizzles_soffset {
                (own.wrapping_add(soffset) & u64::from(u32::MAX), 0)
            } else {
                (own, soffset)
            };
            let (index_high, index_low) = (idx / self.index_stride, idx % self.index_stride);
            let (high, low) = (inner / self.element_size, inner % self.element_size);
            let record = index_high * self.stride + high * self.element_size;
            self.base.wrapping_add(outer).wrapping_add(record * self.index_stride)
                + index_low * self.element_size
                + low
        } else {
            let record = self.stride.wrapping_mul(idx);
            self.base.wrapping_add(soffset).wrapping_add(own.wrapping_add(record))
        };
        if bytes == 0 {
            // No format: an unbound buffer.
            return BufferPlace { addr, in_range: 0 };
        }
        let step = if bytes < 4 || whole { bytes } else { 4 };
        let fits = |from: u32| {
            let begin = own.wrapping_add(u64::from(from));
            let end = begin.saturating_add(u64::from(step));
            let total = begin.wrapping_add(soffset).saturating_add(u64::from(step));
            match self.range {
                Range::RecordsOrBytes if index.is_some() && self.stride != 0 => idx < self.num_records,
                Range::RecordsOrBytes | Range::Bytes => total <= self.num_records,
                Range::Structured { payload } => {
                    idx < self.num_records && if payload { end <= self.stride } else { begin < self.stride }
                }
                Range::Records => idx < self.num_records,
                Range::Distance { structured } => {
                    let record = if index.is_some() { self.stride * idx } else { 0 };
                    total.saturating_add(record) <= self.num_records && !(structured && total > self.stride)
                }
                Range::Unchecked => self.num_records != 0,
                Range::Always => true,
            }
        };
        let in_range = (0..bytes).step_by(step as usize).take_while(|&from| fits(from)).count() as u32 * step;
        BufferPlace { addr, in_range: in_range.min(bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: BufferAccess =
        BufferAccess { index: None, voffset: 0, soffset: 0, offset: 0, lane: 0, bytes: 4, whole: false };

    /// Each layout's words for a raw buffer of 2 GiB less a few bytes at 0x1000.
    const RAW_BUFFERS: [(ResourceLayout, [u32; 4]); 5] = [
        (ResourceLayout::Gfx6, [0x1000, 0, 0x7fff_fffe, 0x27000]),
        (ResourceLayout::Gfx10, [0x1000, 0, 0x7fff_fffe, 0x3100_4fac]),
        (ResourceLayout::Gfx11, [0x1000, 0, 0x7fff_fffe, 0x3102_7000]),
        (ResourceLayout::Gfx12, [0x1000, 0, 0x7fff_fffe, 0x3102_7000]),
        (ResourceLayout::Gfx1250, [0x1000, 0xfc00_0000, 0x00ff_ffff, 0]),
    ];

    /// Triton's masked lanes: offset 0x80000000 in a 2 GiB buffer is out of range.
    #[test]
    fn masked_lanes_are_out_of_range() {
        for (layout, words) in RAW_BUFFERS {
            let buffer = BufferResource::unpack(layout, words);
            assert_eq!(buffer.base, 0x1000, "{layout:?}");
            assert!(buffer.raw().is_some_and(|raw| raw.bytes < 0x8000_0000), "{layout:?}");
            let out = buffer.place(&BufferAccess { voffset: 0x8000_0000, ..RAW });
            assert_eq!(out.in_range, 0, "{layout:?}");
            let voffset = buffer.num_records as u32 - 8;
            let part = buffer.place(&BufferAccess { voffset, bytes: 16, ..RAW });
            assert_eq!(part.in_range, 8, "{layout:?}: whole dwords in range count");
            let scalar = buffer.place(&BufferAccess { soffset: voffset, bytes: 16, ..RAW });
            assert_eq!(scalar.in_range, 8, "{layout:?}: the SGPR's offset counts");
        }
    }

    /// RDNA3 ISA, table "Buffer Out Of Bounds Selection": ten records of 12 bytes.
    #[test]
    fn out_of_bounds_selection() {
        let buffer = |layout, select: u32| {
            BufferResource::unpack(layout, [0x1000, 12 << 16, 10, 0x0002_7000 | select << 28])
        };
        let at = |index, voffset, bytes| BufferAccess { index: Some(index), voffset, bytes, ..RAW };
        for layout in [ResourceLayout::Gfx10, ResourceLayout::Gfx11, ResourceLayout::Gfx12] {
            let in_range = |select, access: &BufferAccess| buffer(layout, select).place(access).in_range;
            assert_eq!(
                buffer(layout, 0).place(&at(9, 8, 4)),
                BufferPlace { addr: 0x1000 + 116, in_range: 4 }
            );
            assert_eq!(in_range(0, &at(10, 0, 4)), 0);
            assert_eq!(in_range(0, &at(0, 12, 4)), 0);
            assert_eq!(in_range(0, &at(0, 4, 16)), 8, "dwords of the record");
            assert_eq!(in_range(1, &at(9, 100, 4)), 4, "only the index counts");
            assert_eq!(in_range(1, &at(10, 0, 4)), 0);
            assert_eq!(in_range(2, &at(1000, 1000, 4)), 4, "nothing is checked");
            assert_eq!(in_range(3, &at(1000, 6, 4)), 4, "bytes, whatever the index");
            assert_eq!(in_range(3, &at(0, 8, 4)), 0);
        }
        let begins = |layout| buffer(layout, 0).place(&at(0, 10, 4)).in_range;
        assert_eq!(begins(ResourceLayout::Gfx10), 4, "RDNA2 ISA: the offset alone");
        assert_eq!(begins(ResourceLayout::Gfx11), 0, "RDNA3 ISA: with the payload");
    }

    /// RDNA4 ISA 9.4.2: the SGPR's offset is swizzled; before it is added behind.
    #[test]
    fn swizzled_addresses() {
        let words = [0, 3 << 30 | 32 << 16, 100, 0x2000_0000];
        let access = BufferAccess { index: Some(9), voffset: 4, soffset: 16, ..RAW };
        let address = |layout| BufferResource::unpack(layout, words).place(&access).addr;
        assert_eq!(address(ResourceLayout::Gfx12), (32 + 16) * 8 + 16 + 4);
        assert_eq!(address(ResourceLayout::Gfx11), 32 * 8 + 16 + 4 + 16);
        assert_eq!(address(ResourceLayout::Gfx10), (32 + 4) * 8 + 4 + 16);
    }
}
