//! A device: memory, modules, launches.

use std::ptr::NonNull;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wavemark_diag::Diagnostic;
use wavemark_driver::build::Failure;
use wavemark_driver::device::{Arguments, Extent, ModuleId};
use wavemark_driver::input::Lang;
use wavemark_driver::kernarg::{Argument, Passed};
use wavemark_driver::options::{Brake, Halt, RunOptions};
use wavemark_driver::session::Session;

use crate::report::Report;
use crate::{Error, Unsupported, target_of};

/// The time between two looks at whether a signal has come.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(100);

/// A device: memory and modules.
#[pyclass(module = "wavemark._wavemark")]
pub struct Device {
    session: Session,
    modules: Vec<ModuleId>,
}

impl Device {
    /// A device without modules, for the sources of a session.
    pub fn of(session: Session) -> Device {
        Device { session, modules: Vec::new() }
    }

    /// The device with its sources.
    pub fn session(&self) -> &Session {
        &self.session
    }

    fn refused(&self, diagnostic: &Diagnostic) -> PyErr {
        Error::new_err(self.session.describe(diagnostic))
    }

    fn failed(&self, failure: Failure) -> PyErr {
        match failure {
            Failure::Unusable(_) => Error::new_err(self.session.explain(&failure)),
            Failure::Unsupported(what) => Unsupported::new_err(what),
        }
    }

    fn module(&self, module: usize) -> PyResult<ModuleId> {
        self.modules.get(module).copied().ok_or_else(|| PyValueError::new_err("there is no such module"))
    }
}

/// Arguments as Python has them: each with a name, and an address or else bytes.
type Values = Vec<(String, Option<u64>, Vec<u8>)>;

/// The same for the driver; or the whole segment, if it is given.
fn with_arguments<T>(
    values: &Values,
    segment: Option<&[u8]>,
    use_them: impl FnOnce(Arguments<'_>) -> T,
) -> T {
    if let Some(segment) = segment {
        return use_them(Arguments::Segment(segment));
    }
    let values = values.iter().map(|(name, address, bytes)| Argument {
        name,
        span: None,
        passed: address.map_or(Passed::Value(bytes), Passed::Address),
    });
    use_them(Arguments::Values(&values.collect::<Vec<_>>()))
}

#[pymethods]
impl Device {
    #[new]
    fn new() -> Device {
        Device::of(Session::new())
    }

    fn allocate(&mut self, name: &str, contents: Vec<u8>) -> u64 {
        self.session.device.allocate(name, contents)
    }

    /// The address of memory whose contents are `size` bytes of this process at `start`, which stay there until it is freed.
    fn map(&mut self, name: &str, start: usize, size: usize, writable: bool) -> PyResult<u64> {
        let Some(start) = NonNull::new(start as *mut u8) else {
            return Err(PyValueError::new_err("there is no memory at address 0"));
        };
        // SAFETY: `_memory.py` keeps the owner of the memory until it frees the mapping; a launch is over before Python runs
        // again in this thread, and other threads are not to touch arguments of a launch, as with a GPU.
        let address = unsafe { self.session.device.map(name, start, size, writable) };
        address.map_err(|diagnostic| self.refused(&diagnostic))
    }

    fn read<'py>(&mut self, py: Python<'py>, address: u64, size: u64) -> PyResult<Bound<'py, PyBytes>> {
        match self.session.device.read(address, size) {
            Ok(bytes) => Ok(PyBytes::new(py, bytes)),
            Err(diagnostic) => Err(self.refused(&diagnostic)),
        }
    }

    fn write(&mut self, address: u64, contents: &[u8]) -> PyResult<()> {
        self.session.device.write(address, contents).map_err(|diagnostic| self.refused(&diagnostic))
    }

    fn free(&mut self, address: u64) -> PyResult<()> {
        self.session.device.free(address).map_err(|diagnostic| self.refused(&diagnostic))
    }

    fn take_back(&mut self, address: u64) {
        self.session.device.take_back(address);
    }

    /// Loads a code object, a bundle or assembly; the number of the module.
    #[pyo3(signature = (name, contents, lang=None, target=None))]
    fn load(
        &mut self,
        name: &str,
        contents: Vec<u8>,
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
        let target = target.map(target_of).transpose()?;
        let module = self.session.load(name, contents, lang, target);
        self.modules.push(module.map_err(|failure| self.failed(failure))?);
        Ok(self.modules.len() - 1)
    }

    /// Unloads a module.
    fn unload(&mut self, module: usize) -> PyResult<()> {
        let module = self.module(module)?;
        self.session.device.unload(module).map_err(|diagnostic| self.refused(&diagnostic))
    }

    fn kernels(&self, module: usize) -> PyResult<Vec<String>> {
        Ok(self.session.device.kernels(self.module(module)?).map(str::to_owned).collect())
    }

    /// Name, bytes and kind of each argument that is not hidden; `None` if the code object does not say.
    fn parameters(
        &self,
        module: usize,
        kernel: &str,
    ) -> PyResult<Option<Vec<(Option<String>, u64, String)>>> {
        let parameters = self.session.device.parameters(self.module(module)?, Some(kernel));
        let parameters = parameters.map_err(|diagnostic| self.refused(&diagnostic))?;
        Ok(parameters.map(|all| all.into_iter().map(|one| (one.name, one.size, one.value_kind)).collect()))
    }

    /// The file of a launch as it would run now.
    #[pyo3(signature = (module, kernel, grid, block, arguments, *, segment=None, cluster=None, dynamic_lds=0))]
    fn capture<'py>(
        &self,
        py: Python<'py>,
        module: usize,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        arguments: Values,
        segment: Option<Vec<u8>>,
        cluster: Option<[u32; 3]>,
        dynamic_lds: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let extent = Extent { grid, block, cluster, dynamic_lds };
        let module = self.module(module)?;
        let captured = with_arguments(&arguments, segment.as_deref(), |arguments| {
            self.session.device.capture(module, Some(kernel), &extent, arguments)
        });
        captured.map(|bytes| PyBytes::new(py, &bytes)).map_err(|failure| self.failed(failure))
    }

    /// Runs a kernel. `arguments` are addresses and bytes, each with a name; or the whole argument segment is given.
    #[pyo3(signature = (module, kernel, grid, block, arguments, *, segment=None, cluster=None, dynamic_lds=0,
        check="full", completion="late", seed=0, threads=None, max_steps=None, timeout=None, model=Vec::new(), record=false))]
    fn launch(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        module: usize,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        arguments: Values,
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
        record: bool,
    ) -> PyResult<Report> {
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
        let mut options = RunOptions {
            seed,
            threads,
            max_steps,
            brake: Arc::new(brake.asking(BETWEEN_SIGNALS, ask)),
            model,
            record,
            ..RunOptions::default()
        };
        for (name, value) in [("check", check), ("completion", completion)] {
            options.set(name, value).map_err(PyValueError::new_err)?;
        }
        let extent = Extent { grid, block, cluster, dynamic_lds };
        let mut this = slf.try_borrow_mut()?;
        let module = this.module(module)?;
        let device = &mut this.session.device;
        let report = py.detach(|| {
            with_arguments(&arguments, segment.as_deref(), |arguments| {
                device.launch(module, Some(kernel), &extent, arguments, &options)
            })
        });
        if let Some(error) = interrupt.lock().ok().and_then(|mut error| error.take()) {
            return Err(error);
        }
        let report = report.map_err(|failure| this.failed(failure))?;
        Ok(Report::new(report, slf.clone().unbind()))
    }
}
