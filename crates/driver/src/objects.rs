//! Code-object plumbing: link, inspect, bundle, unbundle.

use wavemark_asm::disassemble;
use wavemark_codeobj::bundle::{self, Bundle};
use wavemark_codeobj::inspect::{inspect, inspect_bundle};
use wavemark_codeobj::{CodeObject, link};
use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_target::{Target, TargetId};

use crate::build::{Failure, bundle_entry, object_diagnostic, parse_object};
use crate::input::{Form, Input, agree};
use crate::lines::machine;

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
    if input.form != Form::CodeObject {
        return Err(Diagnostic::error(format!("{} is {}, not a code object", input.name, input.form.name())));
    }
    parse_object(sources, &input.name, &input.bytes)
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

/// Everything that a code object says, or the entries of a bundle with everything that each says.
pub fn inspect_input(
    sources: &mut SourceMap,
    input: &Input,
    target: Option<TargetId>,
) -> Result<String, Diagnostic> {
    if input.form != Form::Bundle {
        let object = read_object(sources, input)?;
        agree(&input.name, target, Some(object.target()))?;
        return Ok(inspect(&object));
    }
    let bundle = read_bundle(sources, input)?;
    let mut text = inspect_bundle(&bundle);
    for entry in bundle.entries.iter().filter(|entry| entry.size > 0) {
        let wanted = |found: Target| target.is_none_or(|target| found.id.runs_on(&target));
        if entry.target().is_some_and(wanted) {
            let object = parse_object(sources, &format!("{}({})", input.name, entry.id), bundle.data(entry))?;
            text += &format!("\n{}\n{}", entry.id, inspect(&object));
        }
    }
    Ok(text)
}

/// The text of a code object that the assembler takes back; of a bundle, of the entry for `target` or the only one.
pub fn disassemble_input(
    sources: &mut SourceMap,
    input: &Input,
    target: Option<TargetId>,
    features: &str,
) -> Result<String, Failure> {
    let object = if input.form == Form::Bundle {
        let (name, bytes) = bundle_entry(sources, input, target)?;
        parse_object(sources, &name, &bytes)?
    } else {
        read_object(sources, input)?
    };
    agree(&input.name, target, Some(object.target()))?;
    machine(object.target(), features)?;
    Ok(disassemble(&object, features).map_err(|error| Diagnostic::error(format!("--features: {error}")))?)
}

/// A plain bundle of code objects, each of another target, behind an empty host entry.
pub fn bundle_inputs(sources: &mut SourceMap, inputs: &[Input]) -> Result<Vec<u8>, Diagnostic> {
    let mut entries: Vec<(String, &[u8])> = vec![(HOST_ENTRY.to_owned(), &[])];
    for input in inputs {
        let object = read_object(sources, input)?;
        let id = format!("hipv4-{}", Target::amdhsa(object.target()));
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
    Ok(bundle::write(&entries))
}

/// The entries of a bundle, as text.
pub fn list_bundle(sources: &mut SourceMap, input: &Input) -> Result<String, Diagnostic> {
    Ok(inspect_bundle(&read_bundle(sources, input)?))
}

/// The code object of a bundle that runs on `target`.
pub fn unbundle_input(
    sources: &mut SourceMap,
    input: &Input,
    target: &TargetId,
) -> Result<Vec<u8>, Diagnostic> {
    let bundle = read_bundle(sources, input)?;
    match bundle.entry_for(target) {
        Some(entry) => Ok(bundle.data(entry).to_vec()),
        None => {
            let ids: Vec<&str> = bundle.entries.iter().map(|entry| entry.id.as_str()).collect();
            Err(Diagnostic::error(format!("{} has nothing for {target}", input.name))
                .note(format!("its entries: {}", ids.join(", "))))
        }
    }
}
