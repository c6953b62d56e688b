//! Reports as one HTML page that needs no other file: for people who were not there when the command ran.
//!
//! A run that was recorded ([`crate::recording`]) is shown with its time lines, its operations in flight, its hot
//! instructions, its use of LDS and its listing; of others there are the findings and the numbers.

mod overview;
mod timeline;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::recording::{Recording, Seen};
use crate::render_text::{SourceLine, approximate_text};
use crate::report::{Finding, Report, Site, split_source};
use crate::rules;

const STYLE: &str = concat!(include_str!("picture.css"), include_str!("style.css"));

/// Lines of source, and instructions, that are shown before and after a site.
const AROUND: usize = 3;
/// Findings that have a picture: the worst come first.
const PICTURES: usize = 20;

/// The reports of a command, each with its source lines.
pub fn render_html(reports: &[(&Report, SourceLine<'_>)]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "Wavemark" @if let [(only, _)] = reports { ": " (only.input) } }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Wavemark " (env!("CARGO_PKG_VERSION")) }
                @if reports.len() > 1 { (contents(reports)) }
                @for (number, (report, lines)) in reports.iter().enumerate() { (run(number, report, lines)) }
            }
        }
    };
    page.into_string()
}

/// The time lines of a recorded run as SVG, a document each: of its findings as far as they have one, with their numbers,
/// or of its first waves where nothing is found.
pub fn pictures(report: &Report) -> Vec<(Option<usize>, String)> {
    let Some(recording) = report.recording.as_deref() else { return Vec::new() };
    if report.findings.is_empty() {
        return timeline::of_beginning(recording)
            .map(|picture| (None, picture.document()))
            .into_iter()
            .collect();
    }
    let of = |(number, finding)| Some((Some(number), timeline::of_finding(recording, finding)?.document()));
    report.findings.iter().enumerate().take(PICTURES).filter_map(of).collect()
}

