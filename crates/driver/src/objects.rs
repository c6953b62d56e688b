//! Code-object plumbing: link, inspect, bundle, unbundle.

pub use wavemark_asm::Remarks;
use wavemark_asm::disassemble_with;
pub use wavemark_codeobj::bundle::{Method, Version};

use serde_json::Value as Json;
use wavemark_codeobj::bundle::{self, Bundle};
use wavemark_codeobj::core_file::{self, CoreFile};
use wavemark_codeobj::dwarf::inspect_dwarf;
use wavemark_codeobj::inspect::{
    inspect, inspect_bundle, inspect_bundle_json, inspect_core_json, inspect_json,
};
use wavemark_codeobj::{CodeObject, link, metadata};
use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_target::{Target, TargetId};

use crate::build::{Failure, bundle_entry, object_diagnostic, parse_object, parse_object_leniently};
use crate::input::{Form, Input, agree};
use crate::lines::subtarget;

/// The entry that runtimes expect before the code objects: the host's, empty.
const HOST_ENTRY: &str = "host-x86_64-unknown-linux-gnu-";

/// Links relocatable code objects into a loadable file.
pub fn link_inputs(sources: &mut SourceMap, inputs: &[Input]) -> Result<Vec<u8>, Diagnostic> {
    let mut objects: Vec<CodeObject> = Vec::new();
    for input in inputs {
        objects.push(read_object(sources, input)?);
    }
    link(&objects).map_err(|error| {
        let names =
            inputs.iter().enumerate().map(|(index, input)| format!("input {index} is {}", input.name));
        Diagnostic::error(format!("cannot link: {error}")).note(names.collect::<Vec<_>>().join(", "))
    })
}

/// Reads an input that is a code object.
pub fn read_object(sources: &mut SourceMap, input: &Input) -> Result<CodeObject, Diagnostic> {
    expect_object(input).and_then(|input| parse_object(sources, &input.name, &input.bytes))
}

fn expect_object(input: &Input) -> Result<&Input, Diagnostic> {
    match input.form {
        Form::CodeObject => Ok(input),
        form => Err(Diagnostic::error(format!("{} is {}, not a code object", input.name, form.name()))),
    }
}

fn read_bundle(sources: &mut SourceMap, input: &Input) -> Result<Bundle, Diagnostic> {
    if input.form != Form::Bundle {
        return Err(Diagnostic::error(format!(
            "{} is {}, not an offload bundle",
            input.name,
            input.form.name()
        )));
    }
    Bundle::parse(&input.bytes).map_err(|error| object_diagnostic(sources, &input.name, &error))
}

/// What an inspection shows, and what it found wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspection {
    /// For people.
    pub text: String,
    /// The same for programs, where that was asked for.
    pub json: Json,
    /// Where metadata violate the specification, also said in the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Inspection {
    /// Whether anything is wrong, not merely doubtful.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == wavemark_diag::Severity::Error)
    }
}

/// What of an object is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Header, sections, symbols, relocations, notes, metadata, kernels.
    Object,
    /// The same as JSON.
    Json,
    /// The debug sections.
    Dwarf,
}

/// Everything that a code object or core file says, or the entries of a bundle with everything that each says.
///
/// # Errors
/// The input cannot be read as what it seems to be, or is for another target.
pub fn inspect_input(
    sources: &mut SourceMap,
    input: &Input,
    target: Option<TargetId>,
    view: View,
) -> Result<Inspection, Diagnostic> {
    let mut inspection = Inspection::default();
    if core_file::is_core(&input.bytes) {
        let core = CoreFile::parse(&input.bytes);
        let core = core.map_err(|error| object_diagnostic(sources, &input.name, &error))?;
        match view {
            View::Json => inspection.json = inspect_core_json(&core),
            View::Object | View::Dwarf => inspection.text = core_file::inspect(&core),
        }
        return Ok(inspection);
    }
    if input.form != Form::Bundle {
        let object = expect_object(input)
            .and_then(|input| parse_object_leniently(sources, &input.name, &input.bytes))?;
        agree(&input.name, target, Some(object.target()))?;
        inspection.json = inspect_object(sources, &input.name, &object, view, &mut inspection)?;
        return Ok(inspection);
    }
    let bundle = read_bundle(sources, input)?;
    inspection.text = inspect_bundle(&bundle);
    let mut inspected: Vec<Option<Json>> = vec![None; bundle.entries.len()];
    for (index, entry) in bundle.entries.iter().enumerate().filter(|(_, entry)| entry.size > 0) {
        let wanted = |found: Target| target.is_none_or(|target| found.id.runs_on(&target));
        if entry.target().is_some_and(wanted) {
            let name = format!("{}({})", input.name, entry.id);
            let object = parse_object_leniently(sources, &name, bundle.data(entry))?;
            inspection.text += &format!("\n{}\n", entry.id);
            inspected[index] = Some(inspect_object(sources, &name, &object, view, &mut inspection)?);
        }
    }
    if view == View::Json {
        inspection.json = inspect_bundle_json(&bundle, |index| inspected[index].take());
    }
    Ok(inspection)
}

