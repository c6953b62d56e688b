//! IR and the code that a compiler made of it, run with one launch: which of them disagrees with what.
//!
//! Both run under every completion mode, and schedules of each. Their buffers are compared with each other, and with what
//! the launch file expects, with its tolerances: where the launch expects nothing of a buffer, bit for bit. Of the first
//! element that differs, the last store to it is told on both sides; where the code's is of another line of the author's, or
//! there is none, the code's store of the line that the IR's is of is told as well: it went elsewhere.
//!
//! A kernel with a race may differ though it was compiled rightly: what either side finds is told as well.

use std::fmt;
use std::path::Path;

use rustc_hash::FxHashMap;
use serde::Serialize;
use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_sim::events::{Direction, Extent, Issue, Observer, Site as MachineSite, Space, WaveId};

use super::execute::{Asked, Prepared, Watched, execute, findings, machine, select, site, written_at};
use super::read;
use crate::build::{Failure, Loadable, loadable};
use crate::compare::compare as compare_buffers;
use crate::execution::{Placed, Prepared as PreparedCode, config, execute as execute_code};
use crate::input::Input;
use crate::kernel;
use crate::launch::{self, ArgValue, Purpose};
use crate::options::{Completion, RunOptions};
use crate::places::Places;
use crate::report::{ExitStatus, Finding, Severity, Site};
use crate::run::{self, subject};
use crate::schedules::seed_of;
use crate::statics::Subject;

/// What a comparison came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The IR as the user named it.
    pub ir: String,
    /// The code as the user named it.
    pub code: String,
    /// The kernel.
    pub kernel: String,
    /// Runs of each.
    pub runs: u32,
    /// Bytes compared in each.
    pub bytes: u64,
    /// The first difference, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// Buffers of the IR's runs that are not as expected.
    pub ir_mismatches: Vec<String>,
    /// The same of the code's.
    pub code_mismatches: Vec<String>,
    /// Errors found in the IR's runs.
    pub ir_findings: Vec<Finding>,
    /// The same of the code's.
    pub code_findings: Vec<Finding>,
    /// What was not run to its end, and why.
    pub incomplete: Vec<String>,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The completion mode: `late`, `early`, `random`.
    pub completion: &'static str,
    /// The seed of the schedule.
    pub seed: u64,
    /// The argument.
    pub argument: String,
    /// The index of the element.
    pub index: Vec<u64>,
    /// The number that the IR gives.
    pub ir: String,
    /// The number that the code gives.
    pub code: String,
    /// Elements of the argument that differ.
    pub elements: u64,
    /// The last store to it in the IR's run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ir_store: Option<Site>,
    /// The same in the code's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_store: Option<Site>,
    /// The code's last store, wherever it went, of the author's line that `ir_store` is of, where `code_store` is of another
    /// or is not there; one of the same wave, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_store_elsewhere: Option<Site>,
}

