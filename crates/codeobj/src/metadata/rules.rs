//! Whether metadata keep the guide's tables: every violation, with the path of its key.
//!
//! [`super::schema`] says keys, types and vocabularies; here is what depends on the code object version, on another
//! key, or on a value. A violation is an error where a runtime would misread the metadata or refuse them, and a
//! warning where it would not notice: a version or key of another code object version, a key out of its place.

use std::fmt;

use wavemark_target::{AbiVersion, Target};

use super::schema::{MAX_FOUND, join};
use super::{KernelArg, KernelMetadata, Metadata, MetadataError, v2};
use crate::metadata::record::FieldType;
use crate::value::Value;

/// How bad a violation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A runtime would not notice.
    Warning,
    /// A runtime would misread or refuse it.
    Error,
}

/// One violation of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is, and what.
    pub error: MetadataError,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {}", self.error)
    }
}

/// What the value of a key must be, beyond its shape.
enum Constraint {
    /// A power of two.
    PowerOfTwo,
    /// At least 1.
    Positive,
    /// All 0 or all at least 1.
    AllOrNone,
    /// One of these, though others may be added.
    Known(&'static [&'static str]),
    /// Only beside one of these values of `.value_kind`.
    OnlyFor(&'static [&'static str]),
    /// Only from this code object version on.
    Since(AbiVersion),
}

use Constraint::*;

const KERNEL: &[(&str, Constraint)] = &[
    (".language", Known(&["OpenCL C", "OpenCL C++", "HCC", "HIP", "OpenMP", "Assembler"])),
    (".reqd_workgroup_size", AllOrNone),
    (".kernarg_segment_align", PowerOfTwo),
    (".wavefront_size", PowerOfTwo),
    (".max_flat_workgroup_size", Positive),
    (".max_num_work_groups_x", Positive),
    (".max_num_work_groups_y", Positive),
    (".max_num_work_groups_z", Positive),
    (".uses_dynamic_stack", Since(AbiVersion::V5)),
    (".workgroup_processor_mode", Since(AbiVersion::V5)),
    (".uniform_work_group_size", Since(AbiVersion::V5)),
];

const ARG: &[(&str, Constraint)] = &[
    (".pointee_align", PowerOfTwo),
    (".pointee_align", OnlyFor(&["dynamic_shared_pointer"])),
    (".address_space", OnlyFor(&["global_buffer", "dynamic_shared_pointer"])),
    (".access", OnlyFor(&["image", "pipe"])),
    (".actual_access", OnlyFor(&["global_buffer", "image", "pipe"])),
    (".is_const", OnlyFor(&["global_buffer"])),
    (".is_restrict", OnlyFor(&["global_buffer"])),
    (".is_volatile", OnlyFor(&["global_buffer"])),
    (".is_pipe", OnlyFor(&["pipe"])),
];

/// The kinds of arguments that code object V5 added.
const VALUE_KINDS_V5: &[&str] = &[
    "hidden_block_count_x",
    "hidden_block_count_y",
    "hidden_block_count_z",
    "hidden_group_size_x",
    "hidden_group_size_y",
    "hidden_group_size_z",
    "hidden_remainder_x",
    "hidden_remainder_y",
    "hidden_remainder_z",
    "hidden_grid_dims",
    "hidden_heap_v1",
    "hidden_dynamic_lds_size",
    "hidden_private_base",
    "hidden_shared_base",
    "hidden_queue_ptr",
];

/// Every violation in the metadata of an `amdhsa` code object, V2 (as YAML reads) to V6.
pub fn validate(value: &Value, abi: AbiVersion) -> Vec<Violation> {
    if abi == AbiVersion::V2 {
        return v2::validate(value);
    }
    validate_tree(value, abi)
}

/// Every violation in a tree with the keys of V3 and later.
pub(super) fn validate_tree(value: &Value, abi: AbiVersion) -> Vec<Violation> {
    let mut rules = Rules { abi, found: Vec::new() };
    let mut errors = Vec::new();
    Metadata::SHAPE.check(value, &mut errors);
    rules.found.extend(errors.into_iter().map(|error| Violation { severity: Severity::Error, error }));
    rules.root(value);
    rules.found
}

