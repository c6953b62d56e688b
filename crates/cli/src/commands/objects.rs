//! `wavemark link`, `inspect`, `bundle` and `unbundle`.

use std::path::PathBuf;

use wavemark_driver::input::{Input, Lang};
use wavemark_driver::objects::{self, BundleOptions, Method, Version, View, Wanted};
use wavemark_driver::report::ExitStatus;

use crate::args::{BundleArgs, CompressArg, InspectArgs, KindArg, LinkArgs, TextOrJson, UnbundleArgs};
use crate::door::{Door, Failure};

fn read_objects(door: &mut Door, paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    paths.iter().map(|path| door.read_input(path, Some(Lang::Obj))).collect()
}

/// `link`
pub fn link(door: &mut Door, args: &LinkArgs) -> Result<ExitStatus, Failure> {
    let inputs = read_objects(door, &args.inputs)?;
    let linked = objects::link_inputs(&mut door.sources, &inputs)?;
    door.write(Some(&args.output), &linked)?;
    Ok(ExitStatus::Clean)
}

/// `inspect`
pub fn inspect(door: &mut Door, args: &InspectArgs) -> Result<ExitStatus, Failure> {
    let input = door.read_input(&args.input, Some(Lang::Obj))?;
    let view = match args.format {
        TextOrJson::Json => View::Json,
        TextOrJson::Text if args.dwarf => View::Dwarf,
        TextOrJson::Text => View::Object,
    };
    let inspection = objects::inspect_input(&mut door.sources, &input, args.target, view)?;
    match view {
        View::Json => door.print(format!("{:#}\n", inspection.json))?,
        View::Object | View::Dwarf => door.print(&inspection.text)?,
    }
    inspection.diagnostics.iter().for_each(|diagnostic| door.diagnose(diagnostic));
    Ok(if inspection.has_errors() { ExitStatus::Findings } else { ExitStatus::Clean })
}

/// `bundle`
pub fn bundle(door: &mut Door, args: &BundleArgs) -> Result<ExitStatus, Failure> {
    let inputs = read_objects(door, &args.inputs)?;
    let version = if args.format_version == 2 { Version::V2 } else { Version::V3 };
    let method = args.compress.map(|method| match method {
        CompressArg::Zlib => Method::Zlib,
        CompressArg::Zstd => Method::Zstd,
    });
    let kind = match args.kind {
        KindArg::Hip => "hip",
        KindArg::Hipv4 => "hipv4",
        KindArg::Openmp => "openmp",
    };
    let options = BundleOptions { kind, compress: method.map(|method| (method, version)) };
    let bundle = objects::bundle_inputs(&mut door.sources, &inputs, options)?;
    door.write(Some(&args.output), &bundle)?;
    Ok(ExitStatus::Clean)
}

/// `unbundle`
pub fn unbundle(door: &mut Door, args: &UnbundleArgs) -> Result<ExitStatus, Failure> {
    let input = door.read_input(&args.input, Some(Lang::Obj))?;
    let wanted = match (&args.target, &args.entry) {
        (Some(target), _) => Some(Wanted::Target(*target)),
        (None, Some(id)) => Some(Wanted::Id(id)),
        (None, None) => None,
    };
    match wanted {
        Some(wanted) => {
            let object = objects::unbundle_input(&mut door.sources, &input, wanted)?;
            door.write(args.output.as_deref(), &object)?;
        }
        None => {
            let text = objects::list_bundle(&mut door.sources, &input)?;
            door.write(args.output.as_deref(), text.as_bytes())?;
        }
    }
    Ok(ExitStatus::Clean)
}
