//! `wavemark link`, `inspect`, `bundle` and `unbundle`.

use std::path::PathBuf;

use wavemark_driver::input::{Input, Lang};
use wavemark_driver::objects;
use wavemark_driver::report::ExitStatus;

use crate::args::{BundleArgs, InspectArgs, LinkArgs, UnbundleArgs};
use crate::door::{Door, Failure, read_input};

fn read_objects(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    paths.iter().map(|path| read_input(path, Some(Lang::Obj))).collect()
}

/// `link`
pub fn link(door: &mut Door, args: &LinkArgs) -> Result<ExitStatus, Failure> {
    let inputs = read_objects(&args.inputs)?;
    let linked = objects::link_inputs(&mut door.sources, &inputs)?;
    door.write(Some(&args.output), &linked)?;
    Ok(ExitStatus::Clean)
}

/// `inspect`
pub fn inspect(door: &mut Door, args: &InspectArgs) -> Result<ExitStatus, Failure> {
    let input = read_input(&args.input, Some(Lang::Obj))?;
    let text = objects::inspect_input(&mut door.sources, &input, args.target)?;
    door.print(text)?;
    Ok(ExitStatus::Clean)
}

/// `bundle`
pub fn bundle(door: &mut Door, args: &BundleArgs) -> Result<ExitStatus, Failure> {
    let inputs = read_objects(&args.inputs)?;
    let bundle = objects::bundle_inputs(&mut door.sources, &inputs)?;
    door.write(Some(&args.output), &bundle)?;
    Ok(ExitStatus::Clean)
}

/// `unbundle`
pub fn unbundle(door: &mut Door, args: &UnbundleArgs) -> Result<ExitStatus, Failure> {
    let input = read_input(&args.input, Some(Lang::Obj))?;
    match &args.target {
        Some(target) => {
            let object = objects::unbundle_input(&mut door.sources, &input, target)?;
            door.write(args.output.as_deref(), &object)?;
        }
        None => {
            let text = objects::list_bundle(&mut door.sources, &input)?;
            door.print(text)?;
        }
    }
    Ok(ExitStatus::Clean)
}
