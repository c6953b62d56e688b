//! What an instruction does to memory, as its row says it: `mem=PATH.VERB.SHAPE.FLAG…`.
//!
//! | part | values |
//! |---|---|
//! | PATH | `scalar lds gds flat global scratch buffer tensor`: how the address is formed, and with it the space |
//! | VERB | `load store atomic atomic_return to_lds from_lds prefetch cache crossbar` |
//! | SHAPE | bytes of one access of a lane (of the wave for scalar memory; 0 where operands decide), `8x2`: two accesses with an offset each in units of the access, `8x2s64`: in units of 64 of them |
//! | FLAG | `u` `i`: sub-dword loads are extended by zeros or the sign; `d16` `d16hi`: the register's low or high half; [`Transpose`]; [`AtomicOp`]; `inv` `wb` `l0` `l1` of `cache`; the names of `crossbar` operations ([`Crossbar`]); `addtid` `multicast` `block` `scratch`; `x` `xy` `xyz` `xyzw`: elements of a buffer format |

use super::atomic::AtomicOp;

/// How an instruction reaches memory: its address form and the pipeline that it goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// Scalar memory: one address for the wave, to global memory through the scalar data cache.
    Scalar,
    /// LDS, a byte offset for each lane.
    Lds,
    /// Global data share and global wave sync.
    Gds,
    /// Flat addresses: apertures decide which space each lane's address is in.
    Flat,
    /// Global memory, 64-bit addresses.
    Global,
    /// Scratch, an offset in the lane's own.
    Scratch,
    /// Global memory by a buffer resource descriptor.
    Buffer,
    /// Tensor DMA by descriptors in scalar registers.
    Tensor,
}

impl Path {
    /// The space, where it does not depend on addresses.
    pub const fn space(self) -> Option<Space> {
        match self {
            Path::Scalar | Path::Global | Path::Buffer | Path::Tensor => Some(Space::Global),
            Path::Lds => Some(Space::Lds),
            Path::Scratch => Some(Space::Scratch),
            Path::Flat | Path::Gds => None,
        }
    }
}

/// An address space as the hardware resolves it (flat addresses are resolved lane by lane).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global memory; addresses are virtual addresses.
    Global,
    /// LDS; addresses are byte offsets in the workgroup's allocation.
    Lds,
    /// Scratch; addresses are virtual addresses of the backing memory.
    Scratch,
}

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Memory to registers.
    Load,
    /// Registers to memory.
    Store,
    /// Read-modify-write without the old value.
    Atomic,
    /// Read-modify-write that returns the old value.
    AtomicReturn,
    /// Memory to LDS.
    ToLds,
    /// LDS to memory.
    FromLds,
    /// A hint; no data reach the wave.
    Prefetch,
    /// Write-back, invalidate.
    Cache {
        /// Invalidates.
        invalidate: bool,
        /// Writes back.
        write_back: bool,
    },
    /// Uses the LDS crossbar only.
    Crossbar(Crossbar),
}

/// An operation between lanes through the LDS hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Crossbar {
    /// Each lane sends to the lane that its address names.
    Permute,
    /// Each lane receives from the lane that its address names.
    Bpermute,
    /// The same from inactive lanes as well.
    BpermuteFi,
    /// By a pattern in the offset.
    Swizzle,
}

/// How the bytes of an access lie in the registers of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Extend {
    /// Whole dwords; the low bytes of one for stores.
    #[default]
    Dwords,
    /// Zero-extended into the dword.
    Zero,
    /// Sign-extended into the dword.
    Sign,
    /// Into the low half, zero-extended to 16 bits; the high half is kept.
    LowZero,
    /// Into the low half, sign-extended to 16 bits; the high half is kept.
    LowSign,
    /// Into the high half, zero-extended to 16 bits; the low half is kept. Stores: from the high half.
    HighZero,
    /// Into the high half, sign-extended to 16 bits; the low half is kept.
    HighSign,
}

impl Extend {
    /// Whether only half of the register is concerned.
    pub const fn is_half(self) -> bool {
        !matches!(self, Extend::Dwords | Extend::Zero | Extend::Sign)
    }
}

