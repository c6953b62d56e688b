//! Launches: of a module's kernel, of a registered one, of several shapes.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use wavemark_driver::device::{Arguments, Extent};
use wavemark_driver::kernarg::{Argument, Parameter, Passed};
use wavemark_driver::report::{Class, Report};
use wavemark_sim::RESIDENT_WAVES;

use crate::answer::{Answer, Refusal, answer, out};
use crate::error::{
    COOPERATIVE_LAUNCH_TOO_LARGE, Code, INVALID_CONFIGURATION, INVALID_VALUE, LAUNCH_FAILURE,
    LAUNCH_TIME_OUT, MISSING_CONFIGURATION, NOT_SUPPORTED,
};
use crate::handle::Handle;
use crate::module::Function;
use crate::runtime::Runtime;

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dim3 {
    x: u32,
    y: u32,
    z: u32,
}

impl From<Dim3> for [u32; 3] {
    fn from(Dim3 { x, y, z }: Dim3) -> [u32; 3] {
        [x, y, z]
    }
}

/// `hipLaunchAttribute`: a number and 64 bytes whose meaning it says.
#[repr(C)]
pub struct LaunchAttribute {
    id: u32,
    pad: u32,
    value: [u32; 16],
}

/// The attributes that change what a launch does: CUDA's numbers, of which HIP's header names the second.
const CLUSTER_DIMENSION: u32 = 4;
const COOPERATIVE: u32 = 2;
/// Those that change how fast: access policy, synchronisation policy, priority, memory synchronisation domains.
const WITHOUT_EFFECT: [u32; 5] = [1, 3, 8, 9, 10];

/// `HIP_LAUNCH_CONFIG`.
#[repr(C)]
pub struct DriverConfig {
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_lds: u32,
    stream: Handle,
    attributes: *const LaunchAttribute,
    count: u32,
}

/// `hipLaunchConfig_t`.
#[repr(C)]
pub struct RuntimeConfig {
    grid: Dim3,
    block: Dim3,
    dynamic_lds: usize,
    stream: Handle,
    attributes: *const LaunchAttribute,
    count: u32,
}

/// The shape of a launch.
struct Shape {
    extent: Extent,
    stream: Handle,
    cooperative: bool,
}

impl Shape {
    fn new(grid: [u32; 3], block: [u32; 3], dynamic_lds: usize, stream: Handle) -> Answer<Shape> {
        let dynamic_lds = u32::try_from(dynamic_lds).map_err(|_| INVALID_VALUE)?;
        Ok(Shape { extent: Extent { grid, block, cluster: None, dynamic_lds }, stream, cooperative: false })
    }

    /// # Safety
    ///
    /// `count` attributes are at `attributes`.
    unsafe fn with(mut self, attributes: *const LaunchAttribute, count: u32) -> Answer<Shape> {
        for index in 0..count as usize {
            // SAFETY: as the caller promises.
            let attribute = unsafe { attributes.wrapping_add(index).as_ref() }.ok_or(INVALID_VALUE)?;
            match attribute.id {
                CLUSTER_DIMENSION => {
                    let [x, y, z, ..] = attribute.value;
                    self.extent.cluster = Some([x, y, z]);
                }
                COOPERATIVE => self.cooperative = attribute.value[0] != 0,
                id if WITHOUT_EFFECT.contains(&id) => {}
                id => {
                    let why = format!("the launch attribute {id} is not modelled");
                    return Err(Refusal::because(NOT_SUPPORTED, why));
                }
            }
        }
        Ok(self)
    }
}

