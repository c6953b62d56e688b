//! Metadata of code object V2: YAML with other keys, translated to those of V3.
//!
//! Follows "Code Object V2 Metadata" of LLVM's *User Guide for AMDGPU Backend*. What V2 has in maps of their own
//! (`Attrs`, `CodeProps`) lies in the kernel since V3, and offsets of arguments, which V2 leaves to alignment, are
//! counted. A violation is found in the translation and told with V2's path.

use indexmap::IndexMap;
use wavemark_target::AbiVersion;

use super::MetadataError;
use super::rules::{Severity, Violation, validate_tree};
use crate::value::Value;

/// What happens to a value on its way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// Nothing.
    Keep,
    /// It is text, whatever YAML made of it.
    Text,
    /// It is a name, which V3 spells in small letters.
    Name,
}

use How::*;

/// A key of V2, the key of V3 for it, and how to read the value.
type Row = (&'static str, &'static str, How);

const ROOT: &[Row] = &[
    ("Version", "amdhsa.version", Keep),
    ("Printf", "amdhsa.printf", Keep),
    ("Kernels", "amdhsa.kernels", Keep),
];

const KERNEL: &[Row] = &[
    ("Name", ".name", Text),
    ("SymbolName", ".symbol", Text),
    ("Language", ".language", Text),
    ("LanguageVersion", ".language_version", Keep),
    ("Args", ".args", Keep),
];

const ATTRS: &[Row] = &[
    ("ReqdWorkGroupSize", ".reqd_workgroup_size", Keep),
    ("WorkGroupSizeHint", ".workgroup_size_hint", Keep),
    ("VecTypeHint", ".vec_type_hint", Text),
    ("RuntimeHandle", ".device_enqueue_symbol", Text),
];

const CODE_PROPS: &[Row] = &[
    ("KernargSegmentSize", ".kernarg_segment_size", Keep),
    ("GroupSegmentFixedSize", ".group_segment_fixed_size", Keep),
    ("PrivateSegmentFixedSize", ".private_segment_fixed_size", Keep),
    ("KernargSegmentAlign", ".kernarg_segment_align", Keep),
    ("WavefrontSize", ".wavefront_size", Keep),
    ("NumSGPRs", ".sgpr_count", Keep),
    ("NumVGPRs", ".vgpr_count", Keep),
    ("MaxFlatWorkGroupSize", ".max_flat_workgroup_size", Keep),
    ("NumSpilledSGPRs", ".sgpr_spill_count", Keep),
    ("NumSpilledVGPRs", ".vgpr_spill_count", Keep),
];

const ARG: &[Row] = &[
    ("Name", ".name", Text),
    ("TypeName", ".type_name", Text),
    ("Size", ".size", Keep),
    ("ValueKind", ".value_kind", Name),
    ("ValueType", ".value_type", Text),
    ("PointeeAlign", ".pointee_align", Keep),
    ("AddrSpaceQual", ".address_space", Name),
    ("AccQual", ".access", Name),
    ("ActualAccQual", ".actual_access", Name),
    ("IsConst", ".is_const", Keep),
    ("IsRestrict", ".is_restrict", Keep),
    ("IsVolatile", ".is_volatile", Keep),
    ("IsPipe", ".is_pipe", Keep),
];

/// The same metadata with the keys of V3. Keys that V2 does not have stay as they are.
pub fn to_v3(value: Value) -> Value {
    let Value::Map(map) = value else { return value };
    let mut root = renamed(map, ROOT);
    if let Some(Value::Seq(kernels)) = root.get_mut("amdhsa.kernels") {
        *kernels = std::mem::take(kernels).into_iter().map(kernel).collect();
    }
    Value::Map(root)
}

fn kernel(value: Value) -> Value {
    let Value::Map(map) = value else { return value };
    let mut kernel = renamed(map, KERNEL);
    for (name, rows) in [("Attrs", ATTRS), ("CodeProps", CODE_PROPS)] {
        if let Some(Value::Map(inner)) = kernel.get(name) {
            let inner = renamed(inner.clone(), rows);
            kernel.shift_remove(name);
            kernel.extend(inner);
        }
    }
    if let Some(Value::Seq(args)) = kernel.get_mut(".args") {
        let mut end = Some(0);
        *args = std::mem::take(args).into_iter().map(|value| arg(value, &mut end)).collect();
    }
    Value::Map(kernel)
}

/// An argument; `end` is where the one before ends, if that is known.
fn arg(value: Value, end: &mut Option<u64>) -> Value {
    let Value::Map(map) = value else { return value };
    let mut arg = renamed(map, ARG);
    let offset = match (*end, arg.get("Align")) {
        (Some(end), Some(&Value::Uint(align))) if align.is_power_of_two() => {
            end.checked_next_multiple_of(align)
        }
        _ => None,
    };
    *end = match (offset, arg.get(".size")) {
        (Some(offset), Some(&Value::Uint(size))) => offset.checked_add(size),
        _ => None,
    };
    if let Some(offset) = offset {
        arg.shift_remove("Align");
        arg.insert(".offset".to_owned(), Value::Uint(offset));
    }
    Value::Map(arg)
}

