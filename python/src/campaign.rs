//! Campaigns: the driver's, with plans and records as JSON.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use wavemark_diag::{Diagnostic, SourceMap, Style, render};
use wavemark_driver::batch;
use wavemark_driver::campaign::{self, Ledger, Plan, Record, pool};
use wavemark_driver::options::{Brake, Halt};

use crate::Error;

fn refused(diagnostic: &Diagnostic) -> PyErr {
    Error::new_err(render(&SourceMap::new(), diagnostic, Style::Plain))
}

fn wrong(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The kernels that paths name, with their launch files.
#[pyfunction]
pub fn expand(inputs: Vec<PathBuf>) -> PyResult<Vec<(PathBuf, Option<PathBuf>)>> {
    let items = batch::expand(&inputs, None).map_err(|diagnostic| refused(&diagnostic))?;
    Ok(items.into_iter().map(|item| (item.input, item.launch)).collect())
}

/// A campaign, and what of it has been run.
#[pyclass(module = "wavemark._wavemark", frozen)]
pub struct Campaign {
    campaign: Arc<campaign::Campaign>,
    brake: Arc<Brake>,
    ledger: Mutex<Ledger>,
}

impl Campaign {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Campaign {
    #[new]
    #[pyo3(signature = (plan, journal=None, timeout=None))]
    fn new(plan: &str, journal: Option<PathBuf>, timeout: Option<f64>) -> PyResult<Campaign> {
        let plan: Plan = serde_json::from_str(plan).map_err(wrong)?;
        let time = timeout.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| PyValueError::new_err(format!("timeout: {error}")))?;
        let brake = Arc::new(Brake::new(time.and_then(|time| Instant::now().checked_add(time))));
        let campaign = campaign::Campaign::new(plan, Arc::clone(&brake));
        let campaign = Arc::new(campaign.map_err(|diagnostic| refused(&diagnostic))?);
        let ledger = Ledger::open(Arc::clone(&campaign), journal.as_deref());
        let ledger = Mutex::new(ledger.map_err(|diagnostic| refused(&diagnostic))?);
        Ok(Campaign { campaign, brake, ledger })
    }

    /// The plan as JSON.
    #[getter]
    fn plan(&self) -> PyResult<String> {
        serde_json::to_string(self.campaign.plan()).map_err(wrong)
    }

    /// How many units there are.
    #[getter]
    fn units(&self) -> u64 {
        self.campaign.units()
    }

    /// The numbers of the units that are left.
    fn left(&self) -> Vec<u64> {
        self.ledger().left()
    }

    /// Takes a record, a line of JSON; whether it is the first of its unit.
    fn add(&self, line: &str) -> PyResult<bool> {
        let record = Record::from_line(line).map_err(wrong)?;
        self.ledger().add(record).map_err(|diagnostic| refused(&diagnostic))
    }

    /// Runs a unit; its record, which is not taken.
    fn run(&self, py: Python<'_>, number: u64) -> PyResult<String> {
        if number >= self.campaign.units() {
            return Err(PyValueError::new_err(format!("the campaign has no unit {number}")));
        }
        let record = py.detach(|| self.campaign.run(number));
        serde_json::to_string(&record).map_err(wrong)
    }

    /// Runs all that is left on so many threads. `progress` is called after each unit; what it raises ends the campaign.
    fn run_all(&self, py: Python<'_>, jobs: u32, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let left = self.left();
        let mut raised = None;
        let each = |record| {
            self.ledger().add(record)?;
            if let Some(progress) = &progress
                && let Err(error) = Python::attach(|py| progress.call0(py))
            {
                raised = Some(error);
                self.brake.pull(Halt::Interrupt);
                return Err(Diagnostic::error("what watches the campaign has raised"));
            }
            Ok(())
        };
        let ran = py.detach(|| pool::run(&self.campaign, left, jobs, each));
        if let Some(error) = raised {
            return Err(error);
        }
        ran.map_err(|diagnostic| refused(&diagnostic))
    }

    /// Ends what is running.
    fn stop(&self) {
        self.brake.pull(Halt::Interrupt);
    }

    /// Whether it has been ended, or its time is over.
    #[getter]
    fn stopped(&self) -> bool {
        self.brake.pulled().is_some()
    }

    /// The merged report as text.
    fn text(&self) -> String {
        self.ledger().merge().to_text()
    }

    /// The merged report as JSON.
    fn json(&self) -> PyResult<String> {
        serde_json::to_string(&self.ledger().merge()).map_err(wrong)
    }

    /// The greatest exit status of its units; 3 if units are left and those that were run are clean.
    #[getter]
    fn exit_status(&self) -> u8 {
        self.ledger().exit_status() as u8
    }
}