fn inspect_object(
    sources: &mut SourceMap,
    name: &str,
    object: &CodeObject,
    view: View,
    inspection: &mut Inspection,
) -> Result<Json, Diagnostic> {
    let mut json = Json::Null;
    match view {
        View::Dwarf => {
            let text = inspect_dwarf(object).map_err(|error| object_diagnostic(sources, name, &error))?;
            inspection.text += &text;
            return Ok(json);
        }
        View::Object => inspection.text += &inspect(object),
        View::Json => json = inspect_json(object),
    }
    inspection.diagnostics.extend(object.violations.iter().map(|violation| {
        let message = format!("{name}: metadata: {}", violation.error);
        match violation.severity {
            metadata::Severity::Error => Diagnostic::error(message),
            metadata::Severity::Warning => Diagnostic::warning(message),
        }
    }));
    Ok(json)
}

/// The text of a code object that the assembler takes back; of a bundle, of the entry for `target` or the only one.
pub fn disassemble_input(
    sources: &mut SourceMap,
    input: &Input,
    target: Option<TargetId>,
    features: &str,
    remarks: Remarks,
) -> Result<String, Failure> {
    let object = if input.form == Form::Bundle {
        let (name, bytes) = bundle_entry(sources, input, target)?;
        parse_object(sources, &name, &bytes)?
    } else {
        read_object(sources, input)?
    };
    agree(&input.name, target, Some(object.target()))?;
    subtarget(object.target(), features)?;
    Ok(disassemble_with(&object, features, remarks)
        .map_err(|error| Diagnostic::error(format!("--features: {error}")))?)
}

/// How a bundle is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleOptions<'a> {
    /// The offload kind of the entries: `hipv4`, `hip`, `openmp`.
    pub kind: &'a str,
    /// How it is compressed, if it is.
    pub compress: Option<(Method, Version)>,
}

/// A bundle of code objects, each of another target, behind an empty host entry.
pub fn bundle_inputs(
    sources: &mut SourceMap,
    inputs: &[Input],
    options: BundleOptions<'_>,
) -> Result<Vec<u8>, Diagnostic> {
    let mut entries: Vec<(String, &[u8])> = vec![(HOST_ENTRY.to_owned(), &[])];
    for input in inputs {
        let object = read_object(sources, input)?;
        let id = format!("{}-{}", options.kind, Target::amdhsa(object.target()));
        if entries.iter().any(|(other, _)| *other == id) {
            return Err(Diagnostic::error(format!(
                "{}: a second code object for {}",
                input.name,
                object.target()
            )));
        }
        entries.push((id, &input.bytes));
    }
    let entries: Vec<(&str, &[u8])> = entries.iter().map(|(id, bytes)| (id.as_str(), *bytes)).collect();
    let ids: Vec<&str> = entries.iter().map(|(id, _)| *id).collect();
    bundle::check_ids(&ids).map_err(|error| Diagnostic::error(format!("cannot bundle: {error}")))?;
    let plain = bundle::write(&entries);
    Ok(match options.compress {
        Some((method, version)) => bundle::compress(&plain, method, version),
        None => plain,
    })
}

/// The entries of a bundle, as text.
pub fn list_bundle(sources: &mut SourceMap, input: &Input) -> Result<String, Diagnostic> {
    Ok(inspect_bundle(&read_bundle(sources, input)?))
}

/// Which entry of a bundle is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// The one that runs on a target.
    Target(TargetId),
    /// The one with this ID.
    Id(&'a str),
}

/// An entry of a bundle.
pub fn unbundle_input(
    sources: &mut SourceMap,
    input: &Input,
    wanted: Wanted<'_>,
) -> Result<Vec<u8>, Diagnostic> {
    let bundle = read_bundle(sources, input)?;
    let found = match wanted {
        Wanted::Target(target) => bundle.select(&target).map_err(|error| error.to_string()),
        Wanted::Id(id) => {
            let entry = bundle.entries.iter().find(|entry| entry.id == id);
            entry.ok_or_else(|| format!("no entry is `{id}`"))
        }
    };
    match found {
        Ok(entry) => Ok(bundle.data(entry).to_vec()),
        Err(error) => {
            let ids: Vec<&str> = bundle.entries.iter().map(|entry| entry.id.as_str()).collect();
            Err(Diagnostic::error(format!("{}: {error}", input.name))
                .note(format!("its entries: {}", ids.join(", "))))
        }
    }
}
