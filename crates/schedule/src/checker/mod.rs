//! An independent checker of asynchronous tile programs: of any function with `async_*` scopes, ours or TVM's.
//!
//! For: `wavemark check K.py`, and for holding the pipelining pass to its word: nothing here is shared with it.
//!
//! What it proves. Every statement that touches data of an asynchronous operation does so when some wait has completed
//! that operation, on all paths and in all iterations. What is not so is a finding that names both statements and
//! their iteration vectors, and the wait that falls short with the count that would do. Each wait is judged: too
//! weak, exact, too strong (with the largest count that keeps everything covered), redundant.
//!
//! How. [`compile`] reduces the function to its asynchronous control and the accesses that can conflict; [`walk`]
//! executes that symbolically with the state of [`state`]; [`steady`] cuts long loops short by a proof, [`symbols`]
//! walks small values of dynamic extents, and [`induction`] proves the rest; [`counts`] finds the best counts.
//!
//! Never false: a finding is a pair of element accesses that some completion order reverses (on a path that a condition
//! unknown to the checker may exclude: such findings say so). Never silent: what it cannot decide is
//! [`NotProven`], and a report with one is not clean. May be missed: races between threads of one statement (threads
//! are taken to run in step, with the barriers that lowering puts at waits); accesses through pointers that no
//! enclosing block declares count as the whole buffer, so they are not missed.
//!
//! Follows the asynchronous-pipeline RFC ("Semantics of the proposed scope annotations"); where that is silent, [`walk`]
//! says which reading is taken.

mod compile;
mod counts;
mod footprint;
mod induction;
mod interval;
mod program;
mod report;
mod shifts;
mod state;
mod steady;
mod symbols;
mod trace;
mod walk;

use wavemark_tile::Function;

use self::footprint::Shapes;
use self::walk::{Negative, Walker};

pub use report::{
    Blame, Finding, Instance, MAX_INSTANCES, NotProven, Place, Report, Rule, Steady, Symbols, Verdict,
    WaitInstance, WaitReport,
};

/// Checks a function. Never fails: what cannot be checked is in [`Report::not_proven`].
pub fn check(function: &Function) -> Report {
    check_how(function, false)
}

/// As [`check`], without taking iterations for granted that it could prove to be like others: what to hold it against.
pub fn check_exhaustively(function: &Function) -> Report {
    check_how(function, true)
}

fn check_how(function: &Function, exhaustive: bool) -> Report {
    let program = compile::compile(function);
    let mut report =
        Report { has_async: program.has_async, annotated: program.annotated, ..Report::default() };
    if !program.has_async {
        return report;
    }
    let shapes = Shapes::new(function);
    let mut walker = Walker::new(&program, function, &shapes, Negative::Flush);
    walker.exhaustive = exhaustive;
    report.symbols = symbols::walk(&mut walker);
    let negative = walker.waits.iter().any(|wait| wait.negative.is_some());
    if negative {
        let mut dropped = Walker::new(&program, function, &shapes, Negative::Drop);
        dropped.exhaustive = exhaustive;
        symbols::walk(&mut dropped);
        let more = negative_counts(&walker, &dropped);
        walker.findings.extend(more);
    }
    report.waits = judge(&walker);
    report.undecided = walker.undecided.iter().map(|one| walker.place(one.place)).collect();
    let mut pending: Vec<_> = walker.pending.iter().collect();
    pending.sort();
    report.pending = pending.into_iter().map(|&buffer| function.buffer(buffer).name.to_string()).collect();
    if walker.correlated {
        // The paths of these may not exist.
        let (doubtful, sure) = walker.findings.into_iter().partition(|finding| finding.on_some_path);
        walker.findings = sure;
        walker.not_proven.extend(Vec::into_iter(doubtful).map(doubt));
    }
    report.findings = walker.findings;
    report.not_proven = walker.not_proven;
    report.steady = walker.steady;
    report.steps = walker.steps;
    report
}

/// A finding on a path that conditions which go together may exclude.
fn doubt(finding: Finding) -> NotProven {
    let place = finding.consumer.unwrap_or(finding.producer).place;
    let title = finding.rule.title();
    NotProven {
        place: Some(place),
        reason: format!("{title}, unless conditions that the checker cannot decide go together"),
    }
}

/// The defects that are there only where a negative count means nothing at all: findings about the waits.
fn negative_counts(flush: &Walker<'_>, dropped: &Walker<'_>) -> Vec<Finding> {
    let key = |finding: &Finding| {
        let consumer = finding.consumer.as_ref().map(|consumer| consumer.place.clone());
        (finding.rule, finding.producer.place.clone(), consumer)
    };
    let known: Vec<_> = flush.findings.iter().map(key).collect();
    let mut found: Vec<Finding> = Vec::new();
    for extra in dropped.findings.iter().filter(|finding| !known.contains(&key(finding))) {
        // The wait whose dropping did it: negative, on that queue.
        let sites = dropped.waits.iter().enumerate().filter(|(_, wait)| wait.queue == extra.queue);
        for (site, wait) in sites {
            let Some((iteration, count)) = &wait.negative else { continue };
            if found.iter().any(|other| other.blame.as_ref().is_some_and(|blame| blame.wait == site)) {
                continue;
            }
            let blame = Blame {
                wait: site,
                iteration: iteration.to_vec(),
                count: *count,
                sufficient: extra.sufficient_here.unwrap_or(0),
            };
            found.push(Finding { rule: Rule::NegativeCount, blame: Some(blame), ..extra.clone() });
        }
    }
    found
}

/// Some execution waits for more than need be.
fn loose(instances: &[WaitInstance]) -> bool {
    instances.iter().any(|one| match one.best {
        Some(best) => one.count.is_some_and(|count| count.max(0) < best),
        None => one.blocks,
    })
}

fn judge(walker: &Walker<'_>) -> Vec<WaitReport> {
    let constant: Vec<bool> =
        walker.waits.iter().map(|wait| wait.counts.is_none_or(|(least, most)| least == most)).collect();
    let best = counts::solve(&walker.uses, walker.waits.len(), &constant);
    let single = counts::solve(&walker.uses, walker.waits.len(), &vec![false; walker.waits.len()]);
    let sites = walker.program.waits.iter().zip(&walker.waits).zip(best.iter().zip(&single));
    sites
        .zip(&constant)
        .map(|(((site, seen), (best, single)), &constant)| {
            let mut instances = seen.instances.clone();
            for (index, instance) in instances.iter_mut().enumerate() {
                instance.best = single.instances.get(&(index as u32)).copied();
                if best.pinned {
                    instance.best = instance.count;
                }
            }
            let counts = if seen.unknown { None } else { seen.counts };
            let lowest = counts.map_or(0, |counts| counts.0.max(0));
            let bound = if best.pinned { Some(lowest) } else { best.constant };
            let verdict = if seen.executions == 0 {
                Verdict::Unreached
            } else if seen.unknown {
                Verdict::Unknown
            } else if best.lacking {
                Verdict::TooWeak
            } else if bound.is_none() {
                Verdict::Redundant
            } else if constant && bound > Some(lowest) || !constant && !best.pinned && loose(&instances) {
                Verdict::TooStrong
            } else {
                Verdict::Exact
            };
            WaitReport {
                place: walker.place(site.place),
                queue: seen.queue,
                counts,
                best: bound,
                instances,
                executions: seen.executions,
                verdict,
            }
        })
        .collect()
}