/// Runs the kernel of `ir` and that of `code` with the launch file, and compares what they leave.
pub fn compare(
    sources: &mut SourceMap,
    ir: &Input,
    code: &Input,
    launch_file: &Path,
    options: &RunOptions,
) -> Result<Compared, Failure> {
    let parsed = read(sources, ir, options.target)?;
    let name = launch_file.display().to_string();
    let given = launch::load(sources, launch_file, &name, options.seed, Purpose::Kernel)?;
    let (named, _) = launch::named(options, Some(&given));
    let kernel = select(&parsed, &ir.name, named)?;
    let (launch, filled) = &given;
    let name = parsed.module.name(kernel);
    let ir_machine = machine(&parsed, kernel, &ir.name)?;
    let prepared = Prepared { parsed: &parsed, kernel, machine: ir_machine, launch, filled };

    let Loadable { object, lines } = loadable(sources, code, options)?;
    let code_kernel = kernel::select(&object, &code.name, Some(&name), None)?;
    let model = run::model(options)?;
    let Subject { machine, executed_by, .. } = subject(&object, code_kernel, model)?;
    if machine.processor != ir_machine.processor {
        return Err(Diagnostic::error(format!(
            "{} is for {}, and {} for {}",
            ir.name, ir_machine.processor, code.name, machine.processor
        ))
        .into());
    }
    let unsuitable = kernel::check_launch(launch, code_kernel, object.kernel_metadata(code_kernel));
    if !unsuitable.is_empty() {
        return Err(unsuitable.into());
    }
    let prepared_code = PreparedCode {
        name: &code.name,
        object: &object,
        lines: &lines,
        kernel: code_kernel,
        launch,
        filled,
        machine,
        executed_by,
        model,
    };

    let mut compared = Compared {
        ir: ir.name.clone(),
        code: code.name.clone(),
        kernel: name,
        runs: 0,
        bytes: filled.iter().map(|one| one.bytes.len() as u64).sum(),
        difference: None,
        ir_mismatches: Vec::new(),
        code_mismatches: Vec::new(),
        ir_findings: Vec::new(),
        code_findings: Vec::new(),
        incomplete: Vec::new(),
    };
    for completion in Completion::ALL {
        let mode = completion.name();
        let schedules = options.schedules.max(1);
        let options = RunOptions { completion, schedules: 1, ..options.clone() };
        for index in 0..schedules {
            let seed = seed_of(options.seed, index);
            let mut of_ir = execute(&prepared, sources, &options, seed, Asked::default())?;
            of_ir.ran.findings = findings(sources, &parsed, &of_ir.found);
            let of_code = execute_code(&prepared_code, &options, seed, false)?;
            compared.runs += 1;
            compared.ran(true, mode, &of_ir.ran, &of_ir.outputs);
            compared.ran(false, mode, &of_code.ran, &of_code.outputs);
            if !of_ir.ran.finished || !of_code.ran.finished || compared.difference.is_some() {
                continue;
            }
            let Some((argument, found)) = first_difference(&prepared, &of_ir.contents, &of_code.contents)
            else {
                continue;
            };
            let arg = &launch.args[argument];
            let Some(first) = found.first else { continue };
            let shape = match &arg.value {
                ArgValue::Buffer(buffer) => &buffer.shape[..],
                ArgValue::Scalar(_) => &[],
            };
            let flat = first.index.iter().zip(shape).fold(0, |flat, (&at, &size)| flat * size + at);
            let bits = u64::from(arg.dtype.bits());
            let watched = Watched { argument, offset: flat * bits / 8, bytes: bits.div_ceil(8) };
            let again = execute(
                &prepared,
                sources,
                &options,
                seed,
                Asked { watched: Some(watched), ..Asked::default() },
            )?;
            let author = again.watched.as_ref().and_then(|place| {
                let written = written_at(&parsed, place.function, place.inst).into_iter().next()?;
                Some(OfAuthor {
                    file: written.file,
                    line: written.line,
                    workgroup: place.workgroup,
                    wave: place.wave,
                })
            });
            let (code_store, code_store_elsewhere) =
                last_stores(&prepared_code, &options, seed, watched, author)?;
            compared.difference = Some(Difference {
                completion: mode,
                seed,
                argument: arg.name.clone(),
                index: first.index,
                ir: first.expected,
                code: first.found,
                elements: found.mismatches,
                ir_store: again.watched.map(|place| site(sources, &parsed, &place, "store")),
                code_store,
                code_store_elsewhere,
            });
        }
    }
    Ok(compared)
}

/// The first buffer of which elements differ, beyond the tolerance that the launch file gives.
fn first_difference(
    prepared: &Prepared<'_>,
    of_ir: &[Vec<u8>],
    of_code: &[Vec<u8>],
) -> Option<(usize, crate::compare::Comparison)> {
    let args = prepared.launch.args.iter().enumerate();
    args.filter_map(|(argument, arg)| {
        let ArgValue::Buffer(buffer) = &arg.value else { return None };
        let (rtol, atol) = buffer.expect.as_ref().map_or((0.0, 0.0), |expect| (expect.rtol, expect.atol));
        let (ir, code) = (&of_ir[argument], &of_code[argument]);
        let found = compare_buffers(arg.dtype, &buffer.shape, code, ir, rtol, atol);
        (!found.matches()).then_some((argument, found))
    })
    .next()
}

