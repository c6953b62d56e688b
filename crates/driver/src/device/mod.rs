//! A device for programs that launch kernels themselves: memory, modules, launches one after the other.
//!
//! This is what the doors are made of that are no command line: nothing here names a file or a launch file. Memory and the
//! variables of modules stay as a launch leaves them. A launch is over when [`Device::launch`] returns, so that
//! launches of one device are ordered, whatever they share.
//!
//! Memory may be the host's own ([`Device::map`]). Does not: streams that overlap. A launch runs under one schedule: it
//! changes memory, which another one would need as it was. A launch that is captured ([`Device::capture`]) runs elsewhere,
//! from the memory that it found, as often as is wanted.

mod captured;
mod replay;

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use wavemark_codeobj::elf::{Place, SymbolType};
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::read::Kernel;
use wavemark_codeobj::{CodeObject, KernelMetadata, LoadedImage};
use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_sim::Global;
use wavemark_target::{Machine, TargetId};

use crate::build::{Failure, Loadable, loadable};
use crate::execution::{
    Code, Covered, LoadedKernel, Pass, Ran, argument_segment, code_of, code_size, dispatch_once, load,
    machine_kernel, undispatched,
};
use crate::input::Input;
use crate::kernarg::{Argument, Parameter};
use crate::kernel;
use crate::launch::Launch;
use crate::options::RunOptions;
use crate::places::Places;
use crate::report::Report;
use crate::run::{self, Looked, merge, say_checked, subject};
use crate::statics::Subject;

pub(crate) use captured::is_captured;
pub(crate) use replay::run as run_captured;

/// A device.
#[derive(Debug)]
pub struct Device {
    number: u64,
    memory: Global,
    /// Those that are unloaded keep their place.
    modules: Vec<Option<Module>>,
}

/// The number of the next device.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A code object that is loaded into a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId {
    device: u64,
    at: usize,
}

#[derive(Debug)]
struct Module {
    /// What it was loaded from.
    input: Input,
    object: CodeObject,
    lines: LineTable,
    image: LoadedImage,
    code: Vec<wavemark_sim::Segment>,
    /// What the last launch of each kernel has executed, and what its report says of that.
    covered: FxHashMap<String, (Vec<u64>, Covered)>,
}

/// How many work-items a launch has, and what they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// Workgroups per dimension.
    pub grid: [u32; 3],
    /// Work-items per workgroup and dimension.
    pub block: [u32; 3],
    /// Workgroups per cluster and dimension.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of LDS beyond the kernel's own.
    pub dynamic_lds: u32,
}

/// The kernel-argument segment of a launch.
#[derive(Clone, Copy, Debug)]
pub enum Arguments<'a> {
    /// The arguments in the order of the kernel's parameters; hidden ones are filled in.
    Values(&'a [Argument<'a>]),
    /// Its bytes, hidden arguments and all.
    Segment(&'a [u8]),
}

impl Default for Device {
    fn default() -> Device {
        Device { number: NEXT.fetch_add(1, Ordering::Relaxed), memory: Global::new(), modules: Vec::new() }
    }
}

impl Device {
    /// A device without memory or modules.
    pub fn new() -> Device {
        Device::default()
    }

    /// The address of new memory that holds `bytes`; `name` is what reports call it.
    pub fn allocate(&mut self, name: &str, bytes: Vec<u8>) -> u64 {
        self.memory.allocate(name, bytes, true)
    }

    /// The address of memory whose contents are `len` bytes of the host's, not a copy of them; `name` is what reports call it.
    ///
    /// # Errors
    ///
    /// If there are no addresses left for it.
    ///
    /// # Safety
    ///
    /// The bytes at `start` are there until the memory is freed or taken back, or the device is dropped, and nobody else
    /// accesses them while the device reads, writes or launches.
    pub unsafe fn map(
        &mut self,
        name: &str,
        start: NonNull<u8>,
        len: usize,
        writable: bool,
    ) -> Result<u64, Diagnostic> {
        // SAFETY: the caller promises it.
        let address = unsafe { self.memory.map(name, start, len, writable) };
        address.ok_or_else(|| Diagnostic::error(format!("there are no addresses left for {len} bytes")))
    }

