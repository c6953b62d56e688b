//! The processors gfx600 to gfx1251 and the generic ones: one row each.
//!
//! Names, alternative names and properties follow the tables "AMDGPU Processors" and "AMDGPU Generic
//! Processors" of LLVM's *User Guide for AMDGPU Backend*; the machine numbers its table of `EF_AMDGPU_MACH`
//! values. gfx1250 and gfx1251, which that edition lacks, follow LLVM 22. R600 processors are in [`crate::r600`].

use std::fmt;
use std::str::FromStr;

use crate::R600;
use crate::facts::{Facts, FlatScratch};
use crate::inst_features::{InstFeature, InstFeatures};
use crate::lines::{facts, insts};

bitflags::bitflags! {
    /// What a processor has or does, as far as code objects, dispatch and assembly depend on it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Property: u32 {
        /// Can run waves of 32 lanes.
        const WAVE32 = 1 << 0;
        /// Can run waves of 64 lanes.
        const WAVE64 = 1 << 1;
        /// Target IDs may say `xnack+` or `xnack-`.
        const XNACK = 1 << 2;
        /// Target IDs may say `sramecc+` or `sramecc-`.
        const SRAMECC = 1 << 3;
        /// XNACK replay cannot be switched off (gfx1250 and later of its family).
        const XNACK_ALWAYS = 1 << 4;
        /// A workgroup's waves may be spread over compute units (`tgsplit`).
        const TGSPLIT = 1 << 5;
        /// Workgroups run in either CU or WGP mode (`cumode`).
        const CUMODE = 1 << 6;
        /// The three work-item ids arrive packed in v0, 10 bits each.
        const PACKED_WORK_ITEM_IDS = 1 << 7;
        /// FLAT_SCRATCH is set up by hardware; no scratch SGPRs at entry.
        const ARCHITECTED_FLAT_SCRATCH = 1 << 8;
        /// FLAT_SCRATCH_INIT SGPRs hold an absolute address ("Absolute flat scratch").
        const ABSOLUTE_FLAT_SCRATCH = 1 << 9;
        /// FLAT_SCRATCH_INIT SGPRs hold an offset ("Offset flat scratch").
        const OFFSET_FLAT_SCRATCH = 1 << 10;
        /// Workgroup ids arrive in trap temporaries (TTMP7, TTMP9) and not in SGPRs.
        const ARCHITECTED_WORK_GROUP_IDS = 1 << 11;
        /// Kernel arguments can be preloaded into user SGPRs.
        const KERNARG_PRELOAD = 1 << 12;
        /// Has accumulation VGPRs (AGPRs).
        const AGPRS = 1 << 13;
        /// VGPRs and AGPRs share one file, divided at `ACCUM_OFFSET` (gfx90a and later of its family).
        const UNIFIED_VGPRS = 1 << 14;
        /// Half as many physical VGPRs again (and a granule half as large again).
        const VGPRS_1_5X = 1 << 15;
        /// Clusters of workgroups can be launched.
        const CLUSTERS = 1 << 16;
        /// Has named barriers.
        const NAMED_BARRIERS = 1 << 17;
        /// Always allocates a fixed number of SGPRs (gfx802).
        const SGPR_INIT_BUG = 1 << 18;
        /// Has the generic address space (from gfx700 on).
        const GENERIC_ADDRESS_SPACE = 1 << 19;
        /// A generic processor: stands for several; its code objects are versioned.
        const GENERIC = 1 << 20;
        /// 16-bit operands name half registers (`v1.l`) by default in LLVM 22 (`real-true16`).
        const REAL_TRUE16_DEFAULT = 1 << 21;
    }
}

/// A generation of processors: all of one generation share most of an instruction set and of the kernel
/// descriptor. gfx1250 and gfx1251 are a generation of their own here, though LLVM counts them among gfx12.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// Southern Islands.
    Gfx6,
    /// Sea Islands.
    Gfx7,
    /// Volcanic Islands.
    Gfx8,
    /// Vega and CDNA 1 to 4 (gfx900 to gfx950).
    Gfx9,
    /// RDNA 1 and 2.
    Gfx10,
    /// RDNA 3 and 3.5.
    Gfx11,
    /// RDNA 4 (gfx1200, gfx1201).
    Gfx12,
    /// CDNA 5 (gfx1250, gfx1251).
    Gfx1250,
}

/// Lanes of a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaveSize {
    /// 32 lanes.
    Wave32,
    /// 64 lanes.
    Wave64,
}

