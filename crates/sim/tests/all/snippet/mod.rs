//! Small programs in assembly text, run on the simulator: what the tests and the speed example share.
//!
//! A program is one statement a line (`; comment`, `name:` labels for branches, `.long 0x…` for a dword of code).
//! Before its first line stands a prolog that puts the address of the input buffer in `s[2:3]`, that of the output
//! buffer in `s[4:5]`; `v0` has the work-item ids as dispatch packs them, `s[0:1]` the kernel arguments.

use std::collections::HashMap;

use wavemark_codeobj::descriptor::{Field, KernelDescriptor};
use wavemark_isa::{FixupKind, NoSymbols, Table, encode, parse};
use wavemark_sim::events::Observer;
use wavemark_sim::{Dispatch, Global, Kernel, RunConfig, RunEnd, RunStats, Segment, dispatch};
use wavemark_target::{Features, Machine};

#[path = "../machines/mod.rs"]
pub mod machines;

/// The bytes of a program.
pub fn assemble(machine: Machine, text: &str) -> Vec<u8> {
    try_assemble(machine, text).unwrap_or_else(|error| panic!("{error}"))
}

/// The bytes of a program; the error is about a line that is no instruction of the machine.
pub fn try_assemble(machine: Machine, text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut labels = HashMap::new();
    let mut branches = Vec::new();
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if let Some(label) = line.strip_suffix(':') {
            labels.insert(label.to_owned(), bytes.len());
            continue;
        }
        if let Some(word) = line.strip_prefix(".long 0x") {
            bytes.extend_from_slice(&u32::from_str_radix(word, 16).unwrap().to_le_bytes());
            continue;
        }
        // Registers may be written whole where their halves are meant.
        let whole = Machine { features: Features::empty(), ..machine };
        let parsed =
            parse(machine, line, &NoSymbols).or_else(|e| parse(whole, line, &NoSymbols).map_err(|_| e));
        let parsed = parsed.map_err(|e| format!("{line}: {e}"))?;
        for fixup in &parsed.fixups {
            let wavemark_isa::Expr::Symbol { name, .. } = &fixup.expr else { panic!("{line}: {fixup:?}") };
            assert_eq!(fixup.kind, FixupKind::Branch16, "{line}");
            branches.push((bytes.len() + usize::from(fixup.offset), name.to_string()));
        }
        bytes.extend_from_slice(&encode(machine, &parsed.inst).map_err(|e| format!("{line}: {e}"))?);
    }
    for (at, label) in branches {
        let target = *labels.get(&label).unwrap_or_else(|| panic!("no label {label}"));
        let dwords = (target as i64 - at as i64 - 4) / 4;
        bytes[at..at + 2].copy_from_slice(&(dwords as i16).to_le_bytes());
    }
    Ok(bytes)
}

/// How to launch a program.
#[derive(Clone)]
pub struct Setup {
    pub machine: Machine,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: Option<[u32; 3]>,
    pub lds: u32,
    pub scratch: u32,
    pub named_barriers: u32,
    pub input: Vec<u8>,
    pub output: Vec<u8>,
    pub config: RunConfig,
}

impl Setup {
    /// One wave, 4 KiB of LDS, 256 dwords of output that hold all ones.
    pub fn new(machine: Machine) -> Setup {
        Setup {
            machine,
            grid: [1; 3],
            block: [machine.lanes(), 1, 1],
            cluster: None,
            lds: 4096,
            scratch: 64,
            named_barriers: 4,
            input: (0..1024u32).flat_map(|n| (n * 0x0101 + 0x1000_0000).to_le_bytes()).collect(),
            output: vec![0xff; 4096],
            config: RunConfig::default(),
        }
    }
}

/// How a run went.
pub struct Outcome {
    pub end: RunEnd,
    pub stats: RunStats,
    pub output: Vec<u8>,
}

impl Outcome {
    /// Dword `n` of the output buffer.
    pub fn word(&self, n: usize) -> u32 {
        u32::from_le_bytes(self.output[n * 4..n * 4 + 4].try_into().unwrap())
    }
    /// The first `n` dwords of the output buffer.
    pub fn words(&self, n: usize) -> Vec<u32> {
        (0..n).map(|i| self.word(i)).collect()
    }
}

/// Whether the machine has an instruction of this name.
pub fn has(machine: Machine, mnemonic: &str) -> bool {
    Table::of(machine).by_mnemonic(mnemonic).next().is_some()
}

fn prolog(machine: Machine) -> String {
    let load = if has(machine, "s_load_b128") { "s_load_b128" } else { "s_load_dwordx4" };
    let wait = if has(machine, "s_wait_kmcnt") { "s_wait_kmcnt 0x0" } else { "s_waitcnt lgkmcnt(0)" };
    format!("{load} s[4:7], s[0:1], 0x0\n {wait}\n s_mov_b64 s[2:3], s[4:5]\n s_mov_b64 s[4:5], s[6:7]\n")
}

/// Run `text` with its prolog, `s_endpgm` behind it.
pub fn run<O: Observer + Send>(setup: &Setup, text: &str, observer: &mut O) -> Outcome {
    let machine = setup.machine;
    launch(setup, assemble(machine, &format!("{}{text}\n s_endpgm\n", prolog(machine))), observer)
}

/// Run code as it is.
pub fn launch<O: Observer + Send>(setup: &Setup, bytes: Vec<u8>, observer: &mut O) -> Outcome {
    let machine = setup.machine;
    let mut descriptor = KernelDescriptor::zero(machine.processor);
    let mut set = |field: Field, value| {
        if field.exists_on(machine.processor) {
            descriptor.set(field, value).unwrap();
        }
    };
    set(Field::GranulatedWorkitemVgprCount, 31);
    set(Field::EnableSgprKernargSegmentPtr, 1);
    set(Field::EnableVgprWorkitemId, 2);
    set(Field::FloatDenormMode16_64, 3);
    set(Field::FloatDenormMode32, 3);
    set(Field::EnableWavefrontSize32, machine.wave32().into());
    set(Field::UserSgprCount, 2);
    set(Field::UserSgprCountGfx1250, 2);
    set(Field::AccumOffset, 31);
    set(Field::EnableSgprWorkgroupIdX, 1);
    set(Field::NamedBarCnt, u64::from(setup.named_barriers.div_ceil(4)));
    descriptor.group_segment_fixed_size = setup.lds;
    descriptor.private_segment_fixed_size = setup.scratch;
    descriptor.kernarg_size = 16;
    let base = 0x10_0000;
    let kernel = Kernel {
        machine,
        code: Segment { base, bytes: bytes.into() },
        entry: base,
        descriptor_address: base - 64,
        descriptor,
    };
    let mut global = Global::new();
    let input = global.allocate("input", setup.input.clone(), true);
    let output = global.allocate("output", setup.output.clone(), true);
    let launch = Dispatch {
        grid: setup.grid,
        block: setup.block,
        cluster: setup.cluster,
        dynamic_lds: 0,
        kernarg: [input, output].iter().flat_map(|a| a.to_le_bytes()).collect(),
        dynamic_stack: 0,
        hostcall: None,
    };
    let (end, stats) = dispatch(&mut global, &kernel, &launch, setup.config.clone(), observer).unwrap();
    Outcome { end, stats, output: global.contents(output).unwrap().to_vec() }
}