fn contents(reports: &[(&Report, SourceLine<'_>)]) -> Markup {
    html! {
        table {
            tr { th { "input" } th { "kernel" } th { "target" } th { "outcome" } th .number { "findings" } }
            @for (number, (report, _)) in reports.iter().enumerate() {
                tr {
                    td { a href={ "#run" (number) } { (report.input) } }
                    td { (report.kernel) }
                    td { (report.target) }
                    td { (report.outcome.name()) }
                    td .number { (report.findings.len()) }
                }
            }
        }
    }
}

fn run(number: usize, report: &Report, lines: SourceLine<'_>) -> Markup {
    let recording = report.recording.as_deref();
    let id = |index: usize| format!("run{number}-finding{index}");
    html! {
        section id={ "run" (number) } {
            h2 {
                (report.input) @if !report.kernel.is_empty() { ": " (report.kernel) } " "
                span class={ "badge " (report.outcome.name()) } { (report.outcome.name()) }
            }
            (summary(report))
            @for problem in report.reasons() { p { (problem) } }
            @if let Some(cut) = recording.and_then(Recording::cut) {
                p .note { "Of this long run the pictures leave out " (cut) "; what is added up is complete." }
            }
            @if !report.findings.is_empty() {
                h3 { "Findings" }
                ol .index {
                    @for (index, found) in report.findings.iter().enumerate() {
                        li {
                            span class={ "severity " (found.severity.name()) } { (found.severity.name()) "[" (found.id()) "]" } " "
                            a href={ "#" (id(index)) } { (found.title) }
                        }
                    }
                }
            }
            @for (index, found) in report.findings.iter().enumerate() {
                (finding(&id(index), found, None, recording.filter(|_| index < PICTURES), lines))
            }
            @if recording.is_some() && report.findings.len() > PICTURES {
                p .note { "Only the first " (PICTURES) " findings have a picture." }
            }
            @for (index, accepted) in report.accepted.iter().enumerate() {
                @let id = format!("run{number}-accepted{index}");
                (finding(&id, &accepted.finding, Some(&accepted.reason), None, lines))
            }
            @for output in report.outputs.iter().filter(|output| !output.matches) {
                p { "output " (output.name) ": " (output.mismatches) " of " (output.elements) " elements differ" }
            }
            @if let Some(recording) = recording {
                @if report.findings.is_empty() && let Some(picture) = timeline::of_beginning(recording) {
                    h3 { "The first waves" }
                    (picture.figure())
                }
                (overview::counters(recording))
                (overview::lds(recording))
                (overview::hot(recording))
            }
            @if let Some(coverage) = &report.coverage {
                (overview::coverage(coverage, recording, lines))
                @if let Some(text) = approximate_text(coverage) { p { "approximate: " (text) } }
            }
            @let unknown: Vec<_> = report.not_checked.iter().filter(|one| !one.asked).collect();
            @if !unknown.is_empty() {
                details {
                    summary { "rules not looked for" }
                    ul { @for one in unknown { li { (one.to_string()) } } }
                }
            }
        }
    }
}

fn summary(report: &Report) -> Markup {
    let stats = &report.stats;
    let mut cards: Vec<(String, &str)> = Vec::new();
    if !report.target.is_empty() {
        cards.push((report.target.clone(), "target"));
    }
    if stats.waves > 0 {
        cards.push((stats.workgroups.to_string(), "workgroups"));
        cards.push((stats.waves.to_string(), "waves"));
        cards.push((stats.wave_instructions.to_string(), "wave instructions"));
        cards.push((format!("{:.3} s", stats.seconds), "simulated in"));
    }
    let checked: Vec<&str> =
        report.checked.parts().into_iter().filter(|(_, done)| *done).map(|(name, _)| name).collect();
    html! {
        div .cards { @for (value, name) in &cards { div .card { b { (value) } span { (name) } } } }
        p .note { "checked: " @if checked.is_empty() { "nothing" } @else { (checked.join(", ")) } }
    }
}

fn finding(
    id: &str,
    finding: &Finding,
    accepted: Option<&str>,
    recording: Option<&Recording>,
    lines: SourceLine<'_>,
) -> Markup {
    let severity = finding.severity.name();
    let class = if accepted.is_some() { "accepted" } else { severity };
    html! {
        div id=(id) class={ "finding " (class) } {
            strong { span class={ "severity " (severity) } { (severity) "[" (finding.id()) "]" } ": " (finding.title) }
            @if finding.instances > 1 { span .dim { " (" (finding.instances) " times)" } }
            @if let Some(reason) = accepted { p { "accepted: " (reason) } }
            @if let Some(hint) = &finding.hint { p .hint { b { "hint: " } code { (hint) } } }
            @if let Some(hint) = &finding.author_hint { p .hint { b { "hint: " } (hint) } }
            @if let Some(picture) = recording.and_then(|recording| timeline::of_finding(recording, finding)) { (picture.figure()) }
            @for one in &finding.sites { (site(one, recording, lines)) }
            @if let Some(page) = rules::page(&finding.rule) {
                details { summary { "the rule: " (page.title()) } pre { (page.text) } }
            }
        }
    }
}

fn site(site: &Site, recording: Option<&Recording>, lines: SourceLine<'_>) -> Markup {
    let source = site.source.as_deref().and_then(split_source);
    let source = source.and_then(|(file, line, _)| Some((file, line, lines(file, line)?)));
    let code = recording.map(|recording| around(recording, site)).filter(|code| !code.is_empty());
    let both = source.is_some() && code.is_some();
    html! {
        div .site {
            span .role { (site.role) } " "
            @if let Some(source) = &site.source { (source) " " }
            span .dim {
                @if let Some(pc) = site.pc { "at " (format!("{pc:#x}")) " " }
                @if let Some([x, y, z]) = site.workgroup { "workgroup " (x) "," (y) "," (z) " " }
                @if let Some(wave) = site.wave { "wave " (wave) " " }
                @if let Some(lanes) = site.lanes { "lanes " (lanes.to_string()) " " }
            }
            @if let Some(note) = &site.note { b { (note) } }
            div .beside {
                @if let Some((file, line, _)) = &source {
                    pre .source .only[!both] {
                        @for (number, row) in source_rows(file, *line, lines) {
                            @if number == *line { span .here { (row) } } @else { (row) "\n" }
                        }
                    }
                }
                @match &code {
                    Some(code) => pre .code .only[!both] {
                        @for seen in code {
                            @if seen.is_at(site) { span .here { (code_row(seen)) } } @else { (code_row(seen)) "\n" }
                        }
                    },
                    None if source.is_none() => pre .only { (site.text) },
                    None => {}
                }
            }
        }
    }
}

/// The source lines around `line`, without the indentation that all of them have.
fn source_rows(file: &str, line: u32, lines: SourceLine<'_>) -> Vec<(u32, String)> {
    let around = AROUND as u32;
    let numbers = line.saturating_sub(around).max(1)..=line.saturating_add(around);
    let rows: Vec<(u32, String)> =
        numbers.filter_map(|number| Some((number, lines(file, number)?.replace('\t', "        ")))).collect();
    let indentation = |text: &str| text.len() - text.trim_start().len();
    let filled = rows.iter().filter(|(_, text)| !text.trim().is_empty());
    let common = filled.map(|(_, text)| indentation(text)).min().unwrap_or(0);
    let row = |(number, text): (u32, String)| {
        let text = text.get(common.min(indentation(&text))..).unwrap_or_default();
        (number, format!("{number:>5} | {}", text.trim_end()))
    };
    rows.into_iter().map(row).collect()
}

fn code_row(seen: &Seen) -> String {
    format!("{:>8}  {}", seen.at.to_string(), seen.text)
}

/// The instructions around that of a site.
fn around<'r>(recording: &'r Recording, site: &Site) -> Vec<&'r Seen> {
    let mut sites: Vec<&Seen> = recording.sites.iter().collect();
    sites.sort_by_key(|seen| seen.at);
    let Some(own) = sites.iter().position(|seen| seen.is_at(site)) else { return Vec::new() };
    sites[own.saturating_sub(AROUND)..].iter().take(own.min(AROUND) + AROUND + 1).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Class, Severity};

    #[test]
    fn what_an_input_says_is_text() {
        let mut report = Report::new("<script>alert(1)</script>.s");
        report.findings.push(Finding {
            rule: "R4".to_owned(),
            title: "a < b".to_owned(),
            severity: Severity::Error,
            class: Class::MissingWait,
            instances: 2,
            sites: vec![Site { source: Some("k.s:4:1".to_owned()), ..Site::default() }],
            author_hint: None,
            hint: None,
            model: None,
            proven: None,
            unsettles: None,
        });
        let page = render_html(&[(&report, &|_, _| Some("<b>bold</b>".to_owned()))]);
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
        assert!(page.contains("a &lt; b") && page.contains("&lt;b&gt;bold"), "{page}");
    }
}
