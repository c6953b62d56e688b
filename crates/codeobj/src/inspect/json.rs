//! Everything that [`super::inspect`] says, as JSON: the same names, keys that stay.
//!
//! Sizes, counts, alignments and the fields of descriptors are numbers. What the text shows in hexadecimal (addresses,
//! file offsets, values, addends, words of bits) is a string that starts with `0x`, as 64 bits do not fit a number of
//! every reader. What a file does not have is an empty list or `null`, never a key that is missing. Metadata are the
//! tree of the note; bytes in it are a string of hexadecimal digits.

use serde_json::{Map, Value as Json, json};

use super::{names, notes};
use crate::bundle::Bundle;
use crate::core_file::{CoreFile, Entry, processor_of};
use crate::elf::{OsAbi, Segment, Symbol};
use crate::metadata::Severity;
use crate::note::Note;
use crate::read::{CodeObject, Kernel, RelocationTable};
use crate::v2;
use crate::value::Value;

fn hex(value: u64) -> Json {
    Json::String(format!("{value:#x}"))
}

fn signed(value: i64) -> Json {
    let sign = if value < 0 { "-" } else { "" };
    Json::String(format!("{sign}{:#x}", value.unsigned_abs()))
}

/// The object for a code object.
pub fn inspect_json(object: &CodeObject) -> Json {
    let version = (object.os == OsAbi::Hsa).then(|| object.abi.code_object_version());
    json!({
        "kind": "code-object",
        "size": object.bytes().len(),
        "file_type": if object.is_relocatable() { "relocatable" } else { "shared" },
        "os": object.os.name(),
        "code_object_version": version,
        "target": object.target().to_string(),
        "e_flags": hex(object.header.flags.into()),
        "generic_version": object.flags.generic_version,
        "segments": object.segments.iter().map(|it| {
            let mut fields = segment(it);
            fields["align"] = it.align.into();
            fields
        }).collect::<Vec<_>>(),
        "sections": object.sections.iter().enumerate().map(|(index, section)| json!({
            "index": index,
            "name": section.name,
            "type": names::section_kind(section),
            "address": hex(section.address),
            "offset": hex(section.offset),
            "size": section.size,
            "flags": names::section_flags(section),
            "align": section.align,
        })).collect::<Vec<_>>(),
        "symbols": symbols(object, &object.symbols),
        "dynamic_symbols": symbols(object, &object.dynamic_symbols),
        "relocations": object.relocations.iter().map(|table| relocations(object, table)).collect::<Vec<_>>(),
        "notes": object.notes.iter().map(note).collect::<Vec<_>>(),
        "metadata": object.metadata_tree.as_ref().map(tree),
        "violations": object.violations.iter().map(|violation| json!({
            "severity": match violation.severity { Severity::Error => "error", Severity::Warning => "warning" },
            "message": violation.error.to_string(),
        })).collect::<Vec<_>>(),
        "kernels": object.kernels.iter().map(kernel).collect::<Vec<_>>(),
        "v2_kernels": object.v2_kernels.iter().map(v2_kernel).collect::<Vec<_>>(),
    })
}

/// The null symbol is left out.
fn symbols(object: &CodeObject, symbols: &[Symbol]) -> Vec<Json> {
    let symbol = |symbol: &Symbol| {
        json!({
            "name": symbol.name,
            "value": hex(symbol.value),
            "size": symbol.size,
            "type": names::symbol_kind(symbol.kind),
            "binding": names::binding(symbol.binding),
            "visibility": names::visibility(symbol.visibility),
            "section": names::place(object, symbol.place),
        })
    };
    symbols.iter().skip(1).map(symbol).collect()
}

fn relocations(object: &CodeObject, table: &RelocationTable) -> Json {
    json!({
        "section": table.target.map(|index| names::section(object, index)),
        "held_in": names::section(object, table.section),
        "entries": table.entries.iter().map(|rela| json!({
            "offset": hex(rela.offset),
            "type": names::relocation_kind(rela.kind),
            "symbol": names::relocation_symbol(object, table, rela.symbol),
            "addend": signed(rela.addend),
        })).collect::<Vec<_>>(),
    })
}

fn note(note: &Note) -> Json {
    let (text, error) = match notes::text(note) {
        Ok(text) => (text, None),
        Err(error) => (None, Some(error.to_string())),
    };
    json!({
        "name": note.name,
        "type": names::note_kind(note),
        "size": note.description.len(),
        "text": text,
        "error": error,
    })
}

fn tree(value: &Value) -> Json {
    match value {
        Value::Nil => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Uint(value) => json!(value),
        Value::Int(value) => json!(value),
        // JSON has no infinities.
        Value::Float(value) if !value.is_finite() => json!(value.to_string()),
        Value::Float(value) => json!(value),
        Value::String(value) => json!(value),
        Value::Binary(bytes) => json!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        Value::Seq(items) => items.iter().map(tree).collect(),
        Value::Map(map) => map.iter().map(|(key, value)| (key.clone(), tree(value))).collect(),
        Value::IntMap(map) => map.iter().map(|(key, value)| (format!("{key:#x}"), tree(value))).collect(),
    }
}

