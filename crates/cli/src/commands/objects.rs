//! `wavemark link`, `inspect`, `bundle` and `unbundle`.

use wavemark_driver::input::Lang;
use wavemark_driver::objects;
use wavemark_driver::report::ExitStatus;

use crate::args::LinkArgs;
use crate::door::{Door, Failure, read_input};

/// `link`
pub fn link(door: &mut Door, args: &LinkArgs) -> Result<ExitStatus, Failure> {
    let inputs = args.inputs.iter().map(|path| read_input(path, Some(Lang::Obj)));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let linked = objects::link_inputs(&mut door.sources, &inputs)?;
    door.write(Some(&args.output), &linked)?;
    Ok(ExitStatus::Clean)
}