/// The bytes that `kernelParams` or `extra` have for each parameter.
///
/// # Safety
///
/// `values` is null, or has a pointer for each parameter to so many bytes; `extra` is null, or a list as
/// `hipModuleLaunchKernel` has it. The bytes stay for `'a`.
unsafe fn passed<'a>(
    parameters: &[Parameter],
    values: *const *const c_void,
    extra: *const *const c_void,
) -> Answer<Vec<&'a [u8]>> {
    if parameters.is_empty() {
        return Ok(Vec::new());
    }
    // SAFETY: as the caller promises.
    unsafe {
        if !values.is_null() {
            let value = |(index, one): (usize, &Parameter)| {
                let value = *values.add(index);
                if value.is_null() {
                    let why = format!("the pointer to argument {index} is null");
                    return Err(Refusal::because(INVALID_VALUE, why));
                }
                Ok(std::slice::from_raw_parts(value.cast(), one.size as usize))
            };
            return parameters.iter().enumerate().map(value).collect();
        }
        if extra.is_null() {
            return Err(Refusal::because(INVALID_VALUE, "the kernel has arguments, and none are given"));
        }
        let (mut buffer, mut size) = (std::ptr::null::<u8>(), 0);
        let mut at = extra;
        loop {
            // HIP_LAUNCH_PARAM_BUFFER_POINTER, …_SIZE, …_END.
            match *at as usize {
                1 => buffer = (*at.add(1)).cast(),
                2 => size = *(*at.add(1)).cast::<usize>(),
                3 => break,
                _ => return Err(INVALID_VALUE.into()),
            }
            at = at.add(2);
        }
        if buffer.is_null() {
            return Err(INVALID_VALUE.into());
        }
        let segment = std::slice::from_raw_parts(buffer, size);
        let part = |one: &Parameter| {
            let range = one.offset as usize..(one.offset + one.size) as usize;
            segment.get(range).ok_or_else(|| {
                let (end, size) = (one.offset + one.size, segment.len());
                Refusal::because(
                    INVALID_VALUE,
                    format!("an argument ends at byte {end}, and {size} are given"),
                )
            })
        };
        parameters.iter().map(part).collect()
    }
}

/// Why a launch did not come to its end, if it did not.
fn unfinished(report: &Report) -> Option<Code> {
    if !report.unsupported.is_empty() {
        return Some(NOT_SUPPORTED);
    }
    let class = |wanted| report.findings.iter().any(|finding| finding.class == wanted);
    if class(Class::StepLimit) || report.not_checked.iter().any(|one| one.rule == "the rest") {
        return Some(LAUNCH_TIME_OUT);
    }
    (class(Class::Trap) || class(Class::Deadlock)).then_some(LAUNCH_FAILURE)
}

impl Runtime {
    /// Runs a kernel to its end.
    ///
    /// # Safety
    ///
    /// As of [`passed`].
    unsafe fn launch(
        &mut self,
        function: &Function,
        shape: &Shape,
        values: *const *const c_void,
        extra: *const *const c_void,
    ) -> Answer {
        self.must_be_stream(shape.stream)?;
        self.synchronise()?;
        let options = self.settings()?.options();
        let refused = |this: &Runtime, diagnostic: wavemark_diag::Diagnostic| {
            Refusal::because(INVALID_VALUE, this.session.describe(&diagnostic))
        };
        let name = Some(function.name.as_str());
        if shape.cooperative {
            self.must_be_resident(function, &shape.extent)?;
        }
        let parameters = self.session.device.parameters(function.module, name);
        let parameters = parameters.map_err(|diagnostic| refused(self, diagnostic))?.ok_or_else(|| {
            let why = format!("the code object does not say what the arguments of {} are", function.name);
            Refusal::because(INVALID_VALUE, why)
        })?;
        // SAFETY: as the caller promises.
        let values = unsafe { passed(&parameters, values, extra) }?;
        let names: Vec<String> = (0..values.len()).map(|index| index.to_string()).collect();
        let arguments: Vec<Argument<'_>> = names
            .iter()
            .zip(&parameters)
            .zip(values)
            .map(|((number, parameter), bytes)| Argument {
                name: parameter.name.as_deref().unwrap_or(number),
                span: None,
                passed: Passed::Value(bytes),
            })
            .collect();
        let device = &mut self.session.device;
        let arguments = Arguments::Values(&arguments);
        let launched = device.launch(function.module, name, &shape.extent, arguments, &options);
        let report = launched.map_err(|failure| Refusal::of(self, &failure, INVALID_CONFIGURATION))?;
        self.clock += report.stats.wave_instructions;
        let fails = self.tell(&report)?;
        self.failed = unfinished(&report).or(fails.then_some(LAUNCH_FAILURE));
        self.synchronise()
    }

