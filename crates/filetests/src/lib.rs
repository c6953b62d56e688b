//! The test harness: cases in folders, expected reports, the shared corpus, fuzz checks. For development only.
//!
//! * [`paths`]: where the repository and the shared corpus are.
//! * [`case`]: runs a case (`launch.toml`, `kernel.s` or `kernel.hsaco`, perhaps `expect.toml`) through the driver.
//! * [`expected`]: holds a text against a file, or blesses the file.
//! * [`marks`]: what must be found of a kernel, as its own source says it.
//! * [`fuzz`]: what fuzz targets check; [`random`]: choices that a seed decides.

pub mod case;
pub mod expected;
pub mod fuzz;
pub mod marks;
pub mod paths;
pub mod random;
