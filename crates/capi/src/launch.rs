//! Launches.

use std::ffi::c_char;

use wavemark_driver::device::{Arguments, Extent as DeviceExtent};
use wavemark_driver::kernarg;
use wavemark_driver::options::RunOptions;

use crate::device::Device;
use crate::options::Options;
use crate::report::Report;
use crate::status::{Problem, Status, attempt, bytes, optional_text, there, there_mut};

/// How many work-items a launch has, and what they share.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Workgroups per dimension.
    pub grid: [u32; 3],
    /// Work-items per workgroup and dimension.
    pub block: [u32; 3],
    /// Workgroups per cluster and dimension; all 0: no clusters.
    pub cluster: [u32; 3],
    /// Bytes of LDS beyond the kernel's own.
    pub dynamic_lds: u32,
}

/// The bytes of an argument: a number, a struct, the eight bytes of an address.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Where they are.
    pub bytes: *const u8,
    /// How many.
    pub size: usize,
}

/// What a launch is of.
struct Wanted<'a> {
    device: &'a mut Device,
    module: u32,
    kernel: Option<&'a str>,
    extent: &'a Extent,
    options: RunOptions,
}

impl<'a> Wanted<'a> {
    /// # Safety
    ///
    /// As of [`wavemark_launch`].
    unsafe fn of(
        device: *mut Device,
        module: u32,
        kernel: *const c_char,
        extent: *const Extent,
        options: *const Options,
    ) -> Result<Wanted<'a>, Problem> {
        // SAFETY: all as the caller promises.
        unsafe {
            Ok(Wanted {
                device: there_mut(device, "device")?,
                module,
                kernel: optional_text(kernel, "kernel")?,
                extent: there(extent, "extent")?,
                options: options.as_ref().map_or_else(|| Ok(RunOptions::default()), Options::now)?,
            })
        }
    }

    fn run(self, arguments: Arguments<'_>) -> Result<Box<Report>, Problem> {
        let Wanted { device, module, kernel, extent, options } = self;
        let Extent { grid, block, cluster, dynamic_lds } = *extent;
        let cluster = (cluster != [0; 3]).then_some(cluster);
        let extent = DeviceExtent { grid, block, cluster, dynamic_lds };
        let id = device.module(module)?.id;
        let launched = device.session.device.launch(id, kernel, &extent, arguments, &options);
        let report = launched.map_err(|failure| Problem::of(&device.session, &failure))?;
        Ok(Box::new(Report::new(&device.session, report)?))
    }
}

/// Runs a kernel to its end with these arguments; hidden ones are filled in. A null `kernel` is the module's only one, null
/// `options` are the usual ones. What the run came to goes to `report`: delete it with wavemark_report_delete.
///
/// # Safety
///
/// `device` is a device; `kernel` null or a string; `extent` an extent; `arguments` has `count` of them, each with its
/// bytes; `options` null or options; `report` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_launch(
    device: *mut Device,
    module: u32,
    kernel: *const c_char,
    extent: *const Extent,
    arguments: *const Argument,
    count: usize,
    options: *const Options,
    report: *mut *mut Report,
) -> Status {
    attempt(|| {
        // SAFETY: all as the caller promises.
        let (wanted, report) =
            unsafe { (Wanted::of(device, module, kernel, extent, options)?, there_mut(report, "report")?) };
        let mut values = Vec::with_capacity(count);
        for index in 0..count {
            // SAFETY: there are `count` arguments with their bytes, as the caller promises.
            let value = unsafe {
                let argument = there(arguments.wrapping_add(index), "an argument")?;
                bytes(argument.bytes, argument.size, "an argument")?
            };
            values.push((index.to_string(), value));
        }
        let values: Vec<kernarg::Argument<'_>> = values
            .iter()
            .map(|(name, value)| kernarg::Argument {
                name,
                span: None,
                passed: kernarg::Passed::Value(value),
            })
            .collect();
        *report = Box::into_raw(wanted.run(Arguments::Values(&values))?);
        Ok(())
    })
}

/// The same, with the bytes of the whole kernel-argument segment, hidden arguments and all.
///
/// # Safety
///
/// As of wavemark_launch; `segment` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_launch_segment(
    device: *mut Device,
    module: u32,
    kernel: *const c_char,
    extent: *const Extent,
    segment: *const u8,
    size: usize,
    options: *const Options,
    report: *mut *mut Report,
) -> Status {
    attempt(|| {
        // SAFETY: all as the caller promises.
        let (wanted, segment, report) = unsafe {
            (
                Wanted::of(device, module, kernel, extent, options)?,
                bytes(segment, size, "segment")?,
                there_mut(report, "report")?,
            )
        };
        *report = Box::into_raw(wanted.run(Arguments::Segment(segment))?);
        Ok(())
    })
}