/// A line of the author's, and who came by there in the IR's run.
struct OfAuthor {
    file: String,
    line: u32,
    workgroup: [u32; 3],
    wave: u32,
}

impl OfAuthor {
    /// Whether the code at an address is of this line. Directories are spelled as each compiler likes.
    fn is_at(&self, places: &Places<'_>, pc: u64) -> bool {
        let here = places.lines.lookup(pc.wrapping_sub(places.base));
        here.is_some_and(|here| here.line == self.line && file_name(here.file) == file_name(&self.file))
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The last store of the code to bytes that are watched, and the last one of an author's line, if that is another.
fn last_stores(
    prepared: &PreparedCode<'_>,
    options: &RunOptions,
    seed: u64,
    watched: Watched,
    author: Option<OfAuthor>,
) -> Result<(Option<Site>, Option<Site>), Failure> {
    let Placed { mut memory, image, kernel, addresses, dispatch } = prepared.place()?;
    let places = Places { machine: prepared.machine, base: image.base, lines: prepared.lines };
    let Some((from, to)) = watched.at(&addresses) else { return Ok((None, None)) };
    let mut watch = Watch {
        from,
        to,
        last: None,
        places: &places,
        author,
        of_line: FxHashMap::default(),
        elsewhere: None,
    };
    let ran = wavemark_sim::dispatch(&mut memory, &kernel, &dispatch, config(options, seed), &mut watch);
    ran.map_err(|error| crate::execution::undispatched(&prepared.kernel.name, error))?;
    let of_line = |pc| watch.author.as_ref().is_some_and(|author| author.is_at(&places, pc));
    let elsewhere =
        watch.elsewhere.filter(|_| !watch.last.as_ref().is_some_and(|(_, site)| of_line(site.pc)));
    let told =
        |(wave, site): (WaveId, MachineSite)| places.site("store", site.pc, &site.inst, Some(wave), None);
    Ok((watch.last.map(told), elsewhere.map(told)))
}

/// Keeps who stored last to some bytes of global memory, and who did last from an author's line.
struct Watch<'w> {
    from: u64,
    to: u64,
    last: Option<(WaveId, MachineSite)>,
    places: &'w Places<'w>,
    author: Option<OfAuthor>,
    /// Whether the store at an address is of that line.
    of_line: FxHashMap<u64, bool>,
    elsewhere: Option<(WaveId, MachineSite)>,
}

impl Watch<'_> {
    /// A store of the author's line counts; one of the wave that stored in the IR's run counts more.
    fn stored(&mut self, wave: WaveId, site: &MachineSite) {
        let Some(author) = &self.author else { return };
        if !*self.of_line.entry(site.pc).or_insert_with(|| author.is_at(self.places, site.pc)) {
            return;
        }
        let same = |wave: &WaveId| wave.workgroup == author.workgroup && wave.wave == author.wave;
        if same(&wave) || !self.elsewhere.as_ref().is_some_and(|(known, _)| same(known)) {
            self.elsewhere = Some((wave, site.clone()));
        }
    }
}

impl Observer for Watch<'_> {
    fn issued(&mut self, wave: WaveId, site: &MachineSite, op: &Issue) {
        let touches = |from: u64, bytes: u64| from < self.to && from.saturating_add(bytes) > self.from;
        let writes = op
            .accesses
            .iter()
            .filter(|access| access.space == Space::Global && access.direction != Direction::Read);
        let (mut stores, mut hit) = (false, false);
        for access in writes {
            stores = true;
            hit |= match &access.extent {
                Extent::Lanes { mask, bytes, addr } => {
                    (0..64).any(|lane| mask >> lane & 1 != 0 && touches(addr[lane], u64::from(*bytes)))
                }
                Extent::Runs(runs) => runs.iter().any(|&(from, bytes)| touches(from, u64::from(bytes))),
            };
        }
        if hit {
            self.last = Some((wave, site.clone()));
        }
        if stores {
            self.stored(wave, site);
        }
    }
}

