//! Checking a tile program: the checker of `wavemark-schedule`, as a report has it.
//!
//! A module that still asks to be pipelined is pipelined first, and the report says so: what would run is checked.
//! With a launch the program is also executed, in several orders of completion.

use std::path::Path;

use wavemark_diag::{Diagnostic, SourceMap};
use wavemark_schedule::checker::{self, Blame, Instance, Rule, Verdict, WaitReport};
use wavemark_schedule::pipeline::pipeline;
use wavemark_schedule::plan::plan;
use wavemark_tile::{Function, Module, Stmt};

use super::{execute, module, refusal, select};
use crate::build::Failure;
use crate::input::Input;
use crate::options::RunOptions;
use crate::report::{Checked, Class, Finding, NotChecked, Report, Severity, Site};

/// Checks the functions of `input` (or the one that `options` names).
pub fn check(
    sources: &mut SourceMap,
    input: &Input,
    launch: Option<&Path>,
    options: &RunOptions,
) -> Result<Report, Failure> {
    let mut module = module(sources, input).map_err(|refused| refusal(sources, refused))?;
    wavemark_tile::verify(&module)?;
    if let Some(name) = &options.kernel {
        let name = select(&module, &input.name, Some(name), None)?.name.clone();
        module.functions.retain(|function| function.name == name);
    }
    let mut report = prove(sources, &input.name, &mut module, options.check)?;
    if launch.is_some() {
        let executed = execute(sources, input, &module, launch, options)?;
        // What the proof has found already, it has said better.
        let new = executed.findings.into_iter().filter(|found| {
            !report.findings.iter().any(|known| known.rule == found.rule && same_places(known, found))
        });
        let new: Vec<Finding> = new.collect();
        report.findings.extend(new);
        report.outputs = executed.outputs;
        report.stats = executed.stats;
        report.executed_on = executed.executed_on;
        report.unsupported = executed.unsupported;
        report.diagnostics = executed.diagnostics;
        // That a run checks no waits does not matter: the proof did.
        let checked = executed.checked;
        report.checked = Checked { waits: report.checked.waits, ..checked };
    }
    report.conclude();
    Ok(report)
}

/// Checks the functions of a module that has been read and verified, and was called `name`.
pub fn check_module(sources: &SourceMap, name: &str, mut module: Module) -> Result<Report, Failure> {
    let mut report = prove(sources, name, &mut module, Checked::FULL)?;
    report.conclude();
    Ok(report)
}

/// What the checker says of each function, which is pipelined where it asks for that.
fn prove(sources: &SourceMap, name: &str, module: &mut Module, asked: Checked) -> Result<Report, Failure> {
    let mut report = Report::new(name);
    let names: Vec<&str> = module.functions.iter().map(|function| function.name.as_str()).collect();
    report.kernel = names.join(", ");
    if asked == Checked::default() {
        report.not_checked.clear();
        return Ok(report);
    }
    report.nothing_to_check = true;
    for function in &mut module.functions {
        add(sources, function, asked, &mut report)?;
    }
    report.checked.waits = true;
    Ok(report)
}

/// The statements that two findings are about, producer and consumer, are the same.
fn same_places(one: &Finding, two: &Finding) -> bool {
    let places = |finding: &Finding| -> Vec<Option<String>> {
        finding.sites.iter().take(2).map(|site| site.source.clone()).collect()
    };
    places(one) == places(two)
}

/// Checks one function and adds what comes out.
fn add(
    sources: &SourceMap,
    function: &mut Function,
    asked: Checked,
    report: &mut Report,
) -> Result<(), Failure> {
    let name = function.name.clone();
    if asks_for_pipelining(&function.body) {
        let refused = |diagnostics: Vec<Diagnostic>| refusal(sources, diagnostics);
        plan(function).map_err(refused)?;
        pipeline(function).map_err(refused)?;
        wavemark_tile::simplify(function);
        report.notes.push(format!("{name}: its loops ask to be pipelined; what is checked is the result"));
    }
    let found = checker::check(function);
    if !found.has_async {
        report.notes.push(format!("{name}: no asynchronous scopes, so nothing to check"));
        return Ok(());
    }
    report.nothing_to_check = false;
    let doors = Doors { sources, report: &found };
    report.findings.extend(found.findings.iter().map(|finding| doors.finding(finding)));
    // Advice to loosen a wait needs a complete proof.
    if asked.waits && found.not_proven.is_empty() {
        report.findings.extend(found.waits.iter().filter_map(|wait| doors.advice(wait)));
    }
    for one in &found.not_proven {
        let span = one.place.as_ref().and_then(|place| place.span);
        let place = span.map(|span| sources.location(span) + ": ");
        let reason = format!("{}{}", place.unwrap_or_default(), one.reason);
        report.not_checked.push(NotChecked::new(&*name, reason));
    }
    report.notes.extend(doors.notes(&name));
    Ok(())
}

