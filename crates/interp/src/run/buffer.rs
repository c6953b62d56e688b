//! Buffer resources: how one is made, in the layout of the processor's generation. What an access through one reaches is
//! the simulator's ([`wavemark_sim::machine::buffer`]).

use wavemark_target::facts::BufferResource as Layout;

/// The 128 bits of a resource from what `llvm.amdgcn.make.buffer.rsrc` takes (LLVM, `SITargetLowering`,
/// `lowerPointerAsRsrcIntrin`).
pub fn make_resource(layout: Layout, base: u64, stride: u16, records: u64, flags: u32) -> u128 {
    match layout {
        // 57 bits of base, 45 of number of records, 4 of flags at the top, 14 of stride below them.
        Layout::Gfx1250 => {
            u128::from(base & ((1 << 57) - 1))
                | u128::from(records & ((1 << 45) - 1)) << 57
                | u128::from(stride & 0x3fff) << 108
                | u128::from(flags & 0xf) << 124
        }
        _ => {
            u128::from(base & 0xffff_ffff_ffff)
                | u128::from(stride) << 48
                | u128::from(records as u32) << 64
                | u128::from(flags) << 96
        }
    }
}