    /// Frees the memory that begins at `address`. What a kernel does with it from then on is out of bounds.
    ///
    /// # Errors
    ///
    /// If no memory that has been allocated begins there.
    pub fn free(&mut self, address: u64) -> Result<(), Diagnostic> {
        if !self.is_modules(address) && self.memory.free(address) {
            return Ok(());
        }
        Err(Diagnostic::error(format!("no memory that begins at {address:#x} has been allocated")))
    }

    /// Frees the memory that begins at `address` and forgets it, if nothing was allocated since: where it was, the
    /// next will be.
    pub fn take_back(&mut self, address: u64) {
        if !self.is_modules(address) {
            self.memory.take_back(address);
        }
    }

    /// Whether a module has `address`.
    fn is_modules(&self, address: u64) -> bool {
        self.modules.iter().flatten().any(|module| module.holds(address))
    }

    /// `len` bytes at `address`.
    ///
    /// # Errors
    ///
    /// If they are not all in one allocation.
    pub fn read(&mut self, address: u64, len: u64) -> Result<&[u8], Diagnostic> {
        self.must_hold(address, len, false)?;
        Ok(self.memory.slice(address, len).unwrap_or_default())
    }

    /// Writes `bytes` to `address`.
    ///
    /// # Errors
    ///
    /// If they do not fit into one allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Diagnostic> {
        let len = bytes.len() as u64;
        self.must_hold(address, len, true)?;
        if let Some(there) = self.memory.slice_mut(address, len) {
            there.copy_from_slice(bytes);
        }
        Ok(())
    }

    /// Writes `bytes` to `address` as a runtime does it, also where stores are not allowed: kernels only read what
    /// their source calls constant, and it is the host that fills it.
    ///
    /// # Errors
    ///
    /// If they do not fit into one allocation.
    pub fn initialise(&mut self, address: u64, bytes: &[u8]) -> Result<(), Diagnostic> {
        if self.memory.initialise(address, bytes) {
            return Ok(());
        }
        self.must_hold(address, bytes.len() as u64, false)
    }

    /// Address and size of the live allocation that holds `address`.
    pub fn allocation(&self, address: u64) -> Option<(u64, u64)> {
        let held = self.memory.allocations().iter().rev().find(|one| one.base <= address);
        held.filter(|one| one.live && address - one.base < one.len).map(|one| (one.base, one.len))
    }

    fn must_hold(&mut self, address: u64, len: u64, writable: bool) -> Result<(), Diagnostic> {
        if self.memory.in_bounds(address, len, writable) {
            return Ok(());
        }
        let near = self.memory.nearest(address);
        let what = if writable { "writable bytes" } else { "bytes" };
        Err(Diagnostic::error(format!("the {len} {what} at {address:#x} are not in one allocation: {near}")))
    }

    /// Loads the code object of `input`, which is assembled or taken out of its bundle first if it needs to be.
    ///
    /// # Errors
    ///
    /// As of [`loadable`], and for what does not fit into memory.
    pub fn load(
        &mut self,
        sources: &mut SourceMap,
        input: &Input,
        options: &RunOptions,
    ) -> Result<ModuleId, Failure> {
        self.load_at(sources, input, options, self.memory.next_address())
    }

    /// The same at `base`, behind all memory that there is.
    fn load_at(
        &mut self,
        sources: &mut SourceMap,
        input: &Input,
        options: &RunOptions,
        base: u64,
    ) -> Result<ModuleId, Failure> {
        let Loadable { object, lines } = loadable(sources, input, options)?;
        let image = load(&input.name, &object, &mut self.memory, base)?;
        let code = code_of(&image);
        self.modules.push(Some(Module {
            input: input.clone(),
            object,
            lines,
            image,
            code,
            covered: FxHashMap::default(),
        }));
        Ok(ModuleId { device: self.number, at: self.modules.len() - 1 })
    }

    /// Unloads a module: its code and its variables are gone.
    ///
    /// # Errors
    ///
    /// If it is not loaded here.
    pub fn unload(&mut self, module: ModuleId) -> Result<(), Diagnostic> {
        self.module(module)?;
        let Some(module) = self.modules[module.at].take() else { return Ok(()) };
        let loaded = self.memory.allocations().iter().map(|allocation| allocation.base);
        let loaded: Vec<u64> = loaded.filter(|&base| module.holds(base)).collect();
        for base in loaded {
            self.memory.free(base);
        }
        Ok(())
    }

    /// What the code object of `module` is for.
    ///
    /// # Errors
    ///
    /// If it is not loaded.
    pub fn target(&self, module: ModuleId) -> Result<TargetId, Diagnostic> {
        Ok(self.module(module)?.object.target())
    }

    /// Address and size of the variable `name` of `module`.
    ///
    /// # Errors
    ///
    /// If the module has none that is called so.
    pub fn variable(&self, module: ModuleId, name: &str) -> Result<(u64, u64), Diagnostic> {
        let module = self.module(module)?;
        let symbols = module.object.dynamic_symbols.iter().chain(&module.object.symbols);
        let mut variables = symbols.filter(|symbol| symbol.kind == SymbolType::Object);
        let found = variables.find(|symbol| symbol.name == name && matches!(symbol.place, Place::Section(_)));
        let found = found.map(|symbol| (module.image.base + symbol.value, symbol.size));
        found.ok_or_else(|| Diagnostic::error(format!("{} has no variable `{name}`", module.input.name)))
    }

    /// A kernel of `module` as its descriptor has it, with its metadata where there are any.
    ///
    /// # Errors
    ///
    /// As of [`Device::parameters`].
    pub fn kernel(
        &self,
        module: ModuleId,
        name: Option<&str>,
    ) -> Result<(&Kernel, Option<&KernelMetadata>), Diagnostic> {
        let module = self.module(module)?;
        let kernel = kernel::select(&module.object, &module.input.name, name, None)?;
        Ok((kernel, module.object.kernel_metadata(kernel)))
    }

    /// The names of a module's kernels.
    pub fn kernels(&self, module: ModuleId) -> impl Iterator<Item = &str> {
        let kernels = self.module(module).map_or(&[][..], |module| &module.object.kernels);
        kernels.iter().map(|kernel| kernel.name.as_str())
    }

    /// What the kernel `name` of `module`, or its only one, takes as arguments, in order and without the hidden ones;
    /// `None` if the code object does not say.
    ///
    /// # Errors
    ///
    /// If there is no such kernel, or several and no name.
    pub fn parameters(
        &self,
        module: ModuleId,
        name: Option<&str>,
    ) -> Result<Option<Vec<Parameter>>, Diagnostic> {
        let (kernel, metadata) = self.kernel(module, name)?;
        let parameters = kernel::parameters(kernel, metadata);
        Ok(parameters.map(|all| all.into_iter().filter(|one| !one.is_hidden()).collect()))
    }

    fn module(&self, module: ModuleId) -> Result<&Module, Diagnostic> {
        find(&self.modules, self.number, module)
    }

    /// Runs the kernel `name` of `module`, or its only one, to its end.
    ///
    /// # Errors
    ///
    /// If the kernel cannot be launched so; what goes wrong while it runs is in the report.
    pub fn launch(
        &mut self,
        module: ModuleId,
        name: Option<&str>,
        extent: &Extent,
        arguments: Arguments<'_>,
        options: &RunOptions,
    ) -> Result<Report, Failure> {
        if options.schedules != 1 {
            return Err(Diagnostic::error("a launch on a device has one schedule").into());
        }
        let Launched { mut ran, code, machine, executed_by } =
            self.dispatch(module, name, extent, arguments, options, options.seed, options.record)?;
        let number = self.number;
        let module = find_mut(&mut self.modules, number, module)?;
        let mut report = Report::new(&module.input.name);
        report.target = module.object.target().to_string();
        report.kernel = kernel::select(&module.object, &module.input.name, name, None)?.name.clone();
        let executed = std::mem::take(&mut ran.executed);
        report.recording = ran.recording.take().map(Box::new);
        merge(&mut report, ran);
        module.cover(&mut report, machine, &code, executed);
        say_checked(&mut report, executed_by, options.check, Looked::Run);
        report.conclude();
        Ok(report)
    }

    /// Runs the kernel under the schedule of `seed`; `recorded`: with a recording.
    fn dispatch(
        &mut self,
        module: ModuleId,
        name: Option<&str>,
        extent: &Extent,
        arguments: Arguments<'_>,
        options: &RunOptions,
        seed: u64,
        recorded: bool,
    ) -> Result<Launched, Failure> {
        let model = run::model(options)?;
        // Not of `self`, whose memory changes below.
        let module = find(&self.modules, self.number, module)?;
        let (kernel, kernarg) = module.arguments(name, extent, arguments)?;
        let Subject { machine, executed_by, .. } = subject(&module.object, kernel, model)?;
        let loaded = machine_kernel(&module.input.name, kernel, executed_by, &module.image, &module.code)?;
        let dispatch = wavemark_sim::Dispatch {
            grid: extent.grid,
            block: extent.block,
            cluster: extent.cluster,
            dynamic_lds: extent.dynamic_lds,
            kernarg,
            dynamic_stack: 0,
            hostcall: kernel::hostcall(module.object.kernel_metadata(kernel)),
        };
        let places = Places { machine, base: module.image.base, lines: &module.lines };
        let size = code_size(&module.image, &kernel.name);
        let in_memory = LoadedKernel { kernel: &loaded, places: &places, model, size };
        let pass = Pass::First { recorded };
        let (ran, _) = dispatch_once(&mut self.memory, &in_memory, &dispatch, options, seed, pass)
            .map_err(|error| undispatched(&kernel.name, error))?;
        let code = Code::new(loaded, &module.image, &kernel.name);
        Ok(Launched { ran, code, machine, executed_by })
    }
}