/// A half of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// Bits 15:0.
    Low,
    /// Bits 31:16.
    High,
}

/// A load that transposes small matrices across the lanes of a row of 16, or of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transpose {
    /// gfx12 `tr16_b128`: 8 elements of 16 bits a lane.
    Tr16B128,
    /// gfx12 `tr8_b64`: 8 elements of 8 bits a lane.
    Tr8B64,
    /// gfx1250 `tr6_b96`: 16 elements of 6 bits a lane.
    Tr6B96,
    /// gfx1250 `tr4_b64`: 16 elements of 4 bits a lane.
    Tr4B64,
    /// gfx950 `b64_tr_b16`: 4 elements of 16 bits a lane.
    B64TrB16,
    /// gfx950 `b64_tr_b8`: 8 elements of 8 bits a lane.
    B64TrB8,
    /// gfx950 `b96_tr_b6`: 16 elements of 6 bits a lane.
    B96TrB6,
    /// gfx950 `b64_tr_b4`: 16 elements of 4 bits a lane.
    B64TrB4,
}

/// Which caches an invalidate or write-back is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Caches {
    /// All up to its scope.
    #[default]
    All,
    /// The CU's own alone, where a shader array has one behind it (gfx10, gfx11).
    Near,
    /// The shader array's alone.
    Shared,
    /// The device's alone (gfx90a).
    Device,
    /// The scalar one alone, which the vector ones are not coherent with.
    Scalar,
}

/// The memory effect of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// Through which pipeline.
    pub path: Path,
    /// What.
    pub verb: Verb,
    /// Bytes of one access of a lane; of the wave for scalar memory. 0 where operands decide (tensor transfers).
    pub bytes: u16,
    /// Accesses of a lane, each with an offset of its own: 1 or 2.
    pub count: u8,
    /// The unit of those offsets, in accesses: 1 or 64.
    pub stride: u8,
    /// How the bytes lie in registers.
    pub extend: Extend,
    /// For loads that transpose.
    pub transpose: Option<Transpose>,
    /// What an atomic computes.
    pub atomic: Option<AtomicOp>,
    /// Four times the lane number is added to the address.
    pub add_tid: bool,
    /// The data go to the workgroups of the cluster that M0 names.
    pub multicast: bool,
    /// One access for each bit of M0, to or from consecutive registers.
    pub block: bool,
    /// Elements are converted by a buffer format, and so many components of them have a place in registers; 0: no such.
    pub components: u8,
    /// Scalar memory: the offset is one in scratch.
    pub scratch: bool,
    /// Cache controls: which caches.
    pub caches: Caches,
}

impl Memory {
    /// The half of the data register that an access reads or writes, if the other half is nothing to it.
    pub const fn half(&self) -> Option<Half> {
        match (self.verb, self.extend) {
            _ if self.components > 1 => None,
            (_, Extend::LowZero | Extend::LowSign) => Some(Half::Low),
            (_, Extend::HighZero | Extend::HighSign) => Some(Half::High),
            (Verb::Store, Extend::Dwords) if self.components == 0 && self.bytes <= 2 => Some(Half::Low),
            _ => None,
        }
    }

