//! A report for people: every finding with both of its sites and their source lines, outputs, a summary.

use std::fmt::Write as _;

use wavemark_diag::Style;

use crate::report::{
    Accepted, Approximate, Checked, Class, Coverage, Executed, Finding, NotChecked, Outcome, Output, Report,
    Severity, Site, Unexecuted, split_source,
};

/// Looks a source line up: file as reports name it, line from 1.
pub type SourceLine<'a> = &'a dyn Fn(&str, u32) -> Option<String>;

const RESET: &str = "\x1b[0m";
const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const BLUE: &str = "\x1b[1;34m";
const GREEN: &str = "\x1b[1;32m";

/// What of a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// All of it.
    All,
    /// What is wrong, and why there is no answer.
    Findings,
}

/// The report; each line ends with a line end.
pub fn render_text(report: &Report, source_line: SourceLine<'_>, style: Style, parts: Parts) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        finding_text(&mut text, finding, source_line, style);
        text.push('\n');
    }
    let all = parts == Parts::All;
    for accepted in report.accepted.iter().filter(|_| all) {
        let Accepted { finding, reason } = accepted;
        line(&mut text, &format!("accepted[{}]", finding.id()), &format!("{} ({reason})", finding.title));
    }
    for output in report.outputs.iter().filter(|output| all || !output.matches) {
        output_text(&mut text, output, style);
    }
    for problem in &report.diagnostics {
        line(&mut text, &paint("error", RED, style), problem);
    }
    for reason in &report.unsupported {
        line(&mut text, &paint("unsupported", RED, style), reason);
    }
    for reason in report.not_checked.iter().filter(|one| one.asked) {
        line(&mut text, &paint("not checked", YELLOW, style), &reason.to_string());
    }
    if all {
        report.notes.iter().for_each(|note| line(&mut text, "note", note));
        summary(&mut text, report, style);
    }
    text
}

fn line(text: &mut String, head: &str, rest: &str) {
    text.push_str(head);
    text.push_str(": ");
    text.push_str(rest);
    text.push('\n');
}

fn paint(text: &str, colour: &str, style: Style) -> String {
    match style {
        Style::Plain => text.to_owned(),
        Style::Colour => format!("{colour}{text}{RESET}"),
    }
}

/// Ends that are shown of one finding, besides the wait at fault.
const SHOWN: usize = 16;

fn finding_text(text: &mut String, finding: &Finding, source_line: SourceLine<'_>, style: Style) {
    let (name, colour) = match finding.severity {
        Severity::Error => ("error", RED),
        Severity::Warning => ("warning", YELLOW),
        Severity::Advice => ("advice", BLUE),
    };
    let rule = finding.id();
    let times = if finding.instances > 1 { format!(" ({} times)", finding.instances) } else { String::new() };
    line(
        text,
        &paint(&format!("{name}[{rule}]"), colour, style),
        &paint(&format!("{}{times}", finding.title), BOLD, style),
    );
    let (shown, others): (Vec<_>, Vec<_>) =
        finding.sites.iter().enumerate().partition(|&(at, site)| at < SHOWN || site.role == "wait");
    for (_, site) in shown {
        site_text(text, site, source_line);
    }
    if !others.is_empty() {
        _ = writeln!(text, "  and {} more", others.len());
    }
    if let Some(hint) = &finding.hint {
        line(text, &paint("  hint", GREEN, style), hint);
    }
    if let Some(hint) = &finding.author_hint {
        line(text, &paint("  hint", GREEN, style), hint);
    }
    match finding.proven {
        Some(true) => line(text, "  note", "proven: it holds for every run"),
        Some(false) if matches!(finding.class, Class::Redundant | Class::OverStrong) => {
            line(text, "  note", "seen in this run only");
        }
        _ => {}
    }
    if let Some(model) = &finding.model {
        line(text, "  note", &format!("depends on the reading of an open question: --model {model}"));
    }
}