/// A loop has annotations for the pipelining pass or the planner.
pub fn asks_for_pipelining(stmt: &Stmt) -> bool {
    let mut asks = false;
    stmt.visit(&mut |inner| {
        if let Stmt::For(node) = inner {
            asks |= ["software_pipeline_stage", "num_stages"]
                .iter()
                .any(|key| node.annotations.contains_key(*key));
        }
    });
    asks
}

struct Doors<'a> {
    sources: &'a SourceMap,
    report: &'a checker::Report,
}

impl Doors<'_> {
    fn finding(&self, finding: &checker::Finding) -> Finding {
        let buffer = finding.buffer.as_deref().unwrap_or("a buffer");
        let queue = finding.queue.map(|queue| format!(", queue {queue}")).unwrap_or_default();
        let (earlier, later) = match finding.rule {
            Rule::ReadInFlight => ("writes", "reads"),
            Rule::SourceOverwritten => ("reads", "writes"),
            Rule::WriteInFlight => ("writes", "writes"),
            Rule::UnorderedMembers | Rule::NegativeCount => ("touches", "touches"),
            Rule::OutsideCommit | Rule::SyncInCommit => ("", ""),
        };
        let mut sites = Vec::new();
        match &finding.consumer {
            Some(consumer) => {
                let producer = finding.producer.place.describe();
                let text = format!("{producer} {earlier} {buffer} asynchronously{queue}");
                sites.push(self.site("producer", text, &finding.producer));
                let text = format!("{} {later} {buffer}", consumer.place.describe());
                sites.push(self.site("consumer", text, consumer));
            }
            None => {
                sites.push(self.site("statement", finding.producer.place.describe(), &finding.producer));
            }
        }
        if let Some(blame) = &finding.blame {
            sites.push(self.wait_site(blame));
        }
        let (severity, class) = match finding.rule {
            Rule::SyncInCommit => (Severity::Warning, Class::Hazard),
            _ if finding.queue_order => (Severity::Warning, Class::MissingWait),
            Rule::OutsideCommit | Rule::UnorderedMembers => (Severity::Error, Class::MissingSync),
            _ => (Severity::Error, Class::MissingWait),
        };
        Finding {
            rule: finding.rule.id().to_owned(),
            title: finding.rule.title().to_owned(),
            severity,
            class,
            instances: finding.instances,
            sites,
            author_hint: None,
            hint: Some(self.hint(finding)),
            model: None,
            proven: None,
            unsettles: None,
        }
    }

    fn site(&self, role: &str, text: String, instance: &Instance) -> Site {
        let iteration = instance.place.iteration(&instance.iteration);
        Site {
            role: role.to_owned(),
            text,
            source: instance.place.span.map(|span| self.sources.location(span)),
            iteration: (!iteration.is_empty()).then_some(iteration),
            ..Site::default()
        }
    }

    fn wait_site(&self, blame: &Blame) -> Site {
        let place = self.report.waits.get(blame.wait).map(|wait| wait.place.clone()).unwrap_or_default();
        self.site(
            "wait",
            format!("leaves {} groups in flight", blame.count),
            &Instance { place, iteration: blame.iteration.clone() },
        )
    }

    fn hint(&self, finding: &checker::Finding) -> String {
        let mut hint = match (finding.rule, &finding.blame, finding.sufficient_here, finding.queue) {
            (Rule::OutsideCommit, ..) => "put it into an async_commit_queue_scope".to_owned(),
            (Rule::SyncInCommit, ..) => "move it out of the async_commit_queue_scope".to_owned(),
            (Rule::UnorderedMembers, ..) => {
                "commit the first by itself, and wait for its group before the second".to_owned()
            }
            (Rule::NegativeCount, Some(blame), ..) => format!(
                "where a negative count means 0 the program is right, where it drops the wait it is not: \
                 async_wait_inflight_count {} instead of {}",
                blame.sufficient, blame.count
            ),
            (_, Some(blame), ..) => {
                let mut hint = format!(
                    "async_wait_inflight_count {} instead of {} there",
                    blame.sufficient, blame.count
                );
                if let Some(wait) = self.report.waits.get(blame.wait) {
                    hint += &constant(wait).map(|best| format!("; {best}")).unwrap_or_default();
                }
                hint
            }
            (_, None, Some(count), Some(queue)) => format!(
                "no wait on queue {queue} lies between: async_wait_queue_scope {queue} with \
                 async_wait_inflight_count {count} around the consumer"
            ),
            _ => "commit the producer, and wait for its group before the consumer".to_owned(),
        };
        if finding.rule == Rule::SourceOverwritten {
            hint += ", or one more version of the buffer";
        }
        if finding.queue_order {
            hint += "; right where groups of one queue take effect one after the other";
        }
        if finding.on_some_path {
            hint += "; on a path that a condition decides";
        }
        for (name, value) in &finding.symbols {
            hint += &format!("; first seen at {name} = {value}");
        }
        hint
    }

    /// A wait that is stronger than need be.
    fn advice(&self, wait: &WaitReport) -> Option<Finding> {
        let (rule, title, class) = match wait.verdict {
            Verdict::TooStrong => ("W2", "wait stronger than needed", Class::OverStrong),
            Verdict::Redundant => ("W1", "redundant wait", Class::Redundant),
            Verdict::Exact | Verdict::TooWeak | Verdict::Unknown | Verdict::Unreached => return None,
        };
        let queue = wait.queue.map(|queue| format!(" on queue {queue}")).unwrap_or_default();
        let counts = match wait.counts {
            Some((least, most)) if least == most => format!("for {least}"),
            Some((least, most)) => format!("for {least} to {most}"),
            None => "for an unknown count".to_owned(),
        };
        let hint = match wait.verdict {
            Verdict::Redundant => "other waits complete all that is needed: it can go".to_owned(),
            _ => by_iteration(wait)
                .or(wait.best.map(|best| format!("async_wait_inflight_count {best} is enough")))
                .unwrap_or_default(),
        };
        Some(Finding {
            rule: rule.to_owned(),
            title: title.to_owned(),
            severity: Severity::Advice,
            class,
            instances: wait.executions,
            sites: vec![Site {
                role: "wait".to_owned(),
                text: format!("waits{queue} {counts}"),
                source: wait.place.span.map(|span| self.sources.location(span)),
                ..Site::default()
            }],
            author_hint: None,
            hint: Some(hint),
            model: None,
            proven: Some(true),
            unsettles: None,
        })
    }

    fn notes(&self, name: &str) -> Vec<String> {
        let mut notes = Vec::new();
        let count = |wanted: Verdict| self.report.waits.iter().filter(|wait| wait.verdict == wanted).count();
        let verdicts = [
            (Verdict::Exact, "exact"),
            (Verdict::TooWeak, "too weak"),
            (Verdict::TooStrong, "too strong"),
            (Verdict::Redundant, "redundant"),
            (Verdict::Unknown, "not known"),
            (Verdict::Unreached, "never reached"),
        ];
        let counts: Vec<String> = verdicts
            .iter()
            .map(|&(verdict, what)| (count(verdict), what))
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if counts.is_empty() {
            notes.push(format!("{name}: no waits"));
        } else {
            notes.push(format!("{name}: waits: {}", counts.join(", ")));
        }
        for steady in &self.report.steady {
            notes.push(format!(
                "{name}: loop {}: iterations from {} on repeat with period {}, which covers {} that were not walked",
                steady.variable, steady.from, steady.period, steady.skipped
            ));
        }
        if let Some(symbols) = &self.report.symbols {
            let walked = symbols.names.iter().zip(&symbols.walked);
            let walked: Vec<String> =
                walked.map(|(name, (least, most))| format!("{name} in {least}..={most}")).collect();
            let rest = if symbols.all { ", and by their steady state for all others" } else { "" };
            notes.push(format!("{name}: proved for {}{rest}", walked.join(", ")));
        }
        if !self.report.pending.is_empty() {
            let buffers = self.report.pending.join(", ");
            notes.push(format!("{name}: writes to {buffers} may be in flight when it ends"));
        }
        notes
    }
}

