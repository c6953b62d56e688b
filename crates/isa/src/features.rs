//! Assembler features that change how text and bytes correspond.

use crate::Isa;

/// The subtarget features that reading and writing of instructions depends on. Everything else follows from
/// the [`Isa`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Features {
    /// `real-true16`: 16-bit VGPR operands are written `v0.l`/`v0.h` (gfx1250; no effect on gfx950).
    pub real_true16: bool,
    /// 64 instead of 32 lanes; decides the width of lane masks.
    pub wave64: bool,
}

impl Features {
    /// What LLVM 22 assumes for the processor when no feature is named.
    pub const fn default_of(isa: Isa) -> Self {
        match isa {
            Isa::Gfx950 => Features { real_true16: false, wave64: true },
            Isa::Gfx1250 => Features { real_true16: false, wave64: false },
        }
    }
}