fn site_text(text: &mut String, site: &Site, source_line: SourceLine<'_>) {
    let mut place = match (&site.source, site.pc) {
        (Some(source), Some(pc)) => format!("{source} (at {pc:#x})"),
        (Some(source), None) => source.clone(),
        (None, Some(pc)) => format!("at {pc:#x}"),
        (None, None) => "somewhere".to_owned(),
    };
    if let Some(iteration) = &site.iteration {
        _ = write!(place, ", {iteration}");
    }
    if let Some([x, y, z]) = site.workgroup {
        _ = write!(place, ", workgroup {x},{y},{z}");
    }
    if let Some(wave) = site.wave {
        _ = write!(place, ", wave {wave}");
    }
    if let Some(lanes) = site.lanes {
        _ = write!(place, ", lanes {lanes}");
    }
    if let Some(note) = &site.note {
        _ = write!(place, ": {note}");
    }
    _ = writeln!(text, "  {}: {place}", site.role);
    let source = site.source.as_deref().and_then(split_source);
    let source_text = source.and_then(|(file, number, _)| Some((number, source_line(file, number)?)));
    match source_text {
        Some((number, source_text)) => {
            let source_text = source_text.trim();
            _ = writeln!(text, "    {number:>5} | {source_text}");
            if site.pc.is_none() {
                // Of a statement, which elements it was about.
                _ = writeln!(text, "          > {}", site.text);
                return;
            }
            // Of assembly, the source line is the instruction, perhaps spelled another way.
            let mnemonic = site.text.split_whitespace().next().unwrap_or_default();
            let mnemonic =
                mnemonic.strip_suffix("_e32").or(mnemonic.strip_suffix("_e64")).unwrap_or(mnemonic);
            if !source_text.contains(mnemonic) {
                _ = writeln!(text, "          > {}", site.text);
            }
        }
        None => _ = writeln!(text, "          > {}", site.text),
    }
    for caller in &site.callers {
        _ = writeln!(text, "    called at {caller}");
        if let Some((file, number, _)) = split_source(caller)
            && let Some(source_text) = source_line(file, number)
        {
            _ = writeln!(text, "    {number:>5} | {}", source_text.trim());
        }
    }
}

fn output_text(text: &mut String, output: &Output, style: Style) {
    let errors = format!(
        "max abs error {}, max rel error {}",
        short(output.max_abs_error),
        short(output.max_rel_error)
    );
    if output.matches {
        line(text, &format!("output {}", output.name), &format!("as expected ({errors})"));
        return;
    }
    let mut message = format!("{} of {} elements differ ({errors})", output.mismatches, output.elements);
    if let Some(first) = &output.first {
        let index = first.index.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        _ = write!(message, "; first at [{index}]: {} instead of {}", first.found, first.expected);
    }
    line(text, &paint(&format!("output {}", output.name), RED, style), &message);
}

/// Three digits are enough to see how far off it is.
fn short(error: f64) -> String {
    if error == 0.0 || error.is_infinite() { error.to_string() } else { format!("{error:.2e}") }
}

