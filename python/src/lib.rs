//! The native half of the Python package: a device, its modules, launches and reports.
//!
//! What Python objects are and where their memory is, `wavemark/_memory.py` knows. Here are bytes, addresses and names.

use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wavemark_diag::{Diagnostic, SourceMap, Style, render};
use wavemark_driver::build::Failure;
use wavemark_driver::device::{Arguments, Extent, ModuleId};
use wavemark_driver::files::Roots;
use wavemark_driver::input::{self, Lang};
use wavemark_driver::kernarg::{Argument, Passed};
use wavemark_driver::options::{Brake, Completion, Halt, RunOptions};
use wavemark_driver::report::{self, Checked};
use wavemark_driver::run::source_lines;
use wavemark_driver::{Parts, device, render_sarif, render_text};
use wavemark_target::TargetId;

create_exception!(wavemark, Error, PyException, "The input, the launch or the options cannot be used.");
create_exception!(wavemark, Unsupported, Error, "What is asked for is not modelled.");

/// A device: memory and modules.
#[pyclass(module = "wavemark._wavemark")]
struct Device {
    device: device::Device,
    sources: SourceMap,
    modules: Vec<ModuleId>,
}

impl Device {
    fn refused(&self, diagnostics: &[Diagnostic]) -> PyErr {
        let rendered: Vec<String> =
            diagnostics.iter().map(|one| render(&self.sources, one, Style::Plain)).collect();
        Error::new_err(rendered.join("\n"))
    }

    fn failed(&self, failure: Failure) -> PyErr {
        match failure {
            Failure::Unusable(diagnostics) => self.refused(&diagnostics),
            Failure::Unsupported(what) => Unsupported::new_err(what),
        }
    }

    fn module(&self, module: usize) -> PyResult<ModuleId> {
        self.modules.get(module).copied().ok_or_else(|| PyValueError::new_err("there is no such module"))
    }
}

#[pymethods]
impl Device {
    #[new]
    fn new() -> Device {
        Device { device: device::Device::new(), sources: SourceMap::new(), modules: Vec::new() }
    }

    fn allocate(&mut self, name: &str, contents: Vec<u8>) -> u64 {
        self.device.allocate(name, contents)
    }

    /// The address of memory whose contents are `size` bytes of this process at `start`, which stay there until it is freed.
    fn map(&mut self, name: &str, start: usize, size: usize, writable: bool) -> PyResult<u64> {
        let Some(start) = NonNull::new(start as *mut u8) else {
            return Err(PyValueError::new_err("there is no memory at address 0"));
        };
        // SAFETY: `_memory.py` keeps the owner of the memory until it frees the mapping; a launch is over before Python runs
        // again in this thread, and other threads are not to touch arguments of a launch, as with a GPU.
        let address = unsafe { self.device.map(name, start, size, writable) };
        address.map_err(|diagnostic| self.refused(&[diagnostic]))
    }

