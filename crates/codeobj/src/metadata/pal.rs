//! Metadata of `amdpal` code: pipelines, their shaders, hardware stages, functions and register settings.
//!
//! Follows "AMDPAL … Code Object Metadata" of LLVM's *User Guide for AMDGPU Backend* (version 2.6), plus the keys
//! that LLVM 22 writes beyond it. Nothing here runs such code, so the tree stays a tree: tables say what it may look
//! like, [`validate`] compares, [`to_yaml`] shows it with the registers' names.

use indexmap::IndexMap;

use super::rules::{Severity, Violation};
use super::schema::{Row, Shape};
use crate::value::Value;

const fn required(key: &'static str, shape: Shape) -> Row {
    Row { key, required: true, shape }
}

const fn optional(key: &'static str, shape: Shape) -> Row {
    Row { key, required: false, shape }
}

const U32: Shape = Shape::Uint(u32::MAX as u64);
const HARDWARE_STAGES: &[&str] = &[".ls", ".hs", ".es", ".gs", ".vs", ".ps", ".cs"];

const ROOT: &[Row] = &[
    required("amdpal.version", Shape::Ints(2)),
    required("amdpal.pipelines", Shape::Seq(&Shape::Record(PIPELINE))),
];

const PIPELINE: &[Row] = &[
    optional(".name", Shape::String),
    optional(".type", Shape::OneOf(&["VsPs", "Gs", "Cs", "Ngg", "Tess", "GsTess", "NggTess"])),
    required(".internal_pipeline_hash", Shape::Ints(2)),
    optional(".shaders", Shape::Record(SHADERS)),
    optional(".hardware_stages", Shape::Record(STAGES)),
    optional(".shader_functions", Shape::Names(&Shape::Record(FUNCTION))),
    required(".registers", Shape::Registers),
    optional(".user_data_limit", U32),
    optional(".spill_threshold", U32),
    optional(".uses_viewport_array_index", Shape::Bool),
    optional(".es_gs_lds_size", U32),
    optional(".nggSubgroupSize", U32),
    optional(".num_interpolants", U32),
    optional(".mesh_scratch_memory_size", U32),
    optional(".api", Shape::String),
    optional(".api_create_info", Shape::Binary),
];

const SHADERS: &[Row] = &[
    optional(".compute", Shape::Record(SHADER)),
    optional(".vertex", Shape::Record(SHADER)),
    optional(".hull", Shape::Record(SHADER)),
    optional(".domain", Shape::Record(SHADER)),
    optional(".geometry", Shape::Record(SHADER)),
    optional(".pixel", Shape::Record(SHADER)),
];

const SHADER: &[Row] = &[
    required(".api_shader_hash", Shape::Ints(2)),
    required(".hardware_mapping", Shape::Seq(&Shape::OneOf(HARDWARE_STAGES))),
];

const STAGES: &[Row] = &[
    optional(".ls", Shape::Record(STAGE)),
    optional(".hs", Shape::Record(STAGE)),
    optional(".es", Shape::Record(STAGE)),
    optional(".gs", Shape::Record(STAGE)),
    optional(".vs", Shape::Record(STAGE)),
    optional(".ps", Shape::Record(STAGE)),
    optional(".cs", Shape::Record(STAGE)),
];

const STAGE: &[Row] = &[
    optional(".entry_point", Shape::String),
    optional(".entry_point_symbol", Shape::String),
    optional(".scratch_memory_size", U32),
    optional(".lds_size", U32),
    optional(".perf_data_buffer_size", U32),
    optional(".vgpr_count", U32),
    optional(".agpr_count", U32),
    optional(".sgpr_count", U32),
    optional(".vgpr_limit", U32),
    optional(".sgpr_limit", U32),
    optional(".threadgroup_dimensions", Shape::Ints(3)),
    optional(".wavefront_size", U32),
    optional(".uses_uavs", Shape::Bool),
    optional(".uses_rovs", Shape::Bool),
    optional(".writes_uavs", Shape::Bool),
    optional(".writes_depth", Shape::Bool),
    optional(".uses_append_consume", Shape::Bool),
    optional(".uses_prim_id", Shape::Bool),
];

const FUNCTION: &[Row] = &[
    optional(".api_shader_hash", Shape::Ints(2)),
    optional(".scratch_memory_size", U32),
    optional(".lds_size", U32),
    optional(".vgpr_count", U32),
    optional(".sgpr_count", U32),
    optional(".stack_frame_size_in_bytes", U32),
    optional(".backend_stack_size", U32),
    optional(".shader_subtype", Shape::OneOf(&["Unknown"])),
];

/// Whether a tree is metadata of `amdpal` code.
pub fn is_pal(value: &Value) -> bool {
    matches!(value, Value::Map(map) if map.keys().any(|key| key.starts_with("amdpal.")))
}

/// Every violation in it.
pub fn validate(value: &Value) -> Vec<Violation> {
    let mut errors = Vec::new();
    Shape::Record(ROOT).check(value, &mut errors);
    errors.into_iter().map(|error| Violation { severity: Severity::Error, error }).collect()
}

/// The tree as YAML, registers by number and name, their values in hexadecimal.
pub fn to_yaml(value: &Value) -> String {
    named(value).to_yaml()
}

fn named(value: &Value) -> Value {
    match value {
        Value::Seq(items) => Value::Seq(items.iter().map(named).collect()),
        Value::Map(map) => Value::Map(map.iter().map(|(key, value)| (key.clone(), named(value))).collect()),
        Value::IntMap(map) => {
            let mut sorted: Vec<_> = map.iter().collect();
            sorted.sort_by_key(|(register, _)| **register);
            let entry =
                |(&register, value): (&u64, &Value)| (register_text(register), setting(register, value));
            Value::Map(sorted.into_iter().map(entry).collect::<IndexMap<_, _>>())
        }
        other => other.clone(),
    }
}

