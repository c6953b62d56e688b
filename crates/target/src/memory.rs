//! Address spaces and synchronisation scopes, in LLVM's names and numbers.
//!
//! Follows the tables "AMDGPU Address Spaces" and "AMDHSA LLVM Sync Scopes" of LLVM's *User Guide for AMDGPU
//! Backend*.

use std::fmt;
use std::str::FromStr;

/// An address space of LLVM IR for AMD GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum AddressSpace {
    /// 0: `flat` accesses reach global, local and private memory by aperture.
    Generic = 0,
    /// 1: device memory.
    Global = 1,
    /// 2: GDS.
    Region = 2,
    /// 3: LDS.
    Local = 3,
    /// 4: as global, and never written while the kernel runs.
    Constant = 4,
    /// 5: scratch.
    Private = 5,
    /// 6: constant memory under 32-bit addresses.
    Constant32Bit = 6,
    /// 7: pointers that carry a buffer descriptor and an offset (160 bits).
    BufferFatPointer = 7,
    /// 8: a buffer descriptor (128 bits).
    BufferResource = 8,
    /// 9: a buffer descriptor with an index and an offset (192 bits).
    BufferStridedPointer = 9,
}

impl AddressSpace {
    /// All that LLVM numbers below its "streamout registers".
    pub const ALL: [AddressSpace; 10] = [
        AddressSpace::Generic,
        AddressSpace::Global,
        AddressSpace::Region,
        AddressSpace::Local,
        AddressSpace::Constant,
        AddressSpace::Private,
        AddressSpace::Constant32Bit,
        AddressSpace::BufferFatPointer,
        AddressSpace::BufferResource,
        AddressSpace::BufferStridedPointer,
    ];

    /// The address space of an LLVM IR number.
    pub fn by_number(number: u32) -> Option<AddressSpace> {
        AddressSpace::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Size of a pointer in bits.
    pub const fn pointer_bits(self) -> u32 {
        match self {
            AddressSpace::Generic | AddressSpace::Global | AddressSpace::Constant => 64,
            AddressSpace::Region | AddressSpace::Local | AddressSpace::Private => 32,
            AddressSpace::Constant32Bit => 32,
            AddressSpace::BufferFatPointer => 160,
            AddressSpace::BufferResource => 128,
            AddressSpace::BufferStridedPointer => 192,
        }
    }

    /// The null pointer: all ones in local, region and private memory, where address 0 is memory.
    pub const fn null(self) -> u64 {
        match self {
            AddressSpace::Region | AddressSpace::Local | AddressSpace::Private => 0xffff_ffff,
            _ => 0,
        }
    }

    /// The name as code-object metadata's `.address_space` spells it (`generic`, `global`, `local`, …).
    pub const fn name(self) -> &'static str {
        match self {
            AddressSpace::Generic => "generic",
            AddressSpace::Global => "global",
            AddressSpace::Region => "region",
            AddressSpace::Local => "local",
            AddressSpace::Constant => "constant",
            AddressSpace::Private => "private",
            AddressSpace::Constant32Bit => "constant32",
            AddressSpace::BufferFatPointer => "buffer-fat-pointer",
            AddressSpace::BufferResource => "buffer-resource",
            AddressSpace::BufferStridedPointer => "buffer-strided-pointer",
        }
    }
}

impl fmt::Display for AddressSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How far a synchronising operation reaches, from one work-item to the whole system.
/// Larger scopes compare greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyncScope {
    /// One work-item (`singlethread`).
    SingleThread,
    /// The lanes of one wave (`wavefront`).
    Wavefront,
    /// One workgroup (`workgroup`).
    Workgroup,
    /// One cluster of workgroups (`cluster`, gfx1250).
    Cluster,
    /// One device (`agent`).
    Agent,
    /// Every device and the host (the empty name).
    System,
}

impl SyncScope {
    /// All scopes, the smallest first.
    pub const ALL: [SyncScope; 6] = [
        SyncScope::SingleThread,
        SyncScope::Wavefront,
        SyncScope::Workgroup,
        SyncScope::Cluster,
        SyncScope::Agent,
        SyncScope::System,
    ];

    /// LLVM's name in `syncscope("…")`; empty for system scope. The `-one-as` variants, which order one
    /// address space only, carry the same scope.
    pub const fn name(self) -> &'static str {
        match self {
            SyncScope::SingleThread => "singlethread",
            SyncScope::Wavefront => "wavefront",
            SyncScope::Workgroup => "workgroup",
            SyncScope::Cluster => "cluster",
            SyncScope::Agent => "agent",
            SyncScope::System => "",
        }
    }

    /// The scope of an LLVM name and whether it orders one address space only (`-one-as`).
    pub fn by_name(name: &str) -> Option<(SyncScope, bool)> {
        if name == "one-as" {
            return Some((SyncScope::System, true));
        }
        let (base, one) = match name.strip_suffix("-one-as") {
            Some(base) if !base.is_empty() => (base, true),
            _ => (name, false),
        };
        let scope = SyncScope::ALL.into_iter().find(|s| s.name() == base)?;
        Some((scope, one))
    }
}

/// A name that is no synchronisation scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a synchronisation scope of AMD GPUs")]
pub struct UnknownSyncScope(pub String);

impl FromStr for SyncScope {
    type Err = UnknownSyncScope;

    /// Parses LLVM's name without the `-one-as` suffix; `system` is accepted for the empty name.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match (name, SyncScope::by_name(name)) {
            ("system", _) => Ok(SyncScope::System),
            (_, Some((scope, false))) => Ok(scope),
            _ => Err(UnknownSyncScope(name.to_owned())),
        }
    }
}
