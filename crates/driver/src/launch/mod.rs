//! The launch file: which kernel, over which grid, with which arguments, and what must come out.
//!
//! Follows the launch-file section of the project's interfaces, and where it leaves something open:
//! * `grid` and `block` must be there, unless the launch is of a tile program, whose loops say how it runs; one to
//!   three sizes, those left out are 1; none is zero.
//! * The grid is a multiple of the cluster in each dimension; a cluster has at most 16 workgroups, a workgroup at
//!   most 1024 work-items, and the grid in work-items fits the AQL packet's 32 bits per dimension.
//! * A buffer without `init` starts as zeros. `values` stands in place of `init`, flat or nested as the shape is.
//! * `expect` takes every form of `init` but `random`. `rtol` and `atol` are 0 when left out: exact.
//! * `hex:` digits are bytes in memory order, repeated to the end of the buffer.
//!
//! Reading is in [`parse`], filling the buffers in [`fill`].

mod data;
mod load;
mod parse;

use std::path::{Path, PathBuf};

use wavemark_diag::Span;

use wavemark_numerics::dtype::Dtype;

pub(crate) use data::split_mix;
pub use data::{Filled, fill};
pub use load::load;
pub(crate) use load::{given, named};
pub use parse::parse;

/// What a launch file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A kernel: `grid` and `block` are needed.
    Kernel,
    /// A tile program: they may be left out.
    Tile,
}

/// Work-items of a workgroup, at most: the limit of every processor we know.
pub const MAX_WORKGROUP_SIZE: u64 = 1024;
/// Workgroups of a cluster, at most.
pub const MAX_CLUSTER_SIZE: u64 = 16;
/// Bytes of one buffer, at most: ours, so that a slip of the pen does not take the machine down.
pub const MAX_BUFFER_BYTES: u64 = 8 << 30;
/// Bytes of all buffers of a launch, at most.
pub const MAX_TOTAL_BYTES: u64 = 16 << 30;

/// A launch, checked in itself (not yet against a kernel).
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The kernel's name; `None` when left out.
    pub kernel: Option<String>,
    /// Where the kernel is named.
    pub kernel_span: Option<Span>,
    /// Workgroups per dimension.
    pub grid: [u32; 3],
    /// Where the grid is given.
    pub grid_span: Option<Span>,
    /// Dimensions of the grid that the file spells out, 1 to 3.
    pub dimensions: u32,
    /// Work-items per workgroup and dimension.
    pub block: [u32; 3],
    /// Where the block is given.
    pub block_span: Option<Span>,
    /// Workgroups per cluster and dimension; `None`: no cluster launch.
    pub cluster: Option<[u32; 3]>,
    /// Where the cluster is given.
    pub cluster_span: Option<Span>,
    /// Bytes of LDS beyond the kernel's own.
    pub dynamic_lds: u32,
    /// Where that is given.
    pub dynamic_lds_span: Option<Span>,
    /// Arguments in kernel-argument order.
    pub args: Vec<Arg>,
}

impl Launch {
    /// The files that buffers are filled from and compared with, as they are named.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let buffers = self.args.iter().filter_map(|arg| match &arg.value {
            ArgValue::Buffer(buffer) => Some(buffer),
            ArgValue::Scalar(_) => None,
        });
        let contents = buffers.flat_map(|buffer| {
            std::iter::once(&buffer.init).chain(buffer.expect.as_ref().map(|expect| &expect.contents))
        });
        contents.filter_map(|init| match init {
            Init::File(path) => Some(path.as_path()),
            _ => None,
        })
    }
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// Its name, unique in the file.
    pub name: String,
    /// Where its table begins.
    pub span: Option<Span>,
    /// The element type.
    pub dtype: Dtype,
    /// Scalar or buffer.
    pub value: ArgValue,
}

/// What an argument passes.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgValue {
    /// The code of a number, passed by value.
    Scalar(u64),
    /// The address of an allocation of its own.
    Buffer(Buffer),
}

/// An allocation.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Elements per dimension.
    pub shape: Vec<u64>,
    /// Product of `shape`.
    pub elements: u64,
    /// Bytes; packed types round up.
    pub bytes: u64,
    /// What it holds at the start.
    pub init: Init,
    /// Where that is said.
    pub init_span: Option<Span>,
    /// What it must hold at the end.
    pub expect: Option<Expect>,
}

/// Contents of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// Zero bits.
    Zeros,
    /// The number one.
    Ones,
    /// The element's index, row-major.
    Iota,
    /// See [`fill`].
    Random,
    /// These bytes over and over; never empty.
    Pattern(Vec<u8>),
    /// A `.npy` file, by its path as written.
    File(PathBuf),
    /// Codes of all elements.
    Values(Vec<u64>),
}

/// What a buffer must hold at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The contents (never random).
    pub contents: Init,
    /// Where they are given.
    pub span: Option<Span>,
    /// Allowed error relative to the expected number.
    pub rtol: f64,
    /// Allowed absolute error.
    pub atol: f64,
}

impl Launch {
    /// Workgroups in all.
    pub fn workgroups(&self) -> u64 {
        product(&self.grid)
    }

    /// Work-items of a workgroup.
    pub fn workgroup_size(&self) -> u64 {
        product(&self.block)
    }
}

fn product(sizes: &[u32; 3]) -> u64 {
    sizes.iter().map(|&size| u64::from(size)).fold(1, u64::saturating_mul)
}
