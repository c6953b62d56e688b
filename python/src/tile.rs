//! Tile programs: planned, pipelined, checked and drawn, from the text that TVM prints to the text that it reads.

use pyo3::prelude::*;
use wavemark_diag::{Diagnostic, SourceMap, Span, Style, render};
use wavemark_driver::build::Failure;
use wavemark_driver::compile::{TileOptions, compile_module, parse_module, plan_module};
use wavemark_driver::input::{Lang, from_bytes};
use wavemark_driver::session::Session;
use wavemark_driver::tile::{self, Origin, Origins};

use crate::device::Device;
use crate::report::Report;
use crate::{Error, Unsupported, target_of};

/// A module as TVM prints it.
#[derive(FromPyObject)]
pub struct Script {
    /// What it is called where its author's file is not known.
    name: String,
    text: String,
    /// Name and text of the files that it comes from.
    files: Vec<(String, String)>,
    /// What is known of its lines: the number, the file, the first byte there and the one behind the last.
    origins: Vec<(u32, usize, usize, usize)>,
}

impl Script {
    /// Reads and verifies it.
    fn read(self, sources: &mut SourceMap) -> Result<tile::Module, Failure> {
        let Script { name, text, files, origins } = self;
        let lines = origins.into_iter();
        let lines = lines.map(|(line, file, start, end)| Origin { line, file, bytes: start..end });
        let origins = Origins { files, lines: lines.collect() };
        let input = from_bytes(name, None, text.into_bytes(), Some(Lang::Py))?;
        parse_module(sources, &input, &origins)
    }
}

/// What cannot be done, in words. Where all of it is what we do not do yet, that is said.
fn failed(sources: &SourceMap, failure: &Failure) -> PyErr {
    match failure {
        Failure::Unsupported(what) => Unsupported::new_err(what.clone()),
        Failure::Unusable(diagnostics) => {
            let text: Vec<String> =
                diagnostics.iter().map(|one| render(sources, one, Style::Plain)).collect();
            let known = |one: &Diagnostic| one.message.starts_with("unsupported: ");
            let text = text.join("\n");
            if diagnostics.iter().all(known) { Unsupported::new_err(text) } else { Error::new_err(text) }
        }
    }
}

/// A place and what there is to say of it.
type Note = (Option<String>, String);

fn place(sources: &SourceMap, span: Option<Span>) -> Option<String> {
    span.map(|span| sources.location(span))
}

/// The module with its pipelines written out, as text; what was decided; and the picture of each function's first
/// pipeline, with the function's name, if they are asked for.
#[pyfunction]
#[pyo3(signature = (script, *, tvm_compatible=false, target=None, draw=false))]
pub fn pipeline_tile(
    py: Python<'_>,
    script: Script,
    tvm_compatible: bool,
    target: Option<&str>,
    draw: bool,
) -> PyResult<(String, Vec<Note>, Vec<(String, String)>)> {
    let target = target.map(target_of).transpose()?;
    let options = TileOptions { tvm_compatible, target, diagrams: draw, ..TileOptions::default() };
    let mut sources = SourceMap::new();
    let compiled = py.detach(|| {
        let module = script.read(&mut sources)?;
        compile_module(module, &options)
    });
    let compiled = compiled.map_err(|failure| failed(&sources, &failure))?;
    let notes = compiled.notes.into_iter().map(|note| (place(&sources, note.span), note.message));
    let pictures = compiled.diagrams.into_iter().map(|diagram| (diagram.function, diagram.svg));
    Ok((compiled.text, notes.collect(), pictures.collect()))
}

/// The module whose loops with `num_stages` alone have the annotations of a pipeline, as text, and what was decided of each
/// loop, as JSON.
#[pyfunction]
pub fn plan_tile(py: Python<'_>, script: Script) -> PyResult<(String, String)> {
    let mut sources = SourceMap::new();
    let planned = py.detach(|| {
        let module = script.read(&mut sources)?;
        plan_module(module)
    });
    let planned = planned.map_err(|failure| failed(&sources, &failure))?;
    let loops = planned.loops.iter().map(|(function, plan)| {
        serde_json::json!({
            "function": function,
            "name": plan.name,
            "place": place(&sources, plan.span),
            "num_stages": plan.num_stages,
            "statements": plan.statements,
            "stages": plan.stages,
            "order": plan.order,
            "async_stages": plan.async_stages,
            "versions": plan.versions,
            "lds_bytes_before": plan.lds_bytes_before,
            "lds_bytes_after": plan.lds_bytes_after,
            "remarks": plan.remarks,
            "summary": plan.summary(),
        })
    });
    let loops = serde_json::Value::Array(loops.collect());
    Ok((planned.text, loops.to_string()))
}

/// The checker's report on the waits of a module, which is pipelined first where its loops ask for that.
#[pyfunction]
pub fn check_tile(py: Python<'_>, script: Script) -> PyResult<Report> {
    let mut session = Session::new();
    let name = script.name.clone();
    let report = py.detach(|| {
        let module = script.read(&mut session.sources)?;
        tile::check_module(&session.sources, &name, module)
    });
    let report = report.map_err(|failure| failed(&session.sources, &failure))?;
    Ok(Report::new(report, Py::new(py, Device::of(session))?))
}