    fn read<'py>(&mut self, py: Python<'py>, address: u64, size: u64) -> PyResult<Bound<'py, PyBytes>> {
        match self.device.read(address, size) {
            Ok(bytes) => Ok(PyBytes::new(py, bytes)),
            Err(diagnostic) => Err(self.refused(&[diagnostic])),
        }
    }

    fn write(&mut self, address: u64, contents: &[u8]) -> PyResult<()> {
        self.device.write(address, contents).map_err(|diagnostic| self.refused(&[diagnostic]))
    }

    fn free(&mut self, address: u64) -> PyResult<()> {
        self.device.free(address).map_err(|diagnostic| self.refused(&[diagnostic]))
    }

    fn take_back(&mut self, address: u64) {
        self.device.take_back(address);
    }

    /// Loads a code object, a bundle or assembly; the number of the module.
    #[pyo3(signature = (name, contents, path=None, lang=None, target=None))]
    fn load(
        &mut self,
        name: String,
        contents: Vec<u8>,
        path: Option<String>,
        lang: Option<&str>,
        target: Option<&str>,
    ) -> PyResult<usize> {
        let lang = match lang {
            None => None,
            Some("asm") => Some(Lang::Asm),
            Some("obj") => Some(Lang::Obj),
            Some(other) => {
                return Err(PyValueError::new_err(format!("lang is \"asm\" or \"obj\", not {other:?}")));
            }
        };
        let target = target
            .map(|target| target.parse().map_err(|error| PyValueError::new_err(format!("{target}: {error}"))))
            .transpose()?;
        let input = input::from_bytes(name, path.as_deref().map(Path::new), contents, lang)
            .map_err(|diagnostic| self.refused(&[diagnostic]))?;
        let options = RunOptions { target, ..RunOptions::default() };
        let module =
            self.device.load(&mut self.sources, &input, &options).map_err(|failure| self.failed(failure))?;
        self.modules.push(module);
        Ok(self.modules.len() - 1)
    }

    /// Unloads a module.
    fn unload(&mut self, module: usize) -> PyResult<()> {
        let module = self.module(module)?;
        self.device.unload(module).map_err(|diagnostic| self.refused(&[diagnostic]))
    }

    fn kernels(&self, module: usize) -> PyResult<Vec<String>> {
        Ok(self.device.kernels(self.module(module)?).map(str::to_owned).collect())
    }

    /// Name, bytes and kind of each argument that is not hidden; `None` if the code object does not say.
    fn parameters(
        &self,
        module: usize,
        kernel: &str,
    ) -> PyResult<Option<Vec<(Option<String>, u64, String)>>> {
        let parameters = self.device.parameters(self.module(module)?, Some(kernel));
        let parameters = parameters.map_err(|diagnostic| self.refused(&[diagnostic]))?;
        Ok(parameters.map(|all| all.into_iter().map(|one| (one.name, one.size, one.value_kind)).collect()))
    }

    /// Runs a kernel. `arguments` are addresses and bytes, each with a name; or the whole argument segment is given.
    #[pyo3(signature = (module, kernel, grid, block, arguments, *, segment=None, cluster=None, dynamic_lds=0,
        check="full", completion="late", seed=0, threads=None, max_steps=None, timeout=None, model=Vec::new()))]
    fn launch(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        module: usize,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        arguments: Vec<(String, Option<u64>, Vec<u8>)>,
        segment: Option<Vec<u8>>,
        cluster: Option<[u32; 3]>,
        dynamic_lds: u32,
        check: &str,
        completion: &str,
        seed: u64,
        threads: Option<u32>,
        max_steps: Option<u64>,
        timeout: Option<f64>,
        model: Vec<String>,
    ) -> PyResult<Report> {
        let completion = match completion {
            "late" => Completion::Late,
            "early" => Completion::Early,
            "random" => Completion::Random,
            other => {
                let problem = format!("completion is \"late\", \"early\" or \"random\", not {other:?}");
                return Err(PyValueError::new_err(problem));
            }
        };
        // Python's handlers of signals run when somebody asks for them: Ctrl-C ends a launch.
        let interrupt: Arc<Mutex<Option<PyErr>>> = Arc::default();
        let raised = Arc::clone(&interrupt);
        let ask = move || {
            let error = Python::attach(|py| py.check_signals()).err()?;
            raised.lock().ok()?.get_or_insert(error);
            Some(Halt::Interrupt)
        };
        let brake = match timeout.map(Duration::try_from_secs_f64) {
            None => Brake::default(),
            Some(Ok(time)) => Brake::new(Instant::now().checked_add(time)),
            Some(Err(error)) => return Err(PyValueError::new_err(format!("timeout: {error}"))),
        };
        let options = RunOptions {
            check: Checked::parse(check).map_err(PyValueError::new_err)?,
            completion,
            seed,
            threads,
            max_steps,
            brake: Arc::new(brake.asking(BETWEEN_SIGNALS, ask)),
            model,
            ..RunOptions::default()
        };
        let extent = Extent { grid, block, cluster, dynamic_lds };
        let mut this = slf.try_borrow_mut()?;
        let module = this.module(module)?;
        let arguments: Vec<Argument<'_>> = arguments
            .iter()
            .map(|(name, address, bytes)| Argument {
                name,
                span: None,
                passed: address.map_or(Passed::Value(bytes), Passed::Address),
            })
            .collect();
        let arguments = match &segment {
            Some(segment) => Arguments::Segment(segment),
            None => Arguments::Values(&arguments),
        };
        let device = &mut this.device;
        let report = py.detach(|| device.launch(module, Some(kernel), &extent, arguments, &options));
        if let Some(error) = interrupt.lock().ok().and_then(|mut error| error.take()) {
            return Err(error);
        }
        let report = report.map_err(|failure| this.failed(failure))?;
        Ok(Report { report, device: slf.clone().unbind(), text: OnceLock::new() })
    }
}

