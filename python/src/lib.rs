//! The native half of the Python package: devices, their modules, launches and reports; campaigns; tile programs.
//!
//! What Python objects are and where their memory is, `wavemark/_memory.py` knows. Here are bytes, addresses and names.

mod campaign;
mod device;
mod report;
mod tile;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use wavemark_target::TargetId;

create_exception!(wavemark, Error, PyException, "The input, the launch or the options cannot be used.");
create_exception!(wavemark, Unsupported, Error, "What is asked for is not modelled.");

/// Bytes that one request of an input may take if nobody says: 8 GiB, or what the host leaves.
const MAX_MEMORY: u64 = 8 << 30;

/// Bytes that one request of an input may take: Python's allocator counts nothing, so that there is no sum.
#[pyfunction]
fn set_max_memory(size: u64) {
    wavemark_budget::set_limit(usize::try_from(size).unwrap_or(usize::MAX));
}

fn target_of(target: &str) -> PyResult<TargetId> {
    target.parse().map_err(|error| PyValueError::new_err(format!("{target}: {error}")))
}

/// Bytes of LDS that a workgroup may have, work-items of a wave and of a workgroup, at most.
#[pyfunction]
fn limits(target: &str) -> PyResult<(u32, u32, u32)> {
    let target = target_of(target)?;
    let wave = target.processor.default_wave_size();
    let limits = target.processor.limits(wave);
    Ok((limits.lds_bytes, wave.lanes(), limits.max_workgroup_size))
}

/// The native half of the package.
#[pymodule]
fn _wavemark(module: &Bound<'_, PyModule>) -> PyResult<()> {
    set_max_memory(wavemark_budget::host_leaves().min(MAX_MEMORY));
    module.add_class::<device::Device>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<campaign::Campaign>()?;
    module.add_function(wrap_pyfunction!(limits, module)?)?;
    module.add_function(wrap_pyfunction!(report::sarif, module)?)?;
    module.add_function(wrap_pyfunction!(report::page, module)?)?;
    module.add_function(wrap_pyfunction!(campaign::expand, module)?)?;
    module.add_function(wrap_pyfunction!(tile::pipeline_tile, module)?)?;
    module.add_function(wrap_pyfunction!(tile::plan_tile, module)?)?;
    module.add_function(wrap_pyfunction!(tile::check_tile, module)?)?;
    module.add_function(wrap_pyfunction!(set_max_memory, module)?)?;
    module.add("Error", module.py().get_type::<Error>())?;
    module.add("Unsupported", module.py().get_type::<Unsupported>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
