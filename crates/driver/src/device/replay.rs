//! Launches that run again: captured with the memory that they find, and run from there under any schedule.

use wavemark_diag::{Diagnostic, SourceMap};

use super::captured::{self, Area, Captured, Head};
use super::{Arguments, Device, Extent, Launched, ModuleId};
use crate::build::Failure;
use crate::input::Input;
use crate::kernel;
use crate::options::RunOptions;
use crate::report::Report;
use crate::run::{self, Looked, cover, merge, say_checked, subject};
use crate::schedules::schedule;
use crate::statics::{self, Loaded};

impl Device {
    /// The file of a launch as [`Device::launch`] would run it now. It is an input like a code object.
    ///
    /// # Errors
    ///
    /// As of [`Device::launch`].
    pub fn capture(
        &self,
        module: ModuleId,
        name: Option<&str>,
        extent: &Extent,
        arguments: Arguments<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let module = self.module(module)?;
        let (kernel, arguments) = module.arguments(name, extent, arguments)?;
        // Of modules there is what it has of variables.
        let wanted = self.memory.allocations().iter().filter(|one| {
            one.live && one.len > 0 && (!self.is_modules(one.base) || one.writable && module.holds(one.base))
        });
        let (mut areas, mut contents) = (Vec::new(), Vec::new());
        for one in wanted {
            let (name, base, size, writable) = (one.name.clone(), one.base, one.len, one.writable);
            areas.push(Area { name, base, size, writable });
            contents.push(self.memory.contents(one.base).unwrap_or_default());
        }
        let target = module.object.target().to_string();
        let head = Head::of(&module.input, target, module.image.base, kernel.name.clone(), *extent, areas);
        Ok(captured::write(&head, &module.input.bytes, &arguments, contents)?)
    }

    /// A device as a captured launch found it, and the module.
    fn restore(
        sources: &mut SourceMap,
        captured: &Captured,
        options: &RunOptions,
    ) -> Result<(Device, ModuleId), Failure> {
        let Captured { head, module, memory, .. } = captured;
        let mut device = Device::new();
        let mut loaded = None;
        for (area, bytes) in head.memory.iter().zip(memory) {
            if loaded.is_none() && area.base >= head.base {
                loaded = Some(device.load_at(sources, module, options, head.base)?);
            }
            let there = device.memory.initialise(area.base, bytes)
                || device.memory.allocate_at(area.base, &area.name, bytes.clone(), area.writable);
            if !there {
                let what = format!("there is no room for {} bytes at {:#x}", area.size, area.base);
                return Err(Diagnostic::error(format!("{}: {what}", module.name)).into());
            }
        }
        let module = match loaded {
            Some(module) => module,
            None => device.load_at(sources, module, options, head.base)?,
        };
        Ok((device, module))
    }
}

/// Runs the captured launch that `input` is, under as many schedules as `options` say; `all_paths`: its machine code is
/// looked at, too, as by `check`.
pub(crate) fn run(
    sources: &mut SourceMap,
    input: &Input,
    options: &RunOptions,
    all_paths: bool,
) -> Result<Report, Failure> {
    let captured = captured::read(input)?;
    let Captured { head, arguments, .. } = &captured;
    if options.kernel.as_ref().is_some_and(|name| *name != head.kernel) {
        let what = format!("{} is a launch of {}, of no other kernel", input.name, head.kernel);
        return Err(Diagnostic::error(what).into());
    }
    if options.out.is_some() || options.trace.is_some() {
        let what =
            format!("{}: --out and --trace are for launch files, not for captured launches", input.name);
        return Err(Failure::Unsupported(what));
    }
    let target = head
        .target
        .parse()
        .map_err(|error| Diagnostic::error(format!("{}: its target {}: {error}", input.name, head.target)))?;
    let target = crate::input::agree(&input.name, options.target, Some(target))?;
    let options = RunOptions { target: Some(target), ..options.clone() };
    let mut report = Report::new(&input.name);
    report.target = head.target.clone();
    report.kernel.clone_from(&head.kernel);
    let (mut executed, mut last) = (Vec::new(), None);
    for index in 0..options.schedules.max(1) {
        let (mut device, module) = Device::restore(sources, &captured, &options)?;
        let ((policy, seed), recorded) = (schedule(&options, index), options.record && index == 0);
        let options = RunOptions { policy, ..options.clone() };
        let arguments = Arguments::Segment(arguments);
        let Launched { mut ran, code, machine, executed_by } =
            device.dispatch(module, Some(&head.kernel), &head.extent, arguments, &options, seed, recorded)?;
        executed.append(&mut ran.executed);
        report.recording = ran.recording.take().map(Box::new).or(report.recording);
        let goes_on = ran.unsupported.is_none() && options.brake.pulled().is_none();
        merge(&mut report, ran);
        last = Some((device, module, code, machine, executed_by));
        if !goes_on {
            break;
        }
    }
    let Some((device, module, code, machine, executed_by)) = last else { return Ok(report) };
    let module = device.module(module)?;
    cover(&mut report, machine, &module.lines, &code, executed);
    say_checked(&mut report, executed_by, options.check, Looked::Run);
    if all_paths {
        let loaded = Loaded::new(&input.name, &module.object, &module.lines)?;
        let kernel = kernel::select(&module.object, &input.name, Some(&head.kernel), None)?;
        let subject = subject(&module.object, kernel, run::model(&options)?)?;
        statics::add(&mut report, &loaded, subject, Some(head.extent.block), options.check)?;
    }
    report.conclude();
    Ok(report)
}