struct Rules {
    abi: AbiVersion,
    found: Vec<Violation>,
}

impl Rules {
    fn error(&mut self, path: &str, what: impl Into<String>) {
        self.add(Severity::Error, path, what.into());
    }

    fn warn(&mut self, path: &str, what: impl Into<String>) {
        self.add(Severity::Warning, path, what.into());
    }

    fn add(&mut self, severity: Severity, path: &str, what: String) {
        if self.found.len() < 2 * MAX_FOUND {
            self.found.push(Violation { severity, error: MetadataError { path: path.to_owned(), what } });
        }
    }

    fn root(&mut self, root: &Value) {
        let Value::Map(map) = root else { return };
        let version = Metadata::version_of(self.abi);
        if let Some(found) = map.get("amdhsa.version").and_then(integers)
            && found.len() == 2
            && found != version.map(u64::from)
        {
            let abi = self.abi.code_object_version();
            let what = format!(
                "code object V{abi} has version {}.{}, found {}.{}",
                version[0], version[1], found[0], found[1]
            );
            self.warn("amdhsa.version", what);
        }
        match map.get("amdhsa.target") {
            // Loaders take the processor from the ELF header, and LLVM's verifier does not ask for this key. Objects with
            // metadata as V3 has them are about (most that AITER ships).
            None if self.abi >= AbiVersion::V4 => self.warn("amdhsa.target", "is missing"),
            Some(_) if self.abi < AbiVersion::V4 => {
                self.warn("amdhsa.target", "is a key of code object V4 and later")
            }
            Some(Value::String(text)) => self.target(text),
            _ => {}
        }
        for (index, item) in items(map.get("amdhsa.printf")).iter().enumerate() {
            if let Value::String(text) = item
                && let Err(what) = check_printf(text)
            {
                self.error(&format!("amdhsa.printf[{index}]"), what);
            }
        }
        for (index, kernel) in items(map.get("amdhsa.kernels")).iter().enumerate() {
            self.kernel(kernel, &format!("amdhsa.kernels[{index}]"));
        }
        self.unknown_keys(root, "", &Metadata::ROWS.iter().map(|row| row.key).collect::<Vec<_>>());
    }

    fn target(&mut self, text: &str) {
        match text.parse::<Target>() {
            Err(error) => self.error("amdhsa.target", error.to_string()),
            Ok(target) if target.to_string() != text => {
                self.error("amdhsa.target", format!("`{text}` is not canonical, which would be `{target}`"));
            }
            Ok(_) => {}
        }
    }