/// A module of the device `number`.
fn find(modules: &[Option<Module>], number: u64, module: ModuleId) -> Result<&Module, Diagnostic> {
    let here = (module.device == number).then(|| modules.get(module.at)?.as_ref());
    here.flatten().ok_or_else(no_module)
}

/// The same to be changed.
fn find_mut(
    modules: &mut [Option<Module>],
    number: u64,
    module: ModuleId,
) -> Result<&mut Module, Diagnostic> {
    let here = (module.device == number).then(|| modules.get_mut(module.at)?.as_mut());
    here.flatten().ok_or_else(no_module)
}

/// A launch that is over.
struct Launched {
    ran: Ran,
    code: Code,
    /// How the kernel's instructions are written.
    machine: Machine,
    executed_by: Machine,
}

impl Module {
    /// Whether `address` is in one of its segments, or before them where it is loaded.
    fn holds(&self, address: u64) -> bool {
        let end = self.image.segments.iter().map(|segment| segment.vaddr + segment.bytes.len() as u64).max();
        (self.image.base..end.unwrap_or(self.image.base)).contains(&address)
    }

    /// Says what of the kernel was executed: mostly what the launch before it has, and code is long.
    fn cover(&mut self, report: &mut Report, machine: Machine, code: &Code, executed: Vec<u64>) {
        let known = self.covered.get(&report.kernel).filter(|(last, _)| *last == executed);
        if let Some((_, covered)) = known {
            return covered.clone().tell(report);
        }
        let covered = Covered::of(machine, &self.lines, code, &executed);
        covered.clone().tell(report);
        self.covered.insert(report.kernel.clone(), (executed, covered));
    }

