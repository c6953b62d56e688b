//! Static checks: a kernel's machine code on all paths, without executing it.

use wavemark_check::FindingSite;
use wavemark_check::statics::{Gap, GapKind, Statics, check};
use wavemark_codeobj::lines::LineTable;
use wavemark_codeobj::read::Kernel;
use wavemark_codeobj::{CodeObject, KernelMetadata, LoadedImage};
use wavemark_diag::Diagnostic;
use wavemark_isa::effects::{Counter, effects};
use wavemark_sim::foresight::Supposed;
use wavemark_sim::{Dispatch, Segment};
use wavemark_target::Machine;

use crate::build::Failure;
use crate::execution::{code_of, machine_kernel};
use crate::findings::convert;
use crate::kernarg::{self, Argument, Passed, lay_out};
use crate::kernel;
use crate::places::Places;
use crate::report::{Checked, Class, Finding, NotChecked, Paths, Report, Severity};

/// A code object, loaded to be read.
pub(crate) struct Loaded<'s> {
    /// The input's name.
    name: &'s str,
    target: String,
    lines: &'s LineTable,
    image: LoadedImage,
    code: Vec<Segment>,
    /// The kernels whose waves are followed through LDS.
    followed: Vec<String>,
}

/// Waves are followed through LDS for so many kernels of an object, the first ones: tens of milliseconds each.
const FOLLOWED: usize = 256;

/// A kernel of it, and how its code is read.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'s> {
    pub kernel: &'s Kernel,
    pub machine: Machine,
    pub executed_by: Machine,
    pub metadata: Option<&'s KernelMetadata>,
}

impl<'s> Loaded<'s> {
    pub fn new(name: &'s str, object: &CodeObject, lines: &'s LineTable) -> Result<Loaded<'s>, Failure> {
        let image = LoadedImage::load(object, 0)
            .map_err(|error| Diagnostic::error(format!("{name} cannot be loaded: {error}")))?;
        let code = code_of(&image);
        let followed = object.kernels.iter().take(FOLLOWED).map(|kernel| kernel.name.clone()).collect();
        Ok(Loaded { name, target: object.target().to_string(), lines, image, code, followed })
    }
}

/// What numbers stand for where a kernel takes one, what shows most first: elements that fill a few tiles; tiles of a
/// pipeline that is longer than its ring; elements of more tiles, and that leave a rest; tiles of a short pipeline.
const NUMBERS: [u64; 5] = [448, 8, 1024, 200, 3];

/// So many waves are supposed where nothing says how many a workgroup has: what two do they do in a larger one as well.
const WAVES: u32 = 2;