    /// All workgroups of a cooperative launch wait for each other: they have to be resident at once.
    fn must_be_resident(&self, function: &Function, extent: &Extent) -> Answer {
        let found = self.session.device.kernel(function.module, Some(&function.name));
        let (kernel, _) = found.map_err(|diagnostic| Refusal::because(INVALID_VALUE, diagnostic.message))?;
        let product = |sizes: [u32; 3]| sizes.iter().map(|&size| u64::from(size)).product::<u64>();
        let lanes = u64::from(kernel.descriptor.wave_size().lanes());
        let waves = product(extent.block).div_ceil(lanes).saturating_mul(product(extent.grid));
        if waves > RESIDENT_WAVES as u64 {
            let why = format!("{waves} waves wait for each other: {RESIDENT_WAVES} can be resident at once");
            return Err(Refusal::because(COOPERATIVE_LAUNCH_TOO_LARGE, why));
        }
        Ok(())
    }
}

macro_rules! module_launches {
    ($($(#[$doc:meta])* $name:ident: $cooperative:literal;)*) => {
        $($(#[$doc])*
        ///
        /// # Safety
        ///
        /// `values` or `extra` are as HIP has them, and the arguments that they name are there.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            function: Handle,
            grid_x: u32,
            grid_y: u32,
            grid_z: u32,
            block_x: u32,
            block_y: u32,
            block_z: u32,
            dynamic_lds: u32,
            stream: Handle,
            values: *const *const c_void,
            extra: *const *const c_void,
        ) -> Code {
            answer(stringify!($name), |runtime| {
                let function = runtime.functions.get(function)?.clone();
                let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
                let shape = Shape::new(grid, block, dynamic_lds as usize, stream)?;
                let shape = Shape { cooperative: $cooperative, ..shape };
                // SAFETY: as the caller promises.
                unsafe { runtime.launch(&function, &shape, values, extra) }
            })
        }
        )*
    };
}

module_launches! {
    /// Launches a kernel of a module; the grid counts workgroups.
    hipModuleLaunchKernel: false;
    /// Launches one whose workgroups wait for each other.
    hipModuleLaunchCooperativeKernel: true;
}

/// Launches a kernel of a module with attributes, such as clusters.
///
/// # Safety
///
/// `config` is null or can be read with its attributes; `values` and `extra` are as of [`hipModuleLaunchKernel`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDrvLaunchKernelEx(
    config: *const DriverConfig,
    function: Handle,
    values: *const *const c_void,
    extra: *const *const c_void,
) -> Code {
    answer("hipDrvLaunchKernelEx", |runtime| {
        let function = runtime.functions.get(function)?.clone();
        // SAFETY: as the caller promises.
        unsafe {
            let config = config.as_ref().ok_or(INVALID_VALUE)?;
            let shape = Shape::new(config.grid, config.block, config.dynamic_lds as usize, config.stream)?;
            let shape = shape.with(config.attributes, config.count)?;
            runtime.launch(&function, &shape, values, extra)
        }
    })
}

/// Launches the kernel that a host function stands for.
///
/// # Safety
///
/// `values` has a pointer for each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipLaunchKernel(
    host: *const c_void,
    grid: Dim3,
    block: Dim3,
    values: *const *const c_void,
    dynamic_lds: usize,
    stream: Handle,
) -> Code {
    answer("hipLaunchKernel", |runtime| {
        let function = runtime.kernel_of(host)?;
        let shape = Shape::new(grid.into(), block.into(), dynamic_lds, stream)?;
        // SAFETY: as the caller promises.
        unsafe { runtime.launch(&function, &shape, values, std::ptr::null()) }
    })
}