fn register_text(register: u64) -> String {
    match register_name(register) {
        Some(name) => format!("{register:#06x} ({name})"),
        None => format!("{register:#06x}"),
    }
}

fn setting(register: u64, value: &Value) -> Value {
    match value {
        Value::Uint(value) => {
            let meaning = user_data_register(register).and_then(|_| user_data(*value));
            let meaning = meaning.map_or_else(String::new, |meaning| format!(" ({meaning})"));
            Value::String(format!("{value:#x}{meaning}"))
        }
        other => named(other),
    }
}

/// A bank of registers that `amdpal` code sets: the number of the first, how many, the name. Registers of a bank
/// of several are numbered.
const REGISTERS: &[(u64, u64, &str)] = &[
    (0x2c07, 1, "SPI_SHADER_PGM_RSRC3_PS"),
    (0x2c0a, 1, "SPI_SHADER_PGM_RSRC1_PS"),
    (0x2c0b, 1, "SPI_SHADER_PGM_RSRC2_PS"),
    (0x2c0c, 32, "SPI_SHADER_USER_DATA_PS"),
    (0x2c46, 1, "SPI_SHADER_PGM_RSRC3_VS"),
    (0x2c4a, 1, "SPI_SHADER_PGM_RSRC1_VS"),
    (0x2c4b, 1, "SPI_SHADER_PGM_RSRC2_VS"),
    (0x2c4c, 32, "SPI_SHADER_USER_DATA_VS"),
    (0x2c87, 1, "SPI_SHADER_PGM_RSRC3_GS"),
    (0x2c8a, 1, "SPI_SHADER_PGM_RSRC1_GS"),
    (0x2c8b, 1, "SPI_SHADER_PGM_RSRC2_GS"),
    (0x2c8c, 32, "SPI_SHADER_USER_DATA_GS"),
    (0x2cca, 1, "SPI_SHADER_PGM_RSRC1_ES"),
    (0x2ccb, 1, "SPI_SHADER_PGM_RSRC2_ES"),
    (0x2ccc, 32, "SPI_SHADER_USER_DATA_ES"),
    (0x2d07, 1, "SPI_SHADER_PGM_RSRC3_HS"),
    (0x2d0a, 1, "SPI_SHADER_PGM_RSRC1_HS"),
    (0x2d0b, 1, "SPI_SHADER_PGM_RSRC2_HS"),
    (0x2d0c, 32, "SPI_SHADER_USER_DATA_HS"),
    (0x2d4a, 1, "SPI_SHADER_PGM_RSRC1_LS"),
    (0x2d4b, 1, "SPI_SHADER_PGM_RSRC2_LS"),
    (0x2d4c, 16, "SPI_SHADER_USER_DATA_LS"),
    (0x2e00, 1, "COMPUTE_DISPATCH_INITIATOR"),
    (0x2e07, 1, "COMPUTE_NUM_THREAD_X"),
    (0x2e08, 1, "COMPUTE_NUM_THREAD_Y"),
    (0x2e09, 1, "COMPUTE_NUM_THREAD_Z"),
    (0x2e12, 1, "COMPUTE_PGM_RSRC1"),
    (0x2e13, 1, "COMPUTE_PGM_RSRC2"),
    (0x2e18, 1, "COMPUTE_TMPRING_SIZE"),
    (0x2e28, 1, "COMPUTE_PGM_RSRC3"),
    (0x2e40, 16, "COMPUTE_USER_DATA"),
    (0xa1b3, 1, "SPI_PS_INPUT_ENA"),
    (0xa1b4, 1, "SPI_PS_INPUT_ADDR"),
    (0xa1b6, 1, "SPI_PS_IN_CONTROL"),
    (0xa1b8, 1, "SPI_BARYC_CNTL"),
    (0xa1ba, 1, "SPI_TMPRING_SIZE"),
];

/// The name of a register, if it is among those that LLVM itself writes or that carry user data.
pub fn register_name(register: u64) -> Option<String> {
    let &(first, count, name) =
        REGISTERS.iter().find(|&&(first, count, _)| (first..first + count).contains(&register))?;
    Some(if count == 1 { name.to_owned() } else { format!("{name}_{}", register - first) })
}

/// Which user data register of its stage a register is.
fn user_data_register(register: u64) -> Option<u64> {
    let &(first, ..) = REGISTERS
        .iter()
        .find(|&&(first, count, _)| count > 1 && (first..first + count).contains(&register))?;
    Some(register - first)
}

/// What a user data register holds, by "AMDPAL User Data Mapping".
pub fn user_data(value: u64) -> Option<String> {
    let name = match value {
        0..128 => return Some(format!("user data entry {value}")),
        0x1000_0000 => "GlobalTable",
        0x1000_0001 => "PerShaderTable",
        0x1000_0002 => "SpillTable",
        0x1000_0003 => "BaseVertex",
        0x1000_0004 => "BaseInstance",
        0x1000_0005 => "DrawIndex",
        0x1000_0006 => "Workgroup",
        0x1000_000a => "EsGsLdsSize",
        0x1000_000b => "ViewId",
        0x1000_000c => "StreamOutTable",
        0x1000_000d => "PerShaderPerfData",
        0x1000_000f => "VertexBufferTable",
        0x1000_0010 => "UavExportTable",
        0x1000_0011 => "NggCullingData",
        0x1000_0015 => "FetchShaderPtr",
        _ => return None,
    };
    Some(name.to_owned())
}
