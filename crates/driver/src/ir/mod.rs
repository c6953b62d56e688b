//! LLVM IR as an input: read, verified, printed; its marks, and its accesses of LDS, judged on all paths; run.
//!
//! Promises: what is not valid is refused with places in the text. A kernel is run by the interpreter (`execute`); without
//! a launch, marks, accesses of LDS and barriers are looked at on all paths, and a report says so.

mod barriers;
pub mod compare;
mod copies;
mod execute;
mod hint;
mod implicit;
mod kernel;
mod recording;

pub use execute::run;

use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_ir::marks::{MarkedModule, Remark, Remarked};
use wavemark_ir::{Module, Parsed, target};
use wavemark_target::TargetId;

use crate::build::Failure;
use crate::compile::Note;
use crate::input::{Input, agree};
use crate::options::RunOptions;
use crate::report::{Checked, Class, Finding, NotChecked, Report, Severity, Site};

/// A module that is valid for its target, or for the one that is asked for.
pub fn read(sources: &mut SourceMap, input: &Input, given: Option<TargetId>) -> Result<Parsed, Failure> {
    let text = input.text()?;
    let file = sources.add_text(&input.name, text);
    let parsed = wavemark_ir::parse(file, text).map_err(|refused| refusal(sources, vec![*refused]))?;
    let found = processor(&parsed.module).map(TargetId::new);
    let target = match (given, found) {
        (None, None) => None,
        _ => Some(agree(&input.name, given, found)?),
    };
    let violations = wavemark_ir::verify(&parsed.module, target.map(|target| target.processor));
    if violations.is_empty() {
        return Ok(parsed);
    }
    let diagnostics = violations.iter().map(|violation| violation.diagnostic(&parsed.places)).collect();
    Err(refusal(sources, diagnostics))
}

/// The processor that a module is for: its own, or that of its kernels.
fn processor(module: &Module) -> Option<wavemark_target::Processor> {
    let kernels = module.functions().filter(|(_, function)| function.body.is_some());
    target::of_module(module)
        .or_else(|| kernels.filter_map(|(_, function)| target::of_function(module, function)).next())
}

/// What was refused: a fault of the input, or, where every message says so, something that we do not do.
fn refusal(sources: &SourceMap, diagnostics: Vec<Diagnostic>) -> Failure {
    let what = |one: &Diagnostic| {
        let message = one.message.strip_prefix("unsupported: ")?;
        Some(one.span().map(|span| sources.location(span) + ": ").unwrap_or_default() + message)
    };
    match diagnostics.iter().map(what).collect::<Option<Vec<String>>>() {
        Some(what) => Failure::Unsupported(what.join("; ")),
        None => Failure::Unusable(diagnostics),
    }
}

/// `compile --emit ll`: the text of a valid module. With `tighten`, its waits for copies leave as many as is proven to be
/// enough; what was changed is noted.
pub fn print(
    sources: &mut SourceMap,
    input: &Input,
    target: Option<TargetId>,
    tighten: bool,
) -> Result<(String, Vec<Note>), Failure> {
    let Parsed { mut module, places } = read(sources, input, target)?;
    let kernels: Vec<_> =
        module.functions().filter(|(_, function)| function.is_kernel()).map(|(id, _)| id).collect();
    let mut notes = Vec::new();
    for kernel in kernels.into_iter().filter(|_| tighten) {
        for change in wavemark_ir::copies::tighten(&mut module, kernel, target.map(|target| target.processor))
        {
            let message = match change.enough {
                Some(n) => {
                    format!("leaves {n} instead of {}: no access of LDS needs more, on any path", change.now)
                }
                None => "is taken out: no access of LDS needs it, on any path".to_owned(),
            };
            notes.push(Note { span: Some(places.inst(kernel, change.wait)), message });
        }
    }
    Ok((wavemark_ir::print(&module), notes))
}

/// What is not looked for in IR without a run.
const IN_A_RUN: [(&str, &str); 2] = [
    ("registers", "IR has values instead: what code generation makes of them shows in the code object"),
    ("global", "races on global memory show in a run"),
];

/// What is known of a module without running it.
pub fn check(sources: &mut SourceMap, input: &Input, options: &RunOptions) -> Result<Report, Failure> {
    let parsed = read(sources, input, options.target)?;
    let module = &parsed.module;
    let mut report = Report::new(&input.name);
    report.target = processor(module).map(|processor| processor.name().to_owned()).unwrap_or_default();
    if options.check.waits {
        judge_marks(&mut report, sources, &parsed);
    }
    if options.check.lds || options.check.waits {
        let processor = options.target.map(|target| target.processor);
        copies::judge(&mut report, sources, &parsed, processor, options.kernel.as_deref(), options.check);
    }
    if options.check.barriers {
        let processor = options.target.map(|target| target.processor);
        barriers::judge(&mut report, sources, &parsed, processor, options.kernel.as_deref());
    }
    let complete = |group: &str| !report.not_checked.iter().any(|not| not.rule == group);
    report.checked = Checked {
        waits: options.check.waits,
        lds: options.check.lds && complete("lds"),
        barriers: options.check.barriers && complete("barriers"),
        ..Checked::default()
    };
    let asked = |group: &str| options.check.parts().contains(&(group, true));
    for (group, why) in IN_A_RUN.iter().filter(|(group, _)| asked(group)) {
        report.not_checked.push(NotChecked::unknown(*group, *why));
    }
    let open: Vec<String> = report.not_checked.iter().map(ToString::to_string).collect();
    report.notes.extend(open.into_iter().map(|what| format!("not checked: {what}")));
    report.notes.push("nothing was executed".to_owned());
    report.conclude();
    Ok(report)
}

fn judge_marks(report: &mut Report, sources: &SourceMap, parsed: &Parsed) {
    let marks = MarkedModule::of(&parsed.module);
    for remarked in marks.remarks() {
        match finding(sources, parsed, &remarked) {
            Some(finding) => report.findings.push(finding),
            None => {
                let place = sources.location(parsed.places.inst(remarked.function, remarked.inst));
                report.notes.push(format!("{place}: this mark can go, no wait promises less without it"));
            }
        }
    }
    if marks.count() > 0 {
        report.notes.push(format!("{} marks and waits for marks were looked at on all paths", marks.count()));
    }
}

/// A wait that can go, as advice that holds for every run.
fn finding(sources: &SourceMap, parsed: &Parsed, remarked: &Remarked) -> Option<Finding> {
    let title = match remarked.remark {
        Remark::RedundantWait => "redundant wait: there is no mark that it could take, on any path",
        Remark::RemovableWait => {
            "redundant wait: what it takes is known to be done without it, on every path"
        }
        Remark::RemovableMark => return None,
    };
    let span = parsed.places.inst(remarked.function, remarked.inst);
    let site = Site {
        role: "wait".to_owned(),
        text: sources.snippet(span).unwrap_or_default().to_owned(),
        source: Some(sources.location(span)),
        ..Site::default()
    };
    Some(Finding {
        rule: "W1".to_owned(),
        title: title.to_owned(),
        severity: Severity::Advice,
        class: Class::Redundant,
        instances: 1,
        sites: vec![site],
        hint: None,
        author_hint: None,
        model: None,
        proven: Some(true),
        unsettles: None,
    })
}