/// The time between two looks at whether a signal has come.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(100);

/// Bytes that one request of an input may take if nobody says: 8 GiB, or what the host leaves.
const MAX_MEMORY: u64 = 8 << 30;

/// Bytes that one request of an input may take: Python's allocator counts nothing, so that there is no sum.
#[pyfunction]
fn set_max_memory(size: u64) {
    wavemark_budget::set_limit(usize::try_from(size).unwrap_or(usize::MAX));
}

/// Bytes of LDS that a workgroup may have, work-items of a wave and of a workgroup, at most.
#[pyfunction]
fn limits(target: &str) -> PyResult<(u32, u32, u32)> {
    let target: TargetId =
        target.parse().map_err(|error| PyValueError::new_err(format!("{target}: {error}")))?;
    let wave = target.processor.default_wave_size();
    let limits = target.processor.limits(wave);
    Ok((limits.lds_bytes, wave.lanes(), limits.max_workgroup_size))
}

/// The findings of reports as SARIF.
#[pyfunction]
fn sarif(reports: Vec<PyRef<'_, Report>>) -> String {
    let reports: Vec<report::Report> = reports.iter().map(|one| one.report.clone()).collect();
    format!("{:#}", render_sarif(&reports, None))
}

/// What a launch came to.
#[pyclass(module = "wavemark._wavemark", frozen)]
struct Report {
    report: report::Report,
    /// It has the sources.
    device: Py<Device>,
    text: OnceLock<String>,
}

#[pymethods]
impl Report {
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<&str> {
        if let Some(text) = self.text.get() {
            return Ok(text);
        }
        let device = self.device.try_borrow(py)?;
        let roots = Roots::of_input(Some(Path::new(&self.report.input)), []);
        let lines = source_lines(&device.sources, roots);
        let text = render_text(&self.report, &lines, Style::Plain, Parts::All);
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
        findings.filter(|finding| finding.severity == report::Severity::Error).count()
    }

    /// What the program has printed: `(is_stderr, text)`, in order.
    #[getter]
    fn printed(&self) -> Vec<(bool, &str)> {
        let printed = self.report.printed.iter();
        printed.map(|one| (one.stream == report::Stream::Stderr, one.text.as_str())).collect()
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

    /// 0: clean; 1: findings; 3: something is not modelled, or a check did not happen.
    #[getter]
    fn exit_status(&self) -> u8 {
        self.report.exit_status() as u8
    }
}

/// The native half of the package.
#[pymodule]
fn _wavemark(module: &Bound<'_, PyModule>) -> PyResult<()> {
    set_max_memory(wavemark_budget::host_leaves().min(MAX_MEMORY));
    module.add_class::<Device>()?;
    module.add_class::<Report>()?;
    module.add_function(wrap_pyfunction!(limits, module)?)?;
    module.add_function(wrap_pyfunction!(sarif, module)?)?;
    module.add_function(wrap_pyfunction!(set_max_memory, module)?)?;
    module.add("Error", module.py().get_type::<Error>())?;
    module.add("Unsupported", module.py().get_type::<Unsupported>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