/// What of a weak wait would do as a constant, where that says more than the one place.
fn constant(wait: &WaitReport) -> Option<String> {
    let best = wait.best?;
    let bests: Vec<i64> = wait.instances.iter().filter_map(|one| one.best).collect();
    if bests.len() < 2 || bests.iter().all(|&other| other == best) {
        return None;
    }
    let most = bests.iter().max()?;
    Some(format!("no larger constant than {best} is enough in all iterations, {most} in some"))
}

/// The counts that would do, of a wait for which they differ.
fn by_iteration(wait: &WaitReport) -> Option<String> {
    let bests: Vec<Option<i64>> = wait.instances.iter().map(|one| one.best).collect();
    let constant = wait.counts.is_some_and(|(least, most)| least == most);
    let varies = bests.iter().flatten().any(|best| Some(*best) != wait.best);
    if constant || !varies || wait.executions > bests.len() as u64 {
        return None;
    }
    let list: Vec<String> = wait
        .instances
        .iter()
        .take(8)
        .map(|one| {
            let at = wait.place.iteration(&one.iteration);
            let best = one.best.map_or("any".to_owned(), |best| best.to_string());
            if at.is_empty() { best } else { format!("{best} at {at}") }
        })
        .collect();
    let more = if bests.len() > 8 { ", …" } else { "" };
    Some(format!("enough: async_wait_inflight_count {}{more}", list.join(", ")))
}
