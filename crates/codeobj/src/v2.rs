//! What code object V2 has of its own: the target in a note, and kernels that begin with an `amd_kernel_code_t`.
//!
//! Follows "Code Object V2 Note Records" of LLVM's *User Guide for AMDGPU Backend* and, for the 256 bytes of
//! `amd_kernel_code_t`, `AMDKernelCodeT.h` of LLVM. V2 is read, shown and loaded; nobody writes it any more, but
//! code for other systems than `amdhsa` may still begin with that structure.

use wavemark_target::{AbiVersion, EFlags, Processor, Setting, TargetId};

use crate::bytes::Bytes;
use crate::descriptor::{self, KernelDescriptor};
use crate::error::{Error, ErrorKind};
use crate::note::{AMD, NT_AMD_HSA_HSAIL, NT_AMD_HSA_ISA_VERSION, Note};

/// Bytes of an `amd_kernel_code_t`, with which a V2 kernel begins.
pub const KERNEL_CODE_SIZE: usize = 256;
/// `EF_AMDGPU_FEATURE_XNACK_V2` of `e_flags`, which only the Finalizer sets.
const XNACK_V2: u32 = 1;

/// The note `NT_AMD_HSA_ISA_VERSION`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsaVersion {
    /// `AMD`.
    pub vendor: String,
    /// `AMDGPU`.
    pub architecture: String,
    /// Major, minor and stepping.
    pub version: [u32; 3],
}

impl IsaVersion {
    /// Reads the contents of the note.
    pub fn parse(note: &Note) -> Result<IsaVersion, Error> {
        let what = "the note NT_AMD_HSA_ISA_VERSION";
        let bytes = Bytes::at_offset(&note.description, note.offset);
        let (vendor_size, architecture_size) = (bytes.u16(0, what)?, bytes.u16(2, what)?);
        let version = [bytes.u32(4, what)?, bytes.u32(8, what)?, bytes.u32(12, what)?];
        let text = |at: u64, size: u16| {
            let part = bytes.part(at, u64::from(size), what)?.data();
            let part = part.split(|&b| b == 0).next().unwrap_or_default();
            Ok(String::from_utf8_lossy(part).into_owned())
        };
        let vendor = text(16, vendor_size)?;
        let architecture = text(16 + u64::from(vendor_size), architecture_size)?;
        Ok(IsaVersion { vendor, architecture, version })
    }

    /// The name as the guide's table has it: `AMD:AMDGPU:9:0:0`.
    pub fn name(&self) -> String {
        let [major, minor, stepping] = self.version;
        format!("{}:{}:{major}:{minor}:{stepping}", self.vendor, self.architecture)
    }

    /// The target that LLVM means by it.
    pub fn target(&self) -> Option<TargetId> {
        if (self.vendor.as_str(), self.architecture.as_str()) != ("AMD", "AMDGPU") {
            return None;
        }
        let row = TARGETS.iter().find(|(version, _)| *version == self.version);
        row.and_then(|(_, id)| id.parse().ok())
    }
}

/// "Code Object V2 Supported Processors and Fixed Target Feature Settings".
const TARGETS: &[([u32; 3], &str)] = &[
    ([6, 0, 0], "gfx600"),
    ([6, 0, 1], "gfx601"),
    ([6, 0, 2], "gfx602"),
    ([7, 0, 0], "gfx700"),
    ([7, 0, 1], "gfx701"),
    ([7, 0, 2], "gfx702"),
    ([7, 0, 3], "gfx703"),
    ([7, 0, 4], "gfx704"),
    ([7, 0, 5], "gfx705"),
    ([8, 0, 0], "gfx802"),
    ([8, 0, 1], "gfx801:xnack+"),
    ([8, 0, 2], "gfx802"),
    ([8, 0, 3], "gfx803"),
    ([8, 0, 4], "gfx803"),
    ([8, 0, 5], "gfx805"),
    ([8, 1, 0], "gfx810:xnack+"),
    ([9, 0, 0], "gfx900:xnack-"),
    ([9, 0, 1], "gfx900:xnack+"),
    ([9, 0, 2], "gfx902:xnack-"),
    ([9, 0, 3], "gfx902:xnack+"),
    ([9, 0, 4], "gfx904:xnack-"),
    ([9, 0, 5], "gfx904:xnack+"),
    ([9, 0, 6], "gfx906:sramecc-:xnack-"),
    ([9, 0, 7], "gfx906:sramecc-:xnack+"),
    ([9, 0, 12], "gfx90c:xnack-"),
];

