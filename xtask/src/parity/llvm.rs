//! The LLVM inside the Rust toolchain as a foreign assembler and disassembler of single lines.
//!
//! Its C API is bound at run time: the library is `lib/libLLVM*.so*` of the toolchain's sysroot, nothing is linked.
//! Only what is needed is declared; the types are LLVM-C's (`llvm-c/Core.h`, `TargetMachine.h`, `Disassembler.h`).
//! There is no assembler in that API: lines become the inline assembly of an empty module, each behind a label of its
//! own, the module becomes an object, and the symbols say which bytes belong to which line.
//!
//! LLVM may crash on bytes that are no instruction. Use it in a process that may die: [`super::worker`].

use std::cell::OnceCell;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::process::Command;
use std::ptr;

use anyhow::{Context as _, Result, bail, ensure};
use libloading::{Library, Symbol};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

/// `LLVMRelocPIC`.
pub const RELOC_PIC: c_int = 2;
/// `LLVMCodeModelDefault`.
pub const CODE_MODEL_DEFAULT: c_int = 0;
/// `LLVMObjectFile`.
pub const OBJECT_FILE: c_int = 1;
/// `LLVMDSError`.
const SEVERITY_ERROR: c_int = 0;

type Ref = *mut c_void;
type Handler = extern "C" fn(Ref, *mut c_void);

/// Declares the functions of the library that are used, and loads them all.
macro_rules! api {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of LLVM's C API.
        #[allow(non_snake_case)]
        struct Api { $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)* _library: Library }

        impl Api {
            fn load(library: Library) -> Result<Api> {
                $(
                    #[allow(non_snake_case)]
                    // SAFETY: the signature is that of LLVM 22's C headers, which are stable across its releases.
                    let $name = unsafe {
                        let symbol: Symbol<unsafe extern "C" fn($($argument),*) $(-> $result)?> =
                            library.get(stringify!($name)).context(stringify!($name))?;
                        *symbol
                    };
                )*
                // The functions stay valid as long as the library is loaded, which it is as long as the `Api` lives.
                Ok(Api { $($name,)* _library: library })
            }
        }
    };
}
pub(crate) use api;

api! {
    LLVMInitializeAMDGPUTargetInfo: fn();
    LLVMInitializeAMDGPUTarget: fn();
    LLVMInitializeAMDGPUTargetMC: fn();
    LLVMInitializeAMDGPUAsmParser: fn();
    LLVMInitializeAMDGPUAsmPrinter: fn();
    LLVMInitializeAMDGPUDisassembler: fn();
    LLVMGetVersion: fn(*mut c_uint, *mut c_uint, *mut c_uint);
    LLVMContextCreate: fn() -> Ref;
    LLVMContextDispose: fn(Ref);
    LLVMContextSetDiagnosticHandler: fn(Ref, Handler, *mut c_void);
    LLVMGetDiagInfoDescription: fn(Ref) -> *mut c_char;
    LLVMGetDiagInfoSeverity: fn(Ref) -> c_int;
    LLVMDisposeMessage: fn(*mut c_char);
    LLVMModuleCreateWithNameInContext: fn(*const c_char, Ref) -> Ref;
    LLVMDisposeModule: fn(Ref);
    LLVMSetTarget: fn(Ref, *const c_char);
    LLVMSetModuleInlineAsm2: fn(Ref, *const c_char, usize);
    LLVMGetTargetFromTriple: fn(*const c_char, *mut Ref, *mut *mut c_char) -> c_int;
    LLVMCreateTargetMachine: fn(Ref, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int) -> Ref;
    LLVMDisposeTargetMachine: fn(Ref);
    LLVMCreateTargetDataLayout: fn(Ref) -> Ref;
    LLVMSetModuleDataLayout: fn(Ref, Ref);
    LLVMDisposeTargetData: fn(Ref);
    LLVMTargetMachineEmitToMemoryBuffer: fn(Ref, Ref, c_int, *mut *mut c_char, *mut Ref) -> c_int;
    LLVMGetBufferStart: fn(Ref) -> *const u8;
    LLVMGetBufferSize: fn(Ref) -> usize;
    LLVMDisposeMemoryBuffer: fn(Ref);
    LLVMCreateDisasmCPUFeatures: fn(*const c_char, *const c_char, *const c_char, *mut c_void, c_int, *mut c_void, *mut c_void) -> Ref;
    LLVMDisasmInstruction: fn(Ref, *mut u8, u64, u64, *mut c_char, usize) -> usize;
    LLVMDisasmDispose: fn(Ref);
}

/// The operating system of single lines, and of files that do not say theirs.
pub const AMDHSA: &str = "amdhsa";

/// LLVM, for one operating system, processor and set of features.
pub struct Llvm {
    api: Api,
    triple: CString,
    cpu: CString,
    features: CString,
    machine: Ref,
    disassembler: OnceCell<Ref>,
}