    /// Reads the value of `mem=`.
    pub(super) fn parse(value: &str) -> Option<Memory> {
        let mut parts = value.split('.');
        let path = match parts.next()? {
            "scalar" => Path::Scalar,
            "lds" => Path::Lds,
            "gds" => Path::Gds,
            "flat" => Path::Flat,
            "global" => Path::Global,
            "scratch" => Path::Scratch,
            "buffer" => Path::Buffer,
            "tensor" => Path::Tensor,
            _ => return None,
        };
        let verb = parts.next()?;
        let (bytes, count, stride) = shape(parts.next()?)?;
        let mut memory = Memory {
            path,
            verb: Verb::Load,
            bytes,
            count,
            stride,
            extend: Extend::Dwords,
            transpose: None,
            atomic: None,
            add_tid: false,
            multicast: false,
            block: false,
            components: 0,
            scratch: false,
            caches: Caches::All,
        };
        let (mut sign, mut half) = (None, None);
        let (mut invalidate, mut write_back, mut crossbar) = (false, false, None);
        for flag in parts {
            match flag {
                "u" => sign = Some(false),
                "i" => sign = Some(true),
                "d16" => half = Some(false),
                "d16hi" => half = Some(true),
                "addtid" => memory.add_tid = true,
                "multicast" => memory.multicast = true,
                "block" => memory.block = true,
                "x" => memory.components = 1,
                "xy" => memory.components = 2,
                "xyz" => memory.components = 3,
                "xyzw" => memory.components = 4,
                "scratch" => memory.scratch = true,
                "inv" => invalidate = true,
                "wb" => write_back = true,
                "l0" => memory.caches = Caches::Near,
                "l1" => memory.caches = Caches::Shared,
                "l2" => memory.caches = Caches::Device,
                "permute" => crossbar = Some(Crossbar::Permute),
                "bpermute" => crossbar = Some(Crossbar::Bpermute),
                "bpermute_fi" => crossbar = Some(Crossbar::BpermuteFi),
                "swizzle" => crossbar = Some(Crossbar::Swizzle),
                _ => match (transpose(flag), AtomicOp::parse(flag)) {
                    (Some(transpose), _) => memory.transpose = Some(transpose),
                    (None, Some(op)) => memory.atomic = Some(op),
                    (None, None) => return None,
                },
            }
        }
        memory.extend = match (half, sign) {
            (None, None) => Extend::Dwords,
            (None, Some(false)) => Extend::Zero,
            (None, Some(true)) => Extend::Sign,
            (Some(false), Some(true)) => Extend::LowSign,
            (Some(false), _) => Extend::LowZero,
            (Some(true), Some(true)) => Extend::HighSign,
            (Some(true), _) => Extend::HighZero,
        };
        memory.verb = match verb {
            "load" => Verb::Load,
            "store" => Verb::Store,
            "atomic" => Verb::Atomic,
            "atomic_return" => Verb::AtomicReturn,
            "to_lds" => Verb::ToLds,
            "from_lds" => Verb::FromLds,
            "prefetch" => Verb::Prefetch,
            "cache" => {
                if memory.path == Path::Scalar && memory.caches == Caches::All {
                    memory.caches = Caches::Scalar;
                }
                Verb::Cache { invalidate, write_back }
            }
            "crossbar" => Verb::Crossbar(crossbar?),
            _ => return None,
        };
        let atomic = matches!(memory.verb, Verb::Atomic | Verb::AtomicReturn);
        (atomic == memory.atomic.is_some()).then_some(memory)
    }

    /// Whether elements are converted by a buffer format.
    pub const fn is_typed(&self) -> bool {
        self.components != 0
    }

    /// Whether it is a read-modify-write.
    pub const fn is_atomic(&self) -> bool {
        matches!(self.verb, Verb::Atomic | Verb::AtomicReturn)
    }
}

/// Bytes, accesses and their stride.
fn shape(text: &str) -> Option<(u16, u8, u8)> {
    let (bytes, rest) = match text.split_once('x') {
        Some((bytes, rest)) => (bytes, Some(rest)),
        None => (text, None),
    };
    let (count, stride) = match rest {
        None => (1, 1),
        Some(rest) => match rest.split_once('s') {
            Some((count, stride)) => (count.parse().ok()?, stride.parse().ok()?),
            None => (rest.parse().ok()?, 1),
        },
    };
    Some((bytes.parse().ok()?, count, stride))
}

fn transpose(name: &str) -> Option<Transpose> {
    Some(match name {
        "tr16_b128" => Transpose::Tr16B128,
        "tr8_b64" => Transpose::Tr8B64,
        "tr6_b96" => Transpose::Tr6B96,
        "tr4_b64" => Transpose::Tr4B64,
        "b64_tr_b16" => Transpose::B64TrB16,
        "b64_tr_b8" => Transpose::B64TrB8,
        "b96_tr_b6" => Transpose::B96TrB6,
        "b64_tr_b4" => Transpose::B64TrB4,
        _ => return None,
    })
}