impl WaveSize {
    /// The number of lanes, 32 or 64.
    pub const fn lanes(self) -> u32 {
        match self {
            WaveSize::Wave32 => 32,
            WaveSize::Wave64 => 64,
        }
    }
}

macro_rules! processors {
    ($($variant:ident $name:literal $aliases:tt $mach:literal $version:tt $generation:ident $facts:ident $insts:ident $props:expr;)*) => {
        /// A processor; its properties are rows of a table, see [`Processor::ALL`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Processor {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl Processor {
            /// Every processor, in the order of the table.
            pub const ALL: &'static [Processor] = &[$(Processor::$variant),*];
        }

        const ROWS: &[Row] = &[$(Row {
            name: $name,
            aliases: &$aliases,
            mach: $mach,
            version: $version,
            generation: Generation::$generation,
            facts: &facts::$facts,
            insts: insts::$insts,
            properties: $props,
        }),*];
    };
}

struct Row {
    name: &'static str,
    aliases: &'static [&'static str],
    mach: u8,
    version: (u8, u8, u8),
    generation: Generation,
    facts: &'static Facts,
    insts: InstFeatures,
    properties: Property,
}

const fn all(sets: &[Property]) -> Property {
    let mut bits = 0;
    let mut i = 0;
    while i < sets.len() {
        bits |= sets[i].bits();
        i += 1;
    }
    Property::from_bits_truncate(bits)
}

use Property as P;
const W64: Property = P::WAVE64;
const FLAT: Property = all(&[P::WAVE64, P::GENERIC_ADDRESS_SPACE]);
const OFFSET: Property = all(&[FLAT, P::OFFSET_FLAT_SCRATCH]);
const GFX9: Property = all(&[FLAT, P::XNACK, P::ABSOLUTE_FLAT_SCRATCH]);
const GFX90A: Property = all(&[
    GFX9,
    P::SRAMECC,
    P::TGSPLIT,
    P::PACKED_WORK_ITEM_IDS,
    P::KERNARG_PRELOAD,
    P::AGPRS,
    P::UNIFIED_VGPRS,
]);
const GFX940: Property = all(&[
    FLAT,
    P::XNACK,
    P::SRAMECC,
    P::TGSPLIT,
    P::PACKED_WORK_ITEM_IDS,
    P::KERNARG_PRELOAD,
    P::AGPRS,
    P::UNIFIED_VGPRS,
    P::ARCHITECTED_FLAT_SCRATCH,
]);
const GFX10: Property = all(&[FLAT, P::WAVE32, P::CUMODE, P::ABSOLUTE_FLAT_SCRATCH]);
const GFX101: Property = all(&[GFX10, P::XNACK]);
const GFX11: Property = all(&[
    FLAT,
    P::WAVE32,
    P::CUMODE,
    P::ARCHITECTED_FLAT_SCRATCH,
    P::PACKED_WORK_ITEM_IDS,
    P::REAL_TRUE16_DEFAULT,
]);
const GFX11_1_5X: Property = all(&[GFX11, P::VGPRS_1_5X]);
const GFX12: Property = all(&[
    FLAT,
    P::WAVE32,
    P::CUMODE,
    P::ARCHITECTED_FLAT_SCRATCH,
    P::PACKED_WORK_ITEM_IDS,
    P::ARCHITECTED_WORK_GROUP_IDS,
    P::VGPRS_1_5X,
]);
const GFX125: Property = all(&[
    P::WAVE32,
    P::GENERIC_ADDRESS_SPACE,
    P::XNACK,
    P::XNACK_ALWAYS,
    P::SRAMECC,
    P::ARCHITECTED_FLAT_SCRATCH,
    P::PACKED_WORK_ITEM_IDS,
    P::ARCHITECTED_WORK_GROUP_IDS,
    P::KERNARG_PRELOAD,
    P::CLUSTERS,
    P::NAMED_BARRIERS,
]);