/// Where the toolchain keeps its LLVM.
pub fn library_path() -> Result<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().context("rustc")?;
    ensure!(output.status.success(), "rustc --print sysroot fails");
    let folder = PathBuf::from(String::from_utf8(output.stdout)?.trim()).join("lib");
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("libLLVM") && name.contains(".so") {
            return Ok(path);
        }
    }
    bail!("no libLLVM in {}", folder.display())
}

/// Whether LLVM has a disassembler of the processor: it has none before gfx8.
pub fn disassembles(cpu: &str) -> bool {
    !cpu.starts_with("gfx6") && !cpu.starts_with("gfx7")
}

impl Llvm {
    /// Loads the library and prepares both directions.
    pub fn new(os: &str, cpu: &str, features: &str) -> Result<Llvm> {
        let path = library_path()?;
        // SAFETY: the toolchain's own LLVM; its initialisers only register static data.
        let library = unsafe { Library::new(&path) }.with_context(|| path.display().to_string())?;
        let api = Api::load(library)?;
        let vendor = if os == "mesa3d" { "mesa" } else { "amd" };
        let triple = CString::new(format!("amdgcn-{vendor}-{os}"))?;
        let (cpu, features) = (CString::new(cpu)?, CString::new(features)?);
        // SAFETY: the calls are in the order that LLVM asks for: registration, then look-up of the target, then
        // objects made from it; all strings are terminated and outlive the calls.
        unsafe {
            (api.LLVMInitializeAMDGPUTargetInfo)();
            (api.LLVMInitializeAMDGPUTarget)();
            (api.LLVMInitializeAMDGPUTargetMC)();
            (api.LLVMInitializeAMDGPUAsmParser)();
            (api.LLVMInitializeAMDGPUAsmPrinter)();
            (api.LLVMInitializeAMDGPUDisassembler)();
            let mut target = ptr::null_mut();
            let mut message = ptr::null_mut();
            if (api.LLVMGetTargetFromTriple)(triple.as_ptr(), &mut target, &mut message) != 0 {
                bail!("LLVM does not know {triple:?}");
            }
            let machine = (api.LLVMCreateTargetMachine)(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                0,
                RELOC_PIC,
                CODE_MODEL_DEFAULT,
            );
            ensure!(!machine.is_null(), "LLVM has no machine for {cpu:?}");
            Ok(Llvm { api, triple, cpu, features, machine, disassembler: OnceCell::new() })
        }
    }

    /// The disassembler, made when it is first wanted: for gfx6 and gfx7, which have none, LLVM ends the process.
    fn disassembler(&self) -> Ref {
        *self.disassembler.get_or_init(|| {
            let none = ptr::null_mut();
            // SAFETY: the target is registered; all strings are terminated and outlive the call.
            unsafe {
                (self.api.LLVMCreateDisasmCPUFeatures)(
                    self.triple.as_ptr(),
                    self.cpu.as_ptr(),
                    self.features.as_ptr(),
                    none,
                    0,
                    none,
                    none,
                )
            }
        })
    }

    /// Major, minor and patch version.
    pub fn version(&self) -> (u32, u32, u32) {
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: three places to write to.
        unsafe { (self.api.LLVMGetVersion)(&mut major, &mut minor, &mut patch) };
        (major, minor, patch)
    }

    /// The text of the instruction at the beginning of `bytes` and its length; `None`: LLVM knows none.
    pub fn disassemble(&self, bytes: &[u8]) -> Option<(String, usize)> {
        let mut bytes = bytes.to_vec();
        let mut text = [0 as c_char; 1024];
        let disassembler = self.disassembler();
        if disassembler.is_null() {
            return None;
        }
        // SAFETY: both buffers are as long as is said; LLVM terminates the text within its buffer.
        let length = unsafe {
            (self.api.LLVMDisasmInstruction)(
                disassembler,
                bytes.as_mut_ptr(),
                bytes.len() as u64,
                0,
                text.as_mut_ptr(),
                text.len(),
            )
        };
        if length == 0 {
            return None;
        }
        // SAFETY: terminated, as above.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) };
        Some((text.to_string_lossy().trim().to_owned(), length))
    }

    /// Prints the instructions of `code` one after the other into one buffer, up to the first that is none, and says
    /// how many there were.
    pub fn disassemble_all(&self, code: &[u8]) -> usize {
        let mut code = code.to_vec();
        let mut text = [0 as c_char; 1024];
        let disassembler = self.disassembler();
        let (mut at, mut count) = (0, 0);
        while at < code.len() && !disassembler.is_null() {
            let rest = &mut code[at..];
            // SAFETY: both buffers are as long as is said.
            let length = unsafe {
                (self.api.LLVMDisasmInstruction)(
                    disassembler,
                    rest.as_mut_ptr(),
                    rest.len() as u64,
                    at as u64,
                    text.as_mut_ptr(),
                    text.len(),
                )
            };
            if length == 0 {
                break;
            }
            at += length;
            count += 1;
        }
        count
    }

