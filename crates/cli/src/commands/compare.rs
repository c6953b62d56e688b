//! `wavemark compare`: IR and the code made of it, run with one launch.

use wavemark_driver::input::Lang;
use wavemark_driver::ir::compare::compare as compare_inputs;
use wavemark_driver::options::RunOptions;
use wavemark_driver::report::ExitStatus;

use super::execute::processors;
use crate::args::{CompareArgs, LitmusFormatArg};
use crate::door::{Door, Failure};
use crate::end::brake;

/// Runs both under every completion mode, and prints where they differ.
pub fn compare(door: &mut Door, args: &CompareArgs) -> Result<ExitStatus, Failure> {
    let options = RunOptions {
        target: args.target.target,
        features: args.target.features.clone().unwrap_or_default(),
        kernel: args.kernel.clone(),
        seed: args.seed,
        schedules: args.schedules,
        threads: processors(),
        max_steps: args.max_steps,
        brake: brake(args.timeout),
        ..RunOptions::default()
    };
    let ir = door.read_input(&args.ir, Some(Lang::Ll))?;
    let code = door.read_input(&args.code, None)?;
    let compared = compare_inputs(&mut door.sources, &ir, &code, &args.launch, &options)?;
    door.print(match args.format {
        LitmusFormatArg::Text => compared.to_string(),
        LitmusFormatArg::Json => format!("{}\n", compared.json()),
    })?;
    Ok(compared.status())
}
