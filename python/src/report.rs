//! What a launch came to, as text, JSON, SARIF, a page, pictures and a trace.

use std::sync::OnceLock;

use pyo3::prelude::*;
use wavemark_driver::report::{self, Severity, Stream};
use wavemark_driver::trace::trace_json;
use wavemark_driver::{Parts, pictures, render_html, render_sarif};

use crate::Error;
use crate::device::Device;

/// What a launch came to.
#[pyclass(module = "wavemark._wavemark", frozen)]
pub struct Report {
    report: report::Report,
    /// It has the sources.
    device: Py<Device>,
    text: OnceLock<String>,
}

impl Report {
    pub fn new(report: report::Report, device: Py<Device>) -> Report {
        Report { report, device, text: OnceLock::new() }
    }
}

#[pymethods]
impl Report {
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<&str> {
        if let Some(text) = self.text.get() {
            return Ok(text);
        }
        let text = self.device.try_borrow(py)?.session().text(&self.report, Parts::All);
        Ok(self.text.get_or_init(|| text))
    }

    /// The kernel's name.
    #[getter]
    fn kernel(&self) -> &str {
        &self.report.kernel
    }

    /// How many findings there are.
    #[getter]
    fn findings(&self) -> usize {
        self.report.findings.len()
    }

    /// Errors among the findings.
    #[getter]
    fn errors(&self) -> usize {
        let findings = self.report.findings.iter();
        findings.filter(|finding| finding.severity == Severity::Error).count()
    }

    /// What the program has printed: `(is_stderr, text)`, in order.
    #[getter]
    fn printed(&self) -> Vec<(bool, &str)> {
        let printed = self.report.printed.iter();
        printed.map(|one| (one.stream == Stream::Stderr, one.text.as_str())).collect()
    }

    /// Why something could not be run.
    #[getter]
    fn unsupported(&self) -> &[String] {
        &self.report.unsupported
    }

    /// Wave instructions executed, and seconds that the run took.
    #[getter]
    fn cost(&self) -> (u64, f64) {
        (self.report.stats.wave_instructions, self.report.stats.seconds)
    }

    fn json(&self) -> PyResult<String> {
        serde_json::to_string(&self.report).map_err(|error| Error::new_err(error.to_string()))
    }

    /// Time lines as SVG, each with the number of its finding.
    fn pictures(&self) -> Vec<(Option<usize>, String)> {
        pictures(&self.report)
    }

    /// The trace that Perfetto opens; `None` if the launch was not recorded.
    fn trace(&self) -> PyResult<Option<String>> {
        let trace = self.report.recording.as_deref().map(trace_json).transpose();
        trace.map_err(|error| Error::new_err(error.to_string()))
    }

    /// 0: clean; 1: findings; 3: something is not modelled, or a check did not happen.
    #[getter]
    fn exit_status(&self) -> u8 {
        self.report.exit_status() as u8
    }
}

/// The findings of reports as SARIF.
#[pyfunction]
pub fn sarif(reports: Vec<PyRef<'_, Report>>) -> String {
    let reports: Vec<report::Report> = reports.iter().map(|one| one.report.clone()).collect();
    format!("{:#}", render_sarif(&reports, None))
}

/// Reports as one HTML page.
#[pyfunction]
pub fn page(py: Python<'_>, reports: Vec<PyRef<'_, Report>>) -> PyResult<String> {
    let devices = reports.iter().map(|one| one.device.try_borrow(py)).collect::<Result<Vec<_>, _>>()?;
    let lines: Vec<_> =
        reports.iter().zip(&devices).map(|(one, device)| device.session().lines(&one.report)).collect();
    let each: Vec<_> = reports.iter().zip(&lines).map(|(one, lines)| (&one.report, lines as _)).collect();
    Ok(render_html(&each))
}