processors! {
    Gfx600 "gfx600" ["tahiti"] 0x20 (6, 0, 0) Gfx6 GFX6 GFX6 W64;
    Gfx601 "gfx601" ["pitcairn", "verde"] 0x21 (6, 0, 1) Gfx6 GFX6 GFX6 W64;
    Gfx602 "gfx602" ["hainan", "oland"] 0x3a (6, 0, 2) Gfx6 GFX6 GFX6 W64;
    Gfx700 "gfx700" ["kaveri"] 0x22 (7, 0, 0) Gfx7 GFX7 GFX7 OFFSET;
    Gfx701 "gfx701" ["hawaii"] 0x23 (7, 0, 1) Gfx7 GFX7 GFX7 OFFSET;
    Gfx702 "gfx702" [] 0x24 (7, 0, 2) Gfx7 GFX7 GFX7 OFFSET;
    Gfx703 "gfx703" ["kabini", "mullins"] 0x25 (7, 0, 3) Gfx7 GFX7 GFX7 OFFSET;
    Gfx704 "gfx704" ["bonaire"] 0x26 (7, 0, 4) Gfx7 GFX7 GFX7 OFFSET;
    Gfx705 "gfx705" [] 0x3b (7, 0, 5) Gfx7 GFX7 GFX7 OFFSET;
    Gfx801 "gfx801" ["carrizo"] 0x28 (8, 0, 1) Gfx8 GFX8 GFX8 all(&[OFFSET, P::XNACK]);
    Gfx802 "gfx802" ["iceland", "tonga"] 0x29 (8, 0, 2) Gfx8 GFX8 GFX8 all(&[OFFSET, P::SGPR_INIT_BUG]);
    Gfx803 "gfx803" ["fiji", "polaris10", "polaris11"] 0x2a (8, 0, 3) Gfx8 GFX8 GFX8 OFFSET;
    Gfx805 "gfx805" ["tongapro"] 0x3c (8, 0, 5) Gfx8 GFX8 GFX8 all(&[OFFSET, P::SGPR_INIT_BUG]);
    Gfx810 "gfx810" ["stoney"] 0x2b (8, 1, 0) Gfx8 GFX8 GFX810 all(&[OFFSET, P::XNACK]);
    Gfx900 "gfx900" [] 0x2c (9, 0, 0) Gfx9 GFX9 GFX900 GFX9;
    Gfx902 "gfx902" [] 0x2d (9, 0, 2) Gfx9 GFX9 GFX900 GFX9;
    Gfx904 "gfx904" [] 0x2e (9, 0, 4) Gfx9 GFX9 GFX904 GFX9;
    Gfx906 "gfx906" [] 0x2f (9, 0, 6) Gfx9 GFX9 GFX906 all(&[GFX9, P::SRAMECC]);
    Gfx908 "gfx908" [] 0x30 (9, 0, 8) Gfx9 GFX908 GFX908 all(&[GFX9, P::SRAMECC, P::AGPRS]);
    Gfx909 "gfx909" [] 0x31 (9, 0, 9) Gfx9 GFX9 GFX900 GFX9;
    Gfx90a "gfx90a" [] 0x3f (9, 0, 10) Gfx9 GFX90A GFX90A GFX90A;
    Gfx90c "gfx90c" [] 0x32 (9, 0, 12) Gfx9 GFX9 GFX900 GFX9;
    Gfx940 "gfx940" [] 0x40 (9, 4, 0) Gfx9 GFX940 GFX942 GFX940;
    Gfx941 "gfx941" [] 0x4b (9, 4, 1) Gfx9 GFX940 GFX942 GFX940;
    Gfx942 "gfx942" [] 0x4c (9, 4, 2) Gfx9 GFX940 GFX942 GFX940;
    Gfx950 "gfx950" [] 0x4f (9, 5, 0) Gfx9 GFX950 GFX950 GFX940;
    Gfx1010 "gfx1010" [] 0x33 (10, 1, 0) Gfx10 GFX10_1 GFX10_1 GFX101;
    Gfx1011 "gfx1011" [] 0x34 (10, 1, 1) Gfx10 GFX10_1 GFX1011 GFX101;
    Gfx1012 "gfx1012" [] 0x35 (10, 1, 2) Gfx10 GFX10_1 GFX1011 GFX101;
    Gfx1013 "gfx1013" [] 0x42 (10, 1, 3) Gfx10 GFX10_1 GFX1013 GFX101;
    Gfx1030 "gfx1030" [] 0x36 (10, 3, 0) Gfx10 GFX10_3 GFX10_3 GFX10;
    Gfx1031 "gfx1031" [] 0x37 (10, 3, 1) Gfx10 GFX10_3 GFX10_3 GFX10;
    Gfx1032 "gfx1032" [] 0x38 (10, 3, 2) Gfx10 GFX10_3 GFX10_3 GFX10;
    Gfx1033 "gfx1033" [] 0x39 (10, 3, 3) Gfx10 GFX10_3 GFX10_3 GFX10;
    Gfx1034 "gfx1034" [] 0x3e (10, 3, 4) Gfx10 GFX10_3 GFX10_3 GFX10;
    Gfx1035 "gfx1035" [] 0x3d (10, 3, 5) Gfx10 GFX10_3 GFX10_3 GFX10;
    Gfx1036 "gfx1036" [] 0x45 (10, 3, 6) Gfx10 GFX10_3 GFX10_3 GFX10;
    Gfx1100 "gfx1100" [] 0x41 (11, 0, 0) Gfx11 GFX11 GFX11 GFX11_1_5X;
    Gfx1101 "gfx1101" [] 0x46 (11, 0, 1) Gfx11 GFX11 GFX1101 GFX11_1_5X;
    Gfx1102 "gfx1102" [] 0x47 (11, 0, 2) Gfx11 GFX11 GFX11 GFX11;
    Gfx1103 "gfx1103" [] 0x44 (11, 0, 3) Gfx11 GFX11 GFX1101 GFX11;
    Gfx1150 "gfx1150" [] 0x43 (11, 5, 0) Gfx11 GFX11 GFX11_5 GFX11;
    Gfx1151 "gfx1151" [] 0x4a (11, 5, 1) Gfx11 GFX11 GFX11_5 GFX11_1_5X;
    Gfx1152 "gfx1152" [] 0x55 (11, 5, 2) Gfx11 GFX11 GFX11_5 GFX11;
    Gfx1153 "gfx1153" [] 0x58 (11, 5, 3) Gfx11 GFX11 GFX1153 GFX11;
    Gfx1200 "gfx1200" [] 0x48 (12, 0, 0) Gfx12 GFX12 GFX12 GFX12;
    Gfx1201 "gfx1201" [] 0x4e (12, 0, 1) Gfx12 GFX12 GFX12 GFX12;
    Gfx1250 "gfx1250" [] 0x49 (12, 5, 0) Gfx1250 GFX1250 GFX1250 GFX125;
    Gfx1251 "gfx1251" [] 0x5a (12, 5, 1) Gfx1250 GFX1250 GFX1251 GFX125;
    Gfx9Generic "gfx9-generic" [] 0x51 (9, 0, 0) Gfx9 GFX9 GFX9 all(&[GFX9, P::GENERIC]);
    Gfx9_4Generic "gfx9-4-generic" [] 0x5f (9, 4, 0) Gfx9 GFX940 GFX940 all(&[GFX940, P::GENERIC]);
    Gfx10_1Generic "gfx10-1-generic" [] 0x52 (10, 1, 0) Gfx10 GFX10_1 GFX10_1 all(&[GFX101, P::GENERIC]);
    Gfx10_3Generic "gfx10-3-generic" [] 0x53 (10, 3, 0) Gfx10 GFX10_3 GFX10_3 all(&[GFX10, P::GENERIC]);
    Gfx11Generic "gfx11-generic" [] 0x54 (11, 0, 3) Gfx11 GFX11 GFX11_GENERIC all(&[GFX11, P::GENERIC]);
    Gfx12Generic "gfx12-generic" [] 0x59 (12, 0, 0) Gfx12 GFX12 GFX12 all(&[GFX12, P::GENERIC]);
    Gfx12_5Generic "gfx12-5-generic" [] 0x5b (12, 5, 0) Gfx1250 GFX1250 GFX1250 all(&[GFX125, P::GENERIC]);
}

