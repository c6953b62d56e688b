//! The metadata of a code object: its kernels, their arguments and what they need.
//!
//! Follows "Code Object V3 Metadata" to "V5 Metadata" of LLVM's *User Guide for AMDGPU Backend*, plus
//! `.cluster_dims` of gfx1250. Each record is one table: a field's key, its type and whether it must be there
//! are said once; reading, writing and validating ([`validate`]) go by it. Keys that are not in the tables are
//! kept. Metadata of code object V2 are translated by [`v2`]; those of `amdpal` code have tables of their own,
//! [`pal`].

use std::fmt;

use indexmap::IndexMap;
use wavemark_target::{AbiVersion, AddressSpace};

use self::record::{FieldType, mismatch, names, record};
use self::schema::{Row, Shape};
use crate::value::{Value, YamlError};

pub mod pal;
mod record;
mod rules;
pub mod schema;
pub mod v2;

pub use rules::{Severity, Violation, validate};

/// What is wrong with metadata: where in the tree, and what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {what}")]
pub struct MetadataError {
    /// The keys and indices that lead there: `amdhsa.kernels[0].args[2].size`.
    pub path: String,
    /// What was expected or is missing.
    pub what: String,
}

impl MetadataError {
    pub(crate) fn new(what: impl Into<String>) -> MetadataError {
        MetadataError { path: String::new(), what: what.into() }
    }

    /// Puts a key or an index in front of the path.
    pub(crate) fn under(mut self, step: &str) -> MetadataError {
        let joint = if self.path.is_empty() || self.path.starts_with(['.', '[']) { "" } else { "." };
        self.path = format!("{step}{joint}{}", self.path);
        self
    }
}

names! {
    /// How the runtime fills an argument.
    ValueKind {
        /// The value itself:
        ByValue "by_value",
        /// A pointer to a buffer in global memory:
        GlobalBuffer "global_buffer",
        /// An LDS address of dynamically allocated memory:
        DynamicSharedPointer "dynamic_shared_pointer",
        /// A pointer to a sampler descriptor:
        Sampler "sampler",
        /// A pointer to an image descriptor:
        Image "image",
        /// A pointer to an OpenCL pipe:
        Pipe "pipe",
        /// A pointer to an OpenCL queue:
        Queue "queue",
        /// OpenCL's global offset, 64 bits:
        HiddenGlobalOffsetX "hidden_global_offset_x",
        /// Likewise:
        HiddenGlobalOffsetY "hidden_global_offset_y",
        /// Likewise:
        HiddenGlobalOffsetZ "hidden_global_offset_z",
        /// Space that need not be filled:
        HiddenNone "hidden_none",
        /// A pointer to the printf buffer:
        HiddenPrintfBuffer "hidden_printf_buffer",
        /// A pointer to the hostcall buffer:
        HiddenHostcallBuffer "hidden_hostcall_buffer",
        /// A pointer to the default OpenCL queue:
        HiddenDefaultQueue "hidden_default_queue",
        /// A pointer for device-side enqueueing:
        HiddenCompletionAction "hidden_completion_action",
        /// A pointer for synchronising several grids:
        HiddenMultigridSyncArg "hidden_multigrid_sync_arg",
        /// Whole workgroups of the grid, 32 bits:
        HiddenBlockCountX "hidden_block_count_x",
        /// Likewise:
        HiddenBlockCountY "hidden_block_count_y",
        /// Likewise:
        HiddenBlockCountZ "hidden_block_count_z",
        /// Work-items of a workgroup, 16 bits:
        HiddenGroupSizeX "hidden_group_size_x",
        /// Likewise:
        HiddenGroupSizeY "hidden_group_size_y",
        /// Likewise:
        HiddenGroupSizeZ "hidden_group_size_z",
        /// Work-items of a last, partial workgroup, 16 bits:
        HiddenRemainderX "hidden_remainder_x",
        /// Likewise:
        HiddenRemainderY "hidden_remainder_y",
        /// Likewise:
        HiddenRemainderZ "hidden_remainder_z",
        /// Dimensions of the grid, 16 bits:
        HiddenGridDims "hidden_grid_dims",
        /// A pointer to the device heap:
        HiddenHeapV1 "hidden_heap_v1",
        /// Bytes of dynamic LDS, 32 bits:
        HiddenDynamicLdsSize "hidden_dynamic_lds_size",
        /// The high half of the private aperture's base (gfx8):
        HiddenPrivateBase "hidden_private_base",
        /// The high half of the shared aperture's base (gfx8):
        HiddenSharedBase "hidden_shared_base",
        /// A pointer to the queue:
        HiddenQueuePtr "hidden_queue_ptr",
    }
}

