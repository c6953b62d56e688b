//! From an input to a loadable code object.

use wavemark_asm::{Environment, Object, Source, assemble_in, target_of};
use wavemark_codeobj::bundle::{Bundle, Entry};
use wavemark_codeobj::lines::{LineTable, Row};
use wavemark_codeobj::{CodeObject, link};
use wavemark_diag::{Diagnostic, SourceMap, Span};
use wavemark_target::{Target, TargetId};

use crate::assembly::{AssemblyOptions, Folders};
use crate::input::{Form, Input, agree};
use crate::ir;
use crate::lines::subtarget_of;
use crate::options::RunOptions;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The input, launch or options cannot be used.
    Unusable(Vec<Diagnostic>),
    /// We cannot do that yet: what, in words.
    Unsupported(String),
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure::Unusable(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Failure {
        Failure::Unusable(diagnostics)
    }
}

/// A code object that can be loaded, and where its instructions come from.
#[derive(Debug)]
pub struct Loadable {
    /// The linked code object.
    pub object: CodeObject,
    /// Addresses of it to source lines.
    pub lines: LineTable,
}

/// A code object that can be loaded, from whatever the input was.
pub fn loadable(sources: &mut SourceMap, input: &Input, options: &RunOptions) -> Result<Loadable, Failure> {
    match input.form {
        Form::CodeObject => {
            with_lines(code_object(sources, &input.name, &input.bytes, options)?, &input.name)
        }
        Form::TvmScript => Err(Failure::Unsupported(format!(
            "{} is {}, and there is no compiler yet: give assembly or a code object",
            input.name,
            input.form.name()
        ))),
        Form::LlvmIr => {
            ir::read(sources, input, options.target)?;
            Err(Failure::Unsupported(format!(
                "{} is valid LLVM IR, of which we make no code object yet: give the one made of it",
                input.name
            )))
        }
        Form::Litmus => {
            Err(Diagnostic::error(format!("{} is a litmus test, which has no kernel to run", input.name))
                .into())
        }
        Form::Captured => Err(Diagnostic::error(format!(
            "{} is a captured launch, which is run or checked as a whole",
            input.name
        ))
        .into()),
        Form::Bundle => with_lines(bundled(sources, input, options)?, &input.name),
        Form::Assembly => {
            let assembled =
                assemble_input(sources, input, options.target, &options.features, &options.assembly)?;
            let object = linked(sources, &input.name, &assembled.elf)?;
            let lines = assembly_lines(&assembled, &object, &input.name);
            Ok(Loadable { object, lines })
        }
    }
}

fn code_object(
    sources: &mut SourceMap,
    name: &str,
    bytes: &[u8],
    options: &RunOptions,
) -> Result<CodeObject, Failure> {
    let object = parse_object(sources, name, bytes)?;
    agree(name, options.target, Some(object.target()))?;
    if object.is_relocatable() { linked(sources, name, bytes) } else { Ok(object) }
}

fn linked(sources: &mut SourceMap, name: &str, bytes: &[u8]) -> Result<CodeObject, Failure> {
    let linked = link_one(sources, name, bytes)?;
    Ok(parse_object(sources, name, &linked)?)
}

/// A relocatable file, linked alone.
pub fn link_one(sources: &mut SourceMap, name: &str, bytes: &[u8]) -> Result<Vec<u8>, Diagnostic> {
    let object = parse_object(sources, name, bytes)?;
    link(&[object]).map_err(|error| Diagnostic::error(format!("{name} cannot be linked: {error}")))
}

/// Assembles a text for the target that it names, that `target` names, or both, agreeing.
pub fn assemble_input(
    sources: &mut SourceMap,
    input: &Input,
    target: Option<TargetId>,
    features: &str,
    options: &AssemblyOptions,
) -> Result<Object, Failure> {
    if input.form != Form::Assembly {
        return Err(
            Diagnostic::error(format!("{} is {}, not assembly", input.name, input.form.name())).into()
        );
    }
    let text = input.text()?;
    let file = sources.add_text(&input.name, text);
    let source = Source { file, name: &input.name, text };
    let found = target_of(source)?;
    let id = agree(&input.name, target, found.as_ref().map(|target| target.id))?;
    let target = found.map_or_else(|| Target::amdhsa(id), |found| Target { id, ..found });
    let subtarget = subtarget_of(target, features)?;
    let mut files = Folders::new(sources, input.path.as_deref(), options);
    Ok(assemble_in(source, &subtarget, Environment { files: &mut files, defines: &options.defines })?)
}