fn renamed(map: IndexMap<String, Value>, rows: &[Row]) -> IndexMap<String, Value> {
    let rename = |(key, value): (String, Value)| match rows.iter().find(|(v2, ..)| *v2 == key) {
        Some(&(_, v3, Keep)) => (v3.to_owned(), value),
        Some(&(_, v3, Text)) => (v3.to_owned(), text(value)),
        Some(&(_, v3, Name)) => (v3.to_owned(), name(value)),
        None => (key, value),
    };
    map.into_iter().map(rename).collect()
}

fn text(value: Value) -> Value {
    match value {
        Value::Uint(u) => Value::String(u.to_string()),
        Value::Int(i) => Value::String(i.to_string()),
        Value::Bool(b) => Value::String(b.to_string()),
        other => other,
    }
}

/// `HiddenGlobalOffsetX` → `hidden_global_offset_x`. What is not spelled so stays, and is in no vocabulary.
fn name(value: Value) -> Value {
    let Value::String(text) = &value else { return value };
    if text == "HiddenMultiGridSyncArg" {
        return Value::String("hidden_multigrid_sync_arg".to_owned());
    }
    if !text.starts_with(|c: char| c.is_ascii_uppercase()) || !text.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Value::String(format!("{text} (V2 spells names LikeThis)"));
    }
    let mut small = String::new();
    for letter in text.chars() {
        if letter.is_ascii_uppercase() && !small.is_empty() {
            small.push('_');
        }
        small.push(letter.to_ascii_lowercase());
    }
    Value::String(small)
}

/// Every violation in the metadata of a V2 code object, as YAML reads.
pub(super) fn validate(value: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut error = |path: String, what: &str| {
        let error = MetadataError { path, what: what.to_owned() };
        found.push(Violation { severity: Severity::Error, error });
    };
    for (k, kernel) in items(value, "Kernels").iter().enumerate() {
        for (a, arg) in items(kernel, "Args").iter().enumerate() {
            let path = || format!("Kernels[{k}].Args[{a}].Align");
            match arg {
                Value::Map(map) => match map.get("Align") {
                    None => error(path(), "is missing"),
                    Some(Value::Uint(align)) if align.is_power_of_two() => {}
                    Some(_) => error(path(), "must be a power of two"),
                },
                _ => continue,
            }
        }
    }
    let violations = validate_tree(&to_v3(value.clone()), AbiVersion::V3);
    let has_code_props = |path: &str| {
        let index = path.strip_prefix("amdhsa.kernels[").and_then(|rest| rest.split(']').next());
        let index: Option<usize> = index.and_then(|index| index.parse().ok());
        let kernel = index.and_then(|index| items(value, "Kernels").get(index));
        matches!(kernel, Some(Value::Map(map)) if map.contains_key("CodeProps"))
    };
    for mut violation in violations {
        let path = &violation.error.path;
        // The guide asks for what is in `CodeProps`, not for `CodeProps`.
        let key = path.rsplit('.').next().unwrap_or_default();
        let is_code_prop = CODE_PROPS.iter().any(|(_, v3, _)| v3.strip_prefix('.') == Some(key));
        let is_missing = violation.error.what == "is missing";
        let is_counted = key == "offset";
        if is_missing && (is_counted || is_code_prop && !has_code_props(path)) {
            continue;
        }
        // Keys without a vendor's prefix are V2's own way.
        if violation.error.what.contains("is no key of the specification")
            && violation.severity == Severity::Warning
        {
            continue;
        }
        violation.error.path = v2_path(path);
        found.push(violation);
    }
    found
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    match value {
        Value::Map(map) => match map.get(key) {
            Some(Value::Seq(items)) => items,
            _ => &[],
        },
        _ => &[],
    }
}

/// The path in V2 of a path in the translation.
fn v2_path(path: &str) -> String {
    let v2 = |rows: &[Row], key: &str| rows.iter().find(|(_, v3, _)| *v3 == key).map(|(v2, ..)| *v2);
    let split = |text: &str| {
        let end = text.find('[').unwrap_or(text.len());
        let close = text.find(']').map_or(end, |at| at + 1);
        (text[..end].to_owned(), text[end..close].to_owned(), text[close..].to_owned())
    };
    let (key, index, rest) = split(path);
    let Some(first) = v2(ROOT, &key) else { return path.to_owned() };
    if key != "amdhsa.kernels" || rest.is_empty() {
        return format!("{first}{index}{rest}");
    }
    let (key, arg_index, arg_rest) = split(&rest);
    let in_kernel = if key == ".args" && !arg_rest.is_empty() {
        let (key, at, after) = split(&arg_rest);
        format!(".Args{arg_index}.{}{at}{after}", v2(ARG, &key).unwrap_or(&key))
    } else if let Some(name) = v2(KERNEL, &key) {
        format!(".{name}{arg_index}{arg_rest}")
    } else if let Some(name) = v2(ATTRS, &key) {
        format!(".Attrs.{name}{arg_index}{arg_rest}")
    } else if let Some(name) = v2(CODE_PROPS, &key) {
        format!(".CodeProps.{name}{arg_index}{arg_rest}")
    } else {
        rest
    };
    format!("{first}{index}{in_kernel}")
}
