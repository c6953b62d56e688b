//! `wavemark targets`: the processors and what is supported of each.

use std::fmt::Write as _;

use wavemark_driver::lines::instruction_set;
use wavemark_driver::report::ExitStatus;
use wavemark_target::{Processor, Property, TargetId};

use crate::args::TargetsArgs;
use crate::door::{Door, Failure};

/// Prints the table, or everything about one target.
pub fn targets(door: &mut Door, args: &TargetsArgs) -> Result<ExitStatus, Failure> {
    let text = match &args.target {
        Some(target) => one(target),
        None => table(),
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

fn table() -> String {
    let mut text = format!("{:<16}{:<10}{:<7}{}\n", "processor", "family", "waves", "supported");
    for &processor in Processor::ALL {
        let family = format!("{:?}", processor.generation()).to_lowercase();
        _ = writeln!(
            text,
            "{:<16}{family:<10}{:<7}{}",
            processor.name(),
            waves(processor),
            support(processor)
        );
    }
    text
}

/// What can be done for a processor.
fn support(processor: Processor) -> &'static str {
    if instruction_set(processor).is_some() { "code objects, asm, dis, run, check" } else { "code objects" }
}

fn one(target: &TargetId) -> String {
    let processor = target.processor;
    let (major, minor, stepping) = processor.isa_version();
    let wave = processor.default_wave_size();
    let limits = processor.limits(wave);
    let mut text = format!("{target}\n");
    let mut row = |name: &str, value: String| _ = writeln!(text, "  {name:<22}{value}");
    row("supported", support(processor).to_owned());
    row(
        "aliases",
        if processor.aliases().is_empty() { "-".to_owned() } else { processor.aliases().join(" ") },
    );
    row("isa version", format!("{major}.{minor}.{stepping}"));
    row("family", format!("{:?}", processor.generation()).to_lowercase());
    row("e_flags machine", format!("{:#04x}", processor.mach()));
    row("wave sizes", format!("{} (default {})", waves(processor), wave.lanes()));
    row("addressable SGPRs", limits.addressable_sgprs.to_string());
    row("addressable VGPRs", limits.addressable_vgprs.to_string());
    row("addressable AGPRs", limits.addressable_agprs.to_string());
    row("LDS per workgroup", format!("{} bytes", limits.lds_bytes));
    row("workgroup", format!("at most {} work-items", limits.max_workgroup_size));
    row("cluster", format!("at most {} workgroups", limits.max_cluster_size));
    row("named barriers", limits.named_barriers.to_string());
    let properties: Vec<String> =
        processor.properties().iter_names().map(|(name, _)| name.to_lowercase().replace('_', "-")).collect();
    row("properties", properties.join(" "));
    if !processor.stands_for().is_empty() {
        let names: Vec<&str> = processor.stands_for().iter().map(|processor| processor.name()).collect();
        row("stands for", names.join(" "));
    }
    text
}
