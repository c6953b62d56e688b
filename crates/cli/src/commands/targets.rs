//! `wavemark targets`: the processors, and what is known of each and where it is from.

use std::fmt::Write as _;

use wavemark_diag::Diagnostic;
use wavemark_driver::lines::{Fidelity, executed_by, fidelity};
use wavemark_driver::report::ExitStatus;
use wavemark_target::inst_features::InstFeature;
use wavemark_target::{AbiVersion, EFlags, IsaName, Limits, Processor, Property, R600, TargetId};

use crate::args::TargetsArgs;
use crate::door::{Door, Failure};

/// Prints the table, or everything about one target.
pub fn targets(door: &mut Door, args: &TargetsArgs) -> Result<ExitStatus, Failure> {
    let text = match (&args.target, &args.explain) {
        (None, None) => table(),
        (Some(target), None) => one(target, false),
        (Some(target), Some(None)) | (None, Some(Some(target))) => one(target, true),
        (Some(target), Some(Some(other))) if target == other => one(target, true),
        (None, Some(None)) => return Err(Diagnostic::error("--explain: which target?").into()),
        (Some(target), Some(Some(other))) => {
            return Err(Diagnostic::error(format!("two targets, {target} and {other}: one at a time")).into());
        }
    };
    door.print(text)?;
    Ok(ExitStatus::Clean)
}

fn waves(processor: Processor) -> &'static str {
    match (processor.has(Property::WAVE32), processor.has(Property::WAVE64)) {
        (true, true) => "32 64",
        (true, false) => "32",
        _ => "64",
    }
}

fn family(processor: Processor) -> String {
    format!("{:?}", processor.generation()).to_lowercase()
}

/// What a target ID can say of the processor.
fn settings(processor: Processor) -> String {
    let names = [("sramecc", Property::SRAMECC), ("xnack", Property::XNACK)];
    let has: Vec<&str> = names.iter().filter(|(_, p)| processor.has(*p)).map(|(name, _)| *name).collect();
    if has.is_empty() { "-".to_owned() } else { has.join(" ") }
}

fn table() -> String {
    let mut text = format!(
        "{:<16}{:<10}{:<7}{:<15}{:<22}{}\n",
        "processor", "family", "waves", "settings", "supported", "aliases"
    );
    for &processor in Processor::ALL {
        let line = format!(
            "{:<16}{:<10}{:<7}{:<15}{:<22}{}",
            processor.name(),
            family(processor),
            waves(processor),
            settings(processor),
            support(processor),
            processor.aliases().join(" ")
        );
        _ = writeln!(text, "{}", line.trim_end());
    }
    let r600: Vec<&str> = R600::names().collect();
    _ = writeln!(text, "recognised and refused (R600 architecture): {}", r600.join(" "));
    text
}

/// What can be done for a processor, beside reading and linking code objects.
fn support(processor: Processor) -> &'static str {
    if executed_by(processor).is_some() { "asm, dis, run, check" } else { "asm, dis" }
}

/// A page of rows: name, value, and where it is from if that is asked for.
struct Page {
    text: String,
    sources: bool,
}

impl Page {
    fn row(&mut self, name: &str, value: impl AsRef<str>, source: &str) {
        _ = writeln!(self.text, "  {name:<26}{}", value.as_ref());
        if self.sources && !source.is_empty() {
            _ = writeln!(self.text, "  {:<26}  from {source}", "");
        }
    }
}

