//! What is known of a module's accesses of LDS, and of the copies to and from it, as findings.

use wavemark_diag::SourceMap;
use wavemark_ir::Parsed;
use wavemark_ir::copies::{self, Hazard, HazardKind, Verdict, Weaker};
use wavemark_ir::function::Inst;
use wavemark_ir::inst::{InstKind, Operand};
use wavemark_target::Processor;

use crate::report::{Checked, Class, Finding, NotChecked, Report, Severity};

use super::kernel::{Kernel, kernels};

/// Follows every kernel, or the one that is asked for.
pub(super) fn judge(
    report: &mut Report,
    sources: &SourceMap,
    parsed: &Parsed,
    processor: Option<Processor>,
    only: Option<&str>,
    wanted: Checked,
) {
    let module = &parsed.module;
    for (id, name) in kernels(module, only) {
        let judged = copies::judge(module, id, processor);
        let origins = match &judged {
            Some(Ok(verdict)) => &verdict.origins[..],
            _ => &[],
        };
        let kernel = Kernel { sources, parsed, id, origins };
        match &judged {
            None => {}
            Some(Err(why)) => {
                let reason = format!("LDS in kernel {name}: {}", why.reason());
                report.not_checked.push(NotChecked::unknown("lds", reason));
            }
            Some(Ok(verdict)) => {
                if wanted.lds {
                    report.findings.extend(verdict.hazards.iter().filter_map(|hazard| kernel.hazard(hazard)));
                    kernel.tell(report, &name, verdict);
                }
                if wanted.waits {
                    report.findings.extend(verdict.weaker.iter().map(|weaker| kernel.weaker(weaker)));
                }
            }
        }
    }
}

/// What copies of a kernel are told as.
impl Kernel<'_> {
    /// How much was followed, and what was not.
    fn tell(&self, report: &mut Report, name: &str, verdict: &Verdict) {
        report.notes.push(format!(
            "kernel {name}: {} accesses of LDS and {} waits for copies were followed on all paths, for workgroups of up to {}",
            verdict.followed, verdict.waits, verdict.items
        ));
        if verdict.is_decided() && verdict.hazards.is_empty() && verdict.waits > 0 {
            report.notes.push(format!(
                "kernel {name}: its waits for copies are enough on all paths; {} of {} could leave more",
                verdict.weaker.len(),
                verdict.waits
            ));
        }
        if let Some(&first) = verdict.unknown.first() {
            let place = self.place(first);
            let count = verdict.unknown.len();
            let reason = format!(
                "kernel {name}: {count} accesses whose addresses are not known, the first at {place}"
            );
            report.not_checked.push(NotChecked::unknown("lds", reason));
        }
        if verdict.told_by_cluster > 0 {
            let reason = format!(
                "kernel {name}: {} pairs of accesses that nothing orders but, perhaps, the barrier of the cluster",
                verdict.told_by_cluster
            );
            report.not_checked.push(NotChecked::unknown("lds", reason));
        }
        if verdict.unproven > 0 {
            let reason = format!(
                "kernel {name}: {} pairs of accesses that meet only if two conditions allow it together",
                verdict.unproven
            );
            report.not_checked.push(NotChecked::unknown("lds", reason));
        }
    }

    fn hazard(&self, hazard: &Hazard) -> Option<Finding> {
        let &(first, second) = hazard.pairs.first()?;
        let copies = hazard.kind != HazardKind::Unordered;
        let (rule, class, title) = match hazard.kind {
            HazardKind::InFlight => {
                ("R4", Class::MissingWait, "LDS is touched while a copy to or from it may be in flight")
            }
            HazardKind::PublishedEarly => (
                "R4",
                Class::MissingWait,
                "LDS is touched while another wave's copy to or from it may be in flight",
            ),
            HazardKind::Unordered => {
                ("S2", Class::MissingSync, "two waves touch the same LDS, and no barrier is between")
            }
            HazardKind::AtEnd => {
                ("R7", Class::MissingWait, "the wave may end while its copy still touches LDS")
            }
        };
        let mut sites = vec![self.site("producer", first), self.site("consumer", second)];
        sites.extend(hazard.barrier.map(|barrier| self.site("barrier", barrier)));
        sites.extend(hazard.wait.map(|wait| self.site("wait", wait)));
        let hint = match (hazard.enough, hazard.wait) {
            (Some(n), Some(wait)) => {
                let at = if hazard.barrier.is_some() { "the barrier" } else { "the access" };
                format!(
                    "at {at} no more than {n} may be left in flight: {} leaves {}",
                    self.text(wait),
                    self.left(wait)
                )
            }
            (Some(n), None) => format!("wait until no more than {n} are left in flight"),
            (None, _) if copies => "no mark covers the copy: put llvm.amdgcn.asyncmark behind it".to_owned(),
            (None, _) => "a barrier belongs between the two".to_owned(),
        };
        Some(Finding {
            rule: rule.to_owned(),
            title: title.to_owned(),
            severity: Severity::Error,
            class,
            instances: hazard.pairs.len() as u64,
            sites,
            hint: Some(hint),
            author_hint: None,
            model: None,
            proven: Some(true),
            unsettles: None,
        })
    }

    fn weaker(&self, weaker: &Weaker) -> Finding {
        let (rule, class, title, hint) = match weaker.enough {
            Some(n) => (
                "W2",
                Class::OverStrong,
                "wait stronger than any access of LDS needs, on any path".to_owned(),
                format!("{} may leave {n}", self.call(weaker.wait)),
            ),
            None => (
                "W1",
                Class::Redundant,
                "redundant wait: no access of LDS needs it, on any path".to_owned(),
                format!("{} can go", self.call(weaker.wait)),
            ),
        };
        Finding {
            rule: rule.to_owned(),
            title,
            severity: Severity::Advice,
            class,
            instances: 1,
            sites: vec![self.site("wait", weaker.wait)],
            hint: Some(hint),
            author_hint: None,
            model: None,
            proven: Some(true),
            unsettles: None,
        }
    }

    /// A call as a hint names it: what is called, and with what.
    fn call(&self, inst: Inst) -> String {
        let text = self.text(inst);
        text.split_once('@').map_or(text.clone(), |(_, called)| called.to_owned())
    }

    /// The number that a wait leaves, as it is written.
    fn left(&self, wait: Inst) -> String {
        let (function, wait) = self.origin(wait);
        let body = self.parsed.module.function(function).and_then(|function| function.body.as_ref());
        let number = body.and_then(|body| match &body.insts[wait].kind {
            InstKind::Call(call) => match call.args.first()?.value {
                Operand::Const(constant) => self.parsed.module.constants.int(constant)?.to_u64(),
                _ => None,
            },
            _ => None,
        });
        number.map_or_else(|| "a number that is not known".to_owned(), |number| number.to_string())
    }
}
