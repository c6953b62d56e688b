//! Code-object plumbing: link, inspect, bundle.

use wavemark_codeobj::{CodeObject, link};
use wavemark_diag::{Diagnostic, SourceMap};

use crate::build::parse_object;
use crate::input::{Form, Input};

/// Links relocatable code objects into a loadable file.
pub fn link_inputs(sources: &mut SourceMap, inputs: &[Input]) -> Result<Vec<u8>, Diagnostic> {
    let mut objects: Vec<CodeObject> = Vec::new();
    for input in inputs {
        if input.form != Form::CodeObject {
            return Err(Diagnostic::error(format!(
                "{} is {}, not a code object",
                input.name,
                input.form.name()
            )));
        }
        objects.push(parse_object(sources, &input.name, &input.bytes)?);
    }
    link(&objects).map_err(|error| {
        let names =
            inputs.iter().enumerate().map(|(index, input)| format!("input {index} is {}", input.name));
        Diagnostic::error(format!("cannot link: {error}")).note(names.collect::<Vec<_>>().join(", "))
    })
}