/// The target of a V2 code object: what its note says, with XNACK from `e_flags` if the Finalizer made it. Without
/// the note, `e_flags` as LLVM wrote it in its time.
pub(crate) fn target(word: u32, notes: &[Note]) -> Result<EFlags, Error> {
    let find = |kind| notes.iter().find(|note| note.name == AMD && note.kind == kind);
    let Some(note) = find(NT_AMD_HSA_ISA_VERSION) else {
        return EFlags::decode(word, AbiVersion::V3)
            .map_err(|e| Error { offset: 48, kind: ErrorKind::EFlags(e) });
    };
    let isa = IsaVersion::parse(note)?;
    let mut id = isa
        .target()
        .ok_or_else(|| Error::expected(note.offset, "an ISA version that code object V2 has", isa.name()))?;
    if find(NT_AMD_HSA_HSAIL).is_some() && id.xnack != Setting::Unsupported {
        id.xnack = if word & XNACK_V2 != 0 { Setting::On } else { Setting::Off };
    }
    Ok(EFlags { id, generic_version: 0 })
}

/// A kernel of code object V2.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The symbol's name.
    pub name: String,
    /// Where it is: index of the section.
    pub section: usize,
    /// Byte offset into that section.
    pub offset: u64,
    /// Virtual address in a linked file, 0 in a relocatable one.
    pub address: u64,
    /// What it begins with.
    pub code: KernelCode,
}

/// An `amd_kernel_code_t`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelCode(Box<[u8; KERNEL_CODE_SIZE]>);

/// A field of the structure: name, byte offset, bytes.
const FIELDS: &[(&str, usize, usize)] = &[
    ("amd_code_version_major", 0, 4),
    ("amd_code_version_minor", 4, 4),
    ("amd_machine_kind", 8, 2),
    ("amd_machine_version_major", 10, 2),
    ("amd_machine_version_minor", 12, 2),
    ("amd_machine_version_stepping", 14, 2),
    ("kernel_code_entry_byte_offset", 16, 8),
    ("kernel_code_prefetch_byte_offset", 24, 8),
    ("kernel_code_prefetch_byte_size", 32, 8),
    ("max_scratch_backing_memory_byte_size", 40, 8),
    ("compute_pgm_rsrc1", 48, 4),
    ("compute_pgm_rsrc2", 52, 4),
    ("code_properties", 56, 4),
    ("workitem_private_segment_byte_size", 60, 4),
    ("workgroup_group_segment_byte_size", 64, 4),
    ("gds_segment_byte_size", 68, 4),
    ("kernarg_segment_byte_size", 72, 8),
    ("workgroup_fbarrier_count", 80, 4),
    ("wavefront_sgpr_count", 84, 2),
    ("workitem_vgpr_count", 86, 2),
    ("reserved_vgpr_first", 88, 2),
    ("reserved_vgpr_count", 90, 2),
    ("reserved_sgpr_first", 92, 2),
    ("reserved_sgpr_count", 94, 2),
    ("debug_wavefront_private_segment_offset_sgpr", 96, 2),
    ("debug_private_segment_buffer_sgpr", 98, 2),
    ("kernarg_segment_alignment", 100, 1),
    ("group_segment_alignment", 101, 1),
    ("private_segment_alignment", 102, 1),
    ("wavefront_size", 103, 1),
    ("call_convention", 104, 4),
    ("runtime_loader_kernel_symbol", 120, 8),
];