impl Processor {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The canonical name, for example `gfx942`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Alternative names, for example `fiji` of gfx803; none of the later processors has any.
    pub fn aliases(self) -> &'static [&'static str] {
        self.row().aliases
    }

    /// The processor of a canonical or alternative name.
    pub fn by_name(name: &str) -> Option<Processor> {
        Processor::ALL.iter().copied().find(|p| p.name() == name || p.aliases().contains(&name))
    }

    /// The value of `EF_AMDGPU_MACH` in the ELF header's `e_flags`.
    pub fn mach(self) -> u8 {
        self.row().mach
    }

    /// The processor of an `EF_AMDGPU_MACH` value.
    pub fn by_mach(mach: u8) -> Option<Processor> {
        Processor::ALL.iter().copied().find(|p| p.mach() == mach)
    }

    /// Major, minor and stepping, as in `.amdgcn.gfx_generation_*`: (9, 0, 10) for gfx90a.
    pub fn isa_version(self) -> (u8, u8, u8) {
        self.row().version
    }

    /// The generation.
    pub fn generation(self) -> Generation {
        self.row().generation
    }

    /// What its line of processors has in common: numbers, vocabularies, methods.
    pub fn facts(self) -> &'static Facts {
        self.row().facts
    }

    /// What its instruction set has.
    pub fn inst_features(self) -> InstFeatures {
        self.row().insts
    }

    /// Whether its instruction set has a feature.
    pub fn has_inst(self, feature: InstFeature) -> bool {
        self.row().insts.contains(feature)
    }

    /// How FLAT_SCRATCH is set up.
    pub fn flat_scratch(self) -> FlatScratch {
        match self.properties() {
            p if p.contains(Property::ARCHITECTED_FLAT_SCRATCH) => FlatScratch::Architected,
            p if p.contains(Property::ABSOLUTE_FLAT_SCRATCH) => FlatScratch::Absolute,
            p if p.contains(Property::OFFSET_FLAT_SCRATCH) => FlatScratch::Offset,
            _ => FlatScratch::None,
        }
    }

    /// All properties.
    pub fn properties(self) -> Property {
        self.row().properties
    }

    /// Whether the processor has all of the given properties.
    pub fn has(self, property: Property) -> bool {
        self.row().properties.contains(property)
    }

    /// The wave size that LLVM compiles for unless told otherwise: 32 from gfx10 on, else 64.
    pub fn default_wave_size(self) -> WaveSize {
        if self.has(Property::WAVE32) { WaveSize::Wave32 } else { WaveSize::Wave64 }
    }

    /// Whether waves of this size can run.
    pub fn allows(self, size: WaveSize) -> bool {
        self.has(match size {
            WaveSize::Wave32 => Property::WAVE32,
            WaveSize::Wave64 => Property::WAVE64,
        })
    }

    /// The processors that a generic one stands for; empty for the others.
    pub fn stands_for(self) -> &'static [Processor] {
        use Processor::*;
        match self {
            Gfx9Generic => &[Gfx900, Gfx902, Gfx904, Gfx906, Gfx909, Gfx90c],
            Gfx9_4Generic => &[Gfx940, Gfx941, Gfx942, Gfx950],
            Gfx10_1Generic => &[Gfx1010, Gfx1011, Gfx1012, Gfx1013],
            Gfx10_3Generic => &[Gfx1030, Gfx1031, Gfx1032, Gfx1033, Gfx1034, Gfx1035, Gfx1036],
            Gfx11Generic => &[Gfx1100, Gfx1101, Gfx1102, Gfx1103, Gfx1150, Gfx1151, Gfx1152, Gfx1153],
            Gfx12Generic => &[Gfx1200, Gfx1201],
            Gfx12_5Generic => &[Gfx1250, Gfx1251],
            _ => &[],
        }
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no processor of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProcessor(pub String);