fn kernel(kernel: &Kernel) -> Json {
    let descriptor = &kernel.descriptor;
    let mut fields = Map::new();
    let mut field = |name: &str, value: Json| fields.insert(name.to_owned(), value);
    field("GROUP_SEGMENT_FIXED_SIZE", json!(descriptor.group_segment_fixed_size));
    field("PRIVATE_SEGMENT_FIXED_SIZE", json!(descriptor.private_segment_fixed_size));
    field("KERNARG_SIZE", json!(descriptor.kernarg_size));
    field("KERNEL_CODE_ENTRY_BYTE_OFFSET", json!(descriptor.kernel_code_entry_byte_offset));
    for (known, value) in descriptor.fields() {
        field(known.name(), json!(value));
    }
    let unknown = descriptor.unknown_bits().into_iter();
    let unknown: Map<String, Json> =
        unknown.map(|(word, bits)| (word.name().to_owned(), hex(bits.into()))).collect();
    let reserved = (descriptor.reserved != [0; 28])
        .then(|| descriptor.reserved.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    json!({
        "name": kernel.name,
        "descriptor_at": hex(kernel.address.max(kernel.offset)),
        "fields": fields,
        "unknown_bits": unknown,
        "reserved_bytes": reserved,
        "wave_size": descriptor.wave_size().lanes(),
        "vgprs": descriptor.vgprs(),
        "agprs_from": descriptor.accum_offset(),
        "sgprs": descriptor.sgprs(),
        "user_sgprs": descriptor.user_sgprs(),
        "lds_limit": descriptor.limits().lds_bytes,
    })
}

fn v2_kernel(kernel: &v2::Kernel) -> Json {
    let fields: Map<String, Json> =
        kernel.code.fields().map(|(name, value)| (name.to_owned(), hex(value))).collect();
    let properties: Map<String, Json> =
        kernel.code.properties().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    json!({
        "name": kernel.name,
        "code_at": hex(kernel.address.max(kernel.offset)),
        "fields": fields,
        "code_properties": properties,
        "unknown_code_properties": hex(kernel.code.unknown_properties().into()),
    })
}

/// The object for a bundle: its entries, each with what `inspected` says of it, if it was looked into.
pub fn inspect_bundle_json(bundle: &Bundle, mut inspected: impl FnMut(usize) -> Option<Json>) -> Json {
    let compression = bundle.compression.as_ref().map(|compression| {
        json!({
            "version": compression.version as u16,
            "method": compression.method.name(),
            "unpacked_size": compression.unpacked_size,
            "hash_matches": compression.hash_matches,
        })
    });
    let entries: Vec<Json> = bundle
        .entries
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            json!({
                "id": entry.id,
                "offset": hex(entry.offset),
                "size": entry.size,
                "code_object": inspected(index),
            })
        })
        .collect();
    json!({ "kind": "bundle", "compression": compression, "entries": entries })
}

/// The object for a core file.
pub fn inspect_core_json(core: &CoreFile) -> Json {
    let snapshot = core.snapshot.as_ref().map(|snapshot| {
        json!({
            "version": snapshot.version,
            "runtime": entry(&snapshot.runtime),
            "agents": snapshot.agents.iter().map(|agent| {
                let mut json = entry(agent);
                json["target"] = json!(processor_of(agent));
                json
            }).collect::<Vec<_>>(),
            "queues": snapshot.queues.iter().map(entry).collect::<Vec<_>>(),
        })
    });
    json!({
        "kind": "core-file",
        "size": core.size(),
        "layout": core.layout(),
        "machine": core.header.machine,
        "os": names::os_abi(core.header.os_abi),
        "abi_version": core.header.abi_version,
        "segments": core.segments.iter().map(segment).collect::<Vec<_>>(),
        "notes": core.notes.iter().map(note).collect::<Vec<_>>(),
        "snapshot": snapshot,
    })
}

fn entry(entry: &Entry) -> Json {
    let fields: Map<String, Json> =
        entry.fields.iter().map(|&(name, value)| (name.to_owned(), hex(value))).collect();
    json!({ "fields": fields, "bytes_more": entry.rest })
}

/// Where a segment is in the file and in memory.
fn segment(segment: &Segment) -> Json {
    json!({
        "type": names::segment_kind(segment.kind),
        "offset": hex(segment.offset),
        "address": hex(segment.address),
        "file_size": segment.file_size,
        "memory_size": segment.memory_size,
        "flags": names::segment_flags(segment),
    })
}
