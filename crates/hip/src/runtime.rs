//! The runtime of the process: one device, what is registered, loaded, recorded.

use std::ffi::{c_int, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};

use rustc_hash::FxHashMap;
use wavemark_driver::Parts;
use wavemark_driver::report::{Printed, Report, Severity, Stream};
use wavemark_driver::session::Session;
use wavemark_sim::modelled;
use wavemark_target::{Machine, TargetId};

use crate::answer::{Answer, Refusal};
use crate::error::{Code, INVALID_DEVICE, NO_DEVICE};
use crate::event::Event;
use crate::handle::{Kind, Table};
use crate::module::{Function, Module};
use crate::pinned::Pinned;
use crate::register::{FatBinary, Registered};
use crate::settings::{OnFindings, Settings};

/// Bytes that one request may take: 8 GiB, or what the host leaves.
const MAX_MEMORY: u64 = 8 << 30;

/// All that there is.
pub struct Runtime {
    /// The device and the sources of its modules.
    pub session: Session,
    /// The environment's settings, or what is wrong with them.
    settings: Result<Settings, String>,
    /// The processor, once it is known.
    arch: Option<TargetId>,
    /// Host memory that kernels may use.
    pub pinned: Vec<Pinned>,
    /// What `hipModuleLoad…` loaded.
    pub modules: Table<Module>,
    /// What `hipModuleGetFunction` gave out.
    pub functions: Table<Function>,
    /// Streams, by their flags and priority.
    pub streams: Table<(u32, i32)>,
    /// Events.
    pub events: Table<Event>,
    /// Fat binaries that host code registered.
    pub fat_binaries: Table<FatBinary>,
    /// Kernels by the addresses of their host functions.
    pub kernels: FxHashMap<u64, Registered>,
    /// Variables by the addresses of their host shadows.
    pub variables: FxHashMap<u64, Registered>,
    /// Instructions that all launches have executed: the device's clock.
    pub clock: u64,
    /// A launch did not come to its end: what every synchronisation says from then on.
    pub failed: Option<Code>,
    /// Some launch had errors.
    found_errors: bool,
}

static RUNTIME: LazyLock<Mutex<Runtime>> = LazyLock::new(|| {
    wavemark_budget::set_limit(
        usize::try_from(wavemark_budget::host_leaves().min(MAX_MEMORY)).unwrap_or(usize::MAX),
    );
    let settings = Settings::read(|name| std::env::var(name).ok());
    Mutex::new(Runtime {
        session: Session::new(),
        arch: settings.as_ref().ok().and_then(|settings| settings.arch),
        settings,
        pinned: Vec::new(),
        modules: Table::new(Kind::Module),
        functions: Table::new(Kind::Function),
        streams: Table::new(Kind::Stream),
        events: Table::new(Kind::Event),
        fat_binaries: Table::new(Kind::FatBinary),
        kernels: FxHashMap::default(),
        variables: FxHashMap::default(),
        clock: 0,
        failed: None,
        found_errors: false,
    })
});

/// The runtime, for this thread alone.
pub fn runtime() -> MutexGuard<'static, Runtime> {
    RUNTIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether we execute code for the processor.
pub fn executes(target: TargetId) -> bool {
    modelled(Machine::new(target.processor)).is_ok()
}

impl Runtime {
    /// The settings.
    pub fn settings(&self) -> Answer<&Settings> {
        self.settings.as_ref().map_err(|problem| Refusal::because(NO_DEVICE, problem))
    }

    /// The processor: `WAVEMARK_ARCH`, else that of the first fat binary's first code object that we execute, else that
    /// of the first module that is loaded.
    pub fn arch(&mut self) -> Answer<TargetId> {
        self.settings()?;
        if self.arch.is_none() {
            let targets = self.fat_binaries.iter().flat_map(FatBinary::targets);
            self.arch = targets.into_iter().find(|&target| executes(target));
        }
        let unknown = "which processor? Say it by WAVEMARK_ARCH, such as gfx950: no code object that is executed here is loaded";
        self.arch.ok_or_else(|| Refusal::because(NO_DEVICE, unknown))
    }

    /// A module's processor is the device's, if nobody has said which it is.
    pub fn suppose(&mut self, target: TargetId) {
        if self.arch.is_none() {
            self.arch = Some(target);
        }
    }

    /// There is one device, and its number is 0.
    pub fn must_be_device(&self, number: c_int) -> Answer {
        if number == 0 { Ok(()) } else { Err(INVALID_DEVICE.into()) }
    }

    /// Everything that was to be done is done; or why not.
    pub fn synchronise(&self) -> Answer {
        self.failed.map_or(Ok(()), |code| Err(code.into()))
    }

    /// Prints what a launch has printed, and what it came to, if anything is to be told. Whether it found errors.
    pub fn tell(&mut self, report: &Report) -> Answer<bool> {
        let on_findings = self.settings()?.on_findings;
        for Printed { stream, text } in &report.printed {
            match stream {
                Stream::Stdout => print_to_stdout(text),
                Stream::Stderr => eprint!("{text}"),
            }
        }
        // Advice is for who asks; a program that is launched a thousand times does not.
        let told = report.findings.iter().any(|finding| finding.severity > Severity::Advice);
        if told || report.reasons().next().is_some() {
            let text = self.session.text(report, Parts::Findings);
            let (kernel, target) = (&report.kernel, &report.target);
            eprintln!("wavemark: {kernel} on {target}: {}\n{}", report.outcome.name(), text.trim_end());
        }
        let errors = report.has_errors();
        if errors && on_findings != OnFindings::Report && !self.found_errors {
            self.found_errors = true;
            fail_at_exit();
        }
        Ok(errors && on_findings == OnFindings::Error)
    }
}

/// Prints to C's standard output, so that it comes in its order among what the program prints itself.
fn print_to_stdout(text: &str) {
    // SAFETY: the stream is open as long as the process, and so many bytes are there.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    /// glibc's: what is to be done at the end of the process, which is told its status.
    fn on_exit(work: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// The process does not end with status 0.
fn fail_at_exit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function is of this library, which Rust never unloads before the process ends, and takes no argument.
        unsafe { on_exit(end_with_findings, std::ptr::null_mut()) };
    });
}

extern "C" fn end_with_findings(status: c_int, _: *mut c_void) {
    if status == 0 {
        eprintln!(
            "wavemark: errors were found: the program ends with status 1, not 0 (WAVEMARK_FINDINGS=report: with 0)"
        );
        // SAFETY: glibc goes on with the handlers that are left and flushes the streams, with this status.
        unsafe { libc::exit(1) };
    }
}
