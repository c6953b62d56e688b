//! The checker's findings as a report has them: places named, hints completed; and what the user asks of the checker.

use wavemark_check::{Checks, Model, READINGS};
use wavemark_isa::effects::CounterSet;
use wavemark_sim::RunEnd;

use crate::author;
use crate::places::Places;
use crate::report::{Checked, Class, Finding, Severity, Site};

/// The checks that the checker is to do.
pub(crate) fn checks(wanted: Checked) -> Checks {
    let Checked { registers, lds, global, barriers, waits } = wanted;
    Checks { registers, lds, global, barriers, waits }
}

/// The readings of open questions that `--model` names, each `NAME=READING`.
pub fn parse_model(readings: &[String]) -> Result<Model, String> {
    let mut model = Model::default();
    for text in readings {
        let named = text.split_once('=').and_then(|(key, value)| {
            let reading = READINGS.iter().find(|reading| reading.key == key)?;
            [reading.default, reading.other].contains(&value).then_some((reading, value == reading.other))
        });
        let Some((reading, other)) = named else {
            let all = READINGS.iter().map(|one| format!("{}={}|{}", one.key, one.default, one.other));
            let all = all.collect::<Vec<_>>().join(", ");
            return Err(format!("`{text}` is no reading of an open question: {all}"));
        };
        *(reading.place)(&mut model) = other;
    }
    Ok(model)
}

/// A finding with its places named.
pub(crate) fn convert(
    finding: wavemark_check::Finding,
    kernel: Option<&wavemark_sim::Kernel>,
    places: &Places<'_>,
) -> Finding {
    let author_hint = kernel.and_then(|kernel| author::hint(&finding, kernel, places));
    let unsettles = finding.unsettles(CounterSet::of(places.machine));
    let mut sites: Vec<Site> = finding
        .sites
        .iter()
        .map(|end| {
            let lanes = (end.lanes != 0).then_some(end.lanes);
            places.site(end.role, end.site.pc, &end.site.inst, end.wave, lanes)
        })
        .collect();
    let wait = finding.wait.map(|wait| {
        let note = match wait.leaves {
            Some(leaves) => format!("leaves {leaves} in flight, {} may be", wait.allowed),
            None if wait.waits_for.is_empty() => format!("does not wait for {}", wait.counter.name()),
            None => {
                let others: Vec<&str> = wait.waits_for.iter().map(|counter| counter.name()).collect();
                format!("waits for {}, not for {}", others.join(" and "), wait.counter.name())
            }
        };
        let site = places.site("wait", wait.site.pc, &wait.site.inst, Some(wait.wave), None);
        Site { note: Some(note), ..site }
    });
    sites.extend(wait);
    let hint = finding.hint.map(|hint| match &finding.hint_site {
        Some(site) => {
            let place =
                places.source(site.pc).unwrap_or_else(|| format!("{:#x}", site.pc.wrapping_sub(places.base)));
            if hint.contains("{pc}") {
                hint.replace("{pc}", &place)
            } else {
                let text = places.text(&site.inst);
                let mnemonic = text.split_whitespace().next().unwrap_or_default();
                format!("{hint} {mnemonic}{PLACE}{place}")
            }
        }
        None => hint,
    });
    Finding {
        rule: finding.rule.to_owned(),
        title: finding.title,
        severity: severity(finding.severity),
        class: class(finding.class),
        instances: finding.instances,
        sites,
        hint,
        author_hint,
        model: finding.model.map(str::to_owned),
        proven: (severity(finding.severity) == Severity::Advice).then_some(finding.proven),
        unsettles,
    }
}

/// What stands before the place of the instruction that a hint is about.
const PLACE: &str = " at ";

/// Whether a hint says where something is missing.
pub(crate) fn names_place(hint: &str) -> bool {
    hint.contains(PLACE)
}

/// What the end of a run alone says, where nobody observed it.
pub(crate) fn of_end(end: &RunEnd) -> Option<Finding> {
    let (rule, class, title) = match end {
        RunEnd::Finished | RunEnd::Unsupported { .. } => return None,
        RunEnd::Deadlock => ("B13", Class::Deadlock, "no wave can move"),
        RunEnd::Limit(limit) => ("T2", Class::StepLimit, limit.title()),
        RunEnd::Trap => ("T1", Class::Trap, "the program traps"),
    };
    Some(Finding {
        rule: rule.to_owned(),
        title: title.to_owned(),
        severity: Severity::Error,
        class,
        instances: 1,
        sites: Vec::new(),
        hint: None,
        author_hint: None,
        model: None,
        proven: None,
        unsettles: None,
    })
}

fn severity(severity: wavemark_check::Severity) -> Severity {
    match severity {
        wavemark_check::Severity::Advice => Severity::Advice,
        wavemark_check::Severity::Warning => Severity::Warning,
        wavemark_check::Severity::Error => Severity::Error,
    }
}

fn class(class: wavemark_check::Class) -> Class {
    use wavemark_check::Class as Found;
    match class {
        Found::MissingWait => Class::MissingWait,
        Found::MissingSync => Class::MissingSync,
        Found::MissingWriteback => Class::MissingWriteback,
        Found::MissingInvalidate => Class::MissingInvalidate,
        Found::WrongScope => Class::WrongScope,
        Found::OutOfBounds => Class::OutOfBounds,
        Found::Barrier => Class::Barrier,
        Found::Deadlock => Class::Deadlock,
        Found::Collective => Class::Collective,
        Found::OverStrong => Class::OverStrong,
        Found::Redundant => Class::Redundant,
        Found::Hazard => Class::Hazard,
        Found::StepLimit => Class::StepLimit,
        Found::Trap => Class::Trap,
        Found::Uninitialized => Class::Uninitialized,
    }
}
