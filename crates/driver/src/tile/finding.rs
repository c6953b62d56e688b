//! What the interpreter finds, as a report has it.
//!
//! Rules of the tile level: A1–A5 as the checker of tile programs numbers them, U3, O3, T3, T4.

use wavemark_diag::{SourceMap, Span};
use wavemark_tile::interp::{self, Fault, FaultKind, FindingKind, Role};

use crate::report::{Class, Finding, Severity, Site};

/// A finding with its places named.
pub(super) fn convert(sources: &SourceMap, finding: &interp::Finding) -> Finding {
    let (rule, class) = match finding.kind {
        FindingKind::ReadInFlight => ("A1", Class::MissingWait),
        FindingKind::SourceOverwritten => ("A2", Class::MissingWait),
        FindingKind::OutsideCommit => ("A3", Class::MissingSync),
        FindingKind::WriteInFlight => ("A4", Class::MissingWait),
        FindingKind::UnorderedMembers => ("A5", Class::MissingSync),
        FindingKind::Uninitialized => ("U3", Class::Uninitialized),
    };
    let single = finding.places.len() == 1;
    let sites = finding.places.iter().map(|place| {
        let role = match place.role {
            Role::InFlight => "producer",
            Role::Accessing if single => "statement",
            Role::Accessing => "consumer",
        };
        // What it does, without the iteration, which has a place of its own.
        let text = interp::Place { iteration: Vec::new(), ..place.clone() }.to_string();
        site(sources, role, text, place.span, &place.iteration)
    });
    Finding {
        rule: rule.to_owned(),
        title: finding.kind.title().to_owned(),
        severity: Severity::Error,
        class,
        instances: finding.count,
        sites: sites.collect(),
        author_hint: None,
        hint: finding.places.first().and_then(|place| place.queue.flatten()).zip(finding.sufficient).map(
            |(queue, count)| {
                format!("async_wait_inflight_count {count} or less on queue {queue} before the consumer")
            },
        ),
        model: None,
        proven: None,
        unsettles: None,
    }
}

/// The fault that ended a run as a finding; `None` for what is not modelled.
pub(super) fn of_fault(sources: &SourceMap, fault: &Fault) -> Option<Finding> {
    let (rule, class, title) = match &fault.kind {
        FaultKind::OutOfBounds { .. } => ("O3", Class::OutOfBounds, "index outside a buffer"),
        FaultKind::Buffer(_) | FaultKind::Mismatch(_) | FaultKind::Step(_) => {
            ("T3", Class::Trap, "statement without a meaning")
        }
        FaultKind::DivisionByZero | FaultKind::Shift { .. } => {
            ("T3", Class::Trap, "statement without a meaning")
        }
        FaultKind::StepLimit(_) => ("T4", Class::StepLimit, "too many steps"),
        FaultKind::TimeLimit => ("T4", Class::StepLimit, "time limit"),
        FaultKind::MemoryLimit => ("T4", Class::StepLimit, "memory limit"),
        FaultKind::Unsupported(_) => return None,
    };
    Some(Finding {
        rule: rule.to_owned(),
        title: format!("{title}: {}", fault.kind),
        severity: Severity::Error,
        class,
        instances: 1,
        sites: vec![site(sources, "statement", fault.kind.to_string(), fault.span, &fault.iteration)],
        author_hint: None,
        hint: None,
        model: None,
        proven: None,
        unsettles: None,
    })
}

fn site(
    sources: &SourceMap,
    role: &str,
    text: String,
    span: Option<Span>,
    iteration: &[(String, i64)],
) -> Site {
    let values: Vec<String> = iteration.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    Site {
        role: role.to_owned(),
        text,
        source: span.map(|span| sources.location(span)),
        iteration: (!values.is_empty()).then(|| values.join(", ")),
        ..Site::default()
    }
}

/// `file:line:column: ` of a place, if there is one.
pub(super) fn place(sources: &SourceMap, span: Option<Span>) -> String {
    span.map(|span| sources.location(span) + ": ").unwrap_or_default()
}