impl Compared {
    fn ran(&mut self, ir: bool, mode: &str, ran: &crate::execution::Ran, outputs: &[crate::report::Output]) {
        let side = if ir { "the IR" } else { "the code" };
        if let Some(what) = &ran.unsupported {
            self.incomplete.push(format!("{side}: {what}"));
        } else if let Some(limit) = ran.limit {
            self.incomplete.push(format!("{side}: {}", limit.title()));
        }
        let (mismatches, findings) = match ir {
            true => (&mut self.ir_mismatches, &mut self.ir_findings),
            false => (&mut self.code_mismatches, &mut self.code_findings),
        };
        for output in outputs.iter().filter(|output| !output.matches) {
            let first = output.first.as_ref().map_or_else(String::new, |first| {
                format!(": {:?} is {}, not {}", first.index, first.found, first.expected)
            });
            mismatches.push(format!(
                "`{}`, {mode}: {} of {} elements are not as expected{first}",
                output.name, output.mismatches, output.elements
            ));
        }
        for finding in ran.findings.iter().filter(|finding| finding.severity == Severity::Error) {
            match findings.iter_mut().find(|known| known.is_again(finding)) {
                Some(known) => known.instances += finding.instances,
                None => findings.push(finding.clone()),
            }
        }
        self.incomplete.dedup();
    }

    /// The command's exit status: 0 where nothing differs, from each other or from what is expected, and nothing was found.
    pub fn status(&self) -> ExitStatus {
        let wrong = self.difference.is_some()
            || !self.ir_mismatches.is_empty()
            || !self.code_mismatches.is_empty()
            || !self.ir_findings.is_empty()
            || !self.code_findings.is_empty();
        match (wrong, self.incomplete.is_empty()) {
            (true, _) => ExitStatus::Findings,
            (false, false) => ExitStatus::Unsupported,
            (false, true) => ExitStatus::Clean,
        }
    }

    /// For programs.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A store, where it stands.
struct Stored<'s>(&'s Site);

impl fmt::Display for Stored<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stored(store) = self;
        f.write_str(store.source.as_deref().unwrap_or("no line"))?;
        if let Some(author) = store.callers.first() {
            write!(f, ", from {author}")?;
        }
        write!(f, ": {}", store.text.trim())
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} and {}: kernel {}", self.ir, self.code, self.kernel)?;
        if let Some(difference) = &self.difference {
            let Difference { completion, seed, argument, index, ir, code, elements, .. } = difference;
            writeln!(f, "they differ in `{argument}` ({elements} elements; {completion}, seed {seed})")?;
            writeln!(f, "  the first is {index:?}: the IR gives {ir}, the code gives {code}")?;
            for (side, store) in [("IR", &difference.ir_store), ("code", &difference.code_store)] {
                match store {
                    Some(store) => writeln!(f, "  last store of the {side}: {}", Stored(store))?,
                    None => writeln!(f, "  nothing of the {side} stores to it")?,
                }
            }
            if let Some(store) = &difference.code_store_elsewhere {
                writeln!(
                    f,
                    "  the code's store of the line that the IR's is of goes elsewhere: {}",
                    Stored(store)
                )?;
            }
        } else if self.incomplete.is_empty() {
            let (runs, bytes) = (self.runs, self.bytes);
            writeln!(f, "no difference: {runs} runs of each, {bytes} bytes of buffers")?;
        }
        for (side, mismatches) in [("IR", &self.ir_mismatches), ("code", &self.code_mismatches)] {
            match mismatches.first() {
                Some(first) => writeln!(f, "{side}: {first}")?,
                None => writeln!(f, "{side}: as expected")?,
            }
        }
        for (side, findings) in [("IR", &self.ir_findings), ("code", &self.code_findings)] {
            for finding in findings {
                let place = finding.sites.first().and_then(|site| site.source.as_deref()).unwrap_or("");
                writeln!(f, "{side}: error[{}]: {} {place}", finding.id(), finding.title)?;
            }
        }
        for what in &self.incomplete {
            writeln!(f, "not run to the end: {what}")?;
        }
        Ok(())
    }
}