/// Dispatches that show how a kernel uses LDS: one workgroup of the size that it is `launched` with or else compiled for, or two
/// waves if that is not known, with each of some numbers for all its numbers, or without any arguments where nothing says
/// what they are.
fn supposed(kernel: &Kernel, metadata: Option<&KernelMetadata>, launched: Option<[u32; 3]>) -> Vec<Supposed> {
    let lanes = kernel.descriptor.wave_size().lanes();
    let required = launched.or(metadata.and_then(|metadata| metadata.reqd_workgroup_size));
    let flat = metadata.map(|metadata| metadata.max_flat_workgroup_size);
    // What compilers say if the source says nothing.
    let flat = flat.filter(|&size| size != kernel.descriptor.limits().max_workgroup_size);
    let any_size = required.is_none() && flat.is_none();
    let block = required.unwrap_or([flat.unwrap_or(lanes * WAVES), 1, 1]);
    let cluster = metadata.and_then(|metadata| metadata.cluster_dims);
    let grid = cluster.unwrap_or([1; 3]);
    let dispatch = |kernarg| Dispatch {
        grid,
        block,
        cluster,
        dynamic_lds: 0,
        kernarg,
        dynamic_stack: 0,
        hostcall: None,
    };
    let flat = required.is_none();
    let Some(parameters) = kernel::parameters(kernel, metadata) else {
        // Preloaded arguments would be known.
        let preloads = kernel.descriptor.kernarg_preload().0 > 0;
        let one =
            Supposed { dispatch: dispatch(Vec::new()), flat, any_size, no_arguments: true, number: None };
        return if preloads { Vec::new() } else { vec![one] };
    };
    if parameters.iter().any(|parameter| parameter.size > MOST_BYTES) {
        return Vec::new();
    }
    let dispatched = kernarg::Dispatch { grid, block, dimensions: 1, ..kernarg::Dispatch::default() };
    let explicit = || parameters.iter().filter(|parameter| !parameter.is_hidden()).enumerate();
    let pointer = |place: usize, kind: &str| match kind {
        "global_buffer" => Some(BUFFERS + ((place as u64) << 36)),
        "dynamic_shared_pointer" => Some(0),
        _ => None,
    };
    let takes_numbers = explicit().any(|(place, parameter)| pointer(place, &parameter.value_kind).is_none());
    let with = |number: u64| {
        let values: Vec<Vec<u8>> = explicit()
            .map(|(place, parameter)| {
                let value = pointer(place, &parameter.value_kind).unwrap_or(number);
                let mut bytes = value.to_le_bytes().to_vec();
                bytes.resize(usize::try_from(parameter.size).unwrap_or_default(), 0);
                bytes
            })
            .collect();
        let arguments: Vec<Argument<'_>> = values
            .iter()
            .map(|bytes| Argument { name: "", span: None, passed: Passed::Value(bytes) })
            .collect();
        let size = kernel::segment_size(kernel, metadata);
        let kernarg = lay_out(&kernel.name, &arguments, Some(&parameters), size, &dispatched).ok()?;
        // The first one stands for all that are like it, unless it is known what is dispatched.
        let made_up = takes_numbers && (launched.is_some() || number != NUMBERS[0]);
        Some(Supposed {
            dispatch: dispatch(kernarg),
            flat,
            any_size,
            no_arguments: false,
            number: made_up.then_some(number),
        })
    };
    NUMBERS.into_iter().filter_map(with).collect()
}

/// Bytes of the largest argument that is supposed.
const MOST_BYTES: u64 = 1 << 12;
/// Where buffers are supposed: nothing is read there.
const BUFFERS: u64 = 0x2000_0000_0000;

/// What shows in a run alone: groups of checks, or a rule of one.
const IN_A_RUN: [(&str, Option<&str>, &str); 6] = [
    (
        "registers",
        Some("R3"),
        "sources that are overwritten before their operation has read them show in a run",
    ),
    ("registers", Some("U1"), "registers that were never written show in a run"),
    (
        "lds",
        None,
        "without a launch R4, R5, R7, S1 and S2 alone, as far as addresses follow from code and numbers supposed",
    ),
    ("global", None, "races on global memory show in a run"),
    ("barriers", None, "without a launch B12 and B13 alone, of the workgroup barrier"),
    ("waits", None, "without a launch W1 and W2 alone"),
];

/// What the static checks find, besides what `report` has from a run already, of workgroups of the size that it is launched with.
pub(crate) fn add(
    report: &mut Report,
    loaded: &Loaded<'_>,
    subject: Subject<'_>,
    block: Option<[u32; 3]>,
    wanted: Checked,
) -> Result<(), Failure> {
    let Subject { kernel, machine, executed_by, metadata } = subject;
    let followed = loaded.followed.contains(&kernel.name);
    let supposed = if followed { supposed(kernel, metadata, block) } else { Vec::new() };
    if !followed && wanted.lds {
        let why = format!("addresses in LDS are followed in the first {FOLLOWED} kernels of an object");
        report.not_checked.push(NotChecked::unknown("lds", why));
    }
    let kernel = machine_kernel(loaded.name, kernel, executed_by, &loaded.image, &loaded.code)?;
    let Statics { findings, gaps, instructions } =
        check(&kernel, &supposed, &|address, bytes| loaded.image.read_constant(address, bytes));
    let places = Places { machine, base: loaded.image.base, lines: loaded.lines };
    report.paths = Some(Paths { instructions: instructions as u64 });
    let unsettled: Vec<Counter> = report.findings.iter().filter_map(|finding| finding.unsettles).collect();
    let of_runs = report.findings.len();
    for finding in findings.into_iter().filter(|finding| is_wanted(finding.rule, wanted)) {
        let moot = |wait: &FindingSite| {
            let waits = effects(machine, &wait.site.inst).waits;
            waits.iter().any(|(counter, _)| unsettled.contains(counter))
        };
        if !(finding.class == wavemark_check::Class::Redundant && finding.sites.iter().any(moot)) {
            add_finding(report, of_runs, convert(finding, None, &places));
        }
    }
    report.not_checked.extend(gaps.iter().map(|gap| not_followed(gap, &places)));
    Ok(())
}

