//! `wavemark litmus`: all executions of litmus tests, and tests from cycles.

use std::path::Path;

use wavemark_diag::Diagnostic;
use wavemark_driver::files;
use wavemark_driver::input::Lang;
use wavemark_driver::litmus::{Bounds, Litmus, STYLES, cycles, generate, judge};
use wavemark_driver::report::ExitStatus;

use crate::args::{LitmusArgs, LitmusCommand, LitmusFormatArg};
use crate::door::{Door, Failure};

/// Explores tests, or generates them.
pub fn litmus(door: &mut Door, args: &LitmusArgs) -> Result<ExitStatus, Failure> {
    if let Some(LitmusCommand::Gen { edges, out, count }) = &args.command {
        return gen_tests(door, *edges, *count, out);
    }
    if args.inputs.len() > 1 && (args.dot.is_some() || args.svg.is_some()) {
        return Err(Diagnostic::error("--dot and --svg draw the witness of one test").into());
    }
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let bounds = Bounds { states: args.max_states, threads };
    let mut status = ExitStatus::Clean;
    for path in &args.inputs {
        let input = door.read_input(path, Some(Lang::Litmus))?;
        let text = String::from_utf8(input.bytes)
            .map_err(|_| Diagnostic::error(format!("{} is not UTF-8 text", input.name)))?;
        let file = door.sources.add_text(&input.name, text.clone());
        let litmus = judge(&input.name, file, &text, bounds)?;
        let report = match args.format {
            LitmusFormatArg::Text => litmus.render(args.inputs.len() == 1),
            LitmusFormatArg::Json => format!("{}\n", litmus.json()),
        };
        door.print(report)?;
        draw(door, &litmus, args.dot.as_deref(), false)?;
        draw(door, &litmus, args.svg.as_deref(), true)?;
        status = worst(status, litmus.status());
    }
    Ok(status)
}

/// What was not explored to its end is worse than what is as expected, and better than what is not.
fn worst(one: ExitStatus, other: ExitStatus) -> ExitStatus {
    let rank = |status: ExitStatus| match status {
        ExitStatus::Clean => 0,
        ExitStatus::Unsupported => 1,
        _ => 2,
    };
    if rank(other) > rank(one) { other } else { one }
}

fn draw(door: &Door, litmus: &Litmus, path: Option<&Path>, svg: bool) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    match litmus.picture(svg) {
        Some(picture) => door.write(Some(path), picture.as_bytes()),
        None => {
            door.note(
                None,
                &format!(
                    "{}: no witness to draw: the state is never reached, or the test is one of the machine with caches, \
                     whose steps are text",
                    litmus.name
                ),
            );
            Ok(())
        }
    }
}

fn gen_tests(door: &Door, edges: usize, count: usize, out: &Path) -> Result<ExitStatus, Failure> {
    let all = cycles(edges);
    let tests = all.iter().flat_map(|cycle| STYLES.into_iter().filter_map(|style| generate(cycle, style)));
    let mut written = 0;
    for text in tests.take(count) {
        let name = text.lines().next().and_then(|head| head.split(' ').nth(1)).unwrap_or("test");
        files::write(&out.join(format!("{name}.litmus")), text.as_bytes(), std::iter::empty())?;
        written += 1;
    }
    door.print(format!("{written} tests in {}\n", out.display()))?;
    Ok(ExitStatus::Clean)
}