impl ValueKind {
    /// Whether the compiler added the argument for itself.
    pub fn is_hidden(&self) -> bool {
        self.name().starts_with("hidden_")
    }
}

names! {
    /// How a kernel uses what an argument points to.
    Access {
        /// Reads:
        ReadOnly "read_only",
        /// Writes:
        WriteOnly "write_only",
        /// Both:
        ReadWrite "read_write",
    }
}

names! {
    /// When a kernel runs.
    KernelKind {
        /// When dispatched:
        Normal "normal",
        /// After the code object is loaded:
        Init "init",
        /// Before it is unloaded:
        Fini "fini",
    }
}

record! {
    /// The metadata of a code object.
    Metadata {
        /// Major and minor version: (1, 0) with code object V3, (1, 1) with V4, (1, 2) with V5 and V6.
        "amdhsa.version" version: required [u32; 2],
        /// The target, in one of the spellings of [`wavemark_target::Target`]; from V4 on.
        "amdhsa.target" target: optional String,
        /// The format strings of printf calls, `ID:N:S[0]:…:S[N-1]:FORMAT`.
        "amdhsa.printf" printf: list String,
        /// The kernels.
        "amdhsa.kernels" kernels: required_list KernelMetadata,
    }
}

record! {
    /// The metadata of a kernel.
    KernelMetadata {
        /// The name in the source.
        ".name" name: required String,
        /// The symbol of the kernel descriptor: the name and `.kd`.
        ".symbol" symbol: required String,
        /// The source language.
        ".language" language: optional String,
        /// Its version, major and minor.
        ".language_version" language_version: optional [u32; 2],
        /// The arguments in order, hidden ones last.
        ".args" args: list KernelArg,
        /// The workgroup size that a dispatch must have, or 0, 0, 0.
        ".reqd_workgroup_size" reqd_workgroup_size: optional [u32; 3],
        /// The workgroup size that a dispatch probably has.
        ".workgroup_size_hint" workgroup_size_hint: optional [u32; 3],
        /// OpenCL's vector type hint.
        ".vec_type_hint" vec_type_hint: optional String,
        /// The symbol for device-side enqueueing.
        ".device_enqueue_symbol" device_enqueue_symbol: optional String,
        /// Workgroups per cluster and dimension (gfx1250): 0, 0, 0 for none, 1024, 1024, 1024 for any.
        ".cluster_dims" cluster_dims: optional [u32; 3],
        /// Bytes of the kernel arguments.
        ".kernarg_segment_size" kernarg_segment_size: required u32,
        /// Bytes of LDS, dynamic LDS not counted.
        ".group_segment_fixed_size" group_segment_fixed_size: required u32,
        /// Bytes of scratch per work-item.
        ".private_segment_fixed_size" private_segment_fixed_size: required u32,
        /// Alignment of the kernel arguments in bytes.
        ".kernarg_segment_align" kernarg_segment_align: required u32,
        /// Lanes of a wave.
        ".wavefront_size" wavefront_size: required u32,
        /// SGPRs, special ones included.
        ".sgpr_count" sgpr_count: required u32,
        /// VGPRs; with a unified file, AGPRs included.
        ".vgpr_count" vgpr_count: required u32,
        /// AGPRs.
        ".agpr_count" agpr_count: optional u32,
        /// Work-items that a workgroup may have at most.
        ".max_flat_workgroup_size" max_flat_workgroup_size: required u32,
        /// Spilled SGPRs.
        ".sgpr_spill_count" sgpr_spill_count: optional u32,
        /// Spilled VGPRs.
        ".vgpr_spill_count" vgpr_spill_count: optional u32,
        /// When the kernel runs; left out: [`KernelKind::Normal`].
        ".kind" kind: optional KernelKind,
        /// Workgroups of a grid at most, X.
        ".max_num_work_groups_x" max_num_work_groups_x: optional u32,
        /// Likewise, Y.
        ".max_num_work_groups_y" max_num_work_groups_y: optional u32,
        /// Likewise, Z.
        ".max_num_work_groups_z" max_num_work_groups_z: optional u32,
        /// Whether the stack's size is not known in advance.
        ".uses_dynamic_stack" uses_dynamic_stack: optional bool,
        /// 1 if the grid must be a multiple of the workgroup.
        ".uniform_work_group_size" uniform_work_group_size: flag u32,
        /// 1 for WGP mode, 0 for CU mode (gfx10 to gfx12).
        ".workgroup_processor_mode" workgroup_processor_mode: flag u32,
    }
}

