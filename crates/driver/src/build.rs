//! From an input to a loadable code object.

use wavemark_codeobj::CodeObject;
use wavemark_diag::{Diagnostic, SourceMap, Span};

use crate::input::{Form, Input, agree};
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

/// A code object that can be loaded, from whatever the input was.
pub fn loadable(sources: &mut SourceMap, input: &Input, options: &RunOptions) -> Result<CodeObject, Failure> {
    match input.form {
        Form::CodeObject => code_object(sources, &input.name, &input.bytes, options),
        Form::TvmScript | Form::LlvmIr => Err(Failure::Unsupported(format!(
            "{} is {}, and there is no compiler yet: give assembly or a code object",
            input.name,
            input.form.name()
        ))),
        Form::Litmus => {
            Err(Diagnostic::error(format!("{} is a litmus test, which has no kernel to run", input.name))
                .into())
        }
        Form::Assembly | Form::Bundle => {
            Err(Failure::Unsupported(format!("{} cannot be read yet", input.form.name())))
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
    Ok(object)
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