    /// The kernel `name`, or its only one, and the bytes of its argument segment.
    fn arguments(
        &self,
        name: Option<&str>,
        extent: &Extent,
        arguments: Arguments<'_>,
    ) -> Result<(&Kernel, Vec<u8>), Failure> {
        let kernel = kernel::select(&self.object, &self.input.name, name, None)?;
        let metadata = self.object.kernel_metadata(kernel);
        let launch = launch_of(kernel, extent);
        let unsuitable = kernel::check_launch(&launch, kernel, metadata);
        if !unsuitable.is_empty() {
            return Err(unsuitable.into());
        }
        let bytes = match arguments {
            Arguments::Values(values) => argument_segment(&self.object, kernel, &launch, values)?,
            Arguments::Segment(bytes) => {
                let size = kernel::segment_size(kernel, metadata);
                if (bytes.len() as u64) < size {
                    let (name, found) = (&kernel.name, bytes.len());
                    let what = format!("{name} has {size} bytes of arguments, found {found}");
                    return Err(Diagnostic::error(what).into());
                }
                bytes.to_vec()
            }
        };
        Ok((kernel, bytes))
    }
}

fn no_module() -> Diagnostic {
    Diagnostic::error("the module is of another device, or unloaded")
}

fn launch_of(kernel: &Kernel, extent: &Extent) -> Launch {
    Launch {
        kernel: Some(kernel.name.clone()),
        kernel_span: None,
        grid_span: None,
        grid: extent.grid,
        dimensions: 3,
        block: extent.block,
        block_span: None,
        cluster: extent.cluster,
        cluster_span: None,
        dynamic_lds_span: None,
        dynamic_lds: extent.dynamic_lds,
        args: Vec::new(),
    }
}