fn one(target: &TargetId, explain: bool) -> String {
    let processor = target.processor;
    let mut page = Page { text: format!("{target}\n"), sources: explain };
    let (major, minor, stepping) = processor.isa_version();
    let aliases = processor.aliases();
    page.row("supported", support(processor), "");
    page.row("aliases", if aliases.is_empty() { "-".to_owned() } else { aliases.join(" ") }, PROCESSORS);
    page.row("isa version", format!("{major}.{minor}.{stepping}"), "LLVM's `getIsaVersion`");
    page.row("family", family(processor), "guide, \"AMDGPU Processors\"");
    names(&mut page, target);
    let wave = processor.default_wave_size();
    page.row("wave sizes", format!("{} (default {})", waves(processor), wave.lanes()), PROCESSORS);
    limits(&mut page, &processor.limits(wave));
    let properties: Vec<String> =
        processor.properties().iter_names().map(|(name, _)| name.to_lowercase().replace('_', "-")).collect();
    page.row("properties", properties.join(" "), PROCESSORS);
    if !processor.stands_for().is_empty() {
        let names: Vec<&str> = processor.stands_for().iter().map(|processor| processor.name()).collect();
        page.row("stands for", names.join(" "), "guide, \"AMDGPU Generic Processors\"");
    }
    if explain {
        if let Some(fidelity) = fidelity(processor) {
            simulator(&mut page.text, &fidelity);
        }
        facts(&mut page.text, processor);
    }
    page.text
}

const PROCESSORS: &str = "guide, \"AMDGPU Processors\"; LLVM 22's features";

/// How code objects of each version name the target.
fn names(page: &mut Page, target: &TargetId) {
    let isa_name = IsaName::of(target).map_or("-".to_owned(), |name| name.to_string());
    page.row("code object V2", isa_name, "guide, \"Code Object V2 Note Records\"");
    page.row("code object V3", target.to_v3(), "guide, \"Code Object V2 to V3 Target ID\"");
    let words: Vec<String> = [AbiVersion::V3, AbiVersion::V4, AbiVersion::V5, AbiVersion::V6]
        .into_iter()
        .filter_map(|abi| {
            let word = EFlags::new(*target).encode(abi).ok()?;
            Some(format!("V{} {word:#x}", abi.code_object_version()))
        })
        .collect();
    page.row("e_flags", words.join(", "), "guide, \"AMDGPU ELF Header e_flags\"; LLVM 22's objects");
}

fn limits(page: &mut Page, limits: &Limits) {
    let source = "LLVM's `IsaInfo`";
    page.row("addressable SGPRs", limits.addressable_sgprs.to_string(), source);
    page.row("addressable VGPRs", limits.addressable_vgprs.to_string(), source);
    page.row("addressable AGPRs", limits.addressable_agprs.to_string(), source);
    page.row("LDS per workgroup", format!("{} bytes", limits.lds_bytes), source);
    page.row("workgroup", format!("at most {} work-items", limits.max_workgroup_size), source);
    page.row("cluster", format!("at most {} workgroups", limits.max_cluster_size), source);
    page.row("named barriers", limits.named_barriers.to_string(), source);
}

/// What the simulator does as the hardware does, what it does nearly so, and what it refuses.
fn simulator(text: &mut String, fidelity: &Fidelity) {
    let refused: usize = fidelity.refused.iter().map(|group| group.instructions.len()).sum();
    let executed = fidelity.instructions - refused;
    text.push_str("simulator\n");
    _ = writeln!(
        text,
        "  exact                     {executed} of {} instructions, but for",
        fidelity.instructions
    );
    for approximation in &fidelity.approximations {
        _ = writeln!(text, "  approximate               {}", approximation.subject);
        _ = writeln!(text, "  {:<26}  {}", "", approximation.manner);
    }
    for group in &fidelity.refused {
        _ = writeln!(text, "  refused                   {}", group.instructions.join(" "));
        _ = writeln!(text, "  {:<26}  {}", "", group.reason);
    }
}

fn facts(text: &mut String, processor: Processor) {
    text.push_str("facts\n");
    let mut page = Page { text: std::mem::take(text), sources: true };
    for fact in processor.facts().explain() {
        page.row(fact.name, fact.value, fact.source);
    }
    *text = page.text;
    text.push_str("instruction features (LLVM 22's names)\n");
    for feature in processor.inst_features().iter() {
        _ = writeln!(text, "  {:<46}{}", feature.name(), feature.meaning());
    }
    let without = InstFeature::ALL.iter().filter(|feature| !processor.has_inst(**feature)).count();
    _ = writeln!(text, "  and {without} others not");
}