/// Launches one whose workgroups wait for each other.
///
/// # Safety
///
/// `values` has a pointer for each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipLaunchCooperativeKernel(
    host: *const c_void,
    grid: Dim3,
    block: Dim3,
    values: *const *const c_void,
    dynamic_lds: u32,
    stream: Handle,
) -> Code {
    answer("hipLaunchCooperativeKernel", |runtime| {
        let function = runtime.kernel_of(host)?;
        let shape = Shape::new(grid.into(), block.into(), dynamic_lds as usize, stream)?;
        let shape = Shape { cooperative: true, ..shape };
        // SAFETY: as the caller promises.
        unsafe { runtime.launch(&function, &shape, values, std::ptr::null()) }
    })
}

/// Launches the kernel that a host function stands for, with attributes.
///
/// # Safety
///
/// `config` is null or can be read with its attributes; `values` has a pointer for each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipLaunchKernelExC(
    config: *const RuntimeConfig,
    host: *const c_void,
    values: *const *const c_void,
) -> Code {
    answer("hipLaunchKernelExC", |runtime| {
        let function = runtime.kernel_of(host)?;
        // SAFETY: as the caller promises.
        unsafe {
            let config = config.as_ref().ok_or(INVALID_VALUE)?;
            let shape =
                Shape::new(config.grid.into(), config.block.into(), config.dynamic_lds, config.stream)?;
            let shape = shape.with(config.attributes, config.count)?;
            runtime.launch(&function, &shape, values, std::ptr::null())
        }
    })
}

/// What stands between `<<<` and `>>>`.
#[derive(Clone, Copy)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    dynamic_lds: usize,
    stream: Handle,
}

thread_local! {
    /// What the thread's next calls of kernels are configured with, the innermost last.
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// Host code is about to call a kernel's host function with this configuration.
#[unsafe(no_mangle)]
pub extern "C" fn __hipPushCallConfiguration(
    grid: Dim3,
    block: Dim3,
    dynamic_lds: usize,
    stream: Handle,
) -> Code {
    CONFIGURATIONS.with_borrow_mut(|all| all.push(Configuration { grid, block, dynamic_lds, stream }));
    0
}

/// The kernel's host function takes the configuration.
///
/// # Safety
///
/// All are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipPopCallConfiguration(
    grid: *mut Dim3,
    block: *mut Dim3,
    dynamic_lds: *mut usize,
    stream: *mut Handle,
) -> Code {
    answer("__hipPopCallConfiguration", |_| {
        let last = CONFIGURATIONS.with_borrow_mut(Vec::pop).ok_or(MISSING_CONFIGURATION)?;
        // SAFETY: as the caller promises.
        unsafe {
            *out(grid)? = last.grid;
            *out(block)? = last.block;
            *out(dynamic_lds)? = last.dynamic_lds;
            *out(stream)? = last.stream;
        }
        Ok(())
    })
}

/// `hipFuncAttributes`.
#[repr(C)]
pub struct FunctionAttributes {
    binary_version: c_int,
    cache_mode: c_int,
    constant_bytes: usize,
    local_bytes: usize,
    max_dynamic_lds: c_int,
    max_threads: c_int,
    registers: c_int,
    preferred_lds: c_int,
    ptx_version: c_int,
    lds: usize,
}

/// What is to be known of the kernel that a host function stands for.
///
/// # Safety
///
/// `attributes` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipFuncGetAttributes(
    attributes: *mut FunctionAttributes,
    host: *const c_void,
) -> Code {
    answer("hipFuncGetAttributes", |runtime| {
        // SAFETY: as the caller promises.
        let attributes = unsafe { out(attributes) }?;
        let function = runtime.kernel_of(host)?;
        let numbers = runtime.numbers(&function)?;
        let (major, minor, _) = runtime.arch()?.processor.isa_version();
        *attributes = FunctionAttributes {
            binary_version: c_int::from(major) * 10 + c_int::from(minor),
            cache_mode: 0,
            constant_bytes: 0,
            local_bytes: numbers.scratch,
            max_dynamic_lds: numbers.max_dynamic_lds,
            max_threads: numbers.max_threads,
            registers: numbers.vgprs,
            preferred_lds: 0,
            ptx_version: 0,
            lds: numbers.lds,
        };
        Ok(())
    })
}