fn summary(text: &mut String, report: &Report, style: Style) {
    let colour = match report.outcome {
        Outcome::Clean => GREEN,
        Outcome::NotChecked | Outcome::NothingToCheck => YELLOW,
        _ => RED,
    };
    let mut what = report.input.clone();
    if !report.kernel.is_empty() {
        _ = write!(what, ": {}", report.kernel);
    }
    if !report.target.is_empty() {
        _ = write!(what, " on {}", report.target);
    }
    let count = |severity| {
        let instances = report.findings.iter().filter(|finding| finding.severity == severity).count();
        let (one, many) = match severity {
            Severity::Error => ("error", "errors"),
            Severity::Warning => ("warning", "warnings"),
            Severity::Advice => ("advice", "advice"),
        };
        (instances > 0).then(|| format!("{instances} {}", if instances == 1 { one } else { many }))
    };
    let counts: Vec<String> =
        [Severity::Error, Severity::Warning, Severity::Advice].into_iter().filter_map(count).collect();
    let counts = match report.outcome {
        Outcome::Clean | Outcome::NothingToCheck if counts.is_empty() => ", no findings".to_owned(),
        _ if counts.is_empty() => String::new(),
        _ => format!(", {}", counts.join(", ")),
    };
    line(text, &what, &format!("{}{counts}", paint(report.outcome.name(), colour, style)));

    let stats = &report.stats;
    if let Some(what) = report.executed_on {
        _ = writeln!(
            text,
            "  executed on the {what}: {} steps, {} commit groups in {:.3} s",
            stats.steps, stats.commit_groups, stats.seconds
        );
        let checked = report.checked != Checked::default();
        let names = if checked { "data in flight, bounds, undefined elements" } else { "nothing" };
        _ = writeln!(text, "  checked: {names}");
    }
    if stats.waves > 0 {
        _ = writeln!(
            text,
            "  {} workgroups, {} waves, {} wave instructions, {} lane instructions in {:.3} s",
            stats.workgroups, stats.waves, stats.wave_instructions, stats.lane_instructions, stats.seconds
        );
    }
    if let Some(paths) = &report.paths {
        _ = writeln!(text, "  on all paths: {} instructions, for registers and waits", paths.instructions);
    }
    if stats.waves > 0 || report.paths.is_some() {
        let names = |wanted| -> Vec<&str> {
            report
                .checked
                .parts()
                .into_iter()
                .filter(|&(_, done)| done == wanted)
                .map(|(name, _)| name)
                .collect()
        };
        let (done, not) = (names(true), names(false));
        if let Some(coverage) = &report.coverage {
            _ = writeln!(text, "  executed: {}", coverage_text(coverage));
            if let Some(approximate) = approximate_text(coverage) {
                _ = writeln!(text, "  approximate: {approximate}");
            }
        }
        let done = if done.is_empty() { "nothing".to_owned() } else { done.join(", ") };
        let none = if not.is_empty() { String::new() } else { format!("; not checked: {}", not.join(", ")) };
        _ = writeln!(text, "  checked: {done}{none}");
        let (paths, unknown): (Vec<&NotChecked>, Vec<&NotChecked>) =
            report.not_checked.iter().filter(|one| !one.asked).partition(|one| one.rule == NotChecked::PATHS);
        if let [first, more @ ..] = &paths[..] {
            let more = if more.is_empty() { String::new() } else { format!(", and {} more", more.len()) };
            _ = writeln!(text, "  not followed: {}{more}", first.reason);
        }
        let unknown = unknown.into_iter().map(|one| one.rule.as_str());
        let unknown: Vec<&str> = unknown.filter(|rule| !not.contains(rule)).collect();
        if !unknown.is_empty() {
            _ = writeln!(text, "  rules not looked for: {}", unknown.join(", "));
        }
    }
}

/// Ranges that a summary names.
const RANGES: usize = 3;

/// Instructions that a summary names for one reason.
const NAMES: usize = 4;

/// What was not executed exactly as the hardware does it.
pub(crate) fn approximate_text(coverage: &Coverage) -> Option<String> {
    let one = |one: &Approximate| {
        let mut names = one.instructions.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
        if let more @ 1.. = one.instructions.len().saturating_sub(NAMES) {
            names += &format!(", {more} more");
        }
        format!("{} ({names})", one.subject)
    };
    let all: Vec<String> = coverage.approximate.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// How much was executed, and what was not.
pub(crate) fn coverage_text(coverage: &Coverage) -> String {
    let Executed { executed, total } = coverage.instructions;
    if coverage.unexecuted.is_empty() {
        return format!("all {total} instructions");
    }
    let range = |range: &Unexecuted| {
        let source = range.source.as_deref().and_then(split_source);
        let source = source.map(|(file, line, _)| format!(" ({file}:{line})")).unwrap_or_default();
        format!("{:#x}-{:#x}{source}", range.from, range.to)
    };
    let mut ranges: Vec<String> = coverage.unexecuted.iter().take(RANGES).map(range).collect();
    if let more @ 1.. = coverage.unexecuted.len().saturating_sub(RANGES) {
        ranges.push(format!("{more} more"));
    }
    let mut text = format!("{executed} of {total} instructions, not {}", ranges.join(", "));
    if coverage.unexecuted_unsupported > 0 {
        text += &format!("; {} of the rest are not modelled", coverage.unexecuted_unsupported);
    }
    text
}