record! {
    /// The metadata of a kernel argument.
    KernelArg {
        /// The name in the source.
        ".name" name: optional String,
        /// The type's name in the source.
        ".type_name" type_name: optional String,
        /// Bytes.
        ".size" size: required u32,
        /// Byte offset into the kernel arguments.
        ".offset" offset: required u32,
        /// How it is filled.
        ".value_kind" value_kind: required ValueKind,
        /// Deprecated, kept.
        ".value_type" value_type: optional String,
        /// Alignment of what a [`ValueKind::DynamicSharedPointer`] points to, in bytes.
        ".pointee_align" pointee_align: optional u32,
        /// The address space of a pointer.
        ".address_space" address_space: optional AddressSpace,
        /// How an image or pipe is qualified.
        ".access" access: optional Access,
        /// How the kernel really uses it.
        ".actual_access" actual_access: optional Access,
        /// `const`.
        ".is_const" is_const: optional bool,
        /// `restrict`.
        ".is_restrict" is_restrict: optional bool,
        /// `volatile`.
        ".is_volatile" is_volatile: optional bool,
        /// `pipe`.
        ".is_pipe" is_pipe: optional bool,
    }
}

impl KernelMetadata {
    /// A kernel of this name with nothing else said: no arguments, no memory, no registers, waves of 64 lanes and
    /// workgroups of up to 1024 work-items.
    pub fn new(name: &str) -> KernelMetadata {
        KernelMetadata {
            name: name.to_owned(),
            symbol: format!("{name}.kd"),
            language: None,
            language_version: None,
            args: Vec::new(),
            reqd_workgroup_size: None,
            workgroup_size_hint: None,
            vec_type_hint: None,
            device_enqueue_symbol: None,
            cluster_dims: None,
            kernarg_segment_size: 0,
            group_segment_fixed_size: 0,
            private_segment_fixed_size: 0,
            kernarg_segment_align: 8,
            wavefront_size: 64,
            sgpr_count: 0,
            vgpr_count: 0,
            agpr_count: None,
            max_flat_workgroup_size: 1024,
            sgpr_spill_count: None,
            vgpr_spill_count: None,
            kind: None,
            max_num_work_groups_x: None,
            max_num_work_groups_y: None,
            max_num_work_groups_z: None,
            uses_dynamic_stack: None,
            uniform_work_group_size: None,
            workgroup_processor_mode: None,
            other: IndexMap::new(),
        }
    }
}

impl KernelArg {
    /// An argument of which only the required fields are said.
    pub fn new(offset: u32, size: u32, value_kind: ValueKind) -> KernelArg {
        KernelArg {
            name: None,
            type_name: None,
            size,
            offset,
            value_kind,
            value_type: None,
            pointee_align: None,
            address_space: None,
            access: None,
            actual_access: None,
            is_const: None,
            is_restrict: None,
            is_volatile: None,
            is_pipe: None,
            other: IndexMap::new(),
        }
    }
}

impl Metadata {
    /// Metadata without kernels, of the version that goes with a code object version.
    pub fn new(abi: AbiVersion) -> Metadata {
        Metadata {
            version: Metadata::version_of(abi),
            target: None,
            printf: Vec::new(),
            kernels: Vec::new(),
            other: IndexMap::new(),
        }
    }

    /// The version that goes with a code object version.
    pub fn version_of(abi: AbiVersion) -> [u32; 2] {
        match abi {
            AbiVersion::V2 | AbiVersion::V3 => [1, 0],
            AbiVersion::V4 => [1, 1],
            AbiVersion::V5 | AbiVersion::V6 => [1, 2],
        }
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&KernelMetadata> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// Types a tree.
    pub fn from_value(value: Value) -> Result<Metadata, MetadataError> {
        Metadata::read(value)
    }

    /// The tree; `amdhsa.kernels` is there even if there are none.
    pub fn to_value(&self) -> Value {
        self.write()
    }

    /// Reads MessagePack, as in a note. The error says at which byte of the input, and what is wrong;
    /// if the tree is good and its contents are not, the byte is 0.
    pub fn from_message_pack(bytes: &[u8]) -> Result<Metadata, (usize, String)> {
        Metadata::from_value(Value::from_message_pack(bytes)?).map_err(|e| (0, e.to_string()))
    }

    /// MessagePack, as LLVM writes it.
    pub fn to_message_pack(&self) -> Vec<u8> {
        self.to_value().to_message_pack()
    }

    /// Reads YAML, as between `.amdgpu_metadata` and `.end_amdgpu_metadata`. The error has line and column from
    /// 1; if the YAML is good and its contents are not, they are 1.
    pub fn from_yaml(text: &str) -> Result<Metadata, YamlError> {
        Metadata::from_value(Value::from_yaml(text)?).map_err(|e| YamlError {
            line: 1,
            column: 1,
            message: e.to_string(),
        })
    }

    /// YAML, as `.amdgpu_metadata` takes it, without the lines `---` and `...`.
    pub fn to_yaml(&self) -> String {
        self.to_value().to_yaml()
    }
}