    /// Each line's bytes, or what is wrong with it.
    pub fn assemble(&self, lines: &[&str]) -> Result<Vec<Result<Vec<u8>, String>>> {
        let mut text = String::from(".text\n");
        for (number, line) in lines.iter().enumerate() {
            text += &format!("{}:\n{line}\n", label(number));
        }
        text += &format!("{}:\n", label(lines.len()));
        let (object, problems) = self.object_of(&text)?;
        let file = object::File::parse(&*object).context("what LLVM emits is no object")?;
        let code = file.section_by_name(".text").context("no .text")?.data()?;
        let mut starts = vec![None; lines.len() + 1];
        for symbol in file.symbols() {
            let number = symbol.name().ok().and_then(|name| name.strip_prefix(LABEL)?.parse::<usize>().ok());
            if let Some(start) = number.and_then(|number| starts.get_mut(number)) {
                *start = Some(symbol.address() as usize);
            }
        }
        let mut answers = Vec::with_capacity(lines.len());
        for number in 0..lines.len() {
            let problem = problems.iter().find(|(line, _)| *line == 2 * number + 3);
            let range = starts[number].zip(starts[number + 1]).and_then(|(start, end)| code.get(start..end));
            answers.push(match (problem, range) {
                (Some((_, message)), _) => Err(message.clone()),
                (None, Some(bytes)) => Ok(bytes.to_vec()),
                (None, None) => Err(UNNAMED.to_owned()),
            });
        }
        Ok(answers)
    }

    /// The object that LLVM makes of inline assembly, and its errors by line.
    pub fn object_of(&self, text: &str) -> Result<(Vec<u8>, Vec<(usize, String)>)> {
        let api = &self.api;
        let mut seen = Seen { api, problems: Vec::new() };
        // SAFETY: context, module and buffer are disposed of once each, after their last use; `seen` outlives the
        // context, to which alone it is given.
        unsafe {
            let context = (api.LLVMContextCreate)();
            (api.LLVMContextSetDiagnosticHandler)(context, on_diagnostic, (&raw mut seen).cast());
            let module = (api.LLVMModuleCreateWithNameInContext)(c"lines".as_ptr(), context);
            (api.LLVMSetTarget)(module, self.triple.as_ptr());
            let layout = (api.LLVMCreateTargetDataLayout)(self.machine);
            (api.LLVMSetModuleDataLayout)(module, layout);
            (api.LLVMDisposeTargetData)(layout);
            (api.LLVMSetModuleInlineAsm2)(module, text.as_ptr().cast(), text.len());
            let mut message = ptr::null_mut();
            let mut buffer = ptr::null_mut();
            let failed = (api.LLVMTargetMachineEmitToMemoryBuffer)(
                self.machine,
                module,
                OBJECT_FILE,
                &mut message,
                &mut buffer,
            );
            let mut bytes = Vec::new();
            if failed == 0 {
                let (start, size) = ((api.LLVMGetBufferStart)(buffer), (api.LLVMGetBufferSize)(buffer));
                bytes = std::slice::from_raw_parts(start, size).to_vec();
                (api.LLVMDisposeMemoryBuffer)(buffer);
            }
            (api.LLVMDisposeModule)(module);
            (api.LLVMContextDispose)(context);
            ensure!(failed == 0, "LLVM emits nothing for {:?} {:?}", self.cpu, self.features);
            Ok((bytes, seen.problems))
        }
    }
}

impl Drop for Llvm {
    fn drop(&mut self) {
        // SAFETY: made by `new`, disposed of once.
        unsafe {
            if let Some(disassembler) = self.disassembler.get() {
                (self.api.LLVMDisasmDispose)(*disassembler);
            }
            (self.api.LLVMDisposeTargetMachine)(self.machine);
        }
    }
}

/// The answer to a line whose bytes cannot be told from its neighbours'.
pub const UNNAMED: &str = "its label was skipped";
const LABEL: &str = "__line_";

fn label(number: usize) -> String {
    format!("{LABEL}{number}")
}

/// What the diagnostic handler collects.
struct Seen<'a> {
    api: &'a Api,
    /// Line of the inline assembly, from 1, and message.
    problems: Vec<(usize, String)>,
}

extern "C" fn on_diagnostic(info: Ref, seen: *mut c_void) {
    // SAFETY: LLVM hands back the pointer that was set, which points to a live `Seen` during emission.
    let seen = unsafe { &mut *seen.cast::<Seen<'_>>() };
    // SAFETY: the description is ours to dispose of, once, after it was copied.
    let text = unsafe {
        if (seen.api.LLVMGetDiagInfoSeverity)(info) != SEVERITY_ERROR {
            return;
        }
        let description = (seen.api.LLVMGetDiagInfoDescription)(info);
        let text = CStr::from_ptr(description).to_string_lossy().into_owned();
        (seen.api.LLVMDisposeMessage)(description);
        text
    };
    // `<inline asm>:LINE:COLUMN: error: MESSAGE`, then the source line.
    let rest = text.split_once("<inline asm>:").map_or("", |(_, rest)| rest);
    let line = rest.split(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let message = match rest.split_once("error: ") {
        Some((_, message)) => message,
        None => rest.splitn(3, ':').nth(2).unwrap_or(&text).trim_start(),
    };
    seen.problems.push((line, message.lines().next().unwrap_or_default().to_owned()));
}
