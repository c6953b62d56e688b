//! A stand-in for AMD's HIP runtime: `libamdhip64.so`, for programs that launch kernels through HIP.
//!
//! With it in `LD_LIBRARY_PATH` a HIP program runs unchanged, as does Triton with AMD's own driver; every launch is
//! executed and checked here. Names, numbers and structures follow the headers of HIP 7.1 (`hip_runtime_api.h`,
//! `driver_types.h`), the registration of fat binaries what clang writes into host code (`CGCUDANV.cpp`).
//!
//! There is one device. Streams are in order and do not overlap: a call is done when it returns, whichever stream it is
//! for, which is one of the orders that HIP allows. Its time is the instructions that its launches have executed.
//!
//! A launch that does something wrong says so on standard error, with the report of the command line. What
//! it computed stands, as it would on hardware, so that the launch succeeds; but a program that ends with
//! status 0 after errors were found ends with 1 ([`settings::OnFindings`]). A launch that did not come to its end
//! fails, and so does every synchronisation after it.
//!
//! What is not here has no symbol: the dynamic linker and `hipGetProcAddress` name it.
#![allow(non_snake_case, reason = "the entry points are called what HIP calls them")]

mod answer;
mod device;
mod error;
mod event;
mod handle;
mod host_image;
mod launch;
mod memory;
mod module;
mod pinned;
mod proc_address;
mod properties;
mod register;
mod runtime;
pub mod settings;
mod symbol;
