//! A kernel as IR and as code, run with one input: the bytes that it gives.

use anyhow::{Result, bail};
use wavemark_diag::{SourceMap, render_short};
use wavemark_driver::build::Failure;
use wavemark_driver::device::{Arguments, Device, Extent, ModuleId};
use wavemark_driver::input::{self, Lang};
use wavemark_driver::kernarg::{Argument, Passed};
use wavemark_driver::options::RunOptions;
use wavemark_driver::report::{Checked, ExitStatus};
use wavemark_filetests::random::Random;
use wavemark_interp::{Converge, Launch, RunEnd, prepare};
use wavemark_ir::Parsed;
use wavemark_sim::{Global, RunConfig, modelled};
use wavemark_target::{Machine, Processor};

use super::generate::{BLOCK, GRID, INPUT, OWN, SHARED};

/// Bytes of the output.
const OUTPUT: usize = (GRID * BLOCK) as usize * OWN + SHARED;
/// The number that kernels get.
const NUMBER: u32 = 37;

/// The input of kernels: words of all kinds of numbers, in which nothing repeats.
pub fn input(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(INPUT + 8);
    while bytes.len() < INPUT {
        let any = random.bits();
        match random.below(8) {
            0 => bytes.extend_from_slice(&(any as u32 as f32 * 0.001 - 1e6).to_le_bytes()),
            1 => bytes.extend_from_slice(&(f64::from(any as u32) * 0.37 - 4e8).to_le_bytes()),
            2 => bytes.extend_from_slice(&(any as u32 % 64).to_le_bytes()),
            3 => {
                let special = [
                    0,
                    1,
                    u32::MAX,
                    0x8000_0000,
                    0x7fff_ffff,
                    0x7f80_0000,
                    0xff80_0000,
                    1 << 23,
                    0x7fc0_0001,
                    7,
                ];
                bytes.extend_from_slice(&special[random.below(special.len())].to_le_bytes());
            }
            4 => bytes.extend_from_slice(
                &[0x3c00u16, 0xc500, 0x0001, 0x7bff][random.below(4)].to_le_bytes().repeat(2),
            ),
            _ => bytes.extend_from_slice(&any.to_le_bytes()),
        }
    }
    bytes.truncate(INPUT);
    bytes
}

/// A module that is read and valid.
pub fn read(text: &str, processor: Processor) -> Result<Parsed> {
    let (sources, parsed) = crate::ir::parsed(text)?;
    if let Some(violation) = wavemark_ir::verify(&parsed.module, Some(processor)).first() {
        bail!("{}", render_short(&sources, &violation.diagnostic(&parsed.places)));
    }
    Ok(parsed)
}

/// Runs a kernel of a module: its output. A run that finds anything is an error: random kernels are right.
pub fn of_ir(parsed: &Parsed, name: &str, processor: Processor, input: &[u8]) -> Result<Vec<u8>> {
    let module = &parsed.module;
    let Some(kernel) = module.named(name) else { bail!("there is no kernel {name}") };
    let Ok(machine) = modelled(Machine::new(processor)) else { bail!("{processor} is not modelled") };
    let mut memory = Global::new();
    let program = prepare(module, kernel, machine, Converge::Maximal, &mut memory)
        .map_err(|refused| anyhow::anyhow!(refused.what))?;
    let from = memory.allocate("in", input.to_vec(), false);
    let to = memory.allocate("out", vec![0; OUTPUT], true);
    let mut kernarg = Vec::new();
    kernarg.extend_from_slice(&from.to_le_bytes());
    kernarg.extend_from_slice(&to.to_le_bytes());
    kernarg.extend_from_slice(&NUMBER.to_le_bytes());
    kernarg.resize(24 + 256, 0);
    let launch = Launch {
        grid: [GRID, 1, 1],
        block: [BLOCK, 1, 1],
        cluster: None,
        dynamic_lds: 0,
        kernarg,
        watch: None,
        races: true,
        record: false,
    };
    let outcome = match wavemark_interp::run(&program, &launch, &RunConfig::default(), &mut memory) {
        Ok(outcome) => outcome,
        Err(error) => bail!("{error:?}"),
    };
    if outcome.end != RunEnd::Finished {
        bail!("the IR's run does not finish: {:?}", outcome.end);
    }
    if let Some(finding) = outcome.findings.first() {
        bail!("the IR's run finds: {} ({:?})", finding.note, finding.kind);
    }
    Ok(memory.slice(to, OUTPUT as u64).unwrap_or_default().to_vec())
}

/// Code on a device.
pub struct Loaded {
    device: Device,
    module: ModuleId,
    from: u64,
    to: u64,
}

impl Loaded {
    /// Loads an object.
    pub fn new(object: Vec<u8>) -> Result<Loaded> {
        let mut sources = SourceMap::new();
        let object = input::from_bytes("random.o".to_owned(), None, object, Some(Lang::Obj));
        let object = object.map_err(|diagnostic| anyhow::anyhow!(diagnostic.message))?;
        let mut device = Device::new();
        let module = device
            .load(&mut sources, &object, &RunOptions::default())
            .map_err(|failure| anyhow::anyhow!(said(&sources, failure)))?;
        let from = device.allocate("in", vec![0; INPUT]);
        let to = device.allocate("out", vec![0; OUTPUT]);
        Ok(Loaded { device, module, from, to })
    }

    /// Runs a kernel: its output.
    pub fn run(&mut self, name: &str, input: &[u8]) -> Result<Vec<u8>> {
        let diagnostic = |diagnostic: wavemark_diag::Diagnostic| anyhow::anyhow!(diagnostic.message);
        self.device.write(self.from, input).map_err(diagnostic)?;
        self.device.write(self.to, &vec![0; OUTPUT]).map_err(diagnostic)?;
        let extent = Extent { grid: [GRID, 1, 1], block: [BLOCK, 1, 1], cluster: None, dynamic_lds: 0 };
        let (from, to, number) = (self.from.to_le_bytes(), self.to.to_le_bytes(), NUMBER.to_le_bytes());
        let values = [("in", &from[..]), ("out", &to[..]), ("n", &number[..])]
            .map(|(name, bytes)| Argument { name, span: None, passed: Passed::Value(bytes) });
        let options = RunOptions { check: Checked::default(), threads: Some(1), ..RunOptions::default() };
        let report =
            self.device.launch(self.module, Some(name), &extent, Arguments::Values(&values), &options);
        let report = report.map_err(|failure| anyhow::anyhow!(said(&SourceMap::new(), failure)))?;
        if report.exit_status() != ExitStatus::Clean {
            let finding = report.findings.first().map(|finding| finding.title.clone());
            bail!("the code's run: {:?} {:?} {:?}", report.exit_status(), report.unsupported, finding);
        }
        Ok(self.device.read(self.to, OUTPUT as u64).map_err(diagnostic)?.to_vec())
    }
}

fn said(sources: &SourceMap, failure: Failure) -> String {
    match failure {
        Failure::Unusable(diagnostics) => {
            diagnostics.iter().map(|one| render_short(sources, one)).collect::<Vec<_>>().join("\n")
        }
        Failure::Unsupported(what) => format!("unsupported: {what}"),
    }
}