impl std::error::Error for UnknownProcessor {}

impl fmt::Display for UnknownProcessor {
    /// Says why a processor of the R600 architecture is refused, and what a misspelt name may mean.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.0;
        if let Some(r600) = R600::by_name(name) {
            return write!(
                f,
                "`{name}` ({}) has the R600 architecture, whose instructions and code objects are others than \
                 those of amdgcn; the oldest processor supported is gfx600",
                r600.family
            );
        }
        write!(f, "`{name}` is not a known AMD GPU processor")?;
        match nearest(name) {
            Some(near) => write!(f, "; is `{near}` meant?"),
            None => Ok(()),
        }
    }
}

/// The only processor whose name differs in one character: another, one more or one less.
fn nearest(name: &str) -> Option<Processor> {
    let mut near = Processor::ALL.iter().copied().filter(|processor| one_apart(name, processor.name()));
    near.next().filter(|_| near.next().is_none())
}

fn one_apart(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let same = long.bytes().zip(short.bytes()).take_while(|(x, y)| x == y).count();
    let (long, short) = (long.as_bytes(), short.as_bytes());
    match long.len() - short.len() {
        0 => same < long.len() && long[same + 1..] == short[same..][1..],
        1 => long[same + 1..] == short[same..],
        _ => false,
    }
}

impl FromStr for Processor {
    type Err = UnknownProcessor;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Processor::by_name(name).ok_or_else(|| UnknownProcessor(name.to_owned()))
    }
}