/// The static checks alone: there is no launch.
pub(crate) fn alone(loaded: &Loaded<'_>, subject: Subject<'_>, wanted: Checked) -> Result<Report, Failure> {
    let mut report = Report::new(loaded.name);
    report.target = loaded.target.clone();
    report.kernel = subject.kernel.name.clone();
    add(&mut report, loaded, subject, None, wanted)?;
    report.checked = Checked { registers: wanted.registers, ..Checked::default() };
    report.notes.push("nothing was executed: there is no launch (--launch L.toml)".to_owned());
    let asked = |group: &str| wanted.parts().contains(&(group, true));
    for (group, rule, why) in IN_A_RUN.iter().filter(|(group, ..)| asked(group)) {
        report.not_checked.push(NotChecked::unknown(rule.unwrap_or(group), *why));
    }
    report.conclude();
    Ok(report)
}

/// Whether a rule belongs to the groups of checks that are wanted.
fn is_wanted(rule: &str, wanted: Checked) -> bool {
    match rule {
        "W1" | "W2" => wanted.waits,
        "R4" | "R5" | "R7" | "S1" | "S2" => wanted.lds,
        "B12" | "B13" => wanted.barriers,
        _ => wanted.registers,
    }
}

/// A run that shows what is said of all paths is the better witness, among the first so many findings; what it advises is proven by
/// that. Barriers that are missing on all paths are told apart there.
fn add_finding(report: &mut Report, of_runs: usize, finding: Finding) {
    // A run tells of two accesses in which order they came.
    let roles: &[&str] = match finding.severity {
        Severity::Advice => &["wait"],
        _ => &["producer", "reader", "writer", "waiting"],
    };
    let ends = |of: &Finding| -> Vec<Option<u64>> {
        of.sites.iter().filter(|site| roles.contains(&site.role.as_str())).map(|site| site.pc).collect()
    };
    let own = ends(&finding);
    let meets = |other: &Finding| {
        // What a wait could be on every path may be less than what served a run.
        let same_advice = finding.class != Class::OverStrong || other.hint == finding.hint;
        let same =
            other.class == finding.class && ends(other).iter().any(|pc| own.contains(pc)) && same_advice;
        // What follows from another mistake in the run has its ends there.
        let follows = finding.severity == Severity::Error && other.names_ends_of(&finding);
        other.severity == finding.severity && (same || follows)
    };
    let others = match finding.class {
        Class::MissingSync => of_runs,
        _ => report.findings.len(),
    };
    match report.findings[..others].iter_mut().find(|other| meets(other)) {
        Some(known) => {
            known.proven = finding.proven.or(known.proven);
            if finding.severity == Severity::Advice {
                known.hint = finding.hint;
            }
        }
        None => report.findings.push(finding),
    }
}

/// Behind a gap nothing was looked at; calls come back.
fn not_followed(gap: &Gap, places: &Places<'_>) -> NotChecked {
    let place = places.source(gap.pc).unwrap_or_else(|| format!("{:#x}", gap.pc.wrapping_sub(places.base)));
    let reason = format!("{}, at {place}", gap.kind);
    match gap.kind {
        GapKind::Call | GapKind::Recursion | GapKind::Calls => NotChecked::unknown(NotChecked::PATHS, reason),
        GapKind::Indirect | GapKind::VgprMsb | GapKind::NotCode | GapKind::TooMuch => {
            NotChecked::new(NotChecked::PATHS, reason)
        }
    }
}
