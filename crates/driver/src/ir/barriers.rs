//! What is known of a module's barriers without running it, as findings.

use wavemark_diag::SourceMap;
use wavemark_ir::Parsed;
use wavemark_ir::barriers::{self, Mistake, MistakeKind};
use wavemark_memmodel::barrier::Rule;
use wavemark_target::Processor;

use crate::report::{Class, Finding, NotChecked, Report, Severity};

use super::kernel::{Kernel, kernels};

/// Follows the barriers of every kernel, or of the one that is asked for.
pub(super) fn judge(
    report: &mut Report,
    sources: &SourceMap,
    parsed: &Parsed,
    processor: Option<Processor>,
    only: Option<&str>,
) {
    for (id, name) in kernels(&parsed.module, only) {
        match barriers::judge(&parsed.module, id, processor) {
            None => {}
            Some(Err(why)) => {
                let reason = format!("barriers in kernel {name}: {}", why.reason());
                report.not_checked.push(NotChecked::unknown("barriers", reason));
            }
            Some(Ok(verdict)) => {
                let kernel = Kernel { sources, parsed, id, origins: &verdict.origins };
                report.findings.extend(verdict.mistakes.iter().map(|mistake| finding(&kernel, mistake)));
                report.notes.push(format!(
                    "kernel {name}: {} barrier operations were followed on all paths, for workgroups of {}",
                    verdict.operations, verdict.items
                ));
            }
        }
    }
}

fn finding(kernel: &Kernel<'_>, mistake: &Mistake) -> Finding {
    let (rule, severity, class, role, title) = match mistake.kind {
        MistakeKind::Broken(rule) => (rule.id(), Severity::Error, Class::Barrier, "barrier", title(rule)),
        MistakeKind::EndsEarly => (
            "B7",
            Severity::Warning,
            Class::Barrier,
            "drop",
            "a wave may end before a phase is complete that it has arrived in",
        ),
        MistakeKind::ArrivesTwice => (
            "B12",
            Severity::Error,
            Class::Barrier,
            "arrive",
            "a wave may arrive a second time at a barrier in one phase",
        ),
        MistakeKind::CountedByArrival => (
            "B1",
            Severity::Warning,
            Class::Barrier,
            "barrier",
            "an arrival gives a named barrier its count: the model knows only the initialisation",
        ),
        MistakeKind::Deadlock => (
            "B13",
            Severity::Error,
            Class::Deadlock,
            "waiting",
            "no wave can go on: waves may wait for a barrier at which too few arrive",
        ),
    };
    Finding {
        rule: rule.to_owned(),
        title: title.to_owned(),
        severity,
        class,
        instances: 1,
        sites: mistake.insts.iter().map(|&inst| kernel.site(role, inst)).collect(),
        hint: None,
        author_hint: None,
        model: None,
        proven: None,
        unsettles: None,
    }
}

/// What breaks a rule.
fn title(rule: Rule) -> &'static str {
    match rule {
        Rule::B1 => "a named barrier may be used that was never initialised",
        Rule::B2 => "a named barrier is initialised with a count of 0",
        Rule::B3 => "leaving makes the expected count of a barrier negative",
        Rule::B4 => "a named barrier is given an expected count that is not above its arrivals",
        Rule::B7 => "a wave may arrive at a barrier and leave it before the phase is complete",
        Rule::B8 => "a barrier is joined that is no named one",
        Rule::B9 => "a named barrier may be left that was not joined",
        Rule::B10 => "a named barrier may be waited for that was not joined",
        Rule::B11 => "a named barrier may complete its phase before the wave joins it that waits for it",
        Rule::B12 => "the arrivals of one wave may fall into one phase of a barrier",
        Rule::B14 => "a second wave of the workgroup may arrive at the cluster's barrier in one phase",
        Rule::B16 => "a barrier of the trap handler is used",
    }
}