fn with_lines(object: CodeObject, name: &str) -> Result<Loadable, Failure> {
    let lines = LineTable::build(&object)
        .map_err(|error| Diagnostic::error(format!("{name} has a damaged line table: {error}")))?;
    Ok(Loadable { object, lines })
}

/// The lines of an assembled text, by the addresses that its instructions have in the linked file. Only of sections
/// that linking does not join with others: it then keeps offsets.
fn assembly_lines(assembled: &Object, linked: &CodeObject, name: &str) -> LineTable {
    let mut rows: Vec<Row> = Vec::new();
    for line in &assembled.lines {
        let section = assembled.sections.get(line.section as usize);
        let index = section.and_then(|section| linked.section_by_name(section));
        let Some(section) = index.and_then(|index| linked.sections.get(index)) else { continue };
        let Some(start) = section.address.checked_add(line.offset) else { continue };
        let end = section.address.saturating_add(section.size);
        rows.push(Row { start, end, file: 0, line: line.line, column: line.column });
    }
    rows.sort_by_key(|row| row.start);
    for index in 1..rows.len() {
        let next = rows[index].start;
        rows[index - 1].end = rows[index - 1].end.min(next);
    }
    LineTable { files: vec![name.to_owned()], rows, calls: Vec::new() }
}

/// The code object of a bundle for the target asked for, or the only one there is.
fn bundled(sources: &mut SourceMap, input: &Input, options: &RunOptions) -> Result<CodeObject, Failure> {
    let (name, bytes) = bundle_entry(sources, input, options.target)?;
    code_object(sources, &name, &bytes, options)
}

/// The name and bytes of the code object of a bundle for the target asked for, or of the only one there is.
pub fn bundle_entry(
    sources: &mut SourceMap,
    input: &Input,
    target: Option<TargetId>,
) -> Result<(String, Vec<u8>), Diagnostic> {
    let name = &input.name;
    let bundle = Bundle::parse(&input.bytes).map_err(|error| object_diagnostic(sources, name, &error))?;
    let ids = || {
        let ids: Vec<&str> = bundle.entries.iter().map(|entry| entry.id.as_str()).collect();
        format!("its entries: {}", ids.join(", "))
    };
    let entry = match &target {
        Some(target) => bundle
            .select(target)
            .map_err(|error| Diagnostic::error(format!("{name}: {error}")).note(ids()))?,
        None => {
            let is_device = |entry: &&Entry| entry.size > 0 && entry.target().is_some();
            let device: Vec<&Entry> = bundle.entries.iter().filter(is_device).collect();
            match device.as_slice() {
                [only] => *only,
                _ => {
                    let message = format!("{name} has {} code objects: say which by --target", device.len());
                    return Err(Diagnostic::error(message).note(ids()));
                }
            }
        }
    };
    Ok((format!("{name}({})", entry.id), bundle.data(entry).to_vec()))
}

/// Reads a code object, without metadata where they are not right, to show it; errors point to its bytes.
pub fn parse_object_leniently(
    sources: &mut SourceMap,
    name: &str,
    bytes: &[u8],
) -> Result<CodeObject, Diagnostic> {
    CodeObject::parse_leniently(bytes).map_err(|error| object_diagnostic(sources, name, &error))
}

/// Reads a code object; errors point to its bytes.
pub fn parse_object(sources: &mut SourceMap, name: &str, bytes: &[u8]) -> Result<CodeObject, Diagnostic> {
    CodeObject::parse(bytes).map_err(|error| object_diagnostic(sources, name, &error))
}

/// An error of the code object crate, at its byte offset.
pub fn object_diagnostic(sources: &mut SourceMap, name: &str, error: &wavemark_codeobj::Error) -> Diagnostic {
    let file = sources.add_binary(name);
    let offset = usize::try_from(error.offset).unwrap_or(usize::MAX);
    Diagnostic::error(error.kind.to_string()).at(Span::new(file, offset..offset))
}