    /// Keys of nobody: neither in the table nor with a vendor's prefix.
    fn unknown_keys(&mut self, value: &Value, path: &str, known: &[&str]) {
        let Value::Map(map) = value else { return };
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            match key.find('.') {
                Some(0) => self.warn(&join(path, key), "is no key of the specification"),
                Some(_) if !key.starts_with("amdhsa.") => {}
                Some(_) => self.warn(&join(path, key), "is no key of the specification"),
                None => {
                    self.warn(&join(path, key), "is no key of the specification and has no vendor's prefix")
                }
            }
        }
    }

    fn kernel(&mut self, kernel: &Value, path: &str) {
        let Value::Map(map) = kernel else { return };
        for (key, constraint) in KERNEL {
            self.constraint(map.get(*key), &join(path, key), constraint, "");
        }
        let unsigned = |key: &str| match map.get(key) {
            Some(Value::Uint(value)) => Some(*value),
            _ => None,
        };
        if let (Some(sizes), Some(most)) =
            (map.get(".reqd_workgroup_size").and_then(integers), unsigned(".max_flat_workgroup_size"))
            && let Some(product) = sizes.iter().try_fold(1u64, |product, &size| product.checked_mul(size))
            && product > most
        {
            let what = format!("{product} work-items are more than .max_flat_workgroup_size, {most}");
            self.error(&join(path, ".reqd_workgroup_size"), what);
        }
        let segment = unsigned(".kernarg_segment_size");
        let args = items(map.get(".args"));
        for (index, arg) in args.iter().enumerate() {
            self.arg(arg, &format!("{path}.args[{index}]"), segment);
        }
        let with = |kind: &str| args.iter().position(|arg| value_kind(arg) == Some(kind));
        if self.abi < AbiVersion::V5
            && let (Some(_), Some(second)) = (with("hidden_printf_buffer"), with("hidden_hostcall_buffer"))
        {
            let what =
                "hidden_printf_buffer and hidden_hostcall_buffer exclude each other before code object V5";
            self.error(&format!("{path}.args[{second}].value_kind"), what);
        }
        self.unknown_keys(kernel, path, &KernelMetadata::ROWS.iter().map(|row| row.key).collect::<Vec<_>>());
    }

    fn arg(&mut self, arg: &Value, path: &str, segment: Option<u64>) {
        let Value::Map(map) = arg else { return };
        let kind = value_kind(arg).unwrap_or_default();
        for (key, constraint) in ARG {
            self.constraint(map.get(*key), &join(path, key), constraint, kind);
        }
        if self.abi < AbiVersion::V5 && VALUE_KINDS_V5.contains(&kind) {
            self.warn(&join(path, ".value_kind"), format!("`{kind}` is of code object V5 and later"));
        }
        if let (Some(Value::Uint(offset)), Some(Value::Uint(size)), Some(segment)) =
            (map.get(".offset"), map.get(".size"), segment)
            && offset.checked_add(*size).is_none_or(|end| end > segment)
        {
            let what = format!("{size} bytes at {offset} are beyond .kernarg_segment_size, {segment}");
            self.error(&join(path, ".offset"), what);
        }
        self.unknown_keys(arg, path, &KernelArg::ROWS.iter().map(|row| row.key).collect::<Vec<_>>());
    }

    fn constraint(&mut self, value: Option<&Value>, path: &str, constraint: &Constraint, kind: &str) {
        let Some(value) = value else { return };
        match (constraint, value) {
            (PowerOfTwo, Value::Uint(value)) if !value.is_power_of_two() => {
                self.error(path, format!("{value} is no power of two"));
            }
            (Positive, Value::Uint(0)) => self.error(path, "must be at least 1"),
            (AllOrNone, value) => {
                let zeros =
                    integers(value).map(|all| (all.len(), all.iter().filter(|&&size| size == 0).count()));
                if zeros.is_some_and(|(all, zeros)| zeros != 0 && zeros != all) {
                    self.error(path, "must be at least 1 in each dimension, or 0 in all");
                }
            }
            (Known(names), Value::String(name)) if !names.contains(&name.as_str()) => {
                self.warn(path, format!("`{name}` is none of {}", names.join(", ")));
            }
            (OnlyFor(kinds), _) if !kinds.contains(&kind) => {
                self.warn(path, format!("is only for arguments of kind {}", kinds.join(", ")));
            }
            (Since(abi), _) if self.abi < *abi => {
                self.warn(path, format!("is a key of code object V{} and later", abi.code_object_version()));
            }
            _ => {}
        }
    }
}

fn items(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Seq(items)) => items,
        _ => &[],
    }
}

fn integers(value: &Value) -> Option<Vec<u64>> {
    let integer = |item: &Value| match item {
        Value::Uint(value) => Some(*value),
        _ => None,
    };
    items(Some(value)).iter().map(integer).collect()
}

fn value_kind(arg: &Value) -> Option<&str> {
    match arg {
        Value::Map(map) => match map.get(".value_kind") {
            Some(Value::String(kind)) => Some(kind),
            _ => None,
        },
        _ => None,
    }
}

/// `ID:N:S[0]:…:S[N-1]:FORMAT`.
fn check_printf(text: &str) -> Result<(), String> {
    let mut rest = text;
    let mut number = |name: &str| {
        let (field, after) = rest.split_once(':').ok_or_else(|| format!("{name} is missing"))?;
        rest = after;
        field.parse::<u32>().map_err(|_| format!("{name} is no 32-bit number: `{field}`"))
    };
    number("the ID")?;
    let count = number("the number of arguments")?;
    // A count beyond what the text can hold ends at the first size that is missing.
    for index in 0..count {
        number(&format!("the size of argument {index}"))?;
    }
    Ok(())
}