/// A bit field of `code_properties`: name, first bit, bits.
const PROPERTIES: &[(&str, u32, u32)] = &[
    ("enable_sgpr_private_segment_buffer", 0, 1),
    ("enable_sgpr_dispatch_ptr", 1, 1),
    ("enable_sgpr_queue_ptr", 2, 1),
    ("enable_sgpr_kernarg_segment_ptr", 3, 1),
    ("enable_sgpr_dispatch_id", 4, 1),
    ("enable_sgpr_flat_scratch_init", 5, 1),
    ("enable_sgpr_private_segment_size", 6, 1),
    ("enable_sgpr_grid_workgroup_count_x", 7, 1),
    ("enable_sgpr_grid_workgroup_count_y", 8, 1),
    ("enable_sgpr_grid_workgroup_count_z", 9, 1),
    ("enable_wavefront_size32", 10, 1),
    ("enable_ordered_append_gds", 16, 1),
    ("private_element_size", 17, 2),
    ("is_ptr64", 19, 1),
    ("is_dynamic_callstack", 20, 1),
    ("is_debug_enabled", 21, 1),
    ("is_xnack_enabled", 22, 1),
];

/// Where a field is: its first byte and how many there are, its first bit therein and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first byte.
    pub at: usize,
    /// Bytes.
    pub bytes: usize,
    /// The first bit.
    pub shift: u32,
    /// Bits.
    pub width: u32,
}

/// The place of a field or of a bit field of `code_properties`; `None` if there is none of that name.
pub fn place(name: &str) -> Option<Place> {
    let field = |name: &str| FIELDS.iter().find(|(field, ..)| *field == name);
    if let Some(&(_, at, bytes)) = field(name) {
        return Some(Place { at, bytes, shift: 0, width: bytes as u32 * 8 });
    }
    let &(_, shift, width) = PROPERTIES.iter().find(|(property, ..)| *property == name)?;
    let &(_, at, bytes) = field("code_properties")?;
    Some(Place { at, bytes, shift, width })
}

impl KernelCode {
    /// The structure in these bytes.
    pub fn new(bytes: &[u8; KERNEL_CODE_SIZE]) -> KernelCode {
        KernelCode(Box::new(*bytes))
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8; KERNEL_CODE_SIZE] {
        &self.0
    }

    /// A field by its name, zero-extended; `None` if there is no such field.
    pub fn get(&self, name: &str) -> Option<u64> {
        let &(_, at, size) = FIELDS.iter().find(|(field, ..)| *field == name)?;
        Some(self.0[at..at + size].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn field(&self, name: &str) -> u64 {
        self.get(name).unwrap_or_else(|| unreachable!("`{name}` is in the table"))
    }

    /// Every field with its value, in their order.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, u64)> {
        FIELDS.iter().map(|&(name, ..)| (name, self.field(name)))
    }

    /// Every bit field of `code_properties` with its value.
    pub fn properties(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let word = self.field("code_properties");
        PROPERTIES.iter().map(move |&(name, shift, width)| (name, word >> shift & ((1 << width) - 1)))
    }

    /// The bits of `code_properties` that are in no field.
    pub fn unknown_properties(&self) -> u32 {
        let known =
            PROPERTIES.iter().fold(0, |mask, &(_, shift, width)| mask | ((1u32 << width) - 1) << shift);
        self.field("code_properties") as u32 & !known
    }

    /// Distance from the structure to the first instruction.
    pub fn entry_byte_offset(&self) -> i64 {
        self.field("kernel_code_entry_byte_offset") as i64
    }

    /// What a kernel descriptor of today would say instead.
    pub fn descriptor(&self, processor: Processor) -> KernelDescriptor {
        let mut bytes = [0; descriptor::SIZE];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &self.0[64..68]);
        put(4, &self.0[60..64]);
        put(8, &self.0[72..76]);
        put(16, &self.0[16..24]);
        put(48, &self.0[48..56]);
        let properties = self.field("code_properties");
        // The low seven enables and the wave size are where they were; the dynamic stack has moved.
        let moved = (properties & 0x47f) as u16 | ((properties >> 20 & 1) as u16) << 11;
        put(56, &moved.to_le_bytes());
        KernelDescriptor::decode(&bytes, processor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_overlap_and_processors_are_known() {
        let mut end = 0;
        for &(name, at, size) in FIELDS {
            assert!(at >= end && at + size <= KERNEL_CODE_SIZE, "{name}");
            end = at + size;
        }
        let mut end = 0;
        for &(name, shift, width) in PROPERTIES {
            assert!(shift >= end, "{name}");
            end = shift + width;
        }
        for (version, id) in TARGETS {
            assert!(id.parse::<TargetId>().is_ok(), "{version:?} {id}");
        }
    }
}
